//! Closest point of a cubic piece to a point.

use super::Cubic;
use glam::DVec3;

/// Iterations end where the way to the point is normal to the curve within this cosine.
const STOP: f64 = 1e-9;
/// Most iterations.
const ITERATIONS: usize = 40;
/// Least share of the predicted decrease that a step must bring (Armijo).
const DECREASE: f64 = 1e-4;

/// The coordinate of the point of `piece` that is closest to `point`: a minimum of ½|p − y(f)|², 0 ≤ f ≤ 1.
pub(super) fn closest_to_point(piece: &Cubic, point: DVec3) -> f64 {
    let mut f = half_chord_guess(piece, point);
    let [c0, c1, c2, c3] = piece.coefficients;
    let to_start = point - c0;
    let way_at = |f: f64| to_start - (c1 + (c2 + c3 * f) * f) * f;
    let mut way = way_at(f);
    for _ in 0..ITERATIONS {
        let tangent = piece.derivative(f);
        let (distance, size) = (way.length(), tangent.length());
        let gradient = -way.dot(tangent);
        let held = (f <= 0.0 && gradient > 0.0) || (f >= 1.0 && gradient < 0.0);
        if held || gradient.abs() <= STOP * distance * size || distance <= 1e-14 * size {
            break;
        }
        let hessian = size * size - way.dot(piece.second_derivative(f));
        let convex = if hessian > 0.01 * size * size { hessian } else { size * size };
        let goal = (f - gradient / convex).clamp(0.0, 1.0);
        let rounding = 1e-15 * distance * (distance + size);
        let mut share = 1.0;
        let next = loop {
            let trial = f + share * (goal - f);
            let trial_way = way_at(trial);
            let change = 0.5 * (trial_way.length_squared() - distance * distance);
            if change <= DECREASE * gradient * (trial - f) + rounding {
                break Some((trial, trial_way));
            }
            share *= 0.5;
            if share < 1e-9 {
                break None;
            }
        };
        let Some((trial, trial_way)) = next else { break };
        if trial == f {
            break;
        }
        (f, way) = (trial, trial_way);
    }
    f
}

/// Closest of the chords of both halves.
fn half_chord_guess(piece: &Cubic, point: DVec3) -> f64 {
    let knots = [piece.coefficients[0], piece.at(0.5), piece.at(1.0)];
    let mut best = (f64::INFINITY, 0.0);
    for half in 0..2_usize {
        let chord = knots[half + 1] - knots[half];
        let way = point - knots[half];
        let square = chord.length_squared();
        let s = if square > 0.0 { (way.dot(chord) / square).clamp(0.0, 1.0) } else { 0.0 };
        let distance = (way - chord * s).length_squared();
        if distance < best.0 {
            best = (distance, 0.5 * (half as f64 + s));
        }
    }
    best.1
}
