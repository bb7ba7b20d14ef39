//! Checks that a mesh is the surface of a solid: closed, oriented, with volume, and nowhere through itself.
//!
//! In order: corners exist, are finite, span an area; each edge is used twice, in opposite directions; the
//! volume is positive (a surface that is inside out is turned); no two triangles cross; no shell lies within
//! another unless it is turned, as that of a cavity is.

use super::integrals::mesh_integrals;
use super::intersect::first_crossing;
use super::surface::{EdgeUse, by_edge, edge_uses};
use crate::error::check;
use crate::short::Short;
use glam::DVec3;
use std::f64::consts::PI;

/// Least area of a triangle over the square of the size.
const LEAST_AREA: f64 = 1e-12;

/// Least volume over the cube of the size.
const LEAST_VOLUME: f64 = 1e-9;

/// Triangles that the check of nested shells may visit: a second. Meshes of very many shells are not checked
/// to the end.
const MOST_VISITS: usize = 50_000_000;

/// A mesh that is the surface of a solid.
#[derive(Debug)]
pub(super) struct Checked {
    /// The triangles, counterclockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Whether all triangles were turned, because the surface was inside out.
    pub turned: bool,
}

/// A fault of a mesh.
#[derive(Debug)]
pub(super) struct MeshFault {
    /// Whether vertices are wrong, rather than triangles.
    pub of_vertices: bool,
    pub problem: String,
    pub remedy: &'static str,
}

fn fault(problem: String, remedy: &'static str) -> MeshFault {
    MeshFault { of_vertices: false, problem, remedy }
}

/// Checks a mesh. All places in messages are in metres, all numbers count from 0.
pub(super) fn check_mesh(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Checked, MeshFault> {
    check_corners(vertices, triangles)?;
    let size = size(vertices, triangles);
    check_areas(vertices, triangles, size)?;
    let uses = edge_uses(triangles);
    check_pairs(vertices, &uses, triangles.len())?;
    check_closed(vertices, &uses)?;
    let volume = mesh_integrals(vertices, triangles).amount;
    if volume.abs() <= LEAST_VOLUME * size.powi(3) {
        let problem = format!(
            "the surface encloses a volume of {} m³ at a size of {} m: it is flat",
            Short(volume.abs()),
            Short(size)
        );
        return Err(fault(problem, "give the surface a thickness, or use a box"));
    }
    let turned = volume < 0.0;
    let triangles: Vec<[u32; 3]> =
        triangles.iter().map(|&[a, b, c]| if turned { [a, c, b] } else { [a, b, c] }).collect();
    if let Some(crossing) = first_crossing(vertices, &triangles, &uses, size) {
        let [a, b] = crossing.triangles;
        let problem =
            format!("the surface cuts itself: triangles {a} and {b} cross at {}", At(crossing.point));
        let remedy =
            "unite overlapping parts in the modelling program, or give each part as one of a `compound`";
        return Err(fault(problem, remedy));
    }
    check_shells(vertices, &triangles, &uses)?;
    Ok(Checked { triangles, turned })
}

/// Checks a mesh that is only drawn: its corners must exist and be finite. A closed surface that is inside
/// out is turned; any other mesh is drawn as given.
pub(super) fn check_drawn(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Checked, MeshFault> {
    check_corners(vertices, triangles)?;
    let as_given = Checked { triangles: triangles.to_vec(), turned: false };
    Ok(check_mesh(vertices, triangles).unwrap_or(as_given))
}

/// A place in a message.
struct At(DVec3);

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {}, {}) m", Short(self.0.x), Short(self.0.y), Short(self.0.z))
    }
}

/// Index range, finite.
fn check_corners(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), MeshFault> {
    if triangles.is_empty() {
        return Err(fault("the mesh has no triangles".to_owned(), "give at least four triangles"));
    }
    if u32::try_from(vertices.len()).is_err() || u32::try_from(triangles.len()).is_err() {
        return Err(fault("the mesh has more than 4 billion parts".to_owned(), "give a coarser mesh"));
    }
    for (k, triangle) in triangles.iter().enumerate() {
        if let Some(corner) = triangle.iter().find(|&&corner| corner as usize >= vertices.len()) {
            let problem =
                format!("triangle {k} has the corner {corner}, but there are {} vertices", vertices.len());
            return Err(fault(problem, "count vertices from 0"));
        }
    }
    for (k, x) in vertices.iter().enumerate() {
        if !x.is_finite() || x.abs().max_element() > check::LARGEST {
            let problem = format!("vertex {k} is at {}", At(*x));
            return Err(MeshFault {
                of_vertices: true,
                problem,
                remedy: "give finite coordinates of at most 1e30 m",
            });
        }
    }
    Ok(())
}

