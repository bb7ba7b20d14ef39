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
    // Six rigid motions and the roll of an isotropic section: rotation about the axis is the roll itself, so
    // one of the six coincides with it for a straight rod.
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
            r#"{{"rod": {{"column": {{"stiffness": {{"stretch": 1e6, "bend": 1, "twist": 1}},
                                      "mass_per_length": 1}}}},
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

#[test]
fn a_twisted_ring_writhes_to_rest_and_then_turns_freely() {
    // Three turns are more than a flat ring holds. It is held at one point: three rotations about it, and the
    // ring that slides along itself, cost nothing.
    let mut world = world(
        r#"{"rod": {"ring": {"shape": {"ring": {"centre": [0, 0, 0], "radius": 0.2}}, "radius": 0.004,
                             "young": 1e7, "density": 1100, "twist": "3 turn", "segments": 40}},
            "constraint": {"hold": {"position": {"on": "ring", "at": "start"}}},
            "settings": {"gravity": [0, 0, 0]}}"#,
    );
    let mut workspace = Workspace::new();
    let report = world.equilibrate(0.0, &StaticParams::default(), &mut workspace, &NoClock);
    assert!(report.converged && report.unstable_modes == 0, "{report:?}");
    let modes = world.modes(6, Arithmetic::Fast, &mut workspace).expect("modes");
    let values: Vec<_> = modes.modes.iter().map(|mode| mode.eigenvalue).collect();
    // Rounding of a mesh whose stiffest motion has 5e6 1/s².
    assert_eq!(values.iter().filter(|value| value.abs() < 1e-6).count(), 4, "{values:?}");
    assert!(values[4] > 1.0 && modes.unstable == 0, "{values:?}");
}

#[test]
fn torsional_frequencies_converge_with_the_third_power_of_the_mesh() {
    let error = |segments: usize| {
        let world = world(&format!(
            r#"{{"rod": {{"shaft": {{"radius": 0.01, "young": 1e9, "poisson": 0.25, "density": 1000,
                                     "segments": {segments}}}}},
                "constraint": {{"wall": {{"clamp": {{"on": "shaft", "at": "start"}}}}}},
                "settings": {{"gravity": [0, 0, 0]}}}}"#
        ));
        let modes =
            world.modes(segments.max(24), Arithmetic::Portable, &mut Workspace::new()).expect("modes").modes;
        let torsional = |shape: &[f64]| {
            shape.chunks_exact(4).all(|q| q[..3].iter().all(|x| x.abs() < 1e-6 * q[3].abs().max(1e-3)))
        };
        // Clamped and free: ω = 3π/2 c/L in the second mode, c² = G/ρ.
        let exact = (1.5 * std::f64::consts::PI).powi(2) * 4e8 / 1000.0;
        let second = modes.iter().filter(|mode| torsional(&mode.shape)).nth(1).expect("two torsional modes");
        (second.eigenvalue / exact - 1.0).abs()
    };
    let errors = [8, 16].map(error);
    // kh = 0.59 and 0.29. Inside the rod the error is of fourth order, where means meet the slopes of the end
    // segments of third.
    assert!(errors[0] < 2e-3 && errors[1] < errors[0] / 8.0, "{errors:?}");
}
