//! Shapes at rest on each other: contacts at exact points.

use super::*;
use crate::geometry::skin::{NearSkins, SkinPairs};

fn find(a: &Skin, at: Pose, b: &Skin, there: Pose, reach: f64) -> Vec<NearSkins> {
    let mut out = Vec::new();
    SkinPairs::default().find([(a, at), (b, there)], reach, &mut out);
    out
}

/// Both points in world axes.
fn points(near: &NearSkins, at: &Pose, there: &Pose) -> [DVec3; 2] {
    [at.point(near.points[0]), there.point(near.points[1])]
}

/// The pose whose x axis is `axis`.
fn along(axis: DVec3, position: DVec3) -> Pose {
    Pose::new(position, DQuat::from_rotation_arc(DVec3::X, axis.normalize()))
}

/// Floors with their surface at z = 0.
fn floors() -> Vec<(&'static str, Skin)> {
    let low = Pose::at(DVec3::new(0.0, 0.0, -1.0));
    let half = DVec3::new(5.0, 5.0, 1.0);
    let flat = HeightField::new([21, 21], [0.5, 0.5], vec![0.0; 441]).expect("ground");
    vec![
        ("half-space", Skin::of(Form::HalfSpace)),
        ("box", skin(&Form::Box { half }, low)),
        ("hull", skin(&hull_of(box_facets(half)), low)),
        ("mesh", skin(&mesh_of(box_facets(half), true), low)),
        ("open mesh", Skin::of(mesh_of(bumps(9, 9.0, 0.0), false))),
        ("ground", skin(&Form::HeightField(Arc::new(flat)), Pose::at(DVec3::new(-5.0, -5.0, 0.0)))),
    ]
}

/// The contacts of a shape on all floors: points of the shape on the floor, and the common distance.
fn check_on_floors(form: &Form, pose: Pose, gap: f64, wanted: &[DVec3]) {
    let own = Skin::of(form.clone());
    for (name, floor) in floors() {
        let found = find(&own, pose, &floor, Pose::IDENTITY, 0.02);
        assert_eq!(found.len(), wanted.len(), "{name}: {found:?}");
        for near in &found {
            assert!(near.normal.distance(DVec3::Z) < 1e-14, "{name}: {near:?}");
            assert!((near.distance - gap).abs() < 1e-14, "{name}: {near:?}");
            let [first, second] = points(near, &pose, &Pose::IDENTITY);
            assert!((first - second - DVec3::Z * gap).length() < 1e-14, "{name}: {near:?}");
            assert!(wanted.iter().any(|x| x.distance(first) < 1e-13), "{name}: {first} of {wanted:?}");
        }
        for x in wanted {
            let has = found.iter().any(|near| points(near, &pose, &Pose::IDENTITY)[0].distance(*x) < 1e-13);
            assert!(has, "{name}: no contact at {x}: {found:?}");
        }
    }
}

