//! Symbols of joints over time: boxes whose x is the axis, and bars at limits, values and targets.

use super::ExportError;
use super::track::{Pose, Track};
use crate::record::{
    ConstraintState, Frame, GaugeKind, GaugeRow, GaugeState, MarkerKind, MotorKind, Recording, Table,
};
use glam::{DMat3, DQuat, DVec3};
use serde_json::{Value, json};

/// Half size of a symbol, and length of the pointers of an angle, as shares of the extent of the first frame.
const SIZE: f64 = 0.012;
const REACH: f64 = 0.06;

const SYMBOL: [u8; 3] = [0xf6, 0xb9, 0x4a];
const INK: [u8; 3] = [0x2b, 0x34, 0x40];
const TARGET: [u8; 3] = [0x3b, 0x76, 0xb8];

/// A symbol, with the numbers that belong to it.
pub(super) struct Symbol {
    pub track: Track,
    /// Boxes, each with its middle and half sizes, m.
    pub shape: Vec<[DVec3; 2]>,
    pub colour: [u8; 3],
    pub data: Value,
}

/// Quantity of a gauge that a bar shows.
#[derive(Clone, Copy, PartialEq)]
enum Bar {
    Value,
    Least,
    Most,
    Target,
}

/// The symbols of all joints that occur in any of the frames, in order of appearance, and those of their
/// limits, values and targets.
pub(super) fn symbols(recording: &mut Recording, frames: &[usize]) -> Result<Vec<Symbol>, ExportError> {
    let Some(&first) = frames.first() else { return Ok(Vec::new()) };
    let size = extent(&recording.frame(first)?);
    let mut symbols: Vec<Symbol> = Vec::new();
    for (number, &index) in frames.iter().enumerate() {
        let frame = recording.frame(index)?;
        let table = recording.table(index);
        for (k, (row, state)) in table.constraints.iter().zip(&frame.constraints).enumerate() {
            let kind = row.marker.kind;
            if !kind.is_joint() || state.open {
                continue;
            }
            let gauges: Vec<_> = gauges(table, &frame, k).collect();
            let data = || {
                let limits: Vec<_> = gauges.iter().map(|(row, _)| limits(row)).collect();
                json!({"constraint": row.kind, "gauges": limits})
            };
            let turn = turned(state, gauges.first().map(|(_, state)| *state));
            let pose = Pose { place: DVec3::from_array(state.place), turn };
            put(&mut symbols, [number, frames.len()], &row.name, pose, || (body(kind, size), SYMBOL, data()));
            for (gauge, now) in gauges {
                for (bar, word, colour) in BARS {
                    let Some(value) = shown(bar, gauge, now) else { continue };
                    let turns = gauge.coordinate == GaugeKind::Angle;
                    let pose = pose_of(state, now, turns, value);
                    let name = format!("{} {}{word}", row.name, gauge.coordinate.word());
                    put(&mut symbols, [number, frames.len()], &name, pose, || {
                        (vec![rod_of(turns, bar, size)], colour, Value::Null)
                    });
                }
            }
        }
    }
    Ok(symbols)
}

const BARS: [(Bar, &str, [u8; 3]); 4] = [
    (Bar::Value, "", SYMBOL),
    (Bar::Least, " least", INK),
    (Bar::Most, " most", INK),
    (Bar::Target, " target", TARGET),
];

/// Adds the pose of a symbol in frame `number` of `count`.
fn put(
    symbols: &mut Vec<Symbol>,
    [number, count]: [usize; 2],
    name: &str,
    pose: Pose,
    make: impl FnOnce() -> (Vec<[DVec3; 2]>, [u8; 3], Value),
) {
    let index = symbols.iter().position(|symbol| symbol.track.name == name).unwrap_or_else(|| {
        let (shape, colour, data) = make();
        let track = Track {
            name: name.to_owned(),
            is_rod: false,
            mesh: None,
            colour: None,
            radii: Vec::new(),
            poses: vec![None; count],
        };
        symbols.push(Symbol { track, shape, colour, data });
        symbols.len() - 1
    });
    let poses = &mut symbols[index].track.poses;
    let before = number.checked_sub(1).and_then(|before| poses[before].as_ref()).map(|poses| poses[0]);
    poses[number] = Some(vec![before.map_or(pose, |before| pose.nearest_to(&before))]);
}

