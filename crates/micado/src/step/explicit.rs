//! The explicit step of the discrete elastic rods paper: symplectic Euler with fast projection.
//!
//! ```text
//! F(x, θ) with θ in equilibrium + Jᵀλ of the last step → v ← v + h M⁻¹F, x ← x + h v →
//! fast projection x ← x + Σδ, v ← v + Σδ/h → transport frames → θ to equilibrium
//! ```
//!
//! The paper's projection starts from λ = 0, so all of λ acts along the rows of the unconstrained end
//! position. That dissipates energy and shifts equilibria. With λ of the last step along the rows of the
//! beginning, as in SHAKE, only the change of λ does so. Steps beyond the limit of stability of bending or
//! tension are divided into equal parts.

use super::commit::{transport_frames, worst_miss};
use super::inner_rows::missed_lengths;
use super::linearise_objects::{Motion, residual_force};
use super::order::{Room, System};
use super::params::{LEAST_TURN_COSINE, RETRIES, StepParams};
use super::pattern_key::PatternKey;
use super::projection::{Projection, project};
use super::report::{Stage, StepReport};
use super::seat::nodes_of;
use super::workspace::Workspace;
use super::{Timer, largest_displacement};
use crate::clock::Clock;
use crate::constraint::{ENDS, Row, spread};
use crate::load::{LoadLaw, SpringLaw};
use crate::object::Object;
use crate::object::rod::discrete::AngleScratch;
use crate::world::State;
use crate::world::{Refusal, Spot};
use crate::world::{Structure, World};

/// Share of the limit of stability that is used: the light vertices at free ends are a little faster than the
/// bending limit assumes. A free rod of 2 segments is stable up to 0.935 of it, of 3 up to 0.949, of 5 up to
/// 0.964.
const SAFE: f64 = 0.93;
/// Most parts of a step; a step that needs more is a mistake in the scene.
pub(crate) const MOST_PARTS: f64 = 1e5;

/// Scratch of explicit steps.
#[derive(Clone, Debug, Default)]
pub(super) struct ExplicitScratch {
    /// The system of masses and rows, and the key of its pattern.
    pub(super) system: Option<System>,
    key: PatternKey,
    force: Vec<f64>,
    scratch: Vec<f64>,
    /// Positions before the projection.
    before: Vec<f64>,
    /// −Σλ of all rows.
    sums: Vec<f64>,
    /// By node: whether rows hold the angle, and how many constraints do.
    held: Vec<bool>,
    holders: Vec<u32>,
    /// ∂U/∂θ by node.
    torques: Vec<f64>,
    angles: AngleScratch,
}

impl ExplicitScratch {
    /// Orders the unknowns anew if the structure has changed. Returns whether it did.
    fn prepare(&mut self, structure: &Structure, state: &State) -> bool {
        if self.key.fits(structure, state, Room::Projection)
            && let Some(system) = &mut self.system
        {
            system.weigh(structure, state, &mut self.before);
            return false;
        }
        self.system = Some(System::for_projection(structure, state));
        let nodes = structure.node_mass.len();
        self.force.resize(4 * nodes, 0.0);
        self.before.resize(4 * nodes, 0.0);
        self.held.resize(nodes, false);
        self.holders.resize(nodes, 0);
        self.torques.resize(nodes, 0.0);
        true
    }
}

/// ω² and c, which limit explicit steps.
#[derive(Clone, Copy, Debug)]
struct Rates {
    square: f64,
    decay: f64,
}

impl Rates {
    /// The stable step with the rods of a structure, under the tensions of a state if given.
    fn stable_step(self, structure: &Structure, state: Option<&State>) -> Option<f64> {
        let of_rod = |object: &Object| {
            let rod = object.inextensible()?;
            let tension =
                state.map_or(0.0, |state| rod.fastest_under_tension(&state.frames[object.frames.clone()]));
            Some((2.0 / rod.stable_step()).powi(2) + tension)
        };
        let (square, decay) =
            (self.square + structure.objects.iter().filter_map(of_rod).fold(0.0, f64::max), self.decay);
        (square > 0.0 || decay > 0.0).then(|| 4.0 / (decay + (decay * decay + 4.0 * square).sqrt()))
    }
}

/// A part of an explicit step.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    /// Length, s.
    h: f64,
    /// Time at its end, s.
    end: f64,
    /// After a refused try: then the last forces of rows are not used.
    again: bool,
    params: &'a StepParams,
}

/// Number of equal parts of a time `h` under a limit.
fn parts(h: f64, stable: Option<f64>) -> f64 {
    stable.map_or(1.0, |stable| (h / (SAFE * stable)).ceil().max(1.0))
}

