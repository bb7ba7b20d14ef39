//! Runs: a simulation with probes and actions, its events, its dry run, and real time.

mod cause;
mod dry_run;
mod event;
#[cfg(test)]
mod event_tests;
mod event_text;
mod journal;
pub mod realtime;
mod remark;
mod simulation;

pub use crate::edit::{Slip, StopReason, StoppedWinch};
pub use cause::{Cause, Culprit, Miss, Missed, Part};
pub use event::{Condition, EditSummary, Event, EventKind, Rows, TightTurn};
pub use remark::Remark;
pub use simulation::*;
