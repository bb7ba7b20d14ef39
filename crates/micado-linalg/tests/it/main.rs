//! The linear algebra: solutions, pivots, orders, memory.

mod common;
mod no_allocation;
mod pivots;
mod random_patterns;
mod solution;
