//! Resolution that follows the need: rods with `resolution = "auto"` get knots where they are held and where they bend, and lose them where
//! they don't.
//!
//! A constraint, spring or load at a place of a rod makes κ' jump there, which a cubic spline can do at knots only: each such place gets a knot. Where a moment
//! acts κ itself jumps, which takes two knots close to each other: without them forces converge to the first order only.
//! A segment along which the tangent turns by more than a bound β is halved, by more than β/2 within two segments of what is held or slides. A knot goes where
//! it was the last to come between its neighbours, both segments beside it turn by less than a third of their bound together, are not longer than those of the rod at its coarsest, and the rod moves by no
//! more than a hundred thousandth of its length. Everything follows from the present state, so that a run and its continuation from a snapshot
//! divide alike.

use crate::constraint::End;
use crate::error::{BuildError, check};
use crate::load::{LoadLaw, SpringEndPlace, SpringLaw};
use crate::object::{ObjectDescription, ObjectKind};
use crate::relocate::Relocation;
use crate::rod::spline::{Leeway, SplineRod};
use crate::rod::{Place, Refinement, Resolution, RodDescription};
use crate::world::World;

/// Nearer to a knot than this share of its segment a held place needs none of its own.
const AT_KNOT: f64 = 0.1;
/// Half the distance of the two knots about a place at which a moment may act, in segments of the rod at its coarsest.
const PAIR: f64 = 0.02;
/// Knots of a pair stay, however it was placed.
const PAIR_REACH: f64 = 1.1;
/// Segments within this distance of what is held or slides are kept finer.
const NEAR: usize = 2;
/// Two segments are joined only if they turn by less than this share of what one of them may: halves of what was just divided turn by three times as much.
const JOINED: f64 = 1.0 / 3.0;
/// Level of knots that no halving made.
const FOREIGN: u32 = 12;
/// Farthest that a rod is moved when a knot goes, as a share of its length, and rad.
const MOVED: f64 = 1e-5;
const TURNED: f64 = 1e-3;
/// Longest joined segment, in those of the rod at its coarsest: rounding.
const COARSEST: f64 = 1.0 + 1e-6;

impl Refinement {
    /// Fewest and most control points of a rod that has so many now.
    fn limits(&self, nodes: usize) -> (usize, usize) {
        (self.least.unwrap_or(nodes), self.most.unwrap_or(2 * nodes))
    }

    /// Checks what is given for a rod that begins with so many control points.
    pub(crate) fn check(&self, nodes: usize) -> Result<(), BuildError> {
        check::positive("bend", self.bend)?;
        let (least, most) = self.limits(nodes);
        if least < 5 || least > nodes {
            let problem = format!("at least {least} control points, where the rod begins with {nodes}");
            return Err(BuildError::new("least", problem, "give at least 5 and at most as many as it begins with"));
        }
        if most < nodes {
            let problem = format!("at most {most} control points, where the rod begins with {nodes}");
            return Err(BuildError::new("most", problem, "give at least as many as it begins with, or give it fewer segments"));
        }
        Ok(())
    }
}

/// A change of a rod's resolution.
pub(crate) struct Change {
    pub rod: String,
    /// Control points before and after it.
    pub before: usize,
    pub after: usize,
    pub relocation: Relocation,
}

/// What a rod is asked for.
#[derive(Default)]
struct Need {
    /// Places that hold or load it, ascending.
    held: Vec<Held>,
    /// Segments in which these lie, or something slides.
    busy: Vec<usize>,
}

/// A place at which something holds or loads a rod.
#[derive(Clone, Copy, PartialEq)]
struct Held {
    /// Parameter.
    u: f64,
    /// Whether a moment may act there.
    framed: bool,
}

impl World {
    /// Whether there is a rod that looks after its resolution itself.
    pub(crate) fn looks_after_resolution(&self) -> bool {
        let auto = |words: &ObjectDescription| matches!(words, ObjectDescription::Rod(rod) if rod.resolution == Resolution::Auto);
        self.structure.objects.iter().any(|object| auto(&object.description))
    }

