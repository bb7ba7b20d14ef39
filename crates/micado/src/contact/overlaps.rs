//! Overlaps of surfaces in the present state.

use super::surfaces::Surfaces;
use crate::world::World;

/// Depth above which an overlap counts, as a share of the contact size: objects at rest on each other overlap
/// by rounding.
const COUNTS: f64 = 1e-3;

/// Two objects whose surfaces overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Indices of the objects; the same twice for a rod that overlaps itself.
    pub objects: [usize; 2],
    /// Largest depth, m.
    pub depth: f64,
}

impl World {
    /// The pairs of objects whose surfaces overlap now, the deepest first. Overlaps below a thousandth of the
    /// contact size are left out.
    pub fn overlaps(&self) -> Vec<Overlap> {
        let mut surfaces = Surfaces::default();
        surfaces.begin(&self.structure, &self.state, 0.0);
        let mut found: Vec<Overlap> = Vec::new();
        for (objects, depth, bend) in surfaces.overlaps(&self.structure) {
            if depth <= COUNTS * bend {
                continue;
            }
            // Contacts of a pair follow each other.
            match found.last_mut().filter(|last| last.objects == objects) {
                Some(last) => last.depth = last.depth.max(depth),
                None => found.push(Overlap { objects, depth }),
            }
        }
        found.sort_by(|a, b| b.depth.total_cmp(&a.depth));
        found
    }
}
