//! Observe: read-outs of rods, masses, constraints, springs and the world, by name and place.

use crate::constraint::{
    Circumstances, Constraint, ConstraintState, ENDS, End, EndDescription, Force, Gave, Law, PearlFrame,
    Rows, Site,
};
use crate::describe::anchor::At;
use crate::error::BuildError;
use crate::geometry::rotation::{orthonormal_to, transport};
use crate::load::{ForceAction, SharedForce, Spring, SpringAction, SpringEndPlace, SpringLaw, SpringState};
use crate::object::rod::{Rod, Section};
use crate::object::{ElasticEnergy, EndFrame, Now, Object, ObjectDescription, Place, ReadOut, Value};
use crate::scene::{Kind, Probe, Quantity, RodEnd};
use crate::world::{Toucher, World};
use glam::{DMat3, DVec3};
use serde::Serialize;

/// Energies, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Energy {
    /// Kinetic.
    pub kinetic: f64,
    /// Stretching of rods.
    pub stretch: f64,
    /// Bending of rods.
    pub bend: f64,
    /// Twisting of rods.
    pub twist: f64,
    /// Any other deformation of objects.
    pub other: f64,
    /// Of springs.
    pub spring: f64,
    /// Of gravity, relative to the origin.
    pub gravity: f64,
}

impl Energy {
    /// Stretching, bending, twisting, other deformations and springs.
    pub fn elastic(&self) -> f64 {
        self.stretch + self.bend + self.twist + self.other + self.spring
    }

    /// All together.
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic() + self.gravity
    }
}

impl World {
    /// Energies of the whole world.
    pub fn energy(&self) -> Energy {
        let mut energy = Energy::default();
        for object in &self.structure.objects {
            let own = self.energy_of(object);
            energy.kinetic += own.kinetic;
            energy.stretch += own.stretch;
            energy.bend += own.bend;
            energy.twist += own.twist;
            energy.other += own.other;
            energy.gravity += own.gravity;
        }
        let gravity = DVec3::from_array(self.structure.gravity.at(self.state.time));
        for (k, constraint) in self.structure.constraints.iter().enumerate() {
            if let (Law::Pearl(bead), Ok([site, _])) = (&constraint.law, self.sites(k)) {
                energy.kinetic += 0.5
                    * bead.mass
                    * DVec3::from_array(self.state.constraints[k].sliding.velocity).length_squared();
                energy.gravity -= bead.mass * site.x.dot(gravity);
            }
        }
        let springs = self.structure.springs.iter().zip(&self.state.springs);
        energy.spring = springs.map(|(spring, frames)| self.spring_action(spring, frames, true).energy).sum();
        energy.spring += self.soft_energy();
        energy
    }

    /// Energies of one object.
    ///
    /// # Errors
    /// The object does not belong to this world.
    pub fn object_energy(&self, object: &Object) -> Result<Energy, BuildError> {
        self.own(object).map(|own| self.energy_of(own))
    }

    fn energy_of(&self, object: &Object) -> Energy {
        let range = object.unknowns();
        let v = &self.state.v[range.clone()];
        let mut momentum = vec![0.0; v.len()];
        object.model().add_mass_times(object.own(&self.state.q, &self.state.frames), v, &mut momentum);
        let gravity = DVec3::from_array(self.structure.gravity.at(self.state.time));
        let own = object.own(&self.state.q, &self.state.frames);
        let ElasticEnergy { stretch, bend, twist, other } = object.model().energy(own);
        let field = object.model().field_energy(own, gravity);
        let weight: f64 = self.state.q[range]
            .chunks_exact(4)
            .zip(&self.structure.node_mass[object.first..])
            .map(|(q, mass)| mass * DVec3::new(q[0], q[1], q[2]).dot(gravity))
            .sum();
        Energy {
            kinetic: 0.5 * v.iter().zip(&momentum).map(|(v, p)| v * p).sum::<f64>(),
            stretch,
            bend,
            twist,
            other,
            spring: 0.0,
            gravity: field - weight,
        }
    }

    /// Section of a rod at rest arc length `s`.
    ///
    /// # Errors
    /// The object is no rod, or does not belong to this world.
    pub fn section(&self, object: &Object, s: f64) -> Result<Section, BuildError> {
        let (object, rod) = self.own_rod(object)?;
        let (e, f) = rod.locate(s.clamp(0.0, rod.length()));
        Ok(rod.section(&self.state.q[object.unknowns()], &self.state.frames[object.frames.clone()], e, f))
    }

