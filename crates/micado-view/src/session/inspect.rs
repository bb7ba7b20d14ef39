//! Values at a place.

use crate::protocol::{Inspect, Problem, ReadValue, Reading};
use micado::describe::anchor::At;
use micado::object::{MaterialCurve, ReadOut, Value};
use micado::world::World;

/// Reads an object, at a place if it has several; in its middle unless given.
pub(super) fn inspect(world: &World, place: &Inspect) -> Result<Reading, Problem> {
    let object = world.object("", &place.on)?;
    let length = object.curve().map(MaterialCurve::length);
    let at = length.map(|length| place.at.unwrap_or(0.5 * length));
    let values = world.read_outs(object, at.map(At::Length))?;
    Ok(Reading {
        kind: object.word().to_owned(),
        at,
        rest_length: length,
        values: values.into_iter().map(read_value).collect(),
    })
}

fn read_value(ReadOut { name, value, unit, quantity, is_local, is_main }: ReadOut) -> ReadValue {
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    let value = match value {
        Value::Number(value) => vec![finite(value)],
        Value::Vector(vector) => vector.to_array().map(finite).to_vec(),
    };
    ReadValue { name, value, unit, quantity, local: is_local, main: is_main }
}
