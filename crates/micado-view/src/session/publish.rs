//! The data for pages: shots, tables and the status, made on the thread of the simulation and read by the
//! server.

use super::hands::Hands;
use super::live::Live;
use super::playback::Playback;
use crate::protocol::{EventRow, Events, Message, Numbered, Problem, Scene, Shot, Surface, Table};
use micado::object::Object;
use micado::object::rod::Rod;
use micado::run::EventKind;
use micado::scene::Probe;
use micado_io::observe::Observer;
use micado_io::record;
use std::sync::Arc;
use tokio::sync::watch;

/// Shared data of simulation and server. It holds the newest values; neither side waits.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) shots: watch::Sender<Arc<Shot>>,
    pub(crate) status: watch::Sender<Arc<str>>,
}

impl Shared {
    pub(crate) fn new() -> Self {
        Self { shots: watch::channel(Arc::default()).0, status: watch::channel("".into()).0 }
    }
}

/// Largest number of events that are kept for new pages.
const MOST_EVENTS: usize = 2000;
/// Relative change of the length of a rod on a winch that requires a new table.
const LENGTH_CHANGE: f64 = 0.005;

/// Identifies a table.
#[derive(Debug, PartialEq)]
enum Key {
    Structure {
        version: u64,
        counts: [usize; 5],
        hands: Vec<String>,
        probes: Vec<Probe>,
    },
    /// The frame of a recording from which the table is valid.
    Recorded(usize),
}

/// Makes the data for pages.
#[derive(Debug)]
pub(super) struct Publisher {
    shared: Arc<Shared>,
    scene: Arc<Numbered>,
    meshes: Arc<Numbered>,
    /// Number of meshes in their message; `None` after another scene was opened.
    mesh_count: Option<usize>,
    table: Arc<Numbered>,
    /// Key of the table, and the lengths of its rods, m.
    table_of: Option<(Key, Vec<f64>)>,
    observer: Observer,
    /// The table in the form of recordings.
    pub(super) seen: record::Table,
    events: Arc<Events>,
    shots: u64,
}

/// Values of a shot that are not in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) playing: bool,
    pub(super) real_time_factor: f64,
}

