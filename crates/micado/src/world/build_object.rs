//! `Buildable` for the descriptions of objects.

use crate::error::BuildError;
use crate::object::kinds::{object_kinds, types::*};
use crate::scene::Probe;
use crate::world::World;
use crate::world::kinds::Buildable;

macro_rules! buildable {
    ($($(#[$doc:meta])* $Kind:ident($Description:ident) $word:ident $words:ident {$($edits:tt)*})*) => {
        $(
            impl Buildable for $Description {
                fn add(&self, world: &mut World, name: &str) -> Result<(), BuildError> {
                    world.add_object(name, self.clone().into())
                }

                fn is_probed() -> bool {
                    true
                }

                fn read(world: &World, index: usize, probe: &Probe, _: bool) -> Result<f64, BuildError> {
                    world.read_object(index, probe)
                }
            }
        )*
    };
}
object_kinds!(buildable);
