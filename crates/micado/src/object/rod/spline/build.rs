//! Builds a rod and its initial state from a description.

use super::layout::{LANES, POINTS, blocks, index, rest};
use super::{SplineRod, Table, Uneven, combine};
use crate::describe::material::RodProperties;
use crate::error::{BuildError, check};
use crate::geometry::basis::{Family, SegmentBasis};
use crate::geometry::curve::{Curve, control_points, control_points_on, spline_knots};
use crate::geometry::knots::{Knots, STEEPEST};
use crate::geometry::quadrature::{GAUSS_3, GAUSS_4};
use crate::object::rod::initial_state::{InitialRod, Start, check_segments};
use crate::object::rod::pieces::{Pieces, check_natural};
use crate::object::rod::{Basis, Natural, Resolution, RodDescription, Shape, StretchMeasure};
use glam::DVec3;

/// Default number of segments.
const DEFAULT_SEGMENTS: usize = 16;
/// Weight of the slope of stretch relative to bending; ten is optimal within a factor of ten both ways.
const LOCKING_BETA: f64 = 10.0;
/// Relative difference below which bending stiffnesses are equal: means over the pieces of a rod round to
/// 1e-15, and nothing is made or measured to 1e-12.
const ISOTROPIC: f64 = 1e-12;

/// Largest ratio of polar inertias of neighbouring segments at which the roll's mass matrix is safely
/// definite: it becomes indefinite at about 300.
const MOST_INERTIA_STEP: f64 = 30.0;

/// Largest ratio of the metric of stretch to that of the rest curve.
const MOST_METRIC: f64 = 10.0;

/// The curve of a polyline with an arc that the segments can follow in place of each corner that turns back.
/// `None` unless the resolution is adaptive and the natural shape is another one. A spline through the corner
/// would have a cusp there, which the bending energy does not see.
fn without_cusps(description: &RodDescription, length: f64) -> Result<Option<Curve>, BuildError> {
    let Shape::Polyline(polyline) = &description.shape else { return Ok(None) };
    let has_corners = polyline.radius == 0.0;
    if description.resolution != Resolution::Auto || description.natural == Natural::AsShaped || !has_corners
    {
        return Ok(None);
    }
    let segment = length / description.segments.unwrap_or(DEFAULT_SEGMENTS).max(1) as f64;
    let bend = check::positive("refinement.bend", description.refinement.bend)?;
    Curve::belt(polyline, segment / bend).map(Some).map_err(|e| e.within("shape"))
}

