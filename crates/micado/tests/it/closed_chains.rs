//! Rods that close on themselves and on each other: polygons of fused rods, and chains of rings.

use crate::common::{at, build, constraint, equilibrium, force, off, total_mass};
use glam::DVec3;
use micado::clock::NoClock;
use serde_json::{Value, json};
use std::f64::consts::{PI, TAU};

const G: f64 = 9.81;

/// A polygon of rods with unit sides in the plane y = 0, corners fused, hung up at its first corner.
fn polygon(corners: usize, hold: &str, mode: &str) -> Value {
    let corner = |k: usize| {
        let angle = TAU * k as f64 / corners as f64;
        let radius = 0.5 / (PI / corners as f64).sin();
        [radius * angle.sin(), 0.0, radius * (angle.cos() - 1.0)]
    };
    let (mut rods, mut joints) = (json!({}), json!({"hook": {"position": {"on": "r0", "at": "start"}}}));
    for k in 0..corners {
        rods[format!("r{k}")] = json!({"shape": {"line": {"from": corner(k),
            "to": corner((k + 1) % corners)}}, "radius": 0.01, "young": 1e9, "density": 1000, "segments": 6,
            "damping": {"internal": 0.01, "mass": 1}, "velocity": [0.3, 0, 0]});
        joints[format!("j{k}")] = json!({"fusion": {"on": format!("r{k}"), "at": "end",
            "to": {"on": format!("r{}", (k + 1) % corners), "at": "start"}, "hold": hold}});
    }
    json!({"rod": rods, "constraint": joints, "settings": {"mode": mode, "step": 0.01}})
}

#[test]
fn a_polygon_of_rigidly_fused_rods_hangs_from_its_corner_and_every_joint_holds() {
    for corners in [3, 5, 8] {
        let simulation = equilibrium(polygon(corners, "rigid", "static"));
        let world = simulation.world();
        for k in 0..world.structure().constraints.len() {
            assert!(world.constraint_miss(k).expect("a joint") < 1e-8);
        }
        let hook = force(world, "hook").force;
        assert!((hook - DVec3::Z * total_mass(world) * G).length() < 1e-6 * hook.z, "{hook}");
        // Symmetric about the vertical through the hook: the first and the last rod carry half of it each.
        let last = force(world, &format!("j{}", corners - 1)).force;
        assert!(off(last.z.abs(), 0.5 * hook.z) < 1e-5, "{last} of {hook}");
    }
}

#[test]
fn a_triangle_of_hinged_rods_is_stiff_by_its_shape_and_swings_without_drift() {
    let mut simulation = build(polygon(3, "point", "dynamic"));
    let mut worst = 0.0_f64;
    for step in 0..2000 {
        let report = simulation.step(&NoClock);
        assert!(!report.held && report.conflicting_rows == 0, "{report:?}");
        // Fusions of points are linear rows.
        worst = worst.max(report.residual);
        assert!(worst < 1e-11, "{worst:e} after {step} steps");
    }
    // At rest again, its lowest side level at the height of the triangle and bent as a beam on two supports,
    // 5wL⁴/384EI.
    let (weight, stiffness) = (1000.0 * PI * 1e-4 * G, 1e9 * PI / 4.0 * 1e-8);
    let sag = 5.0 * weight / (384.0 * stiffness);
    let low = at(simulation.world(), "r1", 0.5);
    // The other sides are pulled inward a little; 20 s with 1 1/s leave e⁻¹⁰ of the swing.
    assert!(
        (low.z + 0.75_f64.sqrt() + sag).abs() < 0.1 * sag && low.x.abs() < 1e-4,
        "{low} with a sag of {sag}"
    );
}

