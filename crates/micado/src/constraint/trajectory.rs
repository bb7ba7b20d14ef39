//! Trajectory: keeps a place on a curve, along which it slides.
//!
//! `g = x − c(σ)`, 3 rows with the constraint's own unknown σ; J = bᵢ I on x and −c'(σ) on σ. Stationarity in
//! σ makes the force perpendicular to the curve: λ·c' = 0 but for dry friction, |λ·t| ≤ μ |λ − t t·λ|.
//! Curvature: +λ·c'' on (σ, σ). Multipliers: force on the object, N. A curve that is carried by another place
//! has c = x_B + F_B F_B₀ᵀ (c₀ − x_B₀) = x_B + r, and with it +H(λ, r) on (φ_B, φ_B) and c'×λ on (φ_B, σ).
//!
//! Aligned: the direction of the object that was along the curve stays along it. `g_q = b_q·t(σ)`, 2 rows;
//! b_q are the two directions of the object perpendicular to it; J = b_q×t on φ, its opposite on φ of a
//! carrier, and b_q·t' on σ, t' = (Id − ttᵀ)c''/|c'|. Multipliers: moments b_q×t on the object, N·m.
//! Curvature with β = Σλ_q b_q: that of β·t on (φ, φ), −β×t' on (φ, σ), −β·t'' on (σ, σ).
//!
//! Driven: σ is that of the arc length s(t) in time and no unknown. The driving force along the curve is
//! (λ·c' − β·t')/|c'|, which vanishes where σ is free.

use super::joint::law_curvature::{add_across, bend};
use super::tangent::normals;
use super::{
    Circumstances, Curvature, EndDescription, EndOfCurve, FrameNeed, NonSmoothBlock, NormalForce, Row, Rows,
    Site, Wrench, friction, stops,
};
use crate::describe::anchor::{Anchor, At};
use crate::describe::signal::{Signal, measured};
use crate::error::{BuildError, check};
use crate::geometry::basis::{Family, SegmentBasis};
use crate::geometry::curve::{Curve, control_points};
use crate::geometry::quadrature::GAUSS_4;
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
    /// Whether the object turns with the curve, like a bead on a wire: its direction that is along the curve
    /// when the constraint is added stays along it. The object must have a frame. It may roll about the
    /// curve.
    #[serde(default)]
    pub aligned: bool,
    /// Drive along the curve: arc length in time, m, by which the place is further along the curve than where
    /// it was added. It counts from its value at that time. The place slides freely unless given.
    #[serde(
        default,
        deserialize_with = "measured::optional_length",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<measured::MeasuredInput>")]
    pub slide: Option<Signal<f64>>,
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
    /// The two directions of an aligned object perpendicular to the curve, in its frame; none otherwise.
    #[serde(default)]
    across: Option<[DVec3; 2]>,
    friction: f64,
    /// Behaviour at the ends of an open curve, if it ends.
    pub ends: Option<EndOfCurve>,
    #[serde(default)]
    drive: Option<Drive>,
}

/// Sliding that is imposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Drive {
    /// Arc length at which `by` is zero, m.
    from: f64,
    by: Signal<f64>,
    /// Arc length at each whole parameter, m.
    arc: Vec<f64>,
    /// Whether it stops at the ends of the curve, if that is open; otherwise the curve continues straight.
    stops: bool,
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
        let frame = if self.aligned { FrameNeed::Yes } else { FrameNeed::No };
        [
            EndDescription::Place { on: &self.on, at: self.at, arm: self.arm, frame },
            EndDescription::other(self.to.as_ref(), FrameNeed::IfAny),
        ]
    }

    pub(super) fn build(&self, a: &Site, b: &Site, time: f64) -> Result<TrajectoryLaw, BuildError> {
        self.displacement.check("displacement")?;
        check::not_negative("friction", self.friction)?;
        let curve = Curve::from_shape(&self.path).map_err(|e| e.within("path"))?;
        let family = if curve.is_closed() { Family::Periodic } else { Family::Clamped };
        let mut law = TrajectoryLaw {
            family,
            points: control_points(&curve, family, SEGMENTS),
            displacement: self.displacement.clone(),
            carrier: self.to.as_ref().map(|_| Carrier { x: b.x, frame: b.frame().transpose() }),
            across: None,
            friction: self.friction,
            ends: self.ends.of_curve(),
            drive: None,
        };
        if let Some(by) = &self.slide {
            by.check("slide")?;
            if self.friction > 0.0 {
                let problem = "sliding is imposed and friction has no effect";
                return Err(BuildError::new("friction", problem, "leave it or `slide` out"));
            }
            if matches!(self.ends, EndOfPath::Release | EndOfPath::Error) {
                let problem = "sliding is imposed, and stops at an end of the path";
                return Err(BuildError::new("ends", problem, "write \"stop\" or \"continue\""));
            }
            let arc = law.arc();
            let here = law.length_to(&arc, law.nearest(a.x, time));
            let from = here - by.at(time);
            let stops = law.range().is_some();
            law.drive = Some(Drive { from, by: by.clone(), arc, stops });
            law.ends = None;
        }
        if self.aligned {
            let [_, along, _] = law.at(law.nearest(a.x, time), time);
            law.across = Some(normals(along.normalize_or(DVec3::X)).map(|n| a.frame().transpose() * n));
        }
        Ok(law)
    }
}

