//! Cables of Micado on bodies that Rapier steps.
//!
//! [`Cables`] simulates rods, and gives their impulses to the bodies of a `RigidBodySet` before Rapier steps
//! them. It needs no changes in Rapier.
//!
//! ```
//! use micado_rapier::{At, Cables, Hold, Scene};
//! use rapier3d_f64::prelude::*;
//!
//! let mut world = PhysicsWorld::default();
//! world.gravity = Vector::new(0.0, 0.0, -9.81);
//! let (hook, _) = world.insert(
//!     RigidBodyBuilder::dynamic().translation(Vector::new(2.0, 0.0, 0.0)),
//!     ColliderBuilder::cuboid(0.1, 0.1, 0.1).density(2000.0),
//! );
//!
//! let scene: Scene = serde_json::from_str(r#"{
//!     "rod": { "rope": { "shape": { "line": { "from": [0, 0, 0], "to": [2, 0, 0] } },
//!                        "radius": 0.005, "young": 1e9, "density": 1200 } },
//!     "constraint": { "top": { "position": { "on": "rope", "at": "start" } } }
//! }"#)?;
//! let mut cables = Cables::new(&scene, world.integration_parameters.dt)?;
//! cables.attach(&world.bodies, "rope", At::END, hook, Hold::ball([0.0; 3]))?;
//! for _ in 0..60 {
//!     cables.step(world.gravity, &world.integration_parameters, &mut world.bodies)?;
//!     world.step();
//! }
//! assert!(world.bodies[hook].translation().length() < 2.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cables;
mod error;
mod hold;
mod mirror;

pub use cables::Cables;
pub use error::Error;
pub use hold::{Hold, Scheme};
pub use micado::describe::anchor::At;
pub use micado::scene::Scene;
