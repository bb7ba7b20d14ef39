//! Order the unknowns: one symbolic analysis per structure.
//!
//! Natural order of nodes: control points and masses, then own unknowns of constraints, then constraint rows in groups of
//! four. The linear algebra permutes; everybody else counts naturally.

use crate::constraint::{MAX_NODES, MAX_ROWS, Rows};
use crate::object::ObjectKind;
use crate::rod::spline::Place;
use crate::world::Structure;
use micado_linalg::{BlockMatrix, Factor, NodeKind, Ordering, Pattern, RefineWork, Symbolic};

/// The linear system of a structure, with all its memory.
#[derive(Clone, Debug)]
pub struct System {
    /// Nodes of objects.
    pub(crate) object_nodes: usize,
    /// Nodes before the constraint rows: objects and own unknowns.
    pub(crate) primal_nodes: usize,
    /// Where each constraint sits.
    pub(crate) seats: Vec<Seat>,
    pub(crate) matrix: BlockMatrix,
    pub(crate) symbolic: Symbolic,
    pub(crate) factor: Factor,
    pub(crate) refine: RefineWork,
    /// Row sums of the mass matrix, four per object node, without signs; 0 where nothing moves.
    pub(crate) lumped: Vec<f64>,
    /// Regularisation: −ε on constraint rows, a mass-like term on objects in statics.
    pub(crate) shift: Vec<f64>,
    /// Whether statics or modes have left a mass-like term.
    pub(crate) mass_like: bool,
    pub(crate) rhs: Vec<f64>,
    /// Δ, then −λ.
    pub(crate) solution: Vec<f64>,
    pub(crate) scratch: Vec<f64>,
    /// Places of the constraints, their rows in the present linearisation, and the squared norms of these in the compliance
    /// of the diagonal.
    pub(crate) places: Vec<Place>,
    pub(crate) rows: Vec<Rows>,
    pub(crate) norms: Vec<[f64; MAX_ROWS]>,
    /// λ from which regularisation is counted, four per dual node: those of the last solve.
    pub(crate) expected: Vec<f64>,
    /// Slots of all seats, see [`Seat`].
    pub(crate) slots: Vec<u32>,
    /// Slots of blocks that no rod overwrites.
    pub(crate) loose: Vec<u32>,
    /// Constraints with rows that follow from others, and with rows that contradict others, in the last solve.
    pub(crate) redundant: Vec<bool>,
    pub(crate) conflicting: Vec<bool>,
}

/// Where a constraint sits in the system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    /// Nodes that it touches: those of its place, then its own unknown.
    pub(crate) nodes: [u32; MAX_NODES],
    /// Which weight of its place each of them has.
    weights: [u8; MAX_NODES],
    /// How many.
    pub(crate) count: usize,
    /// Whether its rows speak of more than the position.
    pub(crate) framed: bool,
    /// Node of its own unknown.
    pub(crate) own: Option<u32>,
    /// Its first dual node.
    pub(crate) dual: u32,
    /// Number of rows.
    pub(crate) rows: usize,
    /// Where its slots begin in [`System::slots`]: those of the blocks (node, dual) by dual node and node, then those of the
    /// blocks between its nodes, upper triangle by node number.
    slots: u32,
}

