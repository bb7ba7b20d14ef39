//! The vector kernels against the scalar form, over rods and states of every kind and all remainders of
//! blocks of four.

use crate::rod_grid::{Noise, STATES, of_segments, rods, size, state, system};
use micado::object::rod::spline::SplineRod;
use micado::object::rod::spline::layout::{STRETCHES, frame, index, strain, stretch_index};
use micado::object::rod::{Linearisation, Tangent};
use micado::object::rod::{RodDescription, TwistMeasure};
use micado_linalg::{Arithmetic, Block};
use std::cell::Cell;

/// Matrix, force and transported frames of one call each.
struct Result {
    matrix: Vec<Block>,
    force: Vec<f64>,
    frames: Vec<f64>,
    least: f64,
}

fn evaluate(rod: &SplineRod, q: &[f64], frames: &[f64], next: &[f64], how: &Linearisation<'_>) -> Result {
    let mut matrix = system(rod);
    // Earlier contents must not matter.
    matrix.values_mut().fill([f64::NAN; 16]);
    let mut force: Vec<f64> = (0..q.len()).map(|i| i as f64).collect();
    rod.linearise(q, frames, how, 0, &mut matrix, &mut force);
    let mut frames = frames.to_vec();
    let least = rod.transport_frames(next, &mut frames, how.arithmetic);
    Result { matrix: matrix.values().to_vec(), force, frames, least }
}

fn bits(result: &Result) -> Vec<u64> {
    let numbers =
        result.matrix.iter().flatten().chain(&result.force).chain(&result.frames).chain([&result.least]);
    numbers.map(|x| x.to_bits()).collect()
}

/// Largest difference of two arrays.
fn difference<'a>(a: impl IntoIterator<Item = &'a f64>, b: impl IntoIterator<Item = &'a f64>) -> f64 {
    a.into_iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, |worst, d| if d > worst || d.is_nan() { d } else { worst })
}

fn largest<'a>(a: impl IntoIterator<Item = &'a f64>) -> f64 {
    a.into_iter().fold(0.0, |top, x| top.max(x.abs()))
}

/// Elongations of the segments that differ from those of the state: tension and compression.
fn carried(rod: &SplineRod, noise: &mut Noise) -> Vec<f64> {
    let mut carried = vec![0.0; rod.stretch_count()];
    for (e, k) in (0..rod.segments()).flat_map(|e| (0..STRETCHES).map(move |k| (e, k))) {
        carried[stretch_index(e, k)] = 0.2 * noise.next() * rod.length() / rod.segments() as f64;
    }
    carried
}

/// Compares both arithmetics in all tangents and with all kinds of viscosity and tension.
fn compare(name: &str, description: &RodDescription, checks: &mut usize) {
    let initial = SplineRod::build(description).unwrap();
    let rod = &initial.rod;
    let mean = rod.length() / rod.segments() as f64;
    let shortest = (0..rod.segments()).map(|e| rod.arc_at(e, 1.0) - rod.arc_at(e, 0.0)).fold(mean, f64::min);
    let mut noise = Noise(41);
    for kind in STATES {
        let q = state(rod, &initial.q, kind, size(name), &mut noise);
        let next = state(rod, &q, "random", 0.3 * size(name), &mut noise);
        let mut frames = initial.frames.clone();
        rod.transport_frames(&q, &mut frames, Arithmetic::Portable);
        let mut before = Vec::new();
        let mut frames_next = frames.clone();
        rod.transport_frames(&next, &mut frames_next, Arithmetic::Portable);
        rod.strains(&next, &frames_next, &mut before, Arithmetic::Portable);
        let carried = carried(rod, &mut Noise(23));
        for tangent in [Tangent::GaussNewton, Tangent::Psd, Tangent::Exact] {
            for (viscosity, strain_before, carried) in [
                (0.0, None, None),
                (0.0, None, Some(&carried)),
                (0.0, Some(&before), None),
                (0.6, None, None),
                (0.6, Some(&before), None),
                (0.6, Some(&before), Some(&carried)),
            ] {
                let how = |arithmetic| Linearisation {
                    tangent,
                    mass: 30.0,
                    viscosity,
                    strain_before: strain_before.map(Vec::as_slice),
                    carried: carried.map(Vec::as_slice),
                    ahead: None,
                    arithmetic,
                };
                let scalar = evaluate(rod, &q, &frames, &next, &how(Arithmetic::Portable));
                let fast = evaluate(rod, &q, &frames, &next, &how(Arithmetic::Fast));
                let what = format!(
                    "{name} with {} segments, {kind}, {tangent:?}, viscosity {viscosity}, carried {}",
                    rod.segments(),
                    carried.is_some()
                );

                let size = largest(scalar.matrix.iter().flatten());
                let error = difference(scalar.matrix.iter().flatten(), fast.matrix.iter().flatten());
                assert!(error <= 1e-12 * size, "{what}: matrix {error:.2e} of {size:.2e}");
                // Forces of a rod are differences of stresses: what counts is the force of a strain of one.
                let unit = size * rod.length() / rod.segments() as f64;
                let error = difference(&scalar.force, &fast.force);
                assert!(
                    error <= 1e-13 * unit + 1e-12 * largest(&scalar.force),
                    "{what}: force {error:.2e} of {unit:.2e}"
                );
                let error = difference(&scalar.frames, &fast.frames);
                assert!(error <= 1e-12 * largest(&scalar.frames), "{what}: frames {error:.2e}");
                // Directions round by the more the shorter a segment is.
                assert!(
                    (scalar.least - fast.least).abs() <= 1e-14 * mean / shortest,
                    "{what}: least cosine {} {}",
                    scalar.least,
                    fast.least
                );
                assert!(
                    bits(&fast) == bits(&evaluate(rod, &q, &frames, &next, &how(Arithmetic::Fast))),
                    "{what}: repeated"
                );
                *checks += 5;
            }
        }
    }
}

