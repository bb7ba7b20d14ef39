//! Dual nodes: constraint rows, four to a node of the system. Regularisation, residuals and pivots of the
//! rows.

use super::order::System;
use super::params::{CONFLICT, EPSILON, MOST_RAISED, RAISED, REDUNDANT, ROUNDING_PIVOT, SUSPECT};
use super::report::StepReport;
use crate::constraint::Row;
use micado_linalg::{Block, BlockMatrix};

/// Least stiffness of a direction in the measure of a row's compliance, relative to the stiffest direction of
/// the node.
const LEAST_STIFFNESS: f64 = 1e-9;

/// Unit of a row.
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
    /// First block of each dual node, and the end of the last.
    start: Vec<u32>,
    /// Nodes that have such blocks, and the compliances 1/A_jj of all nodes; those of others are not used.
    nodes: Vec<u32>,
    compliances: Vec<[f64; 4]>,
    /// n² = Σ J²/A_jj of each row, its compliance in the diagonal of A; 0 for unused rows.
    norms: Vec<[f64; 4]>,
    /// A row whose pivot is below this many times its regularisation is redundant.
    chains: Vec<[f64; 4]>,
    /// Scratch: the direction of a pivot, in the order of elimination.
    direction: Vec<[f64; 4]>,
    /// Units of the rows; none for unused rows.
    units: Vec<[Option<Measure>; 4]>,
    /// Whether the pivots of the last factor show that all rows are independent.
    independent: bool,
    /// Whether the regularisation was raised since the rows were written.
    raised: bool,
    /// Whether redundant rows were found in the last solve.
    redundant: bool,
}

