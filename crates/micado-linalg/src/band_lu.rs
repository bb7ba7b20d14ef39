//! The reference solver: reverse Cuthill–McKee on the scalar graph, then band LU with partial pivoting.

use std::fmt;

use crate::graph::Graph;
use crate::matrix::BlockMatrix;
use crate::order::reverse_cuthill_mckee;
use crate::pattern::NodeKind;

/// Band LU found no pivot in this column: the matrix is singular or not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BandSingular {
    /// Column, in the solver's own order.
    pub column: usize,
}

impl fmt::Display for BandSingular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no pivot in column {} of the band", self.column)
    }
}

impl std::error::Error for BandSingular {}

/// P A Pᵀ = L U in a band of half width b, with row exchanges: U has 2b diagonals above the main one.
///
/// The graph is that of the scalar entries that are not zero when it is made, so that padding and rows with
/// few entries cost nothing. Primal and dual unknowns are ordered alike: partial pivoting needs no rule.
#[derive(Clone, Debug)]
pub struct BandLu {
    half_bandwidth: usize,
    /// `position[scalar]`.
    position: Vec<u32>,
    /// Row r holds the columns r − b … r + 2b at `r * width`, width = 3b + 1.
    band: Vec<f64>,
    /// Row taken as pivot of each column.
    pivot: Vec<u32>,
    /// Right side in the solver's order.
    work: Vec<f64>,
}

impl BandLu {
    /// Orders and factors A + diag(shift).
    ///
    /// # Errors
    /// The column in which no pivot was found.
    ///
    /// # Panics
    /// If shift has not four entries per node.
    pub fn from_blocks(a: &BlockMatrix, shift: &[f64]) -> Result<Self, BandSingular> {
        let mut lu = Self {
            half_bandwidth: 0,
            position: Vec::new(),
            band: Vec::new(),
            pivot: Vec::new(),
            work: Vec::new(),
        };
        lu.analyse(a);
        lu.refactorise(a, shift)?;
        Ok(lu)
    }

    /// Factors other values of the same pattern into the same memory. Only when an entry lies outside the
    /// band, because it was zero before, is the band made anew.
    ///
    /// # Errors
    /// The column in which no pivot was found.
    ///
    /// # Panics
    /// If shift has not four entries per node.
    pub fn refactorise(&mut self, a: &BlockMatrix, shift: &[f64]) -> Result<(), BandSingular> {
        assert!(shift.len() == 4 * a.nodes(), "shift must have four entries per node");
        if self.position.len() != shift.len() || !self.load(a) {
            self.analyse(a);
            self.load(a);
        }
        let (b, width) = (self.half_bandwidth, 3 * self.half_bandwidth + 1);
        for (s, &p) in shift.iter().zip(&self.position) {
            self.band[p as usize * width + b] += s;
        }
        self.eliminate()
    }

    /// x ← (A + diag(shift))⁻¹ x, in the caller's order.
    ///
    /// # Panics
    /// If x has not four entries per node.
    pub fn solve(&mut self, x: &mut [f64]) {
        let (n, b, width) = (self.position.len(), self.half_bandwidth, 3 * self.half_bandwidth + 1);
        assert!(x.len() == n, "x must have four entries per node");
        let y = &mut self.work;
        for (x, &p) in x.iter().zip(&self.position) {
            y[p as usize] = *x;
        }
        for k in 0..n {
            y.swap(k, self.pivot[k] as usize);
            let yk = y[k];
            for (below, y) in y[k + 1..n.min(k + b + 1)].iter_mut().enumerate() {
                let r = k + 1 + below;
                *y -= self.band[r * width + b + k - r] * yk;
            }
        }
        for k in (0..n).rev() {
            let last = n.min(k + 2 * b + 1);
            let row = &self.band[k * width + b..];
            let sum: f64 = row[1..last - k].iter().zip(&y[k + 1..last]).map(|(u, y)| u * y).sum();
            y[k] = (y[k] - sum) / row[0];
        }
        for (x, &p) in x.iter_mut().zip(&self.position) {
            *x = y[p as usize];
        }
    }

    /// Half bandwidth b: |r − c| ≤ b for every entry (r, c) in the solver's order.
    #[must_use]
    pub fn half_bandwidth(&self) -> usize {
        self.half_bandwidth
    }

