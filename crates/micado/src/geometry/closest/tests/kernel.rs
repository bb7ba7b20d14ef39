//! Segments and cubic pieces.

use super::super::pair::PairAt;
use super::super::parts::turning;
use super::super::{Cubic, closest_on_segments, closest_points};
use super::Random;
use glam::DVec3;

#[test]
fn no_points_of_two_segments_are_closer_than_the_closest() {
    let mut random = Random(1);
    for case in 0..2000 {
        let a = [random.direction(), random.direction() * 2.0];
        let mut b = [random.direction() * random.unit(), random.direction()];
        if case % 4 == 0 {
            // parallel, up to the rounding of the sum
            b[1] = b[0] + (a[1] - a[0]) * random.within(-2.0, 2.0);
        }
        let found = closest_on_segments(a, b);
        let at = |f: [f64; 2]| a[0].lerp(a[1], f[0]).distance_squared(b[0].lerp(b[1], f[1]));
        assert!((at(found.f) - found.square).abs() < 1e-14);
        for i in 0..=20 {
            for j in 0..=20 {
                let square = at([f64::from(i) / 20.0, f64::from(j) / 20.0]);
                assert!(square >= found.square - 1e-14, "{a:?} {b:?} {found:?}");
            }
        }
    }
}

#[test]
fn parallel_segments_meet_in_the_middle_of_their_common_part() {
    let x = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    let found = closest_on_segments([x(0.0, 0.0), x(4.0, 0.0)], [x(7.0, 1.0), x(2.0, 1.0)]);
    assert_eq!(found.f, [0.75, 0.8]);
    assert_eq!(found.square, 1.0);
    // no common part: the ends
    let found = closest_on_segments([x(0.0, 0.0), x(4.0, 0.0)], [x(7.0, 0.0), x(8.0, 0.0)]);
    assert_eq!((found.f, found.square), ([1.0, 0.0], 9.0));
    // points
    let found = closest_on_segments([x(1.0, 1.0); 2], [x(0.0, 0.0), x(4.0, 0.0)]);
    assert_eq!((found.f, found.square), ([0.0, 0.25], 1.0));
    let found = closest_on_segments([x(0.0, 0.0), x(4.0, 0.0)], [x(1.0, 1.0); 2]);
    assert_eq!((found.f[0], found.square), (0.25, 1.0));
    assert_eq!(closest_on_segments([x(0.0, 0.0); 2], [x(3.0, 4.0); 2]).square, 25.0);
}

/// A piece of length about 1 that turns by at most `turn`.
fn piece(random: &mut Random, turn: f64) -> Cubic {
    loop {
        let from = random.direction() * random.within(0.0, 0.7);
        let along = random.direction();
        let mut bent = || along * random.within(0.7, 1.3) + random.direction() * random.within(0.0, turn);
        let derivatives = [bent(), bent()];
        let to = from + 0.5 * (derivatives[0] + derivatives[1]);
        let piece = Cubic::hermite([from, to], derivatives);
        if turning(&piece) <= turn {
            return piece;
        }
    }
}

/// Least distance of two pieces by a grid and refinement about its lowest points.
fn dense(a: &Cubic, b: &Cubic) -> f64 {
    const N: i32 = 30;
    let at = |i: i32| f64::from(i) / f64::from(N);
    let points: Vec<[DVec3; 2]> = (0..=N).map(|i| [a.at(at(i)), b.at(at(i))]).collect();
    let mut best = (f64::INFINITY, [0.0; 2]);
    for i in 0..=N {
        for j in 0..=N {
            let square = points[i as usize][0].distance_squared(points[j as usize][1]);
            if square < best.0 {
                best = (square, [at(i), at(j)]);
            }
        }
    }
    let mut width = 1.0 / f64::from(N);
    while width > 1e-6 {
        let centre = best.1;
        for (du, dv) in (-2..=2).flat_map(|i| (-2..=2).map(move |j| (f64::from(i), f64::from(j)))) {
            let f = [centre[0] + 0.5 * du * width, centre[1] + 0.5 * dv * width].map(|x| x.clamp(0.0, 1.0));
            let square = a.at(f[0]).distance_squared(b.at(f[1]));
            if square < best.0 {
                best = (square, f);
            }
        }
        if best.1 == centre {
            width *= 0.5;
        }
    }
    best.0.sqrt()
}

#[test]
fn closest_points_of_pieces_are_normal_to_them_and_global() {
    let mut random = Random(2);
    let (mut other, mut normal) = (0, 0);
    let cases = 20_000;
    for _ in 0..cases {
        let (a, b) = (piece(&mut random, 0.5), piece(&mut random, 0.5));
        let found = closest_points(&a, &b, 0.0);
        for k in 0..2 {
            if found.interior[k] {
                // The kernel's tolerance; it is tested at the same point.
                assert!(found.cosines[k].abs() <= 1.001e-9, "{found:?}");
                normal += 1;
            } else {
                assert!(found.f[k] == 0.0 || found.f[k] == 1.0);
            }
        }
        let least = dense(&a, &b);
        // The search is exact to 1e-6 in f, so to 1e-12 in the distance, and to 1e-6 where it is zero.
        assert!(found.distance >= least - 1e-9 || least < 2e-6);
        if found.distance > least + 1e-5 {
            other += 1;
            // These points lie at bounds, where the distance is nearly the same.
            assert!(found.distance < least + 0.01, "{} {least}", found.distance);
        }
    }
    assert!(normal > cases / 2, "{normal} coordinates were inside");
    assert!(other * 1000 <= cases, "{other} of {cases} pairs have another minimum");
}

