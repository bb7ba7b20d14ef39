//! `Buildable` for the descriptions of objects.

use crate::error::BuildError;
use crate::object::MassDescription;
use crate::object::rod::RodDescription;
use crate::scene::Probe;
use crate::world::World;
use crate::world::kinds::Buildable;

impl Buildable for RodDescription {
    fn add(&self, world: &mut World, name: &str) -> Result<(), BuildError> {
        world.add_rod(name, self)
    }

    fn is_probed() -> bool {
        true
    }

    fn read(world: &World, index: usize, probe: &Probe, _: bool) -> Result<f64, BuildError> {
        world.read_object(index, probe)
    }
}

impl Buildable for MassDescription {
    fn add(&self, world: &mut World, name: &str) -> Result<(), BuildError> {
        world.add_mass(name, self)
    }

    fn is_probed() -> bool {
        true
    }

    fn read(world: &World, index: usize, probe: &Probe, _: bool) -> Result<f64, BuildError> {
        world.read_object(index, probe)
    }
}
