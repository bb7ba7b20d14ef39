//! Redundant rows of loops of joints: their number, and the forces that they share.

use crate::bodies::{build, scene};
use micado::clock::NoClock;
use serde_json::{Value, json};

/// The part of `closed-loop` whose names begin with `four_`, or the rest; joints whose names end with
/// `twin` are left out.
fn linkage(four_bar: bool) -> Value {
    let mut described = scene("closed-loop");
    for table in ["body", "constraint"] {
        let items = described[table].as_object_mut().expect("a table");
        items.retain(|name, _| name.starts_with("four_") == four_bar && !name.ends_with("twin"));
    }
    described["probe"] = json!([]);
    described
}

/// The least and the largest number of redundant rows in a second of motion.
fn redundant(described: &Value) -> [usize; 2] {
    let mut run = build(described);
    let (mut least, mut most) = (usize::MAX, 0);
    for _ in 0..200 {
        let report = run.step(&NoClock);
        assert!(!report.held && report.conflicting_rows == 0, "{report:?}");
        (least, most) = (least.min(report.redundant_rows), most.max(report.redundant_rows));
    }
    [least, most]
}

#[test]
fn four_bar_of_hinges_has_three_redundant_rows() {
    // Four hinges have 20 rows. Three bodies have 18 unknowns and one free motion, so the rank is 17.
    let mut free = linkage(true);
    free["constraint"]["four_shaft"]["joint"].as_object_mut().expect("a joint").remove("angle");
    for integrator in ["euler", "bdf2"] {
        free["settings"]["integrator"] = json!(integrator);
        assert_eq!(redundant(&free), [3, 3], "{integrator}");
    }
    // A motor adds one row, which holds the free motion.
    assert_eq!(redundant(&linkage(true)), [3, 3]);
}

#[test]
fn six_bar_of_hinges_and_a_motor_has_six_redundant_rows() {
    // Seven hinges and a motor have 36 rows; five bodies have 30 unknowns.
    for integrator in ["euler", "bdf2"] {
        let mut driven = linkage(false);
        driven["settings"]["integrator"] = json!(integrator);
        assert_eq!(redundant(&driven), [6, 6], "{integrator}");
    }
}

#[test]
fn second_hinge_at_each_pin_adds_five_redundant_rows() {
    // Six-bar: 6. Four-bar: 40 rows of hinges and a motor on 18 unknowns, 23.
    assert_eq!(redundant(&scene("closed-loop")), [29, 29]);
}
