//! A step allocates nothing once it has been made a few times.

use crate::common::{counting, scene};
use micado::clock::{CostModel, NoClock, VirtualClock};
use micado::scene::QuasiSettings;
use micado::scene::{Hessian, Integrator, Solves};
use micado::step::{StepParams, Workspace};
use micado::world::World;
use serde_json::{Value, json};

/// Every kind of object, constraint, load and spring.
fn everything() -> Value {
    let rod = |y: f64, section: Value| {
        json!({"section": section, "young": 5e7, "density": 1100, "segments": 14,
            "damping": {"internal": 0.002, "mass": 0.5},
               "shape": {"line": {"from": [0, y, 0], "to": [1, y, 0]}}})
    };
    json!({
        "rod": {
            "a": rod(0.0, json!({"circle": {"radius": 0.005}})),
            "b": rod(1.0, json!({"rectangle": {"a": 0.01, "b": 0.004}})),
            "c": {"radius": 0.003, "young": 5e7, "density": 1200, "segments": 11, "twist": 1.0,
                "damping": {"internal": 0.001}, "shape": {"ring": {"centre": [0, 2, 0], "radius": 0.2}}},
            "d": {"radius": 0.003, "young": 5e7, "density": 1200, "segments": 11, "basis": "catmull-rom",
                "twist_measure": "frenet",
                  "shape": {"helix": {"centre": [0, 4, 0], "radius": 0.2, "pitch": 0.2, "turns": 1}}},
            "e": {"model": "discrete-elastic", "inextensible": true, "radius": 0.003, "young": 5e7,
                "density": 1200, "segments": 9,
                  "shape": {"line": {"from": [0, 6, 0], "to": [1, 6, 0]}}},
        },
        "mass": {"m": {"position": [0.3, 0.5, 0.2], "mass": 0.05}},
        "constraint": {
            "hung": {"position": {"on": "e", "at": "start"}},
            "position": {"position": {"on": "a", "at": "start",
                "displacement": {"harmonic": {"amplitude": [0, 0.01, 0.01], "frequency": 2}}}},
            "plane": {"plane": {"on": "a", "at": "20 %", "normal": [0, 1, 0],
                "offset": {"keyframes": {"times": [0, 1], "values": [0, 0.01]}}}},
            "axis": {"axis": {"on": "a", "at": "40 %", "direction": [1, 0, 0]}},
            "roll": {"roll": {"on": "a", "at": "50 %", "angle": {"ramp": {"to": 1, "end": 1}}}},
            "circle": {"circle": {"on": "a", "at": "end", "centre": [1, 0, -0.1], "normal": [0, 1, 0]}},
            "clamp": {"clamp": {"on": "b", "at": "start", "roll": {"ramp": {"to": 1, "end": 1}}}},
            "paper": {"clamp": {"on": "b", "at": "end", "rows": "paper"}},
            "trajectory": {"trajectory": {"on": "b", "at": "50 %",
                "path": {"arc": {"from": [0.5, 1, 0], "tangent": [0, 1, 0], "towards": [0, 0, -1],
                "radius": 0.4, "angle": 1}}}},
            "tangent": {"tangent": {"on": "c", "at": "start"}},
            "tangent-paper": {"tangent": {"on": "c", "at": "50 %", "rows": "paper"}},
            "distance": {"distance": {"on": "m", "centre": [0, 0.5, 0]}},
            "clip": {"clip": {"on": "d", "at": "50 %", "width": 0.05, "hold": "clamp",
                "strength": {"any": 1e3, "moment": 1e3}}},
            "open": {"clip": {"on": "d", "target": [5, 5, 5]}},
            "twice": {"distance": {"on": "m", "centre": [0, 0.5, 0]}},
        },
        "spring": {
            "linear": {"linear": {"from": {"mass": "m"}, "to": {"rod": {"on": "a", "at": "33 %"}},
                "stiffness": 3, "damping": 0.01}},
            "torsional": {"torsional": {"from": {"rod": {"on": "d", "at": "end"}},
                "to": {"rod": {"on": "c", "at": "10 %"}}, "stiffness": 0.01, "damping": 1e-4}},
        },
        "load": {
            "force": {"force": {"on": "m", "force": {"harmonic": {"amplitude": [0.1, 0, 0],
                "frequency": 1}}}},
            "moment": {"moment": {"on": "b", "at": "70 %", "moment": [0, 0.001, 0]}},
            "distributed": {"distributed": {"on": "a", "from": "10 %", "force": [0, 0, 0.01]}},
            "drag": {"drag": {"on": "c", "coefficient": 0.05, "wind": [0, 0.3, 0]}},
        },
    })
}

