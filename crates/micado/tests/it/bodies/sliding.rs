//! Bodies that slide on curves: friction, several points of one body, ends, and the period on a hoop.

use crate::common::{build, constraint, position, probe, scene, velocity};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};
use std::f64::consts::{PI, TAU};

const G: f64 = 9.81;

fn run_for(run: &mut Simulation, time: f64) {
    while run.time() < time - 1e-9 {
        let report = run.step(&NoClock);
        assert!(!report.held && report.refused.is_none(), "{report:?}");
    }
}

/// A box on a wire of 2 m with a slope of 30°. Its long axis is along the wire, which holds it at these
/// points.
fn on_slope(points: &[f64], friction: f64, ends: &str) -> Simulation {
    let down = DVec3::new((PI / 6.0).cos(), 0.0, -0.5);
    let wheels: serde_json::Map<String, Value> = (0..points.len())
        .map(|k| {
            let path = json!({"line": {"from": [0, 0, 0], "to": (down * 2.0).to_array()}});
            let wheel = json!({"trajectory": {"on": "m", "at": [points[k], 0, 0], "path": path,
                "friction": friction, "ends": ends}});
            (format!("w{k}"), wheel)
        })
        .collect();
    build(json!({
        "body": {"m": {"shape": {"box": {"size": [0.3, 0.1, 0.1]}}, "mass": 0.7, "rotation": [0, PI / 6.0, 0],
            "position": (down * 0.3).to_array()}},
        "constraint": wheels,
        "settings": {"step": 5e-3},
    }))
}

#[test]
fn bodies_with_one_and_with_more_wheels_slide_down_a_wire_with_friction_as_coulomb_says() {
    // g (sin 30° − μ cos 30°)
    for (friction, expected) in [(0.0, 4.905), (0.2, 3.205858158), (0.5, 0.657145394)] {
        for points in [&[0.0][..], &[-0.1, 0.1], &[-0.1, 0.05, 0.1]] {
            let mut run = on_slope(points, friction, "stop");
            run_for(&mut run, 0.5);
            let speed = velocity(run.world(), "m", 0.0).length();
            let off = (speed / 0.5 - expected).abs();
            assert!(off < 1e-8, "{friction} {points:?}: {} m/s² for {expected}, {off:e}", speed / 0.5);
        }
    }
}

#[test]
fn bodies_stick_on_a_wire_where_friction_exceeds_its_slope() {
    // tan 30° = 0.5774
    for friction in [0.58, 0.6] {
        for points in [&[0.0][..], &[-0.1, 0.1]] {
            let mut run = on_slope(points, friction, "stop");
            let before = position(run.world(), "m");
            run_for(&mut run, 0.5);
            let moved = position(run.world(), "m").distance(before);
            assert!(moved < 1e-9, "{friction} {points:?}: {moved:e} m");
        }
    }
}

#[test]
fn a_trolley_stops_with_its_front_wheel_at_the_end_of_the_wire_or_leaves_it() {
    let mut run = on_slope(&[-0.1, 0.1], 0.2, "stop");
    run_for(&mut run, 2.0);
    let down = DVec3::new((PI / 6.0).cos(), 0.0, -0.5);
    let away = position(run.world(), "m").distance(down * 1.9);
    assert!(away < 1e-8 && velocity(run.world(), "m", 0.0).length() < 1e-8, "{away:e}");
    let mut run = on_slope(&[-0.1, 0.1], 0.2, "release");
    run_for(&mut run, 2.0);
    assert!(run.world().structure().constraints.is_empty());
    assert!(position(run.world(), "m").z < -2.0, "{}", position(run.world(), "m"));
}

#[test]
fn a_body_on_a_hoop_swings_with_the_period_of_a_pendulum() {
    let (radius, amplitude) = (0.5_f64, 1.0_f64);
    // T = 2π √(R/g) / agm(1, cos θ/2)
    let (mut a, mut b) = (1.0_f64, (0.5 * amplitude).cos());
    for _ in 0..10 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let expected = TAU * (radius / G).sqrt() / a;
    let period = |step: f64| {
        let mut run = build(json!({
            "body": {"m": {"shape": {"sphere": {"radius": 0.05}}, "mass": 0.7,
                "position": [radius * amplitude.sin(), 0, -radius * amplitude.cos()]}},
            "constraint": {"hoop": {"trajectory": {"on": "m",
                "path": {"ring": {"centre": [0, 0, 0], "normal": [0, 1, 0], "radius": radius}}}}},
            "settings": {"step": step, "integrator": "bdf2"},
        }));
        let (mut times, mut before) = (Vec::new(), position(run.world(), "m").x);
        while times.len() < 7 {
            let next = run.time() + step;
            run_for(&mut run, next);
            let x = position(run.world(), "m").x;
            if x * before < 0.0 {
                times.push(run.time() - step * x / (x - before));
            }
            before = x;
        }
        (times[6] - times[0]) / 3.0 / expected - 1.0
    };
    let (coarse, fine) = (period(5e-3), period(2.5e-3));
    // BDF2 is of second order, and loses amplitude.
    assert!(fine.abs() < 3e-4 && fine.abs() < 0.4 * coarse.abs(), "{coarse:e} {fine:e}");
}

