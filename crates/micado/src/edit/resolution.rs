//! Resolution that follows the need: rods with `resolution = "auto"` get knots where they are held and where
//! they bend, and lose them where they don't.
//!
//! A constraint, spring or load at a place of a rod makes κ' jump there, which a cubic spline can do at knots
//! only: each such place gets a knot. Where a moment acts κ itself jumps, which takes two knots close to each
//! other: without them forces converge to the first order only.
//!
//! Elsewhere κ' is smooth, and that of a cubic spline jumps at every knot by what κ'' is beside it: `[κ'] ≈
//! κ'' (h₋ + h₊)/2`. The curvature of a segment of length h is a straight line and so off by `η = h² |κ''|/8`
//! at most. A segment is divided where η is larger than a share of the largest curvature of the rod, or where
//! the tangent turns by more than a bound.
//!
//! A knot goes where it was the last to come between its neighbours, the segment that it leaves would be well
//! within these bounds and not longer than those of the rod at its coarsest, and the rod moves by no more
//! than a hundred thousandth of its length, or than half of what an error of curvature within the bound does.
//! Where there are as many points as there may be, as many knots more go as are wanted elsewhere, by bounds
//! that are relaxed to what is needed there, up to eight times. Everything follows from the present state, so
//! that a run and its continuation from a snapshot divide alike.

use crate::constraint::End;
use crate::edit::refine::Division;
use crate::error::{BuildError, check};
use crate::load::{LoadLaw, SpringEndPlace, SpringLaw};
use crate::object::Place;
use crate::object::rod::spline::{Leeway, Remesh, SplineRod};
use crate::object::rod::{Refinement, Resolution, RodDescription};
use crate::object::{ObjectDescription, ObjectKind};
use crate::world::World;
use crate::world::remap::Remap;
use glam::DVec3;

/// Nearer to a knot than this share of its segment a held place needs none of its own.
const AT_KNOT: f64 = 0.1;
/// Half the distance of the two knots about a place at which a moment may act, in segments of the rod at its
/// coarsest.
const PAIR: f64 = 0.02;
/// Knots of a pair stay, however it was placed.
const PAIR_REACH: f64 = 1.1;
/// Segments within this distance of what slides may turn by half of what others may; κ' jumps inside one of
/// them, so that its error says nothing.
const NEAR: usize = 2;
/// Two segments are joined only if they turn by less than this share of what one of them may: halves of what
/// was just divided turn by three times as much.
const JOINED: f64 = 1.0 / 3.0;
/// And only if the curvature of both is off by less than this share of what it may: joined it is off by four
/// times as much.
const SURELY: f64 = 1.0 / 8.0;
/// How much less exact than asked for a rod gets for the sake of places that need knots more, at most.
const MOST_RELAXED: f64 = 8.0;
/// Segments are not halved more often than this for the sake of their error.
const MOST_HALVINGS: u32 = 4;
/// A rod that turns by less than this over its length is straight, rad: its curvature needs no exactness.
const STRAIGHT: f64 = 0.1;
/// Level of knots that no halving made.
const FOREIGN: u32 = 12;
/// Farthest that a rod is moved when a knot goes: across as a share of its length, unless its error of
/// curvature allows for more; along as a strain of the segment that is left; and rad.
const MOVED: f64 = 1e-5;
const SLID: f64 = 2e-3;
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
        check::positive("error", self.error)?;
        let (least, most) = self.limits(nodes);
        if least < 5 || least > nodes {
            let problem = format!("at least {least} control points, where the rod begins with {nodes}");
            return Err(BuildError::new(
                "least",
                problem,
                "give at least 5 and at most as many as it begins with",
            ));
        }
        if most < nodes {
            let problem = format!("at most {most} control points, where the rod begins with {nodes}");
            return Err(BuildError::new(
                "most",
                problem,
                "give at least as many as it begins with, or give it fewer segments",
            ));
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
    pub relocation: Remap,
}

