//! Factor and free motion: Δ and λ of the system, refined; redundant rows by their pivots.

use super::order::System;
use super::params::{HELD, MOST_RAISES, MOST_SWEEPS, SLOWEST};
use super::report::StepReport;
use super::seat::Seat;
use crate::constraint::{ENDS, Row, Site, spread};
use crate::object::{Place, PlaceMotion};
use crate::world::Refusal;
use crate::world::Structure;
use glam::DVec3;
use micado_linalg::{Arithmetic, Inertia};

/// Motion of the ends of a constraint and of its own unknowns in an increment; none for an end in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndMotion {
    ends: [Option<PlaceMotion>; ENDS],
    own: [f64; ENDS],
}

/// One of two variants of the factorisation.
type Factorise = fn(&mut System, Arithmetic) -> Result<Inertia, Refusal>;

impl EndMotion {
    /// JΔ of a row.
    pub(crate) fn along(&self, row: &Row, places: &[Place; ENDS], sites: &[Site; ENDS]) -> f64 {
        let mut sum = row.own[0] * self.own[0] + row.own[1] * self.own[1];
        for (end, row) in self.ends.iter().zip(spread(row, places, sites)) {
            if let Some(motion) = end {
                sum += row.along(motion);
            }
        }
        sum
    }

    /// Displacement of a sliding mass at the first end: that of its place plus sliding.
    pub(crate) fn of_sliding(&self, place: &Place, q: &[f64]) -> DVec3 {
        self.ends[0].as_ref().map_or(DVec3::ZERO, |end| end.x) + place.derivative(q) * self.own[0]
    }
}

impl System {
    /// LDLᵀ of the regularised matrix. Redundant rows whose regularisation is lost in rounding are
    /// regularised more.
    pub(crate) fn factorise(&mut self, arithmetic: Arithmetic) -> Result<Inertia, Refusal> {
        self.factorise_until_regular(Self::factorise_once, arithmetic)
    }

    /// Like `factorise`, for when [`solve`](Self::solve) follows with the present right side: the forward
    /// substitution runs along, so large factors are read once less.
    pub(crate) fn factorise_for_solve(&mut self, arithmetic: Arithmetic) -> Result<Inertia, Refusal> {
        self.factorise_until_regular(Self::factorise_halfway, arithmetic)
    }

    /// Factors until no pivot is rounding. The pivot of a redundant row may be exactly zero, which spoils the
    /// rows after it.
    fn factorise_until_regular(
        &mut self,
        factorise: Factorise,
        arithmetic: Arithmetic,
    ) -> Result<Inertia, Refusal> {
        let mut result = factorise(self, arithmetic);
        for _ in 0..MOST_RAISES {
            if matches!(result, Err(Refusal::Singular { at }) if at.is_unknown())
                || !self.raise_regularisation()
            {
                break;
            }
            result = factorise(self, arithmetic);
        }
        result
    }

    fn factorise_once(&mut self, arithmetic: Arithmetic) -> Result<Inertia, Refusal> {
        self.halfway = false;
        self.factor
            .factorise(&self.symbolic, &self.matrix, &self.shift, arithmetic)
            .map_err(|singular| Refusal::Singular { at: self.spot(singular.node) })
    }

    fn factorise_halfway(&mut self, arithmetic: Arithmetic) -> Result<Inertia, Refusal> {
        let b = &mut self.scratch;
        let scalars = 4 * self.matrix.nodes();
        b.resize(scalars, 0.0);
        self.symbolic.gather(&self.rhs[..scalars], b);
        let (b4, shifts) = (b.as_chunks_mut::<4>().0, &self.shift.as_chunks::<4>().0[self.primal_nodes..]);
        for (d, (shift, expected)) in shifts.iter().zip(self.expected.as_chunks::<4>().0).enumerate() {
            let b = &mut b4[self.symbolic.position(self.primal_nodes + d)];
            *b = std::array::from_fn(|r| b[r] - shift[r] * expected[r]);
        }
        self.halfway = true;
        self.factor
            .factorise_with(&self.symbolic, &self.matrix, &self.shift, Some(b), arithmetic)
            .map_err(|singular| Refusal::Singular { at: self.spot(singular.node) })
    }

