//! Table 1 of the MICADO paper: the multipliers of its structures as it counts them, and the duration of a
//! step on its machine, an Intel Centrino Duo laptop of 2 GHz.

use crate::failure::Failure;
use micado::clock::NoClock;
use micado::constraint::{Constraint, Law};
use micado::run::Simulation;
use micado::scene::Scene;
use micado_io::scene::SceneFile;
use serde_json::Value;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Published {
    pub(super) name: &'static str,
    /// The part of a step that constraints take, µs.
    pub(super) constraint_us: f64,
    /// A step, µs.
    pub(super) step_us: f64,
}

pub(super) const TABLE: [Published; 6] = [
    Published { name: "bridge", constraint_us: 40.0, step_us: 1700.0 },
    Published { name: "spider-net", constraint_us: 120.0, step_us: 4000.0 },
    Published { name: "necklace", constraint_us: 7.0, step_us: 400.0 },
    Published { name: "bow", constraint_us: 13.0, step_us: 560.0 },
    Published { name: "cable-bundle", constraint_us: 40.0, step_us: 1000.0 },
    Published { name: "dna", constraint_us: 22.0, step_us: 1100.0 },
];

/// The published row of a scene, if there is one.
pub(super) fn of(name: &str) -> Option<Published> {
    TABLE.into_iter().find(|row| row.name == name)
}

/// Changes of a scene for the comparison with the paper, whose strands are too coarse for converged rung
/// tensions.
pub(super) fn overrides(name: &str) -> Vec<String> {
    let strands = if name == "dna" { &["strand_a", "strand_b"][..] } else { &[] };
    strands.iter().map(|strand| format!("rod.{strand}.segments=24")).collect()
}

/// Multipliers as the paper counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) absolute: usize,
    pub(super) relative: usize,
}

/// Counts rows, sliding parameters Δu and unilateral rows. Constraints that slide on an object, such as
/// pearls, are relative.
pub(super) fn count(constraints: &[Constraint]) -> Counted {
    let mut counted = Counted::default();
    for constraint in constraints {
        let law = &constraint.law;
        let (rows, own) = (law.rows(), law.own_unknowns().into_iter().filter(|&own| own).count());
        let one_sided = rows + own == 0 && law.is_non_smooth();
        let sum = rows + own + usize::from(one_sided);
        if constraint.is_relative() || matches!(law, Law::Pearl(_)) {
            counted.relative += sum;
        } else {
            counted.absolute += sum;
        }
    }
    counted
}

/// The scene with the paper's rows wherever a constraint has a choice: 7 for clamps and rigid fusions, 3 for
/// tangents.
pub(super) fn with_paper_rows(file: &SceneFile) -> Result<Simulation, Failure> {
    let problem = |error: serde_json::Error| {
        Failure::Usage(error.to_string(), "this is an error of the bench".to_owned())
    };
    let mut scene = serde_json::to_value(file.scene()).map_err(problem)?;
    let constraints = scene.get_mut("constraint").and_then(Value::as_object_mut);
    for kind in constraints.into_iter().flat_map(|constraints| constraints.values_mut()) {
        for fields in kind.as_object_mut().into_iter().flat_map(|kind| kind.values_mut()) {
            if let Some(rows) = fields.get_mut("rows") {
                *rows = Value::from("paper");
            }
        }
    }
    let scene: Scene = serde_json::from_value(scene).map_err(problem)?;
    Simulation::build(&scene).map_err(|error| Failure::Scene(file.explain(&error)))
}

/// The largest number in a scene with the paper's rows: pearls are added, arrows leave.
pub(super) fn count_paper_rows(file: &SceneFile) -> Result<Counted, Failure> {
    let mut simulation = with_paper_rows(file)?;
    let mut most = Counted::default();
    while !simulation.finished() {
        simulation.step(&NoClock);
        let now = count(&simulation.world().structure().constraints);
        if now.absolute + now.relative > most.absolute + most.relative {
            most = now;
        }
    }
    Ok(most)
}

#[cfg(test)]
mod tests {
    use super::{Counted, count, count_paper_rows};
    use crate::scene_args::build;
    use micado_io::scene;

    /// Absolute and relative multipliers of table 1.
    const COUNTS: [(&str, usize, usize); 6] = [
        ("bridge", 32, 21),
        ("spider-net", 28, 49),
        ("necklace", 8, 10),
        ("bow", 11, 16),
        ("cable-bundle", 28, 35),
        ("dna", 8, 32),
    ];

    #[test]
    fn the_structures_have_the_multipliers_of_table_1() {
        for (name, absolute, relative) in COUNTS {
            let file = scene::open(name, &[]).unwrap();
            assert_eq!(count_paper_rows(&file).unwrap(), Counted { absolute, relative }, "{name}");
        }
    }

    #[test]
    fn objective_rows_are_fewer() {
        let simulation = build(&scene::open("cable-bundle", &[]).unwrap()).unwrap();
        assert_eq!(
            count(&simulation.world().structure().constraints),
            Counted { absolute: 24, relative: 30 }
        );
    }
}
