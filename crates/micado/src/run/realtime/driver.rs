//! A simulation on a thread of its own, in real time.

use super::hand::{Hand, HandEnd};
use super::pacer::{Pacer, Punctuality};
use crate::clock::{Clock, WallClock};
use crate::error::BuildError;
use crate::run::Simulation;
use crate::scene::Edit;
use crate::step::StepReport;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Consistent copy of a simulation after a step.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Number of the step, from 1.
    pub step: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Unknowns, four per node: (x, y, z, θ).
    pub unknowns: Vec<f64>,
    /// Values of the probes.
    pub probes: Vec<f64>,
    /// Report of the step.
    pub report: StepReport,
    /// Punctuality of the steps so far.
    pub punctuality: Punctuality,
}

/// A simulation that a thread of its own steps in real time, one step per period, until it is stopped or
/// finished.
#[derive(Debug)]
pub struct RealTime {
    shared: Arc<Shared>,
    requests: Sender<Request>,
    thread: Option<JoinHandle<(Simulation, Punctuality)>>,
}

/// A request to the thread.
#[derive(Debug)]
enum Request {
    Edit(Box<Edit>),
    Hand(String, Sender<Result<Hand, BuildError>>),
}

/// Marks the run as over when dropped, also after a panic in a step.
struct Over<'a>(&'a Shared);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Release);
        self.0.fresh.notify_all();
    }
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    over: AtomicBool,
    frame: Mutex<Arc<Frame>>,
    fresh: Condvar,
}

impl RealTime {
    /// Starts the steps; the period is the step of the scene. In the quasi-dynamic mode the wall clock
    /// measures the cost.
    pub fn start(simulation: Simulation, ends: Vec<HandEnd>) -> Self {
        let shared = Arc::<Shared>::default();
        let (requests, received) = channel();
        let inside = shared.clone();
        let thread = std::thread::spawn(move || run(simulation, ends, &received, &inside));
        Self { shared, requests, thread: Some(thread) }
    }

    /// Applies an edit before the next step. One that can't be applied is an event `failed`.
    pub fn edit(&self, edit: Edit) {
        // After the end the edit is dropped.
        let _ = self.requests.send(Request::Edit(Box::new(edit)));
    }

    /// A hand on a constraint of the running simulation, from the next step on.
    ///
    /// # Errors
    /// There is no such constraint, it is neither a position nor a clamp, or the run is over.
    pub fn hand(&self, name: &str) -> Result<Hand, BuildError> {
        let (answer, answered) = channel();
        // After the end there is no answer.
        let _ = self.requests.send(Request::Hand(name.to_owned(), answer));
        answered
            .recv()
            .unwrap_or_else(|_| Err(BuildError::new("hand", "the run is over", "take hold of it before")))
    }

    /// The newest frame.
    pub fn newest(&self) -> Arc<Frame> {
        self.shared.frame.lock().map_or_else(|poisoned| poisoned.into_inner().clone(), |frame| frame.clone())
    }

    /// The frame of step `step` or a later one, or the newest one after `patience`: it always returns in
    /// time. Check the number of the frame.
    pub fn frame_of(&self, step: u64, patience: Duration) -> Arc<Frame> {
        let begun = Instant::now();
        let Ok(mut frame) = self.shared.frame.lock() else { return self.newest() };
        while frame.step < step && !self.is_over() {
            let left = patience.saturating_sub(begun.elapsed());
            if left.is_zero() {
                break;
            }
            match self.shared.fresh.wait_timeout(frame, left) {
                Ok((again, _)) => frame = again,
                Err(_) => return self.newest(),
            }
        }
        frame.clone()
    }

    /// Whether the run is over.
    pub fn is_over(&self) -> bool {
        self.shared.over.load(Ordering::Acquire)
    }

    /// Stops after the present step, and returns the simulation.
    ///
    /// # Panics
    /// A step has panicked.
    pub fn stop(mut self) -> (Simulation, Punctuality) {
        self.shared.stop.store(true, Ordering::Release);
        let thread = self.thread.take().expect("it is stopped once");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Drop for RealTime {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
    }
}

fn run(
    mut simulation: Simulation,
    mut ends: Vec<HandEnd>,
    requests: &Receiver<Request>,
    shared: &Shared,
) -> (Simulation, Punctuality) {
    let _over = Over(shared);
    let clock = WallClock::start();
    simulation.settle(&clock);
    let mut pacer = Pacer::new(simulation.settings().step);
    let mut spare = Arc::<Frame>::default();
    while !simulation.finished() && !shared.stop.load(Ordering::Acquire) {
        for requests in requests.try_iter() {
            match requests {
                Request::Edit(edit) => simulation.try_edit(&edit),
                Request::Hand(name, answer) => {
                    let hand = Hand::on(simulation.world(), &name).map(|(hand, end)| {
                        ends.push(end);
                        hand
                    });
                    // The receiver may be gone.
                    let _ = answer.send(hand);
                }
            }
        }
        pacer.begin(&clock);
        let report = step(&mut simulation, &mut ends, &clock);
        if Arc::get_mut(&mut spare).is_none() {
            // A reader still has it.
            spare = Arc::default();
        }
        if let Some(frame) = Arc::get_mut(&mut spare) {
            fill(frame, &simulation, report, pacer.punctuality());
        }
        // If a reader holds the lock it sees the previous frame until the next period; the step never waits.
        if let Ok(mut newest) = shared.frame.try_lock() {
            std::mem::swap(&mut *newest, &mut spare);
            shared.fresh.notify_all();
        }
        simulation.report_lateness(pacer.end(&clock));
    }
    if let Ok(mut newest) = shared.frame.lock()
        && spare.step > newest.step
    {
        std::mem::swap(&mut *newest, &mut spare);
    }
    (simulation, pacer.punctuality())
}

/// One step in real time: reads the hands, makes the step, writes their forces, and waits for the end of the
/// period. Lateness is reported as an event.
pub fn make_step(
    simulation: &mut Simulation,
    ends: &mut [HandEnd],
    pacer: &mut Pacer,
    clock: &dyn Clock,
) -> StepReport {
    pacer.begin(clock);
    let report = step(simulation, ends, clock);
    simulation.report_lateness(pacer.end(clock));
    report
}

/// One step without waiting, for callers that keep the time: reads the hands, makes the step, writes their
/// forces.
pub fn step(simulation: &mut Simulation, ends: &mut [HandEnd], clock: &dyn Clock) -> StepReport {
    let h = simulation.settings().step;
    ends.iter_mut().for_each(|end| end.follow(simulation.world_for_hands(), h));
    let report = simulation.step(clock);
    ends.iter_mut().for_each(|end| end.answer(simulation.world()));
    report
}

fn fill(frame: &mut Frame, simulation: &Simulation, report: StepReport, punctuality: Punctuality) {
    frame.unknowns.clone_from(&simulation.world().state().q);
    frame.probes.clear();
    frame.probes.extend_from_slice(simulation.probe_values());
    (frame.step, frame.time) = (simulation.steps(), simulation.time());
    (frame.report, frame.punctuality) = (report, punctuality);
}
