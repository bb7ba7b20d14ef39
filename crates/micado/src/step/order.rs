//! Order the unknowns: one symbolic analysis per structure.
//!
//! Natural order of nodes: control points and masses, then own unknowns of constraints, then constraint rows
//! in groups of four, see `share_rows.rs`, then those of inextensible rods, see `inner_rows.rs`. In dynamic
//! steps inner unknowns have no node, see `condense.rs`, and the only own unknown of up to three rows is the
//! last scalar of their node. Only the linear algebra permutes; all other code uses the natural order.

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
use crate::world::{Revision, Spot, Structure};
use glam::DVec3;
use micado_linalg::{BlockMatrix, Factor, NodeKind, Ordering, Pattern, RefineWork, Symbolic};

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

/// The linear system of a structure, with all its memory.
#[derive(Clone, Debug)]
pub struct System {
    /// Nodes of objects.
    pub(crate) object_nodes: usize,
    /// First node of each object.
    first_nodes: Vec<u32>,
    /// Nodes before the constraint rows: objects and own unknowns.
    pub(crate) primal_nodes: usize,
    /// Position of each constraint in the system.
    pub(crate) seats: Vec<Seat>,
    /// Positions of the length rows of rods, behind all constraints.
    pub(crate) lengths: Vec<LengthRows>,
    /// Whether places or unknowns of constraints slide.
    pub(crate) slides: bool,
    /// Whether constraints have non-smooth laws, or contacts are possible.
    pub(crate) pushes: bool,
    pub(crate) matrix: BlockMatrix,
    pub(crate) symbolic: Symbolic,
    pub(crate) factor: Factor,
    pub(crate) refine: RefineWork,
    /// Row sums of the mass matrix, four per object node, absolute values; 0 for unused scalars.
    pub(crate) lumped: Vec<f64>,
    /// Own unknowns of sliding masses: node, and generalised mass m |r₀'|², kg·m².
    pub(crate) sliding_mass: Vec<(usize, f64)>,
    /// The revision of the structure that the masses are from.
    weighed_in: Revision,
    /// Regularisation: −ε on constraint rows, a mass-like term on objects in statics.
    pub(crate) shift: Vec<f64>,
    /// Whether statics or modes left a mass-like term.
    pub(crate) mass_like: bool,
    pub(crate) rhs: Vec<f64>,
    /// Δ, then −λ.
    pub(crate) solution: Vec<f64>,
    /// The solution before refinement, where rows may contradict each other.
    pub(crate) kept: Vec<f64>,
    pub(crate) scratch: Vec<f64>,
    /// Whether the scratch holds the right side after forward substitution, see `free_motion.rs`.
    pub(crate) halfway: bool,
    /// Constraint rows, four to a node.
    pub(crate) duals: DualNodes,
    /// Places of the constraints, and their rows in the present linearisation.
    pub(crate) places: Vec<[Place; ENDS]>,
    /// The revision of the structure that the fixed ones among them are from.
    pub(crate) placed_in: Option<Revision>,
    /// Nodes of places on which the constraints depend.
    pub(crate) touched: Vec<Touched>,
    pub(crate) rows: Vec<Rows>,
    /// Sites of the constraints in the present linearisation.
    pub(crate) sites: Vec<[Site; ENDS]>,
    /// Velocity of each sliding mass after shocks, and the force on it with its inertia so far.
    pub(crate) mass_velocity: Vec<DVec3>,
    pub(crate) mass_force: Vec<DVec3>,
    /// Sources of contacts, and pairs that may strike before the step.
    pub(crate) sources: Sources,
    pub(crate) strikes: Vec<Strike>,
    /// Unilateral, stop and friction rows.
    pub(crate) non_smooth: NonSmooth,
    /// Reference λ of the regularisation, four per dual node: those of the last solve.
    pub(crate) expected: Vec<f64>,
    /// Inner unknowns that are eliminated before the system is factored.
    pub(crate) condensed: Vec<Inner>,
    /// Slots of all seats, see [`Seat`].
    pub(crate) slots: Vec<u32>,
    /// Slots of blocks that no object overwrites.
    pub(crate) loose: Vec<u32>,
    /// Scalar numbers of unused rows of dual nodes.
    pub(crate) unused_rows: Vec<u32>,
    /// Pairs of a duplicate constraint and the constraint that it repeats.
    pub(crate) duplicates: Vec<(usize, usize)>,
    /// Number of rows of duplicates, at least one for each.
    pub(crate) duplicate_rows: usize,
    /// Segments of all rods.
    pub(crate) segments: u64,
    /// Constraints whose rows are augmented because they hold quasi-static objects.
    pub(crate) augmented: Vec<bool>,
    /// Constraints with redundant rows, and with contradictory rows, in the last solve.
    pub(crate) redundant: Vec<bool>,
    pub(crate) conflicting: Vec<bool>,
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
    parts: [u8; ENDS],
    /// Local nodes of its own unknowns.
    own: [Option<u8>; ENDS],
    /// Scalar number of its condensed inner unknown, behind all nodes.
    pub(crate) condensed: Option<usize>,
    /// End and scalar number of an own unknown in the node of its rows.
    pub(crate) behind_rows: Option<(usize, usize)>,
    /// Whether there is room for terms between its ends.
    pub(crate) paired: bool,
    /// Whether its rows depend on more than the positions of its ends.
    pub(crate) framed: [bool; ENDS],
    /// Number of leading rows on positions, if rows on frames follow.
    position_rows: usize,
    /// Bit mask of local nodes on which positions don't depend.
    turn_only: u32,
    /// Scalar number of its first row in the system; the others follow, four to a dual node, which it may
    /// share with other constraints.
    pub(crate) first_row: usize,
    /// Number of rows.
    pub(crate) rows: usize,
    /// Start of its slots in [`System::slots`]: blocks (node, dual) by dual node and node, then blocks
    /// between its nodes, upper triangle by node number. Missing blocks have a slot beyond all blocks.
    slots: u32,
}

