//! Equilibria against statics by hand, closed forms and the elastica.

use crate::common::{
    at, build, equilibrium, force, happened, object, off, position, probe, solved, total_mass,
};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::{Cause, Event, EventKind, Simulation};
use micado::scene::Hessian;
use micado::step::{Refusal, StaticParams, Workspace};
use micado::world::World;
use serde_json::{Value, json};
use std::f64::consts::PI;

const G: f64 = 9.81;

/// A rod with EI = GJ = 1 N·m² and length 1 m, hardly stretchable, in static mode without gravity.
fn unit_rod(segments: usize, direction: [f64; 3]) -> Value {
    json!({
        "rod": {"rod": {
            "stiffness": {"stretch": 1e6, "bend": 1, "twist": 1}, "mass_per_length": 1, "segments": segments,
            "shape": {"line": {"from": [0, 0, 0], "to": direction}},
        }},
        "settings": {"mode": "static", "gravity": [0, 0, 0]},
    })
}

/// The sum of weight and of point forces, and their moment about a point.
fn loads_about(world: &World, point: DVec3, gravity: DVec3, forces: &[(DVec3, DVec3)]) -> (DVec3, DVec3) {
    let weights = world.state().q.chunks_exact(4).zip(&world.structure().node_mass);
    let weights = weights.map(|(q, mass)| (DVec3::new(q[0], q[1], q[2]), gravity * *mass));
    weights.chain(forces.iter().copied()).fold((DVec3::ZERO, DVec3::ZERO), |(force, moment), (x, f)| {
        (force + f, moment + (x - point).cross(f))
    })
}

#[test]
fn supports_of_a_hanging_cable_carry_its_weight() {
    let simulation = equilibrium(json!({
        "rod": {"cable": {
            "stiffness": {"stretch": 1e4, "bend": 1e-3, "twist": 1e-3}, "mass_per_length": 0.3,
                "segments": 24,
            "shape": {"slack": {"from": [0, 0, 0], "to": [0.8, 0.1, 0.2], "length": 1.1}},
        }},
        "constraint": {"left": {"position": {"on": "cable", "at": "start"}},
            "right": {"position": {"on": "cable", "at": "end"}}},
        "settings": {"mode": "static"},
    }));
    let world = simulation.world();
    let reactions = force(world, "left").force + force(world, "right").force;
    // Static solves end at increments of 1e-10 of the length; EA turns the stretch of one segment into 1e-6 N
    // at worst.
    assert!((reactions - DVec3::Z * total_mass(world) * G).length() < 1e-6, "{reactions}");
    // The parabola's length is that of 2000 chords: 1e-7.
    assert!(off(total_mass(world), 0.3 * 1.1) < 1e-6);
}

#[test]
fn rod_too_soft_for_its_segments_is_balanced_or_reported() {
    // It stretches to twice its length and bends within 2 mm of its clamp.
    let mut found = 0;
    for segments in [16, 24, 32, 48] {
        let (simulation, report) = solved(json!({
            "rod": {"rod": {"young": 1e4, "radius": 4e-3, "density": 1200, "segments": segments}},
            "constraint": {"clamp": {"clamp": {"on": "rod", "at": "start"}}},
            "settings": {"mode": "static"},
        }));
        let world = simulation.world();
        let (weight, reaction) = (total_mass(world) * G, force(world, "clamp").force);
        let balanced = (reaction - DVec3::Z * weight).length() < 1e-2 * weight;
        let reported = happened!(simulation, NotConverged) || happened!(simulation, Held);
        assert_eq!(report.converged, !reported, "{segments} segments");
        assert!(balanced || !report.converged, "{segments} segments: {reaction} for a weight of {weight}");
        found += usize::from(report.converged);
    }
    assert!(found >= 2, "{found} of 4 resolutions");
}

#[test]
fn a_clamp_answers_weight_and_force_with_force_and_moment() {
    for (end, rows) in [("start", "objective"), ("end", "objective"), ("start", "paper"), ("end", "paper")] {
        let tip = if end == "start" { "end" } else { "start" };
        let mut scene = unit_rod(12, [1.0, 0.0, 0.0]);
        scene["constraint"] = json!({"clamp": {"clamp": {"on": "rod", "at": end, "rows": rows}}});
        scene["load"] = json!({"tip": {"force": {"on": "rod", "at": tip, "force": [0.3, 1, -2]}}});
        scene["settings"]["gravity"] = json!([0, 0.2, -1]);
        let simulation = equilibrium(scene);
        let world = simulation.world();
        let share = |name: &str| if name == "start" { 0.0 } else { 1.0 };
        let load = (at(world, "rod", share(tip)), DVec3::new(0.3, 1.0, -2.0));
        let (sum, moment) =
            loads_about(world, at(world, "rod", share(end)), DVec3::new(0.0, 0.2, -1.0), &[load]);
        let clamp = force(world, "clamp");
        // The discrete energy doesn't change in a rigid motion, so balance is exact but for the last
        // increment times EA.
        assert!((clamp.force + sum).length() < 1e-6, "{end}, {rows}: {} against {sum}", clamp.force);
        assert!((clamp.moment + moment).length() < 1e-6, "{end}, {rows}: {} against {moment}", clamp.moment);
    }
}

