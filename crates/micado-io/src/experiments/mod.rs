//! Experiments of the discrete elastic rods paper and on bodies, measured and compared with theory.
//!
//! ```
//! let study = micado_io::experiments::find("imposed-twist").expect("an experiment").run()?;
//! let torque = &study.numbers[0];
//! assert!((torque.measured - torque.theory).abs() < 1e-6 * torque.theory);
//! # Ok::<(), micado_io::experiments::Trouble>(())
//! ```

mod asymmetry;
mod cases;
mod flight;
mod helix;
mod imposed;
mod michell;
mod perversion;
mod transducer;

pub use crate::validate::stand::Trouble;

use crate::plot::Chart;
use crate::scene::{builtin, parse};
use micado::clock::NoClock;
use micado::object::Object;
use micado::object::rod::{Rod, Section};
use micado::run::Simulation;
use micado::scene::Scene;
use serde::Serialize;

/// An experiment, on a built-in scene, on a reference case or on a scene of its own.
#[derive(Debug)]
pub struct Experiment {
    /// Name: that of its scene or reference case, if it has one.
    pub name: &'static str,
    /// The effect that it shows.
    pub shows: &'static str,
    measure: fn() -> Result<Study, Trouble>,
}

/// The result of an experiment.
#[derive(Clone, Debug)]
pub struct Study {
    /// Measured numbers with their theoretical values.
    pub numbers: Vec<Number>,
    /// The measurements, drawn with theory.
    pub chart: Chart,
}

/// A measured number and its theoretical value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Number {
    /// Its name, with its unit.
    pub name: String,
    /// Value that the engine computes.
    pub measured: f64,
    /// Value from theory.
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
    transducer::EXPERIMENT,
    flight::EXPERIMENT,
];

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    ALL.iter().find(|experiment| experiment.name == name)
}

impl Experiment {
    /// Measures it; some experiments use several resolutions.
    ///
    /// # Errors
    /// The reason why the engine did not finish.
    pub fn run(&self) -> Result<Study, Trouble> {
        (self.measure)()
    }
}

/// A built-in scene with some of its values replaced, as with `--set`.
fn scene(name: &str, overrides: &[String]) -> Result<Scene, Trouble> {
    let file = builtin(name).ok_or_else(|| Trouble::new(format!("there is no scene `{name}`")))?;
    Ok(parse(name, file.text, overrides)?.scene().clone())
}

/// Simulates a scene to its end, through equilibria at every step.
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

/// Arc lengths and sections of a rod at both ends and `segments` − 1 places between: the middles of its edges
/// if it is a discrete rod.
fn along(simulation: &Simulation, name: &str, segments: usize) -> Result<Vec<(f64, Section)>, Trouble> {
    let object = rod(simulation, name)?;
    let step = object.rod().map_or(0.0, Rod::length) / segments as f64;
    let sections = simulation.world().sections(object, segments + 1)?;
    Ok(sections.into_iter().enumerate().map(|(k, section)| (step * k as f64, section)).collect())
}

/// The current value of a probe.
fn reading(simulation: &Simulation, name: &str) -> Result<f64, Trouble> {
    let k = simulation.probe_names().iter().position(|probe| probe == name);
    k.map(|k| simulation.probe_values()[k]).ok_or_else(|| Trouble::new(format!("there is no probe `{name}`")))
}