#[test]
fn vector_kernels_agree_with_the_scalar_form() {
    let mut checks = 0;
    for (name, description) in rods() {
        let closed = SplineRod::build(&description).unwrap().rod.is_closed();
        // Frenet torsion needs enough segments to follow the curve; it takes the scalar form anyway.
        let least = if closed || description.twist_measure == TwistMeasure::Frenet { 5 } else { 1 };
        for segments in (least..=20).chain([33]) {
            compare(name, &of_segments(&description, segments), &mut checks);
        }
    }
    // 10 open rods with 21 sizes, 3 others with 17; 7 states, 3 tangents, 6 stresses, 5 comparisons.
    assert_eq!(checks, (10 * 21 + 3 * 17) * 7 * 3 * 6 * 5);
}

#[test]
fn stretches_and_their_predictions_agree_with_the_scalar_form() {
    let mut checks = 0;
    for (name, description) in rods() {
        for segments in 5..=12 {
            let initial = SplineRod::build(&of_segments(&description, segments)).unwrap();
            let rod = &initial.rod;
            let mut noise = Noise(19);
            for kind in STATES {
                let before = state(rod, &initial.q, kind, size(name), &mut noise);
                let q = state(rod, &before, "random", size(name), &mut noise);
                let led: Vec<f64> = q.iter().zip(&before).map(|(q, before)| q - before).collect();
                for led in [None, Some(led.as_slice())] {
                    let stretches = |arithmetic| {
                        let mut out = vec![0.0; rod.stretch_count()];
                        rod.stretches(&q, led, &mut out, arithmetic);
                        out
                    };
                    // Differences of |r'| and its natural value, both about as large as a segment.
                    let error = difference(&stretches(Arithmetic::Portable), &stretches(Arithmetic::Fast));
                    let rounding = 1e-15 * rod.length() / segments as f64;
                    assert!(error <= 10.0 * rounding, "{name}, {segments} segments, {kind}: {error:.2e}");
                    checks += 1;
                }
            }
        }
    }
    assert_eq!(checks, 13 * 8 * 7 * 2);
}

