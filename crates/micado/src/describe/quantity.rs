//! Quantities that probes measure.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Quantities of probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Position of a place on a rod or of a mass, m (vector).
    Position,
    /// Velocity, m/s (vector).
    Velocity,
    /// Unit tangent of a rod, or of the rod where a constraint holds it (vector).
    Tangent,
    /// Director m₁ of a rod, or of the frame of a pearl or an eye (vector).
    Director,
    /// Mean stretch of the segment at a place of a rod.
    Stretch,
    /// Tension of a rod at a place, at a winch, or of a spring or distance constraint, N; positive pulls.
    Tension,
    /// Bending moment of a rod, N·m (vector in world axes).
    BendingMoment,
    /// Curvature of a rod, 1/m.
    Curvature,
    /// Bend radius of a rod, m.
    BendRadius,
    /// Least bend radius along a whole rod, m.
    LeastBendRadius,
    /// Rest arc length at which an eye, a pearl or a clip sits on its rod, m.
    Place,
    /// Whether a clip holds: 1, or 0 while it is open.
    Held,
    /// Load of a clip as a share of its strength; 0 without a limit.
    StrengthUsed,
    /// Force of an eye or a pearl on its rod along it, N: the drive of imposed sliding, friction, or the push
    /// on the end of the rod; positive towards the rod's end. Of a joint: the force of the motor along its
    /// axis.
    Drive,
    /// Size of the force of an eye or a pearl on its rod across it, N.
    NormalForce,
    /// Force with which a pearl pushes the next pearl or eye on its rod, N.
    Contact,
    /// Force of contact of surfaces on an object, N (vector in world axes): of all contacts, or of those with
    /// one other object.
    ContactForce,
    /// Number of contacts of surfaces of an object that transmit a force.
    Contacts,
    /// Largest overlap of the surface of an object with others, m.
    Penetration,
    /// Twisting torque of a rod, N·m.
    Torque,
    /// Twist of a rod, rad/m.
    Twist,
    /// Twist of a whole rod, in turns.
    TotalTwist,
    /// Writhe of a whole rod, in turns; an open rod is continued straight at both ends. While its ends do not
    /// turn, the sum of twist and writhe is constant, unless the rod passes through itself.
    Writhe,
    /// Linking number of a closed rod with another closed one: how often they wind about each other.
    LinkingNumber,
    /// Present length of a rod or spring, m; rest length that a winch has paid out.
    Length,
    /// Force of a constraint or spring on its object, of a pearl on its rod, N (vector in world axes).
    Force,
    /// Moment of a constraint or spring on its object, N·m (vector in world axes).
    Moment,
    /// Angle of a joint about its axis, rad; whole turns count.
    Angle,
    /// Displacement of a joint along its axis, m.
    Slide,
    /// Torque of the motor of a joint on its angle, N·m.
    DriveTorque,
    /// Angle of the cross of a universal joint about its arm on the second object, rad; whole turns count.
    CrossAngle,
    /// Displacement of a planar joint along its second direction, m.
    CrossSlide,
    /// Torque of the motor on the second angle of a universal joint, N·m.
    CrossDriveTorque,
    /// Force of the motor along the second direction of a planar joint, N.
    CrossDrive,
    /// Rotation of a body since its axes were those of the world: rotation vector, rad.
    Rotation,
    /// Angular velocity of a body, rad/s (vector in world axes).
    Spin,
    /// Momentum of a body, kg·m/s (vector).
    Momentum,
    /// Angular momentum of a body about its centre of mass, kg·m²/s (vector in world axes).
    AngularMomentum,
    /// Mass of a body, kg.
    Mass,
    /// Centre of mass of a body, m (vector).
    CentreOfMass,
    /// Principal moments of inertia of a body about its centre of mass, kg·m² (vector; the smallest is x).
    PrincipalMoments,
    /// Rotation of the principal axes of a body against those of the world: rotation vector, rad.
    PrincipalAxes,
    /// Violation of a constraint, m or rad.
    Residual,
    /// Kinetic energy of an object or the world, J.
    KineticEnergy,
    /// Elastic energy of a rod, a spring or the world, J.
    ElasticEnergy,
    /// Stretching energy of a rod or the world, J.
    StretchEnergy,
    /// Bending energy of a rod or the world, J.
    BendEnergy,
    /// Twisting energy of a rod or the world, J.
    TwistEnergy,
    /// Potential energy in gravity, J.
    GravityEnergy,
    /// Sum of kinetic, elastic and gravity energy, J.
    TotalEnergy,
}

impl Quantity {
    /// Unit of the quantity; empty if dimensionless.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Position
            | Self::Length
            | Self::Place
            | Self::BendRadius
            | Self::LeastBendRadius
            | Self::Slide
            | Self::CrossSlide
            | Self::CentreOfMass
            | Self::Penetration => "m",
            Self::Mass => "kg",
            Self::PrincipalMoments => "kg·m²",
            Self::Velocity => "m/s",
            Self::Angle | Self::CrossAngle | Self::Rotation | Self::PrincipalAxes => "rad",
            Self::Spin => "rad/s",
            Self::Momentum => "kg·m/s",
            Self::AngularMomentum => "kg·m²/s",
            Self::Tangent
            | Self::Director
            | Self::Stretch
            | Self::Held
            | Self::StrengthUsed
            | Self::LinkingNumber
            | Self::Contacts => "",
            Self::Tension
            | Self::Force
            | Self::Contact
            | Self::ContactForce
            | Self::Drive
            | Self::CrossDrive
            | Self::NormalForce => "N",
            Self::BendingMoment
            | Self::Torque
            | Self::Moment
            | Self::DriveTorque
            | Self::CrossDriveTorque => "N·m",
            Self::Curvature => "1/m",
            Self::Twist => "rad/m",
            Self::TotalTwist | Self::Writhe => "turns",
            Self::Residual => "m or rad",
            Self::KineticEnergy
            | Self::ElasticEnergy
            | Self::StretchEnergy
            | Self::BendEnergy
            | Self::TwistEnergy
            | Self::GravityEnergy
            | Self::TotalEnergy => "J",
        }
    }
}

/// Component of a vector quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Component {
    /// Along x.
    X,
    /// Along y.
    Y,
    /// Along z.
    Z,
    /// Length of the vector.
    #[default]
    Norm,
}

impl Component {
    /// The component of a vector.
    pub fn of(self, vector: DVec3) -> f64 {
        match self {
            Self::X => vector.x,
            Self::Y => vector.y,
            Self::Z => vector.z,
            Self::Norm => vector.length(),
        }
    }
}
