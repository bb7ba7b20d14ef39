//! The present state as a scene file.

use super::hands::Hands;
use crate::protocol::Problem;
use micado::simulation::Simulation;
use micado_io::scene::{self, SceneFile};

/// A scene that begins as it is now, with remarks on what it could not keep.
pub(super) fn scene(simulation: &Simulation, file: &SceneFile, hands: &Hands) -> Result<String, Problem> {
    let (now, lost) = scene::present(simulation, file.scene(), &hands.names())?;
    let mut remarks = vec![format!("{} as it was at {} s.", file.short_name(), simulation.time())];
    if !lost.is_empty() {
        remarks.push("Not kept:".to_owned());
        remarks.extend(lost.iter().map(|what| format!("  {what}")));
    }
    Ok(scene::write(&now, &remarks)?)
}
