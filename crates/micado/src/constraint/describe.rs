//! Constraints as scene files and edits describe them.

use super::{ClipHold, ConstraintDescription, ConstraintState, CustomRows, ENDS, Hold, Law, Rods, Site};
use crate::describe::anchor::{Anchor, At};
use crate::describe::signal::Signal;
use crate::error::BuildError;
use crate::object::Object;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which rows express an orientation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RowForm {
    /// The least number of rows, free of side effects: two for a tangent, three for a rotation.
    #[default]
    Objective,
    /// The papers' rows: three for a tangent (freezes the local stretch too), seven for a clamp.
    Paper,
}

/// The object at one end of a described constraint.
#[derive(Clone, Copy, Debug)]
pub enum EndDescription<'a> {
    /// A point or frame of the world, defined by the constraint.
    World,
    /// A place that is fixed on its object.
    Place {
        /// Object, by name.
        on: &'a str,
        /// Place on a rod.
        at: Option<At>,
        /// From the place to the held point in the frame of the place, m.
        arm: Option<[f64; 3]>,
        /// Whether a tangent and a roll are needed, which a mass doesn't have.
        frame: FrameNeed,
    },
    /// A place that slides along its rod, beginning here.
    Sliding {
        /// Rod, by name.
        on: &'a str,
        /// Where it begins.
        at: At,
        /// Imposed sliding in time, relative to `at`, m.
        slide: Option<&'a Signal<f64>>,
    },
    /// A place that a clip has caught; nowhere while it is open.
    Caught {
        /// The rods that it holds or waits for, by name.
        on: &'a [String],
        /// Initial middle of the caught part, on the first of them.
        at: Option<At>,
        /// Offset of this end from the middle, m of rest arc length.
        shift: f64,
        /// Whether its frame is used.
        framed: bool,
    },
}

/// The field of a description that names its place on a rod.
enum PlaceField<'a> {
    Given(&'a mut At),
    Optional(&'a mut Option<At>),
}

/// Whether a constraint uses the frame of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameNeed {
    /// Only its position.
    No,
    /// Its frame if it has one: on a mass, directions do not turn.
    IfAny,
    /// Its frame.
    Yes,
}

impl<'a> EndDescription<'a> {
    pub(super) fn place(on: &'a str, at: Option<At>, arm: Option<[f64; 3]>) -> Self {
        Self::Place { on, at, arm, frame: FrameNeed::No }
    }

    pub(super) fn framed(on: &'a str, at: Option<At>) -> Self {
        Self::Place { on, at, arm: None, frame: FrameNeed::Yes }
    }

    /// The other end: a place, if it is given, or the world.
    pub(super) fn other(to: Option<&'a Anchor>, frame: FrameNeed) -> Self {
        to.map_or(Self::World, |anchor| Self::Place { on: &anchor.on, at: anchor.at, arm: anchor.arm, frame })
    }
}

impl ConstraintDescription {
    /// The rods that it holds or waits for, by name; only clips have them.
    pub(crate) fn rods_mut(&mut self) -> Option<&mut Rods> {
        if let Self::Clip(clip) = self { Some(&mut clip.on) } else { None }
    }

    /// Sets the initial state that does not need the law: whether it is open, and which of its `rods` it
    /// holds.
    ///
    /// # Errors
    /// A clip can't wait for the object to which it is fixed.
    pub(crate) fn begin(
        &self,
        rods: &[usize],
        objects: &[Object],
        memory: &mut ConstraintState,
    ) -> Result<(), BuildError> {
        match self {
            Self::Clip(clip) => clip.begin(rods, objects, memory),
            _ => {
                memory.open = self.broken().is_some_and(|broken| *broken);
                Ok(())
            }
        }
    }

    /// Whether it is broken, if it may break.
    fn broken(&self) -> Option<&bool> {
        match self {
            Self::Joint(joint) => Some(&joint.broken),
            Self::Distance(distance) => Some(&distance.broken),
            Self::Fusion(fusion) => Some(&fusion.broken),
            _ => None,
        }
    }

    /// Whether it is broken, mutable, if it may break.
    pub fn broken_mut(&mut self) -> Option<&mut bool> {
        match self {
            Self::Joint(joint) => Some(&mut joint.broken),
            Self::Distance(distance) => Some(&mut distance.broken),
            Self::Fusion(fusion) => Some(&mut fusion.broken),
            _ => None,
        }
    }

    /// Sets the initial state that needs the law, for a clip that holds a rod from the start.
    ///
    /// # Errors
    /// The place is not on its rod.
    pub(crate) fn begin_holding(
        &self,
        law: &Law,
        objects: &[Object],
        time: f64,
        sites: &mut [Site; ENDS],
        memory: &mut ConstraintState,
    ) -> Result<(), BuildError> {
        match (self, law) {
            (Self::Clip(clip), Law::Clip(law)) => clip.begin_holding(law, objects, time, sites, memory),
            _ => Ok(()),
        }
    }

