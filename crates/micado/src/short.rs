//! Numbers in messages.

use std::fmt::{self, Display, Formatter};

/// A number in a message: at most six digits, no trailing zeros, and an exponent if it is very large or very
/// small.
#[derive(Clone, Copy, Debug)]
pub struct Short(pub f64);

impl Display for Short {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size == 0.0 {
            return f.write_str("0");
        }
        if !size.is_finite() {
            return self.0.fmt(f);
        }
        let scientific = format!("{:.5e}", self.0);
        let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        if !(1e-3..1e6).contains(&size) {
            return write!(f, "{}e{exponent}", trimmed(digits));
        }
        // The exponent is that of the rounded number, between −3 and 6.
        let places = usize::try_from(5 - exponent.parse::<i32>().unwrap_or(0)).unwrap_or(0);
        f.write_str(trimmed(&format!("{:.places$}", self.0)))
    }
}

/// A decimal number without zeros at its end.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::Short;

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        let shown =
            [0.0, -0.0, 1.0, -0.25, 0.1 + 0.2, 12.345_678_9, 123_456.7, 999_999.9, 1.5e-7, 3e9, 1e300, 0.001]
                .map(|x| Short(x).to_string());
        let wanted = [
            "0", "0", "1", "-0.25", "0.3", "12.3457", "123457", "1000000", "1.5e-7", "3e9", "1e300", "0.001",
        ];
        assert_eq!(shown, wanted);
        assert_eq!(Short(f64::NAN).to_string(), "NaN");
        assert_eq!(Short(f64::NEG_INFINITY).to_string(), "-inf");
    }
}
