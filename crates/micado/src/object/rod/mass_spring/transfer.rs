//! A mass-spring rod made of portions of others.
//!
//! Vertices are even along the new rod. Where they are old ones, nothing changes. Otherwise they are sampled on
//! the cubics through the old vertices, with an error of O(l⁴), and then moved along the edges so that every
//! edge keeps the mean strain of its material: stiff springs would turn the error of a sampled length into a
//! force.

use super::MassSpringRod;
use crate::error::BuildError;
use crate::object::rod::portion::{Joined, Portion, even_segments, find};
use crate::object::rod::{Rod, RodDescription};
use glam::DVec3;

/// Fewest edges of an open rod.
const FEWEST: usize = 3;
/// Distance from a vertex, as a share of an edge, below which a place is at the vertex.
const AT_VERTEX: f64 = 1e-9;

/// Portions with their rods.
struct Source<'a> {
    portion: Portion<'a>,
    rod: &'a MassSpringRod,
    /// By how much the edges before each vertex are longer than at rest, counted on beyond a seam, m.
    longer: Vec<f64>,
}

impl<'a> Source<'a> {
    fn of(portion: Portion<'a>) -> Option<Self> {
        let Rod::MassSpring(rod) = portion.rod else { return None };
        let n = rod.segments();
        let edges = (0..if rod.closed { 2 * n } else { n }).scan(0.0, |sum, e| {
            *sum += rod.edge(portion.q, e % n).length() - rod.edge_length;
            Some(*sum)
        });
        Some(Self { portion, rod, longer: std::iter::once(0.0).chain(edges).collect() })
    }

    /// Vector of the vertices at arc length `s`, and whether that is at a vertex.
    fn at(&self, values: &[f64], s: f64) -> (DVec3, bool) {
        let (e, f) = self.portion.locate(s);
        let e = e % self.rod.segments();
        let vertex = |k: usize| (DVec3::from_slice(&values[4 * self.rod.edge_nodes(e)[k]..]), true);
        match f {
            f if f < AT_VERTEX => vertex(0),
            f if f > 1.0 - AT_VERTEX => vertex(1),
            f => (self.rod.place_in(e, f).position(values), false),
        }
    }

    /// ∫ε ds from the start of the portion to arc length `s`, m.
    fn elongation(&self, s: f64) -> f64 {
        let whole = |s: f64| {
            let (e, f) = self.portion.locate(s);
            let [before, beyond] = [e, e + 1].map(|k| self.longer[k.min(self.longer.len() - 1)]);
            before + f * (beyond - before)
        };
        whole(s) - whole(self.portion.from)
    }
}

/// Builds the rod and its state.
pub(in crate::object::rod) fn join(
    portions: &[Portion<'_>],
    like: RodDescription,
) -> Result<Joined, BuildError> {
    let sources: Vec<Source<'_>> = portions.iter().filter_map(|&portion| Source::of(portion)).collect();
    let segments = even_segments(portions, FEWEST);
    let description = RodDescription { segments: Some(segments), ..like };
    let mut initial = MassSpringRod::build(&description)?;
    let length = initial.rod.edge_length;
    let mut points = Vec::with_capacity(segments + 1);
    let mut kept = true;
    for i in 0..=segments {
        let (p, s) = find(portions, length * i as f64);
        let (x, at_vertex) = sources[p].at(portions[p].q, s);
        points.push(x);
        kept &= at_vertex;
        let v = sources[p].at(portions[p].v, s).0;
        initial.v[4 * i..4 * i + 4].copy_from_slice(&[v.x, v.y, v.z, 0.0]);
    }
    if !kept {
        let stretched = |s: f64| {
            let (p, at) = find(portions, s);
            let before: f64 = sources[..p].iter().map(|source| source.elongation(source.portion.to)).sum();
            before + sources[p].elongation(at)
        };
        let lengths: Vec<f64> = (0..segments)
            .map(|j| {
                let [from, to] = [j, j + 1].map(|i| length * i as f64);
                length + stretched(to) - stretched(from)
            })
            .collect();
        // The end that is not new stays.
        let from_end = portions.last().is_some_and(|portion| portion.keeps_ends()[1])
            && portions.first().is_some_and(|portion| !portion.keeps_ends()[0]);
        set_lengths(&lengths, from_end, &mut points);
    }
    for (i, x) in points.into_iter().enumerate() {
        initial.q[4 * i..4 * i + 4].copy_from_slice(&[x.x, x.y, x.z, 0.0]);
    }
    Ok(Joined { description, initial: initial.map(Rod::from), rolls: vec![0.0; portions.len()] })
}

/// Gives edges their lengths and keeps their directions. The first point stays, or the last one.
fn set_lengths(lengths: &[f64], from_end: bool, points: &mut [DVec3]) {
    let edges: Vec<DVec3> =
        points.array_windows().zip(lengths).map(|([a, b], l)| (*b - *a).normalize_or_zero() * *l).collect();
    if from_end {
        for j in (0..edges.len()).rev() {
            points[j] = points[j + 1] - edges[j];
        }
    } else {
        for (j, edge) in edges.iter().enumerate() {
            points[j + 1] = points[j] + *edge;
        }
    }
}
