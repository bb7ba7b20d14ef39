//! Shocks between sliding masses: impulses before the step.
//!
//! Where two of them would meet within the step, `gap + v_r h < 0`, the impulse `j = −(1+e) v_r/(1/m_a +
//! 1/m_b)` along the line between them changes their velocities. Sweeps repeat until no pair closes. Resting
//! contact is left to rows.

use super::order::System;
use crate::contact::ContactSource as _;
use crate::world::State;
use crate::world::Structure;
use glam::DVec3;

/// Most sweeps over the pairs.
const SWEEPS: usize = 20;

impl System {
    /// Sets the velocities of sliding masses at the beginning of the step.
    pub(crate) fn settle_shocks(&mut self, structure: &Structure, state: &State, h: f64) {
        for ((velocity, constraint), memory) in
            self.mass_velocity.iter_mut().zip(&structure.constraints).zip(&state.constraints)
        {
            if constraint.law.sliding_mass().is_some() {
                *velocity = DVec3::from_array(memory.velocity);
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
                let ([a, b], [m_a, m_b], n) = (strike.between, strike.masses, strike.normal);
                let closing = n.dot(self.mass_velocity[b] - self.mass_velocity[a]);
                if closing < -least && strike.gap + closing * h < 0.0 {
                    let impulse = n * (-(1.0 + strike.restitution) * closing / (1.0 / m_a + 1.0 / m_b));
                    self.mass_velocity[a] -= impulse / m_a;
                    self.mass_velocity[b] += impulse / m_b;
                    [self.struck[a], self.struck[b]] = [true; 2];
                    struck = true;
                }
            }
            if !struck {
                break;
            }
        }
    }
}
