//! Roll: holds the rotation of a rod about its tangent.
//!
//! The target director m* belongs to the tangent t* at which the constraint was added; it is carried to the present tangent
//! by the smallest rotation R. `g` is the angle from R m* to m₁ about t, minus the wanted angle: 1 row,
//! J = bᵢ on θ and bᵢ' (t*×t)ᵀ/(L (1+t*·t)) on x. Multiplier: moment about the tangent, N·m.

use super::{Force, Rows, Site, SiteDescription};
use crate::anchor::At;
use crate::error::BuildError;
use crate::geometry::rotation::{angle_about, transport, wrap};
use crate::signal::{Signal, measured};
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Holds the roll of a rod about its tangent. Multiplier: moment about the tangent, N·m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Roll {
    /// Rod, by name.
    pub on: String,
    /// Place on the rod.
    pub at: At,
    /// Angle in time, rad, from the roll at which it is added. Whole turns count.
    #[serde(default, deserialize_with = "measured::angle")]
    #[schemars(with = "measured::MeasuredInput")]
    pub angle: Signal<f64>,
}

/// A roll that moves in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RollTarget {
    tangent: DVec3,
    director: DVec3,
    angle: Signal<f64>,
}

impl Roll {
    pub(super) fn site(&self) -> SiteDescription<'_> {
        SiteDescription { on: &self.on, at: Some(self.at), needs_frame: true }
    }

    pub(super) fn build(&self, site: &Site) -> Result<RollTarget, BuildError> {
        RollTarget::build(&self.angle, site.t, site.m1).map_err(|e| BuildError { path: e.path.replace("roll", "angle"), ..e })
    }
}

impl RollTarget {
    pub(super) fn build(angle: &Signal<f64>, tangent: DVec3, director: DVec3) -> Result<Self, BuildError> {
        angle.check("roll")?;
        Ok(Self { tangent, director, angle: angle.clone() })
    }

    /// A roll that stays.
    pub(super) fn fixed(tangent: DVec3, director: DVec3) -> Self {
        Self { tangent, director, angle: Signal::Constant(0.0) }
    }

    fn error(&self, site: &Site, time: f64) -> f64 {
        let carried = transport(self.tangent, site.t, self.director);
        wrap(angle_about(site.t, carried, site.m1) - self.angle.at(time))
    }

    pub(super) fn rows(&self, r: usize, site: &Site, time: f64, rows: &mut Rows) {
        let spin = self.tangent.cross(site.t) / (1.0 + self.tangent.dot(site.t));
        rows.roll(r, site, 1.0);
        rows.derivative(r, site, spin / site.l);
        rows.violation[r] = -self.error(site, time);
    }

    pub(super) fn force(&self, site: &Site, multipliers: &[f64]) -> Force {
        let spin = self.tangent.cross(site.t) / (1.0 + self.tangent.dot(site.t));
        // λ (δθ + spin·δt): moment λ t along the tangent, and λ t×spin across it
        Force { force: DVec3::ZERO, moment: (site.t + site.t.cross(spin)) * multipliers[0] }
    }

    pub(super) fn miss(&self, site: &Site, time: f64) -> f64 {
        self.error(site, time).abs()
    }
}
