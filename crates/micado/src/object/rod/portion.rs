//! Portions of rods, and rods made of them by a cut, a splice or the opening of a ring; for all models but
//! splines.
//!
//! Every material point keeps its position and velocity. A section is joined to the next one as it is: the
//! roll of the second portion continues that of the first, so that the joint adds no twist. The roll is
//! measured from frames on edges or nodes; the angles between these frames are part of the state. If bending
//! depends on the roll, sections that are turned against each other can't be joined.

use super::{InitialRod, Line, Natural, Rod, RodDescription, Shape};
use crate::describe::material::RodProperties;
use crate::error::BuildError;
use glam::DVec3;
use std::f64::consts::TAU;

/// Relative difference below which bending stiffnesses are equal, and rolls are whole turns, rad.
const SAME: f64 = 1e-9;

/// A portion of a rod by rest arc length, m. On a ring it may extend beyond the seam.
#[derive(Clone, Copy)]
pub(crate) struct Portion<'a> {
    pub rod: &'a Rod,
    /// The rod's own slices.
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub frames: &'a [f64],
    pub from: f64,
    pub to: f64,
}

/// A rod made of portions.
pub(crate) struct Joined {
    pub description: RodDescription,
    pub initial: InitialRod<Rod>,
    /// Increase of the roll of each portion, rad.
    pub rolls: Vec<f64>,
}

/// How the sections of portions may be joined.
#[derive(Clone, Copy)]
pub(super) struct Rolling {
    /// Whether a rod may roll about its axis without a change of energy.
    freely: bool,
    /// Largest angle between sections that are joined, rad.
    most: f64,
}

impl Portion<'_> {
    /// Rest length, m.
    pub(crate) fn length(&self) -> f64 {
        self.to - self.from
    }

    /// Whole turns around a ring before arc length `s`, and the arc length beyond them.
    pub(super) fn unrolled(&self, s: f64) -> (usize, f64) {
        let whole = self.rod.length();
        if self.rod.is_closed() && s >= whole { (1, s - whole) } else { (0, s) }
    }

    /// Segment and coordinate within it at arc length `s`. Indices continue beyond the seam.
    pub(super) fn locate(&self, s: f64) -> (usize, f64) {
        let (turns, s) = self.unrolled(s);
        let (e, f) = self.rod.locate(s);
        (turns * self.rod.segments() + e, f)
    }

    /// Whether it begins at the start of its rod, and whether it ends at the end of its rod.
    pub(super) fn keeps_ends(&self) -> [bool; 2] {
        let open = !self.rod.is_closed();
        [open && self.from <= 0.0, open && self.to >= self.rod.length()]
    }
}

