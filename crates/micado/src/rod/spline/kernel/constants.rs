//! Constants of the quadrature points in the form that the kernels want: square roots and quotients taken once.

use crate::geometry::quadrature::GAUSS_3;
use crate::rod::spline::SplineRod;
use crate::rod::spline::layout::{LANES, POINTS, blocks, index, rest};

/// Fields of a point, arranged as those of [`rest`]; zero beyond the end of the rod.
pub(super) const FIELDS: usize = 2;
/// √(w EI₁/j)
pub(super) const ROOT_1: usize = 0;
/// √(w EI₂/j)
pub(super) const ROOT_2: usize = 1;

/// Constants of a rod for the kernels.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::rod::spline) struct Constants {
    pub(super) points: Vec<f64>,
    /// EA/l of the segments.
    pub(super) mean: Vec<f64>,
    /// Its square root.
    pub(super) mean_root: Vec<f64>,
    /// 3 α EA/l of the segments.
    pub(super) slope: Vec<f64>,
    /// Its square root.
    pub(super) slope_root: Vec<f64>,
    /// GJ/l of the segments.
    pub(super) twist_mean: Vec<f64>,
    /// Its square root.
    pub(super) twist_mean_root: Vec<f64>,
    /// 3 α GJ/l of the segments, α the share of the slope of twist.
    pub(super) twist_slope: Vec<f64>,
    /// Its square root.
    pub(super) twist_slope_root: Vec<f64>,
}

impl Constants {
    /// From the constants of a rod. To be made again when those change.
    pub(in crate::rod::spline) fn new(rod: &SplineRod) -> Self {
        let padded = blocks(rod.segments) * LANES;
        let zeros = vec![0.0; padded];
        let mut constants = Self {
            points: vec![0.0; padded * POINTS * FIELDS],
            mean: zeros.clone(),
            mean_root: zeros.clone(),
            slope: zeros.clone(),
            slope_root: zeros.clone(),
            twist_mean: zeros.clone(),
            twist_mean_root: zeros.clone(),
            twist_slope: zeros.clone(),
            twist_slope_root: zeros,
        };
        constants.fill(rod);
        constants
    }

    /// From the constants of a rod with as many segments.
    pub(in crate::rod::spline) fn fill(&mut self, rod: &SplineRod) {
        for e in 0..rod.segments {
            for (g, (_, weight)) in GAUSS_3.into_iter().enumerate() {
                let constant = |field| rod.rest[index(e, g, field, rest::FIELDS)];
                let per_j = weight / constant(rest::J);
                for (field, value) in [(ROOT_1, (constant(rest::EI1) * per_j).sqrt()), (ROOT_2, (constant(rest::EI2) * per_j).sqrt())] {
                    self.points[index(e, g, field, FIELDS)] = value;
                }
            }
            self.mean[e] = rod.stretch[e] / rod.lengths[e];
            self.mean_root[e] = self.mean[e].sqrt();
            self.slope[e] = 3.0 * rod.alphas[e] * self.mean[e];
            self.slope_root[e] = self.slope[e].sqrt();
            self.twist_mean[e] = rod.twist[e] / rod.lengths[e];
            self.twist_mean_root[e] = self.twist_mean[e].sqrt();
            self.twist_slope[e] = 3.0 * rod.twist_alphas[e] * self.twist_mean[e];
            self.twist_slope_root[e] = self.twist_slope[e].sqrt();
        }
    }
}
