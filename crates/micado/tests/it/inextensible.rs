//! Inextensible rods: lengths of edges as rows of the factored system.

use crate::common::{Noise, at, bits, build, equilibrium, force, happened, object, off, scene, solved};
use glam::DVec3;
use micado::clock::NoClock;
use micado::linalg::{Arithmetic, BlockMatrix, NodeKind, Pattern};
use micado::object::rod::discrete::DiscreteRod;
use micado::object::rod::{Linearisation, Tangent};
use micado::run::{Event, Simulation};
use micado::scene::Arithmetic as SceneArithmetic;
use micado::step::Workspace;
use micado::world::World;
use nalgebra::DMatrix;
use serde_json::{Value, json};

/// Largest difference between an edge and its rest length, m.
fn worst_length(world: &World, name: &str) -> f64 {
    let object = object(world, name);
    let rod = object.rod().and_then(|rod| rod.inextensible()).expect("an inextensible rod");
    let q = &world.state().q[object.unknowns()];
    (0..rod.length_rows()).map(|j| rod.length_row(q, j).violation.abs()).fold(0.0, f64::max)
}

/// A cantilever of length 1 and bending stiffness 1 with a load at its tip.
fn cantilever(segments: usize, load: f64, more: Value) -> Value {
    let mut rod = json!({"model": "discrete-elastic", "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
        "segments": segments,
        "stiffness": {"bend": 1.0, "twist": 1.0}, "radius": 0.002, "mass_per_length": 1.0,
            "inextensible": true});
    for (field, value) in more.as_object().into_iter().flatten() {
        rod[field] = value.clone();
    }
    json!({
        "rod": {"beam": rod},
        "constraint": {"wall": {"clamp": {"on": "beam", "at": "start"}}},
        "load": {"tip": {"force": {"on": "beam", "at": "end", "force": [0, 0, -load]}}},
        "settings": {"gravity": [0, 0, 0], "mode": "static"},
    })
}

#[test]
fn a_cantilever_finds_the_elastica_in_one_load_step() {
    // The error of the polygon, 3.3e-4 and 7.5e-4 at 40 segments, is that of a rod with EA = 10⁶.
    let tips = [
        (3.0, DVec3::new(0.745_580, 0.0, -0.603_253), 3.4e-4),
        (10.0, DVec3::new(0.445_004, 0.0, -0.810_609), 7.7e-4),
    ];
    for (load, exact, tolerance) in tips {
        let error = |segments: usize| {
            let (simulation, report) = solved(cantilever(segments, load, json!({})));
            assert!(report.converged && report.unstable_modes == 0, "{report:?}");
            assert!(report.solves <= 12, "P = {load}: {} iterations", report.solves);
            assert!(worst_length(simulation.world(), "beam") < 1e-12 && report.residual < 1e-12);
            at(simulation.world(), "beam", 1.0).distance(exact)
        };
        let (coarse, fine) = (error(20), error(40));
        assert!(fine < tolerance, "P = {load}: {fine}");
        assert!((3.3..4.7).contains(&(coarse / fine)), "P = {load}: {coarse} {fine}");
    }
}

#[test]
fn an_inextensible_rod_is_the_limit_of_a_stiff_one() {
    let tip = |more: Value| at(equilibrium(cantilever(24, 6.0, more)).world(), "beam", 1.0);
    let held = tip(json!({}));
    let off = |stretch: f64| {
        tip(json!({"inextensible": false, "stiffness": {"stretch": stretch, "bend": 1.0, "twist": 1.0}}))
            .distance(held)
    };
    // Strains are P/EA: ten times the stiffness, a tenth of the difference.
    let (soft, stiff) = (off(1e4), off(1e5));
    assert!(stiff < 6.0 / 1e5 && (9.5..10.5).contains(&(soft / stiff)), "{soft} {stiff}");
}

/// A cable of 1 kg/m and length `length` between two supports one metre apart.
fn cable(segments: usize, length: f64) -> Value {
    json!({
        "rod": {"cable": {"model": "discrete-elastic", "inextensible": true, "segments": segments,
            "radius": 0.001,
            "shape": {"slack": {"from": [0, 0, 0], "to": [1, 0, 0], "length": length}},
            "stiffness": {"bend": 1e-7, "twist": 1e-7}, "mass_per_length": 1.0}},
        "constraint": {"left": {"position": {"on": "cable", "at": "start"}},
            "right": {"position": {"on": "cable", "at": "end"}},
            "roll": {"roll": {"on": "cable", "at": "start"}}},
        "settings": {"mode": "static"},
    })
}

