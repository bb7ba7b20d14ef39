//! The viewer, tested through its sockets.

mod common;
mod hands;
mod pages;
mod protocol;
mod recording;
mod session;
