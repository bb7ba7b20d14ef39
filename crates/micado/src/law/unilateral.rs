//! 0 ≤ f ⊥ δ ≥ 0.

/// The force of `δ = w f + k`.
pub fn unilateral(w: f64, k: f64) -> f64 {
    (-k / w).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::unilateral;

    #[test]
    fn a_contact_pushes_what_would_sink_in_and_lets_go_what_leaves() {
        assert_eq!(unilateral(2.0, -3.0), 1.5);
        assert_eq!(unilateral(2.0, 3.0), 0.0);
    }
}
