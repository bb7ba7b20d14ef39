//! The structure of a world: what exists.

use super::{Revision, State, Winch};
use crate::constraint::{Constraint, End};
use crate::describe::signal::Signal;
use crate::load::{Load, Spring, SpringEndPlace};
use crate::object::{Object, Place, Poses};

/// What exists. Changed only by edits; winches change the length of their rods, and what follows from it, to
/// what the state says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// Gravity, m/s².
    pub gravity: Signal<[f64; 3]>,
    /// Rods and masses.
    pub objects: Vec<Object>,
    /// Constraints.
    pub constraints: Vec<Constraint>,
    /// Loads.
    pub loads: Vec<Load>,
    /// Spring–dampers.
    pub springs: Vec<Spring>,
    /// Winches.
    pub winches: Vec<Winch>,
    /// Whether it is stepped explicitly: rods are then inextensible, and only smooth constraints take part.
    pub explicit: bool,
    /// Mass that gravity finds at each node, kg.
    pub node_mass: Vec<f64>,
    /// Grows with every edit.
    pub version: u64,
    /// Which structure it is.
    pub(crate) revision: Revision,
}

impl Structure {
    /// Where all objects are in a state.
    #[inline]
    pub fn poses<'a>(&'a self, state: &'a State) -> Poses<'a> {
        Poses { objects: &self.objects, q: &state.q, frames: &state.frames }
    }

    /// What decides the pattern of the linear system, as numbers: structures with the same signature can
    /// share a workspace. `pairs`: with room for what constraints add between their two ends.
    pub(crate) fn signature(&self, state: &State, pairs: bool, tell: &mut impl FnMut(u32)) {
        // Room between ends makes a difference only where there are two, or where something slides: dynamic
        // steps give that no node.
        let pairs = pairs
            && self
                .constraints
                .iter()
                .any(|constraint| constraint.is_relative() || constraint.only_own_unknown().is_some());
        [self.objects.len(), self.constraints.len(), self.springs.len(), usize::from(pairs)]
            .into_iter()
            .for_each(|count| tell(count as u32));
        for object in &self.objects {
            [object.first as u32, object.nodes() as u32, object.model().pattern()]
                .into_iter()
                .for_each(&mut *tell);
        }
        for (constraint, memory) in self.constraints.iter().zip(&state.constraints) {
            let own = constraint.own_unknowns(memory);
            tell(constraint.rows(memory) as u32);
            let shares_own = memory.redundant && (own[0] || own[1]);
            let kind =
                [own[0], own[1], memory.stiff, shares_own, constraint.wanders(), constraint.law.pushes()];
            tell(kind.into_iter().fold(memory.duplicate_of.map_or(0, |leader| leader + 1), |bits, bit| {
                2 * bits + u32::from(bit)
            }));
            for (e, end) in constraint.ends.iter().enumerate() {
                match end {
                    End::World => tell(u32::MAX),
                    End::Fixed { place, framed } => place_signature(place, *framed, tell),
                    End::Caught { .. } if memory.open => tell(u32::MAX),
                    End::Caught { framed } => place_signature(
                        &self.objects[memory.held].fixed_place_at(memory.own[e]),
                        *framed,
                        tell,
                    ),
                    End::Sliding { object } if !pairs && constraint.has_inner_unknown() => {
                        tell(*object as u32);
                    }
                    End::Sliding { object } => {
                        tell(*object as u32);
                        tell(memory.window[e]);
                    }
                }
            }
        }
        for place in self.springs.iter().flat_map(|spring| &spring.ends).filter_map(SpringEndPlace::place) {
            tell(place.object);
            place.nodes().iter().copied().for_each(&mut *tell);
            tell(place.nodes().len() as u32);
        }
    }
}

/// What a place decides of the pattern: its nodes, which follow from the first, and which of them it depends
/// on.
fn place_signature(place: &Place, framed: bool, tell: &mut impl FnMut(u32)) {
    tell(place.object);
    tell(place.nodes().first().copied().unwrap_or(u32::MAX));
    tell(u32::from(framed) << 4 | place.touched(framed));
}
