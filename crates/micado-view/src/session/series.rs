//! The history of the probes, thinned out when it is long.

use std::fmt::Write;

/// Largest number of rows, and of values in all of them.
const MOST_ROWS: usize = 100_000;
const MOST_NUMBERS: usize = 2_000_000;

/// Values of the probes at each step.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    names: Vec<String>,
    /// Time and values of each row, concatenated.
    numbers: Vec<f64>,
    /// Only one of this many steps is kept.
    every: u64,
    steps: u64,
}

impl Series {
    /// Adds a row. Starts again if the probes have changed; continues from an earlier time if time has jumped
    /// back.
    pub(super) fn add(&mut self, names: &[String], time: f64, values: &[f64]) {
        if self.names != names || self.every == 0 {
            *self = Self { names: names.to_vec(), numbers: Vec::new(), every: 1, steps: 0 };
        }
        let width = 1 + self.names.len();
        while self.numbers.len() >= width && self.numbers[self.numbers.len() - width] >= time {
            self.numbers.truncate(self.numbers.len() - width);
        }
        self.steps += 1;
        if !self.steps.is_multiple_of(self.every) {
            return;
        }
        if self.numbers.len() / width >= MOST_ROWS.min(MOST_NUMBERS / width) {
            self.every *= 2;
            let kept: Vec<f64> = self.numbers.chunks_exact(width).step_by(2).flatten().copied().collect();
            self.numbers = kept;
        }
        self.numbers.push(time);
        self.numbers.extend_from_slice(values);
    }

    /// The history as CSV: time and probes.
    pub(super) fn csv(&self) -> String {
        let mut text = String::from("time");
        self.names.iter().for_each(|name| {
            text.push(',');
            text.push_str(name);
        });
        text.push('\n');
        for row in self.numbers.chunks_exact(1 + self.names.len()) {
            for (k, number) in row.iter().enumerate() {
                // Writing to memory can't fail.
                let _ = write!(text, "{}{number}", if k == 0 { "" } else { "," });
            }
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_ROWS, Series};

    #[test]
    fn rows_are_kept_from_the_start_to_now() {
        let mut series = Series::default();
        let names = ["a".to_owned(), "b".to_owned()];
        for k in 0..5 {
            series.add(&names, f64::from(k), &[1.0, f64::NAN]);
        }
        series.add(&names, 2.0, &[3.0, 4.0]);
        assert_eq!(series.csv(), "time,a,b\n0,1,NaN\n1,1,NaN\n2,3,4\n");
    }

    #[test]
    fn a_long_history_is_thinned_out() {
        let mut series = Series::default();
        let count = 5 * MOST_ROWS;
        for k in 0..count {
            series.add(&["a".to_owned()], k as f64, &[0.0]);
        }
        let rows = series.csv().lines().count() - 1;
        assert!((MOST_ROWS / 2..=MOST_ROWS + 1).contains(&rows), "{rows}");
        assert!(series.csv().lines().nth(1).is_some_and(|row| row == "0,0"), "from the start");
    }
}
