//! Small motion about a state: frequencies, zero modes and stability.

use micado::clock::NoClock;
use micado::scene::{Arithmetic, Scene};
use micado::step::{StaticParams, Workspace};
use micado::world::World;

fn world(json: &str) -> World {
    let scene: Scene = serde_json::from_str(json).expect("a scene");
    World::build(&scene).expect("a world")
}

#[test]
fn a_pendulum_swings_alike_in_both_directions() {
    let mut world = world(
        r#"{"mass": {"bob": {"position": [0.6, 0, -0.8], "mass": 2}},
            "constraint": {"string": {"distance": {"on": "bob", "centre": [0, 0, 0]}}}}"#,
    );
    let mut workspace = Workspace::new();
    assert!(world.equilibrate(0.0, &StaticParams::default(), &mut workspace, &NoClock).converged);
    let modes = world.modes(5, Arithmetic::Portable, &mut workspace).expect("modes");
    assert_eq!((modes.modes.len(), modes.unstable), (2, 0));
    for mode in modes.modes {
        // ω² = g/L; the equilibrium is converged to 1e-10.
        assert!((mode.eigenvalue - 9.81).abs() < 1e-6, "{}", mode.eigenvalue);
    }
}

#[test]
fn a_free_straight_rod_has_six_zero_modes() {
    // Six rigid motions and the roll of an isotropic section: rotation about the axis is the roll itself, so one of the six
    // coincides with it for a straight rod.
    let world = world(r#"{"rod": {"rod": {"radius": 0.01, "young": 1e9, "density": 1000, "segments": 12}}}"#);
    let modes = world.modes(8, Arithmetic::Portable, &mut Workspace::new()).expect("modes").modes;
    let highest = modes[7].eigenvalue;
    let zero = modes.iter().filter(|mode| mode.eigenvalue.abs() < 1e-6 * highest).count();
    assert_eq!(zero, 6, "{:?}", modes.iter().map(|m| m.eigenvalue).collect::<Vec<_>>());
}

#[test]
fn a_column_beyond_its_critical_load_grows_in_two_directions() {
    for (share, expected) in [(0.9, 0), (1.1, 2)] {
        let load = share * std::f64::consts::PI.powi(2) / 4.0;
        let mut world = world(&format!(
            r#"{{"rod": {{"column": {{"stiffness": {{"stretch": 1e6, "bend": 1, "twist": 1}}, "mass_per_length": 1}}}},
                "constraint": {{"foot": {{"clamp": {{"on": "column", "at": "start"}}}}}},
                "load": {{"weight": {{"force": {{"on": "column", "at": "end", "force": [-{load}, 0, 0]}}}}}},
                "settings": {{"gravity": [0, 0, 0]}}}}"#
        ));
        let mut workspace = Workspace::new();
        let params = StaticParams { leave_unstable: false, ..StaticParams::default() };
        world.equilibrate(0.0, &params, &mut workspace, &NoClock);
        let modes = world.modes(3, Arithmetic::Portable, &mut workspace).expect("modes");
        assert_eq!(modes.unstable, expected, "at {share} of the critical load");
        assert_eq!(modes.modes.iter().filter(|mode| mode.eigenvalue < 0.0).count(), expected);
    }
}
