//! Cables: a simulation of rods with mirrors of the bodies to which they are attached.

use crate::Error;
use crate::hold::{Hold, Scheme};
use crate::mirror::{Circumstances, Mirror, Part, Pull, Start, at_pose, name_of, world_inertia};
use glam::DVec3;
use micado::clock::NoClock;
use micado::constraint::{ConstraintDescription, Joint, JointKind};
use micado::describe::anchor::{Anchor, At};
use micado::describe::signal::Signal;
use micado::edit::BodyMatter;
use micado::error::BuildError;
use micado::object::BodyDescription;
use micado::object::body::{Inertia, Shape};
use micado::object::rod::Rod;
use micado::run::Simulation;
use micado::scene::{Edit, Integrator, Mode, Named, Scene};
use micado::step::{StepParams, StepReport, Workspace};
use micado::world::World;
use rapier3d_f64::prelude::{IntegrationParameters, RigidBodyHandle, RigidBodySet};

/// Number of steps of the longest run, from which the duration of the simulation is set.
const MOST_STEPS: f64 = 1e11;

/// Rods on bodies of Rapier.
#[derive(Clone, Debug)]
pub struct Cables {
    simulation: Simulation,
    scheme: Scheme,
    mirrors: Vec<Mirror>,
    /// Number of attachments so far, for names.
    attached: usize,
    /// Scratch of the trial steps that find out whether a sleeping body is pulled.
    trial: Workspace,
}

impl Cables {
    /// Builds the rods of a scene, with steps of `dt` seconds. The step, duration and gravity of the scene
    /// have no effect.
    ///
    /// # Errors
    /// A description that can't be used, or settings other than implicit Euler steps of a dynamic scene.
    pub fn new(scene: &Scene, dt: f64) -> Result<Self, Error> {
        let mut scene = scene.clone();
        let refuse = |field: &str, problem: &str, remedy: &str| {
            Err(BuildError::new(format!("settings.{field}"), problem, remedy).into())
        };
        if scene.settings.mode != Mode::Dynamic {
            return refuse("mode", "Rapier's bodies move in time", "use mode = \"dynamic\"");
        }
        if scene.settings.integrator != Integrator::Euler {
            let problem = "Rapier's steps are of first order";
            return refuse("integrator", problem, "use integrator = \"euler\"");
        }
        if scene.settings.settle {
            let problem = "the equilibrium of Rapier's bodies is not known";
            return refuse("settle", problem, "leave it out, and let the cables come to rest");
        }
        scene.settings.step = dt;
        scene.settings.duration = MOST_STEPS * dt;
        let simulation = Simulation::build(&scene)?;
        let (mirrors, trial) = (Vec::new(), Workspace::new());
        Ok(Self { simulation, scheme: Scheme::default(), mirrors, attached: 0, trial })
    }

    /// Returns the cables with this coupling scheme.
    #[must_use]
    pub fn with_scheme(self, scheme: Scheme) -> Self {
        Self { scheme, ..self }
    }

    /// The simulation of the rods and of the mirrors of bodies: read-outs, probes and events.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The world of the rods and of the mirrors of bodies.
    pub fn world(&self) -> &World {
        self.simulation.world()
    }

    /// Applies an edit to the rods.
    ///
    /// # Errors
    /// The edit can't be applied; nothing is changed.
    pub fn apply(&mut self, edit: &Edit) -> Result<(), Error> {
        Ok(self.simulation.apply(edit)?)
    }

    /// Name of the mirror of a body.
    pub fn name_of(&self, body: RigidBodyHandle) -> String {
        name_of(body)
    }

    /// Shows a body in recordings and pictures with this shape, given in its axes. A body that is attached
    /// without a shape is shown as a box of its inertia.
    ///
    /// # Errors
    /// The body does not exist, is drawn or attached already, or the shape can't be used.
    pub fn draw(&mut self, bodies: &RigidBodySet, body: RigidBodyHandle, shape: Shape) -> Result<(), Error> {
        if self.mirrors.iter().any(|mirror| mirror.handle == body) {
            let problem = format!("{} has a shape already", name_of(body));
            return Err(BuildError::new("shape", problem, "draw bodies before rods are attached").into());
        }
        self.mirror(bodies, body, Some(shape)).map(|_| ())
    }

