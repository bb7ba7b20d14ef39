//! Factor and free motion: Δ and λ from the one system, refined; what the pivots say about the rows.

use super::order::{Seat, System};
use super::params::{CONFLICT, DROWNED, HELD, LIFTED, MOST_LIFTED, REDUNDANT};
use super::report::{Refusal, StepReport};
use crate::constraint::{ENDS, Row};
use crate::rod::spline::Place;
use glam::DVec3;
use micado_linalg::{Arithmetic, Inertia};

/// How an increment moves the ends of a constraint and its own unknowns; nothing of an end in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndMotion {
    ends: [Option<PlaceMotion>; ENDS],
    own: [f64; ENDS],
}

/// How an increment moves a place.
#[derive(Clone, Copy, Debug)]
struct PlaceMotion {
    x: DVec3,
    /// x' and roll, where rows look at them.
    turn: Option<(DVec3, f64)>,
}

impl EndMotion {
    /// JΔ of a row.
    pub(crate) fn along(&self, row: &Row) -> f64 {
        let mut sum = row.own[0] * self.own[0] + row.own[1] * self.own[1];
        for (end, row) in self.ends.iter().zip(&row.ends) {
            if let Some(PlaceMotion { x, turn }) = end {
                sum += row.x.dot(*x);
                if let Some((p, theta)) = turn {
                    sum += row.p.dot(*p) + row.theta * theta;
                }
            }
        }
        sum
    }

    /// How a pearl at the first end moves: along with its place, and along its rod.
    pub(crate) fn of_sliding(&self, place: &Place, q: &[f64]) -> DVec3 {
        self.ends[0].as_ref().map_or(DVec3::ZERO, |end| end.x) + place.derivative(q) * self.own[0]
    }
}

impl System {
    /// LDLᵀ of the regularised matrix. Rows that follow from others and whose regularisation drowns in rounding are regularised more.
    pub(crate) fn factorise(&mut self, arithmetic: Arithmetic) -> Result<Inertia, Refusal> {
        let inertia = self.factorise_once(arithmetic)?;
        if self.lift_drowned_rows() { self.factorise_once(arithmetic) } else { Ok(inertia) }
    }

    /// The same for when [`solve`](Self::solve) follows with the present right side, which goes halfway along with it: so large
    /// factors are read once less.
    pub(crate) fn factorise_for_solve(&mut self, arithmetic: Arithmetic) -> Result<Inertia, Refusal> {
        let inertia = self.factorise_halfway(arithmetic)?;
        if self.lift_drowned_rows() { self.factorise_halfway(arithmetic) } else { Ok(inertia) }
    }

    fn factorise_once(&mut self, arithmetic: Arithmetic) -> Result<Inertia, Refusal> {
        self.halfway = false;
        self.factor
            .factorise(&self.symbolic, &self.matrix, &self.shift, arithmetic)
            .map_err(|singular| Refusal::Singular { node: singular.node })
    }

    fn factorise_halfway(&mut self, arithmetic: Arithmetic) -> Result<Inertia, Refusal> {
        let b = &mut self.scratch;
        b.resize(self.rhs.len(), 0.0);
        self.symbolic.gather(&self.rhs, b);
        let shifts = &self.shift.as_chunks::<4>().0[self.primal_nodes..];
        for (node, (shift, expected)) in (self.primal_nodes..).zip(shifts.iter().zip(self.expected.as_chunks::<4>().0)) {
            let b = &mut b.as_chunks_mut::<4>().0[self.symbolic.position(node)];
            (0..4).for_each(|r| b[r] -= shift[r] * expected[r]);
        }
        self.halfway = true;
        self.factor
            .factorise_with(&self.symbolic, &self.matrix, &self.shift, Some(b), arithmetic)
            .map_err(|singular| Refusal::Singular { node: singular.node })
    }

    /// The pivot of a row is its compliance once the rows before it are held. In a stiff rod that moves as a whole the compliance g n² of
    /// a row by itself is millions of times that of the diagonal, n², and what is left of a row that follows from others is a difference
    /// of such numbers: rounding, of any size and sign up to 1e-16 g n², instead of 2ε n². Such rows get a regularisation that is seen
    /// against that; those that they follow from keep theirs and hold. Returns whether there are any.
    fn lift_drowned_rows(&mut self) -> bool {
        let Self { seats, factor, symbolic, norms, shift, .. } = self;
        let pivot = |row: usize| factor.pivots(symbolic, row / 4)[row % 4].abs();
        let rows = || seats.iter().zip(&*norms).flat_map(|(seat, norms)| (0..seat.rows).map(move |r| (seat.first_row + r, norms[r])));
        let largest = rows().filter(|(_, norm)| *norm > 0.0).map(|(row, norm)| pivot(row) / norm).fold(0.0, f64::max);
        let mut lifted = false;
        for (row, norm) in rows() {
            let level = largest * norm;
            let wanted = -(LIFTED * level).min(MOST_LIFTED * norm);
            if pivot(row) < DROWNED * level && wanted < shift[row] {
                shift[row] = wanted;
                lifted = true;
            }
        }
        lifted
    }

