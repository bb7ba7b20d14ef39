//! The description of a scene: items, settings, probes and actions.
//!
//! A scene file is this in TOML; a Rust program fills the same structs.

mod edit;
pub(crate) mod kinds;
mod quasi;
mod winch;

pub use edit::{ClipAt, Coarsen, Cut, Edit, Named, Refine, Splice};
pub(crate) use edit::{Effect, ItemEdit};
pub use kinds::{Description, Kind};
pub use quasi::QuasiSettings;
pub use winch::{RodEnd, WinchDescription};

use crate::describe::anchor::At;
use crate::describe::signal::Signal;
use crate::describe::units;
use indexmap::IndexMap;
use kinds::{kinds, types::*};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

macro_rules! scene {
    ($($(#[$doc:meta])* $Kind:ident($Description:ident) $word:ident $words:ident {$($edits:tt)*})*) => {
        /// A scene: objects, constraints, loads, settings, probes and actions, all by name.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct Scene {
            /// Title, one line.
            pub title: String,
            /// Description of what to watch, for `micado list` and the gallery.
            #[serde(skip_serializing_if = "String::is_empty")]
            pub description: String,
            /// Settings of the solver.
            pub settings: Settings,
            $(
                $(#[$doc])*
                #[serde(skip_serializing_if = "IndexMap::is_empty")]
                pub $word: IndexMap<String, $Description>,
            )*
            /// Measured quantities.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub probe: Vec<Probe>,
            /// Timed and triggered edits.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub action: Vec<Action>,
            /// Settings of the picture.
            pub picture: Picture,
        }

        impl Scene {
            /// The descriptions of a kind, by name.
            pub fn descriptions(&self, kind: Kind) -> Box<dyn Iterator<Item = (&str, Description<'_>)> + '_> {
                match kind {
                    $(Kind::$Kind => Box::new(
                        self.$word.iter().map(|(name, words)| (name.as_str(), Description::$Kind(words))),
                    ),)*
                }
            }

            /// Number of items of a kind.
            pub fn count(&self, kind: Kind) -> usize {
                match kind {
                    $(Kind::$Kind => self.$word.len(),)*
                }
            }

            /// Whether there is an item of this kind and name.
            pub fn has(&self, kind: Kind, name: &str) -> bool {
                match kind {
                    $(Kind::$Kind => self.$word.contains_key(name),)*
                }
            }

            /// Adds the description of an item.
            ///
            /// # Errors
            /// It is not a description of that kind.
            pub fn describe<'de, D: Deserializer<'de>>(
                &mut self,
                kind: Kind,
                name: &str,
                description: D,
            ) -> Result<(), D::Error> {
                match kind {
                    $(Kind::$Kind => {
                        self.$word.insert(name.to_owned(), $Description::deserialize(description)?);
                    })*
                }
                Ok(())
            }
        }
    };
}
kinds!(all => scene);

impl Scene {
    /// Kind and name of all items, in the order of scene files.
    pub fn names(&self) -> impl Iterator<Item = (Kind, &str)> {
        Kind::ALL.iter().flat_map(|&kind| self.descriptions(kind).map(move |(name, _)| (kind, name)))
    }
}

/// Settings of the solver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Dynamic, static (the equilibrium of every time step), or quasi-dynamic: chosen for every island by the
    /// cost of a step.
    pub mode: Mode,
    /// Simulated time, s.
    #[serde(deserialize_with = "units::time")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("minimum" = 0))]
    pub duration: f64,
    /// Time step, s.
    #[serde(deserialize_with = "units::time")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub step: f64,
    /// Linearised solves per dynamic step: 1 is linearly implicit, more is Newton on the same step. In
    /// explicit steps, the least number of iterations of the projection.
    #[schemars(extend("minimum" = 1, "maximum" = 100))]
    pub solves: usize,
    /// Time integration.
    pub integrator: Integrator,
    /// Second derivative of the energy; `psd` in dynamics and `auto` in statics unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hessian: Option<Hessian>,
    /// Gravity, m/s².
    pub gravity: Signal<[f64; 3]>,
    /// Arithmetic of the kernels.
    pub arithmetic: Arithmetic,
    /// Whether the structure is brought to equilibrium under its loads before the run starts.
    pub settle: bool,
    /// Whether static solves leave an unstable equilibrium along its unstable mode. Otherwise they stay on
    /// the branch on which they are, and report it as unstable.
    #[serde(skip_serializing_if = "Clone::clone")]
    pub leave_unstable: bool,
    /// Settings of the quasi-dynamic mode.
    #[serde(skip_serializing_if = "is_default")]
    pub quasi: QuasiSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: Mode::Dynamic,
            duration: 5.0,
            step: 0.01,
            solves: 1,
            integrator: Integrator::Euler,
            hessian: None,
            gravity: Signal::Constant([0.0, 0.0, -9.81]),
            arithmetic: Arithmetic::Fast,
            settle: false,
            leave_unstable: true,
            quasi: QuasiSettings::default(),
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Dynamic or static.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// With inertia and damping.
    #[default]
    Dynamic,
    /// Equilibrium only; a run with moving targets or loads is a chain of equilibria.
    Static,
    /// Every island of connected objects is dynamic, or quasi-static where its dynamics would take longer
    /// than the simulated time.
    QuasiDynamic,
}

/// Time integration of the dynamic mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// Implicit Euler: first order, damps.
    #[default]
    Euler,
    /// Second-order backward differences: little damping.
    Bdf2,
    /// Symplectic Euler with fast projection, as in the discrete elastic rods paper: forces at the beginning
    /// of the step, angles always in equilibrium, then projection onto all lengths and constraints. All rods
    /// must be `discrete-elastic`, and are inextensible; steps are divided as stability requires.
    Explicit,
}

/// Second derivative of the energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hessian {
    /// Only the part that is a sum of squares.
    GaussNewton,
    /// Gauss–Newton and the stiffening by tension: positive semidefinite.
    #[default]
    Psd,
    /// The exact second derivative.
    Exact,
    /// Exact where the inertia of the factor shows that it is safe, otherwise positive semidefinite.
    Auto,
}

