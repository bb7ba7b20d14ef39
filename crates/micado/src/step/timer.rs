//! Times of the stages.

use super::{Stage, StepReport};
use crate::clock::Clock;

/// Adds the time since `start` to a stage and starts the next.
pub(super) struct Timer<'a> {
    pub(super) clock: &'a dyn Clock,
    pub(super) start: f64,
}

impl<'a> Timer<'a> {
    /// Starts the first stage.
    pub(super) fn start(clock: &'a dyn Clock) -> Self {
        Self { clock, start: clock.now() }
    }

    /// Ends a stage.
    pub(super) fn end(&mut self, stage: Stage, report: &mut StepReport) {
        let now = self.clock.now();
        report.stage_seconds[stage as usize] += now - self.start;
        self.start = now;
    }
}