#[test]
fn pieces_that_turn_far_have_their_global_minimum_too() {
    let mut random = Random(3);
    let mut other = 0;
    for _ in 0..3000 {
        let (a, b) = (piece(&mut random, 2.0), piece(&mut random, 2.0));
        other += i32::from(closest_points(&a, &b, 0.0).distance > dense(&a, &b) + 1e-5);
    }
    // ≤ 0.1 %, as for pieces that need not be halved
    assert!(other <= 3, "{other}");
}

#[test]
fn gradient_and_hessian_are_those_of_the_squared_distance() {
    let mut random = Random(4);
    let (h, mut checks) = (1e-4, 0);
    for _ in 0..200 {
        let (a, b) = (piece(&mut random, 1.5), piece(&mut random, 1.5));
        let f = [random.unit(), random.unit()];
        let energy = |u: f64, v: f64| 0.5 * (a.at(f[0] + u) - b.at(f[1] + v)).length_squared();
        let at = PairAt::new([&a, &b], f);
        let differences = [(energy(h, 0.0) - energy(-h, 0.0)), (energy(0.0, h) - energy(0.0, -h))];
        let seconds = [
            (energy(h, 0.0) + energy(-h, 0.0) - 2.0 * energy(0.0, 0.0)) / (h * h),
            (energy(h, h) + energy(-h, -h) - energy(h, -h) - energy(-h, h)) / (4.0 * h * h),
            (energy(0.0, h) + energy(0.0, -h) - 2.0 * energy(0.0, 0.0)) / (h * h),
        ];
        // h² times third and fourth derivatives of at most 100, and rounding 1e-16/h².
        for k in 0..2 {
            assert!((at.gradient()[k] - differences[k] / (2.0 * h)).abs() < 1e-6);
            checks += 1;
        }
        for k in 0..3 {
            assert!((at.hessian()[k] - seconds[k]).abs() < 1e-6);
            checks += 1;
        }
    }
    assert_eq!(checks, 1000);
}

#[test]
fn rods_at_more_than_arccos_1_minus_2_kappa_r_have_an_isolated_closest_point() {
    let mut random = Random(5);
    let mut checks = 0;
    for _ in 0..100_000 {
        let (r, curvature) = (1.0, random.within(0.0, 0.45));
        let limit = libm::acos(1.0 - 2.0 * curvature * r);
        let angle = random.within(0.0, std::f64::consts::FRAC_PI_2);
        // Both curves are normal to z, on which the points lie, and are bent in any direction.
        let direction = |angle: f64| DVec3::new(libm::cos(angle), libm::sin(angle), 0.0);
        let mut bent = |t: DVec3, x: DVec3| {
            let (sine, cosine) = libm::sincos(random.within(0.0, std::f64::consts::TAU));
            let kappa = curvature * if random.unit() < 0.5 { 1.0 } else { random.unit() };
            let second = kappa * (DVec3::Z * cosine + DVec3::Z.cross(t) * sine);
            Cubic { coefficients: [x, t, 0.5 * second, DVec3::ZERO] }
        };
        let a = bent(direction(0.0), 2.0 * r * DVec3::Z);
        let b = bent(direction(angle), DVec3::ZERO);
        if angle > limit {
            let at = PairAt::new([&a, &b], [0.0; 2]);
            let curvature = at.curvature();
            assert!(curvature.determinant > 0.0 && curvature.own[0] > 0.0 && curvature.own[1] > 0.0);
            checks += 1;
        }
    }
    assert!(checks > 30_000, "{checks}");
}

#[test]
fn crossing_pieces_have_the_normal_of_their_plane() {
    let along = |t: DVec3| Cubic { coefficients: [-0.4 * t, t, DVec3::ZERO, DVec3::ZERO] };
    let found = closest_points(&along(DVec3::X), &along(DVec3::Y), 1e-9);
    assert!(found.distance < 1e-15);
    assert!((found.normal - DVec3::Z).length() < 1e-15);
    let swapped = closest_points(&along(DVec3::Y), &along(DVec3::X), 1e-9);
    assert!((swapped.normal + DVec3::Z).length() < 1e-15);
    // On top of each other and parallel: some normal of the line.
    let same = closest_points(&along(DVec3::X), &along(DVec3::X), 1e-9);
    assert!(same.normal.dot(DVec3::X).abs() < 1e-15 && (same.normal.length() - 1.0).abs() < 1e-15);
}

#[test]
fn a_point_piece_is_a_point() {
    let point = Cubic { coefficients: [DVec3::new(0.3, 1.0, 0.0), DVec3::ZERO, DVec3::ZERO, DVec3::ZERO] };
    let line = Cubic { coefficients: [DVec3::ZERO, DVec3::X, DVec3::ZERO, DVec3::ZERO] };
    let found = closest_points(&point, &line, 0.0);
    assert!((found.distance - 1.0).abs() < 1e-15 && (found.f[1] - 0.3).abs() < 1e-12);
    assert_eq!(closest_points(&point, &point, 0.0).distance, 0.0);
}
