//! Trajectory: keeps a place on a curve, along which it slides freely.
//!
//! `g = x − c(σ)`, 3 rows with the constraint's own unknown σ; J = bᵢ I on x and −c'(σ) on σ. Stationarity in
//! σ makes the force perpendicular to the curve: λ·c' = 0. Curvature: +λ·c'' on (σ, σ). Multipliers: force on
//! the object, N.

use super::{Curvature, EndDescription, Rows, Site};
use crate::describe::anchor::At;
use crate::describe::signal::Signal;
use crate::error::BuildError;
use crate::geometry::basis::{Family, SegmentBasis};
use crate::geometry::curve::{Curve, control_points};
use crate::object::rod::Shape;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Segments of the spline that represents the described curve.
const SEGMENTS: usize = 128;

/// Keeps a place on a curve, along which it slides freely. Multipliers: force on the object, N, world axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trajectory {
    /// Object, by name.
    pub on: String,
    /// Place on the rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// The curve; beyond its ends it continues straight.
    pub path: Shape,
    /// Displacement of the whole curve in time, m.
    #[serde(default)]
    pub displacement: Signal<[f64; 3]>,
}

/// A curve that may move in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrajectoryLaw {
    family: Family,
    points: Vec<DVec3>,
    displacement: Signal<[f64; 3]>,
}

impl Trajectory {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        [EndDescription::place(&self.on, self.at), EndDescription::World]
    }

    pub(super) fn build(&self) -> Result<TrajectoryLaw, BuildError> {
        self.displacement.check("displacement")?;
        let curve = Curve::from_shape(&self.path).map_err(|e| e.within("path"))?;
        let family = if curve.is_closed() { Family::Periodic } else { Family::Clamped };
        Ok(TrajectoryLaw {
            family,
            points: control_points(&curve, family, SEGMENTS),
            displacement: self.displacement.clone(),
        })
    }
}

impl TrajectoryLaw {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.displacement.moves()
    }

    /// Point, first and second derivative at parameter σ, in segments.
    fn at(&self, sigma: f64, time: f64) -> [DVec3; 3] {
        let n = SEGMENTS as f64;
        let moved = DVec3::from_array(self.displacement.at(time));
        let inside = match self.family {
            Family::Periodic => sigma.rem_euclid(n),
            _ => sigma.clamp(0.0, n),
        };
        let e = (inside.floor() as usize).min(SEGMENTS - 1);
        let w = SegmentBasis::new(self.family, e, SEGMENTS).weights(inside - e as f64);
        let sum = |weights: &[f64; 4]| {
            (0..4).map(|k| self.points[(e + k) % self.points.len()] * weights[k]).sum::<DVec3>()
        };
        let (x, dx, ddx) = (sum(&w.b) + moved, sum(&w.db), sum(&w.ddb));
        let beyond = if self.family == Family::Periodic { 0.0 } else { sigma - inside };
        if beyond == 0.0 { [x, dx, ddx] } else { [x + dx * beyond, dx, DVec3::ZERO] }
    }

    /// Start of the curve at `time`; the curve is displaced without rotation.
    pub fn start(&self, time: f64) -> DVec3 {
        self.at(0.0, time)[0]
    }

    /// Points along the curve at `time`, for pictures.
    pub fn outline(&self, time: f64) -> Vec<DVec3> {
        (0..=SEGMENTS).map(|i| self.at(i as f64, time)[0]).collect()
    }

    /// Parameter of the nearest point of the curve.
    pub(super) fn nearest(&self, x: DVec3, time: f64) -> f64 {
        let samples = 8 * SEGMENTS;
        let parameter = |i: usize| i as f64 * SEGMENTS as f64 / samples as f64;
        let nearest = (0..=samples)
            .min_by(|&a, &b| {
                let distance = |i| self.at(parameter(i), time)[0].distance_squared(x);
                distance(a).total_cmp(&distance(b))
            })
            .unwrap_or(0);
        let mut sigma = parameter(nearest);
        for _ in 0..20 {
            let [c, dc, _] = self.at(sigma, time);
            sigma += ((x - c).dot(dc) / dc.length_squared()).clamp(-0.5, 0.5);
        }
        sigma
    }

    pub(super) fn world(&self, sigma: f64, time: f64) -> Site {
        let [c, dc, _] = self.at(sigma, time);
        Site { x: c, p: dc, ..Site::WORLD }
    }

    pub(super) fn rows(a: &Site, b: &Site, rows: &mut Rows) {
        rows.push_position(b.x - a.x);
        for (row, slope) in rows.iter_mut().zip(b.p.to_array()) {
            row.own[1] = -slope;
        }
    }

    pub(super) fn curvature(&self, sigma: f64, time: f64, multipliers: &[f64], exact: bool) -> Curvature {
        let [_, _, ddc] = self.at(sigma, time);
        let value = DVec3::from_slice(&multipliers[..3]).dot(ddc);
        Curvature { own_own: [0.0, if exact { value } else { value.max(0.0) }], ..Curvature::default() }
    }
}
