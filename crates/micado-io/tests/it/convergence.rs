//! The numbers of built-in scenes are those of finer steps and segments, or the scene says how far they are
//! off.

use micado_io::convergence::{deviations, readings, refined};
use micado_io::scene::{BUILTIN, builtin, parse};

/// Deviation that a scene may have without a note in its description, as a share of the largest magnitude of
/// a probe.
const CONVERGED: f64 = 0.025;

/// Deviations of last values and of extremes that the descriptions of other scenes give.
const STATED: &[(&str, f64, f64)] = &[
    ("michell-ring", 0.35, 0.35),
    ("crank", CONVERGED, 1.0),
    ("necklace", CONVERGED, 1.0),
    ("spider-net", CONVERGED, 0.06),
    ("slipknot", CONVERGED, 0.07),
    ("clips", 0.05, 0.05),
    // The largest bend radius is that of a cable that is nearly straight for a moment.
    ("car-door", 0.1, f64::INFINITY),
    ("bow", 0.05, 0.05),
    ("door-panel", CONVERGED, 0.05),
    ("fly-in-the-net", CONVERGED, 0.1),
    // Forces of impacts.
    ("cable-and-bodies", CONVERGED, 1.0),
    ("falling-cube-chain", CONVERGED, 1.0),
    // The largest pull is that of the first coil.
    ("rope-coil", CONVERGED, 0.06),
    // The end of the cable falls on the sill.
    ("harness-on-mesh", CONVERGED, 0.1),
    // The largest pull is that of the first steps, in which the cable takes up the weight.
    ("gyroscope", CONVERGED, 0.04),
];

/// Compares a scene with `parts` as many steps and twice the segments.
fn check(name: &str, parts: u32) {
    let file = builtin(name).expect("a built-in scene");
    let file = parse(name, file.text, &[]).expect("a scene");
    let run = |parts: u32, finer: usize| {
        readings(&refined(file.scene(), parts, finer).expect("a scene")).expect("a scene")
    };
    let stated = STATED.iter().find(|(scene, ..)| *scene == name);
    let (last, extremes) = stated.map_or((CONVERGED, CONVERGED), |&(_, last, extremes)| (last, extremes));
    let says = file.scene().description.contains("Not converged:");
    assert_eq!(says, stated.is_some(), "{name}: {}", file.scene().description);
    let found = deviations(&run(1, 1), &run(parts, 2));
    assert!(!found.is_empty(), "{name} has no probe");
    for deviation in found {
        assert!(deviation.last.abs() < last && deviation.extremes < extremes, "{name}: {deviation:?}");
    }
}

/// A test for each scene, and one test that no scene is left out.
macro_rules! scenes {
    ($($test:ident: $name:literal, $parts:literal;)*) => {
        $(
            #[test]
            fn $test() {
                check($name, $parts);
            }
        )*

        #[test]
        fn no_scene_is_left_out() {
            let checked = [$($name),*];
            assert!(BUILTIN.iter().all(|scene| checked.contains(&scene.name)));
        }
    };
}

// Longer runs are compared with half their step.
scenes! {
    bow: "bow", 2;
    bridge: "bridge", 4;
    buckling_column: "buckling-column", 4;
    cable_and_bodies: "cable-and-bodies", 4;
    cable_bundle: "cable-bundle", 4;
    cantilever: "cantilever", 4;
    capstan: "capstan", 4;
    car_door: "car-door", 4;
    clips: "clips", 4;
    closed_loop: "closed-loop", 4;
    crane: "crane", 2;
    crank: "crank", 4;
    cube_chain: "cube-chain", 4;
    dna: "dna", 4;
    domino_pearls: "domino-pearls", 4;
    door_panel: "door-panel", 2;
    falling_cube_chain: "falling-cube-chain", 4;
    fly_in_the_net: "fly-in-the-net", 4;
    gyroscope: "gyroscope", 2;
    hanging_cable: "hanging-cable", 4;
    harness_on_mesh: "harness-on-mesh", 4;
    helical_perversion: "helical-perversion", 4;
    helix_slide: "helix-slide", 4;
    hinged_harness: "hinged-harness", 4;
    imposed_twist: "imposed-twist", 4;
    lasso: "lasso", 2;
    localized_helix: "localized-helix", 4;
    michell_ring: "michell-ring", 4;
    necklace: "necklace", 4;
    pendulum: "pendulum", 4;
    pulley: "pulley", 2;
    release: "release", 4;
    rope_coil: "rope-coil", 2;
    rope_on_post: "rope-on-post", 2;
    slipknot: "slipknot", 4;
    spider_net: "spider-net", 4;
    spring_weights: "spring-weights", 4;
    stacked_cubes: "stacked-cubes", 4;
    torque_transducer: "torque-transducer", 4;
    tree: "tree", 2;
    two_cubes_on_incline: "two-cubes-on-incline", 4;
    twist_asymmetry: "twist-asymmetry", 4;
    twisted_ring: "twisted-ring", 4;
    winch: "winch", 2;
    wind_cable: "wind-cable", 4;
    wilberforce: "wilberforce", 2;
}
