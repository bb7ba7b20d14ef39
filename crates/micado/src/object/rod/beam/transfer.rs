//! A beam made of portions of others.
//!
//! The nodes of the new rod are evenly spaced. They take position and direction from the old cubic: exactly
//! at old nodes, elsewhere with an error of O(l⁴) in positions. Elements then get the mean strain of their
//! material, because a stiff beam would turn an error of length into a force.

use super::BeamRod;
use crate::error::BuildError;
use crate::geometry::rotation::{angle_about, orthonormal_to, transport};
use crate::object::rod::chain_frames::{director, put_frame, set_twist, tangent};
use crate::object::rod::portion::{Elongations, Joined, Portion, Rolling, even_segments, find, set_edges};
use crate::object::rod::{InitialRod, Rod, RodDescription};
use glam::DVec3;

/// Fewest elements of an open beam.
const FEWEST: usize = 2;
/// Distance from a node, as a share of an element, below which a place is at the node.
const AT_NODE: f64 = 1e-9;

/// Portions with their beams.
struct Source<'a> {
    portion: Portion<'a>,
    rod: &'a BeamRod,
}

/// A place on an old beam: index of its portion, element (indices continue beyond a seam), coordinate within
/// it.
#[derive(Clone, Copy)]
struct Spot {
    portion: usize,
    element: usize,
    f: f64,
}

impl Source<'_> {
    /// Index of an element of the beam, and turns around the ring before it.
    fn index(&self, element: usize) -> (usize, f64) {
        (element % self.rod.segments(), (element / self.rod.segments()) as f64)
    }

    /// Place at arc length `s`; at a node it is at the start of an element, except at the last node.
    fn spot(&self, portion: usize, s: f64) -> Spot {
        let (element, f) = self.portion.locate(s);
        let is_last = !self.rod.closed && element + 1 == self.rod.segments();
        match f {
            f if f > 1.0 - AT_NODE && !is_last => Spot { portion, element: element + 1, f: 0.0 },
            f if f > 1.0 - AT_NODE => Spot { portion, element, f: 1.0 },
            f if f < AT_NODE => Spot { portion, element, f: 0.0 },
            f => Spot { portion, element, f },
        }
    }

    /// Roll at a place.
    fn roll(&self, spot: Spot) -> f64 {
        let (e, turns) = self.index(spot.element);
        self.rod.place_in(e, spot.f).roll(self.portion.q) + turns * self.rod.seam_twist
    }

    /// Twist of an element.
    fn twist_of(&self, element: usize) -> f64 {
        self.rod.element(self.portion.q, self.portion.frames, self.index(element).0).twist
    }

    /// Twist from place `a` to a later place `b`.
    fn twist(&self, a: Spot, b: Spot) -> f64 {
        let whole: f64 = (a.element..b.element).map(|element| self.twist_of(element)).sum();
        let [from, to] =
            [a, b].map(|spot| if spot.f == 0.0 { 0.0 } else { spot.f * self.twist_of(spot.element) });
        whole + to - from
    }
}

/// Builds the beam and its state.
pub(in crate::object::rod) fn join(
    portions: &[Portion<'_>],
    like: RodDescription,
    rolling: Rolling,
) -> Result<Joined, BuildError> {
    let sources: Vec<Source<'_>> = portions
        .iter()
        .filter_map(|&portion| match portion.rod {
            Rod::Beam(rod) => Some(Source { portion, rod }),
            _ => None,
        })
        .collect();
    for source in sources.iter().filter(|source| source.rod.closed) {
        rolling.continued(source.rod.seam_twist)?;
    }
    let description = RodDescription { segments: Some(even_segments(portions, FEWEST)), ..like };
    let mut initial = BeamRod::build(&description)?;
    let rolls = set_state(&sources, portions, rolling, &mut initial)?;
    keep_strains(&sources, portions, &mut initial);
    Ok(Joined { description, initial: initial.map(Rod::from), rolls })
}

/// Sets unknowns, velocities and frames. Returns the increase of the roll of each portion.
fn set_state(
    sources: &[Source<'_>],
    portions: &[Portion<'_>],
    rolling: Rolling,
    initial: &mut InitialRod<BeamRod>,
) -> Result<Vec<f64>, BuildError> {
    let InitialRod { rod, q, v, frames } = initial;
    let mut rolls = vec![0.0; sources.len()];
    let mut before: Option<Spot> = None;
    for i in 0..rod.joints() {
        let (p, s) = find(portions, rod.element_length * i as f64);
        let (source, portion) = (&sources[p], &portions[p]);
        let spot = source.spot(p, s);
        let e = source.index(spot.element).0;
        let (place, rate) = (source.rod.place_in(e, spot.f), rod.element_length / source.rod.element_length);
        for (to, from) in [(&mut *q, portion.q), (&mut *v, portion.v)] {
            place.position(from).write_to_slice(&mut to[8 * i..]);
            (place.derivative(from) * rate).write_to_slice(&mut to[8 * i + 4..]);
        }
        let t = BeamRod::tangent(q, i).normalize();
        let d1 = source.rod.reference_director(portion.q, portion.frames, e, spot.f);
        put_frame(frames, i, t, orthonormal_to(t, d1));
        if let Some(last) = before {
            let twist = if last.portion == p {
                source.twist(last, spot)
            } else {
                // The sections at the joint are joined as they are.
                let ended = sources[last.portion].spot(last.portion, portions[last.portion].to);
                sources[last.portion].twist(last, ended) + source.twist(source.spot(p, portion.from), spot)
            };
            let roll_before = q[8 * (i - 1) + 3];
            if last.portion != p {
                let carried = transport(tangent(frames, i - 1), t, director(frames, i - 1));
                let angle = angle_about(t, orthonormal_to(t, carried), director(frames, i));
                rolls[p] = rolling.continued(twist - source.roll(spot) + roll_before - angle)?;
            }
            set_twist(frames, i, twist - (source.roll(spot) + rolls[p] - roll_before));
        }
        let spin = |joint: usize| portion.v[8 * joint + 3];
        (q[8 * i + 3], q[8 * i + 7]) = (source.roll(spot) + rolls[p], 0.0);
        (v[8 * i + 3], v[8 * i + 7]) = (spin(e) + spot.f * (spin(source.rod.end(e)) - spin(e)), 0.0);
        before = Some(spot);
    }
    rod.chain().count_reference_twist(frames);
    Ok(rolls)
}

/// Gives elements the mean strain of their material by changing their chords. Directions stay.
fn keep_strains(sources: &[Source<'_>], portions: &[Portion<'_>], initial: &mut InitialRod<BeamRod>) {
    let InitialRod { rod, q, frames, .. } = initial;
    let at_nodes = (0..rod.joints()).all(|i| {
        let (p, s) = find(portions, rod.element_length * i as f64);
        let f = sources[p].spot(p, s).f;
        f == 0.0 || f == 1.0
    });
    if at_nodes {
        return;
    }
    let elongations = Elongations::new(portions, |p, e| {
        let Source { portion, rod } = &sources[p];
        rod.element(portion.q, portion.frames, e).strains()[0] * rod.element_length
    });
    let mut points: Vec<DVec3> = (0..rod.joints()).map(|i| BeamRod::point(q, i)).collect();
    let chords = elongations.lengths(rod.segments()).enumerate().map(|(e, length)| {
        let element = rod.element(q, frames, e);
        element.chord.length() * length / (rod.element_length * (1.0 + element.strains()[0]))
    });
    set_edges(portions, chords, &mut points);
    for (i, x) in points.into_iter().enumerate() {
        x.write_to_slice(&mut q[8 * i..]);
    }
}
