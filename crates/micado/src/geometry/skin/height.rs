//! Height fields: ground that is solid below a grid of heights.

use super::field::Field;
use super::pose::Bounds;
use super::triangle::{Feature, NONE, Triangle, on_triangle};
use glam::{DVec2, DVec3};

/// Ground: all space below the surface through the points `(i dx, j dy, h_ij)`. Each cell of the grid is two
/// triangles, which meet on the diagonal from (i, j) to (i + 1, j + 1).
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    /// Points along x and y.
    counts: [usize; 2],
    /// dx and dy, m.
    spacing: DVec2,
    /// h, m: first all points along x at the first y.
    heights: Vec<f64>,
    low: f64,
    high: f64,
}

impl HeightField {
    /// `counts` points along x and y at the distances `spacing` (m); `heights` (m) has first all points along
    /// x at the first y. `None` if a count is below 2 or does not fit, or a number is not usable.
    pub fn new(counts: [usize; 2], spacing: [f64; 2], heights: Vec<f64>) -> Option<Self> {
        let fits = counts[0].checked_mul(counts[1]) == Some(heights.len())
            && counts.iter().all(|&count| count >= 2)
            && u32::try_from(heights.len()).is_ok_and(|count| count < u32::MAX / 2);
        let usable = spacing.iter().all(|&step| step > 0.0 && step.is_finite());
        if !fits || !usable || !heights.iter().all(|h| h.is_finite()) {
            return None;
        }
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(Self { counts, spacing: DVec2::from_array(spacing), heights, low, high })
    }

    /// The box about its surface; the ground below is unbounded.
    pub fn bounds(&self) -> Bounds {
        let extent = self.extent();
        Bounds { low: DVec3::new(0.0, 0.0, self.low), high: extent.extend(self.high) }
    }

    /// The points, and three of their indices for each triangle, counterclockwise seen from above.
    pub fn facets(&self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let [nx, ny] = self.counts;
        let points = (0..ny).flat_map(|j| (0..nx).map(move |i| self.point(i, j))).collect();
        let number = |i: usize, j: usize| (j * nx + i) as u32;
        let cell = |i: usize, j: usize| {
            let (a, c) = (number(i, j), number(i + 1, j + 1));
            [[a, number(i + 1, j), c], [a, c, number(i, j + 1)]]
        };
        let triangles = (0..ny - 1).flat_map(|j| (0..nx - 1).flat_map(move |i| cell(i, j))).collect();
        (points, triangles)
    }

    fn extent(&self) -> DVec2 {
        self.spacing * DVec2::new((self.counts[0] - 1) as f64, (self.counts[1] - 1) as f64)
    }

    fn point(&self, i: usize, j: usize) -> DVec3 {
        DVec3::new(self.spacing.x * i as f64, self.spacing.y * j as f64, self.heights[j * self.counts[0] + i])
    }

    /// Cells along x and y.
    pub(super) fn cells(&self) -> [usize; 2] {
        [self.counts[0] - 1, self.counts[1] - 1]
    }

    /// Corners of triangle 0 or 1 of a cell, counterclockwise seen from above.
    pub(super) fn corners(&self, [i, j]: [usize; 2], second: bool) -> [DVec3; 3] {
        let (a, c) = (self.point(i, j), self.point(i + 1, j + 1));
        if second { [a, c, self.point(i, j + 1)] } else { [a, self.point(i + 1, j), c] }
    }

    /// Triangle 0 or 1 of a cell, and the third corners of its neighbours.
    pub(super) fn triangle(&self, [i, j]: [usize; 2], second: bool) -> Triangle {
        let [nx, ny] = self.cells();
        let beyond = if second {
            [
                Some(self.point(i + 1, j)),
                (j + 1 < ny).then(|| self.point(i + 1, j + 2)),
                (i > 0).then(|| self.point(i - 1, j)),
            ]
        } else {
            [
                (j > 0).then(|| self.point(i, j - 1)),
                (i + 1 < nx).then(|| self.point(i + 2, j + 1)),
                Some(self.point(i, j + 1)),
            ]
        };
        let (below, right) = (2 * nx as u32, 2);
        let number = right * (j * nx + i) as u32 + u32::from(second);
        let numbers = if second {
            [number - 1, (number + below).wrapping_sub(1), number.wrapping_sub(right + 1)]
        } else {
            [number.wrapping_sub(below).wrapping_add(1), number + right + 1, number + 1]
        };
        let twin = |k: usize| if beyond[k].is_some() { numbers[k] } else { NONE };
        let twins = [twin(0), twin(1), twin(2)];
        let corners = self.corners([i, j], second);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
        Triangle { corners, normal, beyond, twins, number }
    }

