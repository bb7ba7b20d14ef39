//! Bodies that touch: friction on inclines and in stacks, rolling, bouncing, collisions.

use super::reference::Reference;
use super::stand::{Stand, Trouble};
use super::{Experiment, Plan, Readings};
use glam::DVec3;
use micado::scene::Integrator;
use micado::step::StepParams;
use serde_json::{Value, json};
use std::f64::consts::FRAC_PI_2;

pub(super) const F01: Plan = Plan {
    id: "F01-block-incline",
    shows: "a cube on a fixed plane: the least friction with which it stays, by bisection; its \
            acceleration, and where and when it stops; BDF2 of 10 ms",
    experiments: &[Experiment {
        model: "body",
        quantities: &[
            "mu_threshold",
            "acceleration_mu_0.2",
            "travel_1s_mu_0.2_m",
            "stop_time_s",
            "stop_distance_m",
            "creep_speed_when_stuck",
            "friction_force_when_stuck_per_mass",
        ],
        measure: incline,
    }],
};

pub(super) const F03: Plan = Plan {
    id: "F03-stack-pull",
    shows: "two blocks on the floor, the lower one pulled: the forces at which it starts and at which the \
            upper one slides, by bisection, accelerations and normal forces; BDF2 of 10 ms",
    experiments: &[Experiment {
        model: "body",
        quantities: &[
            "F_start_N",
            "F_slide_N",
            "acceleration_F25",
            "upper_acceleration_F45",
            "lower_acceleration_F45",
            "ground_normal_N",
            "between_normal_N",
        ],
        measure: stack,
    }],
};

pub(super) const F05: Plan = Plan {
    id: "F05-rolling",
    shows: "a cylinder rolls or slips down a fixed plane, and a cylinder and a ball are thrown without spin; \
            BDF2 of 5 ms",
    experiments: &[Experiment {
        model: "body",
        quantities: &[
            "a_roll",
            "a_slip",
            "alpha_slip",
            "mu_min_rolling",
            "slide_time_s",
            "slide_distance_m",
            "final_speed_cylinder",
            "final_speed_sphere",
        ],
        measure: rolling,
    }],
};

pub(super) const G03: Plan = Plan {
    id: "G03-bounce",
    shows: "a ball falls on the floor and bounces until it rests; Euler of 1 ms",
    experiments: &[Experiment {
        model: "body",
        quantities: &["apex_m", "impact_times_s", "time_to_rest_s"],
        measure: bounce,
    }],
};

/// The cube, the cylinder or the ball of a scene.
const BODY: &str = "body";
/// Speed below which a body is at rest, m/s.
const REST: f64 = 1e-8;
/// Bisections of a threshold.
const BISECTIONS: usize = 14;

/// A body of 1 kg on a fixed plane that falls along x; it is thrown down the plane.
fn on_slope(
    shape: &Value,
    clearance: f64,
    turned: [f64; 3],
    (angle, mu, speed): (f64, f64, f64),
) -> Result<Stand, Trouble> {
    let (down, normal) = directions(angle);
    Stand::build(json!({
        "contact": { "friction": mu },
        "body": {
            "slope": { "shape": { "half-space": {} }, "fixed": true, "rotation": [0, angle, 0] },
            BODY: { "shape": shape, "mass": 1, "rotation": turned, "position": clearance * normal,
                "velocity": speed * down },
        },
    }))
}

fn directions(angle: f64) -> (DVec3, DVec3) {
    let (sin, cos) = angle.sin_cos();
    (DVec3::new(cos, 0.0, -sin), DVec3::new(sin, 0.0, cos))
}

fn cube(angle: f64, mu: f64, speed: f64) -> Result<Stand, Trouble> {
    let shape = json!({ "box": { "size": [0.2, 0.2, 0.2] } });
    on_slope(&shape, 0.1, [0.0, angle, 0.0], (angle, mu, speed))
}

fn second_order(step: f64) -> StepParams {
    StepParams { step, integrator: Integrator::Bdf2, ..StepParams::default() }
}

fn advance(stand: &mut Stand, params: &StepParams, steps: usize) -> Result<(), Trouble> {
    (0..steps).try_for_each(|_| stand.step(params).map(|_| ()))
}

/// Where `holds` begins or ends between two values, of which only the second one holds.
pub(super) fn threshold(
    mut not: f64,
    mut yes: f64,
    holds: impl Fn(f64) -> Result<bool, Trouble>,
) -> Result<f64, Trouble> {
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (not + yes);
        *(if holds(middle)? { &mut yes } else { &mut not }) = middle;
    }
    Ok(0.5 * (not + yes))
}

