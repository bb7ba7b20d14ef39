//! The scene `rope-coil` against the theory of a heavy elastic rod that is laid slowly, and against itself in
//! another size.

use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Scene;
use micado_io::scene::{builtin, parse};
use serde_json::json;

/// The scene with values replaced.
fn scene(overrides: &[String]) -> Scene {
    let file = builtin("rope-coil").expect("a built-in scene");
    parse("rope-coil", file.text, overrides).expect("a scene").scene().clone()
}

/// Mean curvature of the rope between two arc lengths at the end of a scene, seen from above, 1/m.
fn laid_curvature(scene: &Scene, from: f64, to: f64) -> f64 {
    let mut simulation = Simulation::build(scene).expect("a scene");
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(!report.held, "{report:?}");
    }
    let world = simulation.world();
    let rope = world.structure().objects.iter().find(|object| object.rod().is_some()).expect("a rope");
    let at = |k: i32| {
        let s = from + (to - from) * f64::from(k) / 400.0;
        world.section(rope, s).expect("a place").position.truncate()
    };
    let ways: Vec<_> = (0..400).map(|k| at(k + 1) - at(k)).collect();
    ways.windows(2).map(|ways| ways[0].angle_to(ways[1])).sum::<f64>().abs() / (to - from)
}

/// A heavy elastic rod that turns about the vertical while it is laid, in units of EI, w and l.
///
/// s counts upward from the point at which the rod meets the floor. This point is R x̂ from the axis; there
/// the tangent is ŷ and the curvature that of the circle, 1/R. The force on the part below is F₀ + s ẑ. The
/// twisting moment is zero, since the upper end may spin:
///
/// ```text
/// x' = t     t' = M × t     M' = F × t
/// ```
///
/// Far above the floor the rod is a string: its tangent is that of F, and from s = `TOP` to the drum at
/// s = H it moves by F_h ln((F₀z + H)/(F₀z + TOP)) towards the axis, where the drum is. These are four
/// conditions for F₀ and R.
mod laying {
    use glam::DVec3;

    const STEPS: usize = 200;

    #[derive(Clone, Copy)]
    struct Section([DVec3; 3]);

    impl Section {
        fn plus(self, rate: Self, by: f64) -> Self {
            Self(std::array::from_fn(|k| self.0[k] + rate.0[k] * by))
        }

        fn rate(self, force: DVec3) -> Self {
            let [_, t, m] = self.0;
            Self([t, m.cross(t), force.cross(t)])
        }
    }

    /// Residuals of the four conditions for F₀ and R.
    fn miss(p: [f64; 4], top: f64, height: f64) -> [f64; 4] {
        let foot = DVec3::new(p[0], p[1], p[2]);
        let mut at = Section([DVec3::X * p[3], DVec3::Y, DVec3::Z / p[3]]);
        let h = top / STEPS as f64;
        for k in 0..STEPS {
            let force = |share: f64| foot + DVec3::Z * (h * (k as f64 + share));
            let k1 = at.rate(force(0.0));
            let k2 = at.plus(k1, 0.5 * h).rate(force(0.5));
            let k3 = at.plus(k2, 0.5 * h).rate(force(0.5));
            let k4 = at.plus(k3, h).rate(force(1.0));
            at = at.plus(k1, h / 6.0).plus(k2, h / 3.0).plus(k3, h / 3.0).plus(k4, h / 6.0);
        }
        let [x, t, _] = at.0;
        let way = (foot + DVec3::Z * top).normalize();
        let beyond = ((p[2] + height) / (p[2] + top)).ln();
        [t.x - way.x, t.y - way.y, x.x + p[0] * beyond, x.y + p[1] * beyond]
    }

