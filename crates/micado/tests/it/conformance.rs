//! Every constraint of the toolkit on every rod model: a statement of physics for each pair, or a refusal
//! where a model has no frame. The Jacobians of the same pairs are checked in `constraint_derivatives.rs`.

use crate::common::{at, build, constraint, force, happened, object, off, run, scene, solved, total_mass};
use glam::DVec3;
use micado::run::Simulation;
use micado::world::World;
use serde_json::{Value, json};

const G: f64 = 9.81;

/// A rod model with as many segments as give a metre of rope the accuracy that is asked for here.
#[derive(Clone, Copy)]
struct Model {
    word: &'static str,
    segments: usize,
    /// Whether it has a frame, so that it can be clamped and twisted.
    framed: bool,
    /// Whether its edges are held at their lengths.
    inextensible: bool,
}

const MODELS: [Model; 5] = [
    Model { word: "spline", segments: 16, framed: true, inextensible: false },
    Model { word: "discrete-elastic", segments: 40, framed: true, inextensible: false },
    Model { word: "discrete-elastic", segments: 40, framed: true, inextensible: true },
    Model { word: "beam", segments: 16, framed: true, inextensible: false },
    Model { word: "mass-spring", segments: 40, framed: false, inextensible: false },
];

/// A constraint, whether it takes hold of the frame of a rod, and what it has to do.
type Statement = (&'static str, bool, fn(&Model));

const STATEMENTS: [Statement; 23] = [
    ("position", false, supports_carry_the_weight),
    ("tangent", false, a_held_tangent_carries_the_moment_of_the_weight),
    ("roll", true, a_turned_end_feels_the_torque_of_its_twist),
    ("clamp", true, a_clamp_carries_weight_and_moment),
    ("clamp, paper rows", true, a_clamp_with_the_rows_of_the_paper_does_the_same),
    ("plane", false, a_plane_pushes_along_its_normal),
    ("plane, one-sided", false, a_floor_carries_what_lies_on_it),
    ("axis", false, a_guide_does_not_push_along_itself),
    ("distance", false, a_link_pulls_along_itself),
    ("distance, one-way", false, a_slack_tether_does_nothing_and_a_taut_one_pulls),
    ("circle", false, a_ring_does_not_push_along_itself),
    ("trajectory", false, a_rail_does_not_push_along_itself),
    ("fusion", false, two_ropes_tied_together_hang_as_one),
    ("fusion, rigid", true, two_halves_welded_together_bend_as_one_rod),
    ("keyhole", false, a_rope_in_a_frictionless_eye_has_the_same_tension_on_both_sides),
    ("keyhole, oriented", false, an_oriented_eye_holds_the_direction),
    ("keyhole, crossing", false, two_ropes_that_cross_in_an_eye_share_a_point),
    ("pearl", false, a_pearl_comes_to_rest_in_the_middle),
    ("clip", false, a_clip_gives_at_its_strength),
    ("distance, relative", false, a_link_between_two_ropes_keeps_its_length),
    ("plane, relative", true, a_plane_that_a_rod_carries_holds_another),
    ("tangent, relative", true, two_rods_kept_parallel_stay_parallel),
    ("roll, relative", true, two_shafts_coupled_in_roll_turn_together),
];

#[test]
fn every_constraint_does_its_work_on_every_model_that_supports_it() {
    let (mut held, mut refused, mut failed) = (0, 0, Vec::new());
    for model in &MODELS {
        for (name, frame, statement) in STATEMENTS {
            // All pairs run before the suite fails; their messages are in its output.
            let outcome = std::panic::catch_unwind(|| statement(model));
            let message = outcome.as_ref().err().and_then(|panic| panic.downcast_ref::<String>());
            let says = |text: &str| message.is_some_and(|message| message.contains(text));
            match &outcome {
                Ok(()) if !frame || model.framed => held += 1,
                Err(_) if frame && !model.framed && says("no frame") => refused += 1,
                _ => failed.push(format!(
                    "{name} on {}{}",
                    model.word,
                    if model.inextensible { ", inextensible" } else { "" }
                )),
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!((held, refused), (5 * 23 - 7, 7), "pairs");
}

#[test]
fn mass_spring_rods_refuse_constraints_that_need_a_frame() {
    let model = MODELS.iter().find(|model| !model.framed).expect("a model without a frame");
    let rope = model.rod(json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}));
    let other = model.rod(json!({"line": {"from": [1, 0, 0], "to": [2, 0, 0]}}));
    let asks = [
        json!({"constraint": {"c": {"roll": {"on": "rope", "at": "start"}}}}),
        json!({"constraint": {"c": {"clamp": {"on": "rope", "at": "start"}}}}),
        json!({"constraint": {"c": {"clamp": {"on": "rope", "at": "start", "rows": "paper"}}}}),
        json!({"constraint": {"c": {"clip": {"on": "rope", "at": "50 %", "hold": "clamp"}}}}),
        json!({"constraint": {"c": {"clip": {"on": "rope", "hold": "clamp", "target": [0, 0, 1],
            "direction": [1, 0, 0]}}}}),
        json!({"constraint": {"c": {"fusion": {"on": "rope", "at": "end",
            "to": {"on": "other", "at": "start"}, "hold": "rigid"}}}}),
        json!({"constraint": {"c": {"fusion": {"on": "rope", "at": "end",
            "to": {"on": "other", "at": "start"}, "hold": "roll"}}}}),
        json!({"constraint": {"c": {"plane": {"on": "rope", "at": "end", "to": {"on": "other", "at": "50 %"},
            "normal": [0, 0, 1]}}}}),
        json!({"constraint": {"c": {"roll": {"on": "rope", "at": "end",
            "to": {"on": "other", "at": "start"}}}}}),
        json!({"load": {"m": {"moment": {"on": "rope", "at": "end", "moment": [0, 1, 0]}}}}),
        json!({"spring": {"s": {"torsional": {"from": {"rod": {"on": "rope", "at": "end"}},
            "to": {"rod": {"on": "other", "at": "start"}}, "stiffness": 1}}}}),
    ];
    for ask in asks {
        let mut parts = ask.clone();
        parts["rod"] = json!({"rope": rope, "other": other});
        let error = World::build(&scene(parts)).map(|_| ()).expect_err(&ask.to_string());
        assert!(error.to_string().contains("no frame"), "{ask}: {error}");
    }
    for (field, value) in [
        ("twist", json!(1.0)),
        ("natural", json!("as-shaped")),
        ("section", json!({"rectangle": {"a": 0.01, "b": 0.02}})),
    ] {
        let mut rope = rope.clone();
        rope[field] = value;
        if field == "section" {
            let fields = rope.as_object_mut().expect("fields");
            ["stiffness", "mass_per_length"].iter().for_each(|name| {
                fields.remove(*name);
            });
            (rope["young"], rope["density"]) = (json!(1e9), json!(1000));
        }
        let error = World::build(&scene(json!({"rod": {"rope": rope}}))).map(|_| ()).expect_err(field);
        assert!(error.to_string().contains("no frame"), "{field}: {error}");
    }
}

impl Model {
    /// A rope of 0.3 kg/m that hardly stretches and bends easily.
    fn rod(&self, shape: Value) -> Value {
        self.stiff_rod(shape, 0.02)
    }

    fn stiff_rod(&self, shape: Value, bend: f64) -> Value {
        json!({"model": self.word, "shape": shape, "segments": self.segments,
            "inextensible": self.inextensible,
            "stiffness": {"stretch": 1e4, "bend": bend, "twist": bend}, "mass_per_length": 0.3})
    }

    /// A straight rope along x from the origin, its start held at a point, with one more constraint on it; in
    /// equilibrium.
    fn rope_with(&self, held: Value) -> Simulation {
        self.hangs(
            json!({"rope": self.rod(json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}))}),
            json!({"start": start("rope"), "held": held}),
        )
    }

    /// Ropes under constraints in equilibrium: these carry the weight, and are held.
    fn hangs(&self, rods: Value, mut constraints: Value) -> Simulation {
        // A rod that is free to spin about itself has no equilibrium of its own.
        for (name, _) in rods.as_object().into_iter().flatten().filter(|_| self.framed) {
            constraints[format!("{name} spin")] = json!({"roll": {"on": name, "at": "start"}});
        }
        let (simulation, report) =
            solved(json!({"rod": rods, "constraint": constraints, "settings": {"mode": "static"}}));
        assert!(report.converged, "{}: {report:?}", self.word);
        let world = simulation.world();
        let absolute = world.structure().constraints.iter().filter(|c| !c.is_relative());
        let reaction: DVec3 = absolute.map(|c| force(world, &c.name).force).sum();
        let weight = DVec3::Z * total_mass(world) * G;
        // Newton ends at increments of 1e-10 m, which EA/l turns into 1e-5 N at worst.
        assert!((reaction - weight).length() < 1e-5, "{}: {reaction} for {weight}", self.word);
        assert!(report.residual < 1e-9, "{}: missed by {}", self.word, report.residual);
        simulation
    }
}