/// Mean of three periods of a box on a hoop of 0.5 m that swings with an amplitude of 0.2 rad.
fn period_on_hoop(aligned: bool, step: f64) -> f64 {
    let (radius, amplitude) = (0.5_f64, 0.2_f64);
    let mut run = build(json!({
        "body": {"m": {"shape": {"box": {"size": [0.3, 0.1, 0.1]}}, "mass": 0.7,
            "position": [radius * amplitude.sin(), 0, -radius * amplitude.cos()],
            "rotation": [0, -amplitude, 0]}},
        "constraint": {"hoop": {"trajectory": {"on": "m", "aligned": aligned,
            "path": {"ring": {"centre": [0, 0, 0], "normal": [0, 1, 0], "radius": radius}}}}},
        "settings": {"step": step, "integrator": "bdf2"},
    }));
    let (mut times, mut before) = (Vec::new(), position(run.world(), "m").x);
    while times.len() < 7 {
        let next = run.time() + step;
        run_for(&mut run, next);
        let x = position(run.world(), "m").x;
        if x * before < 0.0 {
            times.push(run.time() - step * x / (x - before));
        }
        before = x;
    }
    (times[6] - times[0]) / 3.0
}

#[test]
fn an_aligned_bead_turns_with_its_hoop_and_swings_more_slowly_than_a_point() {
    let (radius, amplitude, mass) = (0.5_f64, 0.2_f64, 0.7);
    // A box of 0.3 m × 0.1 m about the axis of the hoop.
    let inertia = mass * (0.3_f64.powi(2) + 0.1_f64.powi(2)) / 12.0;
    // 1/agm(1, cos θ/2) of a finite amplitude.
    let large = 1.0 + amplitude * amplitude / 16.0;
    for (aligned, lever) in [(false, 0.0), (true, inertia)] {
        let expected = TAU * ((mass * radius * radius + lever) / (mass * G * radius)).sqrt() * large;
        let off = period_on_hoop(aligned, 5e-3) / expected - 1.0;
        // BDF2 of 5 ms: (hω)²/4 of 1.2e-4 and the next term of the amplitude, 2e-6.
        assert!(off.abs() < 3e-4, "aligned {aligned}: {off:e}");
    }
}

#[test]
fn an_aligned_bead_has_the_friction_of_a_point_on_a_straight_wire() {
    let down = DVec3::new((PI / 6.0).cos(), 0.0, -0.5);
    for (friction, expected) in [(0.0, 4.905), (0.2, 3.205858158), (0.5, 0.657145394), (0.6, 0.0)] {
        let mut run = build(json!({
            "body": {"m": {"shape": {"box": {"size": [0.3, 0.1, 0.1]}}, "mass": 0.7,
                "rotation": [0, PI / 6.0, 0], "position": (down * 0.3).to_array()}},
            "constraint": {"w": {"trajectory": {"on": "m", "aligned": true, "friction": friction,
                "path": {"line": {"from": [0, 0, 0], "to": (down * 2.0).to_array()}}}}},
            "settings": {"step": 5e-3},
        }));
        run_for(&mut run, 0.5);
        let speed = velocity(run.world(), "m", 0.0).length();
        assert!((speed / 0.5 - expected).abs() < 1e-8, "{friction}: {}", speed / 0.5);
    }
}

