//! Residuals of rows after a pass, and the work of their forces on them: Σ |λ g|.
//!
//! Residuals up to [`HELD`] are rounding and count as zero: no further pass removes them.

use super::commit::worst_of_misses;
use super::inner_rows::work_of_missed_lengths;
use super::order::System;
use super::params::{HELD, LASTING};
use crate::constraint::{Circumstances, Rows};
use crate::world::{State, Structure};

/// Residuals in the state after a pass.
#[derive(Clone, Copy)]
pub(super) struct Misses<'a> {
    pub(super) structure: &'a Structure,
    /// The system of the pass.
    pub(super) system: &'a System,
    pub(super) state: &'a State,
    /// Time of the targets, s.
    pub(super) time: f64,
    /// Size of the structure, m.
    pub(super) size: f64,
}

impl Misses<'_> {
    /// The largest residual, m or rad, with its constraint, and an upper bound of [`work`](Self::work), J:
    /// |λ||g| for the lengths and for the angles of each constraint.
    pub(super) fn worst_and_most_work(&self) -> ((f64, Option<usize>), f64) {
        let mut work = 0.0;
        let worst = worst_of_misses(self.structure, self.state, self.time, |k, misses| {
            if misses[0] > HELD * self.size || misses[1] > HELD {
                let memory = &self.state.constraints[k];
                // |λ|² of rows on lengths, including non-smooth rows, and of rows on angles.
                let mut squares = [memory.pushes.iter().map(|push| push * push).sum::<f64>(), 0.0];
                for (row, multiplier) in self.system.rows[k].iter().zip(&memory.multipliers) {
                    squares[usize::from(row.angle)] += multiplier * multiplier;
                }
                let of_row = misses[0] * squares[0].sqrt() + misses[1] * squares[1].sqrt();
                work += of_row * self.weight(k);
            }
        });
        (worst, work + work_of_missed_lengths(self.structure, self.state, HELD * self.size))
    }

    /// Σ |λ g| over all rows, J.
    pub(super) fn work(&self) -> f64 {
        let constraints = 0..self.structure.constraints.len();
        let constraints: f64 = constraints.map(|k| self.work_of(k) * self.weight(k)).sum();
        constraints + work_of_missed_lengths(self.structure, self.state, HELD * self.size)
    }

    /// Weight of the residuals of constraint k. Rows with the directions of the start lose no energy in a
    /// step, so the residuals of a pass add up from step to step; those that sweeps leave are no fault of a
    /// pass.
    fn weight(&self, k: usize) -> f64 {
        if self.system.from_start[k] && self.system.swept.is_none() { LASTING } else { 1.0 }
    }

    /// Σ |λ g| over the rows of constraint k, J.
    fn work_of(&self, k: usize) -> f64 {
        let Self { structure, state, time, size, .. } = *self;
        let (constraint, memory) = (&structure.constraints[k], &state.constraints[k]);
        let law = &constraint.law;
        if law.sliding_mass().is_some() || memory.open || memory.duplicate_of.is_some() {
            return 0.0;
        }
        let sites = constraint.find_sites(structure.poses(state), memory, time);
        let (mut work, mut rows) = (0.0, Rows::default());
        law.linearise(&sites, memory, time, &mut rows);
        let mut add = |miss: f64, angle: bool, force: f64| {
            if miss.abs() > if angle { HELD } else { HELD * size } {
                work += (miss * force).abs();
            }
        };
        rows.iter().zip(&memory.multipliers).for_each(|(row, force)| add(row.violation, row.angle, *force));
        if law.holds_one_side() {
            law.non_smooth(&sites, time, &Circumstances::default(), |block| {
                add(block.rows[0].gap.min(0.0), false, memory.pushes[block.first]);
            });
        }
        work
    }
}

#[cfg(test)]
mod tests {
    use super::Misses;
    use crate::object::rod::Tangent;
    use crate::step::System;
    use crate::step::assemble::Assembly;
    use crate::step::linearise_constraints::ConstraintTerms;
    use crate::step::linearise_objects::Motion;
    use crate::world::World;
    use micado_linalg::Arithmetic;
    use serde_json::json;

    /// The bound and the work of a clamp that is violated by 1 cm across the rod. `multipliers` are those of
    /// its three rows on lengths, N, and of its three rows on angles, N·m.
    fn works(multipliers: [f64; 6]) -> (f64, f64) {
        let scene = json!({
            "rod": {"rod": {"shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "radius": 0.01,
                "young": 1e7, "density": 1000, "segments": 6}},
            "constraint": {"wall": {"clamp": {"on": "rod", "at": "start"}}},
        });
        let mut world = World::build(&serde_json::from_value(scene).expect("a scene")).expect("a world");
        // The rod moves as a whole: no angle is violated.
        world.state.q.chunks_exact_mut(4).for_each(|x| x[1] += 0.01);
        world.state.constraints[0].multipliers[..6].copy_from_slice(&multipliers);
        let (structure, state) = (&world.structure, &world.state);
        let mut system = System::new(structure, state, false);
        let terms = ConstraintTerms {
            exact: false,
            augment_all: false,
            curved: false,
            reach: 1.0,
            rule: None,
            start: None,
        };
        let (motion, tangent, arithmetic) = (&Motion::none(1.0), Tangent::Psd, Arithmetic::Portable);
        Assembly { structure, state, time: 0.0, motion, tangent, terms, arithmetic }
            .write(&mut system, &mut Vec::new());
        let misses = Misses { structure, system: &system, state, time: 0.0, size: 1.0 };
        let ((worst, _), most) = misses.worst_and_most_work();
        assert!((worst - 0.01).abs() < 1e-15, "{worst} m");
        (most, misses.work())
    }

    #[test]
    fn forces_work_along_the_miss_of_their_own_row_only() {
        // 1e-12: rounding of the position, times the force.
        let (most, work) = works([0.0, 7.0, 0.0, 0.0, 0.0, 0.0]);
        assert!((work - 0.07).abs() < 1e-12 && (most - 0.07).abs() < 1e-12, "{most} {work}");
        let (most, work) = works([5.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert!(work < 1e-12 && (most - 0.05).abs() < 1e-12, "{most} {work}");
    }

    #[test]
    fn moments_do_no_work_on_a_length_that_is_missed() {
        let (most, work) = works([0.0, 0.0, 0.0, 4.0, 5.0, 6.0]);
        assert!(work < 1e-12 && most < 1e-12, "{most} {work}");
    }
}
