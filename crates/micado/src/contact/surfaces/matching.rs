//! Matching: which contacts of the present substep are those that the state remembers.
//!
//! Contacts of the same two objects are matched one to one, nearest first. Distance is measured on both
//! objects, by rest arc length on rods and in the axes of bodies, so it does not depend on segments, on the
//! motion of the objects, or on the order in which contacts were found.

use super::touch::TouchPoint;
use crate::world::{ContactMemory, Remembered};
use glam::DVec3;

/// Scratch of the matching.
#[derive(Clone, Debug, Default)]
pub(super) struct Matching {
    /// Smaller and larger distance of both sides, new contact, old contact.
    candidates: Vec<([f64; 2], usize, usize)>,
    taken: Vec<bool>,
}

impl Matching {
    /// Continues the new contacts of one pair of objects from the memory. `reach` is the largest distance
    /// between contacts that are the same, m.
    pub(super) fn match_pair(&mut self, new: &mut [TouchPoint], memory: &ContactMemory, reach: f64) {
        let Some(first) = new.first() else { return };
        let between = first.known.key.between;
        let old = memory.between(between);
        if old.is_empty() {
            return;
        }
        self.candidates.clear();
        for (i, touch) in new.iter().enumerate() {
            for (j, known) in old.iter().enumerate() {
                let apart = distances(&touch.known, known);
                if apart[0] <= reach && same_side(&touch.known, known) {
                    self.candidates.push((apart, i, j));
                }
            }
        }
        self.candidates.sort_unstable_by(|(a, i, j), (b, k, l)| {
            a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(i.cmp(k)).then(j.cmp(l))
        });
        self.taken.clear();
        self.taken.resize(new.len() + old.len(), false);
        for &(_, i, j) in &self.candidates {
            if !self.taken[i] && !self.taken[new.len() + j] {
                (self.taken[i], self.taken[new.len() + j]) = (true, true);
                new[i].continue_from(&old[j]);
            }
        }
    }
}

/// Distances of two contacts on both objects, m, the smaller one first: a point that slides on one side rests
/// on the other.
fn distances(a: &Remembered, b: &Remembered) -> [f64; 2] {
    let on = |side: usize| DVec3::from_array(a.mark.at[side]).distance(DVec3::from_array(b.mark.at[side]));
    let (first, second) = (on(0), on(1));
    [first.min(second), first.max(second)]
}

/// Whether two contacts push to the same side: others are on opposite surfaces.
fn same_side(a: &Remembered, b: &Remembered) -> bool {
    DVec3::from_array(a.mark.normal).dot(DVec3::from_array(b.mark.normal)) > 0.0
}
