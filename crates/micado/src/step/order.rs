//! Order the unknowns: one symbolic analysis per structure.
//!
//! Natural order of nodes: control points and masses, then own unknowns of constraints, then constraint rows
//! in groups of four, see `share_rows.rs`, then those of inextensible rods, see `inner_rows.rs`. In dynamic
//! steps inner unknowns have no node, see `condense.rs`, and an own unknown that is the only one of up to
//! three rows stands behind these in their node. The linear algebra permutes; everybody else counts
//! naturally.

use super::condense::Inner;
use super::dual_nodes::DualNodes;
use super::inner_rows::LengthRows;
use super::non_smooth::NonSmooth;
use super::share_rows::RowPlaces;
use crate::constraint::{Constraint, ConstraintState, ENDS, End, Rows, Site};
use crate::contact::{ContactSource as _, Sources, Strike};
use crate::object::Place;
use crate::object::rod::window::MOST_WINDOW_NODES;
use crate::world::State;
use crate::world::{Spot, Structure};
use glam::DVec3;
use micado_linalg::{BlockMatrix, Factor, NodeKind, Ordering, Pattern, RefineWork, Symbolic};

/// Most nodes that one constraint touches: those of two windows, and two unknowns of its own.
const MAX_NODES: usize = 2 * MOST_WINDOW_NODES + 2;
/// Nodes of places that a constraint depends on: end, weight of the place, local node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Touched {
    count: usize,
    nodes: [(u8, u8, u8); 4 * ENDS],
}

impl Touched {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        self.nodes[..self.count].iter().map(|&(e, w, n)| (e as usize, w as usize, n as usize))
    }
}

/// The linear system of a structure, with all its memory.
#[derive(Clone, Debug)]
pub struct System {
    /// Nodes of objects.
    pub(crate) object_nodes: usize,
    /// First node of each object.
    first_nodes: Vec<u32>,
    /// Nodes before the constraint rows: objects and own unknowns.
    pub(crate) primal_nodes: usize,
    /// Where each constraint sits.
    pub(crate) seats: Vec<Seat>,
    /// Where the length rows of rods sit, behind all constraints.
    pub(crate) lengths: Vec<LengthRows>,
    /// Whether there are places or unknowns of constraints that slide.
    pub(crate) slides: bool,
    /// Whether there are constraints whose laws are not smooth.
    pub(crate) pushes: bool,
    pub(crate) matrix: BlockMatrix,
    pub(crate) symbolic: Symbolic,
    pub(crate) factor: Factor,
    pub(crate) refine: RefineWork,
    /// Row sums of the mass matrix, four per object node, without signs; 0 where nothing moves.
    pub(crate) lumped: Vec<f64>,
    /// Own unknowns of sliding masses by node, with the mass that moves with them, m |r₀'|², kg·m².
    pub(crate) sliding_mass: Vec<(usize, f64)>,
    /// Regularisation: −ε on constraint rows, a mass-like term on objects in statics.
    pub(crate) shift: Vec<f64>,
    /// Whether statics or modes have left a mass-like term.
    pub(crate) mass_like: bool,
    pub(crate) rhs: Vec<f64>,
    /// Δ, then −λ.
    pub(crate) solution: Vec<f64>,
    /// The solution before it was refined, where rows seem to contradict each other.
    pub(crate) kept: Vec<f64>,
    pub(crate) scratch: Vec<f64>,
    /// Whether the scratch holds the right side halfway through the factor, see `free_motion.rs`.
    pub(crate) halfway: bool,
    /// The rows four at a time.
    pub(crate) duals: DualNodes,
    /// Places of the constraints, and their rows in the present linearisation.
    pub(crate) places: Vec<[Place; ENDS]>,
    /// Nodes of the places that the constraints depend on.
    pub(crate) touched: Vec<Touched>,
    pub(crate) rows: Vec<Rows>,
    /// Sites of the constraints in the present linearisation.
    pub(crate) sites: Vec<[Site; ENDS]>,
    /// Velocity of each sliding mass after shocks, and the force on it with its inertia so far.
    pub(crate) mass_velocity: Vec<DVec3>,
    pub(crate) mass_force: Vec<DVec3>,
    /// What finds contacts, and those that may strike before the step.
    pub(crate) sources: Sources,
    pub(crate) strikes: Vec<Strike>,
    /// Rows that push and never pull, stop, or rub.
    pub(crate) non_smooth: NonSmooth,
    /// λ from which regularisation is counted, four per dual node: those of the last solve.
    pub(crate) expected: Vec<f64>,
    /// Inner unknowns that are eliminated before the system is factored.
    pub(crate) condensed: Vec<Inner>,
    /// Slots of all seats, see [`Seat`].
    pub(crate) slots: Vec<u32>,
    /// Slots of blocks that no object overwrites.
    pub(crate) loose: Vec<u32>,
    /// Rows of dual nodes that no constraint uses: scalar numbers.
    pub(crate) unused_rows: Vec<u32>,
    /// Constraints that repeat others, and these.
    pub(crate) duplicates: Vec<(usize, usize)>,
    /// Rows that duplicates would have, one at least for each.
    pub(crate) duplicate_rows: usize,
    /// Segments of all rods.
    pub(crate) segments: u64,
    /// Constraints whose rows are augmented because what they hold is quasi-static.
    pub(crate) augmented: Vec<bool>,
    /// Constraints with rows that follow from others, and with rows that contradict others, in the last
    /// solve.
    pub(crate) redundant: Vec<bool>,
    pub(crate) conflicting: Vec<bool>,
}

