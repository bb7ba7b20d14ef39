//! Contacts: what touches, found anew in every solve and never part of the structure.
//!
//! Rows come from constraints, which are in the structure, and from contacts. A source finds contacts for a
//! state, and gives for each a block of rows (wrenches at places of one or two objects, coefficients on inner
//! unknowns, gap, law) and a key that says what touches. The state remembers by that key what a contact
//! pushed with ([`ContactMemory`]). Stages of the step see blocks and keys, and no kind of source.
//!
//! To add a source: write its file with [`ContactSource`] for it, add a word to [`Source`] and a line to each
//! method of [`Sources`].

mod clips;
mod pearls;

pub use crate::world::{ContactKey, ContactMemory, Remembered, Source, Toucher};

use crate::constraint::{Broke, ENDS};
use crate::law::BlockLaw;
use crate::object::{Place, Site, Wrench};
use crate::world::{State, Structure, World};
use clips::ClipCapture;
use glam::DVec3;
use pearls::PearlNeighbours;

/// What a source looks at in a solve: a state, and the places and sites of its constraints.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) structure: &'a Structure,
    pub(crate) state: &'a State,
    pub(crate) places: &'a [[Place; ENDS]],
    pub(crate) sites: &'a [[Site; ENDS]],
    /// Whether inner unknowns are eliminated before the factorisation: masses that are coupled weakly then
    /// don't lean on what they slide on.
    pub(crate) condensed: bool,
}

/// A contact: a block of rows with one law.
#[derive(Clone, Copy)]
pub(crate) struct Contact<'a> {
    /// What touches.
    pub(crate) key: ContactKey,
    /// Which forces are allowed.
    pub(crate) law: BlockLaw,
    /// Where it touches, on both sides.
    pub(crate) sides: [Side<'a>; 2],
    /// As many as the law has.
    pub(crate) rows: &'a [ContactRow],
}

/// One side of a contact.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    /// Where it touches; nowhere on a side that doesn't move.
    pub(crate) place: &'a Place,
    pub(crate) site: &'a Site,
    /// The unknown that slides the place along, if there is one: constraint and end that own it.
    pub(crate) own: Option<(usize, usize)>,
}

/// One row of a contact: its displacement is `gap + JΔ`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContactRow {
    /// On both sides.
    pub(crate) wrenches: [Wrench; 2],
    /// On the unknowns that slide the places along.
    pub(crate) own: [f64; 2],
    /// Displacement without motion, m: positive when apart.
    pub(crate) gap: f64,
}

/// Two masses that slide and may strike each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strike {
    /// The constraints that own them.
    pub(crate) between: [usize; 2],
    /// Their masses, kg.
    pub(crate) masses: [f64; 2],
    /// From the first to the second.
    pub(crate) normal: DVec3,
    /// How far they are apart, m.
    pub(crate) gap: f64,
    /// Share of the closing speed that they part with.
    pub(crate) restitution: f64,
}

/// Something that a constraint which opens and closes did at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HoldEvent {
    /// Constraint.
    pub constraint: usize,
    /// The object that it let go or took hold of, by its index.
    pub object: usize,
    /// Rest arc length of the place, m.
    pub place: f64,
    /// What it did.
    pub deed: Deed,
}

/// What a constraint that opens and closes did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deed {
    /// It was loaded beyond its strength, and let go.
    Opened(Broke),
    /// It took hold of what had come near.
    Caught,
}

/// A source of contacts: a generator that looks at a state.
pub(crate) trait ContactSource {
    /// Most rows that it may find in a structure.
    fn most_rows(_structure: &Structure) -> usize {
        0
    }

    /// Finds the contacts of a state in a fixed order that doesn't depend on what was found before.
    fn find(&mut self, _view: &View<'_>, _found: &mut impl FnMut(&Contact<'_>)) {}

    /// Lists the masses that may strike each other in the coming step.
    fn strikes(&mut self, _structure: &Structure, _state: &State, _found: &mut Vec<Strike>) {}

    /// At the end of a step that began as `before`, if it moved from there: opens the constraint that broke,
    /// and lets open ones catch what has come near.
    fn settle(_world: &mut World, _broke: Option<Broke>, _before: Option<&State>, _: &mut Vec<HoldEvent>) {}
}

/// All sources, with their scratch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    pearls: PearlNeighbours,
    clips: ClipCapture,
}

impl ContactSource for Sources {
    fn most_rows(structure: &Structure) -> usize {
        PearlNeighbours::most_rows(structure) + ClipCapture::most_rows(structure)
    }

    fn find(&mut self, view: &View<'_>, found: &mut impl FnMut(&Contact<'_>)) {
        self.pearls.find(view, found);
        self.clips.find(view, found);
    }

    fn strikes(&mut self, structure: &Structure, state: &State, found: &mut Vec<Strike>) {
        self.pearls.strikes(structure, state, found);
        self.clips.strikes(structure, state, found);
    }

    fn settle(world: &mut World, broke: Option<Broke>, before: Option<&State>, events: &mut Vec<HoldEvent>) {
        PearlNeighbours::settle(world, broke, before, events);
        ClipCapture::settle(world, broke, before, events);
    }
}
