//! Non-smooth rows: build compliance → solve constraints → correct.
//!
//! Rows come from constraints and from contacts (`contact/`). Unilateral, stop and friction rows are not part
//! of the factored system. With its factor S, the response to a unit force on row i is `z_i = S⁻¹ h_i`, and
//! in constraint space `δ = W f + b`, `W_ij = h_i·z_j`, b the displacement in the free motion. Sweeps over
//! the laws find f, and `Σ z_i f_i` corrects the motion, including the multipliers of all other rows.
//!
//! Only rows whose law is violated are active. A correction may violate others, so the stages repeat until no
//! law is violated.
//!
//! W, the responses z and those of normal forces are dense within a system: S⁻¹ of an island is full, so
//! every active row moves every other. Each island is a system of its own, hence nothing grows with the
//! square of the rows of several islands. In a world that is stepped as one system (winches, quasi-dynamic
//! steps) W has the rows of all islands, and the zeros between them are stored.
//!
//! Some constraints have rows in the factored system whose multiplier is bounded. Above its strength such an
//! absorbed row yields: an opening d in the right side, `JΔ = E + d`, with the response `λ = Y d + λ₀`. The
//! mixed matrix of pushes and openings is monotone but not symmetric. Exchanging d and λ turns it into the
//! compliance of the system without these rows, which is symmetric and positive, and the law into one on λ:
//! within its bounds, and d = 0 inside them.

use super::Timer;
use super::order::{Seat, System, nodes_of};
use super::report::{Stage, StepReport};
use crate::constraint::{
    Circumstances, ConstraintState, ENDS, End, Law, MAX_PUSHES, NonSmoothBlock, NonSmoothRow, NormalForce,
    Site, Wrench,
};
use crate::contact::{Contact, ContactKey, ContactSource as _, Remembered, Sources, View};
use crate::law::{BlockLaw, Kept, MAX_BLOCK, Problem, Sweeps};
use crate::object::MaterialCurve;
use crate::object::Place;
use crate::world::State;
use crate::world::Structure;
use glam::DVec3;
use micado_linalg::Arithmetic;

/// Most sweeps over the rows, and the tolerance on the change of a displacement in the last sweep, as a share
/// of the structure's size.
const SWEEPS: usize = 400;
const TOLERANCE: f64 = 1e-13;
/// Most rounds in which violated rows are added.
const ROUNDS: usize = 20;
/// Relative excess of a multiplier over its strength above which an absorbed row yields; less is rounding.
const EXCESS: f64 = 1e-12;
/// Least opening at which a constraint opens: a share of the structure's size (m), or rad. Less is rounding.
const LEAST_OPENING: f64 = 1e-9;

/// A block of the present solve: rows with one law.
#[derive(Clone, Copy, Debug)]
struct Block {
    owner: Owner,
    law: BlockLaw,
    /// Index of its first row; the others follow.
    first: usize,
    /// Initial guess of its forces.
    guess: [f64; MAX_BLOCK],
    /// Memory of its law.
    kept: Kept,
    /// Its number among the active blocks, if it is active.
    active: Option<usize>,
    /// Load of absorbed rows as a share of the strength when they began to yield.
    load: f64,
}

/// Owner of a block.
#[derive(Clone, Copy, Debug)]
enum Owner {
    /// Unilateral, stop or friction rows of a constraint; `row` is the number of the first.
    Constraint { constraint: usize, row: usize },
    /// A contact.
    Contact(ContactKey),
    /// Rows of a constraint in the factored system whose multipliers are bounded.
    Absorbed { constraint: usize },
}

impl Block {
    fn new(owner: Owner, law: BlockLaw, first: usize) -> Self {
        let (guess, kept) = ([0.0; MAX_BLOCK], Kept::default());
        Self { owner, law, first, guess, kept, active: None, load: 0.0 }
    }

    /// The constraint whose absorbed rows it bounds.
    fn absorbed(&self) -> Option<usize> {
        if let Owner::Absorbed { constraint } = self.owner { Some(constraint) } else { None }
    }

