//! Coulomb: contact with dry friction, three rows: one along the normal, two across it.
//!
//! 0 ≤ f_n ⊥ δ_n ≥ 0 and |f_T| ≤ μ f_n; inside the cone δ_T = 0, on it δ_T = −s f_T, s ≥ 0.
//!
//! With `δ = W f + k` a contact opens if k_n ≥ 0 and sticks if −W⁻¹k is in the cone. Otherwise it slides: δ_n
//! = 0 gives f_n(f_T), the Schur complement of W across the normal is W̃, and `(W̃ + s) f_T = −k̃`. The
//! excess |f_T(s)| − μ f_n(s) is positive at s = 0 and negative for large s; safeguarded Newton finds the
//! root.
//!
//! With two coefficients, along T₁ and T₂, the cone is elliptic: (f₁/μ₁)² + (f₂/μ₂)² ≤ f_n². The slip rule
//! is the associated one, of maximal dissipation: friction takes the allowed tangential force that brakes
//! most, so −δ_T is normal to the ellipse: δ_a = −s f_a/μ_a². Scaled rows f_a μ/μ_a and δ_a μ_a/μ, with the
//! larger coefficient μ, make the cone round, keep the work f·δ, and turn this rule into the isotropic one.

use super::ball::norm;
use glam::{DMat2, DMat3, DVec2, DVec3, Vec3Swizzles as _};

/// Most iterations; Newton takes a handful, bisection alone about three per digit.
const MOST: usize = 100;

/// Largest δ that remains under forces that stop all motion, as a share of k, if W is regular.
const ACCURACY: f64 = 1e-9;

/// First s for a singular W, as a share of its largest diagonal entry.
const SMALL: f64 = 1e-14;

/// First upper bound of s, as a share of the largest diagonal entry of W, and its growth factor until the
/// root is below it.
const FIRST: f64 = 1e-3;
const GROWTH: f64 = 8.0;

/// The coefficient of the round cone, and the factors of δ with which scaled rows make the cone round.
pub fn rounded(friction: [f64; 2]) -> (f64, DVec3) {
    let [first, second] = friction;
    let most = first.max(second);
    if first == second || most <= 0.0 {
        return (most, DVec3::ONE);
    }
    (most, DVec3::new(1.0, first.max(0.0) / most, second.max(0.0) / most))
}

/// Forces on scaled rows; zero where no friction is allowed.
pub(super) fn scaled(f: DVec3, scale: DVec3) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|a| if scale[a] > 0.0 { f[a] / scale[a] } else { 0.0 }))
}

/// Returns the forces (f_n, f_T) of `δ = W f + k`, with the coefficients along T₁ and T₂.
pub fn solve(w: DMat3, k: DVec3, friction: [f64; 2]) -> DVec3 {
    let (most, scale) = rounded(friction);
    if scale == DVec3::ONE {
        return solve_round(w, k, most);
    }
    let factors = DMat3::from_diagonal(scale);
    scale * solve_round(factors * w * factors, scale * k, most)
}

/// Returns the forces (f_n, f_T) of `δ = W f + k` in a round cone.
pub fn solve_round(w: DMat3, k: DVec3, friction: f64) -> DVec3 {
    let along = w.x_axis.x;
    if k.x >= 0.0 || along <= 0.0 {
        return DVec3::ZERO;
    }
    let stick = w.inverse() * -k;
    let is_regular = stick.is_finite() && (w * stick + k).length() <= ACCURACY * k.length();
    if is_regular && stick.yz().length() <= friction * stick.x {
        return stick;
    }
    if friction <= 0.0 {
        return DVec3::new(-k.x / along, 0.0, 0.0);
    }
    let (across, down) = (DVec2::new(w.x_axis.y, w.x_axis.z), DVec2::new(w.y_axis.x, w.z_axis.x));
    let reduced = DMat2::from_cols(
        DVec2::new(w.y_axis.y, w.y_axis.z) - across * (down.x / along),
        DVec2::new(w.z_axis.y, w.z_axis.z) - across * (down.y / along),
    );
    // On the principal axes of W̃.
    let (principal, axes) = diagonalise(reduced);
    let turned = |x: DVec2| DVec2::new(axes.x_axis.dot(x), axes.y_axis.dot(x));
    let (pull, down) = (turned(k.yz() - across * (k.x / along)), turned(down));
    let normal = |tangential: DVec2| -(k.x + down.dot(tangential)) / along;
    // f_T(s), |f_T| − μ f_n, and its slope.
    let slide = |s: f64| {
        let tangential = -pull / (principal + s);
        let rate = -tangential / (principal + s);
        let excess = tangential.length() - friction * normal(tangential);
        let slope = tangential.dot(rate) / tangential.length() + friction * down.dot(rate) / along;
        (tangential, excess, slope)
    };
    let largest = w.y_axis.y.max(w.z_axis.z).max(along);
    let mut low = 0.0;
    if !is_regular {
        // W is singular: f_T(s) for s → 0 is the least force that stops what W can stop.
        low = SMALL * largest;
        let (tangential, excess, _) = slide(low);
        if excess <= 0.0 {
            return (axes * tangential).extend(normal(tangential)).zxy();
        }
    }
    // With strong coupling and large friction there may be several roots. This brackets the smallest one.
    let mut high = FIRST * largest;
    while slide(high).1 > 0.0 && high.is_finite() {
        (low, high) = (high, GROWTH * high);
    }
    let mut s = 0.5 * (low + high);
    for _ in 0..MOST {
        let (_, excess, slope) = slide(s);
        if excess > 0.0 {
            low = s;
        } else {
            high = s;
        }
        let newton = s - excess / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - s).abs() <= 1e-16 * s.abs() {
            break;
        }
        s = next;
    }
    let (tangential, ..) = slide(s);
    let force = normal(tangential).max(0.0);
    // Exactly on the cone, but for rounding.
    let length = tangential.length();
    let scale = if length > 0.0 { friction * force / length } else { 0.0 };
    (axes * tangential * scale).extend(force).zxy()
}