/// Where a constraint sits in the system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    /// Nodes that it may touch: those of its first end, those of its second, then its own unknowns. One node
    /// may stand twice.
    pub(crate) nodes: [u32; MAX_NODES],
    /// How many.
    pub(crate) count: usize,
    /// Where the nodes of its ends end.
    parts: [u8; ENDS],
    /// Local nodes of its own unknowns.
    own: [Option<u8>; ENDS],
    /// Scalar number of its inner unknown that is condensed, behind all nodes.
    pub(crate) condensed: Option<usize>,
    /// End and scalar number of an own unknown that stands behind the rows, in their node.
    pub(crate) behind_rows: Option<(usize, usize)>,
    /// Whether there is room for what it adds between its ends.
    pub(crate) paired: bool,
    /// Whether its rows speak of more than the positions of its ends.
    pub(crate) framed: [bool; ENDS],
    /// Its first rows that speak of positions, where others speak of frames.
    position_rows: usize,
    /// Local nodes, a bit for each, on which positions don't depend.
    turn_only: u32,
    /// Scalar number of its first row in the system; the others follow. Four to a dual node, which it may
    /// share with others.
    pub(crate) first_row: usize,
    /// Number of rows.
    pub(crate) rows: usize,
    /// Where its slots begin in [`System::slots`]: those of the blocks (node, dual) by dual node and node,
    /// then those of the blocks between its nodes, upper triangle by node number. Beyond all blocks where
    /// there is none.
    slots: u32,
}

impl System {
    /// Builds and analyses the system of a structure; `pairs`: with room for what constraints add between
    /// their two ends.
    pub fn new(structure: &Structure, state: &State, pairs: bool) -> Self {
        Self::with_room(structure, state, if pairs { Room::Pairs } else { Room::Step })
    }

    /// The same for masses and rows alone: nothing is reserved for stiffness.
    pub(super) fn for_projection(structure: &Structure, state: &State) -> Self {
        Self::with_room(structure, state, Room::Projection)
    }

