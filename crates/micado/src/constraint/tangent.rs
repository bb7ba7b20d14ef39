//! Tangent: holds the direction of a rod.
//!
//! Objective rows: `g_a = n_a·t`, n_a ⟂ t*, 2 rows, J = bᵢ' (P n_a)ᵀ/L. Multipliers λ_a, N·m: the moment Σ
//! λ_a t×n_a on the rod. Paper rows: `g = x' − L t*`, 3 rows, J = bᵢ' I, moment x'×λ; they freeze the local
//! stretch as well. Relative: t* and n_a turn with the frame of the other place, J = (n_a×t)·δφ_B there.

use super::joint::law_curvature::add_across;
use super::{
    AttachedDirection, Curvature, EndDescription, EndStiffness, FrameNeed, Row, RowForm, Rows, Site, Wrench,
};
use crate::describe::anchor::{Anchor, At};
use crate::describe::signal::Signal;
use crate::error::{BuildError, check};
use crate::geometry::rotation::{any_normal, outer};
use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Largest turn in one solve, rad; a target further away is approached in several solves.
const LARGEST_TURN: f64 = 1.0;

/// Holds the tangent of a rod. Multipliers: moment on the rod, N·m, world axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tangent {
    /// Object with a frame, by name.
    pub on: String,
    /// Place on it; a rod needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// Direction. Default: the first axis of the anchor in `to`, if that has axes, or else the present
    /// tangent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Signal<[f64; 3]>>,
    /// Another place with whose frame the direction turns; the world unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
    /// Form of the rows.
    #[serde(default)]
    pub rows: RowForm,
}

/// A direction that may move in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TangentLaw {
    direction: AttachedDirection,
    rows: RowForm,
}

impl Tangent {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        [EndDescription::framed(&self.on, self.at), EndDescription::other(self.to.as_ref(), FrameNeed::Yes)]
    }

    pub(super) fn build(&self, a: &Site, b: &Site) -> Result<TangentLaw, BuildError> {
        no_arm(self.to.as_ref())?;
        let present = if b.own_axes { b.t } else { a.t };
        let direction = checked_direction("direction", self.direction.as_ref(), present)?;
        Ok(TangentLaw { direction: AttachedDirection::new(direction, b), rows: self.rows })
    }
}

/// Refuses an arm at the other end of a constraint on directions.
pub(super) fn no_arm(to: Option<&Anchor>) -> Result<(), BuildError> {
    match to.and_then(|to| to.arm) {
        Some(_) => Err(BuildError::new("to.arm", "only the frame of that place matters", "leave `arm` out")),
        None => Ok(()),
    }
}

/// Least length of a direction between two values, as a share of the longer of the two: nearer to zero it
/// would turn faster than any step can follow.
const LEAST_SHARE: f64 = 1e-6;

/// A direction signal that is never zero, or `otherwise`.
pub(super) fn checked_direction(
    path: &str,
    given: Option<&Signal<[f64; 3]>>,
    otherwise: DVec3,
) -> Result<Signal<[f64; 3]>, BuildError> {
    let Some(signal) = given else { return Ok(Signal::Constant(otherwise.to_array())) };
    signal.check(path)?;
    // Every signal moves along straight lines, at any pace.
    match signal {
        Signal::Constant(value) => check::direction(path, *value).map(|_| ())?,
        Signal::Ramp(ramp) => never_zero(path, ramp.from, ramp.to)?,
        Signal::Keyframes(keys) => {
            keys.values.iter().try_for_each(|&value| check::direction(path, value).map(|_| ()))?;
            keys.values.windows(2).try_for_each(|pair| never_zero(path, pair[0], pair[1]))?;
        }
        Signal::Harmonic(wave) => {
            let (mean, amplitude) = (DVec3::from_array(wave.mean), DVec3::from_array(wave.amplitude));
            never_zero(path, (mean - amplitude).to_array(), (mean + amplitude).to_array())?;
        }
    }
    Ok(signal.clone())
}

