//! A scene that starts from the current state of a simulation.

use micado::clock::NoClock;
use micado::run::Simulation;
use micado_io::scene::{self, BUILTIN, SceneFile};

fn file(text: &str) -> SceneFile {
    scene::parse("test.toml", text, &[]).unwrap()
}

fn run(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.step(&NoClock);
    }
}

/// The current state, written and read again, and a list of what it could not keep.
fn again(simulation: &Simulation, file: &SceneFile) -> (Simulation, Vec<String>, String) {
    let (now, lost) = scene::present(simulation, file.scene(), &[]).unwrap();
    let text = scene::write(&now, &lost).unwrap();
    let read = scene::parse("now.toml", &text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let built = Simulation::build(read.scene()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    (built, lost, text)
}

/// Positions along all objects, tensions and masses.
fn seen(simulation: &Simulation) -> Vec<[f64; 3]> {
    micado_io::observe::frame(simulation.world()).points
}

const CABLE: &str = r#"
[settings]
step = 0.01
settle = true
[rod.cable]
shape.slack = { from = [0, 0, 0], to = [1, 0, 0], length = 1.3 }
radius = "4 mm"
young = "20 MPa"
density = 1200
segments = 24
[constraint]
left.position = { on = "cable", at = "start" }
right.position = { on = "cable", at = "end" }
[load.weight.force]
on = "cable"
at = "40 %"
force = [0, 0, -3]
[[probe]]
name = "tension"
of = "cable"
at = "40 %"
read = "tension"
"#;

#[test]
fn a_cable_at_rest_restarts_at_rest_with_its_tension_and_its_mass() {
    let file = file(CABLE);
    let mut simulation = Simulation::build(file.scene()).unwrap();
    run(&mut simulation, 1);
    let (mut now, lost, text) = again(&simulation, &file);
    assert!(lost.is_empty(), "{lost:?}");
    let mass =
        |simulation: &Simulation| simulation.world().structure().objects[0].rod().unwrap().total_mass();
    assert!((mass(&now) / mass(&simulation) - 1.0).abs() < 1e-12);
    let tension = |simulation: &Simulation| simulation.probe_values()[0];
    // The weight stretches the cable: places and metric change, the mean stretch of segments does not; the
    // weight of the slope of stretch within a segment depends on its rest length.
    assert!(
        (tension(&now) / tension(&simulation) - 1.0).abs() < 1e-6,
        "{} {}",
        tension(&now),
        tension(&simulation)
    );
    run(&mut now, 300);
    let moved = seen(&now)
        .iter()
        .zip(&seen(&simulation))
        .map(|(a, b)| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt())
        .fold(0.0, f64::max);
    // Bending and the mass of each piece refer to the current length: a fraction of a percent of a sag of
    // 0.4 m.
    assert!(moved < 2e-3, "{moved} m\n{text}");
}

#[test]
fn a_mass_in_flight_continues_its_flight() {
    let file =
        file("[settings]\nstep = 0.01\n[mass.ball]\nmass = 2\nposition = [0, 0, 1]\nvelocity = [1, 0, 2]\n");
    let mut simulation = Simulation::build(file.scene()).unwrap();
    run(&mut simulation, 10);
    let (mut now, lost, _) = again(&simulation, &file);
    assert!(lost.is_empty());
    run(&mut simulation, 10);
    run(&mut now, 10);
    // Numbers in a file are read back bit for bit.
    assert_eq!(seen(&now), seen(&simulation));
}

#[test]
fn time_functions_continue_from_the_current_time() {
    let text = r#"
[settings]
step = 0.01
[mass.ball]
mass = 1
position = [0, 0, 0]
[constraint.led.position]
on = "ball"
displacement.ramp = { to = [0, 0, 1], end = 1 }
[[action]]
at = 0.8
do.release = "led"
"#;
    let file = file(text);
    let mut simulation = Simulation::build(file.scene()).unwrap();
    run(&mut simulation, 30);
    let (mut now, ..) = again(&simulation, &file);
    run(&mut simulation, 30);
    run(&mut now, 30);
    let [a, b] = [&now, &simulation].map(|simulation| seen(simulation)[0][2]);
    assert!((a - 0.6).abs() < 1e-9 && (b - 0.6).abs() < 1e-9, "{a} {b}");
    run(&mut simulation, 40);
    run(&mut now, 40);
    let [a, b] = [&now, &simulation].map(|simulation| seen(simulation)[0][2]);
    assert!((a - b).abs() < 1e-9 && a < 0.9, "released at 0.8 s: {a} {b}");
}

/// A cord of 1 m that is stretched to 1.1 m, at rest.
const TAUT: &str = r#"
[settings]
mode = "static"
gravity = [0, 0, 0]
step = 0.1
duration = 1
[rod.cord]
radius = "4 mm"
young = "20 MPa"
density = 1200
segments = 8
[constraint]
left.position = { on = "cord", at = "start" }
roll.roll = { on = "cord", at = "start" }
right.position = { on = "cord", at = "end", displacement = [0.1, 0, 0] }
[[probe]]
name = "tension"
of = "cord"
at = "middle"
read = "tension"
"#;

#[test]
fn a_taut_cord_with_automatic_refinement_stays_taut_when_it_is_refined() {
    let file = file(&TAUT.replace("segments = 8", "segments = 8\nresolution = \"auto\""));
    let mut simulation = Simulation::build(file.scene()).unwrap();
    run(&mut simulation, 1);
    let (mut now, ..) = again(&simulation, &file);
    let nodes = |simulation: &Simulation| simulation.world().structure().objects[0].nodes();
    let before = nodes(&now);
    let hook = serde_json::json!({ "add-constraint": { "name": "hook",
        "to": { "position": { "on": "cord", "at": 0.48 } } } });
    now.apply(&serde_json::from_value(hook).unwrap()).unwrap();
    run(&mut now, 3);
    assert!(nodes(&now) > before, "{} control points", nodes(&now));
    // EA ε
    let expected = 20e6 * std::f64::consts::PI * 0.004 * 0.004 * 0.1;
    assert!(
        (now.probe_values()[0] / expected - 1.0).abs() < 1e-3,
        "{} N of {expected} N",
        now.probe_values()[0]
    );
}

#[test]
fn places_and_stretches_of_a_rod_follow_its_material() {
    let text = TAUT.replace(
        "[constraint]",
        "[[rod.cord.stretches]]\nfrom = 0.5\nto = 1.0\ndensity = 2400\n\
         [rod.other]\nradius = \"4 mm\"\nyoung = \"20 MPa\"\ndensity = 1200\n\
         shape.line = { from = [0, 1, 0], to = [1, 1, 0] }\n[constraint]\n\
         other_start.clamp = { on = \"other\", at = \"start\" }\n\
         clip.clip = { on = [\"cord\", \"other\"], at = 0.5, displacement = [HALF, 0, 0] }",
    );
    let text = text + "[[action]]\nat = 10\ndo.cut = { rod = \"cord\", at = 0.25, second = \"rest\" }\n";
    // Also shorter than before, so that the old length is beyond the end; too thick to buckle.
    for (shift, radius, scale) in [(0.1, "4 mm", 1.1), (-0.02, "20 cm", 0.98)] {
        let text = text
            .replace("[0.1, 0, 0]", &format!("[{shift}, 0, 0]"))
            .replace("HALF", &(0.5 * shift).to_string());
        let file = file(&text.replace("4 mm", radius));
        let mut simulation = Simulation::build(file.scene()).unwrap();
        run(&mut simulation, 1);
        let (now, _, text) = again(&simulation, &file);
        let scene = scene::parse("now.toml", &text, &[]).unwrap();
        let rod = now.world().structure().objects[0].rod().unwrap();
        assert!((rod.length() - scale).abs() < 1e-9, "{}", rod.length());
        let stretch = &scene.scene().rod["cord"].stretches[0];
        for (at, expected) in [(stretch.from, 0.5), (stretch.to, 1.0)] {
            assert!((at.along(rod.length()) - scale * expected).abs() < 1e-9, "{at}");
        }
        let words = serde_json::to_value(scene.scene()).unwrap();
        for (place, expected) in [
            (&words["action"][0]["do"]["cut"]["at"], 0.25),
            (&words["constraint"]["clip"]["clip"]["at"], 0.5),
        ] {
            assert!((place.as_f64().unwrap() - scale * expected).abs() < 1e-9, "{place}");
        }
    }
}

#[test]
fn a_ring_out_of_its_plane_keeps_its_twist() {
    // Once around a torus and twice around its tube: a chiral curve.
    let point = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / 24.0;
        let out = 1.0 + 0.4 * (2.0 * angle).cos();
        format!("[{}, {}, {}]", out * angle.cos(), out * angle.sin(), 0.4 * (2.0 * angle).sin())
    };
    let points: Vec<String> = (0..24).map(point).collect();
    let text = format!(
        "[rod.ring]\nshape.points = {{ through = [{}], closed = true }}\nradius = 0.01\nyoung = 1e7\n\
         density = 1000\ntwist = 1\nsegments = 24\n",
        points.join(", ")
    );
    let file = file(&text);
    let simulation = Simulation::build(file.scene()).unwrap();
    let (now, ..) = again(&simulation, &file);
    let twist = |simulation: &Simulation| {
        let world = simulation.world();
        let ring = &world.structure().objects[0];
        let length = ring.rod().unwrap().length();
        (0..2400)
            .map(|k| world.section(ring, (f64::from(k) + 0.5) / 2400.0 * length).unwrap().twist)
            .sum::<f64>()
            * length
            / 2400.0
    };
    assert!(
        (twist(&simulation) - 1.0).abs() > 0.1,
        "its transported frame doesn't close: {}",
        twist(&simulation)
    );
    assert!((twist(&now) - twist(&simulation)).abs() < 1e-3, "{} {}", twist(&now), twist(&simulation));
}

#[test]
fn a_floor_and_a_slack_rope_stay_where_they_are() {
    let text = r#"
[settings]
step = 0.01
[mass.ball]
mass = 1
position = [0, 0, 0]
velocity = [0, 0, 2]
[mass.weight]
mass = 1
position = [1, 0, -1]
velocity = [0, 0, 2]
[constraint]
floor.plane = { on = "ball", normal = [0, 0, 1], side = "above" }
rope.distance = { on = "weight", centre = [1, 0, 0], limit = "at-most" }
"#;
    let file = file(text);
    let mut simulation = Simulation::build(file.scene()).unwrap();
    run(&mut simulation, 20);
    assert!(seen(&simulation)[0][2] > 0.1 && seen(&simulation)[1][2] > -0.9, "neither constraint is active");
    let (mut now, ..) = again(&simulation, &file);
    run(&mut now, 100);
    let [ball, weight] = [seen(&now)[0][2], seen(&now)[1][2]];
    assert!(
        ball.abs() < 1e-6 && (weight + 1.0).abs() < 1e-3,
        "on the floor at {ball} m, at the end of the rope at {weight} m"
    );
}

#[test]
fn every_built_in_scene_can_restart_from_its_current_state() {
    for builtin in BUILTIN {
        let file = scene::parse(builtin.name, builtin.text, &[]).unwrap();
        let mut simulation = Simulation::build(file.scene()).unwrap();
        run(&mut simulation, 5);
        let (now, _, text) = again(&simulation, &file);
        let (then, now) = (seen(&simulation), seen(&now));
        assert_eq!(then.len(), now.len(), "{}", builtin.name);
        let low = (0..3).map(|i| then.iter().map(|x| x[i]).fold(f64::INFINITY, f64::min));
        let high = (0..3).map(|i| then.iter().map(|x| x[i]).fold(f64::NEG_INFINITY, f64::max));
        let size = low.zip(high).map(|(low, high)| (high - low).powi(2)).sum::<f64>().sqrt();
        let apart = then
            .iter()
            .zip(&now)
            .map(|(a, b)| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt())
            .fold(0.0, f64::max);
        // Points are evenly spaced by rest length, which changes where the rod is stretched. A single body is
        // one point, without a size.
        assert!(
            apart <= 0.02 * size + 1e-12,
            "{}: {apart} m of {size} m\n{}",
            builtin.name,
            &text[..text.len().min(2000)]
        );
    }
}

/// The floor is written as such, with the description of contact.
#[test]
fn a_scene_with_contact_restarts_on_its_floor() {
    let file = file(
        "floor = 0.5\n[settings]\nstep = 0.01\n[contact]\nfriction = 0.3\nradius.ball = 0.02\n\
         groups.some = [\"ball\", \"cube\"]\n[[contact.pairs]]\nbetween = [\"ball\", \"all\"]\nfriction = 0\n\
         [[contact.pairs]]\nbetween = [\"some\", \"floor\"]\nrestitution = 0.1\n\
         [body.cube]\nshape.box.size = [0.2, 0.2, 0.2]\ndensity = 500\nposition = [0, 0, 0.6]\n\
         [mass.ball]\nposition = [1, 0, 1]\nmass = 1\n",
    );
    let mut simulation = Simulation::build(file.scene()).unwrap();
    run(&mut simulation, 10);
    let (mut now, _, text) = again(&simulation, &file);
    assert!(text.contains("floor = 0.5") && !text.contains("body.floor"), "{text}");
    let read = scene::parse("now.toml", &text, &[]).unwrap();
    assert_eq!(read.scene().contact, file.scene().contact);
    run(&mut now, 10);
    let height = seen(&now)[1][2];
    assert!((height - 0.6).abs() < 1e-6, "{height}");
    assert_eq!(now.world().surface_contacts().count(), 4);
}
