//! Pearls on straight wires: sliding with viscous friction, and collisions.

use super::reference::Reference;
use super::stand::{Stand, Trouble};
use super::{Experiment, Plan, Readings, touch};
use glam::DVec3;
use micado::step::StepParams;
use serde_json::{Value, json};

pub(super) const P01: Plan = Plan {
    id: "P01-pearl-incline",
    shows: "a pearl slides down a straight wire with viscous friction: travel, speed and terminal speed \
            after twelve time constants; implicit Euler of 0.25 ms",
    experiments: &[Experiment {
        model: "pearl",
        quantities: &["travel_m", "speed", "terminal_speed"],
        measure: incline,
    }],
};

pub(super) const P03: Plan = Plan {
    id: "P03-pearl-collision",
    shows: "two pearls, and two bodies, meet on a level wire: momentum and restitution determine their \
            speeds, and equal ones swap them; steps of 1 ms",
    experiments: &[
        Experiment { model: "pearl", quantities: SHOCKS, measure: shocks },
        Experiment { model: "body", quantities: SHOCKS, measure: touch::shocks },
    ],
};

const SHOCKS: &[&str] = &["elastic_v1_v2", "e05_v1_v2", "collision_time_s", "equal_mass_elastic"];

/// Time step of the slide, s. The error of Euler's travel is about half a step times the speed.
const SLIDE_STEP: f64 = 0.25e-3;

/// A straight wire held at the ends of each of its segments, with pearls on it.
fn wire(to: DVec3, gravity: f64, pearls: &[(&str, Value)]) -> Result<Stand, Trouble> {
    const SEGMENTS: usize = 10;
    let mut constraint = json!({});
    for k in 0..=SEGMENTS {
        constraint[format!("hold-{k}")] =
            json!({ "position": { "on": "rod", "at": format!("{} %", 100 * k / SEGMENTS) } });
    }
    for (name, pearl) in pearls {
        constraint[*name] = json!({ "pearl": pearl });
    }
    Stand::build(json!({
        "settings": { "gravity": [0, 0, -gravity] },
        "rod": { "rod": {
            "shape": { "line": { "from": [0, 0, 0], "to": to } },
            "stiffness": { "stretch": 1e6, "bend": 1e4, "twist": 1e4 },
            "mass_per_length": 0.1,
            "segments": SEGMENTS,
        } },
        "constraint": constraint,
    }))
}

/// Travel and speed at the given times.
fn slide(case: &Reference, step: f64, times: &[f64]) -> Result<Vec<[f64; 2]>, Trouble> {
    let (sin, cos) = case.number("incline_deg")?.to_radians().sin_cos();
    let down = DVec3::new(cos, 0.0, -sin);
    let pearl =
        json!({ "on": "rod", "at": "start", "mass": case.number("m_kg")?, "viscosity": case.number("c")? });
    let mut stand = wire(10.0 * down, case.number("g")?, &[("pearl", pearl)])?;
    let params = StepParams { step, ..StepParams::default() };
    let mut readings = Vec::with_capacity(times.len());
    let mut steps = 0;
    for time in times {
        while steps < (time / step).round() as u64 {
            stand.step(&params)?;
            steps += 1;
        }
        readings.push([stand.sliding_place("pearl"), stand.pearl_velocity("pearl").dot(down)]);
    }
    Ok(readings)
}

fn incline(case: &Reference) -> Result<Readings, Trouble> {
    let mut times = case.numbers("t_s")?;
    times.push(12.0 * case.number("m_kg")? / case.number("c")?);
    let mut readings = slide(case, SLIDE_STEP, &times)?;
    let last = readings.pop().map_or(f64::NAN, |[_, speed]| speed);
    Ok(vec![
        ("travel_m", readings.iter().map(|[travel, _]| *travel).collect()),
        ("speed", readings.iter().map(|[_, speed]| *speed).collect()),
        ("terminal_speed", vec![last]),
    ])
}

/// Speeds of two pearls after their collision, and its time.
fn shock(case: &Reference, masses: &[f64], restitution: f64) -> Result<([f64; 2], f64), Trouble> {
    const STEP: f64 = 1e-3;
    let (v, apart) = (case.numbers("v")?, case.number("start_distance_m")?);
    let radius = 0.5 * case.number("contact_distance_m")?;
    let pearl = |k: usize, at: f64| {
        json!({ "on": "rod", "at": at, "mass": masses[k], "speed": v[k],
        "radius": radius, "restitution": restitution })
    };
    let mut stand = wire(DVec3::X, 9.81, &[("first", pearl(0, 0.35)), ("second", pearl(1, 0.35 + apart))])?;
    let speeds = |stand: &Stand| ["first", "second"].map(|name| stand.pearl_velocity(name).x);
    let mut time = f64::NAN;
    for _ in 0..300 {
        let (before, [a, b]) = (stand.world().time(), speeds(&stand));
        stand.step(&StepParams { step: STEP, ..StepParams::default() })?;
        let [next_a, next_b] = speeds(&stand);
        if a > b && next_a <= next_b {
            // The impulse acts at the start of the step.
            time = before;
        }
    }
    Ok((speeds(&stand), time))
}

fn shocks(case: &Reference) -> Result<Readings, Trouble> {
    let masses = case.numbers("m")?;
    let (elastic, time) = shock(case, &masses, 1.0)?;
    let (half, _) = shock(case, &masses, 0.5)?;
    let (swapped, _) = shock(case, &[masses[0], masses[0]], 1.0)?;
    Ok(vec![
        ("elastic_v1_v2", elastic.to_vec()),
        ("e05_v1_v2", half.to_vec()),
        ("collision_time_s", vec![time]),
        ("equal_mass_elastic", swapped.to_vec()),
    ])
}

#[cfg(test)]
mod tests {
    use super::{P01, Reference, slide};

    #[test]
    fn halving_the_step_halves_the_error_of_a_sliding_pearl() {
        let case = Reference::of(P01.id);
        // x = v∞ (t − τ (1 − e^(−t/τ))), v = v∞ (1 − e^(−t/τ)), τ = m/c, v∞ = g sin α τ
        let tau = case.number("m_kg").unwrap() / case.number("c").unwrap();
        let terminal =
            case.number("g").unwrap() * case.number("incline_deg").unwrap().to_radians().sin() * tau;
        let (t, gone) = (0.5, 1.0 - (-0.5 / tau).exp());
        let exact = [terminal * (t - tau * gone), terminal * gone];
        let errors: Vec<[f64; 2]> = [0.01, 0.005, 0.0025]
            .iter()
            .map(|&step| {
                let reading = slide(case, step, &[t]).unwrap()[0];
                [0, 1].map(|k| (reading[k] - exact[k]).abs())
            })
            .collect();
        for pair in errors.windows(2) {
            for k in [0, 1] {
                let ratio = pair[0][k] / pair[1][k];
                // The next order of an error e = a h + b h² shows in the ratio as 2 + O(h/τ).
                assert!((ratio - 2.0).abs() < 0.04, "{ratio}: {errors:?}");
            }
        }
    }
}
