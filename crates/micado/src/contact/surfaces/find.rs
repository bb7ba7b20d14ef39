//! Finds the contacts of surfaces at the beginning of a substep.

use super::matching::Matching;
use super::passages::{Count, Passages, TooNear};
use super::shapes::{Kind, Shape, Shapes};
use super::sides::Context;
use super::touch::{DEEPER, SideOfTouch, TouchPoint};
use crate::constraint::ENDS;
use crate::contact::{Begun, Contact, ContactSource, Side, View};
use crate::geometry::closest::{Chain, ChainPairs, ChainTree, Near as NearChains, NearPoint, point_on_chain};
use crate::geometry::skin::{ChainSkin, NearSkin, NearSkins, Pose, Skin, SkinPairs, find_point};
use crate::world::{Remembered, Revision, Source, State, Structure, Toucher};
use glam::DVec3;

/// Length of a rod beside a place on which it does not touch itself, in diameters: a rod that is as tight as
/// it can be makes half a turn in π/2 of them.
pub(super) const OWN: f64 = 4.0;

/// Length of the ends of rods, in sums of both radii, see [`TouchPoint::is_cut`].
const APART: f64 = 3.0;

/// The contacts of surfaces in a substep, with the scratch of their search.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Surfaces {
    pub(super) touches: Vec<TouchPoint>,
    pub(super) shapes: Shapes,
    /// Shapes at the beginning of the substep, once those at its end are found.
    earlier: Shapes,
    passages: Passages,
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
    /// The state in which the contacts were found.
    pub(super) found_in: FoundIn,
    /// Least reach of movable objects, m, see `farther.rs`.
    pub(super) least_reach: f64,
    /// Whether there are more contacts than a step can solve.
    too_many: bool,
    /// Contacts of each object.
    counts: Vec<usize>,
    /// Contacts of cut ends that were left out, with their depths, m, and those at the beginning of the
    /// substep.
    cut: Vec<([Toucher; 2], f64)>,
    earlier_cut: Vec<([Toucher; 2], f64)>,
}

/// Most contacts of an island: 200 MB.
const MOST_TOUCHES: usize = 200_000;
/// Most pairs of contacts on the same object, summed over objects: the blocks of W, 1.4 GB.
const MOST_PAIRS: usize = 20_000_000;

/// Data on which the contacts depend, besides the structure.
#[derive(Clone, Debug, Default)]
pub(super) struct FoundIn {
    revision: Option<Revision>,
    duration: f64,
    time: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    joints: Vec<JointState>,
}

/// Memory of a constraint that decides where the objects that it joins don't touch: whether it is open, what
/// it has caught, its own unknowns, and the place that it has caught.
type JointState = (bool, usize, [f64; ENDS], f64);

fn joints(state: &State) -> impl Iterator<Item = JointState> {
    state.constraints.iter().map(|memory| (memory.open, memory.held, memory.own, memory.held_at))
}

impl FoundIn {
    fn is(&self, structure: &Structure, state: &State, duration: f64) -> bool {
        self.revision.as_ref().is_some_and(|revision| revision.is(&structure.revision))
            && self.duration == duration
            && self.time == state.time
            && self.q == state.q
            && self.v == state.v
            && self.joints.iter().copied().eq(joints(state))
    }

    /// Forgets the state, so that contacts are found anew.
    pub(super) fn forget(&mut self) {
        self.revision = None;
    }

    fn set(&mut self, structure: &Structure, state: &State, duration: f64) {
        self.revision = Some(structure.revision.clone());
        self.duration = duration;
        self.time = state.time;
        self.q.clone_from(&state.q);
        self.v.clone_from(&state.v);
        self.joints.clear();
        self.joints.extend(joints(state));
    }
}

/// Contacts at the end of a substep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AtEnd {
    /// Number of contacts with a force.
    pub(crate) count: usize,
    /// Largest overlap, m.
    pub(crate) overlap: f64,
    /// Largest growth of an overlap among those that are too large for a substep, m; 0 if there are none.
    pub(crate) too_deep: f64,
    /// Two objects that have come too near to each other on their way.
    pub(crate) passing: Option<TooNear>,
    /// Thickness of the thinnest object that moves, m.
    pub(crate) thickness: f64,
}