#[test]
fn a_hanging_cable_has_the_tension_of_the_catenary() {
    let length = 1.4;
    // 2a sinh(1/2a) = L by bisection; H = w a.
    let (mut low, mut high) = (0.1, 10.0);
    for _ in 0..200 {
        let a: f64 = 0.5 * (low + high);
        if 2.0 * a * (0.5 / a).sinh() > length { low = a } else { high = a }
    }
    let (a, weight) = (low, 9.81);
    let tensions = |segments: usize| {
        let simulation = equilibrium(cable(segments, length));
        let world = simulation.world();
        assert!(worst_length(world, "cable") < 1e-12);
        let (left, right) = (force(world, "left").force, force(world, "right").force);
        assert!(
            (left + right - DVec3::Z * 9.81 * crate::common::total_mass(world)).length() < 1e-9,
            "{left} {right}"
        );
        let section = |s: f64| world.section(object(world, "cable"), s).expect("a rod").tension;
        (
            off(section(0.5 * length), weight * a),
            off(section(0.0), weight * a * (0.5 / a).cosh()),
            off(-left.x, weight * a),
        )
    };
    let (coarse, fine) = (tensions(40), tensions(80));
    // Second order in the length of an edge.
    for (coarse, fine) in [(coarse.0, fine.0), (coarse.1, fine.1), (coarse.2, fine.2)] {
        assert!(fine < 1e-3 && coarse / fine > 3.0, "{coarse} {fine}");
    }
}

/// A cable with a weight at its end that swings from the horizontal.
fn pendulum(settings: &Value) -> Simulation {
    build(json!({
        "rod": {"cable": {"model": "discrete-elastic", "inextensible": true, "segments": 10, "radius": 0.001,
            "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
                "stiffness": {"bend": 1e-5, "twist": 1e-5}, "mass_per_length": 0.01}},
        "mass": {"bob": {"position": [1, 0, 0], "mass": 1}},
        "constraint": {"pivot": {"position": {"on": "cable", "at": "start"}},
            "roll": {"roll": {"on": "cable", "at": "start"}},
            "tie": {"fusion": {"on": "cable", "at": "end", "to": {"on": "bob"}}}},
        "settings": settings,
    }))
}

#[test]
fn a_swinging_cable_keeps_its_length() {
    for (integrator, solves, most) in [("euler", 6, 1e-9), ("bdf2", 6, 1e-9), ("euler", 1, 1e-3)] {
        let mut simulation =
            pendulum(&json!({"step": 2e-3, "solves": solves, "integrator": integrator, "duration": 4}));
        let (mut worst, mut lowest): (f64, f64) = (0.0, 0.0);
        for _ in 0..2000 {
            let report = simulation.step(&NoClock);
            assert!(!report.held, "{report:?}");
            worst = worst.max(worst_length(simulation.world(), "cable"));
            assert!(report.residual >= worst_length(simulation.world(), "cable"));
            lowest = lowest.min(crate::common::position(simulation.world(), "bob").z);
        }
        assert!(worst < most, "{integrator} {solves}: {worst}");
        // One metre below the pivot, but for half a bend at the ends.
        assert!((lowest + 1.0).abs() < 2e-3, "{integrator} {solves}: {lowest}");
    }
}

#[test]
fn a_weight_on_a_cable_pulls_with_three_times_its_weight_at_the_bottom() {
    // Implicit Euler damps the waves that the release sends along the cable.
    let mut simulation = pendulum(&json!({"step": 5e-4, "solves": 4, "duration": 0.7}));
    let mut most: f64 = 0.0;
    while !simulation.finished() {
        simulation.step(&NoClock);
        let world = simulation.world();
        most = most.max(world.section(object(world, "cable"), 0.95).expect("a rod").tension);
    }
    // T = 3 m g from the horizontal, but for the same damping.
    assert!((most / 9.81 - 3.0).abs() < 0.03, "{most}");
}

