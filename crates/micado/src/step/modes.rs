//! The constrained eigenproblem: natural frequencies and stability of any state.
//!
//! `K φ = ω² M φ, J φ = 0`, K exact with constraint curvature. Subspace iteration with the factor of `K +
//! σM`: σ is zero where that is definite, otherwise just large enough to make it so. The negative
//! pivots without σM are the number of unstable modes. If a pivot is rounding, an eigenvalue may be rounding
//! too: each eigenvalue has a bound of its rounding, see `statics/stability.rs`.

use super::assemble::Assembly;
use super::linearise_constraints::ConstraintTerms;
use super::linearise_objects::Motion;
use super::order::{Room, System};
use super::report::StepReport;
use super::seat::Seat;
use super::statics::holding::Holding;
use super::statics::stability::{ZERO_PIVOT, dot, start_vector};
use super::workspace::Workspace;
use crate::object::rod::Tangent;
use crate::scene::Arithmetic;
use crate::world::World;
use crate::world::{Refusal, Spot};
use nalgebra::{DMatrix, SymmetricEigen};

/// One mode of small motion about a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// ω², 1/s²; negative when the mode grows.
    pub eigenvalue: f64,
    /// Rounding of ω², 1/s². If |ω²| is not larger, the mode counts as a zero mode.
    pub rounding: f64,
    /// Shape: increments of the unknowns, four per node, scaled to a largest displacement (or roll) of one.
    pub shape: Vec<f64>,
}

impl Mode {
    /// Natural frequency, Hz: 0 for a zero mode, `None` for one that grows.
    pub fn frequency(&self) -> Option<f64> {
        if self.is_zero() {
            return Some(0.0);
        }
        (self.eigenvalue > 0.0).then(|| self.eigenvalue.sqrt() / std::f64::consts::TAU)
    }

    /// Whether ω² is zero but for rounding.
    pub fn is_zero(&self) -> bool {
        self.eigenvalue.abs() <= self.rounding
    }
}

/// The lowest modes about a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// Lowest first.
    pub modes: Vec<Mode>,
    /// Number of modes that grow, from the inertia of the factor.
    pub unstable: usize,
    /// Largest change of an eigenvalue in the last iteration, relative to the largest one asked for.
    pub change: f64,
}

/// Most iterations; [`Modes::change`] is the error. A pair of modes just beyond the subspace needs the most.
const MOST_ITERATIONS: usize = 300;
/// Convergence: no eigenvalue changes by more than this share of the largest one asked for, the rounding of a
/// Rayleigh quotient in a stiff mesh.
const TOLERANCE: f64 = 1e-12;
/// Vectors beyond those asked for: values converge as (last asked for / first beyond)², so a wider subspace
/// needs fewer iterations; twice the number, and eight for few, is the usual choice.
const GUARD: usize = 8;
/// The least shift, as a share of the fastest local motion of the mesh: far below the rounding of a soft
/// mode. `SHIFTS` shifts are tried, each `SHIFT_FACTOR` times the one before, to beyond that fastest motion.
/// The factor is smaller than in statics, since eigenvalues lose digits to a large shift.
const LEAST_SHIFT: f64 = 1e-20;
const SHIFTS: usize = 48;
const SHIFT_FACTOR: f64 = 4.0;
/// Shift if nothing is stiff, 1/s²: any positive number will do.
const NOTHING_STIFF: f64 = 1e-6;
/// A mode that moves the centreline by less than this, m per rad of roll, is torsional.
const TORSIONAL: f64 = 1e-6;
/// Smallest remainder of a vector after orthogonalisation, as a share; less is rounding.
const LEAST_REMAINDER: f64 = 1e-13;