/// The portion at a distance from the start of the joined rod, and its own arc length there.
pub(super) fn find(portions: &[Portion<'_>], mut distance: f64) -> (usize, f64) {
    let last = portions.len().saturating_sub(1);
    for (p, portion) in portions.iter().enumerate() {
        if distance <= portion.length() || p == last {
            return (p, (portion.from + distance).min(portion.to));
        }
        distance -= portion.length();
    }
    (0, 0.0)
}

impl Rolling {
    /// The roll to add to a portion, if `wanted` is the roll that continues the portion before.
    pub(super) fn continued(self, wanted: f64) -> Result<f64, BuildError> {
        if self.freely {
            return Ok(wanted);
        }
        let whole = TAU * (wanted / TAU).round();
        if (wanted - whole).abs() <= self.most.max(SAME) {
            return Ok(whole);
        }
        let problem = format!(
            "its sections would be turned against each other by {:.1}°, and it bends differently about its \
             two axes",
            (wanted - whole).to_degrees().abs()
        );
        Err(BuildError::new("", problem, "use model = \"spline\", which joins sections as they are")
            .of_state())
    }
}

/// Builds a rod along portions of rods of one model with the properties of a description, and its state.
/// Where bending depends on the roll, sections may be turned against each other by up to `most`, rad.
pub(crate) fn join(portions: &[Portion<'_>], like: RodDescription, most: f64) -> Result<Joined, BuildError> {
    if matches!(like.natural, Natural::AsShaped | Natural::Sampled(_)) {
        let problem = "its natural shape is its initial one, which pieces of this model can't keep";
        return Err(BuildError::new("", problem, "give `natural` by curvatures, or use model = \"spline\""));
    }
    let length: f64 = portions.iter().map(Portion::length).sum();
    let rolling = Rolling { freely: rolls_freely(&like)?, most };
    let shape = Shape::Line(Line { from: [0.0; 3], to: [length, 0.0, 0.0] });
    let like = RodDescription { shape, bends_at: Vec::new(), segments: None, ..like.without_start() };
    let joined = match portions.first().map(|portion| portion.rod) {
        Some(Rod::Discrete(_)) => super::discrete::join(portions, like, rolling),
        Some(Rod::Beam(_)) => super::beam::join(portions, like, rolling),
        Some(Rod::MassSpring(_)) => super::mass_spring::join(portions, like),
        Some(Rod::Spline(_)) | None => Err(BuildError::new("", "splines have their own transfer", "none")),
    }?;
    let InitialRod { q, v, frames, .. } = &joined.initial;
    if q.iter().chain(v).chain(frames).all(|x| x.is_finite()) {
        return Ok(joined);
    }
    let problem = "the rod would turn back on itself and have no tangent there";
    Err(BuildError::new("", problem, "bring the ends together first").of_state())
}

/// Number of even segments of a rod along portions: those of the portions if they are equally long, at least
/// `least`.
pub(super) fn even_segments(portions: &[Portion<'_>], least: usize) -> usize {
    let width = |portion: &Portion<'_>| portion.rod.length() / portion.rod.segments() as f64;
    let finest = portions.iter().map(width).fold(f64::MAX, f64::min);
    let counted: f64 = portions.iter().map(|portion| portion.length() / finest).sum();
    (counted.round() as usize).max(least)
}

/// Whether a rod bends in the same way about all axes and is naturally straight.
fn rolls_freely(description: &RodDescription) -> Result<bool, BuildError> {
    let alike = |p: &RodProperties| (p.bend_1 - p.bend_2).abs() <= SAME * p.bend_1;
    let mut freely = description.natural == Natural::Straight && alike(&description.properties()?);
    for stretch in &description.stretches {
        freely &= stretch.natural.is_none() && alike(&description.stretch_properties(stretch)?);
    }
    Ok(freely)
}

/// Elongations of portions.
pub(super) struct Elongations<'a> {
    portions: &'a [Portion<'a>],
    /// For each portion and node, the elongation of all segments before the node, m. Indices continue beyond
    /// a seam.
    sums: Vec<Vec<f64>>,
}

impl<'a> Elongations<'a> {
    /// `segment` gives the elongation of a segment of a portion, m.
    pub(super) fn new(portions: &'a [Portion<'a>], segment: impl Fn(usize, usize) -> f64) -> Self {
        let sums = |(p, portion): (usize, &Portion<'_>)| {
            let n = portion.rod.segments();
            let all = if portion.rod.is_closed() { 2 * n } else { n };
            let each = (0..all).scan(0.0, |sum, e| {
                *sum += segment(p, e % n);
                Some(*sum)
            });
            std::iter::once(0.0).chain(each).collect()
        };
        Self { portions, sums: portions.iter().enumerate().map(sums).collect() }
    }

    /// Elongation up to arc length `s` of a portion, m.
    fn up_to(&self, p: usize, s: f64) -> f64 {
        let (e, f) = self.portions[p].locate(s);
        let last = self.sums[p].len() - 1;
        let [before, beyond] = [e, e + 1].map(|node| self.sums[p][node.min(last)]);
        before + f * (beyond - before)
    }

    /// Elongation up to a distance from the start of the joined rod, m.
    fn at(&self, distance: f64) -> f64 {
        let (p, s) = find(self.portions, distance);
        let whole = |p: usize| self.up_to(p, self.portions[p].to) - self.up_to(p, self.portions[p].from);
        (0..p).map(whole).sum::<f64>() + self.up_to(p, s) - self.up_to(p, self.portions[p].from)
    }

    /// Present lengths of `count` even segments of the joined rod, m.
    pub(super) fn lengths(&self, count: usize) -> impl Iterator<Item = f64> {
        let length: f64 = self.portions.iter().map(Portion::length).sum();
        let node = move |i: usize| length * i as f64 / count as f64;
        (0..count).map(move |j| node(j + 1) - node(j) + self.at(node(j + 1)) - self.at(node(j)))
    }
}

/// Sets the lengths of the edges of a polygon and keeps their directions. The end that is not new stays.
pub(super) fn set_edges(portions: &[Portion<'_>], lengths: impl Iterator<Item = f64>, points: &mut [DVec3]) {
    let edges: Vec<DVec3> =
        points.array_windows().zip(lengths).map(|([a, b], l)| (*b - *a).normalize_or_zero() * l).collect();
    let keeps = |portion: Option<&Portion<'_>>, end: usize| portion.is_some_and(|p| p.keeps_ends()[end]);
    if keeps(portions.last(), 1) && !keeps(portions.first(), 0) {
        for j in (0..edges.len()).rev() {
            points[j] = points[j + 1] - edges[j];
        }
    } else {
        for (j, edge) in edges.iter().enumerate() {
            points[j + 1] = points[j] + *edge;
        }
    }
}
