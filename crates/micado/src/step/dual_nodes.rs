//! What is said about constraint rows four at a time, a dual node of the system: their regularisation, what a
//! solution misses of them, and what their pivots tell.

use super::order::System;
use super::params::{CONFLICT, DROWNED, EPSILON, LIFTED, MOST_LIFTED, REDUNDANT};
use super::report::StepReport;
use crate::constraint::Row;
use micado_linalg::{Block, BlockMatrix};

/// Least stiffness of a direction that a row's compliance is measured with, relative to the stiffest
/// direction of the node.
const LEAST_STIFFNESS: f64 = 1e-9;

/// What a row speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    /// A length, m.
    Length,
    /// An angle, rad.
    Angle,
}

/// The dual nodes of a system.
#[derive(Clone, Debug)]
pub(crate) struct DualNodes {
    /// The blocks (node, dual) = Jᵀ by dual node: slot and node.
    blocks: Vec<(u32, u32)>,
    /// Where those of each dual node begin, and where the last end.
    start: Vec<u32>,
    /// n² = Σ J²/A_jj of each row, its compliance in the diagonal of A; 0 of rows that no constraint uses.
    norms: Vec<[f64; 4]>,
    /// A row whose pivot is below this many times its regularisation is redundant.
    chains: Vec<[f64; 4]>,
    /// What the rows speak of; nothing where there is none.
    speaks_of: Vec<[Option<Measure>; 4]>,
    /// Whether the pivots of the last factor say that no row follows from others.
    independent: bool,
    /// Whether regularisation has been lifted since the rows were written.
    lifted: bool,
    /// Whether rows were found redundant in the last solve.
    redundant: bool,
}

impl DualNodes {
    /// The nodes from `first` on.
    pub(super) fn new(matrix: &BlockMatrix, first: usize) -> Self {
        let count = matrix.nodes() - first;
        let mut columns = vec![Vec::new(); count];
        for node in 0..first {
            for (slot, &column) in (matrix.row_start(node)..).zip(matrix.row_nodes(node)) {
                if let Some(dual) = (column as usize).checked_sub(first) {
                    columns[dual].push((slot as u32, node as u32));
                }
            }
        }
        let mut start = vec![0];
        start.extend(columns.iter().scan(0, |end, column| {
            *end += column.len() as u32;
            Some(*end)
        }));
        Self {
            blocks: columns.concat(),
            start,
            norms: vec![[0.0; 4]; count],
            chains: vec![[REDUNDANT; 4]; count],
            speaks_of: vec![[None; 4]; count],
            independent: false,
            lifted: false,
            redundant: false,
        }
    }

    /// Slots and nodes of the blocks of a dual node.
    fn of(&self, dual: usize) -> impl Iterator<Item = (usize, usize)> {
        let blocks = &self.blocks[self.start[dual] as usize..self.start[dual + 1] as usize];
        blocks.iter().map(|&(slot, node)| (slot as usize, node as usize))
    }

    /// n² of a row, by its scalar number from the first dual node on.
    pub(crate) fn norm(&self, row: usize) -> f64 {
        self.norms.as_flattened()[row]
    }

    /// These rows, by their scalar numbers from the first dual node on, take part in a chain of so many rows
    /// that follow from each other only all together, as the lengths of a straight rod do whose ends are
    /// held: the pivot of the last is n times its regularisation, and 4n times where it is that of an end
    /// edge, which takes part with half its length.
    pub(super) fn join_chain(&mut self, rows: std::ops::Range<usize>, length: usize) {
        self.chains.as_flattened_mut()[rows]
            .iter_mut()
            .for_each(|chain| *chain = chain.max(8.0 * length as f64));
    }

    /// What the rows from this one on speak of.
    pub(crate) fn set_units(&mut self, first: usize, rows: &[Row]) {
        let all = &mut self.speaks_of.as_flattened_mut()[first..first + rows.len()];
        all.iter_mut()
            .zip(rows)
            .for_each(|(one, row)| *one = Some(if row.angle { Measure::Angle } else { Measure::Length }));
    }

    /// So many rows from this one on speak of lengths.
    pub(crate) fn set_lengths(&mut self, first: usize, count: usize) {
        self.speaks_of.as_flattened_mut()[first..first + count].fill(Some(Measure::Length));
    }
}

