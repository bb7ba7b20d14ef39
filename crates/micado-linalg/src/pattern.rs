//! The graph of blocks, before it is frozen into a matrix.

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// Unknowns of an object; unused components are padded with a unit diagonal.
    Primal,
    /// Up to four constraint rows; unused ones are padded with a diagonal of −1. Eliminated after every
    /// primal node that it touches.
    Dual,
}

/// Nodes and the pairs of nodes that share a block, in the caller's order.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    pub(crate) kinds: Vec<NodeKind>,
    /// Pairs (i, j), i < j, in the order given and with repetitions.
    pub(crate) pairs: Vec<(u32, u32)>,
}

impl Pattern {
    /// No node.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets nodes and couplings, keeps the memory.
    pub fn clear(&mut self) {
        self.kinds.clear();
        self.pairs.clear();
    }

    /// Adds a node; indices are consecutive from 0.
    pub fn add_node(&mut self, kind: NodeKind) -> u32 {
        let node = self.kinds.len() as u32;
        self.kinds.push(kind);
        node
    }

    /// Reserves the blocks (i, j) and (j, i). Repetitions are fine, and i = j adds nothing: diagonals are
    /// always there.
    ///
    /// # Panics
    /// If a node does not exist.
    pub fn connect(&mut self, i: u32, j: u32) {
        assert!((i.max(j) as usize) < self.kinds.len(), "connect({i}, {j}): only {} nodes", self.kinds.len());
        // Assembly order repeats pairs mostly at once; the rest is removed when the pattern is frozen.
        let pair = (i.min(j), i.max(j));
        if i != j && self.pairs.last() != Some(&pair) {
            self.pairs.push(pair);
        }
    }

    /// Connects every two of these nodes.
    ///
    /// # Panics
    /// If a node does not exist.
    pub fn clique(&mut self, nodes: &[u32]) {
        for (k, &i) in nodes.iter().enumerate() {
            for &j in &nodes[k + 1..] {
                self.connect(i, j);
            }
        }
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Kind of a node.
    ///
    /// # Panics
    /// If the node does not exist.
    #[must_use]
    pub fn kind(&self, node: u32) -> NodeKind {
        self.kinds[node as usize]
    }
}
