//! Real time: scenes stepped against the wall clock, on an idle machine and with a core loaded by another
//! process; and a hand on a body, which the driver steps on a thread of its own.

use super::Row;
use crate::failure::Failure;
use micado::clock::{Clock, WallClock};
use micado::run::Simulation;
use micado::run::realtime::{Hand, Pacer, Punctuality, RealTime, make_step};
use micado::scene::{Mode, Scene};
use micado_io::scene;
use serde_json::{Map, Value, json};
use std::process::{Child, Command, Stdio};

/// Scenes that are stepped.
const SCENES: [&str; 3] = ["car-door", "bridge", "cable-bundle"];

/// Step, and period of the clock, s.
const PERIOD: f64 = 1e-3;

/// Measurements of one scene.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    punctuality: Punctuality,
    seconds: f64,
    longest: f64,
    working: f64,
    unknowns: usize,
    multipliers: usize,
    still: u64,
    switches: u64,
    residual: f64,
    held: u64,
}

/// Steps every scene for `seconds` of wall time, idle and with a loaded core.
pub(super) fn measure(seconds: f64) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for loaded in [false, true] {
        let held = held_scenes(seconds);
        let scenes = (SCENES.len() + held.len()) as f64;
        let _load = if loaded { Some(Load::start(seconds * scenes)?) } else { None };
        for name in SCENES {
            let measured = steps(scene::open(name, &[])?.scene(), seconds)?;
            rows.push(row(name, loaded, &measured));
        }
        for scene in &held {
            rows.push(hold_body(scene, loaded, seconds)?);
        }
    }
    Ok(rows)
}

/// Steps a scene in real time, and starts it again whenever it ends.
fn steps(scene: &Scene, seconds: f64) -> Result<Measured, Failure> {
    let mut scene = scene.clone();
    (scene.settings.mode, scene.settings.step) = (Mode::QuasiDynamic, PERIOD);
    let (clock, mut all) = (WallClock::start(), Measured::default());
    while clock.now() < seconds {
        let mut simulation = Simulation::build(&scene).map_err(|error| Failure::Checks(error.to_string()))?;
        let mut pacer = Pacer::new(PERIOD);
        simulation.settle(&clock);
        // The first step orders the unknowns and is not measured.
        simulation.step(&clock);
        while !simulation.finished() && clock.now() < seconds {
            let report = make_step(&mut simulation, &mut [], &mut pacer, &clock);
            let seconds: f64 = report.stage_seconds.iter().sum();
            (all.longest, all.working) = (all.longest.max(seconds), all.working + seconds);
            all.still += u64::from(report.still_objects > 0);
            all.switches += report.switches as u64;
            all.residual = all.residual.max(report.residual);
            all.held += u64::from(report.held);
        }
        (all.unknowns, all.multipliers) = simulation.workspace().sizes();
        all.punctuality = together(all.punctuality, pacer.punctuality());
    }
    all.seconds = clock.now();
    Ok(all)
}

/// A scene with a hand on a body.
struct HeldScene {
    name: &'static str,
    scene: Value,
    /// Position of the hand at first, m, and the direction in which it moves.
    from: [f64; 3],
    along: [f64; 3],
}

