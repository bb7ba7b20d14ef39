//! Checks of scenes that can be read and built but are ambiguous: names used for two things, and probes that
//! can't be columns of a table.

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

/// Refuses names that are used twice: a probe refers to one thing.
fn names(scene: &Scene) -> Result<(), BuildError> {
    let mut seen: Vec<(Kind, &str)> = Vec::new();
    for (kind, name) in scene.names() {
        let path = format!("{kind}.{name}");
        if name.trim().is_empty() {
            return Err(BuildError::new(kind.word(), format!("a {kind} without a name"), "give it a name"));
        }
        if name == "world" {
            return Err(BuildError::new(
                path,
                format!("a {kind} called `world`, a name that means the whole scene"),
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

/// Refuses an action that adds an existing name, unless another action removes it.
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
/// An invalid name, a component of a scalar, or another object where one is enough.
pub fn probe(probe: &Probe) -> Result<(), BuildError> {
    let name = &probe.name;
    if name.trim().is_empty() {
        return Err(BuildError::new(
            "name",
            "a probe without a name",
            "give it a name: it is the name of its column in probes.csv",
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
    if probe.with.is_some() && !is_of_two(probe.read) {
        let word = serde_json::to_string(&probe.read).unwrap_or_default();
        return Err(BuildError::new(
            "with",
            format!("{word} is not a quantity of two objects"),
            "remove `with`, or read contact-force, contacts, penetration or linking-number",
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

fn is_of_two(quantity: Quantity) -> bool {
    use Quantity as Q;
    matches!(quantity, Q::ContactForce | Q::Contacts | Q::Penetration | Q::LinkingNumber)
}

fn is_vector(quantity: Quantity) -> bool {
    use Quantity as Q;
    let along = matches!(quantity, Q::Position | Q::Velocity | Q::Tangent | Q::Director);
    let acting = matches!(quantity, Q::BendingMoment | Q::Force | Q::Moment | Q::ContactForce);
    let of_body = matches!(quantity, Q::Rotation | Q::Spin | Q::Momentum | Q::AngularMomentum);
    let of_mass = matches!(quantity, Q::CentreOfMass | Q::PrincipalMoments | Q::PrincipalAxes);
    along || acting || of_body || of_mass
}
