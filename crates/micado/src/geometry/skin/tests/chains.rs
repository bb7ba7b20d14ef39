//! Contacts of rods with skins.

use super::*;
use crate::geometry::closest::Chain;
use crate::geometry::skin::{ChainSkin, NearSkin, find_point};

const RADIUS: f64 = 0.01;

fn find(chain: &(Vec<Cubic>, Vec<f64>), closed: bool, skin: &Skin, pose: &Pose, reach: f64) -> Vec<NearSkin> {
    let chain = Chain { pieces: &chain.0, arc: &chain.1, closed, radius: RADIUS };
    let mut out = Vec::new();
    ChainSkin::default().find(&chain, skin, pose, reach, &mut out);
    out
}

/// Where a contact is along the chain, in pieces.
fn place(near: &NearSkin) -> f64 {
    f64::from(near.piece) + near.f
}

/// All floors: a plane, and shapes with a large face at z = 0.
fn floors() -> Vec<(&'static str, Form, Pose)> {
    let low = Pose::at(DVec3::new(0.0, 0.0, -1.0));
    let half = DVec3::new(5.0, 5.0, 1.0);
    let flat = HeightField::new([21, 21], [0.5, 0.5], vec![0.0; 441]).expect("ground");
    vec![
        ("half-space", Form::HalfSpace, Pose::IDENTITY),
        ("box", Form::Box { half }, low),
        ("hull", hull_of(box_facets(half)), low),
        ("mesh", mesh_of(box_facets(half), true), low),
        ("open mesh", mesh_of(bumps(9, 9.0, 0.0), false), Pose::IDENTITY),
        ("ground", Form::HeightField(Arc::new(flat)), Pose::at(DVec3::new(-5.0, -5.0, 0.0))),
    ]
}

#[test]
fn a_rod_on_a_floor_has_a_station_on_each_piece_and_at_each_end() {
    let mut numbers = Numbers(11);
    for (name, form, at) in floors() {
        let skin = skin(&form, at);
        for _ in 0..20 {
            let way = DVec3::new(numbers.next(), numbers.next(), 0.0).normalize();
            let start = DVec3::new(numbers.next(), numbers.next(), RADIUS);
            let chain = straight(start, start + way, 10);
            let found = find(&chain, false, &skin, &Pose::IDENTITY, 2.0 * RADIUS);
            let places: Vec<f64> = found.iter().map(place).collect();
            let wanted: Vec<f64> =
                [0.0].into_iter().chain((0..10).map(|k| f64::from(k) + 0.5)).chain([10.0]).collect();
            assert_eq!(places, wanted, "{name}");
            for near in &found {
                assert!((near.distance - RADIUS).abs() < 1e-15, "{name}: {near:?}");
                assert!(near.normal.distance(DVec3::Z) < 1e-14, "{name}: {near:?}");
            }
        }
    }
}

#[test]
fn a_closed_chain_on_a_floor_has_a_station_on_each_piece() {
    let ring = along(
        12,
        |f| DVec3::new(libm::cos(2.0 * PI * f), libm::sin(2.0 * PI * f), 0.3 * RADIUS),
        |f| DVec3::new(-libm::sin(2.0 * PI * f), libm::cos(2.0 * PI * f), 0.0) * 2.0 * PI,
    );
    let found = find(&ring, true, &Skin::of(Form::HalfSpace), &Pose::IDENTITY, RADIUS);
    let places: Vec<f64> = found.iter().map(place).collect();
    assert_eq!(places, (0..12).map(|k| f64::from(k) + 0.5).collect::<Vec<_>>());
}

