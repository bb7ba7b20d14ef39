//! Joint: joins two places and leaves some motions between them free.
//!
//! d = y_A − y_B; b is the axis on B, u and v its normals on B; a the axis on A, C₀ = F_Bᵀ F_A when joined.
//!
//! ```text
//! ball          d = 0                                3 rows    `turning.rs`: friction; `swing.rs`: limits
//! weld          d = 0, log(F_A (F_B C₀)ᵀ) = 0        6
//! hinge         d = 0, a·u = a·v = 0                 5    free: θ about b
//! slider        u·d = v·d = 0, log(F_A (F_B C₀)ᵀ) = 0  5  free: s = b·d
//! cylindrical   u·d = v·d = 0, a·u = a·v = 0         4    free: θ, s
//! universal     d = 0, a·c = 0 (c = u: other arm)    4    free: θ of A about a, θ' of the cross about c
//! planar        b·d = 0, a·u = a·v = 0               3    free: θ, u·d, v·d
//! ```
//!
//! Multipliers: forces, N, then moments, N·m, on A; B feels the opposite. An unlimited motor adds a row on
//! its coordinate, whose multiplier is the drive. J of θ is b·(δφ_A − δφ_B). a·u = a·v = 0 holds for a = −b
//! too; a step turns no body that far.

mod coordinate;
mod describe;
mod gauge;
pub(super) mod law_curvature;
mod read;
mod swing;
mod turning;

pub use coordinate::CoordinateLaw;
pub use describe::{Coordinate, Drive, Joint, JointKind, Motor, Servo};
pub use gauge::{Gauge, MotorKind};

use super::plane::row as along;
use super::{
    Circumstances, ConstraintState, JointStrength, KindMemory, MAX_ROWS, NonSmoothBlock, Row, Rows, Site,
    SoftRow, Wrench,
};
use crate::error::BuildError;
use crate::geometry::rotation::{angle_about, log};
use coordinate::Moving;
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, TAU};
use turning::Turning;

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
    /// b·d, u·d and v·d when joined, m.
    slid: [f64; 3],
    strength: JointStrength,
    /// Of a ball joint.
    turning: Turning,
    /// In the order of [`COORDINATES`]; `None` if no coordinate has limits, a motor or friction.
    coordinates: Option<Box<[CoordinateLaw; COORDINATES]>>,
}

/// Number of coordinates that joints may have: angle, slide, cross angle, cross slide. No joint has all.
pub(crate) const COORDINATES: usize = 4;

/// Their names in scene files.
const NAMES: [&str; COORDINATES] = ["angle", "slide", "cross_angle", "cross_slide"];

/// Coordinates of a joint at the end of the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointState {
    /// Angle about the axis, rad; whole turns count. The twist of a ball joint with limits.
    pub angle: f64,
    /// Displacement along the axis, or along the first direction in a plane, m.
    pub slide: f64,
    /// Angle of a cross about its arm on the second object, rad; whole turns count. The swing of a ball joint
    /// with limits.
    pub cross_angle: f64,
    /// Displacement along the second direction in a plane, m.
    pub cross_slide: f64,
    /// Vector of the relative rotation of a ball joint with friction.
    pub rotation: [f64; 3],
    /// Time, s.
    pub time: f64,
}

impl JointState {
    /// Its coordinates.
    pub fn values(&self) -> [f64; COORDINATES] {
        [self.angle, self.slide, self.cross_angle, self.cross_slide]
    }
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
    /// Whether it is a ball joint with limits: its coordinates are twist and swing.
    pub(super) fn limits_swing(&self) -> bool {
        self.rotation == Rotation::All && self.coordinates.is_some()
    }

    /// Names of its coordinates in scene files.
    fn names(&self) -> [&'static str; COORDINATES] {
        if self.limits_swing() { ["twist", "slide", "swing", "cross_slide"] } else { NAMES }
    }

