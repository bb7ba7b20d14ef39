//! Split: divides a block into components that hold and components whose force is given.
//!
//! Every law is `f = P(f − ρδ)` with the projection P on its allowed forces and any ρ > 0. Its derivative
//! splits the rows of the block, in an orthonormal basis, into components that *hold*, δ + s f = 0 with s ≥
//! 0, and components whose force is *given*, at its bound. Inside the bounds all components hold with s = 0.
//! On a ball of radius r about zero, with τ = f − ρδ, f = r τ/|τ|: the force along τ is given, and across it
//! `(|τ| − r) f + ρ r δ = 0`. A bound μ|n| is given by the present normal force and follows it.

use super::{BlockLaw, ball};

/// Most rows of a block that is split.
pub(super) const MOST_ROWS: usize = 3;

/// A component of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Component {
    /// Its direction in the rows of the block.
    pub(super) axis: [f64; MOST_ROWS],
    pub(super) state: ComponentState,
}

/// Whether a component holds, or its force is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ComponentState {
    /// δ + s f = 0.
    Holds {
        /// s, m/N
        softness: f64,
    },
    /// The force is given, N.
    Given(f64),
}

const HOLDS: ComponentState = ComponentState::Holds { softness: 0.0 };
const AXES: [[f64; MOST_ROWS]; MOST_ROWS] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl BlockLaw {
    /// Splits a block with forces f and displacements δ. `w` is its compliance, 1/ρ, and `normal` the
    /// magnitude of the normal force.
    pub(super) fn split(
        &self,
        f: &[f64],
        delta: &[f64],
        w: f64,
        normal: f64,
        mut out: impl FnMut(Component),
    ) {
        let rows = self.rows();
        let mut one = |axis: usize, state| out(Component { axis: AXES[axis], state });
        if w <= 0.0 {
            // No force can move such a block.
            (0..rows).for_each(|a| one(a, ComponentState::Given(0.0)));
            return;
        }
        let trial = f[0] - delta[0] / w;
        let within = |least: f64, most: f64| {
            if trial <= least {
                ComponentState::Given(least)
            } else if trial >= most {
                ComponentState::Given(most)
            } else {
                HOLDS
            }
        };
        match *self {
            Self::Unilateral => one(0, within(0.0, f64::INFINITY)),
            Self::Bounded { least, most } => one(0, within(least, most)),
            Self::Sliding { friction } => one(0, within(-friction * normal, friction * normal)),
            Self::Ball { most, .. } => on_ball(0, rows, most, f, delta, w, out),
            // Elliptic cones need visits, and are never split.
            Self::Coulomb { friction: [friction, _] } => {
                if trial <= 0.0 {
                    (0..rows).for_each(|a| one(a, ComponentState::Given(0.0)));
                } else {
                    one(0, HOLDS);
                    on_ball(1, rows, friction * f[0].max(0.0), f, delta, w, out);
                }
            }
            // They need visits, and are never split.
            Self::Bilateral { .. } | Self::Custom(_) => {}
        }
    }
}

/// Splits the rows from `first` on, whose forces are within a ball.
fn on_ball(
    first: usize,
    rows: usize,
    most: f64,
    f: &[f64],
    delta: &[f64],
    w: f64,
    mut out: impl FnMut(Component),
) {
    let mut along = [0.0; MOST_ROWS];
    (first..rows).for_each(|a| along[a] = f[a] - delta[a] / w);
    let length = ball::norm(&along);
    if length <= most {
        (first..rows).for_each(|a| out(Component { axis: AXES[a], state: HOLDS }));
        return;
    }
    if most <= 0.0 {
        (first..rows).for_each(|a| out(Component { axis: AXES[a], state: ComponentState::Given(0.0) }));
        return;
    }
    along.iter_mut().for_each(|along| *along /= length);
    out(Component { axis: along, state: ComponentState::Given(most) });
    let state = ComponentState::Holds { softness: (length - most) / most * w };
    across(along, first, rows, |axis| out(Component { axis, state }));
}

/// An orthonormal basis across a unit vector in the rows from `first` on.
fn across(along: [f64; MOST_ROWS], first: usize, rows: usize, mut out: impl FnMut([f64; MOST_ROWS])) {
    match rows - first {
        0 | 1 => {}
        2 => {
            let mut axis = [0.0; MOST_ROWS];
            (axis[first], axis[first + 1]) = (-along[first + 1], along[first]);
            out(axis);
        }
        _ => {
            let (a, b) = glam::DVec3::from_array(along).any_orthonormal_pair();
            out(a.to_array());
            out(b.to_array());
        }
    }
}
