//! Equilibria of a static run that are not on the branch of the equilibrium before.
//!
//! A structure that snaps through, or that loses a turn of twist, does not return when its load returns. If a
//! static solve may have left its branch, a copy of the world searches the equilibrium with the earlier loads
//! and targets, and the simulation compares it with the earlier equilibrium.

use super::Simulation;
use crate::clock::Clock;
use crate::run::event::EventKind;
use crate::step::{StepReport, Workspace};
use crate::world::{State, World};
use glam::DVec3;

/// Difference of elastic energy or of weight's energy, as a share of the elastic energy, above which two
/// equilibria are not the same one. Positions are no criterion: a bowed column turns freely about its axis.
const SAME: f64 = 1e-3;

/// Accuracy of the energy of weight in an equilibrium, as a share of it, and of the weight times the size of
/// the structure: near the origin the energy itself is next to zero.
const ROUNDING: f64 = 1e-9;

impl Simulation {
    /// Reports if a static step has left the branch of the equilibrium `before` it.
    pub(super) fn report_branch(&mut self, before: &State, report: &StepReport, clock: &dyn Clock) {
        let strayed = report.strayed || report.departures > 0;
        let suspicious = report.converged && report.broke.is_none() && strayed;
        // The length that winches have paid out depends on more than the time.
        if !suspicious || !self.world.structure().winches.is_empty() {
            return;
        }
        let mut back = self.world.clone();
        let returned = back.equilibrate(before.time, &self.static_params(), &mut Workspace::new(), clock);
        if !returned.converged {
            return;
        }
        let (there, departures) = (World { state: before.clone(), ..self.world.clone() }, report.departures);
        let (a, b) = (there.energy(), back.energy());
        let changed = (a.elastic() - b.elastic()).abs().max((a.gravity - b.gravity).abs());
        let structure = self.world.structure();
        let mass: f64 = structure.objects.iter().map(|object| object.model().total_mass()).sum();
        let field = DVec3::from_array(structure.gravity.at(before.time)).length();
        let rounding = ROUNDING * (a.gravity.abs() + b.gravity.abs() + mass * field * self.world.size());
        let same = changed <= SAME * a.elastic().max(b.elastic()) + rounding;
        if same && departures == 0 {
            return;
        }
        let away = (!same).then(|| farthest(&there, &back));
        self.journal.left_branch(report.time, || EventKind::LeftBranch { departures, away });
    }
}

/// Largest distance of a node between two states of a world, m.
fn farthest(a: &World, b: &World) -> f64 {
    let apart: Vec<f64> = a.state().q.iter().zip(&b.state().q).map(|(a, b)| a - b).collect();
    let objects = a.structure().objects.iter();
    objects.map(|object| object.model().largest_displacement(&apart[object.unknowns()])).fold(0.0, f64::max)
}