#[test]
fn an_aligned_bead_passes_a_crossing_of_its_path_and_stays_on_its_own_branch() {
    // An eight, x = ½ sin 2τ, y = sin τ: two branches meet at the origin at an angle. The bead runs through
    // it several times; it must never change to the other branch, whose parameter differs by half the path.
    let through: Vec<[f64; 3]> = (0..48)
        .map(|k| {
            let at = TAU * f64::from(k) / 48.0 + 0.05;
            [0.5 * (2.0 * at).sin(), at.sin(), 0.0]
        })
        .collect();
    for (step, aligned) in [(2e-3, false), (2e-3, true), (0.02, true)] {
        let mut run = build(json!({
            "body": {"m": {"shape": {"sphere": {"radius": 0.02}}, "mass": 0.3, "position": through[12],
                "velocity": [-2, 0, 0]}},
            "constraint": {"t": {"trajectory": {"on": "m", "aligned": aligned,
                "path": {"points": {"through": through, "closed": true}}}}},
            "settings": {"step": step, "integrator": "bdf2", "gravity": [0, 0, 0]},
        }));
        let k = constraint(run.world(), "t");
        let parameter = |run: &Simulation| run.world().state().constraints[k].own[1] / 128.0;
        let (begun, mut before, mut crossings) = (parameter(&run), parameter(&run), 0);
        let mut side = position(run.world(), "m").y;
        while run.time() < 6.0 {
            let next = run.time() + step;
            run_for(&mut run, next);
            let now = parameter(&run);
            // At most 2 m/s on a path of more than 5 m.
            assert!((now - before).abs() < 0.6 * step, "{step}: from {before} to {now}");
            before = now;
            let x = position(run.world(), "m");
            // The branches cross where y changes its sign within the path's middle.
            crossings += usize::from(x.y * side < 0.0 && x.x.abs() < 0.1);
            side = x.y;
        }
        assert!(crossings >= 3 && (before - begun).abs() > 1.0, "{step}: {crossings}, {begun} {before}");
    }
}

#[test]
fn a_body_on_a_zigzag_goes_from_leg_to_leg_even_where_a_step_passes_over_a_whole_leg() {
    // Legs of 0.1 m, which lead down and turn by 20° at every corner.
    let (legs, leg, half) = (10, 0.1, 10_f64.to_radians());
    let mut through = vec![DVec3::ZERO];
    for k in 0..legs {
        let side = if k % 2 == 0 { half.sin() } else { -half.sin() };
        through.push(through[k] + DVec3::new(side, 0.0, -half.cos()) * leg);
    }
    let end = through[legs];
    let through: Vec<[f64; 3]> = through.iter().map(DVec3::to_array).collect();
    for step in [1e-3, 0.01, 0.05, 0.1] {
        let mut run = build(json!({
            "body": {"m": {"shape": {"sphere": {"radius": 0.01}}, "mass": 0.1,
                "velocity": [half.sin(), 0, -half.cos()]}},
            "constraint": {"t": {"trajectory": {"on": "m", "path": {"polyline": {"through": through}}}}},
            "settings": {"step": step},
        }));
        let (mut before, mut longest) = (0.0_f64, 0.0_f64);
        while run.time() < 1.5 {
            let next = run.time() + step;
            run_for(&mut run, next);
            let world = run.world();
            // In shares of the path.
            let along = world.state().constraints[constraint(world, "t")].own[1] / 128.0;
            assert!(along >= before, "{step}: back from {before} to {along}");
            longest = longest.max(along - before);
            before = along;
        }
        let away = position(run.world(), "m").distance(end);
        assert!(away < 1e-9, "{step}: {away:e} m from the end");
        assert!(step < 0.05 || longest > 1.2 / legs as f64, "{step}: {longest} of the path in a step");
    }
}

/// A box on a path, driven along it by this time function, with probes of the drive and of the energy.
fn driven(path: Value, slide: Value, more: Value, settings: Value) -> Simulation {
    let mut track = json!({"on": "m", "path": path, "slide": slide});
    track.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
    build(json!({
        "settings": settings,
        "body": {"m": {"shape": {"box": {"size": [0.3, 0.1, 0.1]}}, "mass": 0.7}},
        "constraint": {"track": {"trajectory": track}},
        "probe": [
            {"name": "drive", "of": "track", "read": "drive"},
            {"name": "energy", "of": "world", "read": "total-energy"},
        ],
    }))
}

