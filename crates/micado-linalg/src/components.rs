//! Components: parts of a graph that share no block. Each is contiguous in every order of elimination, so it
//! can be solved alone.

use crate::graph::Graph;
use std::ops::Range;

/// The components of a graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Components {
    /// Component of each node; they are numbered by their first nodes.
    of_node: Vec<u32>,
    count: usize,
}

impl Components {
    /// Finds the components, by a search from each node that is not reached yet.
    pub(crate) fn of(graph: &Graph) -> Self {
        const NONE: u32 = u32::MAX;
        let mut of_node = vec![NONE; graph.len()];
        let (mut count, mut stack) = (0, Vec::new());
        for first in 0..graph.len() as u32 {
            if of_node[first as usize] != NONE {
                continue;
            }
            of_node[first as usize] = count;
            stack.push(first);
            while let Some(node) = stack.pop() {
                for &next in graph.neighbours(node) {
                    if of_node[next as usize] == NONE {
                        of_node[next as usize] = count;
                        stack.push(next);
                    }
                }
            }
            count += 1;
        }
        Self { of_node, count: count as usize }
    }

    /// Component of a node.
    pub(crate) fn of_node(&self, node: usize) -> usize {
        self.of_node[node] as usize
    }

    /// Brings the nodes of each component together. Their order within it stays, and so does the fill.
    pub(crate) fn gather(&self, order: &mut [u32]) {
        if self.count > 1 {
            order.sort_by_key(|&node| self.of_node[node as usize]);
        }
    }

    /// Positions of each component in an order that was gathered.
    pub(crate) fn ranges(&self) -> Vec<Range<usize>> {
        let mut sizes = vec![0; self.count];
        self.of_node.iter().for_each(|&component| sizes[component as usize] += 1);
        let mut start = 0;
        let range = |size: usize| {
            start += size;
            start - size..start
        };
        sizes.into_iter().map(range).collect()
    }
}
