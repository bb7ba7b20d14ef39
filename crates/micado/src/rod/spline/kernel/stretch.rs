//! Stretch of four segments from their mean strain and a pointwise share α.
//!
//! ```text
//! ε = L/j − 1,  ε̄ = Σ w j ε / l
//! N = (1−α) EA (ε̄ + ν (ε̄−ε̄₀)) + α EA (ε + ν (ε−ε₀))            force at a point, ν viscosity, ε₀ strain before
//! gradient: Σ w N β_k t
//! matrix:   (1−α) EA (1+ν)/l s̄_k s̄_lᵀ, s̄_k = Σ w β_k t;  Σ w β_kβ_l [α EA (1+ν)/j ttᵀ + N⁺/L (I − ttᵀ)]
//! ```

use super::constants::{self, Constants};
use super::edges::Ahead;
use super::lanes::*;
use super::tables::{BlockTable, Tables};
use crate::rod::spline::layout::{LANES, POINTS, frame, rest, strain};
use crate::rod::spline::{Linearisation, SplineRod, Tangent};

/// An array of quadrature points by block, point, field and lane.
#[inline]
pub(super) fn by_block<const FIELDS: usize>(values: &[f64]) -> &[[[[f64; LANES]; FIELDS]; POINTS]] {
    values.as_chunks().0.as_chunks().0.as_chunks().0
}

/// What is given at the quadrature points of four segments, by point, field and lane.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    pub(super) table: &'static BlockTable,
    pub(super) rest: &'a [[[f64; LANES]; rest::FIELDS]; POINTS],
    pub(super) constants: &'a [[[f64; LANES]; constants::FIELDS]; POINTS],
    pub(super) frames: &'a [[[f64; LANES]; frame::FIELDS]; POINTS],
    pub(super) before: Option<&'a [[[f64; LANES]; strain::FIELDS]; POINTS]>,
    /// (1−α) EA/l and its square root.
    pub(super) mean: [&'a [f64; LANES]; 2],
    /// l
    pub(super) length: &'a [f64; LANES],
}

/// The same for a whole rod.
pub(super) struct GivenRod<'a> {
    pub(super) tables: Tables,
    pub(super) constants: &'a Constants,
    pub(super) rest: &'a [f64],
    pub(super) frames: &'a [f64],
    pub(super) before: Option<&'a [f64]>,
    pub(super) lengths: &'a [f64],
}

impl<'a> GivenRod<'a> {
    pub(super) fn new(rod: &'a SplineRod, frames: &'a [f64], how: &Linearisation<'a>) -> Self {
        Self {
            tables: Tables::new(rod.family, rod.segments),
            constants: &rod.constants,
            rest: &rod.rest,
            frames,
            before: how.strain_before,
            lengths: &rod.lengths,
        }
    }

    #[inline]
    pub(super) fn block(&self, block: usize) -> Given<'a> {
        Given {
            table: self.tables.of(block),
            rest: &by_block(self.rest)[block],
            constants: &by_block(&self.constants.points)[block],
            frames: &by_block(self.frames)[block],
            before: self.before.map(|before| &by_block(before)[block]),
            mean: [&self.constants.mean.as_chunks().0[block], &self.constants.mean_root.as_chunks().0[block]],
            length: &self.lengths.as_chunks().0[block],
        }
    }
}

/// Factors of the call, in all lanes.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Factors {
    /// ν
    pub(super) viscosity: V,
    /// 1 + ν
    pub(super) viscous: V,
    /// √(1 + ν)
    pub(super) viscous_root: V,
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
            viscous_root: splat(viscous.sqrt()),
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
    /// √((1−α) EA (1+ν)/l) s̄_k
    pub(super) mean_row: [V3; 3],
}

impl Stretch {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn zero() -> Self {
        let z = [zero(); 3];
        Self { force: z, across: z, mean_row: [z; 3] }
    }

    /// Stretch of a block.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn new(given: &Given<'_>, ahead: &Ahead, f: &Factors) -> Self {
        let Given { table, rest, constants, .. } = *given;
        let points = &ahead.points;
        let weight = three!(|G| load(&table.points[G].weight));
        let j = three!(|G| load(&rest[G][rest::J]));
        let mean_stiffness = load(given.mean[0]);
        // l ε̄ = Σ w L − l, and the strain before to be subtracted from it
        let present = three!(|G| mul(weight[G], points[G].l));
        let elongation = add(present[0], add(present[1], sub(present[2], load(given.length))));
        let mut mean_force = mul(mul(mean_stiffness, f.present), elongation);
        let mut past = [zero(); 3];
        if let Some(before) = given.before {
            past = three!(|G| mul(mul(f.viscosity, j[G]), load(&before[G][strain::EPSILON])));
            let elongation = fma(weight[0], past[0], fma(weight[1], past[1], mul(weight[2], past[2])));
            mean_force = fnma(mean_stiffness, elongation, mean_force);
        }
        let force = three!(|G| {
            let elongation = fms(f.present, sub(points[G].l, j[G]), past[G]);
            fma(load(&constants[G][constants::ALONG]), elongation, mul(weight[G], mean_force))
        });
        let across = three!(|G| mul(mul(f.tension, points[G].inverse_l), max(force[G], zero())));
        let root = mul(f.viscous_root, load(given.mean[1]));
        let scaled = three!(|G| scale(mul(root, weight[G]), points[G].t));
        let mean_row = three!(|K| {
            let beta = three!(|G| load(&table.points[G].beta[K]));
            three!(|I| fma(beta[0], scaled[0][I], fma(beta[1], scaled[1][I], mul(beta[2], scaled[2][I]))))
        });
        Self { force, across, mean_row }
    }
}
