//! A block of one to six chosen directions with a law from outside.
//!
//! As in the paper, a constraint says how many dimensions it has, the direction of each, and the law of its
//! forces. With d = F_Bᵀ(x_A − x_B) and R = F_Bᵀ F_A, which began as d₀ and R₀, a direction n fixed to B has
//! the displacement `δ = n·(d − d₀)`, and an axis a fixed to B the rotation `δ = a·log(R R₀ᵀ)`. d₀ and R₀ are
//! those of the beginning of the step, or of the beginning of the constraint. J: n on A with its moment on B,
//! and ±a. Forces: N, and N·m, on the first place.

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

/// A block of chosen directions with a law from outside. Forces: N along directions, N·m about rotations, on
/// the first place.
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
    /// Directions of displacement, world axes when it is added. Rows are in this order, then rotations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directions: Vec<[f64; 3]>,
    /// Axes of rotation, world axes when it is added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rotations: Vec<[f64; 3]>,
    /// Whether displacements count from the beginning of the step or of the constraint.
    #[serde(default)]
    pub since: Measured,
    /// Parameters of the law.
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
}

/// Beginning of the displacements of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measured {
    /// The beginning of the step: sliding, as friction needs it.
    #[default]
    Step,
    /// The beginning of the constraint: a position, as contacts and springs need it.
    Start,
}

/// A block of chosen directions, ready to be evaluated. Without its law, between reading and restoring, it
/// has no rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LawBlockRows {
    /// In the frame of the second end.
    directions: Vec<DVec3>,
    rotations: Vec<DVec3>,
    since: Measured,
    /// The world's end: where the first place began, m.
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
    /// Gives it its law.
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
    #[expect(clippy::unused_self, reason = "every law is asked")]
    pub(super) fn moves(&self) -> bool {
        false
    }

    pub(super) fn world(&self) -> Site {
        Site { x: self.point, ..Site::WORLD }
    }

    /// The memory with which it begins.
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
