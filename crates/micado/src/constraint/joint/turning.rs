//! Friction and viscosity of a ball joint, on its relative rotation.
//!
//! ω is the rate of the first object against the second, δφ the rotation vector since the step began, M₀ the
//! friction and c the viscosity:
//!
//! ```text
//! dry friction   δφ = 0 inside |M| ≤ M₀, or M = −M₀ δφ/|δφ|
//! viscosity      M = −c ω
//! ```
//!
//! Rows and soft rows are rotations about the axes of the world.

use super::coordinate::MOST_PUSHES;
use super::{COORDINATES, Joint, JointKind, JointLaw};
use crate::constraint::{KindMemory, NonSmoothBlock, NonSmoothRow, Row, Site, SoftRow, Wrench};
use crate::error::{BuildError, check};
use crate::geometry::rotation::{exp, log};
use crate::law::{BallRows, BlockLaw};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// Resistance to the relative rotation of a ball joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Turning {
    /// M₀, N·m
    friction: f64,
    /// c, N·m·s/rad
    viscosity: f64,
}

impl Turning {
    pub(super) fn build(joint: &Joint, word: &str) -> Result<Self, BuildError> {
        for (path, value) in [("friction", joint.friction), ("viscosity", joint.viscosity)] {
            check::not_negative(path, value)?;
            if value > 0.0 && joint.kind != JointKind::Ball {
                let problem = format!("a {word} joint has none as a whole");
                let remedy = "give it for a coordinate, such as `angle`";
                return Err(BuildError::new(path, problem, remedy));
            }
        }
        Ok(Self { friction: joint.friction, viscosity: joint.viscosity })
    }

    pub(super) fn rubs(self) -> bool {
        self.friction > 0.0
    }

    pub(super) fn is_soft(self) -> bool {
        self.viscosity > 0.0
    }
}

/// Number of the first non-smooth row of the friction; those of two coordinates come before it.
const FIRST: usize = 2 * MOST_PUSHES;

/// Vector of the relative rotation F_Bᵀ F_A.
pub(super) fn relative(a: &Site, b: &Site) -> [f64; 3] {
    log(b.frame().transpose() * a.frame()).to_array()
}

/// Rotations of the first object about the axes of the world, against the second.
fn rows() -> [Row; 3] {
    DVec3::AXES.map(|axis| Row::angle([Wrench::moment(axis), Wrench::moment(-axis)], 0.0))
}

impl JointLaw {
    /// Calls `out` with the friction of a ball joint.
    pub(super) fn ball_friction(
        &self,
        a: &Site,
        b: &Site,
        memory: &KindMemory,
        out: &mut impl FnMut(&NonSmoothBlock<'_>),
    ) {
        let before: DMat3 = b.frame() * exp(DVec3::from_array(memory.joint().rotation));
        let slid = log(a.frame() * before.transpose()).to_array();
        let all = rows();
        let rows: [NonSmoothRow; 3] = std::array::from_fn(|k| NonSmoothRow::new(all[k], slid[k]));
        let law = BlockLaw::Ball { rows: BallRows::Three, most: self.turning.friction };
        out(&NonSmoothBlock { first: FIRST, law, rows: &rows });
    }

    /// Calls `out` with the soft rows of a ball joint with viscosity.
    pub(super) fn ball_viscosity(&self, out: &mut impl FnMut(&SoftRow)) {
        for (number, row) in (COORDINATES..).zip(rows()) {
            out(&SoftRow {
                row,
                number,
                stiffness: 0.0,
                damping: self.turning.viscosity,
                elastic: 0.0,
                drag_of_target: 0.0,
            });
        }
    }
}
