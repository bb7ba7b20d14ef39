//! Factor and free motion: Δ and λ from the one system, refined; what the pivots say about the rows.

use super::order::{Seat, System};
use super::params::{CONFLICT, DROWNED, HELD, LIFTED, MOST_LIFTED, REDUNDANT};
use super::report::{Refusal, StepReport};
use crate::constraint::{ENDS, EndRow, Row};
use crate::rod::spline::Place;
use glam::DVec3;
use micado_linalg::{Arithmetic, Inertia};

/// How an increment moves the ends of a constraint and its own unknowns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndMotion {
    x: [DVec3; ENDS],
    p: [DVec3; ENDS],
    theta: [f64; ENDS],
    own: [f64; ENDS],
}

impl EndMotion {
    /// JΔ of a row.
    pub(crate) fn along(&self, row: &Row) -> f64 {
        (0..ENDS)
            .map(|e| {
                let EndRow { x, p, theta } = row.ends[e];
                x.dot(self.x[e]) + p.dot(self.p[e]) + theta * self.theta[e] + row.own[e] * self.own[e]
            })
            .sum()
    }

    /// How a pearl at the first end moves: along with its place, and along its rod.
    pub(crate) fn of_sliding(&self, place: &Place, q: &[f64]) -> DVec3 {
        self.x[0] + place.derivative(q) * self.own[0]
    }
}

impl System {
    /// LDLᵀ of the regularised matrix. Rows that follow from others and whose regularisation drowns in rounding are regularised more.
    pub(crate) fn factorise(&mut self, arithmetic: Arithmetic) -> Result<Inertia, Refusal> {
        let inertia = self.factorise_once(arithmetic)?;
        if self.lift_drowned_rows() { self.factorise_once(arithmetic) } else { Ok(inertia) }
    }

    fn factorise_once(&mut self, arithmetic: Arithmetic) -> Result<Inertia, Refusal> {
        self.factor
            .factorise(&self.symbolic, &self.matrix, &self.shift, arithmetic)
            .map_err(|singular| Refusal::Singular { node: singular.node })
    }

    /// The pivot of a row is its compliance once the rows before it are held. In a stiff rod that moves as a whole the compliance g n² of
    /// a row by itself is millions of times that of the diagonal, n², and what is left of a row that follows from others is a difference
    /// of such numbers: rounding, of any size and sign up to 1e-16 g n², instead of 2ε n². Such rows get a regularisation that is seen
    /// against that; those that they follow from keep theirs and hold. Returns whether there are any.
    fn lift_drowned_rows(&mut self) -> bool {
        let Self { seats, factor, symbolic, norms, shift, .. } = self;
        let pivots = |seat: &Seat, r: usize| factor.pivots(symbolic, seat.dual as usize + r / 4)[r % 4].abs();
        let rows = || seats.iter().zip(&*norms).flat_map(|(seat, norms)| (0..seat.rows).map(move |r| (seat, r, norms[r])));
        let largest = rows().filter(|row| row.2 > 0.0).map(|(seat, r, norm)| pivots(seat, r) / norm).fold(0.0, f64::max);
        let mut lifted = false;
        for (seat, r, norm) in rows() {
            let (level, entry) = (largest * norm, &mut shift[4 * seat.dual as usize + r]);
            let wanted = -(LIFTED * level).min(MOST_LIFTED * norm);
            if pivots(seat, r) < DROWNED * level && wanted < *entry {
                *entry = wanted;
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
        self.solution.copy_from_slice(&self.rhs);
        let duals = 4 * self.primal_nodes..;
        for ((x, shift), expected) in self.solution[duals.clone()].iter_mut().zip(&self.shift[duals]).zip(&self.expected) {
            *x -= shift * expected;
        }
        self.factor.solve(&self.symbolic, &mut self.solution, &mut self.scratch, arithmetic);
        if !self.seats.is_empty() {
            let missed = self.find_conflicts(size, report);
            self.find_redundant(report);
            if report.conflicting_rows == 0 && missed > HELD {
                for _ in 0..refinements {
                    micado_linalg::correct(
                        &self.matrix,
                        &self.symbolic,
                        &self.factor,
                        &self.rhs,
                        &mut self.solution,
                        &mut self.refine,
                        arithmetic,
                    );
                }
            }
        }
        // A sum is finite only if all its terms are, up to overflow, which the search then clears.
        if self.solution.iter().sum::<f64>().is_finite() {
            return Ok(());
        }
        match self.solution.iter().position(|x| !x.is_finite()) {
            None => Ok(()),
            Some(i) => Err(Refusal::NotFinite { node: i / 4 }),
        }
    }

    /// Rows that the regularised solution misses by more than regularisation explains, each in its own unit: lengths as a
    /// share of the structure's size, angles in rad. Returns the largest miss.
    fn find_conflicts(&mut self, size: f64, report: &mut StepReport) -> f64 {
        report.conflicting_rows = 0;
        self.conflicting.fill(false);
        let mut largest = 0.0_f64;
        for k in 0..self.seats.len() {
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
        EndMotion {
            x: std::array::from_fn(|e| places[e].sum(d, &places[e].weights.b)),
            p: std::array::from_fn(|e| if seat.framed[e] { places[e].sum(d, &places[e].weights.db) } else { DVec3::ZERO }),
            theta: std::array::from_fn(|e| if seat.framed[e] { places[e].roll(d) - places[e].roll_offset } else { 0.0 }),
            own: std::array::from_fn(|e| seat.own(e).map_or(0.0, |own| d[4 * own])),
        }
    }

    /// Rows whose pivot is hardly more than their regularisation: they follow from rows eliminated before.
    pub(crate) fn find_redundant(&mut self, report: &mut StepReport) {
        report.redundant_rows = 0;
        self.redundant.fill(false);
        for k in 0..self.seats.len() {
            let seat = self.seats[k];
            for d in 0..seat.rows.div_ceil(4) {
                let dual = seat.dual as usize + d;
                let pivots = self.factor.pivots(&self.symbolic, dual);
                for r in 4 * d..seat.rows.min(4 * d + 4) {
                    if pivots[r % 4].abs() < REDUNDANT * self.shift[4 * dual + r % 4].abs() {
                        report.redundant_rows += 1;
                        self.redundant[k] = true;
                    }
                }
            }
        }
    }

    /// The increment Δ of objects.
    pub(crate) fn increment(&self) -> &[f64] {
        &self.solution[..4 * self.object_nodes]
    }
}
