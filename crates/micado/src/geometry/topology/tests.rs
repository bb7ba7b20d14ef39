use super::{
    Beyond, BoxTree, Crossing, MovingSegment, comes_near, for_each_crossing, linking_number, relative_motion,
    writhe,
};
use crate::geometry::closest::closest_on_segments;
use crate::geometry::skin::Bounds;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Numbers between −1 and 1 (splitmix64).
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| self.number()))
    }

    fn segment(&mut self) -> MovingSegment {
        let mut ends = || [self.vector(), self.vector()];
        MovingSegment { start: ends(), end: ends() }
    }
}

/// Points of a closed curve x(φ), 0 ≤ φ < 2π.
fn ring(count: usize, x: impl Fn(f64) -> DVec3) -> Vec<DVec3> {
    (0..count).map(|k| x(TAU * k as f64 / count as f64)).collect()
}

fn circle(centre: DVec3, u: DVec3, v: DVec3) -> Vec<DVec3> {
    ring(40, |phi| centre + u * phi.cos() + v * phi.sin())
}

fn trefoil(count: usize) -> Vec<DVec3> {
    ring(count, |phi| {
        let r = 2.0 + (3.0 * phi).cos();
        DVec3::new(r * (2.0 * phi).cos(), r * (2.0 * phi).sin(), (3.0 * phi).sin())
    })
}

/// The writhe of a polygon that goes on along its first and its last edge.
fn open_writhe(points: &[DVec3]) -> f64 {
    let n = points.len();
    let ends = [points[0] - points[1], points[n - 1] - points[n - 2]];
    writhe(points, Beyond::Straight(ends.map(DVec3::normalize)))
}

#[test]
fn the_linking_number_counts_how_often_two_rings_wind_about_each_other() {
    let a = circle(DVec3::ZERO, DVec3::X, DVec3::Y);
    let hopf = circle(DVec3::X, DVec3::X, DVec3::Z);
    let back: Vec<DVec3> = hopf.iter().rev().copied().collect();
    let apart: Vec<DVec3> = hopf.iter().map(|x| *x + DVec3::X * 3.0).collect();
    // A curve that winds five times about the circle while it goes round once.
    let coil = ring(400, |phi| {
        let r = 1.0 + 0.3 * (5.0 * phi).cos();
        DVec3::new(r * phi.cos(), r * phi.sin(), 0.3 * (5.0 * phi).sin())
    });
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 2.0) / 3.0, 1.1);
    for (b, expected) in [(&hopf, 1.0), (&back, -1.0), (&apart, 0.0), (&coil, 5.0)] {
        let found = linking_number(&a, b);
        // Rounding of 1600 angles.
        assert!((found.abs() - f64::abs(expected)).abs() < 1e-12, "{found}, not {expected}");
        assert!((linking_number(b, &a) - found).abs() < 1e-12);
        let [turned, other] = [&a, b].map(|points| points.iter().map(|x| turn * *x).collect::<Vec<_>>());
        assert!((linking_number(&turned, &other) - found).abs() < 1e-12);
    }
    // The right hand: the thumb along one ring, the fingers along the other.
    let upward = circle(DVec3::X, -DVec3::X, DVec3::Z);
    assert!((linking_number(&a, &upward) - 1.0).abs() < 1e-12, "{}", linking_number(&a, &upward));
}

#[test]
fn the_writhe_of_a_helix_is_one_less_the_sine_of_its_pitch_angle_per_turn() {
    for pitch_angle in [0.2_f64, 0.6, 1.2] {
        let turns = 40.0;
        let rise = pitch_angle.tan();
        let helix = |sign: f64| -> Vec<DVec3> {
            let count = 4000;
            (0..=count)
                .map(|k| {
                    let phi = turns * TAU * f64::from(k) / f64::from(count);
                    DVec3::new(phi.cos(), sign * phi.sin(), rise * phi)
                })
                .collect()
        };
        // The ends of the helix, and the straight lines at a slant beyond them, count for less than a turn.
        let [short, long] = [0.5, 1.0].map(|share| {
            let points = helix(1.0);
            open_writhe(&points[..(share * points.len() as f64) as usize])
        });
        let per_turn = (long - short) / (0.5 * turns);
        let expected = 1.0 - pitch_angle.sin();
        assert!((per_turn - expected).abs() < 2e-3, "{pitch_angle}: {per_turn}, not {expected}");
        let mirrored = open_writhe(&helix(-1.0));
        assert!((mirrored + long).abs() < 1e-9, "{mirrored}, {long}");
    }
}

#[test]
fn the_writhe_of_a_trefoil_is_that_of_its_shape_in_every_direction() {
    let knot = trefoil(200);
    let value = writhe(&knot, Beyond::Closed);
    // A trefoil of three crossings of one sign: near 3, and 3.4 for this shape.
    assert!((value.abs() - 3.4).abs() < 0.2, "{value}");
    let turn = DQuat::from_axis_angle(DVec3::new(2.0, -1.0, 2.0) / 3.0, 0.7);
    let turned: Vec<DVec3> = knot.iter().map(|x| turn * *x * 3.0 + DVec3::ONE).collect();
    assert!((writhe(&turned, Beyond::Closed) - value).abs() < 1e-10);
    let mirrored: Vec<DVec3> = knot.iter().map(|x| DVec3::new(x.x, x.y, -x.z)).collect();
    assert!((writhe(&mirrored, Beyond::Closed) + value).abs() < 1e-10);
    // A plane curve has none.
    assert!(writhe(&circle(DVec3::ZERO, DVec3::X, DVec3::Y), Beyond::Closed).abs() < 1e-12);
}

