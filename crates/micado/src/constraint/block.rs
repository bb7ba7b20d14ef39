//! Block: holds one to six chosen directions between two places, or between a place and the world.
//!
//! n₁, n₂, n₃ are the axes of the second end (of the world, if that end is in the world), d = y_A − y_B, C₀ =
//! F_Bᵀ F_A when joined, and cᵢ the directions on A that were nᵢ when joined:
//!
//! ```text
//! displacement i        nᵢ·d = its value when joined                 1 row each
//! three rotations       nᵢ·log(F_A (F_B C₀)ᵀ) = 0                    3 rows
//! two rotations, k free c_k·nᵢ = c_k·nⱼ = 0: a hinge about n_k       2 rows
//! one rotation k        cᵢ·nⱼ = 0, (i, j, k) cyclic: a cross         1 row
//! ```
//!
//! Displacements come first, then rotations, each in the order x, y, z. Multipliers: forces, N, and moments,
//! N·m, on A; the opposite acts on B. The curvature is that of joints (`joint/law_curvature.rs`).

use super::joint::law_curvature::{add_across, add_along, add_turn};
use super::plane::row as along;
use super::{Curvature, EndDescription, FrameNeed, Row, Rows, Site, Wrench};
use crate::describe::anchor::{Anchor, At};
use crate::error::BuildError;
use crate::geometry::rotation::{cross_matrix, log};
use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Holds chosen directions between two places. Multipliers: forces, N, then moments, N·m, on the first, along
/// the axes of the second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Object, by name.
    pub on: String,
    /// Place on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// From that place to the held point, m, in the frame of the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<[f64; 3]>,
    /// The other place, which gives the axes; the world unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
    /// One to six directions: displacements `x`, `y`, `z` along the axes of the other place, rotations `rx`,
    /// `ry`, `rz` about them. Each keeps its present value.
    pub hold: Vec<Direction>,
}

/// A direction of motion between two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Displacement along the first axis.
    X,
    /// Displacement along the second axis.
    Y,
    /// Displacement along the third axis.
    Z,
    /// Rotation about the first axis.
    Rx,
    /// Rotation about the second axis.
    Ry,
    /// Rotation about the third axis.
    Rz,
}

/// A block, ready to be evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockHold {
    /// Whether each displacement and each rotation is held.
    held: [[bool; 3]; 2],
    /// The point of the second end, if that is in the world.
    point: [f64; 3],
    /// F_Bᵀ d when joined, m.
    away: [f64; 3],
    /// C₀ = F_Bᵀ F_A
    start: DMat3,
}

/// Rows on rotations.
enum Turns {
    None,
    /// c_i·n_j for these pairs (i, j).
    Across([Option<[usize; 2]>; 2]),
    /// The logarithm, for all three.
    All,
}

impl Block {
    fn turns(&self) -> bool {
        self.hold.iter().any(|direction| *direction as usize >= 3)
    }

    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        let [first, second] =
            if self.turns() { [FrameNeed::Yes, FrameNeed::Yes] } else { [FrameNeed::No, FrameNeed::IfAny] };
        [
            EndDescription::Place { on: &self.on, at: self.at, arm: self.arm, frame: first },
            EndDescription::other(self.to.as_ref(), second),
        ]
    }

    pub(super) fn build(&self, a: &Site, b: &Site) -> Result<BlockHold, BuildError> {
        if self.hold.is_empty() {
            let remedy = "name one to six of `x`, `y`, `z`, `rx`, `ry`, `rz`";
            return Err(BuildError::new("hold", "no direction is held", remedy));
        }
        let mut held = [[false; 3]; 2];
        for (k, direction) in self.hold.iter().enumerate() {
            let one = &mut held[*direction as usize / 3][*direction as usize % 3];
            if *one {
                let path = format!("hold[{k}]");
                return Err(BuildError::new(path, "this direction is named twice", "name each once"));
            }
            *one = true;
        }
        // The end in the world is at the first place.
        let point = if self.to.is_some() { b.x } else { a.x };
        Ok(BlockHold {
            held,
            point: point.to_array(),
            away: (b.frame().transpose() * (a.x - point)).to_array(),
            start: b.frame().transpose() * a.frame(),
        })
    }
}

