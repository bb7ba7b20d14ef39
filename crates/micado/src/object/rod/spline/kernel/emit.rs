//! From lanes to the rows of the matrix and to the force.

use super::gather::Row;
use super::lanes::*;
use crate::object::rod::spline::SplineRod;
use crate::object::rod::spline::layout::LANES;
use crate::object::rod::spline::linearise::block_slot;
use micado_linalg::{Block, BlockMatrix};

/// Output of a rod.
pub(super) struct Target<'a> {
    pub(super) rod: &'a SplineRod,
    /// Factor of the mass matrix.
    pub(super) mass: f64,
    /// First node of the rod in the matrix.
    pub(super) first: usize,
    pub(super) matrix: &'a mut BlockMatrix,
    /// The rod's own part of the force, by node.
    pub(super) force: &'a mut [[f64; 4]],
}

impl Target<'_> {
    /// Blocks of four control points, three of which are beyond the last segment.
    pub(super) fn blocks(&self) -> usize {
        (self.rod.segments + 3).div_ceil(LANES)
    }

    /// Writes the rows of the control points 4·`block` … + 3, entry by entry as in a block of the matrix, and
    /// their gradient.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn emit(&mut self, block: usize, rows: &mut [Row; 16], gradient: [V; 4]) {
        let (i, n) = (LANES * block, self.force.len());
        let gradient = transpose(gradient);
        if i + 6 < n {
            let mass = &self.rod.mass;
            self.add_mass([&mass[i], &mass[i + 1], &mass[i + 2], &mass[i + 3]], rows);
            let start: [usize; 4] = std::array::from_fn(|k| self.matrix.row_start(self.first + i + k));
            let (a, rest) = self.matrix.values_mut()[start[0]..].split_at_mut(start[1] - start[0]);
            let (b, rest) = rest.split_at_mut(start[2] - start[1]);
            let (c, d) = rest.split_at_mut(start[3] - start[2]);
            transpose_rows(rows, [four(a), four(b), four(c), four(d)]);
            let force: &mut [[f64; 4]; 4] = (&mut self.force[i..i + 4]).try_into().expect("four");
            for (f, g) in force.iter_mut().zip(gradient) {
                store(f, sub(load(f), g));
            }
        } else {
            self.emit_end(i, rows, gradient);
        }
    }

    /// The last rows of an open rod: some are shorter or don't exist.
    #[cold]
    #[target_feature(enable = "avx2,fma")]
    fn emit_end(&mut self, i: usize, rows: &mut [Row; 16], gradient: [V; 4]) {
        if self.rod.is_closed() {
            return self.emit_seam(i, rows, gradient);
        }
        let left = self.force.len().saturating_sub(i);
        let mass: [&[f64; 8]; 4] = std::array::from_fn(|k| self.rod.mass.get(i + k).unwrap_or(&[0.0; 8]));
        self.add_mass(mass, rows);
        for (f, g) in self.force[i..].iter_mut().zip(gradient) {
            store(f, sub(load(f), g));
        }
        let mut slots = [0; 4];
        for lane in 0..left.min(LANES) {
            slots[lane] = self.matrix.row_start(self.first + i + lane);
        }
        let values = self.matrix.values_mut();
        // Number of rows with a block d places beyond their diagonal.
        for d in 0..left.min(4) {
            let count = (left - d).min(LANES);
            for r in 0..4 {
                let row =
                    transpose([rows[4 * r][d], rows[4 * r + 1][d], rows[4 * r + 2][d], rows[4 * r + 3][d]]);
                store(&mut values[slots[0] + d].as_chunks_mut().0[r], row[0]);
                if count > 1 {
                    store(&mut values[slots[1] + d].as_chunks_mut().0[r], row[1]);
                }
                if count > 2 {
                    store(&mut values[slots[2] + d].as_chunks_mut().0[r], row[2]);
                }
                if count > 3 {
                    store(&mut values[slots[3] + d].as_chunks_mut().0[r], row[3]);
                }
            }
        }
    }

    /// The last rows of a closed rod: some are the first rows again.
    #[target_feature(enable = "avx2,fma")]
    fn emit_seam(&mut self, i: usize, rows: &mut [Row; 16], gradient: [V; 4]) {
        let n = self.force.len();
        let mass: [[f64; 8]; 4] =
            std::array::from_fn(|k| self.rod.mass.get(i + k).copied().unwrap_or_default());
        self.add_mass(mass.each_ref(), rows);
        let mut blocks = [[[0.0; 16]; 4]; 4];
        let [a, b, c, d] = &mut blocks;
        transpose_rows(rows, [a, b, c, d]);
        for lane in 0..LANES {
            let node = i + lane;
            let row = if node < n { node } else { node - n };
            if node >= n + 3 {
                break;
            }
            let force = sub(load(&self.force[row]), gradient[lane]);
            store(&mut self.force[row], force);
            for d in 0..4 {
                let block = &blocks[lane][d];
                let column = if node + d < n { node + d } else { node + d - n };
                if node + d < n {
                    let slot = self.matrix.row_start(self.first + node) + d;
                    self.matrix.values_mut()[slot] = *block;
                } else if column < n {
                    self.add_wrapped(row, column, block);
                }
            }
        }
    }

    /// Adds a block that crosses the seam of a closed rod.
    fn add_wrapped(&mut self, row: usize, column: usize, block: &Block) {
        let transposed = row > column;
        let (upper, lower) = if transposed { (column, row) } else { (row, column) };
        let slot = block_slot(self.matrix, self.first + upper, self.first + lower);
        let target = &mut self.matrix.values_mut()[slot];
        for r in 0..4 {
            for c in 0..4 {
                target[4 * r + c] += if transposed { block[4 * c + r] } else { block[4 * r + c] };
            }
        }
    }

    /// Adds the mass term of four control points to the diagonals of their blocks.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn add_mass(&self, mass: [&[f64; 8]; 4], rows: &mut [Row; 16]) {
        let factor = splat(self.mass);
        let first = |k: usize| mass[k].first_chunk().expect("eight entries");
        let last = |k: usize| mass[k].last_chunk().expect("eight entries");
        let translation = transpose([load(first(0)), load(first(1)), load(first(2)), load(first(3))]);
        let rotation = transpose([load(last(0)), load(last(1)), load(last(2)), load(last(3))]);
        for d in 0..4 {
            for entry in [0, 5, 10] {
                rows[entry][d] = fma(factor, translation[d], rows[entry][d]);
            }
            rows[15][d] = fma(factor, rotation[d], rows[15][d]);
        }
    }
}

/// The four blocks of the band at the beginning of a row.
#[inline]
fn four(row: &mut [Block]) -> &mut [Block; 4] {
    row.first_chunk_mut().expect("the rows of a rod begin with the blocks of its band")
}

/// Exchanges lanes and entries: row r of block d of four control points at a time.
#[inline]
#[target_feature(enable = "avx2,fma")]
#[expect(clippy::needless_pass_by_value, reason = "exclusive references are given away")]
fn transpose_rows(rows: &[Row; 16], out: [&mut [Block; 4]; 4]) {
    for d in 0..4 {
        for r in 0..4 {
            let row = transpose([rows[4 * r][d], rows[4 * r + 1][d], rows[4 * r + 2][d], rows[4 * r + 3][d]]);
            store(&mut out[0][d].as_chunks_mut().0[r], row[0]);
            store(&mut out[1][d].as_chunks_mut().0[r], row[1]);
            store(&mut out[2][d].as_chunks_mut().0[r], row[2]);
            store(&mut out[3][d].as_chunks_mut().0[r], row[3]);
        }
    }
}
