//! Gradient, Hessian and frame transport of the spline rod against differences of the energy, over a grid of
//! rods and states.
//!
//! The energy is differentiated along straight moves of the unknowns with the frames transported from the
//! base state. Along such a move every tangent stays on a great circle, so one transport is exact however far
//! the move goes. Transport round a loop turns frames, hence differences of the gradient have an
//! antisymmetric part; the Hessian is the symmetric one.

use crate::rod_grid::{Noise, STATES, description, line, ring, rods, state, system, uneven_knots};
use glam::{DMat3, DQuat, DVec3};
use micado::describe::anchor::At;
use micado::geometry::quadrature::GAUSS_3;
use micado::geometry::rotation::{any_normal, transport};
use micado::object::rod::spline::SplineRod;
use micado::object::rod::spline::layout::{POINTS, frame, index};
use micado::object::rod::{Arc, RodDescription, Shape};
use micado::object::rod::{Linearisation, Tangent};
use micado_linalg::Arithmetic;
use nalgebra::{DMatrix, DVector};

/// Counts what it compares and keeps what failed.
#[derive(Default)]
struct Checks {
    count: usize,
    failures: Vec<String>,
}

impl Checks {
    fn small(&mut self, what: &str, error: f64, tolerance: f64) {
        self.count += 1;
        if error > tolerance || error.is_nan() {
            self.failures.push(format!("{what}: {error:.3e} > {tolerance:.3e}"));
        }
    }

    fn near(&mut self, what: &str, a: f64, b: f64, tolerance: f64) {
        self.small(&format!("{what}: {a} and {b}"), (a - b).abs(), tolerance);
    }

    /// Nothing failed, and as much was checked as was meant to be.
    fn finish(self, count: usize) {
        let shown = self.failures.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
        assert!(self.failures.is_empty(), "{} of {} failed:\n{shown}", self.failures.len(), self.count);
        assert_eq!(self.count, count, "number of checks");
    }
}

/// A rod in a state, with the strains of another state if it is viscous.
struct Case {
    name: String,
    rod: SplineRod,
    q: Vec<f64>,
    frames: Vec<f64>,
    before: Option<Vec<f64>>,
}

const VISCOSITY: f64 = 0.7;

impl Case {
    fn how(&self, tangent: Tangent) -> Linearisation<'_> {
        let viscosity = if self.before.is_some() { VISCOSITY } else { 0.0 };
        Linearisation {
            tangent,
            mass: 0.0,
            viscosity,
            strain_before: self.before.as_deref(),
            carried: None,
            ahead: None,
            arithmetic: Arithmetic::Portable,
        }
    }

    /// Energy at `q`, frames transported from the base state.
    fn energy(&self, q: &[f64]) -> f64 {
        let mut frames = self.frames.clone();
        self.rod.transport_frames(q, &mut frames, Arithmetic::Portable);
        let viscous = self
            .before
            .as_ref()
            .map_or(0.0, |before| VISCOSITY * self.rod.energy_since(q, &frames, before).total());
        self.rod.energy(q, &frames).total() + viscous
    }

    /// Gradient at `q`, frames transported from the base state.
    fn gradient_at(&self, q: &[f64]) -> DVector<f64> {
        let mut frames = self.frames.clone();
        self.rod.transport_frames(q, &mut frames, Arithmetic::Portable);
        let mut force = vec![0.0; q.len()];
        self.rod.subtract_internal_force(q, &frames, &self.how(Tangent::Exact), &mut force);
        -DVector::from_vec(force)
    }

    fn linearise(&self, how: &Linearisation<'_>) -> (DMatrix<f64>, DVector<f64>) {
        linearise(&self.rod, &self.q, &self.frames, how)
    }

    fn matrix(&self, tangent: Tangent) -> DMatrix<f64> {
        self.linearise(&self.how(tangent)).0
    }

    fn moved(&self, d: &DVector<f64>, by: f64) -> Vec<f64> {
        self.q.iter().zip(d.iter()).map(|(q, d)| q + by * d).collect()
    }

    /// φ'(0), fourth-order differences of φ(s) = U(q + s d).
    fn slope(&self, d: &DVector<f64>, h: f64) -> f64 {
        let at = |k: f64| self.energy(&self.moved(d, k * h));
        (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h)
    }

    /// φ''(0), likewise.
    fn bend(&self, d: &DVector<f64>, h: f64) -> f64 {
        let at = |k: f64| self.energy(&self.moved(d, k * h));
        (16.0 * (at(1.0) + at(-1.0)) - (at(2.0) + at(-2.0)) - 30.0 * at(0.0)) / (12.0 * h * h)
    }

    /// A move of one segment length, or of one radian: what makes unknowns comparable.
    fn unit(&self, i: usize) -> f64 {
        if i % 4 == 3 { 1.0 } else { self.rod.length() / self.rod.segments() as f64 }
    }

    fn axis(&self, i: usize) -> DVector<f64> {
        let mut d = DVector::zeros(self.q.len());
        d[i] = self.unit(i);
        d
    }

    fn random_move(&self, noise: &mut Noise) -> DVector<f64> {
        DVector::from_fn(self.q.len(), |i, _| self.unit(i) * noise.next())
    }
}

