//! A heavy cable in a frictionless keyhole.

use super::reference::Reference;
use super::stand::{Stand, Trouble};
use super::{Experiment, Plan, Readings};
use serde_json::{Value, json};

/// The cable turns at the keyhole within √(EI/T), 3 and 6 mm. Segments of 1.7 mm resolve this; in coarser
/// ones the cable folds within a segment and gets stuck.
const SEGMENTS: usize = 1500;

/// EI/(w L³) of two cables. A stiffer cable reaches the keyhole higher, by a fraction of √(EI/T).
const STIFF: f64 = 4e-6;
const FLEXIBLE: f64 = 1e-6;

/// Distance of the start beyond the unstable hanging length, m.
const BEYOND: f64 = 0.02;

pub(super) const Q04: Plan = Plan {
    id: "Q04-keyhole-heavy-cable",
    shows: "a cable slides in a frictionless keyhole: started 2 cm beyond the unstable hanging length, it \
            reaches the stable one; at the unstable length the force of a keyhole that holds the cable has \
            no component along it; 1500 segments, EI/(wL³) = 1e-6, EA/(wL) = 1e5; the sag, which the bend \
            at the keyhole raises by a fraction of √(EI/T), is extrapolated from 1e-6 and 4e-6 to 0",
    experiments: &[Experiment {
        model: "spline",
        quantities: &[
            "hanging_length_m",
            "span_sag_m",
            "keyhole_tension_N",
            "horizontal_force_N",
            "unstable_hanging_length_m",
        ],
        measure: both_lengths,
    }],
};

/// The cable in an arc from its pin to the keyhole, then down, with `hanging` metres beyond the keyhole.
/// `kind` is the kind of the keyhole constraint: `position` holds the cable in place.
fn cable(case: &Reference, flexible: f64, hanging: f64, kind: &str) -> Result<Stand, Trouble> {
    let length = case.number("L_m")?;
    let excess = |depth: f64| {
        Ok::<f64, Trouble>(shaped(case, flexible, hanging, depth, &json!({}))?.length() - length)
    };
    // Depth of the arc for the length of the cable, by the secant method.
    let (mut last, mut depth) = (0.1, 0.6);
    let (mut too_long, mut rounds) = (excess(last)?, 0);
    while (depth - last).abs() > 1e-8 {
        let next = excess(depth)?;
        (last, depth) = (depth, depth - next * (depth - last) / (next - too_long));
        (too_long, rounds) = (next, rounds + 1);
        if rounds > 20 || !depth.is_finite() {
            return Err(Trouble::new("no arc has the length of the cable"));
        }
    }
    let eye = case.numbers("keyhole")?;
    let constraint = json!({
        "pin": { "position": { "on": "rod", "at": "start" } },
        "keyhole": { kind: { "on": "rod", "at": length - hanging, "target": [eye[0], eye[1], 0] } },
    });
    shaped(case, flexible, hanging, depth, &constraint)
}

fn shaped(
    case: &Reference,
    flexible: f64,
    hanging: f64,
    depth: f64,
    constraint: &Value,
) -> Result<Stand, Trouble> {
    let (length, mass, g) = (case.number("L_m")?, case.number("mu_kg_per_m")?, case.number("g")?);
    let (pin, eye) = (case.numbers("pin")?, case.numbers("keyhole")?);
    let weight = mass * g;
    let bend = flexible * weight * length.powi(3);
    let bow = |x: f64, y: f64| [pin[0] + x * (eye[0] - pin[0]), pin[1] + y * depth, 0.0];
    let beside = |x: f64, y: f64| [eye[0] + x, eye[1] + y, 0.0];
    Stand::build(json!({
        "settings": { "gravity": [0, -g, 0] },
        "rod": { "rod": {
            "shape": { "points": { "through": [
                bow(0.0, 0.0), bow(0.2, -0.7), bow(0.5, -1.0), bow(0.8, -0.7),
                beside(-0.05, -0.1), beside(0.0, 0.0), beside(0.05, -0.1),
                beside(0.05, -0.5 * hanging), beside(0.05, -hanging),
            ] } },
            "stiffness": { "stretch": 1e5 * weight * length, "bend": bend, "twist": bend },
            "mass_per_length": mass,
            "segments": SEGMENTS,
        } },
        "constraint": constraint,
    }))
}

/// The state at rest after a start with `hanging` metres beyond the keyhole.
fn slid_from(case: &Reference, flexible: f64, hanging: f64) -> Result<Stand, Trouble> {
    let mut stand = cable(case, flexible, hanging, "keyhole")?;
    stand.rest()?;
    Ok(stand)
}

fn both_lengths(case: &Reference) -> Result<Readings, Trouble> {
    let (length, weight) = (case.number("L_m")?, case.number("mu_kg_per_m")? * case.number("g")?);
    let unstable = unstable_length(case)?;
    let [stiff, stand] = [STIFF, FLEXIBLE].map(|flexible| slid_from(case, flexible, unstable + BEYOND));
    let (stiff, stand) = (stiff?, stand?);
    let place = stand.sliding_place("keyhole");
    let sag = |stand: &Stand| {
        (0..=1000).map(|k| -stand.section(place * f64::from(k) / 1000.0).position.y).fold(0.0, f64::max)
    };
    // sag = sag₀ + a √EI
    let share = 1.0 / ((STIFF / FLEXIBLE).sqrt() - 1.0);
    // Tension beside the keyhole, after the bend, and the weight of the height between.
    let beside = stand.section(place - 0.03);
    Ok(vec![
        ("hanging_length_m", vec![length - place]),
        ("span_sag_m", vec![sag(&stand) + share * (sag(&stand) - sag(&stiff))]),
        ("keyhole_tension_N", vec![beside.tension - weight * beside.position.y]),
        ("horizontal_force_N", vec![stand.force("keyhole").x]),
        ("unstable_hanging_length_m", vec![unstable]),
    ])
}

/// The hanging length between 0.7 m and 1.1 m at which the keyhole exerts no force along the cable, to a
/// millimetre.
fn unstable_length(case: &Reference) -> Result<f64, Trouble> {
    let (mut low, mut high) = (0.7, 1.1);
    while high - low > 1e-3 {
        let hanging = 0.5 * (low + high);
        let mut stand = cable(case, STIFF, hanging, "position")?;
        stand.rest()?;
        let tangent = stand.section(case.number("L_m")? - hanging).tangent;
        // The force points towards the hanging part if that is too light.
        if stand.force("keyhole").dot(tangent) > 0.0 {
            low = hanging;
        } else {
            high = hanging;
        }
    }
    Ok(0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::{BEYOND, Q04, Reference, STIFF, slid_from, unstable_length};

    #[test]
    fn a_short_hanging_length_is_pulled_back_through_the_keyhole() {
        let case = Reference::of(Q04.id);
        let stand = slid_from(case, STIFF, unstable_length(case).unwrap() - BEYOND).unwrap();
        // It slides to the end of the cable, where the keyhole stops it.
        assert!(
            (stand.sliding_place("keyhole") - stand.length()).abs() < 0.02,
            "{}",
            stand.sliding_place("keyhole")
        );
    }
}
