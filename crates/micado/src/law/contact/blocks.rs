//! Blocks: the contacts of one solve, and their compliance W in sub-blocks.
//!
//! W_ij is the sum of h_i·z_j over the components that both blocks lie in, with z = S⁻¹h in the factored
//! system of the component. Each component brings a dense part; `assemble` merges these parts into one list
//! of couplings per block.
//!
//! Blocks of fewer than three rows are padded with zeros. The tangential rows of an elliptic cone are scaled
//! so that the cone is round (`law/coulomb.rs`): the methods see round cones only.

use super::super::{BlockLaw, coulomb};
use glam::{DMat3, DVec3};

/// The blocks of a solve, in memory that is reused.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// Laws; their cones are round.
    pub(super) laws: Vec<BlockLaw>,
    /// Factors of the displacements of each row.
    scales: Vec<DVec3>,
    /// b, m
    pub(super) start: Vec<DVec3>,
    /// The initial guess, and then the solution, N.
    pub(super) forces: Vec<DVec3>,
    pub(super) components: Vec<Component>,
    /// Blocks of all components.
    members: Vec<usize>,
    /// Parts of W of all components: each by rows of blocks up to the diagonal.
    pub(super) parts: Vec<DMat3>,
    /// Component of each place of a block, and its number there; places of a block begin at `first_places`.
    places: Vec<(usize, usize)>,
    first_places: Vec<usize>,
    /// Couplings of block i begin at `first[i]`.
    first: Vec<usize>,
    /// The other block of each coupling, and its W_ji.
    couplings: Vec<(usize, DMat3)>,
    /// Diagonal blocks of W, and their largest diagonal entry.
    pub(super) own: Vec<DMat3>,
    pub(super) largest: Vec<f64>,
    /// Coupling with each other block, while those of one block are merged.
    found: Vec<usize>,
    is_assembled: bool,
}

/// Ranges of a component in the lists of members and parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Component {
    members: usize,
    pub(super) count: usize,
    pub(super) parts: usize,
}

impl Blocks {
    /// Reserves memory for this many blocks, and for this many pairs of blocks in all components.
    pub fn with_room(blocks: usize, pairs: usize) -> Self {
        Self {
            laws: Vec::with_capacity(blocks),
            scales: Vec::with_capacity(blocks),
            start: Vec::with_capacity(blocks),
            forces: Vec::with_capacity(blocks),
            components: Vec::with_capacity(2 * blocks),
            members: Vec::with_capacity(2 * blocks),
            parts: Vec::with_capacity(pairs + 2 * blocks),
            places: Vec::with_capacity(2 * blocks),
            first_places: Vec::with_capacity(blocks + 2),
            first: Vec::with_capacity(blocks + 1),
            couplings: Vec::with_capacity(2 * pairs),
            own: Vec::with_capacity(blocks),
            largest: Vec::with_capacity(blocks),
            found: Vec::with_capacity(blocks),
            is_assembled: false,
        }
    }

    /// Number of pairs of blocks in all components, each block with itself included.
    pub fn pairs(&self) -> usize {
        self.parts.len()
    }

    /// Removes all blocks and components.
    pub fn clear(&mut self) {
        self.laws.clear();
        self.scales.clear();
        self.start.clear();
        self.forces.clear();
        self.components.clear();
        self.members.clear();
        self.parts.clear();
        self.is_assembled = false;
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.laws.len()
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.laws.is_empty()
    }

    /// Whether blocks may have this law: at most three rows, and allowed forces that depend on no others.
    pub fn supports(law: &BlockLaw) -> bool {
        law.rows() <= 3 && !matches!(law, BlockLaw::Sliding { .. } | BlockLaw::Custom(_))
    }

    /// Adds a block: its displacements without forces, m, and the initial guess of its forces, N. Returns its
    /// number.
    ///
    /// # Panics
    /// If the law is not [supported](Self::supports), or a slice has another length than its rows.
    pub fn push(&mut self, law: &BlockLaw, start: &[f64], forces: &[f64]) -> usize {
        assert!(Self::supports(law), "{law:?} is no law of a contact");
        let rows = law.rows();
        assert!(start.len() == rows && forces.len() == rows, "{rows} rows");
        let (law, scale) = match *law {
            BlockLaw::Coulomb { friction } => {
                let (most, scale) = coulomb::rounded(friction);
                (BlockLaw::Coulomb { friction: [most; 2] }, scale)
            }
            ref law => (law.clone(), DVec3::ONE),
        };
        let padded = |rows: &[f64]| DVec3::from_array([0, 1, 2].map(|a| rows.get(a).map_or(0.0, |x| *x)));
        self.laws.push(law);
        self.scales.push(scale);
        self.start.push(scale * padded(start));
        self.forces.push(coulomb::scaled(padded(forces), scale));
        self.is_assembled = false;
        self.laws.len() - 1
    }

