//! Contacts that pass from piece to piece: gap and normal change continuously.

use super::{Curve, Near, arcs, contacts};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// A wave along x whose pieces turn by up to 0.3 rad and whose radius of curvature is 12 at least.
fn wave(n: usize) -> Curve {
    Curve::through(n, 100.0, |s| {
        let (sine, cosine) = libm::sincos(0.2 * s);
        [DVec3::new(s, 2.0 * sine, 0.0), DVec3::new(1.0, 0.4 * cosine, 0.0)]
    })
}

#[test]
fn a_rod_that_crosses_another_slides_along_it_without_jumps() {
    for angle in [1.0, 1.2, 1.571, 2.2] {
        let along = wave(50);
        let turn = DQuat::from_rotation_z(angle);
        let steps = 4000;
        let mut last: Option<[f64; 2]> = None;
        for k in 0..=steps {
            let x = 20.0 + 60.0 * f64::from(k) / f64::from(steps);
            let across = wave(30).by(DVec3::new(-47.0, 0.0, 0.0)).moved(turn, DVec3::new(x, 0.0, 2.0));
            let mut found = contacts(&across, &along, 3.2);
            found.sort_by(|p, q| p.distance.total_cmp(&q.distance));
            let arc = arcs(&across, &along, &found)[0];
            assert!((found[0].distance - 2.0).abs() < 1e-9 && (found[0].normal - DVec3::Z).length() < 1e-6);
            // Where the waves are nearly parallel, stations come and go with a gap of 0.2.
            assert!(found[1..].iter().all(|near| near.distance > 2.19), "at {x}, angle {angle}: {found:?}");
            if let Some(before) = last {
                // A step of 0.015; the crossing moves at 1/sin of the least angle between the waves.
                let least = angle.min(PI - angle) - 2.0 * libm::atan(0.4);
                let limit = 0.015 / libm::sin(least) + 1e-4;
                assert!((0..2).all(|k| (arc[k] - before[k]).abs() < limit), "at {x}, angle {angle}");
            }
            last = Some(arc);
        }
    }
}

#[test]
fn the_gap_of_a_sliding_contact_is_smooth_at_joints() {
    // A straight rod slides over a bow of radius 20: the distance is that of a line to a circle.
    let bow = Curve::circle(10, 20.0, 2.0);
    let mut checks = 0;
    for k in 0..=2000 {
        let angle = 0.2 + 1.6 * f64::from(k) / 2000.0;
        let (sine, cosine) = libm::sincos(angle);
        // outside of the bend, and inside
        for radius in [22.0, 18.0] {
            let point = radius * DVec3::new(cosine, sine, 0.0);
            let rod = Curve::straight(3, point - 4.0 * DVec3::Z, point + 5.0 * DVec3::Z);
            let found = contacts(&rod, &bow, 3.0);
            assert_eq!(found.len(), 1);
            // Hermite pieces of 0.2 rad leave the circle by R ψ⁴/384 = 8e-5, and turn by some 1e-4.
            assert!((found[0].distance - 2.0).abs() < 1e-4, "{found:?}");
            let outward = if radius > 20.0 { 1.0 } else { -1.0 };
            assert!((found[0].normal - outward * point / radius).length() < 1e-3);
            checks += 1;
        }
    }
    assert_eq!(checks, 4002);
}

#[test]
fn stations_of_a_rod_that_slides_along_another_stay() {
    // A short rod slides along a bent one, on top of it; its stations and ends go with it.
    let long = wave(50);
    let mut last: Option<Vec<Near>> = None;
    for k in 0..=3000 {
        let x = 20.0 + 0.01 * f64::from(k);
        let short = Curve::through(6, 18.0, |s| {
            let (sine, cosine) = libm::sincos(0.2 * (s + x));
            [DVec3::new(s + x, 2.0 * sine, 2.1), DVec3::new(1.0, 0.4 * cosine, 0.0)]
        });
        let found = contacts(&short, &long, 3.2);
        assert_eq!(found.len(), 8, "six middles and two ends, at {x}: {found:?}");
        if let Some(last) = last {
            for (p, q) in found.iter().zip(&last) {
                assert!((p.distance - q.distance).abs() < 1e-4, "at {x}: {p:?} {q:?}");
                assert!((p.normal - q.normal).length() < 2e-3, "at {x}: {p:?} {q:?}");
            }
        }
        last = Some(found);
    }
}

#[test]
fn a_rod_that_slides_off_the_end_of_another_keeps_an_end_contact() {
    let lower = Curve::straight(5, DVec3::ZERO, 15.0 * DVec3::X);
    for k in 0..=3000 {
        let x = 0.01 * f64::from(k) - 14.9;
        let upper = Curve::straight(5, DVec3::new(x, 0.0, 2.0), DVec3::new(x + 15.0, 0.0, 2.0));
        let found = contacts(&upper, &lower, 3.2);
        let overlap = 15.0 - x.abs();
        // Middles on the common part, and both of its ends.
        let middles = (0..5).filter(|k| (0.0..=15.0).contains(&(x + 1.5 + 3.0 * f64::from(*k)))).count();
        let near = |s: f64| found.iter().any(|c| (upper.at(c.pieces[0], c.f[0]).x - s).abs() < 0.07);
        if overlap >= 0.0 {
            assert!(near(x.max(0.0)) && near((x + 15.0).min(15.0)), "at {x}: {found:?}");
            assert!(found.len() <= middles + 2 && found.len() + 2 >= middles.max(1), "at {x}: {found:?}");
            assert!(found.iter().all(|c| (c.distance - 2.0).abs() < 1e-9));
        }
    }
}
