//! Sliding: Coulomb friction on a sliding parameter, |τ| ≤ μ |n(τ)|, one row. Another row exerts the normal
//! force, which depends on τ: n(τ) = a + c τ.
//!
//! Stick is τ₀ = −k/w. If it exceeds the bound, |τ| = μ |n(τ)| has a root between 0 and τ₀, because the
//! inequality holds at 0 and fails at τ₀: (1 − μ²c²) τ² − 2 μ² (a·c) τ − μ² a² = 0, the smaller admissible
//! root. (Generalized constraints, sliding points.)

use glam::DVec3;

/// Normal force as a function of friction: n(τ) = a + c τ, N.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Normal {
    /// N
    pub start: DVec3,
    /// Dimensionless.
    pub response: DVec3,
}

impl Normal {
    /// |n(τ)|
    pub fn at(&self, tau: f64) -> f64 {
        (self.start + self.response * tau).length()
    }
}

/// Returns the friction force of `δ = w τ + k`; 0 where w = 0, since no force can move such a row.
pub fn solve(w: f64, k: f64, friction: f64, normal: &Normal) -> f64 {
    if w <= 0.0 {
        return 0.0;
    }
    let stick = -k / w;
    let excess = |tau: f64| tau.abs() - friction * normal.at(tau);
    if excess(stick) <= 0.0 {
        return stick;
    }
    let (a, c, mu2) = (normal.start, normal.response, friction * friction);
    let (second, first, zeroth) =
        (1.0 - mu2 * c.length_squared(), -2.0 * mu2 * a.dot(c), -mu2 * a.length_squared());
    let between = |tau: f64| tau * stick >= 0.0 && tau.abs() <= stick.abs();
    let mut best: Option<f64> = None;
    for root in roots(second, first, zeroth).into_iter().flatten().filter(|&tau| between(tau)) {
        if best.is_none_or(|known| root.abs() < known.abs()) {
            best = Some(root);
        }
    }
    let scale = stick.abs() * 1e-12;
    match best {
        Some(root) if excess(root).abs() <= scale.max(1e-12 * friction * normal.at(root)) => root,
        _ => bisect(stick, excess),
    }
}

/// Returns the nearest force within the bound μ |n|.
pub fn project(tau: f64, bound: f64) -> f64 {
    tau.max(-bound).min(bound)
}

/// Real roots of a quadratic, without cancellation.
fn roots(second: f64, first: f64, zeroth: f64) -> [Option<f64>; 2] {
    let discriminant = first * first - 4.0 * second * zeroth;
    if discriminant < 0.0 {
        return [None, None];
    }
    let sum = -0.5 * (first + discriminant.sqrt().copysign(first));
    let finite = |x: f64| x.is_finite().then_some(x);
    [finite(sum / second), finite(zeroth / sum)]
}

/// The root between 0 and `stick`.
fn bisect(stick: f64, excess: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if excess(middle * stick) <= 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low * stick
}

#[cfg(test)]
mod tests {
    use super::{Normal, solve};
    use glam::DVec3;

    /// Uniform numbers in −1…1.
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }

        fn vector(&mut self) -> DVec3 {
            DVec3::new(self.next(), self.next(), self.next())
        }
    }

    #[test]
    fn block_sticks_below_the_friction_bound_and_slides_at_it() {
        let normal = Normal { start: DVec3::new(0.0, 0.0, 10.0), response: DVec3::ZERO };
        // Pulled by 2 N: sticks. By 4 N: friction is 3 N.
        assert_eq!(solve(0.1, 0.2, 0.3, &normal), -2.0);
        assert!((solve(0.1, 0.4, 0.3, &normal) + 3.0).abs() < 1e-14);
    }

    #[test]
    fn every_solution_sticks_inside_the_cone_or_slides_on_it_against_the_motion() {
        let mut noise = Noise(7);
        let (mut stuck, mut slid) = (0, 0);
        for _ in 0..20_000 {
            let (w, k, friction) = (0.01 + noise.next().abs(), 3.0 * noise.next(), 1.5 * noise.next().abs());
            let normal = Normal { start: noise.vector() * 2.0, response: noise.vector() * 1.2 };
            let tau = solve(w, k, friction, &normal);
            let (delta, bound) = (w * tau + k, friction * normal.at(tau));
            if delta.abs() < 1e-12 {
                assert!(tau.abs() <= bound + 1e-9);
                stuck += 1;
            } else {
                assert!((tau.abs() - bound).abs() < 1e-9 * (1.0 + bound), "{tau} {bound}");
                assert!(tau * delta <= 0.0, "friction drives the motion");
                slid += 1;
            }
        }
        assert!(stuck > 3000 && slid > 3000, "{stuck} {slid}");
    }
}
