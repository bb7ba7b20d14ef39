//! Finds the contacts of surfaces at the beginning of a substep.

use super::bounds::bounds;
use super::matching::Matching;
use super::reach::reach;
use super::touch::{SideOfTouch, TouchPoint};
use crate::contact::{Begun, Contact, ContactSource, Side, View};
use crate::geometry::closest::{
    Chain, ChainPairs, ChainTree, Cubic, Near as NearChains, NearPoint, point_on_chain,
};
use crate::geometry::skin::{Bounds, ChainSkin, NearSkin, NearSkins, Pose, Skin, SkinPairs, find_point};
use crate::object::{MaterialCurve, Object, Place, Site, Touch};
use crate::world::touching::{Joined, Near, Surfaces as Properties, pose};
use crate::world::{Remembered, Revision, Source, State, Structure, Toucher};
use glam::DVec3;

/// Part of the length of a piece within which contacts of two substeps are the same.
const SAME_PIECE: f64 = 0.5;
/// Part of the size of a body within which contacts of two substeps are the same.
const SAME_BODY: f64 = 0.1;
/// Length of a rod beside a place that it does not touch itself, in radii: π r is half a turn of a rod that
/// is as tight as it can be.
const OWN: f64 = 4.0;

/// The shape of an object in the present substep.
#[derive(Clone, Debug)]
struct Shape {
    toucher: Toucher,
    /// Index in the whole world.
    whole: usize,
    /// Index in the structure; of what nothing moves that in the list of fixed ones.
    index: usize,
    bounds: Option<Bounds>,
    reach: f64,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// Its pieces in the list of all pieces, and its arc lengths in that of all.
    Chain {
        pieces: (usize, usize),
        arc: (usize, usize),
        closed: bool,
        radius: f64,
        longest: f64,
    },
    Ball {
        x: DVec3,
        radius: f64,
    },
    Solid {
        skin: Skin,
        pose: Pose,
        size: f64,
    },
}

impl Kind {
    /// Distance on the object below which contacts of two substeps are the same, m.
    fn same(&self) -> f64 {
        match self {
            Self::Chain { longest, .. } => SAME_PIECE * longest,
            Self::Ball { .. } => f64::INFINITY,
            Self::Solid { size, .. } => SAME_BODY * size,
        }
    }
}

/// The contacts of surfaces in a substep, with the scratch of their search.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Surfaces {
    touches: Vec<TouchPoint>,
    shapes: Vec<Shape>,
    pieces: Vec<Cubic>,
    arc: Vec<f64>,
    order: Vec<usize>,
    chains: ChainPairs,
    chain_skin: ChainSkin,
    tree: ChainTree,
    skins: SkinPairs,
    near_chains: Vec<NearChains>,
    near_skin: Vec<NearSkin>,
    near_skins: Vec<NearSkins>,
    near_point: Vec<NearPoint>,
    pairs: Vec<[usize; 2]>,
    matching: Matching,
    /// Least thickness of what moves, m; infinite without any.
    thinnest: f64,
    /// The state in which the contacts were found.
    found_in: FoundIn,
}

/// What contacts depend on besides the structure.
#[derive(Clone, Debug, Default)]
struct FoundIn {
    revision: Option<Revision>,
    h: f64,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl FoundIn {
    fn is(&self, structure: &Structure, state: &State, h: f64) -> bool {
        self.revision.as_ref().is_some_and(|revision| revision.is(&structure.revision))
            && self.h == h
            && self.q == state.q
            && self.v == state.v
    }

    fn set(&mut self, structure: &Structure, state: &State, h: f64) {
        self.revision = Some(structure.revision.clone());
        self.h = h;
        self.q.clone_from(&state.q);
        self.v.clone_from(&state.v);
    }
}

/// Contacts at the end of a substep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AtEnd {
    /// Number of contacts with a force.
    pub(crate) count: usize,
    /// Largest overlap, m.
    pub(crate) overlap: f64,
    /// Whether an overlap has grown too much for the length of the substep.
    pub(crate) too_deep: bool,
    /// Thickness of the thinnest object that moves, m.
    pub(crate) thickness: f64,
}

