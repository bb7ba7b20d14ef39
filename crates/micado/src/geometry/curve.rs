//! Curves by arc length: the curve of a described shape, and the control points of a spline along it.

use super::basis::Family;
use super::knots::{Knots, STEEPEST};
use super::rotation::orthonormal_to;
use super::rounded::rounded;
use crate::describe::shape::{Polyline, Shape, Spline};
use crate::error::{BuildError, check};
use crate::short::Short;
use glam::DVec3;
use std::ops::{Div, Mul, Sub};

/// Longest curve, m: a tenth of a light year. Squares of longer ones leave no digits for details.
const LONGEST: f64 = 1e15;

/// Edges of the polygon of an arc at a corner. The polygon is shorter than the arc by less than 1e-4 of it.
const ARC_POINTS: usize = 128;

/// A curve of known length with a point at any arc length.
#[derive(Clone, Debug)]
pub struct Curve {
    kind: Kind,
    length: f64,
    closed: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    Line {
        from: DVec3,
        to: DVec3,
    },
    /// `centre + r (cos φ e₁ + sin φ e₂) + z axis`, φ and z proportional to arc length.
    Helix {
        centre: DVec3,
        e1: DVec3,
        e2: DVec3,
        axis: DVec3,
        radius: f64,
        angle: f64,
        rise: f64,
    },
    /// A dense polygon with arc lengths; points in between by cubic interpolation.
    Dense {
        points: Vec<DVec3>,
        arc: Vec<f64>,
        corners: bool,
        /// Least bend radius, m.
        radius: f64,
    },
    /// Curves one after the other, and the arc lengths at which they begin.
    Joined {
        parts: Vec<Curve>,
        starts: Vec<f64>,
    },
}

impl Curve {
    /// The curve that a shape describes.
    ///
    /// # Errors
    /// A shape of length zero, numbers that are not finite, too few points.
    pub fn from_shape(shape: &Shape) -> Result<Self, BuildError> {
        let curve = match shape {
            Shape::Line(line) => {
                let from = check::finite_vector("line.from", line.from)?;
                let to = check::finite_vector("line.to", line.to)?;
                Self { length: from.distance(to), kind: Kind::Line { from, to }, closed: false }
            }
            Shape::Slack(slack) => {
                let from = check::finite_vector("slack.from", slack.from)?;
                let to = check::finite_vector("slack.to", slack.to)?;
                let sag = check::direction("slack.sag", slack.sag)?;
                let length = check::positive("slack.length", slack.length)?;
                let distance = from.distance(to);
                if distance == 0.0 || (to - from).cross(sag).length() < 1e-6 * distance {
                    let remedy =
                        "give two different ends and a sag across the line between them, or use `points`";
                    return Err(BuildError::new(
                        "slack.sag",
                        "it can't sag along the line between its ends",
                        remedy,
                    ));
                }
                if length < distance * (1.0 - 1e-12) {
                    return Err(BuildError::new(
                        "slack.length",
                        format!(
                            "{} m is shorter than the distance of the ends, {} m",
                            Short(length),
                            Short(distance)
                        ),
                        "give a length that reaches from one end to the other",
                    ));
                }
                Self::parabola(from, to, sag, length)
            }
            Shape::Points(points) => {
                let through =
                    finite_points("points.through", &points.through, if points.closed { 3 } else { 2 })?;
                if points.closed && through.first() == through.last() {
                    return Err(BuildError::new(
                        "points.through",
                        "the last point of a closed curve is its first one",
                        "leave the last point out: the curve returns to the first",
                    ));
                }
                Self::through(&through, points.closed)
            }
            Shape::Polyline(polyline) => {
                let through = finite_points("polyline.through", &polyline.through, 2)?;
                let radius = check::not_negative("polyline.radius", polyline.radius)?;
                if radius > 0.0 { rounded(&through, radius)? } else { Self::dense(through, false, true) }
            }
            Shape::Arc(arc) => {
                let from = check::finite_vector("arc.from", arc.from)?;
                let tangent = check::direction("arc.tangent", arc.tangent)?;
                let towards = across("arc.towards", tangent, arc.towards)?;
                let radius = check::positive("arc.radius", arc.radius)?;
                let angle = check::positive("arc.angle", arc.angle)?;
                Self {
                    length: radius * angle,
                    closed: false,
                    kind: Kind::Helix {
                        centre: from + towards * radius,
                        e1: -towards,
                        e2: tangent,
                        axis: DVec3::ZERO,
                        radius,
                        angle,
                        rise: 0.0,
                    },
                }
            }
            Shape::Helix(helix) => {
                let centre = check::finite_vector("helix.centre", helix.centre)?;
                let axis = check::direction("helix.axis", helix.axis)?;
                let e1 = across("helix.start", axis, helix.start)?;
                let radius = check::positive("helix.radius", helix.radius)?;
                let pitch = check::finite("helix.pitch", helix.pitch)?;
                let turns = check::finite("helix.turns", helix.turns)?;
                let (angle, rise) = (turns * std::f64::consts::TAU, turns.abs() * pitch);
                Self {
                    length: (radius * angle).hypot(rise),
                    closed: false,
                    kind: Kind::Helix { centre, e1, e2: axis.cross(e1), axis, radius, angle, rise },
                }
            }
            Shape::Spline(spline) => {
                let control = finite_points("spline.control", &spline.control, 4)?;
                Self::spline(&control, &spline_knots(spline)?)
            }
            Shape::Ring(ring) => {
                let centre = check::finite_vector("ring.centre", ring.centre)?;
                let normal = check::direction("ring.normal", ring.normal)?;
                let radius = check::positive("ring.radius", ring.radius)?;
                let e1 = super::rotation::any_normal(normal, DVec3::X);
                let angle = std::f64::consts::TAU;
                Self {
                    length: radius * angle,
                    closed: true,
                    kind: Kind::Helix {
                        centre,
                        e1,
                        e2: normal.cross(e1),
                        axis: normal,
                        radius,
                        angle,
                        rise: 0.0,
                    },
                }
            }
        };
        if curve.length > 0.0 && curve.length <= LONGEST {
            Ok(curve)
        } else if curve.length == 0.0 {
            Err(BuildError::new(
                "",
                "a curve of length zero",
                "give two different points, or a positive radius and angle",
            ))
        } else {
            Err(BuildError::new(
                "",
                format!("a curve of {} m", Short(curve.length)),
                format!("give a curve of at most {} m", Short(LONGEST)),
            ))
        }
    }