    /// Holds a place of a rod on a body. Returns the name of the constraint, whose force can be read.
    ///
    /// # Errors
    /// There is no such rod, place or body; the body can't be attached; or the point is not at the place of
    /// the rod.
    pub fn attach(
        &mut self,
        bodies: &RigidBodySet,
        rod: &str,
        at: At,
        body: RigidBodyHandle,
        hold: Hold,
    ) -> Result<String, Error> {
        let place = self.world().place(rod, Some(at), hold.clamp)?;
        if self.world().object("rod", rod)?.rod().is_none() {
            return Err(BuildError::new("rod", format!("there is no rod `{rod}`"), "name a rod").into());
        }
        let position = self.world().poses().position(&place);
        let known = self.mirrors.iter().any(|mirror| mirror.handle == body);
        let k = self.mirror(bodies, body, None)?;
        let pose = *self.mirrors[k].body(bodies)?.position();
        let here = pose.rotation.inverse() * (position - pose.translation);
        let point = hold.point.unwrap_or(here.to_array());
        let joined = self.join(bodies, k, (rod, at), point, hold.clamp);
        if joined.is_err() && !known {
            self.detach_body(body)?;
        }
        joined
    }

    /// Adds the constraint of an attachment. Returns its name.
    fn join(
        &mut self,
        bodies: &RigidBodySet,
        k: usize,
        (rod, at): (&str, At),
        point: [f64; 3],
        clamp: bool,
    ) -> Result<String, Error> {
        if !DVec3::from_array(point).is_finite() {
            let problem = "the point has a coordinate that is not finite";
            return Err(BuildError::new("hold", problem, "give a point in body axes, m").into());
        }
        self.follow(bodies)?;
        let name = format!("{rod} on {} #{}", self.mirrors[k].name, self.attached + 1);
        let kind = if clamp { JointKind::Weld } else { JointKind::Ball };
        let to = Anchor { on: self.mirrors[k].name.clone(), at: Some(At::Point(point)), arm: None };
        let joint =
            Joint { on: rod.to_owned(), at: Some(at), arm: None, to: Some(to), kind, ..Joint::default() };
        let to = ConstraintDescription::Joint(joint);
        self.simulation.apply(&Edit::AddConstraint(Named { name: name.clone(), to }))?;
        self.attached += 1;
        self.mirrors[k].attachments.push(name.clone());
        Ok(name)
    }

    /// Releases an attachment by its name.
    ///
    /// # Errors
    /// There is no such attachment.
    pub fn detach(&mut self, name: &str) -> Result<(), Error> {
        let known = self.mirrors.iter_mut().find_map(|mirror| {
            let k = mirror.attachments.iter().position(|known| known == name)?;
            Some((mirror, k))
        });
        let Some((mirror, k)) = known else {
            let remedy = "give a name that `attach` returned";
            return Err(BuildError::unknown_name("name", "attachment", name, remedy).into());
        };
        mirror.attachments.remove(k);
        Ok(self.simulation.apply(&Edit::Release(name.to_owned()))?)
    }

    /// Releases all attachments of a body, which may have been removed from Rapier already. Its mirror stays
    /// where it is, with nothing attached to it.
    ///
    /// # Errors
    /// The body is not known.
    pub fn detach_body(&mut self, body: RigidBodyHandle) -> Result<(), Error> {
        let Some(k) = self.mirrors.iter().position(|mirror| mirror.handle == body) else {
            return Err(Error::Removed { body: name_of(body) });
        };
        let Mirror { name, attachments, .. } = self.mirrors.remove(k);
        for attachment in attachments {
            self.simulation.apply(&Edit::Release(attachment))?;
        }
        let rest = BodyMatter { mass: 1.0, centre: DVec3::ZERO, inertia: glam::DMat3::IDENTITY, fixed: true };
        self.simulation.world_mut().set_body_matter(&name, &rest)?;
        Ok(())
    }

