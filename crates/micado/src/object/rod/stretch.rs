//! Stretches that a linearised solve includes, and those that it neglects.
//!
//! A solve moves points on straight lines. An edge that turns by φ is then too long by `l φ²/2`. This is of
//! second order, but EA times it is not small, and the next solve would take it for a tension. Each pass of a
//! step therefore uses the tension that the last one has solved for, `N = EA (ε + BΔ)`. The energy of the
//! neglected stretch decides whether a pass was enough.

use super::Rod;
use super::model::ask;
use crate::object::Own;
use glam::DVec3;
use micado_linalg::Arithmetic;

/// By how much a vector that has become `e` by an increment `d` is longer than its linear prediction: |e| −
/// |e₀| − t₀·d, without cancellation.
pub(super) fn unseen(e: DVec3, d: DVec3) -> f64 {
    let before = e - d;
    let length = before.length();
    let along = before.dot(d) / length;
    let (across_squared, predicted) = (d.length_squared() - along * along, length + along);
    if predicted > 0.0 { across_squared.max(0.0) / (e.length() + predicted) } else { e.length() - predicted }
}

impl Rod {
    /// Length of the output of [`Rod::stretches`].
    pub(crate) fn stretch_count(&self) -> usize {
        ask!(self, rod => rod.stretch_count())
    }

    /// Stretches in a state or, given the increment that led to it, their linear prediction.
    pub(crate) fn stretches(
        &self,
        own: Own<'_>,
        led: Option<&[f64]>,
        out: &mut [f64],
        arithmetic: Arithmetic,
    ) {
        match self {
            Self::Beam(rod) => rod.stretches(own.q, own.frames, led, out),
            Self::Spline(rod) => rod.stretches(own.q, led, out, arithmetic),
            Self::Discrete(rod) => rod.stretches(own.q, led, out),
            Self::MassSpring(rod) => rod.stretches(own.q, led, out),
        }
    }

    /// The largest of the stretches, as a share of its length.
    pub(crate) fn largest_stretch(&self, stretches: &[f64]) -> f64 {
        match self {
            Self::Spline(rod) => rod.largest_stretch(stretches),
            // These stretches are strains already.
            Self::Discrete(_) | Self::Beam(_) | Self::MassSpring(_) => {
                stretches.iter().fold(0.0, |most: f64, strain| most.max(strain.abs()))
            }
        }
    }

    /// See [`Model::unseen_energy`](crate::object::Model::unseen_energy); of the polygon of control points,
    /// whose edges turn as the curve does. The elements of a beam bend when their chords turn against the
    /// tangents of their ends: all their strains but twist count.
    pub(crate) fn unseen_energy(&self, own: Own<'_>, led: &[f64]) -> f64 {
        // The lengths of an inextensible rod are rows.
        if self.inextensible().is_some() {
            return 0.0;
        }
        let (rest, _) = ask!(self, rod => rod.rest_polygon());
        match self {
            Self::Beam(rod) => rod.unseen_energy(own.q, own.frames, led),
            Self::Spline(_) | Self::Discrete(_) | Self::MassSpring(_) => {
                self.polygon_energy(rest, own.q, led)
            }
        }
    }

    /// See [`Model::most_unseen_energy`](crate::object::Model::most_unseen_energy): δ ≤ |Δe|²/l as long as
    /// edges keep a half of their length.
    pub(crate) fn most_unseen_energy(&self, led: &[f64]) -> f64 {
        if self.inextensible().is_some() {
            return 0.0;
        }
        if let Self::Beam(_) = self {
            // Nothing cheaper than the energy itself bounds that of bending.
            return f64::INFINITY;
        }
        let (_, shortest) = ask!(self, rod => rod.rest_polygon());
        let fourths = fourth_powers(led, self.is_closed());
        0.5 * ask!(self, rod => rod.most_stretch()) * fourths / shortest.powi(3)
    }

    /// Σ ½ EA δ²/l over the edges of the polygon of nodes.
    fn polygon_energy(&self, rest: &[DVec3], q: &[f64], led: &[f64]) -> f64 {
        let point = |x: &[f64], i: usize| DVec3::from_slice(&x[4 * i..]);
        let edge = |i: usize, j: usize| {
            let delta = unseen(point(q, j) - point(q, i), point(led, j) - point(led, i));
            0.5 * ask!(self, rod => rod.edge_stretch(i)) * delta * delta / rest[i].distance(rest[j])
        };
        let last = rest.len() - 1;
        let closing = if self.is_closed() { edge(last, 0) } else { 0.0 };
        closing + (0..last).map(|i| edge(i, i + 1)).sum::<f64>()
    }
}

/// Σ |Δe|⁴ over the edges of a polygon.
fn fourth_powers(led: &[f64], closed: bool) -> f64 {
    let points = led.as_chunks::<4>().0;
    let fourth = |a: &[f64; 4], b: &[f64; 4]| {
        let [x, y, z] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        let square = x * x + y * y + z * z;
        square * square
    };
    let closing = match points {
        [first, .., last] if closed => fourth(last, first),
        _ => 0.0,
    };
    closing + points.array_windows().map(|[a, b]| fourth(a, b)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::unseen;
    use glam::DVec3;

    #[test]
    fn a_turn_by_a_tangent_is_too_long_by_half_its_square() {
        let (e0, d) = (DVec3::X, DVec3::Y * 1e-6);
        // √(1 + 10⁻¹²) − 1, of which direct subtraction has four digits.
        let exact = 0.5e-12 * (1.0 - 0.25e-12);
        assert!((unseen(e0 + d, d) / exact - 1.0).abs() < 1e-12);
    }

    #[test]
    fn any_increment_gives_the_length_minus_its_prediction() {
        let e0 = DVec3::new(0.3, -0.2, 0.9);
        for d in [DVec3::new(0.1, 0.4, -0.3), DVec3::new(-1.0, 0.1, -2.0), e0 * 0.5, DVec3::ZERO] {
            let direct = (e0 + d).length() - e0.length() - e0.normalize().dot(d);
            assert!((unseen(e0 + d, d) - direct).abs() < 1e-15, "{d}");
        }
    }
}
