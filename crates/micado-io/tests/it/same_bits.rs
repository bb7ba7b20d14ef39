//! The state of every built-in scene after its first steps, bit for bit: refactoring changes no result.

use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Arithmetic;
use micado::step::Pool;
use micado_io::scene::{BUILTIN, parse};

const STEPS: usize = 200;

/// FNV-1a over the bits of numbers.
struct Hash(u64);

impl Hash {
    fn numbers(&mut self, numbers: &[f64]) {
        for byte in numbers.iter().flat_map(|x| x.to_bits().to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

fn hash(text: &str, name: &str, threads: usize) -> u64 {
    let mut scene = parse(name, text, &[]).expect("a scene").scene().clone();
    scene.settings.arithmetic = Arithmetic::Portable;
    scene.settings.solves = micado::scene::Solves::ONE;
    let mut simulation = Simulation::build(&scene).expect("a valid scene");
    simulation.set_pool(Pool::new(threads).expect("threads"));
    for _ in 0..STEPS {
        if simulation.finished() {
            break;
        }
        simulation.step(&NoClock);
    }
    let (structure, state) = (simulation.world().structure(), simulation.world().state());
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    hash.numbers(&[state.time]);
    for object in &structure.objects {
        hash.numbers(&state.q[object.unknowns()]);
        hash.numbers(&state.v[object.unknowns()]);
    }
    for (constraint, memory) in structure.constraints.iter().zip(&state.constraints) {
        hash.numbers(&memory.own);
        hash.numbers(&memory.multipliers[..constraint.rows(memory)]);
    }
    hash.0
}

/// Recorded hashes.
const KNOWN: &[(&str, u64)] = &[
    ("hanging-cable", 0x1aa14b62f97960e6),
    ("pendulum", 0x019a2ca6b2eb336c),
    ("pulley", 0xae6cb83d4538c94c),
    ("cantilever", 0x9752abc4608bd1a5),
    ("spring-weights", 0x2a92798eff379c08),
    ("winch", 0x3f6a12a593559441),
    ("wind-cable", 0x9d9daaa422e36977),
    ("crank", 0xa398a35dbe08a3ef),
    ("helix-slide", 0xb75a6d5edff0d91f),
    ("release", 0x400578b6e4be9e44),
    ("twisted-ring", 0x75d7d7a8a22c9e52),
    ("michell-ring", 0x58124bd68ad4d73a),
    ("localized-helix", 0x7a12709711ac0084),
    ("helical-perversion", 0xe8f2061f3892652d),
    ("twist-asymmetry", 0x462153cb3d5cfc5d),
    ("imposed-twist", 0xd6fb199b4b5aa739),
    ("buckling-column", 0xb405e97bbc55a151),
    ("bridge", 0x592e94b450b7b0e7),
    ("spider-net", 0xeb40ce43fec0bc2a),
    ("dna", 0x42d4ac94c636764e),
    ("cable-bundle", 0x3e8c0b4d60ae3ab0),
    ("necklace", 0x59e24fd609184d1d),
    ("slipknot", 0xd03a1f8d8bd1795f),
    ("lasso", 0xc38ba214eda584d0),
    ("clips", 0x6338e92c05246150),
    ("car-door", 0x3b2afce220d42d30),
    ("door-panel", 0xdfa102668a441f88),
    ("bow", 0x51e22fe26c73dbf3),
];

#[test]
fn every_built_in_scene_has_its_recorded_bits() {
    let mut changed = Vec::new();
    for scene in BUILTIN {
        let found = hash(scene.text, scene.name, 1);
        let known = KNOWN.iter().find(|(name, _)| *name == scene.name).map(|(_, hash)| *hash);
        if known != Some(found) {
            changed.push(format!("    (\"{}\", {found:#018x}),", scene.name));
        }
    }
    assert!(changed.is_empty(), "different bits:\n{}", changed.join("\n"));
}

#[test]
fn every_built_in_scene_has_the_same_bits_on_any_number_of_threads() {
    for scene in BUILTIN {
        let one = hash(scene.text, scene.name, 1);
        assert_eq!([2, 8].map(|threads| hash(scene.text, scene.name, threads)), [one; 2], "{}", scene.name);
    }
}