    fn with_room(structure: &Structure, state: &State, room: Room) -> Self {
        let together = RowPlaces::together(structure, &state.constraints);
        let shared = together.shared;
        let mut plan = Plan::new(structure, state, room, &together);
        if shared {
            let apart = Plan::new(structure, state, room, &RowPlaces::apart(structure, &state.constraints));
            if apart.symbolic.flops() < plan.symbolic.flops() {
                plan = apart;
            }
        }
        let Plan { mut seats, mut lengths, primal_nodes, unused_rows, matrix, symbolic } = plan;
        let object_nodes = structure.node_mass.len();
        let mut lumped = vec![0.0; 4 * object_nodes];
        lump(structure, state, &vec![1.0; 4 * object_nodes], &mut lumped);
        let mut sliding_mass = Vec::new();
        weigh_sliding(structure, state, &seats, &mut sliding_mass);
        let mut slots = Vec::new();
        for seat in &mut seats {
            seat.find_slots(&matrix, &mut slots);
        }
        lengths.iter_mut().for_each(|lengths| lengths.find_slots(structure, &matrix));
        let copy =
            |(k, memory): (usize, &ConstraintState)| memory.duplicate_of.map(|leader| (k, leader as usize));
        let duplicates: Vec<_> = state.constraints.iter().enumerate().filter_map(copy).collect();
        let loose = loose_slots(structure, &matrix);
        let factor = Factor::new(&symbolic);
        let condensed: Vec<Inner> =
            (0..seats.len()).filter(|&k| seats[k].condensed.is_some()).map(Inner::new).collect();
        let scalars = 4 * matrix.nodes();
        let unknowns = scalars + condensed.len();
        let mut duals = DualNodes::new(&matrix, primal_nodes);
        for lengths in &lengths {
            let (object, count) = (&structure.objects[lengths.object], lengths.rows().len());
            let nodes = object.first..object.first + object.nodes();
            let at_rod = |seat: &&Seat| seat.nodes().iter().any(|&node| nodes.contains(&(node as usize)));
            for rows in seats
                .iter()
                .filter(at_rod)
                .map(|seat| seat.first_row..seat.first_row + seat.rows)
                .chain([lengths.rows()])
            {
                duals.join_chain(rows.start - 4 * primal_nodes..rows.end - 4 * primal_nodes, count);
            }
        }
        Self {
            object_nodes,
            first_nodes: structure.objects.iter().map(|object| object.first as u32).collect(),
            primal_nodes,
            slides: structure.constraints.iter().any(Constraint::wanders)
                || seats.iter().any(|seat| seat.own_count() > 0 || seat.behind_rows.is_some()),
            pushes: structure.constraints.iter().any(|constraint| constraint.law.pushes()),
            duals,
            matrix,
            factor,
            symbolic,
            lumped,
            sliding_mass,
            refine: RefineWork::new(scalars / 4),
            shift: vec![0.0; scalars],
            mass_like: false,
            rhs: vec![0.0; unknowns],
            solution: vec![0.0; unknowns],
            kept: vec![0.0; unknowns],
            scratch: Vec::with_capacity(scalars),
            halfway: false,
            places: vec![[Place::NOWHERE; ENDS]; seats.len()],
            sites: vec![[Site::WORLD; ENDS]; seats.len()],
            mass_velocity: vec![DVec3::ZERO; seats.len()],
            mass_force: vec![DVec3::ZERO; seats.len()],
            sources: Sources::default(),
            strikes: Vec::with_capacity(Sources::most_rows(structure)),
            non_smooth: NonSmooth::with_room(structure, unknowns),
            touched: seats
                .iter()
                .zip(structure.constraints.iter().zip(&state.constraints))
                .map(|(seat, (constraint, memory))| {
                    seat.touched(structure, &constraint.places(&structure.objects, memory))
                })
                .collect(),
            rows: vec![Rows::default(); seats.len()],
            expected: vec![0.0; scalars - 4 * primal_nodes],
            condensed,
            slots,
            loose,
            unused_rows,
            duplicate_rows: duplicates.iter().map(|&(k, _)| structure.constraints[k].law.rows().max(1)).sum(),
            duplicates,
            segments: structure.objects.iter().map(|object| object.model().elements() as u64).sum(),
            augmented: vec![false; seats.len()],
            redundant: vec![false; seats.len()],
            conflicting: vec![false; seats.len()],
            seats,
            lengths,
        }
    }

    /// Takes away the mass-like term.
    pub(crate) fn clear_mass_like(&mut self) {
        if self.mass_like {
            self.shift.fill(0.0);
            self.mass_like = false;
        }
    }

    /// Constraints with rows that followed from others in the last solve.
    pub fn redundant(&self) -> impl Iterator<Item = usize> {
        marked(&self.redundant)
    }

    /// Constraints with rows that contradicted others in the last solve.
    pub fn conflicting(&self) -> impl Iterator<Item = usize> {
        marked(&self.conflicting)
    }

    /// Number of dual nodes.
    pub fn dual_nodes(&self) -> usize {
        self.matrix.nodes() - self.primal_nodes
    }