/// Longest side of the box around all corners.
fn size(vertices: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let corners = || triangles.iter().flatten().map(|&corner| vertices[corner as usize]);
    let low = corners().fold(DVec3::INFINITY, DVec3::min);
    let high = corners().fold(DVec3::NEG_INFINITY, DVec3::max);
    (high - low).max_element()
}

fn check_areas(vertices: &[DVec3], triangles: &[[u32; 3]], size: f64) -> Result<(), MeshFault> {
    for (k, triangle) in triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|corner| vertices[corner as usize]);
        let area = 0.5 * (b - a).cross(c - a).length();
        if area <= LEAST_AREA * size * size {
            let [i, j, l] = triangle;
            let problem = format!("triangle {k} (vertices {i}, {j}, {l}) at {} has no area", At(a));
            return Err(fault(problem, "merge vertices at the same place and remove the triangle"));
        }
    }
    Ok(())
}

/// Each edge once in each direction, at most.
fn check_pairs(vertices: &[DVec3], uses: &[EdgeUse], triangles: usize) -> Result<(), MeshFault> {
    let middle = |edge: &EdgeUse| 0.5 * (vertices[edge.low as usize] + vertices[edge.high as usize]);
    if let Some(several) = by_edge(uses).find(|uses| uses.len() > 2) {
        let mut listed: Vec<u32> = several.iter().map(|edge| edge.triangle).collect();
        listed.sort_unstable();
        let listed: Vec<String> = listed.iter().take(8).map(u32::to_string).collect();
        let problem = format!(
            "{} triangles meet at the edge between vertices {} and {} at {}: {}{}",
            several.len(),
            several[0].low,
            several[0].high,
            At(middle(&several[0])),
            listed.join(", "),
            if several.len() > 8 { ", …" } else { "" }
        );
        let remedy =
            "two triangles may share an edge: remove walls within the solid, or separate parts that touch";
        return Err(fault(problem, remedy));
    }
    let flipped = |uses: &&[EdgeUse]| uses.len() == 2 && uses[0].backward == uses[1].backward;
    // One flipped triangle disagrees with all its neighbours, they only with it.
    let mut disagreements = vec![0_u32; triangles];
    for edge in by_edge(uses).filter(flipped).flatten() {
        disagreements[edge.triangle as usize] += 1;
    }
    let of = |edge: &EdgeUse| disagreements[edge.triangle as usize];
    let mut worst: Option<[&EdgeUse; 2]> = None;
    for uses in by_edge(uses).filter(flipped) {
        let pair = if of(&uses[1]) > of(&uses[0]) { [&uses[1], &uses[0]] } else { [&uses[0], &uses[1]] };
        if worst.is_none_or(|[a, _]| of(pair[0]) > of(a)) {
            worst = Some(pair);
        }
    }
    let Some([a, b]) = worst else { return Ok(()) };
    let problem = format!(
        "triangle {} faces the other way than its neighbour {}: \
         both run along the edge of vertices {} and {} at {} in the same direction",
        a.triangle,
        b.triangle,
        a.low,
        a.high,
        At(middle(a))
    );
    Err(fault(problem, "turn one of them; all triangles run counterclockwise seen from outside"))
}

/// Each edge twice.
fn check_closed(vertices: &[DVec3], uses: &[EdgeUse]) -> Result<(), MeshFault> {
    let open: Vec<&EdgeUse> = by_edge(uses).filter(|uses| uses.len() == 1).map(|uses| &uses[0]).collect();
    let Some(first) = open.first() else { return Ok(()) };
    let mut ends: Vec<u32> = open.iter().flat_map(|edge| [edge.low, edge.high]).collect();
    ends.sort_unstable();
    ends.dedup();
    let position = |vertex: u32| ends.partition_point(|&end| end < vertex);
    let mut groups = Groups::new(ends.len());
    for edge in &open {
        groups.join(position(edge.low), position(edge.high));
    }
    let loops = (0..ends.len()).filter(|&k| groups.root(k) == k).count();
    let plural = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let problem = format!(
        "the surface is open: {} in {}, one at vertex {} at {}, beside triangle {}",
        plural(open.len(), "open edge"),
        plural(loops, "loop"),
        first.low,
        At(vertices[first.low as usize]),
        first.triangle
    );
    Err(fault(problem, "close the holes in the modelling program, and merge vertices at the same place"))
}

