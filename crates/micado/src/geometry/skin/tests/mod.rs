//! Skins against their definitions.

mod chains;
mod fields;
mod large;
mod nearing;
mod pairs;
mod resting;

use super::{Form, HeightField, Hull, Mesh, Part, Pose, Skin};
use crate::geometry::closest::Cubic;
use glam::{DQuat, DVec3};
use std::f64::consts::PI;
use std::sync::Arc;

/// Numbers between −1 and 1 (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    fn pose(&mut self) -> Pose {
        let rotation = DQuat::from_xyzw(self.next(), self.next(), self.next(), self.next()).normalize();
        Pose::new(self.vector() * 2.0, rotation)
    }
}

/// Corners and triangles of a box with these half sizes.
fn box_facets(half: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let side = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let vertices = (0..8).map(|k| DVec3::new(side(k, 0), side(k, 1), side(k, 2)) * half).collect();
    let faces: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    (vertices, faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

/// A prism over a regular polygon, its axis along z.
fn prism(sides: u32, radius: f64, half: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let n = sides;
    let mut vertices = Vec::new();
    for z in [-half, half] {
        for k in 0..n {
            let (sin, cos) = libm::sincos(2.0 * PI * f64::from(k) / f64::from(n));
            vertices.push(DVec3::new(radius * cos, radius * sin, z));
        }
    }
    let mut triangles = Vec::new();
    for k in 0..n {
        let next = (k + 1) % n;
        triangles.extend([[k, next, n + next], [k, n + next, n + k]]);
    }
    for k in 1..n - 1 {
        triangles.extend([[0, k + 1, k], [n, n + k, n + k + 1]]);
    }
    (vertices, triangles)
}

/// A torus about z of `around` by `across` quadrilaterals.
fn torus(around: u32, across: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut vertices = Vec::new();
    for i in 0..around {
        let (s, c) = libm::sincos(2.0 * PI * f64::from(i) / f64::from(around));
        for j in 0..across {
            let (t, d) = libm::sincos(2.0 * PI * f64::from(j) / f64::from(across));
            let rho = 0.8 + 0.3 * d;
            vertices.push(DVec3::new(rho * c, rho * s, 0.3 * t));
        }
    }
    let at = |i: u32, j: u32| (i % around) * across + j % across;
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    (vertices, triangles)
}

/// An open surface of bumps over x and y.
fn bumps(n: u32, size: f64, height: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut vertices = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let (x, y) = (f64::from(i) / f64::from(n) - 0.5, f64::from(j) / f64::from(n) - 0.5);
            let z = height * libm::sin(15.0 * x) * libm::cos(7.0 * y);
            vertices.push(DVec3::new(x * size, y * size, z));
        }
    }
    let at = |i: u32, j: u32| j * (n + 1) + i;
    let mut triangles = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    (vertices, triangles)
}

fn hull_of((vertices, triangles): (Vec<DVec3>, Vec<[u32; 3]>)) -> Form {
    Form::Hull(Arc::new(Hull::new(&vertices, &triangles).expect("a hull")))
}

fn mesh_of((vertices, triangles): (Vec<DVec3>, Vec<[u32; 3]>), closed: bool) -> Form {
    Form::Mesh(Arc::new(Mesh::new(&vertices, &triangles, closed).expect("a mesh")))
}

fn ground() -> Form {
    let height = |k: usize| {
        let (x, y) = ((k % 13) as f64, (k / 13) as f64);
        0.2 * libm::sin(0.9 * x) * libm::cos(0.7 * y)
    };
    let field = HeightField::new([13, 11], [0.2, 0.25], (0..143).map(height).collect());
    Form::HeightField(Arc::new(field.expect("a height field")))
}

/// One of each form, with a name.
fn forms() -> Vec<(&'static str, Form)> {
    vec![
        ("half-space", Form::HalfSpace),
        ("sphere", Form::Sphere { radius: 0.7 }),
        ("box", Form::Box { half: DVec3::new(0.5, 0.8, 0.3) }),
        ("capsule", Form::Capsule { radius: 0.3, half: 0.6 }),
        ("cylinder", Form::Cylinder { radius: 0.4, half: 0.7 }),
        ("cone", Form::Cone { radius: 0.5, half: 0.6 }),
        ("hull", hull_of(prism(7, 0.6, 0.4))),
        ("closed mesh", mesh_of(torus(24, 12), true)),
        ("open mesh", mesh_of(bumps(12, 2.0, 0.3), false)),
        ("height field", ground()),
    ]
}

/// A chain of equal straight pieces from a to b.
fn straight(a: DVec3, b: DVec3, pieces: usize) -> (Vec<Cubic>, Vec<f64>) {
    let way = (b - a) / pieces as f64;
    let piece = |k: usize| Cubic { coefficients: [a + way * k as f64, way, DVec3::ZERO, DVec3::ZERO] };
    let arc = (0..=pieces).map(|k| way.length() * k as f64).collect();
    ((0..pieces).map(piece).collect(), arc)
}

/// A chain through points at equal distances of f along a curve with this derivative.
fn along(
    pieces: usize,
    x: impl Fn(f64) -> DVec3,
    derivative: impl Fn(f64) -> DVec3,
) -> (Vec<Cubic>, Vec<f64>) {
    let n = pieces as f64;
    let cubics: Vec<Cubic> = (0..pieces)
        .map(|k| {
            let [a, b] = [k as f64 / n, (k + 1) as f64 / n];
            Cubic::hermite([x(a), x(b)], [derivative(a) / n, derivative(b) / n])
        })
        .collect();
    let arc = (0..=pieces).map(|k| k as f64 / n).collect();
    (cubics, arc)
}

fn skin(form: &Form, pose: Pose) -> Skin {
    Skin::new(vec![Part::new(form.clone(), pose)])
}
