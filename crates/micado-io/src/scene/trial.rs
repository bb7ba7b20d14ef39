//! Checks a scene by its first step.

use micado::clock::NoClock;
use micado::error::BuildError;
use micado::run::{EventKind, Simulation};
use micado::scene::{Mode, Scene};
use micado::world::World;

/// Finds problems that only the equations of a step show: constraints that contradict each other, and an
/// initial state from which no step succeeds.
pub fn trial(scene: &Scene) -> Option<BuildError> {
    let mut trial = scene.clone();
    let moves_there = trial.settings.settle || trial.settings.mode == Mode::Static;
    (trial.settings.mode, trial.settings.settle) = (Mode::Dynamic, false);
    let mut simulation = Simulation::build(&trial).ok()?;
    if moves_there && let Some(error) = afloat(scene, simulation.world()) {
        return Some(error);
    }
    let start = simulation.world().worst_missed(simulation.time());
    simulation.step(&NoClock);
    let constraint = |name: &str| format!("constraint.{name}");
    let (mut held, mut overstretched) = (None, None);
    for event in simulation.events() {
        match &event.what {
            EventKind::Conflict(rows) => {
                if let Some(first) = rows.constraints.first() {
                    let remedy = "remove one of them, or give them targets that can all be met";
                    return Some(BuildError::new(constraint(first), event.to_string(), remedy));
                }
            }
            EventKind::Held { .. } | EventKind::Approaching { .. } => held = Some(event),
            EventKind::Overstretched { .. } => overstretched = Some(event),
            _ => {}
        }
    }
    // `settle` brings the parts together before the first step.
    if moves_there {
        return None;
    }
    let remedy = "write `settle = true` in [settings], or let it begin where it is held";
    match (held, overstretched, start) {
        (Some(_), _, Some(missed)) => Some(BuildError::new(
            constraint(&missed.constraint),
            format!("{missed} at the start, and no step brings it there"),
            remedy,
        )),
        (None, Some(stretched), Some(missed)) => Some(BuildError::new(
            constraint(&missed.constraint),
            format!("{missed} at the start; in the step that brings it there {stretched}"),
            remedy,
        )),
        (Some(held), _, None) => Some(BuildError::new(
            "settings",
            format!("in the first step, {held}"),
            "try a smaller step, and check the units of loads, gravity and stiffness",
        )),
        _ => None,
    }
}

/// An object that nothing holds against the forces on it, if an equilibrium is asked for. Actions at the
/// start may hold it.
fn afloat(scene: &Scene, world: &World) -> Option<BuildError> {
    if scene.action.iter().any(|action| action.at == Some(0.0)) {
        return None;
    }
    let floating = world.floating_object()?;
    let path = scene.names().find(|(_, name)| *name == floating).map(|(kind, name)| format!("{kind}.{name}"));
    Some(BuildError::new(
        path.unwrap_or_default(),
        format!("nothing holds `{floating}` against the forces on it: there is no equilibrium"),
        "hold it by a constraint or a spring, or let it move: a dynamic run without `settle`",
    ))
}
