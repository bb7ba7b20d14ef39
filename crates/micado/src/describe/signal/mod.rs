//! Time functions as data: a constant, keyframes, a harmonic or a ramp.
//!
//! Targets, lengths, angles and loads use them, so a motion can be part of a scene file, a snapshot and an
//! edit.

pub(crate) mod measured;

use crate::describe::units;
use crate::error::BuildError;
use crate::short::Short;
use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Largest value of a time function: forces, accelerations and distances beyond it move any structure out of
/// the range of double precision within a step.
const LARGEST: f64 = 1e15;

/// Type of the values of a signal: a number or a 3-vector.
pub trait SignalValue:
    Copy + Default + PartialEq + fmt::Debug + Serialize + for<'de> Deserialize<'de>
{
    /// `a + (b − a) w`.
    fn blend(a: Self, b: Self, w: f64) -> Self;
    /// `a + b w`.
    fn add_scaled(a: Self, b: Self, w: f64) -> Self;
    /// `(b − a) w`.
    fn scaled_difference(a: Self, b: Self, w: f64) -> Self;
    /// Whether every component is finite.
    fn is_finite(self) -> bool;
    /// Largest magnitude of a component.
    fn size(self) -> f64;
}

impl SignalValue for f64 {
    fn blend(a: Self, b: Self, w: f64) -> Self {
        a + (b - a) * w
    }
    fn add_scaled(a: Self, b: Self, w: f64) -> Self {
        a + b * w
    }
    fn scaled_difference(a: Self, b: Self, w: f64) -> Self {
        (b - a) * w
    }
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
    fn size(self) -> f64 {
        self.abs()
    }
}

impl SignalValue for [f64; 3] {
    fn blend(a: Self, b: Self, w: f64) -> Self {
        std::array::from_fn(|i| f64::blend(a[i], b[i], w))
    }
    fn add_scaled(a: Self, b: Self, w: f64) -> Self {
        std::array::from_fn(|i| f64::add_scaled(a[i], b[i], w))
    }
    fn scaled_difference(a: Self, b: Self, w: f64) -> Self {
        std::array::from_fn(|i| f64::scaled_difference(a[i], b[i], w))
    }
    fn is_finite(self) -> bool {
        self.iter().all(|c| c.is_finite())
    }
    fn size(self) -> f64 {
        self.iter().fold(0.0, |most, c| c.abs().max(most))
    }
}

/// A value as a function of time, s.
///
/// In a scene file a constant is written as the bare value (`force = [0, 0, -5]`), the others as a table with
/// one key (`force.ramp = { from = [0, 0, 0], to = [0, 0, -5], start = 0, end = 2 }`).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", bound = "T: SignalValue")]
#[schemars(with = "SignalInput<T>", bound = "T: SignalValue + JsonSchema")]
pub enum Signal<T> {
    /// The same value at all times.
    Constant(T),
    /// Values at given times, joined by straight lines or smoothly; constant before the first and after the
    /// last.
    Keyframes(Keyframes<T>),
    /// `mean + amplitude · sin(2π frequency · t + phase)`.
    Harmonic(Harmonic<T>),
    /// From one value to another between two times.
    Ramp(Ramp<T>),
}

/// Values at given times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    bound(serialize = "T: Serialize", deserialize = "T: Default + Deserialize<'de>")
)]
#[schemars(bound = "T: Default + Serialize + JsonSchema")]
pub struct Keyframes<T> {
    /// Times, s, strictly ascending.
    pub times: Vec<f64>,
    /// One value for each time.
    pub values: Vec<T>,
    /// Ease in and out of every keyframe (cubic, rest at each keyframe) instead of straight lines.
    #[serde(default)]
    pub smooth: bool,
}

/// A sine in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    bound(serialize = "T: Serialize", deserialize = "T: Default + Deserialize<'de>")
)]
#[schemars(bound = "T: Default + Serialize + JsonSchema")]
pub struct Harmonic<T> {
    /// Value around which it swings.
    #[serde(default)]
    pub mean: T,
    /// Amplitude.
    pub amplitude: T,
    /// Frequency, Hz.
    pub frequency: f64,
    /// Phase, rad.
    #[serde(default, deserialize_with = "units::angle")]
    #[schemars(with = "units::QuantityInput")]
    pub phase: f64,
}

