//! What can be read and built and still makes no sense: names that stand for two things, columns that no
//! table can have.

use micado::error::BuildError;
use micado::scene::{Component, Kind, Probe, Quantity, Scene};

/// Refuses a scene whose names or probes are ambiguous.
pub(super) fn check(scene: &Scene) -> Result<(), BuildError> {
    names(scene)?;
    added_names(scene)?;
    scene
        .probe
        .iter()
        .enumerate()
        .try_for_each(|(k, probe)| self::probe(probe).map_err(|error| error.within(&format!("probe[{k}]"))))
}

/// What is allowed and will do nothing.
pub(super) fn remarks(scene: &Scene) -> Vec<String> {
    let settings = &scene.settings;
    // Actions happen before a step, and after the last one.
    let steps = (settings.duration / settings.step - 1e-9).ceil().max(0.0);
    let last = steps * settings.step;
    let too_late = |(k, action): (usize, &micado::scene::Action)| {
        let at = action.at.filter(|&at| steps == 0.0 || at > last + 1e-9 * settings.step)?;
        Some(format!(
            "action[{k}] ({}) never happens: it is due at {at} s, and the run ends at {} s",
            action.edit.word(),
            settings.duration
        ))
    };
    scene.action.iter().enumerate().filter_map(too_late).collect()
}

/// A name stands for one thing, so that a probe and a reader know which.
fn names(scene: &Scene) -> Result<(), BuildError> {
    let mut seen: Vec<(Kind, &str)> = Vec::new();
    for (kind, name) in scene.names() {
        let path = format!("{kind}.{name}");
        if name == "world" {
            return Err(BuildError::new(
                path,
                format!("a {kind} called `world`, which means everything"),
                "give it another name",
            ));
        }
        if let Some((other, _)) = seen.iter().find(|(_, taken)| *taken == name) {
            return Err(BuildError::new(
                path,
                format!("a {other} and a {kind} are both called `{name}`"),
                "give each its own name",
            ));
        }
        seen.push((kind, name));
    }
    Ok(())
}

/// What an action adds must not be there already, unless another action takes it away.
fn added_names(scene: &Scene) -> Result<(), BuildError> {
    let taken_away = |name: &str| scene.action.iter().any(|action| action.edit.takes_away(name));
    for (k, action) in scene.action.iter().enumerate() {
        for (_, name, field) in action.edit.adds() {
            if let Some((kind, _)) =
                scene.names().find(|(_, taken)| *taken == name).filter(|_| !taken_away(name))
            {
                let path = format!("action[{k}].do.{}.{field}", action.edit.word());
                return Err(BuildError::new(
                    path,
                    format!("there is already a {kind} called `{name}`"),
                    "give it another name",
                ));
            }
        }
    }
    Ok(())
}

/// Refuses a probe that can't be a column of a table.
///
/// # Errors
/// Its name, or a component of what has none.
pub fn probe(probe: &Probe) -> Result<(), BuildError> {
    let name = &probe.name;
    if name.trim().is_empty() {
        return Err(BuildError::new(
            "name",
            "a probe without a name",
            "give it a name: a column of probes.csv is called by it",
        ));
    }
    if name.trim() != name || name.contains(|c: char| c.is_control() || matches!(c, ',' | ';' | '"')) {
        return Err(BuildError::new(
            "name",
            format!("{name:?} can't be the name of a column"),
            "leave out line ends, tabs, commas, semicolons, quotes and spaces around it",
        ));
    }
    if name == "time" {
        return Err(BuildError::new(
            "name",
            "`time` is the first column of every table",
            "give the probe another name",
        ));
    }
    if probe.component != Component::Norm && !is_vector(probe.read) {
        let word = serde_json::to_string(&probe.read).unwrap_or_default();
        return Err(BuildError::new(
            "component",
            format!("{word} is one number and has no components"),
            "remove `component`",
        ));
    }
    Ok(())
}

fn is_vector(quantity: Quantity) -> bool {
    use Quantity::{BendingMoment, Director, Force, Moment, Position, Tangent, Velocity};
    matches!(quantity, Position | Velocity | Tangent | Director | BendingMoment | Force | Moment)
}
