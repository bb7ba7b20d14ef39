//! Contacts of convex solids with meshes and ground, one triangle after the other.
//!
//! Triangles push to their outer side. A direction that belongs to an edge is allowed between the normals of
//! the triangles on both sides; elsewhere the normal of the triangle takes its place, so that solids slide
//! over flat and hollow edges as if there were none (C. Ericson; E. Coumans, GDC 2015).

use super::super::hull::{Edge, Face, Hull};
use super::super::part::Form;
use super::super::pose::{Bounds, Pose};
use super::super::triangle::Triangle;
use super::axis::Search;
use super::manifold::{Facing, Polygons, manifold};
use super::solid::{Kind, Solid};
use super::{Touch, reduce};
use glam::DVec3;

/// Slack of heights, over the size of the triangle, and of directions.
const WITHIN: f64 = 1e-6;

/// Calls `visit` with the triangles whose boxes meet a box.
pub(super) fn triangles(form: &Form, range: &Bounds, mut visit: impl FnMut(Triangle)) {
    match form {
        Form::Mesh(mesh) => {
            mesh.within(*range).filter_map(|number| mesh.triangle(number)).for_each(visit);
        }
        Form::HeightField(ground) => {
            let Some([low, high]) = ground.cells_within(range) else {
                return;
            };
            for j in low[1]..=high[1] {
                for i in low[0]..=high[0] {
                    for second in [false, true] {
                        visit(ground.triangle([i, j], second));
                    }
                }
            }
        }
        _ => {}
    }
}

/// Whether both sides of a form are outside.
fn has_two_sides(form: &Form) -> bool {
    matches!(form, Form::Mesh(mesh) if !mesh.is_closed())
}

/// Scratch: the triangle as a polyhedron.
#[derive(Clone, Debug)]
pub(super) struct Flat(Hull);

impl Default for Flat {
    /// A prism without height: both sides, and the planes through its edges.
    fn default() -> Self {
        let face = |corners: &[u32]| Face { normal: DVec3::Z, offset: 0.0, corners: corners.to_vec() };
        let faces = vec![face(&[0, 1, 2]), face(&[0, 2, 1]), face(&[0, 1]), face(&[1, 2]), face(&[2, 0])];
        let edge = |k: u32, side: u32| Edge { ends: [k, (k + 1) % 3], faces: [side, 2 + k] };
        let edges = (0..3).flat_map(|k| [edge(k, 0), edge(k, 1)]).collect();
        Self(Hull::flat(vec![DVec3::ZERO; 3], faces, edges))
    }
}

impl Flat {
    /// The triangle with this normal.
    fn set(&mut self, corners: [DVec3; 3], normal: DVec3) -> &Hull {
        self.0.vertices.copy_from_slice(&corners);
        for k in 0..3 {
            let out = (corners[(k + 1) % 3] - corners[k]).cross(normal).normalize_or(normal);
            self.0.faces[2 + k].normal = out;
            self.0.faces[2 + k].offset = out.dot(corners[k]);
        }
        for (k, side) in [1.0, -1.0].into_iter().enumerate() {
            self.0.faces[k].normal = normal * side;
            self.0.faces[k].offset = normal.dot(corners[0]) * side;
        }
        &self.0
    }
}

/// Contacts of a convex solid with a mesh or ground, in whose axes `pose` is.
#[expect(clippy::too_many_arguments, reason = "scratch that lives apart")]
pub(super) fn touch(
    kind: Kind<'_>,
    own: &Bounds,
    pose: &Pose,
    form: &Form,
    reach: f64,
    (search, polygons, flat): (&mut Search, &mut Polygons, &mut Flat),
    out: &mut Vec<Touch>,
    scratch: &mut Vec<Touch>,
) {
    let first = out.len();
    let range = own.placed(pose).grown(reach.max(0.0));
    let size = own.size();
    let two_sided = has_two_sides(form);
    let middle = pose.point(0.5 * (own.low + own.high));
    triangles(form, &range, |triangle| {
        let Triangle { corners, mut normal, mut beyond, mut twins, number } = triangle;
        let mut order = corners;
        if two_sided && (middle - corners[0]).dot(normal) < 0.0 {
            normal = -normal;
            order = [corners[0], corners[2], corners[1]];
            beyond = [beyond[2], beyond[1], beyond[0]];
            twins = [twins[2], twins[1], twins[0]];
        }
        let height = |d: DVec3| (pose.point(kind.support(pose.local_vector(d))) - order[0]).dot(normal);
        let (low, high) = (height(-normal), height(normal));
        // Beyond reach, or all on the inner side.
        if low >= reach || high <= 0.0 {
            return;
        }
        let hull = flat.set(order, normal);
        let solid = Solid { kind, pose: *pose };
        // The triangle is at rest in the axes of the surface.
        let other = Solid { kind: Kind::Triangle(hull, order, normal), pose: Pose::IDENTITY };
        let Some(axis) = search.axis(&solid, &other, size, reach) else {
            return;
        };
        let own_side = Triangle { corners: order, normal, beyond, twins, number };
        let allowed = is_allowed(axis.normal, &own_side, form, two_sided && normal != triangle.normal);
        let (n, distance, closest) =
            if allowed { (axis.normal, axis.distance, axis.closest) } else { (normal, f64::INFINITY, None) };
        let facing = Facing { first: &solid, second: &other, normal: n, distance, closest, size };
        let start = out.len();
        manifold(&facing, reach, polygons, out);
        // A triangle that the solid hardly overlaps is not deep in it either: it is touched at the side of
        // another.
        let least = 4.0 * axis.distance.min(0.0) - 1e-6 * size;
        let mut k = start;
        while k < out.len() {
            if allowed || out[k].distance >= least {
                out[k].feature ^= number.wrapping_mul(0x9e37_79b1);
                k += 1;
            } else {
                out.remove(k);
            }
        }
    });
    reduce::reduce(out, first, scratch);
}

/// Whether a direction is one in which the surface is locally outermost where the triangle is: at its face,
/// at an edge that stands out, or at a corner that does.
fn is_allowed(n: DVec3, triangle: &Triangle, form: &Form, is_turned: bool) -> bool {
    let Triangle { corners, normal, beyond, number, .. } = *triangle;
    if n.dot(normal) < -WITHIN {
        return false;
    }
    let heights = corners.map(|x| n.dot(x));
    let top = heights.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let size = corners[0].distance(corners[1]).max(corners[0].distance(corners[2]));
    let is_top = heights.map(|height| height >= top - WITHIN * size);
    let below = |x: DVec3| n.dot(x) <= top + WITHIN * size;
    match is_top {
        [true, true, true] => true,
        [true, true, false] => beyond[0].is_none_or(below),
        [false, true, true] => beyond[1].is_none_or(below),
        [true, false, true] => beyond[2].is_none_or(below),
        _ => {
            let corner = is_top.iter().position(|&is| is).unwrap_or(0);
            // Corners 1 and 2 of a triangle that was turned have changed places.
            let corner = if is_turned { (3 - corner) % 3 } else { corner };
            around(form, number, corner).all(below)
        }
    }
}

/// Corners that an edge joins with a corner of a triangle.
pub(super) fn around(form: &Form, triangle: u32, corner: usize) -> impl Iterator<Item = DVec3> + '_ {
    let mesh = match form {
        Form::Mesh(mesh) => Some(mesh.around(triangle as usize, corner)),
        _ => None,
    };
    let ground = match form {
        Form::HeightField(ground) => Some(ground.around(triangle, corner)),
        _ => None,
    };
    mesh.into_iter().flatten().chain(ground.into_iter().flatten())
}
