//! The camera: direction of view, distance and projection.

use glam::DVec3;

/// Half of the vertical field of view: small, so that the perspective is mild.
const HALF_VIEW: f64 = 0.20;

/// A pinhole camera.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    eye: DVec3,
    pub(super) right: DVec3,
    pub(super) up: DVec3,
    /// From the structure towards the eye.
    pub(super) back: DVec3,
    /// Pixels per unit of slope.
    focal: f64,
    /// Where the optical axis meets the picture, pixels.
    centre: (f64, f64),
    /// Distance from the eye to the middle of the structure, m.
    distance: f64,
}

/// A projected point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Pixels from the left.
    pub(super) x: f64,
    /// Pixels from the top.
    pub(super) y: f64,
    /// Distance from the eye along the optical axis, m.
    pub(super) depth: f64,
    /// Pixels per metre at that depth.
    pub(super) scale: f64,
}

/// The part of the picture that the structure may fill, pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    /// Height of the whole picture.
    pub(super) height: f64,
}

impl Camera {
    /// A camera that looks along `-direction` from the distance at which all balls (centre, radius) just fit.
    pub(super) fn fit(balls: &[(DVec3, f64)], direction: DVec3, frame: Frame) -> Self {
        let back = direction.try_normalize().unwrap_or(DVec3::Y);
        let right = DVec3::Z.cross(back).try_normalize().unwrap_or(DVec3::X);
        let up = back.cross(right);
        let focal = frame.height / 2.0 / HALF_VIEW.tan();
        let half_width = ((frame.right - frame.left) / 2.0).max(1.0);
        let half_height = ((frame.bottom - frame.top) / 2.0).max(1.0);

        let middle = middle_of(balls);
        let (mut a0, mut b0, mut distance) = (0.0, 0.0, 1.0_f64);
        for _ in 0..8 {
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            distance = 1e-9;
            for (point, radius) in balls {
                let p = *point - middle;
                let (a, b, d) = (right.dot(p) - a0, up.dot(p) - b0, back.dot(p) + radius);
                let wide = focal * (a.abs() + radius) / half_width;
                let tall = focal * (b.abs() + radius) / half_height;
                distance = distance.max(d + wide.max(tall)).max(d + 1e-3 * radius);
            }
            for (point, radius) in balls {
                let p = *point - middle;
                let depth = (distance - back.dot(p)).max(1e-12);
                let place = DVec3::new(right.dot(p) - a0, up.dot(p) - b0, 0.0) / depth;
                let room = DVec3::splat(radius / depth);
                (low, high) = (low.min(place - room), high.max(place + room));
            }
            a0 += (low.x + high.x) / 2.0 * distance;
            b0 += (low.y + high.y) / 2.0 * distance;
        }
        Self {
            eye: middle + right * a0 + up * b0 + back * distance,
            right,
            up,
            back,
            focal,
            centre: ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0),
            distance,
        }
    }

    /// Projects a point; `None` if it lies behind the eye or close to it.
    pub(super) fn see(&self, point: DVec3) -> Option<Seen> {
        let p = point - self.eye;
        let depth = -self.back.dot(p);
        if !(depth > 0.02 * self.distance && depth.is_finite()) {
            return None;
        }
        let scale = self.focal / depth;
        let x = self.centre.0 + scale * self.right.dot(p);
        let y = self.centre.1 - scale * self.up.dot(p);
        Some(Seen { x, y, depth, scale })
    }

    /// Pixels per metre in the middle of the structure.
    pub(super) fn scale(&self) -> f64 {
        self.focal / self.distance
    }

    /// A direction in the coordinates of the picture: right, up, towards the eye.
    pub(super) fn turn(&self, direction: DVec3) -> DVec3 {
        DVec3::new(self.right.dot(direction), self.up.dot(direction), self.back.dot(direction))
    }
}

/// The centre of the bounding box of balls.
pub(super) fn middle_of(balls: &[(DVec3, f64)]) -> DVec3 {
    let (low, high) = box_of(balls);
    (low + high) / 2.0
}

/// The bounding box of balls, of which there is at least one.
pub(super) fn box_of(balls: &[(DVec3, f64)]) -> (DVec3, DVec3) {
    balls.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), (point, radius)| {
        (low.min(*point - DVec3::splat(*radius)), high.max(*point + DVec3::splat(*radius)))
    })
}

/// A good direction of view: from the front, the right and above; nearly straight on if the structure lies in
/// a vertical plane; from high above if it lies flat.
pub(super) fn good_direction(balls: &[(DVec3, f64)]) -> DVec3 {
    let (low, high) = box_of(balls);
    let tall = high.z - low.z;
    let middle = (low + high) / 2.0;

    // Principal directions of the plan view, from the 2 × 2 covariance.
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (point, _) in balls {
        let p = *point - middle;
        (xx, xy, yy) = (xx + p.x * p.x, xy + p.x * p.y, yy + p.y * p.y);
    }
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    let along = DVec3::new(angle.cos(), angle.sin(), 0.0);
    let across = DVec3::new(-angle.sin(), angle.cos(), 0.0);
    let width = |axis: DVec3| {
        let places = balls.iter().map(|(point, _)| axis.dot(*point - middle));
        let (low, high) = places.fold((0.0_f64, 0.0_f64), |(l, h), p| (l.min(p), h.max(p)));
        high - low
    };
    let (long, thin) = (width(along), width(across));
    let largest = long.max(tall);

    let planar = thin < 0.06 * largest && long > 0.06 * largest;
    let (side, elevation, turn) = if planar {
        // Look at the plane from the front (negative y), or from the right (positive x).
        let facing = -across.y + 0.3 * across.x;
        (if facing >= 0.0 { across } else { -across }, 0.17_f64, 0.30_f64)
    } else {
        let elevation = if tall < 0.06 * long { 0.75 } else { 0.42 };
        (DVec3::NEG_Y, elevation, 0.60)
    };
    // Turned to the right, which is counter-clockwise as seen from above.
    let (sin, cos) = turn.sin_cos();
    let side = DVec3::new(cos * side.x - sin * side.y, sin * side.x + cos * side.y, 0.0);
    side * elevation.cos() + DVec3::Z * elevation.sin()
}
