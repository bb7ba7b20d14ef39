//! Straight pieces between points, with arcs in place of their corners.

use super::curve::Curve;
use crate::describe::shape::{Arc, Line, Shape};
use crate::error::BuildError;
use crate::short::Short;
use glam::DVec3;

/// Angle, rad, below which a corner counts as straight; within the same angle of π, the line turns back.
const STRAIGHT: f64 = 1e-9;
/// Rounding, as a share of an edge: two arcs may overlap by it, and a shorter line between them is left out.
const ROUNDING: f64 = 1e-9;

/// A corner of a polyline: its arc of radius r begins r·`reach` before it and ends as far behind it.
#[derive(Clone, Copy)]
struct Corner {
    /// Angle by which the curve turns, rad.
    angle: f64,
    /// tan(angle/2)
    reach: f64,
}

/// The curve along straight lines between points, whose inner corners are arcs of this radius, tangent to
/// both lines.
///
/// # Errors
/// A corner that turns back, or an edge that is too short for the arcs at its ends.
pub(super) fn rounded(points: &[DVec3], radius: f64) -> Result<Curve, BuildError> {
    let ways: Vec<DVec3> = points.windows(2).map(|ends| (ends[1] - ends[0]).normalize()).collect();
    let mut corners = vec![Corner { angle: 0.0, reach: 0.0 }; points.len()];
    for (k, pair) in ways.windows(2).enumerate() {
        let angle = libm::atan2(pair[0].cross(pair[1]).length(), pair[0].dot(pair[1]));
        if angle > std::f64::consts::PI - STRAIGHT {
            return Err(BuildError::new(
                format!("polyline.through[{}]", k + 1),
                "the line turns back here, so no arc fits",
                "move the point, or give two points where the line turns",
            ));
        }
        if angle > STRAIGHT {
            corners[k + 1] = Corner { angle, reach: libm::tan(0.5 * angle) };
        }
    }
    let edges: Vec<f64> = points.windows(2).map(|ends| ends[0].distance(ends[1])).collect();
    let fits = |k: usize| edges[k] / (corners[k].reach + corners[k + 1].reach);
    let tightest = (0..edges.len()).min_by(|&a, &b| fits(a).total_cmp(&fits(b))).unwrap_or(0);
    if radius > fits(tightest) * (1.0 + ROUNDING) {
        let problem = format!(
            "the line of {} m from point {tightest} to point {} is too short for its arcs of {} m",
            Short(edges[tightest]),
            tightest + 1,
            Short(radius)
        );
        let remedy = format!("give a radius of at most {} m, or move the points", Short(fits(tightest)));
        return Err(BuildError::new("polyline.radius", problem, remedy));
    }
    let mut parts = Vec::with_capacity(2 * points.len());
    for (k, &way) in ways.iter().enumerate() {
        let from = points[k] + way * (radius * corners[k].reach);
        let to = points[k + 1] - way * (radius * corners[k + 1].reach);
        if (to - from).dot(way) > ROUNDING * edges[k] {
            parts.push(Shape::Line(Line { from: from.to_array(), to: to.to_array() }));
        }
        let Corner { angle, .. } = corners[k + 1];
        if angle > 0.0 {
            parts.push(Shape::Arc(Arc {
                from: to.to_array(),
                tangent: way.to_array(),
                towards: ways[k + 1].to_array(),
                radius,
                angle,
            }));
        }
    }
    if parts.is_empty() {
        return Err(BuildError::new(
            "polyline.through",
            "the lengths of the lines between the points are too small or too large to compute",
            "move the points",
        ));
    }
    Ok(Curve::joined(parts.iter().map(Curve::from_shape).collect::<Result<_, _>>()?))
}

#[cfg(test)]
mod tests {
    use crate::describe::shape::{Polyline, Shape};
    use crate::geometry::curve::Curve;
    use glam::DVec3;
    use std::f64::consts::PI;

    fn curve(through: &[[f64; 3]], radius: f64) -> Result<Curve, crate::error::BuildError> {
        Curve::from_shape(&Shape::Polyline(Polyline { through: through.to_vec(), radius }))
    }

    #[test]
    fn two_rounded_corners_are_half_a_circle_over_a_post() {
        let (r, tail) = (0.1, 0.3);
        let found = curve(&[[-r, 0.0, -tail], [-r, 0.0, r], [r, 0.0, r], [r, 0.0, -tail]], r).unwrap();
        assert!((found.length() - (2.0 * tail + PI * r)).abs() < 1e-15);
        assert!((found.least_radius() - r).abs() < 1e-15);
        for k in 0..=1000 {
            let s = found.length() * f64::from(k) / 1000.0;
            let angle = (s - tail) / r;
            let expected = if angle < 0.0 {
                DVec3::new(-r, 0.0, r * angle)
            } else if angle < PI {
                DVec3::new(-r * libm::cos(angle), 0.0, r * libm::sin(angle))
            } else {
                DVec3::new(r, 0.0, -r * (angle - PI))
            };
            assert!(found.point(s).distance(expected) < 1e-15, "{s}");
        }
    }

    #[test]
    fn a_rounded_polyline_is_smooth_and_ends_at_its_points() {
        let through = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.5], [1.0, 1.0, 1.0]];
        let found = curve(&through, 0.2).unwrap();
        assert_eq!(found.point(0.0), DVec3::ZERO);
        assert!(found.point(found.length()).distance(DVec3::new(1.0, 1.0, 1.0)) < 1e-15);
        let step = found.length() / 5000.0;
        let tangent = |k: i32| found.tangent(step * f64::from(k), 1e-5);
        for k in 0..5000 {
            // A radius of 0.2 m turns by the step over 0.2 m.
            assert!(tangent(k).distance(tangent(k + 1)) < 1.01 * step / 0.2, "{k}");
        }
    }

    #[test]
    fn arcs_that_do_not_fit_are_refused_with_the_largest_radius_that_does() {
        let error = curve(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.5, 0.0], [0.0, 0.5, 0.0]], 0.3).unwrap_err();
        assert_eq!(error.path, "polyline.radius");
        assert!(error.remedy.contains("at most 0.25 m"), "{}", error.remedy);
        let back = curve(&[[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]], 0.1).unwrap_err();
        assert_eq!(back.path, "polyline.through[1]");
        assert!(curve(&[[0.0; 3], [1.0, 0.0, 0.0]], -0.1).is_err());
        for length in [1e-200, 1e200] {
            let error = curve(&[[0.0; 3], [length, 0.0, 0.0]], 1e-300).unwrap_err();
            assert!(error.path.starts_with("polyline"), "{}", error.path);
        }
        // Without a radius, corners stay corners.
        assert!(curve(&[[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]], 0.0).is_ok());
    }
}
