//! Symbols of constraints, springs and forces, in the manner of engineering drawings.

use std::f64::consts::TAU;

use glam::DVec3;

use super::canvas::{Canvas, Pen, Place};
use super::colour::{FORCE, GUIDE, INK, SOFT_INK, SYMBOL};
use super::data::{Marker, MarkerKind};
use super::label::Area;
use super::scene::{Stage, point, unit};

/// Guides on which something moves: drawn before the structure, so that it covers them.
pub(super) fn draw_behind(canvas: &mut Canvas, stage: &Stage, marker: &Marker) {
    let Some(place) = point(marker.place) else {
        return;
    };
    let guide = Pen::new(GUIDE, 1.8).dashed(8.0);
    match &marker.kind {
        MarkerKind::Axis { .. } => {
            canvas.line(&seen(stage, &outline(marker, stage.extent)), guide);
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

/// Half length of the guide of an axis, and margin of the patch of a plane, as shares of the extent of the
/// structure.
const AXIS: f64 = 0.22;
const PATCH: f64 = 0.13;

/// Points of a guide that the camera has to include.
pub(super) fn outline(marker: &Marker, extent: f64) -> Vec<DVec3> {
    let Some(place) = point(marker.place) else {
        return Vec::new();
    };
    match &marker.kind {
        MarkerKind::Axis { direction } => unit(*direction)
            .map(|d| [-AXIS, AXIS].map(|s| place + d * (s * extent)).to_vec())
            .unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// A plane, and the range of its places along two of its directions, m.
struct Ground {
    point: DVec3,
    normal: DVec3,
    reach: [(f64, f64); 2],
}

/// Tolerance for coincident planes: distance as a share of the extent, and difference of normals.
const SAME_PLANE: f64 = 1e-6;

/// Closed patches, one per plane, around all places held to it.
pub(super) fn patches(markers: &[Marker], extent: f64) -> Vec<Vec<DVec3>> {
    let mut grounds: Vec<Ground> = Vec::new();
    let planes = markers.iter().filter_map(|marker| match &marker.kind {
        MarkerKind::Plane { point: on, normal } => Some((point(marker.place)?, point(*on)?, unit(*normal)?)),
        _ => None,
    });
    for (place, on, normal) in planes {
        let same = |ground: &Ground| {
            ground.normal.cross(normal).length() < SAME_PLANE
                && ground.normal.dot(on - ground.point).abs() < SAME_PLANE * extent
        };
        let index = grounds.iter().position(same).unwrap_or_else(|| {
            grounds.push(Ground { point: on, normal, reach: [(f64::MAX, f64::MIN); 2] });
            grounds.len() - 1
        });
        let ground = &mut grounds[index];
        let (a, b) = square_to(ground.normal);
        for (along, (low, high)) in [a, b].into_iter().zip(&mut ground.reach) {
            let at = along.dot(place - ground.point);
            (*low, *high) = (low.min(at - PATCH * extent), high.max(at + PATCH * extent));
        }
    }
    let patch = |ground: Ground| {
        let ((a, b), [(left, right), (near, far)]) = (square_to(ground.normal), ground.reach);
        let corners = [(left, near), (right, near), (right, far), (left, far), (left, near)];
        corners.iter().map(|(u, v)| ground.point + a * *u + b * *v).collect()
    };
    grounds.into_iter().map(patch).collect()
}

/// Draws the patches of the planes, behind everything.
pub(super) fn draw_planes(canvas: &mut Canvas, stage: &Stage, markers: &[Marker]) {
    for patch in patches(markers, stage.extent) {
        let places = seen(stage, &patch);
        canvas.fill(&places, GUIDE, 0.08);
        canvas.line(&places, Pen::new(GUIDE, 1.4).alpha(0.7));
    }
}

/// Draws the symbols of constraints, over the structure.
pub(super) fn draw_in_front(canvas: &mut Canvas, stage: &Stage, marker: &Marker) {
    let Some(place) = point(marker.place) else {
        return;
    };
    let Some(at) = stage.camera.see(place).map(|seen| (seen.x, seen.y)) else {
        return;
    };
    match &marker.kind {
        MarkerKind::Point => pin(canvas, at),
        MarkerKind::Target => target(canvas, at),
        MarkerKind::Winch => drum(canvas, at),
        MarkerKind::Jaws { direction } => {
            jaws(canvas, at, unit(*direction).map_or(DVec3::X, |d| stage.camera.turn(d)));
        }
        MarkerKind::Clip { opening, open } => {
            fork(canvas, at, unit(*opening).map_or(DVec3::Y, |d| stage.camera.turn(d)), *open);
        }
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
        MarkerKind::Ball => {
            canvas.dot(at, 9.0, [1.0; 3], Pen::new(INK, 1.8));
            canvas.dot(at, 5.5, SYMBOL, Pen::new(INK, 1.4));
        }
        MarkerKind::Hinge { axis } => bearing(canvas, stage, at, *axis, &[(12.0, 6.0)]),
        MarkerKind::Slider { axis } => bearing(canvas, stage, at, *axis, &[(24.0, 2.5), (9.0, 8.0)]),
        MarkerKind::Cylindrical { axis } => {
            bearing(canvas, stage, at, *axis, &[(24.0, 2.5), (12.0, 6.0)]);
        }
        MarkerKind::Universal { axis } => {
            let across = square_to(unit(*axis).unwrap_or(DVec3::Z)).0;
            bearing(canvas, stage, at, *axis, &[(13.0, 3.2)]);
            bearing(canvas, stage, at, across.into(), &[(13.0, 3.2)]);
            canvas.dot(at, 4.0, SYMBOL, Pen::new(INK, 1.5));
        }
        MarkerKind::Planar { normal } => plate(canvas, stage, place, *normal),
        _ => canvas.dot(at, 4.5, SYMBOL, Pen::new(INK, 1.6)),
    }
}

/// Bars along an axis, one over the other: half length and half width of each. Circles if the axis points at
/// the eye.
fn bearing(canvas: &mut Canvas, stage: &Stage, at: Place, axis: [f64; 3], bars: &[(f64, f64)]) {
    let axis = unit(axis).map_or(DVec3::Y, |axis| stage.camera.turn(axis));
    let flat = axis.x.hypot(axis.y);
    if flat < 0.25 {
        let widest = bars.iter().map(|bar| bar.1).fold(0.0, f64::max);
        canvas.dot(at, widest + 2.0, SYMBOL, Pen::new(INK, 1.6));
        canvas.dot(at, 2.0, INK, Pen::new(INK, 1.0));
        return;
    }
    let (ax, ay) = (axis.x / flat, -axis.y / flat);
    let u = canvas.unit;
    let on = |s: f64, t: f64| (at.0 + (s * ax - t * ay) * u, at.1 + (s * ay + t * ax) * u);
    for &(long, wide) in bars {
        // Shorter at a slant.
        let long = long * flat;
        let corners = [on(-long, -wide), on(long, -wide), on(long, wide), on(-long, wide), on(-long, -wide)];
        canvas.fill(&corners, SYMBOL, 1.0);
        canvas.line(&corners, Pen::new(INK, 1.6));
    }
    canvas.line(&[on(-16.0 * flat, 0.0), on(16.0 * flat, 0.0)], Pen::new(INK, 1.0));
}

/// A square on which something slides.
fn plate(canvas: &mut Canvas, stage: &Stage, place: DVec3, normal: [f64; 3]) {
    let Some(middle) = stage.camera.see(place) else {
        return;
    };
    let (a, b) = square_to(unit(normal).unwrap_or(DVec3::Z));
    let half = 20.0 * canvas.unit / middle.scale;
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let corners = seen(stage, &corners.map(|(u, v)| place + (a * u + b * v) * half));
    canvas.fill(&corners, SYMBOL, 0.75);
    canvas.line(&corners, Pen::new(INK, 1.6));
    canvas.dot((middle.x, middle.y), 3.6, [1.0; 3], Pen::new(INK, 1.5));
}

/// The area of the picture that a symbol covers.
pub(super) fn area(marker: &Marker, (x, y): Place, unit: f64) -> Area {
    let (aside, up, down) = match marker.kind {
        MarkerKind::Point => (16.0, 4.0, 26.0),
        MarkerKind::Clamp { .. } | MarkerKind::Jaws { .. } | MarkerKind::Clip { .. } => (14.0, 14.0, 14.0),
        MarkerKind::Winch => (22.0, 22.0, 22.0),
        MarkerKind::Slider { .. } | MarkerKind::Cylindrical { .. } | MarkerKind::Planar { .. } => {
            (20.0, 20.0, 20.0)
        }
        MarkerKind::Hinge { .. } | MarkerKind::Universal { .. } | MarkerKind::Ball => (13.0, 13.0, 13.0),
        _ => (10.0, 10.0, 10.0),
    };
    Area { left: x - aside * unit, top: y - up * unit, right: x + aside * unit, bottom: y + down * unit }
}

/// A target for a moved point: a ring with four strokes.
fn target(canvas: &mut Canvas, (x, y): Place) {
    let u = canvas.unit;
    canvas.dot((x, y), 9.0, [1.0; 3], Pen::new(INK, 2.0));
    canvas.dot((x, y), 4.2, SYMBOL, Pen::new(INK, 1.4));
    for (dx, dy) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        canvas.line(
            &[(x + 6.5 * u * dx, y + 6.5 * u * dy), (x + 14.0 * u * dx, y + 14.0 * u * dy)],
            Pen::new(INK, 2.0),
        );
    }
}

/// A drum with spokes, larger than the symbol of the constraint that holds the rod there.
fn drum(canvas: &mut Canvas, (x, y): Place) {
    let u = canvas.unit;
    canvas.dot((x, y), 21.0, SYMBOL, Pen::new(INK, 2.2));
    canvas.dot((x, y), 16.0, [1.0; 3], Pen::new(INK, 1.4));
    for (dx, dy) in [(0.7, 0.7), (-0.7, 0.7), (0.7, -0.7), (-0.7, -0.7)] {
        canvas.line(&[(x, y), (x + 16.0 * u * dx, y + 16.0 * u * dy)], Pen::new(INK, 1.8));
    }
    canvas.dot((x, y), 3.0, INK, Pen::new(INK, 1.0));
}

/// Two jaws beside the rod, for a moved clamp.
fn jaws(canvas: &mut Canvas, (x, y): Place, direction: DVec3) {
    let flat = direction.x.hypot(direction.y);
    let (ax, ay) = if flat < 0.25 { (1.0, 0.0) } else { (direction.x / flat, -direction.y / flat) };
    let u = canvas.unit;
    let on = |s: f64, t: f64| (x + (s * ax - t * ay) * u, y + (s * ay + t * ax) * u);
    for side in [-1.0, 1.0] {
        let jaw = [
            on(-9.0, 5.0 * side),
            on(9.0, 5.0 * side),
            on(9.0, 12.0 * side),
            on(-9.0, 12.0 * side),
            on(-9.0, 5.0 * side),
        ];
        canvas.fill(&jaw, SYMBOL, 1.0);
        canvas.line(&jaw, Pen::new(INK, 1.8));
    }
    canvas.dot((x, y), 3.6, [1.0; 3], Pen::new(INK, 1.8));
}

/// A fork around the rod, open towards a direction; filled while it holds and faint while it doesn't.
fn fork(canvas: &mut Canvas, (x, y): Place, opening: DVec3, open: bool) {
    let flat = opening.x.hypot(opening.y);
    let (ax, ay) = if flat < 0.25 { (0.0, -1.0) } else { (opening.x / flat, -opening.y / flat) };
    let u = canvas.unit;
    let on = |s: f64, t: f64| (x + (s * ax - t * ay) * u, y + (s * ay + t * ax) * u);
    let corners = [
        (9.0, 11.0),
        (-11.0, 11.0),
        (-11.0, -11.0),
        (9.0, -11.0),
        (9.0, -6.0),
        (-6.0, -6.0),
        (-6.0, 6.0),
        (9.0, 6.0),
        (9.0, 11.0),
    ];
    let places = corners.map(|(s, t)| on(s, t));
    if open {
        canvas.line(&places, Pen::new(SOFT_INK, 1.4).alpha(0.45));
    } else {
        canvas.fill(&places, SYMBOL, 1.0);
        canvas.line(&places, Pen::new(INK, 1.8));
    }
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

/// A hatched wall perpendicular to a direction in the picture; a box if the direction points at the eye.
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
    let on =
        |s: f64, t: f64| (at.0 + (s * along.0 + t * behind.0) * u, at.1 + (s * along.1 + t * behind.1) * u);
    let band = [on(-half, 0.0), on(half, 0.0), on(half, 8.0), on(-half, 8.0)];
    canvas.fill(&band, [1.0; 3], 0.55);
    let count = (half / 3.0).round() as i32;
    for i in 0..count {
        let s = -half + (f64::from(i) + 0.5) * 2.0 * half / f64::from(count);
        canvas.line(&[on(s + 2.5, 0.0), on(s - 3.5, 8.0)], Pen::new(INK, 1.3));
    }
    canvas.line(&[on(-half, 0.0), on(half, 0.0)], Pen::new(INK, 2.8));
}

/// The front or the back half of a ring around the rod.
fn ring(canvas: &mut Canvas, stage: &Stage, place: DVec3, direction: [f64; 3], front: bool) {
    let Some(middle) = stage.camera.see(place) else {
        return;
    };
    let radius = 11.0 * canvas.unit / middle.scale;
    let direction = unit(direction).unwrap_or(DVec3::Z);
    let points = circle(place.into(), direction.into(), radius);
    let half: Vec<&[DVec3]> = points
        .windows(2)
        .filter(|pair| (stage.camera.back.dot((pair[0] + pair[1]) / 2.0 - place) >= 0.0) == front)
        .collect();
    for pen in [Pen::new(INK, 5.0), Pen::new(SYMBOL, 2.4)] {
        half.iter().for_each(|pair| canvas.line(&seen(stage, pair), pen));
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

/// A spiral of 2.5 turns around a place, with a thin line to the other end if that is elsewhere.
pub(super) fn spiral(canvas: &mut Canvas, a: Place, b: Place) {
    if (b.0 - a.0).hypot(b.1 - a.1) > 30.0 * canvas.unit {
        canvas.line(&[a, b], Pen::new(INK, 1.2).dashed(4.0));
    }
    let places: Vec<Place> = (0..=100)
        .map(|i| {
            let share = f64::from(i) / 100.0;
            let (sin, cos) = (2.5 * TAU * share).sin_cos();
            let radius = (3.0 + 15.0 * share) * canvas.unit;
            (a.0 + radius * cos, a.1 - radius * sin)
        })
        .collect();
    canvas.line(&places, Pen::new([1.0; 3], 4.0).alpha(0.7));
    canvas.line(&places, Pen::new(INK, 1.9));
    canvas.dot(a, 2.6, INK, Pen::new(INK, 0.5));
}

/// An arrow for a force.
pub(super) fn arrow(canvas: &mut Canvas, from: Place, to: Place) {
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

/// Projected points; those behind the eye are left out.
fn seen(stage: &Stage, points: &[DVec3]) -> Vec<Place> {
    points.iter().filter_map(|p| stage.camera.see(*p)).map(|s| (s.x, s.y)).collect()
}

/// A closed circle in space; empty if its normal or radius is invalid.
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

/// Two directions perpendicular to a direction and to each other; the first is horizontal if possible.
fn square_to(normal: DVec3) -> (DVec3, DVec3) {
    let a = DVec3::Z.cross(normal);
    let a = if a.length() > 1e-6 { a.normalize() } else { DVec3::X };
    (a, normal.cross(a))
}