fn start(rod: &str) -> Value {
    json!({"position": {"on": rod, "at": "start"}})
}

fn supports_carry_the_weight(model: &Model) {
    let simulation =
        model.rope_with(json!({"position": {"on": "rope", "at": "end", "displacement": [-0.2, 0.1, 0.1]}}));
    assert!(at(simulation.world(), "rope", 1.0).distance(DVec3::new(0.8, 0.1, 0.1)) < 1e-9);
}

/// The moment of the weight of a rod about the origin, from where it is: of 400 pieces, to 1e-5.
fn moment_of_weight(world: &World, rod: &str) -> f64 {
    let mass = object(world, rod).total_mass();
    (0..400).map(|i| at(world, rod, (f64::from(i) + 0.5) / 400.0).x * mass * G / 400.0).sum()
}

fn a_held_tangent_carries_the_moment_of_the_weight(model: &Model) {
    let rod = model.stiff_rod(json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}), 2.0);
    let along = json!({"tangent": {"on": "rod", "at": "start", "direction": [1, 0, 0]}});
    let simulation = model.hangs(json!({ "rod": rod }), json!({"start": start("rod"), "along": along}));
    let world = simulation.world();
    let section = world.section(object(world, "rod"), 0.0).expect("a rod");
    assert!(section.tangent.distance(DVec3::X) < 1e-9, "{}: {}", model.word, section.tangent);
    let (moment, weight) = (force(world, "along").moment.length(), moment_of_weight(world, "rod"));
    assert!(off(moment, weight) < 2e-3, "{}: {moment} for {weight}", model.word);
    // It is the bending moment of the rod there, known to the extrapolation of its readings.
    let bending = section.bending_moment.length();
    assert!(off(bending, weight) < 0.02, "{}: {bending} for {weight}", model.word);
}

