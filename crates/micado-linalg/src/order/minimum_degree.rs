//! Minimum degree by a quotient graph; a dual node is eliminated as soon as nothing that must precede it is
//! left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::graph::Graph;

/// Orders the primal nodes: always one whose elimination joins (about) the fewest others.
///
/// An eliminated node becomes an *element*, the list of the nodes that it has joined; elements that it
/// touches are absorbed. The degree of a node is bounded above by its own couplings plus, for each of its
/// elements e, |e| less what the newest element already counts. Memory is that of the graph plus that of the
/// factor's pattern. Ties go to the lower index.
pub(crate) fn minimum_degree(graph: &Graph) -> Vec<u32> {
    let mut quotient = Quotient::new(graph);
    let mut order = Vec::with_capacity(graph.len());
    while let Some(v) = quotient.thinnest() {
        order.push(v);
        quotient.eliminate(v);
        // Duals that have become free follow at once, as they will in the final order; each may free others.
        while let Some(dual) = quotient.free.pop() {
            quotient.eliminate(dual);
        }
    }
    order
}

const GONE: u32 = u32::MAX;

struct Quotient<'a> {
    graph: &'a Graph,
    /// Per node: elements first, then remaining nodes; never longer than its list of neighbours in the graph.
    lists: Vec<u32>,
    start: Vec<u32>,
    elements: Vec<u32>,
    len: Vec<u32>,
    /// Upper bound of the number of remaining neighbours; `GONE` once eliminated.
    degree: Vec<u32>,
    /// Members of each element: a range of `pool`.
    pool: Vec<u32>,
    member: Vec<(u32, u32)>,
    absorbed: Vec<bool>,
    /// Members of an element outside the newest one, valid while `outside_stamp` is current.
    outside: Vec<u32>,
    outside_stamp: Vec<u32>,
    mark: Vec<u32>,
    stamp: u32,
    /// Nodes that must still precede a dual.
    waits: Vec<u32>,
    free: Vec<u32>,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
}

impl<'a> Quotient<'a> {
    fn new(graph: &'a Graph) -> Self {
        let n = graph.len();
        let mut start = Vec::with_capacity(n);
        let mut lists = Vec::new();
        let mut len = Vec::with_capacity(n);
        let mut waits = vec![0; n];
        let mut heap = BinaryHeap::with_capacity(n);
        for v in 0..n as u32 {
            start.push(lists.len() as u32);
            lists.extend_from_slice(graph.neighbours(v));
            len.push(graph.neighbours(v).len() as u32);
            if graph.is_dual(v) {
                waits[v as usize] = super::before(graph, v).count() as u32;
            } else {
                heap.push(Reverse((graph.neighbours(v).len() as u32, v)));
            }
        }
        Self {
            graph,
            pool: Vec::with_capacity(lists.len()),
            lists,
            start,
            elements: vec![0; n],
            degree: len.clone(),
            len,
            member: vec![(0, 0); n],
            absorbed: vec![false; n],
            outside: vec![0; n],
            outside_stamp: vec![0; n],
            mark: vec![0; n],
            stamp: 0,
            waits,
            free: Vec::new(),
            heap,
        }
    }

    /// The remaining primal node of least degree.
    fn thinnest(&mut self) -> Option<u32> {
        while let Some(Reverse((degree, v))) = self.heap.pop() {
            if self.degree[v as usize] == degree {
                return Some(v);
            }
        }
        None
    }

    fn eliminate(&mut self, v: u32) {
        self.gather_element(v);
        self.degree[v as usize] = GONE;
        let (from, to) = self.member[v as usize];
        self.count_outside(from, to);
        for k in from..to {
            let i = self.pool[k as usize];
            self.rewrite_list(i, v, to - from);
            if !self.graph.is_dual(i) {
                self.heap.push(Reverse((self.degree[i as usize], i)));
            }
        }
        for &w in self.graph.neighbours(v) {
            let must_wait = self.graph.is_dual(w) && (!self.graph.is_dual(v) || v < w);
            if must_wait {
                self.waits[w as usize] -= 1;
                if self.waits[w as usize] == 0 && self.degree[w as usize] != GONE {
                    self.free.push(w);
                }
            }
        }
    }

    /// Members of the new element v: remaining neighbours of v, directly and through its elements, which are
    /// absorbed.
    fn gather_element(&mut self, v: u32) {
        self.stamp += 1;
        self.mark[v as usize] = self.stamp;
        let from = self.pool.len() as u32;
        let list = self.start[v as usize] as usize;
        for k in 0..self.len[v as usize] as usize {
            let w = self.lists[list + k];
            if k < self.elements[v as usize] as usize {
                let (a, b) = self.member[w as usize];
                for m in a..b {
                    self.join(self.pool[m as usize]);
                }
                self.absorbed[w as usize] = true;
            } else {
                self.join(w);
            }
        }
        self.member[v as usize] = (from, self.pool.len() as u32);
    }

    fn join(&mut self, u: u32) {
        if self.degree[u as usize] != GONE && self.mark[u as usize] != self.stamp {
            self.mark[u as usize] = self.stamp;
            self.pool.push(u);
        }
    }

    /// For every element that meets the new one: how many of its members lie outside it.
    fn count_outside(&mut self, from: u32, to: u32) {
        for k in from..to {
            let i = self.pool[k as usize] as usize;
            let list = self.start[i] as usize;
            for m in 0..self.elements[i] as usize {
                let e = self.lists[list + m] as usize;
                if self.absorbed[e] {
                    continue;
                }
                if self.outside_stamp[e] != self.stamp {
                    self.outside_stamp[e] = self.stamp;
                    let (a, b) = self.member[e];
                    self.outside[e] = b - a;
                }
                self.outside[e] -= 1;
            }
        }
    }

    /// Replaces in i's list everything that element v covers by v itself, and bounds i's degree anew.
    fn rewrite_list(&mut self, i: u32, v: u32, size: u32) {
        let list = self.start[i as usize] as usize;
        let (elements, len) = (self.elements[i as usize] as usize, self.len[i as usize] as usize);
        let mut degree = size - 1;
        let mut to = 0;
        for k in 0..elements {
            let e = self.lists[list + k];
            if !self.absorbed[e as usize] && self.outside[e as usize] > 0 {
                degree += self.outside[e as usize];
                self.lists[list + to] = e;
                to += 1;
            }
        }
        let kept = to;
        for k in elements..len {
            let u = self.lists[list + k];
            if self.mark[u as usize] != self.stamp && self.degree[u as usize] != GONE {
                degree += 1;
                self.lists[list + to] = u;
                to += 1;
            }
        }
        // Something was removed, since i met v directly or through an absorbed element: there is room for v.
        self.lists.copy_within(list + kept..list + to, list + kept + 1);
        self.lists[list + kept] = v;
        self.elements[i as usize] = kept as u32 + 1;
        self.len[i as usize] = to as u32 + 1;
        self.degree[i as usize] = degree;
    }
}
