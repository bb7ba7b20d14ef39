//! Knots of a clamped cubic spline with segments of different widths, and the change of control points when a
//! knot is inserted or removed.
//!
//! Segment e is between the knots u_e and u_{e+1}; the first and the last one count four times, so that the
//! curve begins and ends at control points. With `t` the whole list, control point i belongs to the knots t_i
//! … t_{i+4}.
//!
//! Inserting a knot û changes no curve (Boehm): `P'_i = a_i P_i + (1 − a_i) P_{i−1}`, `a_i = (û −
//! t_i)/(t_{i+3} − t_i)` for the three i whose span contains û, 1 before them and 0 after. Removing a knot
//! solves these equations from both sides; the difference of the two sides in the middle is the displacement
//! of the curve (Tiller).

use super::basis::SegmentBasis;
use super::curve::Interpolated;
use std::ops::Add;

/// Largest ratio of the widths of neighbouring segments.
pub(crate) const STEEPEST: f64 = 100.0;

/// Knots of a clamped spline.
#[derive(Clone, Debug, PartialEq)]
pub struct Knots {
    /// 0 and ascending, one more than there are segments.
    at: Vec<f64>,
}

impl Knots {
    /// Segments of width one.
    pub fn even(segments: usize) -> Self {
        Self { at: (0..=segments).map(|k| k as f64).collect() }
    }

    /// Segments of these widths; `None` if one is not a positive number, or more than a hundred times as wide
    /// as its neighbour.
    pub fn of_widths(widths: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (mut at, mut before) = (vec![0.0], None);
        for width in widths {
            let steep = before.is_some_and(|before: f64| width.max(before) > STEEPEST * width.min(before));
            if !(width > 0.0 && width.is_finite()) || steep {
                return None;
            }
            at.push(at.last().copied().unwrap_or_default() + width);
            before = Some(width);
        }
        (at.len() > 1 && at.iter().all(|u| u.is_finite())).then_some(Self { at })
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.at.len() - 1
    }

    /// The parameter at the end.
    pub fn end(&self) -> f64 {
        self.at[self.segments()]
    }

    /// The knots, each once.
    pub fn at(&self) -> &[f64] {
        &self.at
    }

    /// Width of segment `e`.
    #[inline]
    pub fn width(&self, e: usize) -> f64 {
        self.at[e + 1] - self.at[e]
    }

    /// Widths of all segments.
    pub fn widths(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.segments()).map(|e| self.width(e))
    }

    /// Whether all segments are equally wide.
    pub fn are_even(&self) -> bool {
        self.widths().all(|width| width == self.width(0))
    }

    /// Segment and coordinate within it at parameter `u`, clamped to the ends.
    pub fn segment_at(&self, u: f64) -> (usize, f64) {
        let e = self.at.partition_point(|&knot| knot <= u).clamp(1, self.segments()) - 1;
        (e, ((u - self.at[e]) / self.width(e)).clamp(0.0, 1.0))
    }

    /// Knot k of the whole list, in which the ends count four times.
    fn whole(&self, k: usize) -> f64 {
        self.at[k.saturating_sub(3).min(self.segments())]
    }

    /// Greville abscissa of control point i: control points there make |r'| constant.
    pub fn greville(&self, i: usize) -> f64 {
        (self.whole(i + 1) + self.whole(i + 2) + self.whole(i + 3)) / 3.0
    }

    /// The six knots of the basis of segment `e` in its own coordinate: 0 and 1 bound it.
    pub fn about(&self, e: usize) -> [f64; 6] {
        let (start, width) = (self.at[e], self.width(e));
        std::array::from_fn(|m| (self.whole(e + m + 1) - start) / width)
    }

    /// Basis of segment `e`.
    pub fn basis(&self, e: usize) -> SegmentBasis {
        SegmentBasis::on(self.about(e))
    }

    /// Derivative of a curve at a knot by the parameter of the segment after it.
    pub(crate) fn tangent<T: Interpolated + Add<Output = T>>(&self, points: &[T], knot: usize) -> T {
        let w = self.basis(knot).weights(0.0).db;
        points[knot] * w[0] + points[knot + 1] * w[1] + points[knot + 2] * w[2] + points[knot + 3] * w[3]
    }

    /// The knots with one more at `u`, and the map of control points; `None` if there is one already, or if
    /// segments would have very different widths.
    pub(crate) fn with(&self, u: f64) -> Option<(Self, Insertion)> {
        let e = self.segment_at(u).0;
        let mut at = self.at.clone();
        at.insert(e + 1, u);
        let refined = Self::of_widths(at.windows(2).map(|pair| pair[1] - pair[0])).map(|_| Self { at })?;
        Some((refined, self.insertion(e, u)))
    }

    /// The knots without the inner one of this number, and the insertion that this undoes.
    pub(crate) fn without(&self, knot: usize) -> Option<(Self, Insertion)> {
        if knot == 0 || knot >= self.segments() {
            return None;
        }
        let mut at = self.at.clone();
        let u = at.remove(knot);
        let coarse = Self::of_widths(at.windows(2).map(|pair| pair[1] - pair[0])).map(|_| Self { at })?;
        let insertion = coarse.insertion(knot - 1, u);
        Some((coarse, insertion))
    }

    fn insertion(&self, e: usize, u: f64) -> Insertion {
        Insertion {
            first: e + 1,
            shares: std::array::from_fn(|k| {
                let (from, to) = (self.whole(e + 1 + k), self.whole(e + 4 + k));
                (u - from) / (to - from)
            }),
        }
    }
}

