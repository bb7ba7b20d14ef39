//! Boxes about the segments of a polygon in a binary tree: which segments may be near a box.

use crate::geometry::skin::Bounds;
use glam::DVec3;

/// A tree of boxes. Fitting it to other points allocates only if there are more of them than ever before.
#[derive(Clone, Debug, Default)]
pub struct BoxTree {
    /// Boxes of the nodes: the children of node k are 2k and 2k + 1. The second half are the segments, then
    /// empty boxes.
    boxes: Vec<Bounds>,
}

impl BoxTree {
    /// Fits the boxes to the segments between neighbouring points.
    pub fn fit(&mut self, points: &[DVec3]) {
        let first = points.len().saturating_sub(1).next_power_of_two();
        self.boxes.clear();
        self.boxes.resize(2 * first, Bounds::EMPTY);
        for (bounds, ends) in self.boxes[first..].iter_mut().zip(points.windows(2)) {
            *bounds = Bounds::of([ends[0], ends[1]]);
        }
        for node in (1..first).rev() {
            self.boxes[node] = self.boxes[2 * node].with(self.boxes[2 * node + 1]);
        }
    }

    /// Calls `visit` with the segments whose boxes meet `bounds`, in order.
    pub fn near(&self, bounds: &Bounds, mut visit: impl FnMut(usize)) {
        let first = self.boxes.len() / 2;
        // At most one node per level waits.
        let mut waiting = [0_usize; 64];
        let mut count = usize::from(first > 0);
        waiting[0] = 1;
        while count > 0 {
            count -= 1;
            let node = waiting[count];
            if !self.boxes[node].meets(bounds) {
                continue;
            }
            if node >= first {
                visit(node - first);
            } else {
                waiting[count] = 2 * node + 1;
                waiting[count + 1] = 2 * node;
                count += 2;
            }
        }
    }
}
