//! Twist of four segments from its mean and its slope.
//!
//! ```text
//! T = θ' + τ_ref,  T̄ = Σ w (T − j τ⁰),  T̂ = Σ w ξ (T − j τ⁰),  ξ = 2f − 1
//! M_t = GJ/l (T̄ + ν (T̄−T̄₀)) + 3 α GJ/l ξ (T̂ + ν (T̂−T̂₀))      torque at a point, ν viscosity, T₀ before
//! matrix: GJ (1+ν)/l (r̄_k, s̄_k)(r̄_l, s̄_l)ᵀ, r̄_k = Σ w β_k b/L of positions, s̄_k = Σ w β_k of rolls;
//!         3 α GJ (1+ν)/l (r̂_k, ŝ_k)(r̂_l, ŝ_l)ᵀ, the same with w ξ
//! ```

use super::constants::{TWIST_MEAN, TWIST_SLOPE};
use super::edges::{Ahead, combine_scalar};
use super::frames::Present;
use super::lanes::*;
use super::stretch::{Factors, Given, Stretch, XI};
use crate::object::rod::spline::layout::{POINTS, rest, strain};

/// Output of twist for the other stages.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Twist {
    /// b = t×κ
    pub(super) b: [V3; POINTS],
    /// w M_t
    pub(super) torque: [V; POINTS],
    /// √(GJ (1+ν)/l) r̄_k
    pub(super) mean_row: [V3; 3],
    /// √(3 α GJ (1+ν)/l) r̂_k
    pub(super) slope_row: [V3; 3],
    /// √(GJ (1+ν)/l) s̄_k
    pub(super) mean_roll: [V; 3],
    /// √(3 α GJ (1+ν)/l) ŝ_k
    pub(super) slope_roll: [V; 3],
}

/// j times the reference strain of stress: natural + ν before.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn relaxed(given: &Given<'_>, g: usize, natural: usize, field: usize, viscosity: V) -> V {
    let natural = load(&given.rest[g][natural]);
    let strain = match given.before {
        Some(before) => fma(viscosity, load(&before[g][field]), natural),
        None => natural,
    };
    mul(strain, load(&given.rest[g][rest::J]))
}

impl Twist {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn unset() -> Self {
        let u = [unset(); 3];
        Self { b: [u; POINTS], torque: u, mean_row: [u; 3], slope_row: [u; 3], mean_roll: u, slope_roll: u }
    }

    /// Computes the twist of a block in place; `PLAIN` if it is naturally untwisted and without viscosity.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn fill<const PLAIN: bool>(
        &mut self,
        given: &Given<'_>,
        ahead: &Ahead,
        frames: &Present,
        f: &Factors,
    ) {
        let (table, points) = (given.table, &ahead.points);
        let weight = three!(|G| load(&table.points[G].weight));
        let xi = splat(XI);
        let turned = three!(|G| {
            let twist = combine_scalar(&table.points[G].beta, &ahead.edges.theta, frames.tau[G]);
            if PLAIN {
                mul(weight[G], twist)
            } else {
                mul(weight[G], fms(f.present, twist, relaxed(given, G, rest::TAU, strain::TAU, f.viscosity)))
            }
        });
        let mean = mul(load(&given.segments[TWIST_MEAN]), add(turned[0], add(turned[1], turned[2])));
        let slope = mul(mul(load(&given.segments[TWIST_SLOPE]), xi), sub(turned[2], turned[0]));
        self.torque = [
            mul(weight[0], fnma(xi, slope, mean)),
            mul(weight[1], mean),
            mul(weight[2], fma(xi, slope, mean)),
        ];
        let b = three!(|G| cross(points[G].t, points[G].kappa));
        self.b = b;
        let scaled = three!(|G| scale(mul(weight[G], points[G].inverse_l), b[G]));
        let (mean_root, slope_root) =
            (load(&given.segments[TWIST_MEAN + 1]), mul(load(&given.segments[TWIST_SLOPE + 1]), xi));
        let (mean_root, slope_root) = if PLAIN {
            (mean_root, slope_root)
        } else {
            (mul(f.viscous_root, mean_root), mul(f.viscous_root, slope_root))
        };
        three!(|K| {
            let beta = three!(|G| load(&table.points[G].beta[K]));
            let ends = [scale(beta[0], scaled[0]), scale(beta[2], scaled[2])];
            self.mean_row[K] =
                three!(|I| mul(mean_root, fma(beta[1], scaled[1][I], add(ends[0][I], ends[1][I]))));
            self.slope_row[K] = three!(|I| mul(slope_root, sub(ends[1][I], ends[0][I])));
            let ends = [mul(beta[0], weight[0]), mul(beta[2], weight[2])];
            self.mean_roll[K] = mul(mean_root, fma(beta[1], weight[1], add(ends[0], ends[1])));
            self.slope_roll[K] = mul(slope_root, sub(ends[1], ends[0]));
        });
    }
}

/// Squares of mean and slope of stretch and twist in the positions of edges k and l: entries on, above and
/// below the diagonal.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn squares(stretch: &Stretch, twist: &Twist, k: usize, l: usize) -> [V3; 3] {
    let (rk, rl) = (&stretch.mean_row[k], &stretch.mean_row[l]);
    let (sk, sl) = (&stretch.slope_row[k], &stretch.slope_row[l]);
    let (tk, tl) = (&twist.mean_row[k], &twist.mean_row[l]);
    let (uk, ul) = (&twist.slope_row[k], &twist.slope_row[l]);
    let entry =
        |i: usize, j: usize| fma(uk[i], ul[j], fma(tk[i], tl[j], fma(sk[i], sl[j], mul(rk[i], rl[j]))));
    [
        [entry(0, 0), entry(1, 1), entry(2, 2)],
        [entry(0, 1), entry(0, 2), entry(1, 2)],
        [entry(1, 0), entry(2, 0), entry(2, 1)],
    ]
}
