//! Parameters of a step, and the tolerances with their reasons.

use crate::scene::{Arithmetic, Hessian, Integrator, Settings, Solves};

/// Regularisation of constraint rows, relative to their compliance: small enough to be refined away in one
/// sweep, large enough that the pivot of a redundant row stays well above rounding.
pub(crate) const EPSILON: f64 = 1e-10;

/// A row whose pivot is below this many times its regularisation is redundant.
pub(crate) const REDUNDANT: f64 = 10.0;

/// A row whose pivot is below this share of its diagonal compliance may be redundant; the share of the
/// regularisation in the pivot then decides. A dependent row with a hundredth of the amplitude of others has
/// a pivot of 1e4 ε. An independent row between masses of a ratio of 1e5 has an equally small pivot.
pub(crate) const SUSPECT: f64 = 1e-5;

/// Share of the largest pivot below which a pivot of a row may be rounding, both relative to the diagonal
/// compliance of their rows: cancellation has an error of 1e-16, and a hundred such errors add up.
pub(crate) const ROUNDING_PIVOT: f64 = 1e-13;

/// Regularisation of such a row, as a share of that largest pivot, and its maximum, relative to the diagonal
/// compliance of the row.
pub(crate) const RAISED: f64 = 1e-12;
/// See [`RAISED`].
pub(crate) const MOST_RAISED: f64 = 1e-4;
/// Most repetitions of raising regularisation and factoring: one finds the rows, and rarely one of them
/// spoils others.
pub(crate) const MOST_RAISES: usize = 8;

/// Residual above which a row conflicts with others, as a share of the structure's size (m) or an angle
/// (rad): regularisation alone explains 1e-10.
pub(crate) const CONFLICT: f64 = 1e-6;

/// Rows contradict each other if a larger share of their residual than this remains after a sweep of
/// refinement. A row whose compliance is the share s of its diagonal entry keeps ε/(ε + s) in each sweep.
pub(crate) const SLOWEST: f64 = 0.9;
/// Most sweeps of refinement; they end earlier if one leaves a larger share of the residual than [`SLOWEST`].
pub(crate) const MOST_SWEEPS: usize = 128;

/// Residual of rows below which a solution needs no refinement, as a share of the structure's size (m) or an
/// angle (rad). It does not accumulate: the next rows start from the true state.
pub(crate) const HELD: f64 = 1e-12;

/// Newton on a dynamic step stops when the last increment is below this share of the structure's size.
pub(crate) const NEWTON: f64 = 1e-10;

/// Most passes of a step with `solves = "auto"`; where Newton needs more, shorter steps do better.
pub(crate) const MOST_PASSES: usize = 8;

/// A pass is enough if four times the energy that it neglects is at most this share of the energy that the
/// step exchanges. An edge that turns by φ in a pass counts as stretched in the next step, and does the false
/// work `EA l φ⁴/2 = 4 U₂` there.
pub(crate) const UNSEEN: f64 = 0.1;

/// Weight of the work Σ |λ g| of rows with the directions of the start of the step, see `misses.rs`: their
/// residuals may do a thousandth of the energy that the step exchanges.
pub(crate) const LASTING: f64 = 100.0;

/// Least cosine between a direction and its prediction, 37°, for a step to begin at the predicted state: of a
/// tangent, and of the push of a constraint that keeps points apart.
pub(crate) const PREDICTED_COSINE: f64 = 0.8;

/// Most retries of a failed step, each with twice as many substeps.
pub(crate) const RETRIES: u32 = 6;

/// Most retries of a step in which objects would pass through each other. In a thousandth of a step of 10 ms,
/// an object at 50 m/s moves by half a millimetre, the radius of a thin cord.
pub(crate) const FINEST: u32 = 10;

/// When targets can't be met at once, constraints remove a share of their violations in each of the shortest
/// substeps: this number to the power 1, 2, … until a step succeeds.
pub(crate) const APPROACH: f64 = 0.25;
/// The largest of these powers: a millionth.
pub(crate) const APPROACHES: i32 = 10;

/// Least number of solves of a retried step: Newton follows violent motions, where one solve per substep
/// produces wrong stretches and tangents.
pub(crate) const RETRY_SOLVES: usize = 4;

/// Change of a rod's stretch in one step above which the step is retried: ropes break earlier, and the error
/// of one linearised solve, which ignores the length due to transverse motion, is the square of it.
pub const OVERSTRETCHED: f64 = 0.2;

/// Relative error of the length of an edge of an inextensible rod above which the step is retried, and held
/// if substeps don't help: the error of one linearised solve is half the square of the angle by which an edge
/// turns, here 8°.
pub(crate) const MISSED_LENGTH: f64 = 0.01;

/// Least cosine between old and new tangents in a step: 90°. Frames are undefined at 180°.
pub(crate) const LEAST_TURN_COSINE: f64 = 0.0;

/// Parameters of a dynamic step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepParams {
    /// Time step h, s.
    pub step: f64,
    /// Linearised solves per step: as many as it needs; or 1, linearly implicit; or more, Newton on the same
    /// step, which stops when converged. In an explicit step the least number of iterations of the
    /// projection.
    pub solves: Solves,
    /// Time integration.
    pub integrator: Integrator,
    /// Second derivative of the energy.
    pub hessian: Hessian,
    /// Arithmetic of the kernels.
    pub arithmetic: Arithmetic,
    /// Sweeps of iterative refinement where there are constraints.
    pub refinements: usize,
    /// Whether the report says how well the forces at the nodes balance: for measurements.
    pub balance: bool,
}

impl Default for StepParams {
    fn default() -> Self {
        Self {
            step: 0.01,
            solves: Solves::Auto,
            integrator: Integrator::Euler,
            hessian: Hessian::Psd,
            arithmetic: Arithmetic::Fast,
            refinements: 1,
            balance: false,
        }
    }
}

impl From<&Settings> for StepParams {
    fn from(settings: &Settings) -> Self {
        Self {
            step: settings.step,
            solves: settings.solves,
            integrator: settings.integrator,
            hessian: settings.hessian.unwrap_or(Hessian::Psd),
            arithmetic: settings.arithmetic,
            ..Self::default()
        }
    }
}

/// Parameters of a static solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticParams {
    /// Most iterations.
    pub iterations: usize,
    /// Converged when the last increment is below this share of the structure's size; for rolls 1000 times
    /// this.
    pub tolerance: f64,
    /// Second derivative of the energy; `Auto` uses the exact one whenever the inertia of the factor allows.
    pub hessian: Hessian,
    /// Arithmetic of the kernels.
    pub arithmetic: Arithmetic,
    /// Leave an unstable equilibrium along its unstable mode.
    pub leave_unstable: bool,
}

impl Default for StaticParams {
    fn default() -> Self {
        Self {
            iterations: 500,
            tolerance: 1e-10,
            hessian: Hessian::Auto,
            arithmetic: Arithmetic::Fast,
            leave_unstable: true,
        }
    }
}
