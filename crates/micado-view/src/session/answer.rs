//! Handles the requests of pages.

use super::history::{Deed, Entry};
use super::live::{self, Live};
use super::playback::Playback;
use super::reply::Reply;
use super::stage::{Kept, Stage};
use super::tape;
use super::{PageId, Session, compute, export, inspect};
use crate::protocol::{Done, Export, Exported, Hand, How, Open, Poke, Problem, Request, Undone};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use glam::DVec3;
use micado::clock::Clock;
use micado::describe::anchor::At;
use micado::describe::signal::Signal;
use micado::load::{LoadDescription, PointForce};
use micado::scene::{Edit, Named};
use micado_io::record::{RecordError, Recording};
use micado_io::scene;
use std::sync::Arc;

/// Largest number of steps per request.
const MOST_STEPS: u64 = 100_000;
/// Duration of a poke, simulated s; its largest force, N; and the largest number at a time.
const POKE: f64 = 0.1;
const MOST_POKE: f64 = 1e6;
const MOST_POKES: usize = 16;
/// Largest number of probes.
const MOST_PROBES: usize = 200;

impl Session {
    /// Handles a request of a page, and answers.
    pub(super) fn answer(&mut self, page: PageId, request: Request, reply: Reply) {
        match request {
            // These are answered later, when they are done.
            Request::Step { count: count @ 1..=MOST_STEPS } => {
                if self.playing {
                    self.play(false);
                }
                self.stepping.push_back((count, reply));
            }
            Request::Check { text } => self.computing.begin(reply, move || compute::check(&text)),
            Request::Modes { count } => self.work_out(reply, |session| {
                let simulation = &session.stage.live()?.simulation;
                let (world, arithmetic) = (simulation.world().clone(), simulation.settings().arithmetic);
                Ok(move || compute::modes(&world, arithmetic, count))
            }),
            Request::Matrix => self.work_out(reply, |session| {
                let live = session.stage.live()?;
                let (simulation, name) = (live.simulation.clone(), live.file.short_name().to_owned());
                Ok(move || compute::matrix(&simulation, &name))
            }),
            Request::Export(Export::Csv) => self.work_out(reply, |session| {
                let name = format!("{}.csv", session.stage.live()?.file.short_name());
                let series = session.series.clone();
                Ok(move || Ok(Done::Export(Exported::Text { name, text: series.csv() })))
            }),
            Request::Export(Export::Recording) => self.work_out(reply, |session| {
                let tape = session
                    .tape
                    .as_ref()
                    .ok_or_else(|| Problem::new("nothing was recorded", "start with `record: true`"))?;
                let (name, path) = tape.file();
                Ok(move || {
                    let base64 = BASE64.encode(tape::bytes(&path)?);
                    Ok(Done::Export(Exported::Bytes { name, base64 }))
                })
            }),
            request => {
                let silent = matches!(request, Request::Move(_));
                reply.send(match self.fulfil(page, request) {
                    Ok(_) if silent => None,
                    result => Some(result),
                });
            }
        }
    }

    /// Computes something on another thread, from data copied now.
    fn work_out<W>(&mut self, reply: Reply, copy: impl FnOnce(&mut Self) -> Result<W, Problem>)
    where
        W: FnOnce() -> Result<Done, Problem> + Send + 'static,
    {
        match copy(self) {
            Ok(work) => self.computing.begin(reply, work),
            Err(problem) => reply.send(Some(Err(problem))),
        }
    }

