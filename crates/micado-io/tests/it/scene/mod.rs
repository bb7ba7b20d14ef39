//! Scene files: valid ones, errors and their messages, and robustness against any text.

mod common;
mod meshes;
mod mutations;
mod reading;
mod refusals;
mod remarks;