    fn rows(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.law.rows()
    }
}

/// A row of the present solve.
#[derive(Clone, Copy, Debug)]
struct BlockRow {
    /// Displacement without motion.
    gap: f64,
    /// Range in the list of coefficients.
    coefficients: (usize, usize),
    /// Range in the list of coefficients of the normal force.
    normals: (usize, usize),
    /// Normal force without motion.
    normal: DVec3,
    /// Whether it is an angle, rad, not a length, m.
    angle: bool,
    /// Whether it is a row of the factored system, which yields by an opening in its right side.
    absorbed: bool,
}

/// An absorbed row that is active.
struct Opening {
    constraint: usize,
    /// Its opening, m or rad.
    by: f64,
    /// Whether the opening is an angle.
    angle: bool,
    /// Load as a share of the strength when it began to yield.
    load: f64,
}

/// Σ c x, in four independent sums.
fn product(coefficients: &[(u32, f64)], x: &[f64]) -> f64 {
    let (fours, rest) = coefficients.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        sums = std::array::from_fn(|a| sums[a] + four[a].1 * x[four[a].0 as usize]);
    }
    rest.iter().fold((sums[0] + sums[1]) + (sums[2] + sums[3]), |sum, &(i, c)| sum + c * x[i as usize])
}

/// Largest initial capacity of the responses, 64 MB of numbers; it grows on demand.
const ROOM: usize = 8 << 20;

/// Scratch of the stages, with room for the largest number of rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct NonSmooth {
    blocks: Vec<Block>,
    rows: Vec<BlockRow>,
    coefficients: Vec<(u32, f64)>,
    normals: Vec<(u32, DVec3)>,
    /// Active blocks in the order of their activation, and their rows.
    active: Vec<usize>,
    active_rows: Vec<usize>,
    /// First active row of each active block.
    first_active_rows: Vec<usize>,
    /// z of each active row, and scratch of its solve.
    responses: Vec<f64>,
    work: Vec<f64>,
    compliance: Vec<f64>,
    start: Vec<f64>,
    laws: Vec<BlockLaw>,
    kept: Vec<Kept>,
    normal: Vec<DVec3>,
    normal_response: Vec<DVec3>,
    /// Scratch of the sweeps.
    sweep_scratch: Vec<f64>,
    /// Unknowns of the sweeps: pushes, and multipliers of yielding rows.
    forces: Vec<f64>,
    /// Factors of the responses: pushes and openings.
    inputs: Vec<f64>,
}

impl NonSmooth {
    /// Whether absorbed rows of constraint k yield.
    pub(super) fn yields(&self, k: usize) -> bool {
        self.openings().any(|opening| opening.constraint == k && opening.by != 0.0)
    }

    /// Absorbed rows that are active.
    fn openings(&self) -> impl Iterator<Item = Opening> {
        let rows = self.active.iter().flat_map(|&i| self.blocks[i].rows().map(move |row| (i, row)));
        rows.zip(&self.inputs).filter_map(|((i, row), &by)| {
            let (block, angle) = (&self.blocks[i], self.rows[row].angle);
            block.absorbed().map(|constraint| Opening { constraint, angle, by, load: block.load })
        })
    }

