//! Edits: changes of what exists, applied between steps.

pub(crate) mod cut;
pub(crate) mod refine;
pub(crate) mod remap;
pub(crate) mod resolution;
pub(crate) mod splice;
pub(crate) mod winch;

use crate::constraint::{EndOfCurve, Law};
use crate::error::BuildError;
use crate::object::MassDescription;
use crate::scene::{ClipAt, Edit, Named};
use crate::world::sliding::slid_off;
use crate::world::{Revision, World, unknown};
use remap::Remap;
use serde::{Deserialize, Serialize};
pub use winch::{StopReason, StoppedWinch};

/// How a sliding constraint and its rod came apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slip {
    /// The rod slipped out of an eye.
    Rod,
    /// A pearl slipped off its rod and moves on as a mass of its name.
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
    /// The edit can't be applied; the world is as it was.
    pub fn apply(&mut self, edit: &Edit) -> Result<(), BuildError> {
        self.apply_and_relocate(edit).map(|_| ())
    }

    /// Applies an edit and says where material has gone.
    pub(crate) fn apply_and_relocate(&mut self, edit: &Edit) -> Result<Remap, BuildError> {
        let mut relocation = Remap::default();
        let within = |word: &'static str| move |e: BuildError| e.within(&format!("{word}.to"));
        match edit {
            Edit::AddRod(Named { name, to }) => self.add_rod(name, to).map_err(within("add-rod")),
            Edit::AddMass(Named { name, to }) => self.add_mass(name, to).map_err(within("add-mass")),
            Edit::AddConstraint(Named { name, to }) => {
                self.add_constraint(name, to).map_err(within("add-constraint"))
            }
            Edit::ChangeConstraint(Named { name, to }) => {
                let index = self.constraint_index(name).map_err(|e| e.within("change-constraint"))?;
                let (constraint, state) =
                    self.make_constraint(name, to).map_err(within("change-constraint"))?;
                self.hand_to_duplicate(index);
                self.structure.constraints[index] = constraint;
                self.state.constraints[index] = state;
                Ok(())
            }
            Edit::Release(name) => {
                let index =
                    self.constraint_index(name).map_err(|e| BuildError { path: "release".into(), ..e })?;
                self.hand_to_duplicate(index);
                self.structure.constraints.remove(index);
                self.state.constraints.remove(index);
                Ok(())
            }
            Edit::OpenClip(name) => {
                let index =
                    self.constraint_index(name).map_err(|e| BuildError { path: "open-clip".into(), ..e })?;
                self.open_clip(index).map_err(|e| e.within("open-clip"))
            }
            Edit::CloseClip(ClipAt { name, on, at }) => {
                let index = self.constraint_index(name).map_err(|e| e.within("close-clip"))?;
                self.close_clip(index, on.as_deref(), *at).map_err(|e| e.within("close-clip"))
            }
            Edit::AddLoad(Named { name, to }) => self.add_load(name, to).map_err(within("add-load")),
            Edit::ChangeLoad(Named { name, to }) => {
                let index = self.load_index(name).map_err(|e| e.within("change-load"))?;
                self.structure.loads[index] = self.make_load(name, to).map_err(within("change-load"))?;
                Ok(())
            }
            Edit::RemoveLoad(name) => {
                let index =
                    self.load_index(name).map_err(|e| BuildError { path: "remove-load".into(), ..e })?;
                self.structure.loads.remove(index);
                Ok(())
            }
            Edit::AddSpring(Named { name, to }) => self.add_spring(name, to).map_err(within("add-spring")),
            Edit::RemoveSpring(name) => {
                let found = self.structure.springs.iter().position(|s| &s.name == name);
                let index = found.ok_or_else(|| {
                    unknown("remove-spring", "spring", name, self.structure.springs.iter().map(|s| &s.name))
                })?;
                self.structure.springs.remove(index);
                self.state.springs.remove(index);
                Ok(())
            }
            Edit::AddWinch(Named { name, to }) => self.bring_winch(name, to).map_err(within("add-winch")),
            Edit::ChangeWinch(Named { name, to }) => {
                let index = self.winch_index(name).map_err(|e| e.within("change-winch"))?;
                let winch = self.make_winch(name, to).map_err(within("change-winch"))?;
                let present = &self.structure.winches[index];
                if (&to.on, to.at) != (&present.description.on, present.description.at) {
                    let problem = format!(
                        "the winch `{name}` is at the {:?} of `{}`",
                        present.description.at, present.description.on
                    );
                    return Err(BuildError::new(
                        "change-winch.to",
                        problem.to_lowercase(),
                        "remove it and add another one",
                    ));
                }
                self.structure.winches[index] = winch;
                Ok(())
            }
            Edit::RemoveWinch(name) => {
                let index =
                    self.winch_index(name).map_err(|e| BuildError { path: "remove-winch".into(), ..e })?;
                self.unspool(index).map_err(|e| e.within("remove-winch"))
            }
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
                Ok(())
            }
        }?;
        self.is_edited();
        Ok(relocation)
    }

    /// After every edit: what follows from the structure is found anew.
    pub(crate) fn is_edited(&mut self) {
        self.mark_duplicates();
        self.structure.version += 1;
        self.structure.revision = Revision::default();
        self.state.restart_history();
    }

    /// Removes sliding constraints that have left their rods, where the scene lets them; a pearl moves on as
    /// a mass. Returns their names.
    pub(crate) fn release_slipped(&mut self) -> Vec<(String, Slip)> {
        let mut slipped = Vec::new();
        while let Some(k) = slid_off(&self.structure, &self.state, EndOfCurve::Release) {
            let name = self.structure.constraints[k].name.clone();
            let pearl = match (&self.structure.constraints[k].law, self.sites(k)) {
                (Law::Pearl(bead), Ok([site, _])) => Some(MassDescription {
                    position: site.x.to_array(),
                    mass: bead.mass,
                    velocity: self.state.constraints[k].velocity,
                    radius: (bead.radius > 0.0).then_some(bead.radius),
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
