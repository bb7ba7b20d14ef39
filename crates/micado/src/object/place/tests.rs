//! Wrenches and stiffness against differences of positions and frames.

use super::{CrossStiffness, EndStiffness, Place, PlaceKind, SpreadStiffness, Wrench};
use crate::geometry::basis::SegmentBasis;
use crate::geometry::rotation::{exp, orthonormal_to, outer};
use crate::object::{EndFrame, Site};
use glam::DVec3;

/// Numbers between −1 and 1.
fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn vector(seed: &mut u64) -> DVec3 {
    DVec3::new(noise(seed), noise(seed), noise(seed))
}

/// A place of every kind, with an arm where possible, and unknowns for it. The rotation unknowns of a
/// body are the rotation vector from the initial pose of the test.
fn cases(seed: &mut u64) -> Vec<(Place, Vec<f64>)> {
    let basis = SegmentBasis::HERMITE.weights(0.3);
    let nodes = [0, 1, 2, 3];
    let straight = |i: usize| [0.4 * i as f64, 0.0, 0.0, 0.1];
    let mut all = Vec::new();
    for bend in [1e-3, 0.5] {
        for arm in [DVec3::ZERO, vector(seed)] {
            let curve = Place::on_curve(nodes, basis, (basis.b, 0.2), 0, 0.3);
            let q = (0..4).flat_map(|i| straight(i).map(|x| x + bend * noise(seed))).collect();
            all.push((Place { arm, ..curve }, q));
            all.push((Place::about_axis(0, arm), vec![0.0, 0.0, 0.0, noise(seed)]));
            all.push((
                Place::in_frame(0, 1, arm),
                [vector(seed).to_array(), [0.0; 3]].iter().flat_map(|x| [x[0], x[1], x[2], 0.0]).collect(),
            ));
        }
        let q = (0..12).map(|_| noise(seed)).collect();
        all.push((Place::at_point(&[0, 1, 2], &[0.2, 0.3, 0.5]), q));
    }
    all
}

/// The initial frame of a place.
fn frame(place: &Place, q: &[f64]) -> EndFrame {
    let t = if place.kind == PlaceKind::Curve { place.derivative(q).normalize() } else { DVec3::X };
    EndFrame { tangent: t.to_array(), director: orthonormal_to(t, DVec3::new(0.2, 0.5, 0.9)).to_array() }
}

fn site(place: &Place, q: &[f64], frame: &EndFrame) -> Site {
    match place.kind {
        PlaceKind::Point => Site::without_frame(place, q),
        PlaceKind::Curve => Site::on_curve(place, q, frame),
        PlaceKind::Frame => {
            let turned = exp(place.derivative(q)) * exp(DVec3::ONE);
            Site::in_frame(place, place.position(q), turned * exp(DVec3::X * place.roll(q)))
        }
    }
}

/// Rotation of a site since `before`, for small rotations.
fn turn(before: &Site, after: &Site) -> DVec3 {
    let r = after.frame() * before.frame().transpose();
    DVec3::new(r.y_axis.z - r.z_axis.y, r.z_axis.x - r.x_axis.z, r.x_axis.y - r.y_axis.x) * 0.5
}

/// J of a wrench in the unknowns of a place.
fn jacobian(place: &Place, q: &[f64], frame: &EndFrame, wrench: &Wrench) -> Vec<f64> {
    let mut force = vec![0.0; q.len()];
    place.add_wrench(wrench, &site(place, q, frame), &mut force);
    force
}

#[test]
fn wrench_does_work_on_the_motion_of_its_place() {
    let (mut seed, mut checks) = (7, 0);
    for (place, q) in cases(&mut seed) {
        let (frame, step) = (frame(&place, &q), 1e-6);
        let wrench = Wrench { force: vector(&mut seed), moment: vector(&mut seed), ..Wrench::default() };
        let here = site(&place, &q, &frame);
        let says = jacobian(&place, &q, &frame, &wrench);
        // The unknowns of which the place is a function.
        for i in (0..q.len()).filter(|i| place.kind == PlaceKind::Curve || i % 4 < 3 || q.len() == 4) {
            let moved = [step, -step].map(|by| {
                let mut q = q.clone();
                q[i] += by;
                let there = site(&place, &q, &frame);
                let turned = if place.has_frame() { turn(&here, &there) } else { DVec3::ZERO };
                wrench.force.dot(there.x - here.x) + wrench.moment.dot(turned)
            });
            let work = (moved[0] - moved[1]) / (2.0 * step);
            // Rounding 1e-16/1e-6 and third derivatives of size 10 times 1e-12.
            assert!((work - says[i]).abs() < 1e-8, "{place:?}, unknown {i}: {work} {}", says[i]);
            checks += 1;
        }
        // Compare with the motion of the place.
        let increment: Vec<f64> = (0..q.len()).map(|_| noise(&mut seed)).collect();
        let along = place.spread(&wrench, &here).along(&place.motion(&increment, true));
        let work: f64 = says.iter().zip(&increment).map(|(j, d)| j * d).sum();
        assert!((along - work).abs() < 1e-12, "{place:?}: {along} {work}");
    }
    assert_eq!(checks, 2 * (2 * 16 + 2 * 4 + 2 * 6 + 9));
}

