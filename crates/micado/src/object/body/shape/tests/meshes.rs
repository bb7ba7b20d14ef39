//! Closed surfaces of triangles, and what is wrong with others.

use super::*;

#[test]
fn cavity_is_a_turned_shell_whose_volume_is_missing() {
    let hollow = together(box_facets([2.0; 3], [0.0; 3]), turned(box_facets([1.0; 3], [0.25; 3])));
    let found = solid(&mesh(hollow));
    let outer = primitive::cuboid(DVec3::splat(2.0));
    let inner = primitive::cuboid(DVec3::ONE).placed(DMat3::IDENTITY, DVec3::splat(0.25)).times(-1.0);
    let exact = outer.plus(inner);
    assert!(close(found.volume, 7.0, 1e-14));
    assert!(found.centre.distance(exact.centre) < 1e-15);
    assert!(close_matrix(found.moments, exact.moments, 1e-14));
}

#[test]
fn box_a_thousand_kilometres_away_has_the_same_moments() {
    // Sizes and places that binary numbers hold exactly.
    let at = [1e6, -2e6, 3e6];
    let found = solid(&mesh(box_facets([1.0, 2.0, 3.0], at)));
    let exact = primitive::cuboid(DVec3::new(1.0, 2.0, 3.0));
    assert!(close(found.volume, 6.0, 1e-14));
    assert!(close_matrix(found.moments, exact.moments, 1e-14));
    assert!(found.centre.distance(DVec3::from_array(at)) < 1e-9);
}

#[test]
fn l_shaped_mesh_is_the_sum_of_its_boxes() {
    // A prism over an L: the square of side 2 without its upper right quarter, 1 m high.
    let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let level = |z: f64| outline.map(|[x, y]| DVec3::new(x, y, z));
    let vertices: Vec<DVec3> = level(0.0).into_iter().chain(level(1.0)).collect();
    let top = [[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]];
    let mut triangles: Vec<[u32; 3]> = top.iter().map(|t: &[u32; 3]| t.map(|corner| corner + 6)).collect();
    triangles.extend(top.iter().map(|&[a, b, c]| [a, c, b]));
    for k in 0..6 {
        let next = (k + 1) % 6;
        triangles.extend([[k, next, next + 6], [k, next + 6, k + 6]]);
    }
    let found = solid(&mesh((vertices, triangles)));
    let at = |x: f64, y: f64| DVec3::new(x, y, 0.5);
    let exact = primitive::cuboid(DVec3::new(2.0, 1.0, 1.0))
        .placed(DMat3::IDENTITY, at(1.0, 0.5))
        .plus(primitive::cuboid(DVec3::ONE).placed(DMat3::IDENTITY, at(0.5, 1.5)));
    assert!(close(found.volume, 3.0, 1e-14) && found.centre.distance(exact.centre) < 1e-15);
    assert!(close_matrix(found.moments, exact.moments, 1e-14));
}

#[test]
fn units_and_scale_multiply_coordinates() {
    let (vertices, triangles) = box_facets([2.0; 3], [0.0; 3]);
    let vertices: Vec<[f64; 3]> = vertices.iter().map(DVec3::to_array).collect();
    for (unit, scale, side) in [
        (LengthUnit::M, None, 2.0),
        (LengthUnit::Cm, None, 0.02),
        (LengthUnit::Mm, Some(5.0), 0.01),
        (LengthUnit::In, None, 0.0508),
    ] {
        let (vertices, triangles) = (vertices.clone(), triangles.clone());
        let found = solid(&Shape::Mesh(Mesh { file: None, unit, scale, vertices, triangles }));
        assert!(close(found.volume / f64::powi(side, 3), 1.0, 1e-14));
    }
}

#[test]
fn mesh_that_is_inside_out_is_turned_and_reported() {
    let found = solid(&mesh(turned(box_facets([1.0, 2.0, 3.0], [0.0; 3]))));
    assert!(close(found.volume, 6.0, 1e-14));
    assert_eq!(found.turned, [super::super::TurnedMesh { path: "shape.mesh".to_owned(), file: None }]);
    let vertices: Vec<DVec3> = found.surface.vertices.iter().map(|&x| DVec3::from_array(x)).collect();
    assert!(mesh_integrals(&vertices, &found.surface.triangles).amount > 0.0);
}

