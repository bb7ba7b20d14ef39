//! Volumes and moments of shapes and of compounds, their surfaces, and their words.

use super::*;

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
            assert!(copy.turned.is_empty());
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
        assert!(error.contains("a shape of infinite extent has no mass"), "{error}");
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