#[test]
fn lengths_that_a_clamp_makes_redundant_are_reported_and_harmless() {
    let plain = solved(cantilever(16, 3.0, json!({}))).0;
    // The clamp of the papers freezes the length of its edge; so do two points of one edge.
    let mut frozen = cantilever(16, 3.0, json!({}));
    frozen["constraint"]["wall"]["clamp"]["rows"] = json!("paper");
    let mut pinned = cantilever(16, 3.0, json!({}));
    pinned["constraint"]["pin"] = json!({"position": {"on": "beam", "at": 0.02}});
    for (scene, name) in [(frozen, "paper"), (pinned, "pinned")] {
        let (simulation, report) = solved(scene.clone());
        assert!(
            report.converged && report.redundant_rows > 0 && report.conflicting_rows == 0,
            "{name}: {report:?}"
        );
        assert!(happened!(simulation, Redundant), "{name}: it is reported");
        let apart = at(simulation.world(), "beam", 1.0).distance(at(plain.world(), "beam", 1.0));
        assert!(apart < 1e-8, "{name}: {apart}");
        assert!(worst_length(simulation.world(), "beam") < 1e-10);
        // Likewise in motion.
        let mut moving = scene;
        moving["settings"] = json!({"gravity": [0, 0, -9.81], "step": 1e-3, "duration": 0.2});
        let mut simulation = build(moving);
        while !simulation.finished() {
            let report = simulation.step(&NoClock);
            assert!(!report.held && report.conflicting_rows == 0, "{name}: {report:?}");
        }
        assert!(worst_length(simulation.world(), "beam") < 1e-4);
    }
}

#[test]
fn taut_straight_rod_between_clamps_has_one_redundant_row_and_balances_its_load() {
    // All lengths together repeat the distance of the ends: one row follows from the others.
    let (simulation, report) = solved(json!({
        "rod": {"beam": {"model": "discrete-elastic", "inextensible": true, "segments": 13, "radius": 0.002,
            "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "stiffness": {"bend": 1.0, "twist": 1.0},
                "mass_per_length": 1.0}},
        "constraint": {"left": {"clamp": {"on": "beam", "at": "start"}},
            "right": {"clamp": {"on": "beam", "at": "end"}}},
        "load": {"pull": {"force": {"on": "beam", "at": "50 %", "force": [4, 0, 0]}}},
        "settings": {"mode": "static", "gravity": [0, 0, 0]},
    }));
    assert!(report.converged && report.redundant_rows == 1 && report.conflicting_rows == 0, "{report:?}");
    let along = force(simulation.world(), "left").force.x + force(simulation.world(), "right").force.x;
    assert!((along + 4.0).abs() < 1e-6, "{along}");
}

#[test]
fn end_pulled_beyond_the_length_stays_behind_and_is_reported() {
    let mut scene = cable(20, 1.2);
    scene["constraint"]["right"]["position"]["displacement"] =
        json!({"ramp": {"from": [0, 0, 0], "to": [0.4, 0, 0], "end": 1.0}});
    scene["settings"] = json!({"step": 1e-2, "duration": 0.7});
    let mut simulation = build(scene);
    let home = at(simulation.world(), "cable", 1.0);
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        // The distance of the supports is the length after half a second. From then on the end can't follow.
        let (reached, asked) = (at(simulation.world(), "cable", 1.0), home + 0.4 * report.time * DVec3::X);
        assert!(reached.length() < 1.2 * 1.01, "{reached} m at {} s", report.time);
        assert!(report.time > 0.48 || reached.distance(asked) < 1e-9, "{reached} m of {asked} m");
    }
    assert!((simulation.time() - 0.7).abs() < 1e-9);
    let kinds: Vec<&str> = simulation.events().iter().map(Event::kind).collect();
    assert!(kinds.contains(&"approaching") || kinds.contains(&"held"), "{kinds:?}");
}

#[test]
fn small_motion_keeps_the_lengths() {
    let mut scene = cantilever(40, 0.0, json!({}));
    scene["load"] = json!({});
    let simulation = equilibrium(scene);
    let world = simulation.world();
    let modes = world.modes(4, SceneArithmetic::Portable, &mut Workspace::new()).expect("modes");
    let object = object(world, "beam");
    let rod = object.rod().and_then(|rod| rod.inextensible()).expect("an inextensible rod");
    let q = &world.state().q[object.unknowns()];
    // (kL)² of the clamped-free beam, twice each; second order in the length of an edge.
    for (mode, exact) in modes.modes.iter().zip([3.516_015, 3.516_015, 22.034_49, 22.034_49]) {
        assert!(off(mode.eigenvalue.sqrt(), exact) < 3e-3, "{} {exact}", mode.eigenvalue.sqrt());
        let stretching = |j: usize| {
            let row = rod.length_row(q, j);
            let [a, b] = row.nodes.map(|i| DVec3::from_slice(&mode.shape[4 * i..]));
            row.t.dot(b - a).abs()
        };
        let most = (0..rod.length_rows()).map(stretching).fold(0.0, f64::max);
        assert!(most < 1e-9, "{most}");
    }
    assert_eq!(modes.unstable, 0);
}

