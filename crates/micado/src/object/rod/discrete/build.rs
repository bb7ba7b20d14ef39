//! Builds a discrete rod and its initial state from a description.

use super::DiscreteRod;
use super::vertex::{STRAINS, Vertex, VertexConstants};
use crate::describe::material::RodProperties;
use crate::error::BuildError;
use crate::geometry::curve::Curve;
use crate::object::rod::initial_state::{
    InitialRod, Start, TANGENT_REACH, check_segments, refuse_spline_words,
};
use crate::object::rod::pieces::Pieces;
use crate::object::rod::polygon::outside;
use crate::object::rod::{Natural, NaturalCurvature, RodDescription};
use glam::DVec3;

/// Default number of edges.
const DEFAULT_SEGMENTS: usize = 32;
/// Least number of edges: sliding places depend on four vertices.
const LEAST_SEGMENTS: usize = 2;

impl DiscreteRod {
    /// Builds a rod and its initial state.
    ///
    /// # Errors
    /// The field of the description that can't be used, and why.
    pub fn build(description: &RodDescription) -> Result<InitialRod<Self>, BuildError> {
        refuse_spline_words(description)?;
        let start = Start::of(description)?;
        let closed = start.curve.is_closed();
        let least = if closed { 5 } else { LEAST_SEGMENTS };
        let given = bends_at(description, &start.curve)?;
        let asked =
            if given.is_empty() { description.segments.unwrap_or(DEFAULT_SEGMENTS) } else { given.len() };
        let segments = check_segments(asked, least, "about 20 for each bend are enough")?;

        let rest_points = if given.is_empty() {
            vertices(&start.curve, segments)
        } else {
            uneven_vertices(&start.curve, &given)
        };
        let edges = if closed { segments } else { segments + 1 };
        let next = |j: usize| rest_points[(j + 1) % rest_points.len()];
        let lengths: Vec<f64> = (0..edges).map(|j| rest_points[j].distance(next(j))).collect();
        let shares: Vec<f64> =
            (0..edges).map(|j| if !closed && (j == 0 || j + 1 == edges) { 0.5 } else { 1.0 }).collect();
        let begin = if closed { 0.0 } else { -0.5 * lengths[0] };
        let arc: Vec<f64> = std::iter::once(begin)
            .chain(lengths.iter().scan(begin, |s, l| {
                *s += l;
                Some(*s)
            }))
            .collect();
        let nodes = rest_points.len();
        let mut rod = Self {
            closed,
            length: lengths.iter().zip(&shares).map(|(l, share)| l * share).sum(),
            shortest_edge: lengths.iter().copied().fold(f64::MAX, f64::min),
            stretch: vec![0.0; edges],
            inextensible: description.inextensible,
            spans: vec![0.0; nodes],
            bends: vec![VertexConstants::default(); nodes],
            bends_all_alike: false,
            stable_step: f64::MAX,
            mass: vec![0.0; nodes],
            inertia: vec![0.0; nodes],
            radii: Vec::new(),
            seam_twist: 0.0,
            internal_damping: start.damping.internal,
            mass_damping: start.damping.mass,
            lengths,
            arc,
            shares,
            rest_points,
        };
        let pieces = Pieces::new(description, rod.length)?;
        rod.set_properties(&pieces);

        let mut q: Vec<f64> = rod.rest_points.iter().flat_map(|x| [x.x, x.y, x.z, 0.0]).collect();
        let frames = rod.make_frames(&q, start.up);
        rod.set_natural(description, &pieces, &q, &frames);
        let alike =
            |bend: &VertexConstants| bend.stiffness[0] == bend.stiffness[1] && bend.natural[..4] == [0.0; 4];
        rod.bends_all_alike = rod.bent().all(|i| alike(&rod.bends[i]));
        if closed {
            rod.seam_twist = description.twist;
        }
        for j in 0..edges {
            // The initial twist grows linearly from start to end.
            q[4 * j + 3] = description.twist
                * (rod.arc[j] + 0.5 * rod.lengths[j] - if closed { 0.5 * rod.lengths[0] } else { 0.0 })
                / rod.length;
        }
        let natural: Vec<f64> = rod.bends.iter().flat_map(|bend| bend.natural).collect();
        InitialRod { rod, q, v: start.velocities(nodes), frames }
            .stretched(start.stretch)
            .with_tangents(natural)
    }

