//! One file per command.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod list;
pub(crate) mod modes;
pub(crate) mod schema;
pub(crate) mod validate;
