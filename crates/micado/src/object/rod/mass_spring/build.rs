//! Builds a mass-spring rod and its initial state from a description.

use super::MassSpringRod;
use crate::describe::material::RodProperties;
use crate::error::BuildError;
use crate::object::rod::initial_state::{InitialRod, Start, check_segments, refuse_spline_words};
use crate::object::rod::pieces::Pieces;
use crate::object::rod::polygon::outside;
use crate::object::rod::{Natural, RodDescription};

/// Default number of edges.
const DEFAULT_SEGMENTS: usize = 32;
/// Least number of edges: places depend on four vertices.
const LEAST_SEGMENTS: usize = 3;
/// Factor on the stiffness of the bends next to an open end, where a bend represents more than its own edge.
/// A tangent that is held at the end is that of the cubic through four vertices, (11e₀ − 7e₁ + 2e₂)/6 in
/// their edges; its couple bends the first vertices by 11/6 and 4/6 of the moment, and with this factor,
/// (11/6)²/f + (4/6)² = 5/2, the third edge turns like that of a rod.
const OUTER_BEND: f64 = 121.0 / 74.0;
/// Relative difference below which bending stiffnesses are equal.
const ISOTROPIC: f64 = 1e-12;

impl MassSpringRod {
    /// Builds a rod and its initial state.
    ///
    /// # Errors
    /// The field of the description that can't be used, and why.
    pub fn build(description: &RodDescription) -> Result<InitialRod<Self>, BuildError> {
        refuse_spline_words(description)?;
        let start = Start::of(description)?;
        let (curve, closed) = (&start.curve, start.curve.is_closed());
        let least = if closed { 5 } else { LEAST_SEGMENTS };
        let segments = check_segments(
            description.segments.unwrap_or(DEFAULT_SEGMENTS),
            least,
            "about 20 for each bend are enough",
        )?;
        let edge_length = curve.length() / segments as f64;
        let nodes = if closed { segments } else { segments + 1 };
        let on: Vec<_> = (0..nodes).map(|i| curve.point(edge_length * i as f64)).collect();
        let mut rod = Self {
            closed,
            edge_length,
            stretch: vec![0.0; segments],
            bend: vec![0.0; nodes],
            mass: vec![0.0; nodes],
            rest_points: outside(
                &on,
                on.last().copied().filter(|_| closed),
                on.first().copied().filter(|_| closed),
            ),
            radii: Vec::new(),
            internal_damping: start.damping.internal,
            mass_damping: start.damping.mass,
        };
        let pieces = Pieces::new(description, rod.length())?;
        refuse_frames(description, &pieces)?;
        rod.set_properties(&pieces);
        let q: Vec<f64> = rod.rest_points.iter().flat_map(|x| [x.x, x.y, x.z, 0.0]).collect();
        let bends: Vec<f64> = rod.bent().map(|i| rod.binormal(&q, i).length()).collect();
        InitialRod { rod, q, v: start.velocities(nodes), frames: Vec::new() }
            .stretched(start.stretch)
            .with_tangents(bends)
    }

    /// Sets stiffnesses, masses and radii. Properties of a bend or an edge act in series: compliances add up.
    fn set_properties(&mut self, pieces: &Pieces) {
        let (l, length) = (self.edge_length, self.length());
        let softness = |from: f64, to: f64, get: fn(&RodProperties) -> f64| -> f64 {
            pieces.shares(from, to).map(|(share, (p, _))| share / get(p)).sum::<f64>()
        };
        let mean = |from: f64, to: f64, get: fn(&RodProperties) -> f64| -> f64 {
            pieces.shares(from, to).map(|(share, (p, _))| share * get(p)).sum::<f64>()
        };
        let mut radii = Vec::with_capacity(self.segments());
        for j in 0..self.segments() {
            let (from, to) = (l * j as f64, l * (j + 1) as f64);
            self.stretch[j] = 1.0 / softness(from, to, |p| p.stretch);
            radii.push(mean(from, to, |p| p.radius));
            let half = 0.5 * l * mean(from, to, |p| p.mass);
            self.edge_nodes(j).into_iter().for_each(|i| self.mass[i] += half);
        }
        self.radii = if pieces.is_uniform() { vec![radii[0]] } else { radii };
        for i in self.bent() {
            let s = l * i as f64;
            // The bend at the seam of a ring extends before its start.
            let before = if i == 0 { length } else { s };
            let stiffness = 2.0
                / (softness(before - 0.5 * l, before, |p| p.bend_1) + softness(s, s + 0.5 * l, |p| p.bend_1));
            let outer = !self.closed && (i == 1 || i + 2 == self.nodes());
            self.bend[i] = stiffness / l * if outer { OUTER_BEND } else { 1.0 };
        }
    }
}

/// Refuses fields that need a frame.
fn refuse_frames(description: &RodDescription, pieces: &Pieces) -> Result<(), BuildError> {
    let refused = |field: &str, what: &str| {
        Err(BuildError::new(
            field,
            format!("{what}: a mass-spring rod has no frame"),
            "leave it out, or use another model",
        ))
    };
    if description.twist != 0.0 {
        return refused("twist", "an inserted twist");
    }
    if description.natural != Natural::Straight {
        return refused("natural", "a natural shape that is not straight");
    }
    for (properties, natural) in &pieces.pieces {
        if natural.is_some() {
            return refused("stretches", "a natural curvature");
        }
        if (properties.bend_1 - properties.bend_2).abs() > ISOTROPIC * properties.bend_1 {
            let field = if description.stiffness.is_some() { "stiffness.bend_2" } else { "section" };
            return refused(field, "two bending stiffnesses");
        }
    }
    Ok(())
}
