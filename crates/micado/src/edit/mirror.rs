//! Bodies that another program steps: their motion and matter are set between steps.

use crate::constraint::End;
use crate::describe::anchor::At;
use crate::error::{BuildError, check};
use crate::geometry::skin::Pose;
use crate::load::{LoadLaw, SpringEndPlace};
use crate::object::body::{Inertia, rotation};
use crate::object::{Body, ObjectDescription, ObjectKind, Place};
use crate::world::{Revision, State, World};
use glam::{DMat3, DQuat, DVec3};

/// Pose and velocity of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyMotion {
    /// Centre of mass, m.
    pub centre: DVec3,
    /// Rotation of its axes.
    pub rotation: DQuat,
    /// Velocity of the centre of mass, m/s.
    pub velocity: DVec3,
    /// Angular velocity, rad/s, world axes.
    pub spin: DVec3,
}

/// Mass properties of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMatter {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in body axes, m.
    pub centre: DVec3,
    /// Inertia about the centre of mass, body axes, kg·m².
    pub inertia: DMat3,
    /// Whether it is fixed; then mass and inertia have no effect.
    pub fixed: bool,
}

impl World {
    /// Pose and velocity of a body.
    ///
    /// # Errors
    /// There is no such body.
    pub fn body_motion(&self, name: &str) -> Result<BodyMotion, BuildError> {
        let (k, _) = self.body(name)?;
        let State { q, v, .. } = self.state();
        let own = self.structure.objects[k].unknowns();
        let (q, v) = (&q[own.clone()], &v[own]);
        Ok(BodyMotion {
            centre: DVec3::from_slice(q),
            rotation: rotation(q),
            velocity: DVec3::from_slice(v),
            spin: DVec3::from_slice(&v[4..]),
        })
    }

    /// Sets the pose and the velocity of a body; a fixed body has no velocity. Second-order steps restart
    /// their history.
    ///
    /// # Errors
    /// There is no such body, or a number is not finite.
    pub fn set_body_motion(&mut self, name: &str, motion: &BodyMotion) -> Result<(), BuildError> {
        let (k, body) = self.body(name)?;
        check::finite_vector("centre", motion.centre.to_array())?;
        check::finite_vector("velocity", motion.velocity.to_array())?;
        check::finite_vector("spin", motion.spin.to_array())?;
        let turned = motion.rotation.normalize();
        if !turned.is_finite() {
            let problem = format!("the rotation of `{name}` is not a unit quaternion");
            return Err(BuildError::new("rotation", problem, "give a unit quaternion"));
        }
        let moves = if body.fixed { 0.0 } else { 1.0 };
        let own = self.structure.objects[k].unknowns();
        let (q, v) = (&mut self.state.q[own.clone()], &mut self.state.v[own]);
        q[..3].copy_from_slice(&motion.centre.to_array());
        q[4..8].copy_from_slice(&turned.to_array());
        v[..3].copy_from_slice(&(motion.velocity * moves).to_array());
        v[4..7].copy_from_slice(&(motion.spin * moves).to_array());
        self.state.restart_history();
        if self.structure.contact.is_some() && moves == 0.0 {
            // Contacts read the pose of a fixed body from the structure.
            self.renew_touching();
            self.structure.revision = Revision::default();
        }
        Ok(())
    }

    /// Sets the mass properties of a body, and whether it is fixed. Places on the body keep their points in
    /// body axes, and the pose of these axes does not change. Returns whether anything has changed.
    ///
    /// # Errors
    /// There is no such body, or a free body can't have these properties.
    pub fn set_body_matter(&mut self, name: &str, matter: &BodyMatter) -> Result<bool, BuildError> {
        let (k, body) = self.body(name)?;
        let BodyMatter { mass, centre, inertia, fixed } = *matter;
        if (body.mass, body.centre, body.inertia, body.fixed) == (mass, centre, inertia, fixed) {
            return Ok(false);
        }
        check::finite_vector("centre", centre.to_array())?;
        if !fixed {
            check::positive("mass", mass)?;
            crate::object::body::shape::check_inertia("inertia", inertia)?;
        }
        let (old_centre, object) = (body.centre, &mut self.structure.objects[k]);
        let ObjectKind::Body(body) = &mut object.kind else { return Ok(false) };
        (body.mass, body.centre, body.inertia, body.fixed) = (mass, centre, inertia, fixed);
        body.skin = body.skin.placed(&Pose::at(old_centre - centre));
        let far = body.surface.vertices.iter().map(|x| (DVec3::from_array(*x) - centre).length());
        body.radius = far.fold(0.0, f64::max);
        if let ObjectDescription::Body(words) = &mut object.description {
            let [x, y, z] = [inertia.x_axis, inertia.y_axis, inertia.z_axis];
            words.inertia = Some(Inertia { moments: [x.x, y.y, z.z], products: [x.y, x.z, y.z] });
            (words.mass, words.density) = (Some(mass), None);
            (words.centre, words.fixed) = (Some(centre.to_array()), fixed);
            (words.velocity, words.spin) = ([0.0; 3], [0.0; 3]);
        }
        let own = object.unknowns();
        let (q, v) = (&mut self.state.q[own.clone()], &mut self.state.v[own]);
        let moved = DVec3::from_slice(q) + rotation(q) * (centre - old_centre);
        q[..3].copy_from_slice(&moved.to_array());
        if fixed {
            v.fill(0.0);
        }
        let (first, nodes) = (object.first, object.nodes());
        for node in 0..nodes {
            self.structure.node_mass[first + node] = object.model().node_mass(node);
        }
        self.move_places(k, old_centre)?;
        self.after_edit();
        Ok(true)
    }

    /// The body of this name, and its index among the objects.
    fn body(&self, name: &str) -> Result<(usize, &Body), BuildError> {
        let object = self.object("body", name)?;
        match &object.kind {
            ObjectKind::Body(body) => Ok((object.index, body)),
            _ => {
                let problem = format!("`{name}` is a {}", object.word());
                Err(BuildError::new("body", problem, "name a body"))
            }
        }
    }

    /// Recomputes the places on object `k`, a body whose centre of mass was at `old_centre` in its axes.
    fn move_places(&mut self, k: usize, old_centre: DVec3) -> Result<(), BuildError> {
        let structure = &mut self.structure;
        let (object, constraints) = (&structure.objects[k], structure.constraints.iter_mut());
        let renew = |place: &mut Place| -> Result<(), BuildError> {
            if place.object() == Some(k) {
                let at = At::Point((place.arm + old_centre).to_array());
                let axes = place.axes;
                *place = object.model().place(&object.name, Some(at), true)?.of_object(k).with_axes(axes);
            }
            Ok(())
        };
        for end in constraints.flat_map(|constraint| &mut constraint.ends) {
            if let End::Fixed { place, .. } = end {
                renew(place)?;
            }
        }
        for end in structure.springs.iter_mut().flat_map(|spring| &mut spring.ends) {
            if let SpringEndPlace::Object(place) = end {
                renew(place)?;
            }
        }
        for load in &mut structure.loads {
            if let LoadLaw::Force(place, _) | LoadLaw::Moment(place, _) = &mut load.law {
                renew(place)?;
            }
        }
        Ok(())
    }
}
