//! Builds contact: the floor, and the check of which steps support it.

use super::touching::pose;
use super::{Structure, World};
use crate::error::{BuildError, check};
use crate::geometry::skin::Pose;
use crate::object::BodyDescription;
use crate::object::ObjectDescription;
use crate::object::body::shape::{HalfSpace, Shape};
use crate::scene::{ContactSettings, FLOOR, Floor, Integrator, Mode, Scene};
use glam::DVec3;

impl World {
    /// Takes the description of contact of a scene. A floor alone switches contact on.
    pub(super) fn take_contact(&mut self, scene: &Scene) -> Result<(), BuildError> {
        let contact = scene.contact.clone().or_else(|| scene.floor.map(|_| Default::default()));
        let Some(contact) = contact else { return Ok(()) };
        contact.check()?;
        let field = if scene.contact.is_some() { "contact" } else { "floor" };
        let refused = match (scene.settings.mode, scene.settings.integrator) {
            (_, Integrator::Explicit) => Some(("explicit steps", "use another integrator")),
            (Mode::Static, _) => Some(("equilibria", "use mode = \"dynamic\"")),
            (Mode::QuasiDynamic, _) => Some(("quasi-dynamic steps", "use mode = \"dynamic\"")),
            (Mode::Dynamic, _) if scene.settings.settle => Some(("equilibria (`settle`)", "remove `settle`")),
            (Mode::Dynamic, _) => None,
        };
        if let Some((what, instead)) = refused {
            let problem = format!("surfaces don't touch in {what} yet");
            let remedy = format!("remove `{field}`, or {instead}");
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

    /// The description of contact of the scene; `None` if nothing touches.
    pub fn contact_settings(&self) -> Option<&ContactSettings> {
        self.structure.contact.as_ref()
    }

    /// The floor of the scene: its index among the objects, and its height, m. `None` without one, or if an
    /// edit has changed it to something else.
    pub fn floor(&self) -> Option<(usize, f64)> {
        let Structure { objects, contact, .. } = &self.structure;
        let (k, floor) = objects.iter().enumerate().find(|(_, object)| object.name == FLOOR)?;
        let ObjectDescription::Body(words) = &floor.description else { return None };
        let is_plane = words.fixed && matches!(words.shape, Some(Shape::HalfSpace(_)));
        let Pose { position, rotation } = pose(floor, &self.state);
        let is_level = (rotation * DVec3::Z).z > 1.0 - 1e-12;
        (contact.is_some() && is_plane && is_level).then_some((k, position.z))
    }
}
