//! Sides: the material points of two objects that touch.

use super::shapes::Shape;
use super::touch::SideOfTouch;
use crate::geometry::closest::Chain;
use crate::geometry::skin::Pose;
use crate::object::{Place, Site};
use crate::world::touching::Surfaces as Properties;
use crate::world::{State, Structure, Toucher};
use glam::DVec3;

/// Data from which the sides of a pair are made.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) structure: &'a Structure,
    pub(super) state: &'a State,
    pub(super) how: &'a Properties,
}

impl Context<'_> {
    /// A side on a rod, at coordinate `f` of a piece; its surface is at `radius` in the direction `towards`.
    pub(super) fn on_curve(
        &self,
        shape: &Shape,
        chain: &Chain<'_>,
        (piece, f): (u32, f64),
        (radius, towards): (f64, DVec3),
    ) -> SideOfTouch {
        let object = &self.structure.objects[shape.index];
        let q = &self.state.q[object.unknowns()];
        let place = object.model().curve().map_or(Place::NOWHERE, |curve| {
            let (low, high) = curve.span(piece as usize);
            curve.smooth_place(piece as usize, low + f * (high - low)).of_object(shape.index)
        });
        let site = Site::without_directors(&place, q);
        SideOfTouch {
            toucher: shape.toucher,
            place,
            site,
            at: [chain.arc_length(piece as usize, f), 0.0, 0.0],
            point: site.x + towards * radius,
            on_curve: true,
            bend: radius,
        }
    }

    /// A side on a ball about a node.
    pub(super) fn on_ball(shape: &Shape, x: DVec3, point: DVec3, radius: f64) -> SideOfTouch {
        let place = Place::at_point(&[0], &[1.0]).of_object(shape.index);
        let site = Site { x, ..Site::WORLD };
        SideOfTouch {
            toucher: shape.toucher,
            place,
            site,
            at: [0.0; 3],
            point,
            on_curve: false,
            bend: radius,
        }
    }

    /// A side on a solid, at a point in its axes.
    pub(super) fn on_solid(&self, shape: &Shape, pose: &Pose, point: DVec3, bend: f64) -> SideOfTouch {
        let at = pose.position + pose.rotation * point;
        let (place, site) = match shape.toucher {
            Toucher::Object(k) => {
                let place = Place::in_frame(0, 1, point).of_object(k as usize);
                (place, self.structure.poses(self.state).site_without_frame(&place))
            }
            _ => (Place::NOWHERE, Site { x: at, ..Site::WORLD }),
        };
        SideOfTouch {
            toucher: shape.toucher,
            place,
            site,
            at: point.to_array(),
            point: at,
            on_curve: false,
            bend,
        }
    }

    /// Whether a constraint joins two sides there, so that they don't touch.
    pub(super) fn are_joined(&self, sides: &[SideOfTouch; 2]) -> bool {
        let places = sides.each_ref().map(|side| (side.toucher, side.at[0]));
        let touching = &self.structure.touching;
        !self.how.also_joined && touching.are_joined(self.structure, self.state, places)
    }
}
