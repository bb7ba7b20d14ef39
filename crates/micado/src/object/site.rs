//! A site: a place in the present state, with its frame.

use super::Place;
use crate::geometry::rotation::{orthonormal_to, transport};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// Reference frame at an end of a spring or constraint, transported in time without spin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EndFrame {
    /// Tangent of the frame.
    pub tangent: [f64; 3],
    /// Reference director a₁.
    pub director: [f64; 3],
}

/// A place in the present state; for an end in the world, the target of the law.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Position of the held point, m.
    pub x: DVec3,
    /// Whether it has a frame, so that a moment can turn it.
    pub turns: bool,
    /// Whether it is on a curve, whose roll counts whole turns.
    pub on_curve: bool,
    /// Whether its frame is that of an anchor with axes of its own.
    pub own_axes: bool,
    /// From the place to that point, world axes, m.
    pub arm: DVec3,
    /// x' = dx/du of a curve; t in a frame; zero elsewhere.
    pub p: DVec3,
    /// x'' of a sliding place.
    pub pp: DVec3,
    /// |x'|
    pub l: f64,
    /// Unit tangent, or first axis of a frame.
    pub t: DVec3,
    /// Directors m₁, m₂.
    pub m1: DVec3,
    /// t × m₁
    pub m2: DVec3,
    /// Roll θ against the reference that is transported in time without spin, rad; it counts whole turns.
    pub roll: f64,
}

impl Site {
    /// The site of a place on a curve, with the frame transported from the stored tangent; `q` is the
    /// object's own slice, here and below.
    pub fn on_curve(place: &Place, q: &[f64], frame: &EndFrame) -> Self {
        let (x, p, roll) = place.all(q);
        let l = p.length();
        let t = p / l;
        let (before, director) = (DVec3::from_array(frame.tangent), DVec3::from_array(frame.director));
        // Committed frames need no transport.
        let a1 = if t == before { director } else { orthonormal_to(t, transport(before, t, director)) };
        let a2 = t.cross(a1);
        let (sin, cos) = libm::sincos(roll);
        let m1 = a1 * cos + a2 * sin;
        let site = Self {
            x,
            turns: true,
            on_curve: true,
            own_axes: false,
            arm: DVec3::ZERO,
            p,
            pp: DVec3::ZERO,
            l,
            t,
            m1,
            m2: t.cross(m1),
            roll,
        };
        if place.arm == DVec3::ZERO { site } else { site.with_arm(place.arm) }
    }

    /// The site of a place in a frame at `x`, with the axes of `rotation` or those of its anchor.
    pub fn in_frame(place: &Place, x: DVec3, rotation: DMat3) -> Self {
        let arm = rotation * place.arm;
        let axes = place.axes.map_or(rotation, |axes| rotation * DMat3::from_quat(axes));
        let (t, m1, m2) = (axes.x_axis, axes.y_axis, axes.z_axis);
        // As on a curve with x' = t.
        Self { x: x + arm, turns: true, arm, p: t, t, m1, m2, own_axes: place.axes.is_some(), ..Self::WORLD }
    }

    /// Moves the site to the end of an arm that is fixed in the frame.
    fn with_arm(self, arm: DVec3) -> Self {
        let arm = self.frame() * arm;
        Self { x: self.x + arm, arm, ..self }
    }

    /// The site if only its position is needed.
    pub fn without_frame(place: &Place, q: &[f64]) -> Self {
        debug_assert!(!place.has_frame() || place.arm == DVec3::ZERO, "an arm needs a frame");
        Self { x: place.position(q), ..Self::WORLD }
    }

    /// The site of a sliding place whose frame is not needed: its directors are those of the world.
    pub(crate) fn without_directors(place: &Place, q: &[f64]) -> Self {
        let p = place.derivative(q);
        let l = p.length();
        let pp = place.second_derivative(q);
        Self { turns: true, on_curve: true, p, l, t: p / l, pp, ..Self::without_frame(place, q) }
    }

    /// The origin of the world with its axes.
    pub const WORLD: Self = Self {
        x: DVec3::ZERO,
        turns: false,
        on_curve: false,
        own_axes: false,
        arm: DVec3::ZERO,
        p: DVec3::ZERO,
        pp: DVec3::ZERO,
        l: 1.0,
        t: DVec3::X,
        m1: DVec3::Y,
        m2: DVec3::Z,
        roll: 0.0,
    };

    /// The frame [t m₁ m₂].
    pub fn frame(&self) -> DMat3 {
        DMat3::from_cols(self.t, self.m1, self.m2)
    }
}
