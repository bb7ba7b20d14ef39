//! `micado view`: a local server that runs a scene; pages in a browser display it and drag its objects.
//!
//! One thread owns the simulation and steps it in time (`session`); another serves pages and sockets
//! (`server`). `protocol` defines the messages between server and page; `docs/view-protocol.md` explains
//! them.

pub mod client;
mod protocol;
mod server;
mod session;

pub use server::{Options, PORT, ServeError, Server, Show};

/// 128 random bits, in hexadecimal.
fn random_word() -> std::io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
