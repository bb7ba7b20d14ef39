//! Frames: the binary messages, encoded once per shot and channel.

use super::layout::{Record, arrays, record};
use micado_io::record::{ConstraintState, ContactState, GaugeState, LoadState, SpringState};

/// First bytes of every frame.
pub(crate) const MAGIC: [u8; 4] = *b"MCF5";
/// `channel` of a frame without values.
pub(crate) const NO_CHANNEL: u32 = u32::MAX;
/// Bit of `flags` that is set while time runs.
pub(crate) const PLAYING: u32 = 1;

record! {
    /// The head of a frame.
    pub(crate) struct Head {
        /// The letters `MCF5`.
        magic: [u8; 4],
        /// Serial of the table that the frame belongs to.
        serial: u32,
        /// Number of the frame; grows by one with each.
        number: u64,
        /// Simulated time, s.
        time: f64,
        /// Simulated seconds per second over the last second.
        real_time_factor: f64,
        /// Number of points.
        points: u32,
        /// Number of constraints.
        constraints: u32,
        /// Number of springs.
        springs: u32,
        /// Number of loads.
        loads: u32,
        /// Number of probes.
        probes: u32,
        /// Number of values: one per point, or none.
        values: u32,
        /// Index of the channel of the values in `hello.channels`; 0xffffffff if there are none.
        channel: u32,
        /// Frame of the recording that is played back; otherwise 0.
        recording_frame: u32,
        /// Bit 1: time runs.
        flags: u32,
        /// Number of objects that have an orientation.
        bodies: u32,
        /// Number of gauges.
        gauges: u32,
        /// Number of contacts.
        contacts: u32,
    }
}

record! {
    /// A constraint.
    pub struct ConstraintNumbers {
        /// Where it holds, m.
        place: [f32; 3],
        /// Normal of a plane or of a circle's plane, an axis, a clamp's inward direction, a clip's opening;
        /// otherwise the tangent.
        direction: [f32; 3],
        /// Point of a plane, other end of a distance, centre of a circle, start of a curve, target of a hand;
        /// otherwise the place, m.
        centre: [f32; 3],
        /// Force on the object, N.
        force: [f32; 3],
        /// Moment on the object, N·m.
        moment: [f32; 3],
        /// Violation, m; of a tangent or roll, rad; of both, the larger number.
        residual: f32,
        /// Load of a clip as a share of its strength.
        used: f32,
        /// 1 for an open clip, otherwise 0.
        open: f32,
        /// Radius of a circle or of a distance `at-least`, m; otherwise 0.
        radius: f32,
        /// Rest arc length of an eye, a pearl or a clip on its rod, m; otherwise NaN.
        at: f32,
    }
}

impl From<&ConstraintState> for ConstraintNumbers {
    fn from(state: &ConstraintState) -> Self {
        Self {
            place: state.place.map(single),
            direction: state.direction,
            centre: state.centre.unwrap_or(state.place).map(single),
            force: state.force.map(single),
            moment: state.moment.map(single),
            residual: state.residual,
            used: state.used,
            open: f32::from(u8::from(state.open)),
            radius: state.radius,
            at: state.at[0].map_or(f32::NAN, single),
        }
    }
}

record! {
    /// A spring.
    pub struct SpringNumbers {
        /// First end, m.
        from: [f32; 3],
        /// Second end, m.
        to: [f32; 3],
        /// N
        tension: f32,
        /// Always 0.
        reserved: f32,
    }
}

impl From<&SpringState> for SpringNumbers {
    fn from(state: &SpringState) -> Self {
        Self {
            from: state.from.map(single),
            to: state.to.map(single),
            tension: single(state.tension),
            reserved: 0.0,
        }
    }
}

record! {
    /// A load.
    pub struct LoadNumbers {
        /// Where it acts, m; the centre of a distributed load.
        place: [f32; 3],
        /// Force, N: the total of a distributed load, 0 for drag. For a moment: the moment, N·m.
        force: [f32; 3],
        /// Always 0.
        reserved: [f32; 2],
    }
}

impl From<&LoadState> for LoadNumbers {
    fn from(state: &LoadState) -> Self {
        Self { place: state.place.map(single), force: state.force.map(single), reserved: [0.0; 2] }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a screen needs no more digits")]
pub(super) fn single(x: f64) -> f32 {
    x as f32
}

record! {
    /// A coordinate of a joint that has limits or a motor.
    pub struct GaugeNumbers {
        /// Value, m or rad.
        value: f32,
        /// Target of the motor: m or rad, for a velocity motor m/s or rad/s; NaN if there is none.
        target: f32,
        /// Force, N, or torque, N·m, of the motor on the first object along the coordinate.
        drive: f32,
        /// Unit vector perpendicular to the axis, from which an angle counts.
        zero: [f32; 3],
        /// Always 0.
        reserved: [f32; 2],
    }
}

impl From<&GaugeState> for GaugeNumbers {
    fn from(state: &GaugeState) -> Self {
        Self {
            value: single(state.value),
            target: state.target.map_or(f32::NAN, single),
            drive: single(state.drive),
            zero: state.zero,
            reserved: [0.0; 2],
        }
    }
}

record! {
    /// A contact of two surfaces that transmits a force.
    pub struct ContactNumbers {
        /// Where they touch, m.
        point: [f32; 3],
        /// Unit normal from the second object to the first.
        normal: [f32; 3],
        /// Force on the first object, N.
        force: [f32; 3],
        /// Gap, m; negative where they overlap.
        gap: f32,
        /// Coefficient of friction.
        friction: f32,
        /// Index of the first object in the table.
        first: f32,
        /// Index of the second one.
        second: f32,
        /// Always 0.
        reserved: f32,
    }
}

impl From<&ContactState> for ContactNumbers {
    #[expect(clippy::cast_precision_loss, reason = "indices of at most a few thousand objects")]
    fn from(state: &ContactState) -> Self {
        let [first, second] = state.objects.map(|k| k as f32);
        Self {
            point: state.point.map(single),
            normal: state.normal,
            force: state.force.map(single),
            gap: state.gap,
            friction: state.friction,
            first,
            second,
            reserved: 0.0,
        }
    }
}

arrays! {
    /// The arrays after the head, in this order.
    enum Array of Head {
        /// Values of the probes, in the units of the table.
        Probes: f64, probes;
        /// Points, m.
        Positions: [f32; 3], points;
        /// Values of the channel.
        Values: f32, values;
        /// Director m₁ at each point, times 32767, and 0.
        Directors: [i16; 4], points;
        /// Orientation x, y, z, w of every object that has one, in the order of the table.
        Orientations: [f32; 4], bodies;
        /// One record per constraint.
        Constraints: [f32; ConstraintNumbers::SIZE / 4], constraints;
        /// One record per spring.
        Springs: [f32; SpringNumbers::SIZE / 4], springs;
        /// One record per load.
        Loads: [f32; LoadNumbers::SIZE / 4], loads;
        /// One record per gauge.
        Gauges: [f32; GaugeNumbers::SIZE / 4], gauges;
        /// One record per contact.
        Contacts: [f32; ContactNumbers::SIZE / 4], contacts;
    }
}

impl Array {
    /// Bytes of an item.
    pub(crate) const fn item_size(self) -> usize {
        let (number, count) = self.item();
        number.size() * count
    }

    /// Byte at which it starts in a frame; the end of the frame for `None`.
    pub(crate) fn begin(array: Option<Self>, head: &Head) -> usize {
        let before = Self::ALL.iter().take_while(|other| Some(**other) != array);
        Head::SIZE + before.map(|other| other.item_size() * other.count(head)).sum::<usize>()
    }
}