    /// Divides rods that look after their resolution themselves as they need it now. Says what has changed.
    pub(crate) fn adapt_resolution(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        for k in 0..self.structure.objects.len() {
            let object = &self.structure.objects[k];
            let (ObjectKind::Rod(rod), ObjectDescription::Rod(words)) = (&object.kind, &object.description) else { continue };
            let Some(rod) = rod.spline().filter(|_| words.resolution == Resolution::Auto) else { continue };
            let (name, before) = (object.name.clone(), object.nodes());
            let (least, most) = words.refinement.limits(before);
            let refinement = Refinement { least: Some(least), most: Some(most), ..words.refinement.clone() };
            let words = RodDescription { refinement, ..(**words).clone() };
            let plan = Plan::new(rod, &self.state.q[object.unknowns()], &self.need(k, rod), &words.refinement, least, most);
            if plan.is_empty() {
                continue;
            }
            let divided = self.remeshed(&name, Some(words), |mesh, rod| {
                plan.take_out.iter().for_each(|&u| {
                    let knot = mesh.knots().at().partition_point(|&at| at < u);
                    let leeway = Leeway { position: MOVED * rod.length(), roll: TURNED };
                    mesh.take_out(knot, leeway);
                });
                plan.put_in.iter().for_each(|&u| {
                    mesh.put_in(u);
                });
                Ok(())
            });
            // Nothing that was built can be refused now; a rod that can't be divided stays as it is.
            let Ok((world, relocation)) = divided else { continue };
            let after = world.structure.objects[k].nodes();
            if world.structure.objects[k].rod().and_then(|rod| rod.spline()).is_some_and(|new| new.knots() == rod.knots()) {
                continue;
            }
            *self = world;
            self.is_edited();
            changes.push(Change { rod: name, before, after, relocation });
        }
        changes
    }

    /// What holds, loads and slides on the rod that is object `k`.
    fn need(&self, k: usize, rod: &SplineRod) -> Need {
        let object = &self.structure.objects[k];
        let nodes = object.first..object.first + object.nodes();
        let mut need = Need::default();
        let on_it = |place: &Place, framed: bool| {
            let there = place.count > 1 && nodes.contains(&(place.nodes[0] as usize));
            there.then(|| Held { u: rod.parameter(place.segment, place.fraction), framed })
        };
        for (constraint, memory) in self.structure.constraints.iter().zip(&self.state.constraints) {
            for (e, end) in constraint.ends.iter().enumerate() {
                match end {
                    End::Fixed { place, framed } => need.held.extend(on_it(place, *framed)),
                    End::Clipped { framed } if !memory.clip.open && memory.clip.rod == k => {
                        need.held.push(Held { u: memory.own[e], framed: *framed });
                    }
                    End::Sliding { object } if *object == k => need.busy.push(rod.segment_at(memory.own[e]).0),
                    End::World | End::Clipped { .. } | End::Sliding { .. } => {}
                }
            }
        }
        for spring in &self.structure.springs {
            let turns = matches!(spring.law, SpringLaw::Torsional { .. });
            need.held.extend(spring.ends.iter().filter_map(SpringEndPlace::place).filter_map(|place| on_it(place, turns)));
        }
        for load in &self.structure.loads {
            match &load.law {
                LoadLaw::Force(place, _) => need.held.extend(on_it(place, false)),
                LoadLaw::Moment(place, _) => need.held.extend(on_it(place, true)),
                LoadLaw::Distributed(..) | LoadLaw::Drag(..) => {}
            }
        }
        need.held.sort_by(|a, b| a.u.total_cmp(&b.u).then(b.framed.cmp(&a.framed)));
        need.held.dedup_by_key(|held| held.u);
        need.busy.extend(need.held.iter().map(|held| rod.segment_at(held.u).0));
        need
    }
}