    /// Room for all non-smooth rows of a structure, of constraints and of contacts.
    pub(crate) fn with_room(structure: &Structure, unknowns: usize) -> Self {
        let of_one = |law: &Law| {
            (if law.may_give() { law.rows() } else { 0 }) + if law.is_non_smooth() { MAX_PUSHES } else { 0 }
        };
        let of_all: usize = structure.constraints.iter().map(|constraint| of_one(&constraint.law)).sum();
        let rows = of_all + Sources::most_rows(structure);
        // A row has coefficients at two places with four nodes of four unknowns, and on an own unknown at
        // each end; a normal force has three components at four nodes.
        let (coefficients, normals) = (rows * 2 * (ENDS * 16 + ENDS), rows * 12);
        let active = rows.min(ROOM / unknowns.max(1));
        Self {
            blocks: Vec::with_capacity(rows),
            rows: Vec::with_capacity(rows),
            coefficients: Vec::with_capacity(coefficients),
            normals: Vec::with_capacity(normals),
            active: Vec::with_capacity(rows),
            active_rows: Vec::with_capacity(rows),
            first_active_rows: Vec::with_capacity(rows),
            responses: Vec::with_capacity(active * unknowns),
            // Four right sides at a time, on cache lines.
            work: Vec::with_capacity(if rows > 0 { 4 * unknowns + 8 } else { 0 }),
            compliance: Vec::with_capacity(active * active),
            start: Vec::with_capacity(rows),
            laws: Vec::with_capacity(rows),
            kept: Vec::with_capacity(rows),
            normal: Vec::with_capacity(rows),
            normal_response: Vec::with_capacity(active * active),
            sweep_scratch: Vec::with_capacity(active * (active + 1)),
            forces: Vec::with_capacity(rows),
            inputs: Vec::with_capacity(rows),
        }
    }

