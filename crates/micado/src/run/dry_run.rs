//! Dry run: tries the actions on the initial world, to report errors before the run.
//!
//! Only errors that don't depend on the motion are reported: names, places, numbers. The length of a rod that
//! another action cuts or splices, or that is on a winch, is not known in advance, so actions on it are not
//! checked; neither are actions on items that another action adds.

use crate::error::{BuildError, BuildErrorKind};
use crate::scene::{Action, Edit, Effect, ItemEdit, Kind, Named, Scene};
use crate::world::World;
use crate::world::kinds::Buildable;

/// Tries the actions of a scene on its world.
pub(crate) fn dry_run(scene: &Scene, world: &World) -> Result<(), BuildError> {
    if scene.action.is_empty() {
        return Ok(());
    }
    let mut stage = world.objects_only();
    for (k, action) in scene.action.iter().enumerate() {
        if let Some(ItemEdit { kind, name, effect: Effect::Add(_), .. }) = action.edit.item_edit()
            && kind.is_object()
            && stage.is_free(name)
        {
            stage.apply(&action.edit).map_err(|e| e.within(&format!("action[{k}].do")))?;
        }
    }
    for (k, action) in scene.action.iter().enumerate() {
        let objects = objects(&action.edit, scene);
        let names = || objects.iter().copied().chain(action.edit.adds().map(|(_, name, _)| name));
        let comes = |name: &str| {
            stage.object("", name).is_err()
                && others(scene, k).any(|other| other.edit.adds().any(|(_, n, _)| n == name))
        };
        if names().any(|name| changes(scene, k, name)) || objects.iter().any(|name| comes(name)) {
            continue;
        }
        stage.state.time = action.at.unwrap_or(0.0);
        // The time of a trigger is not known: then only the places are checked.
        let tried = match &action.edit {
            Edit::AddConstraint(Named { to, .. }) | Edit::ChangeConstraint(Named { to, .. })
                if action.when.is_some() =>
            {
                stage.ends(to).map(drop).map_err(|e| e.within("to"))
            }
            edit => attempt(edit, &stage, scene, world),
        };
        tried.map_err(|e| e.within(&format!("action[{k}].do.{}", action.edit.word())))?;
    }
    Ok(())
}

/// All actions but one.
fn others(scene: &Scene, k: usize) -> impl Iterator<Item = &Action> {
    scene.action.iter().enumerate().filter(move |(j, _)| *j != k).map(|(_, action)| action)
}

/// Whether a rod may have changed by the time of an action.
fn changes(scene: &Scene, k: usize, rod: &str) -> bool {
    let is = |name: &Option<String>| name.as_deref() == Some(rod);
    scene.winch.values().any(|winch| winch.on == rod)
        || others(scene, k).any(|action| match &action.edit {
            Edit::Cut(cut) => cut.rod == rod || is(&cut.first) || is(&cut.second),
            Edit::Splice(splice) => splice.first == rod || splice.second == rod || is(&splice.name),
            Edit::AddWinch(Named { to, .. }) => to.on == rod,
            _ => false,
        })
}

/// The objects of an edit.
fn objects<'a>(edit: &'a Edit, scene: &'a Scene) -> Vec<&'a str> {
    match edit {
        Edit::CloseClip(clip) => scene.constraint.get(&clip.name).map(Buildable::objects).unwrap_or_default(),
        Edit::Cut(cut) => vec![&cut.rod],
        Edit::Splice(splice) => vec![&splice.first, &splice.second],
        Edit::Refine(refine) => vec![&refine.rod],
        Edit::Coarsen(coarsen) => vec![&coarsen.rod],
        _ => match edit.item_edit().map(|item_edit| item_edit.effect) {
            Some(Effect::Add(description) | Effect::Change(description)) => description.buildable().objects(),
            _ => Vec::new(),
        },
    }
}

/// Tries one edit. Errors of the present state are ignored: by the time of the action ends may meet, and rods
/// may have other directions and knots.
fn attempt(edit: &Edit, stage: &World, scene: &Scene, world: &World) -> Result<(), BuildError> {
    // A clip of the scene, unless an action changes it.
    let clip = |name: &str| {
        let remade = |action: &Action| match &action.edit {
            Edit::Release(gone) => gone == name,
            Edit::ChangeConstraint(named) => named.name == name,
            _ => false,
        };
        world.index_of(Kind::Constraint, "", name).ok().filter(|_| !scene.action.iter().any(remade))
    };
    let tried = match edit {
        Edit::AddConstraint(Named { name, to }) | Edit::ChangeConstraint(Named { name, to }) => {
            stage.make_constraint(name, to).map(drop).map_err(|e| e.within("to"))
        }
        Edit::AddLoad(Named { name, to }) | Edit::ChangeLoad(Named { name, to }) => {
            stage.make_load(name, to).map(drop).map_err(|e| e.within("to"))
        }
        Edit::Cut(cut) => stage.cut(cut).map(drop),
        Edit::Splice(splice) => stage.splice(splice).map(drop),
        Edit::Refine(refine) => stage.refine(refine).map(drop),
        Edit::Coarsen(coarsen) => stage.coarsen(coarsen).map(drop),
        Edit::OpenClip(name) => clip(name).map_or(Ok(()), |index| world.clone().open_clip(index)),
        Edit::CloseClip(at) => {
            clip(&at.name).map_or(Ok(()), |index| world.clone().close_clip(index, at.on.as_deref(), at.at))
        }
        Edit::Gravity(gravity) => gravity.check(""),
        _ => match edit.item_edit() {
            Some(ItemEdit { name, effect: Effect::Add(description), .. }) if stage.is_free(name) => {
                stage.clone().add_in_run(name, description).map_err(|e| e.within("to"))
            }
            _ => Ok(()),
        },
    };
    tried.or_else(|error| if error.kind == BuildErrorKind::State { Ok(()) } else { Err(error) })
}

impl World {
    /// The objects with nothing attached to them.
    fn objects_only(&self) -> World {
        let mut bare = World::default();
        bare.structure.gravity = self.structure.gravity.clone();
        bare.structure.registry = self.structure.registry.clone();
        bare.structure.explicit = self.structure.explicit;
        bare.state.time = self.state.time;
        (0..self.structure.objects.len()).for_each(|k| self.copy_object(k, &mut bare));
        bare
    }
}
