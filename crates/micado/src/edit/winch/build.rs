//! Winches as items of a world: added, changed, removed.

use crate::error::BuildError;
use crate::scene::{Probe, WinchDescription};
use crate::world::kinds::{Attached, Buildable};
use crate::world::remap::Remap;
use crate::world::{State, Winch, World};

impl Buildable for WinchDescription {
    fn add(&self, world: &mut World, name: &str) -> Result<(), BuildError> {
        world.add_winch(name, self)
    }

    fn add_in_run(&self, world: &mut World, name: &str) -> Result<(), BuildError> {
        world.add_winch_in_run(name, self)
    }

    fn change(&self, world: &mut World, name: &str, index: usize) -> Result<(), BuildError> {
        let winch = world.make_winch(name, self)?;
        let present = &world.structure.winches[index].description;
        if (&self.on, self.at) != (&present.on, present.at) {
            let problem = format!("the winch `{name}` is at the {:?} of `{}`", present.at, present.on);
            return Err(BuildError::new("", problem.to_lowercase(), "remove it and add another one"));
        }
        world.structure.winches[index] = winch;
        Ok(())
    }

    fn remove(world: &mut World, index: usize) -> Result<(), BuildError> {
        world.unspool(index)
    }

    fn objects(&self) -> Vec<&str> {
        vec![&self.on]
    }

    fn is_probed() -> bool {
        true
    }

    fn read(world: &World, index: usize, probe: &Probe, _: bool) -> Result<f64, BuildError> {
        world.read_winch(index, probe)
    }
}

impl Attached for Winch {
    /// Name, description and offset.
    type Saved = (String, WinchDescription, f64);

    fn save(&self) -> Self::Saved {
        (self.name.clone(), self.description.clone(), self.offset)
    }

    /// The rod has been built as described.
    fn restore(
        (name, description, offset): Self::Saved,
        world: &mut World,
        state: &State,
    ) -> Result<(), BuildError> {
        let (k, winch) = (world.structure.winches.len(), world.make_winch(&name, &description)?);
        let length = state.spooled.get(k).copied().unwrap_or(winch.built.length());
        world.structure.winches.push(Winch { offset, ..winch });
        world.state.spooled.push(length);
        world.respan(k);
        Ok(())
    }

    /// The rod has its present length already.
    fn relocate(
        from: &World,
        index: usize,
        _: &Remap,
        kept: &[Option<usize>],
        to: &mut World,
    ) -> Result<(), BuildError> {
        let winch = &from.structure.winches[index];
        if let Some(object) = kept[winch.object] {
            to.structure.winches.push(Winch { object, ..winch.clone() });
            to.state.spooled.push(from.state.spooled[index]);
        }
        Ok(())
    }

    fn moves(world: &World, index: usize) -> bool {
        world.structure.winches[index].description.pay_out.moves()
    }
}
