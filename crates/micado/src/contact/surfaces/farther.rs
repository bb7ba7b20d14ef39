//! Objects that moved farther in a substep than their reach, because they were struck in it.
//!
//! Contacts are found at the beginning of a substep, for motions within the reach of each object. If an
//! object moved farther and may have met another one unseen, contacts are found again: every object then
//! reaches at least as far as that motion, since an object that is struck may move as fast. If there are more
//! contacts, the substep is solved again. Islands are joined in the same way, see `Groups::add_met`.

use super::find::Surfaces;
use super::shapes::{Kind, Shape, Shapes};
use crate::world::{State, Structure, Toucher};

impl Surfaces {
    /// Forgets the least reach of an earlier try of the substep.
    pub(in crate::contact) fn begin_try(&mut self) {
        if self.least_reach > 0.0 {
            self.least_reach = 0.0;
            self.found_in.forget();
        }
    }

    /// Finds the contacts of the substep again, if objects may have met unseen: `moved` is how far each
    /// object moved in it, m. Returns whether there are more contacts than before; then it has to be solved
    /// again.
    pub(in crate::contact) fn look_farther(
        &mut self,
        structure: &Structure,
        state: &State,
        duration: f64,
        moved: &[f64],
    ) -> bool {
        if !self.shapes.may_have_met(structure, moved) {
            return false;
        }
        let before = self.touches.len();
        self.least_reach = moved.iter().copied().fold(self.least_reach, f64::max);
        self.found_in.forget();
        self.begin(structure, state, duration);
        self.touches.len() > before
    }
}

impl Shapes {
    /// Whether shapes that may touch have met within their motions `moved` (m), but not within their reach.
    fn may_have_met(&self, structure: &Structure, moved: &[f64]) -> bool {
        let way = |shape: &Shape| match shape.toucher {
            Toucher::Object(k) => moved.get(k as usize).copied().unwrap_or(0.0),
            _ => 0.0,
        };
        let swept =
            |shape: &Shape| shape.bounds.map(|found| found.grown((way(shape) - shape.reach).max(0.0)));
        let farther = self.all.iter().enumerate().filter(|(_, shape)| way(shape) > shape.reach);
        farther.into_iter().any(|(i, a)| {
            let own = swept(a);
            let meets = |(j, b): (usize, &Shape)| {
                let both = if i == j { matches!(a.kind, Kind::Chain { .. }) } else { true };
                both && way(a) + way(b) > a.reach + b.reach
                    && own.zip(swept(b)).is_none_or(|(a, b)| a.meets(&b))
                    && structure.touching.between(a.whole, b.whole).is_some()
            };
            self.all.iter().enumerate().any(meets)
        })
    }
}
