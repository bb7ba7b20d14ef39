//! Skins: the surfaces of bodies as the search for contacts sees them.
//!
//! A skin is a list of parts in the axes of its owner. Contacts of curves and points follow from the signed
//! distance d(x) of a part, negative inside, whose gradient is the normal.

mod chain;
mod field;
mod height;
mod hull;
mod mesh;
mod minimum;
mod nearing;
mod pairs;
mod part;
mod pose;
mod triangle;

#[cfg(test)]
mod tests;

pub use chain::{ChainSkin, NearSkin, find_point};
pub use field::Field;
pub use height::HeightField;
pub use hull::{Edge, Face, Hull};
pub use mesh::Mesh;
pub use nearing::comes_near_skin;
pub use pairs::{NearSkins, SkinPairs};
pub use part::{Form, Part};
pub use pose::{Bounds, Pose};

use std::sync::Arc;

/// The surface of a body: parts in the axes of their owner. Clones share the parts.
#[derive(Clone, Debug)]
pub struct Skin(Arc<Parts>);

#[derive(Debug, PartialEq)]
struct Parts {
    parts: Vec<Part>,
    bounds: Bounds,
}

impl PartialEq for Skin {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Default for Skin {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Skin {
    /// A skin of these parts.
    pub fn new(parts: Vec<Part>) -> Self {
        let bounds = parts.iter().fold(Bounds::EMPTY, |all, part| all.with(*part.bounds()));
        Self(Arc::new(Parts { parts, bounds }))
    }

    /// A skin of one part, whose axes are those of the owner.
    pub fn of(form: Form) -> Self {
        Self::new(vec![Part::new(form, Pose::IDENTITY)])
    }

    /// The parts.
    pub fn parts(&self) -> &[Part] {
        &self.0.parts
    }

    /// Whether nothing can touch it.
    pub fn is_empty(&self) -> bool {
        self.0.parts.is_empty()
    }

    /// This skin, moved and turned in the axes of its owner.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Self {
        Self::new(self.parts().iter().map(|part| part.placed(pose)).collect())
    }

    /// A box about it, in the axes of its owner; sides are infinite with a half-space.
    pub fn own_bounds(&self) -> &Bounds {
        &self.0.bounds
    }

    /// A box about it when its owner is in this pose.
    pub fn bounds(&self, pose: &Pose) -> Bounds {
        self.0.bounds.placed(pose)
    }
}
