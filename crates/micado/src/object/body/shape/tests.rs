//! Statements about shapes, their matter and their surfaces.

use super::integrals::{Integrals, mesh_integrals};
use super::primitive::{self, Facets};
use super::{
    Capsule, Compound, Cone, Cuboid, Cylinder, HalfSpace, Hull, LengthUnit, Mesh, Part, Shape, Solid, Sphere,
    check_inertia,
};
use crate::geometry::rotation;
use glam::{DMat3, DVec3};
use proptest::prelude::*;

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

fn close_matrix(a: DMat3, b: DMat3, tolerance: f64) -> bool {
    a.to_cols_array().into_iter().zip(b.to_cols_array()).all(|(a, b)| close(a, b, tolerance))
}

fn cuboid(size: [f64; 3]) -> Shape {
    Shape::Box(Cuboid { size })
}

fn mesh((vertices, triangles): Facets) -> Shape {
    Shape::Mesh(Mesh {
        vertices: vertices.iter().map(DVec3::to_array).collect(),
        triangles,
        ..Mesh::default()
    })
}

fn part(shape: Shape, position: [f64; 3], rotation: [f64; 3], density: Option<f64>) -> Part {
    Part { shape, position, rotation, density }
}

fn solid(shape: &Shape) -> Solid {
    shape.solid("shape").expect("a solid")
}

/// The problem of a shape that is refused.
fn problem(shape: &Shape) -> String {
    shape.solid("body.b.shape").expect_err("a refused shape").to_string()
}

fn box_facets(size: [f64; 3], at: [f64; 3]) -> Facets {
    let (vertices, triangles) = primitive::cuboid_facets(DVec3::from_array(size));
    (vertices.into_iter().map(|x| x + DVec3::from_array(at)).collect(), triangles)
}

fn together(mut first: Facets, second: Facets) -> Facets {
    let start = first.0.len() as u32;
    first.0.extend(second.0);
    first.1.extend(second.1.into_iter().map(|triangle| triangle.map(|corner| corner + start)));
    first
}

fn turned((vertices, triangles): Facets) -> Facets {
    (vertices, triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect())
}

