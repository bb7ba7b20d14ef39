//! Distance fields against their definitions.

use super::*;
use crate::geometry::skin::Bounds;

/// Rounding of coordinates of size one, some operations deep.
const ROUNDING: f64 = 1e-14;

#[test]
fn the_distance_is_that_of_the_closest_point_along_the_normal() {
    let mut numbers = Numbers(1);
    for (name, form) in forms() {
        for _ in 0..4000 {
            let x = numbers.vector() * 1.5 + if name == "height field" { DVec3::ONE } else { DVec3::ZERO };
            let part = Part::new(form.clone(), Pose::IDENTITY);
            let field = part.field(x);
            assert!((field.normal.length() - 1.0).abs() < ROUNDING, "{name}: {field:?}");
            let error = (field.point + field.normal * field.distance - x).length();
            assert!(error < 2e-13, "{name}: {error} of {field:?}");
            // The closest point is on the surface.
            let there = part.field(field.point).distance;
            assert!(there.abs() < 1e-13, "{name}: {there} at {:?}", field.point);
        }
    }
}

#[test]
fn the_normal_is_the_gradient_of_the_distance() {
    let mut numbers = Numbers(2);
    for (name, form) in forms() {
        let part = Part::new(form.clone(), Pose::IDENTITY);
        let mut checked = 0;
        for _ in 0..2000 {
            let x = numbers.vector() * 1.2 + if name == "height field" { DVec3::ONE } else { DVec3::ZERO };
            let h = 1e-6;
            let steps =
                [DVec3::X, DVec3::Y, DVec3::Z].map(|e| [part.field(x - e * h), part.field(x + e * h)]);
            let normal = part.field(x).normal;
            // Not across edges of the inside, where the nearest face changes.
            if steps.iter().flatten().any(|field| field.normal.dot(normal) < 1.0 - 1e-10) {
                continue;
            }
            let gradient = steps.map(|[a, b]| (b.distance - a.distance) / (2.0 * h));
            // Between a face and an edge the curvature jumps, and the normal turns by 1e-5; rounding 1e-16/h.
            let error = (DVec3::from_array(gradient) - normal).length();
            assert!(error < 1e-5, "{name}: {error} at {x}");
            checked += 1;
        }
        assert!(checked > 1000, "{name}: {checked}");
    }
}

/// Points on the surface of a form of triangles, by shares of corners.
fn surface((vertices, triangles): &(Vec<DVec3>, Vec<[u32; 3]>), steps: u32) -> Vec<DVec3> {
    let mut points = Vec::new();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| vertices[corner as usize]);
        for i in 0..=steps {
            for j in 0..=steps - i {
                let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(steps));
                points.push(a + (b - a) * u + (c - a) * v);
            }
        }
    }
    points
}

#[test]
fn no_point_of_a_surface_is_nearer_than_the_closest() {
    let mut numbers = Numbers(3);
    let (hull, mesh) = (prism(7, 0.6, 0.4), torus(24, 12));
    for (form, facets) in [(hull_of(hull.clone()), hull), (mesh_of(mesh.clone(), true), mesh)] {
        let part = Part::new(form, Pose::IDENTITY);
        let points = surface(&facets, 12);
        for _ in 0..300 {
            let x = numbers.vector() * 1.2;
            let field = part.field(x);
            let sampled = points.iter().map(|p| p.distance(x)).fold(f64::INFINITY, f64::min);
            // Samples are at most 0.1 apart: p' within 0.06 of p, so d' − d < 0.06.
            let excess = sampled - field.distance.abs();
            assert!((-1e-13..0.06).contains(&excess), "{excess} at {x}");
        }
    }
}

