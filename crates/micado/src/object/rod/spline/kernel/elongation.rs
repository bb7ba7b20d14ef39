//! Mean and slope of the elongation of four segments, see `SplineRod::stretches`.

use super::edges::{Edges, combine, fill_edges};
use super::lanes::*;
use super::stretch::{XI, by_block};
use super::tables::{BlockTable, Tables};
use crate::object::rod::spline::SplineRod;
use crate::object::rod::spline::layout::{LANES, POINTS, STRETCHES, rest};

/// Constants of the quadrature points of a block.
type Rest = [[[f64; LANES]; rest::FIELDS]; POINTS];

/// `Σ w (L − j)` and `Σ w ξ (L − j)` of all segments; with the increment d that led to the state, L is its
/// linear prediction |r₀'| + t₀·d'.
#[target_feature(enable = "avx2,fma")]
pub(super) fn fill(rod: &SplineRod, q: &[[f64; 4]], led: Option<&[[f64; 4]]>, out: &mut [f64]) {
    let tables = Tables::new(rod);
    let out: &mut [[[f64; LANES]; STRETCHES]] = out.as_chunks_mut().0.as_chunks_mut().0;
    let (mut edges, mut moved) = (Edges::unset(), Edges::unset());
    for (block, (out, rest)) in out.iter_mut().zip(by_block::<{ rest::FIELDS }>(&rod.rest)).enumerate() {
        let table = tables.of(block);
        fill_edges(rod, q, block, &mut edges);
        let speeds = match led {
            None => speeds(table, &edges),
            Some(led) => {
                fill_edges(rod, led, block, &mut moved);
                predicted(table, &edges, &moved)
            }
        };
        store_sums(table, rest, speeds, out);
    }
}

/// |r'| at the quadrature points.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn speeds(table: &BlockTable, edges: &Edges) -> [V; POINTS] {
    let pad = load(&table.pad);
    three!(|G| {
        let p = combine(&table.points[G].beta, &edges.x);
        sqrt(fma(p[0], p[0], fma(p[1], p[1], fma(p[2], p[2], pad))))
    })
}

/// |r₀'| + t₀·d' at the quadrature points, r₀ = r − d.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn predicted(table: &BlockTable, edges: &Edges, moved: &Edges) -> [V; POINTS] {
    let pad = load(&table.pad);
    three!(|G| {
        let beta = &table.points[G].beta;
        let (p, d) = (combine(beta, &edges.x), combine(beta, &moved.x));
        let before = three!(|I| sub(p[I], d[I]));
        let l = sqrt(fma(before[0], before[0], fma(before[1], before[1], fma(before[2], before[2], pad))));
        add(l, div(dot(before, d), l))
    })
}

/// Mean and slope from |r'| at the quadrature points.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn store_sums(table: &BlockTable, rest: &Rest, l: [V; POINTS], out: &mut [[f64; LANES]; STRETCHES]) {
    let elongation =
        three!(|G| mul(load(&table.points[G].weight), sub(l[G], load(&rest[G][rest::STRETCH_J]))));
    store(&mut out[0], add(elongation[0], add(elongation[1], elongation[2])));
    store(&mut out[1], mul(splat(XI), sub(elongation[2], elongation[0])));
}
