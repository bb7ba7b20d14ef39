//! The symbolic phase: order of elimination, pattern of the factor, and every index the numeric phase needs.

use crate::components::Components;
use crate::elimination::{Elimination, flops};
use crate::graph::Graph;
use crate::matrix::BlockMatrix;
use crate::order::{Ordering, order};
use std::ops::Range;

/// No block of A: the slot is fill.
pub(crate) const FILL: u32 = u32::MAX;
/// The block of A lies on the other side of the diagonal.
pub(crate) const TRANSPOSED: u32 = 1 << 31;
/// Shortest run of banded columns that is worth a window of its own.
const SHORTEST_RUN: usize = 4;

/// The plan of a factorisation; made once per pattern, used for any values.
///
/// For a rod whose nodes couple with the next three the analysis is linear in time, and matrix, plan and
/// factor together hold about 1.1 kB per node.
#[derive(Clone, Debug)]
pub struct Symbolic {
    ordering: Ordering,
    flops: u64,
    /// `order[position] = node`.
    pub(crate) order: Vec<u32>,
    /// `position[node]`.
    pub(crate) position: Vec<u32>,
    /// Whether positions are nodes.
    pub(crate) identity: bool,
    /// Slot of the diagonal block of each position, and one past the last.
    pub(crate) rows: Vec<u32>,
    /// Column position of each slot; the diagonal first, then ascending.
    pub(crate) columns: Vec<u32>,
    /// For each slot of the factor the slot of A that it starts from (with `TRANSPOSED`), or `FILL`.
    pub(crate) source: Vec<u32>,
    /// Where the targets of each single column begin in `targets`.
    pub(crate) single: Vec<Single>,
    /// Slots of (i, j), i ≤ j in the structure of a single column: j outside, i inside.
    pub(crate) targets: Vec<u32>,
    pub(crate) runs: Vec<Run>,
    /// Whether a position's row starts as one unchanged piece of A that nothing outside its run has updated.
    pub(crate) direct: Vec<bool>,
    matrix_slots: usize,
    components: Components,
    /// Positions of each component.
    ranges: Vec<Range<usize>>,
}

/// A column outside of runs: the slots of its updates are looked up. Those in runs follow from the rows, see
/// [`Symbolic::is_contiguous`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single {
    pub(crate) column: u32,
    pub(crate) targets: usize,
}

