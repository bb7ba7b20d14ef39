//! Builds loads and springs from descriptions: finds their places.

use crate::describe::anchor::At;
use crate::error::{BuildError, check};
use crate::load::{
    CustomSpring, Load, LoadDescription, LoadLaw, SharedForce, Spread, Spring, SpringDescription, SpringEnd,
    SpringEndPlace, SpringLaw, SpringState,
};
use crate::object::EndFrame;
use crate::object::rod::Rod;
use crate::object::{Place, Scalar};
use crate::scene::Probe;
use crate::world::build_constraint::NO_ROLL;
use crate::world::explicit_support;
use crate::world::kinds::{Attached, Buildable};
use crate::world::remap::Remap;
use crate::world::{State, World};

impl World {
    /// A place that can be turned in every direction.
    fn rolling_place(&self, on: &str, at: Option<At>) -> Result<Place, BuildError> {
        let place = self.place(on, at, true)?;
        if place.is_without_roll() {
            return Err(BuildError::new("on", NO_ROLL, "load it by forces, or use another model"));
        }
        Ok(place)
    }

    pub(crate) fn make_load(&self, name: &str, description: &LoadDescription) -> Result<Load, BuildError> {
        if self.structure.explicit {
            explicit_support::check_load(description)?;
        }
        let law = match description {
            LoadDescription::Force(load) => self.point_force(load),
            LoadDescription::Moment(load) => load.moment.check("moment").and_then(|()| {
                Ok(LoadLaw::Moment(self.rolling_place(&load.on, load.at)?, load.moment.clone()))
            }),
            LoadDescription::Distributed(load) => self.distributed(load),
            LoadDescription::Drag(load) => self.drag(load),
        };
        Ok(Load {
            name: name.to_owned(),
            description: self.pinned_load(description),
            law: law.map_err(|e| e.within(description.kind()))?,
        })
    }

    fn point_force(&self, load: &crate::load::PointForce) -> Result<LoadLaw, BuildError> {
        load.force.check("force")?;
        Ok(LoadLaw::Force(self.place(&load.on, load.at, false)?, load.force.clone()))
    }

    fn distributed(&self, load: &crate::load::Distributed) -> Result<LoadLaw, BuildError> {
        load.force.check("force")?;
        let object = self.object("on", &load.on)?;
        let rod = object.rod().ok_or_else(|| {
            let problem = format!("`{}` is a {}", load.on, object.word());
            BuildError::new("on", problem, "name a rod, or use a `force`")
        })?;
        let (from, to) = stretch_of(rod, load.from, load.to)?;
        Ok(LoadLaw::Distributed(Spread::along(rod, object.index, from, to, 1.0, false), load.force.clone()))
    }

    fn drag(&self, load: &crate::load::Drag) -> Result<LoadLaw, BuildError> {
        load.wind.check("wind")?;
        let coefficient = check::not_negative("coefficient", load.coefficient)?;
        let turning = load.rotation.map_or(Ok(0.0), |of| check::not_negative("rotation", of))?;
        let object = self.object("on", &load.on)?;
        if load.rotation.is_some() && object.model().spin_inertia().is_none() {
            let problem = format!("`{}` has no rotation of its own", load.on);
            return Err(BuildError::new("rotation", problem, "leave it out, or name a body"));
        }
        let spread = match object.rod() {
            Some(rod) => {
                let (from, to) = stretch_of(rod, load.from, load.to)?;
                Spread::along(rod, object.index, from, to, coefficient, true)
            }
            None if (load.from, load.to) == (At::START, At::END) => {
                let of = |scalars: [Scalar; 4]| match scalars[0] {
                    Scalar::Position => [coefficient, 0.0],
                    Scalar::Rotation => [0.0, turning],
                    _ => [0.0; 2],
                };
                let coefficients: Vec<[f64; 2]> = object.scalars().map(of).collect();
                if coefficients.iter().all(|of| *of == [0.0; 2]) && coefficient + turning > 0.0 {
                    let problem = format!("`{}` is a {}, which has no drag", load.on, object.word());
                    return Err(BuildError::new("on", problem, "name a rod, a mass or a free body"));
                }
                Spread::on_nodes(object.index, &coefficients)
            }
            None => {
                let problem = format!("`{}` is a {} and has no places along it", load.on, object.word());
                return Err(BuildError::new("from", problem, "leave `from` and `to` out"));
            }
        };
        Ok(LoadLaw::Drag(spread, load.wind.clone()))
    }