fn incline(case: &Reference) -> Result<Readings, Trouble> {
    const STEP: f64 = 0.01;
    let params = second_order(STEP);
    let angle = case.number("incline_deg")?.to_radians();
    let (down, normal) = directions(angle);
    let start = 0.1 * normal;
    let stays = |mu: f64| {
        let mut stand = cube(angle, mu, 0.0)?;
        advance(&mut stand, &params, 10)?;
        Ok(stand.velocity(BODY).length() < REST)
    };
    let least = threshold(0.0, 1.0, stays)?;
    let mut slides = cube(angle, case.number("mu_slip")?, 0.0)?;
    advance(&mut slides, &params, 100)?;
    let mut stops = cube(angle, case.number("mu_stop")?, case.number("v0")?)?;
    let (mut time, mut fastest) = (f64::NAN, 0.0_f64);
    for _ in 0..400 {
        let before = stops.velocity(BODY).dot(down);
        stops.step(&params)?;
        let speed = stops.velocity(BODY).length();
        if time.is_nan() && speed < REST {
            // It decelerates evenly and stops within the step.
            let (sin, cos) = angle.sin_cos();
            let deceleration = case.number("g")? * (case.number("mu_stop")? * cos - sin);
            time = stops.world().time() - STEP + before / deceleration;
        } else if !time.is_nan() {
            fastest = fastest.max(speed);
        }
    }
    let friction: DVec3 = stops.world().surface_contacts().map(|contact| contact.force).sum();
    Ok(vec![
        ("mu_threshold", vec![least]),
        ("acceleration_mu_0.2", vec![slides.velocity(BODY).dot(down)]),
        ("travel_1s_mu_0.2_m", vec![(slides.position(BODY) - start).dot(down)]),
        ("stop_time_s", vec![time]),
        ("stop_distance_m", vec![(stops.position(BODY) - start).dot(down)]),
        ("creep_speed_when_stuck", vec![fastest]),
        ("friction_force_when_stuck_per_mass", vec![-friction.dot(down)]),
    ])
}

fn pulled(case: &Reference, pull: f64) -> Result<Stand, Trouble> {
    let mut stand = Stand::build(json!({
        "floor": true,
        "contact": { "pairs": [
            { "between": ["lower", "floor"], "friction": case.number("mu_ground")? },
            { "between": ["lower", "upper"], "friction": case.number("mu_between")? },
        ] },
        "body": {
            "lower": { "shape": { "box": { "size": [0.6, 0.3, 0.1] } }, "mass": case.number("m_lower")?,
                "position": [0, 0, 0.05] },
            "upper": { "shape": { "box": { "size": [0.2, 0.2, 0.2] } }, "mass": case.number("m_upper")?,
                "position": [0, 0, 0.2] },
        },
        "load": { "pull": { "force": { "on": "lower", "force": [pull, 0, 0] } } },
    }))?;
    advance(&mut stand, &second_order(0.01), 20)?;
    Ok(stand)
}

fn stack(case: &Reference) -> Result<Readings, Trouble> {
    const TIME: f64 = 0.2;
    let forces = case.numbers("F")?;
    let start = threshold(0.0, 20.0, |pull| Ok(pulled(case, pull)?.velocity("lower").x > REST))?;
    let slide = threshold(20.0, 40.0, |pull| {
        let stand = pulled(case, pull)?;
        Ok((stand.velocity("lower") - stand.velocity("upper")).x > 1e-6)
    })?;
    let together = pulled(case, forces[0])?;
    let apart = pulled(case, forces[1])?;
    let world = apart.world();
    let upper = world.object("of", "upper")?.index;
    let (mut ground, mut between) = (0.0, 0.0);
    for contact in world.surface_contacts() {
        *(if contact.objects.contains(&upper) { &mut between } else { &mut ground }) += contact.force.z.abs();
    }
    Ok(vec![
        ("F_start_N", vec![start]),
        ("F_slide_N", vec![slide]),
        ("acceleration_F25", vec![together.velocity("lower").x / TIME]),
        ("upper_acceleration_F45", vec![apart.velocity("upper").x / TIME]),
        ("lower_acceleration_F45", vec![apart.velocity("lower").x / TIME]),
        ("ground_normal_N", vec![ground]),
        ("between_normal_N", vec![between]),
    ])
}

