//! A winch of a world: a rod whose rest length changes in time.

use crate::geometry::curve::ClampedFit;
use crate::object::rod::spline::SplineRod;
use crate::scene::WinchDescription;

/// A winch of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Winch {
    /// Name.
    pub name: String,
    /// Description.
    pub description: WinchDescription,
    /// Rest length minus the paid-out length when it was added, m.
    pub offset: f64,
    /// Index of the rod.
    pub(crate) object: usize,
    /// The rod as built.
    pub(crate) built: Box<SplineRod>,
    pub(crate) fit: ClampedFit,
    pub(crate) pointwise: bool,
}

impl Winch {
    /// Target rest length at `time`, m.
    pub(crate) fn wanted(&self, time: f64) -> f64 {
        self.offset + self.description.pay_out.at(time)
    }
}
