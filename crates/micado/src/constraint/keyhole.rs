//! Keyhole: an eye through which a rod slides.
//!
//! `g = x_A(u) − x_B`, 3 rows with the unknown Δu; J = bᵢ(u) I on the rod and x'(u) on Δu. Stationarity in u,
//! c_u Δu − x'·λ = 0, makes the force perpendicular to the rod, but for friction: c_u = c |x'|²/h, c in
//! N·s/m. Oriented: the tangent is held as well, 2 rows `g_a = n_a·t`, J = bᵢ' (P n_a)ᵀ/L and n_a·(P x'')/L
//! on Δu. Imposed sliding (a winch, a feeder): u is given in time, there is no Δu, and the driving force on
//! the rod is λ·t. The eye may be a point of the world, a place that moves with an object, or slide along its
//! own rod: a crossing, −x'_B(u_B) on its Δu. Curvature: −λ on (x', u) and −λ·x'' on (u, u). Multipliers:
//! force, N, on the rod, world axes.

use super::position::PositionLaw;
use super::tangent::checked_direction;
use super::{
    AttachedDirection, Circumstances, Curvature, EndDescription, EndOfCurve, FrameNeed, NonSmoothBlock,
    NormalForce, Row, Rows, Site, Wrench, friction, stops,
};
use crate::describe::anchor::{Anchor, At};
use crate::describe::signal::{Signal, measured};
use crate::describe::units;
use crate::error::{BuildError, check};
use crate::law::BlockLaw;
use crate::object::rod::Rod;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An eye through which a rod slides. Multipliers: force on the rod, N, world axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyhole {
    /// Rod that slides, by name.
    pub on: String,
    /// Where on the rod the eye begins.
    pub at: At,
    /// Where the eye is, m; the present position of the rod unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Signal<[f64; 3]>>,
    /// Displacement of the eye in time, m, added to `target`.
    #[serde(default)]
    pub displacement: Signal<[f64; 3]>,
    /// A place to which the eye is fixed, instead of a point of the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
    /// With `to`: the eye slides along that rod too.
    #[serde(default)]
    pub crossing: bool,
    /// Direction of the rod in the eye; if given, it is held as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Signal<[f64; 3]>>,
    /// Imposed sliding (a winch, a feeder): rest length in time, m, by which the eye is further along the rod
    /// than `at`. It slides freely unless given.
    #[serde(
        default,
        deserialize_with = "measured::optional_length",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<measured::MeasuredInput>")]
    pub slide: Option<Signal<f64>>,
    /// Viscous friction, N·s/m.
    #[serde(default)]
    pub viscosity: f64,
    /// Dry friction: share of the force of the eye across the rod.
    #[serde(default)]
    pub friction: f64,
    /// Radius over which the rod turns in the eye, m: dry friction then is that of a rope on a drum, whatever
    /// the turn: T₁ = T₂ exp(μφ). Unless given the eye is a sharp edge.
    #[serde(default, deserialize_with = "units::optional_length", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub radius: Option<f64>,
    /// What happens at the ends of the rod.
    #[serde(default)]
    pub ends: EndOfCurve,
}

/// An eye.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyholeLaw {
    target: PositionLaw,
    crossing: bool,
    direction: Option<AttachedDirection>,
    slide: Option<Slide>,
    viscosity: f64,
    friction: f64,
    #[serde(default)]
    radius: Option<f64>,
    /// What happens at the ends of the rod.
    pub ends: EndOfCurve,
}

/// Numbers of the friction rows of its two ends among its non-smooth rows, and of the first stops.
const FRICTION: [usize; 2] = [0, 5];
const STOPS: [usize; 2] = [1, 3];

/// Imposed sliding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Slide {
    /// Rest arc length of its origin, m; it need not be on the rod.
    from: f64,
    /// Distance from there, m.
    by: Signal<f64>,
    /// Rest length of the rod to which `from` refers, m, if the start of the rod is on a winch: the origin
    /// keeps its distance from the end.
    #[serde(default)]
    of: Option<f64>,
}

/// Rest arc length `s` in units of u. It wraps around a closed rod and is clamped to the ends of an open one.
pub(crate) fn imposed_place(rod: &Rod, s: f64) -> f64 {
    let (segment, fraction) =
        rod.locate(if rod.is_closed() { s.rem_euclid(rod.length()) } else { s.clamp(0.0, rod.length()) });
    rod.parameter(segment, fraction)
}

