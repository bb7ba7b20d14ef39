//! Seats: which nodes, rows and blocks of the system belong to a constraint.

use crate::constraint::{Constraint, ConstraintState, ENDS, End};
use crate::object::Place;
use crate::object::rod::window::MOST_WINDOW_NODES;
use crate::world::Structure;
use micado_linalg::BlockMatrix;

/// Most nodes of one constraint: those of two windows, and two unknowns of its own.
const MAX_NODES: usize = 2 * MOST_WINDOW_NODES + 2;
/// Nodes of places on which a constraint depends: end, weight of the place, local node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Touched {
    count: usize,
    nodes: [(u8, u8, u8); 4 * ENDS],
}

impl Touched {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        self.nodes[..self.count].iter().map(|&(e, w, n)| (e as usize, w as usize, n as usize))
    }

    /// Those of end `e`: weight of the place, local node.
    pub(crate) fn of_end(&self, e: usize) -> impl ExactSizeIterator<Item = (usize, usize)> + Clone {
        let all = &self.nodes[..self.count];
        let second = all.iter().position(|&(end, ..)| end > 0).unwrap_or(all.len());
        let own = if e == 0 { &all[..second] } else { &all[second..] };
        own.iter().map(|&(_, w, n)| (w as usize, n as usize))
    }
}

/// Position of a constraint in the system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    /// Nodes that it may touch: those of its first end, those of its second, then its own unknowns. A node
    /// may occur twice.
    pub(crate) nodes: [u32; MAX_NODES],
    /// Number of nodes.
    pub(crate) count: usize,
    /// Ends of the ranges of its two ends.
    pub(super) parts: [u8; ENDS],
    /// Local nodes of its own unknowns.
    pub(super) own: [Option<u8>; ENDS],
    /// Scalar number of its condensed inner unknown, behind all nodes.
    pub(crate) condensed: Option<usize>,
    /// End and scalar number of an own unknown in the node of its rows.
    pub(crate) behind_rows: Option<(usize, usize)>,
    /// Whether there is room for terms between its ends.
    pub(crate) paired: bool,
    /// Whether its rows depend on more than the positions of its ends.
    pub(crate) framed: [bool; ENDS],
    /// Number of leading rows on positions, if rows on frames follow.
    pub(super) position_rows: usize,
    /// Bit mask of local nodes on which positions don't depend.
    pub(super) turn_only: u32,
    /// Scalar number of its first row in the system; the others follow, four to a dual node, which it may
    /// share with other constraints.
    pub(crate) first_row: usize,
    /// Number of rows.
    pub(crate) rows: usize,
    /// Start of its slots in `System::slots`: blocks (node, dual) by dual node and node, then blocks
    /// between its nodes, upper triangle by node number. Missing blocks have a slot beyond all blocks.
    pub(super) slots: u32,
}

impl Seat {
    /// The nodes of the ends of a constraint; none if it is condensed onto nodes of its rod.
    pub(super) fn new(
        structure: &Structure,
        constraint: &Constraint,
        memory: &ConstraintState,
        condensed: bool,
    ) -> Self {
        let mut seat = Self {
            nodes: [0; MAX_NODES],
            count: 0,
            parts: [0; ENDS],
            own: [None; ENDS],
            condensed: None,
            behind_rows: None,
            paired: false,
            framed: constraint.ends.each_ref().map(End::framed),
            position_rows: constraint.law.position_rows(),
            turn_only: 0,
            first_row: 0,
            rows: constraint.rows(memory),
            slots: 0,
        };
        for e in 0..ENDS {
            match constraint.ends[e] {
                End::World => {}
                _ if memory.open => {}
                End::Sliding { .. } if condensed => {}
                End::Fixed { place, .. } => {
                    for (k, node) in touched_nodes(structure, &place, seat.framed[e]) {
                        seat.turn_only |= u32::from(!place.touches(k, false)) << seat.count;
                        seat.push(node);
                    }
                }
                End::Caught { framed } => {
                    let place = structure.objects[memory.held].fixed_place_at(memory.own[e]);
                    touched_nodes(structure, &place, framed).for_each(|(_, node)| seat.push(node));
                }
                End::Sliding { object } => {
                    let object = &structure.objects[object];
                    if let Some(curve) = object.curve() {
                        curve.for_each_window_node(memory.window[e] as usize, &mut |node| {
                            seat.push((object.first + node) as u32);
                        });
                    }
                }
            }
            seat.parts[e] = seat.count as u8;
        }
        seat
    }

