//! The mirror of a body of Rapier: its mass, inertia, pose, velocity and known forces as a body of Micado.
//!
//! Rapier divides a step of length h into n substeps, and adds forces in each. A constant acceleration a then
//! moves a body by a h² (n + 1)/(2n). Implicit Euler moves it by a h². The mirror starts with an offset of
//! the difference, s = −a h² (n − 1)/(2n), so that both end at the same place.

use crate::Error;
use glam::{DMat3, DQuat, DVec3};
use micado::edit::{BodyMatter, BodyMotion};
use rapier3d_f64::prelude::{
    IntegrationParameters, LockedAxes, Pose, RigidBody, RigidBodyHandle, RigidBodySet, RigidBodyType,
};

/// Factor on the inertia of locked motions: their compliance is then below the rounding of sums.
const LOCKED: f64 = 1e12;

/// A body of Rapier in the world of the cables.
#[derive(Clone, Debug)]
pub(crate) struct Mirror {
    /// Handle.
    pub(crate) handle: RigidBodyHandle,
    /// Name of its mirror.
    pub(crate) name: String,
    /// Names of the constraints that attach rods to it.
    pub(crate) attachments: Vec<String>,
    /// Last pull of the cables on it while it was awake.
    pub(crate) pull: Pull,
}

/// Force on a body, N, and moment about its centre of mass, N·m, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pull {
    pub(crate) force: DVec3,
    pub(crate) moment: DVec3,
}

/// Role of a mirror in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// It moves, and passes its change of momentum to Rapier.
    Free,
    /// It keeps the pose of Rapier's body; the reaction is a force on the body.
    Held,
    /// It sleeps: it is held, and the reaction may wake it.
    Asleep,
    /// Rapier moves it, independent of the reaction.
    Given,
}

/// A mirror at the beginning of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) part: Part,
    pub(crate) matter: BodyMatter,
    pub(crate) motion: BodyMotion,
    /// Whether Rapier locks its translations and its rotations.
    pub(crate) locked: [bool; 2],
}

/// Parameters of a step.
#[derive(Clone, Copy)]
pub(crate) struct Circumstances<'a> {
    pub(crate) gravity: DVec3,
    pub(crate) parameters: &'a IntegrationParameters,
    /// Whether the coupling is explicit: bodies take the reaction of the last step.
    pub(crate) explicit: bool,
    /// Length of the longest rod, m, which scales the inertia of locked rotations.
    pub(crate) longest: f64,
}

/// The name of a body in messages and in the world of the cables.
pub(crate) fn name_of(handle: RigidBodyHandle) -> String {
    let (index, generation) = handle.into_raw_parts();
    format!("rapier-{index}-{generation}")
}

/// R I Rᵀ
pub(crate) fn world_inertia(inertia: DMat3, rotation: DQuat) -> DMat3 {
    let r = DMat3::from_quat(rotation);
    r * inertia * r.transpose()
}

impl Mirror {
    /// A mirror without attachments.
    pub(crate) fn new(handle: RigidBodyHandle) -> Self {
        Self { handle, name: name_of(handle), attachments: Vec::new(), pull: Pull::default() }
    }