    /// The curve of a polyline with arcs of this radius instead of corners of more than 90°. An arc touches
    /// its corner from inside. Straight lines lead to it, as a belt to a pulley, from the points beside the
    /// corner; where the next corner is an arc too, from the middle of the edge between them.
    ///
    /// # Errors
    /// As for a polyline with corners.
    pub fn belt(polyline: &Polyline, radius: f64) -> Result<Self, BuildError> {
        let corners = finite_points("polyline.through", &polyline.through, 2)?;
        let turns_back = |k: usize| {
            k > 0
                && k + 1 < corners.len()
                && (corners[k] - corners[k - 1]).dot(corners[k + 1] - corners[k]) < 0.0
        };
        if !(0..corners.len()).any(turns_back) {
            return Self::from_shape(&Shape::Polyline(polyline.clone()));
        }
        let mut points = Vec::new();
        for (k, &corner) in corners.iter().enumerate() {
            if !turns_back(k) {
                points.push(corner);
                continue;
            }
            let beside =
                [k - 1, k + 1].map(|j| if turns_back(j) { corner.midpoint(corners[j]) } else { corners[j] });
            points.extend(arc_at_corner(corner, beside, radius));
        }
        Ok(Self::dense(points, false, true))
    }

    /// The curve with all lengths multiplied by a factor, about the origin.
    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        self.length *= factor;
        match &mut self.kind {
            Kind::Line { from, to } => {
                *from *= factor;
                *to *= factor;
            }
            Kind::Helix { centre, radius, rise, .. } => {
                *centre *= factor;
                *radius *= factor;
                *rise *= factor;
            }
            Kind::Dense { points, arc, radius, .. } => {
                points.iter_mut().for_each(|point| *point *= factor);
                arc.iter_mut().chain([radius]).for_each(|length| *length *= factor);
            }
            Kind::Joined { parts, starts } => {
                for part in &mut *parts {
                    *part = part.clone().scaled(factor);
                }
                starts.iter_mut().for_each(|start| *start *= factor);
            }
        }
        self
    }

    /// Length, m.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Whether the curve returns to its start.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Point at arc length `s`.
    pub fn point(&self, s: f64) -> DVec3 {
        let share = s / self.length;
        match &self.kind {
            Kind::Line { from, to } => *from * (1.0 - share) + *to * share,
            Kind::Helix { centre, e1, e2, axis, radius, angle, rise } => {
                let phi = angle * share;
                *centre + (*e1 * libm::cos(phi) + *e2 * libm::sin(phi)) * *radius + *axis * (rise * share)
            }
            Kind::Dense { points, arc, corners, .. } => dense_point(points, arc, *corners, s),
            Kind::Joined { parts, starts } => {
                let k = starts.partition_point(|&start| start <= s).max(1) - 1;
                parts[k].point(s - starts[k])
            }
        }
    }

    /// Least bend radius, m; infinite for straight lines and for polygons, whose corners have no radius. For
    /// a curve through points, the least radius of the circles through three neighbouring samples.
    pub fn least_radius(&self) -> f64 {
        match &self.kind {
            Kind::Line { .. } => f64::INFINITY,
            Kind::Dense { radius, .. } => *radius,
            Kind::Joined { parts, .. } => parts.iter().map(Self::least_radius).fold(f64::INFINITY, f64::min),
            // r (1 + (rise/rφ)²) = (length/φ)²/r
            Kind::Helix { radius, angle, .. } => (self.length / angle).powi(2) / radius,
        }
    }

    /// Unit tangent at arc length `s`, from points at most 2 `reach` away, with an error of second order in
    /// that; the mean of both sides at a corner.
    pub fn tangent(&self, s: f64, reach: f64) -> DVec3 {
        let at = |s: f64| {
            self.point(if self.closed { s.rem_euclid(self.length) } else { s.clamp(0.0, self.length) })
        };
        let forward = |r: f64| at(s + r) * 4.0 - at(s) * 3.0 - at(s + 2.0 * r);
        let slope = if self.closed || (s >= reach && s + reach <= self.length) {
            at(s + reach) - at(s - reach)
        } else if s < reach {
            forward(reach)
        } else {
            -forward(-reach)
        };
        slope.normalize()
    }

    /// Curves of which each begins where the one before it ends.
    pub(super) fn joined(parts: Vec<Self>) -> Self {
        let mut starts = Vec::with_capacity(parts.len());
        let mut length = 0.0;
        for part in &parts {
            starts.push(length);
            length += part.length;
        }
        Self { kind: Kind::Joined { parts, starts }, length, closed: false }
    }

    /// `y = 4 h ξ (1 − ξ)` along the chord; h by bisection for the given length.
    fn parabola(from: DVec3, to: DVec3, sag: DVec3, length: f64) -> Self {
        let samples = 2000;
        let build = |h: f64| -> Vec<DVec3> {
            (0..=samples)
                .map(|i| {
                    let xi = f64::from(i) / f64::from(samples);
                    from + (to - from) * xi + sag * (4.0 * h * xi * (1.0 - xi))
                })
                .collect()
        };
        let polygon = |points: &[DVec3]| points.windows(2).map(|w| w[0].distance(w[1])).sum::<f64>();
        let (mut low, mut high) = (0.0, length);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if polygon(&build(middle)) < length {
                low = middle;
            } else {
                high = middle;
            }
        }
        let mut curve = Self::dense(build(0.5 * (low + high)), false, false);
        // The bisection gives the length to rounding; the rest length is exact.
        if let Kind::Dense { arc, .. } = &mut curve.kind {
            let scale = length / curve.length;
            arc.iter_mut().for_each(|s| *s *= scale);
        }
        curve.length = length;
        curve
    }

    /// A C¹ curve through points, sampled densely: a Catmull–Rom spline with centripetal parameters, √chord
    /// from point to point. However uneven the points are, it has no cusp and no loop between two of them
    /// (Yuksel, Schaefer, Keyser 2011).
    fn through(points: &[DVec3], closed: bool) -> Self {
        let n = points.len();
        if n == 2 && !closed {
            return Self {
                length: points[0].distance(points[1]),
                kind: Kind::Line { from: points[0], to: points[1] },
                closed: false,
            };
        }
        let per_piece = (20_000 / n).clamp(16, 200);
        let pieces = if closed { n } else { n - 1 };
        let get = |k: i64| -> DVec3 {
            if closed {
                points[k.rem_euclid(n as i64) as usize]
            } else if k < 0 {
                points[0] * 2.0 - points[1]
            } else if k >= n as i64 {
                points[n - 1] * 2.0 - points[n - 2]
            } else {
                points[k as usize]
            }
        };
        let mut dense = Vec::with_capacity(pieces * per_piece + 1);
        for e in 0..pieces {
            let [p0, p1, p2, p3]: [DVec3; 4] = std::array::from_fn(|k| get(e as i64 + k as i64 - 1));
            let [w0, w1, w2] = [(p0, p1), (p1, p2), (p2, p3)].map(|(a, b)| a.distance(b).sqrt());
            // Slopes by the parabola through three points each, per piece.
            let out = ((p1 - p0) / w0 - (p2 - p0) / (w0 + w1)) * w1 + (p2 - p1);
            let into = ((p3 - p2) / w2 - (p3 - p1) / (w1 + w2)) * w1 + (p2 - p1);
            let samples = if e + 1 == pieces { 0..=per_piece } else { 0..=per_piece - 1 };
            dense.extend(samples.map(|i| {
                let f = i as f64 / per_piece as f64;
                let rest = 1.0 - f;
                p1 * (rest * rest * (1.0 + 2.0 * f))
                    + p2 * (f * f * (3.0 - 2.0 * f))
                    + (out * rest - into * f) * (f * rest)
            }));
        }
        let mut curve = Self::dense(dense, closed, false);
        if let Kind::Dense { radius, .. } = &mut curve.kind {
            *radius = least_radius(points);
        }
        curve
    }

    /// The clamped spline of these control points, sampled densely.
    fn spline(control: &[DVec3], knots: &Knots) -> Self {
        let n = knots.segments();
        let per_segment = (20_000 / n).clamp(16, 200);
        let point = |i: usize| -> DVec3 {
            let e = (i / per_segment).min(n - 1);
            let w = knots.basis(e).weights((i - e * per_segment) as f64 / per_segment as f64).b;
            (0..4).map(|k| control[e + k] * w[k]).sum()
        };
        Self::dense((0..=n * per_segment).map(point).collect(), false, false)
    }

    fn dense(points: Vec<DVec3>, closed: bool, corners: bool) -> Self {
        let mut arc = Vec::with_capacity(points.len());
        let mut total = 0.0;
        arc.push(0.0);
        for pair in points.windows(2) {
            total += pair[0].distance(pair[1]);
            arc.push(total);
        }
        let radius = if corners { f64::INFINITY } else { least_radius(&points) };
        Self { length: total, kind: Kind::Dense { points, arc, corners, radius }, closed }
    }
}

