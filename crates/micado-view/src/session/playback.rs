//! A recording that is played back.

use super::{live, see};
use crate::protocol::{
    self, ConstraintNumbers, ConstraintRow, Marker, MarkerKind, ObjectRow, Problem, Scene, Span, Table,
    single,
};
use micado::constraint::Constraint;
use micado::describe::anchor::At;
use micado::run::Simulation;
use micado::world::World;
use micado_io::observe::{self, CHANNELS, Markers};
use micado_io::record::{self, ConstraintForce, ConstraintInfo, Event, Frame, ObjectKind, Recording};
use micado_io::scene::SceneFile;
use std::collections::BTreeMap;

/// Frames whose events are told with the one that is shown, at most: more are passed only where somebody
/// jumps.
const MOST_PASSED: usize = 100;

/// A recording that is played back.
#[derive(Debug)]
pub(super) struct Playback {
    recording: Recording,
    name: String,
    /// Its scene, if it can still be read: for titles and symbols.
    file: Option<SceneFile>,
    markers: Markers,
    /// The constraints of the scene.
    known: BTreeMap<String, Known>,
    /// The frame that is shown.
    pub(super) at: usize,
    /// Simulated time on the way to the next one, s.
    pub(super) time: f64,
    /// Bytes, about, for who keeps it.
    pub(super) bytes: usize,
    /// Frames whose events were told, from the first on.
    told: usize,
}

impl Playback {
    /// A recording; errors where it holds nothing.
    pub(super) fn new(recording: Recording, name: String, bytes: usize) -> Result<Self, Problem> {
        let Some(start) = recording.time(0) else {
            return Err(Problem::new(format!("{name} holds no frame"), "record something longer"));
        };
        let meta = recording.meta();
        let file = live::written(&meta.scene_name, &meta.scene_text, &meta.overrides).ok();
        let (mut markers, mut known) = (Markers::new(), BTreeMap::new());
        if let Some(simulation) = file.as_ref().and_then(|file| Simulation::build(file.scene()).ok()) {
            let world = simulation.world();
            observe::collect_markers(world, &mut markers);
            let constraints = world.structure().constraints.iter().enumerate();
            known = constraints
                .map(|(k, constraint)| (constraint.name.clone(), Known::of(world, k, constraint)))
                .collect();
        }
        Ok(Self { recording, name, file, markers, known, at: 0, time: start, bytes, told: 0 })
    }

    /// What is wrong with it, if something is.
    pub(super) fn damage(&self) -> Option<String> {
        self.recording.damage()
    }

    /// What is open, in words.
    pub(super) fn scene(&self) -> Scene {
        let meta = self.recording.meta();
        let scene = self.file.as_ref().map(SceneFile::scene);
        let end = self.last_time();
        Scene {
            name: self.name.clone(),
            title: scene.map_or_else(String::new, |scene| scene.title.clone()),
            description: scene.map_or_else(String::new, |scene| scene.description.clone()),
            text: meta.scene_text.clone(),
            overrides: meta.overrides.clone(),
            builtin: false,
            recording: Some(Span {
                frames: self.recording.len(),
                start: self.recording.time(0).unwrap_or(0.0),
                end,
            }),
            duration: end,
            step: meta.time_step,
            colour: super::colour_word(scene),
            view_from: scene.and_then(|scene| scene.picture.view_from),
        }
    }

    fn last_time(&self) -> f64 {
        self.recording.time(self.recording.len() - 1).unwrap_or(0.0)
    }

    /// Goes to a frame.
    pub(super) fn seek(&mut self, frame: usize) -> Result<(), Problem> {
        let time = self.recording.time(frame).ok_or_else(|| {
            let last = self.recording.len() - 1;
            Problem::new(format!("there is no frame {frame}"), format!("give a number from 0 to {last}"))
        })?;
        (self.at, self.time) = (frame, time);
        Ok(())
    }

    /// Time goes on; tells whether another frame is to be seen, and whether the end is reached.
    pub(super) fn advance(&mut self, seconds: f64) -> (bool, bool) {
        let end = self.last_time();
        self.time = (self.time + seconds).min(end);
        let at = self.recording.index_at(self.time).unwrap_or(0);
        (std::mem::replace(&mut self.at, at) != at, self.time >= end)
    }

    /// Whether the last frame is shown.
    pub(super) fn is_over(&self) -> bool {
        self.at + 1 >= self.recording.len()
    }

    /// The first frame from which the table of the present one is in force, by which it is known whether it
    /// is a new one.
    pub(super) fn table_key(&self) -> usize {
        let table = self.recording.table(self.at);
        (0..self.at)
            .rev()
            .take_while(|&frame| std::ptr::eq(self.recording.table(frame), table))
            .last()
            .unwrap_or(self.at)
    }

    /// The present frame, its channels in the order of the protocol.
    pub(super) fn frame(&mut self) -> Result<Frame, Problem> {
        let mut frame = self
            .recording
            .frame(self.at)
            .map_err(|error| Problem::new(error.to_string(), "play another part of it"))?;
        let recorded = std::mem::take(&mut frame.channels);
        let names = &self.recording.meta().channels;
        let values = |name: &str| {
            names.iter().position(|channel| channel.name == name).and_then(|k| recorded.get(k).cloned())
        };
        frame.channels = CHANNELS.iter().map(|(name, _)| values(name).unwrap_or_default()).collect();
        Ok(frame)
    }

