//! Shapes: the surfaces of objects in one state, and the pairs of them that may touch.

use super::bounds::bounds;
use super::reach::reach;
use crate::geometry::closest::{Chain, Cubic};
use crate::geometry::skin::{Bounds, Pose, Skin};
use crate::object::{MaterialCurve, Object, Touch};
use crate::world::touching::pose;
use crate::world::{State, Structure, Toucher};
use glam::DVec3;

/// Part of the length of a piece within which contacts of two substeps are the same.
const SAME_PIECE: f64 = 0.5;
/// Part of the size of a body within which contacts of two substeps are the same.
const SAME_BODY: f64 = 0.1;
/// The shape of an object in the present substep.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) toucher: Toucher,
    /// Index in the whole world.
    pub(super) whole: usize,
    /// Index in the structure; for a fixed body, index in the list of fixed ones.
    pub(super) index: usize,
    /// Box about all places that it may touch; `None` if it has no bounds.
    pub(super) bounds: Option<Bounds>,
    /// How far apart surfaces may be to be contacts, m.
    pub(super) reach: f64,
    pub(super) kind: Kind,
}

/// Surface of an object.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A rod: its pieces in the list of all pieces, and the arc lengths and radii at their ends in the lists
    /// of all; its largest radius, m.
    Chain { pieces: (usize, usize), arc: (usize, usize), closed: bool, radius: f64, longest: f64 },
    /// A mass.
    Ball { x: DVec3, radius: f64 },
    /// A body, with the longest and the shortest side of its own box, m; infinite without bounds.
    Solid { skin: Skin, pose: Pose, size: f64, thin: f64 },
}

impl Kind {
    /// Distance on the object below which contacts of two substeps are the same, m.
    pub(super) fn same(&self) -> f64 {
        match self {
            Self::Chain { longest, .. } => SAME_PIECE * longest,
            Self::Ball { .. } => f64::INFINITY,
            Self::Solid { size, .. } => SAME_BODY * size,
        }
    }
}

/// A body in a pose.
fn solid(skin: &Skin, pose: Pose) -> Kind {
    let own = skin.own_bounds();
    let sides = own.is_finite().then(|| own.high - own.low);
    let [size, least] = sides.map_or([f64::INFINITY; 2], |sides| [sides.max_element(), sides.min_element()]);
    // A surface without a thickness has the size of its extent.
    let thin = if least > 0.0 { least } else { size };
    Kind::Solid { skin: skin.clone(), pose, size, thin }
}

/// The shapes of a substep.
#[derive(Clone, Debug, Default)]
pub(super) struct Shapes {
    pub(super) all: Vec<Shape>,
    /// Least thickness of movable objects, m; infinite without any.
    pub(super) thinnest: f64,
    pieces: Vec<Cubic>,
    arc: Vec<f64>,
    /// Radii at the ends of the pieces, m, as many as arc lengths.
    radii: Vec<f64>,
    order: Vec<usize>,
}

impl Shapes {
    /// Collects the shapes for a substep of this `duration`. Movable ones reach at least `least` (m).
    pub(super) fn collect(&mut self, structure: &Structure, state: &State, duration: f64, least: f64) {
        let touching = &structure.touching;
        self.all.clear();
        self.pieces.clear();
        self.arc.clear();
        self.radii.clear();
        self.thinnest = f64::INFINITY;
        for (k, object) in structure.objects.iter().enumerate().filter(|(_, o)| !o.model().is_held()) {
            let given = touching.radius(k);
            let (found, thickness) = match bounds(object, state, given) {
                Some((found, thickness)) => (Some(found), thickness),
                None => (None, 0.0),
            };
            if thickness > 0.0 {
                self.thinnest = self.thinnest.min(thickness);
            }
            let reach = reach(structure, object, state, duration, thickness).max(least);
            let kind = match (object.model().touch(), object.model().curve()) {
                (Touch::Tube, Some(curve)) => self.add_chain(object, curve, state, (given, thickness)),
                (Touch::Tube, None) => continue,
                (Touch::Ball { radius }, _) => Kind::Ball {
                    x: DVec3::from_slice(&state.q[object.unknowns()]),
                    radius: given.unwrap_or(radius),
                },
                (Touch::Solid(skin), _) => solid(skin, pose(object, state)),
            };
            self.all.push(Shape {
                toucher: Toucher::Object(k as u32),
                whole: touching.whole(k),
                index: k,
                bounds: found.map(|found| found.grown(reach)),
                reach,
                kind,
            });
        }
        for (k, fixed) in touching.fixed.iter().enumerate() {
            let found = Some(fixed.surface.bounds(&fixed.pose)).filter(Bounds::is_finite);
            self.all.push(Shape {
                toucher: Toucher::Fixed(fixed.object),
                whole: fixed.object as usize,
                index: k,
                bounds: found,
                reach: 0.0,
                kind: solid(&fixed.surface, fixed.pose),
            });
        }
    }

