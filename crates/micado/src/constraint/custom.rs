//! Custom constraints: a program's own functions give rows, memory and non-smooth blocks.
//!
//! A scene gives the registered name of the kind, the places that it joins, and its parameters. The
//! constraint is a pure function of these and of its memory. The memory is state and part of snapshots.

use super::{
    Curvature, ENDS, EndDescription, FrameNeed, KindMemory, MAX_PUSHES, MAX_ROWS, NonSmoothBlock, Row, Rows,
    Site,
};
use crate::describe::anchor::{Anchor, At};
use crate::describe::parameters::Parameters;
use crate::error::BuildError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Size of the memory of a custom constraint or a custom force.
pub const MAX_MEMORY: usize = 8;

/// A custom constraint: `g(q) = 0` between two places, or between a place and the world.
///
/// Rows are `J Δ = −g`: a [`Row`] has the wrench of a unit multiplier at each end, and `violation = −g`.
/// Forces on the ends, read-outs, reports and refusals follow from the rows. Results of all methods must
/// depend only on their arguments; methods must not allocate.
pub trait CustomConstraint: fmt::Debug + Send + Sync {
    /// Number of its rows in the factored system, at most [`MAX_ROWS`]. It never changes.
    fn rows(&self) -> usize;

    /// Checks the initial places, and sets its memory from them. The memory is zero at first.
    ///
    /// # Errors
    /// The field that can't be used.
    fn begin(&self, _ends: &[Site; ENDS], _memory: &mut [f64; MAX_MEMORY]) -> Result<(), BuildError> {
        Ok(())
    }

    /// The site of its second end, if that is in the world.
    fn world(&self, _time: f64) -> Site {
        Site::WORLD
    }

    /// Adds its rows, [`Self::rows`] of them, with the targets at `time`.
    fn linearise(&self, ends: &[Site; ENDS], memory: &[f64; MAX_MEMORY], time: f64, rows: &mut Rows);

    /// Curvature −Σ λ ∂²g in position and rotation of both ends; `None` if it is zero or unknown. Without it,
    /// equilibria converge more slowly and modes lack its stiffness.
    fn curvature(
        &self,
        _ends: &[Site; ENDS],
        _memory: &[f64; MAX_MEMORY],
        _time: f64,
        _lambda: &[f64],
    ) -> Option<Curvature> {
        None
    }

    /// Whether it ever has non-smooth blocks.
    fn is_non_smooth(&self) -> bool {
        false
    }

    /// Calls `out` for each block of non-smooth rows, with a built-in or a custom law. There may be at most
    /// [`MAX_PUSHES`] rows in all; a block keeps its number `first` from step to step.
    fn non_smooth(
        &self,
        _ends: &[Site; ENDS],
        _memory: &[f64; MAX_MEMORY],
        _time: f64,
        _out: &mut dyn FnMut(&NonSmoothBlock<'_>),
    ) {
    }

    /// Updates its memory at the end of a step.
    fn remember(&self, _ends: &[Site; ENDS], _memory: &mut [f64; MAX_MEMORY], _time: f64) {}

    /// Whether it changes in time.
    fn moves(&self) -> bool {
        false
    }
}

/// A custom constraint, by the name of its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Custom {
    /// Its kind: the name under which the program registered it.
    pub kind: String,
    /// Object, by name.
    pub on: String,
    /// Place on the rod or body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// From that place to the held point, m: on a rod in its frame, on a body in its axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<[f64; 3]>,
    /// The other place; the world unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
    /// Its parameters.
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
}

impl Custom {
    pub(super) fn ends(&self) -> [EndDescription<'_>; ENDS] {
        let frame = FrameNeed::IfAny;
        let first = EndDescription::Place { on: &self.on, at: self.at, arm: self.arm, frame };
        [first, EndDescription::other(self.to.as_ref(), frame)]
    }
}

/// A custom constraint, ready to be evaluated. While a snapshot is read, before `restore` sets its functions,
/// it has no rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CustomRows {
    #[serde(skip)]
    shared: Option<Arc<dyn CustomConstraint>>,
}

impl PartialEq for CustomRows {
    fn eq(&self, other: &Self) -> bool {
        match (&self.shared, &other.shared) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        }
    }
}

impl CustomRows {
    pub(crate) fn new(constraint: Arc<dyn CustomConstraint>) -> Self {
        Self { shared: Some(constraint) }
    }

    /// Its initial memory.
    pub(crate) fn begin(&self, ends: &[Site; ENDS]) -> Result<KindMemory, BuildError> {
        let mut memory = [0.0; MAX_MEMORY];
        if let Some(of) = &self.shared {
            of.begin(ends, &mut memory)?;
        }
        Ok(KindMemory::Custom(memory))
    }

    pub(super) fn count(&self) -> usize {
        self.shared.as_ref().map_or(0, |of| of.rows().min(MAX_ROWS))
    }

    pub(super) fn moves(&self) -> bool {
        self.shared.as_ref().is_some_and(|of| of.moves())
    }

    pub(super) fn world(&self, time: f64) -> Site {
        self.shared.as_ref().map_or(Site::WORLD, |of| of.world(time))
    }

    pub(super) fn is_non_smooth(&self) -> bool {
        self.shared.as_ref().is_some_and(|of| of.is_non_smooth())
    }

    pub(super) fn rows(&self, ends: &[Site; ENDS], kind: &KindMemory, time: f64, rows: &mut Rows) {
        let Some(of) = &self.shared else { return };
        of.linearise(ends, &kind.custom(), time, rows);
        // The system has room for exactly this number of rows.
        rows.set_count(self.count());
    }

    pub(super) fn curvature(
        &self,
        ends: &[Site; ENDS],
        kind: &KindMemory,
        time: f64,
        lambda: &[f64; MAX_ROWS],
    ) -> Option<Curvature> {
        self.shared.as_ref()?.curvature(ends, &kind.custom(), time, &lambda[..self.count()])
    }

    pub(super) fn non_smooth(
        &self,
        ends: &[Site; ENDS],
        kind: &KindMemory,
        time: f64,
        out: &mut impl FnMut(&NonSmoothBlock<'_>),
    ) {
        let Some(of) = &self.shared else { return };
        of.non_smooth(ends, &kind.custom(), time, &mut |block| {
            // A block that doesn't fit is left out.
            if block.rows.len() == block.law.rows() && block.first + block.rows.len() <= MAX_PUSHES {
                out(block);
            }
        });
    }

    pub(super) fn remember(&self, ends: &[Site; ENDS], kind: &KindMemory, time: f64) -> KindMemory {
        let mut memory = kind.custom();
        if let Some(of) = &self.shared {
            of.remember(ends, &mut memory, time);
        }
        KindMemory::Custom(memory)
    }
}

impl Rows {
    /// Adds rows that hold nothing, or removes the last rows, until there are `count`.
    fn set_count(&mut self, count: usize) {
        while self.len() < count {
            self.push(Row::default());
        }
        self.truncate(count);
    }
}