#[test]
fn a_step_allocates_nothing_after_warm_up() {
    for (integrator, solves, hessian) in [
        (Integrator::Euler, Solves::Exactly(1), Hessian::Psd),
        (Integrator::Euler, Solves::Exactly(2), Hessian::Auto),
        (Integrator::Euler, Solves::Auto, Hessian::Psd),
        (Integrator::Bdf2, Solves::Exactly(1), Hessian::GaussNewton),
        (Integrator::Bdf2, Solves::Exactly(2), Hessian::Exact),
        (Integrator::Bdf2, Solves::Auto, Hessian::Psd),
    ] {
        let mut world = World::build(&scene(everything())).expect("a scene of everything");
        let mut workspace = Workspace::new();
        let params = StepParams { step: 1e-3, integrator, solves, hessian, ..StepParams::default() };
        // Eight steps: state and trial state are swapped in every island, and BDF2 has a history from the
        // second on.
        for _ in 0..8 {
            assert!(!world.step(&params, &mut workspace, &NoClock).held);
        }
        let before = counting::calls();
        for _ in 0..10 {
            assert!(!world.step(&params, &mut workspace, &NoClock).held);
        }
        assert_eq!(counting::calls() - before, 0, "{integrator:?}, {solves} solves, {hessian:?}");
    }
}

#[test]
fn a_quasi_dynamic_step_allocates_nothing_after_warm_up() {
    let mut world = World::build(&scene(everything())).expect("a world");
    let mut workspace = Workspace::new();
    let (params, settings) = (StepParams { step: 2e-3, ..StepParams::default() }, QuasiSettings::default());
    let model = |per_pass| CostModel { per_pass, per_operation: 0.0, per_segment: 0.0 };
    let mut still = 0;
    for k in 0..200 {
        // Dear passes for a while, and cheap ones again.
        let clock = VirtualClock::new(model(if (20..80).contains(&k) { 1.0 } else { 0.0 }));
        let before = counting::calls();
        let report = world.step_quasi_dynamically(&params, &settings, &mut workspace, &clock);
        let allocated = counting::calls() - before;
        still = still.max(report.still_objects);
        assert!(!report.held);
        // A change of the finest step, of modes, or of what is stiff may order the unknowns anew.
        if (40..80).contains(&k) || k >= 150 {
            assert_eq!(allocated, 0, "step {k}");
        }
    }
    assert!(still > 0, "nothing was ever quasi-static");
}

#[test]
fn an_explicit_step_allocates_nothing_after_warm_up() {
    let rod = |y: f64, more: Value| {
        let mut rod = json!({"model": "discrete-elastic", "radius": 0.005, "mass_per_length": 0.2,
            "segments": 9,
            "stiffness": {"bend": 0.05, "twist": 0.05},
                "shape": {"line": {"from": [0, y, 0], "to": [1, y, 0]}}});
        more.as_object().into_iter().flatten().for_each(|(field, value)| rod[field] = value.clone());
        rod
    };
    let curved = json!({"natural": {"curved": {"curvature_1": 2}},
        "stiffness": {"bend": 0.05, "bend_2": 0.02, "twist": 0.05}});
    let scene = scene(json!({
        "rod": {"a": rod(0.0, json!({})), "b": rod(1.0, curved)},
        "mass": {"m": {"position": [1, 0.5, 0], "mass": 0.05}},
        "constraint": {"clamp": {"clamp": {"on": "a", "at": "start", "roll": {"ramp": {"to": 1, "end": 1}}}},
            "roll": {"roll": {"on": "a", "at": "end"}}, "hold": {"position": {"on": "b", "at": "start"}},
            "joint": {"distance": {"on": "a", "at": "end", "to": {"on": "m"}}}},
        "spring": {"s": {"linear": {"from": {"mass": "m"}, "to": {"rod": {"on": "b", "at": "end"}},
            "stiffness": 3}}},
        "settings": {"integrator": "explicit"},
    }));
    let mut world = World::build(&scene).expect("a world");
    let mut workspace = Workspace::new();
    let params = StepParams { step: 5e-3, integrator: Integrator::Explicit, ..StepParams::default() };
    (0..4).for_each(|_| _ = world.step(&params, &mut workspace, &NoClock));
    let before = counting::calls();
    for _ in 0..20 {
        let report = world.step(&params, &mut workspace, &NoClock);
        assert!(!report.held, "{report:?}");
    }
    assert_eq!(counting::calls() - before, 0);
}

