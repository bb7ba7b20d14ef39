//! A rigid body: position of its centre of mass and rotation.
//!
//! ```text
//! node 0   (c, −)    centre of mass, m                       velocity (v, −)
//! node 1   (R)       rotation as a unit quaternion (x, y, z, w)   velocity (ω, −), rad/s, world axes
//! ```
//!
//! An increment is (δc, δφ) in world axes: c ← c + δc, R ← exp(δφ) R. The mass matrix is diag(m, R I Rᵀ) with
//! the inertia I about the centre of mass in body axes. Steps integrate the rotation so that free motion
//! keeps energy and momentum (`step/rotation.rs`).

mod describe;
pub mod shape;

pub use describe::{BodyDescription, Inertia};
pub use shape::{Shape, Surface, TurnedMesh};

use super::rod::Linearisation;
use super::{Form, Model, Now, Own, Place, ReadOut, Scalar, Touch, Value};
use crate::describe::anchor::{AnchorName, At};
use crate::describe::quantity::Quantity;
use crate::error::BuildError;
use crate::geometry::rotation::{log_of, rotation_of};
use crate::geometry::skin::Skin;
use glam::{DMat3, DQuat, DVec3};
use micado_linalg::BlockMatrix;

/// A rigid body, ready to be stepped.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in body axes, m.
    pub centre: DVec3,
    /// Inertia about the centre of mass, body axes, kg·m².
    pub inertia: DMat3,
    /// Named places.
    pub anchors: Vec<NamedAnchor>,
    /// Largest distance of its surface from the centre of mass, m.
    pub radius: f64,
    /// Its surface in body axes.
    pub surface: Box<Surface>,
    /// Skin with which it touches other objects, in the axes of the centre of mass: parallel to those of the
    /// body.
    pub skin: Skin,
    /// Meshes of its shape that were inside out.
    pub turned: Vec<TurnedMesh>,
    /// Whether nothing moves it.
    pub fixed: bool,
}

/// A named place of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedAnchor {
    /// Name.
    pub name: AnchorName,
    /// Point in body axes, m.
    pub point: DVec3,
    /// Its own axes in the axes of the body, if it has any.
    pub axes: Option<DQuat>,
}

/// The rotation in the part of the unknowns that belongs to a body.
pub fn rotation(q: &[f64]) -> DQuat {
    DQuat::from_xyzw(q[4], q[5], q[6], q[7])
}

impl Body {
    /// Inertia in world axes, R I Rᵀ, kg·m².
    pub fn world_inertia(&self, q: &[f64]) -> DMat3 {
        let r = DMat3::from_quat(rotation(q));
        r * self.inertia * r.transpose()
    }

    /// Principal moments, smallest first, kg·m², and the rotation vector of the principal axes in world axes.
    fn principal(&self, q: &[f64]) -> Result<(DVec3, DVec3), BuildError> {
        let principal = shape::check_inertia("inertia", self.inertia)?;
        let turned = rotation(q) * DQuat::from_mat3(&principal.axes);
        Ok((principal.moments, log_of(turned.normalize())))
    }

    /// Point in body axes, m, and own axes of a described place. Without a description it is the origin of
    /// the body's axes.
    fn point(&self, name: &str, at: Option<At>) -> Result<(DVec3, Option<DQuat>), BuildError> {
        match at {
            None => Ok((DVec3::ZERO, None)),
            Some(At::Point(point)) => Ok((DVec3::from_array(point), None)),
            Some(At::Named(anchor)) => {
                let known = self.anchors.iter().find(|known| known.name == anchor);
                known.map(|known| (known.point, known.axes)).ok_or_else(|| {
                    let names: Vec<_> = self.anchors.iter().map(|known| known.name.as_str()).collect();
                    let problem = format!("`{name}` has no anchor \"{}\"", anchor.as_str());
                    let remedy = format!("its anchors are {}; or write a point [x, y, z]", names.join(", "));
                    BuildError::new("at", problem, remedy)
                })
            }
            Some(at @ (At::Length(_) | At::Share(_) | At::FromEnd(_))) => {
                let problem = format!("`{name}` is a body, and \"{at}\" is a place along a rod");
                Err(BuildError::new(
                    "at",
                    problem,
                    "write a point [x, y, z] in its axes, or the name of an anchor",
                ))
            }
        }
    }

