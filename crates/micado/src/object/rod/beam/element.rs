//! One element of a beam: its strains and their derivatives.
//!
//! The chord e = x_b − x_a with direction c turns with the element; t_a and t_b are the tangents of its two
//! nodes. Their inclinations to the chord, in the directors of their own nodes, are the angles
//!
//! ```text
//! w = −(φ/sin φ) (c·m₁, c·m₂),  cos φ = c·t        at a and at b
//! ```
//!
//! both then turned by half the twist m into the frame of the middle, W. Their difference is the mean
//! curvature, their sum its slope:
//!
//! ```text
//! U = ½ EA L ε² + ½ GJ m²/L + Σ_k EI_k/(2L) [(W_b − W_a)² + 3 (W_a + W_b)²]_k
//! ε = |e|/L − 1 + Σ_k [5 (W_b − W_a)² + 3 (W_a + W_b)²]_k/120
//! ```
//!
//! which is 2EI/L (W_a² + W_a W_b + W_b²), the bending of a cubic, with the contribution of its arc to the
//! stretch: without that a curved element is too stiff, because its chord is shorter than its arc. Nodes
//! store their tangents as vectors D = |D| t, whose length follows the stretch of their elements:
//!
//! ```text
//! U += ½ (EA L/6) Σ_ab (|D|/L − 1 − ε)²
//! ```
//!
//! is ½ EA ∫(ε − ε̄)² of a strain that varies linearly along the elements.

use super::dual::{Dual, VARIABLES};
use super::shape::{CHORD, ElementShape, ROLLS, Seeded, TANGENTS, TO_MIDDLE, across, plus, put, scaled};
use crate::object::rod::Tangent;
use glam::DVec3;

/// Strains of an element: ε, m, two differences, two sums, and the differences between the stretches of the
/// two tangents and ε.
pub(super) const STRAINS: usize = 8;

/// Index of the twist.
pub(super) const TWIST: usize = 1;

/// Indices of the strains that are stretches.
pub(super) const STRETCHES: [usize; 3] = [0, 6, 7];

/// Factors of the squared difference and sum of the angles in the arc: (5d² + 3s²)/120, the mean of ½w'² of a
/// cubic.
const ARC: [f64; 2] = [5.0 / 120.0, 3.0 / 120.0];

/// An end of an element: its tangent vector D and the material director m₁ there.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementEnd {
    pub(super) d: DVec3,
    pub(super) m1: DVec3,
}

/// An element in the present state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// Rest length, m.
    pub(super) length: f64,
    /// x_b − x_a
    pub(super) chord: DVec3,
    pub(super) ends: [ElementEnd; 2],
    /// m = θ_b − θ_a + m_ref
    pub(super) twist: f64,
}

/// Gradient and second derivative of an element's energy by its variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementTerms {
    pub(super) gradient: [f64; VARIABLES],
    pub(super) stiffness: [[f64; VARIABLES]; VARIABLES],
}

/// Strains and their gradients.
struct Varied {
    strains: [f64; STRAINS],
    slopes: [[f64; VARIABLES]; STRAINS],
}

impl Element {
    /// The strains.
    pub(super) fn strains(&self) -> [f64; STRAINS] {
        self.vary().strains
    }

    /// Strains before the variables moved by `moved`, by linear extrapolation from the present strains.
    pub(super) fn strains_before(&self, moved: &[f64; VARIABLES]) -> [f64; STRAINS] {
        let varied = self.vary();
        std::array::from_fn(|s| {
            varied.strains[s] - varied.slopes[s].iter().zip(moved).map(|(slope, d)| slope * d).sum::<f64>()
        })
    }

    /// Gradient of an energy with the stresses dU/ds.
    pub(super) fn gradient(&self, stress: impl Fn(&[f64; STRAINS]) -> [f64; STRAINS]) -> [f64; VARIABLES] {
        let varied = self.vary();
        combined(&varied.slopes, &stress(&varied.strains))
    }

