//! Limits, motor and friction of a free coordinate of a joint.
//!
//! q is the coordinate, q_n and t_n its value and the time when the step began:
//!
//! ```text
//! limits          0 ≤ f ⊥ q − least ≥ 0,  0 ≤ f ⊥ most − q ≥ 0   and with a restitution e q̇ → −e q̇
//! position motor  q = target(t)                        |f| ≤ strength, if given
//! velocity motor  q = q_n + (t − t_n) target(t)        |f| ≤ strength, if given
//! servo           f = −k (q − target(t)) − c (q̇ − target'(t))
//! viscosity       f = −c q̇
//! dry friction    q = q_n inside |f| ≤ F, or |f| ≤ μ ρ |f⊥| in a bearing of radius ρ
//! ```
//!
//! An unlimited motor is a bilateral row, its multiplier the drive. Servo and viscosity are soft rows, the
//! others are non-smooth rows.

use super::describe::{Coordinate, Drive, Motor, Servo};
use crate::constraint::{NonSmoothBlock, NonSmoothRow, NormalForce, Row, SoftRow};
use crate::describe::signal::Signal;
use crate::error::{BuildError, check};
use crate::law::BlockLaw;
use crate::short::Short;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Number of non-smooth rows that a coordinate may have: two limits, motor, friction.
pub(super) const MOST_PUSHES: usize = 4;
const LEAST: usize = 0;
const MOST: usize = 1;
const DRIVE: usize = 2;
const RUBS: usize = 3;

/// Amount, in rad or m and as a share, by which a coordinate may exceed a limit that a change keeps: the
/// residual of a step.
const ROOM: f64 = 1e-3;

/// A free coordinate with its limits, motor and friction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoordinateLaw {
    pub(super) least: Option<f64>,
    pub(super) most: Option<f64>,
    restitution: f64,
    pub(super) motor: Option<Motor>,
    friction: f64,
    viscosity: f64,
    /// μ of a displacement; μ times the radius of the bearing, m, of a rotation.
    bearing: f64,
}

/// The value of a coordinate now and when the step began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moving {
    pub(super) now: f64,
    pub(super) before: f64,
    /// Time since the step began, s.
    pub(super) elapsed: f64,
}

impl CoordinateLaw {
    pub(super) fn build(given: &Coordinate, turns: bool) -> Result<Self, BuildError> {
        for (path, limit) in [("least", given.least), ("most", given.most)] {
            limit.map_or(Ok(0.0), |limit| check::finite(path, limit))?;
        }
        for (path, limit, outside) in [
            ("least", given.least, given.least.is_some_and(|least| least > 0.0)),
            ("most", given.most, given.most.is_some_and(|most| most < 0.0)),
        ] {
            if let (Some(limit), true) = (limit, outside) {
                let problem = format!("{limit} excludes zero, the value when joined");
                return Err(BuildError::new(
                    path,
                    problem,
                    "write a `least` of at most 0 and a `most` of at least 0",
                ));
            }
        }
        if !(0.0..=1.0).contains(&given.restitution) {
            let problem = format!("{} is not a share of a speed", given.restitution);
            return Err(BuildError::new("restitution", problem, "give a number from 0 to 1"));
        }
        if given.restitution > 0.0 && given.least.is_none() && given.most.is_none() {
            let problem = "the coordinate has no limit";
            return Err(BuildError::new("restitution", problem, "give `least` or `most`, or leave it out"));
        }
        check::not_negative("friction", given.friction)?;
        check::not_negative("viscosity", given.viscosity)?;
        check::not_negative("mu", given.mu)?;
        if given.friction > 0.0 && given.mu > 0.0 {
            return Err(BuildError::new("mu", "there is a `friction` as well", "give one of them"));
        }
        let radius = match given.bearing_radius {
            Some(radius) if turns => check::positive("bearing_radius", radius)?,
            Some(_) => {
                let problem = "a displacement has no bearing radius";
                return Err(BuildError::new("bearing_radius", problem, "leave it out"));
            }
            None if turns && given.mu > 0.0 => {
                let remedy = "write the radius of the bearing, m; the torque is μ times the force times it";
                return Err(BuildError::new("bearing_radius", "`mu` of a rotation needs it", remedy));
            }
            None => 1.0,
        };
        if let Some(motor) = &given.motor {
            let signal = match motor {
                Motor::Position(drive) | Motor::Velocity(drive) => &drive.target,
                Motor::Force(force) => force,
                Motor::Servo(servo) => {
                    check::not_negative("motor.servo.stiffness", servo.stiffness)?;
                    check::not_negative("motor.servo.damping", servo.damping)?;
                    &servo.target
                }
            };
            signal.check("motor")?;
            if let Motor::Position(Drive { strength: Some(most), .. })
            | Motor::Velocity(Drive { strength: Some(most), .. }) = motor
            {
                check::positive("motor.strength", *most)?;
            }
            // Without a strength neither the motor nor the limit gives way.
            if let Motor::Position(Drive { target: Signal::Constant(target), strength: None }) = motor
                && (given.least.is_some_and(|least| *target < least)
                    || given.most.is_some_and(|most| *target > most))
            {
                let problem = format!("{target} is beyond the limits of the coordinate");
                let remedy = "choose a target between `least` and `most`, or give the motor a `strength`";
                return Err(BuildError::new("motor.position.target", problem, remedy));
            }
        }
        Ok(Self {
            least: given.least,
            most: given.most,
            restitution: given.restitution,
            motor: given.motor.clone(),
            friction: given.friction,
            viscosity: given.viscosity,
            bearing: given.mu * radius,
        })
    }

