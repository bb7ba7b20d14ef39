//! Rotations: rotation vectors, the smallest rotation between two directions, frames.

use glam::{DMat3, DQuat, DVec3};

/// The matrix of `v ↦ a × v`.
pub fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}

/// `a bᵀ`.
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// `R v`, R the smallest rotation that takes the unit vector `from` to the unit vector `to`:
/// `R v = v + c×v + c×(c×v)/(1 + from·to)`, `c = from × to`. Undefined when they are opposite.
pub fn transport(from: DVec3, to: DVec3, v: DVec3) -> DVec3 {
    let c = from.cross(to);
    let cv = c.cross(v);
    v + cv + c.cross(cv) / (1.0 + from.dot(to))
}

/// `a` made perpendicular to the unit vector `t` and normalised.
pub fn orthonormal_to(t: DVec3, a: DVec3) -> DVec3 {
    (a - t * t.dot(a)).normalize()
}

/// A unit vector perpendicular to the unit vector `t`, as near to `wish` as possible if that is not along
/// `t`.
pub fn any_normal(t: DVec3, wish: DVec3) -> DVec3 {
    let flat = wish - t * t.dot(wish);
    if flat.length_squared() > 1e-6 * wish.length_squared() && flat.length_squared() > 0.0 {
        flat.normalize()
    } else if t.x.abs() < 0.7 {
        orthonormal_to(t, DVec3::X)
    } else {
        orthonormal_to(t, DVec3::Y)
    }
}

/// Rotation vector of the rotation matrix `r`, of length at most π.
pub fn log(r: DMat3) -> DVec3 {
    log_of(DQuat::from_mat3(&r))
}

/// Rotation vector of the unit quaternion `q`, of length at most π.
pub fn log_of(q: DQuat) -> DVec3 {
    let (v, w) = if q.w < 0.0 { (-q.xyz(), -q.w) } else { (q.xyz(), q.w) };
    let n = v.length();
    // 2 atan2(n, w)/n → 2/w for small n
    if n < 1e-12 { v * (2.0 / w) } else { v * (2.0 * libm::atan2(n, w) / n) }
}

/// Rotation matrix of the rotation vector `phi`.
pub fn exp(phi: DVec3) -> DMat3 {
    let angle = phi.length();
    if angle < 1e-12 {
        return DMat3::IDENTITY + cross_matrix(phi);
    }
    let k = cross_matrix(phi / angle);
    DMat3::IDENTITY + k * libm::sin(angle) + k * k * (1.0 - libm::cos(angle))
}

/// Unit quaternion of the rotation vector `phi`.
pub fn rotation_of(phi: DVec3) -> DQuat {
    let half = 0.5 * phi.length();
    // sin(x)/x → 1 for small x
    let share = if half < 1e-8 { 0.5 } else { 0.5 * libm::sin(half) / half };
    DQuat::from_vec4((phi * share).extend(libm::cos(half)))
}

/// Angle from `a` to `b` about the unit vector `t`, both perpendicular to it, in (−π, π].
pub fn angle_about(t: DVec3, a: DVec3, b: DVec3) -> f64 {
    libm::atan2(a.cross(b).dot(t), a.dot(b))
}

/// Transports the normal `a` from one point of a curve to the next without spin (double reflection: fourth
/// order).
pub fn transport_along(x0: DVec3, t0: DVec3, a: DVec3, x1: DVec3, t1: DVec3) -> DVec3 {
    let v1 = x1 - x0;
    let c1 = v1.length_squared();
    if c1 == 0.0 {
        return orthonormal_to(t1, transport(t0, t1, a));
    }
    let a_l = a - v1 * (2.0 / c1 * v1.dot(a));
    let t_l = t0 - v1 * (2.0 / c1 * v1.dot(t0));
    let v2 = t1 - t_l;
    let c2 = v2.length_squared();
    let moved = if c2 == 0.0 { a_l } else { a_l - v2 * (2.0 / c2 * v2.dot(a_l)) };
    orthonormal_to(t1, moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_inverts_exp() {
        for phi in
            [DVec3::new(0.3, -1.0, 2.0), DVec3::new(1e-9, 0.0, 2e-9), DVec3::ZERO, DVec3::new(3.1, 0.0, 0.0)]
        {
            assert!((log(exp(phi)) - phi).length() < 1e-12);
            assert!((log_of(rotation_of(phi)) - phi).length() < 1e-12);
            let other = DMat3::from_quat(rotation_of(phi)) - exp(phi);
            assert!(other.to_cols_array().into_iter().all(|x| x.abs() < 1e-15));
        }
    }

    #[test]
    fn transport_maps_one_tangent_to_the_other() {
        let a = DVec3::new(1.0, 2.0, -0.5).normalize();
        let b = DVec3::new(-0.3, 1.0, 0.8).normalize();
        assert!((transport(a, b, a) - b).length() < 1e-15);
        assert!((transport(a, b, a.cross(b)) - a.cross(b)).length() < 1e-15);
    }

    #[test]
    fn normal_transported_around_a_circle_returns() {
        let n = 64;
        let point = |i: i32| {
            let phi = std::f64::consts::TAU * f64::from(i) / f64::from(n);
            (DVec3::new(phi.cos(), phi.sin(), 0.0), DVec3::new(-phi.sin(), phi.cos(), 0.0))
        };
        let start = DVec3::new(0.6, 0.0, 0.8);
        let mut a = start;
        for i in 0..n {
            let ((x0, t0), (x1, t1)) = (point(i), point(i + 1));
            a = transport_along(x0, t0, a, x1, t1);
        }
        assert!((a - start).length() < 1e-12);
    }
}
