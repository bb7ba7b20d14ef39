//! Edits: changes of the structure, applied between steps.

pub(crate) mod cut;
mod mirror;
pub(crate) mod refine;
pub(crate) mod remap;
pub(crate) mod resolution;
pub(crate) mod splice;
pub(crate) mod winch;

use crate::constraint::{EndOfCurve, Law};
use crate::error::BuildError;
use crate::object::MassDescription;
use crate::scene::{ClipAt, Edit, Effect, ItemEdit, Kind, Named};
use crate::world::remap::Remap;
use crate::world::sliding::slid_off;
use crate::world::{Revision, World};
pub use mirror::{BodyMatter, BodyMotion};
use serde::{Deserialize, Serialize};
pub use winch::{StopReason, StoppedWinch};

/// How a sliding constraint and its rod separated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slip {
    /// The rod slipped out of an eye.
    Rod,
    /// A pearl slipped off its rod and continues as a mass of the same name.
    Pearl,
    /// A pearl slipped off its rod and was removed, because it can't be a mass.
    LostPearl {
        /// Why.
        error: BuildError,
    },
}

impl World {
    /// Applies an edit.
    ///
    /// # Errors
    /// The edit can't be applied; the world is unchanged.
    pub fn apply(&mut self, edit: &Edit) -> Result<(), BuildError> {
        self.apply_and_relocate(edit).map(|_| ())
    }

    /// Applies an edit and returns the map of moved material.
    pub(crate) fn apply_and_relocate(&mut self, edit: &Edit) -> Result<Remap, BuildError> {
        let mut relocation = Remap::default();
        match edit {
            Edit::OpenClip(name) => self
                .index_of(Kind::Constraint, "", name)
                .and_then(|index| self.open_clip(index))
                .map_err(|e| e.within("open-clip")),
            Edit::CloseClip(ClipAt { name, on, at }) => self
                .index_of(Kind::Constraint, "name", name)
                .and_then(|index| self.close_clip(index, on.as_deref(), *at))
                .map_err(|e| e.within("close-clip")),
            Edit::Cut(cut) => {
                (*self, relocation) = self.cut(cut).map_err(|e| e.within("cut"))?;
                Ok(())
            }
            Edit::Splice(splice) => {
                (*self, relocation) = self.splice(splice).map_err(|e| e.within("splice"))?;
                Ok(())
            }
            Edit::Refine(refine) => {
                (*self, relocation) = self.refine(refine).map_err(|e| e.within("refine"))?;
                Ok(())
            }
            Edit::Coarsen(coarsen) => {
                (*self, relocation) = self.coarsen(coarsen).map_err(|e| e.within("coarsen"))?;
                Ok(())
            }
            Edit::Gravity(gravity) => {
                gravity.check("gravity")?;
                self.structure.gravity = gravity.clone();
                Ok(())
            }
            Edit::Stop => {
                self.state.v.fill(0.0);
                for memory in &mut self.state.constraints {
                    memory.own_rate = [0.0; crate::constraint::ENDS];
                    if memory.sliding.velocity != [0.0; 3] {
                        memory.sliding.velocity = [0.0; 3];
                    }
                }
                Ok(())
            }
            _ => edit
                .item_edit()
                .map_or(Ok(()), |item_edit| self.apply_to_one(item_edit).map_err(|e| e.within(edit.word()))),
        }?;
        self.after_edit();
        Ok(relocation)
    }

    /// Adds, changes or removes one item.
    fn apply_to_one(
        &mut self,
        ItemEdit { kind, name, field, effect }: ItemEdit<'_>,
    ) -> Result<(), BuildError> {
        match effect {
            Effect::Add(description) => self.add_in_run(name, description).map_err(|e| e.within("to")),
            Effect::Change(description) => {
                let index = self.index_of(kind, field, name)?;
                description.buildable().change(self, name, index).map_err(|e| e.within("to"))
            }
            Effect::Remove => {
                let index = self.index_of(kind, field, name)?;
                self.remove(kind, index)
            }
            Effect::Open | Effect::Close(_) => Ok(()),
        }
    }

    /// After every edit: updates data that follow from the structure.
    pub(crate) fn after_edit(&mut self) {
        self.mark_duplicates();
        self.structure.version += 1;
        self.structure.revision = Revision::default();
        self.renew_touching();
        self.state.restart_history();
    }

    /// Removes sliding constraints that have left their rods, where the scene allows it; a pearl becomes a
    /// mass. Returns their names.
    pub(crate) fn release_slipped(&mut self) -> Vec<(String, Slip)> {
        let mut slipped = Vec::new();
        while let Some(k) = slid_off(&self.structure, &self.state, EndOfCurve::Release) {
            let name = self.structure.constraints[k].name.clone();
            let pearl = match (&self.structure.constraints[k].law, self.sites(k)) {
                (Law::Pearl(pearl), Ok([site, _])) => Some(MassDescription {
                    position: site.x.to_array(),
                    mass: pearl.mass,
                    velocity: self.state.constraints[k].sliding.velocity,
                    radius: (pearl.radius > 0.0).then_some(pearl.radius),
                }),
                _ => None,
            };
            if self.apply(&Edit::Release(name.clone())).is_err() {
                break;
            }
            let slip = match pearl {
                Some(to) => match self.apply(&Edit::AddMass(Named { name: name.clone(), to })) {
                    Ok(()) => Slip::Pearl,
                    Err(error) => Slip::LostPearl { error },
                },
                None => Slip::Rod,
            };
            slipped.push((name, slip));
        }
        slipped
    }
}
