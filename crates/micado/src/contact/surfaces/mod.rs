//! Contacts of surfaces: of rods, masses and bodies with each other and with fixed bodies.
//!
//! Contacts are found once per substep, at its beginning, with a reach that grows with the expected motion
//! (`reach.rs`). Places, normal n and directions keep their values of the beginning in all solves of the
//! substep, and rows are linear in the increment Δ since then:
//!
//! ```text
//! g = g₀ + n·(Δy_A − Δy_B)               0 ≤ f_n ⊥ max(g₀, 0) + (g − g₀) ≥ 0
//! δ_T = ξ + T·(ẏ_A − ẏ_B)/c₁             |f_T| ≤ μ f_n
//! ```
//!
//! y are the points of both surfaces, n points from B to A, ẏ is the velocity of the scheme, c₁ its gain (1/h
//! with Euler), and ξ the displacement since the contact began to stick, so that rounding and sweeps that end
//! early do not add up to creep. An overlap at the beginning causes no velocity:
//! `step/non_smooth/penetration.rs` removes it.
//!
//! An object that is struck in the substep may move farther than its reach: `farther.rs`.
//!
//! The contacts of two substeps are the same if they are nearest to each other (`matching.rs`); then forces
//! and ξ continue as vectors of the world.

mod bounds;
mod farther;
mod find;
mod matching;
mod passages;
mod reach;
mod shapes;
mod sides;
mod touch;

pub(crate) use bounds::Groups;
pub(crate) use find::AtEnd;
pub(super) use find::Surfaces;
pub(crate) use passages::Count;
pub use passages::Passed;
