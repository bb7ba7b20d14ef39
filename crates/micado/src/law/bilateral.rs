//! Bilateral: δ = 0 for one to six rows together, so f = −w⁻¹k.
//!
//! A visit changes the forces by −w⁻¹δ, where δ = w f + k is the present displacement. Rows that depend on
//! others of the block, and rows that no force can move, keep their forces: their pivots in w = L D Lᵀ are
//! zero.

use super::MAX_BLOCK;

/// A pivot below this share of its diagonal entry is rounding.
const LEAST_PIVOT: f64 = 1e-12;

/// Number of rows of a bilateral block, 1 to [`MAX_BLOCK`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRows(u8);

impl BlockRows {
    /// A block of this number of rows, clamped to 1 to [`MAX_BLOCK`].
    pub const fn new(rows: usize) -> Self {
        Self(if rows < 1 {
            1
        } else if rows > MAX_BLOCK {
            MAX_BLOCK as u8
        } else {
            rows as u8
        })
    }

    /// Returns the number.
    pub const fn count(self) -> usize {
        self.0 as usize
    }
}

/// Solves `0 = w f + k`; w is stored by rows, `f` holds the previous forces.
pub fn solve(w: &[f64], k: &[f64], f: &mut [f64]) {
    let rows = k.len();
    let (mut lower, mut pivots, mut x) = ([[0.0; MAX_BLOCK]; MAX_BLOCK], [0.0; MAX_BLOCK], [0.0; MAX_BLOCK]);
    for a in 0..rows {
        for b in 0..=a {
            let known: f64 = (0..b).map(|c| lower[a][c] * pivots[c] * lower[b][c]).sum();
            let rest = w[a * rows + b] - known;
            if b < a {
                lower[a][b] = if pivots[b] > 0.0 { rest / pivots[b] } else { 0.0 };
            } else {
                pivots[a] = if rest > LEAST_PIVOT * w[a * rows + a] { rest } else { 0.0 };
            }
        }
        let delta = k[a] + (0..rows).map(|b| w[a * rows + b] * f[b]).sum::<f64>();
        x[a] = delta - (0..a).map(|b| lower[a][b] * x[b]).sum::<f64>();
    }
    for a in (0..rows).rev() {
        let held = if pivots[a] > 0.0 { x[a] / pivots[a] } else { 0.0 };
        // A row without a pivot keeps its force, and doesn't affect the forces of others.
        x[a] =
            if pivots[a] > 0.0 { held - (a + 1..rows).map(|b| lower[b][a] * x[b]).sum::<f64>() } else { 0.0 };
    }
    f.iter_mut().zip(x).for_each(|(f, x)| *f -= x);
}

#[cfg(test)]
mod tests {
    use super::{BlockRows, solve};

    #[test]
    fn block_of_six_rows_does_not_move() {
        // w = Id + vvᵀ
        let v = [1.0, -2.0, 0.5, 3.0, 0.1, -0.7];
        let w: Vec<f64> =
            (0..36).map(|i| f64::from(u8::from(i / 6 == i % 6)) + v[i / 6] * v[i % 6]).collect();
        let k = [0.3, -1.0, 2.0, 0.0, 4.0, -0.2];
        let mut f = [5.0; 6];
        solve(&w, &k, &mut f);
        // (Id + vvᵀ)⁻¹ = Id − vvᵀ/(1 + v·v)
        let dot = |a: &[f64; 6], b: &[f64; 6]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for a in 0..6 {
            let expected = -(k[a] - v[a] * dot(&v, &k) / (1.0 + dot(&v, &v)));
            assert!((f[a] - expected).abs() < 1e-13, "{a}: {} {expected}", f[a]);
        }
    }

    #[test]
    fn equal_rows_keep_their_shares_and_immovable_rows_their_force() {
        // Two rows on one displacement, and a row that no force moves.
        let w = [2.0, 2.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0];
        let mut f = [0.5, 0.25, 3.0];
        solve(&w, &[-3.0, -3.0, 1.0], &mut f);
        assert!((f[0] + f[1] - 1.5).abs() < 1e-14, "{f:?}");
        assert_eq!(f[1..], [0.25, 3.0]);
        // Solved rows stay.
        let before = f;
        solve(&w, &[-3.0, -3.0, 1.0], &mut f);
        assert_eq!(f, before);
    }

    #[test]
    fn numbers_of_rows_are_within_their_range() {
        assert_eq!([0, 1, 6, 9].map(|rows| BlockRows::new(rows).count()), [1, 1, 6, 6]);
    }
}
