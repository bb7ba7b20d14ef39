//! The state of the engine in the summary of a run; its state in recordings is `micado_io::observe`.

use micado::constraint::Law;
use micado::object::{Object, Scalar};
use micado::run::Simulation;
use micado::world::World;
use serde::Serialize;

/// Energies, J.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Energy {
    pub kinetic: f64,
    pub elastic: f64,
    pub gravity: f64,
    pub total: f64,
}

impl Energy {
    /// The current energies.
    pub(super) fn of(simulation: &Simulation) -> Self {
        let energy = simulation.world().energy();
        Self {
            kinetic: energy.kinetic,
            elastic: energy.elastic(),
            gravity: energy.gravity,
            total: energy.total(),
        }
    }

    /// The energies with their names.
    pub(super) fn named(&self) -> [(&'static str, f64); 4] {
        [
            ("kinetic", self.kinetic),
            ("elastic", self.elastic),
            ("gravity", self.gravity),
            ("total", self.total),
        ]
    }
}

/// State of a constraint.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ConstraintState {
    pub name: String,
    pub kind: String,
    /// Force on the object, N.
    pub force: [f64; 3],
    /// Moment on the object, N·m.
    pub moment: [f64; 3],
    /// Residual, m or rad.
    pub residual: f64,
}

/// Current state of every constraint.
pub(super) fn constraints(world: &World) -> Vec<ConstraintState> {
    let state = |(index, constraint): (usize, &micado::constraint::Constraint)| {
        let force = world.constraint_force(index).ok()?;
        Some(ConstraintState {
            name: constraint.name.clone(),
            kind: constraint.description.kind().to_owned(),
            force: force.force.to_array(),
            moment: force.moment.to_array(),
            residual: world.constraint_miss(index).ok()?,
        })
    };
    world.structure().constraints.iter().enumerate().filter_map(state).collect()
}

/// State of a clip.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClipNow {
    pub name: String,
    /// Force on its rod, N: that of its opening if it opened in the last step.
    pub force: f64,
    /// This force as a share of its strength.
    pub strength_used: f64,
    /// The rod that it holds; `None` while it is open.
    pub held: Option<HeldNow>,
}

/// The rod in a clip.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HeldNow {
    pub rod: String,
    /// Rest arc length, m.
    pub place: f64,
    /// Bend radius of the rod there, m.
    pub bend_radius: f64,
    /// Twist of the rod there, rad/m.
    pub twist: f64,
    /// The rod up to the next clip that holds it.
    pub next: Option<SpanNow>,
}

/// A rod from a clip to the next one along it that holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpanNow {
    /// The next clip.
    pub to: String,
    /// Rest length of the rod in between, m.
    pub rest_length: f64,
    /// Straight distance of the two places, m.
    pub distance: f64,
    /// Least bend radius in between, m.
    pub bend_radius: f64,
}

/// Current state of every clip.
pub(super) fn clips(world: &World) -> Vec<ClipNow> {
    let constraints = &world.structure().constraints;
    let all: Vec<usize> =
        (0..constraints.len()).filter(|&k| matches!(constraints[k].law, Law::Clip(_))).collect();
    // Clips that hold a rod, sorted along it: rod, place, clip.
    let held_by = |k: usize| Some(&world.state().constraints[k]).filter(|clip| !clip.open);
    let mut holding: Vec<(usize, f64, usize)> =
        all.iter().filter_map(|&k| held_by(k).map(|clip| (clip.held, clip.held_at, k))).collect();
    holding.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut next = vec![None; constraints.len()];
    for pair in holding.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        next[pair[0].2] = Some((pair[1].1, pair[1].2));
    }
    let held = |k: usize| {
        let clip = held_by(k)?;
        let rod = world.structure().objects.get(clip.held)?;
        let here = world.section(rod, clip.held_at).ok()?;
        let span = |(place, other): (f64, usize)| {
            Some(SpanNow {
                to: constraints[other].name.clone(),
                rest_length: place - clip.held_at,
                distance: here.position.distance(world.section(rod, place).ok()?.position),
                bend_radius: world.least_bend_radius(rod, clip.held_at, place).ok()?,
            })
        };
        Some(HeldNow {
            rod: rod.name.clone(),
            place: clip.held_at,
            bend_radius: 1.0 / here.curvature,
            twist: here.twist,
            next: next[k].and_then(span),
        })
    };
    let now = |k: usize| {
        let (force, strength_used) =
            (world.constraint_force(k).ok()?.force.length(), world.strength_used(k).ok()?);
        Some(ClipNow { name: constraints[k].name.clone(), force, strength_used, held: held(k) })
    };
    all.into_iter().filter_map(now).collect()
}

/// Numbers of unknowns and of multipliers.
pub(crate) fn size(world: &World) -> (usize, usize) {
    let structure = world.structure();
    let of_object =
        |object: &Object| object.scalars().flatten().filter(|scalar| *scalar != Scalar::Unused).count();
    let sliding: usize =
        structure.constraints.iter().map(|c| c.law.own_unknowns().iter().filter(|own| **own).count()).sum();
    let unknowns = structure.objects.iter().map(of_object).sum::<usize>() + sliding;
    let rows = structure
        .constraints
        .iter()
        .zip(&world.state().constraints)
        .map(|(constraint, memory)| constraint.rows(memory));
    let lengths =
        structure.objects.iter().filter_map(|object| Some(object.rod()?.inextensible()?.length_rows()));
    (unknowns, rows.chain(lengths).sum())
}