    /// Adds a component with these blocks, each once. `part(i, j)` returns its share of W between the rows of
    /// the i-th and the columns of the j-th of them, j ≤ i: h_a·z_b for row a and column b. Unused rows are
    /// not read. If both ends of a block lie in the same component, h and z contain both.
    pub fn add_component(&mut self, blocks: &[usize], mut part: impl FnMut(usize, usize) -> DMat3) {
        self.begin_component(blocks);
        for (i, &block) in blocks.iter().enumerate() {
            for (j, &other) in blocks[..=i].iter().enumerate() {
                self.push_part(block, other, part(i, j));
            }
        }
    }

    /// Adds a component by its share of W up to the diagonal, by rows: entry (k, l), l ≤ k, is at
    /// k(k + 1)/2 + l. Its rows are those of these blocks, one block after the other.
    ///
    /// # Panics
    /// If the triangle is too short.
    pub fn add_triangle(&mut self, blocks: &[usize], triangle: &[f64]) {
        self.begin_component(blocks);
        let entry = |k: usize, l: usize| triangle[k.max(l) * (k.max(l) + 1) / 2 + k.min(l)];
        let mut k = 0;
        for (i, &block) in blocks.iter().enumerate() {
            let (rows, mut l) = (self.laws[block].rows(), 0);
            for &other in &blocks[..=i] {
                let (columns, mut part) = (self.laws[other].rows(), DMat3::ZERO);
                for b in 0..columns {
                    (0..rows).for_each(|a| part.col_mut(b)[a] = entry(k + a, l + b));
                }
                self.push_part(block, other, part);
                l += columns;
            }
            k += rows;
        }
    }

    fn begin_component(&mut self, blocks: &[usize]) {
        let (members, parts) = (self.members.len(), self.parts.len());
        self.components.push(Component { members, count: blocks.len(), parts });
        self.members.extend_from_slice(blocks);
        self.is_assembled = false;
    }

    /// Adds a part of W between two blocks of the last component, scaled, and without unused rows.
    fn push_part(&mut self, block: usize, other: usize, part: DMat3) {
        let (rows, columns) = (self.laws[block].rows(), self.laws[other].rows());
        let (down, across) = (self.scales[block], self.scales[other]);
        let mut scaled = DMat3::ZERO;
        for b in 0..columns {
            (0..rows).for_each(|a| scaled.col_mut(b)[a] = part.col(b)[a] * (down[a] * across[b]));
        }
        self.parts.push(scaled);
    }

    /// Forces of a block, N; those after its rows are zero.
    pub fn force(&self, block: usize) -> [f64; 3] {
        (self.scales[block] * self.forces[block]).to_array()
    }

    /// Merges the parts of all components into couplings.
    pub(super) fn assemble(&mut self) {
        if self.is_assembled {
            return;
        }
        self.is_assembled = true;
        self.find_places();
        let Self { components, members, parts, places, first_places, first, couplings, own, found, .. } =
            self;
        first.clear();
        couplings.clear();
        own.clear();
        found.clear();
        found.resize(first_places.len() - 1, usize::MAX);
        for (i, range) in first_places.windows(2).enumerate() {
            let begin = couplings.len();
            first.push(begin);
            own.push(DMat3::ZERO);
            for &(component, a) in &places[range[0]..range[1]] {
                let Component { members: from, count, parts: part } = components[component];
                for (b, &j) in members[from..from + count].iter().enumerate() {
                    let value = if b < a {
                        parts[part + a * (a + 1) / 2 + b].transpose()
                    } else {
                        parts[part + b * (b + 1) / 2 + a]
                    };
                    if j == i {
                        own[i] += 0.5 * (value + value.transpose());
                    } else if found[j] < usize::MAX && found[j] >= begin {
                        couplings[found[j]].1 += value;
                    } else if value != DMat3::ZERO {
                        found[j] = couplings.len();
                        couplings.push((j, value));
                    }
                }
            }
        }
        first.push(couplings.len());
        self.largest.clear();
        self.largest.extend(self.own.iter().map(|w| w.x_axis.x.max(w.y_axis.y).max(w.z_axis.z)));
    }

    /// Lists the places of every block in the components.
    fn find_places(&mut self) {
        let Self { components, members, places, first_places, laws, .. } = self;
        // Counts, then ends, and while places are filled in from behind, beginnings.
        first_places.clear();
        first_places.resize(laws.len() + 1, 0);
        members.iter().for_each(|&block| first_places[block] += 1);
        let mut end = 0;
        for first in &mut *first_places {
            end += *first;
            *first = end;
        }
        places.clear();
        places.resize(members.len(), (0, 0));
        for (c, component) in components.iter().enumerate().rev() {
            let own = &members[component.members..component.members + component.count];
            for (place, &block) in own.iter().enumerate() {
                first_places[block] -= 1;
                places[first_places[block]] = (c, place);
            }
        }
    }

    /// The components that a block lies in, and its place among the blocks of each.
    pub(super) fn places_of(&self, block: usize) -> &[(usize, usize)] {
        &self.places[self.first_places[block]..self.first_places[block + 1]]
    }

    /// The other blocks that a block moves, each with W_ji.
    pub(super) fn coupled(&self, block: usize) -> &[(usize, DMat3)] {
        &self.couplings[self.first[block]..self.first[block + 1]]
    }
}
