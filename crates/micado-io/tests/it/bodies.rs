//! The built-in scenes of rigid bodies and joints, compared with mechanics.

use glam::{DVec2, DVec3};
use micado::clock::NoClock;
use micado::constraint::Force;
use micado::run::Simulation;
use micado::scene::Arithmetic;
use micado::step::Workspace;
use micado_io::scene::{builtin, parse};
use serde_json::{Value, json};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

pub(crate) const G: f64 = 9.81;

/// The JSON form of a built-in scene.
pub(crate) fn scene(name: &str) -> Value {
    let file = builtin(name).expect("a built-in scene");
    serde_json::to_value(parse(name, file.text, &[]).expect("a scene").scene()).expect("JSON")
}

pub(crate) fn build(scene: &Value) -> Simulation {
    let scene = serde_json::from_value(scene.clone()).expect("a scene");
    Simulation::build(&scene).expect("a scene that can be built")
}

/// The scene at rest, under its loads at the start.
pub(crate) fn at_rest(mut scene: Value) -> Simulation {
    scene["settings"]["mode"] = json!("static");
    let mut run = build(&scene);
    let report = run.step(&NoClock);
    assert!(report.converged, "{report:?}");
    run
}

/// One step, which must be made as a whole.
pub(crate) fn step(run: &mut Simulation) {
    let report = run.step(&NoClock);
    assert!(!report.held && !report.unsettled && report.refused.is_none(), "{report:?}");
}

fn probe(run: &Simulation, name: &str) -> f64 {
    let k = run.probe_names().iter().position(|n| n == name).expect("a probe");
    run.probe_values()[k]
}

/// Force and moment of a constraint on its first object.
pub(crate) fn acts(run: &Simulation, name: &str) -> Force {
    let world = run.world();
    let k = world.structure().constraints.iter().position(|c| c.name == name).expect("a constraint");
    world.constraint_force(k).expect("a constraint")
}

fn spin(run: &Simulation, name: &str) -> DVec3 {
    let world = run.world();
    let object = world.object("of", name).expect("an object");
    DVec3::from_slice(&world.state().v[object.unknowns()][4..])
}

pub(crate) fn mass(run: &Simulation, name: &str) -> f64 {
    run.world().object("of", name).expect("an object").total_mass()
}

/// Times at which a value that is sampled at the end of each step passes zero, by linear interpolation.
#[derive(Default)]
struct Crossings {
    before: Option<(f64, f64)>,
    times: Vec<f64>,
}

impl Crossings {
    fn add(&mut self, time: f64, value: f64) {
        if let Some((earlier, before)) = self.before
            && before * value < 0.0
        {
            self.times.push(time - (time - earlier) * value / (value - before));
        }
        self.before = Some((time, value));
    }

    /// Mean of all whole periods.
    fn period(&self) -> f64 {
        let whole = (self.times.len() - 1) / 2;
        (self.times[2 * whole] - self.times[0]) / whole as f64
    }
}

#[test]
fn chain_of_cubes_keeps_its_energy_and_shares_its_load_between_equal_joints() {
    let mut run = build(&scene("cube-chain"));
    let start = probe(&run, "energy");
    let mut fastest = 0.0_f64;
    while !run.finished() {
        step(&mut run);
        fastest = fastest.max(run.world().energy().kinetic);
        let [left, right] = ["left_1", "right_1"].map(|name| acts(&run, name).force);
        // Equal joints on both sides of the plane of the swing carry equal forces in that plane.
        assert!((left - right).reject_from(DVec3::Y).length() < 1e-4 * left.length(), "{left} {right}");
    }
    // BDF2 of 2 ms takes a thousandth of the energy of the swing at most.
    assert!((probe(&run, "energy") - start).abs() < 1e-3 * fastest, "{start} {}", probe(&run, "energy"));
}

/// The point at these distances from two others, on the left of the way from the first to the second.
fn meet(a: DVec2, from_a: f64, b: DVec2, from_b: f64) -> DVec2 {
    let (along, apart) = ((b - a).normalize(), a.distance(b));
    let x = (apart * apart + from_a * from_a - from_b * from_b) / (2.0 * apart);
    a + along * x + along.perp() * (from_a * from_a - x * x).sqrt()
}

