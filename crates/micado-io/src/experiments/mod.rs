//! Experiments of the discrete elastic rods paper: built-in scenes, measured and drawn beside theory.
//!
//! ```
//! let study = micado_io::experiments::find("imposed-twist").expect("an experiment").run()?;
//! let torque = &study.numbers[0];
//! assert!((torque.measured - torque.theory).abs() < 1e-6 * torque.theory);
//! # Ok::<(), micado_io::experiments::Trouble>(())
//! ```

mod asymmetry;
mod cases;
mod helix;
mod imposed;
mod michell;
mod perversion;

pub use crate::validate::stand::Trouble;

use crate::plot::Chart;
use crate::scene::{builtin, parse};
use micado::clock::NoClock;
use micado::object::Object;
use micado::object::rod::{Rod, Section};
use micado::run::Simulation;
use micado::scene::Scene;
use serde::Serialize;

/// An experiment, on a built-in scene or on a reference case.
#[derive(Debug)]
pub struct Experiment {
    /// Name: that of its scene, or of what is bent.
    pub name: &'static str,
    /// What it shows.
    pub shows: &'static str,
    measure: fn() -> Result<Study, Trouble>,
}

/// What an experiment came to.
#[derive(Clone, Debug)]
pub struct Study {
    /// Numbers beside what theory says of them.
    pub numbers: Vec<Number>,
    /// What was measured, drawn with theory.
    pub chart: Chart,
}

/// A number and what theory says of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Number {
    /// What it is, with its unit.
    pub name: String,
    /// What the engine gives.
    pub measured: f64,
    /// What theory says.
    pub theory: f64,
}

impl Number {
    fn new(name: impl Into<String>, measured: f64, theory: f64) -> Self {
        Self { name: name.into(), measured, theory }
    }
}

/// All experiments.
pub const ALL: &[Experiment] = &[
    michell::EXPERIMENT,
    helix::EXPERIMENT,
    perversion::EXPERIMENT,
    asymmetry::EXPERIMENT,
    imposed::EXPERIMENT,
    cases::CANTILEVER,
    cases::BEND_TWIST,
];

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    ALL.iter().find(|experiment| experiment.name == name)
}

impl Experiment {
    /// Measures it, at several resolutions where it says so.
    ///
    /// # Errors
    /// What kept the engine from the end.
    pub fn run(&self) -> Result<Study, Trouble> {
        (self.measure)()
    }
}

/// A built-in scene with some of its values replaced, as by `--set`.
fn scene(name: &str, overrides: &[String]) -> Result<Scene, Trouble> {
    let file = builtin(name).ok_or_else(|| Trouble::new(format!("there is no scene `{name}`")))?;
    Ok(parse(name, file.text, overrides)?.scene().clone())
}

/// A scene at its end, through equilibria at every step.
fn at_its_end(scene: &Scene) -> Result<Simulation, Trouble> {
    let mut simulation = Simulation::build(scene)?;
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        if !report.converged {
            return Err(Trouble::new(format!(
                "no equilibrium at {:.3} s after {} iterations",
                report.time, report.solves
            )));
        }
    }
    Ok(simulation)
}

/// The rod of this name.
fn rod<'a>(simulation: &'a Simulation, name: &str) -> Result<&'a Object, Trouble> {
    Ok(simulation.world().object("of", name)?)
}

/// Places and sections of a rod at both ends and `segments` − 1 places between: the middles of its edges, if
/// it is a discrete one.
fn along(simulation: &Simulation, name: &str, segments: usize) -> Result<Vec<(f64, Section)>, Trouble> {
    let object = rod(simulation, name)?;
    let step = object.rod().map_or(0.0, Rod::length) / segments as f64;
    let sections = simulation.world().sections(object, segments + 1)?;
    Ok(sections.into_iter().enumerate().map(|(k, section)| (step * k as f64, section)).collect())
}

/// What a probe reads now.
fn reading(simulation: &Simulation, name: &str) -> Result<f64, Trouble> {
    let k = simulation.probe_names().iter().position(|probe| probe == name);
    k.map(|k| simulation.probe_values()[k]).ok_or_else(|| Trouble::new(format!("there is no probe `{name}`")))
}