fn a_turned_end_feels_the_torque_of_its_twist(model: &Model) {
    let rod = model.stiff_rod(json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}), 2.0);
    let turned =
        json!({"roll": {"on": "rod", "at": "end", "angle": {"ramp": {"from": 0, "to": 3.0, "end": 1.0}}}});
    let simulation = run(json!({
        "rod": {"rod": rod},
        "constraint": {"clamp": {"clamp": {"on": "rod", "at": "start"}}, "turned": turned},
        "settings": {"gravity": [0, 0, 0], "mode": "static", "duration": 1.0, "step": 0.1},
    }));
    let torque = force(simulation.world(), "turned").moment.length();
    assert!(off(torque, 2.0 * 3.0) < 1e-6, "{}: GJ φ/L, not {torque}", model.word);
}

fn clamped(model: &Model, rows: &str) {
    let rod = model.stiff_rod(json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}), 2.0);
    let (simulation, report) = solved(json!({
        "rod": {"rod": rod}, "constraint": {"clamp": {"clamp": {"on": "rod", "at": "start", "rows": rows}}},
            "settings": {"mode": "static"},
    }));
    assert!(report.converged, "{}: {report:?}", model.word);
    let (world, wall) = (simulation.world(), force(simulation.world(), "clamp"));
    assert!((wall.force - DVec3::Z * 0.3 * G).length() < 1e-5, "{}: {}", model.word, wall.force);
    let weight = moment_of_weight(world, "rod");
    assert!(off(wall.moment.length(), weight) < 2e-3, "{}: {} for {weight}", model.word, wall.moment);
}

