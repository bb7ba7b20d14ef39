//! Poses of all objects: the view of a state for constraints, springs and loads.

use super::{EndFrame, Object, Place, PlaceKind, Site};
use crate::geometry::rotation::orthonormal_to;
use glam::DVec3;

/// Poses of all objects.
#[derive(Clone, Copy, Debug)]
pub struct Poses<'a> {
    /// The objects.
    pub objects: &'a [Object],
    /// Unknowns of all of them, four per node.
    pub q: &'a [f64],
    /// Frames of all of them.
    pub frames: &'a [f64],
}

impl<'a> Poses<'a> {
    /// The unknowns of the object of a place.
    #[inline]
    pub fn q(&self, place: &Place) -> &'a [f64] {
        place.slice(self.objects, self.q)
    }

    /// Position of a place, m; with an arm, that of its end. The arm of a place on a curve follows the frames
    /// of the object.
    pub fn position(&self, place: &Place) -> DVec3 {
        if place.is_at_weights() {
            place.position(self.q(place))
        } else {
            self.site(place, &self.frame(place)).x
        }
    }

    /// Velocity of a place, m/s; with an arm, that of its end: ẋ + ω×r. `v` has the velocities of all
    /// unknowns.
    pub fn velocity(&self, place: &Place, v: &[f64]) -> DVec3 {
        let v = place.slice(self.objects, v);
        if place.arm == DVec3::ZERO {
            return place.position(v);
        }
        let site = self.site(place, &self.frame(place));
        place.position(v) + place.spin(v, &site).cross(site.arm)
    }

    /// Tangent and reference director at a place on a curve, from the frames of its object; zero elsewhere.
    pub fn frame(&self, place: &Place) -> EndFrame {
        let object = place.object().filter(|_| place.kind == PlaceKind::Curve).map(|k| &self.objects[k]);
        let Some(object) = object else { return EndFrame::default() };
        let own = object.own(self.q, self.frames);
        let director = object.model().reference_director(own, place);
        let p = place.derivative(own.q);
        let t = p / p.length();
        EndFrame { tangent: t.to_array(), director: orthonormal_to(t, director).to_array() }
    }

    /// The site of a place. The frame of a curve is transported from the stored tangent; that of a body is
    /// stored by its object.
    #[inline]
    pub fn site(&self, place: &Place, frame: &EndFrame) -> Site {
        match place.kind {
            PlaceKind::Point => Site::without_frame(place, self.q(place)),
            PlaceKind::Curve => Site::on_curve(place, self.q(place), frame),
            PlaceKind::Frame => {
                let Some(object) = place.object().map(|k| &self.objects[k]) else { return Site::WORLD };
                let (x, axes) = object.model().pose(object.own(self.q, self.frames), place);
                Site::in_frame(place, x, axes)
            }
        }
    }

    /// The site of a place if only its position is needed and no frame is stored for it; see
    /// [`Poses::position`].
    #[inline]
    pub fn site_without_frame(&self, place: &Place) -> Site {
        if place.is_at_weights() {
            Site::without_frame(place, self.q(place))
        } else {
            self.site(place, &self.frame(place))
        }
    }
}
