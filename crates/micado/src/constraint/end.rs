//! A constraint of a world: what it holds together, and what it sees there.

use super::{ConstraintDescription, ConstraintState, ENDS, Law, Site};
use crate::object::Object;
use crate::object::{Place, Poses};
use serde::{Deserialize, Serialize};

/// One end of a constraint of a world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum End {
    /// In the world.
    World,
    /// A place that stays where it is on its object.
    Fixed {
        /// The place.
        place: Place,
        /// Whether its frame is looked at.
        framed: bool,
    },
    /// A place that slides along a rod; where it is belongs to the state.
    Sliding {
        /// Index of the rod among the objects.
        object: usize,
    },
    /// A place that it has caught; on which rod, where, and whether, belongs to the state.
    Caught {
        /// Whether its frame is looked at.
        framed: bool,
    },
}

impl End {
    /// Index of the object that it is on now; none in the world, and none while it is open.
    pub fn object(&self, memory: &ConstraintState) -> Option<usize> {
        match self {
            Self::World => None,
            Self::Fixed { place, .. } => place.object(),
            Self::Sliding { object } => Some(*object),
            Self::Caught { .. } => (!memory.open).then_some(memory.held),
        }
    }

    /// Whether its frame is looked at.
    pub fn framed(&self) -> bool {
        match self {
            Self::World => false,
            Self::Fixed { framed, .. } | Self::Caught { framed, .. } => *framed,
            Self::Sliding { .. } => true,
        }
    }
}

/// A constraint of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    /// Name.
    pub name: String,
    /// What was described.
    pub description: ConstraintDescription,
    /// What it holds together.
    pub ends: [End; ENDS],
    /// How it holds it.
    pub law: Law,
    /// The rods that it holds or waits for, by their indices among the objects; none where it doesn't catch.
    pub rods: Vec<usize>,
}

impl Constraint {
    /// Whether it holds two objects together, or two places of one.
    pub fn is_relative(&self) -> bool {
        !self.ends.iter().any(|end| matches!(end, End::World))
    }

    /// Whether it has an unknown that meets nothing but the nodes of one place in dynamic steps, and is
    /// eliminated before the factorisation.
    pub(crate) fn has_inner_unknown(&self) -> bool {
        self.law.sliding_mass().is_some()
    }

    /// The end with an unknown of its own, if that is the only one.
    pub(crate) fn only_own_unknown(&self) -> Option<usize> {
        match self.law.own_unknowns() {
            [true, false] => Some(0),
            [false, true] => Some(1),
            _ => None,
        }
    }

    /// Number of rows that it has now: an open one has none, and neither has a copy.
    pub fn rows(&self, memory: &ConstraintState) -> usize {
        if memory.open || memory.duplicate_of.is_some() { 0 } else { self.law.rows() }
    }

    /// Which of its ends have an unknown of their own now: a copy slides with what it repeats.
    pub(crate) fn own_unknowns(&self, memory: &ConstraintState) -> [bool; ENDS] {
        if memory.duplicate_of.is_some() { [false; ENDS] } else { self.law.own_unknowns() }
    }

    /// Whether it asks the same places for what another constraint asks them for already. A distance has no
    /// first end.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        let [a, b] = &other.ends;
        let exchanged = matches!(self.law, Law::Distance(_))
            && self.is_relative()
            && [&self.ends[0], &self.ends[1]] == [b, a];
        (self.ends == other.ends || exchanged) && self.law.repeats(&other.law)
    }

    /// Whether the place of one of its ends belongs to the state.
    pub(crate) fn wanders(&self) -> bool {
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

    /// The same over those of before, which have none in the world.
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

    /// The same without their places.
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
            End::Fixed { framed: true, .. } | End::Caught { framed: true, .. } => {
                poses.site(place, &state.frames[e])
            }
            End::Fixed { framed: false, .. } | End::Caught { framed: false, .. } => {
                poses.site_without_frame(place)
            }
        }
    }
}
