//! A rod of any model.

use super::beam::BeamRod;
use super::discrete::DiscreteRod;
use super::mass_spring::MassSpringRod;
use super::spline::SplineRod;
use super::{ElasticEnergy, InitialRod, Linearisation, RodDescription, RodModel, Section};
use crate::describe::anchor::At;
use crate::error::BuildError;
use crate::object::Place;
use glam::DVec3;
use micado_linalg::{Arithmetic, BlockMatrix};

/// A rod.
#[derive(Clone, Debug, PartialEq)]
pub enum Rod {
    /// Geometrically exact cubic spline.
    Spline(Box<SplineRod>),
    /// Discrete elastic rod.
    Discrete(Box<DiscreteRod>),
    /// Beam of corotational elements.
    Beam(Box<BeamRod>),
    /// Masses and springs.
    MassSpring(Box<MassSpringRod>),
}

impl From<SplineRod> for Rod {
    fn from(rod: SplineRod) -> Self {
        Self::Spline(Box::new(rod))
    }
}

impl From<DiscreteRod> for Rod {
    fn from(rod: DiscreteRod) -> Self {
        Self::Discrete(Box::new(rod))
    }
}

impl From<BeamRod> for Rod {
    fn from(rod: BeamRod) -> Self {
        Self::Beam(Box::new(rod))
    }
}

impl From<MassSpringRod> for Rod {
    fn from(rod: MassSpringRod) -> Self {
        Self::MassSpring(Box::new(rod))
    }
}

/// Dispatches to the model.
macro_rules! ask {
    ($self:ident, $rod:ident => $answer:expr) => {
        match $self {
            Rod::Spline($rod) => $answer,
            Rod::Discrete($rod) => $answer,
            Rod::Beam($rod) => $answer,
            Rod::MassSpring($rod) => $answer,
        }
    };
}

pub(super) use ask;

impl Rod {
    /// Builds a rod and its initial state.
    ///
    /// # Errors
    /// The field of the description that can't be used, and why.
    pub fn build(description: &RodDescription) -> Result<InitialRod<Self>, BuildError> {
        if !description.bends_at.is_empty() && description.model != RodModel::DiscreteElastic {
            return Err(BuildError::new(
                "bends_at",
                "places of bends belong to discrete rods",
                "leave it out, or use model = \"discrete-elastic\"",
            ));
        }
        if !description.knots_at.is_empty() && description.model != RodModel::Spline {
            return Err(BuildError::new(
                "knots_at",
                "knots belong to spline rods",
                "leave it out, or use model = \"spline\"",
            ));
        }
        if description.inextensible && description.model != RodModel::DiscreteElastic {
            return Err(BuildError::new(
                "inextensible",
                "only discrete rods have edges whose length can be held",
                "leave it out, or use model = \"discrete-elastic\"",
            ));
        }
        Ok(match description.model {
            RodModel::Spline => SplineRod::build(description)?.map(Self::from),
            RodModel::DiscreteElastic => DiscreteRod::build(description)?.map(Self::from),
            RodModel::Beam => BeamRod::build(description)?.map(Self::from),
            RodModel::MassSpring => MassSpringRod::build(description)?.map(Self::from),
        })
    }

    /// The spline, if it is one.
    pub fn spline(&self) -> Option<&SplineRod> {
        match self {
            Self::Spline(rod) => Some(rod),
            Self::Discrete(_) | Self::Beam(_) | Self::MassSpring(_) => None,
        }
    }

    /// The rod, if it is a discrete rod with edges of fixed length.
    pub fn inextensible(&self) -> Option<&DiscreteRod> {
        match self {
            Self::Discrete(rod) if rod.is_inextensible() => Some(rod),
            _ => None,
        }
    }

    /// Whether it may roll about its axis without a change of energy: bending is isotropic and its natural
    /// shape straight.
    pub(crate) fn may_roll_freely(&self) -> bool {
        match self {
            Self::Spline(rod) => rod.isotropic_straight,
            Self::Discrete(_) | Self::Beam(_) => true,
            Self::MassSpring(_) => false,
        }
    }