fn rolling(case: &Reference) -> Result<Readings, Trouble> {
    const STEP: f64 = 0.005;
    let params = second_order(STEP);
    let radius = case.number("R_m")?;
    let angle = case.number("incline_deg")?.to_radians();
    let (mu, v) = (case.numbers("mu")?, case.number("v0")?);
    let cylinder = |angle: f64, mu: f64, speed: f64| {
        let shape = json!({ "cylinder": { "radius": radius, "length": 0.3 } });
        on_slope(&shape, radius, [0.0, 0.0, FRAC_PI_2], (angle, mu, speed))
    };
    let ball = |mu: f64, speed: f64| {
        on_slope(&json!({ "sphere": { "radius": radius } }), radius, [0.0; 3], (0.0, mu, speed))
    };
    let after = |mut stand: Stand, steps: usize| advance(&mut stand, &params, steps).map(|()| stand);
    let (rolls, slips) =
        (after(cylinder(angle, mu[0], 0.0)?, 200)?, after(cylinder(angle, mu[1], 0.0)?, 200)?);
    let least = threshold(0.0, 1.0, |mu| {
        let stand = after(cylinder(angle, mu, 0.0)?, 20)?;
        Ok(stand.velocity(BODY).length() - radius * stand.body_rate(BODY).length() < 1e-6)
    })?;
    let mut thrown = cylinder(0.0, mu[2], v)?;
    let mut reached = None;
    for _ in 0..200 {
        thrown.step(&params)?;
        let slip = thrown.velocity(BODY).length() - radius * thrown.body_rate(BODY).length();
        if reached.is_none() && slip < 1e-6 {
            reached = Some((thrown.world().time(), thrown.position(BODY).x));
        }
    }
    let (time, distance) = reached.ok_or_else(|| Trouble::new("the cylinder slides on"))?;
    Ok(vec![
        ("a_roll", vec![rolls.velocity(BODY).length()]),
        ("a_slip", vec![slips.velocity(BODY).length()]),
        ("alpha_slip", vec![slips.body_rate(BODY).length()]),
        ("mu_min_rolling", vec![least]),
        ("slide_time_s", vec![time]),
        ("slide_distance_m", vec![distance]),
        ("final_speed_cylinder", vec![thrown.velocity(BODY).length()]),
        ("final_speed_sphere", vec![after(ball(mu[2], v)?, 200)?.velocity(BODY).length()]),
    ])
}

fn bounce(case: &Reference) -> Result<Readings, Trouble> {
    const RADIUS: f64 = 0.1;
    let params = StepParams { step: 1e-3, ..StepParams::default() };
    let mut stand = Stand::build(json!({
        "floor": true,
        "contact": { "restitution": case.number("e")? },
        "body": { BODY: { "shape": { "sphere": { "radius": RADIUS } }, "mass": 1,
            "position": [0, 0, RADIUS + case.number("h")?] } },
    }))?;
    let (mut apexes, mut impacts, mut moved) = (Vec::new(), Vec::new(), 0.0);
    let (mut height, mut rate) = (f64::INFINITY, 0.0);
    for _ in 0..3500 {
        stand.step(&params)?;
        let (now, v) = (stand.position(BODY).z - RADIUS, stand.velocity(BODY).z);
        if v > 0.0 && rate < 0.0 {
            impacts.push(stand.world().time());
        }
        if v <= 0.0 && rate > 0.0 {
            apexes.push(now.max(height));
        }
        if v.abs() > REST {
            moved = stand.world().time();
        }
        (height, rate) = (now, v);
    }
    apexes.truncate(3);
    impacts.truncate(3);
    Ok(vec![("apex_m", apexes), ("impact_times_s", impacts), ("time_to_rest_s", vec![moved])])
}

/// Speeds of two balls on a straight wire after their collision, and its time.
fn shock(case: &Reference, masses: [f64; 2], restitution: f64) -> Result<([f64; 2], f64), Trouble> {
    let (v, apart) = (case.numbers("v")?, case.number("start_distance_m")?);
    let radius = 0.5 * case.number("contact_distance_m")?;
    let ball = |k: usize, x: f64| {
        json!({ "shape": { "sphere": { "radius": radius } }, "mass": masses[k], "position": [x, 0, 0],
            "velocity": [v[k], 0, 0] })
    };
    let line = json!({ "line": { "from": [-1, 0, 0], "to": [1, 0, 0] } });
    let wire = |on: &str| json!({ "trajectory": { "on": on, "path": line } });
    let mut stand = Stand::build(json!({
        "contact": { "restitution": restitution },
        "body": { "first": ball(0, 0.0), "second": ball(1, apart) },
        "constraint": { "on_first": wire("first"), "on_second": wire("second") },
    }))?;
    let speeds = |stand: &Stand| ["first", "second"].map(|name| stand.velocity(name).x);
    let mut time = f64::NAN;
    for _ in 0..300 {
        let (before, [a, b]) = (stand.world().time(), speeds(&stand));
        stand.step(&StepParams { step: 1e-3, ..StepParams::default() })?;
        let [next_a, next_b] = speeds(&stand);
        if a > b && next_a <= next_b {
            // The impulse acts at the start of the step.
            time = before;
        }
    }
    Ok((speeds(&stand), time))
}

/// The collision of P03 with bodies on a wire.
pub(super) fn shocks(case: &Reference) -> Result<Readings, Trouble> {
    let masses = case.numbers("m")?;
    let (elastic, time) = shock(case, [masses[0], masses[1]], 1.0)?;
    let (half, _) = shock(case, [masses[0], masses[1]], 0.5)?;
    let (swapped, _) = shock(case, [masses[0]; 2], 1.0)?;
    Ok(vec![
        ("elastic_v1_v2", elastic.to_vec()),
        ("e05_v1_v2", half.to_vec()),
        ("collision_time_s", vec![time]),
        ("equal_mass_elastic", swapped.to_vec()),
    ])
}
