//! Records a run of Rapier with cables.

use micado_io::observe::{self, Observer};
use micado_io::record::{Recorder, Table};
use micado_io::scene::SceneFile;
use micado_rapier::Cables;
use rapier3d_f64::prelude::RigidBodySet;
use std::error::Error;
use std::path::PathBuf;

/// Frames per second.
const FRAME_RATE: f64 = 30.0;

/// A recording that is being written.
pub(crate) struct Tape {
    recorder: Recorder,
    observer: Observer,
    table: Table,
    path: PathBuf,
    next: f64,
}

impl Tape {
    /// Starts a recording at the path from the command line, or in `out`.
    pub(crate) fn start(name: &str, file: &SceneFile, cables: &Cables) -> Result<Self, Box<dyn Error>> {
        let path = std::env::args_os()
            .nth(1)
            .map_or_else(|| PathBuf::from(format!("out/rapier-{name}/recording.micado")), PathBuf::from);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut observer = Observer::default();
        let (table, _) = observer.observe(cables.simulation());
        let recorder = Recorder::create(&path, &observe::meta(file, &table))?;
        Ok(Self { recorder, observer, table, path, next: 0.0 })
    }

    /// Records a frame if one is due, with the bodies in their present poses in Rapier.
    pub(crate) fn frame(&mut self, cables: &mut Cables, bodies: &RigidBodySet) -> Result<(), Box<dyn Error>> {
        let time = cables.simulation().time();
        if time < self.next - 1e-9 {
            return Ok(());
        }
        self.next += 1.0 / FRAME_RATE;
        cables.follow(bodies)?;
        let (table, mut frame) = self.observer.observe(cables.simulation());
        if !self.table.serves(&table) {
            frame.table = Some(table.clone());
            self.table = table;
        }
        self.recorder.meshes(self.observer.meshes())?;
        self.recorder.frame(&frame)?;
        Ok(())
    }

    /// Closes the recording.
    pub(crate) fn finish(mut self) -> Result<String, Box<dyn Error>> {
        self.recorder.sync()?;
        Ok(format!("{} frames in {}", self.recorder.len(), self.path.display()))
    }
}
