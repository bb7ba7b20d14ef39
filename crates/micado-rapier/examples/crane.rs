//! A crane of Rapier. A motor turns its jib, a rope of Micado carries a hook block, and two slings lift a
//! container from the ground.
//!
//! ```sh
//! cargo run --release -p micado-rapier --example crane
//! cargo run --release -- view out/rapier-crane
//! ```

#[path = "common/mod.rs"]
mod common;

use common::Tape;
use micado::object::body::Shape;
use micado_rapier::{At, Cables, Hold};
use rapier3d_f64::prelude::*;
use std::error::Error;

const SCENE: &str = r#"
title = "A crane of Rapier with a rope of Micado"

[rod.rope]
shape.line = { from = [6, 0, 8], to = [6, 0, 3.2] }
radius = "15 mm"
young = "20 GPa"
density = 5000
segments = 20
damping = { internal = "5 ms", mass = 0.1 }

[rod.sling_1]
shape.line = { from = [6, 0, 2.6], to = [5, 0, 1.2] }
radius = "10 mm"
young = "5 GPa"
density = 3000
segments = 8
damping = { internal = "5 ms", mass = 0.1 }

[rod.sling_2]
shape.line = { from = [6, 0, 2.6], to = [7, 0, 1.2] }
radius = "10 mm"
young = "5 GPa"
density = 3000
segments = 8
damping = { internal = "5 ms", mass = 0.1 }

# The drum at the tip of the jib reels in 2 m from 1 s to 5 s.
[winch.drum]
on = "rope"
at = "start"
pay_out.keyframes = { times = [0, 1, 5], values = [0, 0, -2], smooth = true }

[[probe]]
name = "pull at the hook"
of = "rope"
at = "end"
read = "tension"
"#;

/// A box of these full sizes for drawing.
fn block(size: [f64; 3]) -> Result<Shape, serde_json::Error> {
    serde_json::from_value(serde_json::json!({"box": {"size": size}}))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut world = PhysicsWorld { gravity: Vector::new(0.0, 0.0, -9.81), ..PhysicsWorld::default() };
    world.integration_parameters.dt = 1.0 / 240.0;

    // Ground, mast, and a jib of 400 kg on a hinge with a motor.
    let (ground, _) = world.insert(
        RigidBodyBuilder::fixed().translation(Vector::new(0.0, 0.0, -0.1)),
        ColliderBuilder::cuboid(10.0, 10.0, 0.1),
    );
    let (mast, _) = world.insert(
        RigidBodyBuilder::fixed().translation(Vector::new(0.0, 0.0, 4.0)),
        ColliderBuilder::cuboid(0.3, 0.3, 4.0),
    );
    let (jib, _) = world.insert(
        RigidBodyBuilder::dynamic().translation(Vector::new(3.0, 0.0, 8.2)).can_sleep(false),
        ColliderBuilder::cuboid(3.2, 0.2, 0.2).mass(400.0).collision_groups(InteractionGroups::none()),
    );
    let slew = RevoluteJointBuilder::new(Vector::Z)
        .local_anchor1(Vector::new(0.0, 0.0, 4.2))
        .local_anchor2(Vector::new(-3.0, 0.0, 0.0))
        .motor_model(MotorModel::ForceBased);
    let slew = world.insert_impulse_joint(mast, jib, slew);

    // A hook block of 80 kg, and a container of 600 kg on the ground.
    let (hook, _) = world.insert(
        RigidBodyBuilder::dynamic().translation(Vector::new(6.0, 0.0, 2.9)),
        ColliderBuilder::cuboid(0.15, 0.15, 0.3).mass(80.0),
    );
    let (container, _) = world.insert(
        RigidBodyBuilder::dynamic().translation(Vector::new(6.0, 0.0, 0.6)),
        ColliderBuilder::cuboid(1.5, 0.6, 0.6).mass(600.0),
    );

    let file = micado_io::scene::parse("rapier-crane", SCENE, &[])?;
    let mut cables = Cables::new(file.scene(), world.integration_parameters.dt)?;
    for (body, size) in [
        (ground, [20.0, 20.0, 0.2]),
        (mast, [0.6, 0.6, 8.0]),
        (jib, [6.4, 0.4, 0.4]),
        (hook, [0.3, 0.3, 0.6]),
        (container, [3.0, 1.2, 1.2]),
    ] {
        cables.draw(&world.bodies, body, block(size)?)?;
    }
    for (rod, at, body, point) in [
        ("rope", At::START, jib, [3.0, 0.0, -0.2]),
        ("rope", At::END, hook, [0.0, 0.0, 0.3]),
        ("sling_1", At::START, hook, [0.0, 0.0, -0.3]),
        ("sling_2", At::START, hook, [0.0, 0.0, -0.3]),
        ("sling_1", At::END, container, [-1.0, 0.0, 0.6]),
        ("sling_2", At::END, container, [1.0, 0.0, 0.6]),
    ] {
        cables.attach(&world.bodies, rod, at, body, Hold::ball(point))?;
    }

    let mut tape = Tape::start("crane", &file, &cables)?;
    while cables.simulation().time() < 14.0 {
        tape.frame(&mut cables, &world.bodies)?;
        // The jib holds its place for 5 s, and then turns by 60° in 5 s.
        let share = ((cables.simulation().time() - 5.0) / 5.0).clamp(0.0, 1.0);
        let angle = share * share * (3.0 - 2.0 * share) * std::f64::consts::FRAC_PI_3;
        if let Some(joint) = world.impulse_joints.get_mut(slew, true) {
            joint.data.set_motor_position(JointAxis::AngX, angle, 4e6, 1e6);
        }
        cables.step(world.gravity, &world.integration_parameters, &mut world.bodies)?;
        world.step();
    }
    tape.frame(&mut cables, &world.bodies)?;
    let (height, speed) = (world.bodies[container].translation().z - 0.6, world.bodies[container].linvel());
    report(&format!("container {height:.3} m above the ground, {:.2} m/s", speed.length()));
    report(&format!("pull at the hook {:.0} N", cables.simulation().probe_values()[0]));
    report(&tape.finish()?);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "an example reports what it did")]
fn report(text: &str) {
    println!("{text}");
}