    /// Its model.
    pub fn model(&self) -> RodModel {
        match self {
            Self::Spline(_) => RodModel::Spline,
            Self::Discrete(_) => RodModel::DiscreteElastic,
            Self::Beam(_) => RodModel::Beam,
            Self::MassSpring(_) => RodModel::MassSpring,
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        ask!(self, rod => rod.nodes())
    }

    /// Number of segments or edges.
    pub fn segments(&self) -> usize {
        ask!(self, rod => rod.segments())
    }

    /// Whether the rod is a ring.
    pub fn is_closed(&self) -> bool {
        ask!(self, rod => rod.is_closed())
    }

    /// Rest length, m.
    pub fn length(&self) -> f64 {
        ask!(self, rod => rod.length())
    }

    /// EI/L³, N/m, and GJ/L, N·m, of its weakest section.
    pub(crate) fn softest_stiffness(&self) -> [f64; 2] {
        let ([bend, twist], length) = (ask!(self, rod => rod.least_stiffness()), self.length());
        [bend / length.powi(3), twist / length]
    }

    /// Whether its roll is counted from frames that the matter carries along.
    pub(crate) fn has_material_frame(&self) -> bool {
        match self {
            Self::Spline(rod) => rod.has_material_frame(),
            Self::Discrete(_) | Self::Beam(_) => true,
            Self::MassSpring(_) => false,
        }
    }

    /// Increase of the roll beyond the seam of a closed rod, rad.
    pub(crate) fn seam_twist(&self) -> f64 {
        match self {
            Self::Spline(rod) => rod.seam_twist,
            Self::Discrete(rod) => rod.seam_twist(),
            Self::Beam(rod) => rod.seam_twist(),
            Self::MassSpring(_) => 0.0,
        }
    }

    /// Kelvin–Voigt time β, s.
    pub fn internal_damping(&self) -> f64 {
        ask!(self, rod => rod.internal_damping())
    }

    /// Rayleigh rate α, 1/s.
    pub fn mass_damping(&self) -> f64 {
        ask!(self, rod => rod.mass_damping())
    }

    /// Total mass, kg.
    pub fn total_mass(&self) -> f64 {
        ask!(self, rod => rod.total_mass())
    }

    /// Mass of a node for gravity, kg.
    pub(crate) fn node_mass(&self, i: usize) -> f64 {
        ask!(self, rod => rod.node_mass(i))
    }

    /// Node k of the four on which places on segment e depend.
    pub fn node(&self, e: usize, k: usize) -> usize {
        ask!(self, rod => rod.node(e, k))
    }

    /// Calls `visit` with the nodes of every segment: nodes that its energy and sliding items couple in the
    /// matrix.
    pub(crate) fn for_each_clique(&self, visit: impl FnMut([usize; 4])) {
        (0..self.segments()).map(|e| [0, 1, 2, 3].map(|k| self.node(e, k))).for_each(visit);
    }

    /// Calls `visit` with the nodes on which places on `count` segments from `start` on depend.
    pub(crate) fn for_each_node_of(&self, start: usize, count: usize, visit: impl FnMut(usize)) {
        let first = self.node(start, 0);
        if self.is_closed() {
            let reach = match self {
                Self::Beam(_) => 2 * count + 2,
                Self::Spline(_) | Self::Discrete(_) | Self::MassSpring(_) => count + 3,
            };
            (0..reach.min(self.nodes())).map(|k| (first + k) % self.nodes()).for_each(visit);
        } else {
            let last = (start + count).min(self.segments()) - 1;
            (first..=self.node(last, 3)).for_each(visit);
        }
    }

    /// Parameters at its two ends.
    pub(crate) fn range(&self) -> (f64, f64) {
        match self {
            Self::Discrete(rod) => rod.range(),
            Self::Spline(rod) => (0.0, rod.last_parameter()),
            Self::Beam(_) | Self::MassSpring(_) => (0.0, self.segments() as f64),
        }
    }

    /// The parameter at coordinate `f` of segment `e`: segments have width one, except in an uneven spline.
    pub(crate) fn parameter(&self, e: usize, f: f64) -> f64 {
        match self {
            Self::Spline(rod) => rod.parameter(e, f),
            Self::Discrete(_) | Self::Beam(_) | Self::MassSpring(_) => e as f64 + f,
        }
    }

    /// Width of segment `e` in the parameter.
    pub(crate) fn width(&self, e: usize) -> f64 {
        match self {
            Self::Spline(rod) => rod.width(e),
            Self::Discrete(_) | Self::Beam(_) | Self::MassSpring(_) => 1.0,
        }
    }

    /// Coordinate `f` of segment `e`, or the nearest one on the rod: end edges of discrete rods extend beyond
    /// it.
    pub(crate) fn on_rod(&self, e: usize, f: f64) -> f64 {
        match self {
            Self::Discrete(rod) => {
                let (start, end) = rod.range();
                (e as f64 + f).clamp(start, end) - e as f64
            }
            Self::Spline(_) | Self::Beam(_) | Self::MassSpring(_) => f,
        }
    }

    /// Rest arc length at coordinate `f` of segment `e`, m.
    pub fn arc_at(&self, e: usize, f: f64) -> f64 {
        ask!(self, rod => rod.arc_at(e, f))
    }

    /// Rest length per unit of the coordinate of segment `e`, m.
    pub(crate) fn rest_metric(&self, e: usize, f: f64) -> f64 {
        match self {
            Self::Spline(rod) => rod.rest_metric(e, f),
            Self::Discrete(rod) => rod.rest_metric(e),
            Self::Beam(rod) => rod.rest_metric(),
            Self::MassSpring(rod) => rod.rest_metric(),
        }
    }

    /// Metres of rest arc length of a described place.
    ///
    /// # Errors
    /// A place outside the rod.
    pub fn arc_length(&self, at: At) -> Result<f64, BuildError> {
        arc_length(self.length(), at)
    }

    /// Segment and coordinate within it at rest arc length `s`.
    pub fn locate(&self, s: f64) -> (usize, f64) {
        ask!(self, rod => rod.locate(s))
    }

    /// The place at rest arc length `s`, without an object.
    pub fn place(&self, s: f64) -> Place {
        let (segment, fraction) = self.locate(s);
        self.place_in(segment, fraction)
    }

    /// The place at coordinate `fraction` of `segment`.
    pub(crate) fn place_in(&self, segment: usize, fraction: f64) -> Place {
        ask!(self, rod => rod.place_in(segment, fraction))
    }

    /// The sliding place at parameter `u`: wraps around a closed rod, clamped to the ends of an open one.
    pub(crate) fn place_at(&self, u: f64) -> Place {
        ask!(self, rod => rod.place_at(u))
    }

    /// Segment and coordinate within it at parameter `u`.
    pub(crate) fn segment_at(&self, u: f64) -> (usize, f64) {
        ask!(self, rod => rod.segment_at(u))
    }

    /// The fixed place at parameter `u`.
    pub(crate) fn fixed_place_at(&self, u: f64) -> Place {
        let (segment, fraction) = self.segment_at(u);
        self.place_in(segment, fraction)
    }

    /// Radius of segment `e`, m.
    pub fn radius(&self, e: usize) -> f64 {
        ask!(self, rod => rod.radius(e))
    }

    /// Section at coordinate `f` of segment `e`; `q` and `frames` are the rod's own slices.
    pub fn section(&self, q: &[f64], frames: &[f64], e: usize, f: f64) -> Section {
        ask!(self, rod => rod.section(q, frames, e, f))
    }

    /// Director of the reference frame at a place.
    pub(crate) fn reference_director(&self, q: &[f64], frames: &[f64], e: usize, f: f64) -> DVec3 {
        match self {
            Self::Spline(rod) => rod.reference_director(q, frames, e, f),
            Self::Discrete(_) => DiscreteRod::reference_director(frames, e),
            Self::Beam(rod) => rod.reference_director(q, frames, e, f),
            Self::MassSpring(rod) => rod.reference_director(q, e, f),
        }
    }

    /// Curvature at coordinate `f` of segment `e`, 1/m.
    pub fn curvature(&self, q: &[f64], e: usize, f: f64) -> f64 {
        ask!(self, rod => rod.curvature(q, e, f))
    }

    /// Present length, m.
    pub fn present_length(&self, q: &[f64]) -> f64 {
        ask!(self, rod => rod.present_length(q))
    }

    /// Elastic energies.
    pub fn energy(&self, q: &[f64], frames: &[f64]) -> ElasticEnergy {
        ask!(self, rod => rod.energy(q, frames))
    }

    /// Elastic energies relative to the strains `before` instead of the natural ones.
    pub fn energy_since(&self, q: &[f64], frames: &[f64], before: &[f64]) -> ElasticEnergy {
        ask!(self, rod => rod.energy_since(q, frames, before))
    }

    /// Strains, in the order of the model.
    pub fn strains(&self, q: &[f64], frames: &[f64], out: &mut Vec<f64>, arithmetic: Arithmetic) {
        match self {
            Self::Spline(rod) => rod.strains(q, frames, out, arithmetic),
            Self::Discrete(rod) => rod.strains(q, frames, out),
            Self::Beam(rod) => rod.strains(q, frames, out),
            Self::MassSpring(rod) => rod.strains(q, frames, out),
        }
    }

    /// Length of the output of [`Rod::strains`].
    pub(crate) fn strain_count(&self) -> usize {
        ask!(self, rod => rod.strain_count())
    }

    /// Writes `mass·M + K (+ viscosity)` to `matrix` at the rod's rows and subtracts ∇U from `force`. Rods
    /// write first: blocks of nodes that share a term of the energy are overwritten.
    pub fn linearise(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        first: usize,
        matrix: &mut BlockMatrix,
        force: &mut [f64],
    ) {
        ask!(self, rod => rod.linearise(q, frames, how, first, matrix, force));
    }

    /// Subtracts ∇U, viscous stress included, from `force`.
    pub fn subtract_internal_force(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        force: &mut [f64],
    ) {
        ask!(self, rod => rod.subtract_internal_force(q, frames, how, force));
    }

    /// `out += M v`.
    pub fn add_mass_times(&self, v: &[f64], out: &mut [f64]) {
        ask!(self, rod => rod.add_mass_times(v, out));
    }

    /// Transports all frames to the tangents of `q`. Returns the least cosine between an old tangent and a
    /// new one.
    pub fn transport_frames(&self, q: &[f64], frames: &mut [f64]) -> f64 {
        self.transport_frames_from(q, None, frames, Arithmetic::Portable)
    }

    /// Transports all frames, from `from` where given, to the tangents of `q`. Returns the least cosine
    /// between an old tangent and a new one.
    pub(crate) fn transport_frames_from(
        &self,
        q: &[f64],
        from: Option<&[f64]>,
        frames: &mut [f64],
        arithmetic: Arithmetic,
    ) -> f64 {
        match self {
            Self::Spline(rod) => rod.transport_frames_from(q, from, frames, arithmetic),
            Self::Discrete(rod) => rod.transport_frames_from(q, from, frames),
            Self::Beam(rod) => rod.transport_frames_from(q, from, frames),
            // There are no frames; a turn that is too large shows in the stretch.
            Self::MassSpring(_) => 1.0,
        }
    }

    /// Largest change of the length between neighbouring nodes by an increment that led to `q`, as a share of
    /// its rest length, if it exceeds `least`: a cheap measure of overstretching. No node moves by more than
    /// `farthest`.
    pub(crate) fn largest_stretching(&self, increment: &[f64], q: &[f64], farthest: f64, least: f64) -> f64 {
        let (rest, shortest) = ask!(self, rod => rod.rest_polygon());
        if 2.0 * farthest <= least * shortest {
            return 0.0;
        }
        // Every other node of a beam is not a point.
        match self {
            Self::Beam(_) => stretching::<8>(rest, shortest, self.is_closed(), increment, q, least),
            Self::Spline(_) | Self::Discrete(_) | Self::MassSpring(_) => {
                stretching::<4>(rest, shortest, self.is_closed(), increment, q, least)
            }
        }
    }
}

/// Largest change of the length between neighbours in a polygon whose points are `STRIDE` unknowns apart, as
/// a share of their distance at rest.
fn stretching<const STRIDE: usize>(
    rest: &[DVec3],
    shortest: f64,
    closed: bool,
    increment: &[f64],
    q: &[f64],
    least: f64,
) -> f64 {
    let negligible = (least * shortest).powi(2);
    let point = |x: &[f64], i: usize| DVec3::from_slice(&x[STRIDE * i..]);
    let change = |i: usize, j: usize| {
        // A length changes by no more than the difference of the displacements of its ends.
        let moved = point(increment, j) - point(increment, i);
        if moved.length_squared() <= negligible {
            return 0.0;
        }
        let rest = rest[i].distance(rest[j]);
        if moved.length_squared() <= least * least * rest * rest {
            return 0.0;
        }
        let present = point(q, j) - point(q, i);
        (present.length() - (present - moved).length()).abs() / rest
    };
    let last = rest.len() - 1;
    let closing = if closed { change(last, 0) } else { 0.0 };
    (0..last).map(|i| change(i, i + 1)).fold(closing, f64::max)
}

/// Metres of rest arc length of a described place on a rod of this length.
pub(super) fn arc_length(length: f64, at: At) -> Result<f64, BuildError> {
    if let At::Point(_) | At::Named(_) = at {
        let remedy = "write metres from its start, \"start\", \"middle\", \"end\", or \"25 %\"";
        return Err(BuildError::new("at", format!("\"{at}\" is not a place on a rod"), remedy));
    }
    let s = at.along(length);
    let slip = 1e-9 * length;
    if s >= -slip && s <= length + slip {
        Ok(s.clamp(0.0, length))
    } else {
        Err(BuildError::new(
            "at",
            format!("{at} is not on the rod"),
            format!("give a place between 0 and {length} m, or between 0 % and 100 %"),
        ))
    }
}
