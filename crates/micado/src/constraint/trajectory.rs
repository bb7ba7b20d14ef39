//! Trajectory: keeps a place on a curve, along which it slides.
//!
//! `g = x − c(σ)`, 3 rows with the constraint's own unknown σ; J = bᵢ I on x and −c'(σ) on σ. Stationarity in
//! σ makes the force perpendicular to the curve: λ·c' = 0 but for dry friction, |λ·t| ≤ μ |λ − t t·λ|.
//! Curvature: +λ·c'' on (σ, σ). Multipliers: force on the object, N. A curve that is carried by another place
//! has c = x_B + F_B F_B₀ᵀ (c₀ − x_B₀).

use super::{
    Circumstances, Curvature, EndDescription, EndOfCurve, FrameNeed, NonSmoothBlock, NormalForce, Row, Rows,
    Site, Wrench, friction, stops,
};
use crate::describe::anchor::{Anchor, At};
use crate::describe::signal::Signal;
use crate::error::{BuildError, check};
use crate::geometry::basis::{Family, SegmentBasis};
use crate::geometry::curve::{Curve, control_points};
use crate::law::BlockLaw;
use crate::object::rod::Shape;
use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Segments of the spline that represents the described curve.
const SEGMENTS: usize = 128;

/// Keeps a place on a curve, along which it slides. Multipliers: force on the object, N, world axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trajectory {
    /// Object, by name.
    pub on: String,
    /// Place on the rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<[f64; 3]>,
    /// The curve.
    pub path: Shape,
    /// Displacement of the whole curve in time, m.
    #[serde(default)]
    pub displacement: Signal<[f64; 3]>,
    /// Another place with which the curve moves and turns, from its described position when it is added; the
    /// world unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
    /// Dry friction: share of the force across the curve.
    #[serde(default)]
    pub friction: f64,
    /// Behaviour at the ends of an open curve.
    #[serde(default)]
    pub ends: EndOfPath,
}

/// Behaviour of a place at the end of its path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndOfPath {
    /// It stops there.
    #[default]
    Stop,
    /// It leaves the path: the constraint is removed.
    Release,
    /// The step is refused.
    Error,
    /// The path continues straight.
    Continue,
}

impl EndOfPath {
    fn of_curve(self) -> Option<EndOfCurve> {
        match self {
            Self::Stop => Some(EndOfCurve::Stop),
            Self::Release => Some(EndOfCurve::Release),
            Self::Error => Some(EndOfCurve::Error),
            Self::Continue => None,
        }
    }
}

/// A curve that may move in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrajectoryLaw {
    family: Family,
    points: Vec<DVec3>,
    displacement: Signal<[f64; 3]>,
    carrier: Option<Carrier>,
    friction: f64,
    /// Behaviour at the ends of an open curve, if it ends.
    pub ends: Option<EndOfCurve>,
}

/// Numbers of its friction row and of its first stop among its non-smooth rows.
const FRICTION: usize = 0;
const STOPS: usize = 1;

/// The pose of the place that carries a curve, when the curve was added.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Carrier {
    x: DVec3,
    /// F_B₀ᵀ
    frame: DMat3,
}

impl Trajectory {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        [
            EndDescription::place(&self.on, self.at, self.arm),
            EndDescription::other(self.to.as_ref(), FrameNeed::IfAny),
        ]
    }

    pub(super) fn build(&self, b: &Site) -> Result<TrajectoryLaw, BuildError> {
        self.displacement.check("displacement")?;
        check::not_negative("friction", self.friction)?;
        let curve = Curve::from_shape(&self.path).map_err(|e| e.within("path"))?;
        let family = if curve.is_closed() { Family::Periodic } else { Family::Clamped };
        Ok(TrajectoryLaw {
            family,
            points: control_points(&curve, family, SEGMENTS),
            displacement: self.displacement.clone(),
            carrier: self.to.as_ref().map(|_| Carrier { x: b.x, frame: b.frame().transpose() }),
            friction: self.friction,
            ends: self.ends.of_curve(),
        })
    }
}