#[test]
fn a_polygon_whose_joints_are_given_again_swings_the_same() {
    for (corners, hold) in [(3, "point"), (5, "rigid"), (8, "rigid")] {
        let once = polygon(corners, hold, "dynamic");
        let (mut twice, mut exchanged) = (once.clone(), once.clone());
        for (name, joint) in once["constraint"].as_object().expect("joints") {
            twice["constraint"][format!("{name} again")] = joint.clone();
            if let Some(fusion) = joint.get("fusion") {
                // From the other side.
                let to = json!({"on": fusion["on"], "at": fusion["at"]});
                let from =
                    json!({"on": fusion["to"]["on"], "at": fusion["to"]["at"], "to": to, "hold": hold});
                exchanged["constraint"][format!("{name} again")] = json!({"fusion": from});
            }
        }
        let [mut once, mut twice, mut exchanged] = [once, twice, exchanged].map(build);
        for step in 0..300 {
            let reports = [&mut once, &mut twice, &mut exchanged].map(|simulation| simulation.step(&NoClock));
            assert!(
                reports
                    .iter()
                    .all(|report| !report.held && report.substeps == 1 && report.conflicting_rows == 0),
                "{reports:?}"
            );
            let rows = corners * if hold == "point" { 3 } else { 6 };
            assert_eq!(
                reports.map(|report| report.redundant_rows),
                [0, rows + 3, rows],
                "{corners} corners, step {step}"
            );
            let [one, two, other] =
                [&once, &twice, &exchanged].map(|simulation| &simulation.world().state().q);
            assert!(one == two, "{corners} corners, step {step}: a copy adds nothing, not even rounding");
            let apart = one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-9, "{corners} corners, step {step}: {apart:e}");
        }
    }
}

#[test]
fn a_chain_of_rings_passes_the_load_from_link_to_link() {
    // Rings of 10 cm, each turned by 90° against the last, linked where they touch: both slide.
    let (count, radius) = (4, 0.1);
    let (mut rings, mut links) = (json!({}), json!({}));
    for k in 0..count {
        let normal = if k % 2 == 0 { [0, 1, 0] } else { [1, 0, 0] };
        rings[format!("ring{k}")] = json!({"shape": {"ring": {"centre": [0, 0, -2.0 * radius * f64::from(k)],
            "normal": normal, "radius": radius}}, "natural": "as-shaped",
            "stiffness": {"stretch": 1e5, "bend": 1, "twist": 1}, "mass_per_length": 0.1, "segments": 16,
                "damping": {"internal": 0.02, "mass": 10}});
    }
    // Where on a ring its highest and lowest points are depends on where it begins: look.
    let alone = build(json!({"rod": rings}));
    let extreme = |ring: i32, sign: f64| {
        let height = |k: &i32| sign * at(alone.world(), &format!("ring{ring}"), f64::from(*k) / 16.0).z;
        (0..16)
            .max_by(|a, b| height(a).total_cmp(&height(b)))
            .map(|k| format!("{} %", 100.0 * f64::from(k) / 16.0))
            .expect("places")
    };
    links["hook"] = json!({"position": {"on": "ring0", "at": extreme(0, 1.0)}});
    for k in 1..count {
        links[format!("link{k}")] = json!({"keyhole": {"on": format!("ring{k}"), "at": extreme(k, 1.0),
            "to": {"on": format!("ring{}", k - 1), "at": extreme(k - 1, -1.0)}, "crossing": true,
            "viscosity": 0.1}});
    }
    let mut simulation = build(json!({
        "rod": rings, "constraint": links,
        "load": {"weight": {"force": {"on": format!("ring{}", count - 1), "at": extreme(count - 1, -1.0),
            "force": [0, 0, -2]}}},
        "settings": {"step": 0.005},
    }));
    for _ in 0..1000 {
        let report = simulation.step(&NoClock);
        assert!(!report.held, "{report:?}");
    }
    let world = simulation.world();
    let ring = total_mass(world) / f64::from(count) * G;
    for k in 1..count {
        let carried = 2.0 + ring * f64::from(count - k);
        let pull = force(world, &format!("link{k}")).force;
        // The rest of the swing after 5 s with 10 1/s.
        assert!((pull - DVec3::Z * carried).length() < 1e-3 * carried, "link {k}: {pull} for {carried}");
        assert!(world.constraint_miss(constraint(world, &format!("link{k}"))).expect("a link") < 1e-8);
    }
    assert!((force(world, "hook").force.z - 2.0 - f64::from(count) * ring).abs() < 1e-3);
}