/// From one value to another between two times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    bound(serialize = "T: Serialize", deserialize = "T: Default + Deserialize<'de>")
)]
#[schemars(bound = "T: Default + Serialize + JsonSchema")]
pub struct Ramp<T> {
    /// Value before `start`.
    #[serde(default)]
    pub from: T,
    /// Value after `end`.
    pub to: T,
    /// Start time, s.
    #[serde(default, deserialize_with = "units::time")]
    #[schemars(with = "units::QuantityInput")]
    pub start: f64,
    /// End time, s.
    #[serde(deserialize_with = "units::time")]
    #[schemars(with = "units::QuantityInput")]
    pub end: f64,
    /// Ease in and out (cubic) instead of a straight line.
    #[serde(default)]
    pub smooth: bool,
}

impl<T> From<T> for Signal<T> {
    fn from(value: T) -> Self {
        Self::Constant(value)
    }
}

impl<T: SignalValue> Default for Signal<T> {
    fn default() -> Self {
        Self::Constant(T::default())
    }
}

/// Position of a time among keyframes.
enum Piece {
    /// Before the first, or there is none.
    Before,
    /// At or after the last, which is this one.
    After(usize),
    /// Between two, at these times.
    Between { from: usize, to: usize, times: [f64; 2] },
}

impl<T> Keyframes<T> {
    fn piece(&self, t: f64) -> Piece {
        // `check` refuses different numbers of times and values; here the surplus is ignored.
        let count = self.times.len().min(self.values.len());
        match self.times[..count].partition_point(|&time| time <= t) {
            0 => Piece::Before,
            after if after == count => Piece::After(count - 1),
            after => Piece::Between {
                from: after - 1,
                to: after,
                times: [self.times[after - 1], self.times[after]],
            },
        }
    }
}

/// `3w² − 2w³`: rest at both ends.
fn ease(w: f64, smooth: bool) -> f64 {
    if smooth { w * w * (3.0 - 2.0 * w) } else { w }
}

/// Derivative of `ease` by w.
fn ease_rate(w: f64, smooth: bool) -> f64 {
    if smooth { 6.0 * w * (1.0 - w) } else { 1.0 }
}

impl Signal<f64> {
    /// Least value from `time` on.
    pub(crate) fn least_from(&self, time: f64) -> f64 {
        let present = self.at(time);
        match self {
            Self::Constant(_) => present,
            Self::Ramp(ramp) => present.min(ramp.to),
            Self::Harmonic(wave) if wave.frequency == 0.0 => present,
            Self::Harmonic(wave) => wave.mean - wave.amplitude.abs(),
            Self::Keyframes(keys) => {
                let later = keys.times.iter().zip(&keys.values).filter(|(at, _)| **at >= time);
                later.fold(present, |least, (_, value)| least.min(*value))
            }
        }
    }
}

