//! Micado: ropes, cables, threads and elastic rods under hard constraints, in linear time.
//!
//! A [`Scene`](scene::Scene) describes what exists; a [`Simulation`](simulation::Simulation) builds and steps
//! it. Underneath, a [`World`](world::World) is structure and state, and [`step`] is one linear system per
//! step.
//!
//! ```
//! use micado::clock::NoClock;
//! use micado::scene::Scene;
//! use micado::simulation::Simulation;
//!
//! let scene: Scene = serde_json::from_str(r#"{
//!     "rod": { "cable": { "radius": 0.004, "young": 2e7, "density": 1200 } },
//!     "constraint": { "left": { "clamp": { "on": "cable", "at": "start" } } },
//!     "probe": [ { "name": "tip", "of": "cable", "at": "end", "read": "position", "component": "z" } ],
//!     "settings": { "duration": 1.0 }
//! }"#)?;
//! let mut simulation = Simulation::build(&scene)?;
//! while !simulation.finished() {
//!     simulation.step(&NoClock);
//! }
//! assert!(simulation.probe_values()[0] < -0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod anchor;
mod attach_constraints;
mod attach_loads;
pub mod body;
pub mod clips;
pub mod clock;
pub mod constraint;
mod copies;
pub mod cut;
pub mod edit;
pub mod error;
mod event;
mod explicitly;
pub mod geometry;
mod identity;
mod islands;
pub mod law;
pub mod load;
pub mod material;
pub mod object;
pub mod observe;
pub mod present;
pub mod quasi;
pub mod realtime;
pub mod refine;
mod rehearsal;
mod relocate;
mod resolution;
pub mod rod;
pub mod scene;
pub mod signal;
pub mod simulation;
pub mod snapshot;
pub mod splice;
pub mod state;
pub mod step;
pub mod units;
pub mod winch;
pub mod world;

/// The linear algebra underneath.
pub use micado_linalg as linalg;
