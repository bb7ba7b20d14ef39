//! Swing and twist of a ball joint: the rotation of its first object against the second.
//!
//! a is the axis on A and w a normal of it; b and u are the same on B. When joined, a = b and w = u. S is the
//! shortest rotation from b to a, and ω = φ_A − φ_B:
//!
//! ```text
//! swing   σ = ∠(a, b), 0 to π     δσ = n·ω,   n = b×a/sin σ
//! twist   τ = ∠(S u, w) about a   δτ = (a + b)·ω/c,   c = 1 + a·b;   whole turns count
//! −λ∂²σ   φ_Aφ_A, φ_Bφ_B: −λ sym(cos σ P − a bᵀ)/sin σ   φ_Aφ_B: λ (cos σ P − b aᵀ)/sin σ,   P = Id − nnᵀ
//! −λ∂²τ   φ_Aφ_A, φ_Bφ_B: λ sym((a + b)(a×b)ᵀ)/c²        φ_Aφ_B: λ ([b]/c − (a + b)(a×b)ᵀ/c²)
//! ```
//!
//! S is a half turn about b and one about a + b, so its angular velocity has no part along a + b. At σ = 0
//! the swing has a kink: any normal of the axis may be its direction. At σ = π the twist has no value, so a
//! limit of the twist needs one of the swing.

use super::Directions;
use crate::constraint::Curvature;
use crate::geometry::rotation::{angle_about, any_normal, cross_matrix, outer};
use glam::{DMat3, DVec3};

/// Least divisors 1 + a·b and sin σ: their values 0.001° from the singular poses.
const LEAST: [f64; 2] = [1e-10, 1e-5];

impl Directions {
    fn c(&self) -> f64 {
        (1.0 + self.a.dot(self.b)).max(LEAST[0])
    }

    /// Twist between −π and π, and swing, rad.
    pub(super) fn twist_and_swing(&self) -> [f64; 2] {
        let Self { a, w, b, u, .. } = *self;
        let carried = u - (a + b) * (a.dot(u) / self.c());
        [angle_about(a, carried, w), libm::atan2(a.cross(b).length(), a.dot(b))]
    }

    /// δτ and δσ by ω.
    pub(super) fn twist_and_swing_axes(&self) -> [DVec3; 2] {
        let across = self.b.cross(self.a);
        let sine = across.length();
        let swing = if sine > LEAST[1] { across / sine } else { any_normal(self.b, self.u) };
        [(self.a + self.b) / self.c(), swing]
    }

    /// Adds −λ∂²τ.
    pub(super) fn add_twist(&self, curvature: &mut Curvature, lambda: f64) {
        let (a, b, c) = (self.a, self.b, self.c());
        let way = outer(a + b, a.cross(b)) * (1.0 / (c * c));
        let moment = (a + b) * (lambda / c);
        add(curvature, moment, way * lambda, (cross_matrix(b) * (1.0 / c) - way) * lambda);
    }

    /// Adds −λ∂²σ.
    pub(super) fn add_swing(&self, curvature: &mut Curvature, lambda: f64) {
        let (a, b) = (self.a, self.b);
        let [_, n] = self.twist_and_swing_axes();
        let size = lambda / a.cross(b).length().max(LEAST[1]);
        let across = (DMat3::IDENTITY - outer(n, n)) * a.dot(b);
        add(curvature, n * lambda, (outer(a, b) - across) * size, (across - outer(b, a)) * size);
    }
}

/// Adds terms of the rotations of both ends, and the moment on the first; `own` is made symmetric.
fn add(curvature: &mut Curvature, moment: DVec3, own: DMat3, between: DMat3) {
    for (end, sign) in curvature.ends.iter_mut().zip([1.0, -1.0]) {
        end.phi_phi += (own + own.transpose()) * 0.5;
        end.moment += moment * sign;
    }
    curvature.between.phi_phi += between;
}

#[cfg(test)]
mod tests {
    use super::Directions;
    use crate::constraint::Curvature;
    use crate::geometry::rotation::exp;
    use glam::{DMat3, DVec3};

    /// Directions of two frames, with the first axis as axis.
    fn directions(first: DMat3, second: DMat3) -> Directions {
        let (b, u) = (second.x_axis, second.y_axis);
        Directions { a: first.x_axis, w: first.y_axis, b, u, v: b.cross(u) }
    }

    #[test]
    fn a_twist_and_the_swing_after_it_are_both_found() {
        let second = exp(DVec3::new(0.3, -1.1, 0.7));
        for (twist, swing, about) in [(0.4, 1.2, 0.3), (-2.9, 0.01, 2.0), (3.0, 3.1, -1.0), (1.0, 0.0, 0.0)] {
            let across = DVec3::new(0.0, f64::cos(about), f64::sin(about));
            let turned = exp(across * swing) * exp(DVec3::X * twist);
            let found = directions(second * turned, second).twist_and_swing();
            // Rounding; near 180° divided by 1 + cos σ = 9e-4.
            assert!((found[0] - twist).abs() < 1e-12 && (found[1] - swing).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn twist_and_swing_have_the_derivatives_of_their_differences() {
        let mut seed = 11_u64;
        let mut noise = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut vector = || DVec3::new(noise(), noise(), noise());
        let mut checks = 0;
        // Swings of all sizes, also near the singular poses.
        for swing in [1e-3, 0.05, 0.4, 1.0, 1.5, 2.2, 3.0, 3.1] {
            for _ in 0..8 {
                let second = exp(vector() * 2.0);
                let across = DVec3::X.cross(vector()).normalize();
                let first = second * exp(across * swing) * exp(DVec3::X * vector().x * 2.0);
                let [by_first, by_second] = [vector(), vector()];
                let at = |h: f64| directions(exp(by_first * h) * first, exp(by_second * h) * second);
                let here = at(0.0);
                let axes = here.twist_and_swing_axes();
                for k in 0..2 {
                    let value = |h: f64| at(h).twist_and_swing()[k];
                    // The scale of derivatives: 1/sin σ of the swing, 2/(π − σ) of the twist.
                    let scale =
                        if k == 0 { 2.0 / (std::f64::consts::PI - swing) } else { swing.sin().recip() };
                    let scale = scale.max(1.0);
                    let step = 1e-3 / scale;
                    let slope = (8.0 * (value(step) - value(-step)) - value(2.0 * step) + value(-2.0 * step))
                        / (12.0 * step);
                    let along = axes[k].dot(by_first - by_second);
                    // Fifth derivatives times 1e-12, and rounding over the step.
                    assert!((slope - along).abs() < 1e-9 * scale, "{k} {swing}: {slope} {along}");
                    let mut curvature = Curvature::default();
                    match k {
                        0 => here.add_twist(&mut curvature, 1.0),
                        _ => here.add_swing(&mut curvature, 1.0),
                    }
                    let own = |k: usize, way: DVec3| way.dot(curvature.ends[k].phi_phi * way);
                    let found = own(0, by_first)
                        + own(1, by_second)
                        + 2.0 * by_first.dot(curvature.between.phi_phi * by_second);
                    let second = |h: f64| (value(h) + value(-h) - 2.0 * value(0.0)) / (h * h);
                    let expected = -(4.0 * second(step) - second(2.0 * step)) / 3.0;
                    assert!(
                        (found - expected).abs() < 1e-6 * scale * scale,
                        "{k} {swing}: {found} {expected}"
                    );
                    checks += usize::from(expected.abs() > 1e-3);
                }
            }
        }
        assert!(checks > 100, "{checks}");
    }
}
