//! Contacts of two chains that cross.

use super::super::{ChainPairs, ChainTree, closest_points};
use super::{Curve, Random, arcs, contacts};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;

/// A straight rod of `n` pieces of length 3 whose point at s is above the origin, at an angle to x.
fn above(n: usize, s: f64, angle: f64) -> Curve {
    let (sine, cosine) = libm::sincos(angle);
    let along = DVec3::new(cosine, sine, 0.0);
    let start = 2.0 * DVec3::Z - s * along;
    Curve::straight(n, start, start + 3.0 * n as f64 * along)
}

#[test]
fn crossing_rods_touch_once_wherever_they_cross() {
    let mut checks = 0;
    // 3 and 6 are joints, 0 and 9 are ends.
    let places = [0.0, 1e-9, 0.7, 1.5, 3.0 - 1e-7, 3.0, 3.0 + 1e-12, 4.5, 6.0, 7.3, 9.0 - 1e-10, 9.0];
    for angle in [0.2, 0.5, 1.0, FRAC_PI_2, 2.5, 3.0] {
        for s in places {
            for t in places {
                let (a, b) = (above(3, s, 0.0), above(3, t, angle).by(-2.0 * DVec3::Z));
                let found = contacts(&a, &b, 3.2);
                assert_eq!(found.len(), 1, "angle {angle}, at {s} and {t}: {found:?}");
                let arc = arcs(&a, &b, &found)[0];
                // cosine 1e-9 over sin² of the angle 0.14, and twice 1e-6 at ends
                assert!((arc[0] - s).abs() + (arc[1] - t).abs() < 1e-4, "{arc:?} {s} {t}");
                assert!((found[0].distance - 2.0).abs() < 1e-9);
                assert!((found[0].normal - DVec3::Z).length() < 1e-5);
                checks += 1;
            }
        }
    }
    assert_eq!(checks, 6 * 12 * 12);
}

#[test]
fn an_end_on_a_rod_touches_it_once() {
    // A rod that stands on the other, upright or leaning, ends at its surface.
    for lean in [0.0, 0.3, 0.8] {
        for s in [0.4, 3.0, 5.0, 6.0, 8.9] {
            let foot = DVec3::new(s, 0.0, 2.0);
            let up = DVec3::new(libm::sin(lean), 0.0, libm::cos(lean));
            let a = Curve::straight(3, foot, foot + 9.0 * up);
            let b = Curve::straight(3, DVec3::ZERO, 9.0 * DVec3::X);
            for (found, n) in [(contacts(&a, &b, 2.5), 1.0), (contacts(&b, &a, 2.5), -1.0)] {
                assert_eq!(found.len(), 1, "{s} {lean}: {found:?}");
                assert!((found[0].normal - n * DVec3::Z).length() < 1e-8);
            }
        }
    }
    // end to end
    let a = Curve::straight(3, DVec3::ZERO, 9.0 * DVec3::X);
    let b = Curve::straight(3, DVec3::new(11.0, 0.5, 0.0), DVec3::new(20.0, 0.5, 0.0));
    let found = contacts(&a, &b, 2.5);
    assert_eq!((found.len(), found[0].pieces, found[0].f), (1, [2, 0], [1.0, 0.0]));
}

/// A rod bent to a radius of 20, through the origin along x.
fn bow(n: usize) -> Curve {
    Curve::circle(n, 20.0, 1.2).moved(DQuat::from_rotation_z(-1.57 - 0.6), DVec3::new(0.0, 20.0, 0.0))
}

#[test]
fn contacts_do_not_depend_on_which_chain_is_first() {
    let mut random = Random(11);
    let mut checks = 0;
    for _ in 0..500 {
        let a = bow(7);
        let turn = DQuat::from_rotation_z(random.within(0.9, 2.2))
            * DQuat::from_rotation_x(random.within(-0.5, 0.5));
        let b = bow(9).moved(turn, DVec3::new(random.within(-8.0, 8.0), random.within(-2.0, 2.0), 2.1));
        let (one, other) = (contacts(&a, &b, 2.5), contacts(&b, &a, 2.5));
        if one.len() != 1 {
            continue;
        }
        assert_eq!(other.len(), 1, "{one:?} {other:?}");
        // cosine 1e-9 over the least curvature 0.01
        assert!((one[0].normal + other[0].normal).length() < 1e-6);
        assert!((one[0].distance - other[0].distance).abs() < 1e-9);
        let (p, q) = (arcs(&a, &b, &one)[0], arcs(&b, &a, &other)[0]);
        assert!((p[0] - q[1]).abs() + (p[1] - q[0]).abs() < 1e-6);
        checks += 1;
    }
    assert!(checks > 200, "{checks}");
}

