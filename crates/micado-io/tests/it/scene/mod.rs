//! Scene files: what is read, what is refused and in which words, and that nothing makes the reader panic.

mod common;
mod mutations;
mod reading;
mod refusals;
