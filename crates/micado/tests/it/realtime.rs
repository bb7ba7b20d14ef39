//! Real time: hands on constraints from other threads, and steps that are there in time.

use micado::clock::{CostModel, VirtualClock};
use micado::run::realtime::{Hand, Pacer, RealTime, make_step};
use micado::run::{EventKind, Simulation};
use micado::scene::{Edit, Named};
use micado::scene::{Mode, Scene};
use serde_json::{Value, json};
use std::time::Duration;

fn cable(constraints: Value, duration: f64) -> Scene {
    serde_json::from_value(json!({
        "rod": {"cable": {
            "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
            "radius": 0.004, "young": 2e7, "density": 1500, "segments": 12,
                "damping": {"internal": 0.01, "mass": 2.0},
        }},
        "constraint": constraints,
        "settings": {"step": 0.002, "duration": duration, "settle": true, "mode": "quasi-dynamic"},
    }))
    .expect("a scene")
}

fn held() -> Value {
    json!({"wall": {"clamp": {"on": "cable", "at": "start"}},
        "hand": {"position": {"on": "cable", "at": "end"}}})
}

/// Weight of the cable, N.
fn weight() -> f64 {
    1500.0 * std::f64::consts::PI * 0.004_f64.powi(2) * 9.81
}

#[test]
fn a_hand_moves_its_constraint_and_feels_its_force() {
    let mut simulation = Simulation::build(&cable(held(), 10.0)).expect("a simulation");
    let (mut hand, end) = Hand::on(simulation.world(), "hand").expect("a hand");
    let (clock, mut pacer, mut ends) = (VirtualClock::default(), Pacer::new(0.002), [end]);
    for k in 0..5000 {
        let raised = 0.1 * (f64::from(k) / 250.0).min(1.0);
        hand.move_to([0.9, 0.0, raised], [0.0; 3]);
        let report = make_step(&mut simulation, &mut ends, &mut pacer, &clock);
        assert!(!report.held && report.residual < 1e-9);
        let felt = hand.feel();
        assert!((felt.position - glam::DVec3::new(0.9, 0.0, raised)).length() < 1e-9, "{felt:?}");
        assert_eq!(felt.time, simulation.time());
    }
    // At rest wall and hand bear the weight together; what the hand feels is the cable's pull.
    let felt = hand.feel().force;
    let wall =
        simulation.world().structure().constraints.iter().position(|c| c.name == "wall").expect("a wall");
    let borne = simulation.world().constraint_force(wall).expect("a force").force.z - felt.z;
    assert!(felt.z < 0.0 && (borne - weight()).abs() < 1e-3 * weight(), "felt {felt:?}, borne {borne} N");
}

#[test]
fn a_clamp_turns_with_the_hand() {
    let constraints = json!({"wall": {"clamp": {"on": "cable", "at": "start"}},
        "hand": {"clamp": {"on": "cable", "at": "end"}}});
    let mut simulation = Simulation::build(&cable(constraints, 2.0)).expect("a simulation");
    let (mut hand, end) = Hand::on(simulation.world(), "hand").expect("a hand");
    let (clock, mut pacer, mut ends) = (VirtualClock::default(), Pacer::new(0.002), [end]);
    for k in 1..=1000 {
        // Two radians about the axis of the cable.
        hand.move_to([1.0, 0.0, 0.0], [2.0 * (f64::from(k) / 500.0).min(1.0), 0.0, 0.0]);
        make_step(&mut simulation, &mut ends, &mut pacer, &clock);
    }
    // G J φ/L; sag adds no writhe to a plane curve.
    let shear = 2e7 / (2.0 * (1.0 + 0.3));
    let torque = shear * std::f64::consts::FRAC_PI_2 * 0.004_f64.powi(4) * 2.0;
    // The cable turns the hand back.
    let felt = hand.feel().moment.x;
    assert!((felt + torque).abs() < 0.01 * torque, "{felt} N·m against {torque} N·m");
}

