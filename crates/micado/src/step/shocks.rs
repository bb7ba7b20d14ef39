//! Shocks between neighbouring pearls: impulses before the step.
//!
//! Where two of them close in and would meet within the step, `gap + v_r h < 0`, the impulse `j = −(1+e)
//! v_r/(1/m_a + 1/m_b)` along the line between them changes their velocities; sweeps until no pair closes.
//! Resting contact is left to rows.

use super::order::System;
use crate::constraint::{End, Law};
use crate::world::State;
use crate::world::Structure;
use glam::DVec3;

/// Most sweeps over the pairs.
const SWEEPS: usize = 20;

impl System {
    /// Pearls by rod and place on it.
    pub(crate) fn list_pearls(&mut self, structure: &Structure, state: &State) {
        self.pearls.clear();
        for (k, (constraint, memory)) in structure.constraints.iter().zip(&state.constraints).enumerate() {
            if let (Law::Pearl(_), End::Sliding { object }) = (&constraint.law, constraint.ends[0]) {
                self.pearls.push((object, memory.own[0], k));
            }
        }
        self.pearls.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    }

    /// Velocities of pearls with which the step begins.
    pub(crate) fn settle_shocks(&mut self, structure: &Structure, state: &State, h: f64) {
        self.list_pearls(structure, state);
        for &(_, _, k) in &self.pearls {
            self.pearl_velocity[k] = DVec3::from_array(state.constraints[k].velocity);
        }
        // Slower than this they come to rest on each other.
        let least = 2.0 * DVec3::from_array(structure.gravity.at(state.time)).length() * h;
        for _ in 0..SWEEPS {
            let mut struck = false;
            for i in 1..self.pearls.len() {
                let ((rod, u_a, a), (other, u_b, b)) = (self.pearls[i - 1], self.pearls[i]);
                let (Law::Pearl(first), Law::Pearl(second)) =
                    (&structure.constraints[a].law, &structure.constraints[b].law)
                else {
                    continue;
                };
                let elastic = first.restitution.min(second.restitution);
                if rod != other || elastic == 0.0 {
                    continue;
                }
                let object = &structure.objects[rod];
                let away = object.place_at(u_b).position(&state.q[object.unknowns()])
                    - object.place_at(u_a).position(&state.q[object.unknowns()]);
                let (distance, n) = (away.length(), away.normalize_or_zero());
                let closing = n.dot(self.pearl_velocity[b] - self.pearl_velocity[a]);
                if closing < -least && distance - first.radius - second.radius + closing * h < 0.0 {
                    let impulse = n * (-(1.0 + elastic) * closing / (1.0 / first.mass + 1.0 / second.mass));
                    self.pearl_velocity[a] -= impulse / first.mass;
                    self.pearl_velocity[b] += impulse / second.mass;
                    struck = true;
                }
            }
            if !struck {
                break;
            }
        }
    }
}
