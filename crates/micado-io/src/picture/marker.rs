//! Symbols of constraints, springs and forces, in the manner of engineering drawings.

use std::f64::consts::TAU;

use glam::DVec3;

use super::canvas::{Canvas, Pen, Place};
use super::colour::{FORCE, GUIDE, INK, SYMBOL};
use super::data::{Marker, MarkerKind};
use super::scene::{Stage, point, unit};
use super::text::Anchor;

/// Guides on which something moves: drawn before the structure, so that it covers them.
pub(super) fn draw_behind(canvas: &mut Canvas, stage: &Stage, marker: &Marker) {
    let Some(place) = point(marker.place) else {
        return;
    };
    let guide = Pen::new(GUIDE, 1.8).dashed(8.0);
    match &marker.kind {
        MarkerKind::Plane { normal } => {
            let Some(normal) = unit(*normal) else { return };
            let (a, b) = square_to(normal);
            let half = 0.13 * stage.extent;
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
            let patch: Vec<DVec3> = corners.iter().map(|(u, v)| place + (a * *u + b * *v) * half).collect();
            let places = seen(stage, &patch);
            canvas.fill(&places, GUIDE, 0.16);
            canvas.line(&places, Pen::new(GUIDE, 1.4).alpha(0.8));
        }
        MarkerKind::Axis { direction } => {
            let Some(direction) = unit(*direction) else {
                return;
            };
            let half = direction * (0.22 * stage.extent);
            canvas.line(&seen(stage, &[place - half, place + half]), guide);
        }
        MarkerKind::Sphere { centre } => {
            let Some(centre) = point(*centre) else { return };
            let radius = (place - centre).length();
            let outline = circle(centre.into(), stage.camera.back.into(), radius);
            let level = circle(centre.into(), [0.0, 0.0, 1.0], radius);
            canvas.fill(&seen(stage, &outline), GUIDE, 0.08);
            canvas.line(&seen(stage, &outline), Pen::new(GUIDE, 1.4));
            canvas.line(&seen(stage, &level), guide.alpha(0.6));
            dots(canvas, stage, &[centre]);
        }
        MarkerKind::Distance { centre } => {
            let Some(centre) = point(*centre) else { return };
            canvas.line(&seen(stage, &[place, centre]), guide);
            dots(canvas, stage, &[centre]);
        }
        MarkerKind::Circle { centre, normal, radius } => {
            canvas.line(&seen(stage, &circle(*centre, *normal, *radius)), guide);
        }
        MarkerKind::Curve { points } => {
            let points: Vec<DVec3> = points.iter().filter_map(|place| point(*place)).collect();
            canvas.line(&seen(stage, &points), guide);
        }
        MarkerKind::Ring { direction } => ring(canvas, stage, place, *direction, false),
        _ => {}
    }
}

/// Symbols that say what is held: drawn over the structure.
pub(super) fn draw_in_front(canvas: &mut Canvas, stage: &Stage, marker: &Marker) {
    let Some(place) = point(marker.place) else {
        return;
    };
    let Some(at) = stage.camera.see(place).map(|seen| (seen.x, seen.y)) else {
        return;
    };
    match &marker.kind {
        MarkerKind::Point => pin(canvas, at),
        MarkerKind::Clamp { direction } => {
            let direction = unit(*direction).map_or(DVec3::Z, |d| stage.camera.turn(d));
            wall(canvas, at, direction);
        }
        MarkerKind::Ring { direction } => ring(canvas, stage, place, *direction, true),
        MarkerKind::Roll { direction } => {
            roll(canvas, stage, place, unit(*direction).unwrap_or(DVec3::Z));
        }
        MarkerKind::Tangent { direction } => {
            let Some(direction) = unit(*direction) else {
                return;
            };
            let flat = stage.camera.turn(direction);
            let half = 26.0 * canvas.unit;
            let end = |sign: f64| (at.0 + sign * half * flat.x, at.1 - sign * half * flat.y);
            canvas.line(&[end(-1.0), end(1.0)], Pen::new(INK, 2.2));
            head(canvas, end(-1.0), end(1.0), INK, 9.0);
            canvas.dot(at, 4.0, SYMBOL, Pen::new(INK, 1.5));
        }
        MarkerKind::Joint => {
            let r = 6.5 * canvas.unit;
            let corners = [(0.0, -r), (r, 0.0), (0.0, r), (-r, 0.0), (0.0, -r)];
            let places = corners.map(|(x, y)| (at.0 + x, at.1 + y));
            canvas.fill(&places, SYMBOL, 1.0);
            canvas.line(&places, Pen::new(INK, 1.6));
        }
        _ => canvas.dot(at, 4.5, SYMBOL, Pen::new(INK, 1.6)),
    }
    // A pin stands below its point; beside the others, the rod is more likely to pass than above them.
    let down = if marker.kind == MarkerKind::Point { 16.0 } else { -13.0 };
    let beside = (at.0 + 17.0 * canvas.unit, at.1 + down * canvas.unit);
    canvas.label(&marker.label, beside, 14.0, INK, Anchor::Left);
}