/// Points of the arc that touches a corner from inside. It begins where a line from the first point beside
/// the corner touches it, and ends where a line to the second point does. Its radius is at most half the
/// distance of these points from the corner.
fn arc_at_corner(corner: DVec3, beside: [DVec3; 2], radius: f64) -> Vec<DVec3> {
    let ways = beside.map(|point| (point - corner).normalize());
    let inwards = (ways[0] + ways[1]).normalize();
    let along = super::rotation::any_normal(inwards, ways[1] - ways[0]);
    let radius = beside.iter().fold(radius, |least, point| least.min(0.5 * point.distance(corner)));
    let centre = corner + inwards * radius;
    // Angles at the centre from the corner to where the lines touch the arc.
    let angles = [-1.0, 1.0].map(|side| {
        let point = beside[usize::from(side > 0.0)] - centre;
        let to_point = libm::atan2(side * point.dot(along), -point.dot(inwards));
        to_point - libm::acos((radius / point.length()).min(1.0))
    });
    (0..=ARC_POINTS)
        .map(|k| {
            let share = k as f64 / ARC_POINTS as f64;
            let angle = -angles[0] * (1.0 - share) + angles[1] * share;
            centre + (along * libm::sin(angle) - inwards * libm::cos(angle)) * radius
        })
        .collect()
}

