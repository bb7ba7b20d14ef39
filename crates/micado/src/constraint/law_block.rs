//! A block of one to six chosen directions with a custom law.
//!
//! As in the paper, a constraint has a number of dimensions, a direction for each, and a law of its forces. d
//! = F_Bᵀ(x_A − x_B) and R = F_Bᵀ F_A; d₀ and R₀ are their values at the beginning of the step, or of the
//! constraint. A direction n fixed to B has the displacement `δ = n·(d − d₀)`, and an axis a fixed to B the
//! rotation `δ = a·log(R R₀ᵀ)`. J: n on A with its moment on B, and ±a. Forces, N, and moments, N·m, act on
//! the first place.

use super::plane::row as along;
use super::{
    ENDS, EndDescription, FrameNeed, KindMemory, MAX_MEMORY, NonSmoothBlock, NonSmoothRow, Row, Site, Wrench,
};
use crate::describe::anchor::{Anchor, At};
use crate::describe::parameters::Parameters;
use crate::error::{BuildError, check};
use crate::geometry::rotation::log_of;
use crate::law::{BlockLaw, MAX_BLOCK, SharedLaw};
use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A block of chosen directions with a custom law. Its forces act on the first place: N along `directions`,
/// N·m about `rotations`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LawBlock {
    /// Its law: the name under which the program registered it.
    pub kind: String,
    /// Object, by name.
    pub on: String,
    /// Place on the rod or body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// From that place to the held point, m: on a rod in its frame, on a body in its axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<[f64; 3]>,
    /// The other place, with which the directions turn; the world unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
    /// Directions of displacement, in world axes when it is added. Their rows come first, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directions: Vec<[f64; 3]>,
    /// Axes of rotation, in world axes when it is added. Their rows come last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rotations: Vec<[f64; 3]>,
    /// Start of the displacements: the beginning of the step or of the constraint.
    #[serde(default)]
    pub since: Measured,
    /// Parameters of the law.
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
}

/// Start of the displacements of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measured {
    /// The beginning of the step: for sliding, as in friction.
    #[default]
    Step,
    /// The beginning of the constraint: for positions, as in contacts and springs.
    Start,
}

/// A block of chosen directions, ready to be evaluated. While a snapshot is read, before `restore` sets its
/// law, it has no rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LawBlockRows {
    /// In the frame of the second end.
    directions: Vec<DVec3>,
    rotations: Vec<DVec3>,
    since: Measured,
    /// Point of the end in the world: the initial position of the first place, m.
    point: DVec3,
    #[serde(skip)]
    law: Option<SharedLaw>,
}

impl LawBlock {
    pub(super) fn ends(&self) -> [EndDescription<'_>; ENDS] {
        let frame = if self.rotations.is_empty() { FrameNeed::No } else { FrameNeed::Yes };
        let first = EndDescription::Place { on: &self.on, at: self.at, arm: self.arm, frame };
        let turns = if self.rotations.is_empty() { FrameNeed::IfAny } else { FrameNeed::Yes };
        [first, EndDescription::other(self.to.as_ref(), turns)]
    }

    pub(super) fn build(&self, a: &Site, b: &Site) -> Result<LawBlockRows, BuildError> {
        let rows = self.directions.len() + self.rotations.len();
        if !(1..=MAX_BLOCK).contains(&rows) {
            return Err(BuildError::new(
                "directions",
                format!("{rows} directions and rotations"),
                format!("give one to {MAX_BLOCK} `directions` and `rotations` in all"),
            ));
        }
        let fixed = |field: &str, list: &[[f64; 3]]| {
            let each = list.iter().enumerate();
            let unit = |(k, given): (usize, &[f64; 3])| check::direction(&format!("{field}[{k}]"), *given);
            each.map(|given| Ok(b.frame().transpose() * unit(given)?)).collect::<Result<Vec<_>, BuildError>>()
        };
        Ok(LawBlockRows {
            directions: fixed("directions", &self.directions)?,
            rotations: fixed("rotations", &self.rotations)?,
            since: self.since,
            point: a.x,
            law: None,
        })
    }
}

impl LawBlockRows {
    /// Sets its law.
    ///
    /// # Errors
    /// The law has another number of rows.
    pub(crate) fn set_law(&mut self, law: SharedLaw) -> Result<(), BuildError> {
        let (rows, wanted) = (self.directions.len() + self.rotations.len(), law.rows());
        if rows != wanted {
            return Err(BuildError::new(
                "directions",
                format!("{rows} directions and rotations for a law of {wanted} rows"),
                format!("give {wanted} in all"),
            ));
        }
        self.law = Some(law);
        Ok(())
    }

    /// Its directions are fixed to the second place.
    #[expect(clippy::unused_self, reason = "all laws have this method")]
    pub(super) fn moves(&self) -> bool {
        false
    }

    pub(super) fn world(&self) -> Site {
        Site { x: self.point, ..Site::WORLD }
    }

    /// Its initial memory.
    pub(crate) fn begin(a: &Site, b: &Site) -> KindMemory {
        let mut memory = [0.0; MAX_MEMORY];
        let d = b.frame().transpose() * (a.x - b.x);
        memory[..3].copy_from_slice(&d.to_array());
        memory[3..7].copy_from_slice(&relative(a, b).to_array());
        KindMemory::Custom(memory)
    }

    pub(super) fn remember(&self, a: &Site, b: &Site, kind: &KindMemory) -> KindMemory {
        if self.since == Measured::Start { *kind } else { Self::begin(a, b) }
    }

    pub(super) fn non_smooth(
        &self,
        a: &Site,
        b: &Site,
        kind: &KindMemory,
        out: &mut impl FnMut(&NonSmoothBlock<'_>),
    ) {
        let Some(law) = &self.law else { return };
        let memory = kind.custom();
        let mut rows = [NonSmoothRow::new(Row::default(), 0.0); MAX_BLOCK];
        let moved = b.frame().transpose() * (a.x - b.x) - DVec3::from_slice(&memory[..3]);
        for (to, n) in rows.iter_mut().zip(&self.directions) {
            *to = NonSmoothRow::new(along(b.frame() * *n, 0.0, a, b), n.dot(moved));
        }
        if !self.rotations.is_empty() {
            let turned = log_of(relative(a, b) * DQuat::from_slice(&memory[3..7]).inverse());
            for (to, axis) in rows[self.directions.len()..].iter_mut().zip(&self.rotations) {
                let moment = Wrench::moment(b.frame() * *axis);
                *to = NonSmoothRow::new(Row::angle([moment, -moment], 0.0), axis.dot(turned));
            }
        }
        let rows = &rows[..self.directions.len() + self.rotations.len()];
        out(&NonSmoothBlock { first: 0, law: BlockLaw::Custom(law.clone()), rows });
    }
}

/// R = F_Bᵀ F_A as a quaternion.
fn relative(a: &Site, b: &Site) -> DQuat {
    DQuat::from_mat3(&(b.frame().transpose() * a.frame()))
}