/// Share of the force across the rod that is friction in one eye, so that a turn by φ gives the tensions of a
/// drum, R = T₁/T₂ = exp(μφ).
///
/// Bending moments on both sides agree, T₁(1 − cos φ₁) = T₂(1 − cos φ₂), φ₁ + φ₂ = φ. So along the rod the
/// eye holds T₁ cos φ₁ − T₂ cos φ₂ = T₁ − T₂, and across it T₁ sin φ₁ + T₂ sin φ₂, with
/// tan(φ₁/2) = sin(φ/2)/(√R + cos(φ/2)).
fn on_drum(friction: f64, turn: f64) -> f64 {
    if turn < 1e-6 {
        return friction;
    }
    let root = libm::exp(0.5 * friction * turn);
    let ratio = root * root;
    let first = 2.0 * libm::atan2(libm::sin(0.5 * turn), root + libm::cos(0.5 * turn));
    // R − 1 without cancellation, and 1/R where R is beyond all numbers.
    let [one, difference] = [1.0 / ratio, -libm::expm1(-friction * turn)];
    difference / (libm::sin(first) + one * libm::sin(turn - first))
}

impl Keyhole {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        let other = match &self.to {
            Some(Anchor { on, at: Some(at), .. }) if self.crossing => {
                EndDescription::Sliding { on, at: *at, slide: None }
            }
            to => EndDescription::other(
                to.as_ref(),
                if self.direction.is_some() { FrameNeed::IfAny } else { FrameNeed::No },
            ),
        };
        [EndDescription::Sliding { on: &self.on, at: self.at, slide: self.slide.as_ref() }, other]
    }

    pub(super) fn build(&self, a: &Site, b: &Site) -> Result<KeyholeLaw, BuildError> {
        check::not_negative("viscosity", self.viscosity)?;
        check::not_negative("friction", self.friction)?;
        if let Some(radius) = self.radius {
            check::positive("radius", radius)?;
        }
        if let Some(slide) = &self.slide {
            slide.check("slide")?;
            if self.viscosity > 0.0 || self.friction > 0.0 {
                let field = if self.viscosity > 0.0 { "viscosity" } else { "friction" };
                return Err(BuildError::new(
                    field,
                    "sliding is imposed and friction has no effect",
                    "leave it or `slide` out",
                ));
            }
        }
        if self.to.is_some() && (self.target.is_some() || self.displacement != Signal::default()) {
            return Err(BuildError::new(
                "to",
                "there is a target as well",
                "give one of them: a point of the world, or a place to which the eye is fixed",
            ));
        }
        if self.crossing && self.to.as_ref().is_some_and(|to| to.arm.is_some()) {
            return Err(BuildError::new(
                "to.arm",
                "an eye that slides along both rods is on both axes",
                "leave `arm` out, or `crossing`",
            ));
        }
        if self.crossing && self.to.as_ref().is_none_or(|to| to.at.is_none()) {
            return Err(BuildError::new(
                "crossing",
                "there is no place on another rod",
                "name it by `to = { on = …, at = … }`",
            ));
        }
        if self.crossing && self.direction.is_some() {
            return Err(BuildError::new(
                "direction",
                "a crossing has no direction",
                "leave `direction` or `crossing` out",
            ));
        }
        let direction = match &self.direction {
            Some(signal) => {
                Some(AttachedDirection::new(checked_direction("direction", Some(signal), a.t)?, b))
            }
            None => None,
        };
        Ok(KeyholeLaw {
            target: PositionLaw::build(self.target.as_ref(), &self.displacement, a)?,
            crossing: self.crossing,
            direction,
            slide: self.slide.clone().map(|by| Slide { from: 0.0, by, of: None }),
            viscosity: self.viscosity,
            friction: self.friction,
            radius: self.radius,
            ends: self.ends,
        })
    }
}