    /// Negative pivots of a system whose A is definite: those of rows, used or not.
    pub(crate) fn expected_negative(&self) -> usize {
        4 * self.dual_nodes() - self.seats.iter().filter(|seat| seat.behind_rows.is_some()).count()
    }

    /// Own unknowns that are eliminated before, and not part of the matrix.
    pub fn condensed_unknowns(&self) -> usize {
        self.condensed.len()
    }

    /// Number of scalar constraint rows.
    pub fn multipliers(&self) -> usize {
        self.seats.iter().map(|seat| seat.rows).sum::<usize>()
            + self.lengths.iter().map(|lengths| lengths.rows().len()).sum::<usize>()
    }

    /// Number of scalar unknowns of objects and constraints, rows not counted.
    pub fn unknowns(&self) -> usize {
        let own = |seat: &Seat| (0..ENDS).filter(|&e| seat.own_scalar(e).is_some()).count();
        4 * self.object_nodes + self.seats.iter().map(own).sum::<usize>()
    }

    /// Whose a node of the system is.
    pub fn spot(&self, node: usize) -> Spot {
        if node < self.object_nodes {
            let object = self.first_nodes.partition_point(|&first| first as usize <= node) - 1;
            return Spot::Node { object, node: node - self.first_nodes[object] as usize };
        }
        let own = |seat: &Seat| (0..ENDS).any(|e| seat.own(e) == Some(node));
        match node.checked_sub(self.matrix.nodes()) {
            Some(beyond) => {
                self.condensed.get(beyond).map_or(Spot::Unknown, |one| Spot::Own(one.constraint()))
            }
            None if let Some(k) = self.seats.iter().position(own) => Spot::Own(k),
            None if let Some(k) = self.seats.iter().position(|seat| seat.dual_nodes().contains(&node)) => {
                Spot::Rows(k)
            }
            None => self.object_of_lengths(node).map_or(Spot::Unknown, Spot::InnerRows),
        }
    }

    /// The matrix of the last linearisation, in natural order.
    pub fn matrix(&self) -> &BlockMatrix {
        &self.matrix
    }

    /// The regularisation that goes with it.
    pub fn shift(&self) -> &[f64] {
        &self.shift
    }

    /// Its right side.
    pub fn right_side(&self) -> &[f64] {
        &self.rhs[..self.scalars()]
    }

    /// The order of elimination and the pattern of the factor.
    pub fn symbolic(&self) -> &Symbolic {
        &self.symbolic
    }

    /// Counted operations of a factorisation.
    pub fn flops(&self) -> u64 {
        self.symbolic.flops()
    }
}

/// What a system has room for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    /// Dynamic steps.
    Step,
    /// Statics: also what constraints add between their two ends.
    Pairs,
    /// Masses and rows.
    Projection,
}

/// Pattern, seats and order of elimination.
struct Plan {
    seats: Vec<Seat>,
    lengths: Vec<LengthRows>,
    primal_nodes: usize,
    unused_rows: Vec<u32>,
    matrix: BlockMatrix,
    symbolic: Symbolic,
}

