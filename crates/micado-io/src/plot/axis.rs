//! The range of an axis and where its ticks are.

use super::ticks::{nice_ticks, text_of};

/// Larger values count as not finite and smaller ones as zero, so that no later arithmetic overflows.
const LARGEST: f64 = 1e300;
const SMALLEST: f64 = 1e-290;

/// One axis, which maps values to 0 … 1.
#[derive(Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    log: bool,
    /// Place (0 … 1) and text of each tick.
    pub(super) ticks: Vec<(f64, String)>,
}

/// Margin around the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Margin {
    /// The axis ends where the data end.
    Tight,
    /// A small margin, and zero included if the data come near it.
    Loose,
}

/// Whether an axis can show a value.
pub(super) fn is_drawable(value: f64, log: bool) -> bool {
    value.abs() <= LARGEST && (!log || value >= SMALLEST)
}

impl Axis {
    /// Fits an axis to the values that it can show.
    pub(super) fn fit(values: impl Iterator<Item = f64>, log: bool, margin: Margin, ticks: usize) -> Self {
        let transform = |value: f64| if log { value.log10() } else { value };
        let (mut low, mut high) = values
            .filter(|value| is_drawable(*value, log))
            .map(transform)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let scale = low.abs().max(high.abs());
        let constant = high - low <= 1e-12 * scale;
        if scale < SMALLEST {
            (low, high) = (-1.0, 1.0);
        } else if constant {
            let room = if log { 0.5 } else { 0.1 * scale };
            (low, high) = (low - room, high + room);
        } else if margin == Margin::Loose {
            let room = 0.05 * (high - low);
            let from_zero = !log && low >= 0.0 && low < 0.3 * high;
            let to_zero = !log && high <= 0.0 && high > 0.3 * low;
            low = if from_zero { 0.0 } else { low - room };
            high = if to_zero { 0.0 } else { high + room };
        }
        let mut axis = Self { low, high, log, ticks: Vec::new() };
        axis.ticks = if log { axis.log_ticks(ticks) } else { axis.linear_ticks(ticks) };
        axis
    }

    /// Position of a value between the ends of the axis, 0 … 1.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = if self.log { value.log10() } else { value };
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    fn linear_ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        let values = nice_ticks(self.low, self.high, wanted);
        let step = if values.len() > 1 { values[1] - values[0] } else { self.high - self.low };
        let largest = values.iter().fold(0.0_f64, |largest, v| largest.max(v.abs()));
        values.iter().map(|v| (self.place(*v), text_of(*v, step, largest))).collect()
    }

    /// Decades; 1, 2, 5 of each if there are few; linear ticks if there is less than one decade.
    fn log_ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        let (first, last) = (self.low.ceil() as i32, self.high.floor() as i32);
        let decades = (last - first + 1).max(0) as usize;
        let mut values = Vec::new();
        if decades > 2 {
            let stride = decades.div_ceil(wanted.max(1));
            values.extend((first..=last).step_by(stride).map(|k| 10_f64.powi(k)));
        } else {
            for k in first - 1..=last {
                values.extend([1.0, 2.0, 5.0].map(|m| m * 10_f64.powi(k)));
            }
        }
        let mut inside: Vec<f64> = values
            .into_iter()
            .filter(|v| (self.low - 1e-9..=self.high + 1e-9).contains(&v.log10()))
            .collect();
        if inside.len() < 3 {
            inside = nice_ticks(10_f64.powf(self.low), 10_f64.powf(self.high), wanted);
            let step = if inside.len() > 1 { inside[1] - inside[0] } else { inside[0] };
            let largest = inside.last().copied().unwrap_or(1.0);
            return inside.iter().map(|v| (self.place(*v), text_of(*v, step, largest))).collect();
        }
        inside.iter().map(|v| (self.place(*v), text_of(*v, *v, *v))).collect()
    }
}