    /// Sets stiffnesses, masses and radii. Properties of a bend or an edge act in series: compliances add up.
    fn set_properties(&mut self, pieces: &Pieces) {
        let length = self.length;
        let within = |from: f64, to: f64| (from.max(0.0), to.min(length));
        let softness = |from: f64, to: f64, get: fn(&RodProperties) -> f64| -> f64 {
            pieces.shares(from, to).map(|(share, (p, _))| share / get(p)).sum()
        };
        let mean = |from: f64, to: f64, get: fn(&RodProperties) -> f64| -> f64 {
            pieces.shares(from, to).map(|(share, (p, _))| share * get(p)).sum()
        };
        let mut radii = Vec::with_capacity(self.lengths.len());
        for j in 0..self.lengths.len() {
            let (from, to) = within(self.arc[j], self.arc[j + 1]);
            self.stretch[j] = if self.inextensible { 0.0 } else { 1.0 / softness(from, to, |p| p.stretch) };
            radii.push(mean(from, to, |p| p.radius));
            self.inertia[j] = mean(from, to, |p| p.polar_inertia) * (to - from);
            // ∫ρ bᵢ ds over the part of the edge that belongs to the rod.
            let (mass, middle) = (
                mean(from, to, |p| p.mass) * (to - from),
                (0.5 * (from + to) - self.arc[j]) / self.lengths[j],
            );
            let end = self.end(j);
            self.mass[j] += mass * (1.0 - middle);
            self.mass[end] += mass * middle;
        }
        self.radii = if pieces.is_uniform() { vec![radii[0]] } else { radii };
        for i in self.bent() {
            let [before, behind] = self.around(i);
            self.spans[i] = 0.5 * (self.lengths[before] + self.lengths[behind]);
            let (s, halves) = (self.arc[i], [before, behind].map(|j| 0.5 * self.lengths[j]));
            // The bend at the seam of a ring extends before its start: the two halves are treated separately.
            let before_start = if i == 0 { self.length } else { s };
            let part = |get: fn(&RodProperties) -> f64| {
                let [a, b] = halves;
                let span = a + b;
                span / (a * softness(before_start - a, before_start, get) + b * softness(s, s + b, get))
            };
            let [bend_1, bend_2, twist] = [part(|p| p.bend_1), part(|p| p.bend_2), part(|p| p.twist)];
            let (half, whole) = (0.5 / self.spans[i], 1.0 / self.spans[i]);
            self.bends[i].stiffness =
                [bend_1 * half, bend_2 * half, bend_1 * half, bend_2 * half, twist * whole];
            let [before_mass, behind_mass] = [
                mean(before_start - halves[0], before_start, |p| p.mass),
                mean(s, s + halves[1], |p| p.mass),
            ];
            let (l, mass) = (2.0 * halves[0].min(halves[1]), before_mass.min(behind_mass));
            self.stable_step = self.stable_step.min(0.5 * l * l * (mass / bend_1.max(bend_2)).sqrt());
        }
    }

    /// Sets ω̄ and m̄.
    fn set_natural(&mut self, description: &RodDescription, pieces: &Pieces, q: &[f64], frames: &[f64]) {
        for i in self.bent() {
            let [before, behind] = self.around(i);
            let s = self.arc[i];
            let (from, to) = (s - 1e-9 * self.spans[i], s + 1e-9 * self.spans[i]);
            let own =
                pieces.shares(from.max(0.0), to.min(self.length)).find_map(|(_, (_, natural))| *natural);
            self.bends[i].natural = match (own, &description.natural) {
                (Some(k), _) => self.natural_strains(i, &k),
                (None, Natural::Curved(k)) => self.natural_strains(i, k),
                (None, Natural::AsShaped) => {
                    let edges = [before, behind].map(|j| self.seen(q, frames, j));
                    Vertex::new(edges, self.twist(q, frames, i)).strains()
                }
                (None, Natural::Straight | Natural::Sampled(_)) => [0.0; STRAINS],
            };
        }
    }

