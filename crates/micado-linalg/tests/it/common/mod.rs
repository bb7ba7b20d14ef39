//! Random quasi-definite systems and a dense reference.

use micado_linalg::{BlockMatrix, NodeKind, Pattern};

/// splitmix64: small, repeatable.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    /// Uniform in (−1, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
    pub(crate) fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.unit()).collect()
    }
}

/// A structure to fill: elements couple primal nodes with energy, rows are duals over primal nodes.
#[derive(Clone, Default)]
pub(crate) struct Frame {
    pub(crate) pattern: Pattern,
    pub(crate) elements: Vec<Vec<u32>>,
    /// Dual node, primal nodes that it touches, number of rows in use.
    pub(crate) rows: Vec<(u32, Vec<u32>, usize)>,
}

impl Frame {
    pub(crate) fn primal(&mut self) -> u32 {
        self.pattern.add_node(NodeKind::Primal)
    }
    pub(crate) fn element(&mut self, nodes: &[u32]) {
        self.pattern.clique(nodes);
        self.elements.push(nodes.to_vec());
    }
    pub(crate) fn row(&mut self, nodes: &[u32], rows: usize) -> u32 {
        let dual = self.pattern.add_node(NodeKind::Dual);
        for &v in nodes {
            self.pattern.connect(v, dual);
        }
        self.rows.push((dual, nodes.to_vec(), rows));
        dual
    }
    /// n nodes, each coupled with the next three.
    pub(crate) fn rod(&mut self, n: usize) -> Vec<u32> {
        let nodes: Vec<u32> = (0..n).map(|_| self.primal()).collect();
        if n < 4 {
            self.element(&nodes);
        }
        for window in nodes.windows(4) {
            self.element(window);
        }
        nodes
    }

    /// H = I + Σ GGᵀ over elements, J of random rows, padding −1.
    pub(crate) fn fill(&self, seed: u64) -> BlockMatrix {
        let mut rng = Rng(seed);
        let mut a = BlockMatrix::new(&self.pattern);
        for v in 0..a.nodes() {
            if a.kind(v) == NodeKind::Primal {
                (0..4).for_each(|c| add(&mut a, v as u32, v as u32, c, c, 1.0));
            }
        }
        for nodes in &self.elements {
            for _ in 0..3 {
                let g = rng.vector(4 * nodes.len());
                for (s, gs) in g.iter().enumerate() {
                    for (t, gt) in g.iter().enumerate() {
                        add(&mut a, nodes[s / 4], nodes[t / 4], s % 4, t % 4, gs * gt);
                    }
                }
            }
        }
        for (dual, nodes, rows) in &self.rows {
            for r in 0..*rows {
                for &v in nodes {
                    for c in 0..4 {
                        let value = rng.unit();
                        add(&mut a, v, *dual, c, r, value);
                        add(&mut a, *dual, v, r, c, value);
                    }
                }
            }
            (*rows..4).for_each(|r| add(&mut a, *dual, *dual, r, r, -1.0));
        }
        a
    }
}

/// Adds to one entry of the upper triangle; entries of blocks below the diagonal are left out.
pub(crate) fn add(a: &mut BlockMatrix, i: u32, j: u32, r: usize, c: usize, value: f64) {
    if let Some(slot) = a.slot(i, j) {
        a.values_mut()[slot][4 * r + c] += value;
    }
}

pub(crate) fn rod_with_rows_at_its_ends(n: usize) -> Frame {
    let mut f = Frame::default();
    let nodes = f.rod(n);
    f.row(&nodes[..3], 3);
    f.row(&nodes[..2], 3);
    f.row(&nodes[n - 3..], 4);
    f
}

pub(crate) fn ring(n: usize) -> Frame {
    let mut f = Frame::default();
    let nodes: Vec<u32> = (0..n).map(|_| f.primal()).collect();
    for i in 0..n {
        let window: Vec<u32> = (0..4).map(|k| nodes[(i + k) % n]).collect();
        f.element(&window);
    }
    f.row(&nodes[..3], 2);
    f
}

