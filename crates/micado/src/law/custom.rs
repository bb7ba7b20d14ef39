//! Laws that users write: a block of rows that answers the sweeps by a function of their own.

use super::{Kept, Local, MAX_BLOCK};
use std::fmt;
use std::sync::Arc;

/// A law from outside: it chooses the number of its rows, keeps numbers, and may change its behaviour in
/// every visit.
///
/// The solver visits blocks in turn until no force changes any more. A visit hands over the local problem `δ
/// = w f + k`, where w and k contain the rest of the world, and the law answers with its forces f. A block
/// with such a law is solved by sweeps alone, and so are all others of its island.
///
/// The answer must depend on the arguments alone: the same scene then gives the same bits on any number of
/// threads. It must not allocate.
pub trait CustomLaw: fmt::Debug + Send + Sync {
    /// Number of its rows, 1 to [`MAX_BLOCK`].
    fn rows(&self) -> usize;

    /// How many numbers it keeps from step to step, at most three per row. They begin as zero.
    fn memory(&self) -> usize {
        0
    }

    /// Called at the beginning of each solve with the numbers that it kept at the end of the last step. A
    /// step may have several solves; each begins with the same numbers.
    fn start(&self, _memory: &mut [f64]) {}

    /// Finds the forces of the block; `f` holds the previous ones. The numbers that it leaves in `memory` in
    /// the last visit of a step are kept.
    fn solve(&self, local: &Local<'_>, f: &mut [f64], memory: &mut [f64]);

    /// Whether a motion δ without force violates the law, so that the block needs visits. By default any
    /// motion does.
    fn is_broken(&self, delta: &[f64], _memory: &[f64]) -> bool {
        delta.iter().any(|&delta| delta != 0.0)
    }
}

/// A law from outside, shared.
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

    /// Number of its rows. A number that is not allowed is brought into the range.
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