impl DualNodes {
    /// Nodes from `first` on.
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
        let mut nodes: Vec<u32> = columns.iter().flatten().map(|&(_, node)| node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut start = vec![0];
        start.extend(columns.iter().scan(0, |end, column| {
            *end += column.len() as u32;
            Some(*end)
        }));
        Self {
            blocks: columns.concat(),
            start,
            nodes,
            compliances: vec![[0.0; 4]; first],
            norms: vec![[0.0; 4]; count],
            chains: vec![[REDUNDANT; 4]; count],
            direction: vec![[0.0; 4]; matrix.nodes()],
            units: vec![[None; 4]; count],
            independent: false,
            raised: false,
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

    /// Adds rows, given by their scalar numbers from the first dual node on, to a chain of `length` rows that
    /// are dependent only all together, such as the lengths of a straight rod with both ends held. The pivot
    /// of the last row is then n times its regularisation, and 4n times if it is that of an end edge, which
    /// counts with half its length.
    pub(super) fn join_chain(&mut self, rows: std::ops::Range<usize>, length: usize) {
        self.chains.as_flattened_mut()[rows]
            .iter_mut()
            .for_each(|chain| *chain = chain.max(8.0 * length as f64));
    }

    /// Sets the units of the rows from `first` on.
    pub(crate) fn set_units(&mut self, first: usize, rows: &[Row]) {
        let all = &mut self.units.as_flattened_mut()[first..first + rows.len()];
        all.iter_mut()
            .zip(rows)
            .for_each(|(one, row)| *one = Some(if row.angle { Measure::Angle } else { Measure::Length }));
    }

    /// Sets the unit of `count` rows from `first` on to lengths.
    pub(crate) fn set_lengths(&mut self, first: usize, count: usize) {
        self.units.as_flattened_mut()[first..first + count].fill(Some(Measure::Length));
    }
}

impl System {
    /// Computes n² of the rows from the diagonal of objects with their mass-like term, and the
    /// regularisation.
    pub(crate) fn regularise(&mut self) {
        let values = self.matrix.values();
        let (primal, dual) = self.shift.as_chunks_mut::<4>().0.split_at_mut(self.primal_nodes);
        for &node in &self.duals.nodes {
            let (node, diagonal) = (node as usize, &values[self.matrix.row_start(node as usize)]);
            self.duals.compliances[node] = compliance(diagonal, &primal[node]);
        }
        for (d, shift) in dual.iter_mut().enumerate() {
            let mut norms = [0.0; 4];
            for (slot, node) in self.duals.of(d).take_while(|&(_, node)| node < self.object_nodes) {
                let (block, compliance) = (&values[slot], &self.duals.compliances[node]);
                for a in 0..4 {
                    norms = std::array::from_fn(|r| {
                        norms[r] + block[4 * a + r] * block[4 * a + r] * compliance[a]
                    });
                }
            }
            let units = &self.duals.units[d];
            let norms = std::array::from_fn(|r| if units[r].is_some() { norms[r] } else { 0.0 });
            self.duals.norms[d] = norms;
            *shift = norms.map(|norm| -EPSILON * norm);
            for r in (0..4).filter(|&r| units[r].is_some() && norms[r] == 0.0) {
                let own = self.matrix.row_start(self.primal_nodes + d);
                let blocks = self.duals.of(d).map(|(slot, _)| slot).chain([own]);
                if blocks.flat_map(|slot| (0..4).map(move |a| values[slot][4 * a + r])).all(|j| j == 0.0) {
                    // A row that nothing can fulfil: it carries no force, and is reported as conflicting.
                    shift[r] = -1.0;
                }
            }
        }
        self.duals.raised = false;
    }

    /// Raises the regularisation of redundant rows whose pivots are rounding. Returns whether anything
    /// changed.
    ///
    /// The pivot of a row is its compliance with all earlier rows held. In a stiff rod that moves as a whole,
    /// the compliance g n² of a single row is millions of times the diagonal one, n². The pivot of a
    /// redundant row is a difference of such numbers: rounding of any sign up to 1e-16 g n², instead of 2ε
    /// n². Such rows get a regularisation well above that; the rows on which they depend keep theirs.
    pub(super) fn raise_regularisation(&mut self) -> bool {
        let Self { duals, factor, symbolic, shift, primal_nodes, .. } = self;
        let pivots = |dual: usize| factor.pivots(symbolic, *primal_nodes + dual);
        let (mut least, mut largest, mut follows) = ([f64::MAX; 4], [0.0; 4], [false; 4]);
        for (d, (norms, chains)) in duals.norms.iter().zip(&duals.chains).enumerate() {
            let pivots = pivots(d);
            for r in 0..4 {
                // A row without compliance is no row; infinite and NaN shares don't count.
                let share = pivots[r].abs() / norms[r];
                let finite = if share < f64::INFINITY { share } else { 0.0 };
                least[r] = if share < least[r] { share } else { least[r] };
                largest[r] = if finite > largest[r] { finite } else { largest[r] };
                follows[r] |= share < (chains[r] * EPSILON).max(SUSPECT);
            }
        }
        let (least, largest) =
            (least.into_iter().fold(f64::MAX, f64::min), largest.into_iter().fold(0.0, f64::max));
        let follows = follows.contains(&true);
        duals.independent = !duals.raised && least >= ROUNDING_PIVOT * largest && !follows;
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
                let wanted = -(RAISED * level).min(MOST_RAISED * norms[r]);
                let is_rounding = pivots[r] < ROUNDING_PIVOT * level;
                if is_rounding && wanted < shift[r] {
                    (shift[r], changed) = (wanted, true);
                } else if !is_rounding
                    && shift[r] < -1.5 * EPSILON * norms[r]
                    && pivots[r] > REDUNDANT * shift[r].abs()
                {
                    // Rounding of other rows made it look redundant, but it isn't.
                    (shift[r], changed) = (-EPSILON * norms[r], true);
                }
            }
        }
        duals.raised |= changed;
        changed
    }