/// Consecutive positions `start..end`, each with the structure {k+1, k+2, k+3}.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Symbolic {
    /// Orders the nodes and prepares the factor.
    ///
    /// # Panics
    /// If the factor would hold 2³¹ blocks or more.
    #[must_use]
    pub fn analyse(a: &BlockMatrix, ordering: Ordering) -> Self {
        let graph = Graph::of(a);
        let components = Components::of(&graph);
        Self::plan(a, choose(&graph, &components, a, ordering), components)
    }

    /// Analyses the one of two matrices whose cheapest order takes fewer operations, the first one if they
    /// are equal. Returns whether it is the second one.
    ///
    /// # Panics
    /// If the factor would hold 2³¹ blocks or more.
    #[must_use]
    pub fn analyse_cheaper(first: &BlockMatrix, second: &BlockMatrix) -> (Self, bool) {
        let graphs = [Graph::of(first), Graph::of(second)];
        let [these, those] = [Components::of(&graphs[0]), Components::of(&graphs[1])];
        let one = choose(&graphs[0], &these, first, Ordering::Cheapest);
        let other = choose(&graphs[1], &those, second, Ordering::Cheapest);
        if flops(&other.2) < flops(&one.2) {
            (Self::plan(second, other, those), true)
        } else {
            (Self::plan(first, one, these), false)
        }
    }

    /// Prepares the factor for an order.
    fn plan(a: &BlockMatrix, (ordering, elimination, counts): Choice<'_>, components: Components) -> Self {
        let (rows, columns) = elimination.structure(&counts);
        let Elimination { order, position, .. } = elimination;
        let mut symbolic = Self {
            ordering,
            flops: flops(&counts),
            identity: order.iter().enumerate().all(|(p, &v)| p as u32 == v),
            order,
            position,
            source: Vec::new(),
            single: Vec::new(),
            targets: Vec::new(),
            runs: Vec::new(),
            direct: Vec::new(),
            matrix_slots: a.values().len(),
            ranges: components.ranges(),
            components,
            rows,
            columns,
        };
        symbolic.find_sources(a);
        symbolic.find_runs();
        symbolic.find_targets();
        symbolic
    }

    /// Counted floating-point operations of one factorisation.
    #[must_use]
    pub fn flops(&self) -> u64 {
        self.flops
    }

    /// The rule that was used; never `Cheapest`.
    #[must_use]
    pub fn ordering(&self) -> Ordering {
        self.ordering
    }

    /// Number of 4×4 blocks in the factor, diagonals included.
    #[must_use]
    pub fn factor_blocks(&self) -> usize {
        self.columns.len()
    }

    /// `order()[position] = node`.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Positions of the blocks of row p of the factor Lᵀ: p itself, then the rest by ascending position.
    ///
    /// # Panics
    /// If there is no position p.
    #[must_use]
    pub fn factor_row(&self, p: usize) -> &[u32] {
        &self.columns[self.row(p)]
    }

    /// Where a node stands in the order of elimination.
    ///
    /// # Panics
    /// If the node does not exist.
    #[must_use]
    pub fn position(&self, node: usize) -> usize {
        self.position[node] as usize
    }

    /// Brings a vector with four entries per node from the caller's order into that of elimination.
    ///
    /// # Panics
    /// If x or b has not four entries per node.
    pub fn gather(&self, x: &[f64], b: &mut [f64]) {
        assert!(x.len() == 4 * self.nodes() && b.len() == x.len(), "x and b must have four entries per node");
        let (x, b) = (x.as_chunks::<4>().0, b.as_chunks_mut::<4>().0);
        for (b, &node) in b.iter_mut().zip(&self.order) {
            *b = x[node as usize];
        }
    }

    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.order.len()
    }

    /// Number of components: parts of the matrix without a block between them.
    #[must_use]
    pub fn components(&self) -> usize {
        self.ranges.len()
    }

    /// Component of a node.
    ///
    /// # Panics
    /// If the node does not exist.
    #[must_use]
    pub fn component(&self, node: usize) -> usize {
        self.components.of_node(node)
    }

    /// Positions of a component in the order of elimination.
    ///
    /// # Panics
    /// If there is no such component.
    #[must_use]
    pub fn component_range(&self, component: usize) -> Range<usize> {
        self.ranges[component].clone()
    }

    /// Slots of row p: the diagonal, then the rest.
    pub(crate) fn row(&self, p: usize) -> std::ops::Range<usize> {
        self.rows[p] as usize..self.rows[p + 1] as usize
    }

    /// Whether the structure of p is {p+1, …, p+c}. Then the slot of (p+a, p+b) is `rows[p+a] + b − a`,
    /// because elimination of p joins all of them.
    pub(crate) fn is_contiguous(&self, p: usize) -> bool {
        let row = self.row(p);
        self.columns[row.end - 1] as usize == p + row.len() - 1
    }

    /// Whether the plan was made for this matrix (as far as sizes tell).
    pub(crate) fn fits(&self, a: &BlockMatrix) -> bool {
        self.matrix_slots == a.values().len() && self.order.len() == a.nodes()
    }

    fn slot(&self, p: usize, q: u32) -> usize {
        let row = self.row(p);
        row.start + self.columns[row].partition_point(|&c| c < q)
    }

    fn find_sources(&mut self, a: &BlockMatrix) {
        let mut source = vec![FILL; self.columns.len()];
        for i in 0..a.nodes() {
            let p = self.position[i];
            for (k, &j) in a.row_nodes(i).iter().enumerate() {
                let q = self.position[j as usize];
                let from = (a.row_start(i) + k) as u32;
                if p <= q {
                    source[self.slot(p as usize, q)] = from;
                } else {
                    source[self.slot(q as usize, p)] = from | TRANSPOSED;
                }
            }
        }
        self.source = source;
    }

    fn find_targets(&mut self) {
        let mut targets = Vec::new();
        let mut single = Vec::new();
        let mut runs = self.runs.iter().peekable();
        for k in 0..self.nodes() {
            while runs.next_if(|run| run.end as usize <= k).is_some() {}
            if runs.peek().is_some_and(|run| run.start as usize <= k) {
                continue;
            }
            let row = self.row(k);
            let structure = &self.columns[row.start + 1..row.end];
            let base = targets.len();
            single.push(Single { column: k as u32, targets: base });
            targets.resize(base + structure.len() * (structure.len() + 1) / 2, 0);
            for (i_at, &i) in structure.iter().enumerate() {
                // Row i holds every j of the structure beyond i: one walk along it finds them all.
                let mut slot = self.rows[i as usize] as usize;
                for (j_at, &j) in structure.iter().enumerate().skip(i_at) {
                    while self.columns[slot] != j {
                        slot += 1;
                    }
                    targets[base + j_at * (j_at + 1) / 2 + i_at] = slot as u32;
                }
            }
        }
        self.targets = targets;
        self.single = single;
    }

    fn find_runs(&mut self) {
        let n = self.nodes();
        let banded = |p: usize| self.row(p).len() == 4 && self.is_contiguous(p);
        let mut runs = Vec::new();
        let mut touched = vec![false; n];
        let mut p = 0;
        while p < n {
            let start = p;
            while p < n && banded(p) {
                p += 1;
            }
            if p - start >= SHORTEST_RUN {
                runs.push(Run { start: start as u32, end: p as u32 });
                // The run hands its last updates to the three positions behind it.
                touched[p..p + 3].fill(true);
            } else {
                p = p.max(start + 1);
                for k in start..p {
                    let row = self.row(k);
                    for &j in &self.columns[row.start + 1..row.end] {
                        touched[j as usize] = true;
                    }
                }
            }
        }
        let mut direct = vec![false; n];
        for run in &runs {
            for p in run.start as usize..run.end as usize {
                let row = self.row(p);
                let first = self.source[row.start];
                let unbroken = (0..4).all(|k| self.source[row.start + k] == first.wrapping_add(k as u32));
                direct[p] = !touched[p] && unbroken && first < TRANSPOSED;
            }
        }
        self.runs = runs;
        self.direct = direct;
    }
}