    fn fulfil(&mut self, page: PageId, request: Request) -> Result<Done, Problem> {
        match request {
            Request::Play => self.play(true),
            Request::Pause => self.play(false),
            Request::Reset => self.reset()?,
            Request::Step { count } => {
                return Err(Problem::new(format!("{count} steps"), format!("ask for 1 to {MOST_STEPS}")));
            }
            Request::Open(open) => {
                let (stage, name) = self.opened(open)?;
                self.show_stage(stage, format!("opening of {name}"));
            }
            Request::Speed { factor } => {
                if !(0.01..=100.0).contains(&factor) {
                    return Err(Problem::new(
                        format!("a speed of {factor}"),
                        "give a factor from 0.01 to 100",
                    ));
                }
                self.pace.speed = factor;
                self.pace.begin(self.clock.now());
            }
            Request::Mode(mode) => {
                self.stage.live()?.simulation.set_mode(mode)?;
                self.fresh = true;
            }
            Request::Grab(grab) => {
                let deed = Deed::Touch(format!("grab of `{}`", grab.on));
                let name =
                    self.edit(deed, |live| Ok(live.hands.grab(&mut live.simulation, &grab, page)?))?;
                return Ok(Done::Grab(Hand { name }));
            }
            Request::Move(moved) => {
                self.stage.live()?.hands.move_to(&moved.name, moved.position, moved.rotation)?;
                self.moved = true;
                // While time runs, the next step shows it.
                self.fresh |= !self.playing;
            }
            Request::Drop { name, how } => {
                let live = self.stage.live()?;
                let pin = live.hands.drop(&mut live.simulation, &name, how == How::Pin)?;
                self.touched();
                return Ok(Done::Drop(pin.map(|name| Hand { name })));
            }
            Request::Edit(edit) => self.edit(Deed::Other(edit.to_string()), |live| live.edit(&edit))?,
            Request::Poke(poke) => self.poke(&poke)?,
            Request::Undo => return self.undo().map(Done::Undo),
            Request::Redo => return self.redo().map(Done::Redo),
            Request::Watch { probe } => {
                scene::check_probe(&probe)?;
                let simulation = &mut self.stage.live()?.simulation;
                if simulation.probes().len() >= MOST_PROBES {
                    return Err(Problem::new(
                        format!("{MOST_PROBES} probes exist already"),
                        "remove some with `unwatch`",
                    ));
                }
                simulation.add_probe(probe)?;
                self.fresh = true;
            }
            Request::Unwatch { name } => {
                self.stage.live()?.simulation.remove_probe(&name)?;
                self.fresh = true;
            }
            Request::Inspect(place) => {
                return inspect::inspect(self.stage.live()?.simulation.world(), &place).map(Done::Inspect);
            }
            Request::Record(true) => self.tape = Some(self.begin_tape(None)?),
            Request::Record(false) => {
                let tape = self.tape.as_mut().filter(|tape| tape.is_on());
                tape.ok_or_else(|| Problem::new("no recording is running", "start with `record: true`"))?
                    .end();
            }
            Request::Seek { frame } => {
                self.stage.playback()?.seek(frame)?;
                self.fresh = true;
                self.pace.begin(self.clock.now());
            }
            Request::Export(Export::Scene) => {
                let live = self.stage.live()?;
                let text = export::scene(live)?;
                let name = format!("{}-now.toml", live.file.short_name());
                return Ok(Done::Export(Exported::Text { name, text }));
            }
            // Handled by the socket, or above.
            Request::Gallery
            | Request::Colour(_)
            | Request::Check { .. }
            | Request::Modes { .. }
            | Request::Matrix
            | Request::Export(Export::Csv | Export::Recording) => {}
        }
        Ok(Done::Nothing)
    }

    fn play(&mut self, playing: bool) {
        self.stepping.clear();
        if playing != self.playing {
            self.playing = playing;
            self.fresh = true;
            self.meter.restart();
            self.pace.begin(self.clock.now());
            if let Stage::Playback(playback) = &mut self.stage
                && playing
                && playback.is_over()
            {
                // From the start again; the first frame exists.
                let _ = playback.seek(0);
            }
        }
    }

    /// The structure has changed.
    fn touched(&mut self) {
        self.fresh = true;
        self.collect_events();
    }

    /// Makes an edit that can be undone.
    fn edit<T>(
        &mut self,
        deed: Deed,
        change: impl FnOnce(&mut Live) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let live = self.stage.live()?;
        let before = live.snapshot();
        let done = change(live)?;
        self.history.remember(deed, Kept::Live(before));
        self.touched();
        Ok(done)
    }

    fn poke(&mut self, poke: &Poke) -> Result<(), Problem> {
        let force = DVec3::from_array(poke.force).length();
        if !(0.0..=MOST_POKE).contains(&force) {
            return Err(Problem::new(
                format!("a poke of {force} N"),
                format!("poke with at most {MOST_POKE} N"),
            ));
        }
        if self.stage.live()?.pokes.len() >= MOST_POKES {
            return Err(Problem::new(
                format!("{MOST_POKES} pokes are active already"),
                "let time run, then poke",
            ));
        }
        let at = poke.at.map(At::Length).or(poke.point.map(At::Point));
        let force = Signal::Constant(poke.force);
        let to = LoadDescription::Force(PointForce { on: poke.on.clone(), at, force });
        self.edit(Deed::Touch(format!("poke of `{}`", poke.on)), |live| {
            let name = live.hands.free_name(&live.simulation, "poke");
            live.simulation.apply(&Edit::AddLoad(Named { name: name.clone(), to }))?;
            live.pokes.push((name, live.simulation.time() + POKE));
            Ok(())
        })
    }

