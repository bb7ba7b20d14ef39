//! An increment of a search: linearise, factor with as much of σS as the inertia requires, solve.

use super::holding::Holding;
use super::stability::ZERO_PIVOT;
use crate::object::rod::Tangent;
use crate::scene::Hessian;
use crate::step::assemble::Assembly;
use crate::step::linearise_constraints::ConstraintTerms;
use crate::step::linearise_objects::Motion;
use crate::step::order::System;
use crate::step::params::StaticParams;
use crate::step::report::{Stage, StepReport};
use crate::step::{Timer, largest_displacement};
use crate::world::{Refusal, Spot, State, Structure};
use micado_linalg::Arithmetic;

/// First σ if a pivot is rounding, and first values of σ if the inertia is wrong. The second of these is for
/// pivots that are negative by the rounding of a zero mode, see [`NEGLIGIBLE`](super::stability::NEGLIGIBLE).
const WEAK_SIGMA: f64 = 1e-9;
const UNSTABLE_SIGMAS: [f64; 2] = [1e-6, 1e-3];
/// Factor between values of σ.
const RAISE: f64 = 10.0;
/// Most values of σ: from the least one to far above local stiffness.
pub(super) const MOST_SIGMAS: usize = 40;
/// Free motion, as a share of the structure's size, above which nothing holds an object yet. A larger σ
/// shortens the motion, so that unilateral rows stop it without loss of digits.
const FAR: f64 = 10.0;
/// With more unstable modes than this, σS would favour the crumpling of single segments; the positive
/// semidefinite Hessian is used instead.
const MANY_UNSTABLE: usize = 4;

/// Input of an iteration.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) structure: &'a Structure,
    /// The state at its beginning.
    pub(super) base: &'a State,
    pub(super) time: f64,
    pub(super) params: &'a StaticParams,
    /// Size of the structure, m.
    pub(super) size: f64,
    /// Stretches from the solve of the last iteration; empty if those of the state are used.
    pub(super) carried: &'a [Vec<f64>],
    pub(super) holding: &'a Holding,
}

/// The factor σ of S in a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sigma {
    /// σ of the next factor, and of the last one after a step.
    pub(super) value: f64,
    /// Least σ with which all pivots have a sign: 0 unless there are zero modes.
    pub(super) floor: f64,
}

impl Sigma {
    /// Raises it because a pivot is weak, or because a mode is unstable.
    pub(super) fn raise(&mut self, weak: bool) {
        if weak {
            self.value = (RAISE * self.value).max(WEAK_SIGMA);
            self.floor = self.value;
        } else {
            let first = UNSTABLE_SIGMAS.into_iter().find(|first| *first > self.value);
            self.value = first.unwrap_or(RAISE * self.value);
        }
    }

    /// Lowers it after an increment that was not shortened.
    pub(super) fn lower(&mut self) {
        let lower = self.value / RAISE;
        self.value = if lower < self.floor.max(UNSTABLE_SIGMAS[0]) { self.floor } else { lower };
    }
}

impl Search<'_> {
    /// Linearises and solves for an increment, with as much of σS as the inertia requires. Returns the number
    /// of unstable modes for which it has used the positive semidefinite second derivative; 0 if it has used
    /// the exact one.
    pub(super) fn make_increment(
        &self,
        sigma: &mut Sigma,
        system: &mut System,
        scratch: &mut Vec<f64>,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<usize, Refusal> {
        let Self { structure, params, size, holding, .. } = *self;
        let arithmetic: Arithmetic = params.arithmetic.into();
        let mut tangent = Tangent::from(params.hessian);
        self.linearise(tangent, (sigma.value, true), system, scratch, timer, report);
        let mut holds = true;
        let expected = 4 * system.dual_nodes();
        let mut unstable = 0;
        let mut blame = Refusal::Singular { at: Spot::Unknown };
        for _ in 0..MOST_SIGMAS {
            system.hold(holding, sigma.value);
            let factored = system.factorise(arithmetic);
            timer.end(Stage::Factor, report);
            let (weakest, pivot) = system.weakest_pivot();
            let weak = factored.is_err() || pivot.abs() < ZERO_PIVOT;
            blame = factored.err().unwrap_or(Refusal::Singular { at: system.spot(weakest) });
            if weak {
                sigma.raise(true);
                continue;
            }
            let extra = factored.map_or(0, |inertia| inertia.negative.saturating_sub(expected));
            if extra > MANY_UNSTABLE
                && params.leave_unstable
                && params.hessian == Hessian::Auto
                && tangent == Tangent::Exact
            {
                (tangent, unstable) = (Tangent::Psd, extra);
                self.linearise(tangent, (sigma.value, holds), system, scratch, timer, report);
                continue;
            }
            // Newton may approach a saddle if `leave_unstable` is off.
            let stays = !params.leave_unstable && tangent == Tangent::Exact;
            if extra > 0 && !stays {
                sigma.raise(false);
                continue;
            }
            system.solve(2, size, arithmetic, report)?;
            timer.end(Stage::FreeMotion, report);
            let moved = largest_displacement(structure, system.increment());
            if sigma.floor > 0.0 && sigma.value < 1.0 && moved > FAR * size {
                sigma.value = (sigma.value * moved / size).min(1.0);
                continue;
            }
            system.solve_non_smooth(size, arithmetic, timer, report);
            if holds && system.rows_contradict() {
                holds = false;
                let overcome = system.overcome_rows(size);
                self.linearise(tangent, (sigma.value, holds), system, scratch, timer, report);
                system.bound_rows(&overcome);
                continue;
            }
            return Ok(unstable);
        }
        Err(blame)
    }

    /// Linearises objects and constraints, and augments all rows; with `holds`, also the non-smooth rows that
    /// hold.
    pub(super) fn linearise(
        &self,
        tangent: Tangent,
        (sigma, holds): (f64, bool),
        system: &mut System,
        scratch: &mut Vec<f64>,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) {
        let exact = tangent == Tangent::Exact;
        let assembly = Assembly {
            structure: self.structure,
            state: self.base,
            time: self.time,
            motion: &Motion { carried: self.carried, ..Motion::none(0.0) },
            tangent,
            terms: ConstraintTerms {
                exact,
                augment_all: true,
                curved: true,
                reach: 1.0,
                rule: None,
                start: None,
            },
            arithmetic: self.params.arithmetic.into(),
        };
        assembly.write_between(system, scratch, timer, report, |system| {
            system.hold_for_rows(self.holding, sigma);
        });
        system.collect_non_smooth(self.structure, [self.base; 2], self.time, 0.0, None);
        if holds {
            system.hold_rows(self.holding);
        }
        timer.end(Stage::LineariseConstraints, report);
    }
}