    /// Solves for Δ and −λ. Regularisation acts on the change of λ since the last solve, `JΔ + ε n² (λ − λ₀)
    /// = E`, so a slow motion meets its rows to rounding. If the residual is larger, the solution is refined
    /// against the matrix without regularisation. If rows contradict each other, the regularised solution is
    /// kept, which is the nearest one.
    pub(crate) fn solve(
        &mut self,
        refinements: usize,
        size: f64,
        arithmetic: Arithmetic,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        self.find_redundant(report);
        if report.redundant_rows > 0 && self.expected.iter().any(|expected| *expected != 0.0) {
            // Redundant rows are new: see `linearise_constraints`.
            self.expected.fill(0.0);
            self.halfway = false;
        }
        let scalars = self.scalars();
        if std::mem::take(&mut self.halfway) {
            self.factor.substitute_back(
                &self.symbolic,
                &mut self.scratch,
                &mut self.solution[..scalars],
                arithmetic,
            );
        } else {
            self.solution.copy_from_slice(&self.rhs);
            let duals = 4 * self.primal_nodes..;
            for ((x, shift), expected) in
                self.solution[duals.clone()].iter_mut().zip(&self.shift[duals]).zip(&self.expected)
            {
                *x -= shift * expected;
            }
            self.factor.solve(&self.symbolic, &mut self.solution[..scalars], &mut self.scratch, arithmetic);
        }
        if !self.seats.is_empty() || !self.lengths.is_empty() {
            let missed = self.find_conflicts(size, report);
            self.mark_duplicates(report);
            if report.conflicting_rows > 0 {
                // Where only rows hold a place, regularisation causes a residual that refinement removes; a
                // contradiction remains. If two rows differ by little compared with the compliance of each,
                // as on an arm of a body with hardly any inertia, each sweep removes only a share of the
                // residual.
                self.kept.copy_from_slice(&self.solution);
                let mut left = missed;
                for _ in 0..MOST_SWEEPS {
                    self.refine(refinements, arithmetic);
                    let now = self.find_conflicts(size, report);
                    if now <= HELD || now.is_nan() || now > SLOWEST * left {
                        break;
                    }
                    left = now;
                }
                if report.conflicting_rows > 0 {
                    self.solution.copy_from_slice(&self.kept);
                    self.find_conflicts(size, report);
                }
            } else if missed > HELD {
                self.refine(refinements, arithmetic);
            }
        }
        self.recover_condensed();
        // A sum is finite only if all its terms are, except for overflow, which the search then rules out.
        // Four independent sums run in parallel.
        let mut sums = [0.0; 4];
        let (fours, rest) = self.solution.as_chunks::<4>();
        for four in fours {
            sums = std::array::from_fn(|a| sums[a] + four[a]);
        }
        if sums.iter().chain(rest).sum::<f64>().is_finite() {
            return Ok(());
        }
        match self.solution.iter().position(|x| !x.is_finite()) {
            None => Ok(()),
            Some(i) => {
                let node = if i < scalars { i / 4 } else { scalars / 4 + i - scalars };
                Err(Refusal::NotFinite { at: self.spot(node) })
            }
        }
    }

    /// Refines the solution against the matrix without regularisation. Where non-smooth rows follow, σS of a
    /// static search stays: their responses contain it, and without it an object that only they hold would
    /// move by the same amount again in each sweep. Elsewhere a sweep without σS brings the increment nearer
    /// to that of Newton.
    fn refine(&mut self, sweeps: usize, arithmetic: Arithmetic) {
        let Self { matrix, symbolic, factor, rhs, shift, solution, refine, primal_nodes, pushes, .. } = self;
        let held = if *pushes { &shift[..4 * *primal_nodes] } else { &[] };
        let scalars = 4 * matrix.nodes();
        for _ in 0..sweeps {
            micado_linalg::correct(
                (matrix, held),
                symbolic,
                factor,
                &rhs[..scalars],
                &mut solution[..scalars],
                refine,
                arithmetic,
            );
        }
    }

    /// Motion of the ends of a constraint in the solved increment.
    pub(crate) fn motion_of(&self, structure: &Structure, places: &[Place; ENDS], seat: &Seat) -> EndMotion {
        let end = |e: usize| {
            let place = &places[e];
            let increment = place.slice(&structure.objects, &self.solution);
            place.is_somewhere().then(|| place.motion(increment, seat.framed[e]))
        };
        let own = |e: usize| seat.own_scalar(e).map_or(0.0, |own| self.solution[own]);
        EndMotion { ends: [end(0), end(1)], own: [own(0), own(1)] }
    }

    /// Counts duplicate constraints as redundant: with all their rows, or as one if they are unilateral.
    fn mark_duplicates(&mut self, report: &mut StepReport) {
        report.redundant_rows += self.duplicate_rows;
        for &(k, _) in &self.duplicates {
            self.redundant[k] = true;
        }
    }

    /// The increment Δ of objects.
    pub(crate) fn increment(&self) -> &[f64] {
        &self.solution[..4 * self.object_nodes]
    }
}
