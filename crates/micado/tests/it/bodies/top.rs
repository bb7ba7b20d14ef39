//! A heavy symmetric top on a ball joint, against its equations of motion and its steady precession.

use super::{rotation, spin};
use crate::common::{build, position};
use glam::{DQuat, DVec3};
use micado::clock::NoClock;
use serde_json::{Value, json};

/// A top of 1 kg, its centre of mass 0.1 m from the tip; inertias about the centre, across the axis
/// and along it.
const ARM: f64 = 0.1;
const ACROSS: f64 = 1.5e-3;
const ALONG: f64 = 2e-3;
const TILT: f64 = 0.5;
const MOMENT: f64 = 9.81 * ARM;

/// Inertia across the axis, about the tip.
const ABOUT_TIP: f64 = ACROSS + ARM * ARM;

/// The top on its tip at the origin, its axis in the plane xz, turning about its axis and the vertical.
fn top(settings: Value, own: f64, precession: f64) -> Value {
    let axis = DQuat::from_rotation_y(TILT) * DVec3::Z;
    let turning = axis * own + DVec3::Z * precession;
    json!({
        "settings": settings,
        "body": {"top": {"mass": 1, "inertia": {"moments": [ACROSS, ACROSS, ALONG]},
            "position": (axis * ARM).to_array(), "rotation": [0, TILT, 0],
            "velocity": turning.cross(axis * ARM).to_array(),
            "spin": turning.to_array()}},
        "constraint": {"tip": {"joint": {"on": "top", "at": [0, 0, -ARM], "kind": "ball"}}},
    })
}

/// Axis of the top after `duration`: e' = (L × e)/I₁, L' = m g l (z × e), by RK4. L: about the tip.
fn axis_after(duration: f64, own: f64) -> DVec3 {
    let e = DQuat::from_rotation_y(TILT) * DVec3::Z;
    let rate = |[e, l]: [DVec3; 2]| [l.cross(e) / ABOUT_TIP, MOMENT * DVec3::Z.cross(e)];
    let plus = |y: [DVec3; 2], k: [DVec3; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    let (mut y, count) = ([e, e * ALONG * own], 40_000);
    let h = duration / f64::from(count);
    for _ in 0..count {
        let k1 = rate(y);
        let k2 = rate(plus(y, k1, h / 2.0));
        let k3 = rate(plus(y, k2, h / 2.0));
        let k4 = rate(plus(y, k3, h));
        y = [0, 1].map(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    y[0].normalize()
}

#[test]
fn released_top_nutates_and_precesses_with_the_order_of_its_integrator() {
    // Fast: small nutation. Slow: below 99.5 rad/s, where no steady precession exists at this tilt.
    for (own, duration, coarse_step) in [(200.0, 0.2, 1e-3), (50.0, 0.3, 1.25e-3)] {
        let exact = axis_after(duration, own);
        for (integrator, solves) in
            [("bdf2", json!("auto")), ("bdf2", json!(3)), ("euler", json!("auto")), ("euler", json!(3))]
        {
            let errors = [1.0, 0.5, 0.25].map(|share| {
                let settings = json!({"step": coarse_step * share, "duration": duration,
                    "integrator": integrator, "solves": solves});
                let mut run = build(top(settings, own, 0.0));
                while !run.finished() {
                    assert!(!run.step(&NoClock).held);
                }
                assert!((run.time() - duration).abs() < 1e-9);
                (position(run.world(), "top") / ARM).distance(exact)
            });
            let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
            // Euler is symplectic and of first order; for a fast top the first-order error is small.
            let (bound, least) = if integrator == "bdf2" { (2e-3, 1.8) } else { (1.2e-2, 0.9) };
            assert!(
                errors[0] < bound && orders.iter().all(|order| (least..2.3).contains(order)),
                "{own} rad/s, {integrator}, {solves}: {errors:?} {orders:?}"
            );
        }
    }
}

#[test]
fn steady_top_precesses_slowly_or_fast_at_the_roots_of_its_equation() {
    // I₁ cos θ Ω² − I₃ ω₃ Ω + m g l = 0, with ω₃ = own + Ω cos θ.
    let own = 200.0;
    let about = ABOUT_TIP * TILT.cos() - ALONG * TILT.cos();
    let root = (ALONG * own * ALONG * own - 4.0 * about * MOMENT).sqrt();
    for (rate, duration) in
        [((ALONG * own - root) / (2.0 * about), 1.0), ((ALONG * own + root) / (2.0 * about), 0.1)]
    {
        let error = |step: f64| {
            let settings = json!({"step": step, "duration": duration, "integrator": "bdf2", "solves": 3});
            let mut run = build(top(settings, own, rate));
            let (mut turned, mut nods) = (0.0, 0.0_f64);
            let mut before = position(run.world(), "top");
            let height = before.z;
            while !run.finished() {
                assert!(!run.step(&NoClock).held);
                let now = position(run.world(), "top");
                turned += before.truncate().angle_to(now.truncate());
                nods = nods.max((now.z - height).abs());
                before = now;
            }
            assert!(rotation(&run, "top").is_normalized() && spin(&run, "top").is_finite());
            [(turned / run.time() / rate - 1.0).abs(), nods / ARM]
        };
        let errors = [5e-4, 2.5e-4].map(error);
        // h ω = 0.1: the rate is off by (h ω)²/12 and so is the tilt.
        for k in [0, 1] {
            assert!(errors[0][k] < 4e-3 && errors[1][k] < 0.35 * errors[0][k], "{rate} rad/s: {errors:?}");
        }
    }
}
