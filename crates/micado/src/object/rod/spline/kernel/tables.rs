//! Basis tables of a block of four segments, shared by all rods with even segments; uneven ones have their
//! own.
//!
//! In even rods only the distance of a block to the two ends matters: whether it is the first, and how many
//! segments are left, up to six. Lanes beyond the end of a rod have weight zero, and a positive `pad` that
//! keeps their |r'| away from zero.

use crate::geometry::basis::{Family, SegmentBasis};
use crate::geometry::quadrature::GAUSS_3;
use crate::object::rod::spline::SplineRod;
use crate::object::rod::spline::layout::{LANES, POINTS, blocks};
use std::collections::BTreeMap;
use std::sync::LazyLock;

type Lanes = [f64; LANES];

/// Pairs of edges in the order of the tables and buffers.
pub(super) const EDGE_PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)];
/// Pairs of control points in the order of the tables and buffers.
pub(super) const NODE_PAIRS: [(usize, usize); 10] =
    [(0, 0), (1, 1), (2, 2), (3, 3), (0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (0, 3)];

/// Basis values at one quadrature point of four segments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(super) struct PointTable {
    /// Gauss weight, zero in lanes beyond the end.
    pub(super) weight: Lanes,
    /// β_k: r' = Σ β_k e_k.
    pub(super) beta: [Lanes; 3],
    /// β_k': r'' = Σ β_k' e_k.
    pub(super) dbeta: [Lanes; 3],
    /// β_k β_l by [`EDGE_PAIRS`].
    pub(super) beta_beta: [Lanes; 6],
    /// γ_k = Σ_{i>k} b_i: θ = θ_0 + Σ γ_k (θ_{k+1} − θ_k).
    pub(super) gamma: [Lanes; 3],
    /// b_i
    pub(super) b: [Lanes; 4],
    /// b_i'
    pub(super) db: [Lanes; 4],
    /// b_i b_j by [`NODE_PAIRS`].
    pub(super) b_b: [Lanes; 10],
}

/// Basis values of four segments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(super) struct BlockTable {
    pub(super) points: [PointTable; POINTS],
    /// One in lanes beyond the end, else zero.
    pub(super) pad: Lanes,
}

/// Number of remaining segments from which on a block doesn't depend on the end.
const FAR: usize = 6;

static TABLES: LazyLock<[Vec<BlockTable>; 3]> = LazyLock::new(|| {
    [Family::Clamped, Family::Periodic, Family::CatmullRom].map(|family| {
        let start_and_count = [0, 2 * FAR].into_iter().flat_map(|s| (1..=FAR).map(move |left| (s, s + left)));
        start_and_count
            .map(|(s, n)| BlockTable::new(family, s, if n - s < FAR { n } else { n + FAR }))
            .collect()
    })
});

/// Computes the tables.
pub(super) fn prepare() {
    LazyLock::force(&TABLES);
}

/// Tables of a rod with uneven segments: equal blocks share one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct OwnTables {
    tables: Vec<BlockTable>,
    /// Table of each block; empty for an even rod.
    of: Vec<u32>,
}

impl OwnTables {
    pub(super) fn new(rod: &SplineRod) -> Self {
        let (mut tables, mut of) = (Vec::new(), Vec::new());
        let mut known = BTreeMap::new();
        for block in 0..if rod.uneven.is_some() { blocks(rod.segments) } else { 0 } {
            let lane = |k: usize| Some(LANES * block + k).filter(|&e| e < rod.segments);
            let kinds: [Option<usize>; LANES] = std::array::from_fn(|k| lane(k).map(|e| rod.table_index(e)));
            let table = *known.entry(kinds).or_insert_with(|| {
                tables.push(BlockTable::of(|k| match lane(k) {
                    Some(e) => (rod.table(e).basis, true),
                    None => (rod.table(rod.segments - 1).basis, false),
                }));
                tables.len() as u32 - 1
            });
            of.push(table);
        }
        Self { tables, of }
    }
}

/// Tables of a rod, by block.
pub(super) struct Tables<'a> {
    tables: &'a [BlockTable],
    segments: usize,
    own: Option<&'a OwnTables>,
}

impl<'a> Tables<'a> {
    pub(super) fn new(rod: &'a SplineRod) -> Self {
        let own = rod.uneven.as_ref().map(|_| &rod.constants.tables);
        Self { tables: &TABLES[rod.family as usize], segments: rod.segments, own }
    }

    /// Table of the four segments of a block.
    #[inline]
    pub(super) fn of(&self, block: usize) -> &'a BlockTable {
        if let Some(own) = self.own {
            return &own.tables[own.of[block] as usize];
        }
        let left = self.segments - LANES * block;
        &self.tables[if block == 0 { 0 } else { FAR } + left.min(FAR) - 1]
    }
}

impl BlockTable {
    /// Segments s to s + 3 of a rod with n.
    fn new(family: Family, s: usize, n: usize) -> Self {
        Self::of(|lane| (SegmentBasis::new(family, (s + lane).min(n - 1), n), s + lane < n))
    }

    /// From the basis of each lane, and whether the lane has a segment.
    fn of(segment: impl Fn(usize) -> (SegmentBasis, bool)) -> Self {
        let mut table = Self::default();
        for lane in 0..LANES {
            let (basis, exists) = segment(lane);
            table.pad[lane] = if exists { 0.0 } else { 1.0 };
            for (point, (f, weight)) in table.points.iter_mut().zip(GAUSS_3) {
                let w = basis.weights(f);
                point.weight[lane] = if exists { weight } else { 0.0 };
                let beta: [f64; 3] = std::array::from_fn(|k| -w.db[..=k].iter().sum::<f64>());
                for k in 0..3 {
                    point.beta[k][lane] = beta[k];
                    point.dbeta[k][lane] = -w.ddb[..=k].iter().sum::<f64>();
                    point.gamma[k][lane] = w.b[k + 1..].iter().sum::<f64>();
                }
                for (pair, (k, l)) in EDGE_PAIRS.into_iter().enumerate() {
                    point.beta_beta[pair][lane] = beta[k] * beta[l];
                }
                for i in 0..4 {
                    point.b[i][lane] = w.b[i];
                    point.db[i][lane] = w.db[i];
                }
                for (pair, (i, j)) in NODE_PAIRS.into_iter().enumerate() {
                    point.b_b[pair][lane] = w.b[i] * w.b[j];
                }
            }
        }
        table
    }
}