impl SplineRod {
    /// Builds a rod and its initial state.
    ///
    /// # Errors
    /// The field of the description that can't be used, and why.
    pub fn build(description: &RodDescription) -> Result<InitialRod<Self>, BuildError> {
        let mut start = Start::of(description)?;
        if let Some(curve) = without_cusps(description, start.curve.length() * start.stretch)? {
            start.curve = curve.scaled(1.0 / start.stretch);
        }
        let curve = &start.curve;
        let family = match (description.basis, curve.is_closed()) {
            (Basis::BSpline, false) => Family::Clamped,
            (Basis::BSpline, true) => Family::Periodic,
            (Basis::CatmullRom, false) => Family::CatmullRom,
            (Basis::CatmullRom, true) => {
                return Err(BuildError::new(
                    "basis",
                    "catmull-rom is for open rods",
                    "use basis = \"b-spline\" for a closed one",
                ));
            }
        };
        let given = match &description.shape {
            Shape::Spline(spline) if family == Family::Clamped => Some(spline),
            _ => None,
        };
        let asked = knots_at(description, curve)?;
        let segments = asked.as_ref().map(Knots::segments).or(description.segments);
        let segments = segments.or(given.map(|spline| spline.control.len() - 3)).unwrap_or(DEFAULT_SEGMENTS);
        check_segments(segments, if curve.is_closed() { 5 } else { 1 }, "a few for each bend are enough")?;
        if let Natural::Sampled(samples) = &description.natural {
            if samples.len() != POINTS * segments {
                return Err(BuildError::new(
                    "natural.sampled",
                    format!("{} samples for {segments} segments", samples.len()),
                    format!("give three for each segment, {} in all", POINTS * segments),
                ));
            }
            samples.iter().try_for_each(check_natural).map_err(|e| e.within("natural.sampled"))?;
        }
        check_resolution(description, family, segments)?;
        super::kernel::prepare();
        let given = given.filter(|spline| spline.control.len() == segments + 3 && asked.is_none());
        let (rest_points, knots) = match (given, asked) {
            (Some(spline), _) => (
                spline.control.iter().map(|&x| DVec3::from_array(x)).collect(),
                Some(spline_knots(spline).map_err(|e| e.within("shape"))?),
            ),
            (None, Some(knots)) => (control_points_on(curve, &knots), Some(knots)),
            (None, None) => (control_points(curve, family, segments), None),
        };
        let (uneven, tables) = match knots.filter(|knots| !knots.are_even()) {
            Some(knots) => {
                let (uneven, tables) = Uneven::new(knots);
                (Some(uneven), tables)
            }
            None if family == Family::Clamped => (
                None,
                (0..9)
                    .map(|key| Table::new(SegmentBasis::new(family, key / 3, key / 3 + key % 3 + 1)))
                    .collect(),
            ),
            None => (None, vec![Table::new(SegmentBasis::new(family, 0, 1))]),
        };
        let mut rod = Self {
            family,
            segments,
            uneven,
            tables,
            rest: vec![1.0; blocks(segments) * POINTS * rest::FIELDS * LANES],
            lengths: vec![1.0; blocks(segments) * LANES],
            stretch_lengths: vec![1.0; blocks(segments) * LANES],
            shortest_edge: rest_points.windows(2).map(|x| x[0].distance(x[1])).fold(f64::MAX, f64::min),
            alphas: vec![1.0; blocks(segments) * LANES],
            stretch: vec![0.0; blocks(segments) * LANES],
            twist: vec![0.0; blocks(segments) * LANES],
            twist_alphas: vec![1.0; blocks(segments) * LANES],
            mass: Vec::new(),
            rest_points,
            arc: Vec::new(),
            radii: Vec::new(),
            seam_twist: if curve.is_closed() { description.twist } else { 0.0 },
            twist_measure: description.twist_measure,
            isotropic_straight: false,
            constants: super::kernel::Constants::default(),
            internal_damping: start.damping.internal,
            mass_damping: start.damping.mass,
        };
        rod.measure_arc();
        let pieces = Pieces::new(description, rod.length())?;
        rod.set_properties(description, &pieces);
        if let Some(spline) = given.filter(|spline| !spline.stretch_metric.is_empty()) {
            rod.set_stretch_metric(&spline.stretch_metric).map_err(|e| e.within("shape.spline"))?;
        }
        rod.set_mass(&pieces);

        let mut q = rod.laid_unknowns(0.0);
        let frames = rod.make_frames(&q, start.up);
        rod.set_natural(description, &pieces, &q, &frames);
        if rod.isotropic_straight {
            rod.free_twist(&pieces);
        }
        rod.constants = super::kernel::Constants::new(&rod);
        if description.twist != 0.0 {
            q = rod.laid_unknowns(description.twist);
        }
        description.twist_measure.check(&rod, &q)?;
        let (v, numbers) = (start.velocities(rod.nodes()), rod.rest.clone());
        InitialRod { rod, q, v, frames }.stretched(start.stretch).with_tangents(numbers)
    }

    /// Rest arc length at the knots.
    fn measure_arc(&mut self) {
        let mut total = 0.0;
        let mut arc = Vec::with_capacity(self.segments + 1);
        arc.push(0.0);
        for e in 0..self.segments {
            total += self.arc_within(e, 1.0);
            arc.push(total);
        }
        self.arc = arc;
    }

    /// Control points of the initial curve, with a twist that grows linearly from 0 at the start.
    fn laid_unknowns(&self, twist: f64) -> Vec<f64> {
        let n = self.last_parameter();
        self.rest_points
            .iter()
            .enumerate()
            .flat_map(|(i, x)| {
                let u = match (self.family, &self.uneven) {
                    (_, Some(uneven)) => uneven.knots.greville(i),
                    (Family::Clamped, None) => crate::geometry::basis::greville(i, self.segments),
                    (Family::Periodic | Family::CatmullRom, None) => i as f64 - 1.0,
                };
                [x.x, x.y, x.z, twist * u / n]
            })
            .collect()
    }

