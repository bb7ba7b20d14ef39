//! Unilateral: 0 ≤ f ⊥ δ ≥ 0, one row: it pushes and never pulls.

/// Returns the force of `δ = w f + k`; 0 where w = 0, since no force can move such a row.
pub fn solve(w: f64, k: f64) -> f64 {
    if w <= 0.0 { 0.0 } else { (-k / w).max(0.0) }
}

/// Returns the nearest allowed force.
pub fn project(f: f64) -> f64 {
    f.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::solve;

    #[test]
    fn contact_stops_penetration_and_does_not_pull() {
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
