//! The description of scenery.

use crate::describe::anchor::{Anchor, At};
use crate::describe::colour::Colour;
use crate::describe::signal::{Signal, measured};
use crate::object::body::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A shape that is only drawn: it has no mass and no effect on any result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneryDescription {
    /// Shape. Meshes need not be closed.
    pub shape: Shape,
    /// Object with which it moves, by name; the world unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Place on that object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// Displacement of the place along the rod in time, m of rest length; it stops at the ends of the rod.
    #[serde(default, deserialize_with = "measured::length")]
    #[schemars(with = "measured::MeasuredInput")]
    pub along: Signal<f64>,
    /// A second place. Then the origin is midway between both, x points to the second place, and z points up
    /// as far as possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
    /// Whether it turns with its object; otherwise its axes are those of the world.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub turns: bool,
    /// Position of its origin in time, m, in the axes of its place (on a rod: tangent, m₁, m₂), or in the
    /// world.
    #[serde(default)]
    pub position: Signal<[f64; 3]>,
    /// Rotation vector in time, rad, in the same axes.
    #[serde(default)]
    pub rotation: Signal<[f64; 3]>,
    /// Colour, `"#rrggbb"`; default: the colour of the theme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<Colour>,
}

impl SceneryDescription {
    /// Calls `put` with the object and the place of each end that has both.
    pub(crate) fn for_each_place(&mut self, mut put: impl FnMut(&mut String, &mut At)) {
        let second = self.to.as_mut().map(|to| (&mut to.on, to.at.as_mut()));
        for (on, at) in self.on.as_mut().map(|on| (on, self.at.as_mut())).into_iter().chain(second) {
            if let Some(at) = at {
                put(on, at);
            }
        }
    }
}

fn yes() -> bool {
    true
}
