//! The end of a step for sliding ends and masses: velocities, rates and stops.

use super::integrator::Rule;
use super::order::System;
use crate::constraint::ENDS;
use crate::world::{State, Structure, sliding};
use glam::DVec3;

/// Prepares sliding ends and masses for the next step; without a rule, in statics, nothing moves.
pub(super) fn finish_sliding(structure: &Structure, rule: Option<Rule>, system: &System, trial: &mut State) {
    let (time, gravity) = (trial.time, DVec3::from_array(structure.gravity.at(trial.time)));
    for (k, (constraint, state)) in structure.constraints.iter().zip(&mut trial.constraints).enumerate() {
        let load = constraint.law.sliding_mass().map(|sliding| (sliding.mass, sliding.load(gravity, time)));
        match rule {
            Some(rule) => {
                let rule = if system.struck[k] { Rule::euler(rule.h) } else { rule };
                let moved = DVec3::from_array(state.moved);
                if let Some((mass, load)) = load {
                    let [before, velocity_before] =
                        [state.moved_before, state.velocity_before].map(DVec3::from_array);
                    let inertial =
                        rule.inertia_of(system.mass_velocity[k], before, velocity_before) - moved * rule.c0;
                    state.pressed = (load + inertial * mass).to_array();
                }
                let velocity =
                    moved * rule.c1 - DVec3::from_array(state.moved_before.map(|x| rule.rate_before(x)));
                state.velocity_before = system.mass_velocity[k].to_array();
                (state.velocity, state.moved_before) = (velocity.to_array(), state.moved);
                state.own_rate = std::array::from_fn(|e| (state.own[e] - state.own_start[e]) / rule.h);
            }
            None => {
                (state.velocity, state.own_rate) = ([0.0; 3], [0.0; ENDS]);
                state.pressed = load.map_or([0.0; 3], |(_, load)| load.to_array());
            }
        }
        state.moved = [0.0; 3];
        for e in 0..ENDS {
            if let Some((first, last)) = sliding::range(structure, constraint, e) {
                // Stops hold to rounding only.
                state.own[e] = state.own[e].clamp(first, last);
            }
        }
        state.own_start = state.own;
    }
}