#[test]
fn contacts_turn_and_move_with_the_chains() {
    let mut random = Random(12);
    for _ in 0..200 {
        let turn = DQuat::from_rotation_z(random.within(0.4, 2.7));
        let (a, b) = (bow(7), bow(9).moved(turn, DVec3::new(random.within(-6.0, 6.0), 0.3, 2.1)));
        let (whole, by) = (random.turn(), 50.0 * random.direction());
        let (here, there) = (contacts(&a, &b, 3.2), contacts(&a.moved(whole, by), &b.moved(whole, by), 3.2));
        assert_eq!(here.len(), there.len());
        for (p, q) in here.iter().zip(&there) {
            assert!((whole * p.normal - q.normal).length() < 1e-6 && (p.distance - q.distance).abs() < 1e-9);
        }
    }
}

#[test]
fn the_least_distance_of_two_wavy_rods_is_a_contact() {
    let mut random = Random(13);
    let mut checks = 0;
    for _ in 0..300 {
        let mut wavy = || {
            let wave =
                [random.within(0.5, 2.0), random.within(0.5, 2.0), random.within(0.15, 0.3), random.unit()];
            let curve = Curve::through(12, 36.0, |s| {
                let x = s - 18.0;
                let (sine, cosine) = libm::sincos(wave[2] * x + wave[3]);
                let t = DVec3::new(1.0, wave[0] * wave[2] * cosine, -wave[1] * wave[2] * sine);
                [DVec3::new(x, wave[0] * sine, wave[1] * cosine), t]
            });
            curve.moved(random.turn(), DVec3::ZERO)
        };
        let (a, b) = (wavy(), wavy().by(DVec3::new(0.0, 0.0, 0.5)));
        let least = a.pieces.iter().flat_map(|p| b.pieces.iter().map(move |q| closest_points(p, q, 0.0)));
        let least = least.map(|found| found.distance).fold(f64::INFINITY, f64::min);
        if least < 3.2 {
            let found = contacts(&a, &b, 3.2).iter().map(|near| near.distance).fold(f64::INFINITY, f64::min);
            // A line contact is held at stations, by up to 0.01 ℓ²/8d from the least distance.
            assert!((found - least).abs() < 5e-3, "{found} {least}");
            checks += 1;
        }
    }
    assert!(checks > 100, "{checks}");
}

#[test]
fn no_contact_beyond_the_reach_and_none_of_nothing() {
    let (a, b) = (above(3, 4.0, 0.0), above(3, 4.0, 1.0).by(-2.0 * DVec3::Z));
    assert_eq!(contacts(&a, &b, 2.0 + 1e-9).len(), 1);
    assert!(contacts(&a, &b, 2.0 - 1e-9).is_empty());
    let none = Curve { pieces: Vec::new(), arc: vec![0.0], closed: false, radius: 1.0 };
    assert!(contacts(&a, &none, 3.0).is_empty() && contacts(&none, &a, 3.0).is_empty());
    let mut out = Vec::new();
    ChainPairs::new().find_self(&none.chain(), 3.0, 1.0, &mut out);
    assert!(out.is_empty());
}

#[test]
fn numbers_that_are_none_give_no_contact_and_no_panic() {
    let (a, mut b) = (above(3, 4.0, 0.0), above(3, 4.0, 1.0).by(-2.0 * DVec3::Z));
    b.pieces[1].coefficients[2] = DVec3::NAN;
    let mut out = Vec::new();
    ChainPairs::new().find(&a.chain(), &b.chain(), 3.0, &mut out);
    assert!(out.iter().all(|near| near.distance.is_finite()), "{out:?}");
}

#[test]
fn centre_lines_that_cross_have_the_normal_of_both() {
    let (a, b) = (above(3, 4.0, 0.0), above(3, 4.0, 1.0));
    let found = contacts(&a, &b, 3.0);
    assert_eq!(found.len(), 1);
    assert!((found[0].normal - DVec3::Z).length() < 1e-12, "t_A × t_B");
    let found = contacts(&b, &a, 3.0);
    assert!((found[0].normal + DVec3::Z).length() < 1e-12);
}

#[test]
fn the_same_search_gives_the_same_bits_and_keeps_its_memory() {
    let (a, b) = (Curve::helix(60, 2.0, 6.0, 6.0), Curve::straight(12, DVec3::ZERO, 36.0 * DVec3::Z));
    let mut pairs = ChainPairs::new();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    pairs.find(&a.chain(), &b.chain(), 3.2, &mut first);
    let sizes = pairs.capacities();
    // Another search in between leaves no trace.
    pairs.find(&bow(5).chain(), &above(3, 4.0, 1.0).chain(), 3.2, &mut second);
    let capacity = second.capacity().max(first.len());
    second.reserve(first.len());
    pairs.find(&a.chain(), &b.chain(), 3.2, &mut second);
    assert_eq!(first, second);
    assert!(first.len() > 10 && capacity <= second.capacity());
    assert_eq!(pairs.capacities(), sizes, "no allocation after the first search");
    // Trees that are fitted once serve several searches.
    let mut trees = [ChainTree::new(), ChainTree::new()];
    trees[0].fit(&a.chain());
    trees[1].fit(&b.chain());
    pairs.find_fitted([&a.chain(), &b.chain()], [&trees[0], &trees[1]], 3.2, &mut second);
    assert_eq!(first, second);
}