impl System {
    /// n² of the rows, over the nodes of objects with their mass-like term, and the regularisation that
    /// follows.
    pub(crate) fn regularise(&mut self) {
        let values = self.matrix.values();
        let (primal, dual) = self.shift.as_chunks_mut::<4>().0.split_at_mut(self.primal_nodes);
        for (d, shift) in dual.iter_mut().enumerate() {
            let mut norms = [0.0; 4];
            for (slot, node) in self.duals.of(d).take_while(|&(_, node)| node < self.object_nodes) {
                let (block, compliance) =
                    (&values[slot], compliance(&values[self.matrix.row_start(node)], &primal[node]));
                for a in 0..4 {
                    norms = std::array::from_fn(|r| {
                        norms[r] + block[4 * a + r] * block[4 * a + r] * compliance[a]
                    });
                }
            }
            let speaks_of = &self.duals.speaks_of[d];
            let norms = std::array::from_fn(|r| if speaks_of[r].is_some() { norms[r] } else { 0.0 });
            self.duals.norms[d] = norms;
            *shift = norms.map(|norm| -EPSILON * norm);
        }
        self.duals.lifted = false;
    }

    /// The pivot of a row is its compliance once the rows before it are held. In a stiff rod that moves as a
    /// whole the compliance g n² of a row by itself is millions of times that of the diagonal, n², and what
    /// is left of a row that follows from others is a difference of such numbers: rounding, of any size and
    /// sign up to 1e-16 g n², instead of 2ε n². Such rows get a regularisation that is seen against that;
    /// those that they follow from keep theirs and hold. Returns whether anything has changed.
    pub(super) fn lift_drowned_rows(&mut self) -> bool {
        let Self { duals, factor, symbolic, shift, primal_nodes, .. } = self;
        let pivots = |dual: usize| factor.pivots(symbolic, *primal_nodes + dual);
        let (mut least, mut largest, mut follows) = ([f64::MAX; 4], [0.0; 4], [false; 4]);
        for (d, (norms, chains)) in duals.norms.iter().zip(&duals.chains).enumerate() {
            let pivots = pivots(d);
            for r in 0..4 {
                // No compliance, no row: what is infinite or no number counts nowhere.
                let share = pivots[r].abs() / norms[r];
                let finite = if share < f64::INFINITY { share } else { 0.0 };
                least[r] = if share < least[r] { share } else { least[r] };
                largest[r] = if finite > largest[r] { finite } else { largest[r] };
                follows[r] |= share < chains[r] * EPSILON;
            }
        }
        let (least, largest) =
            (least.into_iter().fold(f64::MAX, f64::min), largest.into_iter().fold(0.0, f64::max));
        let follows = follows.contains(&true);
        duals.independent = !duals.lifted && least >= DROWNED * largest && !follows;
        if duals.independent {
            return false;
        }
        let mut changed = false;
        for (d, (norms, shift)) in
            duals.norms.iter().zip(&mut shift.as_chunks_mut::<4>().0[*primal_nodes..]).enumerate()
        {
            let pivots = pivots(d).map(f64::abs);
            for r in 0..4 {
                let level = largest * norms[r];
                let wanted = -(LIFTED * level).min(MOST_LIFTED * norms[r]);
                let drowned = pivots[r] < DROWNED * level;
                if drowned && wanted < shift[r] {
                    (shift[r], changed) = (wanted, true);
                } else if !drowned
                    && shift[r] < -1.5 * EPSILON * norms[r]
                    && pivots[r] > REDUNDANT * shift[r].abs()
                {
                    // Nonsense made it look drowned, and it is none of them.
                    (shift[r], changed) = (-EPSILON * norms[r], true);
                }
            }
        }
        duals.lifted |= changed;
        changed
    }

    /// Rows whose pivot is hardly more than their regularisation: they follow from rows eliminated before.
    pub(crate) fn find_redundant(&mut self, report: &mut StepReport) {
        let Self { duals, factor, symbolic, shift, seats, lengths, redundant, primal_nodes, .. } = self;
        report.redundant_rows = 0;
        if duals.independent && !duals.redundant {
            return;
        }
        let chains = duals.chains.as_flattened();
        let follows = |row: &usize| {
            factor.pivots(symbolic, row / 4)[row % 4].abs()
                < chains[row - 4 * *primal_nodes] * shift[*row].abs()
        };
        for (seat, redundant) in seats.iter().zip(redundant) {
            let count = (seat.first_row..seat.first_row + seat.rows).filter(follows).count();
            report.redundant_rows += count;
            *redundant = count > 0;
        }
        for lengths in lengths {
            let count = lengths.rows().filter(follows).count();
            report.redundant_rows += count;
            lengths.redundant = count > 0;
        }
        duals.redundant = report.redundant_rows > 0;
    }