    /// Points that an edge joins with a corner of a triangle.
    pub(super) fn around(&self, number: u32, corner: usize) -> impl Iterator<Item = DVec3> + '_ {
        let nx = self.cells()[0];
        let (cell, second) = (number as usize / 2, number % 2 == 1);
        let (i, j) = (cell % nx, cell / nx);
        let (i, j) = match (corner, second) {
            (0, _) => (i, j),
            (1, false) => (i + 1, j),
            (1, true) | (2, false) => (i + 1, j + 1),
            _ => (i, j + 1),
        };
        let ways = [[1, 0], [1, 1], [0, 1], [-1, 0], [-1, -1], [0, -1]];
        ways.into_iter().filter_map(move |[di, dj]| {
            let (i, j) = (i.checked_add_signed(di)?, j.checked_add_signed(dj)?);
            (i < self.counts[0] && j < self.counts[1]).then(|| self.point(i, j))
        })
    }

    /// The cell below or above a point, at the border if it is beside.
    fn cell(&self, x: DVec2) -> [usize; 2] {
        let at = (x / self.spacing).floor().max(DVec2::ZERO);
        let [nx, ny] = self.cells();
        // Casts saturate.
        [(at.x as usize).min(nx - 1), (at.y as usize).min(ny - 1)]
    }

    /// First and last cell below or above a box; `None` if it is beside.
    pub(super) fn cells_within(&self, range: &Bounds) -> Option<[[usize; 2]; 2]> {
        let (low, high) = (range.low.truncate(), range.high.truncate());
        let beside = high.cmplt(DVec2::ZERO).any() || low.cmpgt(self.extent()).any();
        (!beside && range.low.z <= self.high).then(|| [self.cell(low), self.cell(high)])
    }

    /// Height of the surface at x and y, m, and its unit normal; `None` beside the grid.
    fn below(&self, x: DVec2) -> Option<(f64, DVec3)> {
        if x.cmplt(DVec2::ZERO).any() || x.cmpgt(self.extent()).any() {
            return None;
        }
        let cell = self.cell(x);
        let part = x / self.spacing - DVec2::new(cell[0] as f64, cell[1] as f64);
        let [a, b, c] = self.corners(cell, part.y > part.x);
        let normal = (b - a).cross(c - a).normalize();
        Some((a.z - normal.truncate().dot(x - a.truncate()) / normal.z, normal))
    }

    /// The distance, negative below the surface; `None` if it is larger than `limit`.
    pub(super) fn field(&self, x: DVec3, limit: f64) -> Option<Field> {
        let under = self.below(x.truncate());
        let inside = under.is_some_and(|(height, _)| x.z < height);
        // The surface below or above is a first guess; no point is nearer than that.
        let mut best = match under {
            Some((height, _)) if inside => height - x.z,
            Some((height, _)) => limit.min(x.z - height),
            None => limit,
        };
        // Rounding of the distance of a point on the surface.
        best += 1e-12 * (best.min(f64::MAX) + self.extent().max_element() + self.high - self.low);
        let mut found = None;
        // No cell is nearer to x than to the closest point of the grid, seen from above.
        let over = x.truncate().clamp(DVec2::ZERO, self.extent());
        if over.distance(x.truncate()) > best {
            return None;
        }
        let [i0, j0] = self.cell(over);
        let [nx, ny] = self.cells();
        // Rings of cells about that of the point.
        for ring in 0..nx.max(ny) {
            // All cells of this ring and beyond are at least so far, seen from above.
            let gap = self.ring_gap(over, [i0, j0], ring);
            if gap > best {
                break;
            }
            let (low_j, high_j) = (j0.saturating_sub(ring), (j0 + ring).min(ny - 1));
            for j in low_j..=high_j {
                let whole = j0.abs_diff(j) == ring;
                let (low_i, high_i) = (i0.saturating_sub(ring), (i0 + ring).min(nx - 1));
                // Rows in between have the two outer cells only.
                let step = if whole { 1 } else { (2 * ring).max(1) };
                let first = if whole || i0 >= ring { low_i } else { i0 + ring };
                for i in (first..=high_i).step_by(step) {
                    self.closest_in([i, j], x, &mut best, &mut found);
                }
            }
        }
        let (point, normal, on_face): (DVec3, DVec3, bool) = found?;
        let out = x - point;
        let length = out.length();
        let tiny = 1e-13 * self.spacing.max_element();
        let (side, above) = (if inside { -1.0 } else { 1.0 }, out.dot(normal) >= 0.0);
        // The plane gives the direction also where the distance is small. Beside the grid, the surface has a
        // lower side.
        let normal = match (on_face, length <= tiny, above == inside) {
            (true, false, true) => -normal,
            (true, ..) | (_, true, _) => normal,
            _ => out * (side / length),
        };
        Some(Field { distance: length * side, normal, point })
    }

    /// Distance, seen from above, of cells that are `ring` cells away, m.
    fn ring_gap(&self, x: DVec2, [i, j]: [usize; 2], ring: usize) -> f64 {
        if ring == 0 {
            return 0.0;
        }
        let away = (ring - 1) as f64;
        let low = DVec2::new(i as f64 - away, j as f64 - away) * self.spacing;
        let high = DVec2::new((i + ring) as f64, (j + ring) as f64) * self.spacing;
        (x - low).min(high - x).min_element()
    }

    fn closest_in(
        &self,
        cell: [usize; 2],
        x: DVec3,
        best: &mut f64,
        found: &mut Option<(DVec3, DVec3, bool)>,
    ) {
        let corner = |i, j| self.heights[(cell[1] + j) * self.counts[0] + cell[0] + i];
        let z = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
        let (low, high) =
            (z.into_iter().fold(f64::INFINITY, f64::min), z.into_iter().fold(f64::MIN, f64::max));
        if x.z - high > *best || low - x.z > *best {
            return;
        }
        for second in [false, true] {
            let [a, b, c] = self.corners(cell, second);
            let normal = (b - a).cross(c - a).normalize();
            let (point, feature) = on_triangle([a, b, c], normal, x);
            let distance = x.distance(point);
            if distance < *best {
                *best = distance;
                *found = Some((point, normal, feature == Feature::Face));
            }
        }
    }
}
