//! The course of a run: from the first step, or the last checkpoint, to the results.

use super::charts;
use super::checkpoint::{self, Counted};
use super::clip_report;
use super::contact_series::ContactSeries;
use super::folder::{
    ANIMATION, CONTACTS, ENERGY, Folder, MODES, PICTURE, PROBES, RECORDING, SUMMARY_JSON, SUMMARY_TEXT,
};
use super::picture::{Look, Wanted, draw_animation, draw_picture};
use super::progress::Progress;
use super::recorder::{self, RunRecorder};
use super::series::TimeSeries;
use super::state::{self, Energy};
use super::summary::{MeanWorst, Modes, Summary, last_values, stages};
use super::tally::Tally;
use super::verdict;
use crate::failure::Failure;
use crate::output;
use micado::clock::{Clock, VirtualClock, WallClock};
use micado::run::{Condition, Event as RunEvent, Simulation};
use micado::scene::{Mode, Scene, Settings};
use micado::short::Short;
use micado::step::{Pool, Stage, StepReport};
use micado::world::snapshot::SnapshotError;
use micado_io::observe;
use micado_io::record::{Event, Recorder};
use micado_io::scene::SceneFile;

/// Number of events that are printed during the run; the others are in the summary.
const MOST_REMARKS: usize = 20;
/// Column of probes.csv: 1 where the forces of the step are not final, else 0.
const UNFINISHED: &str = "forces_unfinished";

/// A run.
pub(super) struct Course {
    simulation: Simulation,
    scene: Scene,
    /// None if nothing is to be written.
    recorder: Option<RunRecorder>,
    probes: TimeSeries,
    energy: TimeSeries,
    /// Of a quasi-dynamic run.
    modes: Option<TimeSeries>,
    /// Contacts, if surfaces touch in the scene.
    contacts: Option<ContactSeries>,
    tally: Tally,
    /// Number of events that were reported.
    reported: usize,
    /// Events that no frame has recorded yet.
    unrecorded: Vec<Event>,
    /// Largest constraint violation of the last step, m or rad.
    residual: f64,
    /// Whether the forces of the last step are not final.
    unfinished: bool,
    /// Start of this process: time, s, and wall time of all earlier steps, s.
    began: (f64, f64),
}

impl Course {
    /// Lets steps use the threads of a pool.
    pub(super) fn set_pool(&mut self, pool: Pool) {
        self.simulation.set_pool(pool);
    }

    /// Starts a run, or resumes the one in the folder. Without a folder nothing is written.
    pub(super) fn begin(
        file: &SceneFile,
        simulation: Simulation,
        folder: Option<&Folder>,
        resume: bool,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        match folder {
            Some(folder) if resume => Self::resume(file, folder, progress),
            folder => Self::anew(file, simulation, folder),
        }
    }

    fn anew(file: &SceneFile, simulation: Simulation, folder: Option<&Folder>) -> Result<Self, Failure> {
        let settings = &file.scene().settings;
        if let Some(folder) = folder.filter(|_| !is_quasi(settings)) {
            folder.forget(&[MODES, "plot-modes.svg", "plot-modes.png", "plot-cost.svg", "plot-cost.png"])?;
        }
        let contacts = match folder {
            Some(folder) if simulation.world().contact_settings().is_some() => {
                Some(ContactSeries::create(folder.file(CONTACTS))?)
            }
            Some(folder) => folder.forget(&[CONTACTS]).map(|()| None)?,
            None => None,
        };
        let recorder = match folder {
            Some(folder) => {
                let (table, _) = observe::observe(&simulation);
                let recorder = recorder::create(folder, file, &table)?;
                Some(RunRecorder::new(recorder, table, settings, simulation.world()))
            }
            None => None,
        };
        let (probe_names, energy_names) = column_names(file.scene());
        let series = |name: &str, columns: &[String]| match folder {
            Some(folder) => TimeSeries::create(folder.file(name), columns),
            None => Ok(TimeSeries::in_memory(columns)),
        };
        let mut course = Self {
            recorder,
            probes: series(PROBES, &probe_names)?,
            energy: series(ENERGY, &energy_names)?,
            modes: is_quasi(settings).then(|| series(MODES, &mode_names())).transpose()?,
            contacts,
            scene: file.scene().clone(),
            tally: Tally::default(),
            reported: 0,
            unrecorded: Vec::new(),
            residual: 0.0,
            unfinished: false,
            began: (simulation.time(), 0.0),
            simulation,
        };
        course.simulation.settle(&WallClock::start());
        // No checkpoint yet: resuming from the start is starting again.
        if course.starts_at_rest() {
            course.measure(true)?;
        } else {
            course.record(true)?;
        }
        Ok(course)
    }

