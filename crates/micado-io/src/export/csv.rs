//! Tables: one row for each point, constraint and event of each frame.

use super::ExportError;
use crate::record::Recording;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes `points.csv`, `constraints.csv` and `events.csv`.
pub(super) fn write(
    recording: &mut Recording,
    frames: &[usize],
    folder: &Path,
) -> Result<Vec<PathBuf>, ExportError> {
    let channels: Vec<String> =
        recording.meta().channels.iter().map(|channel| column(&channel.name, &channel.unit)).collect();
    let head = |columns: &str| format!("time (s),{columns}\n");
    let points = format!(
        "object,kind,index,share,x (m),y (m),z (m),radius (m){}",
        channels.iter().map(|c| format!(",{c}")).collect::<String>()
    );
    let constraints = "constraint,kind,x (m),y (m),z (m),force x (N),force y (N),force z (N),moment x (N·m),moment y (N·m),moment z (N·m)";
    let mut points = Table::create(folder, "points.csv", &head(&points))?;
    let mut constraints = Table::create(folder, "constraints.csv", &head(constraints))?;
    let mut events = Table::create(folder, "events.csv", &head("event"))?;
    // What happens between frames that were chosen is told by the others.
    let all = frames.first().map_or(0..0, |&first| first..frames[frames.len() - 1] + 1);
    for index in all {
        let frame = recording.frame(index)?;
        for event in &frame.events {
            events.row(&format!("{},{}", event.time, quoted(&event.text)))?;
        }
        if frames.binary_search(&index).is_err() {
            continue;
        }
        let table = recording.table(index);
        let (time, mut first) = (frame.time, 0);
        for object in &table.objects {
            let kind = object.kind.word();
            let count = object.points as usize;
            for i in 0..count {
                let [x, y, z] = frame.points[first + i];
                let radius = object.radius(i);
                let share = i as f64 / count.saturating_sub(1).max(1) as f64;
                let mut row =
                    format!("{time},{},{kind},{i},{share},{x},{y},{z},{radius}", quoted(&object.name));
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
        for (constraint, acting) in table.constraints.iter().zip(&frame.constraints) {
            let numbers = [acting.place, acting.force, acting.moment]
                .concat()
                .iter()
                .map(|number| format!(",{number}"))
                .collect::<String>();
            constraints.row(&format!(
                "{time},{},{}{numbers}",
                quoted(&constraint.name),
                quoted(&constraint.kind)
            ))?;
        }
    }
    [points, constraints, events].into_iter().map(Table::finish).collect()
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
