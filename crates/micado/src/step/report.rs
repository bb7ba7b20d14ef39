//! What a step says about itself.

use crate::constraint::Broke;
use crate::world::Refusal;

/// The stages of a step, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Objects write M, D, K and forces.
    LineariseObjects,
    /// Constraints write J and E.
    LineariseConstraints,
    /// Order of elimination, when the structure has changed.
    OrderUnknowns,
    /// LDLᵀ.
    Factor,
    /// Δ and λ, refined.
    FreeMotion,
    /// How the factored system answers to non-smooth rows.
    BuildCompliance,
    /// Sweeps over their laws.
    SolveConstraints,
    /// The motion with what they push.
    Correct,
    /// New positions, frames and velocities.
    Commit,
}

impl Stage {
    /// All stages.
    pub const ALL: [Self; 9] = [
        Self::LineariseObjects,
        Self::LineariseConstraints,
        Self::OrderUnknowns,
        Self::Factor,
        Self::FreeMotion,
        Self::BuildCompliance,
        Self::SolveConstraints,
        Self::Correct,
        Self::Commit,
    ];

    /// The name that it has everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Self::LineariseObjects => "linearise_objects",
            Self::LineariseConstraints => "linearise_constraints",
            Self::OrderUnknowns => "order_unknowns",
            Self::Factor => "factor",
            Self::FreeMotion => "free_motion",
            Self::BuildCompliance => "build_compliance",
            Self::SolveConstraints => "solve_constraints",
            Self::Correct => "correct",
            Self::Commit => "commit",
        }
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Time after the step, s.
    pub time: f64,
    /// Linearised solves that were made, all substeps together.
    pub solves: usize,
    /// Substeps in which the step was made: 1, or a power of two after refused tries; as many as stability
    /// asks for in an explicit step.
    pub substeps: u32,
    /// Why the first try was refused, if it was.
    pub refused: Option<Refusal>,
    /// Whether every try was refused: the state is as it was before, the time too.
    pub held: bool,
    /// Largest increment of a position in the last solve, m: how far Newton was from its end.
    pub last_increment: f64,
    /// Largest change of the length between neighbouring control points in a substep, as a share of its rest
    /// length: more than [`OVERSTRETCHED`](super::OVERSTRETCHED) only if no number of substeps made it less;
    /// 0 where no point moved far enough for that.
    pub stretched: f64,
    /// Largest miss of a constraint, or of the length of an edge of an inextensible rod, after the step, m or
    /// rad.
    pub residual: f64,
    /// Constraint that is missed most; none where a length is.
    pub worst_constraint: Option<usize>,
    /// Rows that follow from others; the system says of which constraints.
    pub redundant_rows: usize,
    /// Rows that contradict others; the system says of which constraints.
    pub conflicting_rows: usize,
    /// Sweeps over non-smooth rows, all solves together.
    pub sweeps: usize,
    /// Largest displacement by which the last visit of a non-smooth row changed it, m.
    pub sweep_residual: f64,
    /// Islands that switched between dynamic and quasi-static before the step, see
    /// [`Workspace::switches`](super::Workspace::switches).
    pub switches: usize,
    /// Objects that were quasi-static in it.
    pub still_objects: usize,
    /// Equal parts in which dynamic islands of a quasi-dynamic step moved.
    pub parts: u32,
    /// Passes in which quasi-static islands would have gone too far, and were slowed down.
    pub ceilings: usize,
    /// The constraint that gave way, and opened at the end of the step.
    pub broke: Option<Broke>,
    /// Winches that would reel in further and can't.
    pub stopped_winches: usize,
    /// Whether the state is an equilibrium within the tolerance; only after a static solve.
    pub converged: bool,
    /// Modes in which the state would leave, by the inertia of the factor; only after a static solve.
    pub unstable_modes: usize,
    /// Seconds in each stage, in the order of [`Stage::ALL`].
    pub stage_seconds: [f64; Stage::ALL.len()],
}

impl StepReport {
    /// This one and what was made after it, as one step.
    pub(crate) fn then(self, next: Self) -> Self {
        Self {
            solves: self.solves + next.solves,
            substeps: self.substeps + next.substeps,
            refused: self.refused.or(next.refused),
            stretched: self.stretched.max(next.stretched),
            sweeps: self.sweeps + next.sweeps,
            ceilings: self.ceilings + next.ceilings,
            redundant_rows: self.redundant_rows.max(next.redundant_rows),
            conflicting_rows: self.conflicting_rows.max(next.conflicting_rows),
            broke: self.broke.or(next.broke),
            stopped_winches: self.stopped_winches.max(next.stopped_winches),
            stage_seconds: std::array::from_fn(|k| self.stage_seconds[k] + next.stage_seconds[k]),
            ..next
        }
    }
}
