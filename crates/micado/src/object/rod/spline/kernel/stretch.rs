//! Stretch of four segments from the mean and the slope of their strain.
//!
//! ```text
//! ε = L/j − 1,  ε̄ = Σ w j ε / l,  ε̂ = Σ w j ξ ε / l,  ξ = 2f − 1
//! N = EA (ε̄ + ν (ε̄−ε̄₀)) + 3 α EA ξ (ε̂ + ν (ε̂−ε̂₀))      force at a point, ν viscosity, ε₀ strain before
//! gradient: Σ w N β_k t
//! matrix:   EA (1+ν)/l s̄_k s̄_lᵀ, s̄_k = Σ w β_k t;  3 α EA (1+ν)/l ŝ_k ŝ_lᵀ, ŝ_k = Σ w ξ β_k t;
//!           Σ w β_kβ_l N⁺/L (I − ttᵀ), N of the last pass where it is given; N, not N⁺, in the exact one
//! ```

use super::constants::{self, Constants, MEAN, SLOPE, SegmentFields};
use super::edges::Ahead;
use super::lanes::*;
use super::tables::{BlockTable, Tables};
use crate::object::rod::spline::SplineRod;
use crate::object::rod::spline::layout::{LANES, POINTS, STRETCHES, frame, rest, strain};
use crate::object::rod::{Linearisation, Tangent};
use std::cell::Cell;

/// An array of quadrature points by block, point, field and lane.
#[inline]
pub(super) fn by_block<const FIELDS: usize>(values: &[f64]) -> &[[[[f64; LANES]; FIELDS]; POINTS]] {
    values.as_chunks().0.as_chunks().0.as_chunks().0
}

/// ξ = 2f − 1 at the last quadrature point; the middle one has 0, the first −ξ.
pub(super) const XI: f64 = 2.0 * crate::geometry::quadrature::GAUSS_3[2].0 - 1.0;

/// Input at the quadrature points of four segments, by point, field and lane.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    pub(super) table: &'a BlockTable,
    pub(super) rest: &'a [[[f64; LANES]; rest::FIELDS]; POINTS],
    pub(super) constants: &'a [[[f64; LANES]; constants::FIELDS]; POINTS],
    pub(super) frames: &'a [[[f64; LANES]; frame::FIELDS]; POINTS],
    pub(super) before: Option<&'a [[[f64; LANES]; strain::FIELDS]; POINTS]>,
    pub(super) segments: &'a SegmentFields,
    /// Mean and slope of the elongation in the last pass.
    pub(super) carried: Option<&'a [[f64; LANES]; STRETCHES]>,
}

/// Input of a whole rod.
pub(super) struct GivenRod<'a> {
    pub(super) tables: Tables<'a>,
    pub(super) constants: &'a Constants,
    pub(super) rest: &'a [f64],
    pub(super) frames: &'a [f64],
    pub(super) before: Option<&'a [f64]>,
    pub(super) carried: Option<&'a [f64]>,
    pub(super) ahead: Option<&'a Cell<f64>>,
}

impl<'a> GivenRod<'a> {
    pub(super) fn new(rod: &'a SplineRod, frames: &'a [f64], how: &Linearisation<'a>) -> Self {
        Self {
            tables: Tables::new(rod),
            constants: &rod.constants,
            rest: &rod.rest,
            frames,
            before: how.strain_before,
            carried: how.carried,
            ahead: how.ahead,
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
            segments: &self.constants.segments[block],
            carried: self.carried.map(|carried| &carried.as_chunks().0.as_chunks().0[block]),
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
    /// ν/(1 + ν)
    pub(super) spin: V,
    /// Factor of the present strain in stresses: 1 + ν with reference strains, else 1.
    pub(super) present: V,
    /// Factor of the tension stiffness: 1 or 0.
    pub(super) tension: V,
    /// Lower bound of the tension: 0, except in the exact second derivative, where tension may be negative.
    pub(super) least_tension: V,
    /// Whether the second derivative is exact.
    pub(super) exact: bool,
}

impl Factors {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn new(how: &Linearisation<'_>) -> Self {
        let viscous = 1.0 + how.viscosity;
        let exact = how.tangent == Tangent::Exact;
        Self {
            viscosity: splat(how.viscosity),
            viscous: splat(viscous),
            viscous_root: splat(viscous.sqrt()),
            spin: splat(how.viscosity / viscous),
            present: splat(if how.strain_before.is_some() { viscous } else { 1.0 }),
            tension: splat(if how.tangent == Tangent::GaussNewton { 0.0 } else { 1.0 }),
            least_tension: splat(if exact { f64::NEG_INFINITY } else { 0.0 }),
            exact,
        }
    }
}

/// Output of stretch for the other stages.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Stretch {
    /// w N
    pub(super) force: [V; POINTS],
    /// w N⁺/L; w N/L in the exact second derivative
    pub(super) across: [V; POINTS],
    /// √(EA (1+ν)/l) s̄_k
    pub(super) mean_row: [V3; 3],
    /// √(3 α EA (1+ν)/l) ŝ_k
    pub(super) slope_row: [V3; 3],
}

impl Stretch {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn unset() -> Self {
        let u = [unset(); 3];
        Self { force: u, across: u, mean_row: [u; 3], slope_row: [u; 3] }
    }

