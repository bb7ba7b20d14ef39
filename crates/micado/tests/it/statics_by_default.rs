//! Statics finds equilibria for any mesh and mass, or the scene stays as it was described.

use crate::common::{at, build, equilibrium, force, happened, off, solved};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::{EventKind, Simulation};
use micado::scene::Arithmetic;
use micado::step::{Mode, StaticParams, Workspace};
use micado::world::World;
use serde_json::{Map, Value, json};
use std::f64::consts::{PI, TAU};

const G: f64 = 9.81;

/// Six ropes side by side, the outer two held at their ends, each hung on the next by five slack links.
fn hung_ropes() -> Value {
    let (mut rods, mut constraints) = (Map::new(), Map::new());
    for k in 0..6 {
        let y = 0.2 * f64::from(k);
        rods.insert(
            format!("r{k}"),
            json!({"shape": {"line": {"from": [0, y, 0], "to": [1, y, 0]}}, "radius": 2e-3, "young": 1e8,
                "density": 1000, "segments": 12, "damping": {"internal": 5e-3, "mass": 1}}),
        );
        if k == 0 || k == 5 {
            for at in ["start", "end"] {
                constraints
                    .insert(format!("{at}{k}"), json!({"position": {"on": format!("r{k}"), "at": at}}));
            }
        }
        for at in (k < 5).then_some(["10 %", "30 %", "50 %", "70 %", "90 %"]).into_iter().flatten() {
            constraints.insert(
                format!("link {k} {at}"),
                json!({"distance": {"on": format!("r{k}"), "at": at, "distance": 0.22, "limit": "at-most",
                    "to": {"on": format!("r{}", k + 1), "at": at}}}),
            );
        }
    }
    json!({"settings": {"settle": true, "step": 2e-3, "duration": 0.02}, "rod": rods,
        "constraint": constraints})
}

#[test]
fn settle_finds_an_equilibrium_or_leaves_the_scene_as_described() {
    let scene = serde_json::from_value(hung_ropes()).expect("a scene");
    let mut simulation = Simulation::build(&scene).expect("a simulation");
    let before = simulation.world().state().clone();
    simulation.settle(&NoClock);
    let failed = simulation.events().iter().any(|event| event.kind() == "not-converged");
    if failed {
        assert_eq!(simulation.world().state().q, before.q, "a failed search has moved the ropes");
    }
    for _ in 0..10 {
        let report = simulation.step(&NoClock);
        assert!(!report.held && report.residual < 1e-3, "{report:?}");
    }
}

/// A steel wire, 2 mm thick, that stands on its clamp.
fn standing_wire(length: f64, segments: usize) -> Value {
    json!({
        "settings": {"mode": "static"},
        "rod": {"wire": {"shape": {"line": {"from": [0, 0, 0], "to": [0, 0, length]}}, "radius": 1e-3,
            "young": 2e11, "density": 7850, "segments": segments}},
        "constraint": {"foot": {"clamp": {"on": "wire", "at": "start"}}},
    })
}

#[test]
fn wire_that_is_too_long_to_stand_falls_with_any_number_of_segments() {
    // A clamped wire buckles under its own weight beyond (7.837 EI/(ρA g))^⅓ = 1.720 m.
    for segments in [25, 100, 400, 800] {
        let fallen = equilibrium(standing_wire(1.76, segments));
        let height = at(fallen.world(), "wire", 1.0).z;
        // The elastica of a discrete rod of 1600 segments is 1.4526 m high.
        assert!(off(height, 1.4526) < 1e-3, "{segments}: {height}");
        let upright = equilibrium(standing_wire(1.70, segments));
        let height = at(upright.world(), "wire", 1.0).z;
        assert!(off(height, 1.70) < 1e-5, "{segments}: {height}");
    }
}

