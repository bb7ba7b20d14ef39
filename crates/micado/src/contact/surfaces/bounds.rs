//! Boxes around objects, and the pairs of objects whose boxes meet: they may touch in the coming step.

use super::reach::reach;
use crate::geometry::skin::Bounds;
use crate::object::{Object, Touch};
use crate::world::touching::pose;
use crate::world::{State, Structure};
use glam::DVec3;

/// Share of a piece of a curve by which it may leave the box of its ends and its middle.
const BULGE: f64 = 0.25;

/// Box around the surface of an object, and its thickness, m; `None` for a surface without bounds.
pub(super) fn bounds(object: &Object, state: &State, radius: Option<f64>) -> Option<(Bounds, f64)> {
    let model = object.model();
    let q = &state.q[object.unknowns()];
    match (model.touch(), model.curve()) {
        (Touch::Tube, Some(curve)) => {
            let (mut of_all, mut thickest) = (Bounds::EMPTY, 0.0_f64);
            for segment in 0..curve.segments() {
                let (low, high) = curve.span(segment);
                let at = |f: f64| curve.smooth_place(segment, f).position(q);
                let [a, b, c] = [at(low), at(0.5 * (low + high)), at(high)];
                thickest = thickest.max(radius.unwrap_or_else(|| curve.radius(segment)));
                let room = BULGE * (a.distance(b) + b.distance(c));
                of_all = of_all.with(Bounds::of([a, b, c]).grown(room));
            }
            Some((of_all.grown(thickest), thickest))
        }
        (Touch::Ball { radius: drawn }, _) => {
            let radius = radius.unwrap_or(drawn);
            Some((Bounds::of([DVec3::from_slice(q)]).grown(radius), radius))
        }
        (Touch::Solid(skin), _) => {
            let found = skin.bounds(&pose(object, state));
            found.is_finite().then(|| (found, thickness(&found)))
        }
        (Touch::Tube, None) => None,
    }
}

/// Thickness of a solid for its reach: a tenth of its shortest side.
fn thickness(bounds: &Bounds) -> f64 {
    0.1 * (bounds.high - bounds.low).min_element()
}

/// Pairs of objects that may touch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// Sorted by their least x, reach included.
    boxes: Vec<Boxed>,
    /// Indices of objects, the smaller first, sorted.
    pairs: Vec<[u32; 2]>,
    /// Numbers of boxes that were reached, see `add_met`.
    reached: Vec<usize>,
}

/// An object with the box about its surface.
#[derive(Clone, Copy, Debug)]
struct Boxed {
    bounds: Bounds,
    /// Largest distance from which its surface may touch others in the step, m.
    reach: f64,
    object: usize,
    /// Whether it was reached by an object that moved farther than expected.
    reached: bool,
}

impl Boxed {
    /// The box with its reach.
    fn grown(&self) -> Bounds {
        self.bounds.grown(self.reach)
    }
}

impl Groups {
    /// Finds the pairs of movable objects whose boxes meet within a step of this `duration`.
    pub(crate) fn find(&mut self, structure: &Structure, state: &State, duration: f64) -> &[[u32; 2]] {
        self.pairs.clear();
        let touching = &structure.touching;
        if !touching.is_on() {
            return &self.pairs;
        }
        self.boxes.clear();
        for (k, object) in structure.objects.iter().enumerate().filter(|(_, o)| !o.model().is_held()) {
            if let Some((found, thickness)) = bounds(object, state, touching.radius(k)) {
                let reach = reach(structure, object, state, duration, thickness);
                self.boxes.push(Boxed { bounds: found, reach, object: k, reached: false });
            }
        }
        let low = |of: &Boxed| of.bounds.low.x - of.reach;
        self.boxes.sort_unstable_by(|a, b| low(a).total_cmp(&low(b)).then(a.object.cmp(&b.object)));
        for (i, a) in self.boxes.iter().enumerate() {
            let own = a.grown();
            for b in self.boxes[i + 1..].iter().take_while(|b| low(b) <= own.high.x) {
                if own.meets(&b.grown()) && touching.are_watched(a.object, b.object) {
                    self.pairs.push(in_order(a.object, b.object));
                }
            }
        }
        self.pairs.sort_unstable();
        &self.pairs
    }

    /// The pairs that were found.
    pub(crate) fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Adds the pairs of objects of different islands that may have met unseen, because one of them moved
    /// farther in the step than its reach; `travelled` is the way of each object, m. Objects that they may
    /// strike in turn are added too. Returns whether there are such pairs.
    pub(crate) fn add_met(
        &mut self,
        structure: &Structure,
        travelled: &[f64],
        island: impl Fn(usize) -> usize,
    ) -> bool {
        let way = |of: &Boxed| travelled.get(of.object).copied().unwrap_or(0.0);
        let touch = |a: usize, b: usize| structure.touching.are_watched(a, b);
        let swept = |of: &Boxed| of.bounds.grown(way(of).max(of.reach));
        let boxes = &mut self.boxes;
        self.reached.clear();
        for i in 0..boxes.len() {
            let a = boxes[i];
            if way(&a) > a.reach {
                let meets = |b: &Boxed| {
                    way(&a) + way(b) > a.reach + b.reach
                        && island(a.object) != island(b.object)
                        && swept(&a).meets(&swept(b))
                        && touch(a.object, b.object)
                };
                if boxes.iter().any(meets) {
                    self.reached.push(i);
                    boxes[i].reached = true;
                }
            }
        }
        if self.reached.is_empty() {
            return false;
        }
        // An object that is struck may move as fast, and strike others.
        let farthest = self.reached.iter().map(|&i| way(&boxes[i])).fold(0.0, f64::max);
        let mut next = 0;
        while next < self.reached.len() {
            let i = self.reached[next];
            next += 1;
            boxes[i].reach = boxes[i].reach.max(farthest);
            let a = boxes[i];
            for (j, b) in boxes.iter_mut().enumerate() {
                if i != j && a.grown().meets(&swept(b)) && touch(a.object, b.object) {
                    self.pairs.push(in_order(a.object, b.object));
                    if !b.reached {
                        b.reached = true;
                        self.reached.push(j);
                    }
                }
            }
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
        true
    }
}

fn in_order(a: usize, b: usize) -> [u32; 2] {
    [a.min(b) as u32, a.max(b) as u32]
}
