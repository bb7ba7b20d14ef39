//! Joints as scene files and edits describe them.

use super::coordinate::CoordinateLaw;
use super::read::{displacement, rotation};
use super::turning::Turning;
use super::{COORDINATES, JointLaw, NAMES, Rotation, Translation};
use crate::constraint::{EndDescription, FrameNeed, JointStrength, Site};
use crate::describe::anchor::{Anchor, At};
use crate::describe::signal::{Signal, measured};
use crate::describe::units;
use crate::error::{BuildError, check};
use crate::geometry::rotation::any_normal;
use glam::DMat3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Joins two places, or a place and the world, and leaves some motions between them free.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Object, by name.
    pub on: String,
    /// Place on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// From that place to the held point, m, in the frame of the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<[f64; 3]>,
    /// The other place; the world, at the present position, unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
    /// Which motions are free.
    pub kind: JointKind,
    /// Axis of a hinge, slider or cylindrical joint, or of a ball joint with limits; normal of a planar one;
    /// arm of a universal joint's cross on the first object. In world axes when joined. Default: the first
    /// axis of an anchor with axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Arm of a universal joint's cross on the second object, or direction of `slide` in the plane of a
    /// planar joint. In world axes when joined, perpendicular to `axis`. A universal joint may leave it out
    /// together with `axis`; then it is the second axis of the anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross: Option<[f64; 3]>,
    /// Limits, motor and friction of the free rotation about the axis, in rad and N·m. The angle is zero when
    /// joined; whole turns count.
    #[serde(default, deserialize_with = "rotation::read", skip_serializing_if = "Option::is_none")]
    pub angle: Option<Coordinate>,
    /// Limits, motor and friction of the free displacement along the axis, or along `cross` in the plane of a
    /// planar joint, in m and N. The displacement is zero when joined.
    #[serde(default, deserialize_with = "displacement::read", skip_serializing_if = "Option::is_none")]
    pub slide: Option<Coordinate>,
    /// Limits, motor and friction of the rotation of a universal joint about `cross`, in rad and N·m. The
    /// angle is zero when joined; whole turns count.
    #[serde(default, deserialize_with = "rotation::read", skip_serializing_if = "Option::is_none")]
    pub cross_angle: Option<Coordinate>,
    /// Limits, motor and friction of the displacement of a planar joint along `axis` × `cross`, in m and N.
    /// The displacement is zero when joined.
    #[serde(default, deserialize_with = "displacement::read", skip_serializing_if = "Option::is_none")]
    pub cross_slide: Option<Coordinate>,
    /// Limits of the twist of a ball joint: the rotation of the first object about `axis`, in rad. It is zero
    /// when joined; whole turns count. It needs a limit of the swing.
    #[serde(default, deserialize_with = "rotation::read", skip_serializing_if = "Option::is_none")]
    pub twist: Option<Coordinate>,
    /// Limit of the swing of a ball joint: `most` is the largest angle, rad, between the axes of both
    /// objects, which coincide when joined. It is less than half a turn.
    #[serde(default, deserialize_with = "rotation::read", skip_serializing_if = "Option::is_none")]
    pub swing: Option<Coordinate>,
    /// Whether a weld turns the frame of the first place to that of the second, so that a rod leaves along
    /// the first axis of an anchor. Otherwise it keeps their relative rotation when joined.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aligned: bool,
    /// Dry friction of a ball joint: the largest moment with which it resists its rotation, N·m.
    #[serde(default, deserialize_with = "units::moment", skip_serializing_if = "units::is_zero")]
    #[schemars(with = "units::QuantityInput")]
    pub friction: f64,
    /// Viscous friction of a ball joint, N·m·s/rad; its moment opposes the rate of the rotation.
    #[serde(default, skip_serializing_if = "units::is_zero")]
    pub viscosity: f64,
    /// Force and moment at which it breaks; unlimited unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<JointStrength>,
    /// Whether it is broken; a broken joint holds nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub broken: bool,
}

/// Which motions a joint leaves free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JointKind {
    /// All rotations.
    #[default]
    Ball,
    /// None.
    Weld,
    /// The rotation about the axis.
    Hinge,
    /// The displacement along the axis.
    Slider,
    /// Rotation about the axis and displacement along it.
    Cylindrical,
    /// The rotations about both arms of a cross.
    Universal,
    /// Displacements in a plane and the rotation about its normal.
    Planar,
}

