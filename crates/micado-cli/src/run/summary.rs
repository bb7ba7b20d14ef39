//! The results of a run: as JSON for programs, as text for people.

use super::charts::word;
use super::clip_report::{self, ClipReport};
use super::progress::factor_text;
use super::state::{ConstraintState, Energy};
use super::tally::{Spread, Tally};
use super::verdict::RunFailure;
use crate::words::counted;
use indexmap::IndexMap;
use micado::run::Event;
use micado::scene::{Mode, Probe, Settings, Solves};
use micado::short::Short;
use serde::{Serialize, Serializer};
use std::fmt::Write;

/// Events that the text lists.
const MOST_EVENTS: usize = 30;

/// The summary; its JSON form is the output of `run --json`.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    /// Name of the scene.
    pub scene: String,
    /// Title of the scene.
    pub title: String,
    /// Simulated time, s.
    pub time: f64,
    /// Steps.
    pub steps: u64,
    /// Wall time of the steps, s.
    pub wall_s: f64,
    /// Simulated time per wall time.
    pub real_time_factor: f64,
    /// Last value of every probe, in SI units.
    pub probes: IndexMap<String, f64>,
    /// Energies at the end, J.
    pub energy: Energy,
    /// Largest constraint violation at the end, m or rad.
    pub residual: f64,
    /// Its largest value in any step.
    pub worst_residual: f64,
    /// State of every constraint at the end.
    pub constraints: Vec<ConstraintState>,
    /// Reports of the clips.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clips: Vec<ClipReport>,
    /// Reasons why the numbers can't be trusted; empty if there are none.
    pub failures: Vec<RunFailure>,
    /// Events: time, kind, sentence and data.
    #[serde(serialize_with = "with_sentences")]
    pub events: Vec<Event>,
    /// Number of events of frequent kinds, which are only counted.
    pub unreported_events: u64,
    /// Time of a step, µs.
    pub step_us: MeanWorst,
    /// Time of the stages of a step, µs; empty for a quasi-dynamic run, which has no clock for them.
    pub stages_us: IndexMap<String, MeanWorst>,
    /// Linear solves in a step.
    pub solves: MeanWorst,
    /// Sweeps over the laws of unilateral, stop and friction rows in a step.
    pub sweeps: MeanWorst,
    /// Factorisations of the compliance of such rows that hold, in a step.
    pub compliance_factors: MeanWorst,
    /// Updates of such a factor in a step: one friction row begins to stick or to slide.
    pub compliance_updates: MeanWorst,
    /// Residual of these laws after a step, m.
    pub sweep_residual: MeanWorst,
    /// Most contacts of surfaces with a force, at the end of a step.
    pub contacts: u64,
    /// Largest overlap of surfaces at the end of a step, m.
    pub penetration: f64,
    /// Steps in which the forces of contacts did not converge.
    pub unsolved_contacts: u64,
    /// Passages of rods through each other or themselves. Without `contact.alarm`, only those that no number
    /// of substeps prevented.
    pub passages: u64,
    /// Steps that were repeated with a smaller size.
    pub retried_steps: u64,
    /// The modes of a quasi-dynamic run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modes: Option<Modes>,
    /// Steps that failed at every size: the state was held.
    pub held_steps: u64,
    /// Steps whose forces are not final; `forces_unfinished` in probes.csv marks them.
    pub unfinished_steps: u64,
    /// Unknowns of the system.
    pub unknowns: usize,
    /// Constraint rows of the system.
    pub multipliers: usize,
    /// Settings of the steps.
    pub settings: Settings,
    /// Version of the program.
    pub version: &'static str,
    /// Files that were written, in the output folder.
    pub files: Vec<String>,
}

/// An event as it is in `summary.json`.
#[derive(Serialize)]
struct EventRow<'a> {
    /// Name of its kind.
    kind: &'static str,
    /// The sentence.
    text: String,
    /// Time and data.
    #[serde(flatten)]
    event: &'a Event,
}