impl TrajectoryLaw {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.displacement.moves()
    }

    /// Point, first and second derivative at parameter σ (in segments), with its carrier at `b`.
    fn carried(&self, b: &Site, sigma: f64, time: f64) -> [DVec3; 3] {
        let [c, dc, ddc] = self.at(sigma, time);
        match self.carrier {
            None => [c, dc, ddc],
            Some(Carrier { x, frame }) => {
                let turn = b.frame() * frame;
                [b.x + turn * (c - x), turn * dc, turn * ddc]
            }
        }
    }

    /// Like `carried`, with the carrier where it was when the curve was added.
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

    /// Start of the curve at `time`, with its carrier at `b`.
    pub fn start(&self, b: &Site, time: f64) -> DVec3 {
        self.carried(b, 0.0, time)[0]
    }

    /// Points along the curve at `time`, for pictures.
    pub fn outline(&self, b: &Site, time: f64) -> Vec<DVec3> {
        (0..=SEGMENTS).map(|i| self.carried(b, i as f64, time)[0]).collect()
    }

    /// Parameter of the nearest point of the curve, when it is added.
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
        self.range().map_or(sigma, |(first, last)| sigma.clamp(first, last))
    }

    /// Parameters of the ends of an open curve that does not continue.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        (self.family != Family::Periodic && self.ends.is_some()).then_some((0.0, SEGMENTS as f64))
    }

    /// Friction and stops along the curve, with its carrier at `b`.
    pub(super) fn non_smooth(
        &self,
        b: &Site,
        time: f64,
        here: &Circumstances,
        out: &mut impl FnMut(&NonSmoothBlock<'_>),
    ) {
        let [_, p, _] = self.carried(b, here.own[1], time);
        let (l, t) = (p.length(), p.normalize_or_zero());
        let site = Site { p, l, t, ..Site::WORLD };
        if self.friction > 0.0 {
            out(&NonSmoothBlock {
                first: FRICTION,
                law: BlockLaw::Sliding { friction: self.friction },
                rows: &[friction(&site, 1, here.slid[1], NormalForce::OfRows { along: t })],
            });
        }
        if self.ends == Some(EndOfCurve::Stop) {
            stops(&site, 1, here.own[1], here.range[1], STOPS, out);
        }
    }

    /// Whether it has dry friction.
    pub(super) fn rubs(&self) -> bool {
        self.friction > 0.0
    }

    /// Whether it may have such rows.
    pub(super) fn is_non_smooth(&self) -> bool {
        self.friction > 0.0 || (self.ends == Some(EndOfCurve::Stop) && self.range().is_some())
    }

    pub(super) fn world(&self, sigma: f64, time: f64) -> Site {
        let [c, dc, _] = self.at(sigma, time);
        Site { x: c, p: dc, ..Site::WORLD }
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, sigma: f64, time: f64, rows: &mut Rows) {
        let (c, dc) = match self.carrier {
            // The site of an end in the world is on the curve.
            None => (b.x, b.p),
            Some(_) => {
                let [c, dc, _] = self.carried(b, sigma, time);
                (c, dc)
            }
        };
        // On a carrier c = x_B + r: n·δc = n·δx_B + (r×n)·δφ_B.
        let r = c - b.x;
        for (k, n) in DVec3::AXES.into_iter().enumerate() {
            let on_curve = Wrench::force(-n) + Wrench::moment(n.cross(r));
            let mut row = Row::length([Wrench::force(n), on_curve], n.dot(c - a.x));
            row.own[1] = -dc[k];
            rows.push(row);
        }
    }

    pub(super) fn curvature(
        &self,
        b: &Site,
        sigma: f64,
        time: f64,
        multipliers: &[f64],
        exact: bool,
    ) -> Curvature {
        let [_, _, ddc] = self.carried(b, sigma, time);
        let value = DVec3::from_slice(&multipliers[..3]).dot(ddc);
        Curvature { own_own: [0.0, if exact { value } else { value.max(0.0) }], ..Curvature::default() }
    }
}
