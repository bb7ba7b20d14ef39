//! Velocity is the rate of position, by the rule of the integrator.
//!
//! Euler and explicit steps: `v = (x − x₋)/h`. BDF2: `v = (3x − 4x₋ + x₋₋)/2h`, and Euler's in the first
//! step.

use super::{IMPLICIT, MODELS, rope, solves, with};
use crate::common::{at, build, position, probe, velocity};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};

const STEP: f64 = 2e-3;

/// Places of a rod at which position and velocity are compared, as shares of its length.
const SHARES: [f64; 5] = [0.0, 0.13, 0.5, 0.77, 1.0];

/// A rope that is thrown while one end is held, with a mass tied to the other end and one in flight.
fn thrown(rod: Value, settings: Value) -> Value {
    let rod = with(rod, json!({"velocity": [0.2, 0.5, 0.1]}));
    json!({
        "rod": {"rope": rod},
        "mass": {"tied": {"position": [1, 0, 0], "mass": 0.05, "velocity": [0.2, 0.5, 0.1]},
            "flying": {"position": [0, 1, 0], "mass": 0.1, "velocity": [1, 2, 3]}},
        "constraint": {"held": {"position": {"on": "rope", "at": "start"}},
            "tie": {"fusion": {"on": "rope", "at": "end", "to": {"on": "tied"}}}},
        "settings": with(json!({"step": STEP, "duration": 0.3}), settings),
    })
}

/// Positions and velocities of all that moves.
fn motion(simulation: &Simulation, pearl: bool) -> Vec<[DVec3; 2]> {
    let world = simulation.world();
    let mut all: Vec<_> =
        SHARES.iter().map(|&share| [at(world, "rope", share), velocity(world, "rope", share)]).collect();
    all.extend(["tied", "flying"].map(|mass| [position(world, mass), velocity(world, mass, 0.0)]));
    if pearl {
        let read = |what: &str| {
            DVec3::from_array(["x", "y", "z"].map(|axis| probe(simulation, &format!("{what} {axis}"))))
        };
        all.push([read("position"), read("velocity")]);
    }
    all
}

/// Compares velocities with the rates of positions in every step.
fn check(description: Value, second_order: bool, pearl: bool) {
    let mut simulation = build(description.clone());
    let mut before = [motion(&simulation, pearl), motion(&simulation, pearl)];
    let mut steps = 0;
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(report.substeps == 1 && !report.held, "{report:?}");
        steps += 1;
        let now = motion(&simulation, pearl);
        for (k, [x, v]) in now.iter().enumerate() {
            let [last, first] = [before[0][k][0], before[1][k][0]];
            let rate = if second_order && steps > 1 {
                (*x * 3.0 - last * 4.0 + first) / (2.0 * STEP)
            } else {
                (*x - last) / STEP
            };
            // Rounding of positions of a metre, which are sums of a few terms, over the step.
            assert!(
                rate.distance(*v) < 1e-14 / STEP,
                "{} {}, place {k}, step {steps}: {v} m/s for {rate} m/s",
                description["rod"]["rope"]["model"],
                description["settings"],
            );
        }
        before = [now, before[0].clone()];
    }
}

#[test]
fn velocity_is_the_rate_of_position_for_every_model_integrator_and_number_of_solves() {
    for model in MODELS {
        for integrator in IMPLICIT {
            for solves in solves() {
                let mut scene = thrown(rope(model), json!({"integrator": integrator, "solves": solves}));
                scene["constraint"]["pearl"] =
                    json!({"pearl": {"on": "rope", "at": "40 %", "mass": 0.03, "speed": 0.3}});
                scene["probe"] = ["position", "velocity"]
                    .iter()
                    .flat_map(|read| {
                        ["x", "y", "z"].map(|axis| {
                            json!({"name": format!("{read} {axis}"), "of": "pearl", "read": read,
                                "component": axis})
                        })
                    })
                    .collect();
                check(scene, integrator == "bdf2", true);
            }
        }
    }
}

#[test]
fn velocity_is_the_rate_of_position_of_rods_of_fixed_length_and_in_explicit_steps() {
    let rod = with(rope("discrete-elastic"), json!({"inextensible": true}));
    for integrator in ["euler", "bdf2", "explicit"] {
        for solves in solves() {
            let scene = thrown(rod.clone(), json!({"integrator": integrator, "solves": solves}));
            check(scene, integrator == "bdf2", false);
        }
    }
}
