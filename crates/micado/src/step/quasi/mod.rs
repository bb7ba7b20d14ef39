//! Quasi-dynamic steps: every island is dynamic or quasi-static.
//!
//! A quasi-static island adds only its stiffness to the system, `A = K`, and a mass-like term far below it
//! for free motions. One pass is a Newton step towards the equilibrium at that time; its constraints hold as
//! in every other step. Where it would move the island further than a share of its size, the mass-like term
//! is raised until it does not: this ceiling shortens the displacement without violating any row.
//!
//! A step is divided into 2ᵏ parts, according to the shortest free length of its dynamic islands.
//!
//! While an island is quasi-static its velocity is the rate of its positions, Δq/h, for read-outs alone. An
//! island that becomes dynamic starts with the velocity of its equilibrium, `K V = ḟ + Jᵀλ̇, J V = ġ`: the
//! effect of moving targets and loads, without any part of an unfinished search. So a switch adds only the
//! energy of driven motion.

pub(crate) mod free_length;
pub(crate) mod rigid_modes;
mod strength;

use crate::clock::{Clock, Work};
use crate::object::Object;
use crate::object::rod::Tangent;
use crate::scene::QuasiSettings;
use crate::step::assemble::Assembly;
use crate::step::integrator::Rule;
use crate::step::linearise_constraints::ConstraintTerms;
use crate::step::linearise_objects::Motion;
use crate::step::order::{Room, System};
use crate::step::quasi::free_length::{HeldPlaces, halvings};
use crate::step::quasi::rigid_modes::RigidTest;
use crate::step::{Stage, StepParams, StepReport, Workspace};
use crate::world::Pace;
use crate::world::State;
use crate::world::islands::{Islands, objects_of};
use crate::world::pace::{Admission, Paces};
use crate::world::{Structure, World};

/// Displacement of a quasi-static island in one pass, as a share of the structure's size, beyond which its
/// mass-like term is raised.
const CEILING: f64 = 0.1;
/// Factor by which it is raised, and largest number of raises.
pub(in crate::step) const RAISE: f64 = 1e3;
/// See [`RAISE`].
const MOST_RAISES: u32 = 3;
/// A raise that leaves more than this share of the displacement has no effect: targets move the island, not
/// its forces.
const NO_EFFECT: f64 = 0.7;
/// A displacement below the first share of the ceiling is too short; interpolation then aims at the second.
const SHORT: f64 = 0.3;
const AIM: f64 = 0.7;
/// The least mass-like term, as a share of the stiffest local motion, 1/s²: far below the stiffness of
/// structures, and above the rounding of a zero pivot.
const MASS_LIKE: f64 = 1e-11;
/// Mass-like term if nothing is stiff, 1/s²: any positive number will do.
const NOTHING_STIFF: f64 = 1.0;
/// Share of its stiffness by which a roll is held in tests of other motions.
const HELD_ROLL: f64 = 1e-6;
/// A pivot below this share of its diagonal entry is a free motion.
const FREE_PIVOT: f64 = 1e-12;

/// Switch of an island between dynamic and quasi-static.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Switch {
    /// First object of the island.
    pub object: usize,
    /// Number of its objects.
    pub objects: usize,
    /// Whether it is quasi-static from here on.
    pub still: bool,
    /// Cost of a pass and time step of the island, s.
    pub cost: f64,
    /// See `cost`.
    pub step: f64,
}

/// Scratch of quasi-dynamic steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct QuasiScratch {
    islands: Islands,
    held: HeldPlaces,
    rigid: RigidTest,
    /// The state before the step.
    before: State,
    right_side: Vec<f64>,
    pub(crate) switches: Vec<Switch>,
}

