//! A touch: two points of surfaces that are near each other, and the rows of their contact.

use crate::contact::ContactRow;
use crate::geometry::rotation::any_normal;
use crate::law::{BlockLaw, MAX_BLOCK};
use crate::object::{Place, Site, Wrench};
use crate::world::touching::Surfaces as Properties;
use crate::world::{ContactKey, Mark, Remembered, Source, Toucher};
use glam::DVec3;

/// Largest growth of an overlap in a substep, as a share of the contact size.
pub(super) const DEEPER: f64 = 0.1;

/// One side of a touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct SideOfTouch {
    pub(super) toucher: Toucher,
    /// The material place; nowhere on a fixed body.
    pub(super) place: Place,
    pub(super) site: Site,
    /// Where on the object, see [`Mark::at`].
    pub(super) at: [f64; 3],
    /// Point of its surface, m.
    pub(super) point: DVec3,
    /// Whether it is on a curve, of which `site.t` is the tangent.
    pub(super) on_curve: bool,
    /// Size of its object, m: the radius of a rod or mass, the shortest side of a body. Infinite for a body
    /// against a rod, and for an unbounded body.
    pub(super) bend: f64,
}

/// A touch at the beginning of a substep.
#[derive(Clone, Debug)]
pub(super) struct TouchPoint {
    pub(super) sides: [SideOfTouch; 2],
    pub(super) law: BlockLaw,
    pub(super) rows: [ContactRow; 3],
    pub(super) restitution: f64,
    /// Whether both sides are at ends of rods.
    pub(super) at_ends: bool,
    /// Its displacement and place at the beginning, under its present key; its forces are those of the last
    /// solve.
    pub(super) known: Remembered,
    /// Forces with which it begins.
    begins_with: [f64; MAX_BLOCK],
    /// Gap of the same contact at the beginning of the previous substep, m. For a new contact, the least gap
    /// of the pair; infinite if the pair had no contacts.
    pub(super) before: f64,
    is_new: bool,
}

impl TouchPoint {
    /// The touch of two sides; `normal` points from the second to the first.
    pub(super) fn new(sides: [SideOfTouch; 2], normal: DVec3, gap: f64, how: &Properties) -> Self {
        let curve = sides.iter().find(|side| side.on_curve);
        let along = curve.and_then(|side| side.site.t.reject_from_normalized(normal).try_normalize());
        let tangent = along.unwrap_or_else(|| any_normal(normal, DVec3::Z));
        let friction = how.friction;
        let law = if friction.along == 0.0 && friction.across == 0.0 {
            BlockLaw::Unilateral
        } else {
            BlockLaw::Coulomb { friction: [friction.along, friction.across] }
        };
        let rows = [(normal, gap), (tangent, 0.0), (normal.cross(tangent), 0.0)]
            .map(|(direction, gap)| ContactRow { wrenches: wrenches(&sides, direction), own: [0.0; 2], gap });
        let point = (sides[0].point + sides[1].point) * 0.5;
        let mark = Mark {
            at: [sides[0].at, sides[1].at],
            point: point.to_array(),
            normal: normal.to_array(),
            tangent: tangent.to_array(),
            slip: [0.0; 3],
            gap,
            began: gap,
        };
        let between = [sides[0].toucher, sides[1].toucher];
        let key = ContactKey { between, source: Source::Surfaces, slot: 0 };
        let known = Remembered { key, forces: Default::default(), kept: Default::default(), mark };
        Self {
            sides,
            law,
            rows,
            restitution: how.restitution,
            at_ends: false,
            known,
            begins_with: Default::default(),
            before: f64::INFINITY,
            is_new: true,
        }
    }

    /// Continues with the force and the displacement of an earlier contact. They are vectors of the world,
    /// which turn with the normal.
    pub(super) fn continue_from(&mut self, earlier: &Remembered) {
        let mark = &mut self.known.mark;
        let (n, t) = (DVec3::from_array(mark.normal), DVec3::from_array(mark.tangent));
        let b = n.cross(t);
        let before = DVec3::from_array(earlier.mark.normal);
        let carry = |v: DVec3| crate::geometry::rotation::transport(before, n, v).reject_from_normalized(n);
        let force = carry(earlier.force().reject_from_normalized(before));
        let slip = carry(DVec3::from_array(earlier.mark.slip));
        self.known.forces[0] = earlier.forces[0];
        if self.law.rows() > 1 {
            (self.known.forces[1], self.known.forces[2]) = (force.dot(t), force.dot(b));
            mark.slip = slip.to_array();
            (self.rows[1].gap, self.rows[2].gap) = (slip.dot(t), slip.dot(b));
        }
        self.known.kept = earlier.kept;
        self.begins_with = self.known.forces;
        self.before = earlier.mark.began;
        self.is_new = false;
    }

    /// Forgets the forces of solves since it was found.
    pub(super) fn begin_again(&mut self) {
        self.known.forces = self.begins_with;
    }

    /// Whether it is between ends of rods that overlapped when they were first found, such as the two round
    /// ends that a cut leaves about one point. They don't push each other until they have been apart.
    pub(super) fn is_cut(&self) -> bool {
        self.at_ends && self.is_new && self.known.mark.gap < -DEEPER * self.bend()
    }

    /// Contact size, m: the smaller size of the two sides.
    pub(super) fn bend(&self) -> f64 {
        self.sides[0].bend.min(self.sides[1].bend)
    }
}

/// Unit forces along a direction at the points of both surfaces.
fn wrenches(sides: &[SideOfTouch; 2], direction: DVec3) -> [Wrench; 2] {
    [(&sides[0], direction), (&sides[1], -direction)].map(|(side, direction)| Wrench {
        moment: (side.point - side.site.x).cross(direction),
        ..Wrench::force(direction)
    })
}
