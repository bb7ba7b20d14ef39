//! Everything that the engine claims, as statements of physics.

#![expect(clippy::needless_pass_by_value, reason = "scenes are written where they are given to a helper")]

mod actions;
mod allocation;
mod arms;
mod bodies;
mod clips;
mod closed_chains;
mod common;
mod conformance;
mod conformance_pairs;
mod constraint_derivatives;
mod contact;
mod contacts;
mod corners;
mod custom;
mod cut;
mod cut_models;
mod determinism;
mod duplicates;
mod dynamics;
mod explicit;
mod friction_cost;
mod gauges;
mod handles;
mod inextensible;
mod initial_stretch;
mod invariants;
mod live_changes;
mod mirror;
mod modes;
mod names;
mod non_smooth;
mod quasi_dynamic;
mod quasi_strength;
mod realtime;
mod refine;
mod relative;
mod resolution;
mod right_by_default;
mod robustness;
mod rod_derivatives;
mod rod_grid;
mod rod_kernel;
mod rod_models;
mod rooms;
mod scale;
mod scenery;
mod scenes_fuzz;
mod sliding;
mod sliding_by_default;
mod splice;
mod statics;
mod statics_by_default;
mod threads;
mod winch;

/// Counts per thread, so that no test sees what another one allocates.
#[global_allocator]
static COUNTING: common::counting::Counting = common::counting::Counting;
