//! Chains that lie along each other.

use super::{Curve, arcs, contacts};
use glam::DVec3;
use std::f64::consts::TAU;

fn rod(n: usize, from: f64, to: f64, y: f64) -> Curve {
    Curve::straight(n, DVec3::new(from, y, 0.0), DVec3::new(to, y, 0.0))
}

/// Places along x of the contacts of two rods along x.
fn places(a: &Curve, b: &Curve, reach: f64) -> Vec<f64> {
    contacts(a, b, reach).iter().map(|c| a.at(c.pieces[0], c.f[0]).x).collect()
}

fn same(places: &[f64], wanted: &[f64]) -> bool {
    places.len() == wanted.len() && places.iter().zip(wanted).all(|(p, q)| (p - q).abs() < 1e-6)
}

#[test]
fn parallel_rods_touch_at_middles_and_ends() {
    let a = rod(5, 0.0, 15.0, 2.0);
    let middles = [1.5, 4.5, 7.5, 10.5, 13.5];
    // side by side: ends once, though four ends meet
    let found = places(&a, &rod(5, 0.0, 15.0, 0.0), 3.2);
    assert!(same(&found, &[0.0, 1.5, 4.5, 7.5, 10.5, 13.5, 15.0]), "{found:?}");
    // a longer partner with other pieces: the ends of the first rod
    let found = places(&a, &rod(7, -4.0, 20.0, 0.0), 3.2);
    assert!(same(&found, &[0.0, 1.5, 4.5, 7.5, 10.5, 13.5, 15.0]), "{found:?}");
    // shifted: an end of each, and no station beyond the partner's end
    let found = places(&a, &rod(5, 5.0, 20.0, 0.0), 3.2);
    assert!(same(&found, &[5.0, 7.5, 10.5, 13.5, 15.0]), "{found:?}");
    // a shorter partner: its ends
    let found = places(&a, &rod(2, 5.0, 8.0, 0.0), 3.2);
    assert!(same(&found, &[5.0, 7.5, 8.0]), "{found:?}");
    // the other way round
    let found = places(&rod(5, 15.0, 0.0, 2.0), &rod(5, 5.0, 20.0, 0.0), 3.2);
    assert!(same(&found, &[15.0, 13.5, 10.5, 7.5, 5.0]), "{found:?}");
    // a partner on the same line of centres, beyond reach of all but the ends
    let found = places(&a, &rod(5, 16.0, 31.0, 2.0), 3.2);
    assert!(same(&found, &[15.0]), "{found:?}");
    assert!(same(&places(&a, &a.by(DVec3::Y * 2.5), 3.0)[1..6], &middles));
}

#[test]
fn rods_in_line_contact_that_turn_apart_end_at_one_contact() {
    // Turned by a small angle about the middle of a piece, at which the stations become one crossing.
    let b = rod(5, -7.5, 7.5, 0.0);
    let mut counts = Vec::new();
    for k in 0..=60 {
        let angle = 0.005 * f64::from(k);
        let (sine, cosine) = libm::sincos(angle);
        let along = 7.5 * DVec3::new(cosine, 0.0, sine);
        let a = Curve::straight(5, 2.0 * DVec3::Y - along, 2.0 * DVec3::Y + along);
        let found = contacts(&a, &b, 3.2);
        let least = found.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
        assert!((least - 2.0).abs() < 1e-9, "the middle is a station or the minimum");
        counts.push(found.len());
    }
    assert_eq!(counts[0], 7);
    // sin² of the angle is 0.01 at 0.1.
    assert!(counts[..20].iter().all(|&n| n >= 5) && counts[21..].iter().all(|&n| n == 1), "{counts:?}");
}

#[test]
fn a_rod_wound_about_another_touches_it_all_along() {
    // The helix is the first chain, or the second: it has the stations
    // where it winds far more than it advances.
    let core = Curve::straight(10, DVec3::new(0.0, 0.0, -20.0), DVec3::new(0.0, 0.0, 40.0));
    let mut checks = 0;
    for pitch in [2.0, 4.0, 8.0, 16.0, 40.0] {
        let helix = Curve::helix(64, 2.0, pitch, 4.0 * (4.0 / pitch).min(1.0));
        let length = helix.arc[64];
        let (one, other) = (contacts(&helix, &core, 3.0), contacts(&core, &helix, 3.0));
        let lay = pitch / (pitch * pitch + 16.0 * TAU * TAU / 4.0).sqrt();
        for (found, s) in [
            (&one, arcs(&helix, &core, &one).iter().map(|s| s[0]).collect::<Vec<_>>()),
            (&other, arcs(&core, &helix, &other).iter().map(|s| s[1]).collect()),
        ] {
            let mut s = s;
            s.sort_by(f64::total_cmp);
            let step = s.windows(2).map(|s| s[1] - s[0]).fold(0.0, f64::max);
            // At most one piece of the helix or, where it advances by half of its length at least,
            // of the core.
            let piece = if lay > 0.4 { (6.0 / lay).max(length / 64.0) } else { length / 64.0 };
            assert!(step < 1.6 * piece, "pitch {pitch}: a step of {step}, pieces of {piece}");
            assert!(s[0] < 1e-6 && (s[s.len() - 1] - length).abs() < 1e-6, "the ends of the helix touch");
            assert!(found.iter().all(|c| (c.distance - 2.0).abs() < 0.01));
            checks += 1;
        }
    }
    assert_eq!(checks, 10);
}

#[test]
fn a_rod_on_a_bent_rod_has_one_contact_per_piece() {
    // Two arcs side by side about one axis.
    let a = Curve::circle(12, 30.0, 1.8);
    let found = contacts(&a.by(2.0 * DVec3::Z), &a, 3.2);
    assert_eq!(found.len(), 14, "12 middles and 2 ends: {found:?}");
    // An arc within an arc: inside and outside of the bend.
    let outer = Curve::circle(12, 32.0, 1.8);
    for (found, inner) in [(contacts(&a, &outer, 3.2), 1.0), (contacts(&outer, &a, 3.2), -1.0)] {
        assert_eq!(found.len(), 14, "{found:?}");
        for near in &found {
            let out = (if inner > 0.0 { &a } else { &outer }).at(near.pieces[0], near.f[0]).normalize();
            // The pieces leave the circles by 32 (ψ/2)⁴/24 with slopes of some 1e-4.
            assert!((near.normal + inner * out).length() < 1e-3 && (near.distance - 2.0).abs() < 1e-3);
        }
    }
}
