//! Stacks and pyramids of cubes at rest: their contacts are redundant.

use super::{G, watch};
use crate::common::{build, probe};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Map, Value, json};

/// Side of a cube, m, and its mass, kg.
const SIDE: f64 = 0.2;
const MASS: f64 = 4.0;

/// Cubes at these places above a floor, 1 mm apart.
fn cubes(places: &[(String, [f64; 3])], duration: f64) -> Value {
    let bodies: Map<String, Value> = places
        .iter()
        .map(|(name, at)| {
            let cube = json!({"shape": {"box": {"size": [SIDE, SIDE, SIDE]}}, "mass": MASS, "position": at});
            (name.clone(), cube)
        })
        .collect();
    json!({"floor": true, "contact": {"friction": 0.5}, "body": Value::Object(bodies),
        "settings": {"duration": duration, "step": 0.01},
        "probe": [{"name": "floor", "of": "floor", "read": "contact-force", "component": "z"}]})
}

/// A pyramid with this number of rows.
fn pyramid(rows: usize) -> Vec<(String, [f64; 3])> {
    let place = |i: usize, j: usize| [0.21 * j as f64 + 0.105 * i as f64, 0.0, 0.101 + 0.201 * i as f64];
    (0..rows).flat_map(|i| (0..rows - i).map(move |j| (format!("cube-{i}-{j}"), place(i, j)))).collect()
}

/// Forces of all contacts, each with the position of the contact.
fn forces(simulation: &Simulation) -> Vec<(DVec3, DVec3)> {
    let contacts = simulation.world().state().contacts.iter();
    contacts.map(|contact| (DVec3::from_array(contact.mark.point), contact.force())).collect()
}

#[test]
fn a_pyramid_of_55_cubes_is_solved_in_every_step_and_comes_to_rest() {
    let mut most = 0;
    let done = watch(cubes(&pyramid(10), 0.6), |now, report| {
        assert!(!report.unsolved_contacts, "{}: {report:?}", now.time());
        // A billionth of a side.
        assert!(report.sweep_residual <= 1e-9 * SIDE, "{}: {report:?}", now.time());
        most = most.max(report.contacts);
    });
    assert!(most > 350, "{most}");
    // At rest within the tolerance of a step, 2e-10 m in 10 ms, the floor carries the weight.
    let weight = 55.0 * MASS * G;
    assert!((probe(&done, "floor").abs() - weight).abs() < 1e-6 * weight, "{}", probe(&done, "floor"));
}

#[test]
fn corners_of_a_stack_share_its_weight_and_push_along_their_normals() {
    let count = 5;
    let stack: Vec<_> =
        (0..count).map(|k| (format!("cube-{k}"), [0.0, 0.0, 0.101 + 0.201 * k as f64])).collect();
    let done = watch(cubes(&stack, 1.0), |_, _| {});
    let found = forces(&done);
    assert_eq!(found.len(), 4 * count);
    for (at, force) in found {
        let above = count as f64 - (at.z / SIDE).round();
        let share = 0.25 * MASS * G * above;
        // Gaps of corners agree within rounding, 1e-16 m; forces are shared where they agree within 2e-9 m.
        assert!((force.z.abs() - share).abs() < 1e-3 * share, "{at}: {force}, {share}");
        assert!(force.truncate().length() < 1e-3 * share, "{at}: {force}");
    }
}

#[test]
fn the_order_in_which_cubes_are_listed_does_not_change_their_forces() {
    let run = |reversed: bool| {
        let mut places = pyramid(4);
        if reversed {
            places.reverse();
        }
        let mut simulation = build(cubes(&places, 1.0));
        while !simulation.finished() {
            simulation.step(&NoClock);
        }
        let mut found = forces(&simulation);
        let rank = |at: DVec3| [at.z, at.x, at.y].map(|x| (1e3 * x).round() as i64);
        found.sort_by_key(|(at, _)| rank(*at));
        found
    };
    let (first, second) = (run(false), run(true));
    assert_eq!(first.len(), second.len());
    for ((at, force), (there, other)) in first.iter().zip(&second) {
        assert!((*at - *there).length() < 1e-6, "{at} {there}");
        // The first side of a contact depends on the order.
        let off = (*force - *other).length().min((*force + *other).length());
        assert!(off < 1e-3 * MASS * G, "{at}: {force} {other}");
    }
}