/// System matrix and gradient as dense arrays.
fn linearise(
    rod: &SplineRod,
    q: &[f64],
    frames: &[f64],
    how: &Linearisation<'_>,
) -> (DMatrix<f64>, DVector<f64>) {
    let n = rod.nodes();
    let mut matrix = system(rod);
    let mut force = vec![0.0; 4 * n];
    rod.linearise(q, frames, how, 0, &mut matrix, &mut force);
    let mut dense = DMatrix::zeros(4 * n, 4 * n);
    for i in 0..n {
        for (k, &j) in matrix.row_nodes(i).iter().enumerate() {
            let block = &matrix.values()[matrix.row_start(i) + k];
            for r in 0..4 {
                for c in 0..4 {
                    dense[(4 * i + r, 4 * j as usize + c)] = block[4 * r + c];
                    dense[(4 * j as usize + c, 4 * i + r)] = block[4 * r + c];
                }
            }
        }
    }
    (dense, -DVector::from_vec(force))
}

/// Every rod in every state, elastic and with viscous stress from another state.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut noise = Noise(7);
    for (name, description) in rods() {
        let initial = SplineRod::build(&description).unwrap();
        let size = crate::rod_grid::size(name);
        for kind in STATES {
            let q = state(&initial.rod, &initial.q, kind, size, &mut noise);
            let mut frames = initial.frames.clone();
            initial.rod.transport_frames(&q, &mut frames, Arithmetic::Portable);
            let mut before = Vec::new();
            let mut frames_before = initial.frames.clone();
            let other = state(&initial.rod, &initial.q, "random", size, &mut noise);
            initial.rod.transport_frames(&other, &mut frames_before, Arithmetic::Portable);
            initial.rod.strains(&other, &frames_before, &mut before, Arithmetic::Portable);
            for before in [None, Some(before)] {
                let name = format!("{name}, {kind}{}", if before.is_some() { ", viscous" } else { "" });
                cases.push(Case {
                    name,
                    rod: initial.rod.clone(),
                    q: q.clone(),
                    frames: frames.clone(),
                    before,
                });
            }
        }
    }
    cases
}

/// Largest entry of the Hessian when unknowns are measured in segment lengths and radians, J.
fn scale(case: &Case, h: &DMatrix<f64>) -> f64 {
    (0..h.nrows()).map(|i| h[(i, i)].abs() * case.unit(i).powi(2)).fold(0.0, f64::max)
}

#[test]
fn the_gradient_is_the_slope_of_the_energy() {
    let mut checks = Checks::default();
    for case in cases() {
        let (h, g) = case.linearise(&case.how(Tangent::Exact));
        // Rounding of the energy over the step is 1e-12, the step's fourth power less.
        let tolerance = 1e-9 * scale(&case, &h);
        for i in 0..case.q.len() {
            let slope = case.slope(&case.axis(i), 2e-4);
            checks.near(&format!("{}: unknown {i}", case.name), g[i] * case.unit(i), slope, tolerance);
        }
        let alone = case.gradient_at(&case.q);
        checks.small(
            &format!("{}: gradient without Hessian", case.name),
            (alone - g).amax() * case.unit(0),
            1e-13 * scale(&case, &h),
        );
    }
    checks.finish(5838);
}

