//! Layout of the numbers of a quadrature point: blocks of four segments, `[block][point][field][lane]`.
//!
//! Four neighbouring segments share a vector register in the fast kernels; the scalar code reads the same
//! arrays.

/// Segments in a block.
pub const LANES: usize = 4;
/// Quadrature points in a segment.
pub const POINTS: usize = 3;

/// Number of blocks for `segments` segments; the last one is padded.
pub fn blocks(segments: usize) -> usize {
    segments.div_ceil(LANES)
}

/// Index of a field of a point in an array of `fields` fields.
#[inline]
pub fn index(segment: usize, point: usize, field: usize, fields: usize) -> usize {
    ((segment / LANES * POINTS + point) * fields + field) * LANES + segment % LANES
}

/// Stretches of a segment: mean and slope of its elongation, m.
pub const STRETCHES: usize = 2;

/// Index of a stretch of a segment, in an array `[block][stretch][lane]`.
#[inline]
pub fn stretch_index(segment: usize, stretch: usize) -> usize {
    (segment / LANES * STRETCHES + stretch) * LANES + segment % LANES
}

/// Constants of a quadrature point.
pub mod rest {
    /// Number of fields.
    pub const FIELDS: usize = 8;
    /// Rest metric j = |r₀'|, m.
    pub const J: usize = 0;
    /// Natural curvature k₁⁰, 1/m.
    pub const K1: usize = 1;
    /// Natural curvature k₂⁰, 1/m.
    pub const K2: usize = 2;
    /// Natural twist τ⁰, rad/m.
    pub const TAU: usize = 3;
    /// EI₁, N·m².
    pub const EI1: usize = 4;
    /// EI₂, N·m².
    pub const EI2: usize = 5;
    /// GJ, N·m².
    pub const GJ: usize = 6;
    /// Rest metric of stretch, m: j, except in segments that were divided or joined under stress.
    pub const STRETCH_J: usize = 7;
}

/// Reference frame of a quadrature point, part of the state.
pub mod frame {
    /// Number of fields.
    pub const FIELDS: usize = 10;
    /// Tangent t̄ (three fields).
    pub const T: usize = 0;
    /// dt̄/du (three fields).
    pub const DT: usize = 3;
    /// Director a₁ (three fields).
    pub const A1: usize = 6;
    /// Twist of the frame τ_ref, rad per unit of u.
    pub const TAU: usize = 9;
}

/// Strains of a quadrature point.
pub mod strain {
    /// Number of fields.
    pub const FIELDS: usize = 4;
    /// k₁, 1/m.
    pub const K1: usize = 0;
    /// k₂, 1/m.
    pub const K2: usize = 1;
    /// τ, rad/m.
    pub const TAU: usize = 2;
    /// ε.
    pub const EPSILON: usize = 3;
}
