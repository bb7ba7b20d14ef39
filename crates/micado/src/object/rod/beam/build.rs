//! Builds a beam and its initial state from a description.

use super::element::STRAINS;
use super::{BeamRod, ElementConstants};
use crate::describe::material::RodProperties;
use crate::error::BuildError;
use crate::object::rod::initial_state::{
    InitialRod, Start, TANGENT_REACH, check_segments, refuse_spline_words,
};
use crate::object::rod::pieces::Pieces;
use crate::object::rod::{Natural, NaturalCurvature, RodDescription};

/// Default number of elements of a beam.
const DEFAULT_SEGMENTS: usize = 16;

impl BeamRod {
    /// Builds a beam and its initial state.
    ///
    /// # Errors
    /// The field of the description that can't be used, and why.
    pub fn build(description: &RodDescription) -> Result<InitialRod<Self>, BuildError> {
        refuse_spline_words(description)?;
        let start = Start::of(description)?;
        let (curve, closed) = (&start.curve, start.curve.is_closed());
        let least = if closed { 5 } else { 2 };
        let segments = check_segments(
            description.segments.unwrap_or(DEFAULT_SEGMENTS),
            least,
            "a few for each bend are enough",
        )?;
        let element_length = curve.length() / segments as f64;
        let joints = if closed { segments } else { segments + 1 };
        let arc = |i: usize| element_length * i as f64;
        let mut rod = Self {
            closed,
            element_length,
            elements: vec![ElementConstants::default(); segments],
            rest_points: (0..joints).map(|i| curve.point(arc(i))).collect(),
            radii: Vec::new(),
            seam_twist: 0.0,
            internal_damping: start.damping.internal,
            mass_damping: start.damping.mass,
        };
        let pieces = Pieces::new(description, rod.length())?;
        rod.set_properties(&pieces);

        let tangents =
            (0..joints).map(|i| curve.tangent(arc(i), TANGENT_REACH * element_length) * element_length);
        let mut q: Vec<f64> = rod
            .rest_points
            .iter()
            .zip(tangents)
            .flat_map(|(x, d)| [x.x, x.y, x.z, 0.0, d.x, d.y, d.z, 0.0])
            .collect();
        let frames = rod.make_frames(&q, start.up);
        rod.set_natural(description, &pieces, &q, &frames);
        if closed {
            rod.seam_twist = description.twist;
        }
        for i in 0..joints {
            q[8 * i + 3] = description.twist * i as f64 / segments as f64;
        }
        let strains: Vec<f64> = (0..segments).flat_map(|e| rod.element(&q, &frames, e).strains()).collect();
        let mut v = start.velocities(2 * joints);
        // The tangents are initially at rest.
        v.chunks_exact_mut(8).for_each(|node| node[4..].fill(0.0));
        InitialRod { rod, q, v, frames }.stretched(start.stretch).with_tangents(strains)
    }

    /// Sets stiffnesses, masses and radii. Properties within an element act in series: compliances add up.
    fn set_properties(&mut self, pieces: &Pieces) {
        let l = self.element_length;
        let mut radii = Vec::with_capacity(self.elements.len());
        for (e, element) in self.elements.iter_mut().enumerate() {
            let (from, to) = (l * e as f64, l * (e + 1) as f64);
            let series = |get: fn(&RodProperties) -> f64| {
                1.0 / pieces.shares(from, to).map(|(share, (p, _))| share / get(p)).sum::<f64>()
            };
            let mean = |get: fn(&RodProperties) -> f64| {
                pieces.shares(from, to).map(|(share, (p, _))| share * get(p)).sum::<f64>()
            };
            let (stretch, bend) = (series(|p| p.stretch), [series(|p| p.bend_1), series(|p| p.bend_2)]);
            element.stiffness = [
                stretch * l,
                series(|p| p.twist) / l,
                bend[0] / l,
                bend[1] / l,
                3.0 * bend[0] / l,
                3.0 * bend[1] / l,
                stretch * l / 6.0,
                stretch * l / 6.0,
            ];
            (element.mass, element.inertia) = (mean(|p| p.mass) * l, mean(|p| p.polar_inertia) * l);
            radii.push(mean(|p| p.radius));
        }
        self.radii = if pieces.is_uniform() { vec![radii[0]] } else { radii };
    }

    /// Sets the stress-free strains.
    fn set_natural(&mut self, description: &RodDescription, pieces: &Pieces, q: &[f64], frames: &[f64]) {
        let l = self.element_length;
        for e in 0..self.segments() {
            let middle = l * (e as f64 + 0.5);
            let own =
                pieces.shares(middle - 1e-9 * l, middle + 1e-9 * l).find_map(|(_, (_, natural))| *natural);
            self.elements[e].natural = match (own, &description.natural) {
                (Some(k), _) => natural_strains(&k, l),
                (None, Natural::Curved(k)) => natural_strains(k, l),
                (None, Natural::AsShaped) => self.element(q, frames, e).strains(),
                (None, Natural::Straight | Natural::Sampled(_)) => [0.0; STRAINS],
            };
        }
    }
}

/// Strains of an element of length l with constant curvature and twist.
fn natural_strains(k: &NaturalCurvature, l: f64) -> [f64; STRAINS] {
    [0.0, k.twist * l, k.curvature_1 * l, k.curvature_2 * l, 0.0, 0.0, 0.0, 0.0]
}