    /// Sections of a rod at `count` places evenly spaced from start to end.
    ///
    /// # Errors
    /// The object is no rod, or does not belong to this world.
    pub fn sections(&self, object: &Object, count: usize) -> Result<Vec<Section>, BuildError> {
        let step = self.own_rod(object)?.1.length() / (count.max(2) - 1) as f64;
        (0..count).map(|i| self.section(object, step * i as f64)).collect()
    }

    /// Least bend radius of a rod between two rest arc lengths, m; infinite where it is straight.
    ///
    /// # Errors
    /// The object is no rod, or does not belong to this world.
    pub fn least_bend_radius(&self, object: &Object, from: f64, to: f64) -> Result<f64, BuildError> {
        let (object, rod) = self.own_rod(object)?;
        let parameter = |s: f64| {
            let (e, f) = rod.locate(s.clamp(0.0, rod.length()));
            e as f64 + f
        };
        let span = (parameter(from.min(to)), parameter(to.max(from)));
        Ok(1.0 / rod.largest_curvature(&self.state.q[object.unknowns()], span))
    }

    /// Velocity of a rod at rest arc length `s`, or of a mass, m/s.
    ///
    /// # Errors
    /// The object does not belong to this world.
    pub fn velocity(&self, object: &Object, s: f64) -> Result<DVec3, BuildError> {
        self.own(object).map(|own| self.poses().velocity(&own.place_along(s), &self.state.v))
    }

    /// Position of a mass, or of the start of a rod, m.
    ///
    /// # Errors
    /// The object does not belong to this world.
    pub fn position(&self, object: &Object) -> Result<DVec3, BuildError> {
        self.own(object).map(|own| self.poses().position(&own.place_along(0.0)))
    }

    /// This world's object for a handle: the one with the same name and position in the arrays. A handle from
    /// a clone or from an earlier time is valid.
    fn own(&self, object: &Object) -> Result<&Object, BuildError> {
        let all = &self.structure.objects;
        let found = all.binary_search_by_key(&object.first, |own| own.first).ok().map(|k| &all[k]);
        found
            .filter(|own| {
                own.name == object.name && own.nodes() == object.nodes() && own.frames == object.frames
            })
            .filter(|own| own.word() == object.word())
            .ok_or_else(|| {
                BuildError::new(
                    "object",
                    format!("`{}` is not an object of this world", object.name),
                    "ask the world that it was taken from",
                )
            })
    }

    fn own_rod(&self, object: &Object) -> Result<(&Object, &Rod), BuildError> {
        let own = self.own(object)?;
        let rod = own.rod().ok_or_else(|| {
            let problem = format!("`{}` is a {} and has no sections", own.name, own.word());
            BuildError::new("object", problem, "name a rod")
        })?;
        Ok((own, rod))
    }

    /// A constraint and its state, by index.
    fn constraint(&self, index: usize) -> Result<(&Constraint, &ConstraintState), BuildError> {
        let all = &self.structure.constraints;
        all.get(index).zip(self.state.constraints.get(index)).ok_or_else(|| {
            BuildError::new(
                "constraint",
                format!("there is no constraint number {index}"),
                format!("give a number below {}", all.len()),
            )
        })
    }

    /// The sites at the ends of a constraint, by its index.
    ///
    /// # Errors
    /// There is no such constraint.
    pub fn sites(&self, index: usize) -> Result<[Site; ENDS], BuildError> {
        let (constraint, memory) = self.constraint(index)?;
        let places = constraint.places(&self.structure.objects, memory);
        Ok(constraint.sites(&places, self.poses(), memory, self.state.time))
    }