impl World {
    /// Longest stable explicit step in the present state, s; `None` without a limit. With the highest
    /// frequency ω and the fastest decay c of the structure it is `h²ω² + 2hc < 4`. For a rod ω² is the sum
    /// of that of bending, 16 EI/(ρl⁴), and that of the tension T of the rows in the last step, 4T/(ρl²),
    /// with which the step begins. The sum of ω² and c over rods, springs and drags is an upper bound.
    pub fn stable_step(&self) -> Option<f64> {
        self.rates_beside_rods().stable_step(&self.structure, Some(&self.state))
    }

    /// Number of equal parts of an explicit step of length `h`, at its beginning.
    pub(crate) fn explicit_parts(&self, h: f64) -> f64 {
        parts(h, self.stable_step())
    }

    /// ω² and c of springs, drags and the damping of rods.
    fn rates_beside_rods(&self) -> Rates {
        let Structure { objects, springs, loads, node_mass, .. } = &self.structure;
        let mut square = 0.0;
        let mut decay = objects.iter().map(|object| object.model().mass_damping()).fold(0.0, f64::max);
        for spring in springs {
            let SpringLaw::Linear { stiffness, damping, .. } = spring.law else { continue };
            let places = spring.ends.iter().filter_map(|end| end.place());
            let mobility: f64 = places
                .flat_map(|place| {
                    let first = place.object().map_or(0, |object| objects[object].first);
                    place.mobility_terms(move |node| node_mass[first + node as usize])
                })
                .sum();
            square += stiffness * mobility;
            decay += damping * mobility;
        }
        for load in loads {
            let LoadLaw::Drag(spread, _) = &load.law else { continue };
            let mut fastest = 0.0_f64;
            // The row sums of a drag on a polygon are at most twice its diagonal.
            spread.for_each_pair(|i, j, value| {
                let mass = node_mass[objects[spread.object].first + i];
                fastest = fastest.max(if i == j { 2.0 * value / mass } else { 0.0 });
            });
            decay += fastest;
        }
        Rates { square, decay }
    }

    /// One explicit step of `params.step` seconds, in as many equal parts as stability requires.
    pub(super) fn step_explicitly(
        &mut self,
        params: &StepParams,
        workspace: &mut Workspace,
        clock: &dyn Clock,
    ) -> StepReport {
        let mut report = StepReport { substeps: 1, ..StepReport::default() };
        let mut timer = Timer { clock, start: clock.now() };
        let (begin, h) = (self.state.time, params.step);
        let rates = self.rates_beside_rods();
        let [slack, taut] =
            [None, Some(&self.state)].map(|state| parts(h, rates.stable_step(&self.structure, state)));
        // Tensions that would need too many parts are left out; the projection finds them.
        let follows = taut <= MOST_PARTS;
        let first_parts = if follows { taut } else { slack };
        report.refused = if !(h > 0.0 && h.is_finite()) {
            Some(Refusal::NoStep)
        } else if !self.structure.explicit {
            Some(Refusal::NotExplicit)
        } else if slack.is_nan() || slack > MOST_PARTS {
            Some(Refusal::TooManyParts { parts: slack })
        } else {
            None
        };
        if report.refused.is_some() {
            (report.held, report.time) = (true, begin);
            return report;
        }
        (workspace.stepped_explicitly, workspace.split) = (true, false);
        workspace.stepped = self.structure.revision.clone();
        if workspace.explicit.prepare(&self.structure, &self.state) {
            timer.end(Stage::OrderUnknowns, &mut report);
        }
        for retry in 0..=RETRIES {
            let again = retry > 0 || !follows;
            let Workspace { trial, explicit, .. } = workspace;
            trial.copy_from(&self.state);
            trial.restart_history();
            // After an edit, angles must be in equilibrium before the step.
            if let Err(refusal) = settle(&self.structure, trial, explicit) {
                report.refused.get_or_insert(refusal);
                break;
            }
            let (mut from, mut left) = (begin, first_parts as u32 * (1 << retry));
            let (mut part, mut done, mut made) = (h / f64::from(left), 0, 0);
            while done < left {
                // Where tensions have grown since the beginning, the rest of the step is divided anew.
                let stable = if again { None } else { rates.stable_step(&self.structure, Some(trial)) };
                if stable.is_some_and(|stable| part > SAFE * stable * (1.0 + 1e-9)) {
                    let needed = parts(begin + h - trial.time, stable);
                    if needed > MOST_PARTS {
                        report.refused.get_or_insert(Refusal::TooManyParts { parts: needed });
                        break;
                    }
                    (from, left, done) = (trial.time, needed as u32, 0);
                    part = (begin + h - from) / needed;
                }
                let end = if done + 1 == left { begin + h } else { from + part * f64::from(done + 1) };
                let next = Part { h: part, end, again, params };
                if let Err(refusal) = self.explicit_part(next, trial, explicit, &mut timer, &mut report) {
                    report.refused.get_or_insert(refusal);
                    break;
                }
                done += 1;
                made += 1;
            }
            if done == left {
                report.substeps = made;
                std::mem::swap(&mut self.state, &mut workspace.trial);
                (report.residual, report.worst_constraint) =
                    worst_miss(&self.structure, &self.state, self.state.time);
                report.time = self.state.time;
                timer.end(Stage::Commit, &mut report);
                return report;
            }
        }
        (report.held, report.time) = (true, begin);
        (report.residual, report.worst_constraint) = worst_miss(&self.structure, &self.state, begin);
        report
    }