#[test]
fn a_drive_along_a_path_has_the_force_of_mass_times_acceleration_and_weight() {
    let (h, mass) = (0.01, 0.7);
    let up = DVec3::new((PI / 6.0).cos(), 0.0, 0.5);
    let path = json!({"line": {"from": (up * -1.0).to_array(), "to": (up * 2.0).to_array()}});
    let slide = json!({"ramp": {"to": "1500 mm", "end": 1, "smooth": true}});
    let mut run = driven(path, slide, json!({}), json!({"step": h}));
    let place = |run: &Simulation| position(run.world(), "m").dot(up);
    let (mut before, mut last) = (place(&run), place(&run));
    for _ in 0..120 {
        let next = run.time() + h;
        run_for(&mut run, next);
        let now = place(&run);
        // Euler's own acceleration: exact but for rounding of 1e-16 m over h².
        let expected = mass * ((now - 2.0 * last + before) / (h * h) + 0.5 * G);
        assert!((probe(&run, "drive") - expected).abs() < 1e-7, "{} {expected}", probe(&run, "drive"));
        (before, last) = (last, now);
        assert!(position(run.world(), "m").reject_from_normalized(up).length() < 1e-12);
    }
    assert!((last - 1.5).abs() < 1e-12, "{last}");
}

#[test]
fn a_driven_body_is_at_its_arc_length_and_the_drive_does_the_work() {
    let radius = 0.5;
    // The body starts at the lowest point of a hoop and is carried round it once and a half.
    let path = json!({"ring": {"centre": [0, 0, radius], "normal": [0, 1, 0], "radius": radius}});
    let error = |aligned: bool, h: f64| {
        let slide = json!({"ramp": {"to": 1.5 * PI, "end": 2, "smooth": true}});
        let more = json!({"aligned": aligned});
        let settings = json!({"step": h, "integrator": "bdf2", "solves": 3});
        let mut run = driven(path.clone(), slide, more, settings);
        let (start, mut work, mut before) = (probe(&run, "energy"), 0.0, [0.0; 2]);
        let mut worst = 0.0_f64;
        while run.time() < 2.0 - 1e-9 {
            let next = run.time() + h;
            run_for(&mut run, next);
            let share = run.time() / 2.0;
            let s = 1.5 * PI * share * share * (3.0 - 2.0 * share);
            let angle = s / radius;
            let x = position(run.world(), "m");
            // Clockwise or anticlockwise about y, as the path runs.
            let expected = [angle.sin(), -angle.sin()]
                .map(|side| DVec3::new(radius * side, 0.0, radius * (1.0 - angle.cos())));
            let off = expected.map(|at| at.distance(x)).into_iter().fold(f64::INFINITY, f64::min);
            worst = worst.max(off);
            let now = [s, probe(&run, "drive")];
            work += 0.5 * (now[1] + before[1]) * (now[0] - before[0]);
            before = now;
        }
        // A spline of 128 segments is a circle to 1e-8 of its radius.
        assert!(worst < 1e-7, "{worst:e}");
        (probe(&run, "energy") - start - work).abs()
    };
    // One turn and a half lift the body by 2 r.
    for aligned in [false, true] {
        let (coarse, fine) = (error(aligned, 4e-3), error(aligned, 1e-3));
        assert!(fine < 2e-3 * 0.7 * G && fine < 0.35 * coarse, "{aligned} {coarse:e} {fine:e}");
    }
}

#[test]
fn a_driven_place_stops_at_the_end_of_its_path_or_goes_on_straight() {
    let path = json!({"arc": {"from": [0, 0, 0], "tangent": [1, 0, 0], "towards": [0, 1, 0], "radius": 1,
        "angle": "90 deg"}});
    for (ends, expected) in
        [("stop", DVec3::new(1.0, 1.0, 0.0)), ("continue", DVec3::new(1.0, 1.0 + 2.0 - PI / 2.0, 0.0))]
    {
        let slide = json!({"ramp": {"to": 2, "end": 1, "smooth": true}});
        let settings = json!({"step": 0.01, "gravity": [0, 0, 0]});
        let mut run = driven(path.clone(), slide, json!({"ends": ends}), settings);
        run_for(&mut run, 1.2);
        assert!((position(run.world(), "m") - expected).length() < 1e-6, "{}", position(run.world(), "m"));
    }
    for (more, field) in [
        (json!({"friction": 0.1}), "constraint.track.trajectory.friction"),
        (json!({"ends": "release"}), "constraint.track.trajectory.ends"),
    ] {
        let mut track = json!({"on": "m", "path": path, "slide": 0});
        track.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
        let scene = scene(json!({
            "body": {"m": {"shape": {"box": {"size": [0.3, 0.1, 0.1]}}, "mass": 0.7}},
            "constraint": {"track": {"trajectory": track}},
        }));
        let error = Simulation::build(&scene).expect_err("a contradiction");
        assert!(error.to_string().contains(field), "{error}");
    }
}