#[test]
fn linkage_has_the_angles_of_its_closed_form_and_stays_closed() {
    let mut run = build(&scene("closed-loop"));
    let turned = |from: DVec2, to: DVec2| (to - from).to_angle() - FRAC_PI_2;
    let (mut worst, mut open) = (0.0_f64, 0.0_f64);
    while !run.finished() {
        let report = run.step(&NoClock);
        assert!(!report.held, "{report:?}");
        open = open.max(report.residual);
        let crank = 0.4 * DVec2::from_angle(probe(&run, "crank_angle"));
        let (bearing, output) = (DVec2::new(1.0, 0.0), DVec2::new(2.2, -0.1));
        let pin = meet(crank, 1.0, bearing, 0.8);
        let second = meet(0.5 * (pin + bearing), 1.2, output, 0.5);
        worst = worst.max((probe(&run, "rocker_angle") - turned(bearing, pin)).abs());
        worst = worst.max((probe(&run, "output_angle") - turned(output, second)).abs());
    }
    assert!(worst < 1e-9 && open < 1e-9, "{worst:e} {open:e}");
    // The motor keeps its speed: two turns and a bit.
    assert!((probe(&run, "crank_angle") - 2.0 * run.time()).abs() < 1e-6, "{}", probe(&run, "crank_angle"));
}

#[test]
fn discs_exchange_their_twist_with_the_period_of_the_shaft_between_them() {
    let mut run = build(&scene("torque-transducer"));
    let [small, large] = [0.02, 0.4];
    let period = TAU / (0.8_f64 * (1.0 / small + 1.0 / large)).sqrt();
    let start = probe(&run, "total_energy");
    let (mut crossings, mut momentum, mut elastic) = (Crossings::default(), 0.0_f64, 0.0_f64);
    while !run.finished() {
        step(&mut run);
        let [a, b] = ["small", "large"].map(|name| spin(&run, name).x);
        momentum = momentum.max((small * a + large * b).abs());
        elastic = elastic.max(probe(&run, "elastic_energy"));
        crossings.add(run.time(), a - b);
    }
    let found = crossings.period();
    assert!((found / period - 1.0).abs() < 2e-3, "{found} {period}");
    // The shaft has an inertia of 5e-7 kg m² itself, and turns at 20 rad/s at most.
    assert!(momentum < 1e-5, "{momentum:e}");
    // A relative turn of 3 rad: ½ (GJ/L) 3² = 3.6 J, all of the energy.
    assert!((elastic / 3.6 - 1.0).abs() < 0.02, "{elastic}");
    let lost = 1.0 - probe(&run, "total_energy") / start;
    assert!((0.0..0.02).contains(&lost), "{lost}");
}

/// Rate of the steady precession of a wheel whose axle, of length l, rises by β from the end of a cable of
/// length L, and the distance R of the wheel from the vertical through the upper end:
/// Ω (I₃ ω₃ − I₁ Ω sin β) = m l (g + Ω² R tan β), tan α = Ω² R/g, R = L sin α + l cos β.
fn precession(cable: f64) -> (f64, f64) {
    let (mass, axle, along, across, rise) = (1.0, 0.1, 0.005 * 100.0, 0.0026, 0.3_f64);
    let (mut rate, mut radius) = (2.0, 0.0);
    for _ in 0..200 {
        radius = cable * (rate * rate * radius / G).atan().sin() + axle * rise.cos();
        let moment = mass * axle * (G + rate * rate * radius * rise.tan());
        rate = moment / (along - across * rate * rise.sin());
    }
    (rate, radius)
}