/// Groups of joined numbers.
struct Groups(Vec<usize>);

impl Groups {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// The least number of a group.
    fn root(&mut self, mut k: usize) -> usize {
        while self.0[k] != k {
            self.0[k] = self.0[self.0[k]];
            k = self.0[k];
        }
        k
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// A connected part of a surface.
struct Shell {
    triangles: Vec<[u32; 3]>,
    first: usize,
    low: DVec3,
    high: DVec3,
}

/// Just within each shell, the other shells must leave empty space, or matter if the shell is turned.
fn check_shells(vertices: &[DVec3], triangles: &[[u32; 3]], uses: &[EdgeUse]) -> Result<(), MeshFault> {
    let shells = shells(vertices, triangles, uses);
    let mut visits = 0_usize;
    for (k, shell) in shells.iter().enumerate().filter(|_| shells.len() > 1) {
        let cavity = mesh_integrals(vertices, &shell.triangles).amount < 0.0;
        let x = just_within(vertices, shell.triangles[0], cavity);
        let mut winding = 0.0;
        for (_, other) in shells.iter().enumerate().filter(|&(j, _)| j != k) {
            if x.cmpge(other.low).all() && x.cmple(other.high).all() {
                visits += other.triangles.len();
                winding += turns_around(x, vertices, &other.triangles);
            }
        }
        if visits > MOST_VISITS {
            return Ok(());
        }
        let expected = if cavity { 1.0 } else { 0.0 };
        if (winding - expected).abs() > 0.5 {
            let place = format!("the shell of triangle {} at {}", shell.first, At(x));
            return Err(if cavity {
                fault(
                    format!("{place} is inside out"),
                    "turn its triangles; only shells of cavities are turned",
                )
            } else {
                fault(
                    format!("{place} lies within another shell, and its matter would count twice"),
                    "turn its triangles if it is a cavity, or remove it",
                )
            });
        }
    }
    Ok(())
}

/// A point near a triangle, on the side of what its shell encloses: shells may touch, but not there.
fn just_within(vertices: &[DVec3], triangle: [u32; 3], cavity: bool) -> DVec3 {
    let [a, b, c] = triangle.map(|corner| vertices[corner as usize]);
    let double_area = (b - a).cross(c - a);
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    let inwards = double_area / longest * if cavity { 1e-6 } else { -1e-6 };
    a + (b - a + c - a) / 3.0 + inwards
}

fn shells(vertices: &[DVec3], triangles: &[[u32; 3]], uses: &[EdgeUse]) -> Vec<Shell> {
    let mut groups = Groups::new(triangles.len());
    for edge in by_edge(uses) {
        groups.join(edge[0].triangle as usize, edge[edge.len() - 1].triangle as usize);
    }
    let mut of_root = vec![usize::MAX; triangles.len()];
    let mut shells: Vec<Shell> = Vec::new();
    for (k, triangle) in triangles.iter().enumerate() {
        let root = groups.root(k);
        if of_root[root] == usize::MAX {
            of_root[root] = shells.len();
            let (low, high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            shells.push(Shell { triangles: Vec::new(), first: k, low, high });
        }
        let shell = &mut shells[of_root[root]];
        shell.triangles.push(*triangle);
        for &corner in triangle {
            shell.low = shell.low.min(vertices[corner as usize]);
            shell.high = shell.high.max(vertices[corner as usize]);
        }
    }
    shells
}

/// How often a closed surface surrounds `x`: the sum of the solid angles of its triangles over 4π, with
/// `tan(Ω/2) = a·(b×c) / (|a||b||c| + a·b|c| + b·c|a| + c·a|b|)`.
fn turns_around(x: DVec3, vertices: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let angle = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| vertices[corner as usize] - x);
        let [la, lb, lc] = [a, b, c].map(DVec3::length);
        libm::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    triangles.iter().map(angle).sum::<f64>() / (2.0 * PI)
}