#[test]
fn hand_on_an_unsupported_constraint_is_refused() {
    let simulation = Simulation::build(&cable(
        json!({"wall": {"plane": {"on": "cable", "at": "start", "normal": [0, 0, 1]}}}),
        1.0,
    ))
    .expect("a simulation");
    for name in ["nobody", "wall"] {
        let error = Hand::on(simulation.world(), name).expect_err("no hand");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn hand_dragged_too_fast_breaks_nothing() {
    let scene = cable(held(), 4.0);
    let mut simulation = Simulation::build(&scene).expect("a simulation");
    let (mut hand, end) = Hand::on(simulation.world(), "hand").expect("a hand");
    let (mut pacer, mut ends) = (Pacer::new(0.002), [end]);
    let mut held = 0;
    for k in 0..1500_u32 {
        // Passes are dear every now and then, so that both modes are dragged; 60 m/s on a cable of a metre,
        // within its reach.
        let clock = VirtualClock::new(CostModel {
            per_pass: if k / 200 % 2 == 0 { 0.0 } else { 0.01 },
            ..CostModel::default()
        });
        let angle = 60.0 * 0.002 * f64::from(k / 3 * 3);
        if k < 600 {
            hand.move_to([0.7 + 0.2 * angle.cos(), 0.3 * (1.7 * angle).sin(), 0.3 * angle.sin()], [0.0; 3]);
        }
        if k == 1000 {
            simulation.apply(&Edit::Release("hand".into())).expect("the hand lets go");
        }
        let report = make_step(&mut simulation, &mut ends, &mut pacer, &clock);
        held += usize::from(report.held);
        let state = simulation.world().state();
        let far =
            state.q.chunks_exact(4).map(|q| glam::DVec3::new(q[0], q[1], q[2]).length()).fold(0.0, f64::max);
        assert!(state.q.iter().all(|number| number.is_finite()) && far < 2.0, "step {k}: {far} m away");
        if !report.held {
            assert!(report.residual < 1e-6, "step {k}: a constraint is missed by {}", report.residual);
        }
    }
    assert_eq!(held, 0, "steps that were not made");
    // Let go, it hangs from the wall within its length.
    let length = simulation.world().structure().objects[0]
        .rod()
        .expect("a rod")
        .present_length(&simulation.world().state().q);
    assert!((length - 1.0).abs() < 0.02, "{length} m");
}

#[test]
fn hand_contradicts_another_constraint_at_the_same_place() {
    let mut constraints = held();
    constraints["pin"] = json!({"position": {"on": "cable", "at": "end"}});
    let mut simulation = Simulation::build(&cable(constraints, 1.0)).expect("a simulation");
    let (mut hand, end) = Hand::on(simulation.world(), "hand").expect("a hand");
    let (clock, mut pacer, mut ends) = (VirtualClock::default(), Pacer::new(0.002), [end]);
    let mut conflicts = 0;
    for _ in 0..10 {
        hand.move_to([0.95, 0.0, 0.0], [0.0; 3]);
        conflicts += make_step(&mut simulation, &mut ends, &mut pacer, &clock).conflicting_rows;
    }
    assert!(conflicts > 0, "pin and hand contradict each other, which must be reported");
}

#[test]
fn a_hand_that_lets_go_feels_nothing() {
    let mut simulation = Simulation::build(&cable(held(), 1.0)).expect("a simulation");
    let (mut hand, end) = Hand::on(simulation.world(), "hand").expect("a hand");
    let (clock, mut pacer, mut ends) = (VirtualClock::default(), Pacer::new(0.002), [end]);
    assert!(
        (hand.feel().position - glam::DVec3::X).length() < 1e-9,
        "it knows where it is before the first step"
    );
    make_step(&mut simulation, &mut ends, &mut pacer, &clock);
    assert!(hand.feel().force.length() > 0.0);
    simulation.apply(&Edit::Release("hand".into())).expect("the hand lets go");
    make_step(&mut simulation, &mut ends, &mut pacer, &clock);
    assert_eq!(hand.feel().force, glam::DVec3::ZERO);
}

#[test]
fn a_thread_steps_in_real_time_and_others_look_on() {
    let mut scene = cable(held(), 0.4);
    scene.probe = serde_json::from_value(
        json!([{"name": "z", "of": "cable", "at": "end", "read": "position", "component": "z"}]),
    )
    .expect("probes");
    let simulation = Simulation::build(&scene).expect("a simulation");
    let (mut hand, end) = Hand::on(simulation.world(), "hand").expect("a hand");
    let driver = RealTime::start(simulation, vec![end]);
    assert!(driver.hand("nobody").is_err());
    hand.move_to([0.9, 0.0, 0.05], [0.0; 3]);
    let grab = json!({"position": {"on": "cable", "at": "50 %"}});
    driver.edit(Edit::AddConstraint(Named {
        name: "grab".into(),
        to: serde_json::from_value(grab).expect("a constraint"),
    }));
    let mut second = driver.hand("grab").expect("it was added before");
    second.move_to([0.45, 0.0, -0.1], [0.0; 3]);
    let mut last = 0;
    while !driver.is_over() {
        let frame = driver.frame_of(last + 1, Duration::from_secs(10));
        assert!(
            frame.step >= last && frame.unknowns.len() == 15 * 4 && frame.probes.len() == 1,
            "a frame is whole"
        );
        last = frame.step;
    }
    let frame = driver.newest();
    let (simulation, punctuality) = driver.stop();
    assert_eq!((frame.step, punctuality.steps), (200, 200));
    assert!((frame.probes[0] - 0.05).abs() < 1e-9, "{:?}", frame.probes);
    assert!(simulation.world().structure().constraints.iter().any(|constraint| constraint.name == "grab"));
    let grabbed = second.feel().position;
    assert!((grabbed - glam::DVec3::new(0.45, 0.0, -0.1)).length() < 1e-9, "{grabbed}");
}

#[test]
fn waiting_for_a_frame_ends_in_time() {
    let mut scene = cable(held(), 100.0);
    (scene.settings.step, scene.settings.mode) = (5.0, Mode::Dynamic);
    let driver = RealTime::start(Simulation::build(&scene).expect("a simulation"), Vec::new());
    // The first step is there at once, the second in five seconds.
    let first = driver.frame_of(1, Duration::from_secs(60));
    assert_eq!(first.step, 1);
    assert_eq!(driver.frame_of(3, Duration::from_millis(20)).step, 1, "it is not there yet, and says so");
    drop(driver);
}

#[test]
fn a_pass_that_takes_many_periods_is_reported() {
    let scene = cable(held(), 0.1);
    let mut simulation = Simulation::build(&scene).expect("a simulation");
    let clock = VirtualClock::new(CostModel { per_pass: 0.011, per_operation: 0.0, per_segment: 0.0 });
    let mut pacer = Pacer::new(0.002);
    while !simulation.finished() {
        make_step(&mut simulation, &mut [], &mut pacer, &clock);
    }
    let punctuality = pacer.punctuality();
    assert_eq!((punctuality.steps, punctuality.misses), (50, 50));
    // Due after 2 ms, ended after 11 ms: four whole periods are lost, in every step alike.
    let late: Vec<u64> = simulation
        .events()
        .iter()
        .filter_map(|event| match event.what {
            EventKind::Late { lost_periods, .. } => Some(lost_periods),
            _ => None,
        })
        .collect();
    assert_eq!(late, [4], "{:?}", simulation.events());
}

#[test]
fn hand_on_a_body_feels_weight_and_inertia_in_every_step() {
    let scene: Scene = serde_json::from_value(json!({
        "body": {"block": {"mass": 2, "inertia": {"moments": [0.02, 0.03, 0.04]}}},
        "constraint": {"hand": {"clamp": {"on": "block"}}},
        "settings": {"step": 0.001, "duration": 1},
    }))
    .expect("a scene");
    let mut simulation = Simulation::build(&scene).expect("a simulation");
    let (mut hand, end) = Hand::on(simulation.world(), "hand").expect("a hand");
    let (clock, mut pacer, mut ends) = (VirtualClock::default(), Pacer::new(0.001), [end]);
    let height = |t: f64| 0.05 * (1.0 - (6.0 * t).cos());
    for k in 1..=1000 {
        let t = 1e-3 * f64::from(k);
        hand.move_to([0.0, 0.0, height(t)], [0.0; 3]);
        let report = make_step(&mut simulation, &mut ends, &mut pacer, &clock);
        assert!(!report.held, "{report:?}");
        let felt = hand.feel();
        assert!((felt.time - t).abs() < 1e-9 && (felt.position.z - height(t)).abs() < 1e-9, "{felt:?}");
        // −m (g + a): Euler has the acceleration of three heights.
        let heights = [t, t - 1e-3, t - 2e-3].map(|t| if t > 0.0 { height(t) } else { 0.0 });
        let expected = -2.0 * (9.81 + (heights[0] - 2.0 * heights[1] + heights[2]) / 1e-6);
        assert!((felt.force.z - expected).abs() < 1e-6, "step {k}: {} {expected}", felt.force);
        assert!(felt.moment.length() < 1e-9, "{}", felt.moment);
    }
}
