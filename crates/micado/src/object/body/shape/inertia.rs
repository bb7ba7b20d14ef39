//! Checks of an inertia, and its principal axes.

use crate::error::BuildError;
use crate::short::Short;
use glam::{DMat3, DVec3};

/// Allowed asymmetry, and allowed excess of the largest moment over the sum of the others, as a share of the
/// largest. A plate is at the limit, so rounding must pass.
const TOLERANCE: f64 = 1e-9;

/// Least moment as a share of the largest. A needle of a micrometre per metre has 1e-12.
const LEAST: f64 = 1e-13;

/// Principal moments and axes of an inertia: `I = A diag(moments) Aᵀ`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Principal {
    /// Principal moments, smallest first, kg·m².
    pub moments: DVec3,
    /// Principal axes as columns; a rotation. The largest component of the first two is positive.
    pub axes: DMat3,
}

/// Checks that a rigid body can have the inertia `inertia` about its centre of mass: it is finite, symmetric,
/// positive, and no principal moment exceeds the sum of the other two. Returns its principal axes.
///
/// # Errors
/// An inertia that no body can have; the message gives its numbers, `path` names the field.
pub fn check_inertia(path: &str, inertia: DMat3) -> Result<Principal, BuildError> {
    let refuse = |problem: String, remedy: &str| Err(BuildError::new(path, problem, remedy));
    if !inertia.is_finite() {
        return refuse("the inertia is not finite".to_owned(), "give finite numbers");
    }
    let entries = inertia.to_cols_array();
    let largest = entries.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let (lower, upper) = (inertia.col(i)[j], inertia.col(j)[i]);
        if (lower - upper).abs() > TOLERANCE * largest {
            let names = ["x", "y", "z"];
            let problem = format!(
                "the inertia is not symmetric: {a}{b} is {}, {b}{a} is {}",
                Short(upper),
                Short(lower),
                a = names[i],
                b = names[j]
            );
            return refuse(problem, "give the same number on both sides of the diagonal");
        }
    }
    let principal = principal(inertia);
    let [least, middle, most] = principal.moments.to_array();
    if least <= LEAST * most || most <= f64::MIN_POSITIVE {
        let problem = format!(
            "the principal moments of inertia are {}, {} and {} kg·m²; the least is not positive",
            Short(least),
            Short(middle),
            Short(most)
        );
        return refuse(problem, "give a body that extends across each of its axes");
    }
    if least + middle < most * (1.0 - TOLERANCE) {
        let problem = format!(
            "the principal moments of inertia are {}, {} and {} kg·m²; \
             the largest exceeds the sum of the others",
            Short(least),
            Short(middle),
            Short(most)
        );
        return refuse(problem, "no body has such moments; give the moments about the centre of mass");
    }
    Ok(principal)
}

/// Principal moments and axes of a symmetric matrix, by Jacobi rotations. The order and the signs depend on
/// the matrix alone; a diagonal matrix gets the coordinate axes.
fn principal(matrix: DMat3) -> Principal {
    let scale = matrix.to_cols_array().iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    if scale == 0.0 {
        return Principal { moments: DVec3::ZERO, axes: DMat3::IDENTITY };
    }
    let mut a =
        (matrix + matrix.transpose()).to_cols_array_2d().map(|column| column.map(|x| 0.5 * x / scale));
    let mut axes = DMat3::IDENTITY.to_cols_array_2d();
    // Converges quadratically: six sweeps reach rounding.
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q].abs() <= 1e-17 {
                continue;
            }
            // The smaller angle that makes the entry (p, q) zero.
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for k in 0..3 {
                (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
            }
            for k in 0..3 {
                (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
                (axes[p][k], axes[q][k]) = (c * axes[p][k] - s * axes[q][k], s * axes[p][k] + c * axes[q][k]);
            }
        }
    }
    let mut order = [0, 1, 2];
    // Stable: equal moments keep the order of the axes.
    order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
    let [first, second, _] = order.map(|i| upright(DVec3::from_array(axes[i])));
    let moments = DVec3::from_array(order.map(|i| scale * a[i][i]));
    Principal { moments, axes: DMat3::from_cols(first, second, first.cross(second)) }
}

/// The axis whose largest component is positive; of nearly equal components the first decides.
fn upright(axis: DVec3) -> DVec3 {
    let most = axis.abs().max_element();
    let leading = axis.to_array().into_iter().find(|x| x.abs() > 0.999 * most).unwrap_or(1.0);
    if leading < 0.0 { -axis } else { axis }
}
