//! Real time: steps against the clock on a thread of their own, and hands on constraints from other threads.
//!
//! ```no_run
//! use micado::run::realtime::{Hand, RealTime};
//! # let scene = micado::scene::Scene::default();
//! let simulation = micado::run::Simulation::build(&scene)?;
//! let (mut hand, end) = Hand::on(simulation.world(), "hand")?;
//! let driver = RealTime::start(simulation, vec![end]);
//! for k in 0..1000 {
//!     hand.move_to([0.0, 0.0, 1e-3 * f64::from(k)], [0.0; 3]);
//!     let felt = hand.feel().force;
//! }
//! let (simulation, punctuality) = driver.stop();
//! # Ok::<(), micado::error::BuildError>(())
//! ```

mod cell;
mod driver;
mod hand;
mod pacer;
mod target;

pub use driver::{Frame, RealTime, make_step, step};
pub use hand::{Hand, HandEnd, Touch};
pub use pacer::{Lateness, Pacer, Punctuality};