    /// Computes the stretch of a block in place: a returned value would be copied.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn fill(&mut self, given: &Given<'_>, ahead: &Ahead, f: &Factors) {
        let Given { table, rest, .. } = *given;
        let points = &ahead.points;
        let weight = three!(|G| load(&table.points[G].weight));
        let j = three!(|G| load(&rest[G][rest::STRETCH_J]));
        let (mean_stiffness, slope_stiffness) = (load(&given.segments[MEAN]), load(&given.segments[SLOPE]));
        // Elongation w (L − j) of the points: its sum is l ε̄, its moment l ε̂; the viscous reference is
        // subtracted.
        let mut elongation = three!(|G| mul(mul(weight[G], f.present), sub(points[G].l, j[G])));
        if let Some(before) = given.before {
            elongation = three!(|G| {
                let past = mul(mul(f.viscosity, j[G]), load(&before[G][strain::EPSILON]));
                fnma(weight[G], past, elongation[G])
            });
        }
        let mean_force = mul(mean_stiffness, add(elongation[0], add(elongation[1], elongation[2])));
        let xi = splat(XI);
        // ξ = −XI, 0, XI at the three points
        let slope_force = mul(mul(slope_stiffness, xi), sub(elongation[2], elongation[0]));
        let force = [
            mul(weight[0], fnma(xi, slope_force, mean_force)),
            mul(weight[1], mean_force),
            mul(weight[2], fma(xi, slope_force, mean_force)),
        ];
        self.force = force;
        let tension = match given.carried {
            None => force,
            Some(carried) => {
                let now = three!(|G| mul(weight[G], sub(points[G].l, j[G])));
                let mean = sub(load(&carried[0]), add(now[0], add(now[1], now[2])));
                let slope = fnma(xi, sub(now[2], now[0]), load(&carried[1]));
                let mean = fma(mul(f.present, mean_stiffness), mean, mean_force);
                let slope = fma(mul(f.present, slope_stiffness), slope, slope_force);
                [
                    mul(weight[0], fnma(xi, slope, mean)),
                    mul(weight[1], mean),
                    mul(weight[2], fma(xi, slope, mean)),
                ]
            }
        };
        self.across = three!(|G| mul(mul(f.tension, points[G].inverse_l), max(tension[G], f.least_tension)));
        let scaled = three!(|G| scale(weight[G], points[G].t));
        let (mean_root, slope_root) = (load(&given.segments[MEAN + 1]), load(&given.segments[SLOPE + 1]));
        let (mean_root, slope_root) =
            (mul(f.viscous_root, mean_root), mul(mul(f.viscous_root, slope_root), xi));
        three!(|K| {
            let beta = three!(|G| load(&table.points[G].beta[K]));
            let ends = [scale(beta[0], scaled[0]), scale(beta[2], scaled[2])];
            self.mean_row[K] =
                three!(|I| mul(mean_root, fma(beta[1], scaled[1][I], add(ends[0][I], ends[1][I]))));
            self.slope_row[K] = three!(|I| mul(slope_root, sub(ends[1][I], ends[0][I])));
        });
    }
}
