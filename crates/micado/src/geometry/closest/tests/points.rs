//! Closest points of chains to points.

use super::super::{ChainTree, NearPoint, point_on_chain};
use super::{Curve, Random};
use glam::DVec3;

fn near(curve: &Curve, point: DVec3, reach: f64) -> Vec<NearPoint> {
    let (mut tree, mut out) = (ChainTree::new(), Vec::new());
    tree.fit(&curve.chain());
    point_on_chain(&curve.chain(), &tree, point, reach, &mut out);
    for near in &out {
        let way = point - curve.at(near.piece, near.f);
        assert!((way.length() - near.distance).abs() < 1e-12 && near.distance < reach);
        assert!((way - near.distance * near.normal).length() < 1e-9);
    }
    out
}

#[test]
fn a_ball_touches_a_straight_rod_once_at_joints_too() {
    let rod = Curve::straight(7, DVec3::ZERO, 21.0 * DVec3::X);
    for k in 0..=420 {
        let x = 0.05 * f64::from(k);
        let found = near(&rod, DVec3::new(x, 1.5, 0.0), 2.0);
        assert_eq!(found.len(), 1, "at {x}");
        assert!((rod.arc_at(found[0].piece, found[0].f) - x).abs() < 1e-9);
        assert!((found[0].normal - DVec3::Y).length() < 1e-9);
    }
    // beyond the end: the end
    let found = near(&rod, DVec3::new(22.0, 1.0, 0.0), 2.0);
    assert_eq!((found.len(), found[0].piece, found[0].f), (1, 6, 1.0));
    assert!(near(&rod, DVec3::new(24.0, 0.0, 0.0), 2.0).is_empty());
}

#[test]
fn a_ball_drawn_along_a_bent_rod_keeps_a_continuous_normal() {
    // A wave whose radius of curvature is 5 at least; pieces turn by up to 0.4 rad.
    let wave = Curve::through(40, 80.0, |s| {
        let (sine, cosine) = libm::sincos(0.2 * s);
        [DVec3::new(s, 5.0 * sine, 0.0), DVec3::new(1.0, cosine, 0.0)]
    });
    for side in [1.0, -1.0] {
        let mut last: Option<NearPoint> = None;
        let steps = 20_000;
        for k in 0..=steps {
            let s = 5.0 + 70.0 * f64::from(k) / f64::from(steps);
            let (sine, cosine) = libm::sincos(0.2 * s);
            let normal = DVec3::new(-cosine, 1.0, 0.0).normalize();
            let point = DVec3::new(s, 5.0 * sine, 0.0) + 2.0 * side * normal;
            let found = near(&wave, point, 2.5);
            assert_eq!(found.len(), 1, "at {s}");
            if let Some(last) = last {
                // A step of 0.0035 √2 turns the normal by less than 0.0035 √2/3 to first order.
                assert!((found[0].normal - last.normal).length() < 2e-3, "at {s}");
                assert!((found[0].distance - last.distance).abs() < 1e-4, "at {s}");
            }
            last = Some(found[0]);
        }
    }
}

#[test]
fn a_ball_in_the_fork_of_a_hairpin_touches_both_legs() {
    let hairpin = Curve::circle(24, 3.0, std::f64::consts::PI);
    let found = near(&hairpin, DVec3::new(0.1, 0.5, 0.0), 3.2);
    // On the circle but one point is nearest; the other side is the end that the point lies beside.
    assert!(!found.is_empty() && found.len() <= 3, "{found:?}");
    let legs =
        Curve::through(10, 20.0, |s| [DVec3::new(s, 0.02 * s * s, 0.0), DVec3::new(1.0, 0.04 * s, 0.0)]);
    let point = legs.at(5, 0.0) + DVec3::new(0.0, 1.0, 0.0);
    assert_eq!(near(&legs, point, 2.0).len(), 1);
}

#[test]
fn a_ball_touches_the_seam_of_a_ring_once() {
    let ring = Curve::circle(16, 5.0, std::f64::consts::TAU);
    for k in -50..=50 {
        let angle = 1e-3 * f64::from(k) / 50.0 * if k % 2 == 0 { 1.0 } else { 1e-6 };
        let (sine, cosine) = libm::sincos(angle);
        let found = near(&ring, 6.5 * DVec3::new(cosine, sine, 0.0), 2.0);
        assert_eq!(found.len(), 1, "at {angle}");
        // The pieces leave the circle by 5 (ψ/2)⁴/24, ψ = 2π/16, and are even about the seam.
        assert!((found[0].normal - DVec3::new(cosine, sine, 0.0)).length() < 1e-3);
    }
}

#[test]
fn a_point_on_the_centre_line_has_a_normal() {
    let rod = Curve::straight(3, DVec3::ZERO, 9.0 * DVec3::X);
    let (mut tree, mut out) = (ChainTree::new(), Vec::new());
    tree.fit(&rod.chain());
    point_on_chain(&rod.chain(), &tree, DVec3::new(4.0, 0.0, 0.0), 1.0, &mut out);
    assert_eq!(out.len(), 1);
    assert!(out[0].normal.dot(DVec3::X).abs() < 1e-15 && (out[0].normal.length() - 1.0).abs() < 1e-15);
}

#[test]
fn the_nearest_of_many_points_is_among_those_found() {
    let mut random = Random(7);
    let coil = Curve::helix(60, 4.0, 3.0, 4.0);
    for _ in 0..500 {
        let point = DVec3::new(random.within(-6.0, 6.0), random.within(-6.0, 6.0), random.within(-1.0, 13.0));
        let samples = (0..60).flat_map(|k| (0..=100).map(move |m| (k, 0.01 * f64::from(m))));
        let samples = samples.map(|(k, f)| coil.at(k, f).distance(point));
        let least = samples.fold(f64::INFINITY, f64::min);
        let found = near(&coil, point, 3.0).iter().map(|n| n.distance).fold(f64::INFINITY, f64::min);
        // Samples are 0.02 apart: 0.01²/(2 d) from the least.
        assert!(least > 2.99 || (found <= least && least - found < 0.011), "{found} {least}");
    }
}
