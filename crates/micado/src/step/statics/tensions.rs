//! The tensions of a search: N of the last solve, `N⁺ = EA (ε + BΔ)`, not EA ε of the state.
//!
//! An increment that turns an edge by φ makes it too long and stores the false energy `½ EA l (φ²/2)²`, which
//! the next iteration would take for a tension. It uses N instead, as does the mixed form with rows
//! `|e| − l = N l/EA` that are condensed in the element.

use crate::world::{State, Structure};
use micado_linalg::Arithmetic;

/// A rod that is stretched by more than this is soft: its state gives a better tension than the last solve,
/// and increments are shorter.
const SOFT: f64 = 0.1;

/// The tensions of a search.
pub(super) struct Tensions<'a> {
    pub(super) carried: &'a mut [Vec<f64>],
    pub(super) known: bool,
    /// Whether a rod is soft, or something slides along one: then the state gives the tension.
    pub(super) soft: bool,
    pub(super) scratch: &'a mut TensionScratch,
}

/// Scratch of the tensions of one object: its part of the increment, its stretches before the increment, and
/// those of the solve.
#[derive(Clone, Debug, Default)]
pub(super) struct TensionScratch {
    led: Vec<f64>,
    before: Vec<f64>,
    solved: Vec<f64>,
}

impl Tensions<'_> {
    /// Stretches from the solve of the last iteration, by object; empty if those of the state are used.
    pub(super) fn carried(&self) -> &[Vec<f64>] {
        if self.known { self.carried } else { &[] }
    }

    /// Takes over the stretches of a solve; the trial state has moved by this share of its increment.
    pub(super) fn follow(
        &mut self,
        structure: &Structure,
        [base, trial]: [&State; 2],
        increment: &[f64],
        share: f64,
        arithmetic: Arithmetic,
    ) {
        let TensionScratch { led, before, solved } = &mut *self.scratch;
        for (object, carried) in structure.objects.iter().zip(&mut *self.carried) {
            if carried.is_empty() || self.soft {
                continue;
            }
            let model = object.model();
            led.clear();
            led.extend(increment[object.unknowns()].iter().map(|d| share * d));
            for stretches in [&mut *before, &mut *solved] {
                stretches.clear();
                stretches.resize(carried.len(), 0.0);
            }
            model.stretches(object.own(&base.q, &base.frames), before, arithmetic);
            let own = object.own(&trial.q, &trial.frames);
            self.soft |= model.predicted_stretches(own, led, solved, arithmetic) > SOFT;
            for ((carried, before), solved) in carried.iter_mut().zip(&*before).zip(&*solved) {
                let old = if self.known { *carried } else { *before };
                // (1 − s) N + s EA (ε + BΔ)
                *carried = (1.0 - share) * (old - before) + solved;
            }
        }
        self.known = !self.soft;
    }
}