    /// The body of Rapier.
    pub(crate) fn body<'a>(&self, bodies: &'a RigidBodySet) -> Result<&'a RigidBody, Error> {
        bodies.get(self.handle).ok_or_else(|| Error::Removed { body: self.name.clone() })
    }

    /// The mirror at the beginning of a step.
    pub(crate) fn start(&self, bodies: &RigidBodySet, here: &Circumstances<'_>) -> Result<Start, Error> {
        let body = self.body(bodies)?;
        let locked = self.locked(body)?;
        let part = match body.body_type() {
            RigidBodyType::Dynamic if !body.is_enabled() || self.attachments.is_empty() => Part::Given,
            RigidBodyType::Dynamic if locked == [true; 2] => Part::Given,
            RigidBodyType::Dynamic if body.is_sleeping() => Part::Asleep,
            RigidBodyType::Dynamic if here.explicit => Part::Held,
            RigidBodyType::Dynamic => Part::Free,
            _ => Part::Given,
        };
        let matter = self.matter(body, part, locked, here.longest)?;
        let motion = match part {
            Part::Free => free_motion(body, &matter, locked, here),
            Part::Given => at_pose(&end_pose(body, here.parameters.dt), matter.centre),
            Part::Held | Part::Asleep => at_pose(body.position(), matter.centre),
        };
        let numbers = [motion.centre, motion.velocity, motion.spin];
        if numbers.iter().all(|x| x.is_finite()) && motion.rotation.is_finite() {
            Ok(Start { part, matter, motion, locked })
        } else {
            Err(Error::NotFinite { body: self.name.clone() })
        }
    }

    /// Whether Rapier locks all translations, and all rotations.
    fn locked(&self, body: &RigidBody) -> Result<[bool; 2], Error> {
        let axes = body.locked_axes();
        let of = |all: LockedAxes, what| match axes & all {
            locked if locked == all => Ok(true),
            locked if locked.is_empty() => Ok(false),
            _ => Err(Error::PartlyLocked { body: self.name.clone(), what }),
        };
        if !body.is_dynamic() {
            return Ok([false; 2]);
        }
        let translations = of(LockedAxes::TRANSLATION_LOCKED, "translations")?;
        let rotations = of(LockedAxes::ROTATION_LOCKED, "rotations")?;
        // In Rapier, a body with a mass but no inertia does not turn.
        let inverse = body.mass_properties().local_mprops.inv_principal_inertia;
        Ok([translations, rotations || inverse == DVec3::ZERO])
    }

    fn matter(
        &self,
        body: &RigidBody,
        part: Part,
        [translations, rotations]: [bool; 2],
        longest: f64,
    ) -> Result<BodyMatter, Error> {
        let of = &body.mass_properties().local_mprops;
        let (mass, fixed) = (of.mass(), part != Part::Free);
        if fixed && (mass <= 0.0 || rotations) {
            return Ok(BodyMatter { mass: 1.0, centre: of.local_com, inertia: DMat3::IDENTITY, fixed });
        }
        if mass <= 0.0 {
            return Err(Error::NoMass { body: self.name.clone() });
        }
        let inertia = if rotations {
            DMat3::from_diagonal(DVec3::splat(LOCKED * mass * longest * longest))
        } else {
            world_inertia(DMat3::from_diagonal(of.principal_inertia()), of.principal_inertia_local_frame)
        };
        let mass = if translations { LOCKED * mass } else { mass };
        Ok(BodyMatter { mass, centre: of.local_com, inertia, fixed })
    }

    /// Whether a pull wakes a sleeping body. It does if its change since the body fell asleep, without a
    /// counterforce, would accelerate the body beyond Rapier's sleep thresholds within Rapier's sleep time.
    pub(crate) fn wakes(&self, pull: Pull, body: &RigidBody, length_unit: f64) -> bool {
        let (activation, of) = (body.activation(), &body.mass_properties().local_mprops);
        let force = (pull.force - self.pull.force).length();
        let turning = body.rotation().inverse() * (pull.moment - self.pull.moment);
        let frame = of.principal_inertia_local_frame;
        let spin = (frame.inverse() * turning * of.inv_principal_inertia).length();
        let time = activation.time_until_sleep;
        force * of.inv_mass * time > activation.normalized_linear_threshold * length_unit
            || spin * time > activation.angular_threshold
    }
}

/// Pose of a body that the cables do not move, at the end of the step.
fn end_pose(body: &RigidBody, h: f64) -> Pose {
    match body.body_type() {
        RigidBodyType::KinematicPositionBased => *body.next_position(),
        RigidBodyType::KinematicVelocityBased => body.predict_position_using_velocity(h),
        _ => *body.position(),
    }
}

/// A body at rest in a pose.
pub(crate) fn at_pose(pose: &Pose, centre: DVec3) -> BodyMotion {
    let rotation = pose.rotation;
    BodyMotion { centre: pose.translation + rotation * centre, rotation, ..BodyMotion::default() }
}

/// Pose and velocity of a free mirror. The velocity includes the forces that Rapier adds in the step, except
/// gravity with a scale of 1.
fn free_motion(
    body: &RigidBody,
    matter: &BodyMatter,
    [translations, rotations]: [bool; 2],
    here: &Circumstances<'_>,
) -> BodyMotion {
    let (h, pose) = (here.parameters.dt, at_pose(body.position(), matter.centre));
    let acceleration = if translations {
        DVec3::ZERO
    } else {
        here.gravity * body.gravity_scale() + body.user_force() / matter.mass
    };
    let turning = if rotations {
        DVec3::ZERO
    } else {
        world_inertia(matter.inertia, pose.rotation).inverse() * body.user_torque()
    };
    let n = (here.parameters.num_solver_iterations + body.additional_solver_iterations()).max(1) as f64;
    BodyMotion {
        centre: pose.centre - acceleration * (h * h * (n - 1.0) / (2.0 * n)),
        velocity: body.linvel() + (acceleration - here.gravity) * h,
        spin: body.angvel() + turning * h,
        ..pose
    }
}