    /// Gradient and second derivative, from the stresses dU/ds, those that turn with the element, and the
    /// stiffnesses d²U/ds².
    pub(super) fn terms(
        &self,
        stress: impl Fn(&[f64; STRAINS]) -> [f64; STRAINS],
        carried: impl Fn(&[f64; STRAINS]) -> [f64; STRAINS],
        stiffness: &[f64; STRAINS],
        tangent: Tangent,
    ) -> ElementTerms {
        let varied = self.vary();
        let (stress, carried) = (stress(&varied.strains), carried(&varied.strains));
        let mut k = [[0.0; VARIABLES]; VARIABLES];
        for (slope, &stiffness) in varied.slopes.iter().zip(stiffness) {
            add_square(&mut k, slope, stiffness);
        }
        match tangent {
            Tangent::GaussNewton => {}
            Tangent::Psd => self.add_tension(&varied.slopes, carried[0].max(0.0), &mut k),
            Tangent::Exact => {
                let slopes = self.pull::<Dual>(&carried);
                for (i, row) in k.iter_mut().enumerate() {
                    for (j, entry) in row.iter_mut().enumerate() {
                        // Frames transported without spin are not a function of the unknowns: only the
                        // symmetric part is a second derivative.
                        *entry += 0.5 * (slopes[i].slope[j] + slopes[j].slope[i]);
                    }
                }
            }
        }
        ElementTerms { gradient: combined(&varied.slopes, &stress), stiffness: k }
    }

    /// The stiffening by a tension N = (dU/dε): `N/(L|e|) (I − ccᵀ)` and the form of the arc.
    fn add_tension(
        &self,
        slopes: &[[f64; VARIABLES]; STRAINS],
        per_strain: f64,
        k: &mut [[f64; VARIABLES]; VARIABLES],
    ) {
        let c = self.chord.normalize();
        let gain = per_strain / (self.length * self.chord.length());
        for r in 0..3 {
            for s in 0..3 {
                k[CHORD + r][CHORD + s] += gain * (if r == s { 1.0 } else { 0.0 } - c[r] * c[s]);
            }
        }
        for axis in 0..2 {
            add_square(k, &slopes[2 + axis], 2.0 * ARC[0] * per_strain);
            add_square(k, &slopes[4 + axis], 2.0 * ARC[1] * per_strain);
        }
    }

    /// Strains and their gradients.
    fn vary(&self) -> Varied {
        let ElementShape { c, inverse, sides, half_binormal, sine, cosine, middle } =
            ElementShape::<f64>::new(self);
        let mut twisting = [0.0; VARIABLES];
        for (end, side) in sides.iter().enumerate() {
            put(&mut twisting, TANGENTS[end], &side.by_tangent(&half_binormal));
            twisting[ROLLS[end]] = -TO_MIDDLE[end];
        }
        let mut slopes_of_middle = [[[0.0; VARIABLES]; 2]; 2];
        for (end, side) in sides.iter().enumerate() {
            let (sine, turned) = (sine * TO_MIDDLE[end], middle[end]);
            let side_slopes = [0, 1].map(|k| side.slope(k, end, &c, inverse));
            for v in 0..VARIABLES {
                let [s1, s2] = [side_slopes[0][v], side_slopes[1][v]];
                let turning = twisting[v] * TO_MIDDLE[end] * 0.5;
                slopes_of_middle[end][0][v] = cosine * s1 + sine * s2 + turned[1] * turning;
                slopes_of_middle[end][1][v] = cosine * s2 - sine * s1 - turned[0] * turning;
            }
        }

        let mut strains = [0.0; STRAINS];
        let mut slopes = [[0.0; VARIABLES]; STRAINS];
        let inverse_rest = 1.0 / self.length;
        strains[0] = 1.0 / inverse * inverse_rest - 1.0;
        put(&mut slopes[0], CHORD, &scaled(&c, inverse_rest));
        (strains[1], slopes[1]) = (self.twist, twisting);
        for axis in 0..2 {
            let (a, b) = (middle[0][axis], middle[1][axis]);
            strains[2 + axis] = b - a;
            strains[4 + axis] = a + b;
            strains[0] = strains[0] + ARC[0] * (b - a) * (b - a) + ARC[1] * (a + b) * (a + b);
            for v in 0..VARIABLES {
                let (da, db) = (slopes_of_middle[0][axis][v], slopes_of_middle[1][axis][v]);
                slopes[2 + axis][v] = db - da;
                slopes[4 + axis][v] = da + db;
                let arc = ARC[0] * (b - a) * (db - da) + ARC[1] * (a + b) * (da + db);
                slopes[0][v] += 2.0 * arc;
            }
        }
        for (end, side) in sides.iter().enumerate() {
            strains[6 + end] = side.norm * inverse_rest - 1.0 - strains[0];
            slopes[6 + end] = slopes[0].map(|slope| -slope);
            for (v, t) in (TANGENTS[end]..).zip(side.t) {
                slopes[6 + end][v] += t * inverse_rest;
            }
        }
        Varied { strains, slopes }
    }