    /// Whether directions that it holds turn with the second object, which then needs a frame.
    pub(crate) fn turns_with_other(&self) -> bool {
        let turns = match self {
            Self::Plane(_) | Self::Axis(_) | Self::Tangent(_) | Self::Circle(_) | Self::Trajectory(_) => true,
            Self::LawBlock(_) | Self::Block(_) => true,
            Self::Keyhole(eye) => eye.direction.is_some(),
            Self::Clip(clip) => clip.hold != ClipHold::Position,
            _ => false,
        };
        turns && matches!(self.ends()[1], EndDescription::Place { .. })
    }

    /// Whether it needs a frame at both ends, even if its rows are independent of a roll in the present
    /// state.
    pub(crate) fn needs_frames(&self) -> bool {
        match self {
            Self::Fusion(fusion) => fusion.hold != Hold::Point,
            Self::Joint(joint) => joint.needs_frames(),
            _ => false,
        }
    }

    /// Initial speed along the rod of a sliding mass, m/s.
    pub(crate) fn speed_along(&self) -> f64 {
        if let Self::Pearl(pearl) = self { pearl.speed } else { 0.0 }
    }

    /// Clears the place that a clip holds: the state has it.
    pub(crate) fn clear_place(&mut self) {
        if let Self::Clip(clip) = self {
            clip.at = None;
        }
    }

    /// Whether it will hold the roll of any rod that it catches.
    pub(crate) fn holds_caught_roll(&self) -> bool {
        matches!(self, Self::Clip(clip) if clip.hold == ClipHold::Clamp)
    }

    /// Moves end `e` to another place; its arm is kept.
    pub(crate) fn put(&mut self, e: usize, on: String, at: Option<At>) {
        if let (Self::Clip(clip), 0) = (&mut *self, e) {
            clip.on.put_first(on);
            clip.at = at;
            return;
        }
        let (first, first_at, other): (_, PlaceField<'_>, Option<&mut Anchor>) = match self {
            Self::Position(c) => (&mut c.on, PlaceField::Optional(&mut c.at), None),
            Self::Tangent(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::Roll(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::Clamp(c) => (&mut c.on, PlaceField::Optional(&mut c.at), None),
            Self::Plane(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::Axis(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::Distance(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::Circle(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::Trajectory(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::Fusion(c) => (&mut c.on, PlaceField::Optional(&mut c.at), Some(&mut c.to)),
            Self::Keyhole(c) => (&mut c.on, PlaceField::Given(&mut c.at), c.to.as_mut()),
            Self::Pearl(c) => (&mut c.on, PlaceField::Given(&mut c.at), None),
            Self::Joint(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::Block(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::LawBlock(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::Custom(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::Clip(c) => {
                if let Some(other) = c.to.as_mut() {
                    (other.on, other.at) = (on, at);
                }
                return;
            }
        };
        if e == 0 {
            *first = on;
            match (first_at, at) {
                (PlaceField::Given(field), Some(at)) => *field = at,
                (PlaceField::Given(_), None) => {}
                (PlaceField::Optional(field), at) => *field = at,
            }
        } else if let Some(other) = other {
            (other.on, other.at) = (on, at);
        }
    }

    /// Checks it and fixes what it takes from the present state: targets, lengths and angles that are not
    /// given. `radius` is that of the rod at its first end, m.
    ///
    /// # Errors
    /// The field that can't be used.
    pub fn build(&self, [a, b]: &[Site; ENDS], radius: f64, time: f64) -> Result<Law, BuildError> {
        match self {
            Self::Position(c) => c.build(a).map(Law::Position),
            Self::Tangent(c) => c.build(a, b).map(Law::Tangent),
            Self::Roll(c) => c.build(a, b).map(Law::Roll),
            Self::Clamp(c) => c.build(a, time).map(Law::Clamp),
            Self::Plane(c) => c.build(a, b).map(Law::Plane),
            Self::Axis(c) => c.build(a, b).map(Law::Axis),
            Self::Distance(c) => c.build(a, b, time).map(Law::Distance),
            Self::Circle(c) => c.build(a, b, time).map(Law::Circle),
            Self::Trajectory(c) => c.build(a, b, time).map(Law::Trajectory),
            Self::Fusion(c) => c.build(a, b, time).map(Law::Fusion),
            Self::Keyhole(c) => c.build(a, b).map(Law::Keyhole),
            Self::Pearl(c) => c.build().map(Law::Pearl),
            Self::Clip(c) => c.build(a, b, radius).map(Law::Clip),
            Self::Joint(c) => c.build(a, b).map(Law::Joint),
            Self::Block(c) => c.build(a, b).map(Law::Block),
            Self::LawBlock(c) => c.build(a, b).map(Law::LawBlock),
            Self::Custom(_) => Ok(Law::Custom(CustomRows::default())),
        }
        .map_err(|e| e.within(self.kind()))
    }
}
