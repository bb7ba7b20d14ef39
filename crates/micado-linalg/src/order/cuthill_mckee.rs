//! Reverse Cuthill–McKee on the primal nodes; a dual node joins all the primal nodes that it touches.

use crate::graph::Graph;

/// The order of [`Search::order`].
pub(crate) fn reverse_cuthill_mckee(graph: &Graph) -> Vec<u32> {
    let mut search = Search::default();
    search.order(graph);
    search.order
}

/// Number of neighbours when every dual is replaced by a clique (repetitions counted).
fn clique_degree(graph: &Graph, v: u32) -> u32 {
    let through = |&w: &u32| {
        if graph.is_dual(w) { graph.neighbours(w).len() as u32 - 1 } else { 1 }
    };
    graph.neighbours(v).iter().map(through).sum()
}

/// The search and its memory, which is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    degree: Vec<u32>,
    /// Stamp of the last search that met the node.
    seen: Vec<u32>,
    stamp: u32,
    /// The primal nodes in the order in which the last search met them.
    queue: Vec<u32>,
    numbered: Vec<bool>,
    order: Vec<u32>,
}

impl Search {
    /// Breadth-first numbering from an end of each component, neighbours by ascending degree, then reversed.
    ///
    /// A dual node acts as a clique of its primal neighbours. It is expanded once, by the first of them that
    /// is reached, so that the search stays linear in the number of blocks.
    pub(crate) fn order(&mut self, graph: &Graph) -> &[u32] {
        let n = graph.len();
        self.degree.clear();
        self.degree.extend((0..n as u32).map(|v| clique_degree(graph, v)));
        self.stamp = 0;
        self.seen.clear();
        self.seen.resize(n, 0);
        self.numbered.clear();
        self.numbered.resize(n, false);
        self.order.clear();
        for v in 0..n as u32 {
            if graph.is_dual(v) || self.numbered[v as usize] {
                continue;
            }
            self.search_from_an_end(graph, v);
            for &u in &self.queue {
                self.numbered[u as usize] = true;
            }
            self.order.extend_from_slice(&self.queue);
        }
        self.order.reverse();
        &self.order
    }

    /// Searches from a node far from the middle of v's component: restarts from the thinnest node of the last
    /// level while that deepens the search (at most eight times).
    fn search_from_an_end(&mut self, graph: &Graph, v: u32) {
        let (mut depth, mut end) = self.run(graph, v);
        for _ in 0..8 {
            let start = end;
            let (deeper, next) = self.run(graph, start);
            if deeper <= depth {
                return;
            }
            (depth, end) = (deeper, next);
        }
    }

    /// One search from `root`: number of levels, and the node of least degree in the last one.
    fn run(&mut self, graph: &Graph, root: u32) -> (usize, u32) {
        self.stamp += 1;
        self.queue.clear();
        self.meet(root);
        let (mut begin, mut levels) = (0, 0);
        let mut last = 0;
        while begin < self.queue.len() {
            let end = self.queue.len();
            for k in begin..end {
                let first_new = self.queue.len();
                self.expand(graph, self.queue[k]);
                let degree = &self.degree;
                self.queue[first_new..].sort_unstable_by_key(|&u| (degree[u as usize], u));
            }
            (last, begin) = (begin, end);
            levels += 1;
        }
        let thinnest = self.queue[last..].iter().copied().min_by_key(|&u| (self.degree[u as usize], u));
        (levels, thinnest.unwrap_or(root))
    }

    /// Meets the primal neighbours of v, directly and through duals.
    fn expand(&mut self, graph: &Graph, v: u32) {
        for &w in graph.neighbours(v) {
            if !graph.is_dual(w) {
                self.meet(w);
            } else if self.seen[w as usize] != self.stamp {
                self.seen[w as usize] = self.stamp;
                for &u in graph.neighbours(w) {
                    if !graph.is_dual(u) {
                        self.meet(u);
                    }
                }
            }
        }
    }

    fn meet(&mut self, v: u32) {
        if self.seen[v as usize] != self.stamp {
            self.seen[v as usize] = self.stamp;
            self.queue.push(v);
        }
    }
}
