//! Energy of structures without friction and damping.

use super::{MODELS, rope, with};
use crate::common::{Noise, build, is_finite};
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Arithmetic;
use micado::step::Workspace;
use micado::world::observe::Energy;
use serde_json::{Value, json};
use std::f64::consts::{PI, TAU};

/// Largest gain of energy in a step, as a share of the energy that the step exchanges between motion, shape
/// and height; and the gain of the whole run, as a share of the largest kinetic energy.
fn gains(simulation: &mut Simulation) -> [f64; 2] {
    let parts = |energy: &Energy| [energy.kinetic, energy.elastic(), energy.gravity];
    let mut before = simulation.world().energy();
    let first = before.total();
    let (mut worst, mut most, mut moved) = (0.0_f64, 0.0_f64, 0.0_f64);
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(!report.held && is_finite(simulation.world()), "{report:?}");
        let now = simulation.world().energy();
        let exchanged = parts(&now).into_iter().zip(parts(&before)).map(|(a, b)| (a - b).abs());
        let exchanged = exchanged.fold(0.0, f64::max);
        moved = moved.max(now.kinetic);
        // Sums of energies are known to rounding only.
        let rounding = 1e-12 * parts(&now).iter().map(|part| part.abs()).sum::<f64>();
        worst = worst.max((now.total() - before.total() - rounding) / (exchanged + rounding));
        most = most.max(now.total() - first - rounding);
        before = now;
    }
    [worst, most / moved]
}

/// Something that moves without friction: a rod of a random model, a mass, and constraints that do no work.
fn conservative(noise: &mut Noise) -> Value {
    let pick = |noise: &mut Noise, count: usize| (0.5 * (noise.next() + 1.0) * count as f64) as usize % count;
    let share = |noise: &mut Noise| format!("{} %", 10.0 + 40.0 * (noise.next() + 1.0));
    let stiff = 10_f64.powf(3.0 + 1.5 * noise.next());
    let model = ["spline", "discrete-elastic", "beam", "mass-spring"][pick(noise, 4)];
    let velocity = noise.vector() * 1.5;
    let rod = with(
        rope(model),
        json!({"velocity": velocity.to_array(), "segments": 8 + pick(noise, 12),
        "stiffness": {"stretch": stiff, "bend": 1e-5 * stiff, "twist": 1e-5 * stiff}}),
    );
    let mut constraints = json!({"a": {"position": {"on": "rope", "at": "start"}}});
    let place = share(noise);
    let normal = noise.vector().normalize().to_array();
    let kinds = [
        json!({"plane": {"on": "rope", "at": place, "normal": normal}}),
        json!({"axis": {"on": "rope", "at": place, "direction": normal}}),
        json!({"distance": {"on": "rope", "at": place, "centre": [0.5, 0.4, 0.3]}}),
        json!({"circle": {"on": "rope", "at": "end", "centre": [0.7, 0, 0], "normal": [0, 1, 0],
            "radius": 0.3}}),
        json!({"keyhole": {"on": "rope", "at": place}}),
        json!({"pearl": {"on": "rope", "at": place, "mass": 0.05}}),
        json!({"position": {"on": "rope", "at": "end"}}),
        json!({"fusion": {"on": "rope", "at": "end", "to": {"on": "m"}}}),
        json!({"trajectory": {"on": "rope", "at": "end", "path": {"line": {"from": [1, 0, 0],
            "to": [0, 0, -1]}}, "ends": "continue"}}),
    ];
    constraints["b"] = kinds[pick(noise, kinds.len())].clone();
    let step = 10_f64.powf(-2.3 + 0.6 * noise.next());
    json!({"rod": {"rope": rod}, "mass": {"m": {"position": [1, 0, 0], "mass": 0.05}},
        "constraint": constraints, "settings": {"step": step, "duration": 100.0 * step}})
}

