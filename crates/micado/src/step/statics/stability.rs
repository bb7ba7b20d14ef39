//! Stability of an equilibrium: the signs of its pivots, and modes that are zero but for rounding.
//!
//! The signs of the pivots of the factor are those of the eigenvalues of the second derivative on the
//! constraints (Sylvester). They are taken without any added term, so no mesh, mass or stiff part hides a
//! soft mode. A pivot that is rounding has no sign, and rounding of many nodes adds up. So if a pivot is weak
//! or negative, the softest modes φ are found by inverse iteration, and
//!
//! ```text
//! φᵀKφ < −b: unstable     |φᵀKφ| ≤ b: zero     φᵀKφ > b: stable
//! b = 2⁻⁴⁹ |φ|ᵀ|K||φ| + 10⁻⁶ φᵀSφ
//! ```
//!
//! The first term is the rounding of K. The second term is for zero modes of a state that is near an
//! equilibrium, not in it: the residual turns with the structure and does work. S is the softest stiffness of
//! whole objects.

use super::holding::Holding;
use crate::step::order::System;
use micado_linalg::{Arithmetic, Block, BlockMatrix};
use nalgebra::{DMatrix, SymmetricEigen};

/// A pivot below this share of its diagonal entry may be rounding: a thousand roundings, since those of many
/// nodes add up.
pub(in crate::step) const ZERO_PIVOT: f64 = 1e-13;
/// Stiffness below which a mode counts as a zero mode, as a share of S.
pub(super) const NEGLIGIBLE: f64 = 1e-6;
/// Rounding of φᵀKφ as a share of |φ|ᵀ|K||φ|: sixteen roundings, of the entries of K and of the sum.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Most inverse iterations for the softest modes, and the relative change of the two softest stiffnesses at
/// which they end: their sign is needed, not their value.
const MOST_ITERATIONS: usize = 30;
const CHANGE: f64 = 1e-2;

/// Stiffness of a mode, and the rounding of that number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::step) struct Stiffness {
    /// φᵀKφ
    pub(in crate::step) value: f64,
    /// 2⁻⁴⁹ |φ|ᵀ|K||φ|
    pub(in crate::step) rounding: f64,
}

impl Stiffness {
    /// Whether it is positive by more than rounding, for a mode with φᵀSφ = 1.
    pub(super) fn is_stable(&self) -> bool {
        self.value > self.rounding + NEGLIGIBLE
    }

    /// Whether it is negative by more than rounding, for a mode with φᵀSφ = 1.
    pub(super) fn is_unstable(&self) -> bool {
        self.value < -self.rounding - NEGLIGIBLE
    }
}

impl System {
    /// The node of an object or an own unknown whose pivot is nearest to zero, and that pivot as a share of
    /// its diagonal entry.
    pub(in crate::step) fn weakest_pivot(&self) -> (usize, f64) {
        let mut weakest = (0, f64::MAX);
        for node in 0..self.primal_nodes {
            for share in self.pivot_shares(node) {
                if share.abs() < weakest.1.abs() {
                    weakest = (node, share);
                }
            }
        }
        weakest
    }

    /// The pivots of a node as shares of their diagonal entries.
    fn pivot_shares(&self, node: usize) -> [f64; 4] {
        let pivots = self.factor.pivots(&self.symbolic, node);
        let diagonal = &self.matrix.values()[self.matrix.row_start(node)];
        std::array::from_fn(|a| {
            pivots[a] / (diagonal[5 * a].abs() + self.shift[4 * node + a]).max(f64::MIN_POSITIVE)
        })
    }

    /// The softest modes of the present matrix, with the factor of the matrix and as much of σS as makes it
    /// definite: inverse iteration of a subspace, Rayleigh–Ritz. Softest first, scaled to φᵀSφ = 1.
    pub(super) fn softest_modes(
        &mut self,
        holding: &Holding,
        width: usize,
        arithmetic: Arithmetic,
    ) -> Vec<(Stiffness, Vec<f64>)> {
        let (n, diagonal) = (4 * self.primal_nodes, holding.own());
        let free = diagonal.iter().filter(|s| **s > 0.0).count();
        let mut modes: Vec<Vec<f64>> = (0..width.min(free)).map(|k| start_vector(n, k)).collect();
        let mut found: Vec<Stiffness> = Vec::new();
        for _ in 0..MOST_ITERATIONS {
            let mut basis: Vec<Vec<f64>> = Vec::with_capacity(modes.len());
            for mut mode in modes {
                self.invert(diagonal, &mut mode, arithmetic);
                make_orthonormal(&basis, diagonal, &mut mode);
                if mode.iter().any(|x| *x != 0.0) {
                    basis.push(mode);
                }
            }
            modes = self.rotate_to_modes(basis);
            let now: Vec<Stiffness> = modes.iter().map(|mode| self.stiffness_of(mode)).collect();
            let same = |(a, b): (&Stiffness, &Stiffness)| {
                (a.value - b.value).abs() <= CHANGE * a.value.abs() + a.rounding
            };
            let settled = now.len() == found.len() && now.iter().zip(&found).take(2).all(same);
            found = now;
            if settled {
                break;
            }
        }
        found.into_iter().zip(modes).collect()
    }