impl World {
    /// One step in which every island is dynamic or quasi-static, depending on the cost of passes by `clock`.
    ///
    /// A step that fails leaves everything unchanged but modes: quasi-static islands become dynamic.
    pub fn step_quasi_dynamically(
        &mut self,
        params: &StepParams,
        settings: &QuasiSettings,
        workspace: &mut Workspace,
        clock: &dyn Clock,
    ) -> StepReport {
        workspace.hold_events.clear();
        let mut quasi = std::mem::take(&mut workspace.quasi);
        quasi.before.copy_from(&self.state);
        let mut paces = std::mem::take(&mut self.state.paces);
        let started = clock.now();
        let parts = self.choose_modes(params, settings, &mut paces, &mut quasi, workspace, clock);
        let (begin, part) = (self.state.time, StepParams { step: params.step / f64::from(parts), ..*params });
        let mut whole = StepReport::default();
        for _ in 0..parts {
            self.mark_still(&paces, &quasi.islands, workspace);
            let report = self.step_on(&part, workspace, clock);
            whole = whole.then(report);
            if report.held {
                self.take_back(&quasi.before);
                workspace.hold_events.clear();
                quasi.switches.clear();
                (whole.time, whole.broke) = (begin, None);
                break;
            }
        }
        workspace.still.clear();
        if let Some(system) = &mut workspace.system {
            system.augmented.fill(false);
        }
        // The ordering of unknowns serves many passes and is not counted, nor are further passes of a search
        // for equilibrium: dynamics would not make them.
        let spent = clock.now() - started - whole.stage_seconds[Stage::OrderUnknowns as usize];
        let searching = whole.searches as f64 / whole.factorisations.max(1) as f64;
        paces.cost.take(spent.max(0.0) * (1.0 - searching) / f64::from(parts));
        (whole.switches, whole.still_objects, whole.parts) = (quasi.switches.len(), paces.still(), parts);
        if whole.held {
            for (k, object) in self.structure.objects.iter().enumerate() {
                if quasi.before.paces.is_still(k) {
                    // The rate of a failed search is not a momentum.
                    self.state.v[object.unknowns()].fill(0.0);
                }
            }
            for (pace, before) in paces.objects.iter_mut().zip(&quasi.before.paces.objects) {
                *pace = before.moving();
            }
        }
        self.state.paces = paces;
        workspace.quasi = quasi;
        whole
    }

    /// Makes all quasi-static objects dynamic before a step of another kind.
    pub(in crate::step) fn end_quasi_statics(
        &mut self,
        params: &StepParams,
        workspace: &mut Workspace,
        clock: &dyn Clock,
    ) {
        let mut quasi = std::mem::take(&mut workspace.quasi);
        quasi.before.copy_from(&self.state);
        let mut paces = std::mem::take(&mut self.state.paces);
        paces.objects.iter_mut().for_each(|pace| *pace = pace.moving());
        self.hand_over(params, 1.0, &paces, &mut quasi, workspace, clock);
        self.state.paces = paces;
        workspace.quasi = quasi;
    }

    /// Chooses the mode of every island for the coming step, and starts or stops the motion of those that
    /// switch. Returns the number of parts of the step.
    fn choose_modes(
        &mut self,
        params: &StepParams,
        settings: &QuasiSettings,
        paces: &mut Paces,
        quasi: &mut QuasiScratch,
        workspace: &mut Workspace,
        clock: &dyn Clock,
    ) -> u32 {
        let mut factored = false;
        quasi.islands.find(&self.structure, &self.state, &[]);
        paces.fit(self.structure.version, &self.state.constraints, self.structure.objects.len());
        quasi.held.find(&self.structure, &self.state);
        quasi.switches.clear();
        let (cost, most) = (paces.cost.value(), settings.most_halvings(params.step));
        let mut finest = 0;
        for island in 0..self.structure.objects.len() {
            if quasi.islands.first(island) != island {
                continue;
            }
            let share = quasi.held.free_share(&self.structure, &quasi.islands, island);
            let halved = halvings(share, settings.exponent, most);
            let step = params.step / f64::from(1_u32 << halved);
            let before = quasi
                .islands
                .members(island)
                .map(|object| paces.objects[object])
                .reduce(Pace::joined)
                .unwrap_or_default();
            let mut admitted = paces.admitted(island);
            let admissible = || {
                // At most one factorisation per step is spent on this.
                admitted = admitted
                    .or_else(|| self.admission(island, params, quasi, workspace, clock, &mut factored));
                admitted.is_some_and(|admitted| admitted != Admission::Free)
            };
            let next = before.next(cost, step, admissible);
            paces.admit(island, admitted);
            let objects = quasi.islands.members(island).count();
            if next.still != before.still
                || quasi.islands.members(island).any(|object| paces.objects[object].still != next.still)
            {
                quasi.switches.push(Switch { object: island, objects, still: next.still, cost, step });
            }
            if !next.still {
                finest = finest.max(halved);
            }
            quasi.islands.members(island).for_each(|object| paces.objects[object] = next);
        }
        let parts = 1 << finest;
        if !quasi.switches.is_empty() {
            self.hand_over(params, f64::from(parts), paces, quasi, workspace, clock);
        }
        parts
    }

