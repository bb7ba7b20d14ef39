//! `Model` and `Describe` for rods.

use super::model::ask;
use super::read_outs::no_place;
use super::window::window_length;
use super::{InitialRod, InnerRows, Linearisation, Rod, RodDescription, RodModel};
use crate::describe::anchor::At;
use crate::describe::quantity::Quantity;
use crate::error::BuildError;
use crate::object::{
    Describe, ElasticEnergy, Form, Initial, MaterialCurve, Model, Now, Own, Place, ReadOut, Scalar, Touch,
    Value,
};
use glam::DVec3;
use micado_linalg::{Arithmetic, BlockMatrix};

impl From<InitialRod<Rod>> for Initial<Rod> {
    fn from(InitialRod { rod, q, v, frames }: InitialRod<Rod>) -> Self {
        Self { model: rod, q, v, frames }
    }
}

impl Describe for RodDescription {
    type Model = Rod;

    fn build(&self) -> Result<Initial<Rod>, BuildError> {
        let initial = Rod::build(self)?;
        if initial.rod.segments() == 1 {
            // Mean and slope of stretch can't determine the four control points of a single cubic along it.
            return Err(BuildError::new(
                "segments",
                "a rod of one segment has an undetermined stretch",
                "give at least 2",
            ));
        }
        Ok(initial.into())
    }

    /// The same rod, inextensible; only for discrete rods without viscous stress.
    fn for_explicit_steps(&self) -> Result<Self, BuildError> {
        if self.model != RodModel::DiscreteElastic {
            let remedy = "use model = \"discrete-elastic\", or another integrator";
            return Err(BuildError::new(
                "model",
                "only discrete elastic rods can be stepped explicitly",
                remedy,
            ));
        }
        if self.damping.internal != 0.0 {
            let remedy = "use damping.mass, or another integrator";
            return Err(BuildError::new(
                "damping.internal",
                "explicit steps don't support viscous stress",
                remedy,
            ));
        }
        Ok(Self { inextensible: true, ..self.clone() })
    }
}

impl MaterialCurve for Rod {
    fn length(&self) -> f64 {
        self.length()
    }

    fn ends(&self) -> Option<(f64, f64)> {
        (!self.is_closed()).then(|| self.range())
    }

    fn segments(&self) -> usize {
        self.segments()
    }

    fn span(&self, segment: usize) -> (f64, f64) {
        match self {
            Self::Discrete(rod) => rod.bounds(segment),
            Self::Spline(_) | Self::Beam(_) | Self::MassSpring(_) => (0.0, 1.0),
        }
    }

    fn smooth_place(&self, segment: usize, fraction: f64) -> Place {
        match self {
            Self::Discrete(rod) => rod.smooth_place(segment, fraction),
            Self::MassSpring(rod) => rod.smooth_place(segment, fraction),
            Self::Spline(_) | Self::Beam(_) => self.place_in(segment, fraction),
        }
    }

    fn radius(&self, segment: usize) -> f64 {
        self.radius(segment)
    }

    fn arc_length(&self, place: &Place) -> f64 {
        self.arc_at(place.segment, place.fraction)
    }

    fn rest_speed(&self, place: &Place) -> f64 {
        self.rest_metric(place.segment, place.fraction) / self.width(place.segment)
    }

    fn for_each_window_node(&self, window: usize, visit: &mut dyn FnMut(usize)) {
        self.for_each_node_of(window, window_length(self), visit);
    }
}

impl Model for Rod {
    fn nodes(&self) -> usize {
        self.nodes()
    }

    fn scalars(&self, node: usize) -> [Scalar; 4] {
        match self.model() {
            // Every other node of a beam is a tangent.
            RodModel::Beam if node % 2 == 1 => [Scalar::Slope, Scalar::Slope, Scalar::Slope, Scalar::Roll],
            _ => Scalar::POINT_AND_ROLL,
        }
    }

    fn for_each_clique(&self, visit: &mut dyn FnMut(&[usize])) {
        self.for_each_clique(|nodes| visit(&nodes));
    }

    fn pattern(&self) -> u32 {
        let (closed, held) = (u32::from(self.is_closed()), u32::from(self.inextensible().is_some()));
        1 + closed + 2 * self.model() as u32 + 16 * held
    }

    fn elements(&self) -> usize {
        self.segments()
    }

    fn extent(&self) -> Option<f64> {
        Some(self.length())
    }

    fn total_mass(&self) -> f64 {
        self.total_mass()
    }

    fn node_mass(&self, node: usize) -> f64 {
        self.node_mass(node)
    }

    fn softest_stiffness(&self) -> [f64; 2] {
        self.softest_stiffness()
    }

    fn largest_displacement(&self, increment: &[f64]) -> f64 {
        let square = |d: &[f64]| d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        increment.chunks_exact(4).map(square).fold(0.0, f64::max).sqrt()
    }

    fn largest_turn(&self, increment: &[f64]) -> f64 {
        increment.chunks_exact(4).map(|d| d[3].abs()).fold(0.0, f64::max)
    }