    fn reset(&mut self) -> Result<(), Problem> {
        match &mut self.stage {
            Stage::Live(live) => {
                let anew = Live::build(live.file.clone(), live.builtin)?;
                self.show_stage(Stage::Live(Box::new(anew)), "reset".to_owned());
            }
            Stage::Playback(playback) => {
                playback.seek(0)?;
                self.fresh = true;
            }
        }
        Ok(())
    }

    /// Shows another stage; the previous one can be restored by undo.
    fn show_stage(&mut self, stage: Stage, what: String) {
        let before = self.replace(stage).keep();
        self.history.remember(Deed::Other(what), before);
        self.announce();
    }

    pub(super) fn undo(&mut self) -> Result<Undone, Problem> {
        let Entry { deed, kept } = self
            .history
            .undo()
            .ok_or_else(|| Problem::new("there is nothing to undo", "edit something first"))?;
        let words = Undone { what: deed.words().to_owned() };
        match self.bring_back(kept) {
            Ok(now) => self.history.undone(deed, now),
            Err(refused) => {
                let (kept, problem) = *refused;
                self.history.not_undone(Entry { deed, kept });
                return Err(problem);
            }
        }
        Ok(words)
    }

    fn redo(&mut self) -> Result<Undone, Problem> {
        let Entry { deed, kept } = self
            .history
            .redo()
            .ok_or_else(|| Problem::new("there is nothing to redo", "undo something first"))?;
        let words = Undone { what: deed.words().to_owned() };
        match self.bring_back(kept) {
            Ok(now) => self.history.redone(deed, now),
            Err(refused) => {
                let (kept, problem) = *refused;
                self.history.undone(deed, kept);
                return Err(problem);
            }
        }
        Ok(words)
    }

    /// Restores a state; returns the one that it replaces.
    fn bring_back(&mut self, kept: Kept) -> Result<Kept, Box<(Kept, Problem)>> {
        let stage = kept.bring_back()?;
        let is_same = matches!(
            (&self.stage, &stage),
            (Stage::Live(old), Stage::Live(new)) if Arc::ptr_eq(&old.file, &new.file)
        );
        let before = self.replace(stage).keep();
        match is_same {
            true => self.after_jump(),
            false => self.announce(),
        }
        Ok(before)
    }

    /// The stage that a page opens, and its name. The scene of the command line keeps its overrides when it
    /// is opened again.
    fn opened(&self, open: Open) -> Result<(Stage, String), Problem> {
        let (file, builtin) = match open {
            Open { builtin: Some(name), name: None, text: None, recording: None } => {
                let scene = scene::builtin(&name).ok_or_else(|| {
                    Problem::new(
                        format!("there is no built-in scene called `{name}`"),
                        "the gallery lists them",
                    )
                })?;
                (scene::parse(scene.name, scene.text, &[])?, true)
            }
            Open { builtin: None, name: Some(name), text: Some(text), recording: None } => {
                let overrides = match &self.stage {
                    Stage::Live(live) if live.file.name() == name => live.file.overrides(),
                    _ => &[],
                };
                (live::written(&name, &text, overrides)?, false)
            }
            Open { builtin: None, name: Some(name), text: None, recording: Some(recording) } => {
                let stage = Stage::Playback(Box::new(played(&name, &recording)?));
                return Ok((stage, name));
            }
            _ => {
                return Err(Problem::new(
                    "there is nothing to open",
                    "give `builtin`, or `name` and `text`, or `name` and `recording`",
                ));
            }
        };
        let live = Live::build(Arc::new(file), builtin)?;
        let name = live.file.short_name().to_owned();
        Ok((Stage::Live(Box::new(live)), name))
    }
}

/// A recording that a page has uploaded in base64.
fn played(name: &str, recording: &str) -> Result<Playback, Problem> {
    let bytes = BASE64
        .decode(recording)
        .map_err(|error| Problem::new(format!("not base64: {error}"), "encode the file in base64"))?;
    let size = bytes.len();
    let refused = |error: RecordError| {
        Problem::new(error.to_string(), "give a recording that `micado run` or `record` made")
    };
    Playback::new(Recording::from_bytes(name, bytes).map_err(refused)?, name.to_owned(), size)
}