fn a_clamp_carries_weight_and_moment(model: &Model) {
    clamped(model, "objective");
}

fn a_clamp_with_the_rows_of_the_paper_does_the_same(model: &Model) {
    clamped(model, "paper");
}

fn a_plane_pushes_along_its_normal(model: &Model) {
    let normal = DVec3::new(0.6, 0.0, 0.8);
    let simulation = model.rope_with(
        json!({"plane": {"on": "rope", "at": "end", "normal": normal.to_array(), "point": [0.9, 0, 0]}}),
    );
    let (world, push) = (simulation.world(), force(simulation.world(), "held").force);
    assert!((at(world, "rope", 1.0) - DVec3::new(0.9, 0.0, 0.0)).dot(normal).abs() < 1e-9);
    assert!(push.cross(normal).length() < 1e-9 * push.length(), "{}: {push}", model.word);
}

fn a_floor_carries_what_lies_on_it(model: &Model) {
    let floor = |place: &str| {
        json!({"plane": {"on": "rod", "at": place, "normal": [0, 0, 1],
        "point": [0, 0, -0.01], "side": "above"}})
    };
    let mut rod = model.stiff_rod(json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}), 20.0);
    rod["damping"] = json!({"mass": 6.0, "internal": "2 ms"});
    let simulation = run(json!({
        "rod": {"rod": rod}, "constraint": {"a": floor("25 %"), "b": floor("75 %")},
        "settings": {"duration": 3.0, "step": 5e-3},
    }));
    let [a, b] = ["a", "b"].map(|name| force(simulation.world(), name).force);
    assert!(
        a.z > 0.0 && b.z > 0.0 && off(a.z + b.z, 0.3 * G) < 1e-3 && off(a.z, b.z) < 1e-2,
        "{}: {a} {b}",
        model.word
    );
}

fn a_guide_does_not_push_along_itself(model: &Model) {
    let axis = DVec3::new(0.3, 0.2, 1.0);
    let simulation = model.rope_with(
        json!({"axis": {"on": "rope", "at": "end", "direction": axis.to_array(), "point": [0.9, 0, 0]}}),
    );
    let push = force(simulation.world(), "held").force;
    assert!(push.dot(axis).abs() < 1e-9 * push.length(), "{}: {push}", model.word);
    assert!((at(simulation.world(), "rope", 1.0) - DVec3::new(0.9, 0.0, 0.0)).cross(axis).length() < 1e-9);
}

fn a_link_pulls_along_itself(model: &Model) {
    let centre = DVec3::new(1.0, 0.1, 0.4);
    let simulation = model.rope_with(
        json!({"distance": {"on": "rope", "at": "end", "centre": centre.to_array(), "distance": 0.35}}),
    );
    let (tip, pull) = (at(simulation.world(), "rope", 1.0), force(simulation.world(), "held").force);
    assert!((tip.distance(centre) - 0.35).abs() < 1e-9, "{}: {tip}", model.word);
    assert!(
        pull.cross(centre - tip).length() < 1e-8 && pull.dot(centre - tip) > 0.0,
        "{}: {pull}",
        model.word
    );
}

