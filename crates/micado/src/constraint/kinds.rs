//! List of the kinds of constraints: descriptions, laws and words in scene files.

use super::*;

/// Makes descriptions and laws from the list: description, law, and word in scene files.
macro_rules! kinds {
    ($($(#[$doc:meta])* $Kind:ident($Law:ident) $word:literal,)*) => {
        /// A hard constraint, described.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[expect(clippy::large_enum_variant, reason = "descriptions are few, and steps don't read them")]
        pub enum ConstraintDescription {
            $($(#[$doc])* #[serde(rename = $word)] $Kind($Kind),)*
        }

        impl ConstraintDescription {
            /// The word of the scene file.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$Kind(_) => $word,)*
                }
            }

            /// Its two ends.
            pub fn ends(&self) -> [EndDescription<'_>; ENDS] {
                match self {
                    $(Self::$Kind(description) => description.ends(),)*
                }
            }
        }

        /// The law of a constraint, ready to be evaluated.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum Law {
            $(#[doc = concat!("See [`", stringify!($Kind), "`].")] $Kind($Law),)*
        }

        impl Law {
            /// Whether it changes in time.
            pub fn moves(&self) -> bool {
                match self {
                    $(Self::$Kind(law) => law.moves(),)*
                }
            }
        }
    };
}

kinds! {
    /// Holds a place at a point.
    Position(PositionLaw) "position",
    /// Holds the tangent of a rod.
    Tangent(TangentLaw) "tangent",
    /// Holds the roll of a rod about its tangent.
    Roll(RollLaw) "roll",
    /// Holds position, tangent and roll.
    Clamp(ClampLaw) "clamp",
    /// Keeps a place in a plane.
    Plane(PlaneLaw) "plane",
    /// Keeps a place on a straight axis.
    Axis(AxisLaw) "axis",
    /// Keeps a place at a distance from a point: on a sphere.
    Distance(DistanceLaw) "distance",
    /// Keeps a place on a circle.
    Circle(CircleLaw) "circle",
    /// Keeps a place on a curve, along which it slides freely.
    Trajectory(TrajectoryLaw) "trajectory",
    /// Joins two places: their points, their rolls too, or rigidly.
    Fusion(FusionLaw) "fusion",
    /// An eye through which a rod slides.
    Keyhole(KeyholeLaw) "keyhole",
    /// A mass that slides on a rod.
    Pearl(PearlLaw) "pearl",
    /// Holds a rod as long as its strength allows, and catches it again.
    Clip(ClipLaw) "clip",
    /// Joins two places, or a place and the world, and leaves some motions free: hinges, sliders and others.
    Joint(JointLaw) "joint",
    /// Holds one to six chosen directions between two places, or between a place and the world.
    Block(BlockHold) "block",
    /// A block of chosen directions with a custom law.
    LawBlock(LawBlockRows) "law",
    /// A custom constraint.
    Custom(CustomRows) "custom",
}