    /// Force and moment of a constraint on the object at its first end, world axes, also of a pearl on its
    /// rod; for one that opened in the last step, the force at which it opened.
    ///
    /// # Errors
    /// There is no such constraint.
    pub fn constraint_force(&self, index: usize) -> Result<Force, BuildError> {
        let (constraint, memory) = self.constraint(index)?;
        if memory.open {
            let Gave { force, moment, .. } = *memory.gave;
            let [force, moment] = [force, moment].map(DVec3::from_array);
            return Ok(Force { force, moment });
        }
        if constraint.law.sliding_mass().is_some() {
            return Ok(Force { force: self.force_of_sliding_mass(index)?, moment: DVec3::ZERO });
        }
        let (sites, mut rows) = (self.sites(index)?, Rows::default());
        constraint.law.linearise(&sites, memory, self.state.time, &mut rows);
        let mut force = Force::of_rows(&rows, &memory.multipliers, &sites[0], 0);
        if let Law::Clip(jaws) = &constraint.law
            && jaws.width > 0.0
        {
            // Both ends hold the rod: the moment is about the middle between them.
            let other = Force::of_rows(&rows, &memory.multipliers, &sites[1], 1);
            let arm = 0.5 * (sites[1].x - sites[0].x);
            force.moment += other.moment + arm.cross(other.force - force.force);
            force.force += other.force;
        }
        let here = Circumstances { own: memory.own, kind: memory.kind, ..Circumstances::default() };
        constraint.law.non_smooth(&sites, self.state.time, &here, |block| {
            for (row, push) in block.rows.iter().zip(&memory.pushes[block.first..]) {
                force.add(&row.row, *push, &sites[0], 0);
            }
        });
        if constraint.law.is_soft() && !memory.open {
            constraint.law.soft_rows(&sites, &memory.kind, self.state.time, |soft| {
                let rate = self.rate_of_row(index, &soft.row, &sites);
                force.add(&soft.row, soft.force(rate), &sites[0], 0);
            });
        }
        Ok(force)
    }

    /// Force of a sliding mass on its curve, N: its weight, forces and inertia, F − m a, and the pushes of
    /// its neighbours.
    fn force_of_sliding_mass(&self, index: usize) -> Result<DVec3, BuildError> {
        let mut force = DVec3::from_array(self.state.constraints[index].sliding.pressed);
        for known in self.state.contacts.iter() {
            let [Toucher::Constraint(a), Toucher::Constraint(b)] = known.key.between else { continue };
            let (a, b) = (a as usize, b as usize);
            if a == index || b == index {
                let push = (self.sites(b)?[0].x - self.sites(a)?[0].x).normalize_or_zero() * known.forces[0];
                force += if a == index { -push } else { push };
            }
        }
        Ok(force)
    }

    /// Rest arc length at which each end of a constraint slides, or at which a clip holds, m; `None` for an
    /// end that does neither.
    ///
    /// # Errors
    /// There is no such constraint.
    pub fn sliding_places(&self, index: usize) -> Result<[Option<f64>; ENDS], BuildError> {
        let (constraint, memory) = self.constraint(index)?;
        Ok(std::array::from_fn(|e| match constraint.ends[e] {
            End::Sliding { object } => {
                let object = &self.structure.objects[object];
                let place = object.place_at(memory.own[e]);
                Some(object.curve().map_or(0.0, |curve| curve.arc_length(&place)))
            }
            // For a clip with two ends, the first one stands for both.
            End::Caught { .. } => Some(memory.held_at).filter(|_| e == 0 && !memory.open),
            _ => None,
        }))
    }

    /// Rest arc length at which the first end of a constraint slides, or at which a clip holds, m; NaN while
    /// it is open.
    ///
    /// # Errors
    /// There is no such constraint, or it doesn't slide.
    pub fn sliding_place(&self, index: usize) -> Result<f64, BuildError> {
        let (constraint, _) = self.constraint(index)?;
        match constraint.ends[0] {
            End::Sliding { .. } | End::Caught { .. } => {
                Ok(self.sliding_places(index)?[0].unwrap_or(f64::NAN))
            }
            _ => Err(BuildError::new(
                "read",
                format!("`{}` doesn't slide", constraint.name),
                "read the place of a keyhole, a pearl or a clip",
            )),
        }
    }

    /// Force with which a pearl or an eye pushes the next one on its rod, N; zero where they don't touch.
    pub fn contact_force(&self, constraint: usize) -> f64 {
        let mut touching = self.state.contacts.of(Toucher::Constraint(constraint as u32));
        touching.next().map_or(0.0, |known| known.forces[0])
    }