#[test]
fn carried_stretches_change_the_stiffness_of_tension_alone() {
    // The tension that a pass carries turns with the rod; the force is that of the present stretch.
    for (name, description) in rods() {
        let initial = SplineRod::build(&description).unwrap();
        let (rod, mut noise) = (&initial.rod, Noise(5));
        let q = state(rod, &initial.q, "random", size(name), &mut noise);
        let mut frames = initial.frames.clone();
        rod.transport_frames(&q, &mut frames, Arithmetic::Fast);
        let mut present = vec![0.0; rod.stretch_count()];
        rod.stretches(&q, None, &mut present, Arithmetic::Fast);
        let longer: Vec<f64> = present.iter().map(|x| x + 0.01 * rod.length()).collect();
        let with = |carried: Option<&[f64]>| {
            let how = Linearisation {
                tangent: Tangent::Psd,
                mass: 1.0,
                viscosity: 0.3,
                strain_before: None,
                carried,
                ahead: None,
                arithmetic: Arithmetic::Fast,
            };
            evaluate(rod, &q, &frames, &q, &how)
        };
        let (plain, same, tense) = (with(None), with(Some(&present)), with(Some(&longer)));
        let scale = largest(plain.matrix.iter().flatten());
        let error = difference(plain.matrix.iter().flatten(), same.matrix.iter().flatten());
        // Rounding of a difference of lengths, times EA.
        assert!(error <= 1e-12 * scale, "{name}: {error:.2e} of {scale:.2e}");
        let change = difference(plain.matrix.iter().flatten(), tense.matrix.iter().flatten());
        assert!(change > 1e-6 * scale, "{name}: {change:.2e} of {scale:.2e}");
        assert_eq!(plain.force, tense.force, "{name}");
    }
}

#[test]
fn frames_that_are_transported_on_the_way_give_the_system_of_transported_ones() {
    // Only the vector kernels transport frames within the linearisation.
    #[cfg(target_arch = "x86_64")]
    let vectors = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    let vectors = false;
    if !vectors {
        return;
    }
    let mut checks = 0;
    for (name, description) in rods() {
        if description.twist_measure == TwistMeasure::Frenet {
            continue;
        }
        for segments in [5, 6, 7, 8, 13] {
            let initial = SplineRod::build(&of_segments(&description, segments)).unwrap();
            let (rod, mut noise) = (&initial.rod, Noise(23));
            let q = state(rod, &initial.q, "random", size(name), &mut noise);
            let next = state(rod, &q, "random", 0.3 * size(name), &mut noise);
            let mut frames = initial.frames.clone();
            rod.transport_frames(&q, &mut frames, Arithmetic::Fast);
            let mut strains = Vec::new();
            rod.strains(&q, &frames, &mut strains, Arithmetic::Fast);
            let mut transported = frames.clone();
            let cosine = rod.transport_frames(&next, &mut transported, Arithmetic::Fast);
            for (viscosity, strain_before) in [(0.0, None), (0.4, None), (0.4, Some(strains.as_slice()))] {
                let least = Cell::new(1.0);
                let with = |frames: &[f64], ahead| {
                    let how = Linearisation {
                        tangent: Tangent::Psd,
                        mass: 1.0,
                        viscosity,
                        strain_before,
                        carried: None,
                        ahead,
                        arithmetic: Arithmetic::Fast,
                    };
                    evaluate(rod, &next, frames, &next, &how)
                };
                let (there, ahead) = (with(&transported, None), with(&frames, Some(&least)));
                // The same operations in the same order, but for those that the compiler contracts.
                let scale = largest(there.matrix.iter().flatten());
                let error = difference(there.matrix.iter().flatten(), ahead.matrix.iter().flatten());
                assert!(error <= 1e-14 * scale, "{name}, {segments} segments: {error:.2e} of {scale:.2e}");
                let error = difference(&there.force, &ahead.force);
                let unit = scale * rod.length() / segments as f64;
                assert!(error <= 1e-14 * unit, "{name}, {segments} segments: {error:.2e} of {unit:.2e}");
                assert_eq!(least.get(), cosine, "{name}, {segments} segments");
                checks += 1;
            }
        }
    }
    assert!(checks >= 100, "{checks}");
}

