//! Random collisions of rods: does one pass through the other, and is energy gained?
//!
//! In a throw, two free rods fly towards each other and spin. In a drag, a hand holds the middle of a rod at
//! rest and moves it across another rod, of which one end is held. A collision depends only on its number, so
//! it can be repeated.

use glam::DVec3;
use micado::clock::NoClock;
use micado::geometry::closest::closest_on_segments;
use micado::run::Simulation;
use micado::scene::Scene;
use serde_json::{Value, json};

/// Length of the rods, m, their segments, and the time step, s.
const LENGTH: f64 = 0.05;
const SEGMENTS: usize = 8;
const STEP: f64 = 1e-3;
/// Time in which forces on the ends of a rod make it spin, s.
const SPUN: f64 = 2e-3;
/// Models of the rods.
const MODELS: [&str; 4] = ["spline", "discrete-elastic", "beam", "mass-spring"];

/// A collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// Its number.
    pub number: u64,
    /// Whether a hand drags one rod; otherwise both are thrown.
    pub dragged: bool,
    /// Radius of the rods, m.
    pub radius: f64,
    /// Relative speed of the rods, or speed of the hand, m/s.
    pub speed: f64,
    /// Whether the rods touch; otherwise passages are only counted.
    pub touch: bool,
}

/// Result of a collision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Passages of a rod through the other one.
    pub passages: u64,
    /// Passages of a rod through itself: a hand that tears at its middle folds a soft rod into a loop that is
    /// shorter than the length on which it does not touch itself.
    pub folds: u64,
    /// Whether the rods have touched.
    pub touched: bool,
    /// Steps that were held.
    pub held: u64,
    /// Steps that were divided.
    pub divided: u64,
    /// Steps in which the hand lagged.
    pub lagged: u64,
    /// All steps.
    pub steps: u64,
    /// Largest gain of energy in a step after the forces of a throw, as a share of the energy before; 0 for a
    /// drag.
    pub gain: f64,
}

/// Numbers between −1 and 1 (splitmix64).
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        #[expect(clippy::cast_precision_loss, reason = "53 bits")]
        let number = ((z ^ (z >> 31)) >> 11) as f64;
        number / 4_503_599_627_370_496.0 - 1.0
    }

    fn direction(&mut self) -> DVec3 {
        loop {
            let x = DVec3::new(self.number(), self.number(), self.number());
            if (0.1..1.0).contains(&x.length()) {
                return x.normalize();
            }
        }
    }
}

impl Collision {
    /// Both rods, as ends; they do not touch, and the second is on the way of the first.
    fn ends(&self, random: &mut Random) -> ([[DVec3; 2]; 2], DVec3) {
        loop {
            let way = random.direction();
            let [t, u] = [random.direction(), random.direction()];
            let middle = |centre: DVec3, t: DVec3| [centre - t * (0.5 * LENGTH), centre + t * (0.5 * LENGTH)];
            let aside = random.direction().reject_from_normalized(way) * (0.2 * LENGTH);
            let apart = 2.5 * self.radius + 0.25 * LENGTH * (1.0 + random.number());
            let (a, b) = (middle(DVec3::ZERO, t), middle(way * apart + aside, u));
            let distance = closest_on_segments(a, b).square.sqrt();
            // A motion along a rod would meet only its end.
            if distance > 2.2 * self.radius && t.cross(way).length() > 0.3 && u.cross(way).length() > 0.3 {
                return ([a, b], way);
            }
        }
    }

    /// The scene.
    #[must_use]
    pub fn scene(&self) -> Value {
        let mut random = Random(self.number.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ 0xA5A5);
        let ([a, b], way) = self.ends(&mut random);
        let model = MODELS[(self.number % 4) as usize];
        let rod = |ends: [DVec3; 2], velocity: DVec3| {
            json!({"model": model, "shape": {"line": {"from": ends[0].to_array(), "to": ends[1].to_array()}},
                "radius": self.radius, "young": 1e8, "density": 1200, "segments": SEGMENTS,
                "velocity": velocity.to_array(), "damping": {"internal": 1e-4}})
        };
        let speed = if self.dragged { 0.0 } else { 0.5 * self.speed };
        let mut scene = json!({
            "contact": {"alarm": true, "friction": 0.2,
                "pairs": [{"between": ["all", "all"], "touch": self.touch}]},
            "rod": {"a": rod(a, way * speed), "b": rod(b, way * -speed)},
            "settings": {"duration": 0.02, "step": STEP, "gravity": [0, 0, 0]},
        });
        let mass = 1200.0 * LENGTH * std::f64::consts::PI * self.radius * self.radius;
        if self.dragged {
            // From rest to full speed at once, past the other rod.
            let time = 3.0 * LENGTH / self.speed;
            let path = json!({"times": [0, time], "values": [[0, 0, 0], (way * (3.0 * LENGTH)).to_array()]});
            scene["constraint"] = json!({
                "hand": {"position": {"on": "a", "at": "50 %", "displacement": {"keyframes": path}}},
                "held": {"position": {"on": "b", "at": "start"}},
            });
            scene["settings"]["duration"] = json!((2.0 * time).max(20.0 * STEP));
        } else {
            // A pair of forces at the ends turns a stiff rod by 2 F t/(m L/6).
            let mut load = json!({});
            for name in ["a", "b"] {
                let force = random.direction() * (mass * 0.5 * self.speed / (6.0 * SPUN));
                for (end, sign) in [("start", -1.0), ("end", 1.0)] {
                    let values = [force * sign, force * sign, DVec3::ZERO].map(|f| f.to_array());
                    let path = json!({"times": [0, SPUN, SPUN + 1e-9], "values": values});
                    load[format!("{name}_{end}")] =
                        json!({"force": {"on": name, "at": end, "force": {"keyframes": path}}});
                }
            }
            scene["load"] = load;
            let fly = (0.5 * LENGTH + 10.0 * self.radius) * 3.0 / self.speed;
            scene["settings"]["duration"] = json!((SPUN + fly).max(10.0 * STEP));
        }
        scene
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// The scene can't be built: a fault of this file.
    pub fn run(&self) -> Result<Outcome, String> {
        let scene: Scene = serde_json::from_value(self.scene()).map_err(|error| error.to_string())?;
        let mut simulation = Simulation::build(&scene).map_err(|error| error.to_string())?;
        let mut outcome = Outcome::default();
        let mut before = simulation.world().energy().total();
        while !simulation.finished() {
            let report = simulation.step(&NoClock);
            let energy = simulation.world().energy().total();
            if !self.dragged && simulation.time() > SPUN + 1.5 * STEP {
                outcome.gain = outcome.gain.max(energy / before - 1.0);
            }
            before = energy;
            outcome.steps += 1;
            outcome.held += u64::from(report.held);
            outcome.divided += u64::from(report.substeps > 1);
            outcome.lagged += u64::from(report.approaches);
            outcome.touched |= report.contacts > 0;
            if let Some(passed) = report.passed {
                let own = passed.objects[0] == passed.objects[1];
                *(if own { &mut outcome.folds } else { &mut outcome.passages }) += report.passages as u64;
            }
        }
        Ok(outcome)
    }
}