    /// Whether an island has an equilibrium: no rigid motion is free, or tension holds it. Islands with
    /// sliding masses or inextensible rods are always dynamic. `None` if the test needs another factorisation
    /// and `factored` is set.
    fn admission(
        &self,
        island: usize,
        params: &StepParams,
        quasi: &mut QuasiScratch,
        workspace: &mut Workspace,
        clock: &dyn Clock,
        factored: &mut bool,
    ) -> Option<Admission> {
        let structure = &self.structure;
        let among = |object: usize| quasi.islands.first(object) == island;
        let slides = structure.constraints.iter().zip(&self.state.constraints).any(|(constraint, memory)| {
            constraint.law.sliding_mass().is_some()
                && objects_of(constraint, memory).into_iter().flatten().any(among)
        });
        let fixed = quasi
            .islands
            .members(island)
            .any(|object| structure.objects[object].model().inner_rows().is_some());
        if !quasi.islands.is_held(island) || slides || fixed {
            return Some(Admission::Free);
        }
        if quasi.rigid.all_are_held(structure, &self.state, &quasi.islands, island, self.size()) {
            return Some(Admission::Rigid);
        }
        if std::mem::replace(factored, true) {
            return None;
        }
        Some(if self.pivots_hold(island, params, &quasi.islands, workspace, clock) {
            Admission::Tense
        } else {
            Admission::Free
        })
    }

    /// Whether the stiffness of an island in its present state, with its rows, leaves no free motion: no
    /// pivot is near zero.
    fn pivots_hold(
        &self,
        island: usize,
        params: &StepParams,
        islands: &Islands,
        workspace: &mut Workspace,
        clock: &dyn Clock,
    ) -> bool {
        workspace.prepare(self, Room::Pairs);
        workspace.still.clear();
        workspace.still.extend(
            (0..self.structure.objects.len()).map(|object| (islands.first(object) == island).then_some(0.0)),
        );
        self.linearise_still(self.state.time, params, workspace);
        let system = workspace.system.as_mut().expect("prepared before");
        let arithmetic = params.arithmetic.into();
        for object in islands.members(island).map(|object| &self.structure.objects[object]) {
            system.hold_rolls(object.first..object.first + object.nodes());
        }
        clock.spend(Work { operations: system.flops(), segments: system.segments });
        let regular =
            system.factorise(arithmetic).is_ok_and(|inertia| inertia.negative == system.expected_negative());
        let objects = islands.members(island).map(|object| &self.structure.objects[object]);
        let mut nodes = objects.flat_map(|object| object.first..object.first + object.nodes());
        let held = regular && nodes.all(|node| system.least_pivot_share(node) > FREE_PIVOT);
        system.augmented.fill(false);
        workspace.still.clear();
        held
    }

    /// Marks quasi-static objects for the next pass.
    fn mark_still(&self, paces: &Paces, islands: &Islands, workspace: &mut Workspace) {
        workspace.still.clear();
        if paces.still() == 0 {
            return;
        }
        workspace.still.extend(
            (0..self.structure.objects.len())
                .map(|object| paces.is_still(islands.first(object)).then_some(MASS_LIKE)),
        );
    }

    /// Linearises at the present state with the targets and loads of `time`. Marked objects are quasi-static;
    /// the others follow Euler's rule without velocity.
    fn linearise_still(&self, time: f64, params: &StepParams, workspace: &mut Workspace) {
        let Workspace { system, still, scratch, .. } = workspace;
        let system = system.as_mut().expect("prepared before");
        let h = params.step;
        let motion = Motion { still, ..Motion::none(1.0 / (h * h)) };
        system.clear_mass_like();
        system.augment_still(&self.structure, &self.state, still);
        let terms = ConstraintTerms {
            exact: false,
            augment_all: false,
            curved: true,
            reach: 1.0,
            rule: Some(Rule::euler(h)),
            start: None,
        };
        let (tangent, arithmetic) = (Tangent::from(params.hessian), params.arithmetic.into());
        let (structure, state) = (&self.structure, &self.state);
        Assembly { structure, state, time, motion: &motion, tangent, terms, arithmetic }
            .write(system, scratch);
    }