#[test]
fn the_exact_hessian_is_the_second_derivative_of_the_energy() {
    let mut checks = Checks::default();
    let mut noise = Noise(11);
    for case in cases() {
        let exact = case.matrix(Tangent::Exact);
        let how = Linearisation { arithmetic: Arithmetic::Fast, ..case.how(Tangent::Exact) };
        let (fast, _) = case.linearise(&how);
        let scale = scale(&case, &exact);
        let n = case.q.len();
        // Along random directions, and mixed by polarisation: ¼ (φ''(a+b) − φ''(a−b)) = aᵀHb.
        for _ in 0..6 {
            let (a, b) = (case.random_move(&mut noise), case.random_move(&mut noise));
            let along = (a.transpose() * &exact * &a)[0];
            checks.near(&format!("{}: aᵀHa", case.name), case.bend(&a, 6e-4), along, 1e-7 * scale * n as f64);
            let mixed = (case.bend(&(&a + &b), 6e-4) - case.bend(&(&a - &b), 6e-4)) / 4.0;
            checks.near(
                &format!("{}: aᵀHb", case.name),
                mixed,
                (a.transpose() * &exact * &b)[0],
                1e-7 * scale * n as f64,
            );
        }
        // Every entry, from differences of the gradient.
        let h = 2e-4;
        let mut differences = DMatrix::zeros(n, n);
        for i in 0..n {
            let d = case.axis(i);
            let at = |k: f64| case.gradient_at(&case.moved(&d, k * h));
            let column = ((at(1.0) - at(-1.0)) * 8.0 - (at(2.0) - at(-2.0))) / (12.0 * h);
            for k in 0..n {
                differences[(k, i)] = column[k] * case.unit(k);
            }
        }
        let symmetric = (&differences + differences.transpose()) / 2.0;
        for i in 0..n {
            for k in i..n {
                for (arithmetic, matrix) in [("portable", &exact), ("fast", &fast)] {
                    let entry = matrix[(i, k)] * case.unit(i) * case.unit(k);
                    let what = format!("{}: entry {i} {k}, {arithmetic}", case.name);
                    checks.near(&what, entry, symmetric[(i, k)], 1e-9 * scale);
                }
            }
        }
    }
    checks.finish(192_192);
}

#[test]
fn tangents_are_ordered_by_definiteness() {
    let mut checks = Checks::default();
    for case in cases() {
        let [gn, psd, exact] = [Tangent::GaussNewton, Tangent::Psd, Tangent::Exact].map(|t| case.matrix(t));
        let least = |m: &DMatrix<f64>| m.clone().symmetric_eigenvalues().min();
        let size = psd.amax();
        checks.small(&format!("{}: Gauss–Newton", case.name), -least(&gn), 1e-12 * size);
        checks.small(&format!("{}: psd", case.name), -least(&psd), 1e-12 * size);
        checks.small(&format!("{}: psd − Gauss–Newton", case.name), -least(&(&psd - &gn)), 1e-12 * size);
        for m in [&gn, &psd, &exact] {
            checks.small(&format!("{}: symmetry", case.name), (m - m.transpose()).amax(), 0.0);
        }
        if case.before.is_none()
            && case.linearise(&case.how(Tangent::Exact)).1.amax() < 1e-11
            && case.rod.energy(&case.q, &case.frames).total() < 1e-24
        {
            checks.small(
                &format!("{}: exact = Gauss–Newton without stress", case.name),
                (exact - gn).amax(),
                1e-11 * size,
            );
        }
    }
    checks.finish(182 * 6 + 6);
}

