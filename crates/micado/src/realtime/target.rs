//! Targets that a hand may take over.

use crate::constraint::Law;
use crate::error::BuildError;
use crate::world::World;

impl World {
    /// Where the target of a position or clamp constraint is now: position and rotation vector.
    pub(super) fn hand_target(&self, name: &str) -> Result<[f64; 6], BuildError> {
        let constraint = self.structure.constraints.iter().find(|constraint| constraint.name == name).ok_or_else(|| {
            BuildError::new("hand", format!("there is no constraint called `{name}`"), "name a position or clamp constraint")
        })?;
        let [[x, y, z], [a, b, c]] = match &constraint.law {
            Law::Position(target) => [target.at(self.time()).to_array(), [0.0; 3]],
            Law::Clamp(grip) => grip.pose(self.time()),
            _ => {
                let problem = format!("`{name}` is a {} constraint", constraint.description.kind());
                return Err(BuildError::new("hand", problem, "a hand holds by a position or clamp constraint"));
            }
        };
        Ok([x, y, z, a, b, c])
    }

    /// Lets the target of a constraint go evenly from one pose to another in the coming `step` seconds. Nothing but the target changes: the structure
    /// is the same for the linear system.
    pub(super) fn carry_target(&mut self, name: &str, from: [f64; 6], to: [f64; 6], step: f64) {
        let (start, end) = (self.state.time, self.state.time + step);
        let Some(constraint) = self.structure.constraints.iter_mut().find(|constraint| constraint.name == name) else { return };
        let [from, to] = [from, to].map(|pose| [[pose[0], pose[1], pose[2]], [pose[3], pose[4], pose[5]]]);
        match &mut constraint.law {
            Law::Position(target) => target.carry(from[0], to[0], start, end),
            Law::Clamp(grip) => grip.carry(from, to, start, end),
            _ => {}
        }
    }
}