    /// Removes the rows of the previous solve.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.rows.clear();
        self.coefficients.clear();
        self.normals.clear();
        self.active.clear();
        self.active_rows.clear();
        self.first_active_rows.clear();
        self.laws.clear();
        self.kept.clear();
        self.responses.clear();
        self.forces.clear();
        self.inputs.clear();
    }

    /// Stores forces and memory of the blocks of constraints in their states.
    pub(crate) fn remember(&self, states: &mut [ConstraintState]) {
        for block in &self.blocks {
            if let Owner::Constraint { constraint, row } = block.owner {
                let (state, rows) = (&mut states[constraint], block.law.rows());
                state.pushes[row..row + rows].copy_from_slice(&self.forces_of(block)[..rows]);
                state.kept[row] = self.kept_by(block);
            }
        }
    }

    /// Memory of all contacts.
    pub(crate) fn contacts(&self) -> impl Iterator<Item = Remembered> {
        self.blocks.iter().filter_map(|block| match block.owner {
            Owner::Contact(key) => {
                Some(Remembered { key, forces: self.forces_of(block), kept: self.kept_by(block) })
            }
            _ => None,
        })
    }

    /// Memory of the law of a block after the solve.
    fn kept_by(&self, block: &Block) -> Kept {
        block.active.map_or(block.kept, |active| self.kept[active])
    }

    /// Forces of a block; zero if it is not active.
    fn forces_of(&self, block: &Block) -> [f64; MAX_BLOCK] {
        let mut forces = [0.0; MAX_BLOCK];
        if let Some(active) = block.active {
            let first = self.first_active_rows[active];
            let rows = block.law.rows();
            forces[..rows].copy_from_slice(&self.forces[first..first + rows]);
        }
        forces
    }

    /// The yielding constraint with the largest load, and that load as a share of its strength.
    pub(crate) fn weakest(&self, size: f64) -> Option<(usize, f64)> {
        let mut weakest: Option<(usize, f64)> = None;
        for Opening { constraint, by, angle, load } in self.openings() {
            let least = if angle { LEAST_OPENING } else { LEAST_OPENING * size };
            if by.abs() > least && weakest.is_none_or(|(_, known)| load > known) {
                weakest = Some((constraint, load));
            }
        }
        weakest
    }

    /// δ of a row in a motion; λ of an absorbed one.
    fn displacement(&self, row: &BlockRow, motion: &[f64]) -> f64 {
        let (from, to) = row.coefficients;
        row.gap + product(&self.coefficients[from..to], motion)
    }

    /// δ of all rows of a block.
    fn displacements(&self, block: &Block, motion: &[f64]) -> [f64; MAX_BLOCK] {
        let mut found = [0.0; MAX_BLOCK];
        for (found, row) in found.iter_mut().zip(&self.rows[block.rows()]) {
            *found = self.displacement(row, motion);
        }
        found
    }

    /// Normal force of a row in a motion.
    fn normal_force(&self, row: &BlockRow, motion: &[f64]) -> DVec3 {
        let (from, to) = row.normals;
        row.normal + self.normals[from..to].iter().map(|&(i, c)| c * motion[i as usize]).sum::<DVec3>()
    }

    /// Activates a block, with a guess of its forces.
    fn activate(&mut self, i: usize, guess: &[f64; MAX_BLOCK]) {
        let block = &mut self.blocks[i];
        block.active = Some(self.active.len());
        self.active.push(i);
        self.first_active_rows.push(self.active_rows.len());
        self.laws.push(block.law);
        self.kept.push(block.kept);
        let rows = block.rows();
        self.forces.extend_from_slice(&guess[..rows.len()]);
        self.inputs.extend(rows.clone().map(|_| 0.0));
        self.active_rows.extend(rows);
    }

    /// Activates a block if the motion violates its law, or if multipliers of absorbed rows exceed their
    /// strength.
    fn activate_if_violated(&mut self, i: usize, motion: &[f64], tolerance: f64) {
        let block = self.blocks[i];
        if block.active.is_some() {
            return;
        }
        let found = self.displacements(&block, motion);
        if block.absorbed().is_none() {
            if block.law.is_broken(&found[..block.law.rows()], &block.guess, tolerance) {
                self.activate(i, &block.guess);
            }
            return;
        }
        let load = block.law.load(&found);
        if load > 1.0 + EXCESS {
            self.blocks[i].load = load;
            self.activate(i, &found);
        }
    }

    /// Adds the rows of a contact, with its memory.
    fn add_contact(&mut self, view: &View<'_>, seats: &[Seat], contact: &Contact<'_>) {
        let block = Block::new(Owner::Contact(contact.key), contact.law, self.rows.len());
        self.blocks.push(match view.state.contacts.find(&contact.key) {
            Some(known) => Block { guess: contact.law.guess(&known.forces), kept: known.kept, ..block },
            None => block,
        });
        for row in &contact.rows[..contact.law.rows()] {
            let (first, normals) = (self.coefficients.len(), self.normals.len());
            for (s, side) in contact.sides.iter().enumerate() {
                self.push_wrench(view.structure, side.place, side.site, &row.wrenches[s]);
                self.push_own(side.own.and_then(|(k, e)| seats[k].own_scalar(e)), row.own[s]);
            }
            self.rows.push(BlockRow {
                gap: row.gap,
                coefficients: (first, self.coefficients.len()),
                normals: (normals, normals),
                normal: DVec3::ZERO,
                angle: false,
                absorbed: false,
            });
        }
    }

    /// Coefficients of a wrench at a place.
    fn push_wrench(&mut self, structure: &Structure, place: &Place, site: &Site, wrench: &Wrench) {
        // A stop has a coefficient on its own unknown only.
        if !place.is_somewhere() || *wrench == Wrench::default() {
            return;
        }
        let spread = place.spread(wrench, site);
        for (n, node) in nodes_of(structure, place).enumerate() {
            let entries = place.on_node(n, &spread);
            let node = 4 * node;
            let some = (0..4).filter(|&a| entries[a] != 0.0).map(|a| (node + a as u32, entries[a]));
            self.coefficients.extend(some);
        }
    }

    /// Coefficient of an own unknown, by its scalar number.
    fn push_own(&mut self, own: Option<usize>, coefficient: f64) {
        if let (Some(own), true) = (own, coefficient != 0.0) {
            self.coefficients.push((own as u32, coefficient));
        }
    }

    /// Exchanges openings and multipliers: afterwards the multipliers are the unknowns of compliance, start
    /// and normal forces.
    fn exchange(&mut self) {
        let Self { rows: all, active_rows, compliance, start, normal, normal_response, .. } = self;
        let rows = active_rows.len();
        for k in (0..rows).filter(|&k| all[active_rows[k]].absorbed) {
            let pivot = 1.0 / compliance[k * rows + k];
            for i in (0..rows).filter(|&i| i != k) {
                let factor = compliance[i * rows + k] * pivot;
                let answer = normal_response[i * rows + k] * pivot;
                for j in (0..rows).filter(|&j| j != k) {
                    compliance[i * rows + j] -= factor * compliance[k * rows + j];
                    normal_response[i * rows + j] -= answer * compliance[k * rows + j];
                }
                (compliance[i * rows + k], normal_response[i * rows + k]) = (factor, answer);
                start[i] -= factor * start[k];
                normal[i] -= answer * start[k];
            }
            for j in (0..rows).filter(|&j| j != k) {
                compliance[k * rows + j] *= -pivot;
            }
            (compliance[k * rows + k], start[k]) = (pivot, -pivot * start[k]);
        }
    }
}

