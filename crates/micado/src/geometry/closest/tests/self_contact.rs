//! Contacts of a chain with itself.

use super::{Curve, arcs, contacts, self_contacts};
use glam::DVec3;
use std::f64::consts::TAU;

#[test]
fn a_straight_rod_or_an_open_bend_does_not_touch_itself() {
    assert!(self_contacts(&Curve::straight(20, DVec3::ZERO, 20.0 * DVec3::X), 3.2, 5.0).is_empty());
    assert!(self_contacts(&Curve::circle(20, 6.0, 5.0), 3.2, 6.0).is_empty());
    // a ring: its seam is no contact
    assert!(self_contacts(&Curve::circle(20, 6.0, TAU), 3.2, 6.0).is_empty());
}

#[test]
fn turns_of_a_coil_touch_their_neighbours_once_per_piece() {
    // 5 turns of 24 pieces, one upon the other.
    let coil = Curve::helix(120, 10.0, 2.0, 5.0);
    let turn = coil.arc[24];
    let found = self_contacts(&coil, 3.2, 8.0);
    // Four turns of stations, and the end of either turn.
    assert_eq!(found.len(), 4 * 24 + 2, "{found:?}");
    for (near, s) in found.iter().zip(arcs(&coil, &coil, &found)) {
        assert!((s[1] - s[0] - turn).abs() < 0.3 && near.normal.z < -0.99, "{near:?} {s:?}");
    }
    // Within reach of the turn after the next: twice as many, less a turn.
    assert_eq!(self_contacts(&coil, 4.5, 8.0).len(), 4 * 24 + 2 + 3 * 24 + 2);
}

#[test]
fn a_loop_crosses_itself_once() {
    // A rod that makes a loop: its strands cross at 90° at the bottom, 2 apart.
    let leaf = |s: f64| {
        let (sine, cosine) = libm::sincos(s);
        let x = DVec3::new(-8.0 * libm::sin(2.0 * s), -12.0 * cosine, 2.0 / TAU * 2.0 * s);
        [x, DVec3::new(-16.0 * libm::cos(2.0 * s), 12.0 * sine, 4.0 / TAU)]
    };
    for n in 10..40 {
        // s from −2.2 to 2.2; the strands cross at −π/2 and π/2.
        let curve = Curve::through(n, 4.4, |s| leaf(s - 2.2));
        let found = self_contacts(&curve, 3.0, 1.0);
        assert_eq!(found.len(), 1, "{n} pieces: {found:?}");
        assert!(found[0].normal.z < -0.9, "from the second to the first, which is below");
    }
}

/// A closed figure of eight whose strands cross 2 apart, `seam` before its start and half of its length on.
fn eight(n: usize, seam: f64) -> Curve {
    let mut curve = Curve::through(n, TAU, |s| {
        let (sine, cosine) = libm::sincos(s + seam);
        let x = DVec3::new(12.0 * sine, 8.0 * libm::sin(2.0 * (s + seam)), cosine);
        [x, DVec3::new(12.0 * cosine, 16.0 * libm::cos(2.0 * (s + seam)), -sine)]
    });
    curve.closed = true;
    curve
}

#[test]
fn a_crossing_at_the_seam_of_a_closed_rod_is_found_once() {
    let mut first: Option<f64> = None;
    for k in -200..=200 {
        // the crossing passes the seam, some steps exactly, some by a hair
        let seam = f64::from(k) * if k % 2 == 0 { 1e-3 } else { 1e-9 };
        let found = self_contacts(&eight(24, seam), 3.0, 0.5);
        assert_eq!(found.len(), 1, "{seam}: {found:?}");
        let distance = *first.get_or_insert(found[0].distance);
        // Interpolation at other points of the curve moves it by less than 0.01.
        assert!((found[0].distance - distance).abs() < 0.01, "{seam}: {found:?}");
    }
}

#[test]
fn closed_rods_touch_at_their_seams_once() {
    let ring = Curve::circle(16, 10.0, TAU);
    for k in -40..=40 {
        let y = f64::from(k) * if k % 2 == 0 { 0.02 } else { 1e-9 };
        let rod = Curve::straight(
            4,
            DVec3::new(10.0, y, 2.0) - 6.0 * DVec3::X,
            DVec3::new(10.0, y, 2.0) + 7.0 * DVec3::X,
        );
        assert_eq!(contacts(&ring, &rod, 3.0).len(), 1, "{y}");
        assert_eq!(contacts(&rod, &ring, 3.0).len(), 1, "{y}");
    }
    // Rings upon each other: a station per piece and no ends.
    assert_eq!(contacts(&ring.by(2.0 * DVec3::Z), &ring, 3.2).len(), 16);
}

#[test]
fn neighbours_along_the_rod_are_left_out_round_the_seam() {
    // A closed chain that is pinched near its seam: the strands there are neighbours across it.
    let mut pinched = Curve::through(40, TAU, |s| {
        let (sine, cosine) = libm::sincos(s);
        let [x, y] = [12.0 * cosine, 4.0 * sine];
        [DVec3::new(x, y, 0.0), DVec3::new(-12.0 * sine, 4.0 * cosine, 0.0)]
    });
    pinched.closed = true;
    for near in self_contacts(&pinched, 9.0, 2.0) {
        let s = arcs(&pinched, &pinched, &[near])[0];
        assert!((2.0..=TAU - 2.0).contains(&(s[1] - s[0])), "{s:?}");
    }
    assert!(self_contacts(&pinched, 9.0, 2.0).len() > 2);
}

#[test]
fn the_strands_of_a_plectoneme_touch_all_along() {
    // Two strands wound about each other, joined by a wide bow: the first half of the rod has the stations.
    let pitch = 24.0;
    let strand = |z: f64, sign: f64| {
        let (sine, cosine) = libm::sincos(TAU * z / pitch);
        let x = sign * DVec3::new(cosine, sine, 0.0) + z * DVec3::Z;
        [x, sign * TAU / pitch * DVec3::new(-sine, cosine, 0.0) + DVec3::Z]
    };
    let rod = Curve::through(50, 150.0, |s| {
        if s <= 60.0 {
            strand(s, 1.0)
        } else if s >= 90.0 {
            let [x, t] = strand(150.0 - s, -1.0);
            [x, -t]
        } else {
            // far away: a bow that touches nothing
            let angle = std::f64::consts::PI * (s - 60.0) / 30.0;
            let (sine, cosine) = libm::sincos(angle);
            [
                DVec3::new(cosine, 20.0 * sine, 60.0 + 20.0 * sine),
                std::f64::consts::PI / 30.0 * DVec3::new(-sine, 20.0 * cosine, 20.0 * cosine),
            ]
        }
    });
    let found = self_contacts(&rod, 2.6, 12.0);
    let s = arcs(&rod, &rod, &found);
    let step = s.windows(2).map(|s| s[1][0] - s[0][0]).fold(0.0, f64::max);
    assert!(found.len() >= 18 && found.len() <= 26 && step < 6.1, "{} contacts, {step}, {s:?}", found.len());
    for near in found.iter().filter(|near| near.pieces[0] < 18) {
        assert!((near.distance - 2.0).abs() < 0.02, "{near:?}");
    }
}