#[test]
fn every_bad_mesh_is_named() {
    let good = || box_facets([1.0, 2.0, 3.0], [0.0; 3]);
    let change = |edit: &dyn Fn(&mut Facets)| {
        let mut facets = good();
        edit(&mut facets);
        problem(&mesh(facets))
    };
    let expect = |found: String, words: &[&str]| {
        for word in words {
            assert!(found.contains(word), "{found:?} lacks {word:?}");
        }
    };
    expect(change(&|m| m.1.clear()), &["no triangles"]);
    expect(
        change(&|m| m.1[5][1] = 8),
        &["body.b.shape.mesh.triangles: triangle 5 has the corner 8", "8 vertices"],
    );
    expect(change(&|m| m.0[3].y = f64::NAN), &["shape.mesh.vertices: vertex 3", "NaN"]);
    expect(change(&|m| m.0[3].y = 1e200), &["vertex 3", "1e30"]);
    expect(change(&|m| m.1[2] = [1, 1, 3]), &["triangle 2", "no area"]);
    expect(change(&|m| m.0[7] = m.0[6]), &["no area"]);
    expect(change(&|m| m.1[4].swap(0, 1)), &["triangle 4 faces the other way than its neighbour"]);
    expect(
        change(&|m| m.1.push(m.1[0])),
        &["3 triangles meet at the edge between vertices 0 and 4", ": 0, 5, 12"],
    );
    expect(
        change(&|m| {
            m.1.pop();
        }),
        &["open: 3 open edges in 1 loop", "vertex 4 at (-0.5, -1, 1.5) m", "close the holes"],
    );
    expect(
        change(&|m| {
            m.1.pop();
            m.1.pop();
        }),
        &["4 open edges in 1 loop"],
    );
    // Two holes of a ball.
    expect(
        change(&|m| {
            let fan = |m: &mut Facets, corner: u32| m.1.retain(|triangle| !triangle.contains(&corner));
            *m = primitive::sphere_facets(1.0, 1);
            fan(m, 0);
            fan(m, 9);
        }),
        &["10 open edges in 2 loops"],
    );
    // A box of next to no height, and both sides of a plate.
    expect(change(&|m| m.0.iter_mut().for_each(|x| x.z *= 1e-10)), &["6e-10 m³", "flat"]);
    let plate = || (vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2], [0, 2, 1]]);
    expect(problem(&mesh(plate())), &["encloses a volume of 0 m³", "flat"]);
    // Two boxes that cross, by a corner, by a face, and as a cross.
    for (size, at) in [
        // At half of the size, all edges pass through diagonals.
        ([1.0; 3], [0.5, 0.5, 0.5]),
        ([1.0; 3], [0.7, 0.6, 0.4]),
        ([1.0; 3], [0.5, 0.0, 0.0]),
        ([1.0; 3], [0.5, 0.5, 0.0]),
        ([3.0, 0.2, 0.3], [0.0; 3]),
        ([3.0, 0.2, 0.2], [0.0; 3]),
        ([1.0; 3], [0.0; 3]),
    ] {
        let both = together(box_facets([1.0; 3], [0.0; 3]), box_facets(size, at));
        expect(problem(&mesh(both)), &["cuts itself: triangles", "cross at (", "compound"]);
    }
    let inner = || box_facets([0.5; 3], [0.0; 3]);
    expect(problem(&mesh(together(good(), inner()))), &["shell of triangle 12", "count twice"]);
    let beside = turned(box_facets([0.5; 3], [5.0; 3]));
    expect(problem(&mesh(together(good(), beside))), &["shell of triangle 12", "is inside out"]);
    let file = Mesh { file: Some("part.stl".to_owned()), ..Mesh::default() };
    expect(problem(&Shape::Mesh(file.clone())), &["shape.mesh.file: `part.stl`", "was not read"]);
    let (vertices, triangles) = plate();
    let vertices = vertices.iter().map(DVec3::to_array).collect();
    expect(
        problem(&Shape::Mesh(Mesh { vertices, triangles, ..file })),
        &["shape.mesh.file: `part.stl`: the surface"],
    );
}

#[test]
fn crossing_of_two_triangles_is_where_it_is_said_to_be() {
    // A spike through the upper face of a box.
    let spike = (
        vec![
            DVec3::new(0.1, 0.1, 2.0),
            DVec3::new(0.3, 0.1, 2.0),
            DVec3::new(0.1, 0.3, 2.0),
            DVec3::new(0.1, 0.1, 0.0),
        ],
        vec![[0, 1, 2], [0, 2, 3], [2, 1, 3], [1, 0, 3]],
    );
    let both = together(box_facets([1.0; 3], [0.0; 3]), spike);
    let found = problem(&mesh(both));
    assert!(found.contains(", 0.5) m"), "{found}");
}