/// The symmetric part of −∂(Jᵀλ)/∂q of a wrench with fixed force and moment in the world.
fn slope(place: &Place, q: &[f64], frame: &EndFrame, wrench: &Wrench) -> Vec<Vec<f64>> {
    let n = q.len();
    let column = |j: usize| {
        let step = 1e-5;
        let [after, before] = [step, -step].map(|by| {
            let mut moved = q.to_vec();
            moved[j] += by;
            let mut force = jacobian(place, &moved, frame, wrench);
            if place.kind == PlaceKind::Frame && q.len() == 8 {
                // For a body J refers to the increment from the present pose; the rotation vector from
                // the first pose adds a factor J_l(φ), I + ½[φ] to first order.
                let m = DVec3::from_slice(&force[4..]);
                let half = place.derivative(&moved) * 0.5;
                force[4..7].copy_from_slice(&(m - half.cross(m)).to_array());
            }
            force
        });
        (0..n).map(|i| -(after[i] - before[i]) / (2.0 * step)).collect::<Vec<f64>>()
    };
    let columns: Vec<Vec<f64>> = (0..n).map(column).collect();
    (0..n).map(|i| (0..n).map(|j| 0.5 * (columns[j][i] + columns[i][j])).collect()).collect()
}

fn assemble(stiffness: &SpreadStiffness, a: &Place, b: &Place) -> Vec<Vec<f64>> {
    let (rows, columns) = (4 * a.nodes().len(), 4 * b.nodes().len());
    let mut all = vec![vec![0.0; columns]; rows];
    for i in 0..a.nodes().len() {
        for j in 0..b.nodes().len() {
            let mut block = [0.0; 16];
            stiffness.add_block((a, i), (b, j), &mut block);
            for (r, c) in (0..4).flat_map(|r| (0..4).map(move |c| (r, c))) {
                all[4 * i + r][4 * j + c] += block[4 * r + c];
            }
        }
    }
    all
}

#[test]
fn fixed_wrench_has_the_stiffness_of_its_arm_and_curve() {
    let (mut seed, mut checks) = (11, 0);
    for (place, q) in cases(&mut seed) {
        let frame = frame(&place, &q);
        let (force, moment) = (vector(&mut seed), vector(&mut seed));
        let wrench = Wrench { force, moment, ..Wrench::default() };
        let stiffness = EndStiffness { force, moment, ..EndStiffness::ZERO };
        let says = assemble(&place.spread_stiffness(&stiffness, &site(&place, &q, &frame)), &place, &place);
        let slope = slope(&place, &q, &frame, &wrench);
        let size = slope.iter().flatten().fold(1.0_f64, |most, x| most.max(x.abs()));
        for (i, j) in (0..q.len()).flat_map(|i| (0..q.len()).map(move |j| (i, j))) {
            // Differences have errors of 1e-10 times third derivatives, and rounding of 1e-16/1e-5.
            assert!(
                (says[i][j] - slope[i][j]).abs() < 1e-7 * size,
                "{place:?} {i} {j}: {} {}",
                says[i][j],
                slope[i][j]
            );
            checks += usize::from(slope[i][j].abs() > 1e-3);
        }
    }
    assert!(checks > 300, "{checks}");
}

#[test]
fn terms_between_two_ends_follow_their_arms_and_curves() {
    // K = −λ Γᵀ(…)Γ of a spring between two points: ½ k (n·(y_A − y_B))² with a fixed n has the Hessian
    // k ΓᵀnnᵀΓ, which the four blocks must give in the unknowns of both.
    let mut seed = 23;
    let all = cases(&mut seed);
    let mut checks = 0;
    for ((a, qa), (b, qb)) in all.iter().zip(all.iter().skip(1)) {
        let [site_a, site_b] = [(a, qa), (b, qb)].map(|(place, q)| site(place, q, &frame(place, q)));
        let n = vector(&mut seed);
        let cross = CrossStiffness { xx: -outer(n, n), ..CrossStiffness::ZERO };
        let says = assemble(&a.spread_cross(&site_a, b, &site_b, &cross), a, b);
        let back = assemble(&b.spread_cross(&site_b, a, &site_a, &cross.transposed()), b, a);
        let [ja, jb] =
            [(a, qa), (b, qb)].map(|(place, q)| jacobian(place, q, &frame(place, q), &Wrench::force(n)));
        for (i, j) in (0..ja.len()).flat_map(|i| (0..jb.len()).map(move |j| (i, j))) {
            assert!((says[i][j] + ja[i] * jb[j]).abs() < 1e-12, "{i} {j}");
            assert!((says[i][j] - back[j][i]).abs() < 1e-12, "{i} {j}");
            checks += usize::from(says[i][j].abs() > 1e-3);
        }
        // A moment between the frames: m_Aᵀ K m_B.
        let (m, o) = (vector(&mut seed), vector(&mut seed));
        let cross = CrossStiffness { phi_phi: outer(m, o), ..CrossStiffness::ZERO };
        let says = assemble(&a.spread_cross(&site_a, b, &site_b, &cross), a, b);
        let ja = jacobian(a, qa, &frame(a, qa), &Wrench::moment(m));
        let jb = jacobian(b, qb, &frame(b, qb), &Wrench::moment(o));
        for (i, j) in (0..ja.len()).flat_map(|i| (0..jb.len()).map(move |j| (i, j))) {
            assert!((says[i][j] - ja[i] * jb[j]).abs() < 1e-12, "{i} {j}");
        }
    }
    assert!(checks > 300, "{checks}");
}
