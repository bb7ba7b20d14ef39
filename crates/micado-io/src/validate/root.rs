//! Sign changes of a function of a load or an angle.

use super::stand::Trouble;

/// An argument and its value.
type Point = (f64, f64);

/// Walks from `start` in growing strides, each `factor` times longer, until `f` changes its sign, and finds
/// the root between.
pub(crate) fn first_root(
    start: f64,
    factor: f64,
    mut f: impl FnMut(f64) -> Result<f64, Trouble>,
) -> Result<f64, Trouble> {
    let mut last = (start, f(start)?);
    for _ in 0..60 {
        let x = last.0 * factor;
        let next = (x, f(x)?);
        if next.1 * last.1 <= 0.0 {
            return root(last, next, f);
        }
        last = next;
    }
    Err(Trouble::new(format!("no change of sign from {start:.3} to {:.3}", last.0)))
}

/// Relative tolerance of a root.
const CLOSE: f64 = 1e-7;

/// Distance from an estimate at which the function is evaluated, as a share of the bracket: at the root the
/// stiffness is singular.
const BESIDE: f64 = 1e-3;

/// The root of `f` in a bracket, by false position with an evaluation on each side of the estimate.
pub(crate) fn root(
    mut a: Point,
    mut b: Point,
    mut f: impl FnMut(f64) -> Result<f64, Trouble>,
) -> Result<f64, Trouble> {
    let close = CLOSE * b.0.abs().max(a.0.abs());
    let mut last = f64::INFINITY;
    for _ in 0..50 {
        let estimate = b.0 - b.1 * (b.0 - a.0) / (b.1 - a.1);
        if (estimate - last).abs() <= close || (b.0 - a.0).abs() <= close {
            return Ok(estimate);
        }
        last = estimate;
        let beside = BESIDE * (b.0 - a.0);
        for x in [estimate - beside, estimate + beside] {
            // The end of the bracket is already closer.
            if (x - a.0) * (x - b.0) >= 0.0 {
                continue;
            }
            let next = (x, f(x)?);
            *(if next.1 * a.1 > 0.0 { &mut a } else { &mut b }) = next;
        }
    }
    Err(Trouble::new(format!("no root between {} and {}", a.0, b.0)))
}

/// The argument between `low` and `high` where `holds` turns from false to true, to `tolerance`.
pub(crate) fn threshold(
    mut low: f64,
    mut high: f64,
    tolerance: f64,
    mut holds: impl FnMut(f64) -> Result<bool, Trouble>,
) -> Result<f64, Trouble> {
    while high - low > tolerance {
        let middle = 0.5 * (low + high);
        if holds(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::{first_root, threshold};

    #[test]
    fn roots_are_found_to_seven_digits() {
        let x = first_root(0.1, 1.5, |x| Ok(2.0 - x * x)).unwrap();
        assert!((x - 2.0_f64.sqrt()).abs() < 1e-7, "{x}");
        assert!(first_root(1.0, 2.0, |_| Ok(1.0)).is_err());
    }

    #[test]
    fn a_threshold_is_found_by_halving() {
        let x = threshold(0.0, 10.0, 1e-6, |x| Ok(x > 3.7)).unwrap();
        assert!((x - 3.7).abs() < 1e-6, "{x}");
    }
}
