//! Orders of elimination: a rule for the primal nodes, then every dual node directly after the last node that
//! it touches.

mod cuthill_mckee;
mod minimum_degree;

pub(crate) use cuthill_mckee::{Search, reverse_cuthill_mckee};

use crate::graph::Graph;

/// How the primal nodes are ordered. Dual nodes always follow the last primal node that they touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ordering {
    /// As they were added: the best order for rods.
    Natural,
    /// Reverse Cuthill–McKee: a small band, for long thin structures that were added in no good order.
    ReverseCuthillMcKee,
    /// The node with the fewest remaining neighbours first: for nets and branched structures.
    MinimumDegree,
    /// The one of the three with the fewest counted operations; the earlier in this list if equal, and
    /// natural unless another saves a twentieth.
    ///
    /// When the natural order has no fill it is kept at once, whatever the size: no order of a graph costs
    /// less than one without fill.
    Cheapest,
}

/// `order[position] = node` by the rule asked for, duals in place. `Cheapest` is decided by the caller.
pub(crate) fn order(graph: &Graph, rule: Ordering) -> Vec<u32> {
    let primal = match rule {
        Ordering::Natural | Ordering::Cheapest => {
            (0..graph.len() as u32).filter(|&v| !graph.is_dual(v)).collect()
        }
        Ordering::ReverseCuthillMcKee => reverse_cuthill_mckee(graph),
        Ordering::MinimumDegree => minimum_degree::minimum_degree(graph),
    };
    insert_duals(graph, &primal)
}

/// The nodes that must be eliminated before dual node `dual`: its primal neighbours, and its dual neighbours
/// of lower index.
fn before(graph: &Graph, dual: u32) -> impl Iterator<Item = u32> {
    graph.neighbours(dual).iter().copied().filter(move |&v| !graph.is_dual(v) || v < dual)
}

/// Puts every dual node directly after the last of the nodes that must precede it; those with none come last.
fn insert_duals(graph: &Graph, primal: &[u32]) -> Vec<u32> {
    let n = graph.len();
    // place[v]: number of primal nodes that precede v.
    let mut place = vec![primal.len() as u32; n];
    for (p, &v) in primal.iter().enumerate() {
        place[v as usize] = p as u32 + 1;
    }
    let mut duals: Vec<u32> = (0..n as u32).filter(|&v| graph.is_dual(v)).collect();
    for &d in &duals {
        if let Some(last) = before(graph, d).map(|v| place[v as usize]).max() {
            place[d as usize] = last;
        }
    }
    duals.sort_by_key(|&d| (place[d as usize], d));
    let mut order = Vec::with_capacity(n);
    let mut next = duals.into_iter().peekable();
    for (p, &v) in primal.iter().enumerate() {
        order.push(v);
        while let Some(d) = next.next_if(|&d| place[d as usize] as usize == p + 1) {
            order.push(d);
        }
    }
    order.extend(next);
    order
}
