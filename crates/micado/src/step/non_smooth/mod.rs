//! Non-smooth rows: build compliance → solve constraints → correct.
//!
//! Rows come from constraints and from contacts (`contact/`). Unilateral, stop and friction rows are not part
//! of the factored system. With its factor S, the response to a unit force on row i is `z_i = S⁻¹ h_i`, and
//! in constraint space `δ = W f + b`, `W_ij = h_i·z_j`, b the displacement in the free motion. `law/`
//! finds forces f that obey the laws, and `Σ z_i f_i` corrects the motion, including the multipliers of all
//! other rows.
//!
//! Only rows whose law is violated are active. A correction may violate others, so the stages repeat until no
//! law is violated.
//!
//! W, the responses z and those of normal forces are dense within a component: S⁻¹ of joined objects is full,
//! so every active row moves every other. Objects that only touch share a system, but no block of it: then W
//! and z are stored by component (`components.rs`), unless there are laws that need the dense form.
//!
//! With `constraints = "swept"`, only A is factored, and the bilateral rows of each constraint are blocks
//! too, with the law δ = 0. Their responses also contain −1 at the place of −λ of the row, so a correction
//! stores λ at the same place as the factored system.
//!
//! Some constraints have rows in the factored system whose multiplier is bounded. Above its strength such an
//! absorbed row yields: an opening d in the right side, `JΔ = E + d`, with the response `λ = Y d + λ₀`. The
//! mixed matrix of pushes and openings is monotone but not symmetric. Exchanging d and λ turns it into the
//! compliance of the system without these rows, which is symmetric and positive, and the law into one on λ:
//! within its bounds, and d = 0 inside them.

mod collect;
mod compliance;
mod components;
mod contacts;
mod contradictions;
pub(super) mod held;
mod penetration;
mod rebound;
mod solve;

use crate::constraint::{ConstraintState, ENDS, Law, MAX_PUSHES};
use crate::contact::{ContactKey, ContactSource as _, Mark, Remembered, Sources};
use crate::law::{BlockLaw, Kept, MAX_BLOCK, Scratch};
use crate::world::{State, Structure};
pub(crate) use collect::Progress;
use components::Components;
use contacts::Contacts;
use glam::DVec3;
use penetration::Overlaps;
use rebound::Struck;

/// Most rounds in which violated rows are added.
const ROUNDS: usize = 20;

/// Least opening at which a constraint opens: a share of the structure's size (m), or rad. Less is rounding.
const LEAST_OPENING: f64 = 1e-9;

/// A block of the present solve: rows with one law.
#[derive(Clone, Debug)]
struct Block {
    owner: Owner,
    law: BlockLaw,
    /// Index of its first row; the others follow.
    first: usize,
    /// Initial guess of its forces.
    guess: [f64; MAX_BLOCK],
    /// Memory of its rows.
    kept: [Kept; MAX_BLOCK],
    /// Displacement of its first row in the last round.
    seen: f64,
    /// Its number among the active blocks, if it is active.
    active: Option<usize>,
    /// Its own law, if its row is two-sided in this static solve, see `held.rs`.
    held: Option<BlockLaw>,
    /// Load of absorbed rows as a share of the strength when they began to yield.
    load: f64,
    /// Set for a contact of surfaces.
    begun: Option<BegunBlock>,
}

/// A block of a contact of surfaces, which was found at the beginning of the substep.
#[derive(Clone, Copy, Debug)]
struct BegunBlock {
    /// Its number among the contacts of surfaces.
    touch: usize,
    /// Where it is, and the gap at the beginning.
    mark: Mark,
    /// Displacement along the normal since the beginning, before the solve, m.
    moved: f64,
    /// Contact size, m.
    bend: f64,
}

impl BegunBlock {
    /// The gap after a motion that displaces its first row, whose own gap is `of_row`, by this much, m.
    fn gap_after(&self, displacement: f64, of_row: f64) -> f64 {
        self.mark.gap + self.moved + (displacement - of_row)
    }
}

