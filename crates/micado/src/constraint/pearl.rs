//! Pearl: a mass that slides on a rod.
//!
//! Strong coupling: Δx_p = Σ bᵢ(u) Δxᵢ + x'(u) Δu, no row and no multiplier. With the columns {bᵢ I, x'} it
//! adds `c₀ m colᵀcol` to the matrix and `col·(m v_p/h + m g + f)` to the right side, and viscous friction c
//! |x'|² to (u, u). v_p is the linearised Δx_p over h, so that momentum is kept to rounding. Dry friction is
//! at most μ times the part of its forces and inertia across the rod. Weak coupling (the paper's): u is
//! solved separately, `(m c₀ |x'|² + c |x'|²/h) Δu = x'·F`, and the rod feels the force across it and the
//! viscous drag, `(I − ttᵀ) f + c ṡ t`, but no inertia, dry friction or contact. It suits pearls that are
//! light compared with their rod. For contacts of neighbours see `contact/pearls.rs`.

use super::{
    Circumstances, EndDescription, EndOfCurve, NonSmoothBlock, NormalForce, Site, SlidingMass, friction,
    stops,
};
use crate::describe::anchor::At;
use crate::describe::signal::Signal;
use crate::describe::units;
use crate::error::{BuildError, check};
use crate::law::BlockLaw;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mass that slides on a rod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pearl {
    /// Rod, by name.
    pub on: String,
    /// Where on the rod it begins.
    pub at: At,
    /// Mass, kg.
    #[serde(deserialize_with = "units::mass")]
    #[schemars(with = "units::QuantityInput")]
    pub mass: f64,
    /// Radius, m: the distance of neighbours is at least the sum of their radii; 0 unless given.
    #[serde(default, deserialize_with = "units::optional_length", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub radius: Option<f64>,
    /// Viscous friction, N·s/m.
    #[serde(default)]
    pub viscosity: f64,
    /// Dry friction: share of the force across the rod.
    #[serde(default)]
    pub friction: f64,
    /// Coefficient of restitution: separation speed after a shock over closing speed.
    #[serde(default)]
    pub restitution: f64,
    /// Force on it, N, world axes, in addition to its weight.
    #[serde(default)]
    pub force: Signal<[f64; 3]>,
    /// Initial speed along the rod, m/s.
    #[serde(default)]
    pub speed: f64,
    /// Behaviour at the ends of the rod.
    #[serde(default)]
    pub ends: EndOfCurve,
    /// Motion that its director follows, for read-outs.
    #[serde(default)]
    pub frame: PearlFrame,
    /// Which of its forces the rod feels in a dynamic step.
    #[serde(default)]
    pub coupling: Coupling,
}

/// Which forces of a pearl the rod feels in a dynamic step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Coupling {
    /// All of them: rod and pearl are solved together.
    #[default]
    Strong,
    /// Its weight and forces across the rod and its viscous drag, but no inertia, dry friction or contact
    /// with other pearls: as in the papers, for pearls of at most a tenth of the rod's mass.
    Weak,
}

/// Motion that the frame of a pearl follows. Its first axis is the tangent of the rod at the pearl.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PearlFrame {
    /// The tangent only: the director is transported without spin about it.
    #[default]
    Tangent,
    /// The roll of the rod too: the director is the rod's m₁ at the pearl.
    Roll,
}

/// A pearl of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PearlLaw {
    /// Mass, kg.
    pub mass: f64,
    /// Radius, m.
    pub radius: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Behaviour at the ends of the rod.
    pub ends: EndOfCurve,
    /// Motion that its director follows.
    pub frame: PearlFrame,
    /// Which of its forces the rod feels.
    pub coupling: Coupling,
    viscosity: f64,
    friction: f64,
    force: Signal<[f64; 3]>,
}

/// Index of the friction row among the non-smooth rows of a pearl, and of its first stop.
const FRICTION: usize = 0;
const STOPS: usize = 1;

impl Pearl {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        [EndDescription::Sliding { on: &self.on, at: self.at, slide: None }, EndDescription::World]
    }

    pub(super) fn build(&self) -> Result<PearlLaw, BuildError> {
        check::positive("mass", self.mass)?;
        let radius = check::not_negative("radius", self.radius.unwrap_or(0.0))?;
        check::not_negative("viscosity", self.viscosity)?;
        check::not_negative("friction", self.friction)?;
        check::not_negative("restitution", self.restitution)?;
        check::finite("speed", self.speed)?;
        self.force.check("force")?;
        if self.restitution > 1.0 {
            return Err(BuildError::new(
                "restitution",
                format!("{} would create energy", self.restitution),
                "give a share between 0 and 1",
            ));
        }
        Ok(PearlLaw {
            mass: self.mass,
            radius,
            restitution: self.restitution,
            ends: self.ends,
            frame: self.frame,
            coupling: self.coupling,
            viscosity: self.viscosity,
            friction: self.friction,
            force: self.force.clone(),
        })
    }
}

impl PearlLaw {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.force.moves()
    }

    pub(super) fn sliding_mass(&self) -> SlidingMass<'_> {
        SlidingMass { mass: self.mass, radius: self.radius, coupling: self.coupling, force: &self.force }
    }

    /// Whether it has dry friction.
    pub(super) fn rubs(&self) -> bool {
        self.friction > 0.0
    }

    pub(super) fn viscosity(&self, a: &Site) -> [f64; 2] {
        [self.viscosity * a.l * a.l, 0.0]
    }

    pub(super) fn non_smooth(
        &self,
        a: &Site,
        here: &Circumstances,
        out: &mut impl FnMut(&NonSmoothBlock<'_>),
    ) {
        if self.friction > 0.0 {
            let normal = NormalForce::OfBody { along: a.t, force: here.force, inertia: here.inertia };
            out(&NonSmoothBlock {
                first: FRICTION,
                law: BlockLaw::Sliding { friction: self.friction },
                rows: &[friction(a, 0, here.slid[0], normal)],
            });
        }
        if self.ends == EndOfCurve::Stop {
            stops(a, 0, here.own[0], here.range[0], STOPS, out);
        }
    }
}