    /// Rows that the solution misses by more than regularisation explains, each in its own unit: lengths as a
    /// share of the structure's size, angles in rad. Returns the largest miss.
    pub(super) fn find_conflicts(&mut self, size: f64, report: &mut StepReport) -> f64 {
        let (mut largest, mut sum, per_size) = (0.0, 0.0, 1.0 / size);
        for d in 0..self.duals.norms.len() {
            let (missed, speaks_of) = (self.missed(d), &self.duals.speaks_of[d]);
            for r in 0..4 {
                let miss = match speaks_of[r] {
                    Some(Measure::Length) => missed[r].abs() * per_size,
                    Some(Measure::Angle) => missed[r].abs(),
                    None => continue,
                };
                largest = if miss > largest { miss } else { largest };
                sum += miss;
            }
        }
        // Comparisons do not see what is not a number; a sum does.
        let largest = if sum.is_finite() { largest } else { f64::INFINITY };
        let known =
            self.conflicting.contains(&true) || self.lengths.iter().any(|lengths| lengths.conflicting);
        if largest > CONFLICT || report.conflicting_rows > 0 || known {
            self.mark_conflicts(|_, _| false, size, report);
        }
        largest
    }

    /// The same after non-smooth laws were solved: a row that gives is missed by its opening, and what
    /// pulled at it may be met now.
    pub(super) fn find_conflicts_beside_openings(&mut self, size: f64, report: &mut StepReport) {
        self.mark_conflicts(|system, k| system.non_smooth.gives(k), size, report);
    }

    fn mark_conflicts(&mut self, except: impl Fn(&Self, usize) -> bool, size: f64, report: &mut StepReport) {
        report.conflicting_rows = 0;
        for k in 0..self.seats.len() {
            let seat = self.seats[k];
            let rows = if except(self, k) { 0 } else { seat.rows };
            let count = self.count_missed(seat.first_row..seat.first_row + rows, size);
            report.conflicting_rows += count;
            self.conflicting[k] = count > 0;
        }
        for k in 0..self.lengths.len() {
            let count = self.count_missed(self.lengths[k].rows(), size);
            report.conflicting_rows += count;
            self.lengths[k].conflicting = count > 0;
        }
    }

    /// How many of these rows the solution misses by more than regularisation explains.
    fn count_missed(&self, rows: std::ops::Range<usize>, size: f64) -> usize {
        let miss = |row: usize| {
            let dual = row / 4 - self.primal_nodes;
            let unit = if self.duals.speaks_of[dual][row % 4] == Some(Measure::Length) { size } else { 1.0 };
            self.missed(dual)[row % 4].abs() / unit
        };
        rows.filter(|&row| miss(row) > CONFLICT).count()
    }

    /// E − JΔ of the four rows of a dual node, with an unknown of their own that shares their node.
    #[inline]
    fn missed(&self, dual: usize) -> [f64; 4] {
        let own = self.primal_nodes + dual;
        let (values, solution) = (self.matrix.values(), self.solution.as_chunks::<4>().0);
        let mut missed = self.rhs.as_chunks::<4>().0[own];
        for (slot, node) in self.duals.of(dual) {
            let (block, moved) = (&values[slot], &solution[node]);
            for a in 0..4 {
                missed = std::array::from_fn(|r| missed[r] - block[4 * a + r] * moved[a]);
            }
        }
        if self.slides {
            let block = &values[self.matrix.row_start(own)];
            for (r, c) in (0..4).flat_map(|r| (0..4).filter(move |&c| c != r).map(move |c| (r, c))) {
                missed[r] -= block[4 * r + c] * solution[own][c];
            }
        }
        missed
    }
}

/// 1/A_jj of the four unknowns of a node, from its diagonal block and its mass-like term.
fn compliance(diagonal: &Block, shift: &[f64; 4]) -> [f64; 4] {
    let stiffness: [f64; 4] = std::array::from_fn(|a| diagonal[5 * a].abs() + shift[a]);
    // What only the constraint holds has no stiffness of its own: it counts as a little of its neighbours'.
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let stiffest = larger(larger(stiffness[0], stiffness[1]), stiffness[2]);
    let least = if stiffest > 0.0 { LEAST_STIFFNESS * stiffest } else { 1.0 };
    // A row without effect on a roll says nothing about its stiffness: 0 times a large number, never
    // infinity.
    std::array::from_fn(|a| 1.0 / larger(stiffness[a], if a < 3 { least } else { f64::MIN_POSITIVE }))
}
