//! A simulation on a thread of its own, in time.

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

/// What is seen of a simulation after a step: consistent, and never in the making.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Number of the step, from 1.
    pub step: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Unknowns, four per node: (x, y, z, θ).
    pub unknowns: Vec<f64>,
    /// What the probes read.
    pub probes: Vec<f64>,
    /// What the step says about itself.
    pub report: StepReport,
    /// How punctual steps were so far.
    pub punctuality: Punctuality,
}

/// A simulation that is stepped in time by a thread of its own, one step per period, until it is stopped or
/// over.
#[derive(Debug)]
pub struct RealTime {
    shared: Arc<Shared>,
    asked: Sender<Asked>,
    thread: Option<JoinHandle<(Simulation, Punctuality)>>,
}

/// What is asked of the steps from outside.
#[derive(Debug)]
enum Asked {
    Edit(Box<Edit>),
    Hand(String, Sender<Result<Hand, BuildError>>),
}

/// Tells that the run is over, also when a step has panicked.
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
    /// decides what is worth its dynamics.
    pub fn start(simulation: Simulation, ends: Vec<HandEnd>) -> Self {
        let shared = Arc::<Shared>::default();
        let (asked, received) = channel();
        let inside = shared.clone();
        let thread = std::thread::spawn(move || run(simulation, ends, &received, &inside));
        Self { shared, asked, thread: Some(thread) }
    }

    /// Applies an edit before the next step. One that can't be applied is an event `failed`.
    pub fn edit(&self, edit: Edit) {
        // After the end there is nobody to apply it.
        let _ = self.asked.send(Asked::Edit(Box::new(edit)));
    }

    /// A hand on a constraint of the running simulation, from the next step on.
    ///
    /// # Errors
    /// There is no such constraint, its target is none that a hand could be, or the run is over.
    pub fn hand(&self, name: &str) -> Result<Hand, BuildError> {
        let (answer, answered) = channel();
        // What is not taken any more is not answered.
        let _ = self.asked.send(Asked::Hand(name.to_owned(), answer));
        answered
            .recv()
            .unwrap_or_else(|_| Err(BuildError::new("hand", "the run is over", "take hold of it before")))
    }

    /// The newest frame.
    pub fn newest(&self) -> Arc<Frame> {
        self.shared.frame.lock().map_or_else(|poisoned| poisoned.into_inner().clone(), |frame| frame.clone())
    }

    /// The frame of step `step` or of one after it, or the newest one that there is when `patience` is over:
    /// it returns in time, whatever a step takes. That a step is not there yet is told by its number.
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

    /// Stops after the step that is made now, and gives the simulation back.
    ///
    /// # Panics
    /// A step has panicked, and so does this.
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
    asked: &Receiver<Asked>,
    shared: &Shared,
) -> (Simulation, Punctuality) {
    let _over = Over(shared);
    let clock = WallClock::start();
    simulation.settle(&clock);
    let mut pacer = Pacer::new(simulation.settings().step);
    let mut spare = Arc::<Frame>::default();
    while !simulation.finished() && !shared.stop.load(Ordering::Acquire) {
        for asked in asked.try_iter() {
            match asked {
                Asked::Edit(edit) => simulation.try_edit(&edit),
                Asked::Hand(name, answer) => {
                    let hand = Hand::on(simulation.world(), &name).map(|(hand, end)| {
                        ends.push(end);
                        hand
                    });
                    // Who asked may have gone.
                    let _ = answer.send(hand);
                }
            }
        }
        pacer.begin(&clock);
        let report = step(&mut simulation, &mut ends, &clock);
        if Arc::get_mut(&mut spare).is_none() {
            // Somebody still looks at it.
            spare = Arc::default();
        }
        if let Some(frame) = Arc::get_mut(&mut spare) {
            fill(frame, &simulation, report, pacer.punctuality());
        }
        // Whoever looks at this moment sees the frame before; the next one is a period away. A step waits for
        // nobody.
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

/// One step in time: hands are followed, the step is made, hands are answered, and the rest of the period is
/// waited for. That it was late is an event.
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

/// One step as soon as it is made, for those who keep the time themselves: hands are followed, the step is
/// made, hands are answered.
pub fn step(simulation: &mut Simulation, ends: &mut [HandEnd], clock: &dyn Clock) -> StepReport {
    let h = simulation.settings().step;
    ends.iter_mut().for_each(|end| end.follow(simulation.world_in_hand(), h));
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