#[test]
fn strains_stretches_and_energies_of_the_vector_kernels_are_those_of_the_scalar_form() {
    let mut checks = 0;
    for (name, description) in rods() {
        let closed = SplineRod::build(&description).unwrap().rod.is_closed();
        let least = if closed || description.twist_measure == TwistMeasure::Frenet { 5 } else { 2 };
        for segments in (least..=9).chain([33]) {
            let initial = SplineRod::build(&of_segments(&description, segments)).unwrap();
            let (rod, mut noise) = (&initial.rod, Noise(17));
            let bent = state(rod, &initial.q, "random", size(name), &mut noise);
            let unit_energy = rod.energy(&bent, &initial.frames).bend;
            for kind in STATES {
                let q = state(rod, &initial.q, kind, size(name), &mut noise);
                let mut frames = initial.frames.clone();
                rod.transport_frames(&q, &mut frames, Arithmetic::Portable);
                let [scalar, fast] = [Arithmetic::Portable, Arithmetic::Fast].map(|arithmetic| {
                    let (mut strains, mut stretches) = (Vec::new(), vec![0.0; rod.stretch_count()]);
                    rod.strains(&q, &frames, &mut strains, arithmetic);
                    rod.stretches(&q, None, &mut stretches, arithmetic);
                    (strains, stretches, rod.shape_energy(&q, &frames, arithmetic))
                });
                let what = format!("{name} with {segments} segments, {kind}");
                // Lanes beyond the end are not compared.
                let points = (0..segments).flat_map(|e| (0..3).map(move |g| (e, g)));
                for (e, g) in points {
                    for field in 0..strain::FIELDS {
                        let at = index(e, g, field, strain::FIELDS);
                        // Curvatures round as second differences of points of order 1 over segments.
                        let unit =
                            if field == strain::EPSILON { 1.0 } else { segments as f64 / rod.length() };
                        let error = (scalar.0[at] - fast.0[at]).abs();
                        assert!(error <= 1e-12 * unit + 1e-12 * scalar.0[at].abs(), "{what}: {error:.2e}");
                        checks += 1;
                    }
                }
                let error = difference(&scalar.1, &fast.1);
                assert!(error <= 1e-14 * rod.length(), "{what}: elongation {error:.2e}");
                let error = (scalar.2 - fast.2).abs();
                // Rounding of the curvature of a straight rod, squared.
                let allowed = 1e-11 * scalar.2 + 1e-20 * unit_energy;
                assert!(error <= allowed, "{what}: energy {error:.2e} of {:.2e}", scalar.2);
            }
        }
    }
    assert!(checks > 50_000, "{checks}");
}

#[test]
fn mass_times_velocity_is_the_mass_term_of_the_matrix() {
    let mut checks = 0;
    for (name, description) in rods() {
        for segments in [5, 6, 7, 12] {
            let initial = SplineRod::build(&of_segments(&description, segments)).unwrap();
            let mut noise = Noise(3);
            let v: Vec<f64> = initial.q.iter().map(|_| noise.next()).collect();
            for arithmetic in [Arithmetic::Portable, Arithmetic::Fast] {
                let product = |mass: f64| {
                    let how = Linearisation {
                        tangent: Tangent::Psd,
                        mass,
                        viscosity: 0.0,
                        strain_before: None,
                        carried: None,
                        ahead: None,
                        arithmetic,
                    };
                    let (mut matrix, mut force, mut product) =
                        (system(&initial.rod), vec![0.0; v.len()], vec![0.0; v.len()]);
                    initial.rod.linearise(&initial.q, &initial.frames, &how, 0, &mut matrix, &mut force);
                    matrix.multiply(&v, &mut product);
                    product
                };
                let (with, without) = (product(1e6), product(0.0));
                let mut expected = vec![0.0; v.len()];
                initial.rod.add_mass_times(&v, &mut expected);
                let scale = largest(&with);
                for i in 0..v.len() {
                    assert!(
                        (with[i] - without[i] - 1e6 * expected[i]).abs() < 1e-13 * scale,
                        "{name}, {segments} segments, unknown {i}"
                    );
                    checks += 1;
                }
            }
        }
    }
    assert_eq!(checks, 2 * 4 * (11 * (8 + 9 + 10 + 15) + 2 * (5 + 6 + 7 + 12)));
}

#[test]
fn frames_beyond_the_end_of_a_rod_are_left_alone() {
    let (_, description) = rods().swap_remove(0);
    let initial = SplineRod::build(&RodDescription { segments: Some(6), ..description }).unwrap();
    let mut frames = initial.frames.clone();
    frames[index(6, 1, frame::A1, frame::FIELDS)] = 7.5;
    initial.rod.transport_frames(&initial.q, &mut frames, Arithmetic::Fast);
    assert_eq!(frames[index(6, 1, frame::A1, frame::FIELDS)], 7.5);
}
