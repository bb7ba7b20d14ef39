//! Clamp: holds position, tangent and roll.
//!
//! Objective rows: `g = (x − x*, log(F F*ᵀ))`, F = [t m₁ m₂], 6 rows; J = bᵢ I on x for the first three,
//! [t]ₓ bᵢ'/L on x and t bᵢ on θ for the others. Multipliers: force, N, and moment, N·m, on the rod, world axes.
//! Paper rows: position, `x' − L t*` and roll, 7 rows.

use super::position::Target;
use super::{Force, Row, RowForm, Rows, Site, SiteDescription};
use crate::anchor::At;
use crate::constraint::rows::PlaceStiffness;
use crate::error::{BuildError, check};
use crate::geometry::rotation::{angle_about, exp, log, transport};
use crate::signal::{Signal, measured};
use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Holds position, tangent and roll. Multipliers: force, N, and moment, N·m, on the rod, world axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clamp {
    /// Rod, by name.
    pub on: String,
    /// Place on the rod.
    pub at: At,
    /// Where it is held, m; where it is when the constraint is added unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Signal<[f64; 3]>>,
    /// Displacement of the target in time, m.
    #[serde(default)]
    pub displacement: Signal<[f64; 3]>,
    /// Direction of the tangent before any rotation; as it is when added unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
    /// Rotation of the clamp in time: rotation vector, rad, world axes. Whole turns count.
    #[serde(default)]
    pub rotation: Signal<[f64; 3]>,
    /// Roll in time about the clamped tangent, rad, before `rotation`. Whole turns count.
    #[serde(default, deserialize_with = "measured::angle")]
    #[schemars(with = "measured::MeasuredInput")]
    pub roll: Signal<f64>,
    /// Which rows.
    #[serde(default)]
    pub rows: RowForm,
}

/// A position and a frame that move in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grip {
    position: Target,
    frame: DMat3,
    rotation: Signal<[f64; 3]>,
    roll: Signal<f64>,
    rows: RowForm,
}

impl Clamp {
    pub(super) fn site(&self) -> SiteDescription<'_> {
        SiteDescription { on: &self.on, at: Some(self.at), needs_frame: true }
    }

    pub(super) fn build(&self, site: &Site) -> Result<Grip, BuildError> {
        self.rotation.check("rotation")?;
        self.roll.check("roll")?;
        let frame = match self.direction {
            None => site.frame(),
            Some(direction) => {
                let t = check::direction("direction", direction)?;
                let m1 = if site.t.dot(t) < -0.999_999 { -site.m1 } else { transport(site.t, t, site.m1) };
                DMat3::from_cols(t, m1, t.cross(m1))
            }
        };
        Ok(Grip {
            position: Target::build(self.target.as_ref(), &self.displacement, site)?,
            frame,
            rotation: self.rotation.clone(),
            roll: self.roll.clone(),
            rows: self.rows,
        })
    }
}

impl Grip {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.position.moves() || self.rotation.moves() || self.roll.moves()
    }

    pub(super) fn count(&self) -> usize {
        match self.rows {
            RowForm::Objective => 6,
            RowForm::Paper => 7,
        }
    }

    /// Where it holds the place at `time`.
    pub fn position(&self) -> &Target {
        &self.position
    }

    /// F* at `time`.
    fn target_frame(&self, time: f64) -> DMat3 {
        let rolled = exp(self.frame.x_axis * self.roll.at(time)) * self.frame;
        exp(DVec3::from_array(self.rotation.at(time))) * rolled
    }

    /// log(F F*ᵀ)
    fn turn(&self, site: &Site, time: f64) -> DVec3 {
        log(site.frame() * self.target_frame(time).transpose())
    }

    pub(super) fn rows(&self, site: &Site, time: f64, rows: &mut Rows) {
        self.position.rows(site, time, rows);
        match self.rows {
            RowForm::Objective => {
                // J_l(φ) φ = φ, so rows on the rotation vector itself give Newton's direction for the logarithm.
                rows.push_rotation(site, -self.turn(site, time));
            }
            RowForm::Paper => {
                rows.push_derivative(self.target_frame(time).x_axis * site.l - site.p);
                let (angle, spin) = self.paper_roll(site, time);
                rows.push(Row { theta: 1.0, ..Row::turn(spin / site.l, -angle) });
            }
        }
    }

    /// Paper rows: how far the roll is from that of the target, carried from its tangent to the present one by the smallest
    /// rotation, rad, and how that varies with t. The rows before hold t near the target, so the rotation is always there.
    fn paper_roll(&self, site: &Site, time: f64) -> (f64, DVec3) {
        let DMat3 { x_axis: tangent, y_axis: director, .. } = self.target_frame(time);
        let angle = angle_about(site.t, transport(tangent, site.t, director), site.m1);
        (angle, tangent.cross(site.t) / (1.0 + tangent.dot(site.t)))
    }

    pub(super) fn stiffness(&self, site: &Site, multipliers: &[f64]) -> PlaceStiffness {
        match self.rows {
            RowForm::Objective => PlaceStiffness::of_fixed_moment(DVec3::from_slice(&multipliers[3..6]), site.t, site.l),
            RowForm::Paper => PlaceStiffness::ZERO,
        }
    }

    pub(super) fn force(&self, site: &Site, time: f64, multipliers: &[f64]) -> Force {
        let force = DVec3::from_slice(&multipliers[..3]);
        let moment = match self.rows {
            RowForm::Objective => DVec3::from_slice(&multipliers[3..6]),
            RowForm::Paper => {
                // λ (δθ + spin·δt): moment λ t along the tangent, and λ t×spin across it
                let (_, spin) = self.paper_roll(site, time);
                site.p.cross(DVec3::from_slice(&multipliers[3..6])) + (site.t + site.t.cross(spin)) * multipliers[6]
            }
        };
        Force { force, moment }
    }

    pub(super) fn miss(&self, site: &Site, time: f64) -> f64 {
        (self.position.at(time) - site.x).length().max(self.turn(site, time).length())
    }
}