fn a_slack_tether_does_nothing_and_a_taut_one_pulls(model: &Model) {
    for (length, taut) in [(2.0, false), (0.6, true)] {
        let mut rope = model.rod(json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}));
        rope["damping"] = json!({"mass": 4.0, "internal": "2 ms"});
        let tether = json!({"distance": {"on": "rope", "at": "end", "centre": [1, 0, 0.5], "distance": length,
            "limit": "at-most"}});
        let simulation = run(json!({
            "rod": {"rope": rope}, "constraint": {"start": start("rope"), "tether": tether},
                "settings": {"duration": 4.0, "step": 5e-3},
        }));
        let (tip, pull) = (at(simulation.world(), "rope", 1.0), force(simulation.world(), "tether").force);
        let distance = tip.distance(DVec3::new(1.0, 0.0, 0.5));
        if taut {
            assert!((distance - length).abs() < 1e-6 && pull.z > 0.1, "{}: {distance} {pull}", model.word);
        } else {
            assert!(distance < length && pull == DVec3::ZERO, "{}: {distance} {pull}", model.word);
        }
    }
}

fn a_ring_does_not_push_along_itself(model: &Model) {
    let circle = json!({"circle": {"on": "rope", "at": "end", "centre": [0.9, 0, 0.3], "normal": [0, 1, 0],
        "radius": 0.3}});
    let simulation = model.rope_with(circle);
    let (tip, push) = (at(simulation.world(), "rope", 1.0), force(simulation.world(), "held").force);
    let out = tip - DVec3::new(0.9, 0.0, 0.3);
    assert!((out.length() - 0.3).abs() < 1e-9 && tip.y.abs() < 1e-9, "{}: {tip}", model.word);
    assert!(push.dot(DVec3::Y.cross(out)).abs() < 1e-8, "{}: {push}", model.word);
}

fn a_rail_does_not_push_along_itself(model: &Model) {
    let rail = json!({"trajectory": {"on": "rope", "at": "end",
        "path": {"line": {"from": [0.9, 0, -1], "to": [0.9, 0.4, 1]}}}});
    let simulation = model.rope_with(rail);
    let (along, push) = (DVec3::new(0.0, 0.4, 2.0), force(simulation.world(), "held").force);
    assert!(push.dot(along).abs() < 1e-8, "{}: {push}", model.word);
    assert!((at(simulation.world(), "rope", 1.0) - DVec3::new(0.9, 0.2, 0.0)).cross(along).length() < 1e-8);
}

fn two_ropes_tied_together_hang_as_one(model: &Model) {
    let rods = json!({
        "left": model.rod(json!({"line": {"from": [0, 0, 0], "to": [0.8, 0, 0]}})),
        "right": model.rod(json!({"line": {"from": [0.8, 0, 0], "to": [1.4, 0, 0]}})),
    });
    let simulation = model.hangs(
        rods,
        json!({"a": start("left"), "b": {"position": {"on": "right", "at": "end",
            "displacement": [-0.3, 0, 0.1]}},
            "knot": {"fusion": {"on": "left", "at": "end", "to": {"on": "right", "at": "start"}}}}),
    );
    let world = simulation.world();
    assert!(at(world, "left", 1.0).distance(at(world, "right", 0.0)) < 1e-9);
    // What is left of the knot is carried by the left support, or comes through the knot.
    let left = force(world, "a").force + force(world, "knot").force
        - DVec3::Z * object(world, "left").total_mass() * G;
    assert!(left.length() < 1e-5, "{}: {left}", model.word);
}

