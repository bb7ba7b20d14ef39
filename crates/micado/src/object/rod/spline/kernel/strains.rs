//! Strains at the quadrature points of four segments, and the energies of bending and twist; see
//! `SplineRod::strains` and `SplineRod::energy`.

use super::constants::{self, ROOT_1, ROOT_2, TWIST_MEAN, TWIST_SLOPE};
use super::edges::{Edges, combine, combine_scalar, fill_edges};
use super::lanes::*;
use super::sincos::sincos;
use super::stretch::{XI, by_block};
use super::tables::{BlockTable, Tables};
use crate::object::rod::spline::SplineRod;
use crate::object::rod::spline::layout::{LANES, POINTS, blocks, frame, rest, strain};

/// Frames of one quadrature point of four segments.
type Frames = [[f64; LANES]; frame::FIELDS];

/// Writes k₁, k₂, τ and ε of all quadrature points. The frames hold t and t' of the same state.
#[target_feature(enable = "avx2,fma")]
pub(super) fn fill(rod: &SplineRod, q: &[[f64; 4]], frames: &[f64], out: &mut [f64]) {
    let tables = Tables::new(rod);
    let (rest, frames) = (by_block::<{ rest::FIELDS }>(&rod.rest), by_block(frames));
    let out: &mut [[[[f64; LANES]; strain::FIELDS]; POINTS]] =
        out.as_chunks_mut().0.as_chunks_mut().0.as_chunks_mut().0;
    let mut edges = Edges::unset();
    for (block, out) in out[..blocks(rod.segments)].iter_mut().enumerate() {
        let table = tables.of(block);
        fill_edges(rod, q, block, &mut edges);
        let pad = load(&table.pad);
        for g in 0..POINTS {
            let (out, rest, frames) = (&mut out[g], &rest[block][g], &frames[block][g]);
            let [y1, y2] = bends(table, &edges, frames, g);
            let inverse_j = div(splat(1.0), load(&rest[rest::J]));
            store(&mut out[strain::K1], mul(y1, inverse_j));
            store(&mut out[strain::K2], mul(y2, inverse_j));
            store(&mut out[strain::TAU], mul(twist(table, &edges, frames, g), inverse_j));
            let p = combine(&table.points[g].beta, &edges.x);
            let l = sqrt(fma(p[0], p[0], fma(p[1], p[1], fma(p[2], p[2], pad))));
            let stretch_j = load(&rest[rest::STRETCH_J]);
            store(&mut out[strain::EPSILON], div(sub(l, stretch_j), stretch_j));
        }
    }
}

/// ½ Σ w EI/j |y − j k⁰|² + ½ GJ/l (T̄² + 3 α T̂²), J.
#[target_feature(enable = "avx2,fma")]
pub(super) fn shape_energy(rod: &SplineRod, q: &[[f64; 4]], frames: &[f64]) -> f64 {
    let tables = Tables::new(rod);
    let (rest, frames) = (by_block::<{ rest::FIELDS }>(&rod.rest), by_block(frames));
    let points = by_block::<{ constants::FIELDS }>(&rod.constants.points);
    let mut edges = Edges::unset();
    let mut sum = zero();
    for block in 0..blocks(rod.segments) {
        let (table, rest, segment) = (tables.of(block), &rest[block], &rod.constants.segments[block]);
        fill_edges(rod, q, block, &mut edges);
        let turned = three!(|G| {
            let (frames, constants) = (&frames[block][G], &points[block][G]);
            let (j, root_1) = (load(&rest[G][rest::J]), load(&constants[ROOT_1]));
            if rod.isotropic_straight {
                // With isotropic bending the directors have no effect.
                let kappa = three!(|I| load(&frames[frame::DT + I]));
                sum = fma(mul(root_1, root_1), dot(kappa, kappa), sum);
            } else {
                let [y1, y2] = bends(table, &edges, frames, G);
                let bent_1 = mul(root_1, fnma(j, load(&rest[G][rest::K1]), y1));
                let bent_2 = mul(load(&constants[ROOT_2]), fnma(j, load(&rest[G][rest::K2]), y2));
                sum = fma(bent_1, bent_1, fma(bent_2, bent_2, sum));
            }
            let turned = fnma(j, load(&rest[G][rest::TAU]), twist(table, &edges, frames, G));
            mul(load(&table.points[G].weight), turned)
        });
        let mean = add(turned[0], add(turned[1], turned[2]));
        let slope = mul(splat(XI), sub(turned[2], turned[0]));
        sum = fma(mul(load(&segment[TWIST_MEAN]), mean), mean, sum);
        sum = fma(mul(load(&segment[TWIST_SLOPE]), slope), slope, sum);
    }
    let mut lanes = [0.0; LANES];
    store(&mut lanes, sum);
    0.5 * ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))
}

/// y_a = m_a·κ
#[inline]
#[target_feature(enable = "avx2,fma")]
fn bends(table: &BlockTable, edges: &Edges, frames: &Frames, g: usize) -> [V; 2] {
    let (sin, cos) = sincos(combine_scalar(&table.points[g].gamma, &edges.theta, edges.theta_0));
    let t = three!(|I| load(&frames[frame::T + I]));
    let kappa = three!(|I| load(&frames[frame::DT + I]));
    let a1 = three!(|I| load(&frames[frame::A1 + I]));
    let (along_1, along_2) = (dot(a1, kappa), dot(cross(t, a1), kappa));
    [fma(cos, along_1, mul(sin, along_2)), fms(cos, along_2, mul(sin, along_1))]
}

/// T = θ' + τ_ref
#[inline]
#[target_feature(enable = "avx2,fma")]
fn twist(table: &BlockTable, edges: &Edges, frames: &Frames, g: usize) -> V {
    combine_scalar(&table.points[g].beta, &edges.theta, load(&frames[frame::TAU]))
}
