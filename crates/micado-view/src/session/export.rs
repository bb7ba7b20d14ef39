//! The current state as a scene file.

use super::live::Live;
use crate::protocol::Problem;
use micado_io::scene;

/// A scene that starts from the current state, with remarks on what it could not keep. Hands and pokes are
/// left out.
pub(super) fn scene(live: &Live) -> Result<String, Problem> {
    let Live { simulation, file, hands, pokes, .. } = live;
    let without: Vec<String> =
        hands.names().into_iter().chain(pokes.iter().map(|(name, _)| name.clone())).collect();
    let (now, lost) = scene::present(simulation, file.scene(), &without)?;
    let mut remarks = vec![format!("{} as it was at {} s.", file.short_name(), simulation.time())];
    if !lost.is_empty() {
        remarks.push("Not kept:".to_owned());
        remarks.extend(lost.iter().map(|what| format!("  {what}")));
    }
    Ok(scene::write(&now, &remarks)?)
}
