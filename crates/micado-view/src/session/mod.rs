//! The session: one thread that owns the simulation, steps it in time, and handles requests of pages between
//! steps.
//!
//! It never waits for a page: pages take the newest shot from a shared place, and answers go into unbounded
//! channels.

mod answer;
mod compute;
mod export;
mod hands;
mod history;
mod inspect;
mod live;
mod pace;
mod playback;
mod publish;
mod reply;
mod series;
mod stage;
mod tape;

pub(crate) use hands::PageId;
pub(crate) use publish::Shared;
pub(crate) use reply::{Answer, Answers, Reply};

use crate::protocol::{Done, Modes, Problem, Request, Scene, Status, Trouble};
use compute::Computing;
use hands::Hands;
use history::History;
use live::Live;
use micado::clock::{Clock, WallClock};
use micado::scene::Mode;
use micado_io::observe::{self, CHANNELS};
use micado_io::record::{Energies, Recording};
use micado_io::scene::SceneFile;
use pace::{Meter, Pace};
use playback::Playback;
use publish::{Moment, Publisher};
use series::Series;
use stage::{Kept, Stage};
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use tape::Tape;

/// Shortest time between shots while no hand moves, s.
const SHOT_EVERY: f64 = 1.0 / 60.0;
/// Shortest time between shots while hands move, s.
const HURRIED_SHOT_EVERY: f64 = 0.004;
/// Least ratio of the time for steps to the time for shots. While hands move it may be smaller, with at least
/// one step per shot.
const SHARE_OF_STEPS: f64 = 2.0;
const HURRIED_SHARE_OF_STEPS: f64 = 0.25;
/// Time between two status messages, s.
const STATUS_EVERY: f64 = 0.1;
/// Largest number of requests that are handled before the next step.
const MOST_AT_ONCE: usize = 256;
/// Number of panics after which the session ends, because its state can't be trusted.
const MOST_PANICS: usize = 20;

/// A message to the session.
#[derive(Debug)]
pub(crate) enum Asked {
    /// A request of a page.
    Request { page: PageId, request: Request, reply: Reply },
    /// A page has connected; `pages` is the new number.
    Came { pages: usize },
    /// A page has disconnected; `pages` is the new number.
    Left { page: PageId, pages: usize },
    /// The server ends.
    Stop,
}

/// The initial scene or recording.
#[derive(Debug)]
pub(crate) enum Opening {
    Scene { file: Box<SceneFile>, builtin: bool },
    Recording { recording: Box<Recording>, name: String },
}

/// State of the session thread.
#[derive(Debug)]
pub(crate) struct Session {
    asked: Receiver<Asked>,
    clock: WallClock,
    stage: Stage,
    history: History,
    publisher: Publisher,
    pace: Pace,
    meter: Meter,
    series: Series,
    computing: Computing,
    /// The recording named on the command line, and the last one requested by a page.
    named_tape: Option<Tape>,
    tape: Option<Tape>,
    playing: bool,
    /// Requested steps while paused, and their replies.
    stepping: VecDeque<(u64, Reply)>,
    /// Number of hands and pokes so far, over all stages.
    hands_so_far: u64,
    pages: usize,
    /// Whether no page has connected yet: time starts with the first page, so that nobody misses the start.
    unseen: bool,
    /// Whether there is something new to show.
    fresh: bool,
    /// Whether a hand was moved and no step has followed it yet, and whether a step has since the last shot.
    moved: bool,
    followed: bool,
    last_shot: f64,
    /// Duration of a shot, s.
    shot_cost: f64,
    last_status: f64,
}

