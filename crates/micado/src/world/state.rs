//! The state of a world: flat arrays, changed only by a committed step or an edit.

use super::contact_memory::ContactMemory;
use super::pace::Paces;
use crate::constraint::ConstraintState;
use crate::load::SpringState;
use serde::{Deserialize, Serialize};

/// Everything that affects the next result and is not structure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time, s.
    pub time: f64,
    /// Unknowns, four per node: (x, y, z, θ).
    pub q: Vec<f64>,
    /// Velocities, four per node.
    pub v: Vec<f64>,
    /// Reference frames of all rods, and the tensions of inextensible ones.
    pub frames: Vec<f64>,
    /// State of constraints.
    pub constraints: Vec<ConstraintState>,
    /// Memory of contacts.
    pub contacts: ContactMemory,
    /// State of springs: frames at their ends, memory of custom forces.
    pub springs: Vec<SpringState>,
    /// Rest lengths of the rods on winches, m.
    pub spooled: Vec<f64>,
    /// Modes of objects, and the data that decide them.
    pub paces: Paces,
    /// History of second-order integration.
    pub history: History,
}

/// The previous step, for BDF2. It restarts after an edit or a change of step, and in the islands where a
/// step was retried or a constraint opened or closed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// Its step, s; zero if there is none.
    pub step: f64,
    /// Increment of the unknowns in the previous step.
    pub increment: Vec<f64>,
    /// Velocities before the previous step.
    pub velocity: Vec<f64>,
    /// Strains of damped rods before the previous step.
    pub strains: Vec<Vec<f64>>,
    /// By object: whether it has no previous step, although others have one. Empty if all are alike.
    pub restarted: Vec<bool>,
}

impl History {
    /// Whether an object has a previous step.
    pub(crate) fn has(&self, object: usize) -> bool {
        self.step > 0.0 && !self.restarted.get(object).is_some_and(|&restarted| restarted)
    }
}

impl State {
    /// Copies another state without allocating if sizes agree.
    pub fn copy_from(&mut self, other: &Self) {
        self.time = other.time;
        self.q.clone_from(&other.q);
        self.v.clone_from(&other.v);
        self.frames.clone_from(&other.frames);
        self.constraints.clone_from(&other.constraints);
        self.contacts.copy_from(&other.contacts);
        self.springs.clone_from(&other.springs);
        self.spooled.clone_from(&other.spooled);
        self.paces.copy_from(&other.paces);
        self.history.step = other.history.step;
        self.history.increment.clone_from(&other.history.increment);
        self.history.velocity.clone_from(&other.history.velocity);
        self.history.strains.clone_from(&other.history.strains);
        self.history.restarted.clone_from(&other.history.restarted);
    }

    /// Discards the previous step of all objects.
    pub fn restart_history(&mut self) {
        self.history.step = 0.0;
        self.history.restarted.clear();
    }
}