impl KeyholeLaw {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.target.moves()
            || self.direction.as_ref().is_some_and(AttachedDirection::moves)
            || self.slide.as_ref().is_some_and(|slide| slide.by.moves())
    }

    /// Whether another eye is equivalent, whatever their viscosities. Dry friction is a share of the force,
    /// which two eyes share.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        Self { viscosity: other.viscosity, ..self.clone() } == *other
    }

    pub(super) fn count(&self) -> usize {
        if self.direction.is_some() { 5 } else { 3 }
    }

    pub(super) fn own_unknowns(&self) -> [bool; 2] {
        [self.slide.is_none(), self.crossing]
    }

    /// Whether its sliding is imposed.
    pub(super) fn is_imposed(&self) -> bool {
        self.slide.is_some()
    }

    /// Imposed position on the rod at `time`, in units of u.
    pub(super) fn imposed(&self, rod: &Rod, time: f64) -> Option<f64> {
        self.slide.as_ref().map(|slide| {
            let paid_out = slide.of.map_or(0.0, |length| rod.length() - length);
            imposed_place(rod, slide.from + paid_out + slide.by.at(time))
        })
    }

    /// Sets the imposed position to rest arc length `s` at `time`.
    pub(super) fn set_imposed_position(&mut self, s: f64, time: f64) {
        if let Some(slide) = &mut self.slide {
            (slide.from, slide.of) = (s - slide.by.at(time), None);
        }
    }

    /// From now on imposed sliding keeps its distance from the end of the rod, whose rest length is `length`.
    pub(super) fn impose_from_end(&mut self, length: f64) {
        if let Some(slide) = &mut self.slide {
            slide.from += slide.of.map_or(0.0, |before| length - before);
            slide.of = Some(length);
        }
    }

    /// Whether it has dry friction.
    pub(super) fn rubs(&self) -> bool {
        self.friction > 0.0
    }

    /// Radius over which the rod turns, where friction asks for it, m.
    pub(super) fn rubs_over(&self) -> Option<f64> {
        self.radius.filter(|_| self.friction > 0.0)
    }

    pub(super) fn world(&self, time: f64) -> Site {
        self.target.world(time)
    }

    /// Velocity of an eye in the world, m/s.
    pub(crate) fn velocity(&self, time: f64) -> DVec3 {
        self.target.rate(time)
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, time: f64, rows: &mut Rows) {
        rows.push_position(b.x - a.x);
        let [slides, crosses] = self.own_unknowns().map(|own| f64::from(u8::from(own)));
        for (row, (along_a, along_b)) in rows.iter_mut().zip(a.p.to_array().into_iter().zip(b.p.to_array())) {
            row.own = [slides * along_a, -crosses * along_b];
        }
        if let Some(direction) = &self.direction {
            for n in direction.normals(b, time) {
                let along = n.dot(a.t);
                let across = (n - a.t * along) / a.l;
                let ends = [Wrench::slope(across), Wrench::moment(n.cross(a.t))];
                rows.push(Row { own: [slides * across.dot(a.pp), 0.0], ..Row::angle(ends, -along) });
            }
        }
    }

    pub(super) fn curvature(&self, a: &Site, b: &Site, multipliers: &[f64], exact: bool) -> Curvature {
        let force = DVec3::from_slice(&multipliers[..3]);
        let kept = |value: f64| if exact { value } else { value.max(0.0) };
        let [slides, crosses] = self.own_unknowns();
        let mut curvature = Curvature::default();
        for (e, along) in [(0, slides.then_some(-force)), (1, crosses.then_some(force))] {
            let Some(along) = along else { continue };
            curvature.own_own[e] = kept(along.dot([a, b][e].pp));
            if exact {
                curvature.p_own[e] = along;
            }
        }
        curvature
    }

    pub(super) fn non_smooth(
        &self,
        a: &Site,
        b: &Site,
        here: &Circumstances,
        out: &mut impl FnMut(&NonSmoothBlock<'_>),
    ) {
        if self.friction > 0.0 {
            // On each of the rods that slide, with its own part of the force across it.
            for (e, site, first) in [(0, a, FRICTION[0]), (1, b, FRICTION[1])] {
                if self.own_unknowns()[e] {
                    let normal = NormalForce::OfRows { along: site.t };
                    let share = here.turn[e].map_or(self.friction, |turn| on_drum(self.friction, turn));
                    out(&NonSmoothBlock {
                        first,
                        law: BlockLaw::Sliding { friction: share },
                        rows: &[friction(site, e, here.slid[e], normal)],
                    });
                }
            }
        }
        if self.ends == EndOfCurve::Stop {
            if self.slide.is_none() {
                stops(a, 0, here.own[0], here.range[0], STOPS[0], out);
            }
            if self.crossing {
                stops(b, 1, here.own[1], here.range[1], STOPS[1], out);
            }
        }
    }

    /// c |x'|² of the sliding ends.
    pub(super) fn viscosity(&self, a: &Site, b: &Site) -> [f64; 2] {
        [self.viscosity * a.l * a.l, if self.crossing { self.viscosity * b.l * b.l } else { 0.0 }]
    }
}