    pub(crate) fn spring_end(
        &self,
        end: &SpringEnd,
        needs_frame: bool,
    ) -> Result<SpringEndPlace, BuildError> {
        if let SpringEnd::Point(point) = end {
            point.check("point")?;
            return Ok(SpringEndPlace::World(point.clone()));
        }
        let (on, at) = end.on().unwrap_or_default();
        let place = self.place(on, at, needs_frame).map_err(|e| match end {
            // Its name is the whole description.
            SpringEnd::Mass(_) => BuildError { path: end.word().into(), ..e },
            _ => e.within(end.word()),
        })?;
        Ok(SpringEndPlace::Object(place))
    }

    fn add_spring(&mut self, name: &str, description: &SpringDescription) -> Result<(), BuildError> {
        if self.structure.explicit {
            explicit_support::check_spring(description)?;
        }
        let time = self.state.time;
        let (ends, state, law) = match description {
            SpringDescription::Custom(force) => {
                self.custom_force(force, time).map_err(|e| e.within("custom"))?
            }
            SpringDescription::Linear(spring) => {
                let ends = [
                    self.spring_end(&spring.from, false).map_err(|e| e.within("linear.from"))?,
                    self.spring_end(&spring.to, false).map_err(|e| e.within("linear.to"))?,
                ];
                let [a, b] = ends.each_ref().map(|end| end.position(self.poses(), time));
                let length =
                    check::not_negative("linear.length", spring.length.unwrap_or_else(|| a.distance(b)))?;
                let stiffness = check::not_negative("linear.stiffness", spring.stiffness)?;
                let damping = check::not_negative("linear.damping", spring.damping)?;
                (ends, SpringState::default(), SpringLaw::Linear { stiffness, damping, length })
            }
            SpringDescription::Torsional(spring) => {
                let ends = [
                    self.spring_end(&spring.from, true).map_err(|e| e.within("torsional.from"))?,
                    self.spring_end(&spring.to, true).map_err(|e| e.within("torsional.to"))?,
                ];
                if matches!(ends[0], SpringEndPlace::World(_)) {
                    return Err(BuildError::new(
                        "torsional.from",
                        "the first end of a torsional spring is a point",
                        "name an object with a frame first, then another or a point",
                    ));
                }
                if ends
                    .iter()
                    .any(|end| matches!(end, SpringEndPlace::Object(place) if place.is_without_roll()))
                {
                    return Err(BuildError::new(
                        "torsional.from",
                        NO_ROLL,
                        "use a linear spring, or another model",
                    ));
                }
                let frames = ends.each_ref().map(|end| match end {
                    SpringEndPlace::Object(place) => self.frame_at(place),
                    SpringEndPlace::World(_) => EndFrame::default(),
                });
                let [a, b] = [0, 1].map(|k| ends[k].frame(self.poses(), &frames[k]));
                let stiffness = check::not_negative("torsional.stiffness", spring.stiffness)?;
                let damping = check::not_negative("torsional.damping", spring.damping)?;
                let state = SpringState { frames, ..SpringState::default() };
                (ends, state, SpringLaw::Torsional { stiffness, damping, rest: b.transpose() * a })
            }
        };
        let description = self.pinned_spring(description);
        self.structure.springs.push(Spring { name: name.to_owned(), description, ends, law });
        self.state.springs.push(state);
        Ok(())
    }

    /// Ends, initial state and equations of a custom force.
    fn custom_force(
        &self,
        given: &CustomSpring,
        time: f64,
    ) -> Result<([SpringEndPlace; 2], SpringState, SpringLaw), BuildError> {
        let CustomSpring { kind, from, to, parameters } = given;
        let force = SharedForce::new(self.structure.registry.make_force(kind, parameters)?);
        let turns = force.turns();
        let ends = [
            self.spring_end(from, turns).map_err(|e| e.within("from"))?,
            self.spring_end(to, turns).map_err(|e| e.within("to"))?,
        ];
        let places = || ends.iter().filter_map(SpringEndPlace::place);
        if places().next().is_none() {
            return Err(BuildError::new("from", "both ends are points", "name an object at one of them"));
        }
        if turns && places().any(Place::is_without_roll) {
            return Err(BuildError::new("from", NO_ROLL, "use another model"));
        }
        let frames = ends.each_ref().map(|end| match end.place().filter(|_| turns) {
            Some(place) => self.frame_at(place),
            None => EndFrame::default(),
        });
        let v = &self.state.v;
        let memory = force.begin(&Spring::force_ends(&ends, turns, self.poses(), v, &frames, time))?;
        Ok((ends, SpringState { frames, memory }, SpringLaw::Custom(force)))
    }
}

