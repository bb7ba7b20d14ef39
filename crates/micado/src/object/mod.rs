//! Objects: what has unknowns, mass and energy. They know nothing of constraints.

pub mod mass;
pub mod place;
mod poses;
pub mod rod;
mod site;

pub use mass::{MassDescription, PointMass};
pub use place::{
    CrossStiffness, EndStiffness, NodeWeights, Place, PlaceKind, PlaceMotion, SpreadRow, SpreadStiffness,
    Wrench,
};
pub use poses::Poses;
pub use site::{EndFrame, Site};

use rod::discrete::DiscreteRod;
use rod::{Rod, RodDescription};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What was described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ObjectDescription {
    /// A rod.
    Rod(Box<RodDescription>),
    /// A point mass.
    Mass(MassDescription),
}

/// A kind of object.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectKind {
    /// A rod.
    Rod(Rod),
    /// A point mass.
    Mass(PointMass),
}

impl ObjectKind {
    /// The rod, if it is one.
    pub fn rod(&self) -> Option<&Rod> {
        match self {
            Self::Rod(rod) => Some(rod),
            Self::Mass(_) => None,
        }
    }
}

/// An object of a world, with its place in the arrays of the state.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Name.
    pub name: String,
    /// What was described.
    pub description: ObjectDescription,
    /// Its model.
    pub kind: ObjectKind,
    /// Its index among the objects.
    pub index: usize,
    /// First node.
    pub first: usize,
    /// Its part of the array of frames.
    pub frames: Range<usize>,
}

impl Object {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        match &self.kind {
            ObjectKind::Rod(rod) => rod.nodes(),
            ObjectKind::Mass(_) => 1,
        }
    }

    /// Its part of an array with four entries per node.
    pub fn unknowns(&self) -> Range<usize> {
        4 * self.first..4 * (self.first + self.nodes())
    }

    /// The rod, if it is one.
    pub fn rod(&self) -> Option<&Rod> {
        self.kind.rod()
    }

    /// The rod, if it is one whose edges are held at their lengths.
    pub(crate) fn inextensible(&self) -> Option<&DiscreteRod> {
        self.rod()?.inextensible()
    }

    /// The place at parameter u, which counts segments; beyond the ends of an open rod, at its end. Nowhere
    /// on a mass.
    pub(crate) fn place_at(&self, u: f64) -> Place {
        match self.rod() {
            Some(rod) => rod.place_at(u).of_object(self.index),
            None => Place::NOWHERE,
        }
    }

    /// The same for what stays where it is.
    pub(crate) fn fixed_place_at(&self, u: f64) -> Place {
        match self.rod() {
            Some(rod) => rod.fixed_place_at(u).of_object(self.index),
            None => Place::NOWHERE,
        }
    }

    /// Total mass, kg.
    pub fn total_mass(&self) -> f64 {
        match &self.kind {
            ObjectKind::Rod(rod) => rod.total_mass(),
            ObjectKind::Mass(mass) => mass.mass,
        }
    }

    /// `out += M v`, both the object's own slices.
    pub fn add_mass_times(&self, v: &[f64], out: &mut [f64]) {
        match &self.kind {
            ObjectKind::Rod(rod) => rod.add_mass_times(v, out),
            ObjectKind::Mass(mass) => {
                for a in 0..3 {
                    out[a] += mass.mass * v[a];
                }
            }
        }
    }

    /// Adds row sums of the mass matrix, M times `ones`; of the tangents of a beam, whose rows add up to
    /// nothing, the diagonal.
    pub(crate) fn add_lumped_mass(&self, ones: &[f64], out: &mut [f64]) {
        match &self.kind {
            ObjectKind::Rod(Rod::Beam(rod)) => rod.add_lumped_mass(out),
            _ => self.add_mass_times(ones, out),
        }
    }
}
