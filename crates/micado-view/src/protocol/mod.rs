//! The messages of the socket: requests, answers and messages in JSON, frames in binary. This is their only
//! definition: `typescript` generates the types and the layout for the page, and `docs/view-protocol.md`
//! explains them.

mod answer;
mod frame;
mod layout;
mod message;
mod request;
mod shot;
mod table;
#[cfg(test)]
mod typescript;

pub(crate) use answer::{
    Answer, Card, Done, Exported, Hand, ModeShape, Pattern, Problem, ReadValue, Reading, Undone,
};
pub(crate) use frame::{Array, Head, NO_CHANNEL, PLAYING};
pub use frame::{ConstraintNumbers, ContactNumbers, GaugeNumbers, LoadNumbers, SpringNumbers};
pub(crate) use layout::{Record, Value};
pub(crate) use message::{
    EventRow, Hello, Message, Modes, Scene, Span, StageTime, Status, Surface, Trouble, channel_index,
};
pub(crate) use request::{Export, Grab, How, Inspect, Open, Poke, Request, read};
pub(crate) use shot::{Events, Numbered, Shot};
pub(crate) use table::Table;
