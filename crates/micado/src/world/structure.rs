//! The structure of a world: the items that exist.

use super::touching::Touching;
use super::{Revision, Scenery, State, Winch};
use crate::constraint::{Constraint, End};
use crate::describe::signal::Signal;
use crate::load::{Load, Spring, SpringEndPlace};
use crate::object::{Object, Place, Poses};
use crate::scene::{ContactSettings, Registry, SweepSettings};

/// The items that exist. Only edits change it; winches change the length of their rods and dependent data
/// according to the state.
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
    /// Shapes that are only drawn. No stage of a step reads them.
    pub scenery: Vec<Scenery>,
    /// Contact of surfaces, if they touch.
    pub(crate) contact: Option<ContactSettings>,
    /// Which objects touch, from `contact` and the objects.
    pub(crate) touching: Touching,
    /// Custom kinds.
    pub(crate) registry: Registry,
    /// Whether it is stepped explicitly: then rods are inextensible, and all constraints smooth.
    pub explicit: bool,
    /// Limits of the sweeps over bilateral rows in dynamic steps; `None` if these rows are factored.
    pub swept: Option<SweepSettings>,
    /// Mass at each node for gravity, kg.
    pub node_mass: Vec<f64>,
    /// Increases with every edit.
    pub version: u64,
    /// Revision.
    pub(crate) revision: Revision,
}

impl Structure {
    /// Poses of all objects in a state.
    #[inline]
    pub fn poses<'a>(&'a self, state: &'a State) -> Poses<'a> {
        Poses { objects: &self.objects, q: &state.q, frames: &state.frames }
    }

    /// Numbers that determine the pattern of the linear system: structures with the same signature can share
    /// a workspace. `pairs`: with room for terms between the two ends of constraints.
    pub(crate) fn signature(&self, state: &State, [pairs, exact]: [bool; 2], emit: &mut impl FnMut(u32)) {
        // Room between ends matters only for two ends, or for sliding constraints: dynamic steps give them no
        // node.
        let swept = self.swept.is_some() && !pairs;
        let pairs = pairs
            && self
                .constraints
                .iter()
                .any(|constraint| constraint.is_relative() || constraint.only_own_unknown().is_some());
        let room = usize::from(pairs) + 2 * usize::from(swept);
        [self.objects.len(), self.constraints.len(), self.springs.len(), room]
            .into_iter()
            .for_each(|count| emit(count as u32));
        for object in &self.objects {
            [object.first as u32, object.nodes() as u32, object.model().pattern()]
                .into_iter()
                .for_each(&mut *emit);
        }
        for (constraint, memory) in self.constraints.iter().zip(&state.constraints) {
            let own = constraint.own_unknowns(memory);
            emit(constraint.rows(memory) as u32);
            let shares_own = memory.redundant && (own[0] || own[1]);
            let kind = [
                own[0],
                own[1],
                constraint.couples_ends(memory, exact),
                shares_own,
                constraint.has_moving_end(),
                constraint.law.pushes(),
            ];
            emit(kind.into_iter().fold(memory.duplicate_of.map_or(0, |leader| leader + 1), |bits, bit| {
                2 * bits + u32::from(bit)
            }));
            for (e, end) in constraint.ends.iter().enumerate() {
                match end {
                    End::World => emit(u32::MAX),
                    _ if memory.open => emit(u32::MAX),
                    End::Fixed { place, .. } => place_signature(place, end.framed(), emit),
                    End::Caught { framed } => place_signature(
                        &self.objects[memory.held].fixed_place_at(memory.own[e]),
                        *framed,
                        emit,
                    ),
                    End::Sliding { object } if !pairs && constraint.has_inner_unknown() => {
                        emit(*object as u32);
                    }
                    End::Sliding { object } => {
                        emit(*object as u32);
                        emit(memory.window[e]);
                    }
                }
            }
        }
        for place in self.springs.iter().flat_map(|spring| &spring.ends).filter_map(SpringEndPlace::place) {
            emit(place.object);
            place.nodes().iter().copied().for_each(&mut *emit);
            emit(place.nodes().len() as u32);
        }
    }
}

/// Numbers of a place that determine the pattern: its nodes, which follow from the first, and those on which
/// it depends.
fn place_signature(place: &Place, framed: bool, emit: &mut impl FnMut(u32)) {
    emit(place.object);
    emit(place.nodes().first().copied().unwrap_or(u32::MAX));
    emit(u32::from(framed) << 4 | place.touched(framed));
}
