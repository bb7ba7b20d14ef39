//! Distance: keeps a place on a sphere.
//!
//! `g = |x − c| − d`, 1 row, J = bᵢ nᵀ, n = (x − c)/|x − c|. Multiplier: force along n, N; negative pulls inward.
//! Curvature: −λ∂²g = (−λ/|x−c|)(I − nnᵀ), what holds a pendulum in place.

use super::{Force, Row, Rows, Site, SiteDescription};
use crate::anchor::At;
use crate::constraint::rows::PlaceStiffness;
use crate::error::BuildError;
use crate::geometry::rotation::outer;
use crate::signal::{Signal, measured};
use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a place at a distance from a point. Multiplier: force outward, N; negative pulls inward.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Distance {
    /// Rod or mass, by name.
    pub on: String,
    /// Place on the rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// Centre, m.
    pub centre: Signal<[f64; 3]>,
    /// Distance, m; as it is when added unless given.
    #[serde(default, deserialize_with = "measured::optional_length", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<measured::MeasuredInput>")]
    pub distance: Option<Signal<f64>>,
}

/// A sphere that moves and grows in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sphere {
    centre: Signal<[f64; 3]>,
    radius: Signal<f64>,
}

impl Distance {
    pub(super) fn site(&self) -> SiteDescription<'_> {
        SiteDescription { on: &self.on, at: self.at, needs_frame: false }
    }

    pub(super) fn build(&self, site: &Site, time: f64) -> Result<Sphere, BuildError> {
        Sphere::build(&self.centre, self.distance.as_ref(), "distance", site, time)
    }
}

impl Sphere {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.centre.moves() || self.radius.moves()
    }

    pub(super) fn build(
        centre: &Signal<[f64; 3]>,
        radius: Option<&Signal<f64>>,
        field: &str,
        site: &Site,
        time: f64,
    ) -> Result<Self, BuildError> {
        centre.check("centre")?;
        let radius = match radius {
            Some(radius) => {
                radius.check(field)?;
                radius.clone()
            }
            None => Signal::Constant(site.x.distance(DVec3::from_array(centre.at(time)))),
        };
        if radius.at(time) > 0.0 && radius.at(time).is_finite() {
            Ok(Self { centre: centre.clone(), radius })
        } else {
            Err(BuildError::new(field, format!("{} m", radius.at(time)), "give a distance greater than 0, or hold the place by a position"))
        }
    }

    /// Centre at `time`.
    pub fn centre(&self, time: f64) -> DVec3 {
        DVec3::from_array(self.centre.at(time))
    }

    /// Radius at `time`, m.
    pub fn radius(&self, time: f64) -> f64 {
        self.radius.at(time)
    }

    /// Outward normal and distance from the centre. At the centre itself any direction is as good.
    fn outward(&self, site: &Site, time: f64) -> (DVec3, f64) {
        let away = site.x - self.centre(time);
        let distance = away.length();
        (if distance > 1e-12 { away / distance } else { DVec3::Z }, distance)
    }

    pub(super) fn rows(&self, site: &Site, time: f64, rows: &mut Rows) {
        let (n, distance) = self.outward(site, time);
        rows.push(Row::position(n, self.radius.at(time) - distance));
    }

    pub(super) fn stiffness(&self, site: &Site, time: f64, multiplier: f64, exact: bool) -> PlaceStiffness {
        let (n, distance) = self.outward(site, time);
        // Under compression the term is negative: only the exact form keeps it.
        let pull = if exact { -multiplier } else { (-multiplier).max(0.0) };
        let distance = distance.max(1e-9 * self.radius.at(time).abs());
        PlaceStiffness { xx: (DMat3::IDENTITY - outer(n, n)) * (pull / distance), ..PlaceStiffness::ZERO }
    }

    pub(super) fn force(&self, site: &Site, time: f64, multiplier: f64) -> Force {
        Force { force: self.outward(site, time).0 * multiplier, moment: DVec3::ZERO }
    }

    pub(super) fn miss(&self, site: &Site, time: f64) -> f64 {
        (self.outward(site, time).1 - self.radius.at(time)).abs()
    }
}