#[test]
fn the_moment_of_a_horizontal_cantilever_lifts_its_tip() {
    let mut scene = unit_rod(8, [1.0, 0.0, 0.0]);
    scene["constraint"] = json!({"clamp": {"clamp": {"on": "rod", "at": "start"}}});
    scene["load"] = json!({"tip": {"force": {"on": "rod", "at": "end", "force": [0, 0, -1e-3]}}});
    let simulation = equilibrium(scene);
    let clamp = force(simulation.world(), "clamp");
    // Force up, moment about −y (which turns x towards z) of P L; the arm shortens by 1e-7.
    assert!((clamp.force - DVec3::new(0.0, 0.0, 1e-3)).length() < 1e-8);
    assert!((clamp.moment - DVec3::new(0.0, -1e-3, 0.0)).length() < 1e-8, "{}", clamp.moment);
    // Inside, the part beyond the place acts on the part before it: with M about +y, w''= P(L−s)/EI.
    let section = simulation.world().section(object(simulation.world(), "rod"), 0.5).expect("a rod");
    assert!(off(section.bending_moment.y, 0.5e-3) < 1e-3, "{}", section.bending_moment);
}

#[test]
fn position_tangent_and_roll_together_are_a_clamp() {
    let with = |constraints: Value| {
        let mut scene = unit_rod(10, [1.0, 0.0, 0.0]);
        scene["constraint"] = constraints;
        scene["load"] = json!({"tip": {"force": {"on": "rod", "at": "end", "force": [0, 1, -2]}},
            "turn": {"moment": {"on": "rod", "at": "end", "moment": [0.5, 0, 0]}}});
        equilibrium(scene)
    };
    let whole = with(json!({"c": {"clamp": {"on": "rod", "at": "start"}}}));
    let parts = with(json!({
        "x": {"position": {"on": "rod", "at": "start"}},
        "t": {"tangent": {"on": "rod", "at": "start"}},
        "r": {"roll": {"on": "rod", "at": "start"}},
    }));
    let clamp = force(whole.world(), "c");
    let sum = ["x", "t", "r"].map(|name| force(parts.world(), name));
    // Both hold the same six freedoms; the solves end within 1e-10 of the length.
    assert!((at(whole.world(), "rod", 1.0) - at(parts.world(), "rod", 1.0)).length() < 1e-8);
    assert!((clamp.force - sum[0].force).length() < 1e-6);
    assert!((clamp.moment - sum[1].moment - sum[2].moment).length() < 1e-6);
}

/// Complete elliptic integrals K and E of modulus k by the arithmetic–geometric mean.
fn elliptic(k: f64) -> (f64, f64) {
    let (mut a, mut b, mut sum, mut power) = (1.0, (1.0 - k * k).sqrt(), 0.5 * k * k, 1.0);
    while (a - b).abs() > 1e-15 {
        let c = 0.5 * (a - b);
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        sum += power * c * c;
        power *= 2.0;
    }
    let first = PI / (2.0 * a);
    (first, first * (1.0 - sum))
}

fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let sign = f(low).signum();
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle).signum() == sign { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[test]
fn a_column_under_twice_its_critical_load_ends_on_the_buckled_branch() {
    let mut scene = unit_rod(16, [0.0, 0.0, 1.0]);
    scene["constraint"] = json!({"foot": {"clamp": {"on": "rod", "at": "start"}}});
    // Exactly straight, exactly axial: nothing but the inertia of the factor tells where to go.
    let load = 2.0 * PI * PI / 4.0;
    scene["load"] = json!({"head": {"force": {"on": "rod", "at": "end", "force": [0, 0, -load]}}});
    let (simulation, report) = solved(scene);
    assert!(report.converged && report.unstable_modes == 0, "{report:?}");
    let tip = at(simulation.world(), "rod", 1.0);
    // Elastica: √P L = K(k), aside 2k/K, height 2E/K − 1.
    let k = bisect(0.1, 0.999, |k| elliptic(k).0 - load.sqrt());
    let (first, second) = elliptic(k);
    let (aside, height) = (2.0 * k / first, 2.0 * second / first - 1.0);
    assert!(
        (aside - 0.797).abs() < 1e-3 && (height - 0.071).abs() < 1e-3,
        "the reference itself: {aside}, {height}"
    );
    // Stretch P/EA = 5e-6; the mesh of 16 segments is good to 1e-5.
    assert!((tip.x.hypot(tip.y) - aside).abs() < 5e-5 && (tip.z - height).abs() < 5e-5, "{tip}");
}

fn pinned_column(share: f64) -> Value {
    let mut scene = unit_rod(16, [0.0, 0.0, 1.0]);
    scene["constraint"] = json!({
        "foot": {"position": {"on": "rod", "at": "start"}},
        "head": {"axis": {"on": "rod", "at": "end", "direction": [0, 0, 1]}},
        "roll": {"roll": {"on": "rod", "at": "start"}},
        "flat": {"plane": {"on": "rod", "at": "50 %", "normal": [0, 1, 0]}},
    });
    scene["load"] =
        json!({"weight": {"force": {"on": "rod", "at": "end", "force": [0, 0, -share * PI * PI]}}});
    scene
}

#[test]
fn a_pinned_column_stays_straight_below_the_critical_load() {
    for share in [0.5, 0.9, 0.99] {
        let (simulation, report) = solved(pinned_column(share));
        assert!(report.converged && report.unstable_modes == 0, "{share}: {report:?}");
        let middle = at(simulation.world(), "rod", 0.5);
        assert!(middle.x.abs() < 1e-9, "{share}: {middle}");
        // N = EA ε, and ε = −P/EA is the whole shortening.
        let shortening = 1.0 - at(simulation.world(), "rod", 1.0).z;
        assert!(off(shortening, share * PI * PI / 1e6) < 1e-6, "{share}: {shortening}");
    }
}

#[test]
fn a_pinned_column_bows_out_above_the_critical_load() {
    let (simulation, report) = solved(pinned_column(1.02));
    assert!(report.converged && report.unstable_modes == 0, "{report:?}");
    // Elastica: √P L = 2K(k), bow 2k/√P.
    let load = 1.02 * PI * PI;
    let k = bisect(1e-3, 0.9, |k| 2.0 * elliptic(k).0 - load.sqrt());
    let bow = at(simulation.world(), "rod", 0.5).x.abs();
    // Near the critical load the bow grows with the root of the excess; 16 segments miss the load by 1e-6 and
    // EA by 1e-5.
    assert!(off(bow, 2.0 * k / load.sqrt()) < 1e-3, "{bow}");
}

#[test]
fn a_mass_on_two_links_hangs_at_the_corner_of_a_triangle() {
    let simulation = equilibrium(json!({
        "mass": {"m": {"position": [0.1, 0.05, -0.3], "mass": 0.5}},
        "constraint": {
            "left": {"distance": {"on": "m", "centre": [-0.5, 0, 0], "distance": 0.7}},
            "right": {"distance": {"on": "m", "centre": [0.5, 0, 0], "distance": 0.7}},
        },
        "settings": {"mode": "static"},
        "probe": [{"name": "tension", "of": "left", "read": "tension"}],
    }));
    let world = simulation.world();
    let depth = (0.49_f64 - 0.25).sqrt();
    let x = position(world, "m");
    // Newton with constraint curvature ends at rounding.
    assert!((x - DVec3::new(0.0, 0.0, -depth)).length() < 1e-9, "{x}");
    assert!(off(probe(&simulation, "tension"), 0.5 * G * 0.7 / (2.0 * depth)) < 1e-8);
}

/// Force on a mass by everything that is tied to it, weight included.
fn balance(simulation: &micado::run::Simulation, mass: &str, springs: &[(&str, [f64; 2])]) -> DVec3 {
    let world = simulation.world();
    let held: DVec3 = world
        .structure()
        .constraints
        .iter()
        .filter(|c| c.on() == mass)
        .map(|c| force(world, &c.name).force)
        .sum();
    let pulled: DVec3 = springs
        .iter()
        .map(|(name, sign)| {
            let read = |axis: &str| probe(simulation, &format!("{name}.{axis}"));
            DVec3::new(read("x"), read("y"), read("z")) * sign[0]
        })
        .sum();
    held + pulled - DVec3::Z * object(world, mass).total_mass() * G
}

fn spring_probes(names: &[&str]) -> Vec<Value> {
    let components = |name: &&str| {
        ["x", "y", "z"]
            .map(|c| json!({"name": format!("{name}.{c}"), "of": name, "read": "force", "component": c}))
    };
    names.iter().flat_map(components).collect()
}

#[test]
fn a_chain_of_masses_takes_the_funicular_shape() {
    let simulation = equilibrium(json!({
        "mass": {"a": {"position": [0.3, 0, 0], "mass": 0.2}, "b": {"position": [0.7, 0, 0.1], "mass": 0.2}},
        "constraint": {
            "left": {"distance": {"on": "a", "centre": [0, 0, 0], "distance": 0.5}},
            "right": {"distance": {"on": "b", "centre": [1, 0, 0], "distance": 0.5}},
        },
        "spring": {"link": {"linear": {"from": {"mass": "a"}, "to": {"mass": "b"}, "stiffness": 1e4,
            "length": 0.4}}},
        "settings": {"mode": "static"},
        "probe": spring_probes(&["link"]),
    }));
    let world = simulation.world();
    for (mass, sign) in [("a", 1.0), ("b", -1.0)] {
        let rest = balance(&simulation, mass, &[("link", [sign, 0.0])]);
        // An increment of 1e-10 m times the stiffness of 1e4 N/m.
        assert!(rest.length() < 1e-6, "{mass}: {rest}");
    }
    // The middle link is level; each side link carries one weight: its slope is mg over the tension of the
    // middle.
    let [a, b] = ["a", "b"].map(|name| position(world, name));
    assert!((a.z - b.z).abs() < 1e-9 && a.y.abs() < 1e-9);
    let level = -probe(&simulation, "link.x").abs();
    assert!(off(a.z / a.x, 0.2 * G / level) < 1e-6);
}

#[test]
fn a_slack_net_of_masses_finds_its_rest() {
    // Four masses in a square hang on links from four posts and on each other by slack springs.
    let corners = [[0.2, 0.2], [-0.2, 0.2], [-0.2, -0.2], [0.2, -0.2]];
    let names = ["a", "b", "c", "d"];
    let mut scene = json!({"settings": {"mode": "static"}, "mass": {}, "constraint": {}, "spring": {}});
    for (k, name) in names.iter().enumerate() {
        let [x, y] = corners[k];
        scene["mass"][name] =
            json!({"position": [0.8 * x, 1.1 * y, 0.01 * k as f64], "mass": 0.1 + 0.02 * k as f64});
        scene["constraint"][format!("post-{name}")] =
            json!({"distance": {"on": name, "centre": [3.0 * x, 3.0 * y, 0], "distance": 0.7}});
        let next = names[(k + 1) % 4];
        scene["spring"][format!("s{k}")] =
            json!({"linear": {"from": {"mass": name}, "to": {"mass": next}, "stiffness": 30, "length": 0.3}});
    }
    scene["probe"] = json!(spring_probes(&["s0", "s1", "s2", "s3"]));
    let simulation = equilibrium(scene);
    for k in 0..4 {
        let (own, last) = (format!("s{k}"), format!("s{}", (k + 3) % 4));
        let rest = balance(&simulation, names[k], &[(&own, [1.0, 0.0]), (&last, [-1.0, 0.0])]);
        // An increment of 1e-10 m times a stiffness of 100 N/m.
        assert!(rest.length() < 1e-7, "{}: {rest}", names[k]);
    }
}

#[test]
fn rod_in_its_natural_shape_keeps_it() {
    let shapes = [
        json!({"arc": {"from": [0, 0, 0], "tangent": [1, 0, 0], "towards": [0, 0, 1], "radius": 0.4,
            "angle": 3}}),
        json!({"helix": {"centre": [0, 0, 0], "radius": 0.2, "pitch": 0.3, "turns": 1.5}}),
    ];
    for shape in shapes {
        let mut scene = unit_rod(16, [1.0, 0.0, 0.0]);
        scene["rod"]["rod"]["shape"] = shape;
        scene["rod"]["rod"]["natural"] = json!("as-shaped");
        scene["constraint"] = json!({"c": {"clamp": {"on": "rod", "at": "start"}}});
        let before = build(scene.clone());
        let after = equilibrium(scene);
        let moved = before
            .world()
            .state()
            .q
            .iter()
            .zip(&after.world().state().q)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        // Natural strains are those of the laid spline itself: nothing is left to do but rounding.
        assert!(
            moved < 1e-9 && after.world().energy().elastic() < 1e-15,
            "{moved:e}, {:e}",
            after.world().energy().elastic()
        );
    }
}

#[test]
fn a_naturally_curved_strip_rolls_into_a_ring() {
    let mut scene = unit_rod(32, [1.0, 0.0, 0.0]);
    scene["rod"]["rod"]["natural"] = json!({"curved": {"curvature_1": 2.0 * PI}});
    scene["rod"]["rod"]["up"] = json!([0, 0, 1]);
    scene["constraint"] = json!({"c": {"clamp": {"on": "rod", "at": "start"}}});
    let simulation = equilibrium(scene);
    let world = simulation.world();
    // m₁ points up: the strip curls upward, its middle is one diameter high, its end back at its start.
    // Fourth order with 0.2 rad per segment.
    assert!(at(world, "rod", 1.0).length() < 1e-4, "{}", at(world, "rod", 1.0));
    assert!(
        (at(world, "rod", 0.5) - DVec3::new(0.0, 0.0, 1.0 / PI)).length() < 1e-4,
        "{}",
        at(world, "rod", 0.5)
    );
    assert!(world.energy().elastic() < 1e-4 * 0.5 * 4.0 * PI * PI);
}

#[test]
fn a_flat_section_buckles_towards_its_soft_side() {
    let mut scene = unit_rod(12, [0.0, 0.0, 1.0]);
    // EI₁ : EI₂ = 4 : 1; the load is 2.5 times the critical one of the soft side, 0.6 times that of the stiff
    // side.
    scene["rod"]["rod"]["stiffness"] = json!({"stretch": 1e6, "bend": 4, "bend_2": 1, "twist": 1});
    scene["rod"]["rod"]["up"] = json!([1, 0, 0]);
    scene["constraint"] = json!({"c": {"clamp": {"on": "rod", "at": "start"}}});
    scene["load"] =
        json!({"p": {"force": {"on": "rod", "at": "end", "force": [0, 0, -2.5 * PI * PI / 4.0]}}});
    let simulation = equilibrium(scene);
    let tip = at(simulation.world(), "rod", 1.0);
    // m₁ = x is stiff, m₂ = ±y soft. The path back to the plane is as exact as the solve: 1e-10.
    assert!(tip.y.abs() > 0.5 && tip.x.abs() < 1e-7, "{tip}");
}

#[test]
fn a_flat_section_bends_by_its_own_stiffness_in_each_direction() {
    let mut scene = unit_rod(8, [0.0, 0.0, 1.0]);
    scene["rod"]["rod"]["stiffness"] = json!({"stretch": 1e6, "bend": 4, "bend_2": 1, "twist": 1});
    scene["rod"]["rod"]["up"] = json!([1, 0, 0]);
    scene["constraint"] = json!({"c": {"clamp": {"on": "rod", "at": "start"}}});
    scene["load"] = json!({"p": {"force": {"on": "rod", "at": "end", "force": [1e-4, 1e-4, 0]}}});
    let simulation = equilibrium(scene);
    let tip = at(simulation.world(), "rod", 1.0);
    // P L³/3EI; the cubic is in the spline's space, large rotations enter with (PL²/EI)² = 1e-8.
    assert!(off(tip.x, 1e-4 / 12.0) < 1e-6 && off(tip.y, 1e-4 / 3.0) < 1e-6, "{tip}");
}

#[test]
fn a_stepped_cantilever_bends_as_its_two_halves() {
    let tip = |segments: usize| {
        let mut scene = unit_rod(segments, [1.0, 0.0, 0.0]);
        scene["rod"]["rod"]["stretches"] =
            json!([{"from": "50 %", "to": "end", "stiffness": {"stretch": 1e6, "bend": 0.25, "twist": 1}}]);
        scene["constraint"] = json!({"c": {"clamp": {"on": "rod", "at": "start"}}});
        scene["load"] = json!({"p": {"force": {"on": "rod", "at": "end", "force": [0, 0, -1e-4]}}});
        at(equilibrium(scene).world(), "rod", 1.0).z
    };
    // w = P/3 [(L³ − l³)/EI₁ + l³/EI₂]
    let exact = -1e-4 / 3.0 * (0.875 + 0.125 / 0.25);
    let errors = [8, 16, 32].map(|n| off(tip(n), exact));
    // A C² curve rounds the jump of curvature off within a segment: first order in the mesh, 4 % of the tip
    // at 8 segments.
    assert!(errors[0] < 4e-2 && errors[1] < 0.6 * errors[0] && errors[2] < 0.6 * errors[1], "{errors:?}");
}

#[test]
fn mass_is_exact_where_stretches_begin_inside_a_segment() {
    let mut scene = unit_rod(7, [2.0, 0.0, 0.0]);
    scene["rod"]["rod"]["stretches"] = json!([{"from": 0.31, "to": 0.92, "mass_per_length": 5},
        {"from": "80 %", "to": "end", "mass_per_length": 0.5}]);
    let simulation = build(scene);
    let expected = 1.0 * (2.0 - 0.61 - 0.4) + 5.0 * 0.61 + 0.5 * 0.4;
    // Each piece has its own Gauss rule, exact for the product of two cubics.
    assert!(off(total_mass(simulation.world()), expected) < 1e-13);
    // The centre of mass too: Σ m x over nodes.
    let moment = crate::common::weighted(simulation.world(), &simulation.world().state().q).x;
    let expected = 0.5 * 4.0 + 4.0 * 0.61 * 0.615 - 0.5 * 0.4 * 1.8;
    assert!(off(moment, expected) < 1e-13);
}

#[test]
fn a_torsional_spring_holds_a_stiff_lever() {
    let mut scene = unit_rod(4, [1.0, 0.0, 0.0]);
    scene["rod"]["rod"]["stiffness"] = json!({"stretch": 1e7, "bend": 1e4, "twist": 1e4});
    scene["constraint"] = json!({"pin": {"position": {"on": "rod", "at": "start"}}});
    scene["spring"] = json!({"hinge": {"torsional": {"from": {"rod": {"on": "rod", "at": "start"}},
        "to": {"point": [0, 0, 0]}, "stiffness": 2}}});
    scene["load"] = json!({"p": {"force": {"on": "rod", "at": "end", "force": [0, 0, -1.5]}}});
    scene["probe"] = json!([{"name": "moment", "of": "hinge", "read": "moment", "component": "y"}]);
    let simulation = equilibrium(scene);
    let tip = at(simulation.world(), "rod", 1.0);
    // k φ = P L cos φ; the lever itself gives by P L²/EI = 1.5e-4.
    let angle = bisect(0.0, 1.5, |phi| 2.0 * phi - 1.5 * phi.cos());
    assert!((tip - DVec3::new(angle.cos(), 0.0, -angle.sin())).length() < 2e-4, "{tip}");
    // The spring turns the tip, which sank, back up: about −y.
    assert!(off(probe(&simulation, "moment"), -2.0 * angle) < 2e-4);
}

#[test]
fn torsional_spring_transmits_the_bending_moment_of_two_rods() {
    let simulation = equilibrium(json!({
        "rod": {
            "a": {"stiffness": {"stretch": 1e7, "bend": 1e4, "twist": 1e4}, "mass_per_length": 1,
                "segments": 4},
            "b": {"stiffness": {"stretch": 1e7, "bend": 1e4, "twist": 1e4}, "mass_per_length": 1,
                "segments": 4,
                  "shape": {"line": {"from": [1, 0, 0], "to": [1, 1, 0]}}},
        },
        "constraint": {"foot": {"clamp": {"on": "a", "at": "start"}},
            "joint": {"position": {"on": "b", "at": "start"}}},
        "spring": {"hinge": {"torsional": {"from": {"rod": {"on": "b", "at": "start"}},
            "to": {"rod": {"on": "a", "at": "end"}}, "stiffness": 2}}},
        "load": {"p": {"force": {"on": "b", "at": "end", "force": [0, 0, -1]}}},
        "settings": {"mode": "static", "gravity": [0, 0, 0]},
    }));
    let world = simulation.world();
    let angle = bisect(0.0, 1.5, |phi| 2.0 * phi - phi.cos());
    let tip = at(world, "b", 1.0);
    assert!((tip - DVec3::new(1.0, angle.cos(), -angle.sin())).length() < 2e-4, "{tip}");
    // What b gives, a's clamp takes: −r×f about x is the moment of the load, 1·cos φ.
    assert!(
        (force(world, "foot").moment - DVec3::new(angle.cos(), 0.0, 0.0)).length() < 2e-4,
        "{}",
        force(world, "foot").moment
    );
}

#[test]
fn a_mass_on_a_spring_hangs_by_its_weight_over_the_stiffness() {
    let simulation = equilibrium(json!({
        "mass": {"m": {"position": [0.3, 0.1, -1], "mass": 2}},
        "spring": {"s": {"linear": {"from": {"point": [0.3, 0.1, 0]}, "to": {"mass": "m"}, "stiffness": 50}}},
        "settings": {"mode": "static"},
        "probe": [{"name": "tension", "of": "s", "read": "tension"},
            {"name": "length", "of": "s", "read": "length"}],
    }));
    assert!(off(probe(&simulation, "length"), 1.0 + 2.0 * G / 50.0) < 1e-9);
    assert!(off(probe(&simulation, "tension"), 2.0 * G) < 1e-9);
}

#[test]
fn a_beam_on_two_supports_sags_by_five_384ths() {
    let scene = |from: f64, to: f64| {
        let mut scene = unit_rod(16, [1.0, 0.0, 0.0]);
        scene["constraint"] = json!({
            "left": {"position": {"on": "rod", "at": "start"}},
            "right": {"axis": {"on": "rod", "at": "end", "direction": [1, 0, 0]}},
            "roll": {"roll": {"on": "rod", "at": "start"}},
        });
        scene["load"] =
            json!({"w": {"distributed": {"on": "rod", "from": from, "to": to, "force": [0, 0, -1e-3]}}});
        equilibrium(scene)
    };
    let whole = scene(0.0, 1.0);
    // Small: the slope is 4e-5. The quartic is not in the spline's space: fourth order with 1/16.
    assert!(off(at(whole.world(), "rod", 0.5).z, -5.0 / 384.0 * 1e-3) < 1e-5);
    let part = scene(0.23, 0.81);
    let (left, right) = (force(part.world(), "left").force.z, force(part.world(), "right").force.z);
    // ∫ over parts of segments is exact for cubics: reactions of a load of 0.58e-3 N at 0.52 m.
    assert!(off(left + right, 0.58e-3) < 1e-7 && off(right, 0.58e-3 * 0.52) < 1e-6, "{left} {right}");
}

#[test]
fn a_moment_bends_a_rod_into_an_arc() {
    for (turn, tolerance) in [(1.0, 2e-5), (PI, 2e-4)] {
        let mut scene = unit_rod(16, [1.0, 0.0, 0.0]);
        scene["constraint"] = json!({"c": {"clamp": {"on": "rod", "at": "start"}}});
        scene["load"] = json!({"m": {"moment": {"on": "rod", "at": "end", "moment": [0, 0, turn]}}});
        let simulation = equilibrium(scene);
        let world = simulation.world();
        let tip = at(world, "rod", 1.0);
        let exact = DVec3::new(turn.sin() / turn, (1.0 - turn.cos()) / turn, 0.0);
        // A moment at a point is spread over the end's tangent; an arc of 0.2 rad per segment is good to
        // fourth order.
        assert!((tip - exact).length() < tolerance, "{turn}: {tip} against {exact}");
        let moment = force(world, "c").moment;
        assert!((moment + DVec3::Z * turn).length() < 1e-6, "{moment}");
    }
}

#[test]
fn duplicated_constraints_change_nothing_and_are_reported() {
    let with = |copies: usize, mode: &str| {
        let mut scene = json!({
            "rod": {"rod": {"stiffness": {"stretch": 1e4, "bend": 0.01, "twist": 0.01},
                "mass_per_length": 0.2, "segments": 16}},
            "settings": {"mode": mode, "duration": 0.2},
            "constraint": {},
        });
        for k in 0..copies {
            scene["constraint"][format!("left{k}")] = json!({"clamp": {"on": "rod", "at": "start"}});
            scene["constraint"][format!("right{k}")] =
                json!({"position": {"on": "rod", "at": "end", "displacement": [-0.1, 0, 0]}});
        }
        crate::common::run(scene)
    };
    for mode in ["static", "dynamic"] {
        let (once, twice) = (with(1, mode), with(2, mode));
        let apart = once
            .world()
            .state()
            .q
            .iter()
            .zip(&twice.world().state().q)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        // The regularisation of 1e-10 that copies need is refined away.
        assert!(apart < 1e-9, "{mode}: {apart:e}");
        assert!(!happened!(once, Redundant) && happened!(twice, Redundant), "{mode}: {:?}", twice.events());
        assert!(!happened!(twice, Conflict), "{mode}: {:?}", twice.events());
        // Two duplicates share the force of one.
        let sum = |simulation: &micado::run::Simulation, names: &[&str]| -> DVec3 {
            names.iter().map(|name| force(simulation.world(), name).force).sum()
        };
        let (one, both) = (sum(&once, &["left0"]), sum(&twice, &["left0", "left1"]));
        assert!((one - both).length() < 1e-5 * one.length().max(1.0), "{mode}: {one} against {both}");
    }
}

#[test]
fn angles_conflict_by_angles_and_lengths_by_lengths_whatever_the_size() {
    // Two tangents 1e-5 rad apart contradict each other on a rod of any length, and two positions by their
    // share of it.
    for size in [1e-3, 1.0, 1e3] {
        let conflicts = |constraints: serde_json::Value| {
            let (simulation, _) = solved(json!({
                "rod": {"rod": {"stiffness": {"stretch": 1e3, "bend": size * size, "twist": size * size},
                    "mass_per_length": 1, "segments": 6,
                        "shape": {"line": {"from": [0, 0, 0], "to": [size, 0, 0]}}}},
                "constraint": constraints,
                "settings": {"gravity": [0, 0, 0], "step": size},
            }));
            happened!(simulation, Conflict)
        };
        let tangents = |angle: f64| {
            json!({"a": {"position": {"on": "rod", "at": "start"}},
                   "b": {"tangent": {"on": "rod", "at": "start", "direction": [1, 0, 0]}},
                   "c": {"tangent": {"on": "rod", "at": "start", "direction": [1, angle, 0]}}})
        };
        let positions = |share: f64| {
            json!({"a": {"position": {"on": "rod", "at": "start"}},
                   "b": {"position": {"on": "rod", "at": "start", "displacement": [0, share * size, 0]}}})
        };
        assert!(conflicts(tangents(1e-5)) && !conflicts(tangents(1e-7)), "angles at {size} m");
        assert!(conflicts(positions(1e-5)) && !conflicts(positions(1e-7)), "lengths at {size} m");
    }
}

#[test]
fn conflicting_constraints_are_named_and_the_run_goes_on() {
    for mode in ["static", "dynamic"] {
        let mut simulation = build(json!({
            "rod": {"rod": {"stiffness": {"stretch": 1e4, "bend": 0.01, "twist": 0.01},
                "mass_per_length": 0.2, "segments": 12}},
            "constraint": {
                "left": {"position": {"on": "rod", "at": "start"}},
                "here": {"position": {"on": "rod", "at": "end"}},
                "there": {"position": {"on": "rod", "at": "end", "displacement": [0, 0, 0.1]}},
            },
            "settings": {"mode": mode, "duration": 0.1},
        }));
        for _ in 0..5 {
            simulation.step(&NoClock);
        }
        let is_named = |event: &Event| match &event.what {
            EventKind::Conflict(rows) => {
                rows.constraints.iter().any(|name| name == "here" || name == "there")
            }
            _ => false,
        };
        assert!(simulation.events().iter().any(is_named), "{mode}: {:?}", simulation.events());
        assert!((simulation.time() - 0.05).abs() < 1e-12, "{mode}: {:?}", simulation.events());
        assert!(crate::common::is_finite(simulation.world()));
        // The nearest state: between the two.
        let end = at(simulation.world(), "rod", 1.0);
        assert!((end - DVec3::new(1.0, 0.0, 0.05)).length() < 1e-3, "{mode}: {end}");
    }
}

#[test]
fn paper_rows_freeze_the_stretch_at_the_clamp_and_objective_rows_do_not() {
    for (rows, expected) in [("objective", 0.025), ("paper", 0.0)] {
        let mut scene = unit_rod(8, [1.0, 0.0, 0.0]);
        scene["rod"]["rod"]["stiffness"] = json!({"stretch": 8000, "bend": 1, "twist": 1});
        scene["constraint"] = json!({"c": {"clamp": {"on": "rod", "at": "start", "rows": rows}}});
        scene["load"] = json!({"p": {"force": {"on": "rod", "at": "end", "force": [200, 0, 0]}}});
        let rest = build(scene.clone()).world().sites(0).expect("a constraint")[0].l;
        let simulation = equilibrium(scene);
        let strain = simulation.world().sites(0).expect("a constraint")[0].l / rest - 1.0;
        // 200 N over 8000 N; an even stretch is in the spline's space.
        assert!((strain - expected).abs() < 1e-8, "{rows}: {strain}");
        assert!((force(simulation.world(), "c").force + DVec3::X * 200.0).length() < 1e-5);
    }
}

#[test]
fn tension_and_torque_are_read_where_they_act() {
    let mut scene = unit_rod(8, [1.0, 0.0, 0.0]);
    scene["constraint"] = json!({"c": {"clamp": {"on": "rod", "at": "start"}}});
    scene["load"] = json!({"p": {"force": {"on": "rod", "at": "end", "force": [5, 0, 0]}},
        "m": {"moment": {"on": "rod", "at": "end", "moment": [0.3, 0, 0]}}});
    let simulation = equilibrium(scene);
    let world = simulation.world();
    for s in [0.0, 0.33, 0.9, 1.0] {
        let section = world.section(object(world, "rod"), s).expect("a rod");
        assert!(off(section.tension, 5.0) < 1e-6 && off(section.torque, 0.3) < 1e-6, "{s}: {section:?}");
        assert!(off(section.twist, 0.3) < 1e-6);
    }
    assert!((force(world, "c").moment + DVec3::X * 0.3).length() < 1e-8);
}

#[test]
fn who_stays_on_an_unstable_branch_gets_there_by_plain_newton() {
    let mut scene = unit_rod(16, [0.0, 0.0, 1.0]);
    scene["constraint"] = json!({"foot": {"clamp": {"on": "rod", "at": "start"}}});
    scene["load"] = json!({"head": {"force": {"on": "rod", "at": "end", "force": [0, 0, -PI * PI / 2.0]}}});
    for hessian in [Hessian::Auto, Hessian::Exact] {
        let mut simulation = build(scene.clone());
        let params = StaticParams { leave_unstable: false, hessian, ..StaticParams::default() };
        let report = simulation.world_mut().equilibrate(0.0, &params, &mut Workspace::new(), &NoClock);
        // Straight, though it would fall in two directions; shortening is all there is to find.
        assert!(
            report.converged && report.unstable_modes == 2 && report.solves <= 4,
            "{hessian:?}: {report:?}"
        );
        assert!(at(simulation.world(), "rod", 1.0).truncate().length() < 1e-12);
    }
}

#[test]
fn free_objects_under_load_are_reported_before_the_static_solve() {
    let cord = |x: f64| {
        json!({"shape": {"line": {"from": [x, 0, 0], "to": [x, 0, -0.4]}}, "radius": 0.005,
        "young": 1e7, "density": 1100})
    };
    let mut scene = json!({
        "rod": {"held": cord(0.0), "loose": cord(0.1), "hung": cord(0.2)},
        "mass": {"ball": {"position": [0.1, 0, -0.4], "mass": 1}},
        "constraint": {
            "nail": {"position": {"on": "held", "at": "start"}},
            "knot": {"fusion": {"on": "loose", "at": "end", "to": {"on": "ball"}}},
            "plumb": {"tangent": {"on": "loose", "at": "start"}},
            "link": {"distance": {"on": "hung", "at": "start", "to": {"on": "held", "at": "start"}}},
        },
        "settings": {"mode": "static"},
    });
    let (simulation, report) = solved(scene.clone());
    // A direction holds no place, and the ball hangs on what nothing holds; not one iteration is made.
    let loose = simulation.world().structure().objects.iter().position(|o| o.name == "loose").unwrap();
    assert_eq!(
        (report.refused, report.held, report.solves),
        (Some(Refusal::Floats { object: loose }), true, 0)
    );
    let cause = Cause::Floats { object: "loose".into() };
    assert_eq!(simulation.events()[0].what, EventKind::Held { cause, missed: None });
    // Free, but pulled by forces that add up to nothing: that has an equilibrium.
    let pull = |end: &str, force: f64| json!({"force": {"on": "loose", "at": end, "force": [0, 0, force]}});
    scene["settings"]["gravity"] = json!([0, 0, 0]);
    scene["load"] = json!({"up": pull("start", 3.0), "down": pull("end", -3.0)});
    assert!(solved(scene.clone()).1.converged);
    scene["load"]["down"] = pull("end", -2.9);
    assert_eq!(solved(scene).1.refused, Some(Refusal::Floats { object: loose }));
}

#[test]
fn a_cord_on_an_endless_wire_has_no_equilibrium_and_is_named() {
    let (simulation, report) = solved(json!({
        "rod": {"cord": {"shape": {"line": {"from": [0, 0, 0], "to": [0, 0, -0.4]}}, "radius": 0.005,
            "young": 1e7, "density": 1100}},
        "constraint": {"wire": {"trajectory": {"on": "cord", "at": "start", "ends": "continue",
            "path": {"line": {"from": [0, 0, 0], "to": [1, 0, -1]}}}}},
        "settings": {"mode": "static"},
    }));
    assert!(report.held && matches!(report.refused, Some(Refusal::RunsAway { .. })), "{report:?}");
    let is_named = |event: &Event| match &event.what {
        EventKind::Held { cause: cause @ Cause::RunsAway { .. }, .. } => {
            cause.is_without_equilibrium() && cause.culprit().object.as_deref() == Some("cord")
        }
        _ => false,
    };
    assert!(simulation.events().iter().any(is_named), "{:?}", simulation.events());
}

#[test]
fn a_rod_twisted_beyond_greenhill_gives_torque_away_by_buckling() {
    // EI/GJ = 1.3: a rod clamped at both ends stays straight up to 1.86 turns. With three, the straight state
    // still has the torque GJ Φ/L of a run that nothing disturbs; the stable one is a helix with a little
    // less.
    let scene = json!({
        "rod": {"rod": {"radius": 0.005, "young": 3.2e8, "poisson": 0.3, "density": 1000, "twist": "3 turn",
            "segments": 16}},
        "constraint": {"a": {"clamp": {"on": "rod", "at": "start"}},
            "b": {"clamp": {"on": "rod", "at": "end"}}},
        "settings": {"mode": "static", "gravity": [0, 0, 0]},
    });
    let straight = 3.2e8 / 2.6 * PI * 0.005_f64.powi(4) / 2.0 * 6.0 * PI;
    let torque = |leave_unstable: bool| {
        let mut simulation = build(scene.clone());
        let params = StaticParams { leave_unstable, ..StaticParams::default() };
        let report = simulation.world_mut().equilibrate(0.0, &params, &mut Workspace::new(), &NoClock);
        assert!(report.converged, "{report:?}");
        (force(simulation.world(), "b"), report.unstable_modes)
    };
    let (stays, unstable) = torque(false);
    assert!(off(stays.moment.x, straight) < 1e-12 && unstable == 2, "{stays:?}");
    let (leaves, unstable) = torque(true);
    // The helix has no slack to form with: it stretches the rod, so little torque goes.
    assert!(unstable == 0 && leaves.force.x > 1.0, "{leaves:?}");
    assert!((1e-5..1e-3).contains(&(1.0 - leaves.moment.x / straight)), "{leaves:?}");
}

#[test]
fn slack_cable_moved_around_has_no_twist() {
    // The end goes round a loop in space and comes back; it is free to roll, so nothing can twist the cable.
    for segments in [16, 32] {
        let times: Vec<f64> = (0..=16).map(f64::from).collect();
        let round = |t: &f64| {
            let (sin, cos) = (PI * t / 8.0).sin_cos();
            [0.25 * (cos - 1.0), 0.3 * sin, 0.2 * (2.0 * PI * t / 8.0).sin()]
        };
        let simulation = crate::common::run(json!({
            "rod": {"cable": {
                "stiffness": {"stretch": 1e4, "bend": 0.02, "twist": 0.015}, "mass_per_length": 0.1,
                    "segments": segments,
                "shape": {"slack": {"from": [0, 0, 0], "to": [0.7, 0, 0], "length": 1}},
                    "natural": "straight",
            }},
            "constraint": {
                "left": {"clamp": {"on": "cable", "at": "start"}},
                "right": {"position": {"on": "cable", "at": "end",
                    "displacement": {"keyframes": {"times": times,
                    "values": times.iter().map(round).collect::<Vec<_>>()}}}},
            },
            "settings": {"mode": "static", "duration": 16, "step": 0.25},
            "probe": [{"name": "twist", "of": "cable", "read": "twist-energy"},
                {"name": "bend", "of": "cable", "read": "bend-energy"}],
        }));
        // The error is the square of the last increment.
        assert!(
            probe(&simulation, "twist") < 1e-12 * probe(&simulation, "bend"),
            "{segments}: {:?}",
            simulation.probe_values()
        );
    }
}

#[test]
fn a_scene_may_keep_its_column_on_the_straight_branch() {
    // A clamped column of EI = 1 N·m² and 1 m buckles at π²/4 N.
    let column = |leave: bool| {
        equilibrium(json!({
            "rod": {"column": {"shape": {"line": {"from": [0, 0, 0], "to": [0, 0, 1]}}, "segments": 16,
                "stiffness": {"stretch": 1e5, "bend": 1, "twist": 1}, "mass_per_length": 0.1}},
            "constraint": {"foot": {"clamp": {"on": "column", "at": "start"}}},
            "load": {"push": {"force": {"on": "column", "at": "end", "force": [0, 0, -4]}}},
            "settings": {"mode": "static", "gravity": [0, 0, 0], "leave_unstable": leave},
        }))
    };
    let (left, stayed) = (column(true), column(false));
    let aside = |simulation: &Simulation| {
        let tip = at(simulation.world(), "column", 1.0);
        tip.x.hypot(tip.y)
    };
    assert!(aside(&left) > 0.5 && !happened!(left, Unstable), "{}", aside(&left));
    assert!(aside(&stayed) < 1e-9 && happened!(stayed, Unstable), "{}", aside(&stayed));
}
