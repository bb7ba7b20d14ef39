//! Corners: a rod turns in an eye within too few segments, so that the eye holds it.
//!
//! The bend of a rod with stiffness EI and tension T that turns by φ in an eye has the length λ = √(EI/T) and
//! the curvature κ = 2 sin(φ/4)/λ at the eye. κ' jumps there, and a cubic spline allows that at knots only:
//! the energy of the bend depends on the place of the eye between knots, like the energy of a dislocation
//! between atoms. So a frictionless eye holds the rod like friction, by a share of T that grows with the
//! square of the turn in a segment, θ = κ l. Measured for turns of 60° to 170° and l of a third to 1.7 λ it
//! is 0.055 to 0.083 θ².
//!
//! A corner within a segment is worse. The bending energy is measured at three points of a segment and does
//! not see a cusp between them; a rod that begins with a corner is caught there, however many segments it
//! has.

use super::{State, Structure, World, sliding};
use crate::constraint::{ENDS, End};
use glam::DVec3;

/// Share of the tension that an eye holds, over the square of the turn in a segment.
const HELD: f64 = 0.08;
/// Largest share without a remark.
const MOST_HELD: f64 = 0.05;
/// Turn in a segment at which an eye holds 2 % of the tension; rods with `resolution = "auto"` keep it.
const FINE: f64 = 0.5;
/// There is a corner if the turn in a segment exceeds this multiple of the turn that the bending energy sees.
const SHARP: f64 = 1.5;
/// Distance from the eye, in segments, at which the tangents give the turn of a bend that is not resolved.
const BESIDE: f64 = 3.0;

/// A rod that turns in an eye within too few segments, so that the eye holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    /// The constraint, and the rod that slides.
    pub(crate) constraint: usize,
    pub(crate) object: usize,
    /// Turn within one segment, or of a corner, rad.
    pub(crate) turn: f64,
    /// Share of the tension that the eye holds.
    pub(crate) held: f64,
    /// Number of segments of the rod.
    pub(crate) segments: usize,
    /// Number of even segments that resolve the bend, if it is known.
    pub(crate) needed: Option<usize>,
    /// Whether there is a corner within a segment, which more segments do not remove.
    pub(crate) sharp: bool,
}

impl World {
    /// The corners of rods in the eyes of the present state.
    pub(crate) fn corners(&self) -> impl Iterator<Item = Corner> + '_ {
        (0..self.structure.constraints.len())
            .flat_map(|k| (0..ENDS).map(move |e| (k, e)))
            .filter_map(|(k, e)| corner(&self.structure, &self.state, k, e))
    }
}

/// The corner at the sliding end e of constraint k, if there is one.
fn corner(structure: &Structure, state: &State, k: usize, e: usize) -> Option<Corner> {
    let (constraint, memory) = (&structure.constraints[k], &state.constraints[k]);
    let End::Sliding { object } = constraint.ends[e] else { return None };
    // A sliding mass has no rows: it rests on the rod and does not bend it like an eye.
    if constraint.law.rows() == 0 || memory.duplicate_of.is_some() {
        return None;
    }
    let rod = structure.objects[object].rod()?.spline()?;
    let (q, (segment, _)) = (&state.q[structure.objects[object].unknowns()], rod.segment_at(memory.own[e]));
    let last = rod.segments() - 1;
    let about = segment.saturating_sub(1)..=(segment + 1).min(last);
    let turns = about.map(|segment| (rod.turn_of_tangents(q, segment), rod.turning(q, segment)));
    let (mut turn, mut seen, mut all) = (0.0, 0.0, 0.0);
    for (of_one, seen_of_one) in turns {
        all += of_one;
        if of_one > turn {
            (turn, seen) = (of_one, seen_of_one);
        }
    }
    if HELD * turn * turn <= MOST_HELD {
        return None;
    }
    // A corner at a knot turns by one half in each of two segments.
    let sharp = turn > SHARP * seen;
    let turn = if sharp { all } else { turn };
    let length = rod.arc_at(segment, 1.0) - rod.arc_at(segment, 0.0);
    let whole = sliding::turn(structure, state, k, e, BESIDE * length)?;
    let force = DVec3::from_slice(&memory.multipliers[..3]).length();
    // N = 2 T sin(φ/2); θ = 2 sin(φ/4) l/λ
    let tension = force / (2.0 * libm::sin(0.5 * whole));
    let bend = 2.0 * libm::sin(0.25 * whole) * length * (tension / rod.bending_stiffness(segment)).sqrt();
    // Without a force, the bend is that of the described shape, unless it is sharp.
    let theta = if force > 0.0 && bend.is_finite() { Some(bend) } else { (!sharp).then_some(turn) };
    let needed = theta.map(|theta| (rod.length() / length * (theta / FINE).max(1.0)).ceil() as usize);
    // The mean curvature of a segment is less than that at the eye.
    let steepest = theta.unwrap_or(turn).max(turn);
    let held = (HELD * steepest * steepest).min(1.0);
    Some(Corner { constraint: k, object, turn, held, segments: rod.segments(), needed, sharp })
}
