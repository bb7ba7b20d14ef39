//! A hand on a constraint: another thread writes the target and reads the force, without locks in the step.

use super::cell::NumberCell;
use crate::error::BuildError;
use crate::world::World;
use glam::DVec3;
use std::sync::Arc;

/// Data exchanged with the steps.
#[derive(Debug)]
struct Exchange {
    /// Position and rotation vector of the hand.
    target: NumberCell<6>,
    /// Time, force, moment, position.
    felt: NumberCell<10>,
}

/// The outer end, for the device or program that moves the hand.
#[derive(Debug)]
pub struct Hand {
    exchange: Arc<Exchange>,
    /// Last force that was read.
    felt: Touch,
}

/// The inner end, for the steps.
#[derive(Debug)]
pub struct HandEnd {
    exchange: Arc<Exchange>,
    /// Name of the constraint.
    name: String,
    /// Last target that was read.
    target: [f64; 6],
}

/// Force on a hand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    /// Simulated time, s.
    pub time: f64,
    /// Force of the object on the hand, N.
    pub force: DVec3,
    /// Moment of the object on the hand, N·m.
    pub moment: DVec3,
    /// Position of the held place, m.
    pub position: DVec3,
}

impl Hand {
    /// A hand on the position or clamp constraint of this name, at its present target, and the end for the
    /// steps.
    ///
    /// # Errors
    /// There is no such constraint, or it is neither a position nor a clamp.
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

    /// Moves the hand: the next step moves the target of its constraint there. `rotation` is a rotation
    /// vector, used by a clamp. Non-finite values are ignored.
    pub fn move_to(&mut self, position: [f64; 3], rotation: [f64; 3]) {
        let [x, y, z] = position;
        let [a, b, c] = rotation;
        let target = [x, y, z, a, b, c];
        if target.iter().all(|number| number.is_finite()) {
            self.exchange.target.write(&target);
        }
    }

    /// The force at the end of the last step; zero if the constraint is gone.
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
    /// Before a step of `step` seconds: moves the target linearly to the hand over the step. Does nothing if
    /// the constraint is gone.
    pub fn follow(&mut self, world: &mut World, step: f64) {
        self.target = self.exchange.target.read().unwrap_or(self.target);
        world.move_target(&self.name, self.target, step);
    }

    /// After a step: writes the force on the hand.
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
