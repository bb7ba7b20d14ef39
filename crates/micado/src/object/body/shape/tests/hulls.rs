//! Convex hulls.

use super::*;

#[test]
fn hull_of_the_corners_of_a_box_and_of_points_within_is_the_box() {
    let mut points: Vec<[f64; 3]> = Vec::new();
    // All points of a lattice: most are in faces and edges.
    for x in 0..6 {
        for y in 0..5 {
            for z in 0..4 {
                points.push([0.2 * f64::from(x), 0.5 * f64::from(y), 1.0 * f64::from(z)]);
            }
        }
    }
    for turn in [DVec3::ZERO, DVec3::new(0.3, -0.7, 0.4)] {
        let r = rotation::exp(turn);
        let points: Vec<[f64; 3]> = points.iter().map(|&x| (r * DVec3::from_array(x)).to_array()).collect();
        let found = solid(&Shape::Hull(Hull { points }));
        assert!(close(found.volume, 6.0, 1e-12), "{}", found.volume);
        // Sharp edges are those of the box; points on them may divide them.
        let vertex = |k: u32| DVec3::from_array(found.surface.vertices[k as usize]);
        let length: f64 = found.surface.edges.iter().map(|&[a, b]| vertex(a).distance(vertex(b))).sum();
        assert!(close(length, 24.0, 1e-12), "{length}");
        assert!(found.surface.vertices.len() < 16);
    }
}

#[test]
fn hull_of_points_on_a_ball_has_all_of_them_as_corners() {
    let (points, triangles) = primitive::sphere_facets(1.0, 4);
    let found = solid(&Shape::Hull(Hull { points: points.iter().map(DVec3::to_array).collect() }));
    assert_eq!(found.surface.vertices.len(), points.len());
    assert_eq!(found.surface.triangles.len(), triangles.len());
    let exact = mesh_integrals(&points, &triangles).amount;
    assert!(close(found.volume, exact, 1e-4), "{} {exact}", found.volume);
}

#[test]
fn points_without_volume_have_no_hull() {
    let hull = |points: Vec<[f64; 3]>| problem(&Shape::Hull(Hull { points }));
    assert!(hull(vec![]).contains("0 points have no volume"));
    assert!(hull(vec![[1.0; 3]; 10]).contains("in one plane"));
    assert!(hull(vec![[0.0; 3], [1.0; 3], [2.0; 3], [3.0; 3]]).contains("in one plane"));
    let plane = (0..20).map(|k| [f64::from(k % 5), f64::from(k / 5), 1.0]).collect();
    assert!(hull(plane).contains("all 20 points are in one plane"));
    assert!(hull(vec![[0.0; 3], [1.0, f64::NAN, 0.0]]).contains("hull.points[1]"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn hull_contains_all_its_points(
        points in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 5..60),
    ) {
        let found = Shape::Hull(Hull { points: points.clone() }).solid("").expect("a hull");
        let normals = found.surface.normals();
        for (k, normal) in normals.iter().enumerate() {
            let corner = found.surface.corners(k)[0];
            for &x in &points {
                prop_assert!(normal.dot(DVec3::from_array(x) - corner) < 1e-9);
            }
        }
        prop_assert_eq!(found.surface.triangles.len(), 2 * found.surface.vertices.len() - 4);
    }

    #[test]
    fn hull_of_lattice_points_is_closed_or_refused(
        points in prop::collection::vec(prop::array::uniform3(-3..3_i32), 4..40),
        turn in prop::array::uniform3(-3.0..3.0_f64),
    ) {
        let r = rotation::exp(DVec3::from_array(turn));
        let points = points.iter().map(|x| (r * DVec3::from_array(x.map(f64::from))).to_array()).collect();
        match (Shape::Hull(Hull { points })).solid("") {
            Ok(found) => {
                let vertices = found.surface.vertices.iter().map(|&x| DVec3::from_array(x)).collect();
                mesh((vertices, found.surface.triangles)).solid("").expect("a closed surface");
            }
            Err(error) => prop_assert!(error.problem.contains("one plane"), "{}", error),
        }
    }
}
