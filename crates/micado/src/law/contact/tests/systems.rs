//! Stacks, capstans and plectonemes.

use super::problems::{Capstan, Case, boxes, crossed, noise, plectoneme, pyramid};
use glam::DVec3;
use nalgebra::{DMatrix, DVector};

/// Largest difference of the motion of a place of contact with these forces and with forces of another case
/// with the same parts, m.
fn difference(a: &Case, f: &[[f64; 3]], b: &Case, g: &[[f64; 3]]) -> f64 {
    let (moved, other) = (a.motions(f), b.motions(g));
    let parts = a.parts.iter().zip(moved.iter().zip(&other));
    let rows = parts.flat_map(|(part, (moved, other))| {
        part.rows.iter().flat_map(|(_, rows)| rows).map(move |h| h.dot(&(moved - other)).abs())
    });
    rows.fold(0.0, f64::max)
}

/// Sum of the forces of these contacts.
fn total(forces: &[[f64; 3]]) -> DVec3 {
    forces.iter().map(|f| DVec3::from_array(*f)).sum()
}

#[test]
fn a_stack_of_boxes_carries_its_weight_and_the_pull() {
    // The tolerance is 1e-8 m, and a force of 1 N moves a box by h²/m = 1e-4 m, a stack by less.
    let check = |case: &Case, expected: &dyn Fn(usize) -> (f64, f64)| {
        let mut f = case.cold();
        let outcome = case.solve(1e-6, &mut f);
        assert!(outcome.residual <= 1e-6 * case.radius, "{outcome:?}");
        for (k, below) in f.chunks_exact(4).enumerate() {
            let (carried, (weight, dragged)) = (total(below), expected(k));
            assert!((carried - DVec3::new(weight, dragged, 0.0)).length() < 1e-2, "{k}: {carried}");
        }
    };
    // 10 N on the sixth of ten boxes: all stick.
    let pull = |k: usize| if k <= 5 { -10.0 } else { 0.0 };
    check(&boxes(10, 10.0), &|k| (9.81 * (10 - k) as f64, pull(k)));
    // 15 N on the second of three boxes, whose friction is 0.5 · 2 · 9.81 N: it slides, and takes the upper
    // box along.
    let along = 0.5 * (15.0 - 9.81);
    check(&boxes(3, 15.0), &|k| (9.81 * (3 - k) as f64, [-9.81, -9.81, along][k]));
}

#[test]
fn a_pyramid_of_55_boxes_is_solved_cold_and_warm() {
    let (rows, tolerance) = (10, 1e-8);
    let mut f = pyramid(rows, 0.0).cold();
    for pull in [0.0, 0.5, 1.0] {
        let case = pyramid(rows, pull);
        assert_eq!(case.gaps.len(), 400);
        let outcome = case.solve(tolerance / case.radius, &mut f);
        assert!(outcome.residual <= tolerance, "{pull}: {outcome:?}");
        assert!(outcome.sweeps <= 10 && outcome.factors <= 60, "{pull}: {outcome:?}");
        // The floor carries the weight, and the pull: 1e-8 m move a box of 1 kg with 1e-4 N.
        let floor = total(&f[..4 * rows]);
        assert!((floor - DVec3::new(9.81 * 55.0, -pull, 0.0)).length() < 55.0 * 1e-4, "{pull}: {floor}");
    }
}

/// The forces with the same motion and the least Σ w f²; w is the largest compliance of each contact.
fn least_forces(case: &Case, f: &[[f64; 3]]) -> DVector<f64> {
    let rows = 3 * f.len();
    let mut w = DMatrix::zeros(rows, rows);
    for part in &case.parts {
        for (i, of_i) in &part.rows {
            for (j, of_j) in &part.rows {
                for a in 0..3 {
                    let response = &part.inverse * &of_i[a];
                    (0..3).for_each(|b| w[(3 * i + a, 3 * j + b)] += response.dot(&of_j[b]));
                }
            }
        }
    }
    let scale = DVector::from_fn(rows, |k, _| {
        let own = (0..3).map(|a| w[(k / 3 * 3 + a, k / 3 * 3 + a)]).fold(0.0, f64::max);
        1.0 / own.sqrt()
    });
    let scales = DMatrix::from_diagonal(&scale);
    let given = DVector::from_fn(rows, |k, _| f[k / 3][k % 3]);
    let moved = &scales * &w * given;
    let least = (&scales * w * &scales).pseudo_inverse(1e-9).expect("a positive tolerance") * moved;
    scales * least
}

