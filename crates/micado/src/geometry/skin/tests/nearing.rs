//! Moving segments that come near a skin, compared with sampling.

use super::Numbers;
use crate::geometry::skin::{Form, Mesh, Pose, Skin, comes_near_skin};
use crate::geometry::topology::MovingSegment;
use glam::{DQuat, DVec3};
use std::sync::Arc;

#[test]
fn segments_that_come_near_a_shape_are_those_whose_samples_do() {
    let sheet = Mesh::new(
        &[DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, -1.0, 0.0), DVec3::new(0.0, 1.0, 0.2)],
        &[[0, 1, 2]],
        false,
    )
    .expect("a mesh");
    let forms = [
        Form::HalfSpace,
        Form::Box { half: DVec3::new(0.5, 0.3, 0.01) },
        Form::Capsule { radius: 0.05, half: 0.4 },
        Form::Mesh(Arc::new(sheet)),
    ];
    let mut numbers = Numbers(17);
    let mut vector = |size: f64| numbers.vector() * size;
    for form in forms {
        let skin = Skin::of(form.clone());
        let pose = Pose::new(DVec3::new(0.1, 0.2, -0.1), DQuat::from_axis_angle(DVec3::Y, 0.3));
        let mut counts = [0, 0];
        for case in 0..1000 {
            let middle = vector(1.0) + DVec3::Z * 0.8;
            let way = vector(1.0);
            let start = [middle + vector(0.3), middle + vector(0.3)];
            let end = [start[0] + way + vector(0.1), start[1] + way + vector(0.1)];
            let segment = MovingSegment { start, end };
            let least = 0.05;
            let sampled = (0..=60 * 60).map(|k| {
                let (t, f) = (f64::from(k / 61) / 60.0, f64::from(k % 61) / 60.0);
                let [a, b] = segment.at(t.min(1.0));
                skin.parts()[0].field(pose.local_point(a + (b - a) * f)).distance
            });
            let nearest = sampled.fold(f64::INFINITY, f64::min);
            let near = comes_near_skin(&segment, &skin, [&pose, &pose], least);
            counts[usize::from(near)] += 1;
            // Samples are up to a sixtieth of the way and of the length apart.
            let missed = (way.length() + 0.4 + 1.1) / 60.0;
            assert!(near || nearest > least, "{form:?}, {case}: {nearest} m");
            assert!(!near || nearest < 1.05 * least + missed, "{form:?}, {case}: {nearest} m");
        }
        assert!(counts[0] > 20 && counts[1] > 20, "{form:?}: {counts:?}");
    }
}