fn two_halves_welded_together_bend_as_one_rod(model: &Model) {
    let tip = |rods: Value, weld: Value, last: &str| {
        let mut constraints = json!({"clamp": {"clamp": {"on": "a", "at": "start"}}});
        if !weld.is_null() {
            constraints["weld"] = weld;
        }
        let (simulation, report) =
            solved(json!({"rod": rods, "constraint": constraints, "settings": {"mode": "static"}}));
        assert!(report.converged, "{}: {report:?}", model.word);
        at(simulation.world(), last, 1.0)
    };
    let half =
        |from: f64, to: f64| model.stiff_rod(json!({"line": {"from": [from, 0, 0], "to": [to, 0, 0]}}), 1.0);
    let weld = json!({"fusion": {"on": "a", "at": "end", "to": {"on": "b", "at": "start"}, "hold": "rigid"}});
    let two = tip(json!({"a": half(0.0, 0.5), "b": half(0.5, 1.0)}), weld, "b");
    let one = tip(json!({"a": half(0.0, 1.0)}), Value::Null, "a");
    assert!(one.z < -0.3 && two.distance(one) < 1e-3, "{}: {two} for {one}", model.word);
}

fn a_rope_in_a_frictionless_eye_has_the_same_tension_on_both_sides(model: &Model) {
    // Weights hang on both ends of a rope over an eye: it slides until the two sides balance.
    let fine = Model { segments: 8 * model.segments, ..*model };
    let mut rope = fine.stiff_rod(
        json!({"points": {"through": [[-0.4, 0, -0.5], [-0.1, 0, -0.05], [0, 0, 0],
            [0.1, 0, -0.05], [0.4, 0, -0.4]]}}),
        5e-3,
    );
    rope["stiffness"]["stretch"] = json!(2e3);
    let eye = json!({"keyhole": {"on": "rope", "at": "50 %", "target": [0, 0, 0]}});
    let mut constraints =
        json!({"a": start("rope"), "b": {"position": {"on": "rope", "at": "end"}}, "eye": eye});
    if model.framed {
        constraints["spin"] = json!({"roll": {"on": "rope", "at": "start"}});
    }
    let (simulation, report) =
        solved(json!({"rod": {"rope": rope}, "constraint": constraints, "settings": {"mode": "static"}}));
    assert!(report.converged, "{}: {report:?}", model.word);
    let world = simulation.world();
    let state = &world.state().constraints[constraint(world, "eye")];
    let rod = object(world, "rope").rod().expect("a rope");
    let middle = rod.arc_at(state.own[0] as usize, state.own[0].fract());
    // Across the bend in the eye, tension and bending exchange energy: T + EI κ²/2 runs through it, with the
    // weight of what is between.
    let through = |s: f64| {
        let section = world.section(object(world, "rope"), s).expect("a rope");
        section.tension + 0.5 * 5e-3 * section.curvature.powi(2) - 0.3 * G * section.position.z
    };
    let (before, behind) = (through(middle - 0.2), through(middle + 0.2));
    assert!(off(before, behind) < 1e-2, "{}: {before} {behind} at {middle}", model.word);
}

fn an_oriented_eye_holds_the_direction(model: &Model) {
    let eye = json!({"keyhole": {"on": "rope", "at": "60 %", "direction": [1, 0, 0.3]}});
    let rods = json!({"rope": model.rod(json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}))});
    let simulation = model.hangs(
        rods,
        json!({"start": start("rope"), "end": {"position": {"on": "rope", "at": "end",
            "displacement": [-0.1, 0, 0]}}, "eye": eye}),
    );
    let world = simulation.world();
    let site = world.sites(constraint(world, "eye")).expect("an eye")[0];
    assert!(
        site.t.cross(DVec3::new(1.0, 0.0, 0.3).normalize()).length() < 1e-9,
        "{}: {}",
        model.word,
        site.t
    );
    assert!(site.x.distance(DVec3::new(0.6, 0.0, 0.0)) < 1e-9, "{}: {}", model.word, site.x);
}

