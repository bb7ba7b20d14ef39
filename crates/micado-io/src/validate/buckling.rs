//! Columns: critical loads of four end conditions, and post-buckling states.

use super::reference::Reference;
use super::root::{first_root, root};
use super::stand::{INEXTENSIBLE, Stand, Trouble};
use super::{Experiment, Plan, Readings};
use serde_json::{Value, json};

/// Segments: eight per half wave of the clamped column's fourth mode.
const SEGMENTS: usize = 32;

/// Factor of each load increment beyond the buckling load, and the number of increments: up to 350 times the
/// load.
const STRIDE: f64 = 1.03;
const MOST_STRIDES: usize = 200;

pub(super) const E01: Plan = Plan {
    id: "E01-euler-loads",
    shows: "the load at which the lowest eigenvalue of the straight column changes its sign; \
            32 segments, EA L²/EI = 1e7",
    experiments: &[Experiment { model: "spline", quantities: &["Pcr_L2_over_EI"], measure: critical_loads }],
};

pub(super) const E03: Plan = Plan {
    id: "E03-postbuckling-pinned",
    shows: "the bent branch, reached by leaving the unstable straight state, as a symmetric plane strip; \
            the load is solved for until the end has the given angle; 32 segments, EA L²/EI = 1e7",
    experiments: &[Experiment {
        model: "spline",
        quantities: &["P_over_Pcr", "shortening_over_L", "mid_deflection_over_L"],
        measure: beyond,
    }],
};

/// A dead load along −x at the end.
fn compression(load: f64) -> Value {
    json!({ "force": { "on": "rod", "at": "end", "force": [-load, 0, 0] } })
}

/// A column along +x under an axial dead load. Pinned ends leave the roll free, so it is held in the middle.
fn column(
    (start, end): (&str, &str),
    length: f64,
    stiffness: &Value,
    load: f64,
    mut constraint: Value,
) -> Result<Stand, Trouble> {
    let line = json!({ "from": [0, 0, 0], "to": [length, 0, 0] });
    let mut hold = |name: &str, description: Value| constraint[name] = description;
    hold("roll", json!({ "roll": { "on": "rod", "at": "middle" } }));
    hold("start", json!({ "position": { "on": "rod", "at": "start" } }));
    if start == "clamped" {
        hold("direction", json!({ "tangent": { "on": "rod", "at": "start" } }));
    }
    if end != "free" {
        hold("guide", json!({ "axis": { "on": "rod", "at": "end", "direction": [1, 0, 0] } }));
    }
    if end == "clamped" {
        hold("end-direction", json!({ "tangent": { "on": "rod", "at": "end" } }));
    }
    Stand::build(json!({
        "settings": { "gravity": [0, 0, 0] },
        "rod": { "rod": { "shape": { "line": line }, "stiffness": stiffness, "mass_per_length": 1,
            "segments": SEGMENTS } },
        "constraint": constraint,
        "load": { "axial": compression(load) },
    }))
}

fn critical_loads(case: &Reference) -> Result<Readings, Trouble> {
    let (length, bend) = (case.number("L")?, case.number("EI")?);
    // The natural unit of the load.
    let unit = bend / (length * length);
    let stiffness = json!({ "stretch": INEXTENSIBLE * unit, "bend": bend, "twist": bend });
    let mut loads = vec![];
    // In the order of the reference: clamped–free, pinned–pinned, clamped–pinned, clamped–clamped.
    for ends in [("clamped", "free"), ("pinned", "pinned"), ("clamped", "pinned"), ("clamped", "clamped")] {
        let critical = first_root(unit, 1.5, |load| {
            let mut stand = column(ends, length, &stiffness, load, json!({}))?;
            stand.balance()?;
            stand.lowest_eigenvalue()
        })?;
        loads.push(critical / unit);
    }
    Ok(vec![("Pcr_L2_over_EI", loads)])
}

/// The reference is plane and symmetric. Beyond 131°, when the ends have passed each other, a dead load would
/// tip the loop over, so the middle is held parallel to the axis; by symmetry this takes no moment. A strip
/// keeps the plane.
fn beyond(case: &Reference) -> Result<Readings, Trouble> {
    let (length, bend) = (case.number("L")?, case.number("EI")?);
    let euler = (std::f64::consts::PI / length).powi(2) * bend;
    let stiffness = json!({ "stretch": INEXTENSIBLE * bend / (length * length), "bend": 10.0 * bend,
        "bend_2": bend, "twist": 10.0 * bend });
    let symmetry = json!({ "symmetry": { "tangent": { "on": "rod", "at": "middle" } } });
    let mut load = 1.001 * euler;
    let mut stand = column(("pinned", "pinned"), length, &stiffness, load, symmetry)?;
    stand.rest()?;
    let angle = |stand: &Stand| {
        let t = stand.section(0.0).tangent;
        t.y.hypot(t.z).atan2(t.x)
    };
    let (mut loads, mut shortening, mut deflection) = (vec![], vec![], vec![]);
    for degrees in case.numbers("end_angle_deg")? {
        let wanted = degrees.to_radians();
        // The angle grows with the load: raise it in small steps until the angle is passed, then find the
        // root.
        let mut miss = |load: f64| {
            stand.edit(json!({ "change-load": { "name": "axial", "to": compression(load) } }))?;
            stand.rest()?;
            Ok(angle(&stand) - wanted)
        };
        let mut below = (load, miss(load)?);
        let mut above = below;
        for _ in 0..MOST_STRIDES {
            let further = STRIDE * below.0;
            above = (further, miss(further)?);
            if above.1 > 0.0 {
                break;
            }
            below = above;
        }
        if above.1 <= 0.0 {
            return Err(Trouble::new(format!(
                "the end does not reach {degrees}°: the error is {:.2e} rad at {:.3} N",
                above.1, above.0
            )));
        }
        load = root(below, above, &mut miss)?;
        miss(load)?;
        loads.push(load / euler);
        shortening.push(1.0 - stand.tip().position.x / length);
        let middle = stand.section(length / 2.0).position;
        deflection.push(middle.y.hypot(middle.z) / length);
    }
    Ok(vec![("P_over_Pcr", loads), ("shortening_over_L", shortening), ("mid_deflection_over_L", deflection)])
}
