//! Adaptive resolution: rods with `resolution = "auto"` get knots where they are held and where they bend,
//! and lose unnecessary ones.
//!
//! A constraint, spring or load at a place of a rod makes κ' jump there. A cubic spline allows that at knots
//! only, so each such place gets a knot. Where a moment acts κ itself jumps, which needs two knots close to
//! each other; without them forces converge at first order only.
//!
//! Elsewhere κ' is smooth, and that of a cubic spline jumps at every knot by about κ'': `[κ'] ≈ κ'' (h₋ +
//! h₊)/2`. The curvature of a segment of length h is linear, with an error of at most `η = h² |κ''|/8`. A
//! segment is divided where η is larger than a share of the largest curvature of the rod, or where the
//! tangent turns by more than a bound.
//!
//! A knot is removed if it is the youngest among its neighbours, if the joined segment would be well within
//! these bounds and not longer than those of the coarsest rod, and if the rod moves by no more than a hundred
//! thousandth of its length, or than half the effect of a curvature error within the bound. When the largest
//! number of points is reached, further knots are removed where they are needed least, as many as are needed
//! elsewhere; there the bounds are relaxed up to eight times. All decisions follow from the present state, so
//! a run and its continuation from a snapshot are divided alike.

use crate::constraint::End;
use crate::edit::refine::Division;
use crate::error::{BuildError, check};
use crate::load::{LoadLaw, SpringEndPlace};
use crate::object::Place;
use crate::object::rod::spline::{Leeway, Remesh, SplineRod};
use crate::object::rod::{Refinement, Resolution, RodDescription};
use crate::object::{ObjectDescription, ObjectKind};
use crate::world::World;
use crate::world::remap::Remap;
use glam::DVec3;

/// A held place within this share of a segment from a knot needs no knot of its own.
const AT_KNOT: f64 = 0.1;
/// Half the distance of the two knots about a place at which a moment may act, in segments of the coarsest
/// rod.
const PAIR: f64 = 0.02;
/// Tolerance on that distance within which knots of a pair are kept.
const PAIR_REACH: f64 = 1.1;
/// Segments within this distance of a sliding end may turn by half the bound of others; κ' jumps inside one
/// of them, so the error estimate is not valid there.
const NEAR: usize = 2;
/// Two segments are joined only if they turn by less than this share of the bound of one: halves of a segment
/// that was just divided turn by three times as much.
const JOINED: f64 = 1.0 / 3.0;
/// And only if the curvature error of both is below this share of the bound: that of the joined segment is
/// four times as large.
const EXACT: f64 = 1.0 / 8.0;
/// Largest relaxation of the bounds where knots are needed elsewhere.
const MOST_RELAXED: f64 = 8.0;
/// Most halvings of a segment because of its error.
const MOST_HALVINGS: u32 = 4;
/// Turn of a straight rod over its length, at most, rad: its curvature need not be accurate.
const STRAIGHT: f64 = 0.1;
/// Level of knots that no halving made.
const FOREIGN: u32 = 12;
/// Largest displacement of a rod when a knot is removed: across as a share of its length, unless its
/// curvature error allows for more; along as a strain of the joined segment; and rad.
const MOVED: f64 = 1e-5;
const SLID: f64 = 2e-3;
const TURNED: f64 = 1e-3;
/// Longest joined segment, in segments of the coarsest rod, with a margin for rounding.
const COARSEST: f64 = 1.0 + 1e-6;

impl Refinement {
    /// Least and largest number of control points of a rod that has `nodes` now.
    fn limits(&self, nodes: usize) -> (usize, usize) {
        (self.least.unwrap_or(nodes), self.most.unwrap_or(2 * nodes))
    }

    /// Checks the settings for a rod that starts with `nodes` control points.
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

/// Requirements on the resolution of a rod.
#[derive(Default)]
struct Need {
    /// Places at which it is held or loaded, ascending.
    held: Vec<Held>,
    /// Segments with a sliding end.
    slid: Vec<usize>,
}

/// A place at which a rod is held or loaded.
#[derive(Clone, Copy, PartialEq)]
struct Held {
    /// Parameter.
    u: f64,
    /// Whether a moment may act there.
    framed: bool,
}

impl World {
    /// Whether any rod has adaptive resolution.
    pub(crate) fn has_adaptive_rods(&self) -> bool {
        let mut words = self.structure.objects.iter().map(|object| &object.description);
        words.any(|words| matches!(words, ObjectDescription::Rod(rod) if rod.resolution == Resolution::Auto))
    }

