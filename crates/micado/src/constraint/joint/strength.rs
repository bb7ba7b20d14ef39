//! Strength of a joint: bounds on the force and on the moment of its rows.

use super::JointLaw;
use crate::constraint::{Force, MAX_ROWS, Rows, Site};
use crate::law::{BallRows, BlockLaw};

impl JointLaw {
    /// Whether it may break.
    pub(in crate::constraint) fn may_break(&self) -> bool {
        self.strength.force.is_some() || self.strength.moment.is_some()
    }

    /// Largest force, N, and largest moment, N·m, that its rows can hold: infinite without a limit, zero
    /// without rows.
    pub(crate) fn capacity(&self) -> [f64; 2] {
        let [forces, moments] = self.held_rows();
        let of = |rows: usize, most: Option<f64>| if rows > 0 { most.unwrap_or(f64::INFINITY) } else { 0.0 };
        [of(forces, self.strength.force), of(moments, self.strength.moment)]
    }

    /// Force and moment of its rows on its first object, without those of motors.
    pub(crate) fn held_force(&self, rows: &Rows, multipliers: &[f64; MAX_ROWS], site: &Site) -> Force {
        let mut force = Force::default();
        let held = self.held_rows().iter().sum();
        for (row, multiplier) in rows.iter().zip(multipliers).take(held) {
            force.add(row, *multiplier, site, 0);
        }
        force
    }

    /// Calls `out` for each bound on its multipliers, with the first row of the law and the law.
    pub(in crate::constraint) fn strengths(&self, out: &mut impl FnMut(usize, BlockLaw)) {
        let [forces, moments] = self.held_rows();
        let bounds = [(0, forces, self.strength.force), (forces, moments, self.strength.moment)];
        for (first, count, most) in bounds {
            let rows = match count {
                0 => continue,
                1 => BallRows::One,
                2 => BallRows::Two,
                _ => BallRows::Three,
            };
            if let Some(most) = most {
                out(first, BlockLaw::Ball { rows, most });
            }
        }
    }
}