impl Publisher {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            scene: Arc::default(),
            meshes: Arc::default(),
            mesh_count: Some(0),
            table: Arc::default(),
            table_of: None,
            observer: Observer::default(),
            seen: record::Table::default(),
            events: Arc::default(),
            shots: 0,
        }
    }

    /// A scene or recording was opened.
    pub(super) fn open(&mut self, scene: &Scene) {
        self.scene = Arc::new(Numbered { number: self.scene.number + 1, text: Message::Scene(scene).text() });
        self.events = Arc::default();
        self.forget_table();
        self.observer = Observer::default();
        self.mesh_count = None;
    }

    /// Drops the key of the table, after a change of the structure that keeps its version.
    pub(super) fn forget_table(&mut self) {
        self.table_of = None;
        self.observer.forget();
    }

    /// The meshes that the table names.
    pub(super) fn meshes(&self) -> &[record::Mesh] {
        self.observer.meshes()
    }

    /// Adds an event.
    pub(super) fn report(&mut self, time: f64, kind: &str, text: &str) {
        let events = Arc::make_mut(&mut self.events);
        events.all.push(EventRow { time, kind: kind.to_owned(), text: text.to_owned() });
        if events.all.len() > MOST_EVENTS {
            events.first += MOST_EVENTS / 2;
            events.all.drain(..MOST_EVENTS / 2);
        }
    }

    /// Number of events so far.
    pub(super) fn event_count(&self) -> usize {
        self.events.first + self.events.all.len()
    }

    fn put_table(&mut self, table: &record::Table) {
        let number = self.table.number + 1;
        self.table = Arc::new(Numbered { number, text: Message::Table(Table::new(number, table)).text() });
    }

    /// Prepares the message of the meshes if there are new ones. The list only grows while a scene is open.
    fn put_meshes(&mut self, meshes: &[record::Mesh]) {
        if self.mesh_count != Some(meshes.len()) {
            self.mesh_count = Some(meshes.len());
            let text = Message::Meshes(meshes.iter().map(Surface::from).collect()).text();
            self.meshes = Arc::new(Numbered { number: self.meshes.number + 1, text });
        }
    }

    fn next_number(&mut self) -> u64 {
        self.shots += 1;
        self.shots
    }

    /// Shows the current state of a scene; `exactly` if it is also recorded.
    pub(super) fn show(&mut self, live: &Live, moment: Moment, exactly: bool) -> Arc<Shot> {
        let world = live.simulation.world();
        let structure = world.structure();
        let key = |points| Key::Structure {
            version: structure.version,
            counts: [
                structure.objects.len(),
                structure.constraints.len(),
                structure.springs.len(),
                structure.loads.len(),
                points,
            ],
            hands: live.hands.names(),
            probes: live.simulation.probes().to_vec(),
        };
        let lengths: Vec<f64> = structure.objects.iter().filter_map(Object::rod).map(Rod::length).collect();
        let (simulation, observer) = (&live.simulation, &mut self.observer);
        let mut frame = if exactly { observer.frame(simulation) } else { observer.sketch(simulation) };
        let near =
            |old: &[f64]| old.iter().zip(&lengths).all(|(old, new)| (new - old).abs() <= LENGTH_CHANGE * old);
        let key = key(frame.points.len());
        if !self.table_of.as_ref().is_some_and(|(old, old_lengths)| *old == key && near(old_lengths)) {
            (self.seen, frame) = self.observer.observe(simulation);
            for constraint in &mut self.seen.constraints {
                constraint.hand = live.hands.holds(&constraint.name);
            }
            let seen = std::mem::take(&mut self.seen);
            self.put_table(&seen);
            self.seen = seen;
            let observer = std::mem::take(&mut self.observer);
            self.put_meshes(observer.meshes());
            self.observer = observer;
            self.table_of = Some((key, lengths));
        }
        aim_hands(&live.hands, &self.seen, &mut frame);
        let shot = Arc::new(Shot {
            scene: self.scene.clone(),
            meshes: self.meshes.clone(),
            table: self.table.clone(),
            events: self.events.clone(),
            number: self.next_number(),
            real_time_factor: moment.real_time_factor,
            playing: moment.playing,
            recorded: 0,
            frame,
            encoded: Default::default(),
        });
        self.shared.shots.send_replace(shot.clone());
        shot
    }

    /// Shows a frame of a recording. An unreadable one is reported, and the previous one stays.
    pub(super) fn show_recorded(&mut self, playback: &mut Playback, moment: Moment) {
        for event in playback.new_events() {
            // Only the engine's kinds of events are taken from a file: pages act on the viewer's own kinds.
            let is_known = EventKind::KINDS.contains(&event.kind.as_str());
            self.report(event.time, if is_known { &event.kind } else { "recorded" }, &event.text);
        }
        let number = self.next_number();
        let shot = match playback.frame() {
            Ok(frame) => {
                let key = Key::Recorded(playback.table_key());
                if self.table_of.as_ref().is_none_or(|(old, _)| *old != key) {
                    if self.mesh_count.is_none() {
                        self.put_meshes(&playback.meshes());
                    }
                    self.put_table(playback.table());
                    self.table_of = Some((key, Vec::new()));
                }
                Shot { recorded: u32::try_from(playback.at).unwrap_or(u32::MAX), frame, ..Shot::default() }
            }
            Err(Problem { problem, .. }) => {
                self.report(playback.time, "failed", &problem);
                let before = self.shared.shots.borrow();
                Shot { recorded: before.recorded, frame: before.frame.clone(), ..Shot::default() }
            }
        };
        self.shared.shots.send_replace(Arc::new(Shot {
            scene: self.scene.clone(),
            meshes: self.meshes.clone(),
            table: self.table.clone(),
            events: self.events.clone(),
            number,
            real_time_factor: moment.real_time_factor,
            playing: moment.playing,
            ..shot
        }));
    }

    /// Sends the state of the session.
    pub(super) fn status(&self, status: &crate::protocol::Status) {
        let status = Message::Status(status).text();
        self.shared.status.send_if_modified(|old| {
            let is_new = **old != *status;
            if is_new {
                *old = status.into();
            }
            is_new
        });
    }
}

/// Sets the centre of each hand's constraint to the target of the page.
fn aim_hands(hands: &Hands, table: &record::Table, frame: &mut record::Frame) {
    for (row, state) in table.constraints.iter().zip(&mut frame.constraints).filter(|(row, _)| row.hand) {
        state.centre = hands.target(&row.name).map(|target| target.to_array()).or(state.centre);
    }
}
