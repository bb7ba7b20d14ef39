//! Departure from an unstable equilibrium along its softest mode.

use super::increment::{MOST_SIGMAS, Search, Sigma};
use super::search::largest_increments;
use super::stability::ZERO_PIVOT;
use crate::object::rod::Tangent;
use crate::step::Timer;
use crate::step::commit::advance;
use crate::step::order::System;
use crate::step::report::{Stage, StepReport};
use crate::world::{State, Structure};
use micado_linalg::Arithmetic;

/// Displacement with which an unstable equilibrium is left, as a share of the structure's size.
const DEPARTURE: f64 = 0.01;
/// Modes that are computed first in addition to the number of unstable modes that the pivots give. The number
/// is doubled until one of the modes is stable.
const SPARE_MODES: usize = 2;
/// Most modes that are computed: twice those of a free body.
const MOST_MODES: usize = 12;

/// Unstable modes of an equilibrium.
#[derive(Debug, Default)]
pub(super) struct Unstable {
    pub(super) count: usize,
    /// The softest of them.
    pub(super) mode: Vec<f64>,
}

impl Search<'_> {
    /// Finds the unstable modes of the state of the search, an equilibrium. Changes matrix and factor.
    pub(super) fn find_unstable(
        &self,
        sigma: Sigma,
        system: &mut System,
        scratch: &mut Vec<f64>,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Unstable {
        let arithmetic: Arithmetic = self.params.arithmetic.into();
        self.linearise(Tangent::Exact, (sigma.value, true), system, scratch, timer, report);
        let expected = 4 * system.dual_nodes();
        let mut sigma = Sigma { value: sigma.floor, ..sigma };
        // First the count of unstable modes with the least σ, then the least σ that makes all modes stable.
        let mut claimed = None;
        for _ in 0..MOST_SIGMAS {
            system.hold_by_own_loads(self.holding, sigma.value);
            let factored = system.factorise(arithmetic);
            let weak = factored.is_err() || system.weakest_pivot().1.abs() < ZERO_PIVOT;
            if let (false, Ok(inertia)) = (weak, factored) {
                let extra = inertia.negative.saturating_sub(expected);
                claimed.get_or_insert(extra);
                if extra == 0 {
                    break;
                }
            }
            sigma.raise(weak);
        }
        let claimed = claimed.unwrap_or(0);
        let mut width = (claimed + SPARE_MODES).min(MOST_MODES);
        let modes = loop {
            let modes = system.softest_modes(self.holding, width, arithmetic);
            let enough = modes.last().is_none_or(|(stiffness, _)| stiffness.is_stable());
            if enough || width == MOST_MODES {
                break modes;
            }
            width = (2 * width).min(MOST_MODES);
        };
        timer.end(Stage::Factor, report);
        let count = modes.iter().filter(|(stiffness, _)| stiffness.is_unstable()).count();
        let mode = modes.into_iter().next().map(|(_, mode)| mode).unwrap_or_default();
        Unstable { count: if count == width { claimed.max(count) } else { count }, mode }
    }
}

/// Moves a trial state along a mode. The sign alternates from departure to departure.
pub(super) fn depart(
    structure: &Structure,
    system: &mut System,
    size: f64,
    (mode, departures): (&[f64], usize),
    arithmetic: Arithmetic,
    trial: &mut State,
) {
    let (n, own) = (4 * system.object_nodes, 4 * system.primal_nodes);
    let (moved, turned) = largest_increments(structure, &mode[..n]);
    let sign = if departures.is_multiple_of(2) { -1.0 } else { 1.0 };
    let scale = sign * DEPARTURE * size / moved.max(turned * size).max(f64::MIN_POSITIVE);
    for i in 0..own {
        system.solution[i] = if i < n { scale * mode[i] } else { 0.0 };
    }
    let kept: Vec<_> = trial.constraints.iter().map(|c| c.multipliers).collect();
    system.expect_tensions(structure, trial);
    advance(structure, system, 1.0, arithmetic, None, trial);
    for (state, multipliers) in trial.constraints.iter_mut().zip(kept) {
        state.multipliers = multipliers;
    }
}