    /// Steps the rods, and gives the bodies the impulses of the rods. Call it before each step of Rapier,
    /// with the same gravity and parameters. If the report says that the step was held, rods and bodies are
    /// unchanged.
    ///
    /// # Errors
    /// An attached body was removed or can't be mirrored, or Rapier's step has changed. Nothing is changed.
    pub fn step(
        &mut self,
        gravity: DVec3,
        parameters: &IntegrationParameters,
        bodies: &mut RigidBodySet,
    ) -> Result<StepReport, Error> {
        let step = self.simulation.settings().step;
        if parameters.dt != step {
            return Err(Error::Step { given: parameters.dt, step });
        }
        let explicit = self.scheme == Scheme::Explicit;
        let here = Circumstances { gravity, parameters, explicit, longest: self.longest_rod() };
        let starts: Result<Vec<Start>, Error> =
            self.mirrors.iter().map(|mirror| mirror.start(bodies, &here)).collect();
        let mut starts = starts?;
        let now = self.world().structure().gravity.at(self.simulation.time());
        if now != gravity.to_array() {
            self.simulation.apply(&Edit::Gravity(Signal::Constant(gravity.to_array())))?;
        }
        self.wake(&mut starts, bodies, &here)?;
        place(&self.mirrors, &starts, self.simulation.world_mut())?;
        let report = self.simulation.step(&NoClock);
        if !report.held {
            for (k, start) in starts.iter().enumerate() {
                self.hand_over(k, start, &here, bodies)?;
            }
        }
        Ok(report)
    }

    /// Moves the mirrors to the present poses of the bodies, for recordings and pictures after a step of
    /// Rapier.
    ///
    /// # Errors
    /// A body was removed.
    pub fn follow(&mut self, bodies: &RigidBodySet) -> Result<(), Error> {
        for mirror in &self.mirrors {
            let (body, world) = (mirror.body(bodies)?, self.simulation.world_mut());
            let centre = body.mass_properties().local_mprops.local_com;
            let mut motion = at_pose(body.position(), centre);
            (motion.velocity, motion.spin) = (body.linvel(), body.angvel());
            world.set_body_motion(&mirror.name, &motion)?;
        }
        Ok(())
    }

    /// Index of the mirror of a body; adds a mirror if the body is new.
    fn mirror(
        &mut self,
        bodies: &RigidBodySet,
        handle: RigidBodyHandle,
        shape: Option<Shape>,
    ) -> Result<usize, Error> {
        if let Some(k) = self.mirrors.iter().position(|mirror| mirror.handle == handle) {
            self.mirrors[k].body(bodies)?;
            return Ok(k);
        }
        let mirror = Mirror::new(handle);
        let body = mirror.body(bodies)?;
        let (of, pose) = (&body.mass_properties().local_mprops, body.position());
        let inertia = world_inertia(
            glam::DMat3::from_diagonal(of.principal_inertia()),
            of.principal_inertia_local_frame,
        );
        let [x, y, z] = [inertia.x_axis, inertia.y_axis, inertia.z_axis];
        let turns = of.mass() > 0.0 && of.inv_principal_inertia != DVec3::ZERO;
        let words = BodyDescription {
            position: pose.translation.to_array(),
            rotation: pose.rotation.to_scaled_axis().to_array(),
            shape,
            mass: turns.then_some(of.mass()),
            centre: Some(of.local_com.to_array()),
            inertia: turns.then_some(Inertia { moments: [x.x, y.y, z.z], products: [x.y, x.z, y.z] }),
            fixed: !turns,
            ..BodyDescription::default()
        };
        // The mirror of a body that was detached is used again.
        if self.world().object("body", &mirror.name).is_err() {
            self.simulation.apply(&Edit::AddBody(Named { name: mirror.name.clone(), to: words }))?;
        }
        self.mirrors.push(mirror);
        Ok(self.mirrors.len() - 1)
    }

