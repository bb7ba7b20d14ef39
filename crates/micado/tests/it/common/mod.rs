//! Shared by the suites: scenes from small JSON descriptions, and read-outs by name.

pub(crate) mod counting;

use glam::DVec3;
use micado::clock::NoClock;
use micado::constraint::Force;
use micado::object::Object;
use micado::run::Simulation;
use micado::scene::Scene;
use micado::step::StepReport;
use micado::world::World;
use serde_json::{Value, json};

/// A scene from its description.
pub(crate) fn scene(description: Value) -> Scene {
    serde_json::from_value(description).expect("the description is a scene")
}

/// A simulation from a description.
pub(crate) fn build(description: Value) -> Simulation {
    Simulation::build(&scene(description)).expect("the scene can be built")
}

/// One step of a simulation: in static mode, the equilibrium.
pub(crate) fn solved(description: Value) -> (Simulation, StepReport) {
    let mut simulation = build(description);
    let report = simulation.step(&NoClock);
    (simulation, report)
}

/// The equilibrium of a static scene that has to converge.
pub(crate) fn equilibrium(description: Value) -> Simulation {
    let (simulation, report) = solved(description);
    assert!(report.converged, "no equilibrium: {report:?}");
    simulation
}

/// A run to its end.
pub(crate) fn run(description: Value) -> Simulation {
    let mut simulation = build(description);
    while !simulation.finished() {
        simulation.step(&NoClock);
    }
    simulation
}

/// Two ropes between displaced ends, at rest, that cross in an eye of both; `eye` adds to its description.
pub(crate) fn crossing_ropes(eye: &Value) -> Simulation {
    let rope = |from: [f64; 3], to: [f64; 3]| {
        json!({"shape": {"line": {"from": from, "to": to}},
        "stiffness": {"stretch": 500, "bend": 1e-2, "twist": 1e-2}, "mass_per_length": 0.2, "segments": 16})
    };
    let mut cross = json!({"on": "a", "at": 1.2, "to": {"on": "b", "at": "50 %"}, "crossing": true});
    for (field, value) in eye.as_object().into_iter().flatten() {
        cross[field] = value.clone();
    }
    equilibrium(json!({
        "rod": {"a": rope([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]), "b": rope([0.3, -0.7, 0.0], [0.1, 0.7, 0.0])},
        "constraint": {
            "a0": {"position": {"on": "a", "at": "start"}}, "a1": {"position": {"on": "a", "at": "end"}},
            "ar": {"roll": {"on": "a", "at": "start"}}, "br": {"roll": {"on": "b", "at": "start"}},
            "b0": {"position": {"on": "b", "at": "start", "displacement": [0.1, 0, 0.5]}},
            "b1": {"position": {"on": "b", "at": "end", "displacement": [0.2, 0.1, 0.3]}},
            "cross": {"keyhole": cross},
        },
        "settings": {"mode": "static"},
    }))
}

/// The object of a name.
pub(crate) fn object<'a>(world: &'a World, name: &str) -> &'a Object {
    world.object("", name).expect("the object exists")
}

/// Where a rod is at a share of its rest length.
pub(crate) fn at(world: &World, rod: &str, share: f64) -> DVec3 {
    let object = object(world, rod);
    let length = object.rod().expect("a rod").length();
    world.section(object, share * length).expect("a rod").position
}

/// Where a mass is.
pub(crate) fn position(world: &World, mass: &str) -> DVec3 {
    world.position(object(world, mass)).expect("an object of this world")
}

/// How fast a mass moves, or a rod at rest arc length `s`.
pub(crate) fn velocity(world: &World, name: &str, s: f64) -> DVec3 {
    world.velocity(object(world, name), s).expect("an object of this world")
}

/// Index of the constraint of a name.
pub(crate) fn constraint(world: &World, name: &str) -> usize {
    world.structure().constraints.iter().position(|c| c.name == name).expect("the constraint exists")
}

/// Force and moment of a constraint on its object.
pub(crate) fn force(world: &World, name: &str) -> Force {
    world.constraint_force(constraint(world, name)).expect("the constraint exists")
}

/// Value of a probe.
pub(crate) fn probe(simulation: &Simulation, name: &str) -> f64 {
    let index = simulation.probe_names().iter().position(|n| n == name).expect("the probe exists");
    simulation.probe_values()[index]
}

/// Whether an event of this kind, a variant of `EventKind`, has happened.
macro_rules! happened {
    ($simulation:expr, $kind:ident) => {
        $simulation.events().iter().any(|event| matches!(event.what, micado::run::EventKind::$kind { .. }))
    };
}
pub(crate) use happened;

/// Sum of all masses times their velocities, kg·m/s.
pub(crate) fn momentum(world: &World) -> DVec3 {
    weighted(world, &world.state().v)
}

/// Σ mass · vector over all nodes: ∫μ b_i ds is the mass that a node stands for.
pub(crate) fn weighted(world: &World, vectors: &[f64]) -> DVec3 {
    let masses = &world.structure().node_mass;
    vectors.chunks_exact(4).zip(masses).map(|(v, m)| DVec3::new(v[0], v[1], v[2]) * *m).sum()
}

/// Total mass, kg.
pub(crate) fn total_mass(world: &World) -> f64 {
    world.structure().objects.iter().map(Object::total_mass).sum()
}

/// Whether every number of the state is finite.
pub(crate) fn is_finite(world: &World) -> bool {
    let state = world.state();
    let vectors = [&state.q, &state.v, &state.frames];
    vectors.into_iter().all(|v| v.iter().all(|x| x.is_finite()))
        && state.time.is_finite()
        && state
            .springs
            .iter()
            .flat_map(|of| &of.frames)
            .all(|f| f.tangent.iter().chain(&f.director).all(|x| x.is_finite()))
        && state.contacts.iter().all(|c| c.forces.iter().chain(&c.kept).all(|x| x.is_finite()))
        && state.constraints.iter().all(|c| {
            c.own
                .iter()
                .chain(&c.multipliers)
                .chain(c.pushes.iter())
                .chain(c.kept.as_flattened())
                .chain(&c.sliding.velocity)
                .chain(&c.sliding.moved_before)
                .chain(c.frames.iter().flat_map(|f| f.tangent.iter().chain(&f.director)))
                .all(|x| x.is_finite())
        })
}

/// The bits of the state.
pub(crate) fn bits(world: &World) -> Vec<u8> {
    postcard::to_stdvec(world.state()).expect("a state is plain numbers")
}

/// The bits of a state without its time, which goes on where nothing else does.
pub(crate) fn bits_without_time(world: &World) -> Vec<u8> {
    let state = micado::world::State { time: 0.0, ..world.state().clone() };
    postcard::to_stdvec(&state).expect("a state is plain numbers")
}

/// Relative difference.
pub(crate) fn off(measured: f64, expected: f64) -> f64 {
    (measured - expected).abs() / expected.abs()
}

/// Numbers between −1 and 1 that look random and are always the same: SplitMix64.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    /// The next one.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Three of them.
    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}
