//! Large meshes: a search examines few triangles.

use super::{Mesh, Numbers};
use crate::geometry::skin::Bounds;
use glam::DVec3;
use std::cell::Cell;

/// Wavy ground of 2 n² triangles, 1 m wide.
fn ground(n: u32) -> Mesh {
    let at = |k: u32| f64::from(k) / f64::from(n) - 0.5;
    let height = |x: f64, y: f64| 0.05 * libm::sin(9.0 * x) * libm::cos(7.0 * y);
    let vertices: Vec<DVec3> =
        (0..=n).flat_map(|j| (0..=n).map(move |i| DVec3::new(at(i), at(j), height(at(i), at(j))))).collect();
    let number = |i: u32, j: u32| j * (n + 1) + i;
    let cell = |i: u32, j: u32| {
        let (a, c) = (number(i, j), number(i + 1, j + 1));
        [[a, number(i + 1, j), c], [a, c, number(i, j + 1)]]
    };
    let triangles: Vec<[u32; 3]> = (0..n).flat_map(|j| (0..n).flat_map(move |i| cell(i, j))).collect();
    Mesh::new(&vertices, &triangles, false).expect("a mesh")
}

#[test]
fn a_search_in_a_hundred_thousand_triangles_examines_few() {
    let mut means = Vec::new();
    for n in [28, 224] {
        let mesh = ground(n);
        let mut numbers = Numbers(18);
        let (mut sum, mut most) = (0, 0);
        for _ in 0..1000 {
            // Within three edges of the surface, as contacts are.
            let x = numbers.vector() * DVec3::new(0.45, 0.45, 3.0 / f64::from(n));
            let x = x + DVec3::Z * 0.05 * libm::sin(9.0 * x.x) * libm::cos(7.0 * x.y);
            let seen = Cell::new(0);
            let limit = 4.0 / f64::from(n);
            let found = mesh.closest_of(x, limit, |_| seen.set(seen.get() + 1));
            assert!(found.is_some(), "{x}");
            let near = mesh.within(Bounds::of([x]).grown(limit)).count();
            // A box of 8 by 8 cells has 128 triangles; those at its border reach into it.
            assert!(near <= 2 * 10 * 10, "{near} triangles near {x}");
            sum += seen.get();
            most = most.max(seen.get());
        }
        assert!(most < 400, "{most} of {} triangles", mesh.triangles());
        means.push(f64::from(sum) / 1000.0);
    }
    // With 64 times as many triangles the search examines hardly more.
    assert!(means[1] < 2.0 * means[0], "{means:?}");
}