/// Map of control points when a knot is inserted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Insertion {
    /// The first of the three new control points that lie between old ones.
    first: usize,
    /// a_i of these three.
    shares: [f64; 3],
}

impl Insertion {
    /// Control points of the same curve with the knot.
    pub(crate) fn put_in<T: Interpolated + Add<Output = T>>(&self, points: &[T]) -> Vec<T> {
        let (i, a) = (self.first, &self.shares);
        let between = (0..3).map(|k| points[i + k] * a[k] + points[i + k - 1] * (1.0 - a[k]));
        points[..i].iter().copied().chain(between).chain(points[i + 2..].iter().copied()).collect()
    }

    /// Control points of the nearest curve without the knot, and the largest displacement, by `size`, of one
    /// of the three that change: no point of the curve moves by more. The sum of squares of the changes is
    /// minimal.
    pub(crate) fn take_out<T: Interpolated + Add<Output = T>>(
        &self,
        points: &[T],
        size: impl Fn(T) -> f64,
    ) -> (Vec<T>, f64) {
        let (i, [a, b, c]) = (self.first, self.shares);
        // The three must be orthogonal to this vector if they result from an insertion.
        let normal = [-(1.0 - b) / a, 1.0, -b / (1.0 - c)];
        let square: f64 = normal.iter().map(|n| n * n).sum();
        let (before, behind) = (points[i - 1], points[i + 3]);
        let three = [points[i] - before * (1.0 - a), points[i + 1], points[i + 2] - behind * c];
        let excess = (three[0] * normal[0] + three[1] * normal[1] + three[2] * normal[2]) * (1.0 / square);
        let inner = [(three[0] - excess * normal[0]) / a, (three[2] - excess * normal[2]) / (1.0 - c)];
        let moved = normal.iter().map(|&n| size(excess * n)).fold(0.0, f64::max);
        (points[..i].iter().chain(&inner).chain(&points[i + 3..]).copied().collect(), moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::basis::{Family, greville};

    fn uneven() -> Knots {
        Knots::of_widths([1.0, 0.5, 0.25, 0.25, 1.5, 0.7, 1.0]).unwrap()
    }

    #[test]
    fn even_knots_have_the_basis_of_uniform_ones() {
        for n in 1..9 {
            let knots = Knots::even(n);
            for e in 0..n {
                assert_eq!(knots.basis(e), SegmentBasis::new(Family::Clamped, e, n));
            }
            (0..n + 3).for_each(|i| assert_eq!(knots.greville(i), greville(i, n)));
        }
    }

    #[test]
    fn uneven_segments_join_with_two_derivatives_and_reproduce_lines() {
        let knots = uneven();
        for e in 0..knots.segments() {
            for f in [0.0, 0.3, 1.0] {
                let w = knots.basis(e).weights(f);
                let u: f64 = (0..4).map(|k| w.b[k] * knots.greville(e + k)).sum();
                assert!(
                    (w.b.iter().sum::<f64>() - 1.0).abs() < 1e-14
                        && (u - knots.at()[e] - f * knots.width(e)).abs() < 1e-13
                );
                assert_eq!(knots.segment_at(knots.at()[e] + 0.3 * knots.width(e)).0, e);
            }
            if e + 1 == knots.segments() {
                continue;
            }
            let (end, start) = (knots.basis(e).weights(1.0), knots.basis(e + 1).weights(0.0));
            let (a, b) = (knots.width(e), knots.width(e + 1));
            for k in 0..3 {
                assert!((end.b[k + 1] - start.b[k]).abs() < 1e-14);
                assert!((end.db[k + 1] / a - start.db[k] / b).abs() < 1e-12);
                assert!((end.ddb[k + 1] / (a * a) - start.ddb[k] / (b * b)).abs() < 1e-11);
            }
        }
    }

    fn point(knots: &Knots, points: &[f64], u: f64) -> f64 {
        let (e, f) = knots.segment_at(u);
        let w = knots.basis(e).weights(f).b;
        (0..4).map(|k| points[e + k] * w[k]).sum()
    }

    #[test]
    fn inserting_and_removing_a_knot_changes_no_curve() {
        let knots = uneven();
        let points: Vec<f64> = (0..knots.segments() + 3).map(|i| libm::sin(1.0 + 7.0 * i as f64)).collect();
        for u in [0.4, 1.2, 1.75 + 0.01, 3.0, 5.0] {
            let (fine, insertion) = knots.with(u).unwrap();
            let refined = insertion.put_in(&points);
            for k in 0..=200 {
                let at = knots.end() * f64::from(k) / 200.0;
                assert!((point(&fine, &refined, at) - point(&knots, &points, at)).abs() < 1e-14);
            }
            let knot = fine.at().iter().position(|&at| at == u).unwrap();
            let (coarse, insertion) = fine.without(knot).unwrap();
            let (back, moved) = insertion.take_out(&refined, f64::abs);
            assert!(coarse == knots && moved < 1e-14);
            back.iter().zip(&points).for_each(|(a, b)| assert!((a - b).abs() < 1e-13));
        }
        assert!(
            knots.with(1.0).is_none()
                && knots.with(1.001).is_none()
                && knots.without(0).is_none()
                && knots.without(7).is_none()
        );
    }

    #[test]
    fn removing_a_knot_moves_no_point_farther_than_reported() {
        let knots = uneven();
        let points: Vec<f64> = (0..knots.segments() + 3).map(|i| libm::sin(1.0 + 7.0 * i as f64)).collect();
        for knot in 1..knots.segments() {
            let (coarse, insertion) = knots.without(knot).unwrap();
            let (fewer, moved) = insertion.take_out(&points, f64::abs);
            let farthest = (0..=1000)
                .map(|k| knots.end() * f64::from(k) / 1000.0)
                .map(|u| (point(&coarse, &fewer, u) - point(&knots, &points, u)).abs())
                .fold(0.0, f64::max);
            // The bound is tight within a factor of a few.
            assert!(
                farthest <= moved * (1.0 + 1e-12) && farthest > 0.2 * moved,
                "knot {knot}: {farthest} of {moved}"
            );
        }
    }

    #[test]
    fn invalid_widths_are_refused() {
        for widths in [
            vec![],
            vec![1.0, 0.0],
            vec![1.0, -1.0],
            vec![1.0, f64::NAN],
            vec![1.0, f64::INFINITY],
            vec![1.0, 1e-3],
        ] {
            assert_eq!(Knots::of_widths(widths), None);
        }
        assert!(Knots::of_widths([1.0, 2.0]).is_some_and(|knots| !knots.are_even() && knots.end() == 3.0));
    }
}