#[test]
fn shells_that_touch_from_outside_are_no_fault() {
    let two = together(box_facets([1.0; 3], [0.0; 3]), box_facets([1.0; 3], [1.0, 0.0, 0.0]));
    assert!(close(solid(&mesh(two)).volume, 2.0, 1e-14));
    let shifted = together(box_facets([1.0; 3], [0.0; 3]), box_facets([0.5, 1.0, 0.25], [0.75, 0.3, 0.125]));
    assert!(close(solid(&mesh(shifted)).volume, 1.125, 1e-14));
    // Two edges that cross.
    let r = rotation::exp(DVec3::new(std::f64::consts::FRAC_PI_4, 0.0, 0.0));
    let lift = DVec3::Z * std::f64::consts::SQRT_2;
    let quarter = rotation::exp(DVec3::Z * std::f64::consts::FRAC_PI_2);
    let (mut lower, mut upper) = (box_facets([1.0; 3], [0.0; 3]), box_facets([1.0; 3], [0.0; 3]));
    lower.0.iter_mut().for_each(|x| *x = r * *x);
    upper.0.iter_mut().for_each(|x| *x = quarter * (r * *x) + lift);
    assert!(close(solid(&mesh(together(lower, upper))).volume, 2.0, 1e-14));
    // A ball in a cavity.
    let nested = together(
        together(box_facets([2.0; 3], [0.0; 3]), turned(box_facets([1.0; 3], [0.0; 3]))),
        primitive::sphere_facets(0.3, 1),
    );
    assert!(solid(&mesh(nested)).volume > 7.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn turning_and_moving_a_mesh_turns_its_moments(
        turn in prop::array::uniform3(-3.0..3.0_f64),
        at in prop::array::uniform3(-10.0..10.0_f64),
        size in prop::array::uniform3(0.1..3.0_f64),
    ) {
        let r = rotation::exp(DVec3::from_array(turn));
        let at = DVec3::from_array(at);
        let (vertices, triangles) = primitive::cuboid_facets(DVec3::from_array(size));
        let moved = vertices.iter().map(|&x| r * x + at).collect();
        let found = solid(&mesh((moved, triangles)));
        let exact = primitive::cuboid(DVec3::from_array(size)).placed(r, at);
        prop_assert!(close(found.volume, exact.amount, 1e-12 * exact.amount.max(1.0)));
        prop_assert!(found.centre.distance(at) < 1e-12);
        prop_assert!(close_matrix(found.moments, exact.moments, 1e-11));
        // Principal moments don't depend on the axes.
        let [moved, still] = [exact, primitive::cuboid(DVec3::from_array(size))]
            .map(|matter| check_inertia("", matter.inertia()).expect("a box").moments);
        prop_assert!(moved.distance(still) < 1e-12 * still.z);
    }

    #[test]
    fn two_boxes_cut_each_other_just_if_they_have_matter_in_common(
        size in prop::array::uniform3(1..5_i32),
        at in prop::array::uniform3(-4..5_i32),
        turn in prop::option::of(prop::array::uniform3(-3.0..3.0_f64)),
    ) {
        let [size, at] = [size, at].map(|three| three.map(f64::from));
        let mut both = together(box_facets([2.0; 3], [0.0; 3]), box_facets(size, at));
        let r = turn.map_or(DMat3::IDENTITY, |turn| rotation::exp(DVec3::from_array(turn)));
        both.0.iter_mut().for_each(|x| *x = r * *x);
        let common = (0..3).all(|i| at[i].abs() < 1.0 + 0.5 * size[i]);
        match mesh(both).solid("") {
            Ok(found) => {
                prop_assert!(!common);
                prop_assert!(close(found.volume, 8.0 + size[0] * size[1] * size[2], 1e-11));
            }
            Err(error) => prop_assert!(common, "{}", error),
        }
    }

    #[test]
    fn rounding_to_single_precision_spoils_no_surface(
        turn in prop::array::uniform3(-3.0..3.0_f64),
        at in prop::array::uniform3(-5.0..5.0_f64),
        length in 0.01..3.0_f64,
        which in 0..4_usize,
    ) {
        let (vertices, triangles) = match which {
            0 => primitive::capsule_facets(0.3, length, 3),
            1 => primitive::cone_facets(0.3, length, 4),
            2 => primitive::cylinder_facets(0.3, length, 4),
            _ => together(primitive::sphere_facets(1.0, 2), turned(primitive::sphere_facets(0.9, 3))),
        };
        let r = rotation::exp(DVec3::from_array(turn));
        let at = DVec3::from_array(at);
        let rounded = vertices.iter().map(|&x| (r * x + at).as_vec3().as_dvec3()).collect();
        let exact = mesh_integrals(&vertices, &triangles).amount;
        let found = mesh((rounded, triangles)).solid("").expect("a solid");
        prop_assert!(close(found.volume / exact, 1.0, 1e-3));
    }

    #[test]
    fn garbage_is_refused_without_a_panic(
        vertices in prop::collection::vec(prop::array::uniform3(prop::num::f64::ANY), 0..8),
        triangles in prop::collection::vec(prop::array::uniform3(0..9_u32), 0..14),
        scale in prop::option::of(prop::num::f64::ANY),
    ) {
        let points = vertices.clone();
        let bad = Mesh { file: None, unit: LengthUnit::In, scale, vertices, triangles };
        let _ = Shape::Mesh(bad).solid("shape").map(|solid| solid.with_density("density", 1.0));
        let _ = Shape::Hull(Hull { points }).solid("shape").map(|solid| solid.with_mass("mass", 1.0));
    }
}
