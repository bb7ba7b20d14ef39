//! Bounded: least ≤ f ≤ most, one row; inside δ = 0, at a bound δ is against f.

/// The force of `δ = w f + k`. No force changes a row that nothing free moves, w = 0.
pub fn solve(w: f64, k: f64, least: f64, most: f64) -> f64 {
    if w <= 0.0 { 0.0 } else { project(-k / w, least, most) }
}

/// The nearest force that is allowed.
pub fn project(f: f64, least: f64, most: f64) -> f64 {
    f.max(least).min(most)
}

/// Share of the bounds that a force takes up; infinite if nothing is allowed.
pub fn load(f: f64, least: f64, most: f64) -> f64 {
    share(f, most).max(share(-f, -least))
}

/// A force as a share of the most that is allowed.
pub(super) fn share(force: f64, most: f64) -> f64 {
    if force <= 0.0 { 0.0 } else { force / most }
}

#[cfg(test)]
mod tests {
    use super::{load, solve};

    #[test]
    fn a_grip_holds_up_to_its_strength() {
        assert_eq!(solve(0.5, 1.0, -3.0, 3.0), -2.0);
        assert_eq!(solve(0.5, 2.0, -3.0, 3.0), -3.0);
        assert_eq!(solve(0.5, -2.0, -3.0, 3.0), 3.0);
        assert_eq!(solve(0.0, -2.0, -3.0, 3.0), 0.0);
    }

    #[test]
    fn it_gives_against_its_force_and_only_at_a_bound() {
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
