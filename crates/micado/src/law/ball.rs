//! Ball: |f| ≤ most for up to three rows together. Inside, δ = 0; on the bound, δ opposes f: δ = −s f, s ≥ 0.
//!
//! With `δ = W f + k` this is (W + s I) f = −k. |f(s)| decreases with s, so |f(s)| = most has one root s.
//! Newton on 1/|f|, which is nearly linear and concave, climbs to it from s = 0 and never overshoots.

use super::bounded::share;
use glam::{DMat3, DVec3};

/// Most iterations; Newton converges quadratically.
const MOST: usize = 50;

/// First s for a singular W, as a share of its largest diagonal entry.
const SMALL: f64 = 1e-14;

/// Returns the forces of `δ = W f + k`; unused rows have W = 1 and k = 0.
pub fn solve(w: DMat3, k: DVec3, most: f64) -> DVec3 {
    let force = |s: f64| (w + DMat3::from_diagonal(DVec3::splat(s))).inverse();
    let inside = force(0.0) * -k;
    if inside.length() <= most {
        return inside;
    }
    if most <= 0.0 {
        return DVec3::ZERO;
    }
    let (mut s, mut f) = (0.0, inside);
    if !inside.is_finite() {
        // W is singular: f(s) for s → 0 is the least force that stops what W can stop.
        let size = w.x_axis.x.max(w.y_axis.y).max(w.z_axis.z).max(k.length() / most);
        if size <= 0.0 {
            return DVec3::ZERO;
        }
        s = SMALL * size;
        f = force(s) * -k;
        if f.length() <= most {
            return f;
        }
    }
    for _ in 0..MOST {
        let length = f.length();
        if length.is_nan() || length <= most * (1.0 + 1e-15) {
            break;
        }
        let inverse = force(s);
        // d|f|/ds = −f·(W + s)⁻¹f/|f|
        let slope = f.dot(inverse * f) / length;
        let step = (length - most) / most * length / slope;
        if step.is_nan() || step <= 1e-16 * s {
            break;
        }
        s += step;
        f = force(s) * -k;
    }
    // Exactly on the bound, but for rounding.
    f * (most / f.length())
}

/// Moves `f` to the nearest allowed forces.
pub fn project(f: &mut [f64], most: f64) {
    let length = norm(f);
    if length > most {
        f.iter_mut().for_each(|f| *f *= most / length);
    }
}

/// Share of the bound that the forces use; infinite if no force is allowed.
pub fn load(f: &[f64], most: f64) -> f64 {
    share(norm(f), most)
}

pub(super) fn norm(f: &[f64]) -> f64 {
    f.iter().map(|f| f * f).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::{load, project, solve};
    use glam::{DMat3, DVec3};

    #[test]
    fn ball_holds_inside_its_bound_and_yields_against_the_force_on_it() {
        let mut state = 5_u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let (mut held, mut gave) = (0, 0);
        for _ in 0..5000 {
            let root = DMat3::from_cols_array(&std::array::from_fn(|_| noise()));
            // From nearly singular to well conditioned.
            let w =
                root * root.transpose() + DMat3::from_diagonal(DVec3::splat(1e-3 + noise().abs().powi(6)));
            let (k, most) = (DVec3::new(noise(), noise(), noise()) * 3.0, 4.0 * noise().abs());
            let f = solve(w, k, most);
            let delta = w * f + k;
            if f.length() < most * (1.0 - 1e-12) {
                assert!(delta.length() < 1e-9, "{delta}");
                held += 1;
            } else {
                assert!((f.length() - most).abs() < 1e-12 * most);
                // δ opposes f, to rounding of the inverse.
                assert!(
                    (delta + f * (delta.length() / most)).length() < 1e-9 * (1.0 + delta.length()),
                    "{delta} {f}"
                );
                gave += 1;
            }
        }
        assert!(held > 500 && gave > 500, "{held} {gave}");
        assert_eq!(solve(DMat3::IDENTITY, DVec3::X, 0.0), DVec3::ZERO);
    }

    #[test]
    fn singular_compliance_has_finite_forces() {
        // Nothing moves: the bound opposes any displacement, and there is no force without one.
        let f = solve(DMat3::ZERO, DVec3::new(0.0, 3.0, 4.0), 2.0);
        assert!((f + DVec3::new(0.0, 1.2, 1.6)).length() < 1e-12, "{f}");
        assert_eq!(solve(DMat3::ZERO, DVec3::ZERO, 2.0), DVec3::ZERO);
        // Only the first row gives way to a force.
        let one = DMat3::from_diagonal(DVec3::new(0.5, 0.0, 0.0));
        let held = solve(one, DVec3::new(0.2, 0.0, 0.0), 2.0);
        assert!((held + DVec3::X * 0.4).length() < 1e-12, "{held}");
        let gave = solve(one, DVec3::new(0.2, 0.1, 0.0), 2.0);
        let delta = one * gave + DVec3::new(0.2, 0.1, 0.0);
        assert!(
            (gave.length() - 2.0).abs() < 1e-12 && (delta + gave * (delta.length() / 2.0)).length() < 1e-9
        );
    }

    #[test]
    fn projection_onto_the_ball_keeps_the_direction() {
        let mut f = [3.0, 4.0];
        assert_eq!(load(&f, 2.5), 2.0);
        project(&mut f, 2.5);
        assert_eq!(f, [1.5, 2.0]);
        project(&mut f, 3.0);
        assert_eq!(f, [1.5, 2.0]);
    }
}
