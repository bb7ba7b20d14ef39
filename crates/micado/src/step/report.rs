//! Report of a step.

use crate::constraint::Broke;
use crate::contact::Passed;
use crate::law::Outcome;
use crate::world::Refusal;

/// The stages of a step, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Order of elimination, when the structure has changed.
    OrderUnknowns,
    /// Contacts of surfaces, at the beginning of a substep and at its end.
    DetectContacts,
    /// Objects write M, D, K and forces.
    LineariseObjects,
    /// Constraints write J and E.
    LineariseConstraints,
    /// LDLᵀ.
    Factor,
    /// Δ and λ, refined.
    FreeMotion,
    /// Response of the factored system to non-smooth rows.
    BuildCompliance,
    /// Forces that obey their laws.
    SolveConstraints,
    /// Motion with the forces of these rows.
    Correct,
    /// New positions, frames and velocities.
    Commit,
}

impl Stage {
    /// All stages, in their order.
    pub const ALL: [Self; 10] = [
        Self::OrderUnknowns,
        Self::DetectContacts,
        Self::LineariseObjects,
        Self::LineariseConstraints,
        Self::Factor,
        Self::FreeMotion,
        Self::BuildCompliance,
        Self::SolveConstraints,
        Self::Correct,
        Self::Commit,
    ];

    /// Its name in files, timers and documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::OrderUnknowns => "order_unknowns",
            Self::DetectContacts => "detect_contacts",
            Self::LineariseObjects => "linearise_objects",
            Self::LineariseConstraints => "linearise_constraints",
            Self::Factor => "factor",
            Self::FreeMotion => "free_motion",
            Self::BuildCompliance => "build_compliance",
            Self::SolveConstraints => "solve_constraints",
            Self::Correct => "correct",
            Self::Commit => "commit",
        }
    }
}

/// Result of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Time after the step, s.
    pub time: f64,
    /// Linearised solves of all substeps.
    pub solves: usize,
    /// Number of substeps: 1, or a power of two after refused tries; in an explicit step as many as stability
    /// requires.
    pub substeps: u32,
    /// Reason why the first try was refused, if it was.
    pub refused: Option<Refusal>,
    /// Whether every try was refused: state and time are unchanged.
    pub held: bool,
    /// Largest increment of a position in the last solve, m: the error of Newton.
    pub last_increment: f64,
    /// Largest change of the length between neighbouring control points in a substep, as a share of its rest
    /// length. Exceeds [`OVERSTRETCHED`](super::OVERSTRETCHED) only if no number of substeps avoids it; 0
    /// where no point moved far enough for that.
    pub stretched: f64,
    /// Largest violation of a constraint, or of the length of an edge of an inextensible rod, after the step,
    /// m or rad.
    pub residual: f64,
    /// Constraint with the largest violation; `None` if a length has it.
    pub worst_constraint: Option<usize>,
    /// Number of redundant rows; the system lists their constraints.
    pub redundant_rows: usize,
    /// Number of contradictory rows; the system lists their constraints.
    pub conflicting_rows: usize,
    /// Sweeps over non-smooth rows, and over bilateral rows that are not factored, in all solves.
    pub sweeps: usize,
    /// Factorisations of the compliance of non-smooth rows that hold together, in all solves.
    pub compliance_factors: usize,
    /// Updates of such a factor, in each of which one friction row begins to stick or to slide.
    pub compliance_updates: usize,
    /// Largest residual of the law of a non-smooth row, or change of its displacement in the last sweep, m;
    /// of the forces that act, which are those of the last solve of each substep.
    pub sweep_residual: f64,
    /// Contacts of surfaces with a force at the end of the step.
    pub contacts: usize,
    /// Largest overlap of surfaces at the end of the step, m.
    pub penetration: f64,
    /// Passages of rods through each other or themselves. Without an alarm, only those of rods that touch and
    /// that no number of substeps prevented.
    pub passages: usize,
    /// One of them.
    pub passed: Option<Passed>,
    /// Whether the forces of contacts of surfaces are not final: [`Self::sweep_residual`] exceeds a hundredth
    /// of the thickness of the thinnest object, which is a radius, or a tenth of the shortest side of a body;
    /// or a rod came too near to another one or to the inside of a body, and no number of substeps prevented
    /// it.
    pub unsolved_contacts: bool,
    /// Islands that switched between dynamic and quasi-static before the step, see
    /// [`Workspace::switches`](super::Workspace::switches).
    pub switches: usize,
    /// Number of quasi-static objects in the step.
    pub still_objects: usize,
    /// Number of equal parts of a quasi-dynamic step for dynamic islands.
    pub parts: u32,
    /// Passes in which the displacement of quasi-static islands was limited.
    pub ceilings: usize,
    /// Factorisations of all systems, also in tries that were refused.
    pub factorisations: usize,
    /// Additional factorisations of quasi-static islands: all but one for each part of the step.
    pub searches: usize,
    /// The constraint that yielded, and opened at the end of the step. Of several islands that with the
    /// largest load; [`Workspace::hold_events`](super::Workspace::hold_events) has all.
    pub broke: Option<Broke>,
    /// Whether constraints could not meet their targets at once, and approach them.
    pub approaches: bool,
    /// Whether the forces of a step are not final because its passes did not settle, even in the shortest
    /// substeps, because sweeps over bilateral rows ended before their tolerance, or because a quasi-static
    /// island with an exceeded strength found no equilibrium.
    pub unsettled: bool,
    /// The largest residual of the forces at a node after the last pass, as a share of the sum of their
    /// sizes; only if [`StepParams::balance`](super::StepParams::balance) asks for it.
    pub unbalanced: Option<f64>,
    /// Number of winches that can't reel in further.
    pub stopped_winches: usize,
    /// Whether the state is an equilibrium within the tolerance; only after a static solve.
    pub converged: bool,
    /// Unstable modes, by the inertia of the factor; only after a static solve.
    pub unstable_modes: usize,
    /// Whether a static solve may have left the branch of the equilibrium from which it started: the second
    /// derivative of the energy was indefinite on the way, or the first increment was a poor prediction
    /// of the equilibrium.
    pub strayed: bool,
    /// Unstable equilibria that a static solve has left.
    pub departures: usize,
    /// Seconds in each stage, in the order of [`Stage::ALL`].
    pub stage_seconds: [f64; Stage::ALL.len()],
}

