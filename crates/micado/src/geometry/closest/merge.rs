//! The contacts of two chains, each once.

use super::search::Search;
use super::tree::{arc_between, rest_length};
use glam::DVec3;

/// A contact of two chains, or of a chain with itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Pieces of the first and of the second chain.
    pub pieces: [u32; 2],
    /// Coordinates on the pieces, from 0 to 1.
    pub f: [f64; 2],
    /// Unit normal from the second chain to the first.
    pub normal: DVec3,
    /// Distance of the centre lines, m.
    pub distance: f64,
}

/// A contact and its rest arc lengths, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) near: Near,
    pub(super) arc: [f64; 2],
}

/// Sorts contacts by arc length and keeps the deepest of those that are one.
pub(super) fn merge(search: &Search<'_>, found: &mut Vec<Found>) {
    sort(found);
    let same = search.trees.map(|tree| tree.same);
    let one = |p: [f64; 2], q: [f64; 2]| (0..2).all(|k| arc_between(search.chains[k], p[k], q[k]) <= same[k]);
    let chain = search.chains[0];
    let seam = if chain.closed { chain.arc[0] + rest_length(chain) - same[0] } else { f64::INFINITY };
    let mut kept = 0;
    for k in 0..found.len() {
        let new = found[k];
        let reversed = [new.arc[1], new.arc[0]];
        let before = found[..kept].iter().rposition(|old| new.arc[0] - old.arc[0] > 2.0 * same[0]);
        let near = before.map_or(0, |b| b + 1);
        let twin = (near..kept).find(|&i| one(found[i].arc, new.arc)).or_else(|| {
            // About the seam of a closed chain, the first contacts and the last ones may be the same.
            let turned = search.skip.is_some() && new.arc[1] >= seam;
            if new.arc[0] < seam && !turned {
                return None;
            }
            let first = |i: &usize| found[*i].arc[0] <= chain.arc[0] + 2.0 * same[0];
            (0..near)
                .take_while(first)
                .find(|&i| one(found[i].arc, new.arc) || (turned && one(found[i].arc, reversed)))
        });
        match twin {
            Some(i) if new.near.distance < found[i].near.distance => found[i] = new,
            Some(_) => {}
            None => {
                found[kept] = new;
                kept += 1;
            }
        }
    }
    found.truncate(kept);
    sort(found);
}

fn sort(found: &mut [Found]) {
    found.sort_unstable_by(|p, q| {
        let by = |k: usize| p.arc[k].total_cmp(&q.arc[k]);
        by(0).then(by(1)).then(p.near.distance.total_cmp(&q.near.distance))
    });
}