    /// The pieces of a curve: cubics through four of their points. `given` is the radius with which the whole
    /// curve touches, if the scene gives one.
    fn add_chain(
        &mut self,
        object: &Object,
        curve: &dyn MaterialCurve,
        state: &State,
        (given, radius): (Option<f64>, f64),
    ) -> Kind {
        let q = &state.q[object.unknowns()];
        let (first, first_arc) = (self.pieces.len(), self.arc.len());
        let mut longest = 0.0_f64;
        let count = curve.segments();
        for segment in 0..count {
            let (low, high) = curve.span(segment);
            let place = |share: f64| curve.smooth_place(segment, low + share * (high - low));
            let start = curve.arc_length(&place(0.0));
            self.arc.push(start);
            let end = curve.arc_length(&place(1.0));
            // Beyond the seam of a ring arc lengths begin again.
            let end = if end > start { end } else { curve.length() };
            longest = longest.max(end - start);
            if segment + 1 == count {
                self.arc.push(end);
            }
            let through = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(|share| place(share).position(q));
            self.pieces.push(Cubic::through(through));
        }
        let closed = curve.ends().is_none();
        self.radii.extend((0..=count).map(|end| given.unwrap_or_else(|| radius_at_end(curve, end, closed))));
        Kind::Chain {
            pieces: (first, self.pieces.len()),
            arc: (first_arc, self.arc.len()),
            closed,
            radius,
            longest,
        }
    }

    /// The chain of a rod.
    pub(super) fn chain(&self, shape: &Shape) -> Option<Chain<'_>> {
        match &shape.kind {
            Kind::Chain { pieces: (from, to), arc: (first, last), closed, radius, .. } => Some(Chain {
                pieces: &self.pieces[*from..*to],
                arc: &self.arc[*first..*last],
                closed: *closed,
                radius: *radius,
            }),
            _ => None,
        }
    }

    /// Radius of a rod at coordinate `f` of a piece, m.
    pub(super) fn radius(&self, shape: &Shape, (piece, f): (u32, f64)) -> f64 {
        let Kind::Chain { arc: (first, _), .. } = shape.kind else { return 0.0 };
        let [a, b] = [0, 1].map(|end| self.radii[first + piece as usize + end]);
        a + f * (b - a)
    }

    /// Lists the pairs whose boxes meet, in the order of their numbers; a rod is a pair with itself.
    pub(super) fn find_pairs(&mut self, pairs: &mut Vec<[usize; 2]>) {
        let Self { all, order, .. } = self;
        let low = |k: usize| all[k].bounds.as_ref().map_or(f64::NEG_INFINITY, |bounds| bounds.low.x);
        order.clear();
        order.extend(0..all.len());
        order.sort_unstable_by(|&a, &b| low(a).total_cmp(&low(b)).then(a.cmp(&b)));
        pairs.clear();
        for (i, &a) in order.iter().enumerate() {
            let high = all[a].bounds.as_ref().map_or(f64::INFINITY, |bounds| bounds.high.x);
            for &b in order[i + 1..].iter().take_while(|&&b| low(b) <= high) {
                let meets = match (&all[a].bounds, &all[b].bounds) {
                    (Some(a), Some(b)) => a.meets(b),
                    _ => true,
                };
                if meets {
                    pairs.push([a.min(b), a.max(b)]);
                }
            }
            if matches!(all[a].kind, Kind::Chain { .. }) {
                pairs.push([a, a]);
            }
        }
        pairs.sort_unstable();
    }
}

/// Radius of a curve where a segment begins or the last one ends, m: the mean of the segments there. Between
/// these places the radius is linear, as on a taper whose segments have the radius of their middle.
fn radius_at_end(curve: &dyn MaterialCurve, end: usize, closed: bool) -> f64 {
    let last = curve.segments() - 1;
    let (before, after) = match end {
        0 if closed => (last, 0),
        _ if end > last && closed => (last, 0),
        _ => (end.saturating_sub(1), end.min(last)),
    };
    let [before, after] = [before, after].map(|segment| curve.radius(segment));
    if before == after { before } else { 0.5 * (before + after) }
}