    /// Refuses limits that exclude the present value.
    pub(super) fn check_limits(&self, now: f64) -> Result<(), BuildError> {
        let room = ROOM * now.abs().max(1.0);
        for (path, beyond) in [
            ("least", self.least.is_some_and(|least| now < least - room)),
            ("most", self.most.is_some_and(|most| now > most + room)),
        ] {
            if beyond {
                let problem = format!("the present value, {}, is beyond it", Short(now));
                return Err(BuildError::new(path, problem, "choose a limit beyond the present value"));
            }
        }
        Ok(())
    }

    pub(super) fn moves(&self) -> bool {
        let signal: Option<&Signal<f64>> = match &self.motor {
            Some(Motor::Position(drive)) => Some(&drive.target),
            Some(Motor::Velocity(_)) => return true,
            Some(Motor::Force(force)) => Some(force),
            Some(Motor::Servo(servo)) => Some(&servo.target),
            None => None,
        };
        signal.is_some_and(Signal::moves)
    }

    /// Whether its motor is a bilateral row.
    pub(super) fn is_driven(&self) -> bool {
        self.hard_motor().is_some()
    }

    /// Its motor, if that follows its target with unlimited force.
    pub(super) fn hard_motor(&self) -> Option<&Motor> {
        self.motor.as_ref().filter(|motor| {
            matches!(motor, Motor::Position(drive) | Motor::Velocity(drive) if drive.strength.is_none())
        })
    }

    fn servo(&self) -> Option<&Servo> {
        if let Some(Motor::Servo(servo)) = &self.motor { Some(servo) } else { None }
    }

    /// Whether it has viscosity or a servo.
    pub(super) fn is_soft(&self) -> bool {
        self.viscosity > 0.0 || self.servo().is_some()
    }

    /// The soft row of viscosity and servo together, at the value `now` of the coordinate.
    pub(super) fn soft_row(&self, row: Row, number: usize, now: f64, time: f64) -> Option<SoftRow> {
        let mut soft = SoftRow {
            row,
            number,
            stiffness: 0.0,
            damping: self.viscosity,
            elastic: 0.0,
            drag_of_target: 0.0,
        };
        if let Some(servo) = self.servo() {
            soft.stiffness = servo.stiffness;
            soft.damping += servo.damping;
            soft.elastic = servo.stiffness * (now - servo.target.at(time));
            soft.drag_of_target = servo.damping * servo.target.rate(time);
        }
        self.is_soft().then_some(soft)
    }

