//! Initial state of a rod of any model.

use super::pieces::check_natural;
use super::{Basis, Damping, Natural, Resolution, RodDescription, Shape, StretchMeasure, TwistMeasure};
use crate::error::{BuildError, check};
use crate::geometry::curve::Curve;
use glam::DVec3;

/// A rod with its initial state.
#[derive(Clone, Debug)]
pub struct InitialRod<R> {
    /// Constants.
    pub rod: R,
    /// Unknowns (x, y, z, θ) of each node.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Reference frames.
    pub frames: Vec<f64>,
}

impl<R> InitialRod<R> {
    /// Wraps the rod.
    pub(crate) fn map<S>(self, wrap: impl FnOnce(R) -> S) -> InitialRod<S> {
        InitialRod { rod: wrap(self.rod), q: self.q, v: self.v, frames: self.frames }
    }

    /// Stretches positions and their derivatives by a factor, about the origin.
    pub(super) fn stretched(mut self, factor: f64) -> Self {
        for node in self.q.chunks_exact_mut(4) {
            node[..3].iter_mut().for_each(|x| *x *= factor);
        }
        self
    }

    /// Returns the rod if it has a tangent everywhere, so that all derived numbers are finite.
    pub(super) fn with_tangents(self, natural: impl IntoIterator<Item = f64>) -> Result<Self, BuildError> {
        if self.frames.iter().chain(&self.q).copied().chain(natural).all(f64::is_finite) {
            Ok(self)
        } else {
            Err(BuildError::new(
                "shape",
                "the curve turns back on itself or has no length",
                "give a curve that has a tangent everywhere",
            ))
        }
    }
}

/// The initial state of a description, checked.
pub(super) struct Start {
    /// The curve at rest length.
    pub curve: Curve,
    /// Initial length as a multiple of the rest length.
    pub stretch: f64,
    pub velocity: DVec3,
    /// Initial direction of the director m₁.
    pub up: Option<DVec3>,
    pub damping: Damping,
}

impl Start {
    pub(super) fn of(description: &RodDescription) -> Result<Self, BuildError> {
        let stretch = 1.0 + initial_stretch(description)?;
        let curve = Curve::from_shape(&description.shape).map_err(|e| e.within("shape"))?;
        let curve = curve.scaled(1.0 / stretch);
        if let Natural::Curved(natural) = &description.natural {
            check_natural(natural).map_err(|e| e.within("natural.curved"))?;
        }
        check::finite("twist", description.twist)?;
        let velocity = check::finite_vector("velocity", description.velocity)?;
        let up = description.up.map(|up| check::direction("up", up)).transpose()?;
        let Damping { internal, mass } = description.damping;
        let damping = Damping {
            internal: check::not_negative("damping.internal", internal)?,
            mass: check::not_negative("damping.mass", mass)?,
        };
        Ok(Self { curve, stretch, velocity, up, damping })
    }

    /// Velocities of all nodes.
    pub(super) fn velocities(&self, nodes: usize) -> Vec<f64> {
        (0..nodes).flat_map(|_| [self.velocity.x, self.velocity.y, self.velocity.z, 0.0]).collect()
    }
}

/// The stretch in the initial shape, checked.
fn initial_stretch(description: &RodDescription) -> Result<f64, BuildError> {
    let refused = |problem: &str, remedy: &str| Err(BuildError::new("initial_stretch", problem, remedy));
    let stretch = description.initial_stretch;
    if stretch == 0.0 {
        return Ok(0.0);
    }
    if !(MOST_INITIAL_STRETCH[0]..=MOST_INITIAL_STRETCH[1]).contains(&stretch) {
        let [least, most] = MOST_INITIAL_STRETCH;
        let remedy = format!("give a share between {least} and {most}");
        return refused(&format!("a stretch of {stretch} is out of range"), &remedy);
    }
    if description.inextensible {
        return refused(
            "an inextensible rod can't be stretched",
            "leave out `initial_stretch` or `inextensible`",
        );
    }
    if let Shape::Spline(_) = description.shape {
        return refused("`shape.spline` has its stretch in `stretch_metric`", "leave out `initial_stretch`");
    }
    Ok(stretch)
}

/// Least and largest stretch in the initial shape; other numbers are errors of units.
const MOST_INITIAL_STRETCH: [f64; 2] = [-0.5, 1.0];

/// A number of segments within its bounds.
pub(super) fn check_segments(segments: usize, least: usize, advice: &str) -> Result<usize, BuildError> {
    if (least..=MOST_SEGMENTS).contains(&segments) {
        return Ok(segments);
    }
    let remedy = format!("give between {} and {MOST_SEGMENTS}; {advice}", least.max(2));
    Err(BuildError::new("segments", format!("{segments} segments"), remedy))
}

/// Distance, in segments, for the tangent of a curve by differences: its error is the square of that.
pub(super) const TANGENT_REACH: f64 = 1e-4;

/// Largest number of segments; a segment takes about 2.5 kB in a step.
const MOST_SEGMENTS: usize = 4_000_000;

/// Refuses fields that only spline rods support.
pub(super) fn refuse_spline_words(description: &RodDescription) -> Result<(), BuildError> {
    let refused = |field: &str, what: &str| {
        Err(BuildError::new(
            field,
            format!("{what} belongs to spline rods"),
            "leave it out, or use model = \"spline\"",
        ))
    };
    if description.basis != Basis::default() {
        return refused("basis", "a choice of basis");
    }
    if description.twist_measure != TwistMeasure::default() {
        return refused("twist_measure", "a choice of the measure of twist");
    }
    if description.stretch_measure != StretchMeasure::default() {
        return refused("stretch_measure", "a choice of the measure of stretch");
    }
    if description.resolution != Resolution::default() {
        return refused("resolution", "an adaptive resolution");
    }
    if let Natural::Sampled(_) = description.natural {
        return refused("natural.sampled", "a natural shape at Gauss points");
    }
    Ok(())
}
