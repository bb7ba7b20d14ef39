//! Integrators: acceleration and velocity as functions of the increment of a step.
//!
//! ```text
//! a = c₀ Δ − d,  v = c₁ Δ − e
//! Euler   c₀ = 1/h²,     c₁ = 1/h,     d = v/h,                          e = 0
//! BDF2    c₀ = 9/(4h²),  c₁ = 3/(2h),  d = 3Δ₋/(4h²) + (4v − v₋)/(2h),   e = Δ₋/(2h)
//! ```
//!
//! Increments are tangent vectors at the state where the step began, so history has one tangent space.

use super::StepParams;
use crate::scene::{Integrator, Solves};
use crate::world::{History, State, World};

/// The coefficients of a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// Length of the substep, s.
    pub(super) h: f64,
    /// c₀, 1/s²
    pub(super) c0: f64,
    /// c₁, 1/s
    pub(super) c1: f64,
    /// Whether it is of second order.
    pub(super) second_order: bool,
}

impl Rule {
    /// The rule of a substep of length `h`. BDF2 needs a previous step of the same length of all objects;
    /// otherwise it is Euler's.
    pub(super) fn of(integrator: Integrator, h: f64, history: &History) -> Self {
        let second_order = integrator == Integrator::Bdf2
            && (history.step - h).abs() <= 1e-12 * h
            && !history.restarted.contains(&true);
        if second_order {
            Self { h, c0: 9.0 / (4.0 * h * h), c1: 3.0 / (2.0 * h), second_order }
        } else {
            Self::euler(h)
        }
    }

    /// `d − c₀ Δ` and `c₁ Δ − e`, Δ the increment so far.
    pub(super) fn start(
        self,
        from: &State,
        so_far: Option<&[f64]>,
        inertia: &mut [f64],
        velocity: &mut [f64],
    ) {
        let (Self { c0, c1, second_order, .. }, v, history) = (self, &from.v, &from.history);
        if !second_order {
            match so_far {
                None => {
                    inertia.iter_mut().zip(v).for_each(|(inertia, v)| *inertia = c1 * v);
                    velocity.fill(0.0);
                }
                Some(sum) => {
                    for (((inertia, velocity), v), d) in inertia.iter_mut().zip(velocity).zip(v).zip(sum) {
                        (*inertia, *velocity) = (c1 * v - c0 * d, c1 * d);
                    }
                }
            }
            return;
        }
        for i in 0..v.len() {
            let last = history.increment[i];
            let (d, e) = (self.inertia_of(v[i], last, history.velocity[i]), self.rate_before(last));
            let increment = so_far.map_or(0.0, |sum| sum[i]);
            inertia[i] = d - c0 * increment;
            velocity[i] = c1 * increment - e;
        }
    }

    /// The rule of Euler for a step of length `h`.
    pub(super) fn euler(h: f64) -> Self {
        Self { h, c0: 1.0 / (h * h), c1: 1.0 / h, second_order: false }
    }

    /// d of a scalar, from its velocity and from the increment and velocity of the previous step.
    pub(super) fn inertia_of(self, velocity: f64, before: f64, velocity_before: f64) -> f64 {
        if self.second_order {
            before * (3.0 / (4.0 * self.h * self.h)) + (velocity * 4.0 - velocity_before) / (2.0 * self.h)
        } else {
            velocity * self.c1
        }
    }

    /// e of a quantity that changed by `before` in the last step.
    pub(super) fn rate_before(self, before: f64) -> f64 {
        if self.second_order { before / (2.0 * self.h) } else { 0.0 }
    }

    /// c₁ Δ − e: the velocity of scalar i after the whole increment.
    pub(super) fn velocity(self, history: &History, increment: &[f64], i: usize) -> f64 {
        self.c1 * increment[i] - history.increment.get(i).map_or(0.0, |&before| self.rate_before(before))
    }

    /// New velocities and history of the trial state after the whole increment.
    pub(super) fn finish(
        self,
        integrator: Integrator,
        increment: &[f64],
        strains: &mut [Vec<f64>],
        trial: &mut State,
    ) {
        let Self { h, c1, .. } = self;
        if integrator == Integrator::Euler {
            trial.v.clear();
            trial.v.extend(increment.iter().map(|d| c1 * d));
            trial.restart_history();
            return;
        }
        let history = &mut trial.history;
        history.increment.resize(increment.len(), 0.0);
        history.velocity.resize(increment.len(), 0.0);
        history.strains.resize(strains.len(), Vec::new());
        for i in 0..increment.len() {
            let before = trial.v[i];
            trial.v[i] = self.velocity(history, increment, i);
            (history.increment[i], history.velocity[i]) = (increment[i], before);
        }
        for (kept, present) in history.strains.iter_mut().zip(strains) {
            kept.clone_from(present);
        }
        history.step = h;
        history.restarted.clear();
    }
}

impl World {
    /// Reference strains of Kelvin–Voigt stress. With one Euler solve they are the present ones, and nothing
    /// is stored. On a winch they are the strains before the material slid, `spooled`, for a step from the
    /// present state: sliding is no strain rate.
    pub(super) fn viscous_reference(
        &self,
        params: &StepParams,
        rule: Rule,
        trial: &State,
        spooled: &[Vec<f64>],
        [strains, before]: [&mut [Vec<f64>]; 2],
    ) {
        let remembers = params.solves != Solves::ONE || params.integrator == Integrator::Bdf2;
        for (k, object) in self.structure.objects.iter().enumerate() {
            let model = object.model();
            let slid = spooled.get(k).filter(|slid| !slid.is_empty() && trial.time == self.state.time);
            if model.internal_damping() == 0.0 || !(remembers || slid.is_some()) {
                before[k].clear();
                continue;
            }
            // Only second-order integration needs them after the step.
            let keeps = params.integrator == Integrator::Bdf2;
            let present = if keeps { &mut strains[k] } else { &mut before[k] };
            match slid {
                Some(slid) => present.clone_from(slid),
                None => {
                    let own = object.own(&trial.q, &trial.frames);
                    model.strains(own, present, params.arithmetic.into());
                }
            }
            if keeps {
                before[k].clone_from(&strains[k]);
            }
            if rule.second_order
                && let Some(last) = trial.history.strains.get(k)
            {
                // ε̇ = (3ε − 4ε_n + ε_{n−1})/(2h) = c₁ (ε − (4ε_n − ε_{n−1})/3)
                for (b, l) in before[k].iter_mut().zip(last) {
                    *b = (4.0 * *b - l) / 3.0;
                }
            }
        }
    }
}
