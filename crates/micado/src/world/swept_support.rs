//! Checks at build time that constraints and objects can be swept instead of factored.

use crate::constraint::{Constraint, ConstraintState};
use crate::error::BuildError;
use crate::object::{Initial, ObjectKind};

const OTHERWISE: &str = "leave `constraints = \"swept\"` out of the settings";

/// Constraints must have rows on objects only, because own unknowns have no stiffness without factored rows.
pub(crate) fn check_constraint(constraint: &Constraint, state: &ConstraintState) -> Result<(), BuildError> {
    let own = constraint.own_unknowns(state);
    let problem = if constraint.has_moving_end() || own[0] || own[1] {
        "sliding constraints and clips can't be swept"
    } else if constraint.law.may_give() {
        "constraints with a strength can't be swept"
    } else {
        return Ok(());
    };
    Err(BuildError::new(constraint.description.kind(), problem, OTHERWISE))
}

/// Objects must have no rows of their own.
pub(crate) fn check_object(initial: &Initial<ObjectKind>) -> Result<(), BuildError> {
    if initial.model.model().inner_rows().is_some() {
        return Err(BuildError::new("stretch", "lengths of inextensible rods can't be swept", OTHERWISE));
    }
    Ok(())
}