    /// Load of a constraint as a share of its strength; for one that opened in the last step, the load at
    /// which it opened.
    ///
    /// # Errors
    /// There is no such constraint, or it is neither a clip nor a joint and has no strength.
    pub fn strength_used(&self, index: usize) -> Result<f64, BuildError> {
        let (constraint, memory) = self.constraint(index)?;
        match &constraint.law {
            law if law.has_load() && memory.open => Ok(memory.gave.load),
            law if law.has_load() => Ok(self.structure.load_of(index, &self.state)),
            _ => Err(BuildError::new(
                "read",
                format!("`{}` is neither a clip nor a joint, and has no strength", constraint.name),
                "read the strength of a clip or a joint, or give it a `strength`",
            )),
        }
    }

    /// Force of an eye or a pearl on its rod along it, N, λ·t: the drive of imposed sliding, friction, or the
    /// push on an end of the rod. Positive towards the end of the rod.
    ///
    /// # Errors
    /// There is no such constraint.
    pub fn drive_force(&self, index: usize) -> Result<f64, BuildError> {
        Ok(self.constraint_force(index)?.force.dot(self.sites(index)?[0].t))
    }

    /// Size of the force of an eye or a pearl on its rod across it, N: |λ − t t·λ|.
    ///
    /// # Errors
    /// There is no such constraint.
    pub fn normal_force(&self, index: usize) -> Result<f64, BuildError> {
        let across = self.constraint_force(index)?.force.reject_from_normalized(self.sites(index)?[0].t);
        Ok(across.length())
    }

    /// The frame at the first end of a constraint, by columns: the tangent of the rod, a director across it,
    /// and their product. The director is the rod's m₁; for a pearl that follows the tangent only, it is
    /// transported without spin.
    ///
    /// # Errors
    /// There is no such constraint.
    pub fn constraint_frame(&self, index: usize) -> Result<DMat3, BuildError> {
        let ((constraint, memory), site) = (self.constraint(index)?, self.sites(index)?[0]);
        let director = match (&constraint.law, constraint.ends[0]) {
            (Law::Pearl(bead), _) if bead.frame == PearlFrame::Tangent => {
                let EndFrame { tangent, director } = memory.frames[0];
                orthonormal_to(
                    site.t,
                    transport(DVec3::from_array(tangent), site.t, DVec3::from_array(director)),
                )
            }
            // The transported frame of a sliding end is not that of the material at its place.
            (_, End::Sliding { object }) => {
                self.section(&self.structure.objects[object], self.sliding_place(index)?)?.director
            }
            _ => site.m1,
        };
        Ok(DMat3::from_cols(site.t, director, site.t.cross(director)))
    }

    /// Violation of a constraint, m or rad.
    ///
    /// # Errors
    /// There is no such constraint.
    pub fn constraint_miss(&self, index: usize) -> Result<f64, BuildError> {
        let (constraint, memory) = self.constraint(index)?;
        Ok(constraint.law.miss(&self.sites(index)?, memory, self.state.time))
    }

    /// Tension of a spring with its damper, N, positive when it pulls, by index; 0 for a torsional spring.
    ///
    /// # Errors
    /// There is no such spring.
    pub fn spring_tension(&self, index: usize) -> Result<f64, BuildError> {
        let all = &self.structure.springs;
        let (spring, state) = all.get(index).zip(self.state.springs.get(index)).ok_or_else(|| {
            BuildError::new(
                "spring",
                format!("there is no spring number {index}"),
                format!("give a number below {}", all.len()),
            )
        })?;
        Ok(match spring.law {
            SpringLaw::Torsional { .. } => 0.0,
            _ => self.tension_along(spring, self.spring_action(spring, state, false)),
        })
    }

    /// Component of the force of a linear spring along it, N; positive pulls.
    fn tension_along(&self, spring: &Spring, action: SpringAction) -> f64 {
        let [a, b] = spring.ends.each_ref().map(|end| end.position(self.poses(), self.state.time));
        action.on_first.dot((b - a).normalize_or_zero())
    }