impl Session {
    /// Opens the initial scene or recording; records into a file if one is named.
    pub(crate) fn open(
        opening: Opening,
        record: Option<PathBuf>,
        asked: Receiver<Asked>,
        shared: Arc<Shared>,
    ) -> Result<Self, Problem> {
        let stage = match opening {
            Opening::Scene { file, builtin } => Stage::Live(Box::new(Live::build(Arc::new(*file), builtin)?)),
            Opening::Recording { recording, name } => {
                Stage::Playback(Box::new(Playback::new(*recording, name, 0)?))
            }
        };
        let mut session = Self {
            asked,
            clock: WallClock::start(),
            stage,
            history: History::default(),
            publisher: Publisher::new(shared),
            pace: Pace::new(),
            meter: Meter::default(),
            series: Series::default(),
            computing: Computing::default(),
            named_tape: None,
            tape: None,
            playing: true,
            stepping: VecDeque::new(),
            hands_so_far: 0,
            pages: 0,
            unseen: true,
            fresh: true,
            moved: false,
            followed: false,
            last_shot: f64::NEG_INFINITY,
            shot_cost: 0.0,
            last_status: f64::NEG_INFINITY,
        };
        session.announce();
        if let Some(path) = record {
            session.named_tape = Some(session.begin_tape(Some(path))?);
        }
        Ok(session)
    }

    /// Reports to all pages what is open.
    fn announce(&mut self) {
        let scene = match &mut self.stage {
            Stage::Live(live) => {
                live.report_all_again();
                scene_message(&live.file, live.builtin)
            }
            Stage::Playback(playback) => playback.scene(),
        };
        self.publisher.open(&scene);
        if let Stage::Playback(playback) = &self.stage
            && let Some(damage) = playback.damage()
        {
            self.publisher.report(playback.time, "damaged", &damage);
        }
        self.series = Series::default();
        self.after_jump();
    }

    /// Shows another stage; returns the previous one. Hands get new names, so that a page can't move one of
    /// them by an old name.
    fn replace(&mut self, mut stage: Stage) -> Stage {
        if let Stage::Live(live) = &self.stage {
            self.hands_so_far = live.hands.so_far();
        }
        if let Stage::Live(live) = &mut stage {
            live.hands = Hands::after(self.hands_so_far);
        }
        self.stepping.clear();
        std::mem::replace(&mut self.stage, stage)
    }

    /// After a jump of the state: shows it, continues time from now, and ends recordings, which can't contain
    /// jumps.
    fn after_jump(&mut self) {
        let time = self.stage.time();
        for tape in [&mut self.named_tape, &mut self.tape].into_iter().flatten().filter(|tape| tape.is_on()) {
            tape.end();
            self.publisher.report(time, "recording", "time has jumped: the recording has ended");
        }
        self.fresh = true;
        self.publisher.forget_table();
        self.meter.restart();
        self.pace.begin(self.clock.now());
        self.collect_events();
    }

    /// Runs until the server stops.
    pub(crate) fn run(mut self) {
        let mut panics = 0;
        loop {
            match catch_unwind(AssertUnwindSafe(|| self.turn())) {
                Ok(true) => {}
                Ok(false) => return,
                Err(panic) => {
                    panics += 1;
                    let is_back = catch_unwind(AssertUnwindSafe(|| self.recover(words_of(&*panic)))).is_ok();
                    if !is_back || panics >= MOST_PANICS {
                        return;
                    }
                }
            }
        }
    }

