//! Read-outs of rods.

use super::{Rod, Section};
use crate::describe::anchor::At;
use crate::describe::quantity::Quantity;
use crate::error::BuildError;
use crate::object::{Now, ReadOut, Value};

impl Rod {
    /// Quantities of probes that it has besides positions, velocities and energies.
    pub(super) fn read_quantity(
        &self,
        now: &Now<'_>,
        quantity: Quantity,
        at: Option<At>,
    ) -> Result<Option<Value>, BuildError> {
        match quantity {
            Quantity::Length => return Ok(Some(Value::Number(self.present_length(now.own.q)))),
            Quantity::Writhe => return Ok(Some(Value::Number(self.writhe(now.own)))),
            Quantity::TotalTwist if !self.has_material_frame() => return Ok(None),
            Quantity::TotalTwist => return Ok(Some(Value::Number(self.total_twist(now.own)))),
            Quantity::LeastBendRadius => return Ok(Some(Value::Number(self.least_bend_radius(now.own.q)))),
            _ => {}
        }
        let section = self.section_at(now, self.arc_length(at.ok_or_else(|| no_place(now.name))?)?);
        Ok(Some(match quantity {
            Quantity::Tangent => Value::Vector(section.tangent),
            Quantity::Director => Value::Vector(section.director),
            Quantity::Stretch => Value::Number(section.stretch),
            Quantity::Tension => Value::Number(section.tension),
            Quantity::BendingMoment => Value::Vector(section.bending_moment),
            Quantity::Curvature => Value::Number(section.curvature),
            Quantity::BendRadius => Value::Number(1.0 / section.curvature),
            Quantity::Torque => Value::Number(section.torque),
            Quantity::Twist => Value::Number(section.twist),
            _ => return Ok(None),
        }))
    }

    /// Values at a place, its middle unless given, and of the whole rod.
    pub(super) fn values(&self, now: &Now<'_>, at: Option<At>) -> Result<Vec<ReadOut>, BuildError> {
        let s = self.arc_length(at.unwrap_or(At::Share(0.5)))?;
        let section = self.section_at(now, s);
        let number = |name, value, quantity| ReadOut::of(name, Value::Number(value), quantity);
        let speed = self.place(s).position(now.v).length();
        Ok(vec![
            number("Tension", section.tension, Quantity::Tension).local().main(),
            number("Stretch", section.stretch, Quantity::Stretch).local(),
            number("Bending moment", section.bending_moment.length(), Quantity::BendingMoment).local().main(),
            number("Curvature", section.curvature, Quantity::Curvature).local(),
            number("Torque", section.torque, Quantity::Torque).local(),
            number("Twist", section.twist, Quantity::Twist).local(),
            number("Speed", speed, Quantity::Velocity).local(),
            ReadOut::new("Position", Value::Vector(section.position), "m"),
            number("Length now", self.present_length(now.own.q), Quantity::Length).main(),
            number("Least bend radius", self.least_bend_radius(now.own.q), Quantity::LeastBendRadius).main(),
            ReadOut::new("Radius", Value::Number(section.radius), "m"),
            ReadOut::new("Mass", Value::Number(self.total_mass()), "kg"),
        ])
    }

    fn section_at(&self, now: &Now<'_>, s: f64) -> Section {
        let (e, f) = self.locate(s);
        self.section(now.own.q, now.own.frames, e, f)
    }

    /// Least bend radius of the whole rod, m.
    fn least_bend_radius(&self, q: &[f64]) -> f64 {
        1.0 / self.largest_curvature(q, (0.0, self.segments() as f64))
    }

    /// Largest curvature between two coordinates in segments, 1/m: the maximum over both ends and eight
    /// places of every segment.
    pub(crate) fn largest_curvature(&self, q: &[f64], (start, end): (f64, f64)) -> f64 {
        let last = self.segments().min(end.ceil().max(start.floor() + 1.0) as usize);
        (start.floor() as usize..last)
            .flat_map(|e| (0..=8).map(move |k| (e, f64::from(k) / 8.0)))
            .map(|(e, f)| self.curvature(q, e, self.on_rod(e, (e as f64 + f).max(start).min(end) - e as f64)))
            .fold(0.0, f64::max)
    }
}

/// The error for a missing place.
pub(super) fn no_place(name: &str) -> BuildError {
    BuildError::new(
        "at",
        format!("`at` is missing: where on the rod `{name}`?"),
        "give metres from its start, \"start\", \"end\" or \"50 %\"",
    )
}