/// Radius of the smallest circle through three neighbouring points, m: abc/(4 area).
fn least_radius(points: &[DVec3]) -> f64 {
    let around = |w: &[DVec3]| {
        let (a, b) = (w[1] - w[0], w[2] - w[1]);
        a.length() * b.length() * (a + b).length() / (2.0 * a.cross(b).length())
    };
    points.windows(3).map(around).filter(|radius| radius.is_finite()).fold(f64::INFINITY, f64::min)
}

/// Point of a dense polygon at arc length s: straight between corners, otherwise cubic through four
/// neighbours.
fn dense_point(points: &[DVec3], arc: &[f64], corners: bool, s: f64) -> DVec3 {
    let i = arc.partition_point(|&a| a <= s).clamp(1, points.len() - 1);
    let width = arc[i] - arc[i - 1];
    let f = if width > 0.0 { (s - arc[i - 1]) / width } else { 0.0 };
    if corners || i < 2 || i + 1 >= points.len() {
        return points[i - 1] * (1.0 - f) + points[i] * f;
    }
    // Lagrange through the four neighbours, in arc length.
    (i - 2..=i + 1)
        .map(|a| {
            let weight: f64 =
                (i - 2..=i + 1).filter(|&b| b != a).map(|b| (s - arc[b]) / (arc[a] - arc[b])).product();
            points[a] * weight
        })
        .sum()
}