impl<T: SignalValue> Signal<T> {
    /// The function with its time shifted by `time`, s: `f(t + time)`.
    #[must_use]
    pub fn beginning_at(&self, time: f64) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(*value),
            Self::Keyframes(frames) => Self::Keyframes(Keyframes {
                times: frames.times.iter().map(|t| t - time).collect(),
                ..frames.clone()
            }),
            Self::Harmonic(wave) => {
                let turns = wave.frequency * time + wave.phase / std::f64::consts::TAU;
                Self::Harmonic(Harmonic { phase: turns.fract() * std::f64::consts::TAU, ..wave.clone() })
            }
            Self::Ramp(ramp) => {
                Self::Ramp(Ramp { start: ramp.start - time, end: ramp.end - time, ..ramp.clone() })
            }
        }
    }

    /// Whether it is described as anything but a constant.
    pub fn moves(&self) -> bool {
        !matches!(self, Self::Constant(_))
    }

    /// Value at time `t`, s.
    #[inline]
    pub fn at(&self, t: f64) -> T {
        match self {
            Self::Constant(value) => *value,
            _ => self.moving_at(t),
        }
    }

    /// Value at time `t` of a signal that is not constant.
    fn moving_at(&self, t: f64) -> T {
        match self {
            Self::Constant(value) => *value,
            Self::Ramp(ramp) => {
                if t <= ramp.start {
                    ramp.from
                } else if t >= ramp.end {
                    ramp.to
                } else {
                    T::blend(
                        ramp.from,
                        ramp.to,
                        ease((t - ramp.start) / (ramp.end - ramp.start), ramp.smooth),
                    )
                }
            }
            Self::Harmonic(wave) => {
                let angle = std::f64::consts::TAU * wave.frequency * t + wave.phase;
                T::add_scaled(wave.mean, wave.amplitude, libm::sin(angle))
            }
            Self::Keyframes(keys) => match keys.piece(t) {
                Piece::Before => keys.values.first().copied().unwrap_or_default(),
                Piece::After(last) => keys.values[last],
                Piece::Between { from, to, times } => T::blend(
                    keys.values[from],
                    keys.values[to],
                    ease((t - times[0]) / (times[1] - times[0]), keys.smooth),
                ),
            },
        }
    }

    /// Derivative by time at `t`, per second; the right-hand one where it jumps.
    pub fn rate(&self, t: f64) -> T {
        let blended = |from: T, to: T, times: [f64; 2], smooth: bool| {
            let span = times[1] - times[0];
            T::scaled_difference(from, to, ease_rate((t - times[0]) / span, smooth) / span)
        };
        match self {
            Self::Constant(_) => T::default(),
            Self::Ramp(ramp) if (ramp.start..ramp.end).contains(&t) => {
                blended(ramp.from, ramp.to, [ramp.start, ramp.end], ramp.smooth)
            }
            Self::Ramp(_) => T::default(),
            Self::Harmonic(wave) => {
                let omega = std::f64::consts::TAU * wave.frequency;
                T::add_scaled(T::default(), wave.amplitude, omega * libm::cos(omega * t + wave.phase))
            }
            Self::Keyframes(keys) => match keys.piece(t) {
                Piece::Before | Piece::After(_) => T::default(),
                Piece::Between { from, to, times } => {
                    blended(keys.values[from], keys.values[to], times, keys.smooth)
                }
            },
        }
    }

    /// Checks that the signal has a finite value at every time.
    ///
    /// # Errors
    /// The invalid field below `path`.
    pub fn check(&self, path: &str) -> Result<(), BuildError> {
        let finite = |value: T, field: &str| {
            if !value.is_finite() {
                Err(BuildError::new(
                    format!("{path}{field}"),
                    "a value that is not finite",
                    "give finite numbers",
                ))
            } else if value.size() > LARGEST {
                Err(BuildError::new(
                    format!("{path}{field}"),
                    format!("a value of {}, which no step can follow", Short(value.size())),
                    format!("give at most {}, in SI units", Short(LARGEST)),
                ))
            } else {
                Ok(())
            }
        };
        match self {
            Self::Constant(value) => finite(*value, ""),
            Self::Ramp(ramp) => {
                finite(ramp.from, ".ramp.from")?;
                finite(ramp.to, ".ramp.to")?;
                if ramp.start.is_finite() && ramp.end.is_finite() && ramp.start < ramp.end {
                    Ok(())
                } else {
                    Err(BuildError::new(
                        format!("{path}.ramp.end"),
                        "a ramp that doesn't end after its start",
                        "give end > start",
                    ))
                }
            }
            Self::Harmonic(wave) => {
                finite(wave.mean, ".harmonic.mean")?;
                finite(wave.amplitude, ".harmonic.amplitude")?;
                if wave.frequency.is_finite() && wave.phase.is_finite() {
                    Ok(())
                } else {
                    Err(BuildError::new(
                        format!("{path}.harmonic.frequency"),
                        "not a finite number",
                        "give a frequency in Hz",
                    ))
                }
            }
            Self::Keyframes(keys) => {
                let times_ascend =
                    keys.times.windows(2).all(|w| w[0] < w[1]) && keys.times.iter().all(|t| t.is_finite());
                if keys.times.is_empty() {
                    return Err(BuildError::new(
                        format!("{path}.keyframes.times"),
                        "no keyframes at all",
                        "give at least one time and one value",
                    ));
                }
                if !times_ascend {
                    return Err(BuildError::new(
                        format!("{path}.keyframes.times"),
                        "keyframe times that don't ascend",
                        "give each time greater than the one before",
                    ));
                }
                if keys.times.len() != keys.values.len() {
                    return Err(BuildError::new(
                        format!("{path}.keyframes.values"),
                        format!("{} values for {} times", keys.values.len(), keys.times.len()),
                        "give one value for each time",
                    ));
                }
                keys.values.iter().try_for_each(|&value| finite(value, ".keyframes.values"))
            }
        }
    }
}

