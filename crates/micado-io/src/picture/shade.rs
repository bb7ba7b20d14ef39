//! Shaded tubes, balls and surfaces with a depth buffer.
//!
//! A tube is a chain of cylinders with balls at the joints. Each sample intersects its line of sight with
//! them, which gives depth and normal. The normal is made perpendicular to the tangent, which is interpolated
//! along the segment, so that a chain of straight segments looks smooth.

use glam::{DVec3, Vec3};

use super::camera::Camera;
use super::canvas::Canvas;
use super::colour::{Rgb, mix, to_bytes};
use super::sight::Rod;
use super::text::blend;

/// Samples per pixel in each direction: of opaque shapes, and of pale ones.
pub(super) const FINE: usize = 3;
pub(super) const PALE: usize = 2;

/// How much nearer to the eye an edge counts, in widths of its line: faces that are seen at a slant cover it
/// otherwise.
const EDGE_LIFT: f64 = 2.0;

/// A layer of shapes: depth and colour of every sample.
#[derive(Debug)]
pub(super) struct Layer {
    /// Samples per pixel in each direction.
    fine: usize,
    columns: usize,
    rows: usize,
    depth: Vec<f32>,
    colour: Vec<[u8; 4]>,
    /// Minimum drawn radius, pixels.
    thinnest: f64,
}

/// One end of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knot {
    pub(super) place: DVec3,
    pub(super) radius: f64,
    pub(super) colour: Rgb,
    /// Unit tangent of the centreline; zero for a ball.
    pub(super) tangent: DVec3,
}

impl Layer {
    pub(super) fn new(width: usize, height: usize, unit: f64, fine: usize) -> Self {
        let (columns, rows) = (width * fine, height * fine);
        Self {
            fine,
            columns,
            rows,
            depth: vec![f32::INFINITY; columns * rows],
            colour: vec![[0; 4]; columns * rows],
            thinnest: 1.35 * unit.max(0.6),
        }
    }

    /// A tube through knots.
    pub(super) fn tube(&mut self, camera: &Camera, knots: &[Knot], alpha: f32) {
        let last = knots.len().saturating_sub(2);
        for (index, pair) in knots.windows(2).enumerate() {
            self.segment(camera, pair[0], pair[1], [index == 0, index == last], alpha);
        }
        if let [only] = knots {
            self.ball(camera, *only, alpha);
        }
    }

    /// A ball.
    pub(super) fn ball(&mut self, camera: &Camera, knot: Knot, alpha: f32) {
        self.segment(camera, knot, knot, [true, true], alpha);
    }

    /// A straight piece of tube; `ends` marks the sides on which the tube ends.
    fn segment(&mut self, camera: &Camera, from: Knot, to: Knot, ends: [bool; 2], alpha: f32) {
        let Some(rod) = Rod::new(camera, [from, to], self.thinnest, ends, self.fine as f64) else {
            return;
        };
        let tangents = [camera.turn(from.tangent), camera.turn(to.tangent)];
        let alpha = (alpha * 255.0) as u8;
        // Small radii get no dark rim.
        let rim = ((rod.radii[0].min(rod.radii[1]) / self.fine as f64 - 2.0) / 5.0).clamp(0.0, 1.0);

        let (a, d) = (rod.start, rod.axis);
        let length = d.x.hypot(d.y);
        let reach = rod.radii[0].max(rod.radii[1]) + 1.0;
        let strip = Strip::new(d, tangents, reach, ends);
        let Some(rows) = span(a.y + d.y.min(0.0) - reach, a.y + d.y.max(0.0) + reach, self.rows) else {
            return;
        };
        for row in rows {
            let y = row as f64 + 0.5;
            // The part of the row within reach of the axis.
            let (mut low, mut high) = (d.x.min(0.0) - reach, d.x.max(0.0) + reach);
            if d.y.abs() > 1e-9 {
                let slack = reach * length / d.y.abs();
                let on_axis = (y - a.y) * d.x / d.y;
                (low, high) = (low.max(on_axis - slack), high.min(on_axis + slack));
            }
            if let Some((first, last)) = strip.row(y - a.y) {
                (low, high) = (low.max(first), high.min(last));
            }
            let Some(columns) = span(a.x + low, a.x + high, self.columns) else {
                continue;
            };
            for column in columns {
                if !strip.holds(column as f64 + 0.5 - a.x, y - a.y) {
                    continue;
                }
                let Some(hit) = rod.hit(column as f64 + 0.5, y) else {
                    continue;
                };
                let at = row * self.columns + column;
                if hit.depth >= self.depth[at] {
                    continue;
                }
                let mut normal = hit.normal;
                let cap = (hit.share < 0.0 && ends[0]) || (hit.share > 1.0 && ends[1]);
                let t = hit.share.clamp(0.0, 1.0);
                if !cap {
                    let tangent = tangents[0].lerp(tangents[1], t);
                    let square = normal - tangent * normal.dot(tangent);
                    normal = square.try_normalize().unwrap_or(normal);
                }
                let shade = 1.0 - rim as f32 * dark_rim(hit.facing);
                let mixed = mix(from.colour, to.colour, t as f32);
                let [red, green, blue] = to_bytes(lit(mixed, normal, shade));
                self.depth[at] = hit.depth;
                self.colour[at] = [red, green, blue, alpha];
            }
        }
    }

