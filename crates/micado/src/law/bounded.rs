//! least ≤ f ≤ most, δ = 0 inside.

/// The force of `δ = w f + k`.
pub fn bounded(w: f64, k: f64, least: f64, most: f64) -> f64 {
    (-k / w).max(least).min(most)
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn a_grip_holds_up_to_its_strength() {
        assert_eq!(bounded(0.5, 1.0, -3.0, 3.0), -2.0);
        assert_eq!(bounded(0.5, 2.0, -3.0, 3.0), -3.0);
        assert_eq!(bounded(0.5, -2.0, -3.0, 3.0), 3.0);
    }
}
