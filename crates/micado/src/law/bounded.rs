//! Bounded: least ≤ f ≤ most, one row. Inside, δ = 0; at a bound, δ opposes f.

/// Returns the force of `δ = w f + k`; 0 where w = 0, since no force can move such a row.
pub fn solve(w: f64, k: f64, least: f64, most: f64) -> f64 {
    if w <= 0.0 { 0.0 } else { project(-k / w, least, most) }
}

/// Returns the nearest allowed force.
pub fn project(f: f64, least: f64, most: f64) -> f64 {
    f.max(least).min(most)
}

/// Share of the bounds that a force uses; infinite if no force is allowed.
pub fn load(f: f64, least: f64, most: f64) -> f64 {
    share(f, most).max(share(-f, -least))
}

/// A force as a share of the largest allowed one.
pub(super) fn share(force: f64, most: f64) -> f64 {
    if force <= 0.0 { 0.0 } else { force / most }
}

#[cfg(test)]
mod tests {
    use super::{load, solve};

    #[test]
    fn bounded_force_holds_up_to_its_bounds() {
        assert_eq!(solve(0.5, 1.0, -3.0, 3.0), -2.0);
        assert_eq!(solve(0.5, 2.0, -3.0, 3.0), -3.0);
        assert_eq!(solve(0.5, -2.0, -3.0, 3.0), 3.0);
        assert_eq!(solve(0.0, -2.0, -3.0, 3.0), 0.0);
    }

    #[test]
    fn bounded_row_yields_only_at_a_bound_and_against_the_force() {
        for i in -40..=40 {
            let (w, k, least, most) = (0.3, 0.05 * f64::from(i), -2.0, 1.0);
            let f = solve(w, k, least, most);
            let delta = w * f + k;
            assert!((least..=most).contains(&f));
            assert!(delta.abs() < 1e-15 || f == most && delta < 0.0 || f == least && delta > 0.0, "{k}");
        }
    }

    #[test]
    fn the_load_is_the_share_of_the_bound_on_the_side_of_the_force() {
        assert_eq!([1.5, -1.5, 0.0].map(|f| load(f, -6.0, 3.0)), [0.5, 0.25, 0.0]);
        assert_eq!(load(1.0, 0.0, 0.0), f64::INFINITY);
    }
}