fn two_ropes_that_cross_in_an_eye_share_a_point(model: &Model) {
    let rods = json!({
        "a": model.rod(json!({"line": {"from": [-0.5, 0, 0], "to": [0.5, 0, 0]}})),
        "b": model.rod(json!({"line": {"from": [0, -0.5, 0], "to": [0, 0.5, 0]}})),
    });
    // The ends come nearer where a rope can't be longer than it is.
    let near = if model.inextensible { -0.02 } else { 0.0 };
    let ends = |rod: &str, to: [f64; 3]| json!({"position": {"on": rod, "at": "end", "displacement": to}});
    let simulation = model.hangs(
        rods,
        json!({"a0": start("a"), "a1": ends("a", [near, 0.0, 0.05]), "b0": start("b"),
            "b1": ends("b", [0.0, near, -0.05]),
            "eye": {"keyhole": {"on": "a", "at": "50 %", "to": {"on": "b", "at": "50 %"},
                "crossing": true}}}),
    );
    let world = simulation.world();
    let [a, b] = world.sites(constraint(world, "eye")).expect("an eye");
    assert!(a.x.distance(b.x) < 1e-9, "{}: {} {}", model.word, a.x, b.x);
}

fn a_pearl_comes_to_rest_in_the_middle(model: &Model) {
    let rope = model.rod(json!({"slack": {"from": [0, 0, 0], "to": [1, 0, 0], "length": 1.2}}));
    let simulation = build_static(
        json!({
            "rod": {"rope": rope},
            "constraint": {"a": start("rope"), "b": {"position": {"on": "rope", "at": "end"}},
                "pearl": {"pearl": {"on": "rope", "at": "40 %", "mass": 0.5}}},
        }),
        model,
    );
    let world = simulation.world();
    let pearl = world.sites(constraint(world, "pearl")).expect("a pearl")[0].x;
    // By symmetry; on polygons as far as places are known, half an edge.
    let smooth = ["spline", "beam"].contains(&model.word);
    assert!(
        (pearl.x - 0.5).abs() < if smooth { 1e-6 } else { 0.5 * 1.2 / model.segments as f64 },
        "{}: {pearl}",
        model.word
    );
    let carried = force(world, "a").force.z + force(world, "b").force.z;
    assert!(off(carried, (0.5 + 0.3 * 1.2) * G) < 1e-5, "{}: {carried}", model.word);
}

fn build_static(mut parts: Value, model: &Model) -> Simulation {
    if model.framed {
        parts["constraint"]["spin"] = json!({"roll": {"on": "rope", "at": "start"}});
    }
    parts["settings"] = json!({"mode": "static"});
    let (simulation, report) = solved(parts);
    assert!(report.converged, "{}: {report:?}", model.word);
    simulation
}

fn a_clip_gives_at_its_strength(model: &Model) {
    let rope = model.rod(json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}));
    let mut simulation = build(json!({
        "rod": {"rope": rope},
        "constraint": {"start": start("rope"), "end": {"position": {"on": "rope", "at": "end"}},
            "clip": {"clip": {"on": "rope", "at": "50 %", "strength": {"any": 5.0}}}},
        "load": {"pull": {"force": {"on": "rope", "at": "50 %",
            "force": {"ramp": {"from": [0, 0, 0], "to": [0, 0, 20], "end": 2.0}}}}},
        "settings": {"duration": 2.0, "step": 1e-3},
    }));
    let mut most = 0.0_f64;
    while !simulation.finished() && !happened!(simulation, Opened) {
        simulation.step(&micado::clock::NoClock);
        most = most.max(force(simulation.world(), "clip").force.length());
    }
    assert!(happened!(simulation, Opened), "{}", model.word);
    assert!(most < 5.0 + 1e-6 && most > 4.8, "{}: {most}", model.word);
}

fn a_link_between_two_ropes_keeps_its_length(model: &Model) {
    let rods = json!({
        "a": model.rod(json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}})),
        "b": model.rod(json!({"line": {"from": [0, 0.3, 0], "to": [1, 0.3, 0]}})),
    });
    let ends = |rod: &str, x: f64| json!({"position": {"on": rod, "at": "end", "displacement": [x, 0, 0]}});
    let simulation = model.hangs(
        rods,
        json!({"a0": start("a"), "a1": ends("a", -0.1), "b0": start("b"), "b1": ends("b", -0.3),
            "link": {"distance": {"on": "a", "at": "50 %", "to": {"on": "b", "at": "40 %"},
                "distance": 0.25}}}),
    );
    let world = simulation.world();
    assert!((at(world, "a", 0.5).distance(at(world, "b", 0.4)) - 0.25).abs() < 1e-9, "{}", model.word);
}