#[test]
fn facets_converge_to_the_closed_forms_at_second_order() {
    type Family = (&'static str, Integrals, Box<dyn Fn(u32) -> Facets>);
    let (r, l) = (0.3, 0.7);
    let families: [Family; 4] = [
        ("sphere", primitive::sphere(r), Box::new(move |n| primitive::sphere_facets(r, n))),
        ("capsule", primitive::capsule(r, l), Box::new(move |n| primitive::capsule_facets(r, l, n))),
        ("cylinder", primitive::cylinder(r, l), Box::new(move |n| primitive::cylinder_facets(r, l, n))),
        ("cone", primitive::cone(r, l), Box::new(move |n| primitive::cone_facets(r, l, n))),
    ];
    for (name, exact, facets) in families {
        let errors = |n: u32| {
            let (vertices, triangles) = facets(n);
            let found = mesh_integrals(&vertices, &triangles);
            let axial = found.moments.x_axis.x / exact.moments.x_axis.x - 1.0;
            let across = found.moments.y_axis.y / exact.moments.y_axis.y - 1.0;
            let off = found.centre.distance(exact.centre);
            [found.amount / exact.amount - 1.0, axial, across, off]
        };
        let (coarse, fine) = (errors(3), errors(4));
        for k in 0..3 {
            let ratio = coarse[k] / fine[k];
            assert!((3.9..4.1).contains(&ratio), "{name} {k}: {coarse:?} {fine:?}");
            assert!(fine[k].abs() < 0.012, "{name}: {fine:?}");
        }
        assert!(fine[3] < 1e-3 * r, "{name}: {fine:?}");
    }
    let size = DVec3::new(1.0, 2.0, 3.0);
    let (vertices, triangles) = primitive::cuboid_facets(size);
    let (found, exact) = (mesh_integrals(&vertices, &triangles), primitive::cuboid(size));
    assert!(close(found.amount, exact.amount, 1e-14));
    assert!(close_matrix(found.moments, exact.moments, 1e-14));
}

#[test]
fn ball_of_1280_facets_has_99139_of_the_volume_and_98570_of_the_inertia() {
    let shape = solid(&Shape::Sphere(Sphere { radius: 2.0 }));
    assert_eq!(shape.surface.triangles.len(), 1280);
    let vertices: Vec<DVec3> = shape.surface.vertices.iter().map(|&x| DVec3::from_array(x)).collect();
    let found = mesh_integrals(&vertices, &shape.surface.triangles);
    assert!(close(found.amount / shape.volume, 0.99139, 5e-6), "{}", found.amount / shape.volume);
    let share = found.inertia().x_axis.x / shape.inertia(1.0).x_axis.x;
    assert!(close(share, 0.98570, 5e-6), "{share}");
    // The inertia of a ball: 2/5 m r².
    let ball = shape.with_density("density", 3.0).expect("a ball");
    assert!(close(ball.inertia.z_axis.z, 0.4 * ball.mass * 4.0, 1e-12 * ball.mass));
}

#[test]
fn surfaces_of_all_shapes_are_closed_and_their_drawn_edges_are_sharp() {
    let (radius, length) = (0.2, 0.5);
    let hull = Shape::Hull(Hull { points: solid(&cuboid([1.0; 3])).surface.vertices });
    for (shape, edges) in [
        (Shape::Sphere(Sphere { radius }), 0),
        (cuboid([1.0, 0.1, 0.01]), 12),
        (Shape::Capsule(Capsule { radius, length }), 0),
        (Shape::Cylinder(Cylinder { radius, length }), 96),
        (Shape::Cone(Cone { radius, length }), 48),
        (hull, 12),
        (Shape::HalfSpace(HalfSpace {}), 4),
    ] {
        let solid = solid(&shape);
        assert_eq!(solid.surface.edges.len(), edges, "{shape:?}");
        if !shape.is_endless() {
            let vertices = solid.surface.vertices.iter().map(|&x| DVec3::from_array(x)).collect();
            let copy = mesh((vertices, solid.surface.triangles.clone())).solid("").expect("a closed surface");
            assert!(copy.remarks.is_empty());
            assert!(close(copy.volume / solid.volume, 1.0, 0.02));
        }
        let normals = solid.surface.corner_normals();
        for (k, corners) in normals.iter().enumerate() {
            let [a, b, c] = solid.surface.corners(k);
            let flat = (b - a).cross(c - a).normalize();
            assert!(corners.iter().all(|n| close(n.length(), 1.0, 1e-12) && n.dot(flat) > 0.85));
        }
    }
}

#[test]
fn halves_of_a_box_have_together_the_moments_of_the_whole() {
    let whole = solid(&cuboid([2.0, 0.6, 0.4]));
    let half = || cuboid([0.6, 1.0, 0.4]);
    let quarter = std::f64::consts::FRAC_PI_2;
    let turn = [0.0, 0.0, quarter];
    let parts = vec![
        part(half(), [-0.5, 0.0, 0.0], turn, None),
        part(half(), [0.5, 0.0, 0.0], [0.0, 0.0, -quarter], None),
    ];
    let found = solid(&Shape::Compound(Compound { parts }));
    assert!(close(found.volume, whole.volume, 1e-15));
    assert!(close_matrix(found.moments, whole.moments, 1e-15));
    assert!(found.centre.length() < 1e-15);
    assert_eq!(found.surface.triangles.len(), 24);
}

#[test]
fn parts_with_densities_keep_them_and_the_others_take_that_of_the_body() {
    let ball = || Shape::Sphere(Sphere { radius: 0.1 });
    let volume = solid(&ball()).volume;
    let parts =
        vec![part(ball(), [0.0; 3], [0.0; 3], None), part(ball(), [1.0, 0.0, 0.0], [0.0; 3], Some(3000.0))];
    let dumbbell = solid(&Shape::Compound(Compound { parts: parts.clone() }));
    let found = dumbbell.with_density("density", 1000.0).expect("a body");
    assert!(close(found.mass, 4000.0 * volume, 1e-12 * found.mass));
    assert!(found.centre.distance(DVec3::new(0.75, 0.0, 0.0)) < 1e-15);
    // Two balls and the reduced mass m₁m₂/(m₁+m₂) at the distance.
    let across = 0.4 * found.mass * 0.01 + 750.0 * volume;
    assert!(close(found.inertia.y_axis.y, across, 1e-12 * across));
    assert!(close(dumbbell.centre.x, 0.5, 1e-15));
    // The same by the whole mass.
    let again = dumbbell.with_mass("mass", 4000.0 * volume).expect("a body");
    assert!(close_matrix(again.inertia, found.inertia, 1e-12 * across));
    let error = dumbbell.with_mass("mass", 2000.0 * volume).expect_err("too light").to_string();
    assert!(error.contains("parts with a density weigh"), "{error}");
    // All parts have densities: they are scaled.
    let parts = parts.into_iter().map(|part| Part { density: Some(10.0), ..part }).collect();
    let scaled = solid(&Shape::Compound(Compound { parts })).with_mass("mass", 5.0).expect("a body");
    assert!(close(scaled.mass, 5.0, 1e-14) && close(scaled.centre.x, 0.5, 1e-15));
}

#[test]
fn inner_parts_of_nested_compounds_are_placed_twice() {
    let inner = Shape::Compound(Compound {
        parts: vec![part(cuboid([1.0, 2.0, 3.0]), [1.0, 0.0, 0.0], [0.0; 3], Some(2.0))],
    });
    let quarter = [0.0, 0.0, std::f64::consts::FRAC_PI_2];
    let outer = Shape::Compound(Compound { parts: vec![part(inner, [0.0, 0.0, 5.0], quarter, Some(7.0))] });
    let found = solid(&outer).with_density("density", 1.0).expect("a body");
    assert!(found.centre.distance(DVec3::new(0.0, 1.0, 5.0)) < 1e-15);
    assert!(close(found.mass, 12.0, 1e-13));
    assert!(close_matrix(found.inertia, DMat3::from_diagonal(DVec3::new(10.0, 13.0, 5.0)), 1e-13));
    let mut deep = cuboid([1.0; 3]);
    for _ in 0..40 {
        deep = Shape::Compound(Compound { parts: vec![part(deep, [0.0; 3], [0.0; 3], None)] });
    }
    assert!(problem(&deep).contains("nested too deep"));
}

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
    assert_eq!(found.remarks, ["shape.mesh.triangles: the surface is inside out; all triangles were turned"]);
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

#[test]
fn sizes_must_be_positive() {
    assert!(problem(&Shape::Sphere(Sphere { radius: 0.0 })).contains("body.b.shape.sphere.radius"));
    assert!(problem(&cuboid([1.0, -1.0, 1.0])).contains("body.b.shape.box.size[1]"));
    assert!(problem(&Shape::Cone(Cone { radius: 1.0, length: f64::INFINITY })).contains("shape.cone.length"));
    let parts = vec![
        part(cuboid([1.0; 3]), [0.0; 3], [0.0; 3], None),
        part(cuboid([0.0; 3]), [0.0; 3], [0.0; 3], None),
    ];
    let found = problem(&Shape::Compound(Compound { parts }));
    assert!(found.contains("body.b.shape.compound.parts[1].shape.box.size[0]"), "{found}");
    assert!(problem(&Shape::Compound(Compound { parts: vec![] })).contains("no parts"));
}

#[test]
fn half_space_has_no_mass() {
    let floor = || Shape::HalfSpace(HalfSpace {});
    let parts =
        vec![part(floor(), [0.0; 3], [0.0; 3], None), part(cuboid([1.0; 3]), [0.0; 3], [0.0; 3], None)];
    for shape in [floor(), Shape::Compound(Compound { parts })] {
        let solid = solid(&shape);
        assert!(solid.endless && shape.is_endless());
        let error = solid.with_density("density", 1000.0).expect_err("no mass").to_string();
        assert!(error.contains("a half-space has no mass"), "{error}");
        solid.with_mass("mass", 1.0).expect_err("no mass");
    }
}

#[test]
fn scene_words_are_read_with_units() {
    let read = |text: &str| serde_json::from_str::<Shape>(text);
    assert_eq!(
        read(r#"{"sphere": {"radius": "12 mm"}}"#).expect("a ball"),
        Shape::Sphere(Sphere { radius: 0.012 })
    );
    assert_eq!(read(r#"{"box": {"size": ["20 cm", 1, 0.5]}}"#).expect("a box"), cuboid([0.2, 1.0, 0.5]));
    assert_eq!(read(r#"{"half-space": {}}"#).expect("a half-space"), Shape::HalfSpace(HalfSpace {}));
    let file = read(r#"{"mesh": {"file": "part.stl", "unit": "mm"}}"#).expect("a mesh");
    let expected = Mesh { file: Some("part.stl".to_owned()), unit: LengthUnit::Mm, ..Mesh::default() };
    assert_eq!(file, Shape::Mesh(expected));
    let compound = read(
        r#"{"compound": {"parts": [
            {"shape": {"cone": {"radius": 1, "length": 2}}, "position": [1, 2, 3], "density": "7.8 g/cm3"},
            {"shape": {"hull": {"points": [[0, 0, 0]]}}, "rotation": [0, 0, 1]}
        ]}}"#,
    )
    .expect("a compound");
    let Shape::Compound(Compound { parts }) = &compound else { panic!("{compound:?}") };
    assert_eq!(parts[0].density, Some(7800.0));
    for wrong in [r#"{"sphere": {"radius": 1, "r": 2}}"#, r#"{"ball": {}}"#, r#"{"half-space": {"z": 0}}"#] {
        read(wrong).expect_err("an unknown word");
    }
    let text = serde_json::to_string(&compound).expect("text");
    assert_eq!(read(&text).expect("the same"), compound);
}

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
