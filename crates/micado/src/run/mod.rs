//! Runs: a simulation with probes and actions, its events, its trial before the start, and real time.

mod dry_run;
mod event;
pub mod realtime;
mod simulation;

pub use event::Event;
pub use simulation::*;