#[test]
fn modes_of_a_wire_that_is_too_long_to_stand_grow_with_any_number_of_segments() {
    let stay = StaticParams { leave_unstable: false, ..StaticParams::default() };
    // About x and about y.
    for (length, growing) in [(1.70, 0), (1.76, 2)] {
        for segments in [100, 400, 800] {
            let simulation = build(standing_wire(length, segments));
            let (mut world, mut workspace) = (simulation.world().clone(), Workspace::new());
            let report = world.equilibrate(0.0, &stay, &mut workspace, &NoClock);
            assert!(report.converged && report.unstable_modes == growing, "{length} {segments}: {report:?}");
            let modes = world.modes(3, Arithmetic::Fast, &mut workspace).expect("modes");
            assert_eq!(modes.unstable, growing, "{length} {segments}");
            assert_eq!(modes.modes[0].eigenvalue < 0.0, growing > 0, "{length} {segments}: {modes:?}");
        }
    }
}

#[test]
fn equilibrium_of_a_weightless_string_does_not_depend_on_its_mass() {
    let string = |mass: f64| {
        let (simulation, report) = solved(json!({
            "settings": {"mode": "static", "gravity": [0, 0, 0]},
            "rod": {"string": {"shape": {"polyline": {"through":
                [[-0.5, 0, -0.2], [0, 0, 0], [0.5, 0, -0.2]]}}, "mass_per_length": mass, "segments": 200,
                "stiffness": {"stretch": 1e6, "bend": 1e-3, "twist": 1e-3}}},
            "mass": {"left": {"position": [-0.5, 0, -0.2], "mass": 0.4},
                "right": {"position": [0.5, 0, -0.2], "mass": 0.4}},
            "constraint": {
                "left end": {"fusion": {"on": "string", "at": "start", "to": {"on": "left"}}},
                "right end": {"fusion": {"on": "string", "at": "end", "to": {"on": "right"}}},
                "eye": {"position": {"on": "string", "at": "middle", "target": [0, 0, 0]}},
            },
            "load": {"l": {"force": {"on": "left", "force": [0, 0, -5]}},
                "r": {"force": {"on": "right", "force": [0, 0, -5]}}},
        }));
        assert!(report.converged, "{mass}: {report:?}");
        let tension = force(simulation.world(), "left end").force.length();
        // The string hangs over the point, 5 N at each end. Increments end at 1e-10 of the size, which EA/l
        // turns into a force.
        assert!(off(tension, 5.0) < 1e-6, "{mass}: {tension}");
        (report.solves, at(simulation.world(), "string", 0.1))
    };
    let (solves, place) = string(1.0);
    assert!(solves <= 15, "{solves}");
    for mass in [1e-3, 1e-5, 1e-7] {
        let (others, there) = string(mass);
        assert_eq!(others, solves, "{mass}");
        assert!((there - place).length() < 1e-9, "{mass}: {there} {place}");
    }
}

#[test]
fn rope_hangs_on_another_by_slack_links() {
    let rope = |z: f64| {
        json!({"shape": {"line": {"from": [0, 0, z], "to": [1, 0, z]}}, "radius": 2e-3, "young": 1e8,
            "density": 1000})
    };
    let link = |at: &str| {
        json!({"distance": {"on": "b", "at": at, "to": {"on": "a", "at": at}, "distance": 0.12,
            "limit": "at-most"}})
    };
    let simulation = equilibrium(json!({
        "settings": {"mode": "static"},
        "rod": {"a": rope(0.0), "b": rope(-0.1)},
        "constraint": {"l": {"position": {"on": "a", "at": "start"}},
            "r": {"position": {"on": "a", "at": "end"}},
            "k1": link("10 %"), "k2": link("50 %"), "k3": link("90 %")},
    }));
    let world = simulation.world();
    let weight = PI * 2e-3_f64.powi(2) * 1000.0 * G;
    let links: DVec3 = ["k1", "k2", "k3"].map(|name| force(world, name).force).into_iter().sum();
    let ends: DVec3 = ["l", "r"].map(|name| force(world, name).force).into_iter().sum();
    // Increments of 1e-10 of the size, times EA/l of a rope.
    assert!((links - DVec3::Z * weight).length() < 1e-6 * weight, "{links} {weight}");
    assert!((ends - DVec3::Z * 2.0 * weight).length() < 1e-6 * weight, "{ends} {weight}");
}