    fn add_mass_times(&self, _own: Own<'_>, v: &[f64], out: &mut [f64]) {
        self.add_mass_times(v, out);
    }

    fn add_lumped_mass(&self, own: Own<'_>, ones: &[f64], out: &mut [f64]) {
        match self {
            // Rows of the tangents of a beam sum to zero.
            Self::Beam(rod) => rod.add_lumped_mass(out),
            _ => Model::add_mass_times(self, own, ones, out),
        }
    }

    fn curve(&self) -> Option<&dyn MaterialCurve> {
        Some(self)
    }

    fn mass_damping(&self) -> f64 {
        self.mass_damping()
    }

    fn internal_damping(&self) -> f64 {
        self.internal_damping()
    }

    fn strain_count(&self) -> usize {
        self.strain_count()
    }

    fn strains(&self, own: Own<'_>, out: &mut Vec<f64>, arithmetic: Arithmetic) {
        self.strains(own.q, own.frames, out, arithmetic);
    }

    fn shape_energy(&self, own: Own<'_>, arithmetic: Arithmetic) -> f64 {
        match self {
            Self::Spline(rod) => rod.shape_energy(own.q, own.frames, arithmetic),
            Self::Discrete(_) | Self::Beam(_) | Self::MassSpring(_) => self.energy(own.q, own.frames).shape(),
        }
    }

    fn linearise(
        &self,
        own: Own<'_>,
        how: &Linearisation<'_>,
        first: usize,
        matrix: &mut BlockMatrix,
        force: &mut [f64],
    ) {
        self.linearise(own.q, own.frames, how, first, matrix, force);
    }

    fn subtract_internal_force(&self, own: Own<'_>, how: &Linearisation<'_>, force: &mut [f64]) {
        self.subtract_internal_force(own.q, own.frames, how, force);
    }

    fn for_each_internal_force(
        &self,
        own: Own<'_>,
        how: &Linearisation<'_>,
        visit: &mut dyn FnMut(usize, [f64; 4]),
    ) {
        ask!(self, rod => rod.visit_forces(own.q, own.frames, how, visit));
    }

    fn transport_frames(
        &self,
        q: &[f64],
        from: Option<&[f64]>,
        frames: &mut [f64],
        arithmetic: Arithmetic,
    ) -> f64 {
        self.transport_frames_from(q, from, frames, arithmetic)
    }

    fn transports_frames(&self, arithmetic: Arithmetic) -> bool {
        self.spline().is_some_and(|rod| rod.transports_frames(arithmetic))
    }

    fn largest_stretching(&self, increment: &[f64], q: &[f64], farthest: f64, least: f64) -> f64 {
        self.largest_stretching(increment, q, farthest, least)
    }

    fn stretch_count(&self) -> usize {
        self.stretch_count()
    }

    fn stretches(&self, own: Own<'_>, out: &mut [f64], arithmetic: Arithmetic) {
        self.stretches(own, None, out, arithmetic);
    }

    fn predicted_stretches(&self, own: Own<'_>, led: &[f64], out: &mut [f64], arithmetic: Arithmetic) -> f64 {
        self.stretches(own, Some(led), out, arithmetic);
        self.largest_stretch(out)
    }

    fn most_unseen_energy(&self, led: &[f64]) -> f64 {
        self.most_unseen_energy(led)
    }

    fn unseen_energy(&self, own: Own<'_>, led: &[f64]) -> f64 {
        self.unseen_energy(own, led)
    }

    fn inner_rows(&self) -> Option<InnerRows<'_>> {
        self.inextensible().map(InnerRows::of)
    }

    fn may_roll_freely(&self) -> bool {
        self.may_roll_freely()
    }

    fn for_each_witness(&self, visit: &mut dyn FnMut(Place)) {
        (0..self.segments()).for_each(|e| visit(self.place_in(e, 0.5)));
    }

    fn arm(&self) -> f64 {
        self.length() / self.segments() as f64
    }

    fn place(&self, name: &str, at: Option<At>, _frame: bool) -> Result<Place, BuildError> {
        match at {
            Some(at) => Ok(self.place(self.arc_length(at)?)),
            None => Err(no_place(name)),
        }
    }

    fn place_along(&self, s: f64) -> Place {
        self.place(s.clamp(0.0, self.length()))
    }

    fn form(&self) -> Form<'_> {
        Form::Rod(self)
    }

    fn touch(&self) -> Touch<'_> {
        Touch::Tube
    }

    fn read(&self, now: &Now<'_>, quantity: Quantity, at: Option<At>) -> Result<Option<Value>, BuildError> {
        self.read_quantity(now, quantity, at)
    }

    fn quantities(&self) -> &'static str {
        "positions, strains, moments and energies"
    }

    fn read_outs(&self, now: &Now<'_>, at: Option<At>) -> Result<Vec<ReadOut>, BuildError> {
        self.values(now, at)
    }

    fn reference_director(&self, own: Own<'_>, place: &Place) -> DVec3 {
        self.reference_director(own.q, own.frames, place.segment, place.fraction)
    }

    fn energy(&self, own: Own<'_>) -> ElasticEnergy {
        self.energy(own.q, own.frames)
    }
}
