//! Restitution of unilateral rows: a row that closes fast opens again with a share of its speed.
//!
//! g₀ and v are the gap and the rate of a row at the beginning of the step, e is its restitution. A struck
//! row requires a displacement of −e h v in the step, instead of g ≥ 0 at its end:
//!
//! ```text
//! 0 ≤ f ⊥ g − g₀ + e h v ≥ 0     if the free motion closes it and v < −2 |a| h,  a = ((g_free − g₀)/h − v)/h
//! ```
//!
//! a is the acceleration of the free motion along the row. Slower rows come to rest, and so do contacts whose
//! approach is rounding: things that fall together have no a. A struck row with e = 0
//! keeps g ≥ 0 and ends at the limit. The first solve of a substep decides which rows are struck; its further
//! passes keep the decision. A step with a struck row uses Euler's rule and restarts the history, because the
//! velocity jumps.

use super::NonSmooth;
use crate::constraint::{Circumstances, Constraint, ENDS, MAX_PUSHES, NonSmoothBlock, Row, Site};
use crate::object::Place;
use crate::step::seat::nodes_of;
use crate::world::{State, Structure};

/// A closing row comes to rest if its speed is below this multiple of the change of its rate in a step.
const LEAST_SPEED: f64 = 2.0;

/// Motion of a contact in a step that is rounding, as a share of the structure's size: a hundred times the
/// tolerance of the laws.
const ROUNDING: f64 = 1e-10;

/// A row that may be struck.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hit {
    /// Number of a row among the non-smooth rows of a constraint.
    Row { constraint: usize, row: usize },
    /// Number of a contact of surfaces.
    Touch(usize),
}

/// Struck rows of a substep.
#[derive(Clone, Debug, Default)]
pub(in crate::step) struct Struck {
    rows: Vec<Hit>,
    decided: bool,
}

/// Gap and rate of a row at the beginning of the step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Approach {
    gap: f64,
    rate: f64,
}

impl Struck {
    pub(super) fn with_room(rows: usize) -> Self {
        Self { rows: Vec::with_capacity(rows), decided: false }
    }

    /// Prepares the first solve of a substep.
    pub(in crate::step) fn begin(&mut self) {
        self.rows.clear();
        self.decided = false;
    }

    /// Whether a row is struck.
    pub(in crate::step) fn any(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Ends the first solve.
    pub(super) fn decide(&mut self) {
        self.decided = true;
    }
}

/// Gaps and rates of the rows with a restitution of constraint k at the beginning of the step.
pub(super) fn approaches(
    structure: &Structure,
    constraint: &Constraint,
    k: usize,
    began: &State,
    places: &[Place; ENDS],
) -> [Approach; MAX_PUSHES] {
    let memory = &began.constraints[k];
    let sites = constraint.find_sites(structure.poses(began), memory, began.time);
    let here = Circumstances { own: memory.own, kind: memory.kind, ..Circumstances::default() };
    let mut found = [Approach::default(); MAX_PUSHES];
    constraint.law.non_smooth(&sites, began.time, &here, |block| {
        let row = &block.rows[0];
        if row.restitution.is_some() {
            let rate = rate_of(structure, places, &sites, &row.row, &began.v);
            found[block.first] = Approach { gap: row.gap, rate };
        }
    });
    found
}

/// J v of a row.
fn rate_of(structure: &Structure, places: &[Place; ENDS], sites: &[Site; ENDS], row: &Row, v: &[f64]) -> f64 {
    let mut rate = 0.0;
    for ((place, site), wrench) in places.iter().zip(sites).zip(&row.ends) {
        if !place.is_somewhere() {
            continue;
        }
        let spread = place.spread(wrench, site);
        for (n, node) in nodes_of(structure, place).enumerate() {
            let of_node = &v[4 * node as usize..];
            rate += place.on_node(n, &spread).iter().zip(of_node).map(|(j, v)| j * v).sum::<f64>();
        }
    }
    rate
}

impl NonSmooth {
    /// Sets the gap of the last row, which belongs to a block of constraint k, if the row is struck. In the
    /// first solve, `motion` is the free motion.
    pub(super) fn rebound(
        &mut self,
        k: usize,
        block: &NonSmoothBlock<'_>,
        began: Approach,
        motion: &[f64],
        gain: f64,
    ) {
        let row = &block.rows[0];
        let Some((restitution, last)) = row.restitution.zip(self.rows.len().checked_sub(1)) else { return };
        let hit = Hit::Row { constraint: k, row: block.first };
        if self.is_struck(hit, last, began, (motion, gain, 0.0)) && restitution > 0.0 {
            self.rows[last].gap = row.gap - began.gap + restitution * began.rate / gain;
        }
    }

    /// If a contact of surfaces is struck, sets the gap of its first row. Its rows are the last ones. The
    /// motion since the beginning is `moved` along the normal; `velocity` is that at the beginning. In the
    /// first solve, `motion` is the free motion. `size` is that of the structure, m.
    pub(super) fn rebound_touch(
        &mut self,
        (touch, restitution): (usize, f64),
        (first, moved): (usize, f64),
        velocity: &[f64],
        (motion, gain, size): (&[f64], f64, f64),
    ) {
        let (from, to) = self.rows[first].coefficients;
        let rate = self.coefficients[from..to].iter().map(|&(i, c)| c * velocity[i as usize]).sum();
        let began = Approach { gap: self.rows[first].gap - moved, rate };
        let slowest = ROUNDING * size * gain;
        if self.is_struck(Hit::Touch(touch), first, began, (motion, gain, slowest)) && restitution > 0.0 {
            self.rows[first].gap = moved + restitution * rate / gain;
        }
    }

    /// Whether a row is struck: it would close in the free motion, and faster than by rest and than at
    /// `slowest`, m/s. The first solve decides.
    fn is_struck(
        &mut self,
        hit: Hit,
        row: usize,
        began: Approach,
        (motion, gain, slowest): (&[f64], f64, f64),
    ) -> bool {
        if !self.struck.decided {
            let free = self.rows[row].displacement(&self.coefficients, motion);
            let change = (free - began.gap) * gain - began.rate;
            if free < 0.0 && began.rate < -(LEAST_SPEED * change.abs()).max(slowest) {
                self.struck.rows.push(hit);
            }
        }
        self.struck.rows.contains(&hit)
    }
}