/// Checks that the straight line from `a` to `b` stays away from zero.
fn never_zero(path: &str, a: [f64; 3], b: [f64; 3]) -> Result<(), BuildError> {
    let (from, to) = (DVec3::from_array(a), DVec3::from_array(b));
    let (way, longest) = (to - from, from.length().max(to.length()));
    let nearest = if way.length_squared() > 0.0 {
        (-from.dot(way) / way.length_squared()).clamp(0.0, 1.0)
    } else {
        0.0
    };
    if (from + way * nearest).length() > LEAST_SHARE * longest {
        Ok(())
    } else {
        Err(BuildError::new(
            path,
            format!("the direction vanishes on its way from {a:?} to {b:?}"),
            "give directions that don't pass through [0, 0, 0], with a value between opposite ones",
        ))
    }
}

/// The unit vector of a direction signal.
pub(super) fn unit(signal: &Signal<[f64; 3]>, time: f64) -> DVec3 {
    DVec3::from_array(signal.at(time)).try_normalize().unwrap_or(DVec3::X)
}

/// Two normals of a direction.
pub(super) fn normals(direction: DVec3) -> [DVec3; 2] {
    let n1 = any_normal(direction, DVec3::Z);
    [n1, direction.cross(n1)]
}

/// The target of a tangent, limited to the turn of one solve, and two normals of it.
pub(super) fn reachable(tangent: DVec3, target: DVec3, of_target: [DVec3; 2]) -> (DVec3, [DVec3; 2]) {
    if tangent.angle_between(target) <= LARGEST_TURN {
        return (target, of_target);
    }
    let side = any_normal(tangent, target);
    let nearer = tangent * libm::cos(LARGEST_TURN) + side * libm::sin(LARGEST_TURN);
    (nearer, normals(nearer))
}

/// Two rows `n_a·t` on the tangent of the first end; the normals turn with the second end.
pub(super) fn push_tangent(a: &Site, normals: [DVec3; 2], rows: &mut Rows) {
    for n in normals {
        let along = n.dot(a.t);
        let across = Wrench::slope((n - a.t * along) / a.l);
        rows.push(Row::angle([across, Wrench::moment(n.cross(a.t))], -along));
    }
}

/// `−∂²(n·t)/∂p²`, n the sum of the normals with their multipliers.
pub(super) fn bend(a: &Site, n: DVec3) -> EndStiffness {
    let t = a.t;
    let second = outer(n, t) + outer(t, n) + (DMat3::IDENTITY - outer(t, t) * 3.0) * n.dot(t);
    EndStiffness { slope_slope: second * (1.0 / (a.l * a.l)), ..EndStiffness::ZERO }
}

impl TangentLaw {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.direction.moves()
    }

    /// Number of rows.
    pub(super) fn count(&self) -> usize {
        match self.rows {
            RowForm::Objective => 2,
            RowForm::Paper => 3,
        }
    }

    fn reachable(&self, a: &Site, b: &Site, time: f64) -> (DVec3, [DVec3; 2]) {
        reachable(a.t, self.direction.at(b, time), self.direction.normals(b, time))
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, time: f64, rows: &mut Rows) {
        let (target, normals) = self.reachable(a, b, time);
        match self.rows {
            RowForm::Objective => push_tangent(a, normals, rows),
            RowForm::Paper => {
                let violation = target * a.l - a.p;
                for (axis, violation) in DVec3::AXES.into_iter().zip(violation.to_array()) {
                    // −L axis·(δφ_B×t*)
                    let ends = [Wrench::slope(axis), Wrench::moment(axis.cross(target) * a.l)];
                    rows.push(Row::length(ends, violation));
                }
            }
        }
    }

    /// `−Σ λ_a ∂²(n_a·t)/∂p²`. Of a body it is that of a row between two directions, whose unknowns are
    /// rotations.
    pub(super) fn curvature(&self, a: &Site, b: &Site, time: f64, multipliers: &[f64]) -> Curvature {
        let mut curvature = Curvature::default();
        if self.rows == RowForm::Objective {
            let (_, [n1, n2]) = self.reachable(a, b, time);
            let n = n1 * multipliers[0] + n2 * multipliers[1];
            if a.on_curve {
                curvature.ends[0] = bend(a, n);
            } else {
                add_across(&mut curvature, 1.0, a.t, n);
            }
        }
        curvature
    }

    /// Angle between tangent and target, rad.
    pub(super) fn miss(&self, a: &Site, b: &Site, time: f64) -> f64 {
        let target = self.direction.at(b, time);
        libm::atan2(a.t.cross(target).length(), a.t.dot(target))
    }
}
