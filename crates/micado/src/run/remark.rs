//! Remarks about the start of a run, before its first step.

use crate::constraint::{Constraint, End};
use crate::contact::Overlap;
use crate::geometry::curve::Curve;
use crate::object::body::TurnedMesh;
use crate::object::{Object, ObjectDescription, ObjectKind};
use crate::run::Simulation;
use crate::run::cause::Missed;
use crate::run::event::TightTurn;
use crate::scene::{Integrator, Mode};
use crate::world::{Corner, World};

/// A remark about the start of a run. `Display` writes it as a sentence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remark {
    /// A constraint is far from its target, and the first step has to bring it there.
    MissedAtStart(Missed),
    /// Surfaces of two objects overlap, and the first steps separate them.
    OverlapAtStart {
        /// Names of the objects; the same twice for a rod that overlaps itself.
        objects: [String; 2],
        /// Largest depth, m.
        depth: f64,
        /// Number of further pairs that overlap less and have no remark.
        others: usize,
    },
    /// Explicit steps are divided for stability.
    DividedSteps {
        /// Step, s.
        step: f64,
        /// Equal parts of a step.
        parts: f64,
    },
    /// The segments of a rod can't follow its described shape.
    CoarseShape {
        /// Its name.
        rod: String,
        /// Number of its segments.
        segments: usize,
        /// Length of the described curve, and of the rod, m; the same if nothing is lost.
        length: [f64; 2],
        /// Least bend radius of the described curve, and of the rod, m; the same if nothing is lost.
        radius: [f64; 2],
    },
    /// A constraint has no effect: it joins two places of one rigid body, or fixed objects.
    NothingToMove {
        /// Its name.
        constraint: String,
        /// The body, or the fixed objects.
        objects: Vec<String>,
        /// Whether they are fixed.
        fixed: bool,
    },
    /// A mesh was inside out, so that all its triangles were turned.
    TurnedMesh(TurnedMesh),
    /// A rod turns in an eye within too few segments, so that the eye holds it.
    TightTurn(TightTurn),
    /// A stretch with its own properties is shorter than the segment that it is in.
    CoarseStretch {
        /// Name of the rod.
        rod: String,
        /// Index of the stretch.
        stretch: usize,
        /// Its length, m.
        length: f64,
        /// Length of the segment in its middle, m.
        segment: f64,
    },
}

/// Share of the length of a shape that segments may cut off at its bends without a remark: about the accuracy
/// of a measured length.
const LOST_LENGTH: f64 = 5e-3;

/// Ratio of the least bend radius of a rod to that of its shape above which the rod gets a remark.
const BLUNTED: f64 = 1.2;

/// Most remarks on overlaps.
const MOST_OVERLAPS: usize = 5;

impl Simulation {
    /// Remarks about the start of the run; none after the first step.
    pub fn remarks(&self) -> Vec<Remark> {
        if self.steps() > 0 {
            return Vec::new();
        }
        let (world, settings) = (self.world(), self.settings());
        let moves_there = settings.settle || settings.mode == Mode::Static;
        let missed = world.worst_missed(world.time()).filter(|_| !moves_there);
        let is_explicit = settings.integrator == Integrator::Explicit && settings.mode == Mode::Dynamic;
        let parts = if is_explicit { world.explicit_parts(settings.step) } else { 1.0 };
        let divided = (parts > 1.0).then_some(Remark::DividedSteps { step: settings.step, parts });
        let coarse = world.structure().objects.iter().flat_map(|object| coarse(world, object));
        let turns = world.corners().map(|corner| Remark::TightTurn(world.tight_turn(&corner)));
        let meshes = world.turned_meshes().map(Remark::TurnedMesh);
        let missed = missed.map(Remark::MissedAtStart).into_iter();
        let idle = world.structure().constraints.iter().filter_map(|of| nothing_to_move(world, of));
        let overlaps = overlaps(world);
        missed.chain(overlaps).chain(divided).chain(coarse).chain(turns).chain(meshes).chain(idle).collect()
    }
}