/// Limits, motor and friction of a free coordinate of a joint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Coordinate {
    /// Least value, m or rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub least: Option<f64>,
    /// Largest value, m or rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub most: Option<f64>,
    /// Share of its speed with which the coordinate rebounds at a limit, 0 to 1.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub restitution: f64,
    /// Motor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<Motor>,
    /// Dry friction: a force, N, or a torque, N·m.
    #[serde(default)]
    #[schemars(with = "units::QuantityInput")]
    pub friction: f64,
    /// Viscous friction, N·s/m or N·m·s/rad; its force opposes the rate of the coordinate.
    #[serde(default)]
    pub viscosity: f64,
    /// Coefficient of dry friction in the bearing, which the force across the axis loads.
    #[serde(default)]
    pub mu: f64,
    /// Radius of the bearing of a rotation, m; needed with `mu`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub bearing_radius: Option<f64>,
}

/// Motor of a coordinate of a joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Motor {
    /// It follows a value in time, m or rad.
    Position(Drive),
    /// It follows a velocity in time, m/s or rad/s.
    Velocity(Drive),
    /// A force, N, or a torque, N·m, in time.
    Force(#[schemars(with = "measured::MeasuredInput")] Signal<f64>),
    /// It pulls towards a value in time with a spring and a damper.
    Servo(Servo),
}

/// A motor with stiffness and damping: its force is `−k (q − target) − c (q̇ − target')`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Servo {
    /// Target in time, m or rad.
    #[schemars(with = "measured::MeasuredInput")]
    pub target: Signal<f64>,
    /// Stiffness k, N/m or N·m/rad.
    pub stiffness: f64,
    /// Damping c, N·s/m or N·m·s/rad.
    #[serde(default)]
    pub damping: f64,
}

/// A target of a motor, and its strength.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drive {
    /// Target in time.
    #[schemars(with = "measured::MeasuredInput")]
    pub target: Signal<f64>,
    /// Largest force, N, or torque, N·m; unlimited unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub strength: Option<f64>,
}

impl Coordinate {
    /// Counts limits and the target of a position motor from another value. Returns whether that was
    /// possible: not for targets that change in time.
    pub fn count_from(&mut self, zero: f64) -> bool {
        for limit in [&mut self.least, &mut self.most].into_iter().flatten() {
            *limit -= zero;
        }
        // Rounding must not exclude the present value.
        self.least = self.least.map(|least| least.min(0.0));
        self.most = self.most.map(|most| most.max(0.0));
        match &mut self.motor {
            Some(Motor::Position(Drive { target: Signal::Constant(target), .. })) => *target -= zero,
            Some(Motor::Servo(Servo { target: Signal::Constant(target), .. })) => *target -= zero,
            Some(Motor::Position(_) | Motor::Servo(_)) => return zero == 0.0,
            _ => {}
        }
        true
    }
}

impl JointKind {
    fn translation(self) -> Translation {
        match self {
            Self::Ball | Self::Weld | Self::Hinge | Self::Universal => Translation::None,
            Self::Slider | Self::Cylindrical => Translation::AlongAxis,
            Self::Planar => Translation::InPlane,
        }
    }

    fn rotation(self) -> Rotation {
        match self {
            Self::Ball => Rotation::All,
            Self::Weld | Self::Slider => Rotation::None,
            Self::Hinge | Self::Cylindrical | Self::Planar => Rotation::AboutAxis,
            Self::Universal => Rotation::AboutCross,
        }
    }

    /// Its word in scene files.
    fn word(self) -> &'static str {
        match self {
            Self::Ball => "ball",
            Self::Weld => "weld",
            Self::Hinge => "hinge",
            Self::Slider => "slider",
            Self::Cylindrical => "cylindrical",
            Self::Universal => "universal",
            Self::Planar => "planar",
        }
    }
}

/// Least and largest limit of a swing, rad: 0.1° and 179°.
const MOST_SWING: [f64; 2] = [0.001_745, 3.124_14];

/// Distance between the points of a joint that counts as rounding of a description, as a share of the
/// distance from the origin, and in m.
const APART: [f64; 2] = [1e-6, 1e-6];

impl Joint {
    pub(in crate::constraint) fn ends(&self) -> [EndDescription<'_>; 2] {
        let frame = if self.needs_frames() { FrameNeed::Yes } else { FrameNeed::No };
        [
            EndDescription::Place { on: &self.on, at: self.at, arm: self.arm, frame },
            EndDescription::other(self.to.as_ref(), frame),
        ]
    }