fn with_sentences<S: Serializer>(events: &[Event], serializer: S) -> Result<S::Ok, S::Error> {
    let row = |event| EventRow { kind: Event::kind(event), text: event.to_string(), event };
    serializer.collect_seq(events.iter().map(row))
}

/// The modes of a quasi-dynamic run.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Modes {
    /// Switches of islands between dynamic and quasi-static.
    pub switches: u64,
    /// Steps with quasi-static objects.
    pub still_steps: u64,
    /// Passes in which quasi-static objects were slowed down.
    pub ceilings: u64,
}

/// Mean and worst over the steps.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct MeanWorst {
    /// Mean.
    pub mean: f64,
    /// Worst.
    pub worst: f64,
}

impl MeanWorst {
    /// Mean and worst, times `factor`.
    pub(super) fn of(spread: &Spread, factor: f64) -> Self {
        Self { mean: spread.mean() * factor, worst: spread.worst() * factor }
    }
}

/// Probe names with their last values.
pub(crate) fn last_values(probes: &[Probe], values: &[f64]) -> IndexMap<String, f64> {
    probes.iter().zip(values).map(|(probe, &value)| (probe.name.clone(), value)).collect()
}

/// A line for each value of a probe, with its unit.
pub(crate) fn probe_lines(values: &IndexMap<String, f64>, probes: &[Probe]) -> impl Iterator<Item = String> {
    let width = widest(values.keys());
    values.iter().map(move |(name, value)| {
        let unit = probes.iter().find(|probe| probe.name == *name).map_or("", |probe| probe.read.unit());
        format!("  {name:width$}  {} {unit}", number(*value))
    })
}

/// Stages with mean and worst time, µs.
pub(super) fn stages(tally: &Tally) -> IndexMap<String, MeanWorst> {
    tally.stages.iter().map(|(name, spread)| (name.clone(), MeanWorst::of(spread, 1e6))).collect()
}

impl Summary {
    /// The summary for people.
    pub(super) fn text(&self, probes: &[Probe]) -> String {
        let mut text = String::new();
        // Writing to a string can't fail.
        let _ = self.write_text(&mut text, probes);
        text
    }

