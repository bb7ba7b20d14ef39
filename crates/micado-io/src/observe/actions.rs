//! What acts on a structure and is no part of a recording.

use crate::picture::{Arrow, Line, LineKind, Marker, MarkerKind};
use micado::load::{LoadLaw, SpringEndPlace, SpringLaw};
use micado::scene::RodEnd;
use micado::world::World;

/// What acts on the structure and is no part of the recording.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    /// Springs.
    pub lines: Vec<Line>,
    /// Point forces.
    pub arrows: Vec<Arrow>,
    /// Winches.
    pub winches: Vec<Marker>,
}

/// Springs, point forces and winches where they act now.
pub fn actions(world: &World) -> Actions {
    let (q, time) = (&world.state().q, world.time());
    let position = |end: &SpringEndPlace| match end {
        SpringEndPlace::Object(place) => place.position(q).to_array(),
        SpringEndPlace::World(point) => point.at(time),
    };
    let line = |spring: &micado::load::Spring| {
        let [from, to] = spring.ends.each_ref().map(position);
        match (&spring.law, &spring.ends[1]) {
            // The point of a torsional spring stands for the axes of the world, which are everywhere.
            (SpringLaw::Torsional { .. }, SpringEndPlace::World(_)) => {
                Line { from, to: from, kind: LineKind::Torsion }
            }
            (SpringLaw::Torsional { .. }, _) => Line { from, to, kind: LineKind::Torsion },
            (SpringLaw::Linear { .. }, _) => Line { from, to, kind: LineKind::Spring },
        }
    };
    let arrow = |load: &micado::load::Load| match &load.law {
        LoadLaw::Force(place, force) => Some(Arrow {
            place: place.position(q).to_array(),
            force: force.at(time),
            label: load.name.clone(),
        }),
        _ => None,
    };
    let structure = world.structure();
    let winch = |winch: &micado::world::Winch| {
        let rod = structure.objects.iter().find(|object| object.name == winch.description.on)?;
        let s = if winch.description.at == RodEnd::End { rod.rod()?.length() } else { 0.0 };
        let place = world.section(rod, s).ok()?.position.to_array();
        Some(Marker { place, kind: MarkerKind::Winch, label: winch.name.clone() })
    };
    Actions {
        lines: structure.springs.iter().map(line).collect(),
        arrows: structure.loads.iter().filter_map(arrow).collect(),
        winches: structure.winches.iter().filter_map(winch).collect(),
    }
}
