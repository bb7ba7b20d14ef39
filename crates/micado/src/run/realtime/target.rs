//! Targets that a hand can move.

use crate::constraint::Law;
use crate::error::BuildError;
use crate::world::World;

impl World {
    /// Present target of a position or clamp constraint: position and rotation vector.
    pub(super) fn hand_target(&self, name: &str) -> Result<[f64; 6], BuildError> {
        let constraint =
            self.structure.constraints.iter().find(|constraint| constraint.name == name).ok_or_else(
                || {
                    let remedy = "name a position or clamp constraint";
                    BuildError::unknown_name("hand", "constraint", name, remedy)
                },
            )?;
        let [[x, y, z], [a, b, c]] = match &constraint.law {
            Law::Position(target) => [target.at(self.time()).to_array(), [0.0; 3]],
            Law::Clamp(clamp) => clamp.pose(self.time()),
            _ => {
                let problem = format!("`{name}` is a {} constraint", constraint.description.kind());
                return Err(BuildError::new("hand", problem, "a hand needs a position or clamp constraint"));
            }
        };
        Ok([x, y, z, a, b, c])
    }

    /// Moves the target of a constraint linearly to a pose within the next `step` seconds. Only the target
    /// changes, so the linear system keeps its structure, unless the constraint was a duplicate until now.
    pub(super) fn move_target(&mut self, name: &str, to: [f64; 6], step: f64) {
        let (start, end) = (self.state.time, self.state.time + step);
        let Some(k) = self.structure.constraints.iter().position(|constraint| constraint.name == name) else {
            return;
        };
        let to = [[to[0], to[1], to[2]], [to[3], to[4], to[5]]];
        match &mut self.structure.constraints[k].law {
            Law::Position(target) => target.move_to(to[0], start, end),
            Law::Clamp(clamp) => clamp.move_to(to, start, end),
            _ => return,
        }
        if self
            .state
            .constraints
            .iter()
            .enumerate()
            .any(|(copy, state)| state.duplicate_of.is_some_and(|leader| copy == k || leader as usize == k))
        {
            self.mark_duplicates();
        }
    }
}
