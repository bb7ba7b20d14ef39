//! The test stand: a scene that is built, brought to rest, stepped and read.

use crate::scene::SceneError;
use glam::{DQuat, DVec3};
use micado::clock::NoClock;
use micado::constraint::Force;
use micado::error::BuildError;
use micado::object::Object;
use micado::object::rod::Section;
use micado::scene::Edit;
use micado::scene::{Arithmetic, Scene};
use micado::step::{Mode, Refusal, StaticParams, StepParams, StepReport, Workspace};
use micado::world::World;
use serde_json::Value;

/// EA L²/EI of rods that represent inextensible ones: a column shortens by less than 4e-6 at its critical
/// load.
pub(crate) const INEXTENSIBLE: f64 = 1e7;

/// The reason why an experiment did not finish.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Trouble(String);

impl Trouble {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl From<BuildError> for Trouble {
    fn from(error: BuildError) -> Self {
        Self(error.to_string())
    }
}

impl From<SceneError> for Trouble {
    fn from(error: SceneError) -> Self {
        Self(error.to_string())
    }
}

impl From<serde_json::Error> for Trouble {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        Self(format!("the engine refused: {refusal:?}"))
    }
}

/// Largest change of an eigenvalue in the last iteration, relative to the largest requested one.
const EIGENVALUES_STAND_STILL: f64 = 1e-6;

/// A world and its workspace.
pub(crate) struct Stand {
    world: World,
    workspace: Workspace,
}

impl Stand {
    /// Builds a scene from the JSON form of a scene file.
    pub(crate) fn build(scene: Value) -> Result<Self, Trouble> {
        Self::of(&serde_json::from_value(scene)?)
    }

    /// Builds a scene.
    pub(crate) fn of(scene: &Scene) -> Result<Self, Trouble> {
        Ok(Self { world: World::build(scene)?, workspace: Workspace::new() })
    }

    /// The world.
    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    /// Applies an edit, written as in an action of a scene file.
    pub(crate) fn edit(&mut self, edit: Value) -> Result<(), Trouble> {
        let edit: Edit = serde_json::from_value(edit)?;
        Ok(self.world.apply(&edit)?)
    }

    /// Finds a stable equilibrium: leaves an unstable one along its unstable mode.
    pub(crate) fn rest(&mut self) -> Result<(), Trouble> {
        self.equilibrate(StaticParams::default()).map(|_| ())
    }

    /// Finds the nearest equilibrium, stable or not. Returns the number of growing modes: the number of
    /// negative eigenvalues of the constrained stiffness, by the inertia of its factor.
    pub(crate) fn balance(&mut self) -> Result<usize, Trouble> {
        self.equilibrate(StaticParams { leave_unstable: false, ..StaticParams::default() })
    }

    fn equilibrate(&mut self, params: StaticParams) -> Result<usize, Trouble> {
        let report = self.world.equilibrate(self.world.time(), &params, &mut self.workspace, &NoClock);
        if report.converged {
            Ok(report.unstable_modes)
        } else {
            Err(Trouble::new(format!(
                "no equilibrium after {} iterations, last increment {:.1e} m, refused: {:?}",
                report.solves, report.last_increment, report.refused
            )))
        }
    }

    /// One time step.
    pub(crate) fn step(&mut self, params: &StepParams) -> Result<StepReport, Trouble> {
        let report = self.step_or_substeps(params)?;
        if report.substeps > 1 {
            return Err(Trouble::new(format!("a step was refused: {:?}", report.refused)));
        }
        Ok(report)
    }

    /// One time step, which may need substeps.
    pub(crate) fn step_or_substeps(&mut self, params: &StepParams) -> Result<StepReport, Trouble> {
        let report = self.world.step(params, &mut self.workspace, &NoClock);
        if report.held {
            return Err(Trouble::new(format!("a step was refused: {:?}", report.refused)));
        }
        Ok(report)
    }

