//! Limits and motor of a coordinate of a joint, with their present values, for display.

use super::{COORDINATES, CoordinateLaw, JointLaw, Motor};
use crate::constraint::{ConstraintState, Site};
use glam::DVec3;

/// A coordinate of a joint that has limits or a motor, in the present state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gauge {
    /// Least and largest value, m or rad.
    pub limits: [Option<f64>; 2],
    /// Kind of its motor.
    pub motor: Option<MotorKind>,
    /// Present value, m or rad.
    pub value: f64,
    /// Present target of the motor: m or rad, for a velocity motor m/s or rad/s; `None` for a force motor.
    pub target: Option<f64>,
    /// Present force, N, or torque, N·m, of the motor on the first object along the coordinate.
    pub drive: f64,
    /// Unit vector perpendicular to the axis, from which an angle counts; world axes.
    pub zero: DVec3,
}

/// Kind of a motor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotorKind {
    /// It follows a value.
    Position,
    /// It follows a velocity.
    Velocity,
    /// It exerts a force or a torque.
    Force,
    /// It pulls towards a value with a spring and a damper.
    Servo,
}

impl JointLaw {
    /// The gauges of the angle about the axis and of the displacement along it; `None` for a coordinate that
    /// has neither limits nor a motor. `rates` are the rates of the coordinates.
    pub(crate) fn gauges(
        &self,
        sites: &[Site; 2],
        memory: &ConstraintState,
        rates: [f64; COORDINATES],
        time: f64,
    ) -> [Option<Gauge>; 2] {
        let [a, b] = sites;
        let now = self.coordinates(a, b, &memory.kind, time);
        let drives = self.drives(sites, memory, rates, time);
        let zero = self.axes(a, b)[1];
        let gauge = |of: &CoordinateLaw, value: f64, drive: f64| {
            let (motor, target) = match &of.motor {
                Some(Motor::Position(drive)) => (Some(MotorKind::Position), Some(drive.target.at(time))),
                Some(Motor::Velocity(drive)) => (Some(MotorKind::Velocity), Some(drive.target.at(time))),
                Some(Motor::Force(_)) => (Some(MotorKind::Force), None),
                Some(Motor::Servo(servo)) => (Some(MotorKind::Servo), Some(servo.target.at(time))),
                None => (None, None),
            };
            let limits = [of.least, of.most];
            let is_shown = motor.is_some() || limits.iter().any(Option::is_some);
            is_shown.then_some(Gauge { limits, motor, value, target, drive, zero })
        };
        let [angle, slide, ..] = self.bound_coordinates() else { return [None, None] };
        [gauge(angle, now.angle, drives[0]), gauge(slide, now.slide, drives[1])]
    }
}