impl System {
    /// Collects the non-smooth rows of all constraints, in order, then of contacts.
    pub(crate) fn collect_non_smooth(&mut self, structure: &Structure, state: &State, time: f64, gain: f64) {
        self.non_smooth.clear();
        for (k, (constraint, memory)) in structure.constraints.iter().zip(&state.constraints).enumerate() {
            // In statics the load is compared with the strength after convergence.
            if gain > 0.0 && !memory.open {
                self.add_absorbed(k, &constraint.law);
            }
            if !constraint.law.is_non_smooth() || memory.duplicate_of.is_some() {
                continue;
            }
            let mut here = Circumstances { own: memory.own, ..Circumstances::default() };
            for e in 0..ENDS {
                here.slid[e] = memory.own[e] - memory.own_start[e];
                if let End::Sliding { object } = constraint.ends[e] {
                    here.range[e] = structure.objects[object].curve().and_then(MaterialCurve::ends);
                }
            }
            if constraint.law.sliding_mass().is_some() {
                here.force = self.mass_force[k];
                here.inertia = self.mass_inertia[k];
            }
            let sites = self.sites[k];
            constraint.law.non_smooth(&sites, time, &here, |block| {
                self.add_block(structure, (k, memory), block);
            });
        }
        let Self { sources, non_smooth, places, sites, seats, condensed, .. } = self;
        let view = View { structure, state, places, sites, condensed: !condensed.is_empty() };
        sources.find(&view, &mut |contact| non_smooth.add_contact(&view, seats, contact));
    }

    /// Adds the rows of a constraint in the factored system whose multipliers are bounded.
    fn add_absorbed(&mut self, k: usize, law: &Law) {
        let (dual, of) = (self.seats[k].first_row as u32, &self.rows[k]);
        let NonSmooth { blocks, rows, coefficients, normals, .. } = &mut self.non_smooth;
        law.strengths(|first, law| {
            blocks.push(Block::new(Owner::Absorbed { constraint: k }, law, rows.len()));
            for row in first..first + law.rows() {
                // The solution holds −λ.
                coefficients.push((dual + row as u32, -1.0));
                rows.push(BlockRow {
                    gap: 0.0,
                    coefficients: (coefficients.len() - 1, coefficients.len()),
                    normals: (normals.len(), normals.len()),
                    normal: DVec3::ZERO,
                    angle: of[row].angle,
                    absorbed: true,
                });
            }
        });
    }

    /// Adds a block of constraint k, with the memory of its last solve.
    fn add_block(
        &mut self,
        structure: &Structure,
        (k, memory): (usize, &ConstraintState),
        given: &NonSmoothBlock<'_>,
    ) {
        let rows = given.law.rows();
        debug_assert_eq!(given.rows.len(), rows, "one row per row of the law");
        let mut last = [0.0; MAX_BLOCK];
        last[..rows].copy_from_slice(&memory.pushes[given.first..given.first + rows]);
        let owner = Owner::Constraint { constraint: k, row: given.first };
        let block = Block::new(owner, given.law, self.non_smooth.rows.len());
        let (guess, kept) = (given.law.guess(&last), memory.kept[given.first]);
        self.non_smooth.blocks.push(Block { guess, kept, ..block });
        given.rows[..rows].iter().for_each(|row| self.add_row(structure, k, row));
    }

