//! Round numbers and their texts.

/// Multiples of 1, 2 or 5 · 10ᵏ between two values, at most about `wanted`.
pub(crate) fn nice_ticks(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let step = nice_step((high - low) / wanted.max(1) as f64);
    let first = (low / step - 1e-6).ceil();
    let count = ((high / step + 1e-6).floor() - first).clamp(0.0, 50.0) as usize;
    let ticks: Vec<f64> = (0..=count).map(|i| (first + i as f64) * step + 0.0).collect();
    if ticks.iter().all(|tick| tick.is_finite()) { ticks } else { vec![low, high] }
}

/// The next 1, 2 or 5 · 10ᵏ that is not below `step`.
pub(crate) fn nice_step(step: f64) -> f64 {
    if !(step.is_finite() && step > 0.0) {
        return 1.0;
    }
    let decade = 10_f64.powi(step.log10().floor() as i32);
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * decade >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * decade
}

/// The text of a value among ticks `step` apart of which `largest` is the largest: `0.25`, `1.2e-5`.
pub(crate) fn text_of(value: f64, step: f64, largest: f64) -> String {
    if value == 0.0 || value.abs() < 1e-9 * step.abs() {
        return "0".into();
    }
    let exponent = |v: f64| (v.abs().log10() + 1e-9).floor() as i32;
    if (1e-3..1e5).contains(&largest.abs()) {
        let decimals = (-exponent(step)).clamp(0, 12) as usize;
        return format!("{value:.decimals$}");
    }
    let digits = (exponent(value) - exponent(step)).clamp(0, 12) as usize;
    format!("{value:.digits$e}")
}