    /// Σ stress ∇s for given stresses, by reverse differentiation.
    fn pull<T: Seeded>(&self, stress: &[f64; STRAINS]) -> [T; VARIABLES] {
        let ElementShape { c, inverse, sides, half_binormal, sine, cosine, middle } =
            ElementShape::<T>::new(self);
        let per_length = |stress: f64| T::of(stress / self.length);
        // The stretches of the tangents are differences to ε.
        let stretch = stress[0] - stress[6] - stress[7];
        let mut by_middle = [[T::of(0.0); 2]; 2];
        for axis in 0..2 {
            let (a, b) = (middle[0][axis], middle[1][axis]);
            let difference = T::of(stress[2 + axis]) + T::of(2.0 * ARC[0] * stretch) * (b - a);
            let sum = T::of(stress[4 + axis]) + T::of(2.0 * ARC[1] * stretch) * (a + b);
            (by_middle[0][axis], by_middle[1][axis]) = (sum - difference, sum + difference);
        }
        let mut by_twist = T::of(stress[1]);
        for end in 0..2 {
            let ([g1, g2], [w1, w2]) = (by_middle[end], middle[end]);
            by_twist = by_twist + (w2 * g1 - w1 * g2) * T::of(0.5 * TO_MIDDLE[end]);
        }
        let mut out = [T::of(0.0); VARIABLES];
        let mut by_chord = [T::of(0.0); 3];
        for (end, side) in sides.iter().enumerate() {
            let ([g1, g2], sine) = (by_middle[end], sine * T::of(TO_MIDDLE[end]));
            let weights = [cosine * g1 - sine * g2, sine * g1 + cosine * g2];
            let [to_chord, to_tangent] = side.pull(&c, weights);
            by_chord = plus(&by_chord, &to_chord);
            let by_tangent = side.by_tangent(&plus(&to_tangent, &scaled(&half_binormal, by_twist)));
            let along = scaled(&side.t, per_length(stress[6 + end]));
            put(&mut out, TANGENTS[end], &plus(&by_tangent, &along));
            out[ROLLS[end]] =
                weights[0] * side.angles[1] - weights[1] * side.angles[0] - by_twist * T::of(TO_MIDDLE[end]);
        }
        let by_chord = scaled(&across(&by_chord, &c), inverse);
        put(&mut out, CHORD, &plus(&by_chord, &scaled(&c, per_length(stretch))));
        out
    }
}

/// Σ stress ∇s
fn combined(slopes: &[[f64; VARIABLES]; STRAINS], stress: &[f64; STRAINS]) -> [f64; VARIABLES] {
    std::array::from_fn(|v| (0..STRAINS).fold(0.0, |sum, s| sum + slopes[s][v] * stress[s]))
}

/// `K += stiffness ∇s ∇sᵀ`
fn add_square(k: &mut [[f64; VARIABLES]; VARIABLES], slope: &[f64; VARIABLES], stiffness: f64) {
    for (row, &x) in k.iter_mut().zip(slope) {
        for (entry, &y) in row.iter_mut().zip(slope) {
            *entry += stiffness * x * y;
        }
    }
}
