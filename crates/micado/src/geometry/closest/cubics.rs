//! Closest points of two cubic pieces, by Newton's method in the box 0 ≤ u, v ≤ 1.

use super::pair::PairAt;
use super::segments::closest_on_segments;
use super::{Cubic, parts};
use glam::DVec3;

/// Iterations end where ρ is normal to the curves within this cosine: ten times the rounding of ρ where the
/// distance is 1e-6 of the piece.
const STOP: f64 = 1e-9;
/// Most iterations; the mean is 5.
const ITERATIONS: usize = 40;
/// Least share of the predicted decrease that a step must bring (Armijo).
const DECREASE: f64 = 1e-4;
/// A Hessian whose determinant is below this share of h₀₀|h₁₁| is replaced by that of Gauss–Newton.
const SINGULAR: f64 = 1e-3;

/// Closest points of two pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoints {
    /// Coordinates of the points on the first and on the second piece.
    pub f: [f64; 2],
    /// Distance of the points, m.
    pub distance: f64,
    /// Unit normal from the second piece to the first.
    pub normal: DVec3,
    /// Whether the point is inside its piece, and not held at its end, where the distance still falls.
    pub interior: [bool; 2],
    /// Whether the Hessian of the squared distance is positive here: the only closest points near by.
    pub isolated: bool,
    /// Slopes of the distance along both curves: cosines, about 0 except at ends.
    pub cosines: [f64; 2],
}

/// The closest points of two pieces. The normal is t_A × t_B where the curves are nearer than `crossing` (m).
///
/// Pieces that turn by more than 0.5 rad are halved. The minimum is global but for 0.1 % of pairs that lie
/// closer than their radius of curvature.
pub fn closest_points(a: &Cubic, b: &Cubic, crossing: f64) -> ClosestPoints {
    let mut best = (f64::INFINITY, [0.0; 2]);
    parts::each(a, &mut |a, at_a| {
        parts::each(b, &mut |b, at_b| {
            let f = descend([a, b], chord_guess([a, b], |_, _| true).f);
            let rho = PairAt::new([a, b], f).rho;
            if rho.length_squared() < best.0 {
                best = (rho.length_squared(), [at_a.of(f[0]), at_b.of(f[1])]);
            }
        });
    });
    let f = best.1;
    let at = PairAt::new([a, b], f);
    let cosines = at.cosines();
    let interior = std::array::from_fn(|k| !held(f[k], cosines[k], STOP));
    ClosestPoints {
        f,
        distance: at.rho.length(),
        normal: at.normal(crossing),
        interior,
        isolated: is_positive(&at, interior, 0.0),
        cosines,
    }
}

/// Whether a coordinate is at a bound towards which the distance falls, by more than the cosine `least`.
#[inline]
pub(super) fn held(f: f64, cosine: f64, least: f64) -> bool {
    (f <= 0.0 && cosine > least) || (f >= 1.0 && cosine < -least)
}

/// Whether the Hessian in the coordinates that are free is above `least` (per unit of arc length).
pub(super) fn is_positive(at: &PairAt, free: [bool; 2], least: f64) -> bool {
    let curvature = at.curvature();
    let own = |k: usize| !free[k] || curvature.own[k] > 0.0;
    own(0) && own(1) && (free != [true; 2] || curvature.determinant > least)
}

/// Where the chords of the halves of both pieces are closest.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChordGuess {
    pub(super) f: [f64; 2],
    pub(super) square: f64,
}

/// The best of 2 × 2 chords, of those that `allowed` admits; out of reach if there are none.
#[inline]
pub(super) fn chord_guess(pieces: [&Cubic; 2], allowed: impl Fn(usize, usize) -> bool) -> ChordGuess {
    let mut best = ChordGuess { f: [0.0; 2], square: f64::INFINITY };
    let [a, b] = pieces.map(|c| [c.coefficients[0], c.at(0.5), c.at(1.0)]);
    for i in 0..2_usize {
        for j in 0..2_usize {
            if !allowed(i, j) {
                continue;
            }
            let found = closest_on_segments([a[i], a[i + 1]], [b[j], b[j + 1]]);
            if found.square < best.square {
                let f = [0.5 * (i as f64 + found.f[0]), 0.5 * (j as f64 + found.f[1])];
                best = ChordGuess { f, square: found.square };
            }
        }
    }
    best
}

