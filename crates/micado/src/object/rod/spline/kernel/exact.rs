//! The exact second derivative by positions at the quadrature points of four segments.
//!
//! With the moment M = Σ M_a m_a across t, κ = Σ y_a m_a, k_a = w EI_a (1+ν)/j and α_k, β_k, b as in
//! `general.rs`, the pair of edges (k, l) has `β_kβ_l W + β_kα_l X + α_kβ_l Xᵀ + α_kα_l Z`:
//!
//! ```text
//! Z = Σ k_a m_am_aᵀ
//! X = −(t Gᵀ + M tᵀ)/L + w M_t/(2L) [t]ₓ,   G = M + Σ k_a y_a m_a
//! W = (w N/L − M·κ/L²) I + (Σ k_a y_a²/L² + 3 M·κ/L² − w N/L) ttᵀ
//!     − ½ (Mκᵀ + κMᵀ)/L² − (3/2) w M_t (t bᵀ + b tᵀ)/L²
//! ```
//!
//! Terms in t·r'' cancel: those of ∂²/∂r'² and of ∂²/∂r'∂r'' are opposite once β_k' is written as
//! α_k L + β_k t·r''/L. Mean and slope of stretch and twist add their squares.

use super::edges::Geometry;
use super::gather::{ABOVE, BELOW, DIAGONAL, ENTRIES};
use super::lanes::*;
use super::stretch::Stretch;
use super::tables::{BlockTable, EDGE_PAIRS};
use super::twist::{Twist, squares};
use crate::object::rod::spline::layout::POINTS;

/// Stresses and stiffnesses of a quadrature point.
pub(super) struct Stressed {
    /// M
    pub(super) moment: V3,
    /// Σ k_a y_a m_a
    pub(super) stiff: V3,
    /// Σ k_a y_a²
    pub(super) square: V,
    /// w M_t
    pub(super) torque: V,
    /// b
    pub(super) b: V3,
    /// w N/L
    pub(super) across: V,
}

/// Second derivative at a quadrature point; symmetric matrices by their entries (0,0), (1,1), (2,2), (0,1),
/// (0,2), (1,2).
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Second {
    pub(super) alpha: [V; 3],
    w: [V; 6],
    /// X: entries as those of W, then (1,0), (2,0), (2,1).
    x: [V; 9],
    pub(super) z: [V; 6],
}

impl Second {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn unset() -> Self {
        Self { alpha: [unset(); 3], w: [unset(); 6], x: [unset(); 9], z: [unset(); 6] }
    }

    /// W and X of a point.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn fill(&mut self, point: &Geometry, stressed: &Stressed) {
        let Geometry { inverse_l, t, kappa, .. } = *point;
        let Stressed { moment, stiff, square, torque, b, across } = *stressed;
        let inverse_l2 = mul(inverse_l, inverse_l);
        let work = mul(dot(moment, kappa), inverse_l2);
        let identity = sub(across, work);
        let along = fma(splat(3.0), work, fms(square, inverse_l2, across));
        // W = identity I + t uᵀ + u tᵀ + n κᵀ + κ nᵀ
        let half = splat(0.5);
        let turn = mul(mul(splat(1.5), torque), inverse_l2);
        let u = scale_sub(turn, b, scale(mul(half, along), t));
        let n = scale(neg(mul(half, inverse_l2)), moment);
        let diagonal = three!(|I| {
            let product = fma(t[I], u[I], mul(n[I], kappa[I]));
            add(identity, add(product, product))
        });
        self.w = [
            diagonal[0],
            diagonal[1],
            diagonal[2],
            fma(t[0], u[1], fma(u[0], t[1], fma(n[0], kappa[1], mul(kappa[0], n[1])))),
            fma(t[0], u[2], fma(u[0], t[2], fma(n[0], kappa[2], mul(kappa[0], n[2])))),
            fma(t[1], u[2], fma(u[1], t[2], fma(n[1], kappa[2], mul(kappa[1], n[2])))),
        ];
        let m = scale(neg(inverse_l), moment);
        let g = scale_sub(inverse_l, stiff, m);
        let spin = scale(mul(mul(half, torque), inverse_l), t);
        self.x = [
            mul(t[0], add(g[0], m[0])),
            mul(t[1], add(g[1], m[1])),
            mul(t[2], add(g[2], m[2])),
            fma(t[0], g[1], fms(m[0], t[1], spin[2])),
            fma(t[0], g[2], fma(m[0], t[2], spin[1])),
            fma(t[1], g[2], fms(m[1], t[2], spin[0])),
            fma(t[1], g[0], fma(m[1], t[0], spin[2])),
            fma(t[2], g[0], fms(m[2], t[0], spin[1])),
            fma(t[2], g[1], fma(m[2], t[1], spin[0])),
        ];
    }
}

/// Sums of the positions of a pair of edges (k, l) of [`EDGE_PAIRS`] over the quadrature points; the same
/// edge twice has no entries below.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
pub(super) fn positions<const SAME: bool>(
    table: &BlockTable,
    stretch: &Stretch,
    twist: &Twist,
    second: &[Second; POINTS],
    pair: usize,
    out: &mut [V; ENTRIES],
) {
    let (k, l) = EDGE_PAIRS[pair];
    let [mut diagonal, mut above, mut below] = squares(stretch, twist, k, l);
    three!(|G| {
        let (table, Second { alpha, w, x, z }) = (&table.points[G], &second[G]);
        let (beta_k, beta_l) = (load(&table.beta[k]), load(&table.beta[l]));
        let bb = load(&table.beta_beta[pair]);
        let (ba, ab, aa) = (mul(beta_k, alpha[l]), mul(alpha[k], beta_l), mul(alpha[k], alpha[l]));
        let both = add(ba, ab);
        diagonal = three!(|I| fma(bb, w[I], fma(both, x[I], fma(aa, z[I], diagonal[I]))));
        above = three!(|I| {
            fma(bb, w[3 + I], fma(ba, x[3 + I], fma(ab, x[6 + I], fma(aa, z[3 + I], above[I]))))
        });
        if !SAME {
            below = three!(|I| {
                fma(bb, w[3 + I], fma(ba, x[6 + I], fma(ab, x[3 + I], fma(aa, z[3 + I], below[I]))))
            });
        }
    });
    three!(|I| {
        out[DIAGONAL + I] = diagonal[I];
        out[ABOVE + I] = above[I];
        if !SAME {
            out[BELOW + I] = below[I];
        }
    });
}
