//! A shot: all that is seen at one moment, made once by the session, and turned into bytes for pages at most
//! once per channel.

use super::message::EventRow;
use axum::body::Bytes;
use micado_io::observe::CHANNELS;
use micado_io::record::Frame;
use std::sync::{Arc, OnceLock};

/// A message with a number by which a page knows whether it has had it.
#[derive(Debug, Default)]
pub(crate) struct Numbered {
    pub number: u32,
    pub text: String,
}

/// What has happened since something was opened. The oldest ones may be forgotten.
#[derive(Clone, Debug, Default)]
pub(crate) struct Events {
    /// How many are forgotten.
    pub first: usize,
    pub all: Vec<EventRow>,
}

impl Events {
    /// Those after the first `told` ones, and how many there are in all.
    pub(crate) fn after(&self, told: usize) -> (&[EventRow], usize) {
        let skipped = told.saturating_sub(self.first).min(self.all.len());
        (&self.all[skipped..], self.first + self.all.len())
    }
}

/// All that is seen at one moment.
#[derive(Debug, Default)]
pub(crate) struct Shot {
    /// What is open, as a message.
    pub scene: Arc<Numbered>,
    /// What exists, as a message; its number is the serial.
    pub table: Arc<Numbered>,
    pub events: Arc<Events>,
    pub number: u64,
    pub real_time_factor: f64,
    pub playing: bool,
    /// Frame of the recording that is played back.
    pub recorded: u32,
    pub frame: Frame,
    pub probes: Vec<f64>,
    /// place, direction, centre, force, moment, residual, strength used, open, 0, 0
    pub constraints: Vec<[f32; 20]>,
    /// from, to, tension, 0
    pub springs: Vec<[f32; 8]>,
    /// place, force, 0, 0
    pub loads: Vec<[f32; 8]>,
    /// The bytes of the frame with each channel, and without.
    pub encoded: [OnceLock<Bytes>; CHANNELS.len() + 1],
}

/// Bytes before the probes.
const HEAD: usize = 64;

impl Shot {
    /// The frame as a page gets it that looks at `channel`.
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
        let frame = &self.frame;
        let points = frame.points.len();
        let size = HEAD
            + 8 * self.probes.len()
            + 24 * points
            + 80 * self.constraints.len()
            + 32 * (self.springs.len() + self.loads.len());
        let mut out = Vec::with_capacity(size);
        out.extend_from_slice(b"MCF1");
        out.extend_from_slice(&self.table.number.to_le_bytes());
        out.extend_from_slice(&self.number.to_le_bytes());
        out.extend_from_slice(&frame.time.to_le_bytes());
        out.extend_from_slice(&self.real_time_factor.to_le_bytes());
        let counts =
            [points, self.constraints.len(), self.springs.len(), self.loads.len(), self.probes.len()];
        counts.iter().for_each(|&count| out.extend_from_slice(&narrow(count).to_le_bytes()));
        out.extend_from_slice(&channel.map_or(u32::MAX, narrow).to_le_bytes());
        out.extend_from_slice(&self.recorded.to_le_bytes());
        out.extend_from_slice(&u32::from(self.playing).to_le_bytes());
        self.probes.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
        frame.points.iter().flatten().for_each(|&x| out.extend_from_slice(&single(x).to_le_bytes()));
        for value in channel.and_then(|channel| self.values(channel)).unwrap_or_default() {
            out.extend_from_slice(&value.to_le_bytes());
        }
        for k in 0..points {
            let [x, y, z] = frame.directors.get(k).copied().unwrap_or_default().map(short);
            [x, y, z, 0].iter().for_each(|part| out.extend_from_slice(&part.to_le_bytes()));
        }
        self.constraints.iter().flatten().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        self.springs
            .iter()
            .chain(&self.loads)
            .flatten()
            .for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        out
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a screen needs no more digits")]
pub(crate) fn single(x: f64) -> f32 {
    x as f32
}

#[expect(clippy::cast_possible_truncation, reason = "a share of 32767")]
fn short(x: f32) -> i16 {
    (x * 32767.0).round() as i16
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{HEAD, Shot};
    use micado_io::observe::CHANNELS;
    use micado_io::record::Frame;

    #[test]
    fn a_frame_has_its_parts_where_the_protocol_says() {
        let mut channels = vec![Vec::new(); CHANNELS.len()];
        channels[1] = vec![5.0, 6.0];
        let shot = Shot {
            number: 3,
            frame: Frame {
                time: 1.5,
                points: vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
                directors: vec![[0.0, 1.0, 0.0], [0.0, 0.0, -1.0]],
                channels,
                ..Frame::default()
            },
            probes: vec![7.0],
            constraints: vec![[0.5; 20]],
            springs: vec![[0.25; 8]],
            loads: vec![[0.125; 8]],
            ..Shot::default()
        };
        let bytes = shot.bytes(Some(1));
        let f32_at = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(&bytes[..4], b"MCF1");
        assert_eq!(f64::from_le_bytes(bytes[16..24].try_into().unwrap()), 1.5);
        assert_eq!(
            [u32_at(32), u32_at(36), u32_at(40), u32_at(44), u32_at(48), u32_at(52)],
            [2, 1, 1, 1, 1, 1]
        );
        assert_eq!(f64::from_le_bytes(bytes[HEAD..HEAD + 8].try_into().unwrap()), 7.0);
        let points = HEAD + 8;
        assert_eq!(f32_at(points + 4 * 5), 6.0);
        let values = points + 24;
        assert_eq!((f32_at(values), f32_at(values + 4)), (5.0, 6.0));
        let directors = values + 8;
        assert_eq!(i16::from_le_bytes(bytes[directors + 2..directors + 4].try_into().unwrap()), 32767);
        assert_eq!(i16::from_le_bytes(bytes[directors + 12..directors + 14].try_into().unwrap()), -32767);
        let constraints = directors + 16;
        assert_eq!(
            (f32_at(constraints), f32_at(constraints + 80), f32_at(constraints + 80 + 32)),
            (0.5, 0.25, 0.125)
        );
        assert_eq!(bytes.len(), constraints + 80 + 64);
        // A channel that was not recorded is left out, and said to be.
        let without = shot.bytes(Some(0));
        assert_eq!(u32::from_le_bytes(without[52..56].try_into().unwrap()), u32::MAX);
        assert_eq!(without.len() + 8, bytes.len());
    }
}