    fn resume(file: &SceneFile, folder: &Folder, progress: &Progress) -> Result<Self, Failure> {
        let path = folder.file(RECORDING);
        let shown = path.display();
        let anew = || "run without --resume to start again".to_owned();
        if !path.exists() {
            return Err(Failure::Usage(format!("there is no recording {shown} to resume"), anew()));
        }
        let resumed = Recorder::resume(&path).map_err(|error| Failure::Usage(error.to_string(), anew()))?;
        let taken_apart =
            resumed.checkpoint.as_ref().and_then(|checkpoint| checkpoint::unpack(&checkpoint.bytes));
        let Some((counted, snapshot)) = taken_apart else {
            return Err(Failure::Usage(format!("{shown} has no checkpoint to resume from"), anew()));
        };
        if counted.scene != identity(file.scene()) {
            return Err(Failure::Usage(
                format!("{shown} was made by another scene, or by this one before it was changed"),
                "only the duration may differ; run without --resume to start again".to_owned(),
            ));
        }
        let simulation = prolonged(snapshot, file.scene().settings.duration).map_err(|error| {
            Failure::Usage(format!("the checkpoint in {shown} can't be used: {error}"), anew())
        })?;
        let time = simulation.time();
        let Settings { duration, step, .. } = file.scene().settings;
        // A run ends with a whole step, which may reach beyond its duration.
        if time > duration + step * (1.0 + 1e-9) {
            return Err(Failure::Usage(
                format!("{shown} is at {} s already, and the duration is {} s", Short(time), Short(duration)),
                "give a longer duration, or run without --resume to start again".to_owned(),
            ));
        }
        let (probe_names, energy_names) = column_names(file.scene());
        progress.say(&format!("resuming at t = {} s", Short(time)));
        let touches = simulation.world().contact_settings().is_some();
        let recorded = counted.recorded.unwrap_or(usize::MAX).min(simulation.events().len());
        Ok(Self {
            recorder: Some(RunRecorder::resumed(
                resumed.recorder,
                resumed.meshes,
                &file.scene().settings,
                simulation.world(),
            )),
            probes: TimeSeries::resume(folder.file(PROBES), &probe_names, time)?,
            energy: TimeSeries::resume(folder.file(ENERGY), &energy_names, time)?,
            modes: is_quasi(&file.scene().settings)
                .then(|| TimeSeries::resume(folder.file(MODES), &mode_names(), time))
                .transpose()?,
            contacts: touches.then(|| ContactSeries::resume(folder.file(CONTACTS), time)).transpose()?,
            scene: file.scene().clone(),
            began: (time, counted.tally.wall),
            tally: counted.tally,
            reported: simulation.events().len(),
            unrecorded: simulation.events()[recorded..].iter().map(Event::from).collect(),
            residual: 0.0,
            unfinished: false,
            simulation,
        })
    }

    /// Steps until the end of the scene.
    pub(super) fn step_to_the_end(&mut self, progress: &Progress) -> Result<(), Failure> {
        let clock = WallClock::start();
        let duration = self.scene.settings.duration;
        while !self.simulation.finished() {
            let before = clock.now();
            let report = match is_quasi(&self.scene.settings) {
                // The choice of modes must be the same in every run, and after a resume.
                true => self.simulation.step(&VirtualClock::new(self.scene.settings.quasi.cost)),
                false => self.simulation.step(&clock),
            };
            self.count(&report, clock.now() - before);
            self.report_events(progress);
            // After a held step the state is unchanged.
            if !report.held {
                if let Some(modes) = &mut self.modes {
                    modes.push(self.simulation.time(), &mode_values(&self.simulation, &report))?;
                }
                self.measure(false)?;
            }
            if self.recorder.as_ref().is_some_and(RunRecorder::wants_checkpoint) {
                self.checkpoint()?;
            }
            let time = self.simulation.time();
            progress.show(time, duration, time - self.began.0, self.tally.wall - self.began.1);
        }
        self.record(true)?;
        self.checkpoint()
    }

