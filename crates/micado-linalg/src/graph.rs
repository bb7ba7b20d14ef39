//! Neighbours of every node, both ways.

use crate::matrix::BlockMatrix;
use crate::pattern::NodeKind;

/// The graph of a matrix: for each node the nodes that it shares a block with, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    start: Vec<u32>,
    neighbours: Vec<u32>,
    /// Place of the next neighbour of each node while the graph is filled.
    next: Vec<u32>,
    pub(crate) kinds: Vec<NodeKind>,
}

impl Graph {
    pub(crate) fn of(a: &BlockMatrix) -> Self {
        let n = a.nodes();
        Self::from_upper(n, a.kinds.clone(), |i| a.row_nodes(i)[1..].iter().copied())
    }

    /// From the neighbours above each node; `upper(i)` must be ascending.
    pub(crate) fn from_upper<I: Iterator<Item = u32>>(
        n: usize,
        kinds: Vec<NodeKind>,
        upper: impl Fn(usize) -> I,
    ) -> Self {
        let mut graph = Self { kinds, ..Self::default() };
        graph.connect(n, upper);
        graph
    }

    /// Turns it into the graph of `n` primal nodes and reuses its memory; `upper(i)` must be ascending.
    pub(crate) fn refill<I: Iterator<Item = u32>>(&mut self, n: usize, upper: impl Fn(usize) -> I) {
        self.kinds.clear();
        self.kinds.resize(n, NodeKind::Primal);
        self.connect(n, upper);
    }

    fn connect<I: Iterator<Item = u32>>(&mut self, n: usize, upper: impl Fn(usize) -> I) {
        let Self { start, neighbours, next, .. } = self;
        start.clear();
        start.resize(n + 1, 0);
        for i in 0..n {
            for j in upper(i) {
                start[i + 1] += 1;
                start[j as usize + 1] += 1;
            }
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        // Rows are visited upwards, so that each node first receives its lower neighbours and then its upper
        // ones.
        next.clone_from(start);
        neighbours.clear();
        neighbours.resize(start[n] as usize, 0);
        for i in 0..n {
            for j in upper(i) {
                for (from, to) in [(i, j), (j as usize, i as u32)] {
                    neighbours[next[from] as usize] = to;
                    next[from] += 1;
                }
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }

    pub(crate) fn neighbours(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.neighbours[self.start[node] as usize..self.start[node + 1] as usize]
    }

    pub(crate) fn is_dual(&self, node: u32) -> bool {
        self.kinds[node as usize] == NodeKind::Dual
    }
}