#[test]
fn a_refused_and_retried_step_allocates_nothing() {
    let mut description = everything();
    description["constraint"]["position"]["position"]["displacement"] = json!({"keyframes": {"times": [0,
        0.0095, 0.0105], "values": [[0, 0, 0], [0, 0, 0], [2.5, 0.3, 0.2]]}});
    let mut world = World::build(&scene(description)).expect("a scene of everything");
    let mut workspace = Workspace::new();
    let params = StepParams {
        step: 1e-3,
        integrator: Integrator::Bdf2,
        solves: Solves::Exactly(2),
        ..StepParams::default()
    };
    for _ in 0..5 {
        world.step(&params, &mut workspace, &NoClock);
    }
    let before = counting::calls();
    let mut refused = 0;
    for _ in 0..10 {
        refused += usize::from(world.step(&params, &mut workspace, &NoClock).refused.is_some());
    }
    assert!(refused > 0, "no step was refused, so nothing was tested");
    assert_eq!(counting::calls() - before, 0);
}

#[test]
fn turning_winch_allocates_nothing_while_places_stay_in_their_segments() {
    for integrator in [Integrator::Euler, Integrator::Bdf2] {
        let mut description = everything();
        description["rod"]["rope"] = json!({"radius": 0.005, "young": 5e7, "density": 1100, "segments": 14,
            "damping": {"internal": 0.002},
                                            "shape": {"line": {"from": [0, 6, 0], "to": [0, 6, -1]}}});
        description["winch"] = json!({"w": {"on": "rope", "pay_out": {"ramp": {"to": 0.01, "end": 0.1}}}});
        description["constraint"]["drum"] = json!({"clamp": {"on": "rope", "at": "start"}});
        description["constraint"]["clip"] = json!({"plane": {"on": "rope", "at": 0.55, "normal": [1, 0, 0]}});
        description["constraint"]["bead"] = json!({"pearl": {"on": "rope", "at": 0.8, "mass": 0.01}});
        description["load"]["air"] =
            json!({"drag": {"on": "rope", "from": 0.5, "coefficient": 0.1, "wind": [1, 0, 0]}});
        let mut world = World::build(&scene(description)).expect("a scene of everything and a winch");
        let mut workspace = Workspace::new();
        let params = StepParams { step: 1e-3, integrator, ..StepParams::default() };
        for _ in 0..4 {
            assert!(!world.step(&params, &mut workspace, &NoClock).held);
        }
        let (before, out) = (counting::calls(), world.state().spooled[0]);
        for _ in 0..10 {
            assert!(!world.step(&params, &mut workspace, &NoClock).held);
        }
        assert!(world.state().spooled[0] > out, "it turns");
        assert_eq!(counting::calls() - before, 0, "{integrator:?}");
    }
}

#[test]
fn the_counter_counts() {
    let before = counting::calls();
    let live = counting::restart_peak();
    let vector = std::hint::black_box(vec![1_u8; 1000]);
    assert_eq!((counting::calls() - before, counting::peak() - live), (1, 1000));
    drop(vector);
}

