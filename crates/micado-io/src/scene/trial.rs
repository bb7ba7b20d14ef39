//! A scene tried by its first step.

use micado::clock::NoClock;
use micado::error::BuildError;
use micado::run::Simulation;
use micado::scene::{Mode, Scene};

/// What only the equations of a step can tell: constraints that contradict each other, and a start from which
/// no step can be made.
pub fn trial(scene: &Scene) -> Option<BuildError> {
    let mut trial = scene.clone();
    let moves_there = trial.settings.settle || trial.settings.mode == Mode::Static;
    (trial.settings.mode, trial.settings.settle) = (Mode::Dynamic, false);
    let mut simulation = Simulation::build(&trial).ok()?;
    let begin = simulation.world().worst_missed(simulation.time());
    simulation.step(&NoClock);
    let name = |k: usize| {
        simulation.world().structure().constraints.get(k).map(|constraint| constraint.name.clone())
    };
    let told = |kind: &str| {
        simulation.events().iter().find(|event| event.kind == kind).map(|event| event.text.clone())
    };
    let conflicting = simulation.workspace().system().and_then(|system| system.conflicting().next());
    if let (Some(path), Some(conflict)) = (conflicting.and_then(name), told("conflict")) {
        let remedy = "remove one of them, or give them targets that can all be met";
        return Some(BuildError::new(format!("constraint.{path}"), conflict, remedy));
    }
    // An equilibrium brings the parts together before the first step.
    if moves_there {
        return None;
    }
    let far = begin.and_then(|(k, text)| Some((format!("constraint.{}", name(k)?), text)));
    let remedy = "write `settle = true` in [settings], or let it begin where it is held";
    match (told("held"), told("overstretched"), far) {
        (Some(_), _, Some((path, text))) => {
            Some(BuildError::new(path, format!("{text} at the start, and no step brings it there"), remedy))
        }
        (None, Some(stretched), Some((path, text))) => Some(BuildError::new(
            path,
            format!("{text} at the start; in the step that brings it there {stretched}"),
            remedy,
        )),
        (Some(held), _, None) => {
            Some(BuildError::new("settings", format!("the first step: {held}"), "try a smaller step"))
        }
        _ => None,
    }
}