    /// Rayleigh–Ritz: combines a basis that is orthonormal in S so that K is diagonal; softest first.
    fn rotate_to_modes(&self, basis: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        if basis.is_empty() {
            return basis;
        }
        let images: Vec<Vec<f64>> = basis.iter().map(|mode| self.times(mode)).collect();
        let stiffness = DMatrix::from_fn(basis.len(), basis.len(), |i, j| {
            0.5 * (dot(&basis[i], &images[j]) + dot(&basis[j], &images[i]))
        });
        let eigen = SymmetricEigen::new(stiffness);
        let mut order: Vec<usize> = (0..basis.len()).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        let combine = |k: usize| {
            let mut mode = vec![0.0; basis[0].len()];
            for (weight, part) in eigen.eigenvectors.column(k).iter().zip(&basis) {
                mode.iter_mut().zip(part).for_each(|(m, p)| *m += weight * p);
            }
            mode
        };
        order.into_iter().map(combine).collect()
    }

    /// `mode ← (K + σS)⁻¹ S mode` on the constraints.
    fn invert(&mut self, diagonal: &[f64], mode: &mut [f64], arithmetic: Arithmetic) {
        self.solution.fill(0.0);
        for ((x, s), m) in self.solution.iter_mut().zip(diagonal).zip(&*mode) {
            *x = s * m;
        }
        self.factor.solve(&self.symbolic, &mut self.solution, &mut self.scratch, arithmetic);
        mode.copy_from_slice(&self.solution[..mode.len()]);
    }

    /// K times a motion of objects and own unknowns.
    fn times(&self, mode: &[f64]) -> Vec<f64> {
        let mut all = mode.to_vec();
        all.resize(self.scalars(), 0.0);
        let mut product = vec![0.0; all.len()];
        self.matrix.multiply(&all, &mut product);
        product.truncate(mode.len());
        product
    }

    /// Stiffness of a motion of objects and own unknowns.
    pub(in crate::step) fn stiffness_of(&self, mode: &[f64]) -> Stiffness {
        let (mut value, mut size) = (0.0, 0.0);
        for_each_block(&self.matrix, mode.len() / 4, |i, j, block| {
            let twice = if i == j { 1.0 } else { 2.0 };
            for a in 0..4 {
                for b in 0..4 {
                    let term = twice * block[4 * a + b] * mode[4 * i + a] * mode[4 * j + b];
                    value += term;
                    size += term.abs();
                }
            }
        });
        Stiffness { value, rounding: ROUNDING * size }
    }
}

/// Calls `visit` with the blocks of the upper triangle of the first `nodes` nodes.
fn for_each_block(matrix: &BlockMatrix, nodes: usize, mut visit: impl FnMut(usize, usize, &Block)) {
    for i in 0..nodes {
        for (slot, &j) in (matrix.row_start(i)..).zip(matrix.row_nodes(i)) {
            if (j as usize) < nodes {
                visit(i, j as usize, &matrix.values()[slot]);
            }
        }
    }
}

/// Makes a mode orthonormal to others in S, twice; zero if nothing but rounding remains.
fn make_orthonormal(others: &[Vec<f64>], diagonal: &[f64], mode: &mut [f64]) {
    let product =
        |a: &[f64], b: &[f64]| a.iter().zip(b).zip(diagonal).map(|((a, b), s)| a * b * s).sum::<f64>();
    let before = product(mode, mode).sqrt();
    for _ in 0..2 {
        for other in others {
            let share = product(other, mode);
            mode.iter_mut().zip(other).for_each(|(m, o)| *m -= share * o);
        }
    }
    let after = product(mode, mode).sqrt();
    if after > 1e-12 * before && after.is_finite() {
        mode.iter_mut().for_each(|m| *m /= after);
    } else {
        mode.fill(0.0);
    }
}

/// A start without symmetry: fractional parts of multiples of irrational numbers.
pub(in crate::step) fn start_vector(length: usize, k: usize) -> Vec<f64> {
    let step = 0.618_033_988_749_895 + 0.414_213_562_373_095 * k as f64;
    (0..length).map(|i| ((i + 1) as f64 * step).fract() - 0.5).collect()
}

/// Sum of products; the shorter length counts.
pub(in crate::step) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
