//! Shocks of sliding masses: impulses before the step.
//!
//! Where two sides would meet within the step, `gap + v_r h < 0`, the impulse `j = −(1+e) v_r/(1/m_a +
//! 1/m_b)` along the line between them changes their velocities; eyes of the world and ends of rods have 1/m
//! = 0. Sweeps repeat until no pair closes. Resting contact is left to rows.

use super::order::System;
use crate::contact::{ContactSource as _, Striker};
use crate::world::{State, Structure, sliding};
use glam::DVec3;

/// Most sweeps over the pairs.
const SWEEPS: usize = 20;

impl System {
    /// Sets positions and velocities of sliding masses at the beginning of the step.
    pub(crate) fn settle_shocks(&mut self, structure: &Structure, state: &State, h: f64) {
        for (k, (constraint, memory)) in structure.constraints.iter().zip(&state.constraints).enumerate() {
            if constraint.law.sliding_mass().is_some() {
                self.mass_start[k] = sliding::position_of_mass(structure, &state.q, constraint, memory);
                self.mass_velocity[k] = DVec3::from_array(memory.sliding.velocity);
            }
        }
        self.struck.fill(false);
        self.strikes.clear();
        self.sources.strikes(structure, state, &mut self.strikes);
        // Below this closing speed they come to rest on each other.
        let least = 2.0 * DVec3::from_array(structure.gravity.at(state.time)).length() * h;
        for _ in 0..SWEEPS {
            let mut struck = false;
            for strike in &self.strikes {
                let n = strike.normal;
                let [v_a, v_b] = strike.between.map(|side| match side {
                    Striker::Mass { constraint, .. } => self.mass_velocity[constraint],
                    Striker::Fixed { velocity } => velocity,
                });
                let closing = n.dot(v_b - v_a);
                if closing < -least && strike.gap + closing * h < 0.0 {
                    let mobility = strike.between.map(|side| match side {
                        Striker::Mass { mass, .. } => 1.0 / mass,
                        Striker::Fixed { .. } => 0.0,
                    });
                    let impulse = n * ((1.0 + strike.restitution) * closing / (mobility[0] + mobility[1]));
                    for ((side, mobility), way) in strike.between.iter().zip(mobility).zip([1.0, -1.0]) {
                        if let Striker::Mass { constraint, .. } = *side {
                            self.mass_velocity[constraint] += impulse * (way * mobility);
                            self.struck[constraint] = true;
                        }
                    }
                    struck = true;
                }
            }
            if !struck {
                break;
            }
        }
    }
}
