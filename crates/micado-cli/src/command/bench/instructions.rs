//! Instructions of a step, counted by valgrind: the same count in every run, on a busy machine too.
//!
//! The program runs itself twice under `valgrind --tool=cachegrind`, with few and with more steps; the
//! difference is the cost of the additional steps alone.

use super::bodies::{self, Chain};
use super::discrete::{self, Fall};
use super::scaling::{Course, Kind};
use super::sliding::{self, Slider, Threaded};
use super::statics;
use crate::failure::Failure;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Solves;
use micado_io::scene;
use std::process::Command;

/// Steps of the two runs.
const FEW: u64 = 2;
const MORE: u64 = 10;

/// Instructions of one step; `None` if valgrind can't be run.
pub(super) fn per_step(mode: &str, size: usize) -> Option<u64> {
    additional(mode, size, [FEW, MORE])
}

/// Instructions of one step: the difference between runs of `few` and `more` steps, divided by the number of
/// additional steps.
pub(super) fn additional(mode: &str, size: usize, [few, more]: [u64; 2]) -> Option<u64> {
    let count = |steps: u64| -> Option<u64> {
        let output = Command::new("valgrind")
            .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
            .arg(std::env::current_exe().ok()?)
            .args(["bench", "--count", mode, &size.to_string(), &steps.to_string()])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = text.lines().find(|line| line.contains("I") && line.contains("refs:"))?;
        line.rsplit(':').next()?.replace([',', ' '], "").parse().ok()
    };
    Some(count(more)?.checked_sub(count(few)?)? / (more - few))
}

/// The work whose instructions are counted: `MODE SIZE STEPS`; for a built-in scene SIZE is the number of
/// solves, 0 for automatic ones.
pub(super) fn make_steps(arguments: &[String]) -> Result<(), Failure> {
    let wrong =
        || Failure::Usage("--count takes MODE SIZE STEPS".to_owned(), "it is for internal use".to_owned());
    let [mode, size, steps] = arguments else { return Err(wrong()) };
    let (size, steps): (usize, u64) =
        (size.parse().map_err(|_| wrong())?, steps.parse().map_err(|_| wrong())?);
    if scene::BUILTIN.iter().any(|builtin| builtin.name == mode) {
        let mut scene = scene::open(mode, &[])?.scene().clone();
        scene.settings.solves = if size == 0 { Solves::Auto } else { Solves::Exactly(size) };
        let mut simulation = Simulation::build(&scene).map_err(|_| wrong())?;
        simulation.settle(&NoClock);
        while simulation.steps() < steps && !simulation.finished() {
            simulation.step(&NoClock);
        }
        return Ok(());
    }
    if let Some(counted) = statics::count(mode, size, steps) {
        return counted;
    }
    if mode == "spin" {
        super::realtime::spin(steps as f64);
        return Ok(());
    }
    if let Some(slider) = Slider::ALL.into_iter().find(|slider| slider.word() == mode) {
        if size > sliding::MOST {
            return Err(wrong());
        }
        let mut threaded = Threaded::new(slider, size)?;
        for _ in 0..steps {
            threaded.step(&NoClock);
        }
        return Ok(());
    }
    if let Some(kind) = discrete::Kind::ALL.into_iter().find(|kind| kind.word() == mode) {
        if !(4..=discrete::MOST).contains(&size) {
            return Err(wrong());
        }
        let mut fall = Fall::new(kind, size)?;
        for _ in 0..steps {
            fall.step(&NoClock);
        }
        return Ok(());
    }
    if let Some(kind) = bodies::Kind::ALL.into_iter().find(|kind| kind.word() == mode) {
        if !(1..=bodies::MOST).contains(&size) {
            return Err(wrong());
        }
        let mut chain = Chain::new(kind, size)?;
        for _ in 0..steps {
            chain.step(&NoClock);
        }
        return Ok(());
    }
    let kind = if mode == "static" { Kind::Static } else { Kind::Dynamic };
    if !(4..=20_000_000).contains(&size) {
        return Err(wrong());
    }
    let mut course = Course::new(kind, size)?;
    for _ in 0..steps {
        course.step(&NoClock);
    }
    Ok(())
}
