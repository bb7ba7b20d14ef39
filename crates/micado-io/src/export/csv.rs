//! Tables: one row for each point, pose of a body, constraint, gauge of a joint, contact, spring, load, probe
//! and event of each frame.

use super::ExportError;
use crate::record::{Frame, ObjectKind, Recording, Table as Rows};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

const CONSTRAINTS: &str = "constraint,kind,x (m),y (m),z (m),force x (N),force y (N),force z (N),\
    moment x (N·m),moment y (N·m),moment z (N·m),residual (m or rad),strength used,open,at (m),other at (m)";
const CONTACTS: &str = "first,second,x (m),y (m),z (m),normal x,normal y,normal z,force x (N),force y (N),\
    force z (N),gap (m),friction";
const SPRINGS: &str = "spring,kind,from x (m),from y (m),from z (m),to x (m),to y (m),to z (m),tension (N)";
const LOADS: &str = "load,kind,x (m),y (m),z (m),x (N or N·m),y (N or N·m),z (N or N·m)";
const BODIES: &str = "object,kind,x (m),y (m),z (m),orientation x,orientation y,orientation z,orientation w";
const GAUGES: &str = "joint,coordinate,value (rad or m),least,most,motor,target,drive (N·m or N)";
const ENERGIES: &str = "kinetic (J),elastic (J),gravity (J),total (J)";

/// Writes one table for each kind of thing.
pub(super) fn write(
    recording: &mut Recording,
    frames: &[usize],
    folder: &Path,
) -> Result<Vec<PathBuf>, ExportError> {
    let channels: Vec<String> =
        recording.meta().channels.iter().map(|channel| column(&channel.name, &channel.unit)).collect();
    let head = |columns: &str| format!("time (s),{columns}\n");
    let points = format!(
        "object,kind,index,share,rest arc length (m),x (m),y (m),z (m),radius (m){}",
        channels.iter().map(|c| format!(",{c}")).collect::<String>()
    );
    let mut points = Table::create(folder, "points.csv", &head(&points))?;
    let mut bodies = Table::create(folder, "bodies.csv", &head(BODIES))?;
    let mut constraints = Table::create(folder, "constraints.csv", &head(CONSTRAINTS))?;
    let mut gauges = Table::create(folder, "gauges.csv", &head(GAUGES))?;
    let mut contacts = Table::create(folder, "contacts.csv", &head(CONTACTS))?;
    let mut springs = Table::create(folder, "springs.csv", &head(SPRINGS))?;
    let mut loads = Table::create(folder, "loads.csv", &head(LOADS))?;
    let mut probes = Table::create(folder, "probes.csv", &head("probe,unit,value"))?;
    let mut energies = Table::create(folder, "energies.csv", &head(ENERGIES))?;
    let mut events = Table::create(folder, "events.csv", &head("kind,event"))?;
    // Events of skipped frames are written too.
    let all = frames.first().map_or(0..0, |&first| first..frames[frames.len() - 1] + 1);
    for index in all {
        let frame = recording.frame(index)?;
        for event in &frame.events {
            events.row(&format!("{},{},{}", event.time, quoted(&event.kind), quoted(&event.text)))?;
        }
        if frames.binary_search(&index).is_err() {
            continue;
        }
        let table = recording.table(index);
        let (time, mut first) = (frame.time, 0);
        for object in &table.objects {
            let kind = object.kind.word();
            let count = object.points as usize;
            // Scenery is drawn, not computed; a floor is unbounded.
            let is_computed = !matches!(object.kind, ObjectKind::Scenery | ObjectKind::Floor);
            for i in (0..count).filter(|_| is_computed) {
                let [x, y, z] = frame.points[first + i];
                let radius = object.radius(i);
                let share = i as f64 / count.saturating_sub(1).max(1) as f64;
                let place = match object.kind {
                    ObjectKind::Rod => (share * object.length).to_string(),
                    _ => String::new(),
                };
                let mut row = format!(
                    "{time},{},{kind},{i},{share},{place},{x},{y},{z},{radius}",
                    quoted(&object.name)
                );
                for channel in 0..channels.len() {
                    row.push(',');
                    if let Some(value) = frame.channels.get(channel).and_then(|values| values.get(first + i))
                    {
                        // Writing to a string can't fail.
                        let _ = write!(row, "{value}");
                    }
                }
                points.row(&row)?;
            }
            first += count;
        }
        for ((object, first), turn) in table.bodies().zip(&frame.orientations) {
            let pose = numbers(frame.points[first].iter().chain(turn));
            bodies.row(&format!("{time},{},{}{pose}", quoted(&object.name), object.kind.word()))?;
        }
        constraint_rows(table, &frame).try_for_each(|row| constraints.row(&row))?;
        gauge_rows(table, &frame).try_for_each(|row| gauges.row(&row))?;
        contact_rows(table, &frame).try_for_each(|row| contacts.row(&row))?;
        for (spring, state) in table.springs.iter().zip(&frame.springs) {
            let numbers = numbers([state.from, state.to].iter().flatten().chain([&state.tension]));
            springs.row(&format!("{time},{},{}{numbers}", quoted(&spring.name), spring.kind.word()))?;
        }
        for (load, state) in table.loads.iter().zip(&frame.loads) {
            let numbers = numbers([state.place, state.force].iter().flatten());
            loads.row(&format!("{time},{},{}{numbers}", quoted(&load.name), load.kind.word()))?;
        }
        for (probe, value) in table.probes.iter().zip(&frame.probes) {
            probes.row(&format!("{time},{},{},{value}", quoted(&probe.name), probe.unit))?;
        }
        let sum = &frame.energies;
        energies.row(&format!("{time},{},{},{},{}", sum.kinetic, sum.elastic, sum.gravity, sum.total))?;
    }
    let all = [points, bodies, constraints, gauges, contacts, springs, loads, probes, energies, events];
    all.into_iter().map(Table::finish).collect()
}

