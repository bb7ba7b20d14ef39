//! The constrained eigenproblem: natural frequencies and stability of any state.
//!
//! `K φ = ω² M φ, J φ = 0`, K exact with constraint curvature. Subspace iteration with the factor of `K + σM`: σ is zero
//! where that is regular, otherwise just enough to make it so, which tells zero and unstable modes from the others.

use super::linearise_constraints::{ConstraintTerms, linearise_constraints};
use super::linearise_objects::{Motion, linearise_objects};
use super::order::System;
use super::report::Refusal;
use super::workspace::Workspace;
use crate::rod::spline::Tangent;
use crate::scene::Arithmetic;
use crate::world::{Structure, World};
use nalgebra::{Cholesky, DMatrix, SymmetricEigen};

/// One mode of small motion about a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// ω², 1/s²; negative when the mode grows.
    pub eigenvalue: f64,
    /// Shape: increments of the unknowns, four per node, scaled to a largest displacement (or roll) of one.
    pub shape: Vec<f64>,
}

impl Mode {
    /// Natural frequency, Hz; none for a mode that grows.
    pub fn frequency(&self) -> Option<f64> {
        (self.eigenvalue >= 0.0).then(|| self.eigenvalue.sqrt() / std::f64::consts::TAU)
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

const MOST_ITERATIONS: usize = 300;
const TOLERANCE: f64 = 1e-12;

impl World {
    /// The `count` lowest modes of small motion about the present state.
    ///
    /// The state should be an equilibrium, or as near to one as matters: multipliers are those of the last solve.
    ///
    /// # Errors
    /// The system is singular whatever is added to it.
    pub fn modes(&self, count: usize, arithmetic: Arithmetic, workspace: &mut Workspace) -> Result<Modes, Refusal> {
        workspace.prepare(self);
        let Workspace { system, scratch, .. } = workspace;
        let system = system.as_mut().expect("prepared before");
        let arithmetic = arithmetic.into();
        let expected = 4 * system.dual_nodes();

        // The stiffest local motion sets the scale from which shifts start.
        let assemble = |sigma: f64, system: &mut System, scratch: &mut Vec<f64>| {
            let motion = Motion::none(sigma);
            system.shift.fill(0.0);
            linearise_objects(&self.structure, &self.state, self.state.time, &motion, Tangent::Exact, arithmetic, system, scratch);
            let terms = ConstraintTerms { exact: true, augment_all: true };
            linearise_constraints(&self.structure, &self.state, self.state.time, terms, system);
            system.factorise(arithmetic).map(|inertia| (inertia.negative, system.has_zero_pivot()))
        };
        let (mut sigma, mut unstable) = (0.0, None);
        let mut outcome = assemble(0.0, system, scratch);
        let least = system.least_sigma(self.size());
        for _ in 0..40 {
            if let Ok((negative, zero_pivot)) = outcome {
                if sigma > 0.0 || !zero_pivot {
                    unstable.get_or_insert(negative.saturating_sub(expected));
                }
                if negative == expected && !zero_pivot {
                    return Ok(iterate(&self.structure, system, count, sigma, unstable.unwrap_or(0), arithmetic));
                }
            }
            sigma = (4.0 * sigma).max(least);
            outcome = assemble(sigma, system, scratch);
        }
        Err(Refusal::Singular { node: 0 })
    }
}

/// Subspace iteration: X ← (K+σM)⁻¹ M X on the constraints, Rayleigh–Ritz, until the lowest values stand still.
fn iterate(
    structure: &Structure,
    system: &mut System,
    count: usize,
    sigma: f64,
    unstable: usize,
    arithmetic: micado_linalg::Arithmetic,
) -> Modes {
    let n = 4 * system.object_nodes;
    let free = n.saturating_sub(system.multipliers());
    let count = count.min(free.max(1));
    let width = (2 * count).max(count + 8).min(free.max(1));
    // A start without symmetry: fractional parts of multiples of irrational numbers.
    let mut basis: Vec<Vec<f64>> = (0..width)
        .map(|k| (0..n).map(|i| ((i + 1) as f64 * (0.618_033_988_749_895 + (k as f64) * 0.414_213_562_373_095)).fract() - 0.5).collect())
        .collect();
    let mut images: Vec<Vec<f64>> = vec![vec![0.0; n]; width];
    let mut values = vec![f64::MAX; count];
    let mut change = f64::MAX;
    let mut mass_times = vec![vec![0.0; n]; width];
    for _ in 0..MOST_ITERATIONS {
        for (x, image) in basis.iter_mut().zip(&mut images) {
            system.inverse_times_mass(structure, x, arithmetic);
            x.copy_from_slice(&system.solution[..n]);
            // A x, with the constraints' own unknowns taken along
            let primal = 4 * system.primal_nodes;
            system.solution[primal..].fill(0.0);
            let (matrix, solution, product) = (&system.matrix, &system.solution, &mut system.rhs);
            matrix.multiply(solution, product);
            image.copy_from_slice(&product[..n]);
        }
        for (x, m) in basis.iter().zip(&mut mass_times) {
            m.fill(0.0);
            multiply_mass(structure, x, m);
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let stiffness = DMatrix::from_fn(width, width, |i, j| 0.5 * (dot(&basis[i], &images[j]) + dot(&basis[j], &images[i])));
        let mass = DMatrix::from_fn(width, width, |i, j| dot(&basis[i], &mass_times[j]));
        let Some((eigenvalues, vectors)) = ritz(&stiffness, &mass) else { break };
        let rotated: Vec<Vec<f64>> = (0..width)
            .map(|k| {
                let mut x = vec![0.0; n];
                for (i, b) in basis.iter().enumerate() {
                    let w = vectors[(i, k)];
                    for (sum, value) in x.iter_mut().zip(b) {
                        *sum += w * value;
                    }
                }
                x
            })
            .collect();
        basis = rotated;
        let scale = eigenvalues[count - 1].abs().max(f64::MIN_POSITIVE);
        change = (0..count).map(|k| (eigenvalues[k] - values[k]).abs() / scale).fold(0.0, f64::max);
        values.copy_from_slice(&eigenvalues[..count]);
        if change < TOLERANCE {
            break;
        }
    }
    let modes = basis
        .into_iter()
        .zip(&values)
        .map(|(mut shape, &value)| {
            let largest = super::largest_displacement(&shape);
            let roll = shape.chunks_exact(4).map(|q| q[3].abs()).fold(0.0, f64::max);
            // A torsional mode hardly moves the centreline: then the roll is the measure.
            let scale = if largest > 1e-6 * roll { largest } else { roll };
            shape.iter_mut().for_each(|s| *s /= scale.max(f64::MIN_POSITIVE));
            Mode { eigenvalue: value - sigma, shape }
        })
        .collect();
    Modes { modes, unstable, change }
}

/// Eigenvalues, ascending, and vectors of `K z = λ M z` for small dense K and M.
fn ritz(stiffness: &DMatrix<f64>, mass: &DMatrix<f64>) -> Option<(Vec<f64>, DMatrix<f64>)> {
    // Columns are scaled first, so that the Cholesky factor of M is well conditioned.
    let scale = DMatrix::from_diagonal(&mass.diagonal().map(|m| 1.0 / m.sqrt()));
    let (k, m) = (&scale * stiffness * &scale, &scale * mass * &scale);
    let inverse = Cholesky::new(m)?.l().try_inverse()?;
    let eigen = SymmetricEigen::new(&inverse * k * inverse.transpose());
    let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
    let vectors = scale * inverse.transpose() * &eigen.eigenvectors;
    Some((
        order.iter().map(|&k| eigen.eigenvalues[k]).collect(),
        DMatrix::from_fn(vectors.nrows(), vectors.ncols(), |i, j| vectors[(i, order[j])]),
    ))
}

fn multiply_mass(structure: &Structure, x: &[f64], out: &mut [f64]) {
    for object in &structure.objects {
        let range = object.unknowns();
        object.add_mass_times(&x[range.clone()], &mut out[range]);
    }
}

impl System {
    /// `solution ← (A, J)⁻¹ (M x, 0)`, refined once.
    fn inverse_times_mass(&mut self, structure: &Structure, x: &[f64], arithmetic: micado_linalg::Arithmetic) {
        self.rhs.fill(0.0);
        multiply_mass(structure, x, &mut self.rhs[..x.len()]);
        self.solution.copy_from_slice(&self.rhs);
        self.factor.solve(&self.symbolic, &mut self.solution, &mut self.scratch, arithmetic);
        micado_linalg::correct(&self.matrix, &self.symbolic, &self.factor, &self.rhs, &mut self.solution, &mut self.refine, arithmetic);
    }
}