impl TrajectoryLaw {
    /// Number of rows.
    pub(super) fn count(&self) -> usize {
        if self.across.is_some() { 5 } else { 3 }
    }

    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.displacement.moves() || self.drive.as_ref().is_some_and(|drive| drive.by.moves())
    }

    /// Whether its parameter is given in time.
    pub(crate) fn is_driven(&self) -> bool {
        self.drive.is_some()
    }

    /// Its parameter at `time`; `own` unless it is driven.
    fn parameter(&self, own: f64, time: f64) -> f64 {
        let Some(drive) = &self.drive else { return own };
        let (s, length) = (drive.from + drive.by.at(time), drive.arc[SEGMENTS]);
        let (first, last) = (self.at(0.0, 0.0)[1].length(), self.at(SEGMENTS as f64, 0.0)[1].length());
        match self.family {
            Family::Periodic => {
                let rounds = (s / length).floor();
                rounds * SEGMENTS as f64 + self.parameter_at(drive, s - rounds * length)
            }
            _ if drive.stops => self.parameter_at(drive, s.clamp(0.0, length)),
            _ if s < 0.0 => s / first,
            _ if s > length => SEGMENTS as f64 + (s - length) / last,
            _ => self.parameter_at(drive, s),
        }
    }

    /// The parameter at an arc length on the curve, m: Newton within a segment.
    fn parameter_at(&self, drive: &Drive, s: f64) -> f64 {
        let e = drive.arc[1..].partition_point(|&end| end < s).min(SEGMENTS - 1);
        let (before, after) = (drive.arc[e], drive.arc[e + 1]);
        let mut f = ((s - before) / (after - before)).clamp(0.0, 1.0);
        for _ in 0..8 {
            let speed = self.at(e as f64 + f, 0.0)[1].length();
            let step = (before + self.length_within(e, f) - s) / speed;
            f = (f - step).clamp(0.0, 1.0);
            if step.abs() < 1e-14 {
                break;
            }
        }
        e as f64 + f
    }

    /// Arc length at each whole parameter, m.
    fn arc(&self) -> Vec<f64> {
        let mut arc = vec![0.0];
        arc.extend((0..SEGMENTS).scan(0.0, |sum, e| {
            *sum += self.length_within(e, 1.0);
            Some(*sum)
        }));
        arc
    }

    /// Length of segment `e` up to a fraction of it, m.
    fn length_within(&self, e: usize, fraction: f64) -> f64 {
        let part = |(x, weight): (f64, f64)| weight * self.at(e as f64 + x * fraction, 0.0)[1].length();
        fraction * GAUSS_4.map(part).iter().sum::<f64>()
    }

    /// Arc length up to a parameter on the curve, m.
    fn length_to(&self, arc: &[f64], sigma: f64) -> f64 {
        let e = (sigma.floor().max(0.0) as usize).min(SEGMENTS - 1);
        arc[e] + self.length_within(e, (sigma - e as f64).clamp(0.0, 1.0))
    }

    /// Force that drives the place along the curve, N.
    pub(crate) fn driving_force(&self, [a, b]: &[Site; 2], own: f64, time: f64, multipliers: &[f64]) -> f64 {
        let here = self.carried(b, self.parameter(own, time), time);
        let mut force = DVec3::from_slice(&multipliers[..3]).dot(here[1]);
        if let Some(across) = self.across {
            let [_, turning] = direction(here);
            let lever: DVec3 = across.iter().zip(&multipliers[3..]).map(|(n, m)| a.frame() * *n * *m).sum();
            force -= lever.dot(turning);
        }
        force / here[1].length()
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

    /// c''' at parameter σ, with the carrier of the curve at `b`; it is constant within a segment.
    fn third(&self, b: &Site, sigma: f64) -> DVec3 {
        let n = SEGMENTS as f64;
        let inside = if self.family == Family::Periodic { sigma.rem_euclid(n) } else { sigma };
        if !(0.0..=n).contains(&inside) {
            return DVec3::ZERO;
        }
        let e = (inside.floor() as usize).min(SEGMENTS - 1);
        let basis = SegmentBasis::new(self.family, e, SEGMENTS);
        let [first, last] = [0.0, 1.0].map(|x| basis.weights(x).ddb);
        let sum: DVec3 =
            (0..4).map(|k| self.points[(e + k) % self.points.len()] * (last[k] - first[k])).sum();
        self.carrier.map_or(sum, |Carrier { frame, .. }| b.frame() * frame * sum)
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

    pub(super) fn world(&self, own: f64, time: f64) -> Site {
        let [c, dc, _] = self.at(self.parameter(own, time), time);
        Site { x: c, p: dc, ..Site::WORLD }
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, own: f64, time: f64, rows: &mut Rows) {
        let (sigma, slides) = (self.parameter(own, time), f64::from(u8::from(!self.is_driven())));
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
            row.own[1] = -dc[k] * slides;
            rows.push(row);
        }
        if let Some(across) = self.across {
            let [t, turning] = direction(self.carried(b, sigma, time));
            for n in across.map(|n| a.frame() * n) {
                let moment = Wrench::moment(n.cross(t));
                rows.push(Row {
                    own: [0.0, n.dot(turning) * slides],
                    ..Row::angle([moment, -moment], -n.dot(t))
                });
            }
        }
    }

    pub(super) fn curvature(
        &self,
        a: &Site,
        b: &Site,
        [own, time]: [f64; 2],
        multipliers: &[f64],
        exact: bool,
    ) -> Curvature {
        let sigma = self.parameter(own, time);
        let here = self.carried(b, sigma, time);
        let [_, dc, ddc] = here;
        let force = DVec3::from_slice(&multipliers[..3]);
        let mut value = force.dot(ddc);
        let mut curvature = Curvature::default();
        if let Some(across) = self.across {
            let lever: DVec3 = across.iter().zip(&multipliers[3..]).map(|(n, m)| a.frame() * *n * *m).sum();
            let [t, turning] = direction(here);
            value -= lever.dot(second_direction(here, self.third(b, sigma)));
            if exact {
                add_across(&mut curvature, 1.0, lever, t);
                let turn = lever.cross(turning);
                curvature.turn_own = [-turn, turn];
            }
        }
        if exact && self.carrier.is_some() {
            curvature.turn_own[1] += dc.cross(force);
            // The path turns about x_B: c = x_B + r.
            let r = here[0] - b.x;
            curvature.ends[1].phi_phi += bend(force, r);
            curvature.ends[1].moment += force.cross(r);
        }
        curvature.own_own[1] = if exact { value } else { value.max(0.0) };
        if self.is_driven() {
            (curvature.own_own, curvature.turn_own) = Default::default();
        }
        curvature
    }
}