impl System {
    /// Builds and analyses the system of a structure; `pairs`: with room for terms between the two ends of
    /// constraints.
    pub fn new(structure: &Structure, state: &State, pairs: bool) -> Self {
        Self::with_room(structure, state, if pairs { Room::Pairs } else { Room::Step })
    }

    /// Like `new`, for masses and rows only: nothing is reserved for stiffness.
    pub(super) fn for_projection(structure: &Structure, state: &State) -> Self {
        Self::with_room(structure, state, Room::Projection)
    }

    fn with_room(structure: &Structure, state: &State, room: Room) -> Self {
        let together = RowPlaces::together(structure, &state.constraints);
        let mut plan = Plan::new(structure, state, room, &together);
        let symbolic = if together.shared {
            let apart = Plan::new(structure, state, room, &RowPlaces::apart(structure, &state.constraints));
            let (symbolic, is_apart) = Symbolic::analyse_cheaper(&plan.matrix, &apart.matrix);
            if is_apart {
                plan = apart;
            }
            symbolic
        } else {
            Symbolic::analyse(&plan.matrix, Ordering::Cheapest)
        };
        let Plan { mut seats, mut lengths, primal_nodes, unused_rows, matrix } = plan;
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
            slides: structure.constraints.iter().any(Constraint::has_moving_end)
                || seats.iter().any(|seat| seat.own_count() > 0 || seat.behind_rows.is_some()),
            pushes: structure.constraints.iter().any(|constraint| constraint.law.pushes())
                || Sources::most_rows(structure) > 0,
            duals,
            matrix,
            factor,
            symbolic,
            lumped,
            sliding_mass,
            weighed_in: structure.revision.clone(),
            refine: RefineWork::new(scalars / 4),
            shift: vec![0.0; scalars],
            mass_like: false,
            rhs: vec![0.0; unknowns],
            solution: vec![0.0; unknowns],
            kept: vec![0.0; unknowns],
            scratch: Vec::with_capacity(scalars),
            halfway: false,
            places: vec![[Place::NOWHERE; ENDS]; seats.len()],
            placed_in: None,
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

    /// Removes the mass-like term.
    pub(crate) fn clear_mass_like(&mut self) {
        if self.mass_like {
            self.shift.fill(0.0);
            self.mass_like = false;
        }
    }

    /// Constraints with redundant rows in the last solve.
    pub fn redundant(&self) -> impl Iterator<Item = usize> {
        marked(&self.redundant)
    }

    /// Constraints with contradictory rows in the last solve.
    pub fn conflicting(&self) -> impl Iterator<Item = usize> {
        marked(&self.conflicting)
    }

    /// Number of dual nodes.
    pub fn dual_nodes(&self) -> usize {
        self.matrix.nodes() - self.primal_nodes
    }

    /// Number of negative pivots if A is definite: those of rows, used or not.
    pub(crate) fn expected_negative(&self) -> usize {
        4 * self.dual_nodes() - self.seats.iter().filter(|seat| seat.behind_rows.is_some()).count()
    }

    /// Number of own unknowns that are condensed and not part of the matrix.
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

    /// Owner of a node of the system.
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

    /// The regularisation of the matrix.
    pub fn shift(&self) -> &[f64] {
        &self.shift
    }

    /// The right side.
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

/// Terms for which a system has room.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    /// Dynamic steps.
    Step,
    /// Statics: also terms between the two ends of constraints.
    Pairs,
    /// Masses and rows.
    Projection,
}

/// Pattern and seats.
struct Plan {
    seats: Vec<Seat>,
    lengths: Vec<LengthRows>,
    primal_nodes: usize,
    unused_rows: Vec<u32>,
    matrix: BlockMatrix,
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
                // After rows that have met inertia it has a pivot, even if nothing but the rows resists it.
                // In statics rows may not have met any stiffness yet. With redundant rows an augmented node
                // of its own is more accurate.
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
                // Rows with a node for an own unknown are always augmented, others in statics.
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
        Self { seats, lengths, primal_nodes, unused_rows, matrix }
    }
}