    /// The place of a point in body axes.
    fn place_of(&self, point: DVec3) -> Place {
        let place = Place::in_frame(0, 1, point - self.centre);
        if self.fixed { place.fixed() } else { place }
    }
}

impl Model for Body {
    fn nodes(&self) -> usize {
        2
    }

    fn scalars(&self, node: usize) -> [Scalar; 4] {
        match node {
            _ if self.fixed => [Scalar::Unused; 4],
            0 => Scalar::POINT,
            _ => Scalar::ROTATION,
        }
    }

    fn for_each_clique(&self, visit: &mut dyn FnMut(&[usize])) {
        visit(&[0, 1]);
    }

    fn pattern(&self) -> u32 {
        1
    }

    fn elements(&self) -> usize {
        0
    }

    fn extent(&self) -> Option<f64> {
        (!self.fixed).then_some(2.0 * self.radius)
    }

    fn total_mass(&self) -> f64 {
        if self.fixed { 0.0 } else { self.mass }
    }

    fn node_mass(&self, node: usize) -> f64 {
        if node == 0 { self.total_mass() } else { 0.0 }
    }

    fn is_held(&self) -> bool {
        self.fixed
    }

    fn spin_inertia(&self) -> Option<(usize, DMat3)> {
        (!self.fixed).then_some((1, self.inertia))
    }

    fn add_mass_times(&self, own: Own<'_>, v: &[f64], out: &mut [f64]) {
        if self.fixed {
            return;
        }
        let turned = self.world_inertia(own.q) * DVec3::from_slice(&v[4..7]);
        for a in 0..3 {
            out[a] += self.mass * v[a];
            out[4 + a] += turned[a];
        }
    }

    /// Displacement of the centre, and of the surface by the rotation.
    fn largest_displacement(&self, increment: &[f64]) -> f64 {
        DVec3::from_slice(increment).length() + self.radius * DVec3::from_slice(&increment[4..]).length()
    }

    /// The mean moment of inertia on every rotation: it does not depend on the pose.
    fn add_lumped_mass(&self, _own: Own<'_>, _ones: &[f64], out: &mut [f64]) {
        if self.fixed {
            return;
        }
        let mean = (self.inertia.x_axis.x + self.inertia.y_axis.y + self.inertia.z_axis.z) / 3.0;
        for a in 0..3 {
            out[a] += self.mass;
            out[4 + a] += mean;
        }
    }

    fn linearise(
        &self,
        own: Own<'_>,
        how: &Linearisation<'_>,
        first: usize,
        matrix: &mut BlockMatrix,
        _force: &mut [f64],
    ) {
        let inertia = (self.world_inertia(own.q) * how.mass).to_cols_array_2d();
        let second = first + 1;
        // A row begins with its diagonal, and the second node directly follows the first.
        let coupled = matrix.row_nodes(first).get(1) == Some(&(second as u32));
        let slots = [matrix.row_start(first), matrix.row_start(first) + 1, matrix.row_start(second)];
        for ((row, column), slot) in
            [(first, first), (first, second), (second, second)].into_iter().zip(slots)
        {
            if row != column && !coupled {
                continue;
            }
            let block = &mut matrix.values_mut()[slot];
            *block = [0.0; 16];
            if row == column && self.fixed {
                (0..3).for_each(|a| block[5 * a] = 1.0);
            } else if row == column {
                for a in 0..3 {
                    for b in 0..3 {
                        let mass = if a == b { self.mass * how.mass } else { 0.0 };
                        block[4 * a + b] = if row == first { mass } else { inertia[b][a] };
                    }
                }
            }
            if row == column {
                block[15] = 1.0;
            }
        }
    }

    fn subtract_internal_force(&self, _own: Own<'_>, _how: &Linearisation<'_>, _force: &mut [f64]) {}

