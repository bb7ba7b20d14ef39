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

use super::dual::{Dual, Number, VARIABLES};
use crate::object::rod::Tangent;
use glam::DVec3;

/// Strains of an element: ε, m, two differences, two sums, and the differences between the stretches of the
/// two tangents and ε.
pub(super) const STRAINS: usize = 8;

/// Indices of the strains that are stretches.
pub(super) const STRETCHES: [usize; 3] = [0, 6, 7];

/// Factors of the squared difference and sum of the angles in the arc: (5d² + 3s²)/120, the mean of ½w'² of a
/// cubic.
const ARC: [f64; 2] = [5.0 / 120.0, 3.0 / 120.0];

/// Index of the first variable of e, of D_a and D_b, and of the two rolls.
const CHORD: usize = 0;
const TANGENTS: [usize; 2] = [3, 6];
const ROLLS: [usize; 2] = [9, 10];

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
struct Varied<T> {
    strains: [T; STRAINS],
    slopes: [[T; VARIABLES]; STRAINS],
}

type Vector<T> = [T; 3];

impl Element {
    /// The strains.
    pub(super) fn strains(&self) -> [f64; STRAINS] {
        self.vary::<f64>().strains
    }

    /// Gradient of an energy with the stresses dU/ds.
    pub(super) fn gradient(&self, stress: impl Fn(&[f64; STRAINS]) -> [f64; STRAINS]) -> [f64; VARIABLES] {
        let varied = self.vary::<f64>();
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
        let varied = self.vary::<f64>();
        let (stress, carried) = (stress(&varied.strains), carried(&varied.strains));
        let mut k = [[0.0; VARIABLES]; VARIABLES];
        for (slope, &stiffness) in varied.slopes.iter().zip(stiffness) {
            add_square(&mut k, slope, stiffness);
        }
        match tangent {
            Tangent::GaussNewton => {}
            Tangent::Psd => self.add_tension(&varied.slopes, carried[0].max(0.0), &mut k),
            Tangent::Exact => {
                let slopes = combined(&self.vary::<Dual>().slopes, &carried);
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

    fn vary<T: Seeded>(&self) -> Varied<T> {
        let e = T::chord(self.chord);
        let inverse = T::of(1.0) / dot(&e, &e).sqrt();
        let c = scaled(&e, inverse);
        let sides: [Side<T>; 2] = std::array::from_fn(|end| Side::new(&self.ends[end], end, &c, inverse));
        let twist = T::twist(self);
        // ∂m/∂t = ½κb at both ends.
        let [ta, tb] = [sides[0].t, sides[1].t];
        let half_binormal = scaled(&cross(&ta, &tb), T::of(1.0) / (T::of(1.0) + dot(&ta, &tb)));
        let mut twisting = [T::of(0.0); VARIABLES];
        for (end, side) in sides.iter().enumerate() {
            put(&mut twisting, TANGENTS[end], &side.by_tangent(&half_binormal));
            twisting[ROLLS[end]] = T::of(if end == 0 { -1.0 } else { 1.0 });
        }

        // Angles in the frame of the middle, half the twist away from both ends.
        let half = 0.5 * twist.value();
        let (sine, cosine) = libm::sincos(half);
        let (sine, cosine) =
            ((twist * T::of(0.5)).through(sine, cosine), (twist * T::of(0.5)).through(cosine, -sine));
        let mut middle = [[T::of(0.0); 2]; 2];
        let mut slopes_of_middle = [[[T::of(0.0); VARIABLES]; 2]; 2];
        for (end, side) in sides.iter().enumerate() {
            let sign = T::of(if end == 0 { 1.0 } else { -1.0 });
            let sine = sine * sign;
            let [w1, w2] = side.angles;
            let turned = [cosine * w1 + sine * w2, cosine * w2 - sine * w1];
            for v in 0..VARIABLES {
                let [s1, s2] = [side.slopes[0][v], side.slopes[1][v]];
                let turning = twisting[v] * sign * T::of(0.5);
                slopes_of_middle[end][0][v] = cosine * s1 + sine * s2 + turned[1] * turning;
                slopes_of_middle[end][1][v] = cosine * s2 - sine * s1 - turned[0] * turning;
            }
            middle[end] = turned;
        }

        let mut strains = [T::of(0.0); STRAINS];
        let mut slopes = [[T::of(0.0); VARIABLES]; STRAINS];
        let inverse_rest = T::of(1.0 / self.length);
        strains[0] = T::of(1.0) / inverse * inverse_rest - T::of(1.0);
        put(&mut slopes[0], CHORD, &scaled(&c, inverse_rest));
        (strains[1], slopes[1]) = (twist, twisting);
        for axis in 0..2 {
            let (a, b) = (middle[0][axis], middle[1][axis]);
            strains[2 + axis] = b - a;
            strains[4 + axis] = a + b;
            let [arc_of_mean, arc_of_slope] = ARC.map(T::of);
            strains[0] = strains[0] + arc_of_mean * (b - a) * (b - a) + arc_of_slope * (a + b) * (a + b);
            for v in 0..VARIABLES {
                let (da, db) = (slopes_of_middle[0][axis][v], slopes_of_middle[1][axis][v]);
                slopes[2 + axis][v] = db - da;
                slopes[4 + axis][v] = da + db;
                let arc = arc_of_mean * (b - a) * (db - da) + arc_of_slope * (a + b) * (da + db);
                slopes[0][v] = slopes[0][v] + T::of(2.0) * arc;
            }
        }
        for (end, side) in sides.iter().enumerate() {
            strains[6 + end] = side.norm * inverse_rest - T::of(1.0) - strains[0];
            slopes[6 + end] = slopes[0].map(|slope| -slope);
            for (v, t) in (TANGENTS[end]..).zip(side.t) {
                slopes[6 + end][v] = slopes[6 + end][v] + t * inverse_rest;
            }
        }
        Varied { strains, slopes }
    }
}

/// The angles of one end, and their derivatives.
struct Side<T> {
    t: Vector<T>,
    /// |D|
    norm: T,
    angles: [T; 2],
    slopes: [[T; VARIABLES]; 2],
}

impl<T: Seeded> Side<T> {
    fn new(seen: &ElementEnd, end: usize, c: &Vector<T>, inverse_chord: T) -> Self {
        let d = T::tangent(seen.d, end);
        let norm = dot(&d, &d).sqrt();
        let t = scaled(&d, T::of(1.0) / norm);
        let [m1, m2] = T::directors(seen, end);
        let mut side = Self { t, norm, angles: [T::of(0.0); 2], slopes: [[T::of(0.0); VARIABLES]; 2] };
        let cosine = dot(c, &t);
        let [f, f1, f2] = angle_over_sine(cosine.value());
        let (ratio, change) = (cosine.through(f, f1), cosine.through(f1, f2));
        let lean = [-dot(c, &m1), -dot(c, &m2)];
        side.angles = [ratio * lean[0], ratio * lean[1]];
        for (k, m) in [m1, m2].iter().enumerate() {
            // w = f h, h = −c·m: by c, f m and h f' t; by t, with which the directors turn, f (c·t) m and h
            // f' c.
            let along = lean[k] * change;
            let by_chord: Vector<T> = std::array::from_fn(|r| along * t[r] - ratio * m[r]);
            let by_tangent: Vector<T> = std::array::from_fn(|r| along * c[r] + ratio * cosine * m[r]);
            put(&mut side.slopes[k], CHORD, &scaled(&across(&by_chord, c), inverse_chord));
            let by_tangent = side.by_tangent(&by_tangent);
            put(&mut side.slopes[k], TANGENTS[end], &by_tangent);
        }
        (side.slopes[0][ROLLS[end]], side.slopes[1][ROLLS[end]]) = (side.angles[1], -side.angles[0]);
        side
    }

    /// Converts a derivative by the unit tangent to one by D.
    fn by_tangent(&self, slope: &Vector<T>) -> Vector<T> {
        scaled(&across(slope, &self.t), T::of(1.0) / self.norm)
    }
}

/// Numbers that are seeded with the variables of an element.
trait Seeded: Number {
    fn chord(e: DVec3) -> Vector<Self>;
    fn tangent(d: DVec3, end: usize) -> Vector<Self>;
    fn directors(seen: &ElementEnd, end: usize) -> [Vector<Self>; 2];
    fn twist(element: &Element) -> Self;
}

impl Seeded for f64 {
    fn chord(e: DVec3) -> Vector<f64> {
        e.to_array()
    }

    fn tangent(d: DVec3, _end: usize) -> Vector<f64> {
        d.to_array()
    }

    fn directors(seen: &ElementEnd, _end: usize) -> [Vector<f64>; 2] {
        [seen.m1.to_array(), seen.d.normalize().cross(seen.m1).to_array()]
    }

    fn twist(element: &Element) -> f64 {
        element.twist
    }
}

impl Seeded for Dual {
    fn chord(e: DVec3) -> Vector<Self> {
        variables(e, CHORD)
    }

    fn tangent(d: DVec3, end: usize) -> Vector<Self> {
        variables(d, TANGENTS[end])
    }

    /// δm = −t (m·δt) + (t×m) δθ: transport without spin, and roll.
    fn directors(seen: &ElementEnd, end: usize) -> [Vector<Self>; 2] {
        let (t, norm) = (seen.d.normalize(), seen.d.length());
        [seen.m1, t.cross(seen.m1)].map(|m| {
            let rolled = t.cross(m);
            std::array::from_fn(|r| {
                let mut number = Self::of(m[r]);
                for v in 0..3 {
                    number.slope[TANGENTS[end] + v] = -t[r] * m[v] / norm;
                }
                number.slope[ROLLS[end]] = rolled[r];
                number
            })
        })
    }

    /// δm = δθ_b − δθ_a + ½κb·(δt_a + δt_b)
    fn twist(element: &Element) -> Self {
        let [ta, tb] = element.ends.map(|end| end.d.normalize());
        let half_binormal = ta.cross(tb) / (1.0 + ta.dot(tb));
        let mut number = Self::of(element.twist);
        for (end, t) in [ta, tb].into_iter().enumerate() {
            let by_tangent = (half_binormal - t * t.dot(half_binormal)) / element.ends[end].d.length();
            for v in 0..3 {
                number.slope[TANGENTS[end] + v] = by_tangent[v];
            }
            number.slope[ROLLS[end]] = if end == 0 { -1.0 } else { 1.0 };
        }
        number
    }
}

/// Three variables.
fn variables(x: DVec3, first: usize) -> Vector<Dual> {
    std::array::from_fn(|r| {
        let mut number = Dual::of(x[r]);
        number.slope[first + r] = 1.0;
        number
    })
}

/// φ/sin φ as a function of z = cos φ, with its two derivatives: `(1 − z²) f' = z f − 1`, near z = 1 by its
/// series in 1 − z, whose terms are each n/(2n+1) of the one before.
fn angle_over_sine(z: f64) -> [f64; 3] {
    let y = 1.0 - z;
    if y > 0.2 {
        let rest = 1.0 - z * z;
        let f = libm::acos(z.max(-1.0)) / rest.sqrt();
        let first = (z * f - 1.0) / rest;
        return [f, first, (f + 3.0 * z * first) / rest];
    }
    // Horner's scheme needs the coefficients from the last to the first.
    let mut coefficients = [1.0; 20];
    for n in 1..coefficients.len() {
        coefficients[n] = coefficients[n - 1] * n as f64 / (2 * n + 1) as f64;
    }
    let (mut f, mut first, mut second) = (0.0, 0.0, 0.0);
    for c in coefficients.into_iter().rev() {
        second = second * y + 2.0 * first;
        first = first * y + f;
        f = f * y + c;
    }
    [f, -first, second]
}

fn dot<T: Number>(a: &Vector<T>, b: &Vector<T>) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross<T: Number>(a: &Vector<T>, b: &Vector<T>) -> Vector<T> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn scaled<T: Number>(a: &Vector<T>, by: T) -> Vector<T> {
    a.map(|x| x * by)
}

/// The part of `a` across the unit vector `t`.
fn across<T: Number>(a: &Vector<T>, t: &Vector<T>) -> Vector<T> {
    let along = dot(a, t);
    std::array::from_fn(|r| a[r] - t[r] * along)
}

fn put<T: Number>(slope: &mut [T; VARIABLES], first: usize, value: &Vector<T>) {
    slope[first..first + 3].copy_from_slice(value);
}

/// Σ stress ∇s
fn combined<T: Number>(slopes: &[[T; VARIABLES]; STRAINS], stress: &[f64; STRAINS]) -> [T; VARIABLES] {
    std::array::from_fn(|v| (0..STRAINS).fold(T::of(0.0), |sum, s| sum + slopes[s][v] * T::of(stress[s])))
}

/// `K += stiffness ∇s ∇sᵀ`
fn add_square(k: &mut [[f64; VARIABLES]; VARIABLES], slope: &[f64; VARIABLES], stiffness: f64) {
    for (row, &x) in k.iter_mut().zip(slope) {
        for (entry, &y) in row.iter_mut().zip(slope) {
            *entry += stiffness * x * y;
        }
    }
}
