//! Two robot arms of Rapier with a hose of Micado between their hands. The hose is clamped to both hands, so
//! it bends and twists with them, and they carry its moments.
//!
//! ```sh
//! cargo run --release -p micado-rapier --example robot_arms
//! cargo run --release -- view out/rapier-robot-arms
//! ```

#[path = "common/mod.rs"]
mod common;

use common::Tape;
use micado::object::body::Shape;
use micado_rapier::{At, Cables, Hold};
use rapier3d_f64::prelude::*;
use std::error::Error;
use std::f64::consts::PI;

const SCENE: &str = r#"
title = "Two robot arms of Rapier with a hose of Micado"

[rod.hose]
shape.points.through = [[-1.0, 0, 1.55], [-0.75, 0, 1.6], [-0.5, 0, 1.25], [0, 0, 0.95],
    [0.5, 0, 1.25], [0.75, 0, 1.6], [1.0, 0, 1.55]]
radius = "15 mm"
young = "8 MPa"
density = 1100
segments = 30
damping = { internal = "10 ms", mass = 0.2 }

[picture]
colour = "curvature"

[[probe]]
name = "torque in the hose"
of = "hose"
at = "middle"
read = "torque"
"#;

/// One arm: a fixed base, upper arm, forearm and hand, with hinges between them.
struct Arm {
    links: [RigidBodyHandle; 4],
    joints: [ImpulseJointHandle; 3],
}

/// Length of upper arm and forearm, m.
const LONG: f64 = 0.8;
/// Length of the hand, m.
const HAND: f64 = 0.25;

/// An arm that stands at x, with its upper arm upright and its forearm horizontal, towards the other robot.
fn arm(world: &mut PhysicsWorld, x: f64, towards: f64) -> Arm {
    let mut link = |centre: [f64; 3], half: [f64; 3], mass: f64| {
        let body = if mass > 0.0 { RigidBodyBuilder::dynamic() } else { RigidBodyBuilder::fixed() };
        let shape = ColliderBuilder::cuboid(half[0], half[1], half[2])
            .mass(mass)
            .collision_groups(InteractionGroups::none());
        world.insert(body.translation(Vector::from_array(centre)).can_sleep(false), shape).0
    };
    let elbow = 0.75 + LONG;
    let links = [
        link([x, 0.0, 0.375], [0.15, 0.15, 0.375], 0.0),
        link([x, 0.0, 0.75 + LONG / 2.0], [0.07, 0.07, LONG / 2.0], 20.0),
        link([x + towards * LONG / 2.0, 0.0, elbow], [LONG / 2.0, 0.05, 0.05], 12.0),
        link([x + towards * (LONG + HAND / 2.0), 0.0, elbow], [HAND / 2.0, 0.04, 0.04], 3.0),
    ];
    let mut hinge = |axis: Vector, k: usize, first: [f64; 3], second: [f64; 3]| {
        let joint = RevoluteJointBuilder::new(axis)
            .local_anchor1(Vector::from_array(first))
            .local_anchor2(Vector::from_array(second))
            .motor_model(MotorModel::ForceBased);
        world.insert_impulse_joint(links[k], links[k + 1], joint)
    };
    let joints = [
        hinge(Vector::Y, 0, [0.0, 0.0, 0.375], [0.0, 0.0, -LONG / 2.0]),
        hinge(Vector::Y, 1, [0.0, 0.0, LONG / 2.0], [-towards * LONG / 2.0, 0.0, 0.0]),
        hinge(Vector::X, 2, [towards * LONG / 2.0, 0.0, 0.0], [-towards * HAND / 2.0, 0.0, 0.0]),
    ];
    Arm { links, joints }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut world = PhysicsWorld { gravity: Vector::new(0.0, 0.0, -9.81), ..PhysicsWorld::default() };
    world.integration_parameters.dt = 1.0 / 240.0;
    world.integration_parameters.num_solver_iterations = 8;
    let reach = 1.0 + LONG + HAND;
    let arms = [arm(&mut world, -reach, 1.0), arm(&mut world, reach, -1.0)];

    let file = micado_io::scene::parse("rapier-robot-arms", SCENE, &[])?;
    let mut cables = Cables::new(file.scene(), world.integration_parameters.dt)?;
    let sizes = [[0.3, 0.3, 0.75], [0.14, 0.14, LONG], [LONG, 0.1, 0.1], [HAND, 0.08, 0.08]];
    for arm in &arms {
        for (body, size) in arm.links.iter().zip(sizes) {
            let shape: Shape = serde_json::from_value(serde_json::json!({"box": {"size": size}}))?;
            cables.draw(&world.bodies, *body, shape)?;
        }
    }
    cables.attach(&world.bodies, "hose", At::START, arms[0].links[3], Hold::clamp_here())?;
    cables.attach(&world.bodies, "hose", At::END, arms[1].links[3], Hold::clamp_here())?;

    let mut tape = Tape::start("robot-arms", &file, &cables)?;
    let mut most = 0.0_f64;
    while cables.simulation().time() < 12.0 {
        tape.frame(&mut cables, &world.bodies)?;
        let time = cables.simulation().time();
        let start = (time / 2.0).min(1.0);
        for (k, arm) in arms.iter().enumerate() {
            let sign = if k == 0 { 1.0 } else { -1.0 };
            let phase = time * PI / 3.0;
            // Shoulders lean, elbows bend, and the hands twist the hose against each other.
            let targets = [
                (0.25 * (phase + 0.6 * k as f64).sin() * sign, 2e4, 2e3),
                (0.35 * (0.7 * phase).sin() * sign, 1e4, 1e3),
                (0.9 * (0.5 * phase).sin() * sign, 5e2, 5e1),
            ];
            for (joint, (target, stiffness, damping)) in arm.joints.iter().zip(targets) {
                if let Some(joint) = world.impulse_joints.get_mut(*joint, true) {
                    joint.data.set_motor_position(JointAxis::AngX, start * target, stiffness, damping);
                }
            }
        }
        let report = cables.step(world.gravity, &world.integration_parameters, &mut world.bodies)?;
        if report.held {
            return Err(format!("the hose can't follow at {time} s: {:?}", report.refused).into());
        }
        world.step();
        most = most.max(cables.simulation().probe_values()[0].abs());
    }
    tape.frame(&mut cables, &world.bodies)?;
    report(&format!("largest torque in the middle of the hose {most:.3} N·m"));
    report(&tape.finish()?);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "an example reports what it did")]
fn report(text: &str) {
    println!("{text}");
}
