//! Windows: the segments of a rod that the pattern of the system reserves for a sliding end.

use super::Rod;

/// Segments of a window: the pattern is unchanged while the sliding end stays on them.
const WINDOW: usize = 5;
/// Segments of a window of a beam, which has two nodes for each.
const BEAM_WINDOW: usize = 3;
/// Most nodes of a window.
pub(crate) const MOST_WINDOW_NODES: usize = WINDOW + 3;

/// First segment of the window about a segment.
pub(crate) fn window(rod: &Rod, segment: usize) -> u32 {
    let (n, length) = (rod.segments(), window_length(rod));
    let half = length / 2;
    let start = if rod.is_closed() {
        (segment + n - half.min(n)) % n
    } else {
        segment.saturating_sub(half).min(n.saturating_sub(length))
    };
    start as u32
}

/// Segments of a window of a rod.
pub(crate) fn window_length(rod: &Rod) -> usize {
    match rod {
        Rod::Beam(_) => BEAM_WINDOW,
        Rod::Spline(_) | Rod::Discrete(_) | Rod::MassSpring(_) => WINDOW,
    }
}

/// Number of segments between the start of a window and a segment.
pub(crate) fn within_window(rod: &Rod, window: u32, segment: usize) -> usize {
    let (n, window) = (rod.segments(), window as usize);
    if rod.is_closed() { (segment + n - window) % n } else { segment.wrapping_sub(window) }
}

/// Whether a window has a spare segment on both sides, if the rod has one.
pub(crate) fn window_is_good(rod: &Rod, start: u32, segment: usize) -> bool {
    (1..window_length(rod) - 1).contains(&within_window(rod, start, segment)) || window(rod, segment) == start
}

/// Whether a segment lies in a window.
pub(crate) fn in_window(rod: &Rod, start: u32, segment: usize) -> bool {
    within_window(rod, start, segment) < window_length(rod)
}