#[test]
fn a_column_buckles_at_eulers_load() {
    for (share, expected) in [(0.98, 0), (1.02, 2)] {
        let mut scene = cantilever(40, 0.0, json!({}));
        scene["load"]["tip"]["force"]["force"] = json!([-share * std::f64::consts::PI.powi(2) / 4.0, 0, 0]);
        let mut world = World::build(&self::scene(scene)).expect("a world");
        let mut workspace = Workspace::new();
        let params = micado::step::StaticParams { leave_unstable: false, ..Default::default() };
        let report = world.equilibrate(0.0, &params, &mut workspace, &NoClock);
        assert!(report.converged, "{report:?}");
        assert_eq!(report.unstable_modes, expected, "at {share} of the critical load");
        assert_eq!(
            world.modes(3, SceneArithmetic::Portable, &mut workspace).expect("modes").unstable,
            expected
        );
    }
}

/// The rod moved at random, with tensions of both signs.
fn shaken(description: &Value, noise: &mut Noise) -> (DiscreteRod, Vec<f64>, Vec<f64>) {
    let initial =
        DiscreteRod::build(&serde_json::from_value(description.clone()).expect("a rod")).expect("a rod");
    let (mut q, mut frames) = (initial.q, initial.frames);
    q.iter_mut().for_each(|q| *q += 0.02 * noise.next());
    initial.rod.transport_frames(&q, &mut frames);
    let kept = frames.len() - initial.rod.length_rows();
    frames[kept..].iter_mut().for_each(|tension| *tension = 30.0 * noise.next());
    (initial.rod, q, frames)
}

fn descriptions() -> [Value; 3] {
    [
        json!({"line": {"from": [0, 0, 0], "to": [1, 0.2, 0]}}),
        json!({"helix": {"centre": [0, 0, 0], "radius": 0.3, "pitch": 0.2, "turns": 0.8}}),
        json!({"ring": {"centre": [0, 0, 0], "radius": 0.3}}),
    ]
    .map(|shape| {
        json!({"model": "discrete-elastic", "inextensible": true, "shape": shape, "segments": 7,
            "radius": 0.01,
            "stiffness": {"bend": 1.3, "bend_2": 0.6, "twist": 0.8}, "mass_per_length": 0.3})
    })
}

fn stiffness(rod: &DiscreteRod, q: &[f64], frames: &[f64], tangent: Tangent) -> DMatrix<f64> {
    let mut pattern = Pattern::new();
    let n = rod.nodes();
    (0..n).for_each(|_| {
        pattern.add_node(NodeKind::Primal);
    });
    (0..n).for_each(|i| (i + 1..n).for_each(|j| pattern.connect(i as u32, j as u32)));
    let (mut matrix, mut force) = (BlockMatrix::new(&pattern), vec![0.0; q.len()]);
    let how = Linearisation {
        tangent,
        mass: 0.0,
        viscosity: 0.0,
        strain_before: None,
        carried: None,
        ahead: None,
        arithmetic: Arithmetic::Portable,
    };
    rod.linearise(q, frames, &how, 0, &mut matrix, &mut force);
    let mut dense = DMatrix::zeros(4 * n, 4 * n);
    for i in 0..n {
        for (slot, &j) in (matrix.row_start(i)..).zip(matrix.row_nodes(i)) {
            for (r, c) in (0..4).flat_map(|r| (0..4).map(move |c| (r, c))) {
                dense[(4 * i + r, 4 * j as usize + c)] = matrix.values()[slot][4 * r + c];
                dense[(4 * j as usize + c, 4 * i + r)] = matrix.values()[slot][4 * r + c];
            }
        }
    }
    dense
}