/// A triangle with its tip at the point, standing on hatched ground.
fn pin(canvas: &mut Canvas, (x, y): Place) {
    let (half, tall) = (10.0 * canvas.unit, 17.0 * canvas.unit);
    let corners = [(x, y), (x + half, y + tall), (x - half, y + tall), (x, y)];
    canvas.fill(&corners, SYMBOL, 1.0);
    canvas.line(&corners, Pen::new(INK, 1.8));
    let base = (x, y + tall);
    hatched(canvas, base, (1.0, 0.0), (0.0, 1.0), 16.0);
    canvas.dot((x, y), 3.6, [1.0; 3], Pen::new(INK, 1.8));
}

/// A hatched wall square to a direction in the picture; a box when it points at the eye.
fn wall(canvas: &mut Canvas, at: Place, direction: DVec3) {
    let flat = direction.x.hypot(direction.y);
    if flat < 0.25 {
        let half = 11.0 * canvas.unit;
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
        let places = corners.map(|(u, v)| (at.0 + u * half, at.1 + v * half));
        canvas.line(&places, Pen::new(INK, 2.4));
        canvas.line(&[places[0], places[2]], Pen::new(INK, 1.4));
        canvas.line(&[places[1], places[3]], Pen::new(INK, 1.4));
        return;
    }
    let (nx, ny) = (direction.x / flat, -direction.y / flat);
    hatched(canvas, at, (-ny, nx), (-nx, -ny), 22.0);
}

/// A thick line along `along` with short strokes on the side of `behind`.
fn hatched(canvas: &mut Canvas, at: Place, along: Place, behind: Place, half: f64) {
    let u = canvas.unit;
    let on = |s: f64, t: f64| (at.0 + (s * along.0 + t * behind.0) * u, at.1 + (s * along.1 + t * behind.1) * u);
    let band = [on(-half, 0.0), on(half, 0.0), on(half, 8.0), on(-half, 8.0)];
    canvas.fill(&band, [1.0; 3], 0.55);
    let count = (half / 3.0).round() as i32;
    for i in 0..count {
        let s = -half + (f64::from(i) + 0.5) * 2.0 * half / f64::from(count);
        canvas.line(&[on(s + 2.5, 0.0), on(s - 3.5, 8.0)], Pen::new(INK, 1.3));
    }
    canvas.line(&[on(-half, 0.0), on(half, 0.0)], Pen::new(INK, 2.8));
}

/// One half of a ring around the rod: what lies behind it, or what lies in front.
fn ring(canvas: &mut Canvas, stage: &Stage, place: DVec3, direction: [f64; 3], front: bool) {
    let Some(middle) = stage.camera.see(place) else {
        return;
    };
    let radius = 11.0 * canvas.unit / middle.scale;
    let direction = unit(direction).unwrap_or(DVec3::Z);
    let points = circle(place.into(), direction.into(), radius);
    for pair in points.windows(2) {
        let nearer = stage.camera.back.dot((pair[0] + pair[1]) / 2.0 - place) >= 0.0;
        if nearer == front {
            canvas.line(&seen(stage, pair), Pen::new(INK, 5.0));
        }
    }
    for pair in points.windows(2) {
        let nearer = stage.camera.back.dot((pair[0] + pair[1]) / 2.0 - place) >= 0.0;
        if nearer == front {
            canvas.line(&seen(stage, pair), Pen::new(SYMBOL, 2.4));
        }
    }
}