    /// Newton's method from a nearby solution.
    fn solve(mut p: [f64; 4], top: f64, height: f64) -> [f64; 4] {
        for _ in 0..30 {
            let g = miss(p, top, height);
            if g.iter().all(|g| g.abs() < 1e-9) {
                return p;
            }
            let mut rows: Vec<[f64; 5]> = g.iter().map(|g| [0.0, 0.0, 0.0, 0.0, -g]).collect();
            for j in 0..4 {
                let mut q = p;
                q[j] += 1e-6;
                let moved = miss(q, top, height);
                (0..4).for_each(|i| rows[i][j] = (moved[i] - g[i]) / 1e-6);
            }
            for i in 0..4 {
                let pivot = (i..4).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs()));
                rows.swap(i, pivot.expect("rows"));
                for r in (0..4).filter(|&r| r != i) {
                    let factor = rows[r][i] / rows[i][i];
                    (i..5).for_each(|c| rows[r][c] -= factor * rows[i][c]);
                }
            }
            let size = |p: [f64; 4]| miss(p, top, height).iter().fold(0.0, |a: f64, g| a.max(g.abs()));
            let moved = |share: f64| std::array::from_fn(|i| p[i] + share * rows[i][4] / rows[i][i]);
            let share = (0..12).map(|k| 0.5_f64.powi(k)).find(|&share| size(moved(share)) < size(p));
            p = moved(share.expect("a better solution"));
        }
        panic!("no solution for a height of {height}");
    }

    /// R/l for a drum at a height of `height` l, more than 7.
    pub(super) fn radius(height: f64) -> f64 {
        // Up to 3 l the solution is found from almost anywhere near this.
        let mut p = [0.333, -0.842, -1.895, 0.964];
        for k in 0..=16 {
            let top = 3.0 + 0.25 * f64::from(k);
            p = solve(p, top, top);
        }
        for k in 1..=16 {
            p = solve(p, 7.0, 7.0 * (height / 7.0).powf(f64::from(k) / 16.0));
        }
        p[3]
    }
}

#[test]
fn slowly_laid_coils_have_the_radius_of_a_heavy_elastic_rod() {
    // l = 4 cm and a drum at 15 l. The rope does not touch itself, as if it had no thickness, and is laid at
    // v² = 0.014 g l.
    let theory = laying::radius(15.0) * 0.04;
    assert!((theory - 0.0544).abs() < 5e-5, "{theory} m, which the scene says");
    let slow = ["settings.duration=16", "settings.step=0.02", "winch.winding.pay_out.ramp={to=1.2,end=16}"];
    let mut scene = scene(&slow.map(str::to_owned));
    let contact = scene.contact.as_mut().expect("contact");
    let alone = json!({"between": ["rope", "rope"], "touch": false});
    contact.pairs.push(serde_json::from_value(alone).expect("a pair"));
    // The first turns begin beside the axis.
    let radius = 1.0 / laid_curvature(&scene, 0.7, 1.2);
    assert!((radius / theory - 1.0).abs() < 0.05, "{radius} m instead of {theory} m");
}

#[test]
fn ropes_that_are_scaled_alike_coil_alike() {
    // Lengths by k, times by √k; EI = w l³ with twice the weight per length.
    let k: f64 = 2.5;
    let (duration, laid) = (8.0, 0.8);
    let curvature = |k: f64, heavier: f64| {
        let through: Vec<[f64; 3]> = [[0.05, -0.06, 0.0025], [0.05, 0.0, 0.0025], [0.0, 0.0, 0.6]]
            .map(|x| (DVec3::from_array(x) * k).to_array())
            .to_vec();
        let force = heavier * k.powi(2);
        let overrides = [
            format!("settings.duration={}", duration * k.sqrt()),
            format!("settings.step={}", 0.01 * k.sqrt()),
            format!("rod.rope.shape.polyline.through={}", json!(through)),
            format!("rod.rope.shape.polyline.radius={}", 0.04 * k),
            format!("rod.rope.radius={}", 0.0025 * k),
            format!("rod.rope.stiffness.stretch={}", 500.0 * heavier * k),
            format!("rod.rope.stiffness.bend={}", 6.278e-5 * force * k),
            format!("rod.rope.stiffness.twist={}", 5e-5 * force * k),
            format!("rod.rope.mass_per_length={}", 0.1 * heavier),
            format!("rod.rope.damping={{internal={},mass={}}}", 0.005 * k.sqrt(), 0.5 / k.sqrt()),
            format!("winch.winding.pay_out.ramp={{to={},end={}}}", laid * k, duration * k.sqrt()),
        ];
        laid_curvature(&scene(&overrides), 0.2 * k, 0.8 * k) * k
    };
    let (one, other) = (curvature(1.0, 1.0), curvature(k, 2.0));
    // The runs differ by rounding only, and a coil forgets small differences.
    assert!((other / one - 1.0).abs() < 0.01, "{one} and {other} per m");
}
