//! One file per command.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod experiments;
pub(crate) mod export;
pub(crate) mod list;
pub(crate) mod matrix;
mod mode_shapes;
pub(crate) mod modes;
pub(crate) mod schema;
pub(crate) mod validate;
#[cfg(feature = "viewer")]
pub(crate) mod view;