/// Passages of two polygons from one state to another.
fn passages(start: [&[DVec3]; 2], end: [&[DVec3]; 2]) -> i32 {
    let segment = |side: usize, k: usize| {
        let of = |points: &[DVec3]| [points[k], points[(k + 1) % points.len()]];
        MovingSegment { start: of(start[side]), end: of(end[side]) }
    };
    let mut sum = 0;
    for i in 0..start[0].len() {
        for j in 0..start[1].len() {
            for_each_crossing(&segment(0, i), &segment(1, j), |crossing| sum += i32::from(crossing.sign));
        }
    }
    sum
}

#[test]
fn the_linking_number_changes_by_the_passages() {
    let mut random = Random(3);
    let mut changed = 0;
    for _ in 0..200 {
        let [a, b, c, d] = [0; 4].map(|_| [0; 7].map(|_| random.vector()));
        let [before, after] = [linking_number(&a, &b), linking_number(&c, &d)];
        let counted = f64::from(passages([&a, &b], [&c, &d]));
        assert!((before + counted - after).abs() < 1e-9, "{before} + {counted}, not {after}");
        changed += i32::from((after - before).abs() > 0.5);
    }
    assert!(changed > 50, "{changed}");
}

#[test]
fn passages_of_segments_are_where_their_distance_vanishes() {
    let mut random = Random(7);
    let mut found = Vec::new();
    for case in 0..20_000 {
        let (a, b) = (random.segment(), random.segment());
        let first = found.len();
        for_each_crossing(&a, &b, |crossing| found.push(crossing));
        for Crossing { time, f, .. } in &found[first..] {
            let on = |ends: [DVec3; 2], f: f64| ends[0] + (ends[1] - ends[0]) * f;
            let apart = on(a.at(*time), f[0]).distance(on(b.at(*time), f[1]));
            // The lines meet to rounding, divided by the square of the sine of their angle.
            assert!(apart < 1e-7, "{case}: {apart:e}");
        }
        // Dense sampling finds the same number: a sign of the volume that changes while the segments are
        // near.
        if case < 500 {
            let volume = |t: f64| {
                let (a, b) = (a.at(t), b.at(t));
                (a[1] - a[0]).cross(b[1] - b[0]).dot(b[0] - a[0])
            };
            let count = 4000;
            let times = (0..count).map(|k| [k, k + 1].map(|k| f64::from(k) / f64::from(count)));
            let sampled = times
                .filter(|[from, to]| (volume(*from) < 0.0) != (volume(*to) < 0.0))
                .filter(|[from, to]| {
                    let near = closest_on_segments(a.at(0.5 * (from + to)), b.at(0.5 * (from + to)));
                    near.square.sqrt() < 8.0 / f64::from(count)
                })
                .count();
            assert_eq!(found.len() - first, sampled, "{case}");
        }
    }
    let count = found.len();
    assert!((1000..20_000).contains(&count), "{count}");
}

#[test]
fn segments_that_come_near_are_found_and_those_that_stay_apart_are_not() {
    let mut random = Random(11);
    let mut counts = [0, 0];
    for case in 0..2000 {
        let (a, b) = (random.segment(), random.segment());
        let times = (0..=2000).map(|k| f64::from(k) / 2000.0);
        let distance = |t: f64| closest_on_segments(a.at(t), b.at(t)).square.sqrt();
        let least_of_all = times.map(distance).fold(f64::INFINITY, f64::min);
        let least = 0.2 * distance(0.0);
        let near = comes_near(&a, &b, least);
        // Between samples the distance changes by at most a two-thousandth of the motion.
        let step = relative_motion(&a, &b) / 2000.0;
        match near {
            Some(time) => assert!(distance(time) <= 1.05 * least + 1e-12, "{case}"),
            None => assert!(least_of_all > least - step, "{case}: {least_of_all} < {least}"),
        }
        if least_of_all < least {
            assert!(near.is_some(), "{case}");
        }
        counts[usize::from(near.is_some())] += 1;
    }
    assert!(counts[0] > 100 && counts[1] > 100, "{counts:?}");
}

#[test]
fn parallel_segments_that_pass_through_each_other_sideways_come_near() {
    let along = |y: f64| [DVec3::new(0.0, y, 0.0), DVec3::new(1.0, y, 0.0)];
    let still = MovingSegment { start: along(0.0), end: along(0.0) };
    let moving = MovingSegment { start: along(1.0), end: along(-1.0) };
    let time = comes_near(&still, &moving, 0.1).expect("they meet");
    assert!((time - 0.45).abs() < 0.01, "{time}");
    // A motion that both share does not count.
    let shifted = |segment: MovingSegment| MovingSegment { end: segment.end.map(|x| x + 7.0), ..segment };
    let beside = MovingSegment { start: along(1.0), end: along(1.0) };
    assert!(relative_motion(&shifted(still), &shifted(beside)) < 1e-12);
    assert_eq!(comes_near(&shifted(still), &shifted(beside), 0.1), None);
}

#[test]
fn a_tree_of_boxes_finds_every_segment_near_a_box() {
    let mut random = Random(5);
    let mut tree = BoxTree::default();
    for count in [0, 1, 2, 3, 9, 40] {
        let points: Vec<DVec3> = (0..count).map(|_| random.vector()).collect();
        tree.fit(&points);
        let asked = Bounds::of([random.vector(), random.vector()]);
        let mut found = Vec::new();
        tree.near(&asked, |k| found.push(k));
        let expected: Vec<usize> = (1..count)
            .filter(|&k| Bounds::of([points[k - 1], points[k]]).meets(&asked))
            .map(|k| k - 1)
            .collect();
        assert_eq!(found, expected);
    }
}