    fn write_text(&self, out: &mut String, probes: &[Probe]) -> std::fmt::Result {
        let title = if self.title.is_empty() { &self.scene } else { &self.title };
        writeln!(out, "{title}\n")?;
        writeln!(
            out,
            "{} s simulated in {} and {} s: {}× real time",
            number(self.time),
            counted(self.steps, "step"),
            number(self.wall_s),
            factor_text(self.real_time_factor)
        )?;
        let settings = &self.settings;
        let way = match (settings.mode, settings.solves) {
            (Mode::Static, _) => "static".to_owned(),
            (mode, Solves::ONE) => {
                format!("{}, {}, one solve per step", word(mode), word(settings.integrator))
            }
            (mode, solves) => {
                format!("{}, {}, {solves} solves per step", word(mode), word(settings.integrator))
            }
        };
        let (unknowns, multipliers) =
            (counted(self.unknowns, "unknown"), counted(self.multipliers, "multiplier"));
        writeln!(out, "{way}, step {} s, {unknowns}, {multipliers}", settings.step)?;
        if let Some(modes) = &self.modes {
            writeln!(
                out,
                "{}, quasi-static in {}, slowed down in {}",
                counted(modes.switches, "switch"),
                counted(modes.still_steps, "step"),
                counted(modes.ceilings, "pass")
            )?;
        }
        if self.unfinished_steps > 0 {
            writeln!(
                out,
                "the forces of {} are not final: passes did not settle, or targets and equilibria were only \
                 approached",
                counted(self.unfinished_steps, "step")
            )?;
        }
        for failure in &self.failures {
            writeln!(out, "FAILED: {failure}")?;
        }
        if !self.probes.is_empty() {
            writeln!(out, "\nProbes at the end")?;
            for line in probe_lines(&self.probes, probes) {
                writeln!(out, "{line}")?;
            }
        }
        writeln!(out, "\nEnergies at the end, J")?;
        for (name, value) in self.energy.named() {
            writeln!(out, "  {name:8}  {}", number(value))?;
        }
        if !self.constraints.is_empty() {
            writeln!(out, "\nConstraints at the end (force and moment on the object)")?;
            let width = widest(self.constraints.iter().map(|constraint| &constraint.name));
            for constraint in &self.constraints {
                let moment = match norm(constraint.moment) {
                    m if m > 0.0 => format!("  {} N·m", number(m)),
                    _ => String::new(),
                };
                writeln!(
                    out,
                    "  {:width$}  {:10}  {} N{moment}  residual {:.1e}",
                    constraint.name,
                    constraint.kind,
                    number(norm(constraint.force)),
                    constraint.residual
                )?;
            }
        }
        if !self.clips.is_empty() {
            clip_report::write_tables(out, &self.clips)?;
        }
        writeln!(
            out,
            "\nLargest constraint violation: {:.1e} at the end, {:.1e} in the worst step",
            self.residual, self.worst_residual
        )?;
        if self.retried_steps + self.held_steps > 0 {
            writeln!(
                out,
                "Steps repeated with a smaller size: {}; given up: {}",
                self.retried_steps, self.held_steps
            )?;
        }
        writeln!(out, "\nTime of a step, µs              mean      worst")?;
        writeln!(out, "  {:24} {:>10.1} {:>10.1}", "whole step", self.step_us.mean, self.step_us.worst)?;
        for (stage, times) in &self.stages_us {
            writeln!(out, "  {stage:24} {:>10.1} {:>10.1}", times.mean, times.worst)?;
        }
        writeln!(
            out,
            "Linear solves in a step: {:.2} in the mean, {:.0} at most",
            self.solves.mean, self.solves.worst
        )?;
        if self.sweeps.worst + self.compliance_factors.worst > 0.0 {
            writeln!(
                out,
                "Unilateral, stop and friction rows: {:.2} sweeps, {:.2} factorisations and {:.2} updates of \
                 these in a step in the mean, {:.0}, {:.0} and {:.0} at most; residual at most {:.1e} m",
                self.sweeps.mean,
                self.compliance_factors.mean,
                self.compliance_updates.mean,
                self.sweeps.worst,
                self.compliance_factors.worst,
                self.compliance_updates.worst,
                self.sweep_residual.worst
            )?;
        }
        if self.contacts > 0 {
            writeln!(
                out,
                "Contacts: {} at most; largest overlap {} mm",
                self.contacts,
                number(1e3 * self.penetration)
            )?;
        }
        if self.unsolved_contacts > 0 {
            writeln!(
                out,
                "The forces of contacts did not converge in {}: their laws are missed by up to {} mm",
                counted(self.unsolved_contacts, "step"),
                number(1e3 * self.sweep_residual.worst)
            )?;
        }
        if self.passages > 0 {
            writeln!(out, "Rods passed through each other: {}", counted(self.passages, "passage"))?;
        }
        if !self.events.is_empty() {
            writeln!(out, "\nEvents")?;
            for event in self.events.iter().take(MOST_EVENTS) {
                writeln!(out, "  {} s  {event}", number(event.time))?;
            }
            if self.events.len() > MOST_EVENTS {
                writeln!(out, "  and {} more in summary.json", self.events.len() - MOST_EVENTS)?;
            }
            if self.unreported_events > 0 {
                writeln!(
                    out,
                    "  and {} of frequent kinds, only counted",
                    counted(self.unreported_events, "event")
                )?;
            }
        }
        Ok(())
    }
}

fn widest<'a>(names: impl Iterator<Item = &'a String>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or(0)
}

fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// A number with at most six digits.
pub(crate) fn number(value: f64) -> String {
    Short(value).to_string()
}