/// An order, what elimination in it does, and the number of blocks that each position keeps.
type Choice<'a> = (Ordering, Elimination<'a>, Vec<u32>);

/// The elimination in the order asked for, with its counts; for `Cheapest` that of the fewest operations.
fn choose<'a>(graph: &'a Graph, components: &Components, a: &BlockMatrix, ordering: Ordering) -> Choice<'a> {
    let eliminate = |rule| {
        let mut order = order(graph, rule);
        components.gather(&mut order);
        let elimination = Elimination::new(graph, order);
        let counts = elimination.counts();
        (rule, elimination, counts)
    };
    if ordering != Ordering::Cheapest {
        return eliminate(ordering);
    }
    let mut best = eliminate(Ordering::Natural);
    let blocks: usize = best.2.iter().map(|&c| c as usize + 1).sum();
    if blocks == a.values().len() {
        // No fill: a factor with the pattern of A can not be made cheaper.
        return best;
    }
    // Runs and neighbouring memory make the natural order cheaper than its count says: others must save a
    // twentieth.
    let mut limit = flops(&best.2) / 20 * 19;
    for rule in [Ordering::ReverseCuthillMcKee, Ordering::MinimumDegree] {
        let other = eliminate(rule);
        if flops(&other.2) < limit {
            limit = flops(&other.2);
            best = other;
        }
    }
    best
}