    /// The lowest modes of small motion about the current state.
    pub(crate) fn modes(&mut self, count: usize) -> Result<Vec<Mode>, Trouble> {
        let found = self.world.modes(count, Arithmetic::Fast, &mut self.workspace)?;
        if found.modes.len() < count || found.change.is_nan() || found.change > EIGENVALUES_STAND_STILL {
            return Err(Trouble::new(format!(
                "{} of {count} modes, last change {:.1e}",
                found.modes.len(),
                found.change
            )));
        }
        Ok(found.modes)
    }

    /// The lowest eigenvalue ω² of small motion: negative if the state is unstable. More than one mode is
    /// requested, so that changes can be compared with a nonzero eigenvalue.
    pub(crate) fn lowest_eigenvalue(&mut self) -> Result<f64, Trouble> {
        self.modes(10)?.first().map(|mode| mode.eigenvalue).ok_or_else(|| Trouble::new("no mode was found"))
    }

    fn object(&self, name: &str) -> &Object {
        self.world.object("of", name).expect("an experiment names what its scene has")
    }

    /// Section of the rod `rod` at rest arc length `s`.
    pub(crate) fn section(&self, s: f64) -> Section {
        self.world.section(self.object("rod"), s).expect("`rod` is a rod")
    }

    /// Rest length of the rod `rod`.
    pub(crate) fn length(&self) -> f64 {
        self.object("rod").rod().expect("`rod` is a rod").length()
    }

    /// Current length of the rod `rod`.
    pub(crate) fn present_length(&self) -> f64 {
        let object = self.object("rod");
        object.rod().expect("`rod` is a rod").present_length(&self.world.state().q[object.unknowns()])
    }

    /// Section at the end of the rod `rod`.
    pub(crate) fn tip(&self) -> Section {
        self.section(self.length())
    }

    /// Position of a mass.
    pub(crate) fn position(&self, mass: &str) -> DVec3 {
        self.world.position(self.object(mass)).expect("an object of this world")
    }

    /// Position of the mass `mass`.
    pub(crate) fn mass_position(&self) -> DVec3 {
        self.position("mass")
    }

    /// Velocity of the mass `mass`.
    pub(crate) fn mass_velocity(&self) -> DVec3 {
        self.world.velocity(self.object("mass"), 0.0).expect("an object of this world")
    }

    /// Velocity of a body, m/s.
    pub(crate) fn velocity(&self, body: &str) -> DVec3 {
        self.world.velocity(self.object(body), 0.0).expect("an object of this world")
    }

    /// Angular velocity of a body in its own axes, rad/s.
    pub(crate) fn body_rate(&self, body: &str) -> DVec3 {
        let (state, unknowns) = (self.world.state(), self.object(body).unknowns());
        let turned = DQuat::from_slice(&state.q[unknowns.clone()][4..]);
        turned.inverse() * DVec3::from_slice(&state.v[unknowns][4..])
    }

    fn constraint(&self, name: &str) -> usize {
        let found = self.world.structure().constraints.iter().position(|c| c.name == name);
        found.expect("an experiment names what its scene has")
    }

    /// Rest arc length of a keyhole or a pearl, m.
    pub(crate) fn sliding_place(&self, constraint: &str) -> f64 {
        self.world.sliding_place(self.constraint(constraint)).expect("an experiment asks what slides")
    }

    /// Velocity of a pearl, m/s.
    pub(crate) fn pearl_velocity(&self, constraint: &str) -> DVec3 {
        DVec3::from_array(self.world.state().constraints[self.constraint(constraint)].sliding.velocity)
    }

    fn acts(&self, constraint: &str) -> Force {
        self.world.constraint_force(self.constraint(constraint)).expect("a constraint of this world")
    }

    /// Force of a constraint on its object, N.
    pub(crate) fn force(&self, constraint: &str) -> DVec3 {
        self.acts(constraint).force
    }

    /// Moment of a constraint on its object, N·m.
    pub(crate) fn moment(&self, constraint: &str) -> DVec3 {
        self.acts(constraint).moment
    }
}