    /// Solves for Δ and −λ. Regularisation acts on the change of λ since the last solve, `JΔ + ε n² (λ − λ₀) = E`, so a slow
    /// motion misses its rows by rounding alone. Where they are missed by more, the solution is refined against the matrix
    /// without regularisation, unless rows contradict each other: then the regularised solution is kept, which is the nearest
    /// there is.
    pub(crate) fn solve(&mut self, refinements: usize, size: f64, arithmetic: Arithmetic, report: &mut StepReport) -> Result<(), Refusal> {
        if std::mem::take(&mut self.halfway) {
            self.factor.substitute_back(&self.symbolic, &mut self.scratch, &mut self.solution, arithmetic);
        } else {
            self.solution.copy_from_slice(&self.rhs);
            let duals = 4 * self.primal_nodes..;
            for ((x, shift), expected) in self.solution[duals.clone()].iter_mut().zip(&self.shift[duals]).zip(&self.expected) {
                *x -= shift * expected;
            }
            self.factor.solve(&self.symbolic, &mut self.solution, &mut self.scratch, arithmetic);
        }
        if !self.seats.is_empty() {
            let missed = self.find_conflicts(size, report);
            self.find_redundant(report);
            if report.conflicting_rows > 0 {
                // A row of a place that nothing but rows holds is missed by what regularisation gives way, and refinement mends it; it
                // never mends a contradiction.
                self.kept.copy_from_slice(&self.solution);
                self.refine(refinements, arithmetic);
                self.find_conflicts(size, report);
                if report.conflicting_rows > 0 {
                    self.solution.copy_from_slice(&self.kept);
                    self.find_conflicts(size, report);
                }
            } else if missed > HELD {
                self.refine(refinements, arithmetic);
            }
        }
        // A sum is finite only if all its terms are, up to overflow, which the search then clears. Four sums don't wait for each
        // other.
        let mut sums = [0.0; 4];
        for four in self.solution.as_chunks::<4>().0 {
            sums = std::array::from_fn(|a| sums[a] + four[a]);
        }
        if sums.iter().sum::<f64>().is_finite() {
            return Ok(());
        }
        match self.solution.iter().position(|x| !x.is_finite()) {
            None => Ok(()),
            Some(i) => Err(Refusal::NotFinite { node: i / 4 }),
        }
    }

    /// Refines the solution against the matrix without regularisation.
    fn refine(&mut self, sweeps: usize, arithmetic: Arithmetic) {
        let Self { matrix, symbolic, factor, rhs, solution, refine, .. } = self;
        for _ in 0..sweeps {
            micado_linalg::correct(matrix, symbolic, factor, rhs, solution, refine, arithmetic);
        }
    }

    /// Rows that the regularised solution misses by more than regularisation explains, each in its own unit: lengths as a
    /// share of the structure's size, angles in rad. Returns the largest miss.
    fn find_conflicts(&mut self, size: f64, report: &mut StepReport) -> f64 {
        self.find_conflicts_except(|_, _| false, size, report)
    }

    /// The same after non-smooth laws were solved: a clip that gives is missed by its opening, and what pulled at it may be met now.
    pub(super) fn find_conflicts_beside_openings(&mut self, size: f64, report: &mut StepReport) {
        self.find_conflicts_except(|system, k| system.non_smooth.gives(k), size, report);
    }

    fn find_conflicts_except(&mut self, except: impl Fn(&Self, usize) -> bool, size: f64, report: &mut StepReport) -> f64 {
        report.conflicting_rows = 0;
        self.conflicting.fill(false);
        let mut largest = 0.0_f64;
        for k in 0..self.seats.len() {
            if except(self, k) {
                continue;
            }
            let motion = self.motion_of(&self.places[k], &self.seats[k]);
            for row in self.rows[k].iter() {
                let miss = (row.violation - motion.along(row)).abs() / if row.angle { 1.0 } else { size };
                largest = if miss.is_nan() { f64::INFINITY } else { largest.max(miss) };
                if miss > CONFLICT {
                    report.conflicting_rows += 1;
                    self.conflicting[k] = true;
                }
            }
        }
        largest
    }

    /// How the solved increment moves the ends of a constraint.
    pub(crate) fn motion_of(&self, places: &[Place; ENDS], seat: &Seat) -> EndMotion {
        let d = &self.solution;
        let end = |e: usize| {
            let place = &places[e];
            let turn = || (place.sum(d, &place.weights.db), place.roll(d) - place.roll_offset);
            (place.count > 0).then(|| PlaceMotion { x: place.sum(d, &place.weights.b), turn: seat.framed[e].then(turn) })
        };
        let own = |e: usize| seat.own(e).map_or(0.0, |own| d[4 * own]);
        EndMotion { ends: [end(0), end(1)], own: [own(0), own(1)] }
    }

    /// Rows whose pivot is hardly more than their regularisation: they follow from rows eliminated before.
    pub(crate) fn find_redundant(&mut self, report: &mut StepReport) {
        report.redundant_rows = 0;
        self.redundant.fill(false);
        for (seat, redundant) in self.seats.iter().zip(&mut self.redundant) {
            for row in seat.first_row..seat.first_row + seat.rows {
                let pivot = self.factor.pivots(&self.symbolic, row / 4)[row % 4];
                if pivot.abs() < REDUNDANT * self.shift[row].abs() {
                    report.redundant_rows += 1;
                    *redundant = true;
                }
            }
        }
    }

    /// The increment Δ of objects.
    pub(crate) fn increment(&self) -> &[f64] {
        &self.solution[..4 * self.object_nodes]
    }
}