/// Largest growth of an overlap in a substep, as a share of the length over which the surfaces turn.
const DEEPER: f64 = 0.1;

impl Surfaces {
    /// Finds the contacts at the end of a substep of length `h`: those of the next one, if it is as long.
    pub(in crate::contact) fn end(&mut self, structure: &Structure, state: &State, h: f64) -> AtEnd {
        let mut found = AtEnd::default();
        if !structure.touching.is_on() {
            return found;
        }
        self.begin(structure, state, h);
        let pushes = |known: &&Remembered| known.key.source == Source::Surfaces && known.forces[0] > 0.0;
        found.count = state.contacts.iter().filter(pushes).count();
        found.thickness = self.thinnest;
        for touch in &self.touches {
            let (gap, bend) = (touch.known.mark.gap, touch.bend());
            found.overlap = found.overlap.max(-gap);
            found.too_deep |= gap < touch.before.min(0.0) - DEEPER * bend;
        }
        found
    }

    /// Finds the contacts of a substep of length `h` from its first state.
    pub(in crate::contact) fn begin(&mut self, structure: &Structure, state: &State, h: f64) {
        if !structure.touching.is_on() {
            self.touches.clear();
            return;
        }
        if self.found_in.is(structure, state, h) {
            // The forces of an earlier try don't count.
            self.touches.iter_mut().for_each(TouchPoint::begin_again);
            return;
        }
        self.found_in.set(structure, state, h);
        self.touches.clear();
        self.collect_shapes(structure, state, h);
        self.order.clear();
        self.order.extend(0..self.shapes.len());
        let low = |shapes: &[Shape], k: usize| {
            shapes[k].bounds.as_ref().map_or(f64::NEG_INFINITY, |bounds| bounds.low.x)
        };
        let shapes = std::mem::take(&mut self.shapes);
        self.order.sort_unstable_by(|&a, &b| low(&shapes, a).total_cmp(&low(&shapes, b)).then(a.cmp(&b)));
        let order = std::mem::take(&mut self.order);
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        for (i, &a) in order.iter().enumerate() {
            let high = shapes[a].bounds.as_ref().map_or(f64::INFINITY, |bounds| bounds.high.x);
            for &b in &order[i + 1..] {
                if low(&shapes, b) > high {
                    break;
                }
                let meets = match (&shapes[a].bounds, &shapes[b].bounds) {
                    (Some(a), Some(b)) => a.meets(b),
                    _ => true,
                };
                if meets {
                    pairs.push([a.min(b), a.max(b)]);
                }
            }
            if matches!(shapes[a].kind, Kind::Chain { .. }) {
                pairs.push([a, a]);
            }
        }
        // The order of contacts does not depend on that along x.
        pairs.sort_unstable();
        for &[a, b] in &pairs {
            self.touch(structure, state, [&shapes[a], &shapes[b]]);
        }
        (self.shapes, self.order, self.pairs) = (shapes, order, pairs);
    }

    /// Overlaps that were found: the indices of both objects in the whole, the depth, and the length over
    /// which the surfaces turn, m.
    pub(in crate::contact) fn overlaps(
        &self,
        structure: &Structure,
    ) -> impl Iterator<Item = ([usize; 2], f64, f64)> {
        self.touches.iter().filter(|touch| touch.known.mark.gap < 0.0).map(|touch| {
            let whole = |toucher| match toucher {
                Toucher::Object(k) => structure.touching.whole(k as usize),
                Toucher::Fixed(k) | Toucher::Constraint(k) => k as usize,
            };
            (touch.known.key.between.map(whole), -touch.known.mark.gap, touch.bend())
        })
    }

    /// Keeps the forces of a solve as the guess of the next one in the same substep.
    pub(in crate::contact) fn keep(&mut self, touch: usize, forces: &[f64]) {
        if let Some(touch) = self.touches.get_mut(touch) {
            touch.known.forces.iter_mut().zip(forces).for_each(|(to, force)| *to = *force);
        }
    }

