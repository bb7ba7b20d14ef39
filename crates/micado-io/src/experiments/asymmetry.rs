//! A bent rod whose centreline is held, with one end turned. Turning costs bending energy, so the twist stays
//! near the turned end.
//!
//! θ: angle of the directors; κ: natural curvature in a plane; EI₁, EI₂: stiffness out of it and in it.
//! `GJ θ'' = κ² (EI₁ sin θ cos θ + EI₂ (1 − cos θ) sin θ)`, θ(0) = 0, θ(L) given.

use super::{Experiment, Number, Study, along, at_its_end, scene};
use crate::plot::{Chart, Series};
use crate::validate::ode::runge_kutta;
use crate::validate::root::threshold;
use crate::validate::stand::Trouble;
use glam::DVec3;
use micado::object::rod::Section;
use std::f64::consts::{FRAC_PI_4, PI};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "twist-asymmetry",
    shows: "the twist of a held semicircle stays in the half that is turned: its share there, \
            isotropic and anisotropic",
    measure,
};

/// Segments of the scene, in which GJ = 1 and the rod is a semicircle of length 1.
const SEGMENTS: usize = 49;
const CURVATURE: f64 = PI;

/// Angle of the director from the normal of the plane.
fn angle(section: &Section) -> f64 {
    let across = section.tangent.cross(DVec3::Y);
    section.director.dot(across).atan2(section.director.y)
}

fn measured(bend: [f64; 2], turn: f64) -> Result<Vec<(f64, f64)>, Trouble> {
    let overrides = [
        format!("rod.rod.stiffness.bend={}", bend[0]),
        format!("rod.rod.stiffness.bend_2={}", bend[1]),
        format!("constraint.end.clamp.roll.ramp.to={turn}"),
    ];
    let simulation = at_its_end(&scene(EXPERIMENT.name, &overrides)?)?;
    // Maps angles near −π to +π: rounding may flip the sign of half a turn.
    let whole = |angle: f64| if angle < -1e-6 { angle + 2.0 * PI } else { angle };
    Ok(along(&simulation, "rod", SEGMENTS)?.iter().map(|(s, section)| (*s, whole(angle(section)))).collect())
}

/// θ(s) at `count` + 1 evenly spaced places.
fn theory([b1, b2]: [f64; 2], turn: f64, count: usize) -> Result<Vec<(f64, f64)>, Trouble> {
    let shoot = |slope: f64, to: f64| {
        // Over a unit interval: s = to·u.
        runge_kutta([0.0, slope], 2000, |[theta, rate]| {
            let moment = CURVATURE.powi(2) * theta.sin() * (b1 * theta.cos() + b2 * (1.0 - theta.cos()));
            [to * rate, to * moment]
        })
    };
    // The final angle grows with the initial slope.
    let slope = threshold(0.0, turn, 1e-14, |slope| Ok(shoot(slope, 1.0)[0] > turn))?;
    Ok((0..=count).map(|k| k as f64 / count as f64).map(|s| (s, shoot(slope, s)[0])).collect())
}

/// Share of the twist in the turned half, from angles at evenly spaced places.
fn share(angles: &[(f64, f64)]) -> f64 {
    let (last, n) = (angles.len() - 1, angles.len());
    let middle = 0.5 * (angles[last / 2].1 + angles[n / 2].1);
    1.0 - middle / angles[last].1
}

fn measure() -> Result<Study, Trouble> {
    let cases = [
        ([1.0, 1.0], FRAC_PI_4),
        ([1.0, 1.0], PI),
        ([10.0, 1.0], FRAC_PI_4),
        ([10.0, 1.0], PI),
        ([1.0, 10.0], FRAC_PI_4),
        ([1.0, 10.0], PI),
    ];
    let (mut numbers, mut series) = (vec![], vec![]);
    for (bend, turn) in cases {
        let (found, exact) = (measured(bend, turn)?, theory(bend, turn, 50)?);
        let [b1, b2] = bend;
        numbers.push(Number::new(
            format!("share of {:.0}° in the turned half, EI {b1}, {b2}", turn.to_degrees()),
            share(&found),
            share(&exact),
        ));
        if turn == PI {
            series.push(Series::new(format!("EI {b1}, {b2}: theory"), exact));
            series.push(Series::new(format!("EI {b1}, {b2}: 49 edges"), found));
        }
    }
    Ok(Study {
        numbers,
        chart: Chart {
            title: "Half a turn at the end of a held semicircle".into(),
            x_label: "place, m".into(),
            y_label: "angle, rad".into(),
            series,
            ..Chart::default()
        },
    })
}