#[test]
fn viscosity_without_a_past_scales_gauss_newton_and_leaves_the_force() {
    let mut checks = Checks::default();
    for case in cases().into_iter().filter(|c| c.before.is_none()) {
        let how = |viscosity| Linearisation { viscosity, ..case.how(Tangent::GaussNewton) };
        let ((plain, g), (viscous, g_viscous)) = (case.linearise(&how(0.0)), case.linearise(&how(VISCOSITY)));
        checks.small(&format!("{}: force", case.name), (g - g_viscous).amax(), 0.0);
        // The damping matrix K(ν) − K(0) is ν SᵀS of the strains in material directions: dE = ν Σ C (dε)².
        let damping = &viscous - &plain;
        let mut noise = Noise(5);
        let d = case.random_move(&mut noise);
        let mut now = Vec::new();
        case.rod.strains(&case.q, &case.frames, &mut now, Arithmetic::Portable);
        let h = 1e-4;
        let stored = |by: f64| {
            let q = case.moved(&d, by);
            let mut frames = case.frames.clone();
            case.rod.transport_frames(&q, &mut frames, Arithmetic::Portable);
            case.rod.energy_since(&q, &frames, &now).total()
        };
        let expected = VISCOSITY * (stored(h) + stored(-h)) / (h * h);
        let along = (d.transpose() * &damping * &d)[0];
        checks.near(&format!("{}: damping", case.name), along / expected, 1.0, 2e-5);
    }
    checks.finish(182);
}

/// Frames turned as a rigid body.
fn rotated_frames(rod: &SplineRod, frames: &[f64], r: DMat3) -> Vec<f64> {
    let mut out = frames.to_vec();
    for e in 0..rod.segments() {
        for g in 0..POINTS {
            for field in [frame::T, frame::DT, frame::A1] {
                let v = r * read(frames, e, g, field);
                write(&mut out, e, g, field, v);
            }
        }
    }
    out
}

fn read(frames: &[f64], e: usize, g: usize, field: usize) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|k| frames[index(e, g, field + k, frame::FIELDS)]))
}

fn write(frames: &mut [f64], e: usize, g: usize, field: usize, v: DVec3) {
    for k in 0..3 {
        frames[index(e, g, field + k, frame::FIELDS)] = v[k];
    }
}

#[test]
fn rigid_motion_costs_nothing_and_forces_balance() {
    let mut checks = Checks::default();
    let mut noise = Noise(3);
    for case in cases().into_iter().filter(|c| c.before.is_none()) {
        let (h, g) = case.linearise(&case.how(Tangent::Psd));
        let size = scale(&case, &h);
        let unit = case.unit(0);
        let energy = case.rod.energy(&case.q, &case.frames).total();
        // A finite rotation and translation, frames taken along as a rigid body: same energy, rotated forces.
        let r = DMat3::from_quat(DQuat::from_scaled_axis(noise.vector() * 2.0));
        let shift = noise.vector();
        let mut q = case.q.clone();
        for node in q.chunks_exact_mut(4) {
            let x = r * DVec3::from_slice(node) + shift;
            node[..3].copy_from_slice(&x.to_array());
        }
        let turned = Case {
            name: String::new(),
            rod: case.rod.clone(),
            frames: rotated_frames(&case.rod, &case.frames, r),
            q,
            before: None,
        };
        checks.near(
            &format!("{}: energy", case.name),
            turned.rod.energy(&turned.q, &turned.frames).total(),
            energy,
            1e-11 * size,
        );
        let (h_turned, g_turned) = turned.linearise(&turned.how(Tangent::Psd));
        let (mut worst, mut total) = (0.0_f64, DVec3::ZERO);
        for i in 0..case.rod.nodes() {
            let f = DVec3::from_slice(&g.as_slice()[4 * i..]);
            worst = worst.max((r * f - DVec3::from_slice(&g_turned.as_slice()[4 * i..])).length());
            total += f;
        }
        checks.small(&format!("{}: forces turn along", case.name), worst * unit, 1e-10 * size);
        checks.small(&format!("{}: forces add up to zero", case.name), total.length() * unit, 1e-12 * size);
        checks.near(
            &format!("{}: trace of the Hessian", case.name),
            h.trace(),
            h_turned.trace(),
            1e-10 * h.amax(),
        );

        // A virtual rotation ω. Transported frames don't spin, so they lag a rigid body by ω·t, and τ_ref by
        // ω·t'.
        let omega = noise.vector();
        let d = DVector::from_fn(case.q.len(), |i, _| {
            let x = DVec3::from_slice(&case.q[i - i % 4..]);
            if i % 4 == 3 { 0.0 } else { omega.cross(x)[i % 4] }
        });
        checks.near(
            &format!("{}: moment", case.name),
            g.dot(&d),
            case.slope(&d, 1e-3),
            1e-9 * size * case.q.len() as f64,
        );
        let s = 1e-5;
        let mut q = case.q.clone();
        let r = DMat3::from_quat(DQuat::from_scaled_axis(omega * s));
        for node in q.chunks_exact_mut(4) {
            let x = r * DVec3::from_slice(node);
            node[..3].copy_from_slice(&x.to_array());
        }
        let mut frames = case.frames.clone();
        case.rod.transport_frames(&q, &mut frames, Arithmetic::Portable);
        let rigid = rotated_frames(&case.rod, &case.frames, r);
        let (mut spin, mut twist) = (0.0_f64, 0.0_f64);
        for e in 0..case.rod.segments() {
            for g in 0..POINTS {
                let (t, a1) = (read(&rigid, e, g, frame::T), read(&rigid, e, g, frame::A1));
                let lag = read(&frames, e, g, frame::A1).dot(t.cross(a1));
                spin = spin.max((lag + s * omega.dot(t)).abs());
                let at = index(e, g, frame::TAU, frame::FIELDS);
                twist = twist
                    .max((frames[at] - case.frames[at] + s * omega.dot(read(&rigid, e, g, frame::DT))).abs());
            }
        }
        checks.small(&format!("{}: spin of a rigid rotation", case.name), spin, 10.0 * s * s);
        checks.small(&format!("{}: twist of a rigid rotation", case.name), twist, 20.0 * s * s);
    }
    // On a straight rod the tangent is the same everywhere: Σ x×f + t Σ f_θ = 0 holds exactly.
    for (name, description) in rods().into_iter().filter(|(_, d)| matches!(d.shape, Shape::Line(_))) {
        let initial = SplineRod::build(&description).unwrap();
        let q = state(&initial.rod, &initial.q, "twisted", 1.0, &mut noise);
        let (_, g) = linearise(
            &initial.rod,
            &q,
            &initial.frames,
            &Linearisation {
                tangent: Tangent::Psd,
                mass: 0.0,
                viscosity: 0.0,
                strain_before: None,
                carried: None,
                ahead: None,
                arithmetic: Arithmetic::Portable,
            },
        );
        let t = read(&initial.frames, 0, 0, frame::T);
        let moment: DVec3 = (0..initial.rod.nodes())
            .map(|i| {
                DVec3::from_slice(&q[4 * i..]).cross(DVec3::from_slice(&g.as_slice()[4 * i..]))
                    + t * g[4 * i + 3]
            })
            .sum();
        checks.small(&format!("{name}: moments add up to zero"), moment.length(), 1e-12 * g.amax());
    }
    checks.finish(91 * 7 + 5);
}

