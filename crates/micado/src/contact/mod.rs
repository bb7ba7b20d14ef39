//! Contacts: found anew in every solve and never part of the structure.
//!
//! Rows come from constraints, which are in the structure, and from contacts. A source finds the contacts of
//! a state. Each contact has a block of rows (wrenches at places of one or two objects, coefficients on inner
//! unknowns, gap, law) and a key that identifies the touching parts. The state stores the force of a contact
//! by that key ([`ContactMemory`]). Stages of the step see blocks and keys, and no kind of source.
//!
//! To add a source: write its file with an implementation of `ContactSource`, add a word to [`Source`] and
//! a line to each method of `Sources`.

mod breaks;
mod clips;
mod overlaps;
mod pearls;
mod surfaces;

pub use crate::world::{ContactKey, ContactMemory, Mark, Remembered, Source, Toucher};

pub use overlaps::Overlap;

use crate::constraint::{Broke, ENDS};
use crate::law::BlockLaw;
use crate::object::{Place, Site, Wrench};
use crate::world::{State, Structure, World};
use breaks::Breaks;
use clips::ClipCapture;
use glam::DVec3;
use pearls::PearlNeighbours;
pub use surfaces::Passed;
use surfaces::Surfaces;
pub(crate) use surfaces::{AtEnd, Count, Groups};

/// Input of a source in a solve: a state, and the places and sites of its constraints.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) structure: &'a Structure,
    pub(crate) state: &'a State,
    pub(crate) places: &'a [[Place; ENDS]],
    pub(crate) sites: &'a [[Site; ENDS]],
    /// Whether inner unknowns are eliminated before the factorisation; then contacts of weakly coupled masses
    /// do not act on the curve.
    pub(crate) condensed: bool,
}

/// A contact: a block of rows with one law.
#[derive(Clone)]
pub(crate) struct Contact<'a> {
    /// Identifies the touching parts.
    pub(crate) key: ContactKey,
    /// Law of its forces.
    pub(crate) law: BlockLaw,
    /// Its two sides.
    pub(crate) sides: [Side<'a>; 2],
    /// One row per row of the law.
    pub(crate) rows: &'a [ContactRow],
    /// Set if it was found at the beginning of the substep: then its rows and gaps are those of that state.
    pub(crate) begun: Option<Begun<'a>>,
}

/// A contact that was found at the beginning of the substep.
#[derive(Clone, Copy)]
pub(crate) struct Begun<'a> {
    /// Its number, see [`Sources::keep`].
    pub(crate) touch: usize,
    /// Its forces and displacement at the beginning, and its place.
    pub(crate) known: &'a Remembered,
    /// Coefficient of restitution.
    pub(crate) restitution: f64,
    /// Contact size, m: the smaller size of the two objects (a radius, or the shortest side of a body).
    pub(crate) bend: f64,
}

/// One side of a contact.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    /// Place of the contact; nowhere on a side that doesn't move.
    pub(crate) place: &'a Place,
    pub(crate) site: &'a Site,
    /// Constraint and end that own the sliding unknown of the place, if there is one.
    pub(crate) own: Option<(usize, usize)>,
}

/// One row of a contact: its displacement is `gap + JΔ`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContactRow {
    /// At both sides.
    pub(crate) wrenches: [Wrench; 2],
    /// On the sliding unknowns of both sides.
    pub(crate) own: [f64; 2],
    /// Displacement without motion, m: positive when apart.
    pub(crate) gap: f64,
}

/// A sliding mass and what it may strike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strike {
    /// The two sides.
    pub(crate) between: [Striker; 2],
    /// From the first to the second.
    pub(crate) normal: DVec3,
    /// Their distance, m; 0 when they touch.
    pub(crate) gap: f64,
    /// Coefficient of restitution.
    pub(crate) restitution: f64,
}

/// One side of a strike.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Striker {
    /// A sliding mass.
    Mass {
        /// The constraint that owns it.
        constraint: usize,
        /// kg
        mass: f64,
    },
    /// What no shock moves: an eye of the world, the end of a rod.
    Fixed {
        /// m/s
        velocity: DVec3,
    },
}

