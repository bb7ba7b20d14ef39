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
use super::rotation::Swing;
use super::seat::{Seat, Touched, nodes_of};
use super::share_rows::RowPlaces;
use super::weigh::{lump, weigh_sliding};
use crate::constraint::{Constraint, ConstraintState, ENDS, Rows, Site};
use crate::contact::{ContactSource as _, Sources, Strike};
use crate::object::Place;
use crate::scene::SweepSettings;
use crate::world::State;
use crate::world::{Revision, Spot, Structure};
use glam::{DMat3, DVec3};
use micado_linalg::{BlockMatrix, Factor, NodeKind, Ordering, Pattern, RefineWork, Symbolic, pages};

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
    /// Limits of the sweeps over bilateral rows, if these are swept instead of factored.
    pub(crate) swept: Option<SweepSettings>,
    /// Whether constraints have non-smooth laws, contacts are possible, or bilateral rows are swept.
    pub(crate) pushes: bool,
    pub(crate) matrix: BlockMatrix,
    pub(crate) symbolic: Symbolic,
    pub(crate) factor: Factor,
    pub(crate) refine: RefineWork,
    /// Row sums of the mass matrix, four per object node, absolute values; 0 for unused scalars.
    pub(crate) lumped: Vec<f64>,
    /// Own unknowns of sliding masses: node, and |r₀'|², m².
    pub(crate) sliding_mass: Vec<(usize, f64)>,
    /// The revision of the structure that the masses are from.
    pub(super) weighed_in: Revision,
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
    /// Of each sliding mass: position at the start of the step, velocity after shocks, and the sums of force
    /// and inertia.
    pub(crate) mass_start: Vec<DVec3>,
    pub(crate) mass_velocity: Vec<DVec3>,
    pub(crate) mass_force: Vec<DVec3>,
    pub(crate) mass_inertia: Vec<f64>,
    /// Whether a shock has changed the velocity of a sliding mass before the step.
    pub(crate) struck: Vec<bool>,
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
    /// Constraints whose rows may have the directions of the start of the step, and those whose rows do.
    pub(super) may_keep: Vec<bool>,
    pub(super) from_start: Vec<bool>,
    /// Stiffness of the forces at arms of each object, N·m.
    pub(super) arms: Vec<DMat3>,
    /// `arms` divided by the inertia, 1/s².
    pub(super) turning: Vec<f64>,
    /// Inertia of objects as their constraints leave it, where `turning` is large.
    pub(super) swings: Vec<Swing>,
    /// Constraints with redundant rows, and with contradictory rows, in the last solve.
    pub(crate) redundant: Vec<bool>,
    pub(crate) conflicting: Vec<bool>,
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

    /// Builds and analyses the system of a structure.
    pub(super) fn with_room(structure: &Structure, state: &State, room: Room) -> Self {
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
            swept: room.swept(structure),
            pushes: structure.constraints.iter().any(|constraint| constraint.law.pushes())
                || room.swept(structure).is_some()
                || structure.touching.is_on()
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
            places: pages::filled([Place::NOWHERE; ENDS], seats.len()),
            placed_in: None,
            sites: pages::filled([Site::WORLD; ENDS], seats.len()),
            mass_start: vec![DVec3::ZERO; seats.len()],
            mass_velocity: vec![DVec3::ZERO; seats.len()],
            mass_force: vec![DVec3::ZERO; seats.len()],
            mass_inertia: vec![0.0; seats.len()],
            struck: vec![false; seats.len()],
            sources: Sources::default(),
            // Neighbours, and both ends of a rod.
            strikes: Vec::with_capacity(3 * Sources::most_rows(structure)),
            non_smooth: NonSmooth::with_room(structure, room.swept(structure).is_some(), unknowns),
            touched: seats
                .iter()
                .zip(structure.constraints.iter().zip(&state.constraints))
                .map(|(seat, (constraint, memory))| {
                    seat.touched(structure, &constraint.places(&structure.objects, memory))
                })
                .collect(),
            rows: pages::filled(Rows::default(), seats.len()),
            expected: vec![0.0; scalars - 4 * primal_nodes],
            condensed,
            slots,
            loose,
            unused_rows,
            duplicate_rows: duplicates.iter().map(|&(k, _)| structure.constraints[k].law.rows().max(1)).sum(),
            duplicates,
            segments: structure.objects.iter().map(|object| object.model().elements() as u64).sum(),
            augmented: vec![false; seats.len()],
            may_keep: vec![false; seats.len()],
            from_start: vec![false; seats.len()],
            arms: Vec::with_capacity(structure.objects.len()),
            turning: Vec::with_capacity(structure.objects.len()),
            swings: Vec::with_capacity(structure.objects.len()),
            redundant: vec![false; seats.len()],
            conflicting: vec![false; seats.len()],
            seats: pages::moved(seats),
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
        let one_sided = self.non_smooth.contradictions.iter().copied();
        marked(&self.conflicting).chain(one_sided.filter(|&k| !self.conflicting[k]))
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// Dynamic steps with the positive semidefinite part of the curvature of constraints.
    Step,
    /// Dynamic steps with their exact curvature.
    ExactStep,
    /// Statics: also terms between the two ends of constraints.
    Pairs,
    /// Masses and rows.
    Projection,
}

impl Room {
    /// Whether there is room for the exact curvature of constraints.
    pub(super) fn is_exact(self) -> bool {
        matches!(self, Self::ExactStep | Self::Pairs)
    }

    /// Limits of the sweeps, if bilateral rows are swept. They are in dynamic steps of a structure with swept
    /// constraints.
    fn swept(self, structure: &Structure) -> Option<SweepSettings> {
        structure.swept.filter(|_| matches!(self, Self::Step | Self::ExactStep))
    }
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
                let couples = constraint.couples_ends(memory, room.is_exact());
                seat.paired = memory.duplicate_of.is_none() && (pairs || couples || seat.own_count() > 0);
                let soft = stiff > 0 && constraint.law.is_soft();
                for (i, &a) in seat.nodes().iter().enumerate() {
                    for &b in seat.nodes().iter().skip(i + 1) {
                        if a != b && (seat.paired || soft) {
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
            if room.swept(structure).is_some() {
                // Only A is factored. The node of swept rows has no neighbours; it holds −λ of the sweeps.
                continue;
            }
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