#[test]
fn gyroscope_on_a_cable_precesses_at_the_steady_rate_of_its_tilt() {
    let mut run = build(&scene("gyroscope"));
    let (rate, radius) = precession(0.5);
    let azimuth = |run: &Simulation| probe(run, "y").atan2(probe(run, "x"));
    let (mut turned, mut before, height) = (0.0, azimuth(&run), probe(&run, "height"));
    let mut nods = 0.0_f64;
    while !run.finished() {
        step(&mut run);
        let now = azimuth(&run);
        turned += (now - before + PI).rem_euclid(TAU) - PI;
        before = now;
        nods = nods.max((probe(&run, "height") - height).abs());
    }
    // BDF2 is of second order in h ω = 0.1, and the cable weighs a thousandth of the wheel: 3e-5 are left. A
    // fixed tip would be 3e-3 slower.
    let found = turned / run.time();
    assert!((found / rate - 1.0).abs() < 1e-4, "{found} {rate}");
    assert!((precession(0.0).0 / rate - 1.0).abs() > 2e-3, "{:?}", precession(0.0));
    // The force on the wheel at the tip is that of its weight and of its way round.
    let pull = G.hypot(rate * rate * radius);
    assert!((probe(&run, "pull") / pull - 1.0).abs() < 5e-3, "{} {pull}", probe(&run, "pull"));
    // Steady: the hub keeps its height.
    assert!(nods < 1e-4, "{nods:e}");
}

#[test]
fn motor_of_a_door_does_the_work_that_its_harness_stores() {
    let mut run = build(&scene("hinged-harness"));
    let read = |run: &Simulation| ["angle", "motor_torque", "potential_energy"].map(|name| probe(run, name));
    step(&mut run);
    let first = read(&run);
    let (mut before, mut worst, mut widest) = (first, 0.0_f64, 0.0_f64);
    let (mut tightest, mut torsion) = (f64::INFINITY, 0.0_f64);
    while !run.finished() {
        step(&mut run);
        let now = read(&run);
        // The trapezoidal rule leaves Δφ³/12 of the second derivative of the torque.
        let work = 0.5 * (before[1] + now[1]) * (now[0] - before[0]);
        worst = worst.max((now[2] - before[2] - work).abs());
        before = now;
        widest = widest.max(now[0]);
        tightest = tightest.min(probe(&run, "least_bend_radius"));
        torsion = torsion.max(probe(&run, "torsion").abs());
    }
    assert!(worst < 1e-4, "{worst:e}");
    assert!((widest - 70.0_f64.to_radians()).abs() < 1e-9, "{widest}");
    // The cable ends at 0 as it began: what is left of torsion and energy is that of the first angle.
    assert!(probe(&run, "torsion").abs() < 1e-9 && probe(&run, "angle").abs() < 1e-9);
    assert!((probe(&run, "potential_energy") - first[2]).abs() < 1e-4);
    // GJ times 70° over the length is an upper bound of the torsion: bending takes a part of the turn.
    let twist = 50e6 / 2.6 * FRAC_PI_2 * 0.006_f64.powi(4);
    assert!(torsion < twist * widest / (FRAC_PI_2 * 0.15) && torsion > 0.1, "{torsion}");
    assert!((0.04..0.06).contains(&tightest), "{tightest}");
}

#[test]
fn crane_carries_container_and_block_by_rope_and_slings() {
    let run = at_rest(scene("crane"));
    let [rope, hook, container] = ["rope", "hook", "container"].map(|name| mass(&run, name));
    let pull = acts(&run, "trolley").force;
    assert!((pull - DVec3::Z * G * (rope + hook + container)).length() < 1e-5, "{pull}");
    // Four slings from the corners at (1.5, 0.6) and 1.5 m below the hook; three of them would do. Redundant
    // rows share their load to rounding over regularisation.
    let slope = 1.5 / DVec3::new(1.5, 0.6, 1.5).length();
    for k in 1..=4 {
        let force = acts(&run, &format!("sling_{k}")).force;
        assert!((force.length() * 4.0 * slope / (G * container) - 1.0).abs() < 1e-4, "{force}");
    }
}

#[test]
fn crane_lifts_its_container_without_a_jerk() {
    let mut run = build(&scene("crane"));
    let weight = G * (mass(&run, "hook") + mass(&run, "container"));
    let start = probe(&run, "height");
    let (mut least, mut most, mut slack) = (f64::INFINITY, 0.0_f64, f64::INFINITY);
    while !run.finished() {
        step(&mut run);
        let pull = probe(&run, "tension") / weight;
        (least, most) = (least.min(pull), most.max(pull));
        slack = slack.min(probe(&run, "sling"));
    }
    // The winch accelerates by 4 m · 6/(6 s)² = 0.67 m/s² at most; the swing adds some percent of the weight,
    // and the rope weighs 12 kg.
    assert!(least > 0.85 && most < 1.15, "{least} {most}");
    assert!(slack > 0.0, "{slack}");
    assert!((probe(&run, "length") - 4.0).abs() < 1e-9);
    let risen = probe(&run, "height") - start;
    assert!((risen - 4.0).abs() < 0.2, "{risen}");
}

