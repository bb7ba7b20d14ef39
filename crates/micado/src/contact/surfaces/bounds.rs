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
                let r = radius.unwrap_or_else(|| curve.radius(segment));
                thickest = thickest.max(r);
                let room = r + BULGE * (a.distance(b) + b.distance(c));
                of_all = of_all.with(Bounds::of([a, b, c]).grown(room));
            }
            Some((of_all, thickest))
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
    boxes: Vec<(Bounds, usize)>,
    /// Indices of objects, the smaller first, sorted.
    pairs: Vec<[u32; 2]>,
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
                self.boxes.push((found.grown(reach(structure, object, state, duration, thickness)), k));
            }
        }
        self.boxes.sort_unstable_by(|a, b| a.0.low.x.total_cmp(&b.0.low.x).then(a.1.cmp(&b.1)));
        for (i, (a, first)) in self.boxes.iter().enumerate() {
            for (b, second) in &self.boxes[i + 1..] {
                if b.low.x > a.high.x {
                    break;
                }
                if a.meets(b) && touching.between(*first, *second).is_some() {
                    self.pairs.push([*first.min(second) as u32, *first.max(second) as u32]);
                }
            }
        }
        self.pairs.sort_unstable();
        &self.pairs
    }
}
