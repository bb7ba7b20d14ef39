//! Directions and angles of an element, of plain or dual numbers; see `element.rs` for the equations.

use super::dual::{Dual, Number, VARIABLES};
use super::element::{Element, ElementEnd};
use glam::DVec3;

/// Index of the first variable of e, of D_a and D_b, and of the two rolls.
pub(super) const CHORD: usize = 0;
pub(super) const TANGENTS: [usize; 2] = [3, 6];
pub(super) const ROLLS: [usize; 2] = [9, 10];

pub(super) type Vector<T> = [T; 3];

/// Signs of half the twist from the two ends to the middle.
pub(super) const TO_MIDDLE: [f64; 2] = [1.0, -1.0];

/// Directions and angles of an element.
pub(super) struct ElementShape<T> {
    /// Direction of the chord, and 1/|e|.
    pub(super) c: Vector<T>,
    pub(super) inverse: T,
    pub(super) sides: [Side<T>; 2],
    /// ½κb of the two tangents.
    pub(super) half_binormal: Vector<T>,
    /// Sine and cosine of half the twist.
    pub(super) sine: T,
    pub(super) cosine: T,
    /// W_a and W_b.
    pub(super) middle: [[T; 2]; 2],
}

impl<T: Seeded> ElementShape<T> {
    pub(super) fn new(element: &Element) -> Self {
        let e = T::chord(element.chord);
        let inverse = T::of(1.0) / dot(&e, &e).sqrt();
        let c = scaled(&e, inverse);
        let sides: [Side<T>; 2] = std::array::from_fn(|end| Side::new(&element.ends[end], end, &c));
        // ∂m/∂t = ½κb at both ends.
        let [ta, tb] = [sides[0].t, sides[1].t];
        let half_binormal = scaled(&cross(&ta, &tb), T::of(1.0) / (T::of(1.0) + dot(&ta, &tb)));
        // Angles in the frame of the middle, which differs from both ends by half the twist.
        let half = T::twist(element) * T::of(0.5);
        let (sine, cosine) = libm::sincos(half.value());
        let (sine, cosine) = (half.through(sine, cosine), half.through(cosine, -sine));
        let middle = std::array::from_fn(|end| {
            let ([w1, w2], sine) = (sides[end].angles, sine * T::of(TO_MIDDLE[end]));
            [cosine * w1 + sine * w2, cosine * w2 - sine * w1]
        });
        Self { c, inverse, sides, half_binormal, sine, cosine, middle }
    }
}

/// The angles of one end.
pub(super) struct Side<T> {
    pub(super) t: Vector<T>,
    /// |D|
    pub(super) norm: T,
    directors: [Vector<T>; 2],
    /// c·t
    cosine: T,
    /// f = φ/sin φ and f'.
    ratio: T,
    change: T,
    /// h = −c·m
    lean: [T; 2],
    /// w = f h
    pub(super) angles: [T; 2],
}

impl<T: Seeded> Side<T> {
    fn new(seen: &ElementEnd, end: usize, c: &Vector<T>) -> Self {
        let d = T::tangent(seen.d, end);
        let norm = dot(&d, &d).sqrt();
        let t = scaled(&d, T::of(1.0) / norm);
        let directors = T::directors(seen, end);
        let cosine = dot(c, &t);
        let [f, f1, f2] = angle_over_sine(cosine.value());
        let (ratio, change) = (cosine.through(f, f1), cosine.through(f1, f2));
        let lean = directors.map(|m| -dot(c, &m));
        let angles = lean.map(|lean| ratio * lean);
        Self { t, norm, directors, cosine, ratio, change, lean, angles }
    }

    /// Derivatives of a combination of the two angles by c and by t, not projected: by c, f m and h f' t; by
    /// t, with which the directors turn, f (c·t) m and h f' c.
    pub(super) fn pull(&self, c: &Vector<T>, [p, q]: [T; 2]) -> [Vector<T>; 2] {
        let [m1, m2] = &self.directors;
        let m: Vector<T> = std::array::from_fn(|r| p * m1[r] + q * m2[r]);
        let along = (p * self.lean[0] + q * self.lean[1]) * self.change;
        let turned = self.ratio * self.cosine;
        [
            std::array::from_fn(|r| along * self.t[r] - self.ratio * m[r]),
            std::array::from_fn(|r| along * c[r] + turned * m[r]),
        ]
    }

    /// Derivative of angle k by the variables of the element.
    pub(super) fn slope(&self, k: usize, end: usize, c: &Vector<T>, inverse_chord: T) -> [T; VARIABLES] {
        let mut slope = [T::of(0.0); VARIABLES];
        let [by_chord, by_tangent] = self.pull(c, [0, 1].map(|j| T::of(if j == k { 1.0 } else { 0.0 })));
        put(&mut slope, CHORD, &scaled(&across(&by_chord, c), inverse_chord));
        put(&mut slope, TANGENTS[end], &self.by_tangent(&by_tangent));
        slope[ROLLS[end]] = if k == 0 { self.angles[1] } else { -self.angles[0] };
        slope
    }

    /// Converts a derivative by the unit tangent to one by D.
    pub(super) fn by_tangent(&self, slope: &Vector<T>) -> Vector<T> {
        scaled(&across(slope, &self.t), T::of(1.0) / self.norm)
    }
}

/// Numbers that are seeded with the variables of an element.
pub(super) trait Seeded: Number {
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

pub(super) fn scaled<T: Number>(a: &Vector<T>, by: T) -> Vector<T> {
    a.map(|x| x * by)
}

/// The part of `a` across the unit vector `t`.
pub(super) fn across<T: Number>(a: &Vector<T>, t: &Vector<T>) -> Vector<T> {
    let along = dot(a, t);
    std::array::from_fn(|r| a[r] - t[r] * along)
}

/// a + b
pub(super) fn plus<T: Number>(a: &Vector<T>, b: &Vector<T>) -> Vector<T> {
    std::array::from_fn(|r| a[r] + b[r])
}

/// Writes three entries of a gradient.
pub(super) fn put<T: Copy>(slope: &mut [T; VARIABLES], first: usize, value: &Vector<T>) {
    slope[first..first + 3].copy_from_slice(value);
}