    fn advance(&self, from: Option<&[f64]>, delta: &[f64], share: f64, q: &mut [f64]) {
        if let Some(from) = from {
            q.copy_from_slice(from);
        }
        for a in 0..3 {
            q[a] += share * delta[a];
        }
        let turn = DVec3::from_slice(&delta[4..7]) * share;
        // A body that does not turn keeps the bits of its rotation, so that a fixed one has the same pose
        // after a snapshot is restored.
        if turn != DVec3::ZERO {
            let turned = (rotation_of(turn) * rotation(q)).normalize();
            q[4..8].copy_from_slice(&turned.to_array());
        }
    }

    fn for_each_witness(&self, visit: &mut dyn FnMut(Place)) {
        let reach = self.radius.max(f64::MIN_POSITIVE);
        for axis in [DVec3::ZERO, DVec3::X, DVec3::Y] {
            visit(self.place_of(self.centre + axis * reach));
        }
    }

    fn place(&self, name: &str, at: Option<At>, _frame: bool) -> Result<Place, BuildError> {
        self.point(name, at).map(|(point, axes)| self.place_of(point).with_axes(axes))
    }

    fn place_along(&self, _s: f64) -> Place {
        self.place_of(DVec3::ZERO)
    }

    fn form(&self) -> Form<'_> {
        Form::Body { radius: self.radius, surface: &self.surface }
    }

    fn touch(&self) -> Touch<'_> {
        Touch::Solid(&self.skin)
    }

    fn pose(&self, own: Own<'_>, _place: &Place) -> (DVec3, DMat3) {
        (DVec3::from_slice(own.q), DMat3::from_quat(rotation(own.q)))
    }

    fn read(&self, now: &Now<'_>, quantity: Quantity, _at: Option<At>) -> Result<Option<Value>, BuildError> {
        let spin = DVec3::from_slice(&now.v[4..]);
        Ok(match quantity {
            Quantity::Rotation => Some(Value::Vector(log_of(rotation(now.own.q)))),
            Quantity::Spin => Some(Value::Vector(spin)),
            Quantity::Momentum => Some(Value::Vector(DVec3::from_slice(now.v) * self.total_mass())),
            Quantity::Mass => Some(Value::Number(self.total_mass())),
            Quantity::CentreOfMass => Some(Value::Vector(DVec3::from_slice(now.own.q))),
            Quantity::PrincipalMoments => Some(Value::Vector(self.principal(now.own.q)?.0)),
            Quantity::PrincipalAxes => Some(Value::Vector(self.principal(now.own.q)?.1)),
            Quantity::AngularMomentum => Some(Value::Vector(self.world_inertia(now.own.q) * spin)),
            _ => None,
        })
    }

    fn quantities(&self) -> &'static str {
        "position, velocity, rotation, spin, momentum, angular-momentum, mass, centre-of-mass, \
         principal-moments, principal-axes and energies"
    }

    fn read_outs(&self, now: &Now<'_>, _at: Option<At>) -> Result<Vec<ReadOut>, BuildError> {
        let (velocity, spin) = (DVec3::from_slice(now.v), DVec3::from_slice(&now.v[4..]));
        let origin = DVec3::from_slice(now.own.q) - rotation(now.own.q) * self.centre;
        let (moments, axes) = self.principal(now.own.q)?;
        let centre = Value::Vector(DVec3::from_slice(now.own.q));
        Ok(vec![
            ReadOut::of("Mass", Value::Number(self.total_mass()), Quantity::Mass),
            ReadOut::of("Position", Value::Vector(origin), Quantity::Position),
            ReadOut::of("Centre of mass", centre, Quantity::CentreOfMass),
            ReadOut::of("Speed", Value::Number(velocity.length()), Quantity::Velocity).main(),
            ReadOut::of("Spin", Value::Vector(spin), Quantity::Spin).main(),
            ReadOut::of("Principal moments", Value::Vector(moments), Quantity::PrincipalMoments),
            ReadOut::of("Principal axes", Value::Vector(axes), Quantity::PrincipalAxes),
        ])
    }
}