    /// Stops islands that become quasi-static, and sets the velocity of those that become dynamic.
    fn hand_over(
        &mut self,
        params: &StepParams,
        parts: f64,
        paces: &Paces,
        quasi: &mut QuasiScratch,
        workspace: &mut Workspace,
        clock: &dyn Clock,
    ) {
        let starts = |object: usize| quasi.before.paces.is_still(object) && !paces.is_still(object);
        let h = params.step / parts;
        if (0..self.structure.objects.len()).any(starts) {
            // Equilibrium at the end of the coming part minus the present one, both from the present state.
            workspace.prepare(self, Room::Pairs);
            workspace.still.clear();
            workspace
                .still
                .extend((0..self.structure.objects.len()).map(|object| starts(object).then_some(MASS_LIKE)));
            let time = self.state.time;
            self.linearise_still(time, params, workspace);
            quasi.right_side.clone_from(&workspace.system.as_ref().expect("prepared before").rhs);
            self.linearise_still(time + h, params, workspace);
            workspace.still.clear();
            let (system, arithmetic, size) =
                (workspace.system.as_mut().expect("prepared before"), params.arithmetic.into(), self.size());
            system.rhs.iter_mut().zip(&quasi.right_side).for_each(|(after, before)| *after -= before);
            system.expected.fill(0.0);
            clock.spend(Work { operations: system.flops(), segments: system.segments });
            let solved = system.factorise(arithmetic).is_ok_and(|_| {
                system.solve(params.refinements, size, arithmetic, &mut StepReport::default()).is_ok()
            });
            for (_, object) in self.structure.objects.iter().enumerate().filter(|(k, _)| starts(*k)) {
                let (range, increment) = (object.unknowns(), system.increment());
                let sensible = solved
                    && object.model().largest_displacement(&increment[range.clone()]) <= CEILING * size;
                self.state.v[range.clone()]
                    .iter_mut()
                    .zip(&increment[range])
                    .for_each(|(v, d)| *v = if sensible { d / h } else { 0.0 });
            }
            system.augmented.fill(false);
        }
        for (k, object) in self.structure.objects.iter().enumerate() {
            if paces.is_still(k) && !quasi.before.paces.is_still(k) {
                self.state.v[object.unknowns()].fill(0.0);
            }
        }
        self.state.restart_history();
    }
}

/// Limit on the displacement of quasi-static objects in one solve: above it their mass-like terms are raised
/// and the solve is repeated.
///
/// A raise that leaves much less than the limit is taken back in part. A soft motion has the displacement
/// `d = F/(k + σm)`: its inverse is linear in the term σ.
pub(in crate::step) struct Ceiling {
    size: f64,
    /// Factor of the terms and displacement, m, in the last solve above the limit.
    above: Option<(f64, f64)>,
    /// Number of raises, and the present factor.
    raises: u32,
    raised: f64,
    /// Whether the factor is interpolated.
    fitted: bool,
}

impl Ceiling {
    pub(in crate::step) fn new(size: f64) -> Self {
        Self { size, above: None, raises: 0, raised: 1.0, fitted: false }
    }

    /// Whether the solved increment is below the limit, or no term can bring it below. Otherwise changes the
    /// terms for the next solve.
    pub(in crate::step) fn is_kept(
        &mut self,
        structure: &Structure,
        increment: &[f64],
        still: &mut [Option<f64>],
        report: &mut StepReport,
    ) -> bool {
        let (far, limit) = (farthest_still(structure, increment, still), CEILING * self.size);
        let factor = match self.above {
            Some((factor, farther)) if far < SHORT * limit && !self.fitted => {
                self.fitted = true;
                let share = (1.0 / (AIM * limit) - 1.0 / farther) / (1.0 / far - 1.0 / farther);
                factor + (self.raised - factor) * share
            }
            above => {
                // Targets move the island, not its forces; by less than the size of the structure.
                let in_vain = above.is_some_and(|(_, farther)| far > NO_EFFECT * farther) && far <= self.size;
                if far <= limit || self.fitted || self.raises == MOST_RAISES || in_vain {
                    report.ceilings += usize::from(self.raises > 0 && !in_vain);
                    return true;
                }
                self.above = Some((self.raised, far));
                self.raises += 1;
                self.raised * RAISE
            }
        };
        scale_terms(still, factor / self.raised);
        self.raised = factor;
        false
    }

