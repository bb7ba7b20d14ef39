//! Polygons, cut into triangles by clipping ears.

use super::Fault;

/// Most corners of a polygon; the work grows with the square, at worst with the cube.
pub(super) const MOST_CORNERS: usize = 1000;

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The triangles of a polygon, which may have reentrant corners, with its direction. One that crosses itself
/// or has no area becomes a fan.
pub(super) fn triangles(vertices: &[[f64; 3]], corners: &[u32]) -> Result<Vec<[u32; 3]>, Fault> {
    if let &[a, b, c] = corners {
        return Ok(vec![[a, b, c]]);
    }
    if corners.len() > MOST_CORNERS {
        let problem = format!("a polygon has more than {MOST_CORNERS} corners");
        return Err(Fault::new(problem, "cut polygons into triangles when exporting"));
    }
    let flat = in_plane(vertices, corners);
    let mut left: Vec<usize> = (0..corners.len()).collect();
    let mut found = Vec::with_capacity(corners.len().saturating_sub(2));
    while left.len() > 3 {
        // Without an ear, any corner is as good as another.
        let ear = (0..left.len()).find(|&k| is_ear(&flat, &left, k)).unwrap_or(1);
        found.push(around(&left, ear).map(|k| corners[k]));
        left.remove(ear);
    }
    if let &[a, b, c] = left.as_slice() {
        found.push([a, b, c].map(|k| corners[k]));
    }
    Ok(found)
}

/// A corner between its neighbours.
fn around(left: &[usize], k: usize) -> [usize; 3] {
    let n = left.len();
    [left[(k + n - 1) % n], left[k], left[(k + 1) % n]]
}

/// Coordinates of the corners in the plane of the polygon, so that it runs counterclockwise: the components
/// across the largest of the sum of area vectors.
fn in_plane(vertices: &[[f64; 3]], corners: &[u32]) -> Vec<[f64; 2]> {
    let Some(&first) = corners.first() else { return Vec::new() };
    let x: Vec<[f64; 3]> =
        corners.iter().map(|&k| minus(vertices[k as usize], vertices[first as usize])).collect();
    let mut area = [0.0; 3];
    for pair in x.windows(2) {
        let part = cross(pair[0], pair[1]);
        (0..3).for_each(|i| area[i] += part[i]);
    }
    let along = (0..3).max_by(|&i, &j| area[i].abs().total_cmp(&area[j].abs())).unwrap_or(2);
    let (mut u, mut v) = ((along + 1) % 3, (along + 2) % 3);
    if area[along] < 0.0 {
        (u, v) = (v, u);
    }
    x.iter().map(|x| [x[u], x[v]]).collect()
}

/// Twice the area of a triangle, positive if it runs counterclockwise.
fn turn([a, b, c]: [[f64; 2]; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Whether the triangle of a corner and its neighbours is within the polygon: the corner is not reentrant,
/// and no other corner is within.
fn is_ear(flat: &[[f64; 2]], left: &[usize], k: usize) -> bool {
    let ids = around(left, k);
    let [a, b, c] = ids.map(|k| flat[k]);
    turn([a, b, c]) > 0.0
        && left.iter().filter(|other| !ids.contains(other)).all(|&other| {
            let p = flat[other];
            let within = turn([a, b, p]) >= 0.0 && turn([b, c, p]) >= 0.0 && turn([c, a, p]) >= 0.0;
            !within || [a, b, c].contains(&p)
        })
}