#[test]
fn redundant_contacts_share_their_forces_evenly() {
    // All stick, well inside of their cones.
    for case in [boxes(4, 0.0), boxes(5, 3.0), pyramid(3, 0.0), pyramid(3, 0.3)] {
        let mut f = case.cold();
        let outcome = case.solve(1e-6, &mut f);
        assert!(outcome.residual <= 1e-6 * case.radius, "{outcome:?}");
        let expected = least_forces(&case, &f);
        for (i, f) in f.iter().enumerate() {
            for a in 0..3 {
                // ε₀ is 1e-7 at least.
                let off = (f[a] - expected[3 * i + a]).abs();
                assert!(off < 1e-5 * expected.amax(), "{i}, {a}: {} {}", f[a], expected[3 * i + a]);
            }
        }
    }
    // A quarter of the weight on each corner, and no force aside.
    let case = boxes(10, 0.0);
    let mut f = case.cold();
    case.solve(1e-6, &mut f);
    for (k, below) in f.chunks_exact(4).enumerate() {
        let share = 0.25 * 9.81 * (10 - k) as f64;
        let off = below.iter().map(|f| (DVec3::from_array(*f) - share * DVec3::X).length());
        assert!(off.fold(0.0, f64::max) < 1e-5 * share, "{k}: {below:?}");
    }
}

#[test]
fn shared_forces_depend_neither_on_the_guess_nor_on_the_order_of_insertion() {
    for case in [boxes(6, 5.0), boxes(3, 2.0), pyramid(3, 0.3)] {
        let count = case.gaps.len();
        let mut first = case.cold();
        let limits = super::within(1e-6 * case.radius);
        case.solve(1e-6, &mut first);
        let most = first.iter().flatten().fold(0.0, |most: f64, f| most.max(f.abs()));
        let mut noise = noise(13);
        for k in 0..3 {
            let order: Vec<usize> = (0..count).map(|i| ([1, 29, 31][k] * i + 5) % count).collect();
            let guess: Vec<[f64; 3]> =
                first.iter().map(|f| f.map(|f| f * (1.0 + 0.2 * noise()) + 0.02 * most * noise())).collect();
            let mut blocks = case.blocks_in_order(&order, &guess);
            let outcome = blocks.solve(limits, &mut super::Scratch::default());
            assert!(outcome.residual <= limits.tolerance, "{k}: {outcome:?}");
            for (at, &i) in order.iter().enumerate() {
                for (f, expected) in blocks.force(at).iter().zip(first[i]) {
                    // A thousandth, because some contacts are about to slide.
                    assert!((f - expected).abs() < 1e-3 * most, "{k}, {i}: {f} {expected}");
                }
            }
        }
    }
}

#[test]
fn a_crossed_stack_of_rods_is_solved_cold_and_warm() {
    for push in [0.1, 0.25, 0.5] {
        let (before, after) = (crossed(10, push, &mut noise(5)), crossed(10, 1.05 * push, &mut noise(5)));
        let mut f = before.cold();
        let cold = before.solve(1e-5, &mut f);
        let warm = after.solve(1e-5, &mut f);
        for outcome in [cold, warm] {
            assert!(outcome.residual <= 1e-5 * before.radius, "{outcome:?}");
            assert!(outcome.sweeps <= 40 && outcome.factors <= 20, "{outcome:?}");
        }
        assert!(warm.sweeps <= 10, "{warm:?}");
    }
}

#[test]
fn a_string_round_a_cylinder_has_the_tensions_of_the_corner_law() {
    for turns in [0.5, 1.0, 2.0, 4.0] {
        let mut string = Capstan::new(turns, 24, 0.3);
        let (pull, mut f) = (1.2 / 12.0 * string.length_to_slide(), string.case(0.0).cold());
        let mut warm = 0;
        for k in 0..18 {
            let outcome = string.pull(if k < 12 { pull } else { 0.0 }, 1e-5, &mut f);
            assert!(outcome.residual <= 1e-5 * 0.05, "{turns}, {k}: {outcome:?}");
            warm += if k > 0 { outcome.sweeps } else { 0 };
        }
        // ln(T₂/T₁) to 1e-3, which sweeps alone reach after thousands.
        assert!(string.error().abs() < 1e-3, "{turns}: {}", string.error());
        assert!(warm < 40 * 17, "{turns}: {warm} sweeps");
    }
}

