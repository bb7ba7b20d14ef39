//! Round, shaded shapes with hidden parts removed: tubes, balls and surfaces in a buffer of depths.
//!
//! A tube is a chain of cylinders with balls at the joints. Each sample finds where its line of sight meets them, and
//! from that depth and normal; the normal is turned square to the tangent, which is interpolated along the segment, so that
//! a chain of straight segments looks like one smooth tube.

use glam::{DVec3, Vec3};

use super::camera::Camera;
use super::canvas::Canvas;
use super::colour::{Rgb, mix, to_bytes};
use super::sight::Rod;
use super::text::blend;

/// Samples per pixel in each direction.
pub(super) const FINE: usize = 3;

/// A layer of shapes: depth and colour of every sample.
#[derive(Debug)]
pub(super) struct Layer {
    columns: usize,
    rows: usize,
    depth: Vec<f32>,
    colour: Vec<[u8; 4]>,
    /// Smallest radius, pixels, with which anything is drawn.
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
    pub(super) fn new(width: usize, height: usize, unit: f64) -> Self {
        let (columns, rows) = (width * FINE, height * FINE);
        Self {
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

    /// A straight piece of tube; `ends` says on which sides the tube ends.
    fn segment(&mut self, camera: &Camera, from: Knot, to: Knot, ends: [bool; 2], alpha: f32) {
        let Some(rod) = Rod::new(camera, from, to, self.thinnest, ends) else {
            return;
        };
        let tangents = [camera.turn(from.tangent), camera.turn(to.tangent)];
        let alpha = (alpha * 255.0) as u8;
        // Small radii have no room for a dark rim.
        let rim = ((rod.radii[0].min(rod.radii[1]) / FINE as f64 - 2.0) / 5.0).clamp(0.0, 1.0);

        let (a, d) = (rod.start, rod.axis);
        let length = d.x.hypot(d.y);
        let reach = rod.radii[0].max(rod.radii[1]) + 1.0;
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
            let Some(columns) = span(a.x + low, a.x + high, self.columns) else {
                continue;
            };
            for column in columns {
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

    /// A triangle, lit from both sides.
    pub(super) fn triangle(&mut self, camera: &Camera, corners: [DVec3; 3], colour: Rgb) {
        let [Some(a), Some(b), Some(c)] = corners.map(|corner| camera.see(corner)) else {
            return;
        };
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let Some(mut normal) = camera.turn(normal).try_normalize() else {
            return;
        };
        if normal.z < 0.0 {
            normal = -normal;
        }
        let [red, green, blue] = to_bytes(lit(colour, normal, 1.0));
        let fine = FINE as f64;
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
                    self.depth[at] = depth;
                    self.colour[at] = [red, green, blue, 255];
                }
            }
        }
    }

    /// Lays the layer over a picture, averaging the samples of each pixel.
    pub(super) fn lay_over(&self, canvas: &mut Canvas) {
        let width = self.columns / FINE;
        for (index, pixel) in canvas.pixmap.data_mut().chunks_exact_mut(4).enumerate() {
            let corner = index / width * FINE * self.columns + index % width * FINE;
            let mut sum = [0_u32; 4];
            for row in 0..FINE {
                for sample in &self.colour[corner + row * self.columns..][..FINE] {
                    let alpha = u32::from(sample[3]);
                    for channel in 0..3 {
                        sum[channel] += u32::from(sample[channel]) * alpha;
                    }
                    sum[3] += alpha;
                }
            }
            if sum[3] > 0 {
                let mean = |channel: usize| sum[channel] as f32 / sum[3] as f32 / 255.0;
                let cover = sum[3] as f32 / (255 * FINE * FINE) as f32;
                blend(pixel, [mean(0), mean(1), mean(2)], cover);
            }
        }
    }
}

/// The whole numbers whose middle lies between two values, within 0 … count.
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

/// A colour under a soft lamp from the upper left and an even sky.
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