#[test]
fn no_step_of_euler_gains_energy_in_random_scenes() {
    let mut noise = Noise(16);
    for case in 0..300 {
        let description = conservative(&mut noise);
        let [step, whole] = gains(&mut build(description.clone()));
        // A pass may neglect a tenth of the energy that the step exchanges; these motions, in which nothing
        // turns by more than a right angle in a step, stay a hundred times below that.
        assert!(step < 1e-3 && whole < 1e-4, "case {case}: {step} and {whole}, {description}");
    }
}

/// A rod between two hinges, let go from the bend under a small force in its middle, in steps of a share of
/// the period of its lowest vibration.
fn plucked(model: &str, integrator: &str, steps_per_period: f64) -> Simulation {
    let mut description = json!({
        "rod": {"rod": {"model": model, "stiffness": {"stretch": 1e4, "bend": 1, "twist": 1},
            "mass_per_length": 0.1, "segments": 4}},
        "constraint": {"a": {"position": {"on": "rod", "at": "start"}},
            "b": {"axis": {"on": "rod", "at": "end", "direction": [1, 0, 0]}}},
        "load": {"p": {"force": {"on": "rod", "at": "middle", "force": [0, 0, 1e-3]}}},
        "settings": {"gravity": [0, 0, 0], "settle": true, "integrator": integrator},
        "action": [{"at": 0, "do": {"remove-load": "p"}}],
    });
    let modes = build(description.clone()).world().modes(2, Arithmetic::Fast, &mut Workspace::new());
    // The rod may spin about itself.
    let mut squares = modes.expect("modes").modes.into_iter().map(|mode| mode.eigenvalue);
    let omega = squares.find(|square| *square > 1.0).expect("a vibration").sqrt();
    description["settings"]["step"] = json!(TAU / omega / steps_per_period);
    let mut simulation = build(description);
    simulation.settle(&NoClock);
    simulation
}

#[test]
fn a_vibration_loses_by_bdf2_what_its_law_says_over_a_thousand_periods_whatever_the_model() {
    // BDF2: |ζ| = 1 − (ωh)⁴/4 per step, so that a period takes π (ωh)³ of the energy.
    let steps = 100.0;
    let lost = PI * (TAU / steps).powi(3);
    for model in MODELS {
        let mut simulation = plucked(model, "bdf2", steps);
        let mut after = |periods: f64| {
            while (simulation.steps() as f64) < periods * steps {
                simulation.step(&NoClock);
            }
            simulation.world().energy().total()
        };
        // Higher modes are gone after a hundred periods.
        let [first, last] = [after(100.0), after(1000.0)];
        let rate = (first / last).ln() / (900.0 * lost);
        // The next term is 5(ωh)²/2 = 1 % smaller.
        assert!((rate - 1.0).abs() < 0.02, "{model}: {rate} of the law");
    }
}

/// A mass on a link, let go at 20°: largest deviation of its energy in a quarter of a period, mean of the
/// first ten and of the last ten of a thousand periods, each as a share of the energy of the swing.
fn pendulum(integrator: &str, steps_per_period: f64) -> [f64; 3] {
    let (angle, length) = (20_f64.to_radians(), 0.5);
    // T = T₀ (1 + φ²/16 + 11 φ⁴/3072)
    let period =
        TAU * (length / 9.81_f64).sqrt() * (1.0 + angle.powi(2) / 16.0 + 11.0 * angle.powi(4) / 3072.0);
    let mut simulation = build(json!({
        "mass": {"m": {"position": [length * angle.sin(), 0, -length * angle.cos()], "mass": 0.2}},
        "constraint": {"link": {"distance": {"on": "m", "centre": [0, 0, 0]}}},
        "settings": {"step": period / steps_per_period, "integrator": integrator},
    }));
    let scale = 0.2 * 9.81 * length * (1.0 - angle.cos());
    let start = simulation.world().energy().total();
    let (mut most, mut means) = (0.0_f64, [0.0; 2]);
    let window = 10.0 * steps_per_period;
    let total = 1000.0 * steps_per_period;
    for step in 0..total as u64 {
        simulation.step(&NoClock);
        let off = (simulation.world().energy().total() - start) / scale;
        let step = step as f64;
        if step < 0.25 * steps_per_period {
            most = most.max(off.abs());
        }
        if step < window {
            means[0] += off / window;
        } else if step >= total - window {
            means[1] += off / window;
        }
    }
    [most, means[0], means[1]]
}

