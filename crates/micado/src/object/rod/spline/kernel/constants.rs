//! Constants of the quadrature points for the kernels: square roots and quotients are computed once.

use crate::geometry::quadrature::GAUSS_3;
use crate::object::rod::spline::SplineRod;
use crate::object::rod::spline::layout::{LANES, POINTS, blocks, index, rest};

/// Fields of a point, arranged like those of [`rest`]; zero beyond the end of the rod.
pub(super) const FIELDS: usize = 2;
/// √(w EI₁/j)
pub(super) const ROOT_1: usize = 0;
/// √(w EI₂/j)
pub(super) const ROOT_2: usize = 1;

/// Fields of a segment, by block, field and lane: EA/l and its square root,
pub(super) const MEAN: usize = 0;
/// 3 α EA/l and its square root,
pub(super) const SLOPE: usize = 2;
/// GJ/l and its square root,
pub(super) const TWIST_MEAN: usize = 4;
/// 3 α GJ/l, α the share of the slope of twist, and its square root.
pub(super) const TWIST_SLOPE: usize = 6;
/// Number of fields of a segment.
pub(super) const SEGMENT_FIELDS: usize = 8;

/// Fields of the segments of a block: adjacent, because the kernels read them together.
pub(super) type SegmentFields = [[f64; LANES]; SEGMENT_FIELDS];

/// Constants of a rod for the kernels.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::object::rod::spline) struct Constants {
    pub(super) points: Vec<f64>,
    pub(super) segments: Vec<SegmentFields>,
    /// Basis tables, if the rod has its own.
    #[cfg(target_arch = "x86_64")]
    pub(super) tables: super::tables::OwnTables,
}

impl Constants {
    /// From the constants of a rod; must be rebuilt when those change.
    pub(in crate::object::rod::spline) fn new(rod: &SplineRod) -> Self {
        let blocks = blocks(rod.segments);
        let mut constants = Self {
            points: vec![0.0; blocks * LANES * POINTS * FIELDS],
            segments: vec![[[0.0; LANES]; SEGMENT_FIELDS]; blocks],
            #[cfg(target_arch = "x86_64")]
            tables: super::tables::OwnTables::new(rod),
        };
        constants.fill(rod);
        constants
    }

    /// From the constants of a rod with the same number of segments.
    pub(in crate::object::rod::spline) fn fill(&mut self, rod: &SplineRod) {
        for e in 0..rod.segments {
            for (g, (_, weight)) in GAUSS_3.into_iter().enumerate() {
                let constant = |field| rod.rest[index(e, g, field, rest::FIELDS)];
                let per_j = weight / constant(rest::J);
                for (field, value) in [
                    (ROOT_1, (constant(rest::EI1) * per_j).sqrt()),
                    (ROOT_2, (constant(rest::EI2) * per_j).sqrt()),
                ] {
                    self.points[index(e, g, field, FIELDS)] = value;
                }
            }
            let (stretch, twist) = (rod.stretch[e] / rod.stretch_lengths[e], rod.twist[e] / rod.lengths[e]);
            for (field, value) in [
                (MEAN, stretch),
                (SLOPE, 3.0 * rod.alphas[e] * stretch),
                (TWIST_MEAN, twist),
                (TWIST_SLOPE, 3.0 * rod.twist_alphas[e] * twist),
            ] {
                let fields = &mut self.segments[e / LANES];
                fields[field][e % LANES] = value;
                fields[field + 1][e % LANES] = value.sqrt();
            }
        }
    }
}