/// Forms in which a signal may be written; only for the JSON Schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(bound = "T: SignalValue + JsonSchema")]
#[expect(dead_code, reason = "only its schema is used")]
enum SignalInput<T> {
    Value(T),
    Moving(Moving<T>),
}

/// The forms with a name; separate so that the bare value needs no buffering.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", bound(deserialize = "T: Default + Deserialize<'de>"))]
#[schemars(bound = "T: Default + Serialize + JsonSchema")]
pub(crate) enum Moving<T> {
    Constant(T),
    Keyframes(Keyframes<T>),
    Harmonic(Harmonic<T>),
    Ramp(Ramp<T>),
}

impl<'de, T: Default + Deserialize<'de>> Moving<T> {
    /// The one time function of a table.
    pub(crate) fn only<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let moving = Self::deserialize(MapAccessDeserializer::new(&mut map))?;
        match map.next_key::<String>()? {
            None => Ok(moving),
            Some(other) => {
                Err(de::Error::custom(format!("`{other}` beside another time function; give one of them")))
            }
        }
    }
}

impl<T> Moving<T> {
    /// The signal, with every value converted by `read`.
    fn signal<U>(self, read: impl Fn(T) -> U) -> Signal<U> {
        match self {
            Self::Constant(value) => Signal::Constant(read(value)),
            Self::Keyframes(Keyframes { times, values, smooth }) => {
                Signal::Keyframes(Keyframes { times, values: values.into_iter().map(read).collect(), smooth })
            }
            Self::Harmonic(Harmonic { mean, amplitude, frequency, phase }) => {
                Signal::Harmonic(Harmonic { mean: read(mean), amplitude: read(amplitude), frequency, phase })
            }
            Self::Ramp(Ramp { from, to, start, end, smooth }) => {
                Signal::Ramp(Ramp { from: read(from), to: read(to), start, end, smooth })
            }
        }
    }
}

struct SignalVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: SignalValue> Visitor<'de> for SignalVisitor<T> {
    type Value = Signal<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value, or a table with one of the keys keyframes, harmonic, ramp")
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        T::deserialize(de::value::F64Deserializer::new(value)).map(Signal::Constant)
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        T::deserialize(de::value::I64Deserializer::new(value)).map(Signal::Constant)
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        T::deserialize(de::value::U64Deserializer::new(value)).map(Signal::Constant)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        T::deserialize(SeqAccessDeserializer::new(seq)).map(Signal::Constant)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Moving::only(map).map(|moving| moving.signal(|value: T| value))
    }
}

