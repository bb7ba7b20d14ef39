//! Objects: they have unknowns, mass and energy, and know nothing of constraints.

pub mod body;
mod form;
pub(crate) mod kinds;
pub mod mass;
mod model;
pub mod place;
mod poses;
mod read_out;
pub mod rod;
mod site;
mod touch;

pub use body::{Body, BodyDescription};
pub use form::Form;
pub use kinds::{Describe, Initial, ObjectDescription, ObjectKind};
pub use mass::{MassDescription, PointMass};
pub use model::{ElasticEnergy, MaterialCurve, Model, Own, Scalar};
pub use place::{
    CrossStiffness, EndStiffness, Place, PlaceKind, PlaceMotion, SpreadRow, SpreadStiffness, Wrench,
};
pub use poses::Poses;
pub use read_out::{Now, ReadOut, Value};
pub use site::{EndFrame, Site};
pub use touch::Touch;

use rod::Rod;
use rod::discrete::DiscreteRod;
use std::ops::Range;

impl ObjectKind {
    /// The rod, if it is one.
    pub fn rod(&self) -> Option<&Rod> {
        if let Self::Rod(rod) = self { Some(rod) } else { None }
    }
}

/// An object of a world, with its ranges in the arrays of the state.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Name.
    pub name: String,
    /// Description.
    pub description: ObjectDescription,
    /// Its model.
    pub kind: ObjectKind,
    /// Its index among the objects.
    pub index: usize,
    /// First node.
    pub first: usize,
    /// Its range in the array of frames.
    pub frames: Range<usize>,
}

impl Object {
    /// Its model.
    pub fn model(&self) -> &dyn Model {
        self.kind.model()
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.model().nodes()
    }

    /// Its range in an array with four entries per node.
    pub fn unknowns(&self) -> Range<usize> {
        4 * self.first..4 * (self.first + self.nodes())
    }

    /// Its part of a state.
    pub fn own<'a>(&self, q: &'a [f64], frames: &'a [f64]) -> Own<'a> {
        Own { q: &q[self.unknowns()], frames: &frames[self.frames.clone()] }
    }

    /// Meaning of its scalars, node by node.
    pub fn scalars(&self) -> impl Iterator<Item = [Scalar; 4]> + '_ {
        (0..self.nodes()).map(|node| self.model().scalars(node))
    }

    /// Total mass, kg.
    pub fn total_mass(&self) -> f64 {
        self.model().total_mass()
    }

    /// The curve that its material points lie on, if it is one.
    pub fn curve(&self) -> Option<&dyn MaterialCurve> {
        self.model().curve()
    }

    /// The rod, if it is one.
    pub fn rod(&self) -> Option<&Rod> {
        self.kind.rod()
    }

    /// The rod, if it is a discrete rod with edges of fixed length.
    pub(crate) fn inextensible(&self) -> Option<&DiscreteRod> {
        self.rod()?.inextensible()
    }

    /// The place at rest arc length `s` of a curve, within its ends. For any other object, the place at which
    /// it is drawn, read and dragged.
    pub fn place_along(&self, s: f64) -> Place {
        self.model().place_along(s).of_object(self.index)
    }

    /// The place at parameter u of its curve, in segments; clamped to the ends of an open one. Nowhere if it
    /// is no curve.
    pub(crate) fn place_at(&self, u: f64) -> Place {
        self.rod().map_or(Place::NOWHERE, |rod| rod.place_at(u).of_object(self.index))
    }

    /// Like `place_at`, for a place that doesn't slide.
    pub(crate) fn fixed_place_at(&self, u: f64) -> Place {
        self.rod().map_or(Place::NOWHERE, |rod| rod.fixed_place_at(u).of_object(self.index))
    }
}