    /// Events up to the present frame that were not told yet.
    pub(super) fn news(&mut self) -> Vec<Event> {
        let (first, end) = (self.told.max(self.at.saturating_sub(MOST_PASSED)), self.at + 1);
        self.told = self.told.max(end);
        // What can't be read is told when it is to be shown.
        (first..end)
            .filter_map(|frame| self.recording.frame(frame).ok())
            .flat_map(|frame| frame.events)
            .collect()
    }

    /// What exists at the present frame.
    pub(super) fn table(&self, serial: u32, frame: &Frame) -> Table {
        let table = self.recording.table(self.at);
        let is_pearl = |name: &str| table.constraints.iter().any(|constraint| constraint.name == name);
        let object = |(k, object): (usize, &micado_io::record::ObjectInfo)| {
            let points = table.point_range(k).and_then(|range| frame.points.get(range)).unwrap_or_default();
            let length = points.windows(2).map(|pair| distance(pair[0], pair[1])).sum();
            ObjectRow {
                name: object.name.clone(),
                kind: match object.kind {
                    ObjectKind::Rod => protocol::ObjectKind::Rod,
                    _ if is_pearl(&object.name) => protocol::ObjectKind::Pearl,
                    _ => protocol::ObjectKind::Mass,
                },
                points: object.points,
                length,
                radii: object.radii.clone(),
                closed: points.len() > 2
                    && points
                        .first()
                        .zip(points.last())
                        .is_some_and(|(a, b)| distance(*a, *b) < 1e-9 * length),
            }
        };
        Table {
            serial,
            objects: table.objects.iter().enumerate().map(object).collect(),
            constraints: table.constraints.iter().map(|constraint| self.row(constraint)).collect(),
            ..Table::default()
        }
    }

    /// A constraint as the scene begins; of one that came later only its kind is known.
    fn row(&self, constraint: &ConstraintInfo) -> ConstraintRow {
        let ConstraintInfo { name, kind } = constraint;
        if let Some(known) = self.known.get(name).filter(|known| known.row.kind == *kind) {
            return known.row.clone();
        }
        let marker = match kind.as_str() {
            "keyhole" => MarkerKind::Ring,
            "pearl" => MarkerKind::Pearl,
            _ => MarkerKind::Point,
        };
        ConstraintRow {
            name: name.clone(),
            kind: kind.clone(),
            on: String::new(),
            to: None,
            hand: false,
            strength: None,
            marker: Marker { kind: marker, ..Marker::default() },
        }
    }

    /// What constraints do: place, force and moment are recorded, and what is tied to another object is so
    /// where that is; direction, other centres and radius are those of the start.
    pub(super) fn constraints(&self, frame: &Frame) -> Vec<ConstraintNumbers> {
        let table = self.recording.table(self.at);
        let numbers = |(constraint, felt): (&ConstraintInfo, &ConstraintForce)| {
            let (direction, centre) =
                self.markers.get(&constraint.name).map_or(([0.0; 3], None), see::direction_and_centre);
            let known = self.known.get(&constraint.name);
            let tied = known
                .and_then(|known| known.other.as_ref())
                .and_then(|(on, share)| place(table, frame, on, *share));
            ConstraintNumbers {
                place: felt.place.map(single),
                direction: direction.map(single),
                centre: tied.or(centre).unwrap_or(felt.place).map(single),
                force: felt.force.map(single),
                moment: felt.moment.map(single),
                radius: known.map_or(0.0, |known| single(known.radius)),
                ..ConstraintNumbers::default()
            }
        };
        table.constraints.iter().zip(&frame.forces).map(numbers).collect()
    }
}

/// A constraint of the scene as it begins.
#[derive(Debug)]
struct Known {
    row: ConstraintRow,
    /// m
    radius: f64,
    /// What its second end is on, and at which share of its length.
    other: Option<(String, f64)>,
}

impl Known {
    fn of(world: &World, k: usize, constraint: &Constraint) -> Self {
        let share = |on: &str, at: Option<At>| {
            let rod = world.structure().objects.iter().find(|object| object.name == on)?.rod()?;
            Some(rod.arc_length(at?).ok()? / rod.length())
        };
        Self {
            row: see::constraint_row(world, k, constraint),
            radius: see::radius(&constraint.law, world.time()),
            other: see::other_end(constraint).map(|(on, at)| (on.to_owned(), share(on, at).unwrap_or(0.0))),
        }
    }
}

/// Where a share of an object's length is in a frame: its points are spread evenly.
fn place(table: &record::Table, frame: &Frame, on: &str, share: f64) -> Option<[f64; 3]> {
    let object = table.objects.iter().position(|object| object.name == on)?;
    let points = frame.points.get(table.point_range(object)?)?;
    let along = share.clamp(0.0, 1.0) * points.len().checked_sub(1)? as f64;
    let first = along.floor() as usize;
    let (a, b) = (points.get(first)?, points.get(first + 1).or(points.get(first))?);
    Some(std::array::from_fn(|i| a[i] + (along - first as f64) * (b[i] - a[i])))
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