impl Surfaces {
    /// Finds the contacts at the end of a substep: those of the next one, if it has the same `duration`.
    pub(in crate::contact) fn end(&mut self, structure: &Structure, state: &State, duration: f64) -> AtEnd {
        let mut found = AtEnd::default();
        if !structure.touching.is_on() {
            return found;
        }
        self.least_reach = 0.0;
        let overlap = self.touches.iter().fold(0.0, |most: f64, touch| most.max(-touch.known.mark.gap));
        std::mem::swap(&mut self.shapes, &mut self.earlier);
        self.earlier_cut.clone_from(&self.cut);
        self.begin(structure, state, duration);
        let pushes = |known: &&Remembered| known.key.source == Source::Surfaces && known.forces[0] > 0.0;
        found.count = state.contacts.iter().filter(pushes).count();
        found.thickness = self.shapes.thinnest;
        for touch in &self.touches {
            let (gap, bend) = (touch.known.mark.gap, touch.bend());
            found.overlap = found.overlap.max(-gap);
            let deeper = touch.before.min(0.0) - gap;
            if deeper > DEEPER * bend {
                found.too_deep = found.too_deep.max(deeper);
            }
        }
        // Ends that overlap now and did not at the beginning are not those of a cut.
        for &(between, deeper) in &self.cut {
            if !self.earlier_cut.iter().any(|(pair, _)| *pair == between) {
                found.too_deep = found.too_deep.max(deeper);
            }
        }
        self.passages.collect(&self.earlier, &self.shapes);
        found.passing = self.passages.too_near(structure, state, [&self.earlier, &self.shapes], overlap);
        found
    }

    /// Counts the passages of rods in the last substep that `end` examined.
    pub(in crate::contact) fn count_passages(&mut self, structure: &Structure, state: &State) -> Count {
        self.passages.count(structure, state)
    }

    /// Finds the contacts of a substep of this `duration` from its first state.
    pub(in crate::contact) fn begin(&mut self, structure: &Structure, state: &State, duration: f64) {
        if !structure.touching.is_on() {
            self.touches.clear();
            self.too_many = false;
            return;
        }
        if self.found_in.is(structure, state, duration) {
            // The forces of an earlier try don't count.
            self.touches.iter_mut().for_each(TouchPoint::begin_again);
            return;
        }
        self.found_in.set(structure, state, duration);
        self.touches.clear();
        self.cut.clear();
        let (mut shapes, mut pairs) = (std::mem::take(&mut self.shapes), std::mem::take(&mut self.pairs));
        shapes.collect(structure, state, duration, self.least_reach);
        shapes.find_pairs(&mut pairs);
        for &[a, b] in &pairs {
            self.touch(structure, state, &shapes, [a, b]);
            if self.touches.len() > MOST_TOUCHES {
                break;
            }
        }
        (self.shapes, self.pairs) = (shapes, pairs);
        self.too_many = self.touches.len() > MOST_TOUCHES || self.count_pairs(structure) > MOST_PAIRS;
    }

    /// Pairs of contacts on the same movable object, summed over objects.
    fn count_pairs(&mut self, structure: &Structure) -> usize {
        self.counts.clear();
        self.counts.resize(structure.objects.len(), 0);
        for toucher in self.touches.iter().flat_map(|touch| touch.known.key.between) {
            if let Toucher::Object(k) = toucher {
                self.counts[k as usize] += 1;
            }
        }
        self.counts.iter().map(|count| count * (count + 1) / 2).sum()
    }

    /// Whether the last search found more contacts than a step can solve.
    pub(in crate::contact) fn has_too_many(&self) -> bool {
        self.too_many
    }

    /// Overlaps that were found: the indices of both objects in the whole, the depth, and the contact size,
    /// m.
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

