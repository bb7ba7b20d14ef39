//! Contacts of what slides on one rod: of neighbouring pearls, and of pearls with eyes.
//!
//! Neighbours touch by a unilateral row `n·(Δx_b − Δx_a) ≥ −gap`, n from the one to the other, gap their
//! distance minus their radii; an eye has none, and pearls without a radius slip through it. The push on an
//! eye acts on what holds it. Shocks with restitution, also against the ends of the rod, are resolved before
//! the step, see `step/shocks.rs`.

use super::{Contact, ContactKey, ContactRow, ContactSource, Side, Source, Strike, Striker, Toucher, View};
use crate::constraint::{Coupling, ENDS, End, EndOfCurve, Law, PearlLaw, Site};
use crate::law::BlockLaw;
use crate::object::MaterialCurve;
use crate::object::Wrench;
use crate::world::{State, Structure};
use glam::DVec3;

/// A pearl or an eye on a rod.
#[derive(Clone, Copy, Debug)]
struct Bead {
    rod: usize,
    /// Where it was on its rod when the step began: neighbours stay in this order.
    start: f64,
    /// Where it is.
    u: f64,
    /// Its constraint, and the end of it that slides.
    constraint: usize,
    end: usize,
}

impl Bead {
    fn pearl<'a>(&self, structure: &'a Structure) -> Option<&'a PearlLaw> {
        if let Law::Pearl(pearl) = &structure.constraints[self.constraint].law { Some(pearl) } else { None }
    }

    /// The end of its constraint at which others push: of an eye the place that holds it.
    fn pushed(&self, structure: &Structure) -> usize {
        if self.pearl(structure).is_some() { self.end } else { 1 - self.end }
    }

    fn position(&self, structure: &Structure, state: &State) -> DVec3 {
        let object = &structure.objects[self.rod];
        object.place_at(self.u).position(&state.q[object.unknowns()])
    }

    /// It as a side of a strike; none for an eye that an object carries, which would share the shock.
    fn striker(&self, structure: &Structure, state: &State) -> Option<Striker> {
        let constraint = &structure.constraints[self.constraint];
        match &constraint.law {
            Law::Pearl(pearl) => Some(Striker::Mass { constraint: self.constraint, mass: pearl.mass }),
            Law::Keyhole(eye) if constraint.ends[1] == End::World => {
                Some(Striker::Fixed { velocity: eye.velocity(state.time) })
            }
            _ => None,
        }
    }
}

/// What slides on rods with pearls, sorted by rod and place.
#[derive(Clone, Debug, Default)]
pub(super) struct PearlNeighbours(Vec<Bead>);

impl PearlNeighbours {
    fn list(&mut self, structure: &Structure, state: &State) {
        self.0.clear();
        if most_pairs(structure) == 0 {
            return;
        }
        for (k, (constraint, memory)) in structure.constraints.iter().zip(&state.constraints).enumerate() {
            let slides = matches!(constraint.law, Law::Pearl(_) | Law::Keyhole(_));
            for end in (0..ENDS).filter(|_| slides && memory.duplicate_of.is_none()) {
                if let End::Sliding { object: rod } = constraint.ends[end] {
                    let (start, u) = (memory.own_start[end], memory.own[end]);
                    self.0.push(Bead { rod, start, u, constraint: k, end });
                }
            }
        }
        self.0.sort_unstable_by(|a, b| {
            a.rod.cmp(&b.rod).then(a.start.total_cmp(&b.start)).then(a.constraint.cmp(&b.constraint))
        });
    }

    /// Neighbours on one rod that may touch, with the sum of their radii, in the order of the list.
    fn pairs<'a>(&'a self, structure: &'a Structure) -> impl Iterator<Item = ([Bead; 2], f64)> {
        self.0.windows(2).filter(|pair| pair[0].rod == pair[1].rod).filter_map(move |pair| {
            let pearls = [pair[0], pair[1]].map(|bead| bead.pearl(structure));
            let radii: f64 = pearls.iter().flatten().map(|pearl| pearl.radius).sum();
            let touch = match pearls {
                [Some(_), Some(_)] => true,
                [None, None] => false,
                _ => radii > 0.0,
            };
            touch.then_some(([pair[0], pair[1]], radii))
        })
    }

    /// First and last pearls of rods with the stop that each would strike.
    fn at_ends<'a>(&'a self, structure: &'a Structure) -> impl Iterator<Item = (Bead, &'a PearlLaw, bool)> {
        let last = self.0.len();
        (0..last).flat_map(move |k| [false, true].map(|high| (k, high))).filter_map(move |(k, high)| {
            let bead = self.0[k];
            let other = if high { self.0.get(k + 1) } else { k.checked_sub(1).map(|k| &self.0[k]) };
            let pearl = bead.pearl(structure)?;
            let alone = other.is_none_or(|other| other.rod != bead.rod);
            (alone && pearl.restitution > 0.0 && pearl.ends == EndOfCurve::Stop)
                .then_some((bead, pearl, high))
        })
    }
}