fn finite_points(path: &str, given: &[[f64; 3]], least: usize) -> Result<Vec<DVec3>, BuildError> {
    let points = given.iter().map(|&p| check::finite_vector(path, p)).collect::<Result<Vec<_>, _>>()?;
    if points.len() < least {
        return Err(BuildError::new(
            path,
            format!("{} points", points.len()),
            format!("give at least {least}"),
        ));
    }
    if points.windows(2).any(|w| w[0] == w[1]) {
        return Err(BuildError::new(path, "two neighbouring points are the same", "leave one of them out"));
    }
    Ok(points)
}

/// Knots of a spline that is given by its control points.
pub(crate) fn spline_knots(spline: &Spline) -> Result<Knots, BuildError> {
    let segments = spline.control.len() - 3;
    if spline.widths.is_empty() {
        return Ok(Knots::even(segments));
    }
    if spline.widths.len() != segments {
        let problem = format!("{} widths for {segments} segments", spline.widths.len());
        return Err(BuildError::new(
            "spline.widths",
            problem,
            "give as many as segments, three less than control points",
        ));
    }
    Knots::of_widths(spline.widths.iter().copied()).ok_or_else(|| {
        BuildError::new(
            "spline.widths",
            "a width that is not positive, or very different from the next one",
            format!("give positive numbers, neighbours within a ratio of {STEEPEST}"),
        )
    })
}

fn across(path: &str, axis: DVec3, given: [f64; 3]) -> Result<DVec3, BuildError> {
    let direction = check::direction(path, given)?;
    if direction.cross(axis).length() < 1e-6 {
        return Err(BuildError::new(
            path,
            "it points along the axis or tangent",
            "give a direction across it",
        ));
    }
    Ok(orthonormal_to(axis, direction))
}

/// Control points of a spline with `segments` segments whose parameter is proportional to the arc length of
/// the curve.
///
/// The spline passes through the curve at the Greville abscissae (clamped) or at the knots (periodic,
/// Catmull–Rom).
pub fn control_points(curve: &Curve, family: Family, segments: usize) -> Vec<DVec3> {
    let n = segments;
    let at = |u: f64| curve.point(curve.length() * u / n as f64);
    match family {
        Family::Clamped => control_points_on(curve, &Knots::even(n)),
        Family::Periodic => interpolate_periodic(&(0..n).map(|i| at(i as f64)).collect::<Vec<_>>()),
        Family::CatmullRom => {
            let inner: Vec<DVec3> = (0..=n).map(|i| at(i as f64)).collect();
            let beyond =
                |a: DVec3, b: DVec3, c: Option<&DVec3>| c.map_or(a * 2.0 - b, |&c| a * 3.0 - b * 3.0 + c);
            let first = beyond(inner[0], inner[1], inner.get(2));
            let last = beyond(inner[n], inner[n - 1], n.checked_sub(2).map(|i| &inner[i]));
            std::iter::once(first).chain(inner.iter().copied()).chain(std::iter::once(last)).collect()
        }
    }
}

/// Control points of a clamped spline on these knots whose parameter is proportional to the arc length of the
/// curve.
pub(crate) fn control_points_on(curve: &Curve, knots: &Knots) -> Vec<DVec3> {
    let at = |i: usize| curve.point(curve.length() * knots.greville(i) / knots.end());
    interpolate_clamped((0..knots.segments() + 3).map(at).collect(), knots)
}

/// Solves Σ_j B_j(u_i) P_j = x_i at the Greville abscissae.
pub(crate) fn interpolate_clamped<T: Interpolated>(mut x: Vec<T>, knots: &Knots) -> Vec<T> {
    ClampedFit::on(knots).solve(&mut x);
    x
}