/// Knots that are to go and to come.
struct Plan {
    take_out: Vec<f64>,
    put_in: Vec<f64>,
}

impl Plan {
    fn new(rod: &SplineRod, q: &[f64], need: &Need, wanted: &Refinement, least: usize, most: usize) -> Self {
        let n = rod.segments();
        let turns: Vec<f64> = (0..n).map(|e| rod.turning(q, e)).collect();
        let busy = |e: usize| need.busy.iter().any(|&at| e.abs_diff(at) <= NEAR);
        let bounds: Vec<f64> = (0..n).map(|e| if busy(e) { 0.5 * wanted.bend } else { wanted.bend }).collect();
        let longest = COARSEST * rod.length() / (least - 3) as f64;

        let half = PAIR * rod.length() / (least - 3) as f64;
        let length = |e: usize| rod.arc_at(e, 1.0) - rod.arc_at(e, 0.0);

        // How often the segments of the rod at its coarsest were halved to get a knot.
        let base = rod.last_parameter() / (least - 3) as f64;
        let level = |knot: usize| {
            let x = if knot < n { rod.parameter(knot, 0.0) } else { rod.last_parameter() } / base;
            (0..FOREIGN).find(|&level| (x * f64::from(1_u32 << level)).fract() == 0.0).unwrap_or(FOREIGN)
        };

        let mut take_out: Vec<f64> = Vec::new();
        let mut knot = n - 1;
        while knot > 0 {
            let (a, b) = (knot - 1, knot);
            let s = rod.arc_at(knot, 0.0);
            let reach = (AT_KNOT * length(a).max(length(b))).max(2.0 * PAIR_REACH * half);
            let quiet = turns[a] + turns[b] < JOINED * bounds[a].min(bounds[b]);
            let held = |held: &Held| {
                let (e, f) = rod.segment_at(held.u);
                (rod.arc_at(e, f) - s).abs() <= reach
            };
            let youngest = level(knot) > level(a).max(level(b + 1)) || (level(knot) == FOREIGN && level(a).max(level(b + 1)) == FOREIGN);
            if quiet && youngest && length(a) + length(b) <= longest && !need.held.iter().any(held) {
                take_out.push(rod.parameter(knot, 0.0));
                // What is joined now is not joined further.
                knot = knot.saturating_sub(1);
            }
            knot = knot.saturating_sub(1);
        }

        // By need: held places first, then what turns most beyond its bound; places along the rod decide between equals.
        let mut wishes: Vec<(f64, f64)> = Vec::new();
        let mut divided = vec![false; n];
        for held in need.held.iter().filter(|held| held.u > 0.0 && held.u < rod.last_parameter()) {
            let e = rod.segment_at(held.u).0;
            let (from, width) = (rod.parameter(e, 0.0), rod.width(e));
            let (before, behind) = (held.u - from, from + width - held.u);
            let half = half * width / length(e);
            let knots = if held.framed {
                [(before > 2.0 * half, held.u - half), (behind > 2.0 * half, held.u + half)]
            } else {
                [(before.min(behind) > AT_KNOT * width, held.u), (false, 0.0)]
            };
            for (_, u) in knots.into_iter().filter(|(needed, _)| *needed && !divided[e]) {
                wishes.push((f64::INFINITY, u));
            }
            divided[e] |= knots.iter().any(|(needed, _)| *needed);
        }
        for e in (0..n).filter(|&e| !divided[e] && turns[e] > bounds[e]) {
            wishes.push((turns[e] / bounds[e], rod.parameter(e, 0.5)));
        }
        wishes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)));
        wishes.truncate(most.saturating_sub(rod.nodes()));
        // No fewer than the least, whatever is quiet.
        take_out.truncate(rod.nodes().saturating_sub(least));
        Self { take_out, put_in: wishes.into_iter().map(|(_, u)| u).collect() }
    }

    fn is_empty(&self) -> bool {
        self.take_out.is_empty() && self.put_in.is_empty()
    }
}
