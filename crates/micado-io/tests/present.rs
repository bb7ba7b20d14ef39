//! A scene that begins as a simulation is now.

use micado::clock::NoClock;
use micado::simulation::Simulation;
use micado_io::scene::{self, BUILTIN, SceneFile};

fn file(text: &str) -> SceneFile {
    scene::parse("test.toml", text, &[]).unwrap()
}

fn run(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.step(&NoClock);
    }
}

/// The scene as it is now, written and read again, and what it could not keep.
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
fn a_cable_at_rest_begins_at_rest_with_the_tension_and_the_mass_that_it_has() {
    let file = file(CABLE);
    let mut simulation = Simulation::build(file.scene()).unwrap();
    run(&mut simulation, 1);
    let (mut now, lost, text) = again(&simulation, &file);
    assert!(lost.is_empty(), "{lost:?}");
    let mass = |simulation: &Simulation| simulation.world().structure().objects[0].rod().unwrap().total_mass();
    assert!((mass(&now) / mass(&simulation) - 1.0).abs() < 1e-12);
    let tension = |simulation: &Simulation| simulation.probe_values()[0];
    // The weight stretches the cable, so that places and metric are others, and the mean stretch of segments is not; how much the slope of stretch
    // within a segment counts depends on its rest length.
    assert!((tension(&now) / tension(&simulation) - 1.0).abs() < 1e-6, "{} {}", tension(&now), tension(&simulation));
    run(&mut now, 300);
    let moved = seen(&now)
        .iter()
        .zip(&seen(&simulation))
        .map(|(a, b)| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt())
        .fold(0.0, f64::max);
    // Bending and the mass of each piece count from the present length: a share of a percent of a sag of 0.4 m.
    assert!(moved < 2e-3, "{moved} m\n{text}");
}

#[test]
fn a_mass_in_flight_flies_on() {
    let file = file("[settings]\nstep = 0.01\n[mass.ball]\nmass = 2\nposition = [0, 0, 1]\nvelocity = [1, 0, 2]\n");
    let mut simulation = Simulation::build(file.scene()).unwrap();
    run(&mut simulation, 10);
    let (mut now, lost, _) = again(&simulation, &file);
    assert!(lost.is_empty());
    run(&mut simulation, 10);
    run(&mut now, 10);
    // Numbers in a file are read back to the bit.
    assert_eq!(seen(&now), seen(&simulation));
}

#[test]
fn what_is_led_in_time_is_led_on_from_where_it_is() {
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

#[test]
fn every_built_in_scene_can_be_taken_up_where_it_is() {
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
        let apart = then.iter().zip(&now).map(|(a, b)| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()).fold(0.0, f64::max);
        // Points are spread evenly by rest length, which is another one where the rod is stretched.
        assert!(apart <= 0.02 * size, "{}: {apart} m of {size} m\n{}", builtin.name, &text[..text.len().min(2000)]);
    }
}