impl BlockHold {
    /// Whether it changes in time.
    #[expect(clippy::unused_self, reason = "all laws have this method")]
    pub(super) fn moves(&self) -> bool {
        false
    }

    pub(super) fn count(&self) -> usize {
        self.held.iter().flatten().filter(|held| **held).count()
    }

    /// Whether it holds a displacement.
    pub(super) fn holds_position(&self) -> bool {
        self.held[0].contains(&true)
    }

    pub(super) fn world(&self) -> Site {
        Site { x: DVec3::from_array(self.point), ..Site::WORLD }
    }

    /// Directions of the held displacements, at the second end.
    pub fn axes(&self, b: &Site) -> impl Iterator<Item = DVec3> {
        self.displacements().map(|k| b.frame().col(k))
    }

    fn displacements(&self) -> impl Iterator<Item = usize> {
        let held = self.held[0];
        (0..3).filter(move |&k| held[k])
    }

    fn turns(&self) -> Turns {
        let held = self.held[1];
        let cyclic = |k: usize| [(k + 1) % 3, (k + 2) % 3];
        match held.iter().filter(|held| **held).count() {
            0 => Turns::None,
            1 => {
                let [i, j] = cyclic(held.iter().position(|held| *held).unwrap_or(0));
                Turns::Across([Some([i, j]), None])
            }
            2 => {
                let free = held.iter().position(|held| !held).unwrap_or(0);
                // c_k·n_j has a moment about c_k×n_j, so the rows are about x, y, z in this order.
                let [i, j] = cyclic(free);
                let [i, j] = [i.min(j), i.max(j)];
                Turns::Across([Some([free, j]), Some([free, i])])
            }
            _ => Turns::All,
        }
    }

    /// The directions on A that were the axes of B when joined.
    fn on_first(&self, a: &Site) -> DMat3 {
        a.frame() * self.start.transpose()
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, rows: &mut Rows) {
        let axes = b.frame();
        for k in self.displacements() {
            rows.push(along(axes.col(k), self.away[k], a, b));
        }
        match self.turns() {
            Turns::None => {}
            Turns::Across(pairs) => {
                let first = self.on_first(a);
                for [i, j] in pairs.into_iter().flatten() {
                    let (c, n) = (first.col(i), axes.col(j));
                    let moment = Wrench::moment(c.cross(n));
                    rows.push(Row::angle([moment, -moment], -c.dot(n)));
                }
            }
            Turns::All => {
                let left = -log(a.frame() * (axes * self.start).transpose());
                for k in 0..3 {
                    let n = Wrench::moment(axes.col(k));
                    rows.push(Row::angle([n, -n], axes.col(k).dot(left)));
                }
            }
        }
    }

    pub(super) fn curvature(&self, a: &Site, b: &Site, multipliers: &[f64]) -> Curvature {
        let mut curvature = Curvature::default();
        let axes = b.frame();
        let mut rest = multipliers.iter();
        let mut next = || rest.next().copied().unwrap_or(0.0);
        let force: DVec3 = self.displacements().map(|k| axes.col(k) * next()).sum();
        if force != DVec3::ZERO {
            add_along(&mut curvature, force, a.x - b.x);
        }
        match self.turns() {
            Turns::None => {}
            Turns::Across(pairs) => {
                let first = self.on_first(a);
                for [i, j] in pairs.into_iter().flatten() {
                    add_across(&mut curvature, next(), first.col(i), axes.col(j));
                }
            }
            Turns::All => {
                let moment = (0..3).map(|k| axes.col(k) * next()).sum();
                add_turn(&mut curvature, moment);
                // The rows are along axes that turn with B: −Σ λ (φ_B×n)·(φ_A − φ_B) = φ_A·[μ] φ_B.
                curvature.between.phi_phi += cross_matrix(moment);
            }
        }
        curvature
    }
}
