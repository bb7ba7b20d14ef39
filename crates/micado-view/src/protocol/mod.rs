//! What goes over the socket, as `docs/view-protocol.md` has it: requests and messages in JSON, frames in
//! binary.

mod message;
mod request;
mod shot;

pub(crate) use message::{
    ConstraintRow, Energies, EventRow, MarkerRow, Modes, Named, ObjectRow, ProbeRow, Scene, Span, StageTime,
    Status, Table, Trouble, WinchRow, channel_index, hello, text,
};
pub(crate) use request::{Export, Grab, How, Inspect, Open, Poke, Problem, Request, read};
pub(crate) use shot::{Events, Numbered, Shot, single};