impl System {
    /// Builds and analyses the system of a structure.
    pub fn new(structure: &Structure) -> Self {
        let object_nodes = structure.node_mass.len();
        let mut pattern = Pattern::new();
        for _ in 0..object_nodes {
            pattern.add_node(NodeKind::Primal);
        }
        for object in &structure.objects {
            if let ObjectKind::Rod(rod) = &object.kind {
                for e in 0..rod.segments() {
                    let nodes: [u32; 4] = std::array::from_fn(|k| (object.first + rod.node(e, k)) as u32);
                    pattern.clique(&nodes);
                }
            }
        }
        for spring in &structure.springs {
            let nodes: Vec<u32> = spring.ends.iter().filter_map(|end| end.place()).flat_map(|place| place.nodes().to_vec()).collect();
            pattern.clique(&nodes);
        }
        let mut seats: Vec<Seat> = structure
            .constraints
            .iter()
            .map(|constraint| {
                let (mut nodes, mut weights, mut count) = ([0; MAX_NODES], [0; MAX_NODES], 0);
                for k in (0..4).filter(|&k| constraint.touches(k)) {
                    (nodes[count], weights[count]) = (constraint.place.nodes[k], k as u8);
                    count += 1;
                }
                let own = constraint.law.has_own_unknown().then(|| pattern.add_node(NodeKind::Primal));
                if let Some(own) = own {
                    nodes[count] = own;
                    count += 1;
                }
                pattern.clique(&nodes[..count]);
                Seat {
                    nodes,
                    weights,
                    count,
                    framed: constraint.description.site().needs_frame,
                    own,
                    dual: 0,
                    rows: constraint.law.rows(),
                    slots: 0,
                }
            })
            .collect();
        let primal_nodes = pattern.len();
        for seat in &mut seats {
            for d in 0..seat.rows.div_ceil(4) {
                let dual = pattern.add_node(NodeKind::Dual);
                if d == 0 {
                    seat.dual = dual;
                }
                for &node in &seat.nodes[..seat.count] {
                    pattern.connect(node, dual);
                }
            }
        }
        let mut lumped = vec![0.0; 4 * object_nodes];
        for object in &structure.objects {
            let range = object.unknowns();
            object.add_mass_times(&vec![1.0; range.len()], &mut lumped[range]);
        }
        // Row sums of Catmull–Rom are negative at its outermost control points.
        lumped.iter_mut().for_each(|mass| *mass = mass.abs());
        let matrix = BlockMatrix::new(&pattern);
        drop(pattern);
        let mut slots = Vec::new();
        for seat in &mut seats {
            seat.find_slots(&matrix, &mut slots);
        }
        let loose = loose_slots(structure, &matrix);
        let symbolic = Symbolic::analyse(&matrix, Ordering::Cheapest);
        let factor = Factor::new(&symbolic);
        let unknowns = 4 * matrix.nodes();
        Self {
            object_nodes,
            primal_nodes,
            matrix,
            factor,
            symbolic,
            lumped,
            refine: RefineWork::new(unknowns / 4),
            shift: vec![0.0; unknowns],
            mass_like: false,
            rhs: vec![0.0; unknowns],
            solution: vec![0.0; unknowns],
            scratch: Vec::with_capacity(unknowns),
            places: structure.constraints.iter().map(|constraint| constraint.place).collect(),
            rows: vec![Rows::default(); seats.len()],
            norms: vec![[0.0; MAX_ROWS]; seats.len()],
            expected: vec![0.0; unknowns - 4 * primal_nodes],
            slots,
            loose,
            redundant: vec![false; seats.len()],
            conflicting: vec![false; seats.len()],
            seats,
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

    /// Number of scalar constraint rows.
    pub fn multipliers(&self) -> usize {
        self.seats.iter().map(|seat| seat.rows).sum()
    }

    /// Number of scalar unknowns of objects and constraints, rows not counted.
    pub fn unknowns(&self) -> usize {
        4 * self.object_nodes + self.seats.iter().filter(|seat| seat.own.is_some()).count()
    }

    /// The constraint that a node of its own unknown or of its rows belongs to.
    pub fn constraint_of(&self, node: usize) -> Option<usize> {
        self.seats.iter().position(|seat| {
            let rows = seat.dual as usize..seat.dual as usize + seat.rows.div_ceil(4);
            rows.contains(&node) || seat.own.is_some_and(|own| own as usize == node)
        })
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
        &self.rhs
    }

    /// Counted operations of a factorisation.
    pub fn flops(&self) -> u64 {
        self.symbolic.flops()
    }
}

fn marked(marks: &[bool]) -> impl Iterator<Item = usize> {
    marks.iter().enumerate().filter(|(_, marked)| **marked).map(|(k, _)| k)
}

/// Slots of blocks that no rod overwrites when it is linearised: of masses, springs between objects, and constraints.
fn loose_slots(structure: &Structure, matrix: &BlockMatrix) -> Vec<u32> {
    let mut loose = vec![true; matrix.values().len()];
    for object in &structure.objects {
        if let ObjectKind::Rod(rod) = &object.kind {
            for e in 0..rod.segments() {
                for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                    let (i, j) = ((object.first + rod.node(e, i)) as u32, (object.first + rod.node(e, j)) as u32);
                    if let Some(slot) = matrix.slot(i.min(j), i.max(j)) {
                        loose[slot] = false;
                    }
                }
            }
        }
    }
    (0..loose.len() as u32).filter(|&slot| loose[slot as usize]).collect()
}

impl Seat {
    fn find_slots(&mut self, matrix: &BlockMatrix, slots: &mut Vec<u32>) {
        self.slots = slots.len() as u32;
        let slot = |i: u32, j: u32| matrix.slot(i.min(j), i.max(j)).map_or(u32::MAX, |slot| slot as u32);
        for d in 0..self.rows.div_ceil(4) as u32 {
            slots.extend(self.nodes().iter().map(|&node| slot(node, self.dual + d)));
        }
        for &a in self.nodes() {
            slots.extend(self.nodes().iter().map(|&b| slot(a, b)));
        }
    }

    /// Nodes that it touches.
    pub(crate) fn nodes(&self) -> &[u32] {
        &self.nodes[..self.count]
    }

    /// How many of them belong to its place.
    pub(crate) fn on_place(&self) -> usize {
        self.count - usize::from(self.own.is_some())
    }

    /// Which weight of its place the local node n has.
    pub(crate) fn weight(&self, n: usize) -> usize {
        self.weights[n] as usize
    }

    /// Index in [`System::slots`] of the block (node n, dual node d), both local.
    pub(crate) fn dual_slot(&self, d: usize, n: usize) -> usize {
        self.slots as usize + d * self.count + n
    }

    /// Index in [`System::slots`] of the block between the local nodes i and j.
    pub(crate) fn pair_slot(&self, i: usize, j: usize) -> usize {
        self.slots as usize + (self.rows.div_ceil(4) + i) * self.count + j
    }
}
