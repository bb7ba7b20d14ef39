//! Effect of elimination in a given order on the pattern: tree, counts and structure of the factor.

use crate::graph::Graph;

const NONE: u32 = u32::MAX;

/// A graph in a given order with its elimination tree. All indices here are positions in the order.
pub(crate) struct Elimination<'a> {
    graph: &'a Graph,
    pub(crate) order: Vec<u32>,
    pub(crate) position: Vec<u32>,
    /// The first position that a column's elimination touches: its parent in the tree.
    parent: Vec<u32>,
}

impl<'a> Elimination<'a> {
    /// The tree, by climbing compressed paths: nearly linear in the number of blocks.
    pub(crate) fn new(graph: &'a Graph, order: Vec<u32>) -> Self {
        let n = graph.len();
        let mut position = vec![0_u32; n];
        for (p, &v) in order.iter().enumerate() {
            position[v as usize] = p as u32;
        }
        let mut parent = vec![NONE; n];
        let mut ancestor = vec![NONE; n];
        for (i, &v) in order.iter().enumerate() {
            let i = i as u32;
            for &w in graph.neighbours(v) {
                let mut k = position[w as usize];
                while k < i {
                    let above = ancestor[k as usize];
                    ancestor[k as usize] = i;
                    if above == NONE {
                        parent[k as usize] = i;
                    }
                    k = above;
                    // `NONE` is the largest index and `i` the root reached: both end the climb.
                }
            }
        }
        Self { graph, order, position, parent }
    }

    /// Calls `visit(k, i)` for every block (k, i), k < i, of the factor, by ascending i.
    ///
    /// Row i of L is the part of the tree between the neighbours k < i and i.
    fn visit(&self, mut visit: impl FnMut(usize, u32)) {
        let mut mark = vec![NONE; self.order.len()];
        for (i, &v) in self.order.iter().enumerate() {
            let i = i as u32;
            mark[i as usize] = i;
            for &w in self.graph.neighbours(v) {
                let mut k = self.position[w as usize];
                while k < i && mark[k as usize] != i {
                    mark[k as usize] = i;
                    visit(k as usize, i);
                    k = self.parent[k as usize];
                }
            }
        }
    }

    /// Number of blocks beyond the diagonal that each position keeps.
    pub(crate) fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0_u32; self.order.len()];
        self.visit(|k, _| counts[k] += 1);
        counts
    }

    /// Rows of the factor: slot of each diagonal, and the column of each slot (the diagonal first, then
    /// ascending).
    pub(crate) fn structure(&self, counts: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let mut rows = Vec::with_capacity(counts.len() + 1);
        let mut total = 0_u64;
        for &count in counts {
            rows.push(total as u32);
            total += u64::from(count) + 1;
            assert!(total < 1 << 31, "a factor holds less than 2³¹ blocks");
        }
        rows.push(total as u32);
        let mut columns = vec![0_u32; total as usize];
        let mut next: Vec<u32> = rows[..counts.len()].to_vec();
        for (p, next) in next.iter_mut().enumerate() {
            columns[*next as usize] = p as u32;
            *next += 1;
        }
        self.visit(|k, i| {
            columns[next[k] as usize] = i;
            next[k] += 1;
        });
        (rows, columns)
    }
}

/// Floating-point operations of the numeric phase: per column with c blocks beyond the diagonal, the inverse
/// of D (120), c products X = D⁻¹R and c(c+1)/2 products RᵀX (128 each).
pub(crate) fn flops(counts: &[u32]) -> u64 {
    let column = |&c: &u32| 120 + 128 * (u64::from(c) + u64::from(c) * (u64::from(c) + 1) / 2);
    counts.iter().map(column).sum()
}