    /// Finds redundant rows: their pivot is close to their regularisation, or consists mostly of
    /// regularisation.
    ///
    /// If Σ y_i J_i = 0, the pivot of the last of these rows is `Σ (y_i/y)² ε n_i²`. It is many times its own
    /// regularisation if its share y in the dependence is small, as in loops of bodies. With v = L⁻ᵀe the
    /// pivot is `vᵀAv + Σ v_i² ε n_i²`; the row is redundant if the second term is the larger one.
    pub(crate) fn find_redundant(&mut self, report: &mut StepReport) {
        let Self { duals, factor, symbolic, shift, seats, lengths, redundant, primal_nodes, .. } = self;
        report.redundant_rows = 0;
        if duals.independent && !duals.redundant {
            return;
        }
        let DualNodes { chains, norms, direction, .. } = &mut *duals;
        let (chains, norms) = (chains.as_flattened(), norms.as_flattened());
        let mut follows = |row: &usize| {
            let pivot = factor.pivots(symbolic, row / 4)[row % 4].abs();
            let dual = row - 4 * *primal_nodes;
            if pivot < chains[dual] * shift[*row].abs() {
                return true;
            }
            if pivot >= SUSPECT * norms[dual] {
                return false;
            }
            factor.pivot_direction(symbolic, row / 4, row % 4, direction);
            let earlier = &direction[..=symbolic.position(row / 4)];
            let of_rows =
                symbolic.order().iter().zip(earlier).filter(|(node, _)| **node as usize >= *primal_nodes);
            let regularisation: f64 = of_rows
                .flat_map(|(node, v)| v.iter().zip(&shift[4 * *node as usize..]))
                .map(|(v, shift)| v * v * shift.abs())
                .sum();
            2.0 * regularisation > pivot
        };
        for (seat, redundant) in seats.iter().zip(redundant) {
            let count = (seat.first_row..seat.first_row + seat.rows).filter(&mut follows).count();
            report.redundant_rows += count;
            *redundant = count > 0;
        }
        for lengths in lengths {
            let count = lengths.rows().filter(&mut follows).count();
            report.redundant_rows += count;
            lengths.redundant = count > 0;
        }
        duals.redundant = report.redundant_rows > 0;
    }

    /// Finds rows whose residual is larger than regularisation explains, each in its own unit: lengths as a
    /// share of the structure's size, angles in rad. Returns the largest residual.
    pub(super) fn find_conflicts(&mut self, size: f64, report: &mut StepReport) -> f64 {
        let (mut largest, mut sum, per_size) = (0.0, 0.0, 1.0 / size);
        for d in 0..self.duals.norms.len() {
            let (missed, units) = (self.missed(d), &self.duals.units[d]);
            for r in 0..4 {
                let miss = match units[r] {
                    Some(Measure::Length) => missed[r].abs() * per_size,
                    Some(Measure::Angle) => missed[r].abs(),
                    None => continue,
                };
                largest = if miss > largest { miss } else { largest };
                sum += miss;
            }
        }
        // Comparisons ignore NaN; a sum does not.
        let largest = if sum.is_finite() { largest } else { f64::INFINITY };
        let known =
            self.conflicting.contains(&true) || self.lengths.iter().any(|lengths| lengths.conflicting);
        if largest > CONFLICT || report.conflicting_rows > 0 || known {
            self.mark_conflicts(|_, _| false, size, report);
        }
        largest
    }

    /// Like `find_conflicts`, but after non-smooth laws were solved: the residual of a yielding row is its
    /// opening, and rows that conflicted with it may hold now.
    pub(super) fn find_conflicts_beside_openings(&mut self, size: f64, report: &mut StepReport) {
        self.mark_conflicts(|system, k| system.non_smooth.yields(k), size, report);
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

    /// Number of these rows whose residual is larger than regularisation explains.
    fn count_missed(&self, rows: std::ops::Range<usize>, size: f64) -> usize {
        let miss = |row: usize| {
            let dual = row / 4 - self.primal_nodes;
            let unit = if self.duals.units[dual][row % 4] == Some(Measure::Length) { size } else { 1.0 };
            self.missed(dual)[row % 4].abs() / unit
        };
        rows.filter(|&row| miss(row) > CONFLICT).count()
    }

    /// E − JΔ of the four rows of a dual node, including an own unknown in their node.
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
    // A direction that only constraints hold has no stiffness of its own: it gets a small share of its
    // neighbours'.
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let stiffest = larger(larger(stiffness[0], stiffness[1]), stiffness[2]);
    let least = if stiffest > 0.0 { LEAST_STIFFNESS * stiffest } else { 1.0 };
    // The coefficient of a row without effect on a roll is 0: it must meet a large number, never infinity.
    std::array::from_fn(|a| 1.0 / larger(stiffness[a], if a < 3 { least } else { f64::MIN_POSITIVE }))
}