#[test]
fn a_plectoneme_whose_compliance_has_a_low_rank_is_solved() {
    // W has at most 164 independent rows of 360. Warm, its load grows by 2 %.
    for (draw, seed) in [(0.05, 1), (0.1, 1), (0.2, 3), (0.5, 2), (1.0, 3)] {
        let (before, after) = (plectoneme(draw, seed), plectoneme(1.02 * draw, seed));
        let mut f = before.cold();
        let cold = before.solve(1e-5, &mut f);
        assert!(cold.residual <= 1e-5 * before.radius, "{cold:?}");
        let warm = after.solve(1e-5, &mut f);
        assert!(warm.residual <= 1e-5 * before.radius, "{warm:?}");
        assert!(warm.sweeps <= 10 && warm.factors <= 8, "{warm:?}");
    }
}

#[test]
fn a_plectoneme_that_is_about_to_slide_as_a_whole_is_solved() {
    // It is drawn with the coefficient of friction: no other case is as hard.
    for seed in 1..4 {
        let case = plectoneme(0.3, seed);
        let outcome = case.solve(1e-5, &mut case.cold());
        assert!(outcome.residual <= 1e-5 * case.radius, "{outcome:?}");
    }
}

#[test]
fn contacts_that_are_listed_twice_share_their_forces() {
    for (case, share) in [(boxes(6, 5.0), 1e-6), (crossed(6, 0.25, &mut noise(7)), 1e-5)] {
        let mut twice = Case { parts: case.parts.clone(), radius: case.radius, ..Case::default() };
        twice.parts.iter_mut().for_each(|part| part.rows.clear());
        for i in 0..case.gaps.len() {
            for _ in 0..2 {
                let places = case.parts.iter().enumerate().flat_map(|(k, part)| {
                    let own = part.rows.iter().filter(|(block, _)| *block == i);
                    own.map(move |(_, rows)| (k, rows.clone()))
                });
                twice.add(case.friction[i], case.gaps[i], places.collect());
            }
        }
        let (mut f, mut g) = (case.cold(), twice.cold());
        let outcome = case.solve(share, &mut f);
        let doubled = twice.solve(share, &mut g);
        let tolerance = share * case.radius;
        assert!(outcome.residual <= tolerance && doubled.residual <= tolerance, "{outcome:?} {doubled:?}");
        let moved = difference(&case, &f, &twice, &g);
        assert!(moved <= 10.0 * tolerance, "{moved}");
    }
}

#[test]
fn the_order_of_insertion_does_not_matter() {
    let case = crossed(8, 0.25, &mut noise(9));
    let count = case.gaps.len();
    let order: Vec<usize> = (0..count).map(|k| (29 * k + 5) % count).collect();
    let limits = super::within(1e-5 * case.radius);
    let solve = |order: &[usize], guess: &[[f64; 3]]| {
        let mut blocks = case.blocks_in_order(order, guess);
        let outcome = blocks.solve(limits, &mut super::Scratch::default());
        assert!(outcome.residual <= limits.tolerance, "{outcome:?}");
        let mut f = case.cold();
        order.iter().enumerate().for_each(|(k, &i)| f[i] = blocks.force(k));
        f
    };
    let straight: Vec<usize> = (0..count).collect();
    // Cold, contacts are visited as they were added.
    let (f, g) = (solve(&straight, &case.cold()), solve(&order, &case.cold()));
    let moved = difference(&case, &f, &case, &g);
    assert!(moved <= 10.0 * limits.tolerance, "{moved}");
    // Warm, by their forces: the same bits.
    let guess: Vec<[f64; 3]> = f.iter().map(|f| f.map(|f| 0.8 * f)).collect();
    assert_eq!(solve(&straight, &guess), solve(&order, &guess));
}
