//! Contacts of shapes with a half-space: corners, and points of circles, as closed forms.

use super::super::part::Form;
use super::super::pose::Pose;
use super::solid::radial;
use super::{Touch, reduce};
use glam::DVec3;

/// Contacts of a form with the half-space z ≤ 0, in whose axes `pose` is.
pub(super) fn touch(form: &Form, pose: &Pose, reach: f64, out: &mut Vec<Touch>, scratch: &mut Vec<Touch>) {
    let first = out.len();
    let mut add = |x: DVec3, feature: u32| {
        let on = pose.point(x);
        if on.z < reach {
            let second = on.truncate().extend(0.0);
            out.push(Touch { first: on, second, normal: DVec3::Z, distance: on.z, feature });
        }
    };
    let down = pose.local_vector(-DVec3::Z);
    match form {
        Form::Sphere { radius } => {
            // Exactly below the centre.
            let on = pose.position - DVec3::Z * radius;
            add(pose.local_point(on), 0);
        }
        Form::Capsule { radius, half } => {
            for (k, x) in (0..).zip([-half, *half]) {
                add(DVec3::X * x + down * radius, k);
            }
        }
        Form::Box { half } => {
            let side = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            (0..8).for_each(|k| add(DVec3::new(side(k, 0), side(k, 1), side(k, 2)) * *half, k));
        }
        Form::Hull(hull) => (0..).zip(&hull.vertices).for_each(|(k, &x)| add(x, k)),
        Form::Mesh(mesh) => (0..).zip(mesh.vertices()).for_each(|(k, &x)| add(x, k)),
        Form::Cylinder { radius, half } => {
            let low = if down.x < 0.0 { -half } else { *half };
            circle(*radius, low, down, &mut add);
            add(DVec3::X * -low + radial(down) * *radius, 4);
        }
        Form::Cone { radius, half } => {
            circle(*radius, -half, down, &mut add);
            add(DVec3::X * *half, 4);
        }
        Form::HalfSpace | Form::HeightField(_) => {}
    }
    reduce::reduce(out, first, scratch);
}

/// Four points of a circle about x: the lowest, and those at right angles.
fn circle(radius: f64, x: f64, down: DVec3, add: &mut impl FnMut(DVec3, u32)) {
    // Where all are equally low, the points are at rest in the axes of the shape.
    let tilted = DVec3::new(0.0, down.y, down.z).length() > 1e-6;
    let first = if tilted { radial(down) } else { DVec3::Y };
    let second = DVec3::X.cross(first);
    for (k, out) in (0..).zip([first, second, -first, -second]) {
        add(DVec3::X * x + out * radius, k);
    }
}
