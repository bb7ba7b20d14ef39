//! The description of a winch.

use crate::describe::signal::{Signal, measured};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pays a rod out, or reels it in, at one of its ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WinchDescription {
    /// Rod, by name.
    pub on: String,
    /// The end on the winch.
    #[serde(default)]
    pub at: RodEnd,
    /// Rest length paid out in time, m; only its change since the winch was added counts. A decrease reels
    /// in.
    #[serde(deserialize_with = "measured::length")]
    #[schemars(with = "measured::MeasuredInput")]
    pub pay_out: Signal<f64>,
}

/// An end of a rod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RodEnd {
    /// Its start.
    #[default]
    Start,
    /// Its end.
    End,
}