    pub(super) fn push(&mut self, node: u32) {
        self.nodes[self.count] = node;
        self.count += 1;
    }

    pub(super) fn find_slots(&mut self, matrix: &BlockMatrix, slots: &mut Vec<u32>) {
        self.slots = slots.len() as u32;
        let slot = |i: u32, j: u32| matrix.slot(i.min(j), i.max(j)).map_or(u32::MAX, |slot| slot as u32);
        for dual in self.dual_nodes() {
            slots.extend(self.nodes().iter().map(|&node| slot(node, dual as u32)));
        }
        for &a in self.nodes() {
            slots.extend(self.nodes().iter().map(|&b| slot(a, b)));
        }
    }

    /// Whether its rows in a dual node depend on its local node n.
    pub(super) fn joins(&self, n: usize, dual: usize) -> bool {
        let on_positions = 4 * (dual + 1) <= self.first_row + self.position_rows;
        !(on_positions && self.turn_only >> n & 1 == 1)
    }

    /// Nodes of its rows.
    pub(crate) fn dual_nodes(&self) -> std::ops::Range<usize> {
        let first = self.first_row / 4;
        first..if self.rows == 0 { first } else { (self.first_row + self.rows).div_ceil(4) }
    }

    /// Nodes that it may touch.
    pub(crate) fn nodes(&self) -> &[u32] {
        &self.nodes[..self.count]
    }

    /// Local node of the own unknown of end `e`.
    pub(crate) fn own_local(&self, e: usize) -> Option<usize> {
        self.own[e].map(usize::from)
    }

    /// Node of the own unknown of end `e`.
    pub(crate) fn own(&self, e: usize) -> Option<usize> {
        self.own[e].map(|local| self.nodes[local as usize] as usize)
    }

    /// Scalar number of the own unknown of end `e`.
    pub(crate) fn own_scalar(&self, e: usize) -> Option<usize> {
        let behind = || self.behind_rows.filter(|&(end, _)| end == e).map(|(_, scalar)| scalar);
        self.own(e).map(|node| 4 * node).or_else(|| self.condensed.filter(|_| e == 0)).or_else(behind)
    }

    /// Number of nodes of own unknowns.
    pub(crate) fn own_count(&self) -> usize {
        self.own.iter().flatten().count()
    }

    /// The nodes of its places on which it depends.
    pub(crate) fn touched(&self, structure: &Structure, places: &[Place; ENDS]) -> Touched {
        let mut touched = Touched::default();
        for e in 0..ENDS {
            let part = if e == 0 {
                0..self.parts[0] as usize
            } else {
                self.parts[0] as usize..self.parts[1] as usize
            };
            let nodes = &self.nodes[part.clone()];
            for (k, node) in nodes_of(structure, &places[e]).enumerate() {
                if let Some(local) = nodes.iter().position(|other| *other == node) {
                    touched.nodes[touched.count] = (e as u8, k as u8, (part.start + local) as u8);
                    touched.count += 1;
                }
            }
        }
        touched
    }

    /// Start of the slots of its `d`-th dual node in `System::slots`, one for each of its nodes.
    pub(crate) fn dual_slots(&self, d: usize) -> usize {
        self.slots as usize + d * self.count
    }

    /// Index in `System::slots` of the block (node n, dual node of row r), both local.
    pub(crate) fn row_slot(&self, r: usize, n: usize) -> usize {
        self.dual_slots((self.first_row + r) / 4 - self.first_row / 4) + n
    }

    /// Index in `System::slots` of the block between the local nodes i and j.
    pub(crate) fn pair_slot(&self, i: usize, j: usize) -> usize {
        self.dual_slots(self.dual_nodes().len() + i) + j
    }
}

/// The nodes of a place in the system.
pub(super) fn nodes_of(structure: &Structure, place: &Place) -> impl Iterator<Item = u32> {
    let first = place.object().map_or(0, |object| structure.objects[object].first as u32);
    place.nodes().iter().map(move |node| first + node)
}

/// The nodes on which a place depends, with their local numbers.
pub(super) fn touched_nodes(
    structure: &Structure,
    place: &Place,
    framed: bool,
) -> impl Iterator<Item = (usize, u32)> {
    nodes_of(structure, place).enumerate().filter(move |&(k, _)| place.touches(k, framed))
}
