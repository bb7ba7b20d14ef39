//! Joint: joins two places and leaves some motions between them free.
//!
//! d = y_A − y_B; b is the axis on B, u and v its normals on B; a the axis on A, C₀ = F_Bᵀ F_A when joined.
//!
//! ```text
//! ball          d = 0                                3 rows
//! weld          d = 0, log(F_A (F_B C₀)ᵀ) = 0        6
//! hinge         d = 0, a·u = a·v = 0                 5    free: θ about b
//! slider        u·d = v·d = 0, log(F_A (F_B C₀)ᵀ) = 0  5  free: s = b·d
//! cylindrical   u·d = v·d = 0, a·u = a·v = 0         4    free: θ, s
//! universal     d = 0, a·c = 0 (c: other arm, on B)  4
//! planar        b·d = 0, a·u = a·v = 0               3
//! ```
//!
//! Multipliers: forces, N, then moments, N·m, on A; B feels the opposite. An unlimited motor adds a row on
//! its coordinate, whose multiplier is the drive. J of θ is b·(δφ_A − δφ_B). a·u = a·v = 0 holds for a = −b
//! too; a step turns no body that far.

mod coordinate;
mod describe;
pub(super) mod law_curvature;
mod strength;

pub use coordinate::CoordinateLaw;
pub use describe::{Coordinate, Drive, Joint, JointKind, JointStrength, Motor, Servo};

use super::plane::row as along;
use super::{
    Circumstances, ConstraintState, Gave, KindMemory, NonSmoothBlock, Row, Rows, Site, SoftRow, Wrench,
};
use crate::geometry::rotation::{angle_about, log};
use coordinate::Moving;
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, TAU};

/// Displacements that a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Translation {
    /// None.
    None,
    /// Along the axis.
    AlongAxis,
    /// Across the axis.
    InPlane,
}

/// Rotations that a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rotation {
    /// None.
    None,
    /// About the axis.
    AboutAxis,
    /// About both arms of a cross.
    AboutCross,
    /// All.
    All,
}

/// A joint, ready to be evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointLaw {
    translation: Translation,
    rotation: Rotation,
    /// The point of the world, if the second end is there.
    point: [f64; 3],
    /// The axis, and a normal of it (the other arm of a cross, the zero of the angle), in the frame of the
    /// first end.
    on_first: [DVec3; 2],
    /// The same in the frame of the second end.
    on_second: [DVec3; 2],
    /// C₀ = F_Bᵀ F_A
    start: DMat3,
    /// b·d when joined, m.
    slid: f64,
    strength: JointStrength,
    /// The rotation about the axis, and the displacement along it.
    coordinates: Box<[CoordinateLaw; 2]>,
}

/// Coordinates of a joint at the end of the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointState {
    /// Angle about the axis, rad; whole turns count.
    pub angle: f64,
    /// Displacement along the axis, m.
    pub slide: f64,
    /// Time, s.
    pub time: f64,
    /// Force and load in the step in which it broke, until the next step.
    pub gave: Gave,
}

/// The directions of a joint in a state.
struct Directions {
    /// a and w on A.
    a: DVec3,
    w: DVec3,
    /// b, u and v on B.
    b: DVec3,
    u: DVec3,
    v: DVec3,
}

impl JointLaw {
    pub(super) fn moves(&self) -> bool {
        self.coordinates.iter().any(CoordinateLaw::moves)
    }

    /// Which displacements are free.
    pub fn translation(&self) -> Translation {
        self.translation
    }

    /// Which rotations are free.
    pub fn rotation(&self) -> Rotation {
        self.rotation
    }

    /// Number of rows on displacements and on rotations, without those of motors.
    pub(super) fn held_rows(&self) -> [usize; 2] {
        let translation = match self.translation {
            Translation::None => 3,
            Translation::AlongAxis => 2,
            Translation::InPlane => 1,
        };
        let rotation = match self.rotation {
            Rotation::None => 3,
            Rotation::AboutAxis => 2,
            Rotation::AboutCross => 1,
            Rotation::All => 0,
        };
        [translation, rotation]
    }

    pub(super) fn count(&self) -> usize {
        let driven = self.coordinates.iter().filter(|of| of.is_driven()).count();
        self.held_rows().iter().sum::<usize>() + driven
    }

    pub(super) fn world(&self) -> Site {
        Site { x: DVec3::from_array(self.point), ..Site::WORLD }
    }

    /// The axis on the second end.
    pub fn axis(&self, b: &Site) -> DVec3 {
        b.frame() * self.on_second[0]
    }

    fn directions(&self, a: &Site, b: &Site) -> Directions {
        let [on_a, w] = self.on_first.map(|direction| a.frame() * direction);
        let [axis, u] = self.on_second.map(|direction| b.frame() * direction);
        Directions { a: on_a, w, b: axis, u, v: axis.cross(u) }
    }

    /// The present coordinates, counted on from those of the last step.
    pub fn coordinates(&self, a: &Site, b: &Site, memory: &KindMemory, time: f64) -> JointState {
        let Directions { w, b: axis, u, .. } = self.directions(a, b);
        let last = memory.joint();
        let turned = angle_about(axis, u, w) - last.angle;
        let angle = last.angle + turned - TAU * ((turned + PI) / TAU).floor();
        JointState { angle, slide: axis.dot(a.x - b.x) - self.slid, time, ..last }
    }