    /// Adds a row of a block of constraint k.
    fn add_row(&mut self, structure: &Structure, k: usize, row: &NonSmoothRow) {
        let first = self.non_smooth.coefficients.len();
        for e in 0..ENDS {
            self.non_smooth.push_wrench(structure, &self.places[k][e], &self.sites[k][e], &row.row.ends[e]);
            self.non_smooth.push_own(self.seats[k].own_scalar(e), row.row.own[e]);
        }
        let normals = self.non_smooth.normals.len();
        let mut normal = DVec3::ZERO;
        match row.normal {
            NormalForce::None => {}
            NormalForce::OfRows { along } => {
                // λ without its part along the rod; the solution holds −λ.
                let dual = self.seats[k].first_row as u32;
                for (r, axis) in DVec3::AXES.into_iter().enumerate() {
                    self.non_smooth.normals.push((dual + r as u32, -(axis - along * along[r])));
                }
            }
            NormalForce::OfBody { along, force, inertia } => {
                // Force and inertia of the body across the rod, F − m c₀ Δx.
                normal = force.reject_from_normalized(along);
                let place = &self.places[k][0];
                for (n, node) in nodes_of(structure, place).enumerate() {
                    for (a, axis) in DVec3::AXES.into_iter().enumerate() {
                        let across = (axis - along * along[a]) * (-inertia * place.position_shares()[n]);
                        self.non_smooth.normals.push((4 * node + a as u32, across));
                    }
                }
            }
        }
        self.non_smooth.rows.push(BlockRow {
            gap: row.gap,
            coefficients: (first, self.non_smooth.coefficients.len()),
            normals: (normals, self.non_smooth.normals.len()),
            normal,
            angle: row.row.angle,
            absorbed: false,
        });
    }

    /// The three stages, on the solution of the free motion.
    pub(super) fn solve_non_smooth(
        &mut self,
        size: f64,
        arithmetic: Arithmetic,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) {
        for _ in 0..ROUNDS {
            if !self.activate_violated(size) {
                break;
            }
            self.build_compliance(arithmetic);
            timer.end(Stage::BuildCompliance, report);
            self.solve_constraints(size, report);
            timer.end(Stage::SolveConstraints, report);
            self.correct();
            timer.end(Stage::Correct, report);
        }
        if report.conflicting_rows > 0
            && self.non_smooth.blocks.iter().any(|block| block.absorbed().is_some() && block.active.is_some())
        {
            self.find_conflicts_beside_openings(size, report);
        }
    }

    /// Activates the blocks whose law the present motion violates. Returns whether there are new ones.
    fn activate_violated(&mut self, size: f64) -> bool {
        let System { non_smooth, solution, .. } = self;
        let before = non_smooth.active.len();
        for i in 0..non_smooth.blocks.len() {
            non_smooth.activate_if_violated(i, solution, TOLERANCE * size);
        }
        non_smooth.active.len() > before
    }