    /// Records a frame if one is due, or if `in_any_case`.
    fn record(&mut self, in_any_case: bool) -> Result<(), Failure> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        let is_new = recorder.frame(&self.simulation, &mut self.unrecorded, in_any_case)?;
        match &mut self.contacts {
            Some(contacts) if is_new => contacts.push(self.simulation.world()),
            _ => Ok(()),
        }
    }

    /// Reports new events.
    fn report_events(&mut self, progress: &Progress) {
        for event in &self.simulation.events()[self.reported..] {
            match self.reported {
                reported if reported < MOST_REMARKS => {
                    progress.say(&format!("t = {:.4} s: {event}", event.time));
                }
                MOST_REMARKS => progress.say("more events are in the summary"),
                _ => {}
            }
            self.unrecorded.push(event.into());
            self.reported += 1;
        }
    }

    fn count(&mut self, report: &StepReport, wall: f64) {
        self.tally.steps += 1;
        self.tally.wall += wall;
        self.tally.step.add(wall);
        // On a virtual clock stages have counted work, not time.
        if !is_quasi(&self.scene.settings) {
            for (stage, &seconds) in Stage::ALL.iter().zip(&report.stage_seconds) {
                self.tally.add_stage(stage.name(), seconds);
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a few solves")]
        self.tally.solves.add(report.solves as f64);
        #[expect(clippy::cast_precision_loss, reason = "some hundred sweeps")]
        self.tally.sweeps.add(report.sweeps as f64);
        #[expect(clippy::cast_precision_loss, reason = "a few factorisations")]
        self.tally.factors.add(report.compliance_factors as f64);
        #[expect(clippy::cast_precision_loss, reason = "some hundred updates")]
        self.tally.updates.add(report.compliance_updates as f64);
        self.tally.sweep_residual.add(report.sweep_residual);
        #[expect(clippy::cast_precision_loss, reason = "some thousand contacts")]
        self.tally.contacts.add(report.contacts as f64);
        self.tally.penetration.add(report.penetration);
        self.tally.unsolved += u64::from(report.unsolved_contacts);
        self.tally.residual.add(report.residual);
        self.tally.retried += u64::from(report.refused.is_some());
        self.tally.held += u64::from(report.held);
        self.tally.switches += report.switches as u64;
        self.tally.still += u64::from(report.still_objects > 0);
        self.tally.ceilings += report.ceilings as u64;
        self.tally.on_the_way = report.ceilings > 0;
        let is_static = self.simulation.settings().mode == Mode::Static;
        self.tally.unsettled += u64::from(is_static && !report.held && !report.converged);
        self.unfinished = !report.has_final_forces() || is_static && !report.converged;
        self.tally.unfinished += u64::from(self.unfinished && !report.held);
        self.residual = report.residual;
    }

    /// Whether the series include the state at the start. A static run includes it only if it is an
    /// equilibrium.
    fn starts_at_rest(&self) -> bool {
        let settings = self.simulation.settings();
        let found = |event: &RunEvent| event.kind() != Condition::NotConverged.kind();
        settings.mode != Mode::Static || settings.settle && self.simulation.events().iter().all(found)
    }

    /// Adds the current values to the series, and a frame to the recording if one is due.
    fn measure(&mut self, first: bool) -> Result<(), Failure> {
        let time = self.simulation.time();
        let mark = f64::from(u8::from(self.unfinished));
        self.probes.push(time, &[self.simulation.probe_values(), &[mark]].concat())?;
        let energy = Energy::of(&self.simulation).named().map(|(_, value)| value);
        self.energy.push(time, &energy)?;
        clip_report::follow(&mut self.tally.clips, &state::clips(self.simulation.world()), time);
        self.record(first)
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        // The series have to be in the files before the checkpoint.
        self.probes.flush()?;
        self.energy.flush()?;
        self.modes.as_mut().map_or(Ok(()), TimeSeries::flush)?;
        self.contacts.as_mut().map_or(Ok(()), ContactSeries::flush)?;
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        // Checkpoints follow the wall clock: an extra frame for the events so far would differ between runs.
        let recorded = Some(self.reported.saturating_sub(self.unrecorded.len()));
        let counted = Counted { scene: identity(&self.scene), tally: self.tally.clone(), recorded };
        let (simulation, scene) = (&self.simulation, &self.scene);
        recorder.checkpoint(simulation.time(), self.tally.steps, |out| {
            checkpoint::write_head(&counted, out)?;
            simulation.write_snapshot(scene, out)
        })
    }

    /// Writes plots and pictures; returns the names of all files of the run.
    fn draw(&self, name: &str, folder: &Folder, wanted: &Wanted) -> Result<Vec<String>, Failure> {
        let title = if self.scene.title.is_empty() { name } else { &self.scene.title };
        let mut files: Vec<String> =
            [SUMMARY_TEXT, SUMMARY_JSON, PROBES, ENERGY, PICTURE, RECORDING].map(str::to_owned).to_vec();
        files.extend(self.modes.iter().map(|_| MODES.to_owned()));
        files.extend(self.contacts.iter().map(|_| CONTACTS.to_owned()));
        let look = Look { scene: &self.scene, title };
        draw_picture(folder, &look, wanted.size)?;
        if wanted.animation {
            draw_animation(folder, &look)?;
            files.push(ANIMATION.to_owned());
        }
        files.extend(charts::draw(
            folder,
            title,
            &self.scene.probe,
            &self.probes,
            &self.energy,
            self.modes.as_ref(),
        )?);
        Ok(files)
    }

    /// Writes plots, pictures and the summary, unless nothing is to be written.
    pub(super) fn conclude(
        mut self,
        file: &SceneFile,
        folder: Option<&Folder>,
        wanted: &Wanted,
    ) -> Result<Summary, Failure> {
        self.probes.flush()?;
        self.energy.flush()?;
        self.modes.as_mut().map_or(Ok(()), TimeSeries::flush)?;
        self.contacts.as_mut().map_or(Ok(()), ContactSeries::flush)?;
        let name = file.short_name();
        let files = folder.map(|folder| self.draw(name, folder, wanted)).transpose()?.unwrap_or_default();
        let simulated = self.simulation.time();
        let (unknowns, multipliers) = state::size(self.simulation.world());
        let summary = Summary {
            scene: name.to_owned(),
            title: self.scene.title.clone(),
            time: simulated,
            steps: self.tally.steps,
            wall_s: self.tally.wall,
            real_time_factor: if self.tally.wall > 0.0 { simulated / self.tally.wall } else { 0.0 },
            probes: last_values(&self.scene.probe, self.simulation.probe_values()),
            energy: Energy::of(&self.simulation),
            residual: self.residual,
            worst_residual: self.tally.residual.worst(),
            constraints: state::constraints(self.simulation.world()),
            failures: verdict::failures(self.simulation.events(), &self.tally),
            events: self.simulation.events().to_vec(),
            unreported_events: self.simulation.unreported_events(),
            step_us: MeanWorst::of(&self.tally.step, 1e6),
            stages_us: stages(&self.tally),
            solves: MeanWorst::of(&self.tally.solves, 1.0),
            sweeps: MeanWorst::of(&self.tally.sweeps, 1.0),
            compliance_factors: MeanWorst::of(&self.tally.factors, 1.0),
            compliance_updates: MeanWorst::of(&self.tally.updates, 1.0),
            sweep_residual: MeanWorst::of(&self.tally.sweep_residual, 1.0),
            contacts: self.tally.contacts.worst() as u64,
            penetration: self.tally.penetration.worst(),
            unsolved_contacts: self.tally.unsolved,
            passages: self.simulation.passages(),
            retried_steps: self.tally.retried,
            modes: is_quasi(&self.scene.settings).then_some(Modes {
                switches: self.tally.switches,
                still_steps: self.tally.still,
                ceilings: self.tally.ceilings,
            }),
            held_steps: self.tally.held,
            unfinished_steps: self.tally.unfinished,
            clips: self.tally.clips,
            unknowns,
            multipliers,
            settings: self.scene.settings.clone(),
            version: env!("CARGO_PKG_VERSION"),
            files,
        };
        if let Some(folder) = folder {
            folder.write(SUMMARY_JSON, &output::json(&summary)?)?;
            folder.write(SUMMARY_TEXT, &summary.text(&self.scene.probe))?;
        }
        Ok(summary)
    }
}

/// The simulation of a snapshot, with another duration.
fn prolonged(snapshot: &[u8], duration: f64) -> Result<Simulation, SnapshotError> {
    let (simulation, mut scene) = Simulation::restore(snapshot)?;
    if scene.settings.duration == duration {
        return Ok(simulation);
    }
    scene.settings.duration = duration;
    Ok(Simulation::restore(&simulation.snapshot(&scene))?.0)
}

fn column_names(scene: &Scene) -> (Vec<String>, Vec<String>) {
    let probes = scene.probe.iter().map(|probe| probe.name.clone());
    (
        probes.chain([UNFINISHED.to_owned()]).collect(),
        Energy::default().named().map(|(name, _)| name.to_owned()).to_vec(),
    )
}

/// A text that identifies a scene. It excludes the duration: a run may be prolonged.
fn identity(scene: &Scene) -> String {
    let mut scene = scene.clone();
    scene.settings.duration = 0.0;
    serde_json::to_string(&scene).unwrap_or_default()
}

fn is_quasi(settings: &Settings) -> bool {
    settings.mode == Mode::QuasiDynamic
}

/// Columns of the modes of a quasi-dynamic run: two counts and a ratio.
fn mode_names() -> [String; 3] {
    ["quasi-static objects", "parts of a step", "cost of a pass over step"].map(str::to_owned)
}

fn mode_values(simulation: &Simulation, report: &StepReport) -> [f64; 3] {
    let cost = simulation.world().state().paces.cost.value();
    [report.still_objects as f64, f64::from(report.parts), cost / simulation.settings().step]
}
