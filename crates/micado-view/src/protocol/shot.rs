//! A shot: everything displayed at one moment. The session makes it once; it is encoded for pages at most
//! once per channel.

use super::frame::{
    Array, ConstraintNumbers, ContactNumbers, GaugeNumbers, Head, LoadNumbers, MAGIC, NO_CHANNEL, PLAYING,
    SpringNumbers, single,
};
use super::layout::{Record, Value};
use super::message::EventRow;
use axum::body::Bytes;
use micado_io::observe::CHANNELS;
use micado_io::record::Frame;
use std::sync::{Arc, OnceLock};

/// A message with a number that shows whether a page already has it.
#[derive(Debug, Default)]
pub(crate) struct Numbered {
    pub number: u32,
    pub text: String,
}

/// Events since the scene was opened. The oldest ones may be dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Events {
    /// Number of dropped events.
    pub first: usize,
    pub all: Vec<EventRow>,
}

impl Events {
    /// The events after the first `reported` ones, and the total number.
    pub(crate) fn after(&self, reported: usize) -> (&[EventRow], usize) {
        let skipped = reported.saturating_sub(self.first).min(self.all.len());
        (&self.all[skipped..], self.first + self.all.len())
    }
}

/// Everything displayed at one moment.
#[derive(Debug, Default)]
pub(crate) struct Shot {
    /// The open scene or recording, as a message.
    pub scene: Arc<Numbered>,
    /// The surfaces of objects, as a message; its number is 0 if there are none.
    pub meshes: Arc<Numbered>,
    /// The table of all items, as a message; its number is the serial.
    pub table: Arc<Numbered>,
    pub events: Arc<Events>,
    pub number: u64,
    pub real_time_factor: f64,
    pub playing: bool,
    /// Frame of the recording that is played back.
    pub recorded: u32,
    pub frame: Frame,
    /// The encoded frame with each channel, and without.
    pub encoded: [OnceLock<Bytes>; CHANNELS.len() + 1],
}

impl Shot {
    /// The frame for a page that displays `channel`.
    pub(crate) fn bytes(&self, channel: Option<usize>) -> Bytes {
        let channel = channel.filter(|&channel| self.values(channel).is_some());
        self.encoded[channel.unwrap_or(CHANNELS.len())].get_or_init(|| self.encode(channel).into()).clone()
    }

    fn values(&self, channel: usize) -> Option<&[f32]> {
        self.frame
            .channels
            .get(channel)
            .map(Vec::as_slice)
            .filter(|values| values.len() == self.frame.points.len())
    }

    fn encode(&self, channel: Option<usize>) -> Vec<u8> {
        let values = channel.and_then(|channel| self.values(channel)).unwrap_or_default();
        let head = Head {
            magic: MAGIC,
            serial: self.table.number,
            number: self.number,
            time: self.frame.time,
            real_time_factor: self.real_time_factor,
            points: narrow(self.frame.points.len()),
            constraints: narrow(self.frame.constraints.len()),
            springs: narrow(self.frame.springs.len()),
            loads: narrow(self.frame.loads.len()),
            probes: narrow(self.frame.probes.len()),
            values: narrow(values.len()),
            channel: channel.map_or(NO_CHANNEL, narrow),
            recording_frame: self.recorded,
            flags: if self.playing { PLAYING } else { 0 },
            bodies: narrow(self.frame.orientations.len()),
            gauges: narrow(self.frame.gauges.len()),
            contacts: narrow(self.frame.contacts.len()),
        };
        let mut out = Vec::with_capacity(Array::begin(None, &head));
        head.put(&mut out);
        for &array in Array::ALL {
            debug_assert_eq!(out.len(), Array::begin(Some(array), &head), "{array:?}");
            self.put(array, values, &mut out);
        }
        out
    }

