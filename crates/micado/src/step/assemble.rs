//! Assemble: objects, loads and constraints write the system, at one state and time.

use super::linearise_constraints::{ConstraintTerms, linearise_constraints};
use super::linearise_objects::{Motion, linearise_objects};
use super::{Stage, StepReport, System, Timer};
use crate::object::rod::Tangent;
use crate::world::{State, Structure};
use micado_linalg::Arithmetic;

/// Input of the assembly.
#[derive(Clone, Copy)]
pub(super) struct Assembly<'a> {
    pub(super) structure: &'a Structure,
    /// The state of the linearisation.
    pub(super) state: &'a State,
    /// Time of targets and loads, s.
    pub(super) time: f64,
    /// Motion of the unknowns.
    pub(super) motion: &'a Motion<'a>,
    /// Form of the second derivative.
    pub(super) tangent: Tangent,
    /// Terms of constraints.
    pub(super) terms: ConstraintTerms<'a>,
    pub(super) arithmetic: Arithmetic,
}

impl Assembly<'_> {
    /// Writes objects, then constraints.
    pub(super) fn write(&self, system: &mut System, scratch: &mut Vec<f64>) {
        self.write_around(system, scratch, |_| {});
    }

    /// Like `write`, but calls `look` after objects and before constraints.
    pub(super) fn write_around(
        &self,
        system: &mut System,
        scratch: &mut Vec<f64>,
        look: impl FnOnce(&mut System),
    ) {
        linearise_objects(self, system, scratch);
        look(system);
        linearise_constraints(self.structure, self.state, self.time, self.terms, system);
    }

    /// Like `write`, but times the stages.
    pub(super) fn write_timed(
        &self,
        system: &mut System,
        scratch: &mut Vec<f64>,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) {
        self.write_between(system, scratch, timer, report, |_| {});
    }

    /// Like `write_timed`, but calls `look` after objects and before constraints.
    pub(super) fn write_between(
        &self,
        system: &mut System,
        scratch: &mut Vec<f64>,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
        look: impl FnOnce(&mut System),
    ) {
        linearise_objects(self, system, scratch);
        look(system);
        timer.end(Stage::LineariseObjects, report);
        linearise_constraints(self.structure, self.state, self.time, self.terms, system);
        timer.end(Stage::LineariseConstraints, report);
    }
}