impl World {
    /// The meshes that were inside out, with their paths in the scene.
    pub fn turned_meshes(&self) -> impl Iterator<Item = TurnedMesh> {
        let bodies = self.structure.objects.iter().flat_map(|object| {
            let turned = if let ObjectKind::Body(body) = &object.kind { body.turned.as_slice() } else { &[] };
            turned.iter().map(|mesh| mesh.within(&format!("{}.{}", object.word(), object.name)))
        });
        let scenery = self.structure.scenery.iter().flat_map(|scenery| {
            scenery.turned.iter().map(|mesh| mesh.within(&format!("scenery.{}", scenery.name)))
        });
        bodies.chain(scenery)
    }

    /// A corner with the names of its constraint and rod.
    pub(crate) fn tight_turn(&self, corner: &Corner) -> TightTurn {
        TightTurn {
            constraint: self.structure.constraints[corner.constraint].name.clone(),
            rod: self.structure.objects[corner.object].name.clone(),
            turn: corner.turn,
            held: corner.held,
            segments: corner.segments,
            needed: corner.needed,
            sharp: corner.sharp,
        }
    }
}

/// Remarks about surfaces that overlap.
fn overlaps(world: &World) -> Vec<Remark> {
    let all = world.overlaps();
    let name =
        |k: usize| world.structure.objects.get(k).map_or_else(String::new, |object| object.name.clone());
    let remark = |(i, overlap): (usize, &Overlap)| Remark::OverlapAtStart {
        objects: overlap.objects.map(name),
        depth: overlap.depth,
        others: if i + 1 == MOST_OVERLAPS { all.len() - MOST_OVERLAPS } else { 0 },
    };
    all.iter().take(MOST_OVERLAPS).enumerate().map(remark).collect()
}

/// A remark about a constraint whose ends can't move against each other.
fn nothing_to_move(world: &World, constraint: &Constraint) -> Option<Remark> {
    let objects = &world.structure().objects;
    let mut at = Vec::new();
    for end in &constraint.ends {
        match end {
            End::World => {}
            End::Fixed { place, .. } => at.push(&objects[place.object()?]),
            End::Sliding { .. } | End::Caught { .. } => return None,
        }
    }
    let body =
        |object: &&Object| if let ObjectKind::Body(body) = &object.kind { Some(body.fixed) } else { None };
    let fixed = !at.is_empty() && at.iter().all(|object| body(object) == Some(true));
    let of_one = at.len() == 2 && at[0].name == at[1].name;
    let within = of_one && body(&at[0]).is_some();
    at.truncate(if of_one { 1 } else { 2 });
    let objects = at.into_iter().map(|object| object.name.clone()).collect();
    let constraint = constraint.name.clone();
    (fixed || within).then_some(Remark::NothingToMove { constraint, objects, fixed })
}

/// Remarks about a rod whose segments are too long for its shape or its stretches.
fn coarse(world: &World, object: &Object) -> Vec<Remark> {
    let (Some(rod), ObjectDescription::Rod(words)) = (object.rod(), &object.description) else {
        return Vec::new();
    };
    let mut remarks = Vec::new();
    if let Ok(curve) = Curve::from_shape(&words.shape) {
        let curve = curve.scaled(1.0 / (1.0 + words.initial_stretch));
        let same_unless =
            |lost: bool, [described, built]: [f64; 2]| [described, if lost { built } else { described }];
        let length = [curve.length(), rod.length()];
        let radius = [
            curve.least_radius(),
            world.least_bend_radius(object, 0.0, rod.length()).unwrap_or(f64::INFINITY),
        ];
        let (shorter, blunter) =
            (length[1] < length[0] * (1.0 - LOST_LENGTH), radius[1] > radius[0] * BLUNTED);
        if shorter || blunter {
            remarks.push(Remark::CoarseShape {
                rod: object.name.clone(),
                segments: rod.segments(),
                length: same_unless(shorter, length),
                radius: same_unless(blunter, radius),
            });
        }
    }
    for (stretch, words) in words.stretches.iter().enumerate() {
        let [from, to] = [words.from, words.to].map(|at| at.along(rod.length()));
        let (e, _) = rod.locate((0.5 * (from + to)).clamp(0.0, rod.length()));
        let segment = rod.arc_at(e, 1.0) - rod.arc_at(e, 0.0);
        if to - from < segment * (1.0 - 1e-9) {
            let (rod, length) = (object.name.clone(), to - from);
            remarks.push(Remark::CoarseStretch { rod, stretch, length, segment });
        }
    }
    remarks
}
