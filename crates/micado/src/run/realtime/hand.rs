//! A hand on a constraint: a target that another thread writes, and the force that it feels, without locks in
//! the step.

use super::cell::NumberCell;
use crate::error::BuildError;
use crate::world::World;
use glam::DVec3;
use std::sync::Arc;

/// What is exchanged with the steps.
#[derive(Debug)]
struct Exchange {
    /// Position and rotation vector that the hand is at.
    target: NumberCell<6>,
    /// Time, force, moment, place.
    felt: NumberCell<10>,
}

/// The outer end: belongs to the device, or to whoever moves the hand.
#[derive(Debug)]
pub struct Hand {
    exchange: Arc<Exchange>,
    /// What it felt when it last could tell.
    felt: Touch,
}

/// The inner end: belongs to the steps.
#[derive(Debug)]
pub struct HandEnd {
    exchange: Arc<Exchange>,
    /// Name of the constraint.
    name: String,
    /// Where the hand was seen last.
    target: [f64; 6],
}

/// What a hand feels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    /// Simulated time, s.
    pub time: f64,
    /// Force with which the object pulls at the hand, N.
    pub force: DVec3,
    /// Moment with which it turns the hand, N·m.
    pub moment: DVec3,
    /// Where the held place is, m.
    pub position: DVec3,
}

impl Hand {
    /// A hand on the position or clamp constraint of this name, where it is now, and what the steps need of
    /// it.
    ///
    /// # Errors
    /// There is no such constraint, or its target is none that a hand could be.
    pub fn on(world: &World, name: &str) -> Result<(Self, HandEnd), BuildError> {
        let target = world.hand_target(name)?;
        let felt = [0.0; 10];
        let exchange = Arc::new(Exchange { target: NumberCell::new(target), felt: NumberCell::new(felt) });
        let mut end = HandEnd { exchange: exchange.clone(), name: name.to_owned(), target };
        end.answer(world);
        let mut hand = Self { exchange, felt: Touch::default() };
        hand.feel();
        Ok((hand, end))
    }

    /// Moves the hand: the step that begins next carries its constraint there. `rotation` is a rotation
    /// vector, which a clamp follows. What is not finite is not taken.
    pub fn move_to(&mut self, position: [f64; 3], rotation: [f64; 3]) {
        let [x, y, z] = position;
        let [a, b, c] = rotation;
        let target = [x, y, z, a, b, c];
        if target.iter().all(|number| number.is_finite()) {
            self.exchange.target.write(&target);
        }
    }

    /// What it felt at the end of the last step; no force where its constraint is gone.
    pub fn feel(&mut self) -> Touch {
        if let Some([time, fx, fy, fz, mx, my, mz, x, y, z]) = self.exchange.felt.read() {
            self.felt = Touch {
                time,
                force: DVec3::new(fx, fy, fz),
                moment: DVec3::new(mx, my, mz),
                position: DVec3::new(x, y, z),
            };
        }
        self.felt
    }
}

impl HandEnd {
    /// Before a step of `step` seconds: the constraint goes to where the hand is, evenly over the step.
    /// Nothing if the constraint is gone.
    pub fn follow(&mut self, world: &mut World, step: f64) {
        self.target = self.exchange.target.read().unwrap_or(self.target);
        world.carry_target(&self.name, self.target, step);
    }

    /// After a step: what the hand feels.
    pub fn answer(&mut self, world: &World) {
        let found = world.structure().constraints.iter().position(|constraint| constraint.name == self.name);
        let felt = found.and_then(|k| Some((world.constraint_force(k).ok()?, world.sites(k).ok()?[0].x)));
        let (force, moment, x) = felt
            .map_or((DVec3::ZERO, DVec3::ZERO, DVec3::from_slice(&self.target)), |(on_object, x)| {
                (-on_object.force, -on_object.moment, x)
            });
        let felt = [world.time(), force.x, force.y, force.z, moment.x, moment.y, moment.z, x.x, x.y, x.z];
        if felt.iter().all(|number| number.is_finite()) {
            self.exchange.felt.write(&felt);
        }
    }
}