#[test]
fn shapes_on_a_floor_touch_at_exact_points() {
    let turn = |angle: f64| DQuat::from_rotation_z(angle);
    for gap in [1e-3, 1e-7, 1e-12, 0.0, -1e-9, -1e-3] {
        let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z + gap);
        for angle in [0.0, 0.3, 1.2] {
            check_on_floors(
                &Form::Sphere { radius: 0.3 },
                Pose::new(at(0.1, 0.2, 0.3), turn(angle)),
                gap,
                &[at(0.1, 0.2, 0.0)],
            );
            let pose = Pose::new(at(0.1, 0.2, 0.25), turn(angle));
            let half = DVec3::new(0.3, 0.4, 0.25);
            let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
                .map(|(x, y)| pose.point(DVec3::new(x, y, -1.0) * half));
            check_on_floors(&Form::Box { half }, pose, gap, &corners);
            check_on_floors(&hull_of(box_facets(half)), pose, gap, &corners);
            let pose = Pose::new(at(0.1, 0.2, 0.3), turn(angle));
            let ends = [-0.5, 0.5].map(|x| pose.point(DVec3::X * x) - DVec3::Z * 0.3);
            check_on_floors(&Form::Capsule { radius: 0.3, half: 0.5 }, pose, gap, &ends);
            check_on_floors(&Form::Cylinder { radius: 0.3, half: 0.5 }, pose, gap, &ends);
            // On its base: four points of the rim at right angles.
            for up in [DVec3::Z, -DVec3::Z] {
                let pose = along(up, at(0.1, 0.2, 0.5));
                let found = find(
                    &Skin::of(Form::Cylinder { radius: 0.3, half: 0.5 }),
                    pose,
                    &Skin::of(Form::HalfSpace),
                    Pose::IDENTITY,
                    0.02,
                );
                let rim: Vec<DVec3> =
                    found.iter().map(|near| points(near, &pose, &Pose::IDENTITY)[0]).collect();
                assert_eq!(rim.len(), 4);
                let middle: DVec3 = rim.iter().sum::<DVec3>() / 4.0;
                assert!(middle.distance(at(0.1, 0.2, 0.0)) < 1e-15);
                assert!(rim.iter().all(|x| (x.distance(middle) - 0.3).abs() < 1e-15));
                for (name, floor) in floors() {
                    let own = Skin::of(Form::Cylinder { radius: 0.3, half: 0.5 });
                    let found = find(&own, pose, &floor, Pose::IDENTITY, 0.02);
                    assert_eq!(found.len(), 4, "{name}: {found:?}");
                    for near in &found {
                        let x = points(near, &pose, &Pose::IDENTITY)[0];
                        assert!((x.distance(middle) - 0.3).abs() < 1e-14, "{name}: {near:?}");
                        assert!((near.distance - gap).abs() < 1e-14, "{name}: {near:?}");
                        // One face: the same points as on the half-space.
                        let same = rim.iter().any(|wanted| wanted.distance(x) < 1e-13);
                        assert!(same || name.contains("mesh") || name == "ground", "{name}: {near:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_rolling_cylinder_keeps_its_contact_line() {
    let own = Skin::of(Form::Cylinder { radius: 0.3, half: 0.5 });
    for (name, floor) in floors() {
        for k in 0..500 {
            let angle = 0.013 * f64::from(k);
            let pose = Pose::new(
                DVec3::new(0.1, 0.01 * angle, 0.3),
                DQuat::from_rotation_z(0.4) * DQuat::from_rotation_x(angle),
            );
            let found = find(&own, pose, &floor, Pose::IDENTITY, 0.02);
            assert_eq!(found.len(), 2, "{name}: {found:?}");
            for near in &found {
                assert!(near.distance.abs() < 1e-14 && near.normal.distance(DVec3::Z) < 1e-14, "{name}");
                let [first, _] = points(near, &pose, &Pose::IDENTITY);
                let way = first - pose.position;
                assert!((way.z + 0.3).abs() < 1e-14 && (way.length_squared() - 0.34).abs() < 1e-14, "{name}");
            }
        }
    }
}

#[test]
fn a_tilted_cylinder_touches_with_the_lowest_point_of_its_rim() {
    let own = Skin::of(Form::Cylinder { radius: 0.3, half: 0.1 });
    for (name, floor) in floors() {
        for tilt in [1e-9, 1e-7, 1e-4, 0.1, 0.6, 1.0, 1.4] {
            let axis = DVec3::new(libm::sin(tilt), 0.0, libm::cos(tilt));
            let low = 0.1 * libm::cos(tilt) + 0.3 * libm::sin(tilt);
            let pose = along(axis, DVec3::new(0.0, 0.0, low));
            let found = find(&own, pose, &floor, Pose::IDENTITY, 1e-3);
            let deepest = found.iter().map(|near| near.distance).fold(f64::INFINITY, f64::min);
            // With a tilt below 1e-6, points of the rim are at rest on it: 0.3 · 1e-6 · (1 − cos 45°).
            let slack = if tilt < 1e-6 { 1e-7 * tilt / 1e-6 } else { 0.0 };
            assert!((deepest.abs()) < 1e-14 + slack, "{name} {tilt}: {found:?}");
        }
    }
}

#[test]
fn boxes_in_a_stack_have_four_contacts() {
    let half = DVec3::new(0.3, 0.3, 0.2);
    for second in [Form::Box { half }, hull_of(box_facets(half)), mesh_of(box_facets(half), true)] {
        let (a, b) = (Skin::of(Form::Box { half }), Skin::of(second));
        for gap in [1e-3, 1e-9, 0.0, -1e-9, -1e-4, -1e-2] {
            for (angle, shift) in [(0.0, 0.0), (0.2, 0.0), (0.8, 0.05), (0.0, 0.1), (1e-9, 1e-9)] {
                let turn = DQuat::from_rotation_z(angle);
                let pose = Pose::new(DVec3::new(shift, 0.0, 0.4 + gap), turn);
                let found = find(&a, pose, &b, Pose::IDENTITY, 0.01);
                assert_eq!(found.len(), 4, "{gap} {angle} {shift}: {found:?}");
                for near in &found {
                    assert!(near.normal.distance(DVec3::Z) < 1e-14, "{near:?}");
                    assert!((near.distance - gap).abs() < 1e-14, "{near:?}");
                    let [x, y] = points(near, &pose, &Pose::IDENTITY);
                    let off = (x - y - near.normal * near.distance).length();
                    // Between two triangles, the corner of an edge may be the closest point.
                    assert!(off < 1e-8, "{off} {gap} {angle}: {near:?}");
                }
                // They hold the upper one: its centre is within their extent.
                let area = |x: DVec3, y: DVec3| (x.x - shift) * y.y - (y.x - shift) * x.y;
                let mut on: Vec<DVec3> = found.iter().map(|near| near.points[1]).collect();
                on.sort_by(|x, y| libm::atan2(x.y, x.x).total_cmp(&libm::atan2(y.y, y.x)));
                assert!((0..4).all(|k| area(on[k], on[(k + 1) % 4]) > 0.05), "{on:?}");
            }
        }
    }
}

#[test]
fn crossed_edges_touch_in_one_point_along_their_common_normal() {
    // Two boxes standing on edges, one upside down above the other, the edges along x and along y.
    let half = DVec3::splat(0.5);
    let up = 0.5_f64.sqrt();
    for form in [Form::Box { half }, hull_of(box_facets(half))] {
        let (a, b) = (Skin::of(form.clone()), Skin::of(form));
        for gap in [1e-2, 1e-5, 1e-10, 0.0, -1e-10, -1e-3, -0.05] {
            let pose = Pose::new(DVec3::new(0.1, 0.2, 2.0 * up + gap), DQuat::from_rotation_y(0.25 * PI));
            let there = Pose::new(DVec3::ZERO, DQuat::from_rotation_x(0.25 * PI));
            let found = find(&a, pose, &b, there, 0.02);
            assert_eq!(found.len(), 1, "{gap}: {found:?}");
            let near = &found[0];
            assert!(near.normal.distance(DVec3::Z) < 1e-12, "{gap}: {near:?}");
            assert!((near.distance - gap).abs() < 1e-14, "{gap}: {near:?}");
            let [x, y] = points(near, &pose, &there);
            assert!(y.distance(DVec3::new(0.1, 0.2, up)) > 0.0);
            // The upper edge is along y at x = 0.1, the lower one along x at y = 0.
            assert!(x.distance(DVec3::new(0.1, 0.0, up + gap)) < 1e-12, "{gap}: {x}");
            assert!(y.distance(DVec3::new(0.1, 0.0, up)) < 1e-12, "{gap}: {y}");
        }
    }
}

#[test]
fn round_shapes_touch_along_the_line_between_their_axes() {
    let forms = [Form::Capsule { radius: 0.2, half: 0.5 }, Form::Cylinder { radius: 0.2, half: 0.5 }];
    for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let (first, second) = (Skin::of(forms[a].clone()), Skin::of(forms[b].clone()));
        for gap in [1e-3, 1e-9, 0.0, -1e-9, -1e-3] {
            for angle in [0.5, 1.0, 0.5 * PI] {
                let pose = Pose::new(DVec3::new(0.1, 0.05, 0.4 + gap), DQuat::from_rotation_z(angle));
                let found = find(&first, pose, &second, Pose::IDENTITY, 0.01);
                assert_eq!(found.len(), 1, "{a} {b} {gap} {angle}: {found:?}");
                let near = &found[0];
                // Crossed axes: the common perpendicular is z.
                assert!(near.normal.distance(DVec3::Z) < 1e-13, "{near:?}");
                assert!((near.distance - gap).abs() < 1e-14, "{near:?}");
                let [x, y] = points(near, &pose, &Pose::IDENTITY);
                assert!((x - y - DVec3::Z * gap).length() < 1e-7, "{near:?}");
                assert!(y.truncate().length() < 0.2, "{near:?}");
            }
            // Parallel axes: both ends of the common part, from −0.2 to 0.5.
            let out = DVec3::new(0.0, 0.6, 0.8);
            let pose = Pose::at(DVec3::X * 0.3 + out * (0.4 + gap));
            let found = find(&first, pose, &second, Pose::IDENTITY, 0.01);
            assert_eq!(found.len(), 2, "{a} {b} {gap}: {found:?}");
            for near in &found {
                assert!(near.normal.distance(out) < 1e-11 && (near.distance - gap).abs() < 1e-14, "{near:?}");
            }
            let mut ends: Vec<f64> = found.iter().map(|near| near.points[1].x).collect();
            ends.sort_by(f64::total_cmp);
            assert!((ends[0] + 0.2).abs() < 1e-12 && (ends[1] - 0.5).abs() < 1e-12, "{a} {b}: {ends:?}");
        }
    }
}

#[test]
fn a_box_slides_over_a_flat_mesh_as_if_it_had_no_edges() {
    let floor = Skin::of(mesh_of(bumps(40, 4.0, 0.0), false));
    let own = Skin::of(Form::Box { half: DVec3::new(0.3, 0.2, 0.1) });
    for k in 0..300 {
        let x = 0.004_731 * f64::from(k);
        let pose = Pose::new(DVec3::new(x - 0.7, 0.1 * x, 0.1 - 1e-6), DQuat::from_rotation_z(0.2 * x));
        let found = find(&own, pose, &floor, Pose::IDENTITY, 0.01);
        assert_eq!(found.len(), 4, "{found:?}");
        for near in &found {
            assert!(near.normal.distance(DVec3::Z) < 1e-14, "{near:?}");
            assert!((near.distance + 1e-6).abs() < 1e-14, "{near:?}");
            let corner = near.points[0].abs();
            assert!(corner.distance(DVec3::new(0.3, 0.2, 0.1)) < 1e-12, "{near:?}");
        }
    }
}

#[test]
fn a_torus_of_triangles_rests_on_three_or_four_points() {
    let own = Skin::of(mesh_of(torus(24, 12), true));
    for (name, floor) in floors() {
        let pose = Pose::new(DVec3::new(0.2, 0.1, 0.3), DQuat::from_rotation_z(0.1));
        let found = find(&own, pose, &floor, Pose::IDENTITY, 1e-3);
        assert!((3..=4).contains(&found.len()), "{name}: {found:?}");
        for near in &found {
            assert!(near.distance.abs() < 1e-13, "{name}: {near:?}");
            assert!(near.normal.distance(DVec3::Z) < 1e-6, "{name}: {near:?}");
        }
    }
}

#[test]
fn a_ball_in_a_groove_touches_both_sides() {
    // Two planes at right angles, each of two triangles, as an open mesh and as ground.
    let groove = |x: f64, y: f64| DVec3::new(x, y, x.abs());
    let vertices: Vec<DVec3> =
        [-1.0, 1.0].iter().flat_map(|&y| [-1.0, 0.0, 1.0].map(|x| groove(x, y))).collect();
    let triangles = vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]];
    let field = HeightField::new([3, 2], [1.0, 2.0], vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0]).expect("ground");
    let ball = Skin::of(Form::Sphere { radius: 0.2 });
    for floor in [
        Skin::of(mesh_of((vertices, triangles), false)),
        skin(&Form::HeightField(Arc::new(field)), Pose::at(DVec3::new(-1.0, -1.0, 0.0))),
    ] {
        let pose = Pose::at(DVec3::new(0.0, 0.3, 0.2 * 2.0_f64.sqrt()));
        let found = find(&ball, pose, &floor, Pose::IDENTITY, 0.01);
        assert_eq!(found.len(), 2, "{found:?}");
        for near in &found {
            assert!(
                near.distance.abs() < 1e-15 && (near.normal.z - 0.5_f64.sqrt()).abs() < 1e-15,
                "{near:?}"
            );
        }
    }
}
