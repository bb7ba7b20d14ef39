//! Skins of shapes and bodies.

use super::*;
use crate::geometry::skin::Skin;
use crate::object::Describe;
use crate::object::body::{BodyDescription, Inertia};

/// One shape of each kind, the last a compound of the others.
fn shapes() -> Vec<Shape> {
    let (radius, length) = (0.3, 0.8);
    let mut shapes = vec![
        Shape::Sphere(Sphere { radius }),
        cuboid([0.4, 0.6, 0.8]),
        Shape::Capsule(Capsule { radius, length }),
        Shape::Cylinder(Cylinder { radius, length }),
        Shape::Cone(Cone { radius, length }),
        Shape::Hull(Hull { points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.1, 0.9]] }),
        mesh(box_facets([0.5, 0.4, 0.3], [0.1, 0.2, 0.3])),
    ];
    let place =
        |(k, shape): (usize, &Shape)| part(shape.clone(), [2.0 * k as f64, 0.2, 0.1], [0.3, 0.2, 0.1], None);
    shapes.push(Shape::Compound(Compound { parts: shapes.iter().enumerate().map(place).collect() }));
    shapes
}

/// Distance of a point from the nearest part.
fn distance(skin: &Skin, x: DVec3) -> f64 {
    let of = |part: &crate::geometry::skin::Part| part.field(part.pose().local_point(x)).distance;
    skin.parts().iter().map(of).fold(f64::INFINITY, f64::min)
}

#[test]
fn what_is_drawn_lies_on_the_skin() {
    for shape in shapes() {
        let solid = solid(&shape);
        let skin = Skin::new(solid.skin.clone());
        for x in &solid.surface.vertices {
            let off = distance(&skin, DVec3::from_array(*x));
            assert!(off.abs() < 1e-13, "{shape:?}: {off} at {x:?}");
        }
    }
}

#[test]
fn the_skin_of_a_body_is_about_its_centre_of_mass() {
    for shape in shapes() {
        let description =
            BodyDescription { shape: Some(shape), density: Some(1000.0), ..BodyDescription::default() };
        let body = description.build().expect("a body").model;
        assert!(body.centre != DVec3::ZERO || body.skin.parts().len() == 1);
        for x in &body.surface.vertices {
            let off = distance(&body.skin, DVec3::from_array(*x) - body.centre);
            assert!(off.abs() < 1e-13, "{off} at {x:?}");
        }
        assert_eq!(description.build().expect("the same body").model, body);
    }
}

#[test]
fn a_body_without_a_shape_has_the_box_that_is_drawn() {
    let inertia = Some(Inertia { moments: [2.0, 3.0, 4.0], products: [0.0; 3] });
    let description = BodyDescription {
        mass: Some(5.0),
        inertia,
        centre: Some([0.1, 0.2, 0.3]),
        ..BodyDescription::default()
    };
    let body = description.build().expect("a body").model;
    assert_eq!(body.skin.parts().len(), 1);
    for x in &body.surface.vertices {
        let off = distance(&body.skin, DVec3::from_array(*x) - body.centre);
        assert!(off.abs() < 1e-13, "{off} at {x:?}");
    }
    let fixed = BodyDescription { fixed: true, ..BodyDescription::default() };
    assert!(fixed.build().expect("a body").model.skin.is_empty());
}

#[test]
fn a_half_space_has_a_skin_without_end() {
    let description = BodyDescription {
        shape: Some(Shape::HalfSpace(HalfSpace {})),
        fixed: true,
        ..BodyDescription::default()
    };
    let body = description.build().expect("a body").model;
    assert!((distance(&body.skin, DVec3::new(1e3, -1e3, 0.25)) - 0.25).abs() < 1e-15);
}