    pub(in crate::constraint) fn build(&self, a: &Site, b: &Site) -> Result<JointLaw, BuildError> {
        let word = self.kind.word();
        let (translation, rotation) = (self.kind.translation(), self.kind.rotation());
        let has_axis = self.has_axis();
        let axis = match self.axis {
            Some(_) if !has_axis => {
                let problem = format!("a {word} joint has no axis");
                return Err(BuildError::new("axis", problem, "leave `axis` out, or choose another `kind`"));
            }
            Some(axis) => check::direction("axis", axis)?,
            None if has_axis => match axes_of_anchors(a, b)? {
                Some(axes) => axes.t,
                None => {
                    let problem = format!("a {word} joint needs an axis");
                    let remedy = "write `axis = [x, y, z]`, in world axes, or name an anchor with axes";
                    return Err(BuildError::new("axis", problem, remedy));
                }
            },
            None => a.t,
        };
        let cross = match (self.cross, self.kind) {
            (Some(cross), JointKind::Universal | JointKind::Planar) => {
                let cross = check::direction("cross", cross)?;
                if cross.dot(axis).abs() > 1e-6 {
                    let problem = "it is not perpendicular to `axis`";
                    return Err(BuildError::new("cross", problem, "choose `cross` perpendicular to `axis`"));
                }
                cross
            }
            (Some(_), _) => {
                let problem = format!("a {word} joint has no cross");
                return Err(BuildError::new("cross", problem, "leave `cross` out"));
            }
            (None, JointKind::Universal) if self.axis.is_none() => {
                axes_of_anchors(a, b)?.map_or_else(|| any_normal(axis, a.m1), |axes| axes.m1)
            }
            (None, JointKind::Universal) => {
                let remedy = "write `cross = [x, y, z]`, perpendicular to `axis`";
                return Err(BuildError::new(
                    "cross",
                    "a universal joint needs the second arm of its cross",
                    remedy,
                ));
            }
            (None, _) => any_normal(axis, a.m1),
        };
        if self.aligned && (self.kind != JointKind::Weld || self.to.is_none()) {
            let problem = "only a weld of two places aligns their frames";
            return Err(BuildError::new(
                "aligned",
                problem,
                "leave it out, or write `kind = \"weld\"` and `to`",
            ));
        }
        // The world end is where the first place is.
        let point = if self.to.is_some() { b.x } else { a.x };
        let gap = match translation {
            Translation::None => a.x - point,
            Translation::AlongAxis => (a.x - point).reject_from_normalized(axis),
            Translation::InPlane => axis * axis.dot(a.x - point),
        };
        if !self.broken && gap.length() > APART[1].max(APART[0] * a.x.length()) {
            let problem = format!("its places are {} m apart", crate::short::Short(gap.length()));
            let remedy = "move an object, or give `at` or `arm` of both ends so that they meet";
            return Err(BuildError::new("to", problem, remedy));
        }
        let d = a.x - point;
        let mut law = JointLaw {
            translation,
            rotation,
            point: point.to_array(),
            on_first: [axis, cross].map(|direction| a.frame().transpose() * direction),
            on_second: [axis, cross].map(|direction| b.frame().transpose() * direction),
            start: if self.aligned { DMat3::IDENTITY } else { b.frame().transpose() * a.frame() },
            slid: [axis, cross, axis.cross(cross)].map(|direction| direction.dot(d)),
            strength: JointStrength::checked(
                self.strength,
                &format!("a {word} joint"),
                rotation != Rotation::All,
            )?,
            turning: Turning::build(self, word)?,
            coordinates: None,
        };
        self.check_swing(word)?;
        let mut has = law.has();
        if self.kind == JointKind::Ball {
            (has[0], has[2]) = (true, true);
        }
        let mut coordinates = Box::<[CoordinateLaw; COORDINATES]>::default();
        for (k, (path, given)) in self.coordinates().into_iter().enumerate() {
            if self.kind == JointKind::Planar && given.is_some_and(|given| given.mu > 0.0) {
                let problem = "no force across its axis loads a planar joint";
                let remedy = "give `friction` as a force or a torque";
                return Err(BuildError::new(format!("{path}.mu"), problem, remedy));
            }
            coordinates[k] = coordinate(path, given, has[k], word)?;
        }
        law.coordinates = coordinates.iter().any(|of| *of != CoordinateLaw::default()).then_some(coordinates);
        Ok(law)
    }

    /// Whether its objects need frames: all joints but a ball joint that turns freely.
    pub(in crate::constraint) fn needs_frames(&self) -> bool {
        self.kind != JointKind::Ball || self.friction > 0.0 || self.viscosity > 0.0 || self.limits_swing()
    }

    fn limits_swing(&self) -> bool {
        self.kind == JointKind::Ball && (self.twist.is_some() || self.swing.is_some())
    }

    /// Whether it has an axis.
    pub fn has_axis(&self) -> bool {
        !matches!(self.kind, JointKind::Ball | JointKind::Weld) || self.limits_swing()
    }