/// What a rod is asked for.
#[derive(Default)]
struct Need {
    /// Places that hold or load it, ascending.
    held: Vec<Held>,
    /// Segments in which something slides.
    slid: Vec<usize>,
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
            let (ObjectKind::Rod(rod), ObjectDescription::Rod(words)) = (&object.kind, &object.description)
            else {
                continue;
            };
            let Some(rod) = rod.spline().filter(|_| words.resolution == Resolution::Auto) else { continue };
            let (name, before) = (object.name.clone(), object.nodes());
            let (least, most) = words.refinement.limits(before);
            let refinement = Refinement { least: Some(least), most: Some(most), ..words.refinement.clone() };
            let words = Box::new(RodDescription { refinement, ..(**words).clone() });
            let plan = Plan::new(
                rod,
                &self.state.q[object.unknowns()],
                &self.need(k, rod),
                &words.refinement,
                least,
                most,
            );
            if plan.is_empty() {
                continue;
            }
            // A plan of which nothing can be done is refused before a rod is built; and so would be a rod
            // that can't be divided, which stays as it is.
            let divided = self.remeshed(&name, &Division::ByItself(words), |mesh, _| {
                plan.carry_out(mesh)
                    .then_some(())
                    .ok_or_else(|| BuildError::new("refinement", "nothing can be done", "wait"))
            });
            let Ok((world, relocation)) = divided else { continue };
            let after = world.structure.objects[k].nodes();
            *self = world;
            self.is_edited();
            changes.push(Change { rod: name, before, after, relocation });
        }
        changes
    }

    /// What holds, loads and slides on the rod that is object `k`.
    fn need(&self, k: usize, rod: &SplineRod) -> Need {
        let mut need = Need::default();
        let on_it = |place: &Place, framed: bool| {
            let there = place.object() == Some(k);
            there.then(|| Held { u: rod.parameter(place.segment, place.fraction), framed })
        };
        for (constraint, memory) in self.structure.constraints.iter().zip(&self.state.constraints) {
            for (e, end) in constraint.ends.iter().enumerate() {
                match end {
                    End::Fixed { place, framed } => need.held.extend(on_it(place, *framed)),
                    End::Caught { framed } if !memory.open && memory.held == k => {
                        need.held.push(Held { u: memory.own[e], framed: *framed });
                    }
                    End::Sliding { object } if *object == k => {
                        need.slid.push(rod.segment_at(memory.own[e]).0);
                    }
                    End::World | End::Caught { .. } | End::Sliding { .. } => {}
                }
            }
        }
        for spring in &self.structure.springs {
            let turns = matches!(spring.law, SpringLaw::Torsional { .. });
            need.held.extend(
                spring.ends.iter().filter_map(SpringEndPlace::place).filter_map(|place| on_it(place, turns)),
            );
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
        need
    }
}

/// Knots that are to go and to come.
struct Plan {
    /// Knots that may go, ascending.
    take_out: Vec<Going>,
    /// How many of them may, and how many of those that are needed elsewhere.
    surplus: usize,
    wanted_elsewhere: usize,
    put_in: Vec<f64>,
}

/// A knot that may go.
#[derive(Clone, Copy)]
struct Going {
    /// Its parameter.
    u: f64,
    /// How far the rod may move then.
    leeway: Leeway,
    /// Whether it goes only because others are needed more.
    is_wanted_elsewhere: bool,
}

