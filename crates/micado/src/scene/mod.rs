//! The description of a scene: items, settings, probes and actions.
//!
//! A scene file is this in TOML; a Rust program fills the same structs.

mod contact;
mod edit;
pub(crate) mod kinds;
mod quasi;
mod registry;
mod scenery;
mod solves;
mod swept;
mod winch;

pub use contact::{ALL, ContactMaterial, ContactPair, ContactSettings, FLOOR, Floor, Friction, Radius};
pub use edit::{ClipAt, Coarsen, Cut, Edit, Named, Refine, Splice};
pub(crate) use edit::{Effect, ItemEdit, SortedEdit};
pub use kinds::{Description, Kind};
pub use quasi::QuasiSettings;
pub use registry::Registry;
pub use scenery::SceneryDescription;
pub use solves::Solves;
pub use swept::{ConstraintMethod, SweepSettings};
pub use winch::{RodEnd, WinchDescription};

pub use crate::describe::quantity::{Component, Quantity};

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
            /// The ground on which everything may lie: true for a plane at z = 0, or the height of the plane,
            /// m. Objects then touch each other as well, as with `contact`.
            #[serde(deserialize_with = "contact::floor", skip_serializing_if = "Option::is_none")]
            pub floor: Option<Floor>,
            /// Contact between the surfaces of objects; without it and without a floor nothing touches.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub contact: Option<ContactSettings>,
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

            /// Removes all items of a kind.
            pub fn clear(&mut self, kind: Kind) {
                match kind {
                    $(Kind::$Kind => self.$word.clear(),)*
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
    /// Linearised solves per dynamic step: `"auto"` makes as many as the step needs; 1 is linearly implicit,
    /// as in the papers, and more is Newton on the same step. In explicit steps, the least number of
    /// iterations of the projection.
    pub solves: Solves,
    /// Time integration.
    pub integrator: Integrator,
    /// Second derivative of the energy; `psd` in dynamics and `auto` in statics unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hessian: Option<Hessian>,
    /// Method for bilateral constraints in dynamic steps: factored together with the objects, or swept for
    /// comparison.
    #[serde(skip_serializing_if = "is_default")]
    pub constraints: ConstraintMethod,
    /// Limits of the sweeps with `constraints = "swept"`.
    #[serde(skip_serializing_if = "is_default")]
    pub sweeps: SweepSettings,
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
            solves: Solves::Auto,
            integrator: Integrator::Euler,
            hessian: None,
            constraints: ConstraintMethod::Factored,
            sweeps: SweepSettings::default(),
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
    /// The other object of contacts, by name, all of them unless given; the other rod of a linking number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Measured quantity.
    pub read: Quantity,
    /// Component of a vector; its norm unless given.
    #[serde(default)]
    pub component: Component,
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
