//! A constraint of a world: its ends, its law, and the sites at its ends.

use super::{ConstraintDescription, ConstraintState, ENDS, Law, Rows, Site};
use crate::object::Object;
use crate::object::{Place, Poses};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// One end of a constraint of a world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "ends are copied, and most have a place")]
pub enum End {
    /// In the world.
    World,
    /// A place that is fixed on its object.
    Fixed {
        /// The place.
        place: Place,
        /// Whether its law uses its frame. An arm on a curve uses it too: see [`End::framed`].
        framed: bool,
    },
    /// A place that slides along a rod; its position is state.
    Sliding {
        /// Index of the rod among the objects.
        object: usize,
    },
    /// A place that a clip has caught; rod, position and whether it is caught are state.
    Caught {
        /// Whether its frame is used.
        framed: bool,
    },
}

impl End {
    /// Index of its present object; none in the world, and none while it is open.
    pub fn object(&self, memory: &ConstraintState) -> Option<usize> {
        match self {
            _ if memory.open => None,
            Self::World => None,
            Self::Fixed { place, .. } => place.object(),
            Self::Sliding { object } => Some(*object),
            Self::Caught { .. } => Some(memory.held),
        }
    }

    /// Whether its frame is used, by its law or by an arm on a curve.
    pub fn framed(&self) -> bool {
        match self {
            Self::World => false,
            Self::Fixed { place, framed } => *framed || place.needs_frame(),
            Self::Caught { framed } => *framed,
            Self::Sliding { .. } => true,
        }
    }
}

/// A constraint of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    /// Name.
    pub name: String,
    /// Description.
    pub description: ConstraintDescription,
    /// Its two ends.
    pub ends: [End; ENDS],
    /// Its equations.
    pub law: Law,
    /// The rods that a clip holds or waits for, as indices of objects; empty for other kinds.
    pub rods: Vec<usize>,
}

impl Constraint {
    /// Whether it joins two objects, or two places of one.
    pub fn is_relative(&self) -> bool {
        !self.ends.iter().any(|end| matches!(end, End::World))
    }

    /// Whether its stiffness in this state needs blocks between its ends.
    pub(crate) fn couples_ends(&self, state: &ConstraintState, exact: bool) -> bool {
        state.stiff && self.law.couples_ends(exact)
    }

    /// Whether it has an unknown that couples only to the nodes of one place in dynamic steps, and is
    /// eliminated before the factorisation.
    pub(crate) fn has_inner_unknown(&self) -> bool {
        self.law.sliding_mass().is_some()
    }

    /// The end with an unknown of its own, if only one end has one.
    pub(crate) fn only_own_unknown(&self) -> Option<usize> {
        match self.law.own_unknowns() {
            [true, false] => Some(0),
            [false, true] => Some(1),
            _ => None,
        }
    }

    /// Present number of rows; an open constraint and a duplicate have none.
    pub fn rows(&self, memory: &ConstraintState) -> usize {
        if memory.open || memory.duplicate_of.is_some() { 0 } else { self.law.rows() }
    }

    /// Which of its ends have an unknown of their own now; a duplicate shares that of the constraint that it
    /// repeats.
    pub(crate) fn own_unknowns(&self, memory: &ConstraintState) -> [bool; ENDS] {
        if memory.duplicate_of.is_some() { [false; ENDS] } else { self.law.own_unknowns() }
    }