/// Eigenvalues of a symmetric positive semidefinite matrix, and its unit eigenvectors.
fn diagonalise(a: DMat2) -> (DVec2, DMat2) {
    let mean = 0.5 * (a.x_axis.x + a.y_axis.y);
    let (half, beside) = (0.5 * (a.x_axis.x - a.y_axis.y), 0.5 * (a.x_axis.y + a.y_axis.x));
    let radius = norm(&[half, beside]);
    if radius <= 0.0 {
        return (DVec2::splat(mean.max(0.0)), DMat2::IDENTITY);
    }
    // The larger component of the first eigenvector without cancellation.
    let large = (0.5 * (1.0 + half.abs() / radius)).sqrt();
    let small = 0.5 * beside / (radius * large);
    let first = if half >= 0.0 { DVec2::new(large, small) } else { DVec2::new(small, large) };
    (DVec2::new(mean + radius, (mean - radius).max(0.0)), DMat2::from_cols(first, first.perp()))
}

/// Moves `f` to forces in the cone: to the nearest ones, on scaled rows if the cone is elliptic.
pub fn project(f: &mut [f64; 3], friction: [f64; 2]) {
    let (most, scale) = rounded(friction);
    *f = (scale * project_round(scaled(DVec3::from_array(*f), scale), most)).to_array();
}

/// The nearest forces in a round cone.
pub fn project_round(f: DVec3, friction: f64) -> DVec3 {
    let (normal, tangential) = (f.x, norm(&[f.y, f.z]));
    if tangential <= friction * normal {
        return f;
    }
    if friction * tangential <= -normal {
        return DVec3::ZERO;
    }
    let normal = (normal + friction * tangential) / (1.0 + friction * friction);
    (f.yz() * (friction * normal / tangential)).extend(normal).zxy()
}

/// f − P(f − (δ + μ|δ_T| n)/w), N, with the projection P on a round cone: zero if and only if forces and
/// displacements obey the law. Without μ|δ_T| (De Saxcé) a sliding contact would seem to open.
pub fn natural_map(w: f64, f: DVec3, delta: DVec3, friction: f64) -> DVec3 {
    let opening = delta.x + friction * norm(&[delta.y, delta.z]);
    f - project_round(f - DVec3::new(opening, delta.y, delta.z) / w, friction)
}

#[cfg(test)]
mod tests {
    use super::{project, solve_round};
    use crate::law::{BlockLaw, Local, Normal};
    use glam::{DMat3, DVec3, Vec3Swizzles as _};

    #[test]
    fn a_block_on_a_table_opens_sticks_and_slides() {
        let w = DMat3::from_diagonal(DVec3::new(0.5, 0.1, 0.1));
        assert_eq!(solve_round(w, DVec3::new(1.0, 1.0, 0.0), 0.3), DVec3::ZERO);
        // Pressed with 10 N and pulled by 2 N: it sticks. By 4 N: friction is 3 N.
        let stuck = solve_round(w, DVec3::new(-5.0, 0.2, 0.0), 0.3);
        assert!((stuck - DVec3::new(10.0, -2.0, 0.0)).length() < 1e-14, "{stuck}");
        let slid = solve_round(w, DVec3::new(-5.0, 0.0, 0.4), 0.3);
        assert!((slid - DVec3::new(10.0, 0.0, -3.0)).length() < 1e-13, "{slid}");
        assert_eq!(solve_round(w, DVec3::new(-5.0, 0.0, 0.4), 0.0), DVec3::new(10.0, 0.0, 0.0));
    }