#[test]
fn net_of_slack_links_settles_with_the_weight_of_its_ropes() {
    let scene = serde_json::from_value(hung_ropes()).expect("a scene");
    let mut simulation = Simulation::build(&scene).expect("a simulation");
    simulation.settle(&NoClock);
    assert!(!happened!(simulation, NotConverged), "{:?}", simulation.events());
    let ends = ["start0", "end0", "start5", "end5"].map(|name| force(simulation.world(), name).force);
    let weight = 6.0 * PI * 2e-3_f64.powi(2) * 1000.0 * G;
    let sum: DVec3 = ends.into_iter().sum();
    assert!((sum - DVec3::Z * weight).length() < 1e-5 * weight, "{sum} {weight}");
}

#[test]
fn heavy_disc_on_a_wire_swings_about_its_axis() {
    let (length, radius, disc, thickness) = (1.2, 0.4e-3_f64, 0.06_f64, 0.03);
    let simulation = build(json!({
        "settings": {"gravity": [0, 0, 0]},
        "rod": {
            "wire": {"shape": {"line": {"from": [0, 0, length], "to": [0, 0, 0]}}, "radius": radius,
                "young": 2e11, "shear": 8e10, "density": 7800},
            "disc": {"shape": {"line": {"from": [0, 0, 0], "to": [0, 0, -thickness]}}, "radius": disc,
                "young": 2e11, "density": 2700, "segments": 4},
        },
        "constraint": {
            "top": {"clamp": {"on": "wire", "at": "start"}},
            "bolt": {"fusion": {"on": "disc", "at": "start", "to": {"on": "wire", "at": "end"},
                "hold": "rigid"}},
        },
    }));
    let mut world: World = simulation.world().clone();
    let mut workspace = Workspace::new();
    assert!(world.equilibrate(0.0, &StaticParams::default(), &mut workspace, &NoClock).converged);
    let modes = world.modes(6, Arithmetic::Fast, &mut workspace).expect("modes");
    // √(GJ/(L I))/2π, and a third of the inertia of the wire, 1e-7 of that of the disc.
    let twist = 8e10 * 0.5 * PI * radius.powi(4) / length;
    let inertia = 0.5 * PI * disc.powi(4) * 2700.0 * thickness;
    let expected = (twist / inertia).sqrt() / TAU;
    let nearest = modes.modes.iter().filter_map(Mode::frequency).map(|f| off(f, expected));
    assert!(nearest.fold(f64::MAX, f64::min) < 1e-4, "{expected} {modes:?}");
    assert_eq!(modes.unstable, 0);
}

#[test]
fn snapping_through_is_an_event() {
    // Two springs in a shallow roof, whose ridge is pushed down and pulled up again.
    let spring = |x: f64| {
        json!({"linear": {"from": {"mass": "ridge"}, "to": {"point": [x, 0, 0]},
        "stiffness": 1000}})
    };
    let mut roof = build(json!({
        "settings": {"mode": "static", "gravity": [0, 0, 0], "step": 0.05, "duration": 1},
        "mass": {"ridge": {"position": [0, 0, 0.1], "mass": 1}},
        "spring": {"a": spring(-0.5), "b": spring(0.5)},
        "constraint": {"rail": {"plane": {"on": "ridge", "normal": [0, 1, 0]}}},
        "load": {"push": {"force": {"on": "ridge", "force": {"ramp": {"to": [0, 0, -20], "end": 1}}}}},
    }));
    while !roof.finished() {
        assert!(roof.step(&NoClock).converged);
    }
    let left: Vec<_> = roof.events().iter().filter(|event| event.kind() == "left-branch").collect();
    // The load at which it snaps: 2 k h (1 − l₀/l), largest at l = (l₀ b²)^⅓, b the half span.
    let (rest, half) = (0.26_f64.sqrt(), 0.5_f64);
    let l = (rest * half * half).cbrt();
    let limit = 2.0 * 1000.0 * (l * l - half * half).sqrt() * (rest / l - 1.0);
    let [event] = left.as_slice() else { panic!("{:?}", roof.events()) };
    assert!(matches!(event.what, EventKind::LeftBranch { departures: 0, away: Some(away) } if away > 0.1));
    // Loads rise by 1 N in a step.
    assert!((0.0..=0.05).contains(&(event.time - limit / 20.0)), "{event:?} {limit}");
}