/// Random edges between nodes in no order, and random rows.
pub(crate) fn net(n: usize, edges: usize, rows: usize, seed: u64) -> Frame {
    let mut rng = Rng(seed);
    let mut f = Frame::default();
    let nodes: Vec<u32> = (0..n).map(|_| f.primal()).collect();
    for _ in 0..edges {
        f.element(&[nodes[rng.below(n)], nodes[rng.below(n)]]);
    }
    for _ in 0..rows {
        let mut touched: Vec<u32> = (0..=rng.below(4)).map(|_| nodes[rng.below(n)]).collect();
        touched.sort_unstable();
        touched.dedup();
        f.row(&touched, 1 + rng.below(4));
    }
    f
}

/// Rods apart from each other, one row between the first two, and a node alone.
pub(crate) fn several_rods(n: usize) -> Frame {
    let mut f = Frame::default();
    let rods: Vec<Vec<u32>> = (0..3).map(|k| f.rod(n + k)).collect();
    f.primal();
    f.row(&[rods[0][n - 1], rods[1][0]], 3);
    f.row(&[rods[2][0]], 4);
    f
}

/// A rod whose nodes are added backwards from the middle, so that no simple order is natural.
pub(crate) fn shuffled_rod(n: usize, seed: u64) -> Frame {
    let mut rng = Rng(seed);
    let mut f = Frame::default();
    let mut nodes: Vec<u32> = (0..n).map(|_| f.primal()).collect();
    for i in (1..n).rev() {
        nodes.swap(i, rng.below(i + 1));
    }
    for window in nodes.windows(4) {
        f.element(window);
    }
    f.row(&nodes[..4], 3);
    f.row(&nodes[n / 2..n / 2 + 4], 3);
    f
}

/// A rod with a dual node after every ten nodes.
pub(crate) fn constrained_rod(n: usize) -> Frame {
    let mut f = Frame::default();
    let nodes = f.rod(n);
    for at in (3..n).step_by(10) {
        f.row(&nodes[at - 3..=at], 3);
    }
    f
}

pub(crate) fn frames() -> Vec<(&'static str, Frame)> {
    vec![
        ("rod with rows at its ends", rod_with_rows_at_its_ends(23)),
        ("long rod", rod_with_rows_at_its_ends(60)),
        ("constrained rod", constrained_rod(47)),
        ("shuffled rod", shuffled_rod(31, 5)),
        ("ring", ring(19)),
        ("net", net(24, 50, 9, 3)),
        ("thin net", net(40, 42, 6, 7)),
        ("several rods", several_rods(9)),
        ("one node", {
            let mut f = Frame::default();
            f.primal();
            f
        }),
        ("two nodes", {
            let mut f = Frame::default();
            f.rod(2);
            f
        }),
    ]
}

/// The whole matrix, row-major.
pub(crate) fn dense(a: &BlockMatrix, shift: &[f64]) -> Vec<Vec<f64>> {
    let n = 4 * a.nodes();
    let mut m = vec![vec![0.0; n]; n];
    for i in 0..a.nodes() {
        for (k, &j) in a.row_nodes(i).iter().enumerate() {
            let block = a.values()[a.row_start(i) + k];
            for (e, v) in block.iter().enumerate() {
                let (r, c) = (4 * i + e / 4, 4 * j as usize + e % 4);
                m[r][c] = *v;
                m[c][r] = *v;
            }
        }
    }
    for (r, s) in shift.iter().enumerate() {
        m[r][r] += s;
    }
    m
}

/// Gaussian elimination with partial pivoting.
pub(crate) fn dense_solve(mut m: Vec<Vec<f64>>, b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut x = b.to_vec();
    for k in 0..n {
        let best = (k..n).max_by(|&p, &q| m[p][k].abs().total_cmp(&m[q][k].abs())).unwrap();
        m.swap(k, best);
        x.swap(k, best);
        let pivot_row = m[k].clone();
        for r in k + 1..n {
            let factor = m[r][k] / pivot_row[k];
            for c in k..n {
                m[r][c] -= factor * pivot_row[c];
            }
            x[r] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|c| m[k][c] * x[c]).sum();
        x[k] = (x[k] - sum) / m[k][k];
    }
    x
}

/// max |a − b| / max |b|.
pub(crate) fn relative_error(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / size
}

/// −ε on every dual component.
pub(crate) fn regularisation(a: &BlockMatrix, epsilon: f64) -> Vec<f64> {
    (0..4 * a.nodes()).map(|s| if a.kind(s / 4) == NodeKind::Dual { -epsilon } else { 0.0 }).collect()
}