/// Opening or closing of a constraint at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HoldEvent {
    /// Constraint.
    pub constraint: usize,
    /// Index of the object that it released or caught.
    pub object: usize,
    /// Rest arc length of the place on a rod that a clip holds, m; NaN for a joint.
    pub place: f64,
    /// What happened.
    pub deed: Deed,
}

/// Kinds of hold events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deed {
    /// A clip opened, loaded beyond its strength.
    Opened(Broke),
    /// A joint broke, loaded beyond its strength.
    Broke(Broke),
    /// It caught an object that came near.
    Caught,
}

/// A source of contacts of a state.
pub(crate) trait ContactSource {
    /// Largest number of rows that it may find in a structure.
    fn most_rows(_structure: &Structure) -> usize {
        0
    }

    /// Finds the contacts of a state, in a fixed order that doesn't depend on earlier results.
    fn find(&mut self, _view: &View<'_>, _found: &mut impl FnMut(&Contact<'_>)) {}

    /// Lists the masses that may strike each other in the coming step.
    fn strikes(&mut self, _structure: &Structure, _state: &State, _found: &mut Vec<Strike>) {}

    /// Called at the end of a step; `before` is the state at its beginning, if it moved. Opens the
    /// constraints in `broken`, which are in their order, and closes open ones on objects that came near.
    fn settle(_world: &mut World, _broken: &[Broke], _before: Option<&State>, _: &mut Vec<HoldEvent>) {}
}

/// All sources, with their scratch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    pearls: PearlNeighbours,
    clips: ClipCapture,
    surfaces: Surfaces,
}

impl Sources {
    /// Finds the contacts of surfaces for a substep of this `duration` that begins in this state.
    pub(crate) fn begin(&mut self, structure: &Structure, state: &State, duration: f64) {
        self.surfaces.begin(structure, state, duration);
    }

    /// Begins a try of a substep; `begin` may be called several times in it.
    pub(crate) fn begin_try(&mut self) {
        self.surfaces.begin_try();
    }

    /// Finds the contacts of surfaces of a substep again if objects `moved` so far (m) that they may have met
    /// unseen; `state` is that at its beginning. Returns whether there are more contacts: then the substep
    /// has to be solved again.
    pub(crate) fn look_farther(
        &mut self,
        structure: &Structure,
        began: &State,
        duration: f64,
        moved: &[f64],
    ) -> bool {
        self.surfaces.look_farther(structure, began, duration, moved)
    }

    /// Whether there are more contacts of surfaces than a step can solve.
    pub(crate) fn has_too_many(&self) -> bool {
        self.surfaces.has_too_many()
    }

    /// Finds the contacts of surfaces at the end of a substep of this `duration`.
    pub(crate) fn end(&mut self, structure: &Structure, state: &State, duration: f64) -> AtEnd {
        self.surfaces.end(structure, state, duration)
    }

    /// Counts the passages of rods in the last substep that `end` examined.
    pub(crate) fn count_passages(&mut self, structure: &Structure, state: &State) -> Count {
        self.surfaces.count_passages(structure, state)
    }

    /// Keeps the forces of a contact of surfaces as the guess of the next solve in the same substep.
    pub(crate) fn keep(&mut self, touch: usize, forces: &[f64]) {
        self.surfaces.keep(touch, forces);
    }
}

impl ContactSource for Sources {
    fn most_rows(structure: &Structure) -> usize {
        PearlNeighbours::most_rows(structure) + ClipCapture::most_rows(structure)
    }

    fn find(&mut self, view: &View<'_>, found: &mut impl FnMut(&Contact<'_>)) {
        self.pearls.find(view, found);
        self.clips.find(view, found);
        self.surfaces.find(view, found);
    }

    fn strikes(&mut self, structure: &Structure, state: &State, found: &mut Vec<Strike>) {
        self.pearls.strikes(structure, state, found);
        self.clips.strikes(structure, state, found);
    }

    fn settle(world: &mut World, broken: &[Broke], before: Option<&State>, events: &mut Vec<HoldEvent>) {
        PearlNeighbours::settle(world, broken, before, events);
        ClipCapture::settle(world, broken, before, events);
        Breaks::settle(world, broken, before, events);
    }
}
