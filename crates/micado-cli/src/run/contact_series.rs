//! The contacts of a run over time: one row for each pair of objects that touch, at each recorded frame.

use super::series::cell;
use crate::failure::Failure;
use micado::world::{SurfaceContact, World};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

const HEAD: &str = "time,first,second,contacts,force x (N),force y (N),force z (N),penetration (m)";

/// A file of contacts that is written during the run.
#[derive(Debug)]
pub(super) struct ContactSeries {
    path: PathBuf,
    out: BufWriter<File>,
}

impl ContactSeries {
    /// Creates the file; an existing one is overwritten.
    pub(super) fn create(path: PathBuf) -> Result<Self, Failure> {
        let file = File::create(&path).map_err(|error| Failure::write(&path, error))?;
        let mut series = Self { path, out: BufWriter::new(file) };
        series.write_line(HEAD)?;
        Ok(series)
    }

    /// Continues a file: keeps its rows up to `time`, s. Drops rows cut short by a kill.
    pub(super) fn resume(path: PathBuf, time: f64) -> Result<Self, Failure> {
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        let mut series = Self::create(path)?;
        let complete = old.rfind('\n').map_or("", |end| &old[..end]);
        let is_kept = |line: &&str| {
            line.split(',').next().and_then(|t| t.parse::<f64>().ok()).is_some_and(|t| t <= time)
        };
        complete.lines().filter(is_kept).try_for_each(|line| series.write_line(line))?;
        Ok(series)
    }

    /// Adds the contacts of the present state: for each pair of objects their number, the sum of the forces
    /// on the first object, and the largest overlap.
    pub(super) fn push(&mut self, world: &World) -> Result<(), Failure> {
        let contacts: Vec<SurfaceContact> = world.surface_contacts().collect();
        let objects = &world.structure().objects;
        let name = |k: usize| objects.get(k).map_or_else(String::new, |object| cell(&object.name));
        for pair in contacts.chunk_by(|a, b| a.objects == b.objects) {
            let [first, second] = pair[0].objects.map(name);
            let force = pair.iter().map(|contact| contact.force).sum::<glam::DVec3>();
            let depth = pair.iter().map(|contact| -contact.gap).fold(0.0, f64::max);
            self.write_line(&format!(
                "{},{first},{second},{},{},{},{},{depth}",
                world.time(),
                pair.len(),
                force.x,
                force.y,
                force.z
            ))?;
        }
        Ok(())
    }

    /// Writes everything to the file.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(|error| Failure::write(&self.path, error))
    }

    fn write_line(&mut self, line: &str) -> Result<(), Failure> {
        writeln!(self.out, "{line}").map_err(|error| Failure::write(&self.path, error))
    }
}
