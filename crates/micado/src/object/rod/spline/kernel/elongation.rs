//! Mean and slope of the elongation of four segments, see `SplineRod::stretches`.

use super::edges::{Edges, combine, fill_edges};
use super::lanes::*;
use super::stretch::{XI, by_block};
use super::tables::Tables;
use crate::object::rod::spline::SplineRod;
use crate::object::rod::spline::layout::{LANES, STRETCHES, rest};

/// `Σ w (L − j)` and `Σ w ξ (L − j)` of all segments.
#[target_feature(enable = "avx2,fma")]
pub(super) fn fill(rod: &SplineRod, q: &[[f64; 4]], out: &mut [f64]) {
    let tables = Tables::new(rod);
    let out: &mut [[[f64; LANES]; STRETCHES]] = out.as_chunks_mut().0.as_chunks_mut().0;
    let mut edges = Edges::unset();
    for (block, (out, rest)) in out.iter_mut().zip(by_block::<{ rest::FIELDS }>(&rod.rest)).enumerate() {
        let table = tables.of(block);
        fill_edges(rod, q, block, &mut edges);
        let pad = load(&table.pad);
        let elongation = three!(|G| {
            let p = combine(&table.points[G].beta, &edges.x);
            let l = sqrt(fma(p[0], p[0], fma(p[1], p[1], fma(p[2], p[2], pad))));
            mul(load(&table.points[G].weight), sub(l, load(&rest[G][rest::STRETCH_J])))
        });
        store(&mut out[0], add(elongation[0], add(elongation[1], elongation[2])));
        store(&mut out[1], mul(splat(XI), sub(elongation[2], elongation[0])));
    }
}