/// Arithmetic of the kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// The fastest available; the same bits on one machine.
    #[default]
    Fast,
    /// The same bits on every machine.
    Portable,
}

/// A quantity that is measured during the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Name of the column, plot and JSON field.
    pub name: String,
    /// Rod, mass, constraint, spring or winch, by name; `"world"` for totals.
    pub of: String,
    /// Place on a rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// Measured quantity.
    pub read: Quantity,
    /// Component of a vector; its norm unless given.
    #[serde(default)]
    pub component: Component,
}

/// Quantities of probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Position of a place on a rod or of a mass, m (vector).
    Position,
    /// Velocity, m/s (vector).
    Velocity,
    /// Unit tangent of a rod, or of the rod where a constraint holds it (vector).
    Tangent,
    /// Director m₁ of a rod, or of the frame of a pearl or an eye (vector).
    Director,
    /// Mean stretch of the segment at a place of a rod.
    Stretch,
    /// Tension of a rod at a place, at a winch, or of a spring or distance constraint, N; positive pulls.
    Tension,
    /// Bending moment of a rod, N·m (vector in world axes).
    BendingMoment,
    /// Curvature of a rod, 1/m.
    Curvature,
    /// Bend radius of a rod, m.
    BendRadius,
    /// Least bend radius along a whole rod, m.
    LeastBendRadius,
    /// Rest arc length at which an eye, a pearl or a clip sits on its rod, m.
    Place,
    /// Whether a clip holds: 1, or 0 while it is open.
    Held,
    /// Load of a clip as a share of its strength; 0 without a limit.
    StrengthUsed,
    /// Force of an eye on its rod along it, N: the drive of imposed sliding, or friction; positive towards
    /// the rod's end.
    Drive,
    /// Force with which a pearl pushes the next one on its rod, N.
    Contact,
    /// Twisting torque of a rod, N·m.
    Torque,
    /// Twist of a rod, rad/m.
    Twist,
    /// Present length of a rod or spring, m; rest length that a winch has paid out.
    Length,
    /// Force of a constraint or spring on its object, N (vector in world axes).
    Force,
    /// Moment of a constraint or spring on its object, N·m (vector in world axes).
    Moment,
    /// Violation of a constraint, m or rad.
    Residual,
    /// Kinetic energy of an object or the world, J.
    KineticEnergy,
    /// Elastic energy of a rod, a spring or the world, J.
    ElasticEnergy,
    /// Stretching energy of a rod or the world, J.
    StretchEnergy,
    /// Bending energy of a rod or the world, J.
    BendEnergy,
    /// Twisting energy of a rod or the world, J.
    TwistEnergy,
    /// Potential energy in gravity, J.
    GravityEnergy,
    /// Sum of kinetic, elastic and gravity energy, J.
    TotalEnergy,
}

impl Quantity {
    /// Unit of the quantity; empty if dimensionless.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Position | Self::Length | Self::Place | Self::BendRadius | Self::LeastBendRadius => "m",
            Self::Velocity => "m/s",
            Self::Tangent | Self::Director | Self::Stretch | Self::Held | Self::StrengthUsed => "",
            Self::Tension | Self::Force | Self::Contact | Self::Drive => "N",
            Self::BendingMoment | Self::Torque | Self::Moment => "N·m",
            Self::Curvature => "1/m",
            Self::Twist => "rad/m",
            Self::Residual => "m or rad",
            Self::KineticEnergy
            | Self::ElasticEnergy
            | Self::StretchEnergy
            | Self::BendEnergy
            | Self::TwistEnergy
            | Self::GravityEnergy
            | Self::TotalEnergy => "J",
        }
    }
}

/// Component of a vector quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Component {
    /// Along x.
    X,
    /// Along y.
    Y,
    /// Along z.
    Z,
    /// Length of the vector.
    #[default]
    Norm,
}

/// An edit that is applied once: at a time, or when a probe crosses a value; with both, when it does so at or
/// after that time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// At this time, s.
    #[serde(default, deserialize_with = "units::optional_time", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("minimum" = 0))]
    pub at: Option<f64>,
    /// When a probe crosses a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Trigger>,
    /// The edit.
    #[serde(rename = "do")]
    pub edit: Edit,
}

/// A probe that crosses a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trigger {
    /// Name of the probe.
    pub probe: String,
    /// Fires when the probe is above this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// Fires when the probe is below this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
}

/// Settings of the picture of a scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Picture {
    /// Quantity that colours the rods.
    pub colour: ColourBy,
    /// Direction of view; chosen by the shape unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_from: Option<[f64; 3]>,
}

/// Quantity that colours rods in pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ColourBy {
    /// Tension, N.
    #[default]
    Tension,
    /// Curvature, 1/m.
    Curvature,
    /// Bending moment, N·m.
    BendingMoment,
    /// Torque, N·m.
    Torque,
    /// Speed, m/s.
    Speed,
}