    /// Handles requests, makes the step that is due, and shows it; returns whether to continue.
    fn turn(&mut self) -> bool {
        for _ in 0..MOST_AT_ONCE {
            match self.asked.try_recv() {
                Ok(Asked::Stop) => return false,
                Ok(asked) => self.take(asked),
                Err(_) => break,
            }
        }
        let wait = self.advance().min(self.show());
        match self.asked.recv_timeout(Duration::from_secs_f64(wait)) {
            Ok(Asked::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
            Ok(asked) => self.take(asked),
            Err(RecvTimeoutError::Timeout) => {}
        }
        true
    }

    fn take(&mut self, asked: Asked) {
        match asked {
            Asked::Request { page, request, reply } => self.answer(page, request, reply),
            Asked::Came { pages } => {
                self.pages = pages;
                if std::mem::take(&mut self.unseen) {
                    self.pace.begin(self.clock.now());
                }
            }
            Asked::Left { page, pages } => {
                self.pages = pages;
                if let Stage::Live(live) = &mut self.stage
                    && live.hands.drop_all_of(&mut live.simulation, page)
                {
                    self.fresh = true;
                }
            }
            Asked::Stop => {}
        }
    }

    /// Makes the step that is due, if there is one; returns how long to wait for a message, s.
    fn advance(&mut self) -> f64 {
        if let Some((left, reply)) = self.stepping.front_mut() {
            *left -= 1;
            let (done, awaited) = (*left == 0, reply.is_awaited());
            if awaited {
                self.step();
            }
            if (done || !awaited)
                && let Some((_, reply)) = self.stepping.pop_front()
            {
                reply.send(Some(Ok(Done::Nothing)));
            }
            return 0.0;
        }
        if !self.playing || self.unseen {
            return STATUS_EVERY;
        }
        if self.pace.wait(self.clock.now()) <= 0.0 {
            let seconds = match &self.stage {
                Stage::Live(_) => self.step(),
                Stage::Playback(_) => self.play_on(),
            };
            self.pace.made(seconds, self.clock.now());
        }
        self.pace.wait(self.clock.now()).min(STATUS_EVERY)
    }

    /// Makes one step, or shows one frame; returns its length, s.
    fn step(&mut self) -> f64 {
        let live = match &mut self.stage {
            Stage::Live(live) => live,
            Stage::Playback(playback) => {
                // There is none after the last frame.
                self.fresh |= playback.seek(playback.at + 1).is_ok();
                return 0.0;
            }
        };
        let h = live.simulation.settings().step;
        live.step(&self.clock);
        let simulation = &live.simulation;
        self.meter.mark(self.clock.now(), simulation.time());
        self.series.add(simulation.probe_names(), simulation.time(), simulation.probe_values());
        self.fresh = true;
        self.followed |= std::mem::take(&mut self.moved);
        let is_stuck = live.is_stuck();
        self.collect_events();
        if is_stuck && self.history.is_touch() {
            self.undo_touch();
        }
        h
    }

    /// Undoes the last grab or poke, after which all steps are held, even without the hand.
    fn undo_touch(&mut self) {
        if let Ok(undone) = self.undo()
            && let Stage::Live(live) = &mut self.stage
        {
            // If the earlier state is stuck too, the edit before it is undone next.
            live.touch();
            let text = format!("no step succeeded any more; undid the {}", undone.what);
            self.publisher.report(live.simulation.time(), "recovered", &text);
        }
    }

    /// Plays a recording for the time of a shot; returns the simulated time, s.
    fn play_on(&mut self) -> f64 {
        let seconds = SHOT_EVERY * self.pace.speed;
        if let Stage::Playback(playback) = &mut self.stage {
            let (another, over) = playback.advance(seconds);
            self.fresh |= another || over;
            self.playing &= !over;
            self.meter.mark(self.clock.now(), playback.time);
        }
        seconds
    }

    /// After a panic: restores the newest snapshot of this scene, or builds the scene again.
    fn recover(&mut self, panic: &str) {
        self.playing = false;
        self.stepping.clear();
        let Stage::Live(live) = &self.stage else { return };
        let anew = || Live::build(live.file.clone(), live.builtin);
        let restored = match self.history.newest() {
            Some(Kept::Live(snapshot)) if Arc::ptr_eq(&snapshot.file, &live.file) => {
                Live::restore(snapshot).or_else(|_| anew())
            }
            _ => anew(),
        };
        if let Ok(mut live) = restored {
            live.trouble = Some(Trouble {
                kind: "panic",
                text: format!("the program failed: {panic}. This is an error in Micado"),
                remedy: "the state before the last edit is restored; please report the scene and the edits"
                    .to_owned(),
                object: None,
                constraint: None,
            });
            self.replace(Stage::Live(Box::new(live)));
        }
        self.announce();
    }

    fn collect_events(&mut self) {
        if let Stage::Live(live) = &mut self.stage {
            for event in live.new_events() {
                self.publisher.report(event.time, event.kind(), &event.to_string());
            }
            let time = live.simulation.time();
            for sentence in live.new_turned() {
                self.publisher.report(time, "remark", &sentence);
            }
        }
    }

    /// Shows new states when a shot is due; returns the seconds until the next one.
    fn show(&mut self) -> f64 {
        let now = self.clock.now();
        if now - self.last_status >= STATUS_EVERY {
            self.last_status = now;
            self.publisher.status(&self.status());
        }
        if !self.fresh {
            return STATUS_EVERY;
        }
        let (every, share) = match self.followed {
            true => (HURRIED_SHOT_EVERY, HURRIED_SHARE_OF_STEPS),
            false => (SHOT_EVERY, SHARE_OF_STEPS),
        };
        let wait = every.max((1.0 + share) * self.shot_cost) - (now - self.last_shot);
        if wait > 0.0 {
            return wait.min(STATUS_EVERY);
        }
        (self.fresh, self.followed, self.last_shot) = (false, false, now);
        let moment = Moment { playing: self.playing, real_time_factor: self.factor() };
        match &mut self.stage {
            Stage::Live(live) => {
                let mut tapes = [&mut self.named_tape, &mut self.tape]
                    .map(|tape| tape.as_mut().filter(|tape| tape.is_on()));
                let shot = self.publisher.show(live, moment, tapes.iter().any(Option::is_some));
                for tape in tapes.iter_mut().flatten() {
                    let seen = (&self.publisher.seen, self.publisher.meshes());
                    if let Err(why) = tape.take(&shot.frame, seen, now, &shot.events) {
                        self.publisher.report(shot.frame.time, "recording", &why);
                    }
                }
            }
            Stage::Playback(playback) => self.publisher.show_recorded(playback, moment),
        }
        self.shot_cost = self.clock.now() - now;
        STATUS_EVERY
    }

    fn factor(&self) -> f64 {
        if self.playing { self.meter.factor() } else { 0.0 }
    }

    fn status(&self) -> Status {
        let (undo, redo) = self.history.words();
        let mut status = Status {
            playing: self.playing,
            speed: self.pace.speed,
            mode: Mode::default(),
            modes: Modes::default(),
            real_time_factor: self.factor(),
            step_seconds: 0.0,
            stages: Vec::new(),
            energies: Energies::default(),
            undo,
            redo,
            recording: self.tape.as_ref().is_some_and(Tape::is_on),
            pages: self.pages,
            trouble: None,
        };
        match &self.stage {
            Stage::Live(live) => {
                (status.step_seconds, status.stages) = live.cost();
                (status.mode, status.modes) = (live.simulation.settings().mode, live.modes());
                status.energies = live.energies();
                status.trouble.clone_from(&live.trouble);
            }
            Stage::Playback(playback) => status.energies = playback.energies,
        }
        status
    }

    /// Starts a recording.
    fn begin_tape(&mut self, named: Option<PathBuf>) -> Result<Tape, Problem> {
        let live = self.stage.live()?;
        let (table, _) = observe::observe(&live.simulation);
        self.fresh = true;
        Tape::begin(named, &live.file, &table, self.publisher.event_count())
    }
}

/// Message of a panic.
fn words_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Describes the open scene.
fn scene_message(file: &SceneFile, builtin: bool) -> Scene {
    let scene = file.scene();
    Scene {
        name: file.name().to_owned(),
        title: scene.title.clone(),
        description: scene.description.clone(),
        text: file.text().to_owned(),
        overrides: file.overrides().to_vec(),
        builtin,
        recording: None,
        duration: scene.settings.duration,
        step: scene.settings.step,
        colour: CHANNELS[observe::channel_of(scene.picture.colour)].0.to_owned(),
        view_from: scene.picture.view_from,
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, Opening, Reply, Session, Shared, Stage};
    use crate::protocol::read;
    use micado_io::scene::{self, SceneFile};
    use serde_json::{Value, json};
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use tokio::sync::mpsc::unbounded_channel;

    fn open(file: SceneFile) -> Session {
        let (_, received) = channel();
        Session::open(
            Opening::Scene { file: Box::new(file), builtin: false },
            None,
            received,
            Arc::new(Shared::new()),
        )
        .unwrap()
    }

    fn say(session: &mut Session, what: &Value) -> Value {
        let (to, mut answers) = unbounded_channel();
        let (id, request) = read(&json!({ "id": 1, "do": what }).to_string()).unwrap();
        session.take(Asked::Request { page: 1, request, reply: Reply::new(Some(id), to) });
        answers
            .try_recv()
            .unwrap()
            .1
            .map_or(Value::Null, |answer| serde_json::to_value(answer.unwrap()).unwrap())
    }

    fn make_steps(session: &mut Session, count: usize) {
        for _ in 0..count {
            session.step();
        }
    }

    #[test]
    fn after_a_panic_the_newest_snapshot_is_restored_and_the_session_continues() {
        let text = "[settings]\nstep = 0.01\n[mass.ball]\nmass = 2\nposition = [0, 0, 1]\n";
        let mut session = open(scene::parse("test.toml", text, &[]).unwrap());
        make_steps(&mut session, 5);
        say(&mut session, &json!({ "edit": { "gravity": [0, 0, -1] } }));
        make_steps(&mut session, 5);
        assert!((session.stage.time() - 0.1).abs() < 1e-12);

        session.recover("an index is out of bounds");
        assert!((session.stage.time() - 0.05).abs() < 1e-12, "before the last edit");
        let trouble = session.status().trouble.expect("trouble");
        assert!(
            trouble.kind == "panic" && trouble.text.contains("out of bounds") && !session.status().playing
        );
        session.step();
        assert!((session.stage.time() - 0.06).abs() < 1e-12 && session.status().trouble.is_none());
    }

    /// A scene whose middle was dragged to and fro by metres, too fast, and released.
    fn tear(name: &str) -> Session {
        let builtin = scene::builtin(name).expect("a scene");
        // The wall clock would decide which objects are quasi-static.
        let dynamic = ["settings.mode=\"dynamic\"".to_owned()];
        let mut session = open(scene::parse(builtin.name, builtin.text, &dynamic).unwrap());
        make_steps(&mut session, 50);
        let (on, middle) = match &session.stage {
            Stage::Live(live) => {
                let first = &live.simulation.world().structure().objects[0];
                (first.name.clone(), 0.5 * first.rod().expect("a rod").length())
            }
            Stage::Playback(_) => unreachable!("a scene"),
        };
        let hand = say(&mut session, &json!({ "grab": { "on": on, "at": middle } }))["name"].clone();
        for target in [[0.5, 0.3, 0.2], [0.5, 5.0, 0.0], [0.5, -5.0, 3.0], [20.0, 0.0, 0.0], [0.5, 0.0, -0.3]]
        {
            if matches!(&session.stage, Stage::Live(live) if live.hands.is_empty()) {
                // Undone already.
                break;
            }
            say(&mut session, &json!({ "move": { "name": hand, "position": target } }));
            make_steps(&mut session, 200);
        }
        if matches!(&session.stage, Stage::Live(live) if !live.hands.is_empty()) {
            say(&mut session, &json!({ "drop": { "name": hand, "how": "release" } }));
        }
        make_steps(&mut session, 200);
        session
    }

    #[test]
    fn steps_succeed_after_any_drag() {
        for name in ["bridge", "cable-bundle", "hanging-cable", "dna", "car-door"] {
            let mut session = tear(name);
            let before = session.stage.time();
            make_steps(&mut session, 10);
            let trouble = session.status().trouble;
            assert!(
                session.stage.time() > before && trouble.is_none_or(|trouble| trouble.kind != "held"),
                "{name}"
            );
        }
    }
}