    fn put(&self, array: Array, values: &[f32], out: &mut Vec<u8>) {
        match array {
            Array::Probes => self.frame.probes.iter().for_each(|value| value.put(out)),
            Array::Positions => self.frame.points.iter().for_each(|point| point.map(single).put(out)),
            Array::Values => values.iter().for_each(|value| value.put(out)),
            Array::Directors => {
                for k in 0..self.frame.points.len() {
                    let [x, y, z] = self.frame.directors.get(k).copied().unwrap_or_default().map(short);
                    [x, y, z, 0].put(out);
                }
            }
            Array::Orientations => {
                self.frame.orientations.iter().for_each(|turn| turn.map(single).put(out));
            }
            Array::Constraints => {
                self.frame.constraints.iter().for_each(|state| ConstraintNumbers::from(state).put(out));
            }
            Array::Springs => self.frame.springs.iter().for_each(|state| SpringNumbers::from(state).put(out)),
            Array::Loads => self.frame.loads.iter().for_each(|state| LoadNumbers::from(state).put(out)),
            Array::Gauges => self.frame.gauges.iter().for_each(|state| GaugeNumbers::from(state).put(out)),
            Array::Contacts => {
                self.frame.contacts.iter().for_each(|state| ContactNumbers::from(state).put(out));
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a share of 32767")]
fn short(x: f32) -> i16 {
    (x * 32767.0).round() as i16
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::frame::{
        Array, ConstraintNumbers, ContactNumbers, GaugeNumbers, Head, LoadNumbers, NO_CHANNEL, SpringNumbers,
    };
    use super::super::layout::{Number, Record, Value};
    use super::Shot;
    use micado_io::observe::CHANNELS;
    use micado_io::record::{ConstraintState, ContactState, Frame, GaugeState, LoadState, SpringState};

    /// A shot in which all numbers differ.
    pub(in super::super) fn sample() -> Shot {
        let mut channels = vec![Vec::new(); CHANNELS.len()];
        channels[1] = vec![5.5, 6.5];
        let table = super::Numbered { number: 7, text: String::new() };
        Shot {
            table: table.into(),
            number: 1 << 40,
            real_time_factor: 0.75,
            playing: true,
            recorded: 9,
            frame: Frame {
                time: 1.25,
                points: vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
                directors: vec![[0.0, 1.0, 0.0], [0.0, 0.0, -1.0]],
                channels,
                probes: vec![7.25],
                orientations: vec![[0.5, -0.5, 0.25, 0.75]],
                constraints: vec![ConstraintState {
                    place: [10.0, 11.0, 12.0],
                    direction: [13.0, 14.0, 15.0],
                    centre: Some([16.0, 17.0, 18.0]),
                    force: [19.0, 20.0, 21.0],
                    moment: [22.0, 23.0, 24.0],
                    residual: 25.0,
                    used: 26.0,
                    open: true,
                    radius: 28.0,
                    at: [Some(29.0), None],
                }],
                springs: vec![SpringState {
                    from: [30.0, 31.0, 32.0],
                    to: [33.0, 34.0, 35.0],
                    tension: 36.0,
                }],
                loads: vec![LoadState { place: [40.0, 41.0, 42.0], force: [43.0, 44.0, 45.0] }],
                gauges: vec![GaugeState {
                    value: 46.0,
                    target: Some(47.0),
                    drive: 48.0,
                    zero: [49.0, 50.0, 51.0],
                }],
                contacts: vec![ContactState {
                    objects: [1, 2],
                    point: [52.0, 53.0, 54.0],
                    normal: [55.0, 56.0, 57.0],
                    force: [58.0, 59.0, 60.0],
                    gap: 61.0,
                    friction: 62.0,
                }],
                ..Frame::default()
            },
            ..Shot::default()
        }
    }

    #[test]
    fn a_frame_has_its_parts_where_the_layout_says() {
        let shot = sample();
        let bytes = shot.bytes(Some(1));
        let head = Head::read(&bytes).expect("a head");
        assert_eq!((head.serial, head.number, head.time), (7, 1 << 40, 1.25));
        assert_eq!((head.points, head.values, head.channel), (2, 2, 1));
        let at = |array| &bytes[Array::begin(Some(array), &head)..];
        assert_eq!(f64::from_le_bytes(*at(Array::Probes).first_chunk().unwrap()), 7.25);
        assert_eq!(f32::from_le_bytes(at(Array::Positions)[20..24].try_into().unwrap()), 6.0);
        assert_eq!(f32::from_le_bytes(at(Array::Values)[4..8].try_into().unwrap()), 6.5);
        let directors = at(Array::Directors);
        assert_eq!(i16::from_le_bytes([directors[2], directors[3]]), 32767);
        assert_eq!(i16::from_le_bytes([directors[12], directors[13]]), -32767);
        let turn: [f32; 4] = Value::take(&mut at(Array::Orientations)).unwrap();
        assert_eq!((head.bodies, turn), (1, [0.5, -0.5, 0.25, 0.75]));
        assert_eq!(
            ConstraintNumbers::read(at(Array::Constraints)),
            Some((&shot.frame.constraints[0]).into())
        );
        assert_eq!(SpringNumbers::read(at(Array::Springs)), Some((&shot.frame.springs[0]).into()));
        assert_eq!(LoadNumbers::read(at(Array::Loads)), Some((&shot.frame.loads[0]).into()));
        assert_eq!(GaugeNumbers::read(at(Array::Gauges)), Some((&shot.frame.gauges[0]).into()));
        assert_eq!(ContactNumbers::read(at(Array::Contacts)), Some((&shot.frame.contacts[0]).into()));
        assert_eq!(bytes.len(), Array::begin(None, &head));
        assert_eq!(Head::read(&bytes[..Head::SIZE - 1]), None);
        // A channel that was not recorded is left out.
        let without = shot.bytes(Some(0));
        let head = Head::read(&without).expect("a head");
        assert_eq!((head.channel, head.values), (NO_CHANNEL, 0));
        assert_eq!(without.len() + 8, bytes.len());
    }

    /// The page reads arrays in place: they must start at a multiple of the size of their numbers.
    #[test]
    fn arrays_of_any_length_are_aligned() {
        for bits in 0..512_u32 {
            let bit = |k: u32| (bits >> k) & 1;
            let head = Head {
                points: bit(0),
                values: bit(1),
                constraints: bit(2),
                springs: bit(3),
                loads: bit(4),
                probes: bit(5),
                bodies: bit(6),
                gauges: bit(7),
                contacts: bit(8),
                ..Head::default()
            };
            for &array in Array::ALL {
                assert_eq!(Array::begin(Some(array), &head) % array.item().0.size(), 0, "{array:?} {head:?}");
            }
        }
        for field in Head::FIELDS {
            assert_eq!(field.offset % field.number.size(), 0, "{field:?}");
        }
    }

    #[test]
    fn records_in_arrays_have_numbers_of_one_type() {
        let all = [
            ConstraintNumbers::FIELDS,
            SpringNumbers::FIELDS,
            LoadNumbers::FIELDS,
            GaugeNumbers::FIELDS,
            ContactNumbers::FIELDS,
        ];
        assert!(all.into_iter().flatten().all(|field| field.number == Number::F32));
    }
}