#[test]
fn a_straight_rod_touches_a_post_where_it_crosses() {
    // Axis of the post: z. The rod passes at the distance 0.1 + RADIUS of the axis, along x and inclined.
    let post = skin(
        &Form::Cylinder { radius: 0.1, half: 2.0 },
        Pose::new(DVec3::ZERO, DQuat::from_rotation_arc(DVec3::X, DVec3::Z)),
    );
    let mut numbers = Numbers(12);
    for _ in 0..200 {
        let pose = numbers.pose();
        let way = DVec3::new(1.0, 0.0, numbers.next());
        let crossing = DVec3::new(0.0, 0.1 + RADIUS, 0.3 * numbers.next());
        let start = -0.35 + 0.2 * numbers.next();
        let [a, b] = [start, start + 0.7].map(|t| pose.point(crossing + way * t));
        let found = find(&straight(a, b, 9), false, &post, &pose, RADIUS + 1e-3);
        // Reach and curvature leave this contact only: the next station is farther than 1e-3.
        assert_eq!(found.len(), 1, "{found:?}");
        let near = found[0];
        assert!((near.distance - RADIUS).abs() < 1e-14, "{near:?}");
        assert!((place(&near) - 9.0 * (-start / 0.7)).abs() < 1e-12, "{near:?}");
        assert!(near.normal.distance(pose.vector(DVec3::Y)) < 1e-12);
        let point = pose.point(near.point);
        assert!(point.distance(pose.point(crossing - DVec3::Y * RADIUS)) < 1e-13);
    }
}

#[test]
fn a_contact_moves_on_continuously_while_the_rod_slides_over_a_post() {
    let post = skin(
        &Form::Cylinder { radius: 0.1, half: 2.0 },
        Pose::new(DVec3::ZERO, DQuat::from_rotation_arc(DVec3::X, DVec3::Z)),
    );
    let mut last: Option<NearSkin> = None;
    for step in 0..4000 {
        let shift = f64::from(step) * 1e-4;
        let (a, b) = (DVec3::new(-0.5 - shift, 0.1, 0.0), DVec3::new(0.5 - shift, 0.1, 0.0));
        let found = find(&straight(a, b, 20), false, &post, &Pose::IDENTITY, RADIUS);
        let touching: Vec<&NearSkin> = found.iter().filter(|near| near.distance < 1e-9).collect();
        assert_eq!(touching.len(), 1, "{found:?}");
        let near = *touching[0];
        assert!((place(&near) - 20.0 * (0.5 + shift)).abs() < 1e-9, "{near:?}");
        if let Some(last) = last {
            assert!((place(&near) - place(&last) - 2e-3).abs() < 1e-9);
        }
        last = Some(near);
    }
}

#[test]
fn a_minimum_at_a_joint_is_one_contact() {
    let ball = skin(&Form::Sphere { radius: 0.1 }, Pose::IDENTITY);
    for shift in [-1e-3, -1e-9, -1e-13, -1e-16, 0.0, 1e-16, 1e-13, 1e-9, 1e-3] {
        // Joints at multiples of 0.1: one above the centre.
        let (a, b) = (DVec3::new(-0.5 + shift, 0.0, 0.11), DVec3::new(0.5 + shift, 0.0, 0.11));
        let found = find(&straight(a, b, 10), false, &ball, &Pose::IDENTITY, 0.02);
        let nearest = |near: &&NearSkin| near.distance < RADIUS + 1e-9;
        assert_eq!(found.iter().filter(nearest).count(), 1, "{shift}: {found:?}");
        // The pieces beside have a station, which is farther away.
        assert!(found.len() <= 3, "{shift}: {found:?}");
    }
    // A corner of the rod at the joint, down towards the ball.
    let corner = DVec3::new(0.0, 0.0, 0.11);
    let (left, right) = (DVec3::new(-0.5, 0.0, 0.3), DVec3::new(0.5, 0.0, 0.3));
    let (mut chain, second) = (straight(left, corner, 5), straight(corner, right, 5));
    chain.0.extend(second.0);
    chain.1.extend(second.1.iter().skip(1).map(|s| s + 1.0));
    let found = find(&chain, false, &ball, &Pose::IDENTITY, 0.02);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(place(&found[0]), 5.0);
    assert!(found[0].normal.distance(DVec3::Z) < 1e-15);
}

#[test]
fn a_closed_chain_touches_once_where_it_closes() {
    let ring = along(
        8,
        |f| DVec3::new(libm::cos(2.0 * PI * f), 0.0, libm::sin(2.0 * PI * f)),
        |f| DVec3::new(-libm::sin(2.0 * PI * f), 0.0, libm::cos(2.0 * PI * f)) * 2.0 * PI,
    );
    // The plane x = 1.005, which the ring nearly touches where its first piece begins.
    let turned = Pose::new(DVec3::X * 1.005, DQuat::from_rotation_arc(DVec3::Z, -DVec3::X));
    let found = find(&ring, true, &Skin::of(Form::HalfSpace), &turned, RADIUS);
    assert_eq!(found.len(), 1, "{found:?}");
    let at = place(&found[0]);
    assert!(at.min(8.0 - at) < 1e-9, "{found:?}");
    assert!((found[0].distance - 0.005).abs() < 1e-15);
}