    /// Whether it repeats another constraint: the same places and an equivalent law. The ends of a
    /// symmetric law may be exchanged.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        let [a, b] = &other.ends;
        let exchanged =
            self.law.is_symmetric() && self.is_relative() && [&self.ends[0], &self.ends[1]] == [b, a];
        (self.ends == other.ends || exchanged) && self.law.repeats(&other.law)
    }

    /// Whether the objects that it joins depend on the state: it catches, slides or breaks.
    pub(crate) fn may_open(&self) -> bool {
        self.has_moving_end() || self.law.may_give()
    }

    /// Whether the place of one of its ends is state.
    pub(crate) fn has_moving_end(&self) -> bool {
        self.ends.iter().any(|end| matches!(end, End::Sliding { .. } | End::Caught { .. }))
    }

    /// The place at one end; none in the world, and none while it is open.
    #[inline]
    pub(crate) fn place(&self, e: usize, objects: &[Object], state: &ConstraintState) -> Place {
        match &self.ends[e] {
            End::World => Place::NOWHERE,
            End::Fixed { place, .. } => *place,
            End::Caught { .. } if state.open => Place::NOWHERE,
            End::Caught { .. } => objects[state.held].fixed_place_at(state.own[e]),
            End::Sliding { object } => objects[*object].place_at(state.own[e]),
        }
    }

    /// The places at its ends.
    pub fn places(&self, objects: &[Object], state: &ConstraintState) -> [Place; ENDS] {
        [self.place(0, objects, state), self.place(1, objects, state)]
    }

    /// Updates `places`; ends in the world keep theirs, which is none.
    pub(crate) fn find_places(
        &self,
        objects: &[Object],
        state: &ConstraintState,
        places: &mut [Place; ENDS],
    ) {
        for (e, place) in places.iter_mut().enumerate() {
            match &self.ends[e] {
                End::World => {}
                End::Fixed { place: fixed, .. } => place.clone_from(fixed),
                End::Caught { .. } | End::Sliding { .. } => *place = self.place(e, objects, state),
            }
        }
    }

    /// Brings its sites to a state. They are those of an earlier one, or in the world.
    #[inline]
    pub(crate) fn update_sites(
        &self,
        places: &[Place; ENDS],
        poses: Poses<'_>,
        state: &ConstraintState,
        time: f64,
        sites: &mut [Site; ENDS],
    ) {
        for e in 0..ENDS {
            match self.ends[e] {
                // Without a frame nothing but the position changes.
                End::Fixed { framed: false, .. } if places[e].is_at_weights() => {
                    sites[e].x = places[e].position(poses.q(&places[e]));
                }
                _ => sites[e] = self.site(e, &places[e], poses, state, time),
            }
        }
    }

    /// Its two points, or `None` if it depends on more than these.
    pub(crate) fn points(
        &self,
        poses: Poses<'_>,
        state: &ConstraintState,
        time: f64,
    ) -> Option<[DVec3; ENDS]> {
        let point = |e: usize| match &self.ends[e] {
            End::Fixed { place, framed: false } if !place.needs_frame() => Some(poses.position(place)),
            End::World => Some(self.law.world(state.own[e], time).x),
            _ => None,
        };
        if self.law.is_of_points() && !state.open { Some([point(0)?, point(1)?]) } else { None }
    }

    /// Violations of lengths, m, and of angles, rad, at a state. `rows` is scratch.
    pub(crate) fn misses(
        &self,
        poses: Poses<'_>,
        state: &ConstraintState,
        time: f64,
        rows: &mut Rows,
    ) -> [f64; 2] {
        if let Some([a, b]) = self.points(poses, state, time)
            && let Some(miss) = self.law.miss_of_points(a, b, time)
        {
            return [miss, 0.0];
        }
        self.law.misses(&self.find_sites(poses, state, time), state, time, rows)
    }

    /// The sites at its ends.
    #[inline]
    pub fn sites(
        &self,
        places: &[Place; ENDS],
        poses: Poses<'_>,
        state: &ConstraintState,
        time: f64,
    ) -> [Site; ENDS] {
        [self.site(0, &places[0], poses, state, time), self.site(1, &places[1], poses, state, time)]
    }

    /// Like `sites`, but finds the places too.
    #[inline]
    pub(crate) fn find_sites(&self, poses: Poses<'_>, state: &ConstraintState, time: f64) -> [Site; ENDS] {
        let site = |e: usize| match &self.ends[e] {
            End::World => self.law.world(state.own[e], time),
            End::Fixed { place, .. } => self.site(e, place, poses, state, time),
            End::Caught { .. } | End::Sliding { .. } => {
                self.site(e, &self.place(e, poses.objects, state), poses, state, time)
            }
        };
        [site(0), site(1)]
    }

    #[inline(always)]
    fn site(&self, e: usize, place: &Place, poses: Poses<'_>, state: &ConstraintState, time: f64) -> Site {
        match self.ends[e] {
            End::World => self.law.world(state.own[e], time),
            End::Caught { .. } if state.open => self.law.world(state.own[e], time),
            End::Sliding { .. } => {
                Site { pp: place.second_derivative(poses.q(place)), ..poses.site(place, &state.frames[e]) }
            }
            End::Fixed { framed, .. } | End::Caught { framed } if framed || place.needs_frame() => {
                poses.site(place, &state.frames[e])
            }
            End::Fixed { .. } | End::Caught { .. } => poses.site_without_frame(place),
        }
    }
}
