//! The system of a scene in three orders of its unknowns: natural, reordered as in the papers, and as
//! factored.

use micado::linalg::{BandLu, Ordering};
use micado::step::{Owner, System};
use micado::world::Structure;

/// The scalars of a system, in natural order and without padding, and the entries between them.
#[derive(Clone, Debug)]
pub struct Scalars {
    /// Owner of each scalar.
    pub owners: Vec<Owner>,
    /// Pairs (i, j), i ≤ j, whose entry is not zero.
    pub entries: Vec<(u32, u32)>,
    /// Index of each scalar in the block matrix.
    padded: Vec<usize>,
}

/// An order of the scalars.
#[derive(Clone, Debug)]
pub struct Order {
    /// `position[scalar]`
    pub position: Vec<u32>,
    /// Largest |p − q| of two positions that share an entry.
    pub half_bandwidth: usize,
}

impl Scalars {
    /// Scalars of the last linearisation.
    pub fn of(system: &System, structure: &Structure) -> Self {
        let all = system.owners(structure);
        let padded: Vec<usize> = (0..all.len()).filter(|&s| all[s].is_some()).collect();
        let mut compact = vec![u32::MAX; all.len()];
        for (k, &s) in padded.iter().enumerate() {
            compact[s] = k as u32;
        }
        let matrix = system.matrix();
        let mut entries = Vec::new();
        for i in 0..matrix.nodes() {
            for (k, &j) in matrix.row_nodes(i).iter().enumerate() {
                let block = &matrix.values()[matrix.row_start(i) + k];
                for (e, _) in block.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                    let (a, b) = (compact[4 * i + e / 4], compact[4 * j as usize + e % 4]);
                    if a <= b && b != u32::MAX {
                        entries.push((a, b));
                    }
                }
            }
        }
        Self { owners: padded.iter().filter_map(|&s| all[s]).collect(), entries, padded }
    }

    /// Number of scalars.
    pub fn len(&self) -> usize {
        self.padded.len()
    }

    /// Whether there are no scalars.
    pub fn is_empty(&self) -> bool {
        self.padded.is_empty()
    }

    /// Node of the block matrix to which each scalar belongs.
    pub fn nodes(&self) -> Vec<usize> {
        self.padded.iter().map(|s| s / 4).collect()
    }

    /// Number of entries of the whole symmetric matrix.
    pub fn count_entries(&self) -> usize {
        self.entries.iter().map(|(i, j)| if i == j { 1 } else { 2 }).sum()
    }

    /// Natural order: objects, own unknowns of constraints, rows.
    pub fn natural(&self) -> Order {
        self.order(&(0..self.len()).collect::<Vec<_>>())
    }

    /// Order of the factorisation.
    pub fn factored(&self, system: &System) -> Order {
        let mut at = vec![0; 4 * system.symbolic().nodes()];
        for (p, &node) in system.symbolic().order().iter().enumerate() {
            (0..4).for_each(|c| at[4 * node as usize + c] = 4 * p + c);
        }
        self.order(&self.padded.iter().map(|&s| at[s]).collect::<Vec<_>>())
    }

    /// Order of the papers: reverse Cuthill–McKee.
    pub fn reordered(&self, system: &System) -> Order {
        let (position, _) = BandLu::reorder(system.matrix());
        self.order(&self.padded.iter().map(|&s| position[s] as usize).collect::<Vec<_>>())
    }

    /// Order of the scalars by their keys.
    fn order(&self, keys: &[usize]) -> Order {
        let mut sorted: Vec<usize> = (0..keys.len()).collect();
        sorted.sort_by_key(|&s| keys[s]);
        let mut position = vec![0; keys.len()];
        for (p, &s) in sorted.iter().enumerate() {
            position[s] = p as u32;
        }
        let reach = |&(i, j): &(u32, u32)| position[i as usize].abs_diff(position[j as usize]) as usize;
        let half_bandwidth = self.entries.iter().map(reach).max().unwrap_or(0);
        Order { position, half_bandwidth }
    }
}

/// Name of the rule that orders a system.
pub fn rule(system: &System) -> &'static str {
    match system.symbolic().ordering() {
        Ordering::Natural | Ordering::Cheapest => "natural",
        Ordering::ReverseCuthillMcKee => "reverse Cuthill–McKee",
        Ordering::MinimumDegree => "minimum degree",
    }
}