    /// Force or moment and energy of a spring, with its damper unless the world is `still`.
    fn spring_action(&self, spring: &Spring, state: &SpringState, still: bool) -> SpringAction {
        let frames = &state.frames;
        let (poses, time, ends) = (self.poses(), self.state.time, &spring.ends);
        let own = |place: &Place| place.slice(poses.objects, &self.state.v);
        match &spring.law {
            SpringLaw::Custom(force) => {
                let action = self.custom_action(spring, force, state, still);
                SpringAction { on_first: action.force[0], stiffness: DMat3::ZERO, energy: action.energy }
            }
            SpringLaw::Linear { .. } => {
                let [a, b] = ends.each_ref().map(|end| end.position(poses, time));
                let velocity = |end: &SpringEndPlace| end.velocity(poses, &self.state.v, time);
                let [va, vb] = if still { [DVec3::ZERO; 2] } else { ends.each_ref().map(velocity) };
                spring.law.pull(a, b, vb - va, 0.0, true)
            }
            SpringLaw::Torsional { .. } => {
                let [a, b] = [0, 1].map(|k| ends[k].frame(poses, &frames[k]));
                let spin = |k: usize| {
                    let place = ends[k].place().filter(|_| !still);
                    place.map_or(DVec3::ZERO, |place| place.spin(own(place), &poses.site(place, &frames[k])))
                };
                let [wa, wb] = [spin(0), spin(1)];
                spring.law.turn(a, b, wa - wb, 0.0)
            }
        }
    }

    /// Forces and energy of a custom force.
    fn custom_action(
        &self,
        spring: &Spring,
        force: &SharedForce,
        state: &SpringState,
        still: bool,
    ) -> ForceAction {
        let v: &[f64] = if still { &[] } else { &self.state.v };
        let (poses, time) = (self.poses(), self.state.time);
        let ends = Spring::force_ends(&spring.ends, force.turns(), poses, v, &state.frames, time);
        force.act(&ends, &state.memory, time, true)
    }

    /// Checks that a probe can be read.
    ///
    /// # Errors
    /// No such thing, no such place, or a quantity that the thing doesn't have.
    pub fn check_probe(&self, probe: &Probe) -> Result<(), BuildError> {
        self.read(probe).map(|_| ())
    }

    /// Reads a probe.
    ///
    /// # Errors
    /// No such thing, no such place, or a quantity that the thing doesn't have.
    pub fn read(&self, probe: &Probe) -> Result<f64, BuildError> {
        self.read_when(probe, false)
    }

    /// Reads a probe. In a chain of equilibria the world is `still`: targets move from one to the next, but
    /// all velocities are zero.
    pub(crate) fn read_when(&self, probe: &Probe, still: bool) -> Result<f64, BuildError> {
        if probe.of == "world" {
            return energy_quantity(|| self.energy(), probe.read)
                .ok_or_else(|| wrong_quantity(probe, "the world", "energies"));
        }
        if let Some((kind, index)) = self.structure.find(&probe.of).filter(|(kind, _)| kind.is_probed()) {
            return self.read_thing(kind, index, probe, still);
        }
        let kinds: Vec<Kind> = Kind::ALL.iter().copied().filter(|kind| kind.is_probed()).collect();
        let names = self.structure.names().filter(|(kind, _)| kind.is_probed()).map(|(_, name)| name);
        let known: Vec<&str> = std::iter::once("world").chain(names).collect();
        let what = Kind::list(&kinds, "or", |kind| kind.to_string());
        Err(BuildError::unknown_name("of", &what, &probe.of, format!("there are: {}", known.join(", "))))
    }

    pub(crate) fn read_winch(&self, k: usize, probe: &Probe) -> Result<f64, BuildError> {
        let winch = &self.structure.winches[k];
        match probe.read {
            Quantity::Length => Ok(self.state.spooled[k]),
            Quantity::Tension => {
                let object = &self.structure.objects[winch.object];
                let s = if winch.description.at == RodEnd::End { self.state.spooled[k] } else { 0.0 };
                Ok(self.section(object, s)?.tension)
            }
            _ => Err(wrong_quantity(probe, "a winch", "length, tension")),
        }
    }