    /// Length of the longest rod, m.
    fn longest_rod(&self) -> f64 {
        let objects = self.world().structure().objects.iter();
        objects.filter_map(|object| object.rod().map(Rod::length)).fold(0.0, f64::max)
    }

    /// Wakes the sleeping bodies that are pulled. A trial step holds them and gives the reactions.
    fn wake(
        &mut self,
        starts: &mut [Start],
        bodies: &mut RigidBodySet,
        here: &Circumstances<'_>,
    ) -> Result<(), Error> {
        if !starts.iter().any(|start| start.part == Part::Asleep) {
            return Ok(());
        }
        let mut world = self.world().clone();
        place(&self.mirrors, starts, &mut world)?;
        let report = world.step(&StepParams::from(self.simulation.settings()), &mut self.trial, &NoClock);
        if report.held {
            return Ok(());
        }
        for (mirror, start) in self.mirrors.iter().zip(starts) {
            let Some(body) = bodies.get_mut(mirror.handle).filter(|_| start.part == Part::Asleep) else {
                continue;
            };
            let pull = reaction(&world, mirror, start)?;
            if mirror.wakes(pull, body, here.parameters.length_unit) {
                body.wake_up(true);
                *start = mirror.start(bodies, here)?;
            }
        }
        Ok(())
    }

    /// Gives a body the impulse of the last step.
    fn hand_over(
        &mut self,
        k: usize,
        start: &Start,
        here: &Circumstances<'_>,
        bodies: &mut RigidBodySet,
    ) -> Result<(), Error> {
        let (mirror, h) = (&mut self.mirrors[k], here.parameters.dt);
        let pull = match start.part {
            Part::Given | Part::Asleep => return Ok(()),
            Part::Held => reaction(self.simulation.world(), mirror, start)?,
            Part::Free => {
                let (BodyMatter { mass, inertia, .. }, before) = (start.matter, start.motion);
                let after = self.simulation.world().body_motion(&mirror.name)?;
                // m Δv − m g h, and the change of the spin momentum L = R I Rᵀ ω.
                let impulse = (after.velocity - before.velocity - here.gravity * h) * mass;
                let spun = world_inertia(inertia, after.rotation) * after.spin
                    - world_inertia(inertia, before.rotation) * before.spin;
                Pull { force: impulse / h, moment: spun / h }
            }
        };
        mirror.pull = pull;
        let Some(body) = bodies.get_mut(mirror.handle) else { return Ok(()) };
        let of = body.mass_properties().local_mprops;
        let [translations, rotations] = start.locked;
        if !translations {
            body.set_linvel(body.linvel() + pull.force * (h * of.inv_mass), false);
        }
        if !rotations {
            let frame = *body.rotation() * of.principal_inertia_local_frame;
            let turned = frame * (frame.inverse() * pull.moment * of.inv_principal_inertia);
            body.set_angvel(body.angvel() + turned * h, false);
        }
        Ok(())
    }
}

/// Sets mass properties and motion of all mirrors.
fn place(mirrors: &[Mirror], starts: &[Start], world: &mut World) -> Result<(), Error> {
    for (mirror, start) in mirrors.iter().zip(starts) {
        world.set_body_matter(&mirror.name, &start.matter)?;
        world.set_body_motion(&mirror.name, &start.motion)?;
    }
    Ok(())
}

/// Reaction of all attachments on a body that was held in the last step.
fn reaction(world: &World, mirror: &Mirror, start: &Start) -> Result<Pull, Error> {
    let mut pull = Pull::default();
    for (k, constraint) in world.structure().constraints.iter().enumerate() {
        if mirror.attachments.contains(&constraint.name) {
            let (on_rod, [site, _]) = (world.constraint_force(k)?, world.sites(k)?);
            pull.force -= on_rod.force;
            pull.moment -= on_rod.moment + (site.x - start.motion.centre).cross(on_rod.force);
        }
    }
    Ok(pull)
}
