//! The parts of a skin: a simple shape, polyhedron or surface with a fixed pose.

use super::field::{self, Field};
use super::height::HeightField;
use super::hull::Hull;
use super::mesh::Mesh;
use super::pose::{Bounds, Pose};
use glam::DVec3;
use std::sync::Arc;

/// The shape of a part, in its own axes. Axes of revolution are x.
#[derive(Clone, Debug)]
pub enum Form {
    /// All space below z = 0.
    HalfSpace,
    /// A ball.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A box.
    Box {
        /// Half sizes, m.
        half: DVec3,
    },
    /// A cylinder with a half ball at each end.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Half of the length of the straight part, m.
        half: f64,
    },
    /// A cylinder.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Half length, m.
        half: f64,
    },
    /// A cone: base at −half, apex at +half.
    Cone {
        /// Radius of the base, m.
        radius: f64,
        /// Half length, m.
        half: f64,
    },
    /// A convex polyhedron.
    Hull(Arc<Hull>),
    /// A surface of triangles.
    Mesh(Arc<Mesh>),
    /// Ground below a grid of heights.
    HeightField(Arc<HeightField>),
}

impl PartialEq for Form {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::HalfSpace, Self::HalfSpace) => true,
            (Self::Sphere { radius: a }, Self::Sphere { radius: b }) => a == b,
            (Self::Box { half: a }, Self::Box { half: b }) => a == b,
            (Self::Capsule { radius: a, half: c }, Self::Capsule { radius: b, half: d })
            | (Self::Cylinder { radius: a, half: c }, Self::Cylinder { radius: b, half: d })
            | (Self::Cone { radius: a, half: c }, Self::Cone { radius: b, half: d }) => a == b && c == d,
            (Self::Hull(a), Self::Hull(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Mesh(a), Self::Mesh(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::HeightField(a), Self::HeightField(b)) => Arc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }
}

/// A part of a skin.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    form: Form,
    pose: Pose,
    bounds: Bounds,
    /// A box as a polyhedron.
    corners: Option<Arc<Hull>>,
}

impl Part {
    /// A shape in a pose in the axes of its owner.
    pub fn new(form: Form, pose: Pose) -> Self {
        let bounds = form.bounds().placed(&pose);
        let corners = match form {
            Form::Box { half } => Some(Arc::new(Hull::cuboid(half))),
            _ => None,
        };
        Self { form, pose, bounds, corners }
    }

    /// The shape, in its own axes.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Its pose in the axes of its owner.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// A box about it, in the axes of its owner.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// This part, moved and turned in the axes of its owner: x ↦ R x + p.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Self {
        let pose = pose.of(&self.pose);
        Self { bounds: self.form.bounds().placed(&pose), pose, ..self.clone() }
    }

    /// A box as a polyhedron.
    pub(super) fn corners(&self) -> Option<&Hull> {
        self.corners.as_deref()
    }

    /// Distance, normal and closest point, in the axes of the part.
    pub fn field(&self, x: DVec3) -> Field {
        // Without a limit there is always a closest point of finite shapes.
        self.form.field(x, f64::INFINITY).unwrap_or(Field {
            distance: f64::INFINITY,
            normal: DVec3::Z,
            point: x,
        })
    }
}

impl Form {
    /// A box about it.
    pub fn bounds(&self) -> Bounds {
        let about = |half: DVec3| Bounds { low: -half, high: half };
        match self {
            Self::HalfSpace => Bounds { high: DVec3::new(f64::INFINITY, f64::INFINITY, 0.0), ..Bounds::ALL },
            Self::Sphere { radius } => about(DVec3::splat(*radius)),
            Self::Box { half } => about(*half),
            Self::Capsule { radius, half } => about(DVec3::new(radius + half, *radius, *radius)),
            Self::Cylinder { radius, half } | Self::Cone { radius, half } => {
                about(DVec3::new(*half, *radius, *radius))
            }
            Self::Hull(hull) => hull.bounds(),
            Self::Mesh(mesh) => mesh.bounds(),
            Self::HeightField(ground) => {
                let bounds = ground.bounds();
                // The ground below is unbounded.
                Bounds { low: bounds.low.truncate().extend(f64::NEG_INFINITY), ..bounds }
            }
        }
    }

    /// Whether it is convex, so that the distance has one minimum along a line.
    pub(super) fn is_convex(&self) -> bool {
        !matches!(self, Self::Mesh(_) | Self::HeightField(_))
    }

    /// Distance, normal and closest point of a point in the axes of the shape. `None` only if the distance is
    /// larger than `limit`.
    #[inline]
    pub(super) fn field(&self, x: DVec3, limit: f64) -> Option<Field> {
        Some(match self {
            Self::HalfSpace => field::half_space(x),
            Self::Sphere { radius } => field::sphere(*radius, x),
            Self::Box { half } => field::cuboid(*half, x),
            Self::Capsule { radius, half } => field::capsule(*radius, *half, x),
            Self::Cylinder { radius, half } => field::cylinder(*radius, *half, x),
            Self::Cone { radius, half } => field::cone(*radius, *half, x),
            Self::Hull(hull) => hull.field(x),
            Self::Mesh(mesh) => return mesh.field(x, limit),
            Self::HeightField(ground) => return ground.field(x, limit),
        })
    }
}