    /// Strains of a constant natural curvature about vertex i: the frames of its two edges are turned by the
    /// natural twist of half an edge backward and forward.
    fn natural_strains(&self, i: usize, k: &NaturalCurvature) -> [f64; STRAINS] {
        let span = self.spans[i];
        let [back, ahead] = self.around(i).map(|j| libm::sincos(0.5 * k.twist * self.lengths[j]));
        let [k1, k2] = [k.curvature_1 * span, k.curvature_2 * span];
        [
            k1 * back.1 - k2 * back.0,
            k1 * back.0 + k2 * back.1,
            k1 * ahead.1 + k2 * ahead.0,
            k2 * ahead.1 - k1 * ahead.0,
            k.twist * span,
        ]
    }
}

/// Vertices along a curve: at equal arc lengths, the outermost beyond the ends of an open one, so that these
/// are the middles of the first and the last edge. They are outside of bends by κ l²/24, which makes edges as
/// long as the arcs that they represent. The end edges have the tangents of the ends, and their outer
/// vertices are then κ l²/12 inside of a bend; mirrored at the end they would be off by κ l/4.
fn vertices(curve: &Curve, segments: usize) -> Vec<DVec3> {
    let (closed, step) = (curve.is_closed(), curve.length() / segments as f64);
    let shift = if closed { 0.0 } else { 0.5 };
    let on: Vec<DVec3> = (0..segments).map(|i| curve.point(step * (i as f64 + shift))).collect();
    let [first, last] = [0.0, curve.length()].map(|s| curve.tangent(s, TANGENT_REACH * step) * step);
    let neighbours =
        if closed { [on[segments - 1], on[0]] } else { [on[0] - first, on[segments - 1] + last] };
    let outside = outside(&on, Some(neighbours[0]), Some(neighbours[1]));
    if closed {
        return outside;
    }
    let (start, end) = (outside[0] - first, outside[segments - 1] + last);
    std::iter::once(start).chain(outside).chain(std::iter::once(end)).collect()
}

/// Rest arc lengths of the bends, if given.
fn bends_at(description: &RodDescription, curve: &Curve) -> Result<Vec<f64>, BuildError> {
    let refused = |field: &str, problem: &str, remedy: &str| Err(BuildError::new(field, problem, remedy));
    let given: Vec<f64> = description.bends_at.iter().map(|at| at.along(curve.length())).collect();
    if given.is_empty() {
        return Ok(given);
    }
    if curve.is_closed() {
        return refused("bends_at", "a ring bends evenly", "leave it out, or give an open shape");
    }
    if description.segments.is_some_and(|segments| segments != given.len()) {
        return refused("segments", "another number than that of `bends_at`", "give one of the two");
    }
    let mut before = 0.0;
    for (i, &s) in given.iter().enumerate() {
        if !(s > before && s < curve.length()) {
            return refused(
                &format!("bends_at[{i}]"),
                "it is not between the bend before it and the end",
                "give places within the rod, ascending",
            );
        }
        before = s;
    }
    Ok(given)
}

/// Vertices for bends at given arc lengths of an open curve: the first and the last edge extend as far beyond
/// the ends as the outermost bends are inside. Vertices are outside of bends by κ (l₋² + l₊²)/48.
fn uneven_vertices(curve: &Curve, arcs: &[f64]) -> Vec<DVec3> {
    let last = arcs.len() - 1;
    let length = curve.length();
    let (l_first, l_last) = (2.0 * arcs[0], 2.0 * (length - arcs[last]));
    let first = curve.tangent(0.0, TANGENT_REACH * l_first) * l_first;
    let end = curve.tangent(length, TANGENT_REACH * l_last) * l_last;
    let on: Vec<DVec3> = arcs.iter().map(|&s| curve.point(s)).collect();
    let outside: Vec<DVec3> = (0..=last)
        .map(|i| {
            let (before, l_before) =
                if i > 0 { (on[i - 1], arcs[i] - arcs[i - 1]) } else { (on[0] - first, l_first) };
            let (behind, l_behind) =
                if i < last { (on[i + 1], arcs[i + 1] - arcs[i]) } else { (on[last] + end, l_last) };
            let curvature =
                ((behind - on[i]) / l_behind - (on[i] - before) / l_before) * (2.0 / (l_before + l_behind));
            on[i] - curvature * ((l_before * l_before + l_behind * l_behind) / 48.0)
        })
        .collect();
    let ends = (outside[0] - first, outside[last] + end);
    std::iter::once(ends.0).chain(outside).chain(std::iter::once(ends.1)).collect()
}
