//! Motion in time: a large swing, and the order and damping of the integrators.

use super::reference::Reference;
use super::stand::{Stand, Trouble};
use super::{Experiment, Plan, Readings};
use micado::scene::{Hessian, Integrator, Solves};
use micado::step::StepParams;
use serde_json::json;

pub(super) const D01: Plan = Plan {
    id: "D01-pendulum-large",
    shows: "a mass on a distance constraint swings through 115°: period, speed and tension at the bottom; \
            BDF2 of 1 ms with Newton",
    experiments: &[Experiment {
        model: "mass",
        quantities: &["period_s", "bottom_speed", "bottom_tension_per_mass"],
        measure: swing,
    }],
};

pub(super) const O03: Plan = Plan {
    id: "O03-order-time",
    shows: "a mass on a spring: amplitude and phase of implicit Euler, one linearised solve per step, \
            and the orders of Euler and BDF2 from the two finer steps",
    experiments: &[Experiment {
        model: "mass",
        quantities: &[
            "amplitude_backward_euler",
            "phase_rad_backward_euler",
            "order_backward_euler",
            "order_second_order_schemes",
        ],
        measure: orders,
    }],
};

fn swing(case: &Reference) -> Result<Readings, Trouble> {
    let (link, angle) = (case.number("link_m")?, case.number("theta0")?);
    let mass = 0.7;
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, -case.number("g")?, 0] },
        "mass": { "mass": { "position": [link * angle.sin(), -link * angle.cos(), 0], "mass": mass } },
        "constraint": { "link": { "distance": { "on": "mass", "centre": [0, 0, 0], "distance": link } } },
    }))?;
    let params = StepParams {
        step: 1e-3,
        solves: Solves::Exactly(20),
        integrator: Integrator::Bdf2,
        hessian: Hessian::Exact,
        ..StepParams::default()
    };
    // Time, horizontal position, speed and tension; values at the bottom are interpolated between two steps.
    let state = |stand: &Stand| {
        [
            stand.world().time(),
            stand.mass_position().x,
            stand.mass_velocity().length(),
            stand.force("link").y / mass,
        ]
    };
    let mut last = state(&stand);
    let mut bottoms: Vec<[f64; 4]> = vec![];
    while bottoms.len() < 2 {
        stand.step(&params)?;
        let next = state(&stand);
        if last[1] * next[1] <= 0.0 {
            let w = last[1] / (last[1] - next[1]);
            bottoms.push(std::array::from_fn(|k| last[k] + w * (next[k] - last[k])));
        }
        if next[0] > 10.0 {
            return Err(Trouble::new("the pendulum did not pass its bottom twice in 10 s"));
        }
        last = next;
    }
    // Two passages are half a period apart.
    Ok(vec![
        ("period_s", vec![2.0 * (bottoms[1][0] - bottoms[0][0])]),
        ("bottom_speed", vec![bottoms[0][2]]),
        ("bottom_tension_per_mass", vec![bottoms[0][3]]),
    ])
}

/// State of the oscillator at the end, z = x − i v/ω = A e^{iφ}.
struct End {
    amplitude: f64,
    phase: f64,
}

/// Simulates a mass on a spring from x = 1, v = 0.
fn oscillate(omega: f64, step: f64, duration: f64, integrator: Integrator) -> Result<End, Trouble> {
    let mass = 1.0;
    // A spring much longer than the motion, along the motion.
    let far = 10.0;
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, 0, 0] },
        "mass": { "mass": { "position": [1, 0, 0], "mass": mass } },
        "spring": { "spring": { "linear": {
            "from": { "point": [-far, 0, 0] }, "to": { "mass": "mass" }, "stiffness": mass * omega * omega,
                "length": far,
        } } },
    }))?;
    let params = StepParams { step, integrator, ..StepParams::default() };
    let (mut phase, mut amplitude) = (0.0_f64, 1.0);
    for _ in 0..(duration / step).round() as usize {
        stand.step(&params)?;
        let (x, y) = (stand.mass_position().x, -stand.mass_velocity().x / omega);
        amplitude = x.hypot(y);
        // The angle of z, continued from step to step.
        phase += (y.atan2(x) - phase + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU)
            - std::f64::consts::PI;
    }
    Ok(End { amplitude, phase })
}

fn orders(case: &Reference) -> Result<Readings, Trouble> {
    let (omega, duration, steps) = (case.number("omega")?, case.number("t_end")?, case.numbers("dt")?);
    let run = |integrator| {
        steps
            .iter()
            .map(|&step| oscillate(omega, step, duration, integrator))
            .collect::<Result<Vec<End>, Trouble>>()
    };
    let (euler, bdf2) = (run(Integrator::Euler)?, run(Integrator::Bdf2)?);
    // |z − e^{iωt}|
    let error = |end: &End| {
        let (sin, cos) = (omega * duration).sin_cos();
        (end.amplitude * end.phase.cos() - cos).hypot(end.amplitude * end.phase.sin() - sin)
    };
    let order = |ends: &[End]| {
        let n = ends.len();
        (error(&ends[n - 2]) / error(&ends[n - 1])).ln() / (steps[n - 2] / steps[n - 1]).ln()
    };
    Ok(vec![
        ("amplitude_backward_euler", euler.iter().map(|end| end.amplitude).collect()),
        ("phase_rad_backward_euler", euler.iter().map(|end| end.phase).collect()),
        ("order_backward_euler", vec![order(&euler)]),
        ("order_second_order_schemes", vec![order(&bdf2)]),
    ])
}
