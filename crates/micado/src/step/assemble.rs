//! Assemble: objects, loads and constraints write the system, at one state and time.

use super::linearise_constraints::{ConstraintTerms, linearise_constraints};
use super::linearise_objects::{Motion, linearise_objects};
use super::{Stage, StepReport, System, Timer};
use crate::object::rod::Tangent;
use crate::world::{State, Structure};
use micado_linalg::Arithmetic;

/// What the system is assembled from.
#[derive(Clone, Copy)]
pub(super) struct Assembly<'a> {
    pub(super) structure: &'a Structure,
    /// The state that is linearised at.
    pub(super) state: &'a State,
    /// Time of targets and loads, s.
    pub(super) time: f64,
    /// How the unknowns move.
    pub(super) motion: &'a Motion<'a>,
    /// Which second derivative.
    pub(super) tangent: Tangent,
    /// How constraints are linearised.
    pub(super) terms: ConstraintTerms,
    pub(super) arithmetic: Arithmetic,
}

impl Assembly<'_> {
    /// Objects, then constraints.
    pub(super) fn write(&self, system: &mut System, scratch: &mut Vec<f64>) {
        linearise_objects(self, system, scratch);
        linearise_constraints(self.structure, self.state, self.time, self.terms, system);
    }

    /// The same, timed.
    pub(super) fn write_timed(
        &self,
        system: &mut System,
        scratch: &mut Vec<f64>,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) {
        self.write_between(system, scratch, timer, report, |_| {});
    }

    /// The same, with a look at what objects wrote before constraints come to it.
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