/// t and t' of a curve with these derivatives.
fn direction([_, p, pp]: [DVec3; 3]) -> [DVec3; 2] {
    let (l, t) = (p.length(), p.normalize_or_zero());
    [t, pp.reject_from_normalized(t) / l]
}

/// t'' of a curve with these derivatives: with l' = t·c'' and l'' = t'·c'' + t·c''' it is
/// (c''' − 2 t' l' − t l'')/l.
fn second_direction(here: [DVec3; 3], third: DVec3) -> DVec3 {
    let [_, p, pp] = here;
    let [t, turning] = direction(here);
    (third - turning * (2.0 * t.dot(pp)) - t * (turning.dot(pp) + t.dot(third))) / p.length()
}

#[cfg(test)]
mod tests {
    use super::{SEGMENTS, Trajectory};
    use crate::constraint::{MAX_ROWS, Rows, Site};
    use crate::geometry::rotation::rotation_of;
    use glam::{DMat3, DQuat, DVec3};
    use serde_json::json;

    #[test]
    fn aligned_rows_and_their_curvature_are_derivatives_of_their_violations() {
        let mut seed = 17_u64;
        let mut noise = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut vector = || DVec3::new(noise(), noise(), noise());
        let through = json!([[0, 0, 0], [0.5, 0.3, 0.1], [0.9, -0.2, 0.6], [1.4, 0.1, 0.2]]);
        let words: Trajectory = serde_json::from_value(
            json!({"on": "m", "path": {"points": {"through": through}}, "aligned": true}),
        )
        .expect("a trajectory");
        let site = |x: DVec3, turned: DQuat| {
            let frame = DMat3::from_quat(turned);
            Site {
                x,
                turns: true,
                p: frame.x_axis,
                t: frame.x_axis,
                m1: frame.y_axis,
                m2: frame.z_axis,
                ..Site::WORLD
            }
        };
        let mut checks = 0;
        for k in 0..20 {
            let carried = k % 2 == 0;
            let mut words = words.clone();
            if carried {
                words.to = Some(serde_json::from_value(json!({"on": "b"})).expect("an anchor"));
            }
            let (frame_a, frame_b) = (rotation_of(vector() * 2.0), rotation_of(vector() * 2.0));
            let [xa, xb] = [vector(), vector()];
            let law = words.build(&site(xa, frame_a), &site(xb, frame_b), 0.0).expect("a law");
            let sigma = 0.5 * SEGMENTS as f64 * (1.0 + 0.9 * vector().x) + 0.3;
            // Motions count from another pose than that in which it was added.
            let (start_a, start_b) = (rotation_of(vector()) * frame_a, rotation_of(vector()) * frame_b);
            let (turn_a, turn_b, slide) =
                (vector(), if carried { vector() } else { DVec3::ZERO }, vector().x);
            let moved = |share: f64| {
                let a = site(xa, rotation_of(turn_a * share) * start_a);
                let u = sigma + slide * share;
                let b =
                    if carried { site(xb, rotation_of(turn_b * share) * start_b) } else { law.world(u, 0.0) };
                let mut rows = Rows::default();
                law.rows(&a, &b, u, 0.0, &mut rows);
                (a, b, rows)
            };
            let (a, b, rows) = moved(0.0);
            assert_eq!((rows.len(), law.count()), (5, 5));
            let g = |share: f64| -> Vec<f64> { moved(share).2.iter().map(|row| -row.violation).collect() };
            let step = 1e-6;
            let (after, before) = (g(step), g(-step));
            for (r, row) in rows.iter().enumerate() {
                let along = row.ends[0].moment.dot(turn_a)
                    + if carried { row.ends[1].moment.dot(turn_b) } else { 0.0 }
                    + row.own[1] * slide;
                let slope = (after[r] - before[r]) / (2.0 * step);
                // Rounding of 1e-16/1e-6.
                assert!((along - slope).abs() < 1e-8, "{k} row {r}: {along} {slope}");
                checks += usize::from(slope.abs() > 1e-3);
            }
            // Second derivatives.
            let mut lambda = [0.0; MAX_ROWS];
            lambda[3..5].copy_from_slice(&[vector().x, vector().y]);
            lambda[..3].copy_from_slice(&vector().to_array());
            let potential = |share: f64| -> f64 { g(share).iter().zip(lambda).map(|(g, l)| g * l).sum() };
            let step = 1e-3;
            let second = |h: f64| (potential(h) + potential(-h) - 2.0 * potential(0.0)) / (h * h);
            let expected = -(4.0 * second(step) - second(2.0 * step)) / 3.0;
            let of = law.curvature(&a, &b, [sigma, 0.0], &lambda, true);
            let found = turn_a.dot(of.ends[0].phi_phi * turn_a)
                + turn_b.dot(of.ends[1].phi_phi * turn_b)
                + 2.0 * turn_a.dot(of.between.phi_phi * turn_b)
                + 2.0 * slide * (turn_a.dot(of.turn_own[0]) + turn_b.dot(of.turn_own[1]))
                + of.own_own[1] * slide * slide;
            // Rounding of 1e-16/1e-6.
            assert!((found - expected).abs() < 1e-8 * expected.abs().max(1.0), "{k}: {found} {expected}");
            checks += usize::from(expected.abs() > 1e-3);
        }
        assert!(checks > 80, "{checks}");
    }
}