    /// Force of its servo, if it has one, at this value and rate of the coordinate.
    pub(super) fn servo_force(&self, now: f64, rate: f64, time: f64) -> Option<f64> {
        self.servo().map(|servo| {
            let behind = now - servo.target.at(time);
            -servo.stiffness * behind - servo.damping * (rate - servo.target.rate(time))
        })
    }

    /// Whether it has dry friction that the force across the axis loads.
    pub(super) fn has_bearing(&self) -> bool {
        self.bearing > 0.0
    }

    /// Whether it has limits.
    pub(super) fn has_limits(&self) -> bool {
        self.least.is_some() || self.most.is_some()
    }

    /// Whether it may have non-smooth rows.
    pub(super) fn is_non_smooth(&self) -> bool {
        self.has_limits()
            || self.friction > 0.0
            || self.bearing > 0.0
            || self.motor.is_some() && !self.is_driven() && self.servo().is_none()
    }

    /// Distance of the coordinate from the target of its motor, if it has one.
    pub(super) fn behind(&self, moving: Moving, time: f64) -> Option<f64> {
        match &self.motor {
            Some(Motor::Position(drive)) => Some(moving.now - drive.target.at(time)),
            Some(Motor::Velocity(drive)) => {
                Some(moving.now - moving.before - moving.elapsed * drive.target.at(time))
            }
            _ => None,
        }
    }

    /// Force of its limits on it; `first` is the number of its first non-smooth row.
    pub(super) fn limiting(pushes: &[f64], first: usize) -> f64 {
        pushes[first + LEAST] - pushes[first + MOST]
    }

    /// Number of the row of its motor; `first` is the number of its first non-smooth row.
    pub(super) const fn drive_row(first: usize) -> usize {
        first + DRIVE
    }

    /// Calls `out` with its non-smooth rows; `row` is the coordinate, whose force works on it, and `across`
    /// the axis along which the multipliers do not load the bearing.
    pub(super) fn non_smooth(
        &self,
        (row, across): (Row, DVec3),
        moving: Moving,
        time: f64,
        first: usize,
        out: &mut impl FnMut(&NonSmoothBlock<'_>),
    ) {
        let restitution = Some(self.restitution);
        let opposite = Row { ends: row.ends.map(|wrench| -wrench), ..row };
        if let Some(least) = self.least {
            let rows = &[NonSmoothRow { restitution, ..NonSmoothRow::new(row, moving.now - least) }];
            out(&NonSmoothBlock { first: first + LEAST, law: BlockLaw::Unilateral, rows });
        }
        if let Some(most) = self.most {
            let rows = &[NonSmoothRow { restitution, ..NonSmoothRow::new(opposite, most - moving.now) }];
            out(&NonSmoothBlock { first: first + MOST, law: BlockLaw::Unilateral, rows });
        }
        let bounded = match &self.motor {
            Some(Motor::Position(drive) | Motor::Velocity(drive)) => {
                drive.strength.map(|most| (-most, most, self.behind(moving, time).unwrap_or(0.0)))
            }
            Some(Motor::Force(force)) => Some((force.at(time), force.at(time), 0.0)),
            Some(Motor::Servo(_)) | None => None,
        };
        if let Some((least, most, gap)) = bounded {
            let rows = &[NonSmoothRow::new(row, gap)];
            out(&NonSmoothBlock { first: first + DRIVE, law: BlockLaw::Bounded { least, most }, rows });
        }
        let slid = moving.now - moving.before;
        if self.friction > 0.0 {
            let law = BlockLaw::Bounded { least: -self.friction, most: self.friction };
            out(&NonSmoothBlock { first: first + RUBS, law, rows: &[NonSmoothRow::new(row, slid)] });
        } else if self.bearing > 0.0 {
            let normal = NormalForce::OfRows { along: across };
            let rows = &[NonSmoothRow { normal, ..NonSmoothRow::new(row, slid) }];
            out(&NonSmoothBlock {
                first: first + RUBS,
                law: BlockLaw::Sliding { friction: self.bearing },
                rows,
            });
        }
    }
}
