//! Group `scenes`: every built-in scene, as it is stepped in a run.

use super::Row;
use crate::failure::Failure;
use crate::run::stepping::WallClock;
use crate::scene_args::build;
use micado::clock::{Clock, NoClock};
use micado_io::scene;

/// Most steps of a scene that are timed.
const MOST_STEPS: u64 = 400;

pub(super) fn measure() -> Result<Vec<Row>, Failure> {
    scene::BUILTIN.iter().map(|builtin| measure_scene(builtin.name)).collect()
}

fn measure_scene(name: &str) -> Result<Row, Failure> {
    let mut simulation = build(&scene::open(name, &[])?)?;
    let clock = WallClock::start();
    let (mut total, mut worst, mut steps) = (0.0, 0.0_f64, 0);
    while !simulation.finished() && steps < MOST_STEPS {
        let before = clock.now();
        simulation.step(&NoClock);
        let seconds = clock.now() - before;
        total += seconds;
        worst = worst.max(seconds);
        steps += 1;
    }
    let (unknowns, multipliers) = simulation.workspace().system().map_or((0, 0), |system| (system.unknowns(), system.multipliers()));
    Ok(Row {
        group: "scenes",
        name: name.to_owned(),
        unknowns,
        multipliers,
        step_us: total * 1e6 / (steps.max(1)) as f64,
        worst_step_us: worst * 1e6,
        ..Row::default()
    })
}