/// The nodes of a place in the system.
pub(super) fn nodes_of(structure: &Structure, place: &Place) -> impl Iterator<Item = u32> {
    let first = place.object().map_or(0, |object| structure.objects[object].first as u32);
    place.nodes().iter().map(move |node| first + node)
}

/// The nodes on which a place depends, with their local numbers.
fn touched_nodes(structure: &Structure, place: &Place, framed: bool) -> impl Iterator<Item = (usize, u32)> {
    nodes_of(structure, place).enumerate().filter(move |&(k, _)| place.touches(k, framed))
}

fn marked(marks: &[bool]) -> impl Iterator<Item = usize> {
    marks.iter().enumerate().filter(|(_, marked)| **marked).map(|(k, _)| k)
}

/// Slots of blocks that no object overwrites in its linearisation: those of masses, springs between objects,
/// and constraints.
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
    /// The nodes of the ends of a constraint; none if it is condensed onto nodes of its rod.
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
                End::Fixed { place, .. } => {
                    for (k, node) in touched_nodes(structure, &place, seat.framed[e]) {
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

    /// Whether its rows in a dual node depend on its local node n.
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

    /// Start of the slots of its `d`-th dual node in [`System::slots`], one for each of its nodes.
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

/// Lumped mass matrices; `ones` has one 1 per unknown.
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
    /// Updates the masses of a system that is reused: they are not part of its pattern. Those of objects
    /// change by edits and with the lengths of rods on winches, those of sliding masses with their places.
    /// `ones` is scratch of one number per unknown of objects.
    pub(super) fn weigh(&mut self, structure: &Structure, state: &State, ones: &mut [f64]) {
        if !self.weighed_in.is(&structure.revision) || !structure.winches.is_empty() {
            self.weighed_in = structure.revision.clone();
            ones.fill(1.0);
            lump(structure, state, ones, &mut self.lumped);
        }
        weigh_sliding(structure, state, &self.seats, &mut self.sliding_mass);
    }
}
