//! Objects of a recording over time, with a constant number of points, present or absent.

use super::ExportError;
use crate::record::{Frame, ObjectKind, ObjectRow, Recording};
use glam::{DMat3, DQuat, DVec3};

/// Largest number of points of a rod: each is a joint of a skeleton.
const MOST_JOINTS: usize = 200;

/// One object over time.
pub(super) struct Track {
    pub name: String,
    pub is_rod: bool,
    /// Index of its mesh in the recording, if it has one.
    pub mesh: Option<u32>,
    /// Its own colour, if it has one.
    pub colour: Option<[u8; 3]>,
    /// Radius at each point, m.
    pub radii: Vec<f64>,
    /// Position and rotation of each point in each frame; `None` while the object is absent.
    pub poses: Vec<Option<Vec<Pose>>>,
}

/// A point of a rod with its section: x along the tangent, y along the first director. Or the place of a body
/// with its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pose {
    pub place: DVec3,
    pub turn: DQuat,
}

/// All objects that occur in any of the frames, in order of appearance, and the times.
pub(super) fn follow(
    recording: &mut Recording,
    frames: &[usize],
) -> Result<(Vec<f64>, Vec<Track>), ExportError> {
    let mut tracks: Vec<Track> = Vec::new();
    for &index in frames {
        for object in &recording.table(index).objects {
            let count = if object.kind == ObjectKind::Rod {
                (object.points as usize).clamp(2, MOST_JOINTS)
            } else {
                1
            };
            let is_rod = object.kind == ObjectKind::Rod;
            // The surface of a solid is a mesh, which recordings of scenes don't have yet.
            if object.points == 0 || !(is_rod || object.kind.is_point()) {
                continue;
            }
            match tracks.iter_mut().find(|track| track.name == object.name && track.is_rod == is_rod) {
                // A rod that is refined gets the joints of its finest division.
                Some(track) if track.radii.len() >= count => {}
                Some(track) => track.radii = radii(object, count),
                None => tracks.push(Track {
                    name: object.name.clone(),
                    is_rod,
                    mesh: object.mesh,
                    colour: object.surface_colour(),
                    radii: radii(object, count),
                    poses: Vec::new(),
                }),
            }
        }
    }
    let mut times = Vec::with_capacity(frames.len());
    for &index in frames {
        let frame = recording.frame(index)?;
        let table = recording.table(index);
        for track in &mut tracks {
            let is_meant = |object: &&ObjectRow| {
                object.name == track.name
                    && object.points > 0
                    && (object.kind == ObjectKind::Rod) == track.is_rod
            };
            let before = track.poses.last().and_then(Option::as_ref);
            let found =
                table.objects.iter().position(|object| is_meant(&object)).and_then(|k| table.point_range(k));
            let poses = found.map(|points| {
                let turn = table.bodies().position(|(_, first)| first == points.start);
                let turn = turn.and_then(|k| frame.orientations.get(k)).map(|turn| DQuat::from_array(*turn));
                pose(&frame, points, track.radii.len(), track.is_rod, turn)
            });
            let poses = poses.map(|poses| match before {
                Some(before) => {
                    poses.into_iter().zip(before).map(|(pose, before)| pose.nearest_to(before)).collect()
                }
                None => poses,
            });
            track.poses.push(poses);
        }
        times.push(frame.time);
    }
    Ok((times, tracks))
}

fn radii(object: &ObjectRow, count: usize) -> Vec<f64> {
    let last = object.radii.len().saturating_sub(1);
    let at = |i: usize| {
        object.radii.get((i * last + (count - 1) / 2) / (count - 1).max(1)).copied().unwrap_or(0.0)
    };
    (0..count).map(at).collect()
}

impl Pose {
    /// `q` and `−q` are the same rotation; picks the sign that gives the shorter way between two frames.
    pub(super) fn nearest_to(self, before: &Self) -> Self {
        if self.turn.dot(before.turn) < 0.0 { Self { turn: -self.turn, ..self } } else { self }
    }
}

/// Poses of an object, resampled evenly along it if it has other than `count` points. `turn` is its
/// orientation, if it has one.
fn pose(
    frame: &Frame,
    points: std::ops::Range<usize>,
    count: usize,
    is_rod: bool,
    turn: Option<DQuat>,
) -> Vec<Pose> {
    let there = &frame.points[points.clone()];
    let place = |i: usize| DVec3::from_array(there[i]);
    if !is_rod {
        return vec![Pose { place: place(0), turn: turn.unwrap_or(DQuat::IDENTITY) }];
    }
    let last = there.len() - 1;
    let spot = |i: usize| {
        let x = i as f64 * last as f64 / (count - 1) as f64;
        let k = (x.floor() as usize).min(last.saturating_sub(1));
        (k, (k + 1).min(last), x - k as f64)
    };
    let at = |i: usize| {
        let (a, b, f) = spot(i);
        place(a).lerp(place(b), f)
    };
    let director = |i: usize| {
        let (a, b, f) = spot(i);
        let of = |k: usize| {
            frame.directors.get(points.start + k).map_or(DVec3::Z, |d| DVec3::from_array(d.map(f64::from)))
        };
        of(a).lerp(of(b), f)
    };
    (0..count)
        .map(|i| {
            let along = at((i + 1).min(count - 1)) - at(i.saturating_sub(1));
            let tangent = along.normalize_or(DVec3::X);
            let across = director(i).reject_from_normalized(tangent);
            let first = across.try_normalize().unwrap_or_else(|| tangent.any_orthonormal_vector());
            Pose {
                place: at(i),
                turn: DQuat::from_mat3(&DMat3::from_cols(tangent, first, tangent.cross(first))).normalize(),
            }
        })
        .collect()
}