/// Three quarters of a circle around the rod, with a head.
fn roll(canvas: &mut Canvas, stage: &Stage, place: DVec3, direction: DVec3) {
    let Some(middle) = stage.camera.see(place) else {
        return;
    };
    let radius = 15.0 * canvas.unit / middle.scale;
    let points = circle(place.into(), direction.into(), radius);
    let arc = seen(stage, &points[..points.len() * 3 / 4]);
    canvas.line(&arc, Pen::new(INK, 2.2));
    if let [.., from, to] = arc[..] {
        head(canvas, from, to, INK, 9.0);
    }
    canvas.dot((middle.x, middle.y), 4.0, SYMBOL, Pen::new(INK, 1.5));
}

/// A zigzag between two places.
pub(super) fn spring(canvas: &mut Canvas, a: Place, b: Place) {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = dx.hypot(dy);
    if length < 1.0 {
        return;
    }
    let (nx, ny) = (-dy / length * 6.5 * canvas.unit, dx / length * 6.5 * canvas.unit);
    let turns = 16;
    let mut places = vec![a];
    for i in 0..=turns {
        let t = 0.15 + 0.7 * f64::from(i) / f64::from(turns);
        let side = match i {
            0 => 0.0,
            _ if i == turns => 0.0,
            _ if i % 2 == 0 => 1.0,
            _ => -1.0,
        };
        places.push((a.0 + t * dx + side * nx, a.1 + t * dy + side * ny));
    }
    places.push(b);
    canvas.line(&places, Pen::new(INK, 1.8));
    for end in [a, b] {
        canvas.dot(end, 2.6, INK, Pen::new(INK, 0.5));
    }
}

/// A force.
pub(super) fn arrow(canvas: &mut Canvas, from: Place, to: Place, label: &str) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length < 3.0 * canvas.unit {
        return;
    }
    let size = (14.0 * canvas.unit).min(0.6 * length) / canvas.unit;
    let back = size * canvas.unit * 0.7 / length;
    let neck = (to.0 - dx * back, to.1 - dy * back);
    canvas.line(&[from, neck], Pen::new([1.0; 3], 6.0).alpha(0.7));
    canvas.line(&[from, neck], Pen::new(FORCE, 3.2));
    head(canvas, from, to, FORCE, size);
    let (beside, anchor) = if dx < -0.3 * length { (-10.0, Anchor::Right) } else { (10.0, Anchor::Left) };
    let place = (to.0 + beside * canvas.unit, to.1 + 4.0 * canvas.unit);
    canvas.label(label, place, 14.0, FORCE, anchor);
}

/// An arrow head at the end of a line; its size is in units.
pub(super) fn head(canvas: &mut Canvas, from: Place, to: Place, colour: super::colour::Rgb, size: f64) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length < 1e-6 {
        return;
    }
    let (ux, uy) = (dx / length * size * canvas.unit, dy / length * size * canvas.unit);
    let wing = |side: f64| (to.0 - ux - side * 0.42 * uy, to.1 - uy + side * 0.42 * ux);
    canvas.fill(&[to, wing(1.0), wing(-1.0)], colour, 1.0);
}

fn dots(canvas: &mut Canvas, stage: &Stage, points: &[DVec3]) {
    for place in seen(stage, points) {
        canvas.dot(place, 3.6, GUIDE, Pen::new(INK, 1.2));
    }
}

/// Where points are seen; those behind the eye are left out.
fn seen(stage: &Stage, points: &[DVec3]) -> Vec<Place> {
    points.iter().filter_map(|p| stage.camera.see(*p)).map(|s| (s.x, s.y)).collect()
}

/// A closed circle in space; empty when it makes no sense.
pub(super) fn circle(centre: [f64; 3], normal: [f64; 3], radius: f64) -> Vec<DVec3> {
    let (Some(centre), Some(normal)) = (point(centre), unit(normal)) else {
        return Vec::new();
    };
    if !(radius.is_finite() && radius.abs() < 1e9) {
        return Vec::new();
    }
    let (a, b) = square_to(normal);
    let on = |i: u32| {
        let (sin, cos) = (f64::from(i) * TAU / 64.0).sin_cos();
        centre + (a * cos + b * sin) * radius
    };
    (0..=64).map(on).collect()
}

/// Two directions square to a direction and to each other; the first is level where it can be.
fn square_to(normal: DVec3) -> (DVec3, DVec3) {
    let a = DVec3::Z.cross(normal);
    let a = if a.length() > 1e-6 { a.normalize() } else { DVec3::X };
    (a, normal.cross(a))
}