    /// Checks the swing and twist of a ball joint; other joints have neither.
    fn check_swing(&self, word: &str) -> Result<(), BuildError> {
        if self.kind != JointKind::Ball {
            let given = [("twist", &self.twist), ("swing", &self.swing)];
            return match given.into_iter().find(|(_, given)| given.is_some()) {
                Some((path, _)) => {
                    let problem = format!("a {word} joint has no such coordinate");
                    let remedy = "limit `angle`, or write `kind = \"ball\"`";
                    Err(BuildError::new(path, problem, remedy))
                }
                None => Ok(()),
            };
        }
        for (path, given) in [("angle", &self.angle), ("cross_angle", &self.cross_angle)] {
            if given.is_some() {
                let problem = "a ball joint has no such coordinate";
                return Err(BuildError::new(path, problem, "limit its `twist` and its `swing`"));
            }
        }
        for (path, given) in [("twist", &self.twist), ("swing", &self.swing)] {
            let Some(given) = given else { continue };
            let Coordinate { least, most, restitution, .. } = *given;
            if *given != (Coordinate { least, most, restitution, ..Coordinate::default() }) {
                let problem = "a ball joint has only limits there";
                let remedy = "leave out all but `least`, `most` and `restitution`; give `friction` and \
                              `viscosity` for the joint as a whole";
                return Err(BuildError::new(path, problem, remedy));
            }
        }
        let most = self.swing.as_ref().and_then(|swing| swing.most);
        if let Some(swing) = &self.swing
            && (swing.least.is_some()
                || most.is_none_or(|most| !(MOST_SWING[0]..=MOST_SWING[1]).contains(&most)))
        {
            let problem = "the limit of a swing is its largest angle";
            let remedy = "write `most` between 0.1° and 179°, and no `least`; a hinge has no swing at all";
            return Err(BuildError::new("swing", problem, remedy));
        }
        if self.twist.is_some() && most.is_none() {
            let problem = "a twist has no value at a swing of 180°, so the swing needs a limit";
            return Err(BuildError::new("twist", problem, "write `swing.most`, at most 179°"));
        }
        Ok(())
    }

    /// Whether it joins the same places in the same way as another description: only limits, motors, friction
    /// and strengths may differ. A ball joint has an axis only with limits, so that these count from where
    /// they were added.
    pub(crate) fn joins_as(&self, other: &Self) -> bool {
        let same_ends = self.on == other.on && self.at == other.at && self.arm == other.arm;
        let same_axes = self.axis == other.axis && self.cross == other.cross;
        same_ends
            && self.to == other.to
            && self.kind == other.kind
            && same_axes
            && self.has_axis() == other.has_axis()
            && self.aligned == other.aligned
    }

    /// Its coordinates with their names in scene files.
    fn coordinates(&self) -> [(&'static str, Option<&Coordinate>); COORDINATES] {
        if self.kind == JointKind::Ball {
            let all = [&self.twist, &self.slide, &self.swing, &self.cross_slide];
            return std::array::from_fn(|k| (["twist", "slide", "swing", "cross_slide"][k], all[k].as_ref()));
        }
        let all = [&self.angle, &self.slide, &self.cross_angle, &self.cross_slide];
        std::array::from_fn(|k| (NAMES[k], all[k].as_ref()))
    }

    /// Its coordinates.
    pub fn coordinates_mut(&mut self) -> [&mut Option<Coordinate>; COORDINATES] {
        [&mut self.angle, &mut self.slide, &mut self.cross_angle, &mut self.cross_slide]
    }
}

/// The site whose anchor has axes of its own: the first site, or else the second.
fn axes_of_anchors<'a>(a: &'a Site, b: &'a Site) -> Result<Option<&'a Site>, BuildError> {
    if a.own_axes && b.own_axes && a.t.distance(b.t) > 1e-6 {
        let angle = libm::atan2(a.t.cross(b.t).length(), a.t.dot(b.t)).to_degrees();
        let problem = format!("the first axes of its anchors are {}° apart", crate::short::Short(angle));
        return Err(BuildError::new("axis", problem, "write `axis`, or turn an object or an anchor"));
    }
    Ok([a, b].into_iter().find(|site| site.own_axes))
}

/// Checks limits, motor and friction of a coordinate; `free`: whether the joint has it.
fn coordinate(
    path: &str,
    given: Option<&Coordinate>,
    free: bool,
    word: &str,
) -> Result<CoordinateLaw, BuildError> {
    let Some(given) = given else { return Ok(CoordinateLaw::default()) };
    if !free {
        let problem = format!("a {word} joint has no such coordinate");
        return Err(BuildError::new(path, problem, format!("leave `{path}` out, or choose another `kind`")));
    }
    CoordinateLaw::build(given, !path.ends_with("slide")).map_err(|error| error.within(path))
}