    pub(crate) fn read_object(&self, k: usize, probe: &Probe) -> Result<f64, BuildError> {
        let object = &self.structure.objects[k];
        let place = || self.place(&object.name, probe.at, false);
        let value = match probe.read {
            Quantity::Position => Some(Value::Vector(self.poses().position(&place()?))),
            Quantity::Velocity => Some(Value::Vector(self.poses().velocity(&place()?, &self.state.v))),
            quantity => match energy_quantity(|| self.energy_of(object), quantity) {
                Some(energy) => Some(Value::Number(energy)),
                None => match self.read_contacts(object, probe)?.or(self.read_linking_number(object, probe)?)
                {
                    Some(value) => Some(value),
                    None => object.model().read(&self.now(object), quantity, probe.at)?,
                },
            },
        };
        let value = value.ok_or_else(|| {
            let own = object.model().quantities();
            let touching = "contact-force, contacts, penetration";
            let all =
                if self.contact_settings().is_some() { format!("{own}; {touching}") } else { own.to_owned() };
            wrong_quantity(probe, &format!("a {}", object.word()), &all)
        })?;
        Ok(value.component(probe.component))
    }

    /// Values of an object for people; at a place of it, if it has several.
    ///
    /// # Errors
    /// The object does not belong to this world, or the place is not on it.
    pub fn read_outs(&self, object: &Object, at: Option<At>) -> Result<Vec<ReadOut>, BuildError> {
        let own = self.own(object)?;
        let mut all = own.model().read_outs(&self.now(own), at)?;
        all.extend(self.contact_read_outs(own));
        Ok(all)
    }

    /// The description of an object that starts as this one is now; see `present_rod` for rods.
    ///
    /// # Errors
    /// The object does not belong to this world, or can't start like this.
    pub fn at_present(&self, object: &Object) -> Result<ObjectDescription, BuildError> {
        let own = self.own(object)?;
        own.description.at_present(&own.kind, &self.now(own))
    }

    fn now<'a>(&'a self, object: &'a Object) -> Now<'a> {
        let own = object.own(&self.state.q, &self.state.frames);
        Now { name: &object.name, own, v: &self.state.v[object.unknowns()] }
    }

    pub(crate) fn read_constraint(&self, k: usize, probe: &Probe) -> Result<f64, BuildError> {
        let constraint = &self.structure.constraints[k];
        match (probe.read, &constraint.law) {
            // A pearl is a mass, not a row.
            (Quantity::Moment | Quantity::Residual, Law::Pearl(_)) => Err(wrong_quantity(
                probe,
                "a pearl",
                "place, position, velocity, force, normal-force, drive, contact, tangent, director",
            )),
            (Quantity::Force, _) => Ok(probe.component.of(self.constraint_force(k)?.force)),
            (Quantity::Moment, _) => Ok(probe.component.of(self.constraint_force(k)?.moment)),
            (Quantity::Residual, _) => self.constraint_miss(k),
            (Quantity::Place, _) => self.sliding_place(k),
            (Quantity::Velocity, Law::Pearl(_)) => {
                Ok(probe.component.of(DVec3::from_array(self.state.constraints[k].sliding.velocity)))
            }
            (Quantity::Contact, Law::Pearl(_) | Law::Keyhole(_)) => Ok(self.contact_force(k)),
            (Quantity::Position, Law::Clip(jaws)) if jaws.width > 0.0 => {
                let [a, b] = self.sites(k)?;
                Ok(probe.component.of(0.5 * (a.x + b.x)))
            }
            (Quantity::Position, _) => Ok(probe.component.of(self.sites(k)?[0].x)),
            (Quantity::Held, law) if law.has_load() => {
                Ok(if self.state.constraints[k].open { 0.0 } else { 1.0 })
            }
            (Quantity::StrengthUsed, law) if law.has_load() => self.strength_used(k),
            (Quantity::Drive, Law::Keyhole(_) | Law::Pearl(_)) => self.drive_force(k),
            (Quantity::Drive, Law::Trajectory(law)) if law.is_driven() => {
                let memory = &self.state.constraints[k];
                Ok(law.driving_force(&self.sites(k)?, memory.own[1], self.state.time, &memory.multipliers))
            }
            (Quantity::NormalForce, Law::Keyhole(_) | Law::Pearl(_)) => self.normal_force(k),
            (quantity, Law::Joint(law)) if coordinate_of(quantity).is_some_and(|(at, _)| law.has()[at]) => {
                let (coordinate, drive) = coordinate_of(quantity).unwrap_or_default();
                let (sites, memory) = (self.sites(k)?, &self.state.constraints[k]);
                let time = self.state.time;
                Ok(if drive {
                    law.drives(&sites, memory, self.joint_rates(k)?, time)[coordinate]
                } else {
                    law.coordinates(&sites[0], &sites[1], &memory.kind, time).values()[coordinate]
                })
            }
            (Quantity::Tangent, _) if constraint.ends[0].framed() => {
                Ok(probe.component.of(self.constraint_frame(k)?.x_axis))
            }
            (Quantity::Director, _) if constraint.ends[0].framed() => {
                Ok(probe.component.of(self.constraint_frame(k)?.y_axis))
            }
            (Quantity::Tension, Law::Distance(law)) => Ok(law.tension(&self.state.constraints[k])),
            _ => Err(wrong_quantity(
                probe,
                "a constraint",
                "force, moment, residual and position; tension of a distance; place of an eye, a \
                 pearl or a clip; held and strength-used of a clip or a joint; drive, normal-force \
                 and contact of an eye or a pearl; drive of a trajectory with `slide`; velocity of \
                 a pearl; angle, slide, drive-torque and drive of a joint; tangent and director \
                 where a rod's direction is held or something slides",
            )),
        }
    }