    /// Stiffnesses and metric at the quadrature points, stretch of the segments, radii.
    fn set_properties(&mut self, description: &RodDescription, pieces: &Pieces) {
        for e in 0..self.segments {
            let x: [DVec3; 4] = std::array::from_fn(|k| self.rest_points[self.node(e, k)]);
            let metric: [f64; POINTS] =
                std::array::from_fn(|g| combine(&self.table(e).weights[g].db, &x).length());
            self.lengths[e] = (0..POINTS).map(|g| GAUSS_3[g].1 * metric[g]).sum();
            // Each quadrature point represents its share of the segment.
            let (start, width) = (self.arc[e], self.arc[e + 1] - self.arc[e]);
            let (mut from, mut least_bend) = (start, f64::MAX);
            for (g, &j) in metric.iter().enumerate() {
                let to = from + GAUSS_3[g].1 * width;
                let mean = |get: fn(&RodProperties) -> f64| -> f64 {
                    pieces.shares(from, to).map(|(share, (p, _))| share * get(p)).sum()
                };
                let values = if pieces.is_uniform() {
                    let p = &pieces.pieces[0].0;
                    [p.bend_1, p.bend_2, p.twist, p.stretch]
                } else {
                    [mean(|p| p.bend_1), mean(|p| p.bend_2), mean(|p| p.twist), mean(|p| p.stretch)]
                };
                self.rest[index(e, g, rest::STRETCH_J, rest::FIELDS)] = j;
                for (field, value) in
                    [(rest::J, j), (rest::EI1, values[0]), (rest::EI2, values[1]), (rest::GJ, values[2])]
                {
                    self.rest[index(e, g, field, rest::FIELDS)] = value;
                }
                least_bend = least_bend.min(values[0]).min(values[1]);
                self.stretch[e] += GAUSS_3[g].1 * values[3];
                self.twist[e] += GAUSS_3[g].1 * values[2];
                from = to;
            }
            self.stretch_lengths[e] = self.lengths[e];
            self.alphas[e] =
                self.share_of_slope(e, least_bend, description.stretch_measure == StretchMeasure::Pointwise);
        }
        self.radii = if pieces.is_uniform() {
            vec![pieces.pieces[0].0.radius]
        } else {
            (0..self.segments)
                .map(|e| {
                    pieces.shares(self.arc[e], self.arc[e + 1]).map(|(share, (p, _))| share * p.radius).sum()
                })
                .collect()
        };
    }

    /// Sets a metric of stretch other than that of the rest curve, given at the quadrature points.
    fn set_stretch_metric(&mut self, metric: &[f64]) -> Result<(), BuildError> {
        if metric.len() != POINTS * self.segments {
            let problem = format!("{} numbers for {} segments", metric.len(), self.segments);
            return Err(BuildError::new(
                "stretch_metric",
                problem,
                format!("give three for each segment, {}", POINTS * self.segments),
            ));
        }
        for (e, points) in metric.chunks_exact(POINTS).enumerate() {
            for (g, &j) in points.iter().enumerate() {
                let of_curve = self.rest[index(e, g, rest::J, rest::FIELDS)];
                if !(j / of_curve > 1.0 / MOST_METRIC && j / of_curve < MOST_METRIC) {
                    let problem = format!("{j} m where the curve has {of_curve} m");
                    return Err(BuildError::new(
                        "stretch_metric",
                        problem,
                        format!("give numbers within a factor of {MOST_METRIC}"),
                    ));
                }
                self.rest[index(e, g, rest::STRETCH_J, rest::FIELDS)] = j;
            }
            self.stretch_lengths[e] = (0..POINTS).map(|g| GAUSS_3[g].1 * points[g]).sum();
        }
        Ok(())
    }

    /// Share α of the slope of stretch in a segment.
    pub(super) fn share_of_slope(&self, e: usize, least_bend: f64, pointwise: bool) -> f64 {
        let length = self.lengths[e];
        let is_end = self.family != Family::Periodic && (e == 0 || e + 1 == self.segments);
        if is_end || pointwise {
            1.0
        } else {
            (LOCKING_BETA * least_bend / (self.stretch[e] * length * length)).min(1.0)
        }
    }