impl Plan {
    fn new(structure: &Structure, state: &State, room: Room, row_places: &RowPlaces) -> Self {
        let pairs = room == Room::Pairs;
        let mut pattern = Pattern::new();
        for _ in 0..structure.node_mass.len() {
            pattern.add_node(NodeKind::Primal);
        }
        let stiff = if room == Room::Projection { 0 } else { structure.objects.len() };
        for object in &structure.objects[..stiff] {
            let mut clique = Vec::new();
            object.model().for_each_clique(&mut |nodes| {
                clique.clear();
                clique.extend(nodes.iter().map(|node| (object.first + node) as u32));
                pattern.clique(&clique);
            });
        }
        for spring in structure.springs.iter().filter(|_| stiff > 0) {
            let nodes: Vec<u32> = spring
                .ends
                .iter()
                .filter_map(|end| end.place())
                .flat_map(|place| nodes_of(structure, place))
                .collect();
            pattern.clique(&nodes);
        }
        // In dynamic steps.
        let condenses = |constraint: &Constraint| constraint.has_inner_unknown() && !pairs;
        let mut seats: Vec<Seat> = structure
            .constraints
            .iter()
            .zip(&state.constraints)
            .map(|(constraint, memory)| {
                let mut seat = Seat::new(structure, constraint, memory, condenses(constraint));
                // Behind rows that have met inertia it finds a pivot, even where nothing but the rows resists
                // it; in statics they may have met nothing yet. Rows that follow from others hold it better
                // when they are augmented.
                if !pairs && !memory.redundant && (1..4).contains(&seat.rows) {
                    seat.behind_rows = constraint.only_own_unknown().map(|e| (e, 0));
                }
                for e in 0..ENDS {
                    if constraint.own_unknowns(memory)[e]
                        && !condenses(constraint)
                        && seat.behind_rows.is_none()
                    {
                        seat.own[e] = Some(seat.count as u8);
                        seat.push(pattern.add_node(NodeKind::Primal));
                    }
                }
                // Rows with a node for an unknown of their own are always augmented, others in statics.
                seat.paired =
                    memory.duplicate_of.is_none() && (pairs || memory.stiff || seat.own_count() > 0);
                for (i, &a) in seat.nodes().iter().enumerate() {
                    for &b in seat.nodes().iter().skip(i + 1) {
                        if a != b && seat.paired {
                            pattern.connect(a.min(b), a.max(b));
                        }
                    }
                }
                seat
            })
            .collect();
        let primal_nodes = pattern.len();
        for _ in 0..row_places.nodes {
            pattern.add_node(NodeKind::Dual);
        }
        let mut used = vec![false; 4 * row_places.nodes];
        for (seat, first) in seats.iter_mut().zip(&row_places.first) {
            seat.first_row = 4 * primal_nodes + first;
            used[*first..first + seat.rows].fill(true);
            if let Some((_, scalar)) = &mut seat.behind_rows {
                *scalar = seat.first_row + seat.rows;
                used[first + seat.rows] = true;
            }
            for dual in seat.dual_nodes() {
                for n in (0..seat.count).filter(|&n| seat.joins(n, dual)) {
                    pattern.connect(seat.nodes[n], dual as u32);
                }
            }
        }
        let lengths = LengthRows::reserve(structure, &mut pattern);
        let inner =
            seats.iter_mut().zip(&structure.constraints).filter(|(_, constraint)| condenses(constraint));
        for (i, (seat, _)) in inner.enumerate() {
            seat.condensed = Some(4 * pattern.len() + i);
        }
        let unused = (0..used.len()).filter(|&r| !used[r]).map(|r| 4 * primal_nodes + r);
        let unused_rows =
            unused.chain(lengths.iter().flat_map(LengthRows::unused)).map(|row| row as u32).collect();
        let matrix = BlockMatrix::new(&pattern);
        let symbolic = Symbolic::analyse(&matrix, Ordering::Cheapest);
        Self { seats, lengths, primal_nodes, unused_rows, matrix, symbolic }
    }
}

/// The nodes of a place in the system.
pub(super) fn nodes_of(structure: &Structure, place: &Place) -> impl Iterator<Item = u32> {
    let first = place.object().map_or(0, |object| structure.objects[object].first as u32);
    place.nodes().iter().map(move |node| first + node)
}

/// Those that it depends on, with their numbers among its own.
fn touched_nodes(structure: &Structure, place: &Place, framed: bool) -> impl Iterator<Item = (usize, u32)> {
    nodes_of(structure, place).enumerate().filter(move |&(k, _)| place.touches(k, framed))
}

fn marked(marks: &[bool]) -> impl Iterator<Item = usize> {
    marks.iter().enumerate().filter(|(_, marked)| **marked).map(|(k, _)| k)
}

/// Slots of blocks that no object overwrites when it is linearised: of masses, springs between objects, and
/// constraints.
fn loose_slots(structure: &Structure, matrix: &BlockMatrix) -> Vec<u32> {
    let mut loose = vec![true; matrix.values().len()];
    for object in &structure.objects {
        object.model().for_each_clique(&mut |nodes| {
            for (i, j) in nodes.iter().flat_map(|i| nodes.iter().map(move |j| (i.min(j), i.max(j)))) {
                if let Some(slot) = matrix.slot((object.first + i) as u32, (object.first + j) as u32) {
                    loose[slot] = false;
                }
            }
        });
    }
    (0..loose.len() as u32).filter(|&slot| loose[slot as usize]).collect()
}

