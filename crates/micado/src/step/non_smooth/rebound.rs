//! Restitution of unilateral rows: a row that closes fast opens again with a share of its speed.
//!
//! g₀ and v are the gap and the rate of a row at the beginning of the step, a is the acceleration of the free
//! motion along the row, and e its restitution. A row is struck if the free motion closes it and
//! v < −2 |a| h. Slower rows come to rest. So do contacts whose approach is rounding: for objects that fall
//! together, a = 0. A struck row leaves from its place, up to one step early, with the speed w that it would
//! have there after a rebound at g = 0:
//!
//! ```text
//! v_c² = v² − 2 a g₀,   w² = e² v_c² + 2 a g₀
//! Euler   velocities are those of the middles of steps:   v → v + a h/2,   g − g₀ = h (w + a h/2)
//! BDF2    velocities are those of the ends of steps:                       g − g₀ = h (w + a h)
//! ```
//!
//! A rebound thus keeps e² of the energy at the limit, wherever in the step it happens; its time is up to one
//! step early. If w² < 0, the row does not come back to g₀ within the step. It then ends at the limit, or at
//! rest at g₀ if that is nearer in energy. The first solve of a substep decides which rows are struck
//! and how far they go; its further passes keep the decision. A step with a struck row uses Euler's rule and
//! restarts the history, because the velocity jumps.

use super::NonSmooth;
use crate::constraint::{Circumstances, Constraint, ENDS, MAX_PUSHES, NonSmoothBlock, Row, Site};
use crate::object::Place;
use crate::step::seat::nodes_of;
use crate::world::{State, Structure};

/// A closing row comes to rest if its speed is below this multiple of the change of its rate in a step.
const LEAST_SPEED: f64 = 2.0;

/// Largest motion of a contact in a step that counts as rounding, as a share of the structure's size: a
/// hundred times the tolerance of the laws.
pub(super) const ROUNDING: f64 = 1e-10;

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
    /// Each with its displacement in the step; `None` if it ends at its limit.
    rows: Vec<(Hit, Option<f64>)>,
    decided: bool,
}

/// Gap and rate of a row at the beginning of the step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Approach {
    gap: f64,
    rate: f64,
}

/// Data of a solve that all rebounds share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rebounds<'a> {
    /// The motion in the present solve; in the first solve, the free motion.
    pub(super) motion: &'a [f64],
    /// 1/h, 1/s
    pub(super) gain: f64,
    /// Whether velocities are those of the ends of steps, instead of their middles.
    pub(super) at_ends: bool,
    /// Least speed of a struck row, m/s; less is rounding.
    pub(super) slowest: f64,
}

impl Approach {
    /// Displacement of a struck row in the step, if its rate changes by `change` in the free motion; `None`
    /// if it ends at its limit.
    fn rebound(self, restitution: f64, change: f64, of: Rebounds<'_>) -> Option<f64> {
        if restitution == 0.0 {
            return None;
        }
        let (start, end) = if of.at_ends { (0.0, change) } else { (0.5 * change, 0.5 * change) };
        // 2 a g₀
        let fall = 2.0 * change * of.gain * self.gap;
        let at_limit = restitution.powi(2) * ((self.rate + start).powi(2) - fall).max(0.0);
        let returned = at_limit + fall;
        if returned < 0.0 && at_limit < -0.5 * fall {
            return None;
        }
        let displacement = (returned.max(0.0).sqrt() + end) / of.gain;
        Some(displacement.max(-self.gap.max(0.0)))
    }
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
    /// Sets the gap of the last row, which belongs to a block of constraint k, if the row is struck.
    pub(super) fn rebound(
        &mut self,
        k: usize,
        block: &NonSmoothBlock<'_>,
        began: Approach,
        of: Rebounds<'_>,
    ) {
        let row = &block.rows[0];
        let Some((restitution, last)) = row.restitution.zip(self.rows.len().checked_sub(1)) else { return };
        let hit = Hit::Row { constraint: k, row: block.first };
        if let Some(displacement) = self.strike(hit, last, (began, restitution), of) {
            self.rows[last].gap = row.gap - began.gap - displacement;
        }
    }

    /// If a contact of surfaces is struck, sets the gap of its first row. Its rows are the last ones. The
    /// motion since the beginning is `moved` along the normal; `velocity` is that at the beginning.
    pub(super) fn rebound_touch(
        &mut self,
        (touch, restitution): (usize, f64),
        (first, moved): (usize, f64),
        velocity: &[f64],
        of: Rebounds<'_>,
    ) {
        let (from, to) = self.rows[first].coefficients;
        let rate = self.coefficients[from..to].iter().map(|&(i, c)| c * velocity[i as usize]).sum();
        let began = Approach { gap: self.rows[first].gap - moved, rate };
        if let Some(displacement) = self.strike(Hit::Touch(touch), first, (began, restitution), of) {
            self.rows[first].gap = moved - displacement;
        }
    }

    /// The displacement of a row if it is struck and does not end at its limit. It is struck if it would
    /// close in the free motion, faster than a row that comes to rest. The first solve decides.
    fn strike(
        &mut self,
        hit: Hit,
        row: usize,
        (began, restitution): (Approach, f64),
        of: Rebounds<'_>,
    ) -> Option<f64> {
        if !self.struck.decided {
            let free = self.rows[row].displacement(&self.coefficients, of.motion);
            let change = (free - began.gap) * of.gain - began.rate;
            if free < 0.0 && began.rate < -(LEAST_SPEED * change.abs()).max(of.slowest) {
                self.struck.rows.push((hit, began.rebound(restitution, change, of)));
            }
        }
        self.struck.rows.iter().find(|(known, _)| *known == hit)?.1
    }
}