/// Values that can be interpolated.
pub(crate) trait Interpolated:
    Copy + Sub<Output = Self> + Mul<f64, Output = Self> + Div<f64, Output = Self>
{
}
impl<T: Copy + Sub<Output = T> + Mul<f64, Output = T> + Div<f64, Output = T>> Interpolated for T {}

/// Half bandwidth of the matrix of basis functions at the Greville abscissae.
const W: usize = 3;

/// Converts values at the Greville abscissae of a clamped spline to control points: the factored matrix
/// B_j(u_i). It is banded and totally positive, so elimination needs no pivoting.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClampedFit {
    rows: Vec<[f64; 2 * W + 1]>,
}

impl ClampedFit {
    /// For splines of `n` segments of equal width.
    pub(crate) fn new(n: usize) -> Self {
        Self::on(&Knots::even(n))
    }

    /// For splines on these knots.
    fn on(knots: &Knots) -> Self {
        let count = knots.segments() + W;
        let mut rows = vec![[0.0; 2 * W + 1]; count];
        for (i, row) in rows.iter_mut().enumerate() {
            let (e, f) = knots.segment_at(knots.greville(i));
            let w = knots.basis(e).weights(f).b;
            for (k, &value) in w.iter().enumerate() {
                if value != 0.0 {
                    row[e + k + W - i] = value;
                }
            }
        }
        for i in 0..count {
            for r in i + 1..(i + W + 1).min(count) {
                let factor = rows[r][i + W - r] / rows[i][W];
                if factor != 0.0 {
                    for c in i + 1..(i + W + 1).min(count) {
                        rows[r][c + W - r] -= factor * rows[i][c + W - i];
                    }
                }
                rows[r][i + W - r] = factor;
            }
        }
        Self { rows }
    }

    /// Converts values to control points in place.
    pub(crate) fn solve<T: Interpolated>(&self, x: &mut [T]) {
        let (rows, count) = (&self.rows, self.rows.len());
        for i in 0..count {
            for r in i + 1..(i + W + 1).min(count) {
                x[r] = x[r] - x[i] * rows[r][i + W - r];
            }
        }
        for i in (0..count).rev() {
            let mut value = x[i];
            for c in i + 1..(i + W + 1).min(count) {
                value = value - x[c] * rows[i][c + W - i];
            }
            x[i] = value / rows[i][W];
        }
    }
}