impl Buildable for LoadDescription {
    fn add(&self, world: &mut World, name: &str) -> Result<(), BuildError> {
        let load = world.make_load(name, self)?;
        world.structure.loads.push(load);
        Ok(())
    }

    fn change(&self, world: &mut World, name: &str, index: usize) -> Result<(), BuildError> {
        world.structure.loads[index] = world.make_load(name, self)?;
        Ok(())
    }

    fn remove(world: &mut World, index: usize) -> Result<(), BuildError> {
        world.structure.loads.remove(index);
        Ok(())
    }

    fn objects(&self) -> Vec<&str> {
        vec![self.on()]
    }
}

impl Attached for Load {
    type Saved = (String, LoadDescription);

    fn save(&self) -> Self::Saved {
        (self.name.clone(), self.description.clone())
    }

    fn restore((name, description): Self::Saved, world: &mut World, _: &State) -> Result<(), BuildError> {
        world.add_load_again(&name, &description)
    }

    fn relocate(
        from: &World,
        index: usize,
        remap: &Remap,
        _: &[Option<usize>],
        to: &mut World,
    ) -> Result<(), BuildError> {
        let load = &from.structure.loads[index];
        from.relocate_load(&load.name, &load.description, remap, to)
    }

    fn moves(world: &World, index: usize) -> bool {
        world.structure.loads[index].law.moves()
    }
}

impl Buildable for SpringDescription {
    fn add(&self, world: &mut World, name: &str) -> Result<(), BuildError> {
        world.add_spring(name, self)
    }

    fn remove(world: &mut World, index: usize) -> Result<(), BuildError> {
        world.structure.springs.remove(index);
        world.state.springs.remove(index);
        Ok(())
    }

    fn objects(&self) -> Vec<&str> {
        self.ends().into_iter().filter_map(|end| Some(end.on()?.0)).collect()
    }

    fn is_probed() -> bool {
        true
    }

    fn read(world: &World, index: usize, probe: &Probe, still: bool) -> Result<f64, BuildError> {
        world.read_spring(index, probe, still)
    }
}

impl Attached for Spring {
    type Saved = Self;

    fn save(&self) -> Self {
        self.clone()
    }

    fn restore(mut spring: Self, world: &mut World, _: &State) -> Result<(), BuildError> {
        if let SpringDescription::Custom(CustomSpring { kind, parameters, .. }) = &spring.description {
            let force = world.structure.registry.make_force(kind, parameters);
            let force = force.map_err(|e| e.within(&format!("spring.{}.custom", spring.name)))?;
            spring.law = SpringLaw::Custom(SharedForce::new(force));
        }
        world.structure.springs.push(spring);
        Ok(())
    }

    fn relocate(
        from: &World,
        index: usize,
        remap: &Remap,
        _: &[Option<usize>],
        to: &mut World,
    ) -> Result<(), BuildError> {
        to.relocate_spring(&from.structure.springs[index], &from.state.springs[index], remap)
    }

    fn moves(world: &World, index: usize) -> bool {
        let Spring { ends, law, .. } = &world.structure.springs[index];
        matches!(law, SpringLaw::Custom(force) if force.moves())
            || ends.iter().any(|end| matches!(end, SpringEndPlace::World(point) if point.moves()))
    }
}

/// Rest arc lengths between which a load acts.
fn stretch_of(rod: &Rod, from: At, to: At) -> Result<(f64, f64), BuildError> {
    let from = rod.arc_length(from).map_err(|e| BuildError { path: "from".into(), ..e })?;
    let to = rod.arc_length(to).map_err(|e| BuildError { path: "to".into(), ..e })?;
    if from >= to {
        return Err(BuildError::new("to", "the load ends before it begins", "give to > from"));
    }
    Ok((from, to))
}
