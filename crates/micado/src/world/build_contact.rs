//! Builds contact: the floor, and the check of which steps support it.

use super::World;
use crate::error::{BuildError, check};
use crate::object::BodyDescription;
use crate::object::body::shape::{HalfSpace, Shape};
use crate::scene::{FLOOR, Floor, Integrator, Mode, Scene};

impl World {
    /// Takes the description of contact of a scene. A floor alone switches contact on.
    pub(super) fn take_contact(&mut self, scene: &Scene) -> Result<(), BuildError> {
        let contact = scene.contact.clone().or_else(|| scene.floor.map(|_| Default::default()));
        let Some(contact) = contact else { return Ok(()) };
        contact.check()?;
        let field = if scene.contact.is_some() { "contact" } else { "floor" };
        let refused = match (scene.settings.mode, scene.settings.integrator) {
            (_, Integrator::Explicit) => Some("explicit steps"),
            (Mode::Static, _) => Some("equilibria"),
            (Mode::QuasiDynamic, _) => Some("quasi-dynamic steps"),
            (Mode::Dynamic, _) if scene.settings.settle => Some("equilibria (`settle`)"),
            (Mode::Dynamic, _) => None,
        };
        if let Some(what) = refused {
            let problem = format!("surfaces don't touch in {what} yet");
            let remedy = format!("remove `{field}`, or use mode = \"dynamic\" without `settle`");
            return Err(BuildError::new(field, problem, remedy));
        }
        self.structure.contact = Some(contact);
        if let Some(Floor { height }) = scene.floor {
            check::finite("floor", height)?;
            if self.structure.objects.iter().any(|object| object.name == FLOOR) {
                let problem = format!("there is an object with the name `{FLOOR}` already");
                return Err(BuildError::new("floor", problem, "rename the object"));
            }
            let floor = BodyDescription {
                position: [0.0, 0.0, height],
                shape: Some(Shape::HalfSpace(HalfSpace {})),
                fixed: true,
                ..BodyDescription::default()
            };
            self.add_object(FLOOR, floor.into())?;
        }
        Ok(())
    }
}
