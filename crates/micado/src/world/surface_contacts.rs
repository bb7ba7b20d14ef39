//! Read-outs of contacts of surfaces.

use super::{Remembered, Source, Toucher, World};
use crate::error::BuildError;
use crate::object::{Object, ReadOut, Value};
use crate::scene::{Probe, Quantity};
use glam::DVec3;

/// A contact of two surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceContact {
    /// Indices of the two objects.
    pub objects: [usize; 2],
    /// Position, m.
    pub point: DVec3,
    /// Unit normal from the second object to the first.
    pub normal: DVec3,
    /// Force on the first object, N.
    pub force: DVec3,
    /// Gap at the end of the step, m; negative where the surfaces overlap.
    pub gap: f64,
    /// Half the angle of the cone of friction about the normal, as its tangent: the coefficient of friction.
    pub friction: f64,
}

impl World {
    /// The contacts of surfaces that transmitted a force in the last step, by objects.
    pub fn surface_contacts(&self) -> impl Iterator<Item = SurfaceContact> + '_ {
        let closed = self.state.contacts.iter().filter(|known| known.forces[0] > 0.0);
        closed.filter_map(|known| self.surface_contact(known))
    }

    fn surface_contact(&self, known: &Remembered) -> Option<SurfaceContact> {
        if known.key.source != Source::Surfaces {
            return None;
        }
        let [a, b] = known.key.between.map(|toucher| match toucher {
            Toucher::Object(k) | Toucher::Fixed(k) => Some(k as usize),
            Toucher::Constraint(_) => None,
        });
        let objects = [a?, b?];
        let how = self.structure.touching.between(objects[0], objects[1]);
        Some(SurfaceContact {
            objects,
            point: DVec3::from_array(known.mark.point),
            normal: DVec3::from_array(known.mark.normal),
            force: known.force(),
            gap: known.mark.gap,
            friction: how.map_or(0.0, |how| how.friction.along.max(how.friction.across)),
        })
    }

    /// Contacts of an object, with all others or with the one that a probe names: the forces on the object.
    fn contacts_of<'a>(
        &'a self,
        object: &'a Object,
        with: Option<usize>,
    ) -> impl Iterator<Item = (DVec3, SurfaceContact)> + 'a {
        self.surface_contacts().filter_map(move |contact| {
            let [a, b] = contact.objects;
            let other = if a == object.index { b } else { a };
            let touches = a == object.index || b == object.index;
            let sign = if a == object.index { 1.0 } else { -1.0 };
            (touches && with.is_none_or(|with| with == other)).then_some((contact.force * sign, contact))
        })
    }

    /// Read-outs of the contacts of an object; empty if nothing touches.
    pub(super) fn contact_read_outs(&self, object: &Object) -> Vec<ReadOut> {
        if !self.structure.touching.is_on() {
            return Vec::new();
        }
        let (count, force) = self
            .contacts_of(object, None)
            .fold((0, DVec3::ZERO), |(count, sum), (force, _)| (count + 1, sum + force));
        vec![
            ReadOut::of("contact force", Value::Vector(force), Quantity::ContactForce),
            ReadOut::of("contacts", Value::Number(f64::from(count)), Quantity::Contacts),
        ]
    }

    /// A quantity of the contacts of an object; `None` for other quantities.
    ///
    /// # Errors
    /// The other object does not exist, or nothing touches in this scene.
    pub(super) fn read_contacts(&self, object: &Object, probe: &Probe) -> Result<Option<Value>, BuildError> {
        if !matches!(probe.read, Quantity::ContactForce | Quantity::Contacts | Quantity::Penetration) {
            return Ok(None);
        }
        if !self.structure.touching.is_on() {
            let remedy = "add [contact] or `floor = true` to the scene";
            return Err(BuildError::new("read", "nothing touches in this scene", remedy));
        }
        let with = probe.with.as_deref().map(|name| self.object("with", name)).transpose()?;
        let found = self.contacts_of(object, with.map(|other| other.index));
        Ok(Some(match probe.read {
            Quantity::ContactForce => Value::Vector(found.map(|(force, _)| force).sum()),
            Quantity::Contacts => Value::Number(found.count() as f64),
            _ => Value::Number(found.map(|(_, contact)| -contact.gap).fold(0.0, f64::max)),
        }))
    }
}