/// Solves (P_{i} + 4 P_{i+1} + P_{i+2})/6 = x_i cyclically by Gauss–Seidel sweeps, which contract by about
/// 1/14.
fn interpolate_periodic(x: &[DVec3]) -> Vec<DVec3> {
    let n = x.len();
    let mut p: Vec<DVec3> = (0..n).map(|i| x[(i + n - 1) % n]).collect();
    for _ in 0..60 {
        for i in 0..n {
            let around = p[(i + n - 1) % n] + p[(i + 1) % n];
            p[i] = (x[(i + n - 1) % n] * 6.0 - around) / 4.0;
        }
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::basis::{SegmentBasis, greville};
    use crate::object::rod::{Helix, Line, Points, Ring, Slack};

    fn spline_point(points: &[DVec3], family: Family, n: usize, u: f64) -> DVec3 {
        let e = (u.floor() as usize).min(n - 1);
        let w = SegmentBasis::new(family, e, n).weights(u - e as f64).b;
        (0..4).map(|k| points[(e + k) % points.len()] * w[k]).sum()
    }

    #[test]
    fn line_has_evenly_stretched_control_points() {
        let shape = Shape::Line(Line { from: [1.0, 2.0, 3.0], to: [4.0, 0.0, 3.5] });
        let curve = Curve::from_shape(&shape).unwrap();
        for n in [1, 2, 3, 16] {
            let p = control_points(&curve, Family::Clamped, n);
            for i in 0..n + 3 {
                assert!(p[i].distance(curve.point(curve.length() * greville(i, n) / n as f64)) < 1e-14);
            }
        }
    }

    #[test]
    fn a_spline_along_a_helix_converges_with_fourth_order() {
        let shape = Shape::Helix(Helix {
            centre: [0.0; 3],
            axis: [0.0, 0.0, 1.0],
            start: [1.0, 0.0, 0.0],
            radius: 0.5,
            pitch: 0.3,
            turns: 2.0,
        });
        let curve = Curve::from_shape(&shape).unwrap();
        let error = |n: usize| {
            let p = control_points(&curve, Family::Clamped, n);
            (0..=400)
                .map(|i| {
                    let u = n as f64 * f64::from(i) / 400.0;
                    spline_point(&p, Family::Clamped, n, u)
                        .distance(curve.point(curve.length() * u / n as f64))
                })
                .fold(0.0, f64::max)
        };
        let order = (error(32) / error(64)).log2();
        assert!(order > 3.7 && error(64) < 1e-4, "order {order}, error {}", error(64));
    }

    #[test]
    fn a_ring_closes() {
        let curve =
            Curve::from_shape(&Shape::Ring(Ring { centre: [0.0; 3], normal: [0.0, 0.0, 1.0], radius: 1.0 }))
                .unwrap();
        let n = 24;
        let p = control_points(&curve, Family::Periodic, n);
        for i in 0..n {
            let x = spline_point(&p, Family::Periodic, n, i as f64);
            assert!(x.distance(curve.point(curve.length() * i as f64 / n as f64)) < 1e-14);
        }
    }

    #[test]
    fn slack_has_the_asked_length() {
        let shape =
            Shape::Slack(Slack { from: [0.0; 3], to: [1.0, 0.0, 0.2], length: 1.7, sag: [0.0, 0.0, -1.0] });
        let curve = Curve::from_shape(&shape).unwrap();
        let polygon: f64 = (0..4000)
            .map(|i| {
                curve
                    .point(1.7 * f64::from(i) / 4000.0)
                    .distance(curve.point(1.7 * f64::from(i + 1) / 4000.0))
            })
            .sum();
        assert!((polygon - 1.7).abs() < 1e-5, "{polygon}");
        assert!(curve.point(1.7).distance(DVec3::new(1.0, 0.0, 0.2)) < 1e-12);
    }

    #[test]
    fn a_curve_through_uneven_points_never_turns_back() {
        // Long straight runs and a short bend, as a route is drawn.
        let mut through: Vec<[f64; 3]> = [0.0, 0.25, 0.5, 0.51].map(|x| [x, 0.0, 0.0]).to_vec();
        through.extend([[0.52, 0.002, 0.0], [0.53, 0.006, 0.0], [0.54, 0.012, 0.0]]);
        let polygon: f64 =
            through.windows(2).map(|w| DVec3::from_array(w[0]).distance(DVec3::from_array(w[1]))).sum();
        let curve = Curve::from_shape(&Shape::Points(Points { through, closed: false })).unwrap();
        let steps: Vec<DVec3> =
            (0..=5000).map(|i| curve.point(curve.length() * f64::from(i) / 5000.0)).collect();
        assert!(steps.windows(2).all(|w| w[1].x > w[0].x), "it runs forward everywhere");
        // The bend of 30° over 4 cm is longer than its chords by about Σ φ²/24 of each.
        assert!(curve.length() > polygon && curve.length() < polygon * 1.0005, "{}", curve.length());
        // On the straight run it is straight, up to the last sample before the bend.
        assert!(steps.iter().filter(|x| x.x < 0.499).all(|x| x.y == 0.0 && x.z == 0.0));
    }

    #[test]
    fn even_points_on_a_circle_give_a_curve_of_its_length() {
        let n = 32;
        let through = (0..n)
            .map(|i| {
                let phi = std::f64::consts::TAU * f64::from(i) / f64::from(n);
                [libm::cos(phi), libm::sin(phi), 0.0]
            })
            .collect();
        let curve = Curve::from_shape(&Shape::Points(Points { through, closed: true })).unwrap();
        // Slopes of second order: an error of φ⁴/180 of a piece φ.
        let error = curve.length() / std::f64::consts::TAU - 1.0;
        assert!(error.abs() < 1e-4, "{error}");
        assert!((curve.least_radius() - 1.0).abs() < 1e-12, "{}", curve.least_radius());
    }

    #[test]
    fn a_curve_through_points_passes_through_them() {
        let through = vec![[0.0, 0.0, 0.0], [1.0, 0.5, 0.0], [2.0, 0.0, 1.0], [3.0, 0.0, 0.0]];
        let curve =
            Curve::from_shape(&Shape::Points(Points { through: through.clone(), closed: false })).unwrap();
        for p in through {
            let p = DVec3::from_array(p);
            let nearest = (0..=4000)
                .map(|i| curve.point(curve.length() * f64::from(i) / 4000.0).distance(p))
                .fold(f64::MAX, f64::min);
            assert!(nearest < 1e-3, "{nearest}");
        }
    }
}
