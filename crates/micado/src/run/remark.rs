//! Remarks about the start of a run, before its first step.

use crate::run::Simulation;
use crate::run::cause::Missed;
use crate::scene::{Integrator, Mode};

/// A remark about the start of a run. `Display` writes it as a sentence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remark {
    /// A constraint is far from its target, and the first step has to bring it there.
    MissedAtStart(Missed),
    /// Explicit steps are divided for stability.
    DividedSteps {
        /// Step, s.
        step: f64,
        /// Equal parts of a step.
        parts: f64,
    },
}

impl Simulation {
    /// Remarks about the start of the run; none after the first step.
    pub fn remarks(&self) -> Vec<Remark> {
        if self.steps() > 0 {
            return Vec::new();
        }
        let (world, settings) = (self.world(), self.settings());
        let moves_there = settings.settle || settings.mode == Mode::Static;
        let missed = world.worst_missed(world.time()).filter(|_| !moves_there);
        let is_explicit = settings.integrator == Integrator::Explicit && settings.mode == Mode::Dynamic;
        let parts = if is_explicit { world.explicit_parts(settings.step) } else { 1.0 };
        let divided = (parts > 1.0).then_some(Remark::DividedSteps { step: settings.step, parts });
        missed.map(Remark::MissedAtStart).into_iter().chain(divided).collect()
    }
}