    /// One part of a step, on the trial state.
    fn explicit_part(
        &self,
        part: Part<'_>,
        trial: &mut State,
        explicit: &mut ExplicitScratch,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        let structure = &self.structure;
        let Part { h, end, again, params } = part;
        let arithmetic = params.arithmetic.into();
        let ExplicitScratch { system, force, scratch, before, sums, .. } = &mut *explicit;
        let system = system.as_mut().expect("prepared before");
        // F at the beginning, at the velocities there.
        let motion = Motion { velocity: &trial.v, velocity_gain: 1.0, ..Motion::none(0.0) };
        residual_force(structure, trial, trial.time, &motion, force, scratch);
        // Forces of redundant rows are not unique, and would act as soon as the rows turn.
        let known = !again && trial.constraints.iter().all(|memory| !memory.redundant);
        if known {
            add_row_forces(structure, trial, system, force);
        }
        for object in &structure.objects {
            let damping = object.model().mass_damping();
            for i in object.unknowns() {
                // Angles are always in equilibrium.
                trial.v[i] = if i % 4 == 3 {
                    0.0
                } else {
                    trial.v[i] + h * (force[i] / system.lumped[4 * (i / 4)] - damping * trial.v[i])
                };
                trial.q[i] += h * trial.v[i];
            }
        }
        before.copy_from_slice(&trial.q);
        timer.end(Stage::LineariseObjects, report);

        let aim = Projection { time: end, h, least: params.solves.least(), size: self.size(), arithmetic };
        report.solves += project(structure, aim, trial, system, sums, report)?;
        if known {
            system.add_known_multipliers(structure, trial);
        }
        for (i, v) in trial.v.iter_mut().enumerate().filter(|(i, _)| i % 4 < 3) {
            *v += (trial.q[i] - before[i]) / h;
        }
        before.iter_mut().zip(&trial.q).for_each(|(before, q)| *before = q - *before);
        report.last_increment = largest_displacement(structure, before);
        for (k, (seat, memory)) in system.seats.iter().zip(&mut trial.constraints).enumerate() {
            memory.redundant = report.redundant_rows > 0;
            for r in 0..seat.rows {
                memory.multipliers[r] =
                    if system.conflicting[k] { 0.0 } else { -system.solution[seat.first_row + r] };
            }
        }
        timer.end(Stage::SolveConstraints, report);

        let least = transport_frames(structure, arithmetic, None, trial);
        system.keep_tensions(structure, trial);
        if least.is_nan() || least < LEAST_TURN_COSINE {
            return Err(Refusal::TurnedTooFar);
        }
        settle(structure, trial, explicit)?;
        trial.time = end;
        timer.end(Stage::Commit, report);
        match missed_lengths(structure, trial).filter(|_| report.conflicting_rows == 0) {
            Some(object) => Err(Refusal::MissedLengths { object }),
            None => trial.v.iter().chain(&trial.q).position(|x| !x.is_finite()).map_or(Ok(()), |i| {
                let node = i / 4 % structure.node_mass.len();
                let at = explicit.system.as_ref().map_or(Spot::Unknown, |system| system.spot(node));
                Err(Refusal::NotFinite { at })
            }),
        }
    }
}