/// The two lowest angular frequencies about the start of a scene, which is its equilibrium, rad/s.
fn frequencies(run: &Simulation) -> [f64; 2] {
    let modes = run.world().modes(6, Arithmetic::default(), &mut Workspace::new()).expect("modes");
    [0, 1].map(|k| modes.modes[k].eigenvalue.sqrt())
}

#[test]
fn wilberforce_pendulum_passes_its_energy_from_bouncing_to_turning() {
    let described = scene("wilberforce");
    let [low, high] = frequencies(&build(&described));
    let exchange = PI / (high - low);
    let mut run = build(&described);
    let inertia = described["body"]["bob"]["inertia"]["moments"][0].as_f64().expect("an inertia");
    // Largest kinetic energies of both motions within a period.
    let period = TAU / low;
    let mut samples: Vec<[f64; 3]> = Vec::new();
    while run.time() < 1.2 * exchange {
        step(&mut run);
        let [speed, spin] = ["speed", "spin"].map(|name| probe(&run, name));
        samples.push([run.time(), 0.5 * speed * speed, 0.5 * inertia * spin * spin]);
    }
    let share = |time: f64| {
        let near = samples.iter().filter(|sample| (sample[0] - time).abs() < 0.5 * period);
        let [bounce, turn] = near.fold([0.0_f64; 2], |most, s| [most[0].max(s[1]), most[1].max(s[2])]);
        turn / (bounce + turn)
    };
    let times = samples.iter().map(|sample| sample[0]).filter(|time| *time < 1.15 * exchange);
    let best = times.max_by(|a, b| share(*a).total_cmp(&share(*b))).expect("a time");
    assert!(share(exchange) > 0.98, "{} after {exchange} s", share(exchange));
    assert!((best / exchange - 1.0).abs() < 0.03, "{best} {exchange}");
}

/// The example of the documentation whose code contains a text, with more text after it.
fn example(holds: &str, more: &str) -> Simulation {
    let documentation = include_str!("../../../../docs/scene-format.md");
    let mut codes = documentation.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let code = codes.find(|code| code.contains(holds)).expect("an example");
    let file = parse("example", &format!("{code}\n{more}"), &[]).expect("a scene");
    Simulation::build(file.scene()).expect("a scene that can be built")
}

#[test]
fn documented_keyframes_lift_and_turn_a_body() {
    let mut run = example("[constraint.motion.clamp]", "[settings]\nduration = 2");
    while !run.finished() {
        step(&mut run);
        let q =
            run.world().object("of", "gripper").map(|body| run.world().state().q[body.unknowns()].to_vec());
        let q = q.expect("a body");
        let smooth = |x: f64| x.clamp(0.0, 1.0).powi(2) * (3.0 - 2.0 * x.clamp(0.0, 1.0));
        let (height, angle) = (0.5 * smooth(run.time()), FRAC_PI_2 * smooth(run.time() - 1.0));
        assert!((q[2] - height).abs() < 1e-9 && (2.0 * q[6].atan2(q[7]) - angle).abs() < 1e-6, "{q:?}");
    }
    // At rest the clamp carries the weight: 500 kg/m³ of 2 l.
    let force = acts(&run, "motion").force;
    assert!((force - DVec3::Z * G).length() < 1e-6, "{force}");
}

#[test]
fn documented_rail_carries_a_body_along_it() {
    let more = "[body.gripper]\nshape.box.size = [0.2, 0.1, 0.1]\ndensity = 500\n\
        [settings]\nduration = 4";
    let mut run = example("[constraint.rail.trajectory]", more);
    let (mut way, mut before) = (0.0, DVec3::ZERO);
    while !run.finished() {
        step(&mut run);
        let body = run.world().object("of", "gripper").expect("a body");
        let now = DVec3::from_slice(&run.world().state().q[body.unknowns()]);
        way += now.distance(before);
        before = now;
    }
    // The chords of 400 steps are shorter than their arcs by less than 1e-5.
    assert!((way - 2.0).abs() < 1e-4, "{way}");
}
