//! Principal axes, and inertias that no body has.

use super::*;

#[test]
fn principal_axes_diagonalise_the_inertia() {
    let moments = DVec3::new(1.0, 2.5, 3.0);
    let r = rotation::exp(DVec3::new(0.4, -1.1, 2.0));
    let inertia = r * DMat3::from_diagonal(moments) * r.transpose();
    let found = check_inertia("inertia", inertia).expect("an inertia");
    assert!(found.moments.distance(moments) < 1e-14);
    assert!(close(found.axes.determinant(), 1.0, 1e-14));
    let back = found.axes * DMat3::from_diagonal(found.moments) * found.axes.transpose();
    assert!(close_matrix(back, inertia, 1e-14));
    // A cube has the coordinate axes.
    let cube = check_inertia("inertia", DMat3::from_diagonal(DVec3::splat(2.0))).expect("a cube");
    assert_eq!(cube.axes, DMat3::IDENTITY);
    // Signs don't depend on rounding: the largest component is positive.
    let box_axes = check_inertia("inertia", DMat3::from_diagonal(DVec3::new(3.0, 2.0, 2.5))).expect("a box");
    assert_eq!(box_axes.moments, DVec3::new(2.0, 2.5, 3.0));
    assert_eq!(box_axes.axes, DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X));
}

#[test]
fn impossible_inertia_is_refused() {
    let refused = |inertia: DMat3| check_inertia("body.b.inertia", inertia).expect_err("refused").to_string();
    let diagonal = |a: f64, b: f64, c: f64| DMat3::from_diagonal(DVec3::new(a, b, c));
    assert!(refused(diagonal(1.0, 1.0, 2.1)).contains("exceeds the sum of the others"));
    assert!(refused(diagonal(1.0, 0.0, 1.0)).contains("the least is not positive"));
    assert!(refused(diagonal(1.0, -1.0, 1.0)).contains("not positive"));
    assert!(refused(diagonal(0.0, 0.0, 0.0)).contains("not positive"));
    assert!(refused(diagonal(f64::NAN, 1.0, 1.0)).contains("not finite"));
    let mut skew = diagonal(1.0, 1.0, 1.0);
    skew.y_axis.x = 0.1;
    assert!(refused(skew).contains("not symmetric: xy is 0.1, yx is 0"));
    // A plate is at the limit: Iz = Ix + Iy.
    check_inertia("inertia", diagonal(1.0, 2.0, 3.0)).expect("a plate");
}