#[test]
fn energies_of_simple_states_are_those_of_textbooks() {
    let mut checks = Checks::default();
    for (n, knots_at) in [1, 2, 3, 7, 16].into_iter().flat_map(|n| [(n, Vec::new()), (n, uneven_knots(n))]) {
        let initial =
            SplineRod::build(&RodDescription { twist: 2.5, knots_at, ..description(line(), n) }).unwrap();
        let l = initial.rod.length();
        let energy = initial.rod.energy(&initial.q, &initial.frames);
        checks.near("twist GJ Φ²/2L", energy.twist, 0.9 * 2.5 * 2.5 / (2.0 * l), 1e-12);
        checks.small("twist alone", energy.bend + energy.stretch, 1e-24);
        let longer: Vec<f64> =
            initial.q.iter().enumerate().map(|(i, x)| if i % 4 == 3 { *x } else { 1.1 * x }).collect();
        checks.near(
            "stretch EA ε² L/2",
            initial.rod.energy(&longer, &initial.frames).stretch,
            0.5 * 40.0 * 0.01 * l,
            1e-12,
        );
    }
    let bend = |n: usize, knots_at: Vec<At>| {
        let arc = Shape::Arc(Arc {
            from: [0.0; 3],
            tangent: [1.0, 0.0, 0.0],
            towards: [0.0, 1.0, 0.0],
            radius: 0.5,
            angle: 3.0,
        });
        let initial = SplineRod::build(&RodDescription { knots_at, ..description(arc, n) }).unwrap();
        let energy = initial.rod.energy(&initial.q, &initial.frames);
        (energy.bend / (1.3 * 3.0 * 3.0 / (2.0 * 1.5)) - 1.0, energy.twist)
    };
    let ((coarse, _), (fine, twist)) = (bend(24, Vec::new()), bend(48, Vec::new()));
    checks.small("bending EI φ²/2L", fine.abs(), 1e-5);
    // The curvature of the interpolating spline is of second order in the end segments, whose share shrinks
    // with their length.
    checks.near("order of bending", (coarse / fine).abs().log2(), 3.0, 0.1);
    checks.small("a plane arc does not twist", twist, 1e-20);
    // Of 48 uneven segments the widest are twice as wide as even ones: at most sixteen times the error.
    let (uneven, twist) = bend(48, uneven_knots(48));
    checks.small("bending of uneven segments", uneven.abs(), 16.0 * fine.abs());
    checks.small("uneven segments of a plane arc do not twist", twist, 1e-20);
    let initial = SplineRod::build(&RodDescription { twist: 4.0, ..description(ring(), 24) }).unwrap();
    let twist = initial.rod.energy(&initial.q, &initial.frames).twist;
    checks.near("inserted twist of a ring", twist, 0.9 * 16.0 / (2.0 * initial.rod.length()), 1e-3 * twist);
    checks.finish(36);
}

