//! Checks at build time what explicit steps support.

use crate::constraint::{Constraint, ConstraintState, End, EndDescription};
use crate::error::BuildError;
use crate::load::{LoadDescription, SpringDescription};

const OTHERWISE: &str = "use another integrator, or leave it out";

/// Constraints must be smooth, without own unknowns, and hold angles against the world only.
pub(crate) fn check_constraint(constraint: &Constraint, state: &ConstraintState) -> Result<(), BuildError> {
    let own = constraint.own_unknowns(state);
    let problem = if constraint.has_moving_end() || own[0] || own[1] {
        "sliding constraints and clips can't take part in explicit steps"
    } else if constraint.law.pushes() {
        "unilateral constraints, strengths and friction can't take part in explicit steps"
    } else if constraint.law.is_soft() {
        "viscosity and servos of joints can't take part in explicit steps"
    } else if constraint
        .description
        .ends()
        .iter()
        .any(|end| matches!(end, EndDescription::Place { arm: Some(_), .. }))
    {
        "arms can't take part in explicit steps: angles have no inertia"
    } else if constraint.is_relative() && constraint.ends.iter().any(End::framed) {
        "directions and angles that turn with another rod can't take part in explicit steps"
    } else {
        return Ok(());
    };
    Err(BuildError::new(constraint.description.kind(), problem, OTHERWISE))
}

/// Loads must not turn angles, which have no inertia.
pub(crate) fn check_load(description: &LoadDescription) -> Result<(), BuildError> {
    match description {
        LoadDescription::Moment(_) => {
            Err(BuildError::new("moment", "moments can't take part in explicit steps", OTHERWISE))
        }
        _ => Ok(()),
    }
}

/// Springs must not turn angles.
pub(crate) fn check_spring(description: &SpringDescription) -> Result<(), BuildError> {
    match description {
        SpringDescription::Torsional(_) => Err(BuildError::new(
            "torsional",
            "torsional springs can't take part in explicit steps",
            OTHERWISE,
        )),
        SpringDescription::Custom(_) => {
            Err(BuildError::new("custom", "custom forces can't take part in explicit steps", OTHERWISE))
        }
        SpringDescription::Linear(_) => Ok(()),
    }
}