    /// Its coordinates; none if no coordinate has limits, a motor or friction.
    fn bound_coordinates(&self) -> &[CoordinateLaw] {
        self.coordinates.as_deref().map_or(&[], |all| all)
    }

    pub(super) fn moves(&self) -> bool {
        self.bound_coordinates().iter().any(CoordinateLaw::moves)
    }

    /// Which displacements are free.
    pub fn translation(&self) -> Translation {
        self.translation
    }

    /// Which rotations are free.
    pub fn rotation(&self) -> Rotation {
        self.rotation
    }

    /// Its strength.
    pub(super) fn strength(&self) -> JointStrength {
        self.strength
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
        let driven = self.bound_coordinates().iter().filter(|of| of.is_driven()).count();
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

    /// Whether it has each coordinate.
    pub fn has(&self) -> [bool; COORDINATES] {
        let (turn, slide) = (self.rotation, self.translation);
        [
            matches!(turn, Rotation::AboutAxis | Rotation::AboutCross) || self.limits_swing(),
            slide != Translation::None,
            turn == Rotation::AboutCross || self.limits_swing(),
            slide == Translation::InPlane,
        ]
    }

    /// Whether it has coordinates, or friction that depends on its rotation.
    pub(super) fn remembers(&self) -> bool {
        self.turning.rubs() || self.has().contains(&true)
    }

    /// The present coordinates; angles count on from those of the last step.
    pub fn coordinates(&self, a: &Site, b: &Site, memory: &KindMemory, time: f64) -> JointState {
        let last = memory.joint();
        let rotation = if self.turning.rubs() { turning::relative(a, b) } else { [0.0; 3] };
        let directions = self.directions(a, b);
        let Directions { a: on_a, w, b: axis, u, v } = directions;
        // Whole turns count.
        let unwrapped = |angle: f64, last: f64| {
            let turned = angle - last;
            last + turned - TAU * ((turned + PI) / TAU).floor()
        };
        let (angle, cross_angle) = match self.rotation {
            Rotation::AboutCross => (
                unwrapped(angle_about(on_a, u, w), last.angle),
                unwrapped(angle_about(u, axis, on_a), last.cross_angle),
            ),
            Rotation::All if self.limits_swing() => {
                let [twist, swing] = directions.twist_and_swing();
                (unwrapped(twist, last.angle), swing)
            }
            Rotation::All => (0.0, 0.0),
            _ => (unwrapped(angle_about(axis, u, w), last.angle), 0.0),
        };
        let d = a.x - b.x;
        let [along, first, second] = self.slid;
        let (slide, cross_slide) = match self.translation {
            Translation::InPlane => (u.dot(d) - first, v.dot(d) - second),
            _ => (axis.dot(d) - along, 0.0),
        };
        JointState { angle, slide, cross_angle, cross_slide, rotation, time }
    }

    /// Counts its coordinates as `joined` does, which joins the same places.
    pub(crate) fn keep_zero(&mut self, joined: &Self) {
        let Self { point, on_first, on_second, start, slid, .. } = joined;
        (self.point, self.on_first, self.on_second) = (*point, *on_first, *on_second);
        (self.start, self.slid) = (*start, *slid);
    }

    /// Refuses limits that exclude the present coordinates.
    pub(crate) fn check_limits(&self, memory: &KindMemory) -> Result<(), BuildError> {
        let values = memory.joint().values();
        for (k, (of, now)) in self.bound_coordinates().iter().zip(values).enumerate() {
            of.check_limits(now).map_err(|error| error.within(self.names()[k]))?;
        }
        Ok(())
    }

    fn moving(&self, a: &Site, b: &Site, memory: &KindMemory, time: f64) -> [Moving; COORDINATES] {
        let (now, last) = (self.coordinates(a, b, memory, time), memory.joint());
        let elapsed = time - last.time;
        let [now, before] = [now.values(), last.values()];
        std::array::from_fn(|k| Moving { now: now[k], before: before[k], elapsed })
    }

    /// Directions about and along which the coordinates are measured.
    fn coordinate_axes(&self, a: &Site, b: &Site) -> [DVec3; COORDINATES] {
        let of = self.directions(a, b);
        let [turn, cross_turn] = match self.rotation {
            Rotation::AboutCross => [of.a, of.u],
            Rotation::All => of.twist_and_swing_axes(),
            _ => [of.b, of.u],
        };
        let slide = if self.translation == Translation::InPlane { of.u } else { of.b };
        [turn, slide, cross_turn, of.v]
    }

    /// Rows whose displacements are the coordinates.
    pub(crate) fn coordinate_rows(&self, a: &Site, b: &Site) -> [Row; COORDINATES] {
        let [angle, slide, cross_angle, cross_slide] = self.coordinate_axes(a, b);
        let turn = |axis: DVec3| Row::angle([Wrench::moment(axis), Wrench::moment(-axis)], 0.0);
        [turn(angle), along(slide, 0.0, a, b), turn(cross_angle), along(cross_slide, 0.0, a, b)]
    }

    /// Number of the first non-smooth row of each coordinate. Those of the friction of a ball joint come
    /// after them.
    fn first_pushes(&self) -> [usize; COORDINATES] {
        let mut next = 0;
        self.has().map(|has| {
            let first = next;
            next += if has { coordinate::MOST_PUSHES } else { 0 };
            first
        })
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, memory: &ConstraintState, time: f64, rows: &mut Rows) {
        let of = self.directions(a, b);
        match self.translation {
            Translation::None => rows.push_position(b.x - a.x),
            Translation::AlongAxis => [of.u, of.v].into_iter().for_each(|n| rows.push(along(n, 0.0, a, b))),
            Translation::InPlane => rows.push(along(of.b, self.slid[0], a, b)),
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
        if self.bound_coordinates().iter().any(CoordinateLaw::is_driven) {
            let moving = self.moving(a, b, &memory.kind, time);
            let coordinates = self.coordinate_rows(a, b).into_iter().zip(moving);
            for ((row, moving), of) in coordinates.zip(self.bound_coordinates().iter()) {
                if let Some(behind) = of.behind(moving, time).filter(|_| of.is_driven()) {
                    rows.push(Row { violation: -behind, ..row });
                }
            }
        }
    }

    /// Violations of its rows, and the numbers of rows on displacements and on rotations; `None` if a motor
    /// adds a row. The same as those of `rows`, at a fraction of the cost.
    pub(super) fn violations(&self, a: &Site, b: &Site) -> Option<([f64; MAX_ROWS], [usize; 2])> {
        if self.bound_coordinates().iter().any(CoordinateLaw::is_driven) {
            return None;
        }
        let (mut found, counts) = ([0.0; MAX_ROWS], self.held_rows());
        let (of, away) = (self.directions(a, b), a.x - b.x);
        match self.translation {
            Translation::None => found[..3].copy_from_slice(&(b.x - a.x).to_array()),
            Translation::AlongAxis => (found[0], found[1]) = (0.0 - of.u.dot(away), 0.0 - of.v.dot(away)),
            Translation::InPlane => found[0] = self.slid[0] - of.b.dot(away),
        }
        let turns = &mut found[counts[0]..];
        match self.rotation {
            Rotation::None => {
                let turn = -log(a.frame() * (b.frame() * self.start).transpose());
                turns[..3].copy_from_slice(&turn.to_array());
            }
            Rotation::AboutAxis => (turns[0], turns[1]) = (-of.a.dot(of.u), -of.a.dot(of.v)),
            Rotation::AboutCross => turns[0] = -of.a.dot(of.u),
            Rotation::All => {}
        }
        Some((found, counts))
    }

    pub(super) fn non_smooth(
        &self,
        a: &Site,
        b: &Site,
        time: f64,
        here: &Circumstances,
        out: &mut impl FnMut(&NonSmoothBlock<'_>),
    ) {
        if self.turning.rubs() {
            self.ball_friction(a, b, &here.kind, out);
        }
        if self.coordinates.is_none() {
            return;
        }
        let moving = self.moving(a, b, &here.kind, time);
        let (axes, firsts) = (self.coordinate_axes(a, b), self.first_pushes());
        let rows = self.coordinate_rows(a, b).into_iter().zip(self.bound_coordinates());
        for (k, (row, of)) in rows.enumerate() {
            // The first three multipliers are a force in world axes, or the first two are forces
            // perpendicular to the axis.
            let along = if self.translation == Translation::None { axes[k] } else { DVec3::Z };
            of.non_smooth((row, along), moving[k], time, firsts[k], out);
        }
    }

    pub(super) fn is_soft(&self) -> bool {
        self.turning.is_soft() || self.bound_coordinates().iter().any(CoordinateLaw::is_soft)
    }

    /// Calls `out` with the soft row of each coordinate that has viscosity or a servo.
    pub(super) fn soft_rows(
        &self,
        a: &Site,
        b: &Site,
        kind: &KindMemory,
        time: f64,
        mut out: impl FnMut(&SoftRow),
    ) {
        if self.turning.is_soft() {
            self.ball_viscosity(&mut out);
        }
        let moving = self.moving(a, b, kind, time);
        for (number, (row, of)) in
            self.coordinate_rows(a, b).into_iter().zip(self.bound_coordinates().iter()).enumerate()
        {
            if let Some(soft) = of.soft_row(row, number, moving[number].now, time) {
                out(&soft);
            }
        }
    }

    /// Its unlimited motors: the coordinate, its direction in the world, and the motor.
    pub(crate) fn hard_motors<'a>(
        &'a self,
        [a, b]: &[Site; 2],
    ) -> impl Iterator<Item = (usize, DVec3, &'a Motor)> {
        let axes = self.coordinate_axes(a, b);
        self.bound_coordinates()
            .iter()
            .enumerate()
            .filter_map(move |(k, of)| Some((k, axes[k], of.hard_motor()?)))
    }

    pub(super) fn is_non_smooth(&self) -> bool {
        self.turning.rubs() || self.bound_coordinates().iter().any(CoordinateLaw::is_non_smooth)
    }

    /// Whether a coordinate has limits; its rate jumps there.
    pub(super) fn rebounds(&self) -> bool {
        self.bound_coordinates().iter().any(CoordinateLaw::has_limits)
    }

    pub(super) fn most_friction_rows(&self) -> usize {
        self.bound_coordinates().iter().filter(|of| of.has_bearing()).count()
    }

    /// The axis on the first end, and the normal of it on the second, in the present state.
    pub fn axes(&self, a: &Site, b: &Site) -> [DVec3; 2] {
        let of = self.directions(a, b);
        [of.a, of.u]
    }

    /// Force or torque of the motor on the first object along each coordinate; zero without a motor. `rates`
    /// are the rates of the coordinates.
    pub(crate) fn drives(
        &self,
        [a, b]: &[Site; 2],
        memory: &ConstraintState,
        rates: [f64; COORDINATES],
        time: f64,
    ) -> [f64; COORDINATES] {
        let moving = self.moving(a, b, &memory.kind, time);
        let mut row = self.count();
        let (mut drives, firsts, has) = ([0.0; COORDINATES], self.first_pushes(), self.has());
        for (k, of) in self.bound_coordinates().iter().enumerate().rev() {
            if !has[k] {
                continue;
            }
            if of.is_driven() {
                row -= 1;
                drives[k] = memory.multipliers[row];
            } else if let Some(force) = of.servo_force(moving[k].now, rates[k], time) {
                drives[k] = force;
            } else {
                drives[k] = memory.pushes[CoordinateLaw::drive_row(firsts[k])];
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
