//! Intersection of a line of sight with a straight piece of tube.

use glam::DVec3;

use super::camera::{Camera, Seen};
use super::shade::Knot;

/// A straight piece of tube in samples: x right, y down, z towards the eye.
pub(super) struct Rod {
    pub(super) start: DVec3,
    pub(super) axis: DVec3,
    pub(super) radii: [f64; 2],
    /// Square of the length of the axis.
    length2: f64,
    /// Component of the line of sight perpendicular to the axis.
    square_to_sight: DVec3,
    /// Samples per metre.
    scale: f64,
    /// Whether the tube is cut flat at each end; otherwise a ball joins it to the next piece.
    cut: [bool; 2],
}

/// Intersection of a line of sight with a rod.
pub(super) struct Hit {
    /// From the eye, m.
    pub(super) depth: f32,
    /// Right, up, towards the eye.
    pub(super) normal: DVec3,
    /// Share of the axis; below 0 or above 1 on the ball at an end.
    pub(super) share: f64,
    /// 1 in the middle of the tube as seen, 0 at its outline.
    pub(super) facing: f32,
}

impl Rod {
    /// A piece between two knots, with `fine` samples per pixel in each direction.
    pub(super) fn new(
        camera: &Camera,
        [from, to]: [Knot; 2],
        thinnest: f64,
        cut: [bool; 2],
        fine: f64,
    ) -> Option<Self> {
        let (a, b) = (camera.see(from.place)?, camera.see(to.place)?);
        let scale = (a.scale + b.scale) / 2.0 * fine;
        let radius = |knot: Knot, seen: Seen| (knot.radius * seen.scale).max(thinnest) * fine;
        let at = |seen: Seen| DVec3::new(seen.x * fine, seen.y * fine, -seen.depth * scale);
        let radii = [radius(from, a), radius(to, b)];
        let axis = at(b) - at(a);
        let length2 = axis.length_squared();
        let square_to_sight = if length2 < 1e-9 { DVec3::ZERO } else { DVec3::Z - axis * (axis.z / length2) };
        Some(Self { start: at(a), axis, length2, square_to_sight, radii, scale, cut })
    }

    /// The nearest intersection at a sample.
    pub(super) fn hit(&self, x: f64, y: f64) -> Option<Hit> {
        let q = DVec3::new(x - self.start.x, y - self.start.y, 0.0);
        let d = self.axis;
        let flat2 = d.x * d.x + d.y * d.y;
        let near = if flat2 > 1e-9 { ((q.x * d.x + q.y * d.y) / flat2).clamp(0.0, 1.0) } else { 0.5 };
        let r = self.radii[0] + (self.radii[1] - self.radii[0]) * near;
        let aside2 = (q - d * near).truncate().length_squared();
        if aside2 >= r * r {
            return None;
        }
        let facing = (1.0 - aside2 / (r * r)).sqrt() as f32;
        let (z, normal, share) = self.on_side(q, r).or_else(|| self.on_end(q, r))?;
        let depth = (-(self.start.z + z) / self.scale) as f32;
        let normal = DVec3::new(normal.x, -normal.y, normal.z);
        Some(Hit { depth, normal, share, facing })
    }

    /// Intersection with the cylinder: the larger root of |q⊥ + z e⊥| = r, with ⊥ perpendicular to the axis.
    fn on_side(&self, q: DVec3, r: f64) -> Option<(f64, DVec3, f64)> {
        let length2 = self.length2;
        if length2 < 1e-9 {
            return None;
        }
        let (p, e) = (q - self.axis * (q.dot(self.axis) / length2), self.square_to_sight);
        let (a, b, c) = (e.length_squared(), p.dot(e), p.length_squared() - r * r);
        let root = b * b - a * c;
        if a < 1e-9 || root < 0.0 {
            return None;
        }
        let z = (root.sqrt() - b) / a;
        let share = (q + DVec3::Z * z).dot(self.axis) / length2;
        (0.0..=1.0).contains(&share).then(|| (z, (p + e * z) / r, share))
    }

    /// Intersection with the closures of both ends; the one nearer to the eye wins.
    fn on_end(&self, q: DVec3, r: f64) -> Option<(f64, DVec3, f64)> {
        let end = |index: usize| {
            let o = q - self.axis * index as f64;
            let base = self.axis.z * index as f64;
            let share = [-0.001, 1.001][index];
            if self.cut[index] && self.axis.length_squared() > 1e-9 {
                let outward = self.axis.normalize() * [-1.0, 1.0][index];
                return cut_face(o, outward, r).map(|z| (z, outward, share));
            }
            let height2 = r * r - o.x * o.x - o.y * o.y;
            let height = (height2 > 0.0).then(|| height2.sqrt())?;
            // The ball of a short piece would protrude from the face at its other end.
            let other = 1 - index;
            if self.cut[other] {
                let outward = self.axis * [-1.0, 1.0][other];
                let from_face = DVec3::new(o.x, o.y, height) + self.axis * (index as f64 - other as f64);
                if from_face.dot(outward) > 0.0 {
                    return None;
                }
            }
            Some((base + height, DVec3::new(o.x, o.y, height) / r, share))
        };
        match (end(0), end(1)) {
            (Some(a), Some(b)) => Some(if a.0 > b.0 { a } else { b }),
            (a, b) => a.or(b),
        }
    }
}

/// The height at which a line of sight, `o` from the centre of a disc, meets its front.
fn cut_face(o: DVec3, outward: DVec3, r: f64) -> Option<f64> {
    if outward.z < 1e-6 {
        return None;
    }
    let z = -o.dot(outward) / outward.z;
    ((o + DVec3::Z * z).length_squared() <= r * r).then_some(z)
}