    fn moving(&self, a: &Site, b: &Site, memory: &KindMemory, time: f64) -> [Moving; 2] {
        let (now, last) = (self.coordinates(a, b, memory, time), memory.joint());
        let elapsed = time - last.time;
        [
            Moving { now: now.angle, before: last.angle, elapsed },
            Moving { now: now.slide, before: last.slide, elapsed },
        ]
    }

    /// Rows whose displacements are the angle and the displacement along the axis.
    pub(crate) fn coordinate_rows(&self, a: &Site, b: &Site) -> [Row; 2] {
        let axis = self.axis(b);
        let turn = Row::angle([Wrench::moment(axis), Wrench::moment(-axis)], 0.0);
        [turn, along(axis, 0.0, a, b)]
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, memory: &ConstraintState, time: f64, rows: &mut Rows) {
        let of = self.directions(a, b);
        match self.translation {
            Translation::None => rows.push_position(b.x - a.x),
            Translation::AlongAxis => [of.u, of.v].into_iter().for_each(|n| rows.push(along(n, 0.0, a, b))),
            Translation::InPlane => rows.push(along(of.b, self.slid, a, b)),
        }
        let across = |n: DVec3| {
            let moment = Wrench::moment(of.a.cross(n));
            Row::angle([moment, -moment], -of.a.dot(n))
        };
        match self.rotation {
            Rotation::None => {
                rows.push_rotation(-log(a.frame() * (b.frame() * self.start).transpose()));
            }
            Rotation::AboutAxis => [of.u, of.v].into_iter().for_each(|n| rows.push(across(n))),
            Rotation::AboutCross => rows.push(across(of.u)),
            Rotation::All => {}
        }
        if self.coordinates.iter().any(CoordinateLaw::is_driven) {
            let moving = self.moving(a, b, &memory.kind, time);
            let coordinates = self.coordinate_rows(a, b).into_iter().zip(moving);
            for ((row, moving), of) in coordinates.zip(self.coordinates.iter()) {
                if let Some(behind) = of.behind(moving, time).filter(|_| of.is_driven()) {
                    rows.push(Row { violation: -behind, ..row });
                }
            }
        }
    }

    pub(super) fn non_smooth(
        &self,
        a: &Site,
        b: &Site,
        time: f64,
        here: &Circumstances,
        out: &mut impl FnMut(&NonSmoothBlock<'_>),
    ) {
        let moving = self.moving(a, b, &here.kind, time);
        let [turn, slide] = self.coordinate_rows(a, b);
        // The first three multipliers are a force in world axes, or the first two are forces across the axis.
        let along = if self.translation == Translation::None { self.axis(b) } else { DVec3::Z };
        let [angle, displacement] = &*self.coordinates;
        angle.non_smooth((turn, along), moving[0], time, 0, out);
        displacement.non_smooth((slide, along), moving[1], time, coordinate::MOST_PUSHES, out);
    }

    pub(super) fn is_soft(&self) -> bool {
        self.coordinates.iter().any(CoordinateLaw::is_soft)
    }

    /// Calls `out` with viscosity and servo of each coordinate.
    pub(super) fn soft_rows(
        &self,
        a: &Site,
        b: &Site,
        kind: &KindMemory,
        time: f64,
        mut out: impl FnMut(&SoftRow),
    ) {
        let moving = self.moving(a, b, kind, time);
        for (number, (row, of)) in
            self.coordinate_rows(a, b).into_iter().zip(self.coordinates.iter()).enumerate()
        {
            if let Some(soft) = of.soft_row(row, number, moving[number].now, time) {
                out(&soft);
            }
        }
    }

    pub(super) fn is_non_smooth(&self) -> bool {
        self.coordinates.iter().any(CoordinateLaw::is_non_smooth)
    }

    pub(super) fn most_friction_rows(&self) -> usize {
        self.coordinates.iter().filter(|of| of.has_bearing()).count()
    }

    /// The axis on the first end, and the normal of it on the second, in the present state.
    pub fn axes(&self, a: &Site, b: &Site) -> [DVec3; 2] {
        let of = self.directions(a, b);
        [of.a, of.u]
    }

    /// Force or torque of the motor on the first object along the coordinate, angle first; zero without one.
    /// `rates` are those of the coordinates.
    pub(crate) fn drives(
        &self,
        [a, b]: &[Site; 2],
        memory: &ConstraintState,
        rates: [f64; 2],
        time: f64,
    ) -> [f64; 2] {
        let moving = self.moving(a, b, &memory.kind, time);
        let mut row = self.count();
        let mut drives = [0.0; 2];
        for (k, of) in self.coordinates.iter().enumerate().rev() {
            if of.is_driven() {
                row -= 1;
                drives[k] = memory.multipliers[row];
            } else if let Some(force) = of.servo_force(moving[k].now, rates[k], time) {
                drives[k] = force;
            } else {
                drives[k] = memory.pushes[CoordinateLaw::drive_row(k * coordinate::MOST_PUSHES)];
            }
        }
        drives
    }
}

impl KindMemory {
    fn joint(&self) -> JointState {
        if let Self::Joint(joint) = self { *joint } else { JointState::default() }
    }
}