#[test]
fn a_pendulum_deviates_in_energy_with_the_order_of_the_step_and_drifts_with_its_cube_in_a_thousand_periods() {
    for (integrator, order) in [("bdf2", 2.0), ("explicit", 1.0)] {
        let [coarse, fine] = [200.0, 400.0].map(|steps| pendulum(integrator, steps));
        let found = (coarse[0] / fine[0]).log2();
        assert!((found - order).abs() < 0.2, "{integrator}: {coarse:?} {fine:?}, order {found}");
        let drift = fine[2] - fine[1];
        // BDF2 dissipates ½mh³|x'''|² per second, which is π (ωh)³ (1 + 4φ²) per period. The second term is
        // that of the height, which moves with twice the frequency. The swing is not quite harmonic.
        let law = -990.0 * PI * (TAU / 400.0).powi(3) * (1.0 + 4.0 * 20_f64.to_radians().powi(2));
        if integrator == "bdf2" {
            assert!((drift / law - 1.0).abs() < 0.15, "{integrator}: {fine:?}, {law}");
        } else {
            // A symplectic scheme would conserve an energy near the true one. The projection uses the rows at
            // the end of a step. It dissipates a fraction of BDF2's loss, of third order too.
            let order = ((coarse[2] - coarse[1]) / drift).log2();
            assert!(drift < 0.0 && drift > 0.3 * law && order > 2.7, "{coarse:?} {fine:?}, {law}");
        }
    }
}

/// Energies of a clamped discrete rod that vibrates in explicit steps: largest deviation in the first ten
/// periods as a share, and the drift of its mean over a thousand periods.
fn explicit_cantilever(steps_per_period: f64) -> [f64; 2] {
    let (bend, density, segments) = (1.0, 0.1, 6);
    let omega = 3.516 * f64::sqrt(bend / density);
    let mut simulation = build(json!({
        "rod": {"rod": {"model": "discrete-elastic", "stiffness": {"stretch": 1e4, "bend": bend, "twist": 1},
            "mass_per_length": density, "segments": segments, "velocity": [0, 0, 0.01]}},
        "constraint": {"c": {"clamp": {"on": "rod", "at": "start"}}},
        "settings": {"gravity": [0, 0, 0], "integrator": "explicit", "step": TAU / omega / steps_per_period},
    }));
    // The clamp stops its own edge in the first step.
    let report = simulation.step(&NoClock);
    assert!(report.substeps == 1 && !report.held, "{report:?}");
    let scale = simulation.world().energy().total();
    let (window, total) = (10.0 * steps_per_period, 1000.0 * steps_per_period);
    let (mut bounds, mut means) = ([f64::MAX, f64::MIN], [0.0; 2]);
    for step in 0..total as u64 {
        simulation.step(&NoClock);
        let (energy, step) = (simulation.world().energy().total() / scale, step as f64);
        if step < window {
            bounds = [bounds[0].min(energy), bounds[1].max(energy)];
            means[0] += energy / window;
        } else if step >= total - window {
            means[1] += energy / window;
        }
    }
    [bounds[1] - bounds[0], means[1] - means[0]]
}

#[test]
fn a_rod_keeps_its_energy_in_explicit_steps_over_a_thousand_periods() {
    let [coarse, fine] = [200.0, 400.0].map(explicit_cantilever);
    let order = (coarse[0] / fine[0]).log2();
    assert!((order - 1.0).abs() < 0.2, "{coarse:?} {fine:?}: order {order}");
    assert!(fine[1].abs() < 0.1 * fine[0], "{fine:?}");
}
