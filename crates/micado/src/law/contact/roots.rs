//! Roots: W of each component as L Lᵀ, with as many columns as W has rank.
//!
//! A rigid body has six columns, however many contacts it has. Pivoted Cholesky finds them.
//!
//! The equations of Newton, (H W C + D) x = r with a diagonal D, have one unknown per row that holds. With
//! A = H L and B = Cᵀ L they become (1 + Bᵀ D⁻¹ A) y = Bᵀ D⁻¹ r, x = D⁻¹(r − A y), with one unknown per
//! column of L. Only components that touch are coupled, so this matrix is sparse.

use super::Blocks;
use super::newton::Held;
use glam::{DMat3, DVec3};
use micado_linalg::{Arithmetic, ProfileLu};

/// Remaining diagonal entry of W, as a share of the largest one, below which the rest is rounding.
const LEAST_PIVOT: f64 = 1e-13;
/// Most columns of a root if the dense method is possible too: this many, or a third of the rows.
const SHORT: usize = 24;
/// Most columns of a root otherwise.
const MOST_COLUMNS: usize = 400;

/// The root of a component.
#[derive(Clone, Copy, Debug)]
struct Root {
    /// Its first entry.
    first: usize,
    columns: usize,
    /// Whether it has fewer columns than rows.
    is_short: bool,
}

/// Memory of roots and of the sparse matrix, which is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Roots {
    roots: Vec<Root>,
    /// Entries of all roots: three rows for each place of a block in a component.
    entries: Vec<f64>,
    /// Columns of a root while they are found, and the rest of its diagonal.
    columns: Vec<f64>,
    rest: Vec<f64>,
    /// Whether all roots are complete.
    is_complete: bool,
    sizes: Vec<usize>,
    pairs: Vec<(u32, u32)>,
    /// Operations of a factorisation of the sparse matrix.
    operations: u64,
    matrix: ProfileLu,
    product: Vec<f64>,
    unknowns: Vec<f64>,
}

impl Blocks {
    /// Finds the roots of all components, and orders the sparse matrix.
    pub(super) fn find_roots(&self, most_blocks: usize, found: &mut Roots) {
        found.roots.clear();
        found.entries.clear();
        found.is_complete = true;
        for k in 0..self.components.len() {
            let rows = 3 * self.components[k].count;
            let most = if self.len() > most_blocks { MOST_COLUMNS } else { SHORT.max(rows / 3) };
            self.find_root(k, most, found);
        }
        found.pairs.clear();
        for i in 0..self.len() {
            let places = self.places_of(i);
            for (a, (one, _)) in places.iter().enumerate() {
                found.pairs.extend(places[..a].iter().map(|(other, _)| (*other as u32, *one as u32)));
            }
        }
        found.sizes.clear();
        found.sizes.extend(found.roots.iter().map(|root| root.columns));
        found.operations = 2 * found.matrix.order(&found.sizes, &mut found.pairs);
        for i in 0..self.len() {
            let columns: usize = self.places_of(i).iter().map(|(k, _)| found.roots[*k].columns).sum();
            found.operations += 6 * (columns * columns) as u64;
        }
    }

    /// Whether there may be forces without any motion: a block all of whose components have fewer columns
    /// than rows.
    pub(super) fn is_redundant(&self, found: &Roots) -> bool {
        (0..self.len())
            .any(|i| self.largest[i] > 0.0 && self.places_of(i).iter().all(|(k, _)| found.roots[*k].is_short))
    }

    /// Pivoted Cholesky of the part of W of a component, with at most `most` columns.
    fn find_root(&self, k: usize, most: usize, found: &mut Roots) {
        let super::blocks::Component { count, parts, .. } = self.components[k];
        let Roots { roots, entries, columns, rest, is_complete, .. } = found;
        let rows = 3 * count;
        let entry = |i: usize, j: usize| {
            let (i, j) = (i.max(j), i.min(j));
            let (a, b) = (i / 3, j / 3);
            self.parts[parts + a * (a + 1) / 2 + b].col(j % 3)[i % 3]
        };
        rest.clear();
        rest.extend((0..rows).map(|i| entry(i, i)));
        let used = rest.iter().filter(|own| **own > 0.0).count();
        let least = LEAST_PIVOT * rest.iter().copied().fold(0.0, f64::max);
        columns.clear();
        let (mut made, mut complete) = (0, true);
        loop {
            let pivot = (0..rows).fold(0, |best, i| if rest[i] > rest[best] { i } else { best });
            if rows == 0 || rest[pivot].is_nan() || rest[pivot] <= least {
                break;
            }
            if made == most {
                complete = false;
                break;
            }
            let (known, column) = {
                columns.extend((0..rows).map(|i| entry(i, pivot)));
                columns.split_at_mut(made * rows)
            };
            for known in known.chunks_exact(rows) {
                let factor = known[pivot];
                column.iter_mut().zip(known).for_each(|(entry, known)| *entry -= factor * known);
            }
            let scale = 1.0 / rest[pivot].sqrt();
            for (entry, rest) in column.iter_mut().zip(&mut *rest) {
                *entry *= scale;
                *rest -= *entry * *entry;
            }
            rest[pivot] = 0.0;
            made += 1;
        }
        let first = entries.len();
        for i in 0..rows {
            entries.extend((0..made).map(|column| columns[column * rows + i]));
        }
        roots.push(Root { first, columns: made, is_short: complete && made < used });
        *is_complete &= complete;
    }
}

