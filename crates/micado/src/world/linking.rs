//! Linking number of two closed rods.

use super::World;
use crate::error::BuildError;
use crate::geometry::topology::linking_number;
use crate::object::{Object, Value};
use crate::scene::{Probe, Quantity};
use glam::DVec3;

impl World {
    /// The linking number of a rod with the rod that a probe names; `None` for other quantities.
    ///
    /// # Errors
    /// One of them is not a closed rod.
    pub(super) fn read_linking_number(
        &self,
        object: &Object,
        probe: &Probe,
    ) -> Result<Option<Value>, BuildError> {
        if probe.read != Quantity::LinkingNumber {
            return Ok(None);
        }
        let Some(with) = probe.with.as_deref() else {
            let problem = "a linking number needs two rods";
            return Err(BuildError::new("with", problem, "name the other closed rod"));
        };
        if with == object.name {
            let problem = "a rod has no linking number with itself";
            return Err(BuildError::new("with", problem, "name another closed rod, or read writhe"));
        }
        let ring = |field: &str, object: &Object| -> Result<Vec<DVec3>, BuildError> {
            let closed = object.rod().filter(|rod| rod.is_closed());
            let own = object.own(&self.state.q, &self.state.frames);
            closed.map(|rod| rod.polygon(own)).ok_or_else(|| {
                let problem = format!("`{}` is not a closed rod", object.name);
                BuildError::new(field, problem, "name a rod whose shape is closed")
            })
        };
        let [a, b] = [ring("of", object)?, ring("with", self.object("with", with)?)?];
        Ok(Some(Value::Number(linking_number(&a, &b))))
    }
}
