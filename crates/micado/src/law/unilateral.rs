//! Unilateral: 0 ≤ f ⊥ δ ≥ 0, one row. It pushes and never pulls.

/// The force of `δ = w f + k`. No force changes a row that nothing free moves, w = 0.
pub fn solve(w: f64, k: f64) -> f64 {
    if w <= 0.0 { 0.0 } else { (-k / w).max(0.0) }
}

/// The nearest force that is allowed.
pub fn project(f: f64) -> f64 {
    f.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::solve;

    #[test]
    fn a_contact_pushes_what_would_sink_in_and_lets_go_what_leaves() {
        assert_eq!(solve(2.0, -3.0), 1.5);
        assert_eq!(solve(2.0, 3.0), 0.0);
        assert_eq!(solve(0.0, -3.0), 0.0);
    }

    #[test]
    fn force_and_gap_are_never_positive_together() {
        for i in -20..=20 {
            let (w, k) = (0.7, 0.13 * f64::from(i));
            let f = solve(w, k);
            let delta = w * f + k;
            assert!(f >= 0.0 && delta >= -1e-15 && f * delta < 1e-15, "{k}: {f} {delta}");
        }
    }
}