impl<'de, T: SignalValue> Deserialize<'de> for Signal<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SignalVisitor(std::marker::PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::{Harmonic, Keyframes, Ramp, Signal};

    #[test]
    fn a_ramp_holds_before_and_after() {
        let ramp = Signal::Ramp(Ramp { from: 1.0, to: 3.0, start: 1.0, end: 2.0, smooth: false });
        assert_eq!([ramp.at(0.0), ramp.at(1.5), ramp.at(9.0)], [1.0, 2.0, 3.0]);
    }

    #[test]
    fn shifted_signal_continues_the_original() {
        for signal in [
            Signal::Constant(2.0),
            Signal::Ramp(Ramp { from: 1.0, to: 3.0, start: 1.0, end: 2.0, smooth: true }),
            Signal::Harmonic(Harmonic { mean: 1.0, amplitude: 2.0, frequency: 0.7, phase: 0.4 }),
            Signal::Keyframes(Keyframes {
                times: vec![0.0, 1.0, 3.0],
                values: vec![0.0, 2.0, -2.0],
                smooth: false,
            }),
        ] {
            for t in [0.0, 0.3, 1.1, 2.5, 7.0] {
                let (old, new) = (signal.at(t + 1.3), signal.beginning_at(1.3).at(t));
                assert!((old - new).abs() < 1e-14, "{signal:?} at {t}: {old} {new}");
            }
        }
    }

    #[test]
    fn keyframes_pass_through_their_values() {
        for smooth in [false, true] {
            let keys = Signal::Keyframes(Keyframes {
                times: vec![0.0, 1.0, 3.0],
                values: vec![0.0, 2.0, -2.0],
                smooth,
            });
            for (t, value) in [(0.0, 0.0), (1.0, 2.0), (3.0, -2.0), (7.0, -2.0), (-1.0, 0.0), (2.0, 0.0)] {
                assert!((keys.at(t) - value).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn a_harmonic_returns_after_its_period() {
        let wave = Signal::Harmonic(Harmonic { mean: 1.0, amplitude: 2.0, frequency: 4.0, phase: 0.3 });
        assert!((wave.at(0.1) - wave.at(0.35)).abs() < 1e-12);
    }

    #[test]
    fn rate_is_the_right_hand_derivative() {
        let signals = |smooth| {
            [
                Signal::Constant([1.0, -2.0, 3.0]),
                Signal::Ramp(Ramp {
                    from: [1.0, 0.0, -1.0],
                    to: [3.0, 0.5, 2.0],
                    start: 1.0,
                    end: 2.5,
                    smooth,
                }),
                Signal::Harmonic(Harmonic {
                    mean: [1.0; 3],
                    amplitude: [2.0, -1.0, 0.3],
                    frequency: 0.7,
                    phase: 0.3,
                }),
                Signal::Keyframes(Keyframes {
                    times: vec![0.0, 1.0, 2.5],
                    values: vec![[0.0; 3], [2.0, 1.0, -1.0], [-2.0, 3.0, 0.0]],
                    smooth,
                }),
            ]
        };
        let mut checked = 0;
        for signal in signals(false).into_iter().chain(signals(true)) {
            for t in [-0.7, 0.31, 0.9, 1.4, 2.2, 3.1] {
                let (step, rate) = (1e-5, signal.rate(t));
                let (after, before) = (signal.at(t + step), signal.at(t - step));
                for a in 0..3 {
                    // The third derivative of the harmonic is (2π·0.7)³·2 = 170: h²/6 of it is 3e-9.
                    assert!(
                        ((after[a] - before[a]) / (2.0 * step) - rate[a]).abs() < 1e-8,
                        "{signal:?} at {t}"
                    );
                    checked += 1;
                }
            }
        }
        assert_eq!(checked, 144);
        let [_, ramp, _, keys] = signals(false);
        assert_eq!([ramp.rate(1.0)[0], ramp.rate(2.5)[0]], [2.0 / 1.5, 0.0]);
        assert_eq!([keys.rate(0.0)[0], keys.rate(1.0)[0], keys.rate(2.5)[0]], [2.0, -4.0 / 1.5, 0.0]);
    }

    #[test]
    fn surplus_keyframe_times_and_values_are_ignored() {
        for (times, values) in [
            (vec![0.0], vec![1.0, 2.0]),
            (vec![0.0, 1.0], vec![1.0]),
            (vec![], vec![1.0]),
            (vec![0.0], vec![]),
        ] {
            let keys = Signal::Keyframes(Keyframes { times, values, smooth: false });
            assert!(keys.check("force").is_err() && keys.at(5.0).is_finite() && keys.rate(0.5) == 0.0);
        }
    }

    #[test]
    fn bad_signals_are_refused() {
        assert!(Signal::Constant(f64::NAN).check("force").is_err());
        let backwards =
            Signal::Keyframes(Keyframes { times: vec![1.0, 0.0], values: vec![0.0, 1.0], smooth: false });
        assert_eq!(backwards.check("force").unwrap_err().path, "force.keyframes.times");
    }

    #[test]
    fn two_time_functions_at_once_are_refused() {
        let both = r#"{"ramp": {"to": 2, "end": 1}, "harmonic": {"amplitude": 1, "frequency": 1}}"#;
        assert!(serde_json::from_str::<Signal<f64>>(both).unwrap_err().to_string().contains("`harmonic`"));
        let error = super::measured::angle(&mut serde_json::Deserializer::from_str(both)).unwrap_err();
        assert!(error.to_string().contains("`harmonic`"), "{error}");
    }

    #[test]
    fn bare_values_and_tables_read_alike() {
        let constant: Signal<[f64; 3]> = serde_json::from_str("[1, 2, 3.5]").unwrap();
        assert_eq!(constant.at(5.0), [1.0, 2.0, 3.5]);
        let number: Signal<f64> = serde_json::from_str("4").unwrap();
        assert_eq!(number.at(0.0), 4.0);
        let ramp: Signal<f64> = serde_json::from_str(r#"{"ramp": {"to": 2, "end": 1}}"#).unwrap();
        assert_eq!(ramp.at(0.5), 1.0);
        let again: Signal<f64> = serde_json::from_str(&serde_json::to_string(&ramp).unwrap()).unwrap();
        assert_eq!(again, ramp);
    }
}