/// A body with a cable, and the two small scenes of the paper on constraints between heterogeneous bodies:
/// cubes that hang on ball joints from a held one (15 rows of joints), and two cubes on an incline with
/// friction, one of which is held.
fn held_scenes(seconds: f64) -> [HeldScene; 3] {
    let settings = json!({"step": PERIOD, "duration": seconds + 60.0});
    let cable = json!({
        "body": {"block": {"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "density": 2000}},
        "rod": {"cable": {"shape": {"line": {"from": [0.05, 0, 0], "to": [1.05, 0, 0]}}, "radius": 0.005,
            "young": 1e7, "density": 1100, "segments": 40}},
        "constraint": {
            "hand": {"clamp": {"on": "block"}},
            "plug": {"fusion": {"on": "cable", "at": "start", "to": {"on": "block", "at": [0.05, 0, 0]}}},
            "wall": {"clamp": {"on": "cable", "at": "end"}},
        },
        "settings": settings,
    });
    let (mut cubes, mut joints) = (Map::new(), Map::new());
    joints.insert("hand".to_owned(), json!({"clamp": {"on": "cube-0"}}));
    for k in 0..6 {
        let cube = json!({"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "density": 500,
            "position": [0, 0, -0.15 * f64::from(k)]});
        cubes.insert(format!("cube-{k}"), cube);
        if k > 0 {
            let joint = json!({"kind": "ball", "on": format!("cube-{k}"), "at": [0, 0, 0.075],
                "to": {"on": format!("cube-{}", k - 1), "at": [0, 0, -0.075]}});
            joints.insert(format!("joint-{k}"), json!({"joint": joint}));
        }
    }
    let chain = json!({"body": Value::Object(cubes), "constraint": Value::Object(joints),
        "settings": settings});
    let mut incline = super::contact::incline("factored");
    incline["constraint"]["hand"] = json!({"position": {"on": "upper"}});
    incline["settings"] = settings;
    let [sin, cos] = super::contact::slope();
    [
        HeldScene { name: "held body", scene: cable, from: [0.0; 3], along: [0.0, 0.0, 1.0] },
        HeldScene { name: "five cubes on joints", scene: chain, from: [0.0; 3], along: [0.0, 0.0, 1.0] },
        HeldScene {
            name: "two cubes on an incline",
            scene: incline,
            from: [0.1 * sin, 0.0, 0.1 * cos],
            along: [cos, 0.0, -sin],
        },
    ]
}

/// Moves a held body, and measures the time from each move of the hand to the force of the
/// first step that contains the move.
fn hold_body(held: &HeldScene, loaded: bool, seconds: f64) -> Result<Row, Failure> {
    /// Displacement of the hand in one move, m.
    const WAY: f64 = 1e-5;
    /// Moves in one direction.
    const MOVES: u64 = 1000;
    let failure = |text: String| Failure::Checks(text);
    let scene: Scene =
        serde_json::from_value(held.scene.clone()).map_err(|error| failure(error.to_string()))?;
    let mut simulation = Simulation::build(&scene).map_err(|error| failure(error.to_string()))?;
    let clock = WallClock::start();
    // The first step orders the unknowns and is not measured.
    simulation.step(&clock);
    let (mut hand, end) = Hand::on(simulation.world(), "hand").map_err(|error| failure(error.to_string()))?;
    let (unknowns, multipliers) = simulation.workspace().sizes();
    let driver = RealTime::start(simulation, vec![end]);
    let (mut moves, mut sum, mut worst) = (0_u64, 0.0, 0.0_f64);
    let start = clock.now();
    while clock.now() < start + seconds {
        moves += 1;
        let along = moves % (2 * MOVES);
        let height = WAY * along.min(2 * MOVES - along) as f64;
        let moved = clock.now();
        let at: [f64; 3] = std::array::from_fn(|a| held.from[a] + height * held.along[a]);
        hand.move_to(at, [0.0; 3]);
        let answered = loop {
            // The body is where the hand is at the end of the first step that begins after the move.
            let felt = hand.feel().position.to_array();
            let off = felt.iter().zip(at).zip(held.along).map(|((felt, at), along)| (felt - at) * along);
            if off.sum::<f64>().abs() < 0.1 * WAY {
                break clock.now() - moved;
            }
            if clock.now() > moved + 10.0 {
                driver.stop();
                return Err(failure("the held body doesn't follow the hand".to_owned()));
            }
            std::thread::yield_now();
        };
        (sum, worst) = (sum + answered, worst.max(answered));
    }
    let (simulation, punctuality) = driver.stop();
    if !hand.feel().force.is_finite() || simulation.steps() < moves {
        return Err(failure("a move of the hand had no step of its own".to_owned()));
    }
    let measured = Measured { punctuality, unknowns, multipliers, ..Measured::default() };
    Ok(Row {
        latency_ms: Some(1e3 * sum / moves as f64),
        worst_latency_ms: Some(1e3 * worst),
        ..row(held.name, loaded, &measured)
    })
}

fn together(a: Punctuality, b: Punctuality) -> Punctuality {
    Punctuality {
        steps: a.steps + b.steps,
        misses: a.misses + b.misses,
        worst_overrun: a.worst_overrun.max(b.worst_overrun),
        lost_periods: a.lost_periods + b.lost_periods,
    }
}

/// Another process that keeps a core busy, until it is dropped.
struct Load(Child);

impl Load {
    fn start(seconds: f64) -> Result<Self, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::Checks(format!("this program can't be found: {error}")))?;
        let limit = format!("{}", seconds.ceil() as u64 + 60);
        let child = Command::new(program)
            .args(["bench", "--count", "spin", "0", &limit])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| Failure::Checks(format!("a second process can't be started: {error}")))?;
        Ok(Self(child))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        // Otherwise it ends after its time.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Keeps a core busy for so many seconds.
pub(super) fn spin(seconds: f64) {
    let clock = WallClock::start();
    while clock.now() < seconds {
        std::hint::spin_loop();
    }
}

fn row(name: &str, loaded: bool, measured: &Measured) -> Row {
    let steps = measured.punctuality.steps.max(1) as f64;
    Row {
        group: "realtime",
        name: format!("{name}{}", if loaded { ", a core loaded" } else { "" }),
        unknowns: measured.unknowns,
        multipliers: measured.multipliers,
        step_us: 1e6 * measured.working / steps,
        worst_step_us: 1e6 * measured.longest,
        steps: Some(measured.punctuality.steps),
        misses: Some(measured.punctuality.misses),
        worst_overrun_us: Some(1e6 * measured.punctuality.worst_overrun),
        still_share: Some(measured.still as f64 / steps),
        switches: Some(measured.switches),
        held: Some(measured.held),
        residual: Some(measured.residual),
        ..Row::default()
    }
}

/// The rows as a text table.
pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![format!(
        "{:30} {:>8} {:>7} {:>12} {:>11} {:>13} {:>9} {:>5} {:>10}",
        "real time, steps of 1 ms",
        "steps",
        "misses",
        "worst late µs",
        "longest µs",
        "quasi-static",
        "switches",
        "held",
        "residual"
    )];
    let (hands, scenes): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.latency_ms.is_some());
    for row in scenes {
        lines.push(format!(
            "{:30} {:8} {:7} {:12.1} {:11.1} {:12.1}% {:9} {:5} {:10.1e}",
            row.name,
            row.steps.unwrap_or_default(),
            row.misses.unwrap_or_default(),
            row.worst_overrun_us.unwrap_or_default(),
            row.worst_step_us,
            100.0 * row.still_share.unwrap_or_default(),
            row.switches.unwrap_or_default(),
            row.held.unwrap_or_default(),
            row.residual.unwrap_or_default(),
        ));
    }
    lines.push(String::new());
    lines.push("from a move of the hand to its force   steps   misses  mean ms  worst ms".to_owned());
    for row in hands {
        lines.push(format!(
            "{:36} {:7} {:8} {:8.2} {:9.2}",
            row.name,
            row.steps.unwrap_or_default(),
            row.misses.unwrap_or_default(),
            row.latency_ms.unwrap_or_default(),
            row.worst_latency_ms.unwrap_or_default(),
        ));
    }
    lines.join("\n")
}