impl World {
    /// The `count` lowest modes of small motion about the present state.
    ///
    /// The state should be an equilibrium, or as near to one as matters: multipliers are those of the last
    /// solve.
    ///
    /// # Errors
    /// The system is singular with every shift.
    pub fn modes(
        &self,
        count: usize,
        arithmetic: Arithmetic,
        workspace: &mut Workspace,
    ) -> Result<Modes, Refusal> {
        if self.structure.touching.is_on() {
            return Err(Refusal::NoContact);
        }
        workspace.prepare(self, Room::Pairs);
        let Workspace { system, scratch, .. } = workspace;
        let system = system.as_mut().expect("prepared before");
        let arithmetic = arithmetic.into();
        let expected = 4 * system.dual_nodes();

        // The scale of rows: a body has no stiffness of its own, but that of small forces at its arms.
        let (mut holding, mut force) = (Holding::default(), vec![0.0; self.state.q.len()]);
        holding.compute(&self.structure, (&self.state, self.state.time), self.size(), system, &mut force);
        // The stiffest local motion sets the scale from which shifts start.
        let assemble = |sigma: f64, system: &mut System, scratch: &mut Vec<f64>| {
            let motion = Motion::none(sigma);
            let terms = ConstraintTerms {
                exact: true,
                augment_all: true,
                curved: true,
                reach: 1.0,
                rule: None,
                start: None,
            };
            let (structure, state, tangent) = (&self.structure, &self.state, Tangent::Exact);
            Assembly { structure, state, time: state.time, motion: &motion, tangent, terms, arithmetic }
                .write_around(system, scratch, |system| system.hold_for_rows(&holding, 0.0));
            // Modes have the stiffness of the structure alone; rows keep their regularisation.
            let primal = 4 * system.primal_nodes;
            system.shift[..primal].fill(0.0);
            system.collect_non_smooth(structure, [state; 2], state.time, 0.0, None);
            system.hold_rows(&holding);
            system.factorise(arithmetic).map(|inertia| (inertia.negative, system.weakest_pivot()))
        };
        let (mut sigma, mut unstable) = (0.0, None);
        let mut outcome = assemble(0.0, system, scratch);
        let least = LEAST_SHIFT * system.fastest_local_motion().unwrap_or(NOTHING_STIFF / LEAST_SHIFT);
        let mut blame = Refusal::Singular { at: Spot::Unknown };
        for _ in 0..SHIFTS {
            if let Err(refusal) = outcome {
                blame = refusal;
            }
            if let Ok((negative, (weakest, pivot))) = outcome {
                blame = Refusal::Singular { at: system.spot(weakest) };
                if pivot.abs() >= ZERO_PIVOT {
                    // The first shift with which all pivots have a sign: larger ones would hide unstable
                    // modes.
                    let certain = *unstable.get_or_insert(negative.saturating_sub(expected));
                    if negative == expected {
                        let mut modes = iterate(self, system, count, sigma, arithmetic);
                        let grows = |mode: &&Mode| mode.eigenvalue < -mode.rounding;
                        let found = modes.modes.iter().filter(grows).count();
                        // If all requested modes grow, only the pivots can count the others.
                        modes.unstable = if found < modes.modes.len() { found } else { certain.max(found) };
                        return Ok(modes);
                    }
                }
            }
            sigma = (SHIFT_FACTOR * sigma).max(least);
            outcome = assemble(sigma, system, scratch);
        }
        Err(blame)
    }
}

/// Subspace iteration: X ← (K+σM)⁻¹ M X on the constraints, orthonormal in M, Rayleigh–Ritz, until the lowest
/// values converge.
fn iterate(
    world: &World,
    system: &mut System,
    count: usize,
    sigma: f64,
    arithmetic: micado_linalg::Arithmetic,
) -> Modes {
    // Own unknowns of constraints are included; they have no mass.
    let (n, primal) = (4 * system.object_nodes, 4 * system.primal_nodes);
    // Unused components have no mass and no modes.
    let massive = system.lumped.iter().filter(|mass| **mass > 0.0).count();
    let own = system.seats.iter().map(Seat::own_count).sum::<usize>();
    let mut redundancy = StepReport::default();
    system.find_redundant(&mut redundancy);
    let held = system.held_rows(arithmetic);
    let rows = system.multipliers() + held.count;
    let free = (massive + own + redundancy.redundant_rows).saturating_sub(rows);
    if free == 0 || count == 0 {
        return Modes { modes: Vec::new(), unstable: 0, change: 0.0 };
    }
    let count = count.min(free);
    let width = (2 * count).max(count + GUARD).min(free);
    let mut basis: Vec<Vec<f64>> = (0..width).map(|k| start_vector(primal, k)).collect();
    let mut masses = vec![vec![0.0; n]; width];
    let mut values = vec![f64::MAX; count];
    let mut change = f64::MAX;
    for iteration in 0..MOST_ITERATIONS {
        for x in &mut basis {
            system.inverse_times_mass(world, &x[..n], arithmetic);
            system.stop_held_rows(&held);
            x.copy_from_slice(&system.solution[..primal]);
        }
        orthonormalise(world, &mut basis, &mut masses, iteration);
        let mut stiffness = DMatrix::zeros(width, width);
        for k in 0..width {
            system.solution.fill(0.0);
            system.solution[..primal].copy_from_slice(&basis[k]);
            let (matrix, solution, product) = (&system.matrix, &system.solution, &mut system.rhs);
            matrix.multiply(solution, product);
            for j in 0..width {
                stiffness[(j, k)] = dot(&basis[j], &system.rhs[..primal]);
            }
        }
        let eigen = SymmetricEigen::new((&stiffness + stiffness.transpose()) * 0.5);
        let mut order: Vec<usize> = (0..width).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        basis = order.iter().map(|&k| combination(&basis, eigen.eigenvectors.column(k).as_slice())).collect();
        let lowest: Vec<f64> = order.iter().take(count).map(|&k| eigen.eigenvalues[k]).collect();
        let scale = lowest.iter().fold(f64::MIN_POSITIVE, |largest, value| largest.max(value.abs()));
        change = lowest.iter().zip(&values).map(|(new, old)| (new - old).abs() / scale).fold(0.0, f64::max);
        values = lowest;
        if change < TOLERANCE {
            break;
        }
    }
    let modes = basis
        .into_iter()
        .zip(&values)
        .map(|(mut shape, &value)| {
            // The basis is orthonormal in M.
            let rounding = system.stiffness_of(&shape).rounding;
            shape.truncate(n);
            let largest = super::largest_displacement(&world.structure, &shape);
            let roll = super::largest_turn(&world.structure, &shape);
            // A torsional mode hardly moves the centreline and is scaled by its roll.
            let scale = if largest > TORSIONAL * roll { largest } else { roll };
            shape.iter_mut().for_each(|s| *s /= scale.max(f64::MIN_POSITIVE));
            Mode { eigenvalue: value - sigma, rounding, shape }
        })
        .collect();
    Modes { modes, unstable: 0, change }
}