/// Most pairs of neighbours of which one is a pearl.
fn most_pairs(structure: &Structure) -> usize {
    let count = |kind: fn(&Law) -> bool| structure.constraints.iter().filter(|c| kind(&c.law)).count();
    let pearls = count(|law| matches!(law, Law::Pearl(_)));
    pearls + if pearls > 0 { pearls.min(ENDS * count(|law| matches!(law, Law::Keyhole(_)))) } else { 0 }
}

impl ContactSource for PearlNeighbours {
    fn most_rows(structure: &Structure) -> usize {
        most_pairs(structure)
    }

    fn find(&mut self, view: &View<'_>, found: &mut impl FnMut(&Contact<'_>)) {
        self.list(view.structure, view.state);
        for (pair, radii) in self.pairs(view.structure) {
            let ends = pair.map(|bead| (bead.constraint, bead.pushed(view.structure)));
            let [a, b] = ends.map(|(k, e)| &view.sites[k][e]);
            let mut row = touch(a, b, radii, pair[1].u < pair[0].u);
            // The contact does not act on the rod of a weakly coupled pearl.
            for (wrench, bead) in row.wrenches.iter_mut().zip(&pair) {
                let weak = bead.pearl(view.structure).is_some_and(|pearl| pearl.coupling == Coupling::Weak);
                if weak && view.condensed {
                    *wrench = Wrench::default();
                }
            }
            let sides = ends.map(|(k, e)| Side {
                place: &view.places[k][e],
                site: &view.sites[k][e],
                own: Some((k, e)),
            });
            let between = pair.map(|bead| Toucher::Constraint(bead.constraint as u32));
            found(&Contact {
                key: ContactKey { source: Source::Neighbours, between, slot: 0 },
                law: BlockLaw::Unilateral,
                sides,
                rows: &[row],
                begun: None,
            });
        }
    }

    fn strikes(&mut self, structure: &Structure, state: &State, found: &mut Vec<Strike>) {
        self.list(structure, state);
        for (pair, radii) in self.pairs(structure) {
            let pearls = pair.iter().filter_map(|bead| bead.pearl(structure));
            let restitution = pearls.map(|pearl| pearl.restitution).fold(1.0, f64::min);
            let [Some(a), Some(b)] = pair.map(|bead| bead.striker(structure, state)) else { continue };
            if restitution == 0.0 {
                continue;
            }
            let away = pair[1].position(structure, state) - pair[0].position(structure, state);
            found.push(Strike {
                between: [a, b],
                normal: away.normalize_or_zero(),
                gap: away.length() - radii,
                restitution,
            });
        }
        for (bead, pearl, high) in self.at_ends(structure) {
            let object = &structure.objects[bead.rod];
            let Some(range) = object.curve().and_then(MaterialCurve::ends) else { continue };
            let (place, own) = (object.place_at(bead.u), object.unknowns());
            let slope = place.derivative(&state.q[own.clone()]);
            let (way, left) = if high { (1.0, range.1 - bead.u) } else { (-1.0, bead.u - range.0) };
            found.push(Strike {
                between: [
                    Striker::Mass { constraint: bead.constraint, mass: pearl.mass },
                    Striker::Fixed { velocity: place.position(&state.v[own]) },
                ],
                normal: slope.normalize_or_zero() * way,
                gap: left * slope.length(),
                restitution: pearl.restitution,
            });
        }
    }
}

/// The row of a contact with this sum of radii; `passed` if a predicted state has them in the wrong order.
fn touch(a: &Site, b: &Site, radii: f64, passed: bool) -> ContactRow {
    let away = b.x - a.x;
    let distance = if passed { -away.length() } else { away.length() };
    let n = if distance.abs() > 1e-12 { away / distance } else { a.t };
    ContactRow {
        wrenches: [Wrench::force(-n), Wrench::force(n)],
        own: [(-n).dot(a.p), n.dot(b.p)],
        gap: distance - radii,
    }
}