/// Largest side of the box around all points of a frame, m; 1 m around a single point.
fn extent(frame: &Frame) -> f64 {
    let all = || frame.points.iter().map(|point| DVec3::from_array(*point)).filter(|point| point.is_finite());
    let low = all().fold(DVec3::INFINITY, DVec3::min);
    let high = all().fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = (high - low).max_element();
    if size > 1e-6 && size.is_finite() { size } else { 1.0 }
}

/// The gauges of constraint `k`.
fn gauges<'a>(
    table: &'a Table,
    frame: &'a Frame,
    k: usize,
) -> impl Iterator<Item = (&'a GaugeRow, &'a GaugeState)> {
    table.gauges.iter().zip(&frame.gauges).filter(move |(row, _)| row.constraint as usize == k)
}

fn limits(row: &GaugeRow) -> Value {
    json!({"coordinate": row.coordinate.word(), "least": row.least, "most": row.most,
        "motor": row.motor.map(MotorKind::word)})
}

/// Value at which a bar is drawn; `None` without a bar. A displacement has no bar at its present value: the
/// symbol is there.
fn shown(bar: Bar, row: &GaugeRow, now: &GaugeState) -> Option<f64> {
    match bar {
        Bar::Value => (row.coordinate == GaugeKind::Angle).then_some(now.value),
        Bar::Least => row.least,
        Bar::Most => row.most,
        Bar::Target => now.target.filter(|_| row.motor.is_some_and(MotorKind::follows_value)),
    }
}

/// Axes whose x is the axis of a joint; y is the zero of its gauge, if it has one.
fn turned(state: &ConstraintState, gauge: Option<&GaugeState>) -> DQuat {
    let axis = DVec3::from_array(state.direction.map(f64::from)).normalize_or(DVec3::X);
    let zero = gauge.map_or(DVec3::ZERO, |gauge| DVec3::from_array(gauge.zero.map(f64::from)));
    let zero = zero.reject_from_normalized(axis).try_normalize();
    let zero = zero.unwrap_or_else(|| axis.any_orthonormal_vector());
    DQuat::from_mat3(&DMat3::from_cols(axis, zero, axis.cross(zero))).normalize()
}

/// Pose of a bar: at the joint and turned by its value, or displaced along the axis from the present value.
fn pose_of(state: &ConstraintState, now: &GaugeState, turns: bool, value: f64) -> Pose {
    let (place, turn) = (DVec3::from_array(state.place), turned(state, Some(now)));
    if turns {
        return Pose { place, turn: turn * DQuat::from_rotation_x(value) };
    }
    Pose { place: place + turn * DVec3::X * (value - now.value), turn }
}

/// The box of a bar: a pointer along y for an angle, a plate across the axis for a displacement.
fn rod_of(turns: bool, bar: Bar, size: f64) -> [DVec3; 2] {
    let thin = 0.2 * SIZE * size;
    if turns {
        let reach = REACH * size * if bar == Bar::Value { 1.0 } else { 1.2 };
        [DVec3::Y * (0.5 * reach), DVec3::new(thin, 0.5 * reach, thin)]
    } else {
        [DVec3::ZERO, DVec3::new(thin, 1.5 * SIZE * size, 1.5 * SIZE * size)]
    }
}

/// Boxes of a symbol.
fn body(kind: MarkerKind, size: f64) -> Vec<[DVec3; 2]> {
    let of = |x: f64, y: f64, z: f64| [DVec3::ZERO, DVec3::new(x, y, z) * (SIZE * size)];
    match kind {
        MarkerKind::Hinge => vec![of(1.6, 0.6, 0.6)],
        MarkerKind::Slider => vec![of(3.0, 0.3, 0.3), of(1.0, 0.9, 0.9)],
        MarkerKind::Cylindrical => vec![of(3.0, 0.3, 0.3), of(1.6, 0.6, 0.6)],
        MarkerKind::Universal => vec![of(1.6, 0.4, 0.4), of(0.4, 1.6, 0.4)],
        MarkerKind::Planar => vec![of(0.2, 2.0, 2.0)],
        _ => vec![of(0.9, 0.9, 0.9)],
    }
}