/// Makes the vectors orthonormal in M by Gram–Schmidt, twice each. A mode near zero dominates all vectors
/// after one solve; a vector without a remainder is replaced.
fn orthonormalise(world: &World, basis: &mut [Vec<f64>], masses: &mut [Vec<f64>], iteration: usize) {
    for k in 0..basis.len() {
        let (done, rest) = basis.split_at_mut(k);
        let (done_masses, rest_masses) = masses.split_at_mut(k);
        let (x, mass) = (&mut rest[0], &mut rest_masses[0]);
        for attempt in 0..3 {
            let norm = |x: &[f64], mass: &mut [f64]| {
                mass.fill(0.0);
                multiply_mass(world, &x[..mass.len()], mass);
                dot(x, mass).max(0.0).sqrt()
            };
            let before = norm(x, mass);
            for _ in 0..2 {
                for (other, other_mass) in done.iter().zip(done_masses.iter()) {
                    let share = dot(x, other_mass);
                    x.iter_mut().zip(other).for_each(|(value, o)| *value -= share * o);
                }
            }
            let after = norm(x, mass);
            if after > LEAST_REMAINDER * before && after.is_finite() {
                x.iter_mut().for_each(|value| *value /= after);
                mass.iter_mut().for_each(|value| *value /= after);
                break;
            }
            *x = start_vector(x.len(), 7 * k + 31 * attempt + iteration + 1);
        }
    }
}

fn combination(basis: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; basis[0].len()];
    for (x, w) in basis.iter().zip(weights) {
        sum.iter_mut().zip(x).for_each(|(s, value)| *s += w * value);
    }
    sum
}

fn multiply_mass(world: &World, x: &[f64], out: &mut [f64]) {
    for object in &world.structure.objects {
        let range = object.unknowns();
        let own = object.own(&world.state.q, &world.state.frames);
        object.model().add_mass_times(own, &x[range.clone()], &mut out[range]);
    }
}

impl System {
    /// Largest K_ii/m_i of a position, 1/s²; `None` if nothing is stiff.
    fn fastest_local_motion(&self) -> Option<f64> {
        let positions = (0..self.object_nodes).flat_map(|node| (0..3).map(move |a| (node, a)));
        // Unused scalars have no mass.
        let massive = positions.filter(|&(node, a)| self.lumped[4 * node + a] > 0.0);
        let rates = massive.map(|(node, a)| {
            self.matrix.values()[self.matrix.row_start(node)][5 * a] / self.lumped[4 * node + a]
        });
        rates.filter(|rate| *rate > 0.0).reduce(f64::max)
    }

    /// `solution ← (A, J)⁻¹ (M x, 0)`, refined once.
    fn inverse_times_mass(&mut self, world: &World, x: &[f64], arithmetic: micado_linalg::Arithmetic) {
        self.rhs.fill(0.0);
        multiply_mass(world, x, &mut self.rhs[..x.len()]);
        self.solution.copy_from_slice(&self.rhs);
        self.factor.solve(&self.symbolic, &mut self.solution, &mut self.scratch, arithmetic);
        micado_linalg::correct(
            (&self.matrix, &[]),
            &self.symbolic,
            &self.factor,
            &self.rhs,
            &mut self.solution,
            &mut self.refine,
            arithmetic,
        );
    }
}