    /// Computes z = S⁻¹h of the new rows, and W.
    fn build_compliance(&mut self, arithmetic: Arithmetic) {
        let unknowns = self.solution.len();
        let (mut responses, mut work) =
            (std::mem::take(&mut self.non_smooth.responses), std::mem::take(&mut self.non_smooth.work));
        let NonSmooth { rows, coefficients, active_rows, .. } = &self.non_smooth;
        let known = responses.len();
        responses.resize(active_rows.len() * unknowns, 0.0);
        for (z, &i) in responses.chunks_exact_mut(unknowns).zip(active_rows).skip(known / unknowns) {
            let BlockRow { coefficients: (from, to), absorbed, .. } = rows[i];
            for &(index, c) in &coefficients[from..to] {
                z[index as usize] += if absorbed { -c } else { c };
            }
        }
        self.answer(&mut responses[known..], &mut work, arithmetic);
        (self.non_smooth.responses, self.non_smooth.work) = (responses, work);
        let NonSmooth {
            rows: all,
            coefficients,
            normals,
            active_rows,
            responses,
            compliance,
            normal_response,
            ..
        } = &mut self.non_smooth;
        compliance.clear();
        normal_response.clear();
        // Beside yielding rows, the response of pushing rows has the opposite sign.
        let (rows, symmetric) = (active_rows.len(), active_rows.iter().all(|&i| !all[i].absorbed));
        for (k, &i) in active_rows.iter().enumerate() {
            let (from, to) = all[i].coefficients;
            for (j, z) in responses.chunks_exact(unknowns).enumerate() {
                let known = if symmetric && j < k { compliance.get(j * rows + k).copied() } else { None };
                compliance.push(known.unwrap_or_else(|| product(&coefficients[from..to], z)));
            }
            let (from, to) = all[i].normals;
            if from == to {
                normal_response.resize((k + 1) * rows, DVec3::ZERO);
                continue;
            }
            normal_response.extend(
                responses
                    .chunks_exact(unknowns)
                    .map(|z| normals[from..to].iter().map(|&(n, c)| c * z[n as usize]).sum::<DVec3>()),
            );
        }
    }

    /// Sweeps over the laws.
    fn solve_constraints(&mut self, size: f64, report: &mut StepReport) {
        let unknowns = self.solution.len();
        // The free motion is the present one without present pushes and openings.
        for (z, f) in self.non_smooth.responses.chunks_exact(unknowns).zip(&self.non_smooth.inputs) {
            if *f != 0.0 {
                self.solution.iter_mut().zip(z).for_each(|(x, z)| *x -= z * f);
            }
        }
        self.non_smooth.start.clear();
        self.non_smooth.normal.clear();
        for k in 0..self.non_smooth.active_rows.len() {
            let row = self.non_smooth.rows[self.non_smooth.active_rows[k]];
            let start = self.non_smooth.displacement(&row, &self.solution);
            let normal = self.non_smooth.normal_force(&row, &self.solution);
            self.non_smooth.start.push(start);
            self.non_smooth.normal.push(normal);
        }
        self.non_smooth.exchange();
        let NonSmooth {
            rows: all,
            active_rows,
            compliance,
            start,
            laws,
            kept,
            normal,
            normal_response,
            forces,
            inputs,
            sweep_scratch,
            ..
        } = &mut self.non_smooth;
        let rows = active_rows.len();
        // W is symmetric up to rounding.
        for i in 0..rows {
            for j in 0..i {
                let mean = 0.5 * (compliance[i * rows + j] + compliance[j * rows + i]);
                (compliance[i * rows + j], compliance[j * rows + i]) = (mean, mean);
            }
        }
        let problem = Problem { compliance, start, laws, normal, response: normal_response };
        let how = Sweeps { most: SWEEPS, tolerance: TOLERANCE * size };
        let outcome = problem.solve(how, forces, kept, sweep_scratch);
        report.sweeps += outcome.sweeps;
        report.sweep_residual = report.sweep_residual.max(outcome.residual);
        for (k, input) in inputs.iter_mut().enumerate() {
            let opening = || {
                start[k]
                    + compliance[k * rows..(k + 1) * rows]
                        .iter()
                        .zip(&*forces)
                        .map(|(w, f)| w * f)
                        .sum::<f64>()
            };
            *input = if all[active_rows[k]].absorbed { opening() } else { forces[k] };
        }
    }