    /// Undoes the raises.
    pub(in crate::step) fn take_back(self, still: &mut [Option<f64>]) {
        scale_terms(still, 1.0 / self.raised);
    }
}

/// Largest displacement of a quasi-static object in the increment, m.
fn farthest_still(structure: &Structure, increment: &[f64], still: &[Option<f64>]) -> f64 {
    let objects = structure.objects.iter().zip(still).filter(|(_, still)| still.is_some());
    let farthest =
        |(object, _): (&Object, _)| object.model().largest_displacement(&increment[object.unknowns()]);
    objects.map(farthest).fold(0.0, f64::max)
}

/// Multiplies the mass-like terms of all quasi-static objects.
pub(in crate::step) fn scale_terms(still: &mut [Option<f64>], factor: f64) {
    still.iter_mut().flatten().for_each(|share| *share *= factor);
}

/// Sets the velocities of quasi-static objects to the rates of their positions, `Δq/h`.
pub(in crate::step) fn set_rates(
    structure: &Structure,
    still: &[Option<f64>],
    increment: &[f64],
    h: f64,
    v: &mut [f64],
) {
    for (object, _) in structure.objects.iter().zip(still).filter(|(_, still)| still.is_some()) {
        let own = object.unknowns();
        v[own.clone()].iter_mut().zip(&increment[own]).for_each(|(v, d)| *v = d / h);
    }
}

impl System {
    /// Adds `share` of the stiffest local motion of these nodes, times their mass, to their diagonal.
    pub(in crate::step) fn add_mass_like(&mut self, nodes: std::ops::Range<usize>, share: f64) {
        let mut stiffest = 0.0_f64;
        for node in nodes.clone() {
            let diagonal = &self.matrix.values()[self.matrix.row_start(node)];
            for a in 0..3 {
                // Rolls and rotations have no mass here, and neither has a fixed body.
                if self.lumped[4 * node + a] > 0.0 {
                    stiffest = stiffest.max(diagonal[5 * a] / self.lumped[4 * node + a]);
                }
            }
        }
        let term = share * if stiffest > 0.0 { stiffest } else { NOTHING_STIFF };
        for node in nodes {
            let slot = self.matrix.row_start(node);
            let block = &mut self.matrix.values_mut()[slot];
            for a in 0..4 {
                block[5 * a] += term * self.lumped[4 * node + a];
            }
        }
    }

    /// Adds a small stiffness to rolls: a round rod may roll about its axis without resistance.
    fn hold_rolls(&mut self, nodes: std::ops::Range<usize>) {
        for node in nodes {
            let slot = self.matrix.row_start(node);
            self.matrix.values_mut()[slot][15] *= 1.0 + HELD_ROLL;
        }
    }

    /// Marks the rows that hold quasi-static objects for augmentation: stiffness alone may be singular.
    pub(in crate::step) fn augment_still(
        &mut self,
        structure: &Structure,
        state: &State,
        still: &[Option<f64>],
    ) {
        for (k, (constraint, memory)) in structure.constraints.iter().zip(&state.constraints).enumerate() {
            self.augmented[k] = memory.duplicate_of.is_none()
                && self.seats[k].rows > 0
                && objects_of(constraint, memory).into_iter().flatten().any(|object| still[object].is_some());
        }
    }

    /// The smallest pivot of a node, as a share of its diagonal entry.
    pub(in crate::step) fn least_pivot_share(&self, node: usize) -> f64 {
        let pivots = self.factor.pivots(&self.symbolic, node);
        let diagonal = &self.matrix.values()[self.matrix.row_start(node)];
        (0..4)
            .map(|a| pivots[a] / diagonal[5 * a].abs().max(f64::MIN_POSITIVE))
            .fold(f64::MAX, |least, share| least.min(share.abs()))
    }
}
