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
    /// For each side: old contacts, sorted by one coordinate of their place.
    sorted: [Sorted; 2],
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
        // In a pair that overlaps already, a new contact does not count as a deeper overlap.
        let least = old.iter().map(|known| known.mark.began).fold(f64::INFINITY, f64::min);
        new.iter_mut().for_each(|touch| touch.before = least);
        self.candidates.clear();
        self.sorted.iter_mut().enumerate().for_each(|(side, sorted)| sorted.sort(old, side));
        for (i, touch) in new.iter().enumerate() {
            let known = &touch.known;
            for side in 0..2 {
                for &(_, j) in self.sorted[side].within(known.mark.at[side], reach) {
                    let [first, second] = distances(known, &old[j]);
                    // A contact that is near on both sides is found on the first side.
                    let is_near = if side == 0 { first <= reach } else { first > reach && second <= reach };
                    if is_near && same_side(known, &old[j]) {
                        self.candidates.push(([first.min(second), first.max(second)], i, j));
                    }
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

/// Contacts by one coordinate of their places on one side.
#[derive(Clone, Debug, Default)]
struct Sorted {
    axis: usize,
    /// Coordinates and numbers, in order.
    all: Vec<(f64, usize)>,
}

impl Sorted {
    /// Sorts contacts by the coordinate in which they extend farthest.
    fn sort(&mut self, contacts: &[Remembered], side: usize) {
        let places = || contacts.iter().map(|known| DVec3::from_array(known.mark.at[side]));
        let (low, high) = (places().fold(DVec3::MAX, DVec3::min), places().fold(DVec3::MIN, DVec3::max));
        let extent = high - low;
        self.axis = (1..3).fold(0, |best, k| if extent[k] > extent[best] { k } else { best });
        self.all.clear();
        self.all.extend(contacts.iter().enumerate().map(|(j, known)| (known.mark.at[side][self.axis], j)));
        self.all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }

    /// Those within `reach` of a place in this coordinate.
    fn within(&self, place: [f64; 3], reach: f64) -> impl Iterator<Item = &(f64, usize)> {
        let x = place[self.axis];
        let first = self.all.partition_point(|(at, _)| *at < x - reach);
        self.all[first..].iter().take_while(move |(at, _)| *at <= x + reach)
    }
}

/// Distances of two contacts on both objects, m. A point that slides on one side rests on the other.
fn distances(a: &Remembered, b: &Remembered) -> [f64; 2] {
    [0, 1].map(|side| DVec3::from_array(a.mark.at[side]).distance(DVec3::from_array(b.mark.at[side])))
}

/// Whether two contacts push to the same side: others are on opposite surfaces.
fn same_side(a: &Remembered, b: &Remembered) -> bool {
    DVec3::from_array(a.mark.normal).dot(DVec3::from_array(b.mark.normal)) > 0.0
}
