//! Scenery of a world: shapes that are only drawn, at rest, in time, or with objects.

use crate::describe::anchor::At;
use crate::error::{BuildError, check};
use crate::geometry::rotation::rotation_of;
use crate::object::Site;
use crate::object::body::{Surface, TurnedMesh};
use crate::scene::SceneryDescription;
use crate::world::kinds::{Attached, Buildable};
use crate::world::remap::Remap;
use crate::world::{State, World};
use glam::{DMat3, DQuat, DVec3};

/// A shape that is only drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenery {
    /// Name.
    pub name: String,
    /// Description.
    pub description: SceneryDescription,
    /// Its surface in its axes.
    pub surface: Surface,
    /// Largest distance of its surface from its origin, m.
    pub radius: f64,
    /// Meshes of its shape that were inside out.
    pub turned: Vec<TurnedMesh>,
}

impl World {
    /// Present position and rotation of scenery number `k`; zero position and no rotation if there is none.
    pub fn scenery_pose(&self, k: usize) -> (DVec3, DQuat) {
        let Some(Scenery { description: of, .. }) = self.structure.scenery.get(k) else {
            return (DVec3::ZERO, DQuat::IDENTITY);
        };
        let (at, frame) = self.scenery_base(of);
        let time = self.state.time;
        let place = at + frame * DVec3::from_array(of.position.at(time));
        let turn = DQuat::from_mat3(&frame) * rotation_of(DVec3::from_array(of.rotation.at(time)));
        (place, turn.normalize())
    }

    /// Origin and axes in which position and rotation are given.
    fn scenery_base(&self, of: &SceneryDescription) -> (DVec3, DMat3) {
        let along = of.along.at(self.state.time);
        let Some(first) = of.on.as_ref().and_then(|on| self.drawn_site(on, of.at, along)) else {
            return (DVec3::ZERO, DMat3::IDENTITY);
        };
        let second = of.to.as_ref().and_then(|to| {
            let site = self.drawn_site(&to.on, to.at, 0.0)?;
            Some(site.x + site.frame() * DVec3::from_array(to.arm.unwrap_or_default()))
        });
        match second {
            Some(second) => (0.5 * (first.x + second), upright(second - first.x)),
            None => (first.x, if of.turns { first.frame() } else { DMat3::IDENTITY }),
        }
    }

    /// The site of a place that is moved along its rod; a place that a winch has reeled in is at the winch.
    fn drawn_site(&self, on: &str, at: Option<At>, along: f64) -> Option<Site> {
        let object = self.structure.objects.iter().find(|object| object.name == on)?;
        let place = match object.rod() {
            Some(rod) => object.place_along(at?.along(rod.length()) + along),
            None => object.model().place(on, at, false).ok()?.of_object(object.index),
        };
        let poses = self.poses();
        Some(poses.site(&place, &poses.frame(&place)))
    }

    fn check_scenery(&self, of: &SceneryDescription) -> Result<(), BuildError> {
        of.position.check("position")?;
        of.rotation.check("rotation")?;
        of.along.check("along")?;
        let is_moved_along = of.along.moves() || of.along.at(0.0) != 0.0;
        let Some(on) = &of.on else {
            let given = [("at", of.at.is_some()), ("to", of.to.is_some()), ("along", is_moved_along)];
            return match given.into_iter().find(|(_, is_given)| *is_given) {
                Some((path, _)) => {
                    Err(BuildError::new(path, "it needs an object", "write `on`, or leave it out"))
                }
                None => Ok(()),
            };
        };
        self.place(on, of.at, false)?;
        if is_moved_along && self.object("on", on)?.rod().is_none() {
            let problem = format!("`{on}` is not a rod");
            return Err(BuildError::new("along", problem, "name a rod, or move it by `position`"));
        }
        if let Some(to) = &of.to {
            check::finite_vector("to.arm", to.arm.unwrap_or_default())?;
            self.place(&to.on, to.at, false).map_err(|error| error.within("to"))?;
            if !of.turns {
                let problem = "it can't keep the axes of the world: `to` sets its x axis";
                return Err(BuildError::new("turns", problem, "leave one of them out"));
            }
        }
        Ok(())
    }

    fn make_scenery(&self, name: &str, of: &SceneryDescription) -> Result<Scenery, BuildError> {
        let (surface, turned) = of.shape.drawn("shape")?;
        let radius = surface.vertices.iter().map(|&x| DVec3::from_array(x).length()).fold(0.0, f64::max);
        let mut description = of.clone();
        description.for_each_place(|on, at| *at = self.pinned(on, *at));
        Ok(Scenery { name: name.to_owned(), description, surface, radius, turned })
    }
}

/// Axes with x along a direction and z up as far as possible.
fn upright(along: DVec3) -> DMat3 {
    let Some(x) = along.try_normalize() else { return DMat3::IDENTITY };
    let level = DVec3::Z.cross(x);
    let y = level.try_normalize().filter(|_| level.length() > 1e-6).unwrap_or(DVec3::Y);
    DMat3::from_cols(x, y, x.cross(y))
}

impl Buildable for SceneryDescription {
    fn add(&self, world: &mut World, name: &str) -> Result<(), BuildError> {
        world.check_scenery(self)?;
        let scenery = world.make_scenery(name, self)?;
        world.structure.scenery.push(scenery);
        Ok(())
    }

    fn change(&self, world: &mut World, name: &str, index: usize) -> Result<(), BuildError> {
        world.check_scenery(self)?;
        world.structure.scenery[index] = world.make_scenery(name, self)?;
        Ok(())
    }

    fn remove(world: &mut World, index: usize) -> Result<(), BuildError> {
        world.structure.scenery.remove(index);
        Ok(())
    }

    fn objects(&self) -> Vec<&str> {
        let to = self.to.as_ref().map(|to| &to.on);
        self.on.iter().chain(to).map(String::as_str).collect()
    }
}

impl Attached for Scenery {
    type Saved = (String, SceneryDescription);

    fn save(&self) -> Self::Saved {
        (self.name.clone(), self.description.clone())
    }

    fn restore((name, description): Self::Saved, world: &mut World, _: &State) -> Result<(), BuildError> {
        let scenery = world.make_scenery(&name, &description)?;
        world.structure.scenery.push(scenery);
        Ok(())
    }

    fn relocate(
        from: &World,
        index: usize,
        remap: &Remap,
        _: &[Option<usize>],
        to: &mut World,
    ) -> Result<(), BuildError> {
        let mut scenery = from.structure.scenery[index].clone();
        scenery.description.for_each_place(|on, at| {
            remap.put(on, at);
        });
        to.structure.scenery.push(scenery);
        Ok(())
    }
}