    pub(crate) fn read_spring(&self, k: usize, probe: &Probe, still: bool) -> Result<f64, BuildError> {
        let spring @ Spring { law, ends, .. } = &self.structure.springs[k];
        let action = self.spring_action(spring, &self.state.springs[k], still);
        match (probe.read, law) {
            (Quantity::Force, SpringLaw::Linear { .. } | SpringLaw::Custom(_))
            | (Quantity::Moment, SpringLaw::Torsional { .. }) => Ok(probe.component.of(action.on_first)),
            (Quantity::Moment, SpringLaw::Custom(force)) if force.turns() => {
                let action = self.custom_action(spring, force, &self.state.springs[k], still);
                Ok(probe.component.of(action.moment[0]))
            }
            (Quantity::Tension, SpringLaw::Linear { .. } | SpringLaw::Custom(_)) => {
                Ok(self.tension_along(spring, action))
            }
            (Quantity::Length, SpringLaw::Linear { .. } | SpringLaw::Custom(_)) => {
                let [a, b] = ends.each_ref().map(|end| end.position(self.poses(), self.state.time));
                Ok(a.distance(b))
            }
            (Quantity::ElasticEnergy, _) => Ok(action.energy),
            _ => {
                Err(wrong_quantity(probe, "this spring", "force or moment, tension, length, elastic-energy"))
            }
        }
    }
}

impl Constraint {
    /// Name of the object that it holds; for a clip, the first that it may hold.
    pub fn on(&self) -> &str {
        match self.description.ends()[0] {
            EndDescription::Place { on, .. } | EndDescription::Sliding { on, .. } => on,
            EndDescription::Caught { on, .. } => on.first().map_or("", String::as_str),
            EndDescription::World => "world",
        }
    }
}

/// Number of the coordinate of a joint to which a quantity belongs, and whether the quantity is the force of
/// its motor.
fn coordinate_of(quantity: Quantity) -> Option<(usize, bool)> {
    match quantity {
        Quantity::Angle => Some((0, false)),
        Quantity::Slide => Some((1, false)),
        Quantity::CrossAngle => Some((2, false)),
        Quantity::CrossSlide => Some((3, false)),
        Quantity::DriveTorque => Some((0, true)),
        Quantity::Drive => Some((1, true)),
        Quantity::CrossDriveTorque => Some((2, true)),
        Quantity::CrossDrive => Some((3, true)),
        _ => None,
    }
}

/// The energy of this quantity, if it is one.
fn energy_quantity(energy: impl FnOnce() -> Energy, quantity: Quantity) -> Option<f64> {
    let part: fn(&Energy) -> f64 = match quantity {
        Quantity::KineticEnergy => |energy| energy.kinetic,
        Quantity::ElasticEnergy => Energy::elastic,
        Quantity::StretchEnergy => |energy| energy.stretch,
        Quantity::BendEnergy => |energy| energy.bend,
        Quantity::TwistEnergy => |energy| energy.twist,
        Quantity::GravityEnergy => |energy| energy.gravity,
        Quantity::TotalEnergy => Energy::total,
        _ => return None,
    };
    Some(part(&energy()))
}

fn wrong_quantity(probe: &Probe, of: &str, has: &str) -> BuildError {
    let word = serde_json::to_string(&probe.read).unwrap_or_default();
    BuildError::new("read", format!("{of} has no {word}"), format!("it has: {has}"))
}
