//! Micado: ropes, cables, threads and elastic rods under hard constraints, in linear time.
//!
//! A [`Scene`](scene::Scene) is a description; a [`Simulation`](run::Simulation) builds and steps it. A
//! [`World`](world::World) is structure and state, and [`step`] solves one linear system per step.
//!
//! ```
//! use micado::clock::NoClock;
//! use micado::scene::Scene;
//! use micado::run::Simulation;
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

pub mod clock;
pub mod constraint;
pub mod contact;
pub mod custom;
pub mod describe;
pub mod edit;
pub mod error;
pub mod geometry;
pub mod law;
pub mod load;
pub mod object;
pub mod run;
pub mod scene;
pub mod short;
pub mod step;
pub mod world;

/// The linear algebra underneath.
pub use micado_linalg as linalg;
