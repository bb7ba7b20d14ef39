//! Statements about shapes, their matter and their surfaces; here, what they share.

mod hulls;
mod inertia;
mod matter;
mod meshes;
mod skins;

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
