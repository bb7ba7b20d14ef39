//! Reads coordinates of joints with the units of a rotation or of a displacement.

use super::describe::{Coordinate, Drive, Motor, Servo};
use crate::describe::signal::{Signal, measured};
use crate::describe::units;
use serde::{Deserialize, Deserializer};

/// Makes a reader of coordinates from deserialisers: of an optional value; of a value, a rate and a force in
/// time; of a force; and of an optional force.
macro_rules! coordinate_reader {
    (
        $name:ident, $value:literal, $target:literal, $rate:literal, $force:literal, $friction:literal,
        $most:literal
    ) => {
        pub(super) mod $name {
            use super::*;

            #[derive(Deserialize)]
            #[serde(deny_unknown_fields)]
            struct CoordinateInput {
                #[serde(default, deserialize_with = $value)]
                least: Option<f64>,
                #[serde(default, deserialize_with = $value)]
                most: Option<f64>,
                #[serde(default)]
                restitution: f64,
                motor: Option<MotorInput>,
                #[serde(default, deserialize_with = $friction)]
                friction: f64,
                #[serde(default)]
                viscosity: f64,
                #[serde(default)]
                mu: f64,
                #[serde(default, deserialize_with = "units::optional_length")]
                bearing_radius: Option<f64>,
            }

            #[derive(Deserialize)]
            #[serde(rename_all = "kebab-case")]
            enum MotorInput {
                Position(PositionInput),
                Velocity(VelocityInput),
                Force(#[serde(deserialize_with = $force)] Signal<f64>),
                Servo(ServoInput),
            }

            #[derive(Deserialize)]
            #[serde(deny_unknown_fields)]
            struct PositionInput {
                #[serde(deserialize_with = $target)]
                target: Signal<f64>,
                #[serde(default, deserialize_with = $most)]
                strength: Option<f64>,
            }

            #[derive(Deserialize)]
            #[serde(deny_unknown_fields)]
            struct VelocityInput {
                #[serde(deserialize_with = $rate)]
                target: Signal<f64>,
                #[serde(default, deserialize_with = $most)]
                strength: Option<f64>,
            }

            #[derive(Deserialize)]
            #[serde(deny_unknown_fields)]
            struct ServoInput {
                #[serde(deserialize_with = $target)]
                target: Signal<f64>,
                stiffness: f64,
                #[serde(default)]
                damping: f64,
            }

            impl From<MotorInput> for Motor {
                fn from(input: MotorInput) -> Self {
                    match input {
                        MotorInput::Position(PositionInput { target, strength }) => {
                            Self::Position(Drive { target, strength })
                        }
                        MotorInput::Velocity(VelocityInput { target, strength }) => {
                            Self::Velocity(Drive { target, strength })
                        }
                        MotorInput::Force(force) => Self::Force(force),
                        MotorInput::Servo(ServoInput { target, stiffness, damping }) => {
                            Self::Servo(Servo { target, stiffness, damping })
                        }
                    }
                }
            }

            /// Reads a coordinate.
            pub(in crate::constraint::joint) fn read<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<Coordinate>, D::Error> {
                let input = Option::<CoordinateInput>::deserialize(deserializer)?;
                Ok(input.map(|input| Coordinate {
                    least: input.least,
                    most: input.most,
                    restitution: input.restitution,
                    motor: input.motor.map(Motor::from),
                    friction: input.friction,
                    viscosity: input.viscosity,
                    mu: input.mu,
                    bearing_radius: input.bearing_radius,
                }))
            }
        }
    };
}

coordinate_reader!(
    rotation,
    "units::optional_angle",
    "measured::angle",
    "measured::angular_speed",
    "measured::moment",
    "units::moment",
    "units::optional_moment"
);
coordinate_reader!(
    displacement,
    "units::optional_length",
    "measured::length",
    "measured::speed",
    "measured::force",
    "units::force",
    "units::optional_force"
);
