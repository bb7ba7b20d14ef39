//! What is chosen for a step, and the tolerances with their reasons.

use crate::scene::{Arithmetic, Hessian, Integrator, Settings};

/// Regularisation of constraint rows, relative to their compliance: small enough to be refined away in one
/// sweep, large enough that the pivot of a redundant row stays well above rounding.
pub(crate) const EPSILON: f64 = 1e-10;

/// A row whose pivot is below this many times its regularisation is redundant.
pub(crate) const REDUNDANT: f64 = 10.0;

/// A pivot of a row below this share of the largest one, both relative to the diagonal compliance of their
/// rows, may be rounding: what cancels is known to 1e-16, and a hundred such errors add up.
pub(crate) const DROWNED: f64 = 1e-13;

/// Regularisation that such a row gets, as a share of that largest one, and at most, relative to the diagonal
/// compliance of the row.
pub(crate) const LIFTED: f64 = 1e-12;
/// See [`LIFTED`].
pub(crate) const MOST_LIFTED: f64 = 1e-4;
/// How often rows are lifted and factored again: once finds them, and seldom does one make nonsense of
/// others.
pub(crate) const MOST_LIFTS: usize = 8;

/// A row that the regularised solve misses by more than this share of the structure's size (m) or this angle
/// (rad) conflicts with others: regularisation alone explains 1e-10.
pub(crate) const CONFLICT: f64 = 1e-6;

/// A solution that misses its rows by no more than this share of the structure's size (m) or this angle (rad)
/// needs no refinement. What it misses is not carried on: the next rows are made from the true state.
pub(crate) const HELD: f64 = 1e-12;

/// Newton on a dynamic step stops when the last increment is below this share of the structure's size.
pub(crate) const NEWTON: f64 = 1e-10;

/// How often a failed step is tried again with twice as many substeps.
pub(crate) const RETRIES: u32 = 6;

/// Least number of solves of a step that is tried again: one solve per substep follows a violent motion in
/// stretches and tangents that were never solved for, Newton does not.
pub(crate) const RETRY_SOLVES: usize = 4;

/// Change of a rod's stretch in one step beyond which the step is tried again: ropes break earlier, and one
/// linearised solve, which knows nothing of the length that goes with a motion across, is off by the square
/// of it.
pub const OVERSTRETCHED: f64 = 0.2;

/// Miss of the length of an edge of an inextensible rod, as a share of it, beyond which the step is tried
/// again, and not made if no substeps help: one linearised solve misses by half the square of the angle by
/// which an edge turns, here 8°.
pub(crate) const MISSED_LENGTH: f64 = 0.01;

/// Least cosine between old and new tangents that a step may make: 90°. Frames are undefined at 180°.
pub(crate) const LEAST_TURN_COSINE: f64 = 0.0;

/// What is chosen for a dynamic step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepParams {
    /// Time step h, s.
    pub step: f64,
    /// Linearised solves per step: 1 is linearly implicit, more is Newton on the same step, ended early when
    /// it has converged. In an explicit step the iterations of the projection, at least.
    pub solves: usize,
    /// Time integration.
    pub integrator: Integrator,
    /// Second derivative of the energy.
    pub hessian: Hessian,
    /// Arithmetic of the kernels.
    pub arithmetic: Arithmetic,
    /// Sweeps of iterative refinement where there are constraints.
    pub refinements: usize,
}

impl Default for StepParams {
    fn default() -> Self {
        Self {
            step: 0.01,
            solves: 1,
            integrator: Integrator::Euler,
            hessian: Hessian::Psd,
            arithmetic: Arithmetic::Fast,
            refinements: 1,
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

/// What is chosen for a static solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticParams {
    /// Most iterations.
    pub iterations: usize,
    /// Converged when the last increment is below this share of the structure's size; rolls may be off by
    /// 1000 times this.
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