    /// Most floating-point operations of band LU with partial pivoting of n scalars in a half bandwidth b:
    /// each column has b divisions and b rows of 2b products and sums, with row exchanges.
    #[must_use]
    pub fn flops(n: usize, half_bandwidth: usize) -> u64 {
        let column = |k: usize| {
            let (below, right) =
                (half_bandwidth.min(n - 1 - k) as u64, (2 * half_bandwidth).min(n - 1 - k) as u64);
            below * (1 + 2 * right)
        };
        (0..n).map(column).sum()
    }

    /// The order of reverse Cuthill–McKee on the graph of the scalar entries that are not zero,
    /// `position[scalar]`, and the half bandwidth in it.
    #[must_use]
    pub fn reorder(a: &BlockMatrix) -> (Vec<u32>, usize) {
        let n = 4 * a.nodes();
        let upper = |s: usize| {
            let (node, r) = (s / 4, s % 4);
            let start = a.row_start(node);
            let blocks = a.row_nodes(node).iter().enumerate();
            blocks.flat_map(move |(k, &j)| {
                let row = &a.values()[start + k][4 * r..4 * r + 4];
                let entries = row.iter().enumerate().filter(|(_, v)| **v != 0.0);
                entries.map(move |(c, _)| 4 * j + c as u32).filter(move |&t| t as usize > s)
            })
        };
        let graph = Graph::from_upper(n, vec![NodeKind::Primal; n], upper);
        let mut position = vec![0; n];
        for (p, s) in reverse_cuthill_mckee(&graph).into_iter().enumerate() {
            position[s as usize] = p as u32;
        }
        let at = &position;
        let reach = |s: usize| upper(s).map(move |t| at[s].abs_diff(at[t as usize])).max();
        let half_bandwidth = (0..n).filter_map(reach).max().unwrap_or(0) as usize;
        (position, half_bandwidth)
    }

    /// Order, band and memory for the entries that are not zero.
    fn analyse(&mut self, a: &BlockMatrix) {
        (self.position, self.half_bandwidth) = Self::reorder(a);
        let n = self.position.len();
        self.band = vec![0.0; n * (3 * self.half_bandwidth + 1)];
        self.pivot = vec![0; n];
        self.work = vec![0.0; n];
    }

    /// Copies A into the band; false if an entry does not fit.
    fn load(&mut self, a: &BlockMatrix) -> bool {
        let (b, width) = (self.half_bandwidth, 3 * self.half_bandwidth + 1);
        self.band.fill(0.0);
        for i in 0..a.nodes() {
            for (k, &j) in a.row_nodes(i).iter().enumerate() {
                let block = &a.values()[a.row_start(i) + k];
                for (e, &v) in block.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                    let p = self.position[4 * i + e / 4] as usize;
                    let q = self.position[4 * j as usize + e % 4] as usize;
                    if p.abs_diff(q) > b {
                        return false;
                    }
                    self.band[p * width + b + q - p] = v;
                    if k > 0 {
                        self.band[q * width + b + p - q] = v;
                    }
                }
            }
        }
        true
    }

    /// Column by column: largest pivot within the band, exchange, eliminate.
    fn eliminate(&mut self) -> Result<(), BandSingular> {
        let (n, b, width) = (self.position.len(), self.half_bandwidth, 3 * self.half_bandwidth + 1);
        let band = &mut self.band;
        for k in 0..n {
            let below = n.min(k + b + 1);
            let size = |r: usize| band[r * width + b + k - r].abs();
            let mut best = k;
            for r in k + 1..below {
                if size(r) > size(best) {
                    best = r;
                }
            }
            let largest = size(best);
            if largest == 0.0 || !largest.is_finite() {
                return Err(BandSingular { column: k });
            }
            self.pivot[k] = best as u32;
            // Columns k … k + 2b of the rows k and below; those to the left hold multipliers and stay.
            let reach = n.min(k + 2 * b + 1) - k;
            let (pivot_row, rows) = band[k * width + b..].split_at_mut(width - b);
            let pivot_row = &mut pivot_row[..reach];
            if best > k {
                let at = (best - k - 1) * width + b - (best - k);
                pivot_row.swap_with_slice(&mut rows[at..at + reach]);
            }
            let inverse = 1.0 / pivot_row[0];
            for r in 1..below - k {
                let at = (r - 1) * width + b - r;
                let row = &mut rows[at..at + reach];
                let factor = row[0] * inverse;
                row[0] = factor;
                if factor != 0.0 {
                    for (v, u) in row[1..].iter_mut().zip(&pivot_row[1..]) {
                        *v -= factor * u;
                    }
                }
            }
        }
        Ok(())
    }
}