/// Owner of a block.
#[derive(Clone, Copy, Debug)]
enum Owner {
    /// Unilateral, stop or friction rows of a constraint; `row` is the number of the first.
    Constraint { constraint: usize, row: usize },
    /// A contact.
    Contact(ContactKey),
    /// Bilateral rows of a constraint that are swept instead of factored.
    Swept,
    /// Rows of a constraint in the factored system whose multipliers are bounded.
    Absorbed { constraint: usize },
}

impl Block {
    fn new(owner: Owner, law: BlockLaw, first: usize) -> Self {
        let (guess, kept) = ([0.0; MAX_BLOCK], [Kept::default(); MAX_BLOCK]);
        Self {
            owner,
            law,
            first,
            guess,
            kept,
            seen: f64::NEG_INFINITY,
            active: None,
            held: None,
            load: 0.0,
            begun: None,
        }
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
    /// Tangent that the normal force is perpendicular to.
    tangent: DVec3,
    /// Whether it is an angle, rad, not a length, m.
    angle: bool,
    /// Number of the scalar of −λ in the solution, for a swept row.
    multiplier: Option<u32>,
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

/// Largest initial capacity of the responses, 64 MB of numbers; it grows on demand.
const ROOM: usize = 8 << 20;

/// Scratch of the stages, with room for the largest number of rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct NonSmooth {
    blocks: Vec<Block>,
    rows: Vec<BlockRow>,
    coefficients: Vec<(u32, f64)>,
    /// Terms of normal forces n = n₀ − (1 − ttᵀ) Σ c x: index of the first of three scalars x, and c.
    normals: Vec<(u32, f64)>,
    /// Active blocks in the order of their activation, and their rows.
    active: Vec<usize>,
    active_rows: Vec<usize>,
    /// First active row of each active block.
    first_active_rows: Vec<usize>,
    /// z of the active rows in groups of four, and scratch of their solve.
    responses: Vec<[f64; 4]>,
    work: Vec<f64>,
    /// Slot of each active row in the responses: four times its group, plus its place in the group; and the
    /// row in each slot.
    slots: Vec<usize>,
    slot_rows: Vec<usize>,
    /// W by rows up to the diagonal, before the exchange of openings and multipliers.
    triangle: Vec<f64>,
    compliance: Vec<f64>,
    start: Vec<f64>,
    laws: Vec<BlockLaw>,
    kept: Vec<Kept>,
    normal: Vec<DVec3>,
    /// Active rows with a normal force, and its response: three lines each.
    rubbing: Vec<usize>,
    normal_response: Vec<f64>,
    /// Scratch of the solve.
    scratch: Scratch,
    /// Unknowns of the sweeps: pushes, and multipliers of yielding rows.
    forces: Vec<f64>,
    /// Factors of the responses: pushes and openings.
    inputs: Vec<f64>,
    /// Share of the violations that one-sided rows remove: less than 1 if targets are approached.
    pub(super) reach: f64,
    /// Constraints whose one-sided rows contradict others.
    pub(super) contradictions: Vec<usize>,
    /// Rows that rebound in this substep.
    pub(super) struck: Struck,
    /// Responses and compliance by component, where objects only touch.
    components: Components,
    /// Scratch of problems with contacts of surfaces.
    contacts: Contacts,
    /// Scratch of the removal of overlaps, and its displacement.
    overlaps: Overlaps,
    apart: Vec<f64>,
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

    /// Reserves room for all non-smooth rows of a structure, of constraints and of contacts; with `swept`,
    /// also for bilateral rows.
    pub(crate) fn with_room(structure: &Structure, swept: bool, unknowns: usize) -> Self {
        let of_one = |law: &Law| {
            (if swept || law.may_give() { law.rows() } else { 0 })
                + if law.is_non_smooth() { MAX_PUSHES } else { 0 }
        };
        let of_all: usize = structure.constraints.iter().map(|constraint| of_one(&constraint.law)).sum();
        let rows = of_all + Sources::most_rows(structure);
        let friction: usize =
            structure.constraints.iter().map(|constraint| constraint.law.most_friction_rows()).sum();
        // A row has coefficients at two places with four nodes of four unknowns, and on an own unknown at
        // each end; a normal force depends on four nodes.
        let (coefficients, normals) = (rows * 2 * (ENDS * 16 + ENDS), rows * 4);
        let active = rows.min(ROOM / unknowns.max(1));
        // Every round begins a new group.
        let groups = if active > 0 { active.div_ceil(4) + ROUNDS } else { 0 };
        Self {
            blocks: Vec::with_capacity(rows),
            rows: Vec::with_capacity(rows),
            coefficients: Vec::with_capacity(coefficients),
            normals: Vec::with_capacity(normals),
            active: Vec::with_capacity(rows),
            active_rows: Vec::with_capacity(rows),
            first_active_rows: Vec::with_capacity(rows),
            responses: Vec::with_capacity(groups * unknowns),
            // Four right sides at a time, on cache lines.
            work: Vec::with_capacity(if rows > 0 { 4 * unknowns + 8 } else { 0 }),
            slots: Vec::with_capacity(rows),
            slot_rows: Vec::with_capacity(4 * groups),
            triangle: Vec::with_capacity(active * (active + 1) / 2),
            compliance: Vec::with_capacity(active * active),
            start: Vec::with_capacity(rows),
            laws: Vec::with_capacity(rows),
            kept: Vec::with_capacity(rows),
            normal: Vec::with_capacity(rows),
            rubbing: Vec::with_capacity(rows),
            normal_response: Vec::with_capacity(3 * active * active),
            scratch: Scratch::with_room(rows, active, friction.min(active)),
            forces: Vec::with_capacity(rows),
            inputs: Vec::with_capacity(rows),
            reach: 1.0,
            contradictions: Vec::with_capacity(rows),
            struck: Struck::with_room(rows),
            components: Components::default(),
            contacts: Contacts::default(),
            overlaps: Overlaps::default(),
            apart: Vec::with_capacity(if rows > 0 { unknowns } else { 0 }),
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
        self.slots.clear();
        self.slot_rows.clear();
        self.triangle.clear();
        self.forces.clear();
        self.inputs.clear();
        self.contradictions.clear();
    }

    /// Stores forces and memory of the blocks of constraints in their states.
    pub(crate) fn remember(&self, states: &mut [ConstraintState]) {
        self.remember_forces(states);
        // Forces of rows that contradict others are no forces.
        for &constraint in &self.contradictions {
            states[constraint].pushes.clear();
        }
    }

    fn remember_forces(&self, states: &mut [ConstraintState]) {
        for block in &self.blocks {
            if let Owner::Constraint { constraint, row } = block.owner {
                let state = &mut states[constraint];
                let forces = self.forces_of(block).iter().chain(std::iter::repeat(&0.0));
                let pushes = &mut state.pushes[row..row + block.law.rows()];
                pushes.iter_mut().zip(forces).for_each(|(to, force)| *to = *force);
                let kept = self.kept_by(block);
                state.kept[row..row + kept.len()].copy_from_slice(kept);
            }
        }
    }

    /// Memory of all contacts after a motion.
    pub(crate) fn contacts(&self, motion: &[f64]) -> impl Iterator<Item = Remembered> {
        self.blocks.iter().filter_map(move |block| match block.owner {
            Owner::Contact(key) => {
                let mut forces = [0.0; MAX_BLOCK];
                forces.iter_mut().zip(self.forces_of(block)).for_each(|(to, f)| *to = *f);
                let mark = self.mark_of(block, &forces, motion).unwrap_or_default();
                Some(Remembered { key, forces, kept: self.kept_by(block)[0], mark })
            }
            _ => None,
        })
    }

    /// Where a contact of surfaces is after a motion: its gap, and the displacement of one that sticks.
    fn mark_of(&self, block: &Block, forces: &[f64], motion: &[f64]) -> Option<Mark> {
        let begun = block.begun?;
        let moved = |row: usize| self.rows[row].displacement(&self.coefficients, motion);
        let [n, t] = [begun.mark.normal, begun.mark.tangent].map(DVec3::from_array);
        let gap = begun.gap_after(moved(block.first), self.rows[block.first].gap);
        let mut mark = Mark { gap, slip: [0.0; 3], ..begun.mark };
        if block.law.sticks(forces) {
            let [a, b] = [1, 2].map(|k| moved(block.first + k));
            mark.slip = (t * a + n.cross(t) * b).to_array();
        }
        Some(mark)
    }

    /// Calls `visit` with the forces that a state remembers of each block, by scalar numbers; absorbed rows
    /// have none.
    pub(super) fn for_each_remembered(&self, state: &State, mut visit: impl FnMut(&[(u32, f64)])) {
        let mut forces = Vec::new();
        for block in &self.blocks {
            let known: &[f64] = match &block.owner {
                Owner::Constraint { constraint, row } => &state.constraints[*constraint].pushes[*row..],
                Owner::Contact(key) => state.contacts.find(key).map_or(&[], |known| &known.forces),
                Owner::Swept | Owner::Absorbed { .. } => continue,
            };
            forces.clear();
            for (row, force) in self.rows[block.rows()].iter().zip(known) {
                let unit = &self.coefficients[row.coefficients.0..row.coefficients.1];
                forces.extend(unit.iter().map(|&(scalar, unit)| (scalar, unit * force)));
            }
            visit(&forces);
        }
    }

    /// Memory of the rows of a block after the solve.
    fn kept_by<'a>(&'a self, block: &'a Block) -> &'a [Kept] {
        let rows = block.law.rows();
        block.active.map_or(&block.kept[..rows], |active| {
            let first = self.first_active_rows[active];
            &self.kept[first..first + rows]
        })
    }

    /// Forces of a block; none if it is not active.
    fn forces_of(&self, block: &Block) -> &[f64] {
        block.active.map_or(&[], |active| {
            let first = self.first_active_rows[active];
            &self.forces[first..first + block.law.rows()]
        })
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
}

#[cfg(test)]
mod tests {
    use super::collect::Ends;
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
            start: None,
        };
        Assembly { structure, state, time: STEP, motion: &motion, tangent: Tangent::Psd, terms, arithmetic }
            .write(&mut system, &mut Vec::new());
        system.factorise_for_solve(arithmetic).expect("regular");
        let mut report = StepReport::default();
        system.solve(2, 1.0, arithmetic, &mut report).expect("finite");
        system.non_smooth.clear();
        let rows = [DVec3::Z, DVec3::X, DVec3::Y].map(|n| NonSmoothRow::new(Row::position(n, 0.0), 0.0));
        let mut states: [ConstraintState; 2] = Default::default();
        for (k, memory) in states.iter_mut().enumerate() {
            memory.kept[0] = [k as f64, 1.0, 2.0];
            let block =
                NonSmoothBlock { first: 0, law: BlockLaw::Coulomb { friction: [FRICTION; 2] }, rows: &rows };
            let System { non_smooth, places, sites, seats, .. } = &mut system;
            let ends = Ends { structure, places: &places[k], sites: &sites[k], seat: &seats[k] };
            non_smooth.add_block((k, (&*memory, &*memory.kept)), &ends, &block);
            // A ceiling that is not reached.
            let rows = &[NonSmoothRow::new(Row::position(-DVec3::Z, 0.0), 1.0)];
            memory.pushes[3] = 7.0;
            let idle = ConstraintState::default();
            let block = NonSmoothBlock { first: 3, law: BlockLaw::Unilateral, rows };
            non_smooth.add_block((k, (&idle, &*idle.kept)), &ends, &block);
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