    /// Makes all shapes so far invisible. They still hide shapes behind them.
    pub(super) fn clear(&mut self) {
        self.colour.fill([0; 4]);
    }

    /// A triangle, lit from both sides; with normals at its corners it is shaded smoothly.
    pub(super) fn triangle(
        &mut self,
        camera: &Camera,
        corners: [DVec3; 3],
        normals: Option<[DVec3; 3]>,
        colour: Rgb,
    ) {
        let [Some(a), Some(b), Some(c)] = corners.map(|corner| camera.see(corner)) else {
            return;
        };
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let Some(mut normal) = camera.turn(normal).try_normalize() else {
            return;
        };
        let side = if normal.z < 0.0 { -1.0 } else { 1.0 };
        normal *= side;
        let flat = to_bytes(lit(colour, normal, 1.0));
        let smooth = normals.map(|all| all.map(|normal| camera.turn(normal) * side));
        let fine = self.fine as f64;
        let [(ax, ay), (bx, by), (cx, cy)] = [a, b, c].map(|s| (s.x * fine, s.y * fine));
        let area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
        if area.abs() < 1e-9 {
            return;
        }
        let Some(rows) = span(ay.min(by).min(cy), ay.max(by).max(cy), self.rows) else {
            return;
        };
        let Some(columns) = span(ax.min(bx).min(cx), ax.max(bx).max(cx), self.columns) else {
            return;
        };
        for row in rows {
            for column in columns.clone() {
                let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
                let v = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area;
                let w = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area;
                if v < 0.0 || w < 0.0 || v + w > 1.0 {
                    continue;
                }
                let depth = (a.depth + (b.depth - a.depth) * v + (c.depth - a.depth) * w) as f32;
                let at = row * self.columns + column;
                if depth < self.depth[at] {
                    let [red, green, blue] = match smooth {
                        None => flat,
                        Some([a, b, c]) => {
                            let mean = (a * (1.0 - v - w) + b * v + c * w).try_normalize();
                            to_bytes(lit(colour, mean.unwrap_or(normal), 1.0))
                        }
                    };
                    self.depth[at] = depth;
                    self.colour[at] = [red, green, blue, 255];
                }
            }
        }
    }

    /// A straight line of constant width, pixels, where no shape is in front of it. Shapes behind it by less
    /// than its width don't hide it, so that the faces beside an edge don't either.
    pub(super) fn edge(&mut self, camera: &Camera, ends: [DVec3; 2], colour: Rgb, width: f64) {
        let [Some(a), Some(b)] = ends.map(|end| camera.see(end)) else {
            return;
        };
        let [red, green, blue] = to_bytes(colour);
        let (fine, half) = (self.fine as f64, 0.5 * width * self.fine as f64);
        let ((ax, ay), (dx, dy)) = ((a.x * fine, a.y * fine), ((b.x - a.x) * fine, (b.y - a.y) * fine));
        let square = dx * dx + dy * dy;
        let Some(rows) = span(ay + dy.min(0.0) - half, ay + dy.max(0.0) + half, self.rows) else {
            return;
        };
        for row in rows {
            let y = row as f64 + 0.5 - ay;
            let (mut low, mut high) = (dx.min(0.0) - half, dx.max(0.0) + half);
            if dy.abs() > 1e-9 {
                let slack = half * square.sqrt() / dy.abs();
                (low, high) = (low.max(y * dx / dy - slack), high.min(y * dx / dy + slack));
            }
            let Some(columns) = span(ax + low, ax + high, self.columns) else {
                continue;
            };
            for column in columns {
                let x = column as f64 + 0.5 - ax;
                let share = if square > 0.0 { ((x * dx + y * dy) / square).clamp(0.0, 1.0) } else { 0.0 };
                if (x - share * dx).hypot(y - share * dy) > half {
                    continue;
                }
                let nearer = EDGE_LIFT * width / (a.scale + (b.scale - a.scale) * share);
                let depth = (a.depth + (b.depth - a.depth) * share - nearer) as f32;
                let at = row * self.columns + column;
                if depth < self.depth[at] {
                    self.colour[at] = [red, green, blue, 255];
                }
            }
        }
    }