    fn collect_shapes(&mut self, structure: &Structure, state: &State, h: f64) {
        let touching = &structure.touching;
        self.shapes.clear();
        self.pieces.clear();
        self.arc.clear();
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
            let reach = reach(structure, object, state, h, thickness);
            let kind = match (object.model().touch(), object.model().curve()) {
                (Touch::Tube, Some(curve)) => self.add_chain(object, curve, state, thickness),
                (Touch::Tube, None) => continue,
                (Touch::Ball { radius }, _) => Kind::Ball {
                    x: DVec3::from_slice(&state.q[object.unknowns()]),
                    radius: given.unwrap_or(radius),
                },
                (Touch::Solid(skin), _) => Kind::Solid {
                    skin: skin.clone(),
                    pose: pose(object, state),
                    size: found.map_or(f64::INFINITY, |bounds| bounds.size()),
                },
            };
            self.shapes.push(Shape {
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
            self.shapes.push(Shape {
                toucher: Toucher::Fixed(fixed.object),
                whole: fixed.object as usize,
                index: k,
                bounds: found,
                reach: 0.0,
                kind: Kind::Solid {
                    skin: fixed.surface.clone(),
                    pose: fixed.pose,
                    size: found.map_or(f64::INFINITY, |bounds| bounds.size()),
                },
            });
        }
    }

    /// The pieces of a curve: cubics through four of their points.
    fn add_chain(&mut self, object: &Object, curve: &dyn MaterialCurve, state: &State, radius: f64) -> Kind {
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
        Kind::Chain {
            pieces: (first, self.pieces.len()),
            arc: (first_arc, self.arc.len()),
            closed,
            radius,
            longest,
        }
    }

    fn chain<'a>(pieces: &'a [Cubic], arc: &'a [f64], kind: &Kind) -> Option<Chain<'a>> {
        match kind {
            Kind::Chain { pieces: (from, to), arc: (first, last), closed, radius, .. } => Some(Chain {
                pieces: &pieces[*from..*to],
                arc: &arc[*first..*last],
                closed: *closed,
                radius: *radius,
            }),
            _ => None,
        }
    }

    /// Adds the contacts of a pair of shapes.
    fn touch(&mut self, structure: &Structure, state: &State, pair: [&Shape; 2]) {
        // What moves comes first, and a rod before what is no rod.
        let rank = |shape: &Shape| {
            let fixed = matches!(shape.toucher, Toucher::Fixed(_));
            (fixed, !matches!(shape.kind, Kind::Chain { .. }), !matches!(shape.kind, Kind::Ball { .. }))
        };
        let [a, b] = if rank(pair[1]) < rank(pair[0]) { [pair[1], pair[0]] } else { pair };
        if matches!(a.toucher, Toucher::Fixed(_)) {
            return;
        }
        let Some(how) = structure.touching.between(a.whole, b.whole) else { return };
        let context = Context { structure, state, how: &how };
        let first = self.touches.len();
        let margin = a.reach + b.reach;
        let (pieces, arc) = (std::mem::take(&mut self.pieces), std::mem::take(&mut self.arc));
        let chains = [a, b].map(|shape| Self::chain(&pieces, &arc, &shape.kind));
        match (chains, [&a.kind, &b.kind]) {
            ([Some(chain), Some(other)], _) => self.touch_chains(&context, [a, b], [chain, other], margin),
            ([Some(chain), None], [_, Kind::Ball { x, radius }]) => {
                self.touch_chain_and_ball(&context, [a, b], &chain, (*x, *radius), margin);
            }
            ([Some(chain), None], [_, Kind::Solid { skin, pose, .. }]) => {
                self.touch_chain_and_solid(&context, [a, b], &chain, (skin, pose), margin);
            }
            (_, [Kind::Ball { x, radius }, Kind::Ball { x: y, radius: s }]) => {
                let (away, radii) = (*x - *y, radius + s);
                let normal = away.try_normalize().unwrap_or(DVec3::Z);
                if away.length() < radii + margin {
                    let sides = [
                        Context::on_ball(a, *x, *x - normal * *radius, *radius),
                        Context::on_ball(b, *y, *y + normal * *s, *s),
                    ];
                    self.push(&context, sides, normal, away.length() - radii);
                }
            }
            (_, [Kind::Ball { x, radius }, Kind::Solid { skin, pose, size }]) => {
                self.near_skin.clear();
                find_point(*x, skin, pose, radius + margin, &mut self.near_skin);
                let found = std::mem::take(&mut self.near_skin);
                for near in &found {
                    let sides = [
                        Context::on_ball(a, *x, *x - near.normal * *radius, *radius),
                        context.on_solid(b, pose, near.point, *size),
                    ];
                    self.push(&context, sides, near.normal, near.distance - radius);
                }
                self.near_skin = found;
            }
            (_, [Kind::Solid { skin, pose, size }, Kind::Solid { skin: other, pose: at, size: extent }]) => {
                self.near_skins.clear();
                self.skins.find([(skin, *pose), (other, *at)], margin, &mut self.near_skins);
                let found = std::mem::take(&mut self.near_skins);
                for near in &found {
                    let sides = [
                        context.on_solid(a, pose, near.points[0], *size),
                        context.on_solid(b, at, near.points[1], *extent),
                    ];
                    self.push(&context, sides, near.normal, near.distance);
                }
                self.near_skins = found;
            }
            _ => {}
        }
        (self.pieces, self.arc) = (pieces, arc);
        self.finish_pair(&context, [a, b], first);
    }

    fn touch_chains(
        &mut self,
        context: &Context<'_>,
        [a, b]: [&Shape; 2],
        [chain, other]: [Chain<'_>; 2],
        margin: f64,
    ) {
        let radii = chain.radius + other.radius;
        self.near_chains.clear();
        if a.index == b.index {
            self.chains.find_self(&chain, radii + margin, OWN * radii, &mut self.near_chains);
        } else {
            self.chains.find(&chain, &other, radii + margin, &mut self.near_chains);
        }
        let found = std::mem::take(&mut self.near_chains);
        for near in &found {
            let n = near.normal;
            let sides = [
                context.on_curve(a, &chain, (near.pieces[0], near.f[0]), -n),
                context.on_curve(b, &other, (near.pieces[1], near.f[1]), n),
            ];
            let gap = near.distance - radii;
            self.push(context, sides, n, gap);
        }
        self.near_chains = found;
    }

    fn touch_chain_and_ball(
        &mut self,
        context: &Context<'_>,
        [a, b]: [&Shape; 2],
        chain: &Chain<'_>,
        (x, radius): (DVec3, f64),
        margin: f64,
    ) {
        let radii = chain.radius + radius;
        self.tree.fit(chain);
        point_on_chain(chain, &self.tree, x, radii + margin, &mut self.near_point);
        let found = std::mem::take(&mut self.near_point);
        for near in &found {
            let n = -near.normal;
            let sides = [
                context.on_curve(a, chain, (near.piece, near.f), -n),
                Context::on_ball(b, x, x + n * radius, radius),
            ];
            self.push(context, sides, n, near.distance - radii);
        }
        self.near_point = found;
    }

    fn touch_chain_and_solid(
        &mut self,
        context: &Context<'_>,
        [a, b]: [&Shape; 2],
        chain: &Chain<'_>,
        (skin, pose): (&Skin, &Pose),
        margin: f64,
    ) {
        self.near_skin.clear();
        self.chain_skin.find(chain, skin, pose, chain.radius + margin, &mut self.near_skin);
        let found = std::mem::take(&mut self.near_skin);
        for near in &found {
            let n = near.normal;
            let sides = [
                context.on_curve(a, chain, (near.piece, near.f), -n),
                context.on_solid(b, pose, near.point, f64::INFINITY),
            ];
            self.push(context, sides, n, near.distance - chain.radius);
        }
        self.near_skin = found;
    }

    /// Adds a touch, unless its sides are joined there.
    fn push(&mut self, context: &Context<'_>, sides: [SideOfTouch; 2], normal: DVec3, gap: f64) {
        let joined = |joined: &Joined| is_joined(joined, &sides);
        let Context { structure, state, how } = context;
        let is_open =
            |joined: &Joined| state.constraints.get(joined.constraint).is_some_and(|memory| memory.open);
        if !how.also_joined && structure.touching.joined.iter().any(|found| joined(found) && !is_open(found))
        {
            return;
        }
        self.touches.push(TouchPoint::new(sides, normal, gap, how));
    }

    /// Numbers the contacts of a pair from `first` on, and continues those that are remembered.
    fn finish_pair(&mut self, context: &Context<'_>, [a, b]: [&Shape; 2], first: usize) {
        for (slot, touch) in self.touches[first..].iter_mut().enumerate() {
            touch.known.key.slot = slot as u32;
        }
        let same = a.kind.same().min(b.kind.same());
        self.matching.match_pair(&mut self.touches[first..], &context.state.contacts, same);
    }
}

/// Whether two sides are those that a constraint joins, near their joint.
fn is_joined(joined: &Joined, sides: &[SideOfTouch; 2]) -> bool {
    let matches = |of: &(Toucher, Near), side: &SideOfTouch| {
        of.0 == side.toucher
            && match of.1 {
                Near::Whole => true,
                Near::Between(from, to) => (from..=to).contains(&side.at[0]),
            }
    };
    let [a, b] = &joined.sides;
    matches(a, &sides[0]) && matches(b, &sides[1]) || matches(a, &sides[1]) && matches(b, &sides[0])
}

/// What the sides of a pair are made from.
struct Context<'a> {
    structure: &'a Structure,
    state: &'a State,
    how: &'a Properties,
}

impl Context<'_> {
    /// A side on a rod, at coordinate `f` of a piece; its surface is in the direction `towards`.
    fn on_curve(
        &self,
        shape: &Shape,
        chain: &Chain<'_>,
        (piece, f): (u32, f64),
        towards: DVec3,
    ) -> SideOfTouch {
        let object = &self.structure.objects[shape.index];
        let q = &self.state.q[object.unknowns()];
        let place = object.model().curve().map_or(Place::NOWHERE, |curve| {
            let (low, high) = curve.span(piece as usize);
            curve.smooth_place(piece as usize, low + f * (high - low)).of_object(shape.index)
        });
        let site = Site::without_directors(&place, q);
        SideOfTouch {
            toucher: shape.toucher,
            place,
            site,
            at: [chain.arc_length(piece as usize, f), 0.0, 0.0],
            point: site.x + towards * chain.radius,
            on_curve: true,
            bend: chain.radius,
        }
    }