impl StepReport {
    /// Whether its forces are final: passes settled, forces of contacts converged, constraints met their
    /// targets at once, and quasi-static objects were not slowed down.
    pub fn has_final_forces(&self) -> bool {
        !(self.unsettled || self.unsolved_contacts || self.approaches || self.ceilings > 0)
    }

    /// Adds the work of a solve of non-smooth rows. Its residual replaces that of earlier solves, whose
    /// forces no longer act.
    pub(super) fn add_sweeps(&mut self, outcome: &Outcome) {
        self.sweeps += outcome.sweeps;
        self.compliance_factors += outcome.factors;
        self.compliance_updates += outcome.updates;
        self.sweep_residual = outcome.residual;
    }

    /// Combines this report with that of the next part of the same step.
    pub(crate) fn then(self, next: Self) -> Self {
        Self {
            solves: self.solves + next.solves,
            substeps: self.substeps + next.substeps,
            refused: self.refused.or(next.refused),
            stretched: self.stretched.max(next.stretched),
            sweeps: self.sweeps + next.sweeps,
            compliance_factors: self.compliance_factors + next.compliance_factors,
            compliance_updates: self.compliance_updates + next.compliance_updates,
            sweep_residual: self.sweep_residual.max(next.sweep_residual),
            ceilings: self.ceilings + next.ceilings,
            factorisations: self.factorisations + next.factorisations,
            searches: self.searches + next.searches,
            redundant_rows: self.redundant_rows.max(next.redundant_rows),
            conflicting_rows: self.conflicting_rows.max(next.conflicting_rows),
            broke: self.broke.or(next.broke),
            approaches: self.approaches || next.approaches,
            unsettled: self.unsettled || next.unsettled,
            unsolved_contacts: self.unsolved_contacts || next.unsolved_contacts,
            passages: self.passages + next.passages,
            passed: self.passed.or(next.passed),
            unbalanced: larger(self.unbalanced, next.unbalanced),
            departures: self.departures + next.departures,
            strayed: self.strayed || next.strayed,
            stopped_winches: self.stopped_winches.max(next.stopped_winches),
            stage_seconds: std::array::from_fn(|k| self.stage_seconds[k] + next.stage_seconds[k]),
            ..next
        }
    }
}

/// The larger of two numbers of which one may be missing.
pub(super) fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.map_or(b, |a| Some(b.map_or(a, |b| a.max(b))))
}

#[cfg(test)]
mod tests {
    use super::StepReport;
    use crate::law::Outcome;

    #[test]
    fn the_residual_is_that_of_the_last_solve_of_a_substep() {
        let mut report = StepReport::default();
        for residual in [1e-3, 1e-9] {
            report.add_sweeps(&Outcome { sweeps: 2, residual, ..Outcome::default() });
        }
        assert_eq!((report.sweeps, report.sweep_residual), (4, 1e-9));
    }
}
