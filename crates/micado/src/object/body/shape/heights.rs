//! Ground with given heights: description, surface and skin.

use super::integrals::Integrals;
use super::surface::Surface;
use super::{LengthUnit, Solid};
use crate::describe::units;
use crate::error::{BuildError, check};
use crate::geometry::skin::{Form, HeightField, Part, Pose};
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Ground: all space below a grid of heights. Each cell of the grid is two triangles, which meet on the
/// diagonal from its corner at the lowest x and y.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Heights {
    /// File, relative to the folder of the scene: a table of numbers (text or CSV), one line for each y, or a
    /// grayscale PNG image, black 0 and white 1, whose upper edge has the largest y. It is not read if
    /// `heights` are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Unit of the heights.
    #[serde(default)]
    pub unit: LengthUnit,
    /// Factor on all heights; 1 if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: Option<f64>,
    /// Distance of neighbours in the grid, m: one length, or one along x and one along y.
    pub spacing: Spacing,
    /// Heights, in `unit`: a list for each y, from the lowest y on, with the heights along x.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heights: Vec<Vec<f64>>,
}

/// Distance of neighbours in a grid, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a length, or one along x and one along y")]
pub enum Spacing {
    /// Along x and y.
    Both(
        #[serde(deserialize_with = "units::length")]
        #[schemars(with = "units::QuantityInput")]
        f64,
    ),
    /// Along x, and along y.
    Each(
        #[serde(deserialize_with = "units::two_lengths")]
        #[schemars(with = "[units::QuantityInput; 2]")]
        [f64; 2],
    ),
}

impl Spacing {
    /// Along x and y, m.
    pub fn of_each(self) -> [f64; 2] {
        match self {
            Self::Both(step) => [step; 2],
            Self::Each(steps) => steps,
        }
    }
}

impl Heights {
    /// Whether the file is still to be read.
    pub fn is_unread(&self) -> bool {
        self.file.is_some() && self.heights.is_empty()
    }

    /// Metres per unit of the heights.
    pub fn metres(&self) -> f64 {
        self.unit.metres() * self.scale.unwrap_or(1.0)
    }

    pub(super) fn build(&self) -> Result<Solid, BuildError> {
        let field = format!("height-field.{}", if self.file.is_some() { "file" } else { "heights" });
        let refuse = |problem: String, remedy: &str| {
            let problem = match &self.file {
                Some(file) => format!("`{file}`: {problem}"),
                None => problem,
            };
            Err(BuildError::new(field.clone(), problem, remedy))
        };
        if self.is_unread() {
            let remedy = "read the scene with micado-io, or give `heights`";
            return refuse("the file of the heights was not read".to_owned(), remedy);
        }
        if let Some(scale) = self.scale {
            check::positive("height-field.scale", scale)?;
        }
        let spacing = self.spacing.of_each();
        for step in spacing {
            check::positive("height-field.spacing", step)?;
        }
        let counts = [self.heights.first().map_or(0, Vec::len), self.heights.len()];
        if counts.iter().any(|&count| count < 2) {
            let problem = format!("the grid has {} by {} heights", counts[0], counts[1]);
            return refuse(problem, "give at least 2 along x and 2 along y");
        }
        for (j, line) in self.heights.iter().enumerate() {
            if line.len() != counts[0] {
                let problem = format!("list {j} has {} heights, the first has {}", line.len(), counts[0]);
                return refuse(problem, "give the same number of heights for each y");
            }
            if let Some(i) = line.iter().position(|h| !h.is_finite() || h.abs() > check::LARGEST) {
                let problem = format!("height {i} of list {j} is {}", line[i]);
                return refuse(problem, "give finite heights of at most 1e30");
            }
        }
        let metres = self.metres();
        let heights: Vec<f64> = self.heights.iter().flatten().map(|h| h * metres).collect();
        let far = [0, 1].map(|k| spacing[k] * (counts[k] - 1) as f64);
        for length in far.into_iter().chain(heights.iter().copied()) {
            if !length.is_finite() {
                return refuse("the ground is too large".to_owned(), "give smaller numbers");
            }
        }
        let Some(ground) = HeightField::new(counts, spacing, heights) else {
            return refuse("the grid has too many heights".to_owned(), "give fewer than 2 billion");
        };
        let corner = DVec3::new(-0.5 * far[0], -0.5 * far[1], 0.0);
        let (vertices, triangles) = ground.facets();
        let vertices: Vec<DVec3> = vertices.into_iter().map(|x| x + corner).collect();
        let plain = Solid::plain(Integrals::NONE, Surface::new(&vertices, triangles));
        let skin = vec![Part::new(Form::HeightField(Arc::new(ground)), Pose::at(corner))];
        Ok(Solid { endless: true, skin, ..plain })
    }
}