    /// Blends the layer over a picture, averaging the samples of each pixel.
    pub(super) fn lay_over(&self, canvas: &mut Canvas) {
        let fine = self.fine;
        let width = self.columns / fine;
        for (index, pixel) in canvas.pixmap.data_mut().chunks_exact_mut(4).enumerate() {
            let corner = index / width * fine * self.columns + index % width * fine;
            let mut sum = [0_u32; 4];
            for row in 0..fine {
                for sample in &self.colour[corner + row * self.columns..][..fine] {
                    let alpha = u32::from(sample[3]);
                    for channel in 0..3 {
                        sum[channel] += u32::from(sample[channel]) * alpha;
                    }
                    sum[3] += alpha;
                }
            }
            if sum[3] > 0 {
                let mean = |channel: usize| sum[channel] as f32 / sum[3] as f32 / 255.0;
                let cover = sum[3] as f32 / (255 * fine * fine) as f32;
                blend(pixel, [mean(0), mean(1), mean(2)], cover);
            }
        }
    }
}

/// The part of the picture that a segment may draw, along its axis. Without it many segments would draw each
/// sample of a thick tube, because each reaches a radius beyond its ends.
struct Strip {
    /// Direction of the axis in the picture, and its length, samples.
    along: (f64, f64),
    length: f64,
    /// How much the axis points at the eye: the front of the tube is shifted from the axis by this share of
    /// the radius.
    slant: f64,
    reach: f64,
    /// How far the segment is drawn beyond its ends, samples: the filling of a bent joint, or the face at a
    /// cut end.
    beyond: [f64; 2],
    /// Whether the strip applies: not for a ball, nor for an axis that points at the eye.
    holds: bool,
}

impl Strip {
    /// `axis` is in samples, x right, y down, z towards the eye; the tangents have y up.
    fn new(axis: DVec3, tangents: [DVec3; 2], reach: f64, ends: [bool; 2]) -> Self {
        let length = axis.x.hypot(axis.y);
        let whole = axis.length();
        let holds = length > 0.05 * whole && length > 1e-3;
        let (along, slant) =
            if holds { ((axis.x / length, axis.y / length), axis.z / whole) } else { ((1.0, 0.0), 0.0) };
        let beyond = [0, 1].map(|end| {
            let tangent = DVec3::new(tangents[end].x, -tangents[end].y, tangents[end].z);
            let cos = if holds { tangent.dot(axis) / whole } else { 0.0 };
            match ends[end] {
                // A face that points away is hidden.
                true => 2.0 * (if end == 0 { -slant } else { slant }).max(0.0) * reach + 2.0,
                false if cos > 0.5 => reach * (1.0 - cos * cos).max(0.0).sqrt() / cos + 2.0,
                false => 2.0 * reach,
            }
        });
        Self { along, length, slant, reach, beyond, holds }
    }

    /// First and last sample of a row that can lie in the strip, from the start of the axis.
    fn row(&self, y: f64) -> Option<(f64, f64)> {
        let (dx, dy) = self.along;
        if !self.holds || dx.abs() < 1e-9 {
            return None;
        }
        let aside = self.slant.abs() * self.reach;
        let at = |along: f64| (along - y * dy) / dx;
        let (one, other) = (at(-self.beyond[0] - aside), at(self.length + self.beyond[1] + aside));
        Some((one.min(other), one.max(other)))
    }

    /// Whether a sample can belong to the segment: the front of the tube at this distance from the axis.
    fn holds(&self, x: f64, y: f64) -> bool {
        if !self.holds {
            return true;
        }
        let (dx, dy) = self.along;
        let (on_axis, aside) = (x * dx + y * dy, x * dy - y * dx);
        let front = on_axis + self.slant * (self.reach * self.reach - aside * aside).max(0.0).sqrt();
        front >= -self.beyond[0] && front <= self.length + self.beyond[1]
    }
}

/// The integers whose centre lies between two values, within 0 … count.
fn span(low: f64, high: f64, count: usize) -> Option<std::ops::Range<usize>> {
    let start = low.floor().max(0.0);
    let end = (high.ceil() + 1.0).min(count as f64);
    (start < end).then_some(start as usize..end as usize)
}

/// How much darker a round shape is towards its outline.
fn dark_rim(facing: f32) -> f32 {
    let away = (1.0 - facing / 0.55).clamp(0.0, 1.0);
    0.42 * away * away
}

/// A colour lit by a soft lamp from the upper left and a uniform sky.
fn lit(colour: Rgb, normal: DVec3, shade: f32) -> Rgb {
    let normal = normal.as_vec3();
    let lamp = Vec3::new(-0.42, 0.72, 0.55);
    let half = Vec3::new(-0.239, 0.409, 0.881);
    let direct = normal.dot(lamp).max(0.0);
    let sky = 0.5 + 0.5 * normal.y;
    let bright = (0.55 + 0.19 * sky + 0.42 * direct) * shade;
    let gloss = 0.30 * normal.dot(half).max(0.0).powi(36);
    colour.map(|channel| channel * bright + gloss * (1.0 - channel * bright).max(0.0))
}