    #[test]
    fn singular_compliance_has_finite_forces() {
        let one = DMat3::from_diagonal(DVec3::new(1.0, 0.0, 0.0));
        // Pressed and not pulled.
        assert_eq!(solve_round(one, DVec3::new(-1.0, 0.0, 0.0), 0.5), DVec3::X);
        // Pulled where no force moves it: friction is on the cone.
        let slid = solve_round(one, DVec3::new(-1.0, 0.3, -0.4), 0.5);
        assert!((slid - DVec3::new(1.0, -0.3, 0.4)).length() < 1e-12, "{slid}");
        // Pulled along the one direction across the normal that gives way: it sticks.
        let two = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0));
        let stuck = solve_round(two, DVec3::new(-1.0, 0.1, 0.0), 0.5);
        assert!((stuck - DVec3::new(1.0, -0.1, 0.0)).length() < 1e-12, "{stuck}");
        assert_eq!(solve_round(DMat3::ZERO, DVec3::new(-1.0, 0.1, 0.0), 0.5), DVec3::ZERO);
    }

    #[test]
    fn every_solution_opens_or_sticks_in_the_cone_or_slides_on_it_against_the_motion() {
        let mut state = 17_u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut met = [0; 3];
        for _ in 0..20_000 {
            let root = DMat3::from_cols_array(&std::array::from_fn(|_| noise()));
            let w = root * root.transpose() + DMat3::from_diagonal(DVec3::splat(0.01));
            let (k, friction) = (DVec3::new(noise() - 0.3, noise(), noise()), 1.2 * noise().abs());
            let f = solve_round(w, k, friction);
            let delta = w * f + k;
            let bound = friction * f.x;
            // Rounding of the inverse of W, whose least eigenvalue is 0.01.
            let tolerance = 1e-10 * (1.0 + f.length());
            assert!(f.x >= 0.0 && delta.x >= -tolerance && f.x * delta.x < tolerance, "{f} {delta}");
            assert!(f.yz().length() <= bound + tolerance);
            let kind = if f == DVec3::ZERO {
                0
            } else if f.yz().length() < bound * (1.0 - 1e-9) {
                assert!(delta.yz().length() < tolerance, "{delta}");
                1
            } else {
                let against = f.yz() * (delta.yz().length() / bound);
                assert!((delta.yz() + against).length() < tolerance * (1.0 + delta.length()), "{f} {delta}");
                2
            };
            met[kind] += 1;
            let local =
                Local { w: &w.transpose().to_cols_array(), k: &k.to_array(), normal: Normal::default() };
            let residual = BlockLaw::Coulomb { friction: [friction; 2] }.residual(&local, &f.to_array());
            assert!(residual < 1e-9 * (1.0 + f.length()), "{residual}");
        }
        assert!(met.iter().all(|&count| count > 2000), "{met:?}");
    }

    #[test]
    fn well_conditioned_contacts_obey_the_exact_cone_to_rounding() {
        let mut state = 41_u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut met = [0; 3];
        for _ in 0..20_000 {
            // Eigenvalues between 0.3 and about 5.
            let root = DMat3::from_cols_array(&std::array::from_fn(|_| noise()));
            let w = root * root.transpose() + DMat3::from_diagonal(DVec3::splat(0.3));
            let (k, friction) = (DVec3::new(noise() - 0.3, noise(), noise()), noise().abs());
            let f = solve_round(w, k, friction);
            let (delta, bound) = (w * f + k, friction * f.x);
            let rounding = 1e-12 * (1.0 + f.length());
            if f == DVec3::ZERO {
                assert!(k.x >= 0.0);
                met[0] += 1;
            } else if f.yz().length() < bound * (1.0 - 1e-12) {
                assert!(delta.length() < rounding, "{f} {delta}");
                met[1] += 1;
            } else {
                assert!(delta.x.abs() < rounding && (f.yz().length() - bound).abs() < rounding);
                // δ_T = −s f_T with s ≥ 0.
                let against = f.yz() * (delta.yz().length() / bound);
                assert!((delta.yz() + against).length() < rounding, "{f} {delta}");
                met[2] += 1;
            }
        }
        assert!(met.iter().all(|&count| count > 1500), "{met:?}");
    }

    #[test]
    fn the_projection_is_the_nearest_point_of_the_cone() {
        let mut state = 23_u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for _ in 0..2000 {
            let (f, friction) = (DVec3::new(noise(), noise(), noise()), noise().abs());
            let mut found = f.to_array();
            project(&mut found, [friction; 2]);
            let found = DVec3::from_array(found);
            assert!(found.yz().length() <= friction * found.x + 1e-15);
            // f − P(f) is normal to the cone at P(f), and in its polar: no point of the cone lies along it.
            assert!((f - found).dot(found).abs() < 1e-14);
            let other = DVec3::new(1.0, friction, 0.0);
            let turned = DVec3::new(1.0, -0.6 * friction, 0.8 * friction);
            assert!((f - found).dot(other) < 1e-14 && (f - found).dot(turned) < 1e-14);
        }
    }
}
