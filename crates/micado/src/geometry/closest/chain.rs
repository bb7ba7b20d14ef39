//! Chains of cubic pieces: the curves of rods as the search for contacts sees them.

use glam::DVec3;

/// A cubic piece `x(f) = c₀ + c₁ f + c₂ f² + c₃ f³`, 0 ≤ f ≤ 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cubic {
    /// c₀ … c₃, m.
    pub coefficients: [DVec3; 4],
}

impl Cubic {
    /// The piece with these ends and these derivatives at them.
    pub fn hermite([x0, x1]: [DVec3; 2], [d0, d1]: [DVec3; 2]) -> Self {
        let way = x1 - x0;
        Self { coefficients: [x0, d0, 3.0 * way - 2.0 * d0 - d1, d0 + d1 - 2.0 * way] }
    }

    /// The piece through four points at f = 0, 1/3, 2/3 and 1.
    pub fn through([a, b, c, d]: [DVec3; 4]) -> Self {
        let c1 = 9.0 * b - 5.5 * a - 4.5 * c + d;
        let c2 = 9.0 * a - 22.5 * b + 18.0 * c - 4.5 * d;
        let c3 = 13.5 * (b - c) + 4.5 * (d - a);
        Self { coefficients: [a, c1, c2, c3] }
    }

    /// x(f), m.
    #[inline]
    pub fn at(&self, f: f64) -> DVec3 {
        let [c0, c1, c2, c3] = self.coefficients;
        c0 + (c1 + (c2 + c3 * f) * f) * f
    }

    /// x'(f), m.
    #[inline]
    pub fn derivative(&self, f: f64) -> DVec3 {
        let [_, c1, c2, c3] = self.coefficients;
        c1 + (2.0 * c2 + 3.0 * c3 * f) * f
    }

    /// x''(f), m.
    #[inline]
    pub fn second_derivative(&self, f: f64) -> DVec3 {
        let [_, _, c2, c3] = self.coefficients;
        2.0 * c2 + 6.0 * c3 * f
    }
}

/// A round tube about a curve of cubic pieces, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Chain<'a> {
    /// The pieces, in order.
    pub pieces: &'a [Cubic],
    /// Rest arc length at the ends of the pieces, m: one more than pieces.
    pub arc: &'a [f64],
    /// Whether the last piece ends where the first begins.
    pub closed: bool,
    /// Radius of the tube, m.
    pub radius: f64,
}

impl Chain<'_> {
    /// Rest arc length at coordinate `f` of a piece, m.
    pub fn arc_length(&self, piece: usize, f: f64) -> f64 {
        self.arc[piece] + f * (self.arc[piece + 1] - self.arc[piece])
    }
}