impl Plan {
    fn new(rod: &SplineRod, q: &[f64], need: &Need, wanted: &Refinement, least: usize, most: usize) -> Self {
        let n = rod.segments();
        let base = (least - 3) as f64;
        let (longest, half_pair) = (COARSEST * rod.length() / base, PAIR * rod.length() / base);
        let lengths: Vec<f64> = (0..n).map(|e| rod.arc_at(e, 1.0) - rod.arc_at(e, 0.0)).collect();
        let is_held = |knot: usize| {
            let reach = (AT_KNOT * lengths[knot - 1].max(lengths[knot])).max(2.0 * PAIR_REACH * half_pair);
            let s = rod.arc_at(knot, 0.0);
            need.held.iter().any(|held| {
                let (e, f) = rod.segment_at(held.u);
                (rod.arc_at(e, f) - s).abs() <= reach
            })
        };
        let held: Vec<bool> = (0..n).map(|knot| knot > 0 && is_held(knot)).collect();
        let slid: Vec<bool> = (0..n).map(|e| need.slid.iter().any(|&at| e.abs_diff(at) <= NEAR)).collect();
        let turns: Vec<f64> = (0..n).map(|e| rod.turning(q, e)).collect();
        let bounds: Vec<f64> =
            slid.iter().map(|&slid| if slid { 0.5 * wanted.bend } else { wanted.bend }).collect();
        let errors = errors(rod, q, &lengths, &held);
        let error_bound = wanted.error * largest_curvature(&turns, &lengths).max(STRAIGHT / rod.length());

        // How often the segments of the rod at its coarsest were halved to get a knot.
        let width = rod.last_parameter() / base;
        let level = |knot: usize| {
            let x = if knot < n { rod.parameter(knot, 0.0) } else { rod.last_parameter() } / width;
            (0..FOREIGN).find(|&level| (x * f64::from(1_u32 << level)).fract() == 0.0).unwrap_or(FOREIGN)
        };
        // By need: held places first, then what is farthest beyond its bounds; places along the rod decide
        // between equals.
        let mut wishes: Vec<(f64, f64)> = Vec::new();
        let mut divided = vec![false; n];
        for held in need.held.iter().filter(|held| held.u > 0.0 && held.u < rod.last_parameter()) {
            let e = rod.segment_at(held.u).0;
            let (from, width) = (rod.parameter(e, 0.0), rod.width(e));
            let (before, behind) = (held.u - from, from + width - held.u);
            let half = half_pair * width / lengths[e];
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
        let finest = longest / f64::from(1_u32 << MOST_HALVINGS);
        for e in (0..n).filter(|&e| !divided[e]) {
            let counts = !slid[e] && lengths[e] > finest;
            let excess = (turns[e] / bounds[e]).max(if counts { errors[e] / error_bound } else { 0.0 });
            if excess > 1.0 {
                wishes.push((excess, rod.parameter(e, 0.5)));
            }
        }
        wishes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)));
        let room = most.saturating_sub(rod.nodes());
        // Where points run out, as many knots go as wishes are left open, from where they are needed less
        // than the first of these.
        let relax = wishes.get(room).map_or(1.0, |&(excess, _)| excess.min(MOST_RELAXED));
        let wanted_elsewhere = wishes.len().saturating_sub(room);
        wishes.truncate(room);
        let put_in = wishes.into_iter().map(|(_, u)| u).collect();

        let may_go = |knot: usize, relax: f64| {
            let (a, b) = (knot - 1, knot);
            let is_quiet = turns[a] + turns[b] < relax * JOINED * bounds[a].min(bounds[b]);
            let is_exact = slid[a] || slid[b] || errors[a].max(errors[b]) < relax * SURELY * error_bound;
            let beside = level(a).max(level(b + 1));
            let is_youngest = level(knot) > beside || (level(knot) == FOREIGN && beside == FOREIGN);
            is_quiet && is_exact && is_youngest && lengths[a] + lengths[b] <= longest && !held[knot]
        };
        let going = |knot: usize| {
            let is_wanted_elsewhere = !may_go(knot, 1.0);
            if is_wanted_elsewhere && !may_go(knot, relax) {
                return None;
            }
            let left = lengths[knot - 1] + lengths[knot];
            let bound = error_bound * if is_wanted_elsewhere { relax } else { 1.0 };
            // A sine of curvature that fits into the segment has an amplitude of a tenth of its curvature
            // times the square of its length.
            let across = (MOVED * rod.length()).max(0.05 * bound * left * left);
            Some(Going {
                u: rod.parameter(knot, 0.0),
                leeway: Leeway { across, along: SLID * left, roll: TURNED },
                is_wanted_elsewhere,
            })
        };
        // No fewer than the least, whatever is quiet.
        let surplus = rod.nodes().saturating_sub(least);
        Self { take_out: (1..n).filter_map(going).collect(), surplus, wanted_elsewhere, put_in }
    }

    fn is_empty(&self) -> bool {
        self.take_out.is_empty() && self.put_in.is_empty()
    }

    /// Takes out and puts in what can be; tells whether anything has changed.
    fn carry_out(&self, mesh: &mut Remesh<'_>) -> bool {
        let (mut gone, mut moved, mut came) = (0, 0, 0);
        // The segment that the last knot has left ends here: what is joined now is not joined further.
        let mut joined_up_to = f64::NEG_INFINITY;
        for &Going { u, leeway, is_wanted_elsewhere } in &self.take_out {
            if gone == self.surplus
                || u <= joined_up_to
                || (is_wanted_elsewhere && moved == self.wanted_elsewhere)
            {
                continue;
            }
            let knot = mesh.knots().at().partition_point(|&at| at < u);
            let end = mesh.knots().at()[knot + 1];
            if mesh.take_out(knot, leeway) {
                (gone, joined_up_to) = (gone + 1, end);
                moved += usize::from(is_wanted_elsewhere);
            }
        }
        for &u in &self.put_in {
            came += usize::from(mesh.put_in(u));
        }
        gone + came > 0
    }
}

/// Largest mean curvature of a segment.
fn largest_curvature(turns: &[f64], lengths: &[f64]) -> f64 {
    turns.iter().zip(lengths).map(|(turn, length)| turn / length).fold(0.0, f64::max)
}

/// What the curvature of each segment is off by, from the jumps of κ' at knots where nothing holds the rod,
/// 1/m.
fn errors(rod: &SplineRod, q: &[f64], lengths: &[f64], held: &[bool]) -> Vec<f64> {
    let n = rod.segments();
    let rates: Vec<(DVec3, DVec3)> = (0..n).map(|e| rod.curvature_rate(q, e)).collect();
    let second = |knot: usize| {
        if knot == 0 || knot == n || held[knot] {
            return 0.0;
        }
        let ((before, t_before), (behind, t_behind)) = (rates[knot - 1], rates[knot]);
        let jump = (behind - before).reject_from((t_before + t_behind).normalize_or(t_behind));
        2.0 * jump.length() / (lengths[knot - 1] + lengths[knot])
    };
    let seconds: Vec<f64> = (0..=n).map(second).collect();
    (0..n).map(|e| lengths[e] * lengths[e] / 8.0 * seconds[e].max(seconds[e + 1])).collect()
}
