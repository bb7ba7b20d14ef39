//! Sliding ends and masses: their inertia in a step, and their velocities, rates and stops at its end.

use super::integrator::Rule;
use super::order::System;
use crate::constraint::{ConstraintState, ENDS, SlidingState};
use crate::world::{State, Structure, sliding};
use glam::DVec3;

impl System {
    /// The integration rule of the sliding mass of constraint k: Euler's rule after a shock.
    pub(super) fn rule_of_mass(&self, k: usize, rule: Rule) -> Rule {
        if self.struck[k] { Rule::euler(rule.h) } else { rule }
    }

    /// Minus the acceleration of the sliding mass of constraint k that has moved by `moved`: d − c₀ Δx.
    pub(super) fn inertia_of_mass(
        &self,
        k: usize,
        rule: Rule,
        state: &ConstraintState,
        moved: DVec3,
    ) -> DVec3 {
        let velocity = self.mass_velocity[k].to_array();
        let d = |a: usize| {
            rule.inertia_of(velocity[a], state.sliding.moved_before[a], state.sliding.velocity_before[a])
        };
        DVec3::from_array([d(0), d(1), d(2)]) - moved * rule.c0
    }
}

/// Prepares sliding ends and masses for the next step; without a rule, in statics, nothing moves.
pub(super) fn finish_sliding(structure: &Structure, rule: Option<Rule>, system: &System, trial: &mut State) {
    let (time, gravity) = (trial.time, DVec3::from_array(structure.gravity.at(trial.time)));
    for (k, (constraint, state)) in structure.constraints.iter().zip(&mut trial.constraints).enumerate() {
        if let Some(sliding) = constraint.law.sliding_mass() {
            let load = sliding.load(gravity, time);
            let motion = match rule {
                Some(rule) => {
                    let rule = system.rule_of_mass(k, rule);
                    let moved = sliding::position_of_mass(structure, &trial.q, constraint, state)
                        - system.mass_start[k];
                    let inertial = system.inertia_of_mass(k, rule, state, moved) * sliding.mass;
                    let before = state.sliding.moved_before.map(|x| rule.rate_before(x));
                    SlidingState {
                        velocity: (moved * rule.c1 - DVec3::from_array(before)).to_array(),
                        moved_before: moved.to_array(),
                        velocity_before: system.mass_velocity[k].to_array(),
                        pressed: (load + inertial).to_array(),
                    }
                }
                None => SlidingState { velocity: [0.0; 3], pressed: load.to_array(), ..*state.sliding },
            };
            *state.sliding = motion;
        }
        state.own_rate = rule.map_or([0.0; ENDS], |rule| {
            std::array::from_fn(|e| (state.own[e] - state.own_start[e]) / rule.h)
        });
        for e in 0..ENDS {
            if let Some((first, last)) = sliding::range(structure, constraint, e) {
                // Stops hold to rounding only.
                state.own[e] = state.own[e].clamp(first, last);
            }
        }
        state.own_start = state.own;
    }
}
