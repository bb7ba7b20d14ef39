//! The table of a world: what exists, by name and kind.

use super::constraints;
use crate::record::{
    ConstraintRow, LoadKind, LoadRow, ObjectRow, ProbeRow, SpringKind, SpringRow, Table, WinchEnd, WinchRow,
};
use micado::constraint::{Constraint, ConstraintDescription, EndDescription, Strength};
use micado::load::{Load, LoadDescription, Spring, SpringDescription};
use micado::scene::{Probe, RodEnd};
use micado::world::{Winch, World};

/// Table of a world; its objects come from the frame, its probes are added later.
pub(super) fn table(world: &World, objects: Vec<ObjectRow>) -> Table {
    let structure = world.structure();
    let spring = |spring: &Spring| SpringRow {
        name: spring.name.clone(),
        kind: match spring.description {
            // A custom force is drawn as a line between its ends.
            SpringDescription::Linear(_) | SpringDescription::Custom(_) => SpringKind::Linear,
            SpringDescription::Torsional(_) => SpringKind::Torsional,
        },
    };
    let load = |load: &Load| LoadRow {
        name: load.name.clone(),
        kind: match load.description {
            LoadDescription::Force(_) => LoadKind::Force,
            LoadDescription::Moment(_) => LoadKind::Moment,
            LoadDescription::Distributed(_) => LoadKind::Distributed,
            LoadDescription::Drag(_) => LoadKind::Drag,
        },
    };
    let winch = |winch: &Winch| WinchRow {
        name: winch.name.clone(),
        on: winch.description.on.clone(),
        at: match winch.description.at {
            RodEnd::Start => WinchEnd::Start,
            RodEnd::End => WinchEnd::End,
        },
    };
    let constraints = structure.constraints.iter().enumerate();
    Table {
        objects,
        constraints: constraints.map(|(k, constraint)| constraint_row(world, k, constraint)).collect(),
        springs: structure.springs.iter().map(spring).collect(),
        loads: structure.loads.iter().map(load).collect(),
        winches: structure.winches.iter().map(winch).collect(),
        probes: Vec::new(),
        gauges: super::constraints::gauges(world).map(|(row, _)| row).collect(),
    }
}

/// A probe with its unit.
pub(super) fn probe_row(probe: &Probe) -> ProbeRow {
    let read = serde_json::to_value(probe.read).ok();
    ProbeRow {
        name: probe.name.clone(),
        unit: probe.read.unit().to_owned(),
        of: probe.of.clone(),
        read: read.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned(),
    }
}

fn constraint_row(world: &World, k: usize, constraint: &Constraint) -> ConstraintRow {
    let to = match constraint.description.ends()[1] {
        EndDescription::Place { on, .. } | EndDescription::Sliding { on, .. } => Some(on.to_owned()),
        EndDescription::World | EndDescription::Caught { .. } => None,
    };
    ConstraintRow {
        name: constraint.name.clone(),
        kind: constraint.description.kind().to_owned(),
        on: constraint.on().to_owned(),
        to,
        hand: false,
        strength: strength(&constraint.description),
        marker: constraints::marker(world, k, constraint),
    }
}

/// Least force at which a constraint opens or breaks, N.
fn strength(description: &ConstraintDescription) -> Option<f64> {
    let clip = match description {
        ConstraintDescription::Clip(clip) => clip,
        ConstraintDescription::Joint(joint) => return joint.strength?.force,
        ConstraintDescription::Fusion(fusion) => return fusion.strength?.force,
        ConstraintDescription::Distance(distance) => return distance.strength?.force,
        _ => return None,
    };
    match clip.strength? {
        Strength::Any(force) => Some(force),
        Strength::Directions(by) => {
            [by.any, by.along, by.out, by.inward, by.across].into_iter().flatten().reduce(f64::min)
        }
    }
}