    /// Consistent mass matrix in the rest measure; where properties change inside a segment, each piece has
    /// its own quadrature.
    fn set_mass(&mut self, pieces: &Pieces) {
        let n = self.nodes();
        self.mass = vec![[0.0; 8]; n];
        for e in 0..self.segments {
            let x: [DVec3; 4] = std::array::from_fn(|k| self.rest_points[self.node(e, k)]);
            let basis = self.table(e).basis;
            let (start, width) = (self.arc[e], self.arc[e + 1] - self.arc[e]);
            let mut from = 0.0;
            for (share, (properties, _)) in pieces.shares(start, start + width) {
                for (g, gauss) in GAUSS_4 {
                    let w = basis.weights(from + share * g);
                    let measure = gauss * share * combine(&w.db, &x).length();
                    for i in 0..4 {
                        for k in 0..4 - i {
                            let value = measure * w.b[i] * w.b[i + k];
                            let entry = &mut self.mass[if e + i < n { e + i } else { e + i - n }];
                            entry[k] += properties.mass * value;
                            entry[4 + k] += properties.polar_inertia * value;
                        }
                    }
                }
                from += share;
            }
        }
    }

    /// Sets natural curvatures and twist.
    fn set_natural(&mut self, description: &RodDescription, pieces: &Pieces, q: &[f64], frames: &[f64]) {
        let mut straight = true;
        let mut isotropic = true;
        let seam_twist = std::mem::take(&mut self.seam_twist);
        for e in 0..self.segments {
            for g in 0..POINTS {
                let mut natural = match &description.natural {
                    Natural::Straight => [0.0; 3],
                    Natural::AsShaped => {
                        let [k1, k2, tau, _] = self.point_strain(q, frames, e, g);
                        [k1, k2, tau]
                    }
                    Natural::Curved(k) => [k.curvature_1, k.curvature_2, k.twist],
                    Natural::Sampled(samples) => {
                        let k = samples[POINTS * e + g];
                        [k.curvature_1, k.curvature_2, k.twist]
                    }
                };
                let s = self.arc[e] + GAUSS_3[g].0 * self.lengths[e];
                if let Some((_, (_, Some(own)))) =
                    pieces.shares(s * (1.0 - 1e-12) - f64::MIN_POSITIVE, s * (1.0 + 1e-12)).last()
                {
                    natural = [own.curvature_1, own.curvature_2, own.twist];
                }
                for (field, value) in
                    [(rest::K1, natural[0]), (rest::K2, natural[1]), (rest::TAU, natural[2])]
                {
                    self.rest[index(e, g, field, rest::FIELDS)] = value;
                }
                straight &= natural == [0.0; 3];
                isotropic &= self.is_isotropic(e, g);
            }
        }
        self.seam_twist = seam_twist;
        self.isotropic_straight = straight && isotropic && self.has_material_frame();
    }

    /// Whether the section at quadrature point `g` of segment `e` bends isotropically.
    pub(in crate::object::rod) fn is_isotropic(&self, e: usize, g: usize) -> bool {
        let constant = |field| self.rest[index(e, g, field, rest::FIELDS)];
        (constant(rest::EI1) - constant(rest::EI2)).abs() <= ISOTROPIC * constant(rest::EI1)
    }