#[test]
fn snap_through_beside_another_island_is_an_event_too() {
    // The island of the roof comes after that of a mass on a string.
    let spring = |x: f64| {
        let to = json!({"point": [x, 0, 0]});
        json!({"linear": {"from": {"mass": "ridge"}, "to": to, "stiffness": 1000}})
    };
    let mut roof = build(json!({
        "settings": {"mode": "static", "gravity": [0, 0, 0], "step": 0.05, "duration": 1},
        "mass": {"bob": {"position": [3, 0, -1], "mass": 1}, "ridge": {"position": [0, 0, 0.1], "mass": 1}},
        "spring": {"a": spring(-0.5), "b": spring(0.5)},
        "constraint": {"string": {"position": {"on": "bob"}},
            "rail": {"plane": {"on": "ridge", "normal": [0, 1, 0]}}},
        "load": {"push": {"force": {"on": "ridge", "force": {"ramp": {"to": [0, 0, -20], "end": 1}}}}},
    }));
    while !roof.finished() {
        assert!(roof.step(&NoClock).converged);
    }
    assert!(happened!(roof, LeftBranch), "{:?}", roof.events());
}

#[test]
fn floor_does_not_pull_when_the_load_on_it_turns() {
    // The tip of a clamped rod is pressed on a floor, then pulled up: P L³/3EI.
    let mut scene = json!({
        "settings": {"mode": "static", "gravity": [0, 0, 0], "step": 1, "duration": 2},
        "rod": {"rod": {"stiffness": {"stretch": 1e6, "bend": 1, "twist": 1}, "mass_per_length": 1,
            "segments": 16, "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}}},
        "constraint": {"wall": {"clamp": {"on": "rod", "at": "start"}},
            "floor": {"plane": {"on": "rod", "at": "end", "normal": [0, 0, 1], "side": "above"}}},
    });
    scene["load"] = json!({"tip": {"force": {"on": "rod", "at": "end", "force":
        {"keyframes": {"times": [0, 1, 2], "values": [[0, 0, -1], [0, 0, -1], [0, 0, 0.01]]}}}}});
    let mut simulation = build(scene);
    let pressed = simulation.step(&NoClock);
    assert!(pressed.converged && off(force(simulation.world(), "floor").force.z, 1.0) < 1e-9);
    let lifted = simulation.step(&NoClock);
    let (push, rise) = (force(simulation.world(), "floor").force.z, at(simulation.world(), "rod", 1.0).z);
    assert!(lifted.converged && push == 0.0, "{push} N, {lifted:?}");
    // Linear theory is off by the square of the slope, 0.005.
    assert!(off(rise, 0.01 / 3.0) < 1e-4, "{rise}");
}

#[test]
fn heavy_block_on_a_wire_does_not_hide_that_it_falls() {
    // A block of 1 t hangs from the foot; the wire above weighs 0.43 N and falls as it does alone.
    let mut scene = standing_wire(1.76, 100);
    scene["mass"] = json!({"block": {"position": [0, 0, -1], "mass": 1000}});
    scene["constraint"]["rope"] = json!({"distance": {"on": "block", "to": {"on": "wire", "at": "start"}}});
    let fallen = equilibrium(scene);
    let height = at(fallen.world(), "wire", 1.0).z;
    assert!(off(height, 1.4526) < 1e-3, "{height}");
}
