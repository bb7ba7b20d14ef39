//! The ground below the structure: a grid that fades out, and soft shadows.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};
use tiny_skia::{FillRule, Pixmap, Transform};

use super::camera::Camera;
use super::canvas::{Canvas, Pen, Place, paint, path};
use super::colour::{GRID, INK};
use super::text::blend;

/// A horizontal plane with a grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground {
    /// Below the middle of the structure, m.
    pub(super) middle: DVec3,
    /// Extent of the grid, m.
    pub(super) reach: f64,
    /// Distance of the grid lines, m.
    pub(super) spacing: f64,
}

/// The shape of a shadow.
#[derive(Clone, Debug)]
pub(super) enum Shadow {
    /// A tube, or a ball when there is one point only; radius in m.
    Round(Vec<DVec3>, f64),
    /// A triangle.
    Flat([DVec3; 3]),
}

/// Shadows are soft, so they are drawn at a reduced resolution.
const COARSE: u32 = 2;

impl Ground {
    /// Draws the grid.
    pub(super) fn grid(&self, canvas: &mut Canvas, camera: &Camera) {
        let count = (self.reach / self.spacing).ceil() as i32;
        // Lines lie at multiples of the spacing: they are coordinate lines.
        let snap = |value: f64| (value / self.spacing).round() * self.spacing;
        let centre = DVec3::new(snap(self.middle.x), snap(self.middle.y), self.middle.z);
        let pieces = 48;
        for index in -count..=count {
            let offset = f64::from(index) * self.spacing;
            for (across, along) in [(DVec3::X, DVec3::Y), (DVec3::Y, DVec3::X)] {
                let at = |piece: i32| {
                    let share = 2.0 * f64::from(piece) / f64::from(pieces) - 1.0;
                    centre + across * offset + along * share * self.reach
                };
                for piece in 0..pieces {
                    let (from, to) = (at(piece), at(piece + 1));
                    let far = ((from + to) / 2.0 - self.middle).length() / self.reach;
                    let alpha = 0.75 * (1.0 - far * far).max(0.0).powi(2) as f32;
                    if alpha < 0.01 {
                        continue;
                    }
                    if let (Some(a), Some(b)) = (camera.see(from), camera.see(to)) {
                        let pen = Pen::new(GRID, 1.0).alpha(alpha).flat();
                        canvas.line(&[(a.x, a.y), (b.x, b.y)], pen);
                    }
                }
            }
        }
    }

    /// Draws all shadows, blurred, vertically below their objects.
    pub(super) fn shadows(&self, canvas: &mut Canvas, camera: &Camera, shadows: &[Shadow]) {
        let (width, height) = (canvas.pixmap.width(), canvas.pixmap.height());
        let coarse = |size: u32| size.div_ceil(COARSE).max(1);
        let (columns, rows) = (coarse(width), coarse(height));
        let Some(mut mask) = Pixmap::new(columns, rows) else {
            return;
        };
        let share = 1.0 / f64::from(COARSE);
        let place = |x: f64, y: f64| -> Option<Place> {
            let seen = camera.see(DVec3::new(x, y, self.middle.z))?;
            Some((seen.x * share, seen.y * share))
        };
        let ink = paint(INK, 1.0);
        let mut fill = |corners: Option<Vec<Place>>| {
            if let Some(path) = corners.and_then(|corners| path(&corners, true)) {
                mask.fill_path(&path, &ink, FillRule::Winding, Transform::identity(), None);
            }
        };
        for shadow in shadows {
            let (line, radius) = match shadow {
                Shadow::Flat(corners) => {
                    fill(corners.iter().map(|corner| place(corner.x, corner.y)).collect());
                    continue;
                }
                // A minimum radius, so that thin threads have a shadow.
                Shadow::Round(line, r) => (line, r.max(1.5 * canvas.unit / camera.scale())),
            };
            let line = &spread_out(line, 0.15 * radius);
            for point in line {
                let on = |i: u32| {
                    let (sin, cos) = (f64::from(i) * TAU / 14.0).sin_cos();
                    place(point.x + radius * cos, point.y + radius * sin)
                };
                fill((0..14).map(on).collect());
            }
            for pair in line.windows(2) {
                let along = (pair[1] - pair[0]).truncate().normalize_or_zero() * radius;
                let side = DVec2::new(-along.y, along.x);
                let corners = [(pair[0], side), (pair[1], side), (pair[1], -side), (pair[0], -side)];
                fill(corners.iter().map(|(p, s)| place(p.x + s.x, p.y + s.y)).collect());
            }
        }
        let mut dark: Vec<f32> = mask.pixels().iter().map(|pixel| f32::from(pixel.alpha()) / 255.0).collect();
        let radius = (2.5 * canvas.unit).round().max(1.0) as usize;
        for _ in 0..3 {
            dark = blurred(&dark, columns as usize, radius);
            dark = blurred(&dark, rows as usize, radius); // each pass also transposes
        }
        let pixels = canvas.pixmap.data_mut().chunks_exact_mut(4);
        for (index, pixel) in pixels.enumerate() {
            let (x, y) = (index as u32 % width, index as u32 / width);
            let alpha = dark[((y / COARSE) * columns + x / COARSE) as usize];
            if alpha > 0.002 {
                blend(pixel, INK, 0.30 * alpha);
            }
        }
    }
}

/// The points of a line without those closer than `least` to the previous one; keeps the last one.
fn spread_out(line: &[DVec3], least: f64) -> Vec<DVec3> {
    let mut kept: Vec<DVec3> = Vec::new();
    for (index, point) in line.iter().enumerate() {
        if index + 1 == line.len() || kept.last().is_none_or(|last| last.distance(*point) >= least) {
            kept.push(*point);
        }
    }
    kept
}

/// The mean over `2 · radius + 1` neighbours in each row of `columns`; the result is transposed.
fn blurred(values: &[f32], columns: usize, radius: usize) -> Vec<f32> {
    let rows = values.len() / columns;
    let mut out = vec![0.0; values.len()];
    let weight = 1.0 / (2 * radius + 1) as f32;
    for (y, row) in values.chunks_exact(columns).enumerate() {
        let value = |x: usize| row.get(x).copied().unwrap_or(0.0);
        let mut sum: f32 = row.iter().take(radius).sum();
        for x in 0..columns {
            sum += value(x + radius);
            out[x * rows + y] = sum * weight;
            if x >= radius {
                sum -= value(x - radius);
            }
        }
    }
    out
}
