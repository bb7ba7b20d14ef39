//! Stretch of four segments from their mean strain and a pointwise share α.
//!
//! ```text
//! ε = L/j − 1,  ε̄ = Σ w j ε / l
//! N = (1−α) EA (ε̄ + ν (ε̄−ε̄₀)) + α EA (ε + ν (ε−ε₀))            force at a point, ν viscosity, ε₀ strain before
//! gradient: Σ w N β_k t
//! matrix:   (1−α) EA (1+ν)/l s̄_k s̄_lᵀ, s̄_k = Σ w β_k t;  Σ w β_kβ_l [α EA (1+ν)/j ttᵀ + N⁺/L (I − ttᵀ)]
//! ```

use super::edges::Geometry;
use super::lanes::*;
use super::tables::BlockTable;
use crate::rod::spline::layout::{LANES, POINTS, rest, strain};
use crate::rod::spline::{Linearisation, SplineRod, Tangent};

/// Fields of the quadrature points of a block.
pub(super) type Rest = [[[f64; LANES]; rest::FIELDS]; POINTS];
/// Strains before, likewise.
pub(super) type Before = [[[f64; LANES]; strain::FIELDS]; POINTS];

/// An array of quadrature points by block, point, field and lane.
#[inline]
pub(super) fn by_block<const FIELDS: usize>(values: &[f64]) -> &[[[[f64; LANES]; FIELDS]; POINTS]] {
    values.as_chunks().0.as_chunks().0.as_chunks().0
}

/// Factors of the call, in all lanes.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Factors {
    /// ν
    pub(super) viscosity: V,
    /// 1 + ν
    pub(super) viscous: V,
    /// Factor of the present strain in stresses: 1 + ν if there is a strain before, else 1.
    pub(super) present: V,
    /// Factor of the stiffening by tension: 1 or 0.
    pub(super) tension: V,
}

impl Factors {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn new(how: &Linearisation<'_>) -> Self {
        let viscous = 1.0 + how.viscosity;
        Self {
            viscosity: splat(how.viscosity),
            viscous: splat(viscous),
            present: splat(if how.strain_before.is_some() { viscous } else { 1.0 }),
            tension: splat(if how.tangent == Tangent::Psd { 1.0 } else { 0.0 }),
        }
    }
}

/// What stretch gives to the other stages.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Stretch {
    /// w N
    pub(super) force: [V; POINTS],
    /// w N⁺/L
    pub(super) across: [V; POINTS],
    /// w α EA (1+ν)/j
    pub(super) along: [V; POINTS],
    /// 1/j
    pub(super) inverse_j: [V; POINTS],
    /// √((1−α) EA (1+ν)/l) s̄_k
    pub(super) mean_row: [V3; 3],
}

impl Stretch {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn zero() -> Self {
        let z = [zero(); 3];
        Self { force: z, across: z, along: z, inverse_j: z, mean_row: [z; 3] }
    }

    /// Stretch of a block.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn new(
        rod: &SplineRod,
        block: usize,
        table: &BlockTable,
        rest: &Rest,
        before: Option<&Before>,
        points: &[Geometry; POINTS],
        f: &Factors,
    ) -> Self {
        let of_segment = |values: &[f64]| values.as_chunks().0[block];
        let alpha = load(&of_segment(&rod.alphas));
        let one = splat(1.0);
        let mean_stiffness = div(mul(sub(one, alpha), load(&of_segment(&rod.stretch))), load(&of_segment(&rod.lengths)));
        let weight = three!(|G| load(&table.points[G].weight));
        let j = three!(|G| load(&rest[G][rest::J]));
        let inverse_j = three!(|G| div(one, j[G]));
        // l ε̄ = Σ w (L − j), and the strain before to be subtracted from it
        let elongation = fma(
            weight[0],
            sub(points[0].l, j[0]),
            fma(weight[1], sub(points[1].l, j[1]), mul(weight[2], sub(points[2].l, j[2]))),
        );
        let mut mean_force = mul(mul(mean_stiffness, f.present), elongation);
        let mut past = [zero(); 3];
        if let Some(before) = before {
            past = three!(|G| mul(f.viscosity, load(&before[G][strain::EPSILON])));
            let elongation = fma(mul(weight[0], j[0]), past[0], fma(mul(weight[1], j[1]), past[1], mul(mul(weight[2], j[2]), past[2])));
            mean_force = fnma(mean_stiffness, elongation, mean_force);
        }
        let stiffness = three!(|G| mul(alpha, load(&rest[G][rest::EA])));
        let force = three!(|G| {
            let epsilon = fms(points[G].l, inverse_j[G], one);
            mul(weight[G], fma(stiffness[G], fms(f.present, epsilon, past[G]), mean_force))
        });
        let across = three!(|G| mul(mul(f.tension, points[G].inverse_l), max(force[G], zero())));
        let along = three!(|G| mul(mul(weight[G], stiffness[G]), mul(f.viscous, inverse_j[G])));
        let root = sqrt(mul(mean_stiffness, f.viscous));
        let scaled = three!(|G| scale(mul(root, weight[G]), points[G].t));
        let mean_row = three!(|K| {
            let beta = three!(|G| load(&table.points[G].beta[K]));
            three!(|I| fma(beta[0], scaled[0][I], fma(beta[1], scaled[1][I], mul(beta[2], scaled[2][I]))))
        });
        Self { force, across, along, inverse_j, mean_row }
    }
}