/// Descends from `f` to a minimum of ½|x(u) − y(v)|² in the box.
pub(super) fn descend(pieces: [&Cubic; 2], mut f: [f64; 2]) -> [f64; 2] {
    let mut at = PairAt::new(pieces, f);
    for _ in 0..ITERATIONS {
        let gradient = at.gradient();
        let distance = at.rho.length();
        let sizes = at.tangents.map(DVec3::length);
        let settled =
            |k: usize| held(f[k], gradient[k], 0.0) || gradient[k].abs() <= STOP * distance * sizes[k];
        if (settled(0) && settled(1)) || distance <= 1e-14 * (sizes[0] + sizes[1]) {
            break;
        }
        let holds = [held(f[0], gradient[0], 0.0), held(f[1], gradient[1], 0.0)];
        let goal = lowest_in_box(f, gradient, convex_hessian(&at, holds));
        let way = [goal[0] - f[0], goal[1] - f[1]];
        let slope = gradient[0] * way[0] + gradient[1] * way[1];
        // Rounding of ½|ρ|²: near the minimum a good step changes it by less.
        let rounding = 1e-15 * distance * (distance + sizes[0] + sizes[1]);
        let mut share = 1.0;
        let next = loop {
            let trial = if share == 1.0 { goal } else { [f[0] + share * way[0], f[1] + share * way[1]] };
            let trial_at = PairAt::new(pieces, trial);
            let change = 0.5 * (trial_at.rho.length_squared() - distance * distance);
            if change <= DECREASE * share * slope + rounding {
                break Some((trial, trial_at));
            }
            share *= 0.5;
            if share < 1e-9 {
                break None;
            }
        };
        let Some((trial, trial_at)) = next else { break };
        if trial == f {
            break;
        }
        (f, at) = (trial, trial_at);
    }
    f
}

/// The Hessian where it is well positive, else that of Gauss–Newton, a little raised. Without the coupling if
/// a bound holds a coordinate: the other one then has a Newton step of its own.
#[inline]
fn convex_hessian(at: &PairAt, holds: [bool; 2]) -> [f64; 3] {
    let [h00, h01, h11] = at.hessian();
    if holds[0] || holds[1] {
        let [xx, yy] = at.tangents.map(|t| t.dot(t));
        let own = |h: f64, size: f64| if h > SINGULAR * size { h } else { size + f64::MIN_POSITIVE.sqrt() };
        return [own(h00, xx), 0.0, own(h11, yy)];
    }
    if h00 > 0.0 && h00 * h11 - h01 * h01 >= SINGULAR * h00 * h11.abs() && h11 > 0.0 {
        return [h00, h01, h11];
    }
    let [xx, yy] = at.tangents.map(|t| t.dot(t));
    // A piece without length keeps its coordinate.
    let least = 1e-12 * (xx + yy) + f64::MIN_POSITIVE.sqrt();
    [1.0001 * xx + least, h01, 1.0001 * yy + least]
}

/// The lowest point in the box of the quadratic with this gradient at `f` and this positive Hessian.
#[inline]
fn lowest_in_box(f: [f64; 2], g: [f64; 2], [h00, h01, h11]: [f64; 3]) -> [f64; 2] {
    let det = h00 * h11 - h01 * h01;
    let free = [f[0] - (h11 * g[0] - h01 * g[1]) / det, f[1] - (h00 * g[1] - h01 * g[0]) / det];
    let inside = free.map(|x| (0.0..=1.0).contains(&x));
    // The lowest point is on a bound that the free minimum violates.
    let on_first = || {
        let u = free[0].clamp(0.0, 1.0);
        [u, (f[1] - (g[1] + h01 * (u - f[0])) / h11).clamp(0.0, 1.0)]
    };
    let on_second = || {
        let v = free[1].clamp(0.0, 1.0);
        [(f[0] - (g[0] + h01 * (v - f[1])) / h00).clamp(0.0, 1.0), v]
    };
    let model = |[u, v]: [f64; 2]| {
        let (du, dv) = (u - f[0], v - f[1]);
        g[0] * du + g[1] * dv + 0.5 * (h00 * du * du + h11 * dv * dv) + h01 * du * dv
    };
    match inside {
        [true, true] => free,
        [false, true] => on_first(),
        [true, false] => on_second(),
        [false, false] => {
            let (first, second) = (on_first(), on_second());
            if model(first) <= model(second) { first } else { second }
        }
    }
}