    /// Leaves the twist inside the segments free, except in the two end segments of an open rod: only its
    /// mean has energy.
    ///
    /// Torque is constant in an isotropic, naturally straight rod, so the twist inside a segment is its mean
    /// whatever θ does there, and θ need not follow the twist of transported frames at the quadrature points.
    /// With N means, and two slopes that hold the two splines which vanish at all knots, there are as many
    /// terms as θ' has freedoms: some θ compensates any twist of the frames, and a rod in rigid motion keeps
    /// its energy.
    ///
    /// The mean is softer than the full energy by (kh)²/12 of a wave of twist; the same share off the inertia
    /// of the roll differences makes torsional waves accurate to fourth order again, away from the ends.
    fn free_twist(&mut self, pieces: &Pieces) {
        let n = self.nodes();
        for e in 0..self.segments {
            if self.family != Family::Periodic && (e == 0 || e + 1 == self.segments) {
                continue;
            }
            self.twist_alphas[e] = 0.0;
            // For constant torque, compliances add up.
            let compliance: f64 =
                pieces.shares(self.arc[e], self.arc[e + 1]).map(|(share, (p, _))| share / p.twist).sum();
            self.twist[e] = 1.0 / compliance;
            if self.family == Family::CatmullRom {
                continue;
            }
            let inertias = |e: usize| {
                let mean: f64 = pieces
                    .shares(self.arc[e], self.arc[e + 1])
                    .map(|(share, (p, _))| share * p.polar_inertia)
                    .sum();
                (self.arc[e + 1] - self.arc[e]) * mean
            };
            let neighbours = [e.saturating_sub(1), e, (e + 1).min(self.segments - 1)].map(inertias);
            // Beside much lighter segments the correction could leave a roll without inertia.
            if neighbours.iter().any(|other| *other < neighbours[1] / MOST_INERTIA_STEP) {
                continue;
            }
            let basis = self.table(e).basis;
            let (start, end) = (basis.weights(0.0).b, basis.weights(1.0).b);
            let inertia = neighbours[1];
            for i in 0..4 {
                for k in 0..4 - i {
                    self.mass[if e + i < n { e + i } else { e + i - n }][4 + k] -=
                        inertia / 12.0 * (end[i] - start[i]) * (end[i + k] - start[i + k]);
                }
            }
        }
    }
}

/// Checks that adaptive resolution is possible.
fn check_resolution(description: &RodDescription, family: Family, segments: usize) -> Result<(), BuildError> {
    if description.resolution == Resolution::Given {
        return Ok(());
    }
    let comparison = description.twist_measure.comparison_only().map(|(what, _)| what);
    let kept = (family != Family::Clamped).then_some("is a ring or a Catmull–Rom spline").or(comparison);
    if let Some(what) = kept {
        let problem = format!("a rod that {what} keeps its segments");
        return Err(BuildError::new("resolution", problem, "leave it out"));
    }
    if segments < 2 {
        return Err(BuildError::new(
            "resolution",
            "one segment can't be adapted",
            "give the rod at least 2 segments",
        ));
    }
    description.refinement.check(segments + 3).map_err(|e| e.within("refinement"))
}

/// The knots of a description with `knots_at`: the parameter is proportional to the rest arc length, with a
/// mean width of one.
fn knots_at(description: &RodDescription, curve: &Curve) -> Result<Option<Knots>, BuildError> {
    let given = &description.knots_at;
    let refused = |field: String, problem: &str, remedy: String| Err(BuildError::new(field, problem, remedy));
    if given.is_empty() {
        return Ok(None);
    }
    if curve.is_closed() || description.basis != Basis::BSpline {
        let remedy = "leave it out, or give an open shape and basis = \"b-spline\"".into();
        return refused(
            "knots_at".into(),
            "the segments of rings and of Catmull–Rom splines are even",
            remedy,
        );
    }
    if description.segments.is_some_and(|segments| segments != given.len() + 1) {
        return refused(
            "segments".into(),
            "another number than `knots_at` divides the rod into",
            "give one of the two".into(),
        );
    }
    let (scale, mut before) = ((given.len() + 1) as f64 / curve.length(), 0.0);
    let mut widths = Vec::with_capacity(given.len() + 1);
    for (i, s) in given.iter().map(|at| at.along(curve.length())).enumerate() {
        if !(s > before && s < curve.length()) {
            let problem = "it is not between the knot before it and the end";
            return refused(
                format!("knots_at[{i}]"),
                problem,
                "give places within the rod, ascending".into(),
            );
        }
        widths.push((s - before) * scale);
        before = s;
    }
    widths.push((curve.length() - before) * scale);
    match Knots::of_widths(widths) {
        Some(knots) => Ok(Some(knots)),
        None => {
            let remedy =
                format!("let the lengths of neighbouring segments differ by a factor of at most {STEEPEST}");
            refused("knots_at".into(), "neighbouring segments are of very different lengths", remedy)
        }
    }
}