    /// Adapts the resolution of rods to their present state. Returns the changes.
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
            // A plan that changes nothing is refused before a rod is built. A rod that can't be divided stays
            // unchanged.
            let divided = self.remeshed(&name, &Division::Adaptive(words), |mesh, _| {
                plan.apply(mesh)
                    .then_some(())
                    .ok_or_else(|| BuildError::new("refinement", "no knot can be changed", "none"))
            });
            let Ok((world, relocation)) = divided else { continue };
            let after = world.structure.objects[k].nodes();
            *self = world;
            self.after_edit();
            changes.push(Change { rod: name, before, after, relocation });
        }
        changes
    }

    /// Requirements of the rod that is object `k`.
    fn need(&self, k: usize, rod: &SplineRod) -> Need {
        let mut need = Need::default();
        let on_it = |place: &Place, framed: bool| {
            let there = place.object() == Some(k);
            there.then(|| Held { u: rod.parameter(place.segment, place.fraction), framed })
        };
        for (constraint, memory) in self.structure.constraints.iter().zip(&self.state.constraints) {
            for (e, end) in constraint.ends.iter().enumerate() {
                match end {
                    End::Fixed { place, .. } => need.held.extend(on_it(place, end.framed())),
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
            let turns = spring.law.turns();
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

/// Knots to remove and to insert.
struct Plan {
    /// Knots that may be removed, ascending.
    take_out: Vec<Removal>,
    /// How many of them may be removed, and how many of those that are needed elsewhere.
    surplus: usize,
    wanted_elsewhere: usize,
    put_in: Vec<f64>,
}

/// A knot that may be removed.
#[derive(Clone, Copy)]
struct Removal {
    /// Its parameter.
    u: f64,
    /// Largest allowed displacement of the rod.
    leeway: Leeway,
    /// Whether it is removed only because others are needed more.
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

        // Number of halvings of the coarsest segments that lead to a knot.
        let width = rod.last_parameter() / base;
        let level = |knot: usize| {
            let x = if knot < n { rod.parameter(knot, 0.0) } else { rod.last_parameter() } / width;
            (0..FOREIGN).find(|&level| (x * f64::from(1_u32 << level)).fract() == 0.0).unwrap_or(FOREIGN)
        };
        // By need: held places first, then the largest excess over the bounds, then the place along the rod.
        let mut requests: Vec<(f64, f64)> = Vec::new();
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
                requests.push((f64::INFINITY, u));
            }
            divided[e] |= knots.iter().any(|(needed, _)| *needed);
        }
        let finest = longest / f64::from(1_u32 << MOST_HALVINGS);
        for e in (0..n).filter(|&e| !divided[e]) {
            let counts = !slid[e] && lengths[e] > finest;
            let excess = (turns[e] / bounds[e]).max(if counts { errors[e] / error_bound } else { 0.0 });
            if excess > 1.0 {
                requests.push((excess, rod.parameter(e, 0.5)));
            }
        }
        requests.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)));
        let room = most.saturating_sub(rod.nodes());
        // When points run out, as many knots are removed as requests are left, where the need is less than
        // that of the first of these.
        let relax = requests.get(room).map_or(1.0, |&(excess, _)| excess.min(MOST_RELAXED));
        let wanted_elsewhere = requests.len().saturating_sub(room);
        requests.truncate(room);
        let put_in = requests.into_iter().map(|(_, u)| u).collect();

        let may_go = |knot: usize, relax: f64| {
            let (a, b) = (knot - 1, knot);
            let is_quiet = turns[a] + turns[b] < relax * JOINED * bounds[a].min(bounds[b]);
            let is_exact = slid[a] || slid[b] || errors[a].max(errors[b]) < relax * EXACT * error_bound;
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
            // A sine of curvature with the period of the segment has an amplitude of a tenth of its curvature
            // times the square of its length.
            let across = (MOVED * rod.length()).max(0.05 * bound * left * left);
            Some(Removal {
                u: rod.parameter(knot, 0.0),
                leeway: Leeway { across, along: SLID * left, roll: TURNED },
                is_wanted_elsewhere,
            })
        };
        // At least `least` points remain.
        let surplus = rod.nodes().saturating_sub(least);
        Self { take_out: (1..n).filter_map(going).collect(), surplus, wanted_elsewhere, put_in }
    }

    fn is_empty(&self) -> bool {
        self.take_out.is_empty() && self.put_in.is_empty()
    }

    /// Removes and inserts knots as far as possible. Returns whether anything has changed.
    fn apply(&self, mesh: &mut Remesh<'_>) -> bool {
        let (mut gone, mut moved, mut came) = (0, 0, 0);
        // End of the segment that the last removal joined; it is not joined further.
        let mut joined_up_to = f64::NEG_INFINITY;
        for &Removal { u, leeway, is_wanted_elsewhere } in &self.take_out {
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

/// Curvature error of each segment, from the jumps of κ' at free knots, 1/m.
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