/// Tangent at coordinate f of segment e.
fn tangent(rod: &SplineRod, q: &[f64], e: usize, f: f64) -> DVec3 {
    let (x, _) = rod.control(q, e);
    let w = rod.table(e).basis.weights(f);
    (0..4).map(|k| x[k] * w.db[k]).sum::<DVec3>().normalize()
}

#[test]
fn transport_in_time_keeps_the_twist_of_the_frame_field() {
    let mut checks = Checks::default();
    let mut noise = Noise(23);
    for (name, description) in rods() {
        let initial = SplineRod::build(&description).unwrap();
        let rod = &initial.rod;
        // A walk through states that returns to its start.
        let mut states: Vec<Vec<f64>> =
            (0..3).map(|_| state(rod, &initial.q, "random", 0.7, &mut noise)).collect();
        states.push(initial.q.clone());
        // Any smooth field of normals: the projection of a fixed direction, turned at a constant rate.
        let (wish, rate) = (noise.vector() + DVec3::new(0.0, 0.0, 2.0), noise.next());
        let field = |e: usize, f: f64, steps: usize| {
            let mut t = tangent(rod, &initial.q, e, f);
            let mut a = DQuat::from_axis_angle(t, rate * f) * any_normal(t, wish);
            for q in &states[..steps] {
                let next = tangent(rod, q, e, f);
                a = transport(t, next, a);
                t = next;
            }
            (t, a)
        };
        // τ = a₁'·a₂ by sixth-order differences.
        let twist = |e: usize, f: f64, steps: usize| {
            let h = 2e-3;
            let (t, a) = field(e, f, steps);
            let difference = |k: f64| field(e, f + k * h, steps).1 - field(e, f - k * h, steps).1;
            let slope = difference(1.0) * 0.75 - difference(2.0) * 0.15 + difference(3.0) / 60.0;
            slope.dot(t.cross(a)) / h
        };
        let mut frames = initial.frames.clone();
        for e in 0..rod.segments() {
            for g in 0..POINTS {
                write(&mut frames, e, g, frame::A1, field(e, GAUSS_3[g].0, 0).1);
                frames[index(e, g, frame::TAU, frame::FIELDS)] = twist(e, GAUSS_3[g].0, 0);
            }
        }
        for steps in 1..=states.len() {
            let least = rod.transport_frames(&states[steps - 1], &mut frames, Arithmetic::Portable);
            checks.small(&format!("{name}: no tangent turned round"), -least, 0.0);
            let (mut worst, mut turned) = (0.0_f64, 0.0_f64);
            for e in 0..rod.segments() {
                for g in 0..POINTS {
                    let f = GAUSS_3[g].0;
                    worst = worst
                        .max((frames[index(e, g, frame::TAU, frame::FIELDS)] - twist(e, f, steps)).abs());
                    turned = turned.max((read(&frames, e, g, frame::A1) - field(e, f, steps).1).length());
                }
            }
            checks.small(&format!("{name}: twist after {steps} moves"), worst, 2e-10);
            checks.small(&format!("{name}: director after {steps} moves"), turned, 1e-13);
        }
    }
    checks.finish(13 * 4 * 3);
}