#[test]
fn the_distance_is_negative_inside_a_mesh_that_is_not_convex() {
    // The solid angle of the surface, over 4π: 1 inside, 0 outside.
    let (vertices, triangles) = torus(24, 12);
    let winding = |x: DVec3| {
        let angle = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|corner| vertices[corner as usize] - x);
            let [p, q, r] = [a.length(), b.length(), c.length()];
            let volume = a.dot(b.cross(c));
            2.0 * libm::atan2(volume, p * q * r + a.dot(b) * r + b.dot(c) * p + c.dot(a) * q)
        };
        triangles.iter().map(angle).sum::<f64>() / (4.0 * PI)
    };
    let part = Part::new(mesh_of((vertices.clone(), triangles.clone()), true), Pose::IDENTITY);
    let mut numbers = Numbers(4);
    let mut inside = 0;
    for _ in 0..5000 {
        let x = numbers.vector() * DVec3::new(1.2, 1.2, 0.4);
        let field = part.field(x);
        assert_eq!(field.distance < 0.0, winding(x) > 0.5, "{field:?} at {x}");
        inside += usize::from(field.distance < 0.0);
    }
    assert!(inside > 500, "{inside}");
    // Beside each corner, where the sign is that of the pseudo-normal.
    for vertex in &vertices {
        for _ in 0..20 {
            let x = *vertex + numbers.vector() * 1e-3;
            assert_eq!(part.field(x).distance < 0.0, winding(x) > 0.5, "at {x}");
        }
    }
}

#[test]
fn a_hull_a_box_and_its_closed_mesh_have_the_same_field() {
    let half = DVec3::new(0.5, 0.8, 0.3);
    let own = Part::new(Form::Box { half }, Pose::IDENTITY);
    let hull = Part::new(hull_of(box_facets(half)), Pose::IDENTITY);
    let mesh = Part::new(mesh_of(box_facets(half), true), Pose::IDENTITY);
    let Form::Hull(inner) = hull.form() else { unreachable!() };
    assert_eq!((inner.faces.len(), inner.edges.len()), (6, 12));
    let mut numbers = Numbers(5);
    for _ in 0..5000 {
        let x = numbers.vector() * 1.2;
        let field = own.field(x);
        for other in [hull.field(x), mesh.field(x)] {
            assert!((field.distance - other.distance).abs() < 1e-14, "{field:?} {other:?}");
            assert!(field.normal.distance(other.normal) < 1e-11, "{field:?} {other:?}");
        }
    }
}

#[test]
fn ground_is_the_open_mesh_of_its_grid_and_solid_below() {
    let Form::HeightField(field) = ground() else { unreachable!() };
    let [nx, ny] = field.cells();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (i, j, second) in (0..nx).flat_map(|i| (0..ny).flat_map(move |j| [(i, j, false), (i, j, true)])) {
        let first = vertices.len() as u32;
        vertices.extend(field.corners([i, j], second));
        triangles.push([first, first + 1, first + 2]);
    }
    let mesh = Part::new(mesh_of((vertices, triangles), false), Pose::IDENTITY);
    let ground = Part::new(ground(), Pose::IDENTITY);
    let mut numbers = Numbers(6);
    let mut below = 0;
    for _ in 0..3000 {
        let x = DVec3::new(1.2, 1.25, 0.0) + numbers.vector() * DVec3::new(1.6, 1.6, 0.8);
        let (a, b) = (ground.field(x), mesh.field(x));
        assert!((a.distance.abs() - b.distance).abs() < 1e-14, "{a:?} {b:?}");
        below += usize::from(a.distance < 0.0);
        // A limit never hides what is nearer.
        let limited = ground.form().field(x, 0.1);
        assert!(limited == Some(a) || (limited.is_none() && a.distance >= 0.1), "{limited:?} {a:?}");
    }
    assert!(below > 500, "{below}");
}

#[test]
fn bounds_hold_the_surface_in_any_pose() {
    let mut numbers = Numbers(7);
    for (name, form) in forms() {
        let skin = skin(&form, numbers.pose());
        let pose = numbers.pose();
        let bounds = skin.bounds(&pose);
        assert_eq!(bounds.is_finite(), name != "half-space" && name != "height field");
        for _ in 0..200 {
            let field = skin.parts()[0].field(numbers.vector() * 3.0);
            let x = pose.point(skin.parts()[0].pose().point(field.point));
            assert!(bounds.grown(1e-12).contains(x), "{name}");
        }
    }
    assert_eq!(Skin::default().bounds(&numbers.pose()), Bounds::EMPTY);
}

#[test]
fn skins_are_equal_if_their_parts_are() {
    let half = DVec3::new(0.5, 0.8, 0.3);
    let make = || skin(&mesh_of(box_facets(half), true), Pose::at(DVec3::X));
    assert_eq!(make(), make());
    assert_ne!(make(), skin(&mesh_of(box_facets(half), true), Pose::IDENTITY));
    assert_ne!(make(), skin(&hull_of(box_facets(half)), Pose::at(DVec3::X)));
}