    /// Adds the contacts of a pair of shapes.
    fn touch(&mut self, structure: &Structure, state: &State, shapes: &Shapes, pair: [usize; 2]) {
        let pair = pair.map(|k| &shapes.all[k]);
        // Movable objects come before fixed ones, and rods before other objects.
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
        let chains = [a, b].map(|shape| shapes.chain(shape));
        match (chains, [&a.kind, &b.kind]) {
            ([Some(chain), Some(other)], _) => {
                self.touch_chains(&context, shapes, [a, b], [chain, other], margin);
            }
            ([Some(chain), None], [_, Kind::Ball { x, radius }]) => {
                self.touch_chain_and_ball(&context, shapes, [a, b], &chain, (*x, *radius), margin);
            }
            ([Some(chain), None], [_, Kind::Solid { skin, pose, .. }]) => {
                self.touch_chain_and_solid(&context, shapes, [a, b], &chain, (skin, pose), margin);
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
            (_, [Kind::Ball { x, radius }, Kind::Solid { skin, pose, thin, .. }]) => {
                self.near_skin.clear();
                find_point(*x, skin, pose, radius + margin, &mut self.near_skin);
                let found = std::mem::take(&mut self.near_skin);
                for near in &found {
                    let sides = [
                        Context::on_ball(a, *x, *x - near.normal * *radius, *radius),
                        context.on_solid(b, pose, near.point, *thin),
                    ];
                    self.push(&context, sides, near.normal, near.distance - radius);
                }
                self.near_skin = found;
            }
            (
                _,
                [
                    Kind::Solid { skin, pose, thin, .. },
                    Kind::Solid { skin: other, pose: at, thin: thickness, .. },
                ],
            ) => {
                self.near_skins.clear();
                self.skins.find([(skin, *pose), (other, *at)], margin, &mut self.near_skins);
                let found = std::mem::take(&mut self.near_skins);
                for near in &found {
                    let sides = [
                        context.on_solid(a, pose, near.points[0], *thin),
                        context.on_solid(b, at, near.points[1], *thickness),
                    ];
                    self.push(&context, sides, near.normal, near.distance);
                }
                self.near_skins = found;
            }
            _ => {}
        }
        self.finish_pair(&context, [a, b], first);
    }

    fn touch_chains(
        &mut self,
        context: &Context<'_>,
        shapes: &Shapes,
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
            let [at, on] = [0, 1].map(|k| (near.pieces[k], near.f[k]));
            let [r, s] = [shapes.radius(a, at), shapes.radius(b, on)];
            let gap = near.distance - r - s;
            if gap < margin {
                let sides =
                    [context.on_curve(a, &chain, at, (r, -n)), context.on_curve(b, &other, on, (s, n))];
                let first = self.touches.len();
                self.push(context, sides, n, gap);
                if let Some(touch) = self.touches.get_mut(first) {
                    let zone = APART * (r + s);
                    touch.at_ends = is_at_end(&chain, at, zone) && is_at_end(&other, on, zone);
                }
            }
        }
        self.near_chains = found;
    }

    fn touch_chain_and_ball(
        &mut self,
        context: &Context<'_>,
        shapes: &Shapes,
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
            let at = (near.piece, near.f);
            let r = shapes.radius(a, at);
            let gap = near.distance - r - radius;
            if gap < margin {
                let sides =
                    [context.on_curve(a, chain, at, (r, -n)), Context::on_ball(b, x, x + n * radius, radius)];
                self.push(context, sides, n, gap);
            }
        }
        self.near_point = found;
    }

    fn touch_chain_and_solid(
        &mut self,
        context: &Context<'_>,
        shapes: &Shapes,
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
            let at = (near.piece, near.f);
            let r = shapes.radius(a, at);
            let gap = near.distance - r;
            if gap < margin {
                let sides = [
                    context.on_curve(a, chain, at, (r, -n)),
                    context.on_solid(b, pose, near.point, f64::INFINITY),
                ];
                self.push(context, sides, n, gap);
            }
        }
        self.near_skin = found;
    }

    /// Adds a touch, unless its sides are joined there.
    fn push(&mut self, context: &Context<'_>, sides: [SideOfTouch; 2], normal: DVec3, gap: f64) {
        if !context.are_joined(&sides) {
            self.touches.push(TouchPoint::new(sides, normal, gap, context.how));
        }
    }

    /// Numbers the contacts of a pair from `first` on, and continues those that are remembered.
    fn finish_pair(&mut self, context: &Context<'_>, [a, b]: [&Shape; 2], first: usize) {
        let same = a.kind.same().min(b.kind.same());
        self.matching.match_pair(&mut self.touches[first..], &context.state.contacts, same);
        let mut kept = first;
        for k in first..self.touches.len() {
            let touch = &self.touches[k];
            if touch.is_cut() {
                self.cut.push((touch.known.key.between, -touch.known.mark.gap));
            } else {
                self.touches.swap(kept, k);
                kept += 1;
            }
        }
        self.touches.truncate(kept);
        for (slot, touch) in self.touches[first..].iter_mut().enumerate() {
            touch.known.key.slot = slot as u32;
        }
    }
}

/// Whether a place on a rod is within `zone` (m of rest arc length) of an end.
fn is_at_end(chain: &Chain<'_>, (piece, f): (u32, f64), zone: f64) -> bool {
    let at = chain.arc_length(piece as usize, f);
    let ends = chain.arc.first().zip(chain.arc.last());
    !chain.closed && ends.is_some_and(|(first, last)| at - first <= zone || last - at <= zone)
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