#[test]
fn a_step_allocates_nothing_when_new_contacts_appear() {
    // A rod with pearls falls on planes that it touches one after the other; ropes become taut; pearls meet,
    // stop and rub.
    let mut held = json!({"far": {"distance": {"on": "m", "centre": [0.3, 0.5, 0.4], "distance": 0.21,
        "limit": "at-most"}},
                          "eye": {"keyhole": {"on": "b", "at": "50 %", "friction": 0.3}}});
    for k in 0..8 {
        let at = format!("{} %", 5 + 12 * k);
        let point = [0.0, 0.0, -0.02 - 0.002 * f64::from(k)];
        held[format!("floor{k}")] =
            json!({"plane": {"on": "a", "at": at, "normal": [0, 0, 1], "point": point, "side": "above"}});
        held[format!("pearl{k}")] = json!({"pearl": {"on": "a", "at": at, "mass": 0.01, "radius": 0.02,
            "friction": 0.1, "speed": 0.2 * f64::from(4 - k)}});
    }
    let rod = |y: f64| {
        json!({"radius": 0.005, "young": 5e7, "density": 1100, "segments": 14,
        "damping": {"internal": 0.002, "mass": 0.5},
        "shape": {"line": {"from": [0, y, 0], "to": [1, y, 0]}}})
    };
    let description = json!({"rod": {"a": rod(0.0), "b": rod(1.0)},
        "mass": {"m": {"position": [0.3, 0.5, 0.2], "mass": 0.05}}, "constraint": held});
    for integrator in [Integrator::Euler, Integrator::Bdf2] {
        let mut world = World::build(&scene(description.clone())).expect("a rod above floors");
        let mut workspace = Workspace::new();
        let params = StepParams { step: 1e-3, integrator, ..StepParams::default() };
        for _ in 0..4 {
            assert!(!world.step(&params, &mut workspace, &NoClock).held);
        }
        let pushing = |world: &World| {
            let rows =
                world.state().constraints.iter().map(|c| c.pushes.iter().filter(|f| **f != 0.0).count());
            let contacts = world.state().contacts.iter().filter(|contact| contact.forces[0] != 0.0);
            rows.sum::<usize>() + contacts.count()
        };
        let (mut most, mut allocated) = (pushing(&world), 0);
        let begun = most;
        for _ in 0..150 {
            // Where a pearl slides out of its window the unknowns are ordered anew; that may allocate.
            let windows: Vec<_> = world.state().constraints.iter().map(|c| c.window).collect();
            let before = counting::calls();
            let report = world.step(&params, &mut workspace, &NoClock);
            allocated += counting::calls() - before;
            assert!(!report.held);
            most = most.max(pushing(&world));
            if world.state().constraints.iter().map(|c| c.window).ne(windows) {
                break;
            }
        }
        assert!(most >= begun + 5, "{begun} rows pushed at first and {most} at most: nothing was tested");
        assert_eq!(allocated, 0, "{integrator:?}");
    }
}

#[test]
fn step_of_bodies_on_joints_allocates_nothing_after_warm_up() {
    let bar = |x: f64| {
        json!({"shape": {"box": {"size": [1, 0.05, 0.05]}}, "density": 400, "position": [x, 0, 0],
            "spin": [0, 0, 0]})
    };
    let description = json!({
        "rod": {"rope": {"radius": 0.005, "young": 5e7, "density": 1100, "segments": 8,
            "shape": {"line": {"from": [3, 0, 0], "to": [4, 0, 0]}}}},
        "body": {"a": bar(0.5), "b": bar(1.5), "c": bar(2.5)},
        "constraint": {
            "first": {"joint": {"on": "a", "at": [-0.5, 0, 0], "kind": "hinge", "axis": [0, 1, 0],
                "angle": {"motor": {"velocity": {"target": 1, "strength": 30}}}}},
            "second": {"joint": {"on": "b", "at": [-0.5, 0, 0], "to": {"on": "a", "at": [0.5, 0, 0]},
                "kind": "hinge", "axis": [0, 1, 0], "angle": {"mu": 0.2, "bearing_radius": 0.02}}},
            "third": {"joint": {"on": "c", "at": [-0.5, 0, 0], "to": {"on": "b", "at": [0.5, 0, 0]},
                "kind": "ball"}},
            "weld": {"joint": {"on": "rope", "at": "start", "to": {"on": "c", "at": [0.5, 0, 0]},
                "kind": "weld"}},
        },
        "load": {"turn": {"moment": {"on": "c", "moment": [0, 0.1, 0]}}},
    });
    for integrator in [Integrator::Euler, Integrator::Bdf2] {
        for solves in [Solves::Exactly(1), Solves::Auto, Solves::Exactly(3)] {
            let mut world = World::build(&scene(description.clone())).expect("a chain of bodies");
            let mut workspace = Workspace::new();
            let params = StepParams { step: 1e-3, integrator, solves, ..StepParams::default() };
            for _ in 0..8 {
                assert!(!world.step(&params, &mut workspace, &NoClock).held);
            }
            let before = counting::calls();
            for _ in 0..20 {
                assert!(!world.step(&params, &mut workspace, &NoClock).held);
            }
            assert_eq!(counting::calls() - before, 0, "{integrator:?}, {solves} solves");
        }
    }
}

