//! Computations that take longer than a step, on another thread and on a copy; the simulation continues.

use super::live;
use super::reply::Reply;
use crate::protocol::{Done, ModeShape, Pattern, Problem};
use glam::DVec3;
use micado::run::Simulation;
use micado::scene::Arithmetic;
use micado::step::Workspace;
use micado::world::{Refusal, World};
use micado_io::{matrix, observe, scene};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Largest number of modes.
const MOST_MODES: usize = 50;
/// Largest number of threads.
const MOST_THREADS: usize = 4;

/// The running computations.
#[derive(Debug, Default)]
pub(super) struct Computing {
    threads: Arc<AtomicUsize>,
}

impl Computing {
    /// Starts a computation; the answer follows when it is done.
    pub(super) fn begin(&self, reply: Reply, work: impl FnOnce() -> Result<Done, Problem> + Send + 'static) {
        if self.threads.fetch_add(1, Ordering::Relaxed) >= MOST_THREADS {
            self.threads.fetch_sub(1, Ordering::Relaxed);
            return reply.send(Some(Err(Problem::new(
                "several computations are running already",
                "try again when they are done",
            ))));
        }
        let threads = self.threads.clone();
        let job = move || {
            let broken = |_| {
                Err(Problem::new(
                    "the computation failed, which is an error in Micado",
                    "please report the scene and the request",
                ))
            };
            let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(broken);
            threads.fetch_sub(1, Ordering::Relaxed);
            reply.send(Some(result));
        };
        if std::thread::Builder::new().name("compute".to_owned()).spawn(job).is_err() {
            // The reply is dropped, which reports that the request was cancelled.
            self.threads.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Checks a scene; returns remarks.
pub(super) fn check(text: &str) -> Result<Done, Problem> {
    let file = live::written("scene", text, &[])?;
    let simulation = Simulation::build(file.scene()).map_err(|error| file.explain(&error))?;
    if let Some(error) = scene::trial(file.scene()) {
        return Err(file.explain(&error).into());
    }
    let remarks = simulation.remarks();
    let remarks = file.remarks().into_iter().chain(remarks.iter().map(ToString::to_string));
    Ok(Done::Check(remarks.collect()))
}

/// Natural vibrations about the current shape; the largest displacement of each is 1.
pub(super) fn modes(world: &World, arithmetic: Arithmetic, count: usize) -> Result<Done, Problem> {
    if !(1..=MOST_MODES).contains(&count) {
        return Err(Problem::new(format!("{count} modes"), format!("ask for 1 to {MOST_MODES}")));
    }
    let mut workspace = Workspace::new();
    let found = world.modes(count, arithmetic, &mut workspace).map_err(|refusal| {
        let remedy = match refusal {
            Refusal::NoContact => "run the scene in time instead, or remove `contact` and `floor` from it",
            _ => "hold what is free, and try again",
        };
        Problem::new(format!("the modes can't be computed: {}", world.cause(refusal)), remedy)
    })?;
    let mode = |mode: &micado::step::Mode| {
        let shape = observe::displacements(world, &mode.shape);
        let farthest = shape.iter().map(|&d| DVec3::from_array(d).length()).fold(0.0, f64::max);
        let scale = if farthest > 0.0 { 1.0 / farthest } else { 0.0 };
        ModeShape { frequency: mode.frequency(), shape: shape.iter().map(|d| d.map(|x| x * scale)).collect() }
    };
    Ok(Done::Modes(found.modes.iter().map(mode).collect()))
}

/// The pattern of the last step's matrix.
pub(super) fn matrix(simulation: &Simulation, name: &str) -> Result<Done, Problem> {
    let unknowns = 4 * simulation.world().structure().node_mass.len();
    if unknowns > matrix::MOST {
        let problem = format!("a matrix of {unknowns} unknowns has no picture: at most {}", matrix::MOST);
        return Err(Problem::new(problem, "open a scene with fewer segments"));
    }
    let (_, picture) = matrix::of_last_step(simulation, name).ok_or_else(|| {
        Problem::new("there is no step yet, or none since the last change", "make a step and try again")
    })?;
    let svg = picture.to_svg().map_err(|error| Problem::new(error.to_string(), "ask again"))?;
    Ok(Done::Matrix(Pattern { svg }))
}