fn a_plane_that_a_rod_carries_holds_another(model: &Model) {
    let beam = model.stiff_rod(json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}), 20.0);
    let rods =
        json!({"beam": beam, "rope": model.rod(json!({"line": {"from": [0.2, 0, 0.5], "to": [1, 0, 0.2]}}))});
    let (simulation, report) = solved(json!({
        "rod": rods,
        "constraint": {"wall": {"clamp": {"on": "beam", "at": "start"}}, "start": start("rope"),
            "spin": {"roll": {"on": "rope", "at": "start"}},
            "plate": {"plane": {"on": "rope", "at": "end", "to": {"on": "beam", "at": "end"},
                "normal": [1, 0, 0]}}},
        "settings": {"mode": "static"},
    }));
    let world = simulation.world();
    assert!(report.converged && report.residual < 1e-9, "{}: {report:?}", model.word);
    // The plate pushes along its normal, which has turned with the end of the beam.
    let section = world.section(object(world, "beam"), 1.0).expect("a rod");
    let push = force(world, "plate").force;
    assert!(
        push.cross(section.tangent).length() < 1e-6 * push.length(),
        "{}: {push} {}",
        model.word,
        section.tangent
    );
    let carried = force(world, "wall").force + force(world, "start").force;
    assert!((carried - DVec3::Z * total_mass(world) * G).length() < 1e-5, "{}: {carried}", model.word);
}

fn two_rods_kept_parallel_stay_parallel(model: &Model) {
    let rods = json!({
        "a": model.rod(json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}})),
        "b": model.rod(json!({"line": {"from": [0, 0.3, 0], "to": [1, 0.3, 0]}})),
    });
    let simulation = model.hangs(
        rods,
        json!({"a0": start("a"), "b0": start("b"),
            "a1": {"position": {"on": "a", "at": "end", "displacement": [-0.2, 0, 0]}},
            "b1": {"position": {"on": "b", "at": "end", "displacement": [-0.05, 0, 0]}},
            "parallel": {"tangent": {"on": "a", "at": "20 %", "to": {"on": "b", "at": "20 %"}}}}),
    );
    let world = simulation.world();
    let [a, b] = world.sites(constraint(world, "parallel")).expect("a constraint").map(|site| site.t);
    assert!(a.cross(b).length() < 1e-9, "{}: {a} {b}", model.word);
}

fn two_shafts_coupled_in_roll_turn_together(model: &Model) {
    let shaft = |y: f64| model.stiff_rod(json!({"line": {"from": [0, y, 0], "to": [1, y, 0]}}), 2.0);
    let clamp = |rod: &str| json!({"clamp": {"on": rod, "at": "start"}});
    let turned =
        json!({"clamp": {"on": "a", "at": "end", "roll": {"ramp": {"from": 0, "to": 2.0, "end": 1.0}}}});
    let simulation = run(json!({
        "rod": {"a": shaft(0.0), "b": shaft(0.3)},
        "constraint": {"a0": clamp("a"), "b0": clamp("b"), "a1": turned,
            "gear": {"roll": {"on": "b", "at": "end", "to": {"on": "a", "at": "50 %"}}}},
        "settings": {"gravity": [0, 0, 0], "mode": "static", "duration": 1.0, "step": 0.1},
    }));
    let world = simulation.world();
    // b has the stiffness GJ/L against its wall, a has 2GJ/L on both sides of its middle: torques balance at
    // φ = 4·1/(4 + 1) of the half turn.
    let torque = force(world, "gear").moment.length();
    assert!(off(torque, 2.0 * 0.8) < 1e-6, "{}: {torque}", model.word);
}
