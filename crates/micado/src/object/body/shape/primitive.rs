//! Closed forms and facets of simple shapes.

use super::integrals::Integrals;
use glam::{DVec3, Vec3Swizzles};
use std::collections::HashMap;
use std::f64::consts::PI;

/// Vertices and triangles.
pub(super) type Facets = (Vec<DVec3>, Vec<[u32; 3]>);

/// Fineness of what is drawn: balls of 1280 facets, circles of 48 sides.
pub(super) const DRAWN: u32 = 3;

/// Half of the side of the square that is drawn for a half-space, m.
const HALF_SPACE: f64 = 10.0;

/// Sides of a circle.
fn around(fineness: u32) -> u32 {
    6 << fineness
}

/// `V = 4πr³/3`, `C = V r²/5 Id`.
pub(super) fn sphere(radius: f64) -> Integrals {
    let volume = 4.0 / 3.0 * PI * radius.powi(3);
    Integrals::along_axes(volume, DVec3::ZERO, DVec3::splat(volume * radius * radius / 5.0))
}

/// `V = abc`, `C = V/12 diag(a², b², c²)`.
pub(super) fn cuboid(size: DVec3) -> Integrals {
    let volume = size.x * size.y * size.z;
    Integrals::along_axes(volume, DVec3::ZERO, size * size * (volume / 12.0))
}

/// `V = πr²l`, `C = V diag(l²/12, r²/4, r²/4)`.
pub(super) fn cylinder(radius: f64, length: f64) -> Integrals {
    let volume = PI * radius * radius * length;
    let across = volume * radius * radius / 4.0;
    Integrals::along_axes(volume, DVec3::ZERO, DVec3::new(volume * length * length / 12.0, across, across))
}

/// A cylinder and two half balls, whose centres are 3r/8 beyond its ends:
/// `C_xx` of both is `V (l²/4 + 3lr/8 + r²/5)`.
pub(super) fn capsule(radius: f64, length: f64) -> Integrals {
    let (ball, tube) = (sphere(radius), cylinder(radius, length));
    let mut ends = ball.moments;
    ends.x_axis.x += ball.amount * (length * length / 4.0 + 3.0 * length * radius / 8.0);
    Integrals { amount: ball.amount + tube.amount, centre: DVec3::ZERO, moments: tube.moments + ends }
}

/// `V = πr²l/3`, centre at a quarter of the length, `C = V diag(3l²/80, 3r²/20, 3r²/20)`.
pub(super) fn cone(radius: f64, length: f64) -> Integrals {
    let volume = PI * radius * radius * length / 3.0;
    let across = volume * 3.0 * radius * radius / 20.0;
    let centre = DVec3::new(-length / 4.0, 0.0, 0.0);
    Integrals::along_axes(volume, centre, DVec3::new(volume * 3.0 * length * length / 80.0, across, across))
}

/// An icosahedron whose triangles are split into four, `fineness` times, with all vertices on the ball.
pub(super) fn sphere_facets(radius: f64, fineness: u32) -> Facets {
    let g = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut vertices: Vec<DVec3> = Vec::new();
    for (one, long) in [(-1.0, g), (1.0, g), (-1.0, -g), (1.0, -g)] {
        let corner = DVec3::new(one, long, 0.0).normalize();
        vertices.extend([corner, corner.zxy(), corner.yzx()]);
    }
    // The faces of an icosahedron: three corners that are neighbours of each other.
    let edge = 2.0 / (1.0 + g * g).sqrt();
    let near = |i: usize, j: usize| (vertices[i].distance(vertices[j]) - edge).abs() < 0.1;
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                if near(i, j) && near(j, k) && near(i, k) {
                    let [a, b, c] = [i, j, k].map(|v| vertices[v]);
                    let outwards = a.dot(b.cross(c)) > 0.0;
                    let [i, j, k] = [i, j, k].map(|v| v as u32);
                    triangles.push(if outwards { [i, j, k] } else { [i, k, j] });
                }
            }
        }
    }
    for _ in 0..fineness {
        let mut middles: HashMap<(u32, u32), u32> = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
                vertices.len() as u32 - 1
            })
        };
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    (vertices.into_iter().map(|x| x * radius).collect(), triangles)
}

/// The corner k of a box is at the upper side of x, y, z where bit 0, 1, 2 of k is set.
pub(super) fn cuboid_facets(size: DVec3) -> Facets {
    let side = |k: u32, bit: u32| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
    let vertices = (0..8).map(|k| DVec3::new(side(k, 0), side(k, 1), side(k, 2)) * size).collect();
    let faces: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    (vertices, faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

/// Two circles and their centres.
pub(super) fn cylinder_facets(radius: f64, length: f64, fineness: u32) -> Facets {
    let half = 0.5 * length;
    revolve(&[[-half, 0.0], [-half, radius], [half, radius], [half, 0.0]], fineness)
}

/// A circle, its centre and the apex.
pub(super) fn cone_facets(radius: f64, length: f64, fineness: u32) -> Facets {
    let half = 0.5 * length;
    revolve(&[[-half, 0.0], [-half, radius], [half, 0.0]], fineness)
}

/// Circles of latitude on both half balls, which include those of the cylinder.
pub(super) fn capsule_facets(radius: f64, length: f64, fineness: u32) -> Facets {
    let quarter = 2 << fineness;
    let arc = |k: u32| {
        let (sin, cos) = libm::sincos(0.5 * PI * f64::from(k) / f64::from(quarter));
        [0.5 * length + radius * sin, radius * cos]
    };
    let mut profile = vec![[-0.5 * length - radius, 0.0]];
    profile.extend((0..quarter).rev().map(|k| [-arc(k)[0], arc(k)[1]]));
    profile.extend((0..quarter).map(arc));
    profile.push([0.5 * length + radius, 0.0]);
    revolve(&profile, fineness)
}

/// The square that stands for a half-space.
pub(super) fn half_space_facets() -> Facets {
    let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0) * HALF_SPACE;
    let vertices = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    (vertices, vec![[0, 1, 2], [0, 2, 3]])
}

/// A surface about x: `profile` holds (x, radius) from −x to +x, both ends on the axis.
fn revolve(profile: &[[f64; 2]], fineness: u32) -> Facets {
    let n = around(fineness);
    let rings = &profile[1..profile.len() - 1];
    let mut vertices = Vec::new();
    for &[x, r] in rings {
        vertices.extend((0..n).map(|k| {
            let (sin, cos) = libm::sincos(2.0 * PI * f64::from(k) / f64::from(n));
            DVec3::new(x, r * cos, r * sin)
        }));
    }
    let [first, last] = [vertices.len() as u32, vertices.len() as u32 + 1];
    vertices.extend([profile[0], profile[profile.len() - 1]].map(|[x, _]| DVec3::new(x, 0.0, 0.0)));
    let top = first - n;
    let mut triangles = Vec::new();
    for k in 0..n {
        let next = (k + 1) % n;
        triangles.push([first, next, k]);
        for ring in (0..top).step_by(n as usize) {
            let (a, b) = (ring + k, ring + next);
            triangles.extend([[a, b, b + n], [a, b + n, a + n]]);
        }
        triangles.push([top + k, top + next, last]);
    }
    (vertices, triangles)
}