/// Adds the forces of rows in the last part; the projection then finds only their change.
fn add_row_forces(structure: &Structure, state: &State, system: &System, force: &mut [f64]) {
    for (k, memory) in
        state.constraints.iter().enumerate().filter(|(_, memory)| memory.duplicate_of.is_none())
    {
        for (row, lambda) in system.rows[k].iter().zip(memory.multipliers) {
            for (end, place) in spread(row, &system.places[k], &system.sites[k]).iter().zip(&system.places[k])
            {
                for (n, node) in nodes_of(structure, place).enumerate() {
                    let (entries, node) = (place.on_node(n, end), 4 * node as usize);
                    (0..3).for_each(|a| force[node + a] += lambda * entries[a]);
                }
            }
        }
    }
    for object in &structure.objects {
        let Some(rod) = object.inextensible() else { continue };
        let (q, tensions) = (&state.q[object.unknowns()], rod.tensions(&state.frames[object.frames.clone()]));
        for (j, tension) in tensions.iter().enumerate() {
            let row = rod.length_row(q, j);
            for (node, sign) in row.nodes.into_iter().zip([*tension, -tension]) {
                (0..3).for_each(|a| force[4 * (object.first + node) + a] += sign * row.t[a]);
            }
        }
    }
}

impl System {
    /// Adds the known multipliers to those of the solution, which are changes.
    fn add_known_multipliers(&mut self, structure: &Structure, state: &State) {
        for (seat, memory) in self.seats.iter().zip(&state.constraints) {
            (0..seat.rows).for_each(|r| self.solution[seat.first_row + r] -= memory.multipliers[r]);
        }
        for lengths in &self.lengths {
            let object = &structure.objects[lengths.object];
            let Some(rod) = object.inextensible() else { continue };
            let tensions = rod.tensions(&state.frames[object.frames.clone()]);
            self.solution[lengths.rows()].iter_mut().zip(tensions).for_each(|(x, tension)| *x -= tension);
        }
    }
}

/// Brings all free angles to equilibrium and sets the multipliers of rows that hold the others. Refuses if
/// the angles of a rod don't converge.
fn settle(structure: &Structure, trial: &mut State, explicit: &mut ExplicitScratch) -> Result<(), Refusal> {
    let ExplicitScratch { system, held, holders, torques, angles, .. } = explicit;
    let system = system.as_mut().expect("prepared before");
    holders.fill(0);
    for (k, (constraint, memory)) in structure.constraints.iter().zip(&trial.constraints).enumerate() {
        if memory.duplicate_of.is_some() {
            continue;
        }
        constraint.find_places(&structure.objects, memory, &mut system.places[k]);
        system.sites[k] = constraint.sites(&system.places[k], structure.poses(trial), memory, trial.time);
        constraint.law.linearise(&system.sites[k], memory, trial.time, &mut system.rows[k]);
        for e in 0..ENDS {
            if let Some((node, _)) = held_angle(structure, system, k, e) {
                holders[node] += 1;
            }
        }
    }
    held.iter_mut().zip(&*holders).for_each(|(held, holders)| *held = *holders > 0);
    for (k, object) in structure.objects.iter().enumerate() {
        let Some(rod) = object.inextensible() else { continue };
        let nodes = object.first..object.first + rod.segments();
        rod.settle_angles(
            &mut trial.q[object.unknowns()],
            &trial.frames[object.frames.clone()],
            &held[nodes.clone()],
            angles,
        )
        .ok_or(Refusal::Restless { object: k })?;
        torques[nodes].copy_from_slice(angles.torques());
    }
    for (k, memory) in
        trial.constraints.iter_mut().enumerate().filter(|(_, memory)| memory.duplicate_of.is_none())
    {
        for e in 0..ENDS {
            let Some((node, square)) = held_angle(structure, system, k, e) else { continue };
            let theta = |r: usize| on_roll(system, k, e, &system.rows[k][r]);
            let bears: f64 = (0..system.rows[k].len()).map(|r| theta(r) * memory.multipliers[r]).sum();
            let missing = (torques[node] / f64::from(holders[node]) - bears) / square;
            (0..system.rows[k].len()).for_each(|r| memory.multipliers[r] += theta(r) * missing);
        }
    }
    Ok(())
}

/// The node whose angle is held by the rows of end `e` of constraint k, and Σ (∂g/∂θ)².
fn held_angle(structure: &Structure, system: &System, k: usize, e: usize) -> Option<(usize, f64)> {
    let square: f64 = system.rows[k].iter().map(|row| on_roll(system, k, e, row).powi(2)).sum();
    let place = &system.places[k][e];
    let node = structure.objects[place.object()?].first + place.roll_node()? as usize;
    (square > 0.0).then_some((node, square))
}

/// ∂g/∂θ of a row of constraint k at end `e`.
fn on_roll(system: &System, k: usize, e: usize, row: &Row) -> f64 {
    system.places[k][e].spread(&row.ends[e], &system.sites[k][e]).theta
}