#[test]
fn a_rod_over_the_edge_of_a_box_touches_at_the_edge() {
    let solid = skin(&Form::Box { half: DVec3::new(1.0, 1.0, 1.0) }, Pose::IDENTITY);
    // Inclined by 45°, above the edge x = z = 1 in the direction (1, 0, 1).
    let out = DVec3::new(1.0, 0.0, 1.0).normalize();
    let way = DVec3::new(1.0, 0.4, -1.0).normalize();
    let over = DVec3::new(1.0, 0.1, 1.0) + out * RADIUS;
    for start in [-0.5, -0.45, -0.43] {
        let chain = straight(over + way * start, over + way * (start + 1.0), 7);
        let found = find(&chain, false, &solid, &Pose::IDENTITY, 1.5 * RADIUS);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((place(&found[0]) + 7.0 * start).abs() < 1e-12);
        assert!(found[0].normal.distance(out) < 1e-12 && (found[0].distance - RADIUS).abs() < 1e-15);
    }
    // Half on the face, half beyond its edge at x = 1: the last contact of the face is at the edge.
    let chain = straight(DVec3::new(0.53, 0.0, 1.0 + RADIUS), DVec3::new(1.53, 0.0, 1.0 + RADIUS), 5);
    let found = find(&chain, false, &solid, &Pose::IDENTITY, 1.5 * RADIUS);
    let places: Vec<f64> = found.iter().map(place).collect();
    assert_eq!(places[..3], [0.0, 0.5, 1.5], "{found:?}");
    assert!(places.len() == 4 && (places[3] - 2.35).abs() < 1e-9, "{found:?}");
}

#[test]
fn a_bent_rod_has_no_slope_at_its_closest_point() {
    let arch = |f: f64| DVec3::new(f - 0.5, 0.1 * f, 0.4 * (f - 0.47) * (f - 0.47) + 0.05 * f * f * f);
    let slope = |f: f64| DVec3::new(1.0, 0.1, 0.8 * (f - 0.47) + 0.15 * f * f);
    let chain = along(6, arch, slope);
    let mut checked = 0;
    for (name, form) in forms() {
        if !form.is_convex() {
            continue;
        }
        let part = Part::new(form.clone(), Pose::IDENTITY);
        // Lowered until it is a radius above the middle of the top.
        let top = part.field(DVec3::new(0.05, 0.03, 3.0)).point;
        let pose = Pose::at(DVec3::new(0.0, 0.0, -top.z - 0.03));
        let found = find(&chain, false, &skin(&form, Pose::IDENTITY), &pose, 0.2);
        let nearest = found.iter().min_by(|a, b| a.distance.total_cmp(&b.distance)).expect("a contact");
        if place(nearest) == 0.0 || place(nearest) == 6.0 {
            continue;
        }
        checked += 1;
        let cubic = chain.0[nearest.piece as usize];
        let derivative = cubic.derivative(nearest.f);
        assert!(nearest.normal.dot(derivative).abs() < 1e-12 * derivative.length(), "{name}: {nearest:?}");
        // Denser points of the rod are not nearer.
        let sampled = (0..=6000).map(|k| {
            let (piece, f) = (k / 1001, f64::from(k % 1001) / 1000.0);
            part.field(pose.local_point(chain.0[piece as usize].at(f))).distance
        });
        let sampled = sampled.fold(f64::INFINITY, f64::min);
        assert!((-1e-14..1e-5).contains(&(sampled - nearest.distance)), "{name}: {sampled} {nearest:?}");
    }
    assert!(checked >= 5, "{checked}");
}