impl Roots {
    /// Whether the roots are complete, and a factorisation takes less than this many operations.
    pub(super) fn are_cheaper(&self, operations: u64) -> bool {
        self.is_complete && self.operations < operations
    }

    /// Three rows of the root at a place of a block.
    fn rows(&self, (component, at): (usize, usize)) -> [&[f64]; 3] {
        let Root { first, columns, .. } = self.roots[component];
        [0, 1, 2].map(|a| &self.entries[first + (3 * at + a) * columns..][..columns])
    }

    /// Factors 1 + Bᵀ D⁻¹ A for these held components, whose entries of D are `diagonal`.
    pub(super) fn factorise(
        &mut self,
        blocks: &Blocks,
        held: &[Held],
        diagonal: &[f64],
        arithmetic: Arithmetic,
    ) {
        let (mut matrix, mut product) = (std::mem::take(&mut self.matrix), std::mem::take(&mut self.product));
        matrix.begin();
        let mut begin = 0;
        for of_block in held.chunk_by(|a, b| a.block == b.block) {
            // Σ c hᵀ/d
            let mut stiffness = DMat3::ZERO;
            for (held, d) in of_block.iter().zip(&diagonal[begin..]) {
                let c = held.column / *d;
                stiffness += DMat3::from_cols(c * held.row.x, c * held.row.y, c * held.row.z);
            }
            begin += of_block.len();
            let places = blocks.places_of(of_block[0].block);
            for &column in places {
                let right = self.rows(column);
                for &row in places {
                    let left = self.rows(row);
                    let columns = right[0].len();
                    product.clear();
                    for a in 0..left[0].len() {
                        let factors = stiffness.transpose() * DVec3::new(left[0][a], left[1][a], left[2][a]);
                        product.extend((0..columns).map(|b| {
                            factors.x * right[0][b] + factors.y * right[1][b] + factors.z * right[2][b]
                        }));
                    }
                    matrix.add_block([row.0, column.0], columns, &product);
                }
            }
        }
        matrix.factorise(arithmetic);
        (self.matrix, self.product) = (matrix, product);
    }

    /// x ← (H W C + D)⁻¹ x.
    pub(super) fn solve(&mut self, blocks: &Blocks, held: &[Held], diagonal: &[f64], x: &mut [f64]) {
        let mut unknowns = std::mem::take(&mut self.unknowns);
        unknowns.clear();
        unknowns.resize(self.matrix.len(), 0.0);
        for ((held, d), x) in held.iter().zip(diagonal).zip(&*x) {
            let force = held.column * (x / d);
            for &place in blocks.places_of(held.block) {
                let [l0, l1, l2] = self.rows(place);
                let to = &mut unknowns[self.matrix.offset(place.0)..];
                for (a, to) in to.iter_mut().take(l0.len()).enumerate() {
                    *to += l0[a] * force.x + l1[a] * force.y + l2[a] * force.z;
                }
            }
        }
        self.matrix.solve(&mut unknowns);
        for ((held, d), x) in held.iter().zip(diagonal).zip(x) {
            let mut moved = DVec3::ZERO;
            for &place in blocks.places_of(held.block) {
                let from = &unknowns[self.matrix.offset(place.0)..];
                let rows = self.rows(place);
                for (l, moved) in rows.iter().zip(moved.as_mut()) {
                    *moved += l.iter().zip(from).map(|(l, y)| l * y).sum::<f64>();
                }
            }
            *x = (*x - held.row.dot(moved)) / d;
        }
        self.unknowns = unknowns;
    }
}