#[test]
fn a_falling_chain_allocates_nothing_while_its_joints_become_stiff() {
    let mut description = json!({"body": {}, "constraint": {}});
    for k in 0..100 {
        let name = format!("bar-{k:03}");
        description["body"][&name] = json!({"shape": {"box": {"size": [0.1, 0.02, 0.02]}}, "density": 1000,
            "position": [0.1 * f64::from(k) + 0.05, 0, 0]});
        let mut joint = json!({"on": name, "at": [-0.05, 0, 0], "kind": "ball"});
        if k > 0 {
            joint["to"] = json!({"on": format!("bar-{:03}", k - 1), "at": [0.05, 0, 0]});
        }
        description["constraint"][format!("joint-{k:03}")] = json!({"joint": joint});
    }
    let mut world = World::build(&scene(description)).expect("a chain");
    // BDF2 calls joints stiff early; with Euler these bars keep the directions of the start.
    let integrator = Integrator::Bdf2;
    let params = StepParams { step: 5e-3, integrator, ..StepParams::default() };
    let mut workspace = Workspace::new();
    let stiff = |world: &World| world.state().constraints.iter().filter(|joint| joint.stiff).count();
    for _ in 0..3 {
        assert!(!world.step(&params, &mut workspace, &NoClock).held);
    }
    let (before, mut changes) = (counting::calls(), 0);
    for _ in 0..30 {
        let earlier = stiff(&world);
        assert!(!world.step(&params, &mut workspace, &NoClock).held);
        changes += usize::from(stiff(&world) != earlier);
    }
    assert_eq!(counting::calls() - before, 0);
    // With a block for every stiff joint, this chain ordered its unknowns 19 times in its first 30 steps.
    assert!(changes > 10, "{changes}");
}

/// Steps a scene with contacts; the last steps must not allocate.
fn step_with_contacts(name: &str, description: &Value) {
    for integrator in [Integrator::Euler, Integrator::Bdf2] {
        let mut world = World::build(&scene(description.clone())).expect("a scene");
        let mut workspace = Workspace::new();
        let params = StepParams { step: 5e-3, integrator, ..StepParams::default() };
        // Everything falls, touches, and comes to rest.
        for _ in 0..60 {
            assert!(!world.step(&params, &mut workspace, &NoClock).held, "{name}, {integrator:?}");
        }
        let before = counting::calls();
        let mut contacts = 0;
        for _ in 0..30 {
            contacts = world.step(&params, &mut workspace, &NoClock).contacts;
        }
        assert_eq!(counting::calls() - before, 0, "{name}, {integrator:?}");
        assert!(contacts > 3, "{name}, {integrator:?}: {contacts} contacts");
    }
}

#[test]
fn step_of_touching_ropes_and_bodies_allocates_nothing_after_warm_up() {
    let rope = |from: [f64; 3], to: [f64; 3]| {
        json!({"shape": {"line": {"from": from, "to": to}}, "radius": 0.005, "young": 1e7, "density": 1100,
            "segments": 12, "damping": {"mass": 5}})
    };
    let shape = json!({"box": {"size": [0.2, 0.2, 0.2]}});
    let cube = |x: f64, z: f64| json!({"shape": shape, "density": 500, "position": [x, 0, z]});
    let contact = json!({"friction": 0.5});
    step_with_contacts(
        "a rope on a floor",
        &json!({"floor": true, "contact": contact,
            "rod": {"rope": rope([-0.2, 0.0, 0.006], [0.2, 0.0, 0.006])}}),
    );
    step_with_contacts(
        "crossing ropes",
        &json!({"floor": true, "contact": contact, "rod": {
            "a": rope([-0.2, 0.0, 0.006], [0.2, 0.0, 0.006]),
            "b": rope([0.0, -0.2, 0.017], [0.0, 0.2, 0.017]),
            "c": rope([0.1, -0.2, 0.017], [0.1, 0.2, 0.017])}}),
    );
    step_with_contacts(
        "a stack and a pyramid",
        &json!({"floor": true, "contact": contact, "body": {
            "a": cube(0.0, 0.101), "b": cube(0.21, 0.101), "c": cube(0.105, 0.302),
            "d": cube(1.0, 0.101), "e": cube(1.0, 0.302)}}),
    );
}
