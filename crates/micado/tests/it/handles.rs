//! Readings by number and handle: those that belong to nothing here are errors that say so, never a panic or
//! somebody else's numbers.

use crate::common::{object, scene};
use micado::clock::NoClock;
use micado::step::{StaticParams, StepParams, Workspace};
use micado::world::World;
use serde_json::json;

fn world(segments: usize, name: &str) -> World {
    let rod = json!({"radius": 0.005, "young": 1e7, "density": 1100, "segments": segments});
    World::build(&scene(json!({
        "rod": {name: rod},
        "mass": {"m": {"position": [0, 0, 1], "mass": 1}},
        "constraint": {"a": {"clamp": {"on": name, "at": "start"}}},
    })))
    .expect("a rod and a mass")
}

#[test]
fn constraints_that_do_not_exist_are_errors() {
    let world = world(6, "rod");
    assert!(world.sites(0).is_ok() && world.constraint_force(0).is_ok() && world.constraint_miss(0).is_ok());
    for index in [1, 7, usize::MAX] {
        let errors = [
            world.sites(index).err(),
            world.constraint_force(index).err(),
            world.constraint_miss(index).err(),
            world.strength_used(index).err(),
        ];
        for error in errors {
            let error = error.expect("no such constraint");
            assert!(error.problem.contains(&index.to_string()) && error.remedy.contains('1'), "{error}");
        }
    }
}

#[test]
fn objects_of_another_world_are_errors() {
    let here = world(6, "rod");
    let fewer = world(4, "rod");
    let renamed = world(6, "rope");
    let mut checked = 0;
    for (other, name) in [(&fewer, "rod"), (&renamed, "rope"), (&fewer, "m")] {
        let stranger = object(other, name);
        let errors = [
            here.section(stranger, 0.3).err(),
            here.sections(stranger, 5).err(),
            here.velocity(stranger, 0.3).err(),
            here.position(stranger).err(),
            here.object_energy(stranger).err(),
            here.least_bend_radius(stranger, 0.1, 0.3).err(),
        ];
        for error in errors {
            assert!(error.expect("a stranger").problem.contains(name));
            checked += 1;
        }
    }
    assert_eq!(checked, 18);
    // A clone's objects are as good as its own.
    let twin = here.clone();
    assert_eq!(here.position(object(&twin, "m")), here.position(object(&here, "m")));
    assert_eq!(here.sections(object(&twin, "rod"), 5).expect("a rod").len(), 5);
}

#[test]
fn a_mass_has_no_sections() {
    let world = world(6, "rod");
    let mass = object(&world, "m");
    assert!(world.section(mass, 0.0).expect_err("a mass").problem.contains("mass"));
    assert!(
        world.sections(mass, 3).is_err()
            && world.least_bend_radius(mass, 0.0, 1.0).is_err()
            && world.object_energy(mass).is_ok()
    );
}

#[test]
fn places_that_are_no_numbers_give_no_panic() {
    let world = world(6, "rod");
    let rod = object(&world, "rod");
    for s in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e300] {
        assert!(world.section(rod, s).is_ok() && world.velocity(rod, s).is_ok());
        assert!(world.least_bend_radius(rod, s, 0.5).is_ok() && world.least_bend_radius(rod, 0.5, s).is_ok());
    }
    for count in [0, 1, 2] {
        assert_eq!(world.sections(rod, count).expect("a rod").len(), count);
    }
}

#[test]
fn the_least_bend_radius_of_a_part_of_a_parabola_is_that_of_its_part() {
    // Points that are evenly spaced along the curve: 5 cm, by midpoints.
    let right: Vec<f64> = std::iter::successors(Some(0.0), |x: &f64| {
        let middle = x + 0.025 / (1.0 + 4.0 * x * x).sqrt();
        Some(x + 0.05 / (1.0 + 4.0 * middle * middle).sqrt())
    })
    .take(30)
    .collect();
    let all = right.iter().skip(1).rev().map(|x| -x).chain(right.iter().copied());
    let points: Vec<[f64; 3]> = all.map(|x| [x, 0.0, x * x]).collect();
    let world = World::build(&scene(json!({
        "rod": {"rod": {"radius": 0.005, "young": 1e7, "density": 1100, "segments": 64,
            "shape": {"points": {"through": points}}, "natural": "as-shaped"}},
    })))
    .expect("a rod");
    let rod = object(&world, "rod");
    let length = rod.rod().expect("a rod").length();
    // z = x²: R = (1 + 4x²)^(3/2)/2, least at the vertex or at the end of the part that is nearer to it; the
    // spline through its points is good to a hundredth there.
    let radius = |x: f64| 0.5 * (1.0 + 4.0 * x * x).powf(1.5);
    for (from, to) in
        [(0.0, length), (0.3 * length, length), (0.7 * length, 0.9 * length), (0.1 * length, 0.25 * length)]
    {
        let [a, b] = [from, to].map(|s| world.section(rod, s).expect("a rod").position.x);
        let nearest = if a * b < 0.0 { 0.0 } else { a.abs().min(b.abs()) };
        for found in [world.least_bend_radius(rod, from, to), world.least_bend_radius(rod, to, from)] {
            let found = found.expect("a rod");
            assert!(
                (found - radius(nearest)).abs() < 0.01 * radius(nearest),
                "from {a} to {b} m: {found} m instead of {} m",
                radius(nearest)
            );
        }
    }
}

#[test]
fn an_empty_world_can_be_stepped_and_read() {
    let mut empty = World::default();
    let report = empty.step(&StepParams::default(), &mut Workspace::new(), &NoClock);
    assert!(!report.held && empty.time() > 0.0, "{report:?}");
    assert!(!empty.equilibrate(1.0, &StaticParams::default(), &mut Workspace::new(), &NoClock).held);
    assert_eq!(empty.energy().total(), 0.0);
}