#[test]
fn rows_and_tension_stiffness_are_the_derivatives_of_the_lengths() {
    let (mut noise, mut checks) = (Noise(5), 0);
    for description in descriptions() {
        let (rod, q, frames) = shaken(&description, &mut noise);
        let mut slack = frames.clone();
        let kept = slack.len() - rod.length_rows();
        slack[kept..].fill(0.0);
        // Force of the rows on all vertices with the tensions of the frames, Jᵀλ.
        let pull = |q: &[f64]| {
            let mut force = vec![0.0; q.len()];
            for j in 0..rod.length_rows() {
                let row = rod.length_row(q, j);
                let tension = rod.tensions(&frames)[j];
                for a in 0..3 {
                    force[4 * row.nodes[0] + a] += tension * row.t[a];
                    force[4 * row.nodes[1] + a] -= tension * row.t[a];
                }
            }
            force
        };
        let geometric =
            stiffness(&rod, &q, &frames, Tangent::Exact) - stiffness(&rod, &q, &slack, Tangent::Exact);
        let (d, n) = (1e-5, q.len());
        for k in 0..n {
            let moved = |d: f64| {
                let mut q = q.clone();
                q[k] += d;
                q
            };
            let [ahead, behind] = [moved(d), moved(-d)];
            for j in 0..rod.length_rows() {
                let row = rod.length_row(&q, j);
                // g = |ē| − |e| falls with the violation.
                let slope =
                    -(rod.length_row(&ahead, j).violation - rod.length_row(&behind, j).violation) / (2.0 * d);
                let sign = if k / 4 == row.nodes[0] {
                    1.0
                } else if k / 4 == row.nodes[1] {
                    -1.0
                } else {
                    0.0
                };
                let entry = if k % 4 < 3 { sign * row.t[k % 4] } else { 0.0 };
                assert!((entry - slope).abs() < 1e-8, "{k} {j}: {entry} {slope}");
                checks += 1;
            }
            let (ahead, behind) = (pull(&ahead), pull(&behind));
            for i in 0..n {
                let slope = -(ahead[i] - behind[i]) / (2.0 * d);
                assert!(
                    (geometric[(i, k)] - slope).abs() < 1e-6 * geometric.amax(),
                    "{i} {k}: {} {slope}",
                    geometric[(i, k)]
                );
                checks += 1;
            }
        }
        let least = stiffness(&rod, &q, &frames, Tangent::Psd).symmetric_eigenvalues().min();
        assert!(least > -1e-10 * geometric.amax(), "compression is left out: {least}");
    }
    assert_eq!(checks, 2 * (36 * (8 + 36)) + 28 * (7 + 28), "all were made");
}

#[test]
fn snapshot_continues_with_the_same_bits() {
    for integrator in ["euler", "bdf2"] {
        let mut scene = cable(21, 1.3);
        scene["settings"] = json!({"step": 2e-3, "solves": 2, "integrator": integrator, "duration": 0.2});
        let scene = self::scene(scene);
        let mut simulation = Simulation::build(&scene).expect("a simulation");
        (0..40).for_each(|_| {
            simulation.step(&NoClock);
        });
        let (mut restored, _) =
            Simulation::restore(&simulation.snapshot(&scene)).expect("an undamaged snapshot");
        for _ in 0..40 {
            simulation.step(&NoClock);
            restored.step(&NoClock);
        }
        assert!(bits(simulation.world()) == bits(restored.world()), "{integrator}");
    }
}

#[test]
fn rods_that_can_not_be_inextensible_are_refused_by_name() {
    let error = |rod: Value| {
        let error = Simulation::build(&scene(json!({"rod": {"rope": rod}}))).expect_err("no such rod");
        (error.path.clone(), error.to_string())
    };
    let (path, text) = error(json!({"inextensible": true, "radius": 0.01, "young": 1e9, "density": 1000}));
    assert!(path == "rod.rope.inextensible" && text.contains("discrete-elastic"), "{path}: {text}");
    let bare = json!({"model": "discrete-elastic", "inextensible": true, "stiffness": {"bend": 1, "twist": 1},
        "mass_per_length": 1});
    assert_eq!(error(bare.clone()).0, "rod.rope.radius");
    let mut elastic = bare;
    elastic["inextensible"] = json!(false);
    assert_eq!(error(elastic).0, "rod.rope.stiffness.stretch");
}

#[test]
fn long_rope_elsewhere_does_not_affect_the_rows_of_others() {
    // Two planes at an angle φ: of the second row φ² is left once the first is held, and 1e-9 of it counts as
    // nothing. The 200 lengths of a straight rope follow from each other with more left than that.
    for (angle, redundant) in [(1e-4, 0), (1e-5, 1)] {
        let mut simulation = build(json!({
            "rod": {"rope": {"model": "discrete-elastic", "inextensible": true, "segments": 200,
                "radius": 0.002, "mass_per_length": 0.1,
                "shape": {"line": {"from": [0, 0, 0], "to": [0, 0, -2]}},
                    "stiffness": {"bend": 0.01, "twist": 0.01}}},
            "mass": {"bob": {"position": [1, 0, 0], "mass": 0.5}},
            "constraint": {
                "hook": {"position": {"on": "rope", "at": "start"}},
                "one": {"plane": {"on": "bob", "normal": [1, 0, 0]}},
                "two": {"plane": {"on": "bob", "normal": [1, angle, 0]}},
            },
            "settings": {"step": 0.01},
        }));
        for _ in 0..3 {
            let report = simulation.step(&NoClock);
            assert!(!report.held && report.redundant_rows == redundant, "{angle}: {report:?}");
        }
    }
}