impl Seat {
    /// The nodes of the ends of a constraint; none where it is condensed onto what its rod joins already.
    fn new(
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
                End::Sliding { .. } if condensed => {}
                End::Fixed { place, framed } => {
                    for (k, node) in touched_nodes(structure, &place, framed) {
                        seat.turn_only |= u32::from(!place.touches(k, false)) << seat.count;
                        seat.push(node);
                    }
                }
                End::Caught { framed } => {
                    if !memory.open {
                        let place = structure.objects[memory.held].fixed_place_at(memory.own[e]);
                        touched_nodes(structure, &place, framed).for_each(|(_, node)| seat.push(node));
                    }
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

    fn push(&mut self, node: u32) {
        self.nodes[self.count] = node;
        self.count += 1;
    }

    fn find_slots(&mut self, matrix: &BlockMatrix, slots: &mut Vec<u32>) {
        self.slots = slots.len() as u32;
        let slot = |i: u32, j: u32| matrix.slot(i.min(j), i.max(j)).map_or(u32::MAX, |slot| slot as u32);
        for dual in self.dual_nodes() {
            slots.extend(self.nodes().iter().map(|&node| slot(node, dual as u32)));
        }
        for &a in self.nodes() {
            slots.extend(self.nodes().iter().map(|&b| slot(a, b)));
        }
    }

    /// Whether rows of it in a dual node depend on its local node n.
    fn joins(&self, n: usize, dual: usize) -> bool {
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

    /// How many nodes of own unknowns it has.
    pub(crate) fn own_count(&self) -> usize {
        self.own.iter().flatten().count()
    }

    /// Which nodes of its places it depends on.
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

    /// Where the slots of its `d`-th dual node begin in [`System::slots`], one for each of its nodes.
    pub(crate) fn dual_slots(&self, d: usize) -> usize {
        self.slots as usize + d * self.count
    }

    /// Index in [`System::slots`] of the block (node n, dual node of row r), both local.
    pub(crate) fn row_slot(&self, r: usize, n: usize) -> usize {
        self.dual_slots((self.first_row + r) / 4 - self.first_row / 4) + n
    }

    /// Index in [`System::slots`] of the block between the local nodes i and j.
    pub(crate) fn pair_slot(&self, i: usize, j: usize) -> usize {
        self.dual_slots(self.dual_nodes().len() + i) + j
    }
}

/// m |r₀'|² of the own unknowns of sliding masses.
fn weigh_sliding(structure: &Structure, state: &State, seats: &[Seat], sliding_mass: &mut Vec<(usize, f64)>) {
    sliding_mass.clear();
    for ((constraint, memory), seat) in structure.constraints.iter().zip(&state.constraints).zip(seats) {
        if let (Some(sliding), End::Sliding { object }, Some(own)) =
            (constraint.law.sliding_mass(), constraint.ends[0], seat.own(0))
            && let Some(curve) = structure.objects[object].curve()
        {
            let place = structure.objects[object].place_at(memory.own[0]);
            sliding_mass.push((own, sliding.mass * curve.rest_speed(&place).powi(2)));
        }
    }
}

/// Lumped mass matrices; `ones` is as many ones as there are unknowns.
fn lump(structure: &Structure, state: &State, ones: &[f64], lumped: &mut [f64]) {
    lumped.fill(0.0);
    for object in &structure.objects {
        let range = object.unknowns();
        let own = object.own(&state.q, &state.frames);
        object.model().add_lumped_mass(own, &ones[range.clone()], &mut lumped[range]);
    }
    // Row sums of Catmull–Rom are negative at its outermost control points.
    lumped.iter_mut().for_each(|mass| *mass = mass.abs());
}

impl System {
    /// Masses have changed; `ones` is as many ones as objects have unknowns.
    pub(crate) fn weigh(&mut self, structure: &Structure, state: &State, ones: &[f64]) {
        lump(structure, state, ones, &mut self.lumped);
        weigh_sliding(structure, state, &self.seats, &mut self.sliding_mass);
    }
}
