//! Contacts of two skins.
//!
//! | parts | contacts |
//! |---|---|
//! | ball, capsule with any | closest points of a point or segment in the distance field of the other |
//! | half-space with any | corners, and points of circles |
//! | polyhedra, cylinders, cones | largest gap over all directions, and the polygons that face each other |
//! | these with meshes and ground | the same with each triangle |
//! | meshes with meshes and ground | corners and edges of each in the distance field of the other |
//!
//! Two half-spaces, and two grounds, don't touch. Results depend on the poses only.

mod axis;
mod directions;
mod manifold;
mod plane;
mod probe;
mod reduce;
mod rounded;
mod solid;
mod surface;

use super::Skin;
use super::part::{Form, Part};
use super::pose::Pose;
use axis::Search;
use glam::DVec3;
use manifold::{Facing, Polygons};
use solid::{Kind, Solid};
use surface::Flat;

/// Two parts that are near each other at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearSkins {
    /// Part of the first and of the second skin.
    pub parts: [u32; 2],
    /// Point of each surface, in the axes of the owner of each skin, m.
    pub points: [DVec3; 2],
    /// Unit normal from the second to the first, world axes.
    pub normal: DVec3,
    /// Distance along the normal, m; negative where the skins overlap.
    pub distance: f64,
    /// A number that stays while the same corners and edges touch.
    pub feature: u32,
}

/// A contact in the axes of the second part.
#[derive(Clone, Copy, Debug)]
struct Touch {
    first: DVec3,
    second: DVec3,
    normal: DVec3,
    distance: f64,
    feature: u32,
}

/// Search for contacts of skins; keeps its scratch.
#[derive(Default)]
pub struct SkinPairs {
    search: Search,
    polygons: Polygons,
    flat: Flat,
    touches: Vec<Touch>,
    scratch: Vec<Touch>,
}

/// A clone begins without scratch.
impl Clone for SkinPairs {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl std::fmt::Debug for SkinPairs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SkinPairs").finish_non_exhaustive()
    }
}

/// The convex solid of a form, if it is a polyhedron, cylinder or cone.
fn solid_of(part: &Part) -> Option<Kind<'_>> {
    match part.form() {
        Form::Box { half } => part.corners().map(|hull| Kind::Box(hull, *half)),
        Form::Hull(hull) => Some(Kind::Poly(hull)),
        Form::Cylinder { radius, half } => Some(Kind::Cylinder { radius: *radius, half: *half }),
        Form::Cone { radius, half } => Some(Kind::Cone { radius: *radius, half: *half }),
        _ => None,
    }
}

/// Which of two parts is the first: the one with the smaller rank.
fn rank(form: &Form) -> u32 {
    match form {
        Form::Sphere { .. } => 0,
        Form::Capsule { .. } => 1,
        Form::Box { .. } | Form::Hull(_) | Form::Cylinder { .. } | Form::Cone { .. } => 2,
        Form::Mesh(_) => 3,
        Form::HeightField(_) => 4,
        Form::HalfSpace => 5,
    }
}

impl SkinPairs {
    /// Appends the contacts of two skins in poses whose distance is less than `reach` (m) to `out`: by part
    /// of the first, then of the second.
    pub fn find(&mut self, pair: [(&Skin, Pose); 2], reach: f64, out: &mut Vec<NearSkins>) {
        let [(first, pose_first), (second, pose_second)] = pair;
        // The second skin in the axes of the first.
        let relative = pose_first.local(&pose_second);
        if !relative.position.is_finite() || !relative.rotation.is_finite() {
            return;
        }
        let around = second.own_bounds().placed(&relative).grown(reach);
        if !around.meets(first.own_bounds()) {
            return;
        }
        for (i, a) in (0..).zip(first.parts()) {
            if !a.bounds().meets(&around) {
                continue;
            }
            let own = a.bounds().grown(reach);
            for (j, b) in (0..).zip(second.parts()) {
                if !b.bounds().placed(&relative).meets(&own) {
                    continue;
                }
                self.touches.clear();
                let swapped = rank(a.form()) > rank(b.form());
                let [p, q] = [pose_first.of(a.pose()), pose_second.of(b.pose())];
                if swapped {
                    self.parts(b, a, &p.local(&q), reach);
                } else {
                    self.parts(a, b, &q.local(&p), reach);
                }
                out.extend(self.touches.iter().map(|touch| {
                    // Points are in the axes of the second of the search.
                    let (base, other, side) = if swapped { (p, q, -1.0) } else { (q, p, 1.0) };
                    let to_other = other.local(&base);
                    let (own, far) = (touch.second, to_other.point(touch.first));
                    let [x, y] = if swapped { [own, far] } else { [far, own] };
                    NearSkins {
                        parts: [i, j],
                        points: [a.pose().point(x), b.pose().point(y)],
                        normal: base.vector(touch.normal) * side,
                        distance: touch.distance,
                        feature: touch.feature,
                    }
                }));
            }
        }
    }

    /// Contacts of two parts, the first not after the second in rank; `pose` is that of the first in the axes
    /// of the second.
    fn parts(&mut self, first: &Part, second: &Part, pose: &Pose, reach: f64) {
        let Self { search, polygons, flat, touches, scratch } = self;
        let form = second.form();
        match (first.form(), form) {
            (Form::Sphere { radius }, _) => rounded::ball(pose.position, *radius, form, reach, touches),
            (_, Form::HalfSpace) => plane::touch(first.form(), pose, reach, touches, scratch),
            (Form::Capsule { radius, half }, _) => {
                rounded::capsule([*radius, *half], pose, form, reach, touches, scratch);
            }
            (own @ Form::Mesh(_), Form::Mesh(_) | Form::HeightField(_)) => {
                probe::touch(own, pose, form, reach, touches, scratch);
            }
            (own, Form::Mesh(_) | Form::HeightField(_)) => {
                if let Some(kind) = solid_of(first) {
                    let tools = (search, polygons, flat);
                    surface::touch(kind, &own.bounds(), pose, form, reach, tools, touches, scratch);
                }
            }
            _ => {
                if let (Some(a), Some(b)) = (solid_of(first), solid_of(second)) {
                    let size = first.form().bounds().size().min(form.bounds().size());
                    let (a, b) = (Solid { kind: a, pose: *pose }, Solid { kind: b, pose: Pose::IDENTITY });
                    if let Some(axis) = search.axis(&a, &b, size, reach) {
                        let (normal, distance, closest) = (axis.normal, axis.distance, axis.closest);
                        let facing = Facing { first: &a, second: &b, normal, distance, closest, size };
                        manifold::manifold(&facing, reach, polygons, touches);
                        reduce::reduce(touches, 0, scratch);
                    }
                }
            }
        }
    }
}
