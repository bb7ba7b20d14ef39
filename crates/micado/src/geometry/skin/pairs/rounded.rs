//! Contacts of balls and capsules: a point or a segment, and a radius, in the distance field of the other.

use super::super::minimum::{At, Beside, SAMPLES};
use super::super::part::Form;
use super::super::pose::{Bounds, Pose};
use super::super::triangle::{Feature, Triangle, on_triangle};
use super::surface::triangles;
use super::{Touch, reduce};
use crate::geometry::closest::Cubic;
use glam::DVec3;

/// A contact of a point `x` of a core of a radius.
fn touch_at(x: DVec3, normal: DVec3, distance: f64, point: DVec3, radius: f64, feature: u32) -> Touch {
    Touch { first: x - normal * radius, second: point, normal, distance: distance - radius, feature }
}

/// Contacts of a ball about `x` with a form, in its axes.
pub(super) fn ball(x: DVec3, radius: f64, form: &Form, reach: f64, out: &mut Vec<Touch>) {
    let limit = 1.001 * (reach.max(0.0) + radius);
    let Some(field) = form.field(x, limit) else {
        return;
    };
    if field.distance - radius >= reach {
        return;
    }
    if matches!(form, Form::Mesh(_) | Form::HeightField(_)) && field.distance > 0.0 {
        return ball_on_triangles(x, radius, form, reach, out);
    }
    out.push(touch_at(x, field.normal, field.distance, field.point, radius, 0));
}

/// All points of a surface that are nearest in their neighbourhoods: a ball in a corner touches several
/// faces.
fn ball_on_triangles(x: DVec3, radius: f64, form: &Form, reach: f64, out: &mut Vec<Touch>) {
    let first = out.len();
    let far = radius + reach;
    let small = 1e-12 * far;
    let closest = |triangle: &Triangle, x: DVec3| on_triangle(triangle.corners, triangle.normal, x);
    triangles(form, &Bounds { low: x - far, high: x + far }, |triangle| {
        let (point, feature) = closest(&triangle, x);
        let distance = x.distance(point);
        if distance >= far || distance == 0.0 {
            return;
        }
        // Another triangle at this point may have a nearer one.
        let mut is_nearest = true;
        if feature != Feature::Face {
            triangles(form, &Bounds { low: point - small, high: point + small }, |other| {
                let is_here = closest(&other, point).0.distance(point) <= small;
                is_nearest &= !is_here || closest(&other, x).0.distance(x) >= distance * (1.0 - 1e-12);
            });
        }
        if is_nearest {
            let normal = match feature {
                Feature::Face => triangle.normal * (x - point).dot(triangle.normal).signum(),
                _ => (x - point) / distance,
            };
            out.push(touch_at(x, normal, distance, point, radius, triangle.number));
        }
    });
    // The same point of several triangles.
    let mut k = first;
    while k < out.len() {
        let point = out[k].second;
        if out[first..k].iter().any(|other| other.second.distance(point) <= 1e-9 * far) {
            out.remove(k);
        } else {
            k += 1;
        }
    }
}

/// Contacts of a capsule along x in a pose with a form, in the axes of the form: the ends, and the points
/// between them that are nearest.
pub(super) fn capsule(
    [radius, half]: [f64; 2],
    pose: &Pose,
    form: &Form,
    reach: f64,
    out: &mut Vec<Touch>,
    scratch: &mut Vec<Touch>,
) {
    let first = out.len();
    let (start, way) = (pose.point(DVec3::X * -half), pose.vector(DVec3::X) * (2.0 * half));
    let curve = Cubic { coefficients: [start, way, DVec3::ZERO, DVec3::ZERO] };
    segment(curve, radius, form, reach, |at, feature| {
        let (x, field) = (curve.at(at.f), at.field);
        out.push(touch_at(x, field.normal, field.distance, field.point, radius, feature));
    });
    reduce::reduce(out, first, scratch);
}

/// Points of a segment, thicker by a radius, that are near a form: its ends 0 and 1, and the ends of plateaus
/// of minima between them. Points at nearly the same place are given once.
pub(super) fn segment(curve: Cubic, radius: f64, form: &Form, reach: f64, mut found: impl FnMut(&At, u32)) {
    let half = 0.5 * curve.derivative(0.0).length();
    let beside = Beside { curve, form, limit: 1.001 * (reach.max(0.0) + radius + 2.0 * half) };
    let centre = beside.at(0.5);
    let is_near = centre.field.distance - half < reach + radius;
    if !is_near {
        return;
    }
    let mut samples = [centre; SAMPLES];
    let count = beside.sample(&mut samples);
    let (start, end) = (samples[0], samples[count - 1]);
    let mut give = |at: &At, feature: u32| {
        if at.field.distance - radius < reach {
            found(at, feature);
        }
    };
    give(&start, 0);
    give(&end, 1);
    let mut feature = 2;
    beside.minima(&samples[..count], |a, b| {
        let is_apart = |at: &At| at.f > 1e-7 && at.f < 1.0 - 1e-7;
        if is_apart(&a) {
            give(&a, feature);
        }
        if b.f - a.f > 1e-7 && is_apart(&b) {
            give(&b, feature + 1);
        }
        feature += 2;
    });
}
