//! A mass-spring rod made of portions of others.
//!
//! The vertices of the new rod are evenly spaced. A vertex at the place of an old one does not change. The
//! others are sampled on the cubics through the old vertices, with an error of O(l⁴), and then moved along
//! the edges so that every edge keeps the mean strain of its material: stiff springs would turn an error of
//! length into a force.

use super::MassSpringRod;
use crate::error::BuildError;
use crate::object::rod::portion::{Elongations, Joined, Portion, even_segments, find, set_edges};
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
}

impl<'a> Source<'a> {
    fn of(portion: Portion<'a>) -> Option<Self> {
        let Rod::MassSpring(rod) = portion.rod else { return None };
        Some(Self { portion, rod })
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
        let elongations = Elongations::new(portions, |p, e| {
            let Source { portion, rod } = &sources[p];
            rod.edge(portion.q, e).length() - rod.edge_length
        });
        set_edges(portions, elongations.lengths(segments), &mut points);
    }
    for (i, x) in points.into_iter().enumerate() {
        initial.q[4 * i..4 * i + 4].copy_from_slice(&[x.x, x.y, x.z, 0.0]);
    }
    Ok(Joined { description, initial: initial.map(Rod::from), rolls: vec![0.0; portions.len()] })
}