    /// A side on a ball about a node.
    fn on_ball(shape: &Shape, x: DVec3, point: DVec3, radius: f64) -> SideOfTouch {
        let place = Place::at_point(&[0], &[1.0]).of_object(shape.index);
        let site = Site { x, ..Site::WORLD };
        SideOfTouch {
            toucher: shape.toucher,
            place,
            site,
            at: [0.0; 3],
            point,
            on_curve: false,
            bend: radius,
        }
    }

    /// A side on a solid, at a point in its axes.
    fn on_solid(&self, shape: &Shape, pose: &Pose, point: DVec3, bend: f64) -> SideOfTouch {
        let at = pose.position + pose.rotation * point;
        let (place, site) = match shape.toucher {
            Toucher::Object(k) => {
                let place = Place::in_frame(0, 1, point).of_object(k as usize);
                (place, self.structure.poses(self.state).site_without_frame(&place))
            }
            _ => (Place::NOWHERE, Site { x: at, ..Site::WORLD }),
        };
        SideOfTouch {
            toucher: shape.toucher,
            place,
            site,
            at: point.to_array(),
            point: at,
            on_curve: false,
            bend,
        }
    }
}

impl ContactSource for Surfaces {
    fn find(&mut self, _view: &View<'_>, found: &mut impl FnMut(&Contact<'_>)) {
        for (k, touch) in self.touches.iter().enumerate() {
            let sides =
                touch.sides.each_ref().map(|side| Side { place: &side.place, site: &side.site, own: None });
            found(&Contact {
                key: touch.known.key,
                law: touch.law.clone(),
                sides,
                rows: &touch.rows[..touch.law.rows()],
                begun: Some(Begun {
                    touch: k,
                    known: &touch.known,
                    restitution: touch.restitution,
                    bend: touch.bend(),
                }),
            });
        }
    }
}