#[test]
fn a_rod_on_bumps_touches_each_bump() {
    // Tops where sin 15x = 1, x over the side: the rod lies along x on two of them.
    let surface = skin(&mesh_of(bumps(120, 2.0, 0.1), false), Pose::IDENTITY);
    let y = 0.003;
    let chain = straight(DVec3::new(-0.95, y, 0.11), DVec3::new(0.95, y, 0.11), 2);
    let found = find(&chain, false, &surface, &Pose::IDENTITY, 0.05);
    let fields = |x: f64| surface.parts()[0].field(DVec3::new(x, y, 0.11)).distance;
    let sampled: Vec<f64> = (0..3801).map(|k| fields(-0.95 + 0.0005 * f64::from(k))).collect();
    let minima: Vec<f64> = (1..3800)
        .filter(|&k| sampled[k] < 0.0105 && sampled[k] <= sampled[k - 1] && sampled[k] < sampled[k + 1])
        .map(|k| -0.95 + 0.0005 * k as f64)
        .collect();
    assert!(minima.len() >= 2, "{minima:?}");
    for x in &minima {
        let near = found.iter().find(|near| (place(near) * 0.95 - 0.95 - x).abs() < 0.03);
        assert!(near.is_some_and(|near| near.distance < fields(*x) + 1e-5), "{x}: {found:?}");
    }
}

#[test]
fn contacts_move_with_the_bodies() {
    let mut numbers = Numbers(14);
    let chain = along(
        6,
        |f| DVec3::new(f - 0.5, 0.1 * f, 0.4 * (f - 0.47) * (f - 0.47)),
        |f| DVec3::new(1.0, 0.1, 0.8 * (f - 0.47)),
    );
    for (name, form) in forms() {
        let skin = skin(&form, Pose::at(DVec3::new(0.1, -0.2, -0.4)));
        let here = find(&chain, false, &skin, &Pose::IDENTITY, 0.5);
        assert!(!here.is_empty(), "{name}");
        for _ in 0..20 {
            let pose = numbers.pose();
            let moved: Vec<Cubic> = chain
                .0
                .iter()
                .map(|cubic| {
                    let [c0, c1, c2, c3] = cubic.coefficients;
                    let [c1, c2, c3] = [c1, c2, c3].map(|c| pose.vector(c));
                    Cubic { coefficients: [pose.point(c0), c1, c2, c3] }
                })
                .collect();
            let there = find(&(moved, chain.1.clone()), false, &skin, &pose, 0.5);
            assert_eq!(here.len(), there.len(), "{name}");
            for (a, b) in here.iter().zip(&there) {
                assert!((place(a) - place(b)).abs() < 1e-7, "{name}: {a:?} {b:?}");
                // At a minimum the distance is flat: it is exact although f is not.
                assert!((a.distance - b.distance).abs() < 1e-12, "{name}: {a:?} {b:?}");
                assert!(pose.vector(a.normal).distance(b.normal) < 1e-6, "{name}");
            }
        }
    }
}

#[test]
fn two_searches_find_the_same_bits() {
    let chain = straight(DVec3::new(-0.9, 0.1, 0.2), DVec3::new(0.9, 0.2, 0.1), 7);
    let chain = Chain { pieces: &chain.0, arc: &chain.1, closed: false, radius: RADIUS };
    let parts = forms().into_iter().map(|(_, form)| Part::new(form, Pose::IDENTITY)).collect();
    let skin = Skin::new(parts);
    let mut search = ChainSkin::default();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    search.find(&chain, &skin, &Pose::IDENTITY, 0.1, &mut first);
    search.find(&chain, &skin, &Pose::IDENTITY, 0.1, &mut second);
    assert!(first.len() > 20);
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
}

#[test]
fn a_point_touches_each_part_that_is_near() {
    let ball = |x: f64| Part::new(Form::Sphere { radius: 0.5 }, Pose::at(DVec3::X * x));
    let skin = Skin::new(vec![ball(-0.6), ball(0.6), ball(5.0), Part::new(Form::HalfSpace, Pose::IDENTITY)]);
    let pose = Numbers(15).pose();
    let mut out = Vec::new();
    find_point(pose.point(DVec3::new(0.0, 0.0, 0.2)), &skin, &pose, 0.25, &mut out);
    assert_eq!(out.iter().map(|near| near.part).collect::<Vec<_>>(), [0, 1, 3]);
    let d = 0.4_f64.sqrt() - 0.5;
    for (near, wanted) in out.iter().zip([d, d, 0.2]) {
        assert!((near.distance - wanted).abs() < 1e-14, "{near:?}");
    }
}