    /// Adds the effect of pushes and openings to the motion.
    fn correct(&mut self) {
        let unknowns = self.solution.len();
        for (z, f) in self.non_smooth.responses.chunks_exact(unknowns).zip(&self.non_smooth.inputs) {
            if *f != 0.0 {
                self.solution.iter_mut().zip(z).for_each(|(x, z)| *x += z * f);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::clock::NoClock;
    use crate::constraint::{ConstraintState, NonSmoothBlock, NonSmoothRow, Row};
    use crate::law::BlockLaw;
    use crate::object::rod::Tangent;
    use crate::step::assemble::Assembly;
    use crate::step::integrator::Rule;
    use crate::step::linearise_constraints::ConstraintTerms;
    use crate::step::linearise_objects::Motion;
    use crate::step::{StepReport, System, Timer};
    use crate::world::World;
    use glam::DVec3;
    use micado_linalg::Arithmetic;
    use serde_json::json;

    #[test]
    fn constraints_may_have_blocks_of_several_rows_with_memory() {
        const STEP: f64 = 1e-2;
        const MASS: f64 = 2.0;
        const FRICTION: f64 = 0.5;
        let floor =
            |on: &str| json!({"plane": {"on": on, "point": [0, 0, 0], "normal": [0, 0, 1], "side": "above"}});
        let mass = |velocity: f64| json!({"position": [0, 0, 0], "mass": MASS, "velocity": [velocity, 0, 0]});
        let scene = json!({
            "settings": {"gravity": [0, 0, -10]},
            "mass": {"slow": mass(0.02), "fast": mass(1.0)},
            "constraint": {"a": floor("slow"), "b": floor("fast")},
        });
        let world = World::build(&serde_json::from_value(scene).expect("a scene")).expect("a world");
        let (structure, state) = (&world.structure, &world.state);
        let mut system = System::new(structure, state, false);
        let (gain, arithmetic) = (1.0 / STEP, Arithmetic::Portable);
        let inertia: Vec<f64> = state.v.iter().map(|v| v * gain).collect();
        let motion = Motion {
            velocity_gain: gain,
            inertia: &inertia,
            velocity: &vec![0.0; inertia.len()],
            ..Motion::none(gain * gain)
        };
        let terms = ConstraintTerms {
            exact: false,
            augment_all: false,
            curved: false,
            reach: 1.0,
            rule: Some(Rule::euler(STEP)),
        };
        Assembly { structure, state, time: STEP, motion: &motion, tangent: Tangent::Psd, terms, arithmetic }
            .write(&mut system, &mut Vec::new());
        system.factorise_for_solve(arithmetic).expect("regular");
        let mut report = StepReport::default();
        system.solve(2, 1.0, arithmetic, &mut report).expect("finite");
        system.non_smooth.clear();
        let rows = [DVec3::Z, DVec3::X, DVec3::Y].map(|n| NonSmoothRow::new(Row::position(n, 0.0), 0.0));
        let mut states = [ConstraintState::default(); 2];
        for (k, memory) in states.iter_mut().enumerate() {
            memory.kept[0] = [k as f64, 1.0, 2.0];
            let block =
                NonSmoothBlock { first: 0, law: BlockLaw::Coulomb { friction: FRICTION }, rows: &rows };
            system.add_block(structure, (k, memory), &block);
            // A ceiling that is not reached.
            let rows = &[NonSmoothRow::new(Row::position(-DVec3::Z, 0.0), 1.0)];
            memory.pushes[3] = 7.0;
            let idle = ConstraintState::default();
            let block = NonSmoothBlock { first: 3, law: BlockLaw::Unilateral, rows };
            system.add_block(structure, (k, &idle), &block);
        }
        system.solve_non_smooth(1.0, arithmetic, &mut Timer { clock: &NoClock, start: 0.0 }, &mut report);
        system.non_smooth.remember(&mut states);
        // Friction stops the slow mass, m v/h = 4 N, and brakes the fast one with μ m g.
        for (k, (state, friction)) in states.iter().zip([4.0, FRICTION * MASS * 10.0]).enumerate() {
            let expected = [MASS * 10.0, -friction, 0.0, 0.0, 0.0];
            for (push, expected) in state.pushes.iter().zip(expected) {
                // Sweeps end at 1e-13 m, and W = h²/m.
                assert!((push - expected).abs() < 1e-8, "{k}: {:?}", state.pushes);
            }
            assert_eq!(state.kept[0], [k as f64, 1.0, 2.0]);
        }
    }
}
