//! Custom laws, constraints and forces: traits that a program implements to add its own kinds.
//!
//! A program implements a trait, registers it by name, and builds scenes with the registry:
//!
//! | trait | in a scene | returns |
//! |---|---|---|
//! | [`CustomLaw`] | `[constraint.NAME.law]` | the forces of a block of one to six rows, visit by visit |
//! | [`CustomConstraint`] | `[constraint.NAME.custom]` | rows g and J at two places, and non-smooth blocks |
//! | [`CustomForce`] | `[spring.NAME.custom]` | forces and moments at two places, stiffness and damping |
//!
//! Their memory is state of the world: snapshots contain it, and a refused step leaves it unchanged.
//! `docs/extending.md` and the example `custom` show all three.
//!
//! ```
//! use micado::custom::{CustomLaw, Local, Parameters, Registry};
//! use micado::run::Simulation;
//!
//! /// Opposes any motion δ along one direction with a force of at most `most`.
//! #[derive(Debug)]
//! struct Brake {
//!     most: f64,
//! }
//!
//! impl CustomLaw for Brake {
//!     fn rows(&self) -> usize {
//!         1
//!     }
//!
//!     /// δ = w f + k: the force that stops the motion, limited to `most`.
//!     fn solve(&self, local: &Local<'_>, f: &mut [f64], _memory: &mut [f64]) {
//!         f[0] = (-local.k[0] / local.w[0]).clamp(-self.most, self.most);
//!     }
//! }
//!
//! let registry = Registry::new().law("brake", |given: &Parameters| {
//!     given.only(&["most"])?;
//!     Ok(Brake { most: given.positive("most")? })
//! });
//! let scene = serde_json::from_str(r#"{
//!     "mass": { "cart": { "mass": 2, "position": [0, 0, 0], "velocity": [1, 0, 0] } },
//!     "constraint": { "brake": { "law": {
//!         "kind": "brake", "on": "cart", "directions": [[1, 0, 0]], "parameters": { "most": 4 } } } },
//!     "probe": [ { "name": "x", "of": "cart", "read": "velocity", "component": "x" } ],
//!     "settings": { "duration": 0.25, "gravity": [0, 0, 0] }
//! }"#)?;
//! let mut simulation = Simulation::build_with(&scene, &registry)?;
//! while !simulation.finished() {
//!     simulation.step(&micado::clock::NoClock);
//! }
//! // v − F t / m
//! assert!((simulation.probe_values()[0] - 0.5).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::constraint::{
    Curvature, CustomConstraint, ENDS, EndStiffness, MAX_MEMORY, MAX_PUSHES, MAX_ROWS, NonSmoothBlock,
    NonSmoothRow, Row, Rows, Site, Wrench,
};
pub use crate::describe::parameters::Parameters;
pub use crate::error::BuildError;
pub use crate::law::{BlockLaw, CustomLaw, Local, MAX_BLOCK, SharedLaw};
pub use crate::load::{CustomForce, FORCE_SCALARS, ForceAction, ForceEnd};
pub use crate::object::CrossStiffness;
pub use crate::scene::Registry;
