//! Custom laws: a program's own function solves a block of rows in each visit of the sweeps.

use super::{Kept, Local, MAX_BLOCK};
use std::fmt;
use std::sync::Arc;

/// A custom law. It defines the number of its rows, keeps numbers from step to step, and may change its
/// behaviour in every visit.
///
/// The solver visits blocks in turn until no force changes any more. In a visit the law receives the local
/// problem `δ = w f + k`, in which w and k represent the rest of the world, and computes its forces f. Only
/// sweeps solve a block with such a law, and all other blocks of its island.
///
/// Results must depend only on the arguments: the same scene then gives the same bits on any number of
/// threads. Methods must not allocate.
pub trait CustomLaw: fmt::Debug + Send + Sync {
    /// Number of its rows, 1 to [`MAX_BLOCK`].
    fn rows(&self) -> usize;

    /// Number of values that it keeps from step to step, at most three per row. They are zero at first.
    fn memory(&self) -> usize {
        0
    }

    /// Prepares a solve. `memory` has the values from the end of the last step. A step may have several
    /// solves; each begins with the same values.
    fn start(&self, _memory: &mut [f64]) {}

    /// Computes the forces of the block; `f` holds the previous ones. The values that `memory` has after the
    /// last visit of a step are kept.
    fn solve(&self, local: &Local<'_>, f: &mut [f64], memory: &mut [f64]);

    /// Whether a motion δ without force violates the law, so that the block needs visits. By default every
    /// motion does.
    fn is_broken(&self, delta: &[f64], _memory: &[f64]) -> bool {
        delta.iter().any(|&delta| delta != 0.0)
    }
}

/// A shared custom law.
#[derive(Clone, Debug)]
pub struct SharedLaw(Arc<dyn CustomLaw>);

impl PartialEq for SharedLaw {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl SharedLaw {
    /// Shares a law.
    pub fn new(law: Arc<dyn CustomLaw>) -> Self {
        Self(law)
    }

    /// Number of its rows, clamped to 1 to [`MAX_BLOCK`].
    pub fn rows(&self) -> usize {
        self.0.rows().clamp(1, MAX_BLOCK)
    }

    /// Its own part of the memory of its rows.
    fn own<'a>(&self, kept: &'a mut [Kept]) -> &'a mut [f64] {
        let kept = kept.as_flattened_mut();
        let count = self.0.memory().min(kept.len());
        &mut kept[..count]
    }

    pub(super) fn start(&self, kept: &mut [Kept]) {
        self.0.start(self.own(kept));
    }

    pub(super) fn solve(&self, local: &Local<'_>, f: &mut [f64], kept: &mut [Kept]) {
        self.0.solve(local, f, self.own(kept));
    }

    pub(super) fn is_broken(&self, delta: &[f64], kept: &[Kept]) -> bool {
        let kept = kept.as_flattened();
        self.0.is_broken(delta, &kept[..self.0.memory().min(kept.len())])
    }
}