fn constraint_rows(table: &Rows, frame: &Frame) -> impl Iterator<Item = String> {
    let time = frame.time;
    table.constraints.iter().zip(&frame.constraints).map(move |(constraint, state)| {
        let vectors = numbers([state.place, state.force, state.moment].iter().flatten());
        let [at, other] = state.at.map(|at| at.map_or_else(String::new, |at| at.to_string()));
        let (residual, used, open) = (state.residual, state.used, u8::from(state.open));
        let (name, kind) = (quoted(&constraint.name), quoted(&constraint.kind));
        format!("{time},{name},{kind}{vectors},{residual},{used},{open},{at},{other}")
    })
}

/// Coordinates of joints that have limits or a motor. A velocity motor has its target in rad/s or m/s.
fn gauge_rows(table: &Rows, frame: &Frame) -> impl Iterator<Item = String> {
    let time = frame.time;
    table.gauges.iter().zip(&frame.gauges).map(move |(row, state)| {
        let joint = table.constraints.get(row.constraint as usize).map_or("", |of| of.name.as_str());
        let [least, most, target] = [row.least, row.most, state.target]
            .map(|value| value.map_or_else(String::new, |value| value.to_string()));
        let (motor, drive) = match row.motor {
            Some(motor) => (motor.word(), state.drive.to_string()),
            None => ("", String::new()),
        };
        let (joint, coordinate, value) = (quoted(joint), row.coordinate.word(), state.value);
        format!("{time},{joint},{coordinate},{value},{least},{most},{motor},{target},{drive}")
    })
}

fn contact_rows(table: &Rows, frame: &Frame) -> impl Iterator<Item = String> {
    let time = frame.time;
    let name = |k: u32| table.objects.get(k as usize).map_or_else(String::new, |object| quoted(&object.name));
    frame.contacts.iter().map(move |contact| {
        let [first, second] = contact.objects.map(name);
        let normal = contact.normal.map(f64::from);
        let vectors = numbers([contact.point, normal, contact.force].iter().flatten());
        format!("{time},{first},{second}{vectors},{},{}", contact.gap, contact.friction)
    })
}

/// Numbers, each after a comma.
fn numbers<'a>(all: impl Iterator<Item = &'a f64>) -> String {
    all.map(|number| format!(",{number}")).collect()
}

fn column(name: &str, unit: &str) -> String {
    if unit.is_empty() { quoted(name) } else { quoted(&format!("{name} ({unit})")) }
}

/// A field as CSV readers expect it.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

struct Table {
    path: PathBuf,
    out: BufWriter<File>,
}

impl Table {
    fn create(folder: &Path, name: &str, head: &str) -> Result<Self, ExportError> {
        let path = folder.join(name);
        let mut out = BufWriter::new(File::create(&path).map_err(ExportError::write(&path))?);
        out.write_all(head.as_bytes()).map_err(ExportError::write(&path))?;
        Ok(Self { path, out })
    }

    fn row(&mut self, row: &str) -> Result<(), ExportError> {
        writeln!(self.out, "{row}").map_err(ExportError::write(&self.path))
    }

    fn finish(mut self) -> Result<PathBuf, ExportError> {
        self.out.flush().map_err(ExportError::write(&self.path))?;
        Ok(self.path)
    }
}
