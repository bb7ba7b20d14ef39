//! The picture and the animation of a run, drawn from its recording.

use super::folder::{ANIMATION, Folder, PICTURE, RECORDING};
use crate::failure::Failure;
use micado::scene::Scene;
use micado::short::Short;
use micado_io::observe::{CHANNELS, channel_of};
use micado_io::picture::{
    Arrow, ColourBar, Drawing, Gauge, Line, LineKind, Marker, MarkerKind, Mesh, Solid, Sphere, Tube, View,
    write_gif,
};
use micado_io::record::{
    self, ConstraintRow, ConstraintState, Frame, GaugeKind, LoadKind, MotorKind, ObjectKind, RecordError,
    Recording, SpringKind, Table, WinchEnd,
};
use std::collections::BTreeMap;

/// Pale earlier states in the picture.
const GHOSTS: usize = 9;
/// Largest number of frames of an animation, so that its file stays small.
const MOST_GIF_FRAMES: usize = 240;

/// Which pictures are wanted.
pub(super) struct Wanted {
    /// Width and height of the picture, pixels.
    pub size: (u32, u32),
    /// An animation as well.
    pub animation: bool,
}

/// Reads a size such as `640x400`.
pub(super) fn size(text: &str) -> Result<(u32, u32), String> {
    let numbers = text
        .split_once(['x', '×'])
        .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    let fits = |side: u32| (64..=8192).contains(&side);
    numbers
        .filter(|&(width, height)| fits(width) && fits(height))
        .ok_or("write for example 640x400, each between 64 and 8192".to_owned())
}

/// Data for a picture beside the recording.
pub(super) struct Look<'a> {
    pub scene: &'a Scene,
    pub title: &'a str,
}

/// Draws the last frame with ghosts of earlier ones.
pub(super) fn draw_picture(folder: &Folder, look: &Look<'_>, size: (u32, u32)) -> Result<(), Failure> {
    let path = folder.file(PICTURE);
    let refuse = |error: &dyn std::fmt::Display| Failure::write(&path, error);
    let mut recording = Recording::open(folder.file(RECORDING)).map_err(|error| refuse(&error))?;
    let Some(last) = recording.len().checked_sub(1) else {
        return Ok(());
    };
    let frame = recording.frame(last).map_err(|error| refuse(&error))?;
    let solids = solids(&mut recording).map_err(|error| refuse(&error))?;
    let mut drawing = look.drawing(&frame, recording.table(last), &solids, None);
    drawing.title = format!("{}, t = {} s", look.title, short(frame.time));
    for index in ghost_frames(last) {
        let ghost = recording.frame(index).map_err(|error| refuse(&error))?;
        let table = recording.table(index);
        drawing.ghosts.extend(tubes(&ghost, table, None));
        drawing.ghost_meshes.extend(meshes(&ghost, table, &solids, |kind| kind == ObjectKind::Body));
    }
    drawing.trails = trails(&mut recording).map_err(|error| refuse(&error))?;
    let view = View { size, direction: look.scene.picture.view_from, ..View::default() };
    drawing.write_png(&path, &view).map_err(|error| refuse(&error))
}

/// Draws the motion in real time.
pub(super) fn draw_animation(folder: &Folder, look: &Look<'_>) -> Result<(), Failure> {
    let path = folder.file(ANIMATION);
    let refuse = |error: &dyn std::fmt::Display| Failure::write(&path, error);
    let mut recording = Recording::open(folder.file(RECORDING)).map_err(|error| refuse(&error))?;
    let count = recording.len();
    let stride = count.div_ceil(MOST_GIF_FRAMES).max(1);
    let chosen: Vec<usize> = (0..count).step_by(stride).collect();
    let mut frames = Vec::with_capacity(chosen.len());
    for &index in &chosen {
        frames.push((recording.frame(index).map_err(|error| refuse(&error))?, index));
    }
    let solids = solids(&mut recording).map_err(|error| refuse(&error))?;
    let range = colour_range(frames.iter().map(|(frame, _)| frame), channel_of(look.scene.picture.colour));
    let drawings: Vec<Drawing> = frames
        .iter()
        .map(|(frame, index)| {
            let mut drawing = look.drawing(frame, recording.table(*index), &solids, range);
            drawing.title = format!("{}, t = {:.2} s", look.title, frame.time);
            drawing
        })
        .collect();
    let span = match (frames.first(), frames.last()) {
        (Some((first, _)), Some((last, _))) => last.time - first.time,
        _ => 0.0,
    };
    write_gif(&drawings, &path, frames_per_second(drawings.len(), span)).map_err(|error| refuse(&error))
}

/// Frames per second that show the run in real time, or in a few seconds if that would be too fast or too
/// slow.
#[expect(clippy::cast_precision_loss, reason = "a few hundred frames")]
fn frames_per_second(count: usize, span: f64) -> f64 {
    let natural = count.saturating_sub(1) as f64 / span;
    if natural.is_finite() { natural.clamp(5.0, 50.0) } else { 10.0 }
}

/// Largest number of labelled constraints; more would hide the structure.
const MOST_LABELS: usize = 8;

/// Frames before the last one, evenly spread, the first one included.
fn ghost_frames(last: usize) -> Vec<usize> {
    let count = GHOSTS.min(last);
    (0..count).map(|i| i * last / count).collect()
}

impl Look<'_> {
    fn drawing(&self, frame: &Frame, table: &Table, solids: &[Solid], range: Option<(f64, f64)>) -> Drawing {
        let colour = self.scene.picture.colour;
        let has_rods = table.objects.iter().any(|object| object.kind == ObjectKind::Rod);
        let (label, unit) = CHANNELS[channel_of(colour)];
        Drawing {
            tubes: tubes(frame, table, Some(channel_of(colour))),
            spheres: spheres(frame, table),
            meshes: meshes(frame, table, solids, |kind| kind != ObjectKind::Scenery),
            scenery: meshes(frame, table, solids, |kind| kind == ObjectKind::Scenery),
            // The constraint of the rod at a winch is drawn over the drum.
            markers: winches(frame, table).into_iter().chain(markers(frame, table)).collect(),
            gauges: gauges(frame, table),
            lines: springs(frame, table),
            arrows: forces(frame, table),
            floor: table.floor(&frame.points),
            colour_bar: has_rods.then(|| ColourBar { label: label.to_owned(), unit: unit.to_owned(), range }),
            ..Drawing::default()
        }
    }
}

/// The symbols of the constraints.
fn markers(frame: &Frame, table: &Table) -> Vec<Marker> {
    // Pearls are drawn as objects. A broken link holds nothing.
    let shown = || {
        let all = table.constraints.iter().zip(&frame.constraints);
        all.filter(|(constraint, state)| match constraint.marker.kind {
            record::MarkerKind::Pearl => false,
            record::MarkerKind::Distance => !state.open,
            _ => true,
        })
    };
    let labelled = shown().count() <= MOST_LABELS;
    shown()
        .map(|(constraint, state)| {
            let label = if labelled && !state.open { constraint.name.clone() } else { String::new() };
            Marker { place: state.place, kind: symbol(constraint, state), label }
        })
        .collect()
}

/// Limits, targets and motors of joints.
fn gauges(frame: &Frame, table: &Table) -> Vec<Gauge> {
    let labelled = table.gauges.len() <= MOST_LABELS;
    let gauge = |(row, state): (&record::GaugeRow, &record::GaugeState)| {
        let joint = frame.constraints.get(row.constraint as usize).filter(|joint| !joint.open)?;
        let unit = row.coordinate.drive_unit();
        let label = row.motor.filter(|_| labelled).map(|_| format!("{} {unit}", Short(brief(state.drive))));
        Some(Gauge {
            place: joint.place,
            axis: joint.direction.map(f64::from),
            zero: state.zero.map(f64::from),
            turns: row.coordinate == GaugeKind::Angle,
            least: row.least,
            most: row.most,
            value: state.value,
            target: state.target.filter(|_| row.motor.is_some_and(MotorKind::follows_value)),
            label: label.unwrap_or_default(),
        })
    };
    table.gauges.iter().zip(&frame.gauges).filter_map(gauge).collect()
}

fn symbol(constraint: &ConstraintRow, state: &ConstraintState) -> MarkerKind {
    let direction = state.direction.map(f64::from);
    let centre = state.centre.unwrap_or(state.place);
    match constraint.marker.kind {
        record::MarkerKind::Target => MarkerKind::Target,
        record::MarkerKind::Clamp => MarkerKind::Clamp { direction },
        record::MarkerKind::Jaws => MarkerKind::Jaws { direction },
        record::MarkerKind::Tangent => MarkerKind::Tangent { direction },
        record::MarkerKind::Roll | record::MarkerKind::Ring => MarkerKind::Roll { direction },
        record::MarkerKind::Plane => MarkerKind::Plane { point: centre, normal: direction },
        record::MarkerKind::Axis => MarkerKind::Axis { direction },
        record::MarkerKind::Distance => MarkerKind::Distance { centre },
        record::MarkerKind::Circle => {
            MarkerKind::Circle { centre, normal: direction, radius: f64::from(state.radius) }
        }
        record::MarkerKind::Curve => MarkerKind::Curve { points: moved(&constraint.marker.points, centre) },
        record::MarkerKind::Joint | record::MarkerKind::Weld => MarkerKind::Joint,
        record::MarkerKind::Hinge => MarkerKind::Hinge { axis: direction },
        record::MarkerKind::Slider => MarkerKind::Slider { axis: direction },
        record::MarkerKind::Cylindrical => MarkerKind::Cylindrical { axis: direction },
        record::MarkerKind::Ball => MarkerKind::Ball,
        record::MarkerKind::Universal => MarkerKind::Universal { axis: direction },
        record::MarkerKind::Planar => MarkerKind::Planar { normal: direction },
        record::MarkerKind::Clip => MarkerKind::Clip { opening: direction, open: state.open },
        _ => MarkerKind::Point,
    }
}

/// A curve of the table, moved to its current start.
fn moved(points: &[[f64; 3]], begin: [f64; 3]) -> Vec<[f64; 3]> {
    let Some(&first) = points.first() else { return Vec::new() };
    points.iter().map(|point| [0, 1, 2].map(|i| point[i] + (begin[i] - first[i]))).collect()
}

/// The drums of the winches.
fn winches(frame: &Frame, table: &Table) -> Vec<Marker> {
    let marker = |winch: &record::WinchRow| {
        let rod = table.objects.iter().position(|object| object.name == winch.on)?;
        let points = frame.points.get(table.point_range(rod)?)?;
        let place = match winch.at {
            WinchEnd::Start => points.first(),
            WinchEnd::End => points.last(),
        };
        Some(Marker { place: *place?, kind: MarkerKind::Winch, label: winch.name.clone() })
    };
    table.winches.iter().filter_map(marker).collect()
}

fn springs(frame: &Frame, table: &Table) -> Vec<Line> {
    let line = |(row, state): (&record::SpringRow, &record::SpringState)| Line {
        from: state.from,
        to: state.to,
        kind: if row.kind == SpringKind::Torsional { LineKind::Torsion } else { LineKind::Spring },
    };
    table.springs.iter().zip(&frame.springs).map(line).collect()
}

/// Arrows of the forces that act at points.
fn forces(frame: &Frame, table: &Table) -> Vec<Arrow> {
    let all = table.loads.iter().zip(&frame.loads).filter(|(row, _)| row.kind == LoadKind::Force);
    all.map(|(row, state)| Arrow { place: state.place, force: state.force, label: row.name.clone() })
        .collect()
}

/// The rods of a frame; with a channel they are coloured by it.
fn tubes(frame: &Frame, table: &Table, channel: Option<usize>) -> Vec<Tube> {
    let values = channel.and_then(|channel| frame.channels.get(channel)).filter(|values| !values.is_empty());
    objects(table, |kind| kind == ObjectKind::Rod)
        .map(|(index, range)| Tube {
            points: frame.points.get(range.clone()).unwrap_or_default().to_vec(),
            radius: table.objects[index].radii.clone(),
            value: values
                .and_then(|values| values.get(range))
                .map(|part| part.iter().map(|&v| f64::from(v)).collect())
                .unwrap_or_default(),
            colour: None,
        })
        .collect()
}

/// The surfaces of a recording.
fn solids(recording: &mut Recording) -> Result<Vec<Solid>, RecordError> {
    let count = u32::try_from(recording.mesh_count()).unwrap_or(u32::MAX);
    (0..count).map(|index| Ok(Solid::new(recording.mesh(index)?.surface()))).collect()
}

/// The surfaces of the objects of some kinds.
fn meshes(frame: &Frame, table: &Table, solids: &[Solid], kinds: impl Fn(ObjectKind) -> bool) -> Vec<Mesh> {
    let mesh = |((object, first), orientation): ((&record::ObjectRow, usize), &[f64; 4])| {
        let solid = solids.get(object.mesh.filter(|_| kinds(object.kind))? as usize)?;
        let colour = object.surface_colour();
        Some(Mesh { colour, ..solid.at(*frame.points.get(first)?, *orientation) })
    };
    table.bodies().zip(&frame.orientations).filter_map(mesh).collect()
}

/// The paths of the masses.
fn trails(recording: &mut Recording) -> Result<Vec<Vec<[f64; 3]>>, RecordError> {
    let mut trails: BTreeMap<String, Vec<[f64; 3]>> = BTreeMap::new();
    let has_masses = |index: usize| balls(recording.table(index)).next().is_some();
    let chosen: Vec<usize> = (0..recording.len()).filter(|&index| has_masses(index)).collect();
    for index in chosen {
        let frame = recording.frame(index)?;
        let table = recording.table(index);
        for (object, range) in balls(table) {
            let Some(&point) = frame.points.get(range.start) else { continue };
            trails.entry(table.objects[object].name.clone()).or_default().push(point);
        }
    }
    Ok(trails.into_values().collect())
}

fn spheres(frame: &Frame, table: &Table) -> Vec<Sphere> {
    balls(table)
        .filter_map(|(index, range)| {
            let centre = *frame.points.get(range.start)?;
            let radius = table.objects[index].radii.first().copied().unwrap_or(0.0);
            Some(Sphere { centre, radius, colour: None })
        })
        .collect()
}

/// Objects that are drawn as balls, with the range of their point: those of one point without a mesh.
fn balls(table: &Table) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
    objects(table, ObjectKind::is_point).filter(|(index, _)| table.objects[*index].mesh.is_none())
}

/// The objects of some kinds with the range of their points.
fn objects(
    table: &Table,
    kinds: impl Fn(ObjectKind) -> bool,
) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
    let of_kind = move |&index: &usize| kinds(table.objects[index].kind);
    (0..table.objects.len()).filter(of_kind).filter_map(|index| Some((index, table.point_range(index)?)))
}

/// Least and largest value of a channel over all frames, so that a colour means the same in each.
fn colour_range<'a>(frames: impl Iterator<Item = &'a Frame>, channel: usize) -> Option<(f64, f64)> {
    let values = frames
        .filter_map(|frame| frame.channels.get(channel))
        .flatten()
        .map(|&value| f64::from(value))
        .filter(|v| v.is_finite());
    values.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((low, high)) => Some((f64::min(low, value), f64::max(high, value))),
    })
}

/// A force to three digits; below 1e-9 it is rounding.
fn brief(force: f64) -> f64 {
    if force.abs() < 1e-9 { 0.0 } else { format!("{force:.2e}").parse().unwrap_or(force) }
}

/// A time without accumulated rounding.
fn short(time: f64) -> f64 {
    (time * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::{frames_per_second, ghost_frames, size};

    #[test]
    fn a_size_is_two_numbers() {
        assert_eq!(size("640x400"), Ok((640, 400)));
        for wrong in ["640", "x", "10x100", "640x400x2", "-1x100", "9999x100"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ghosts_are_spread_over_the_run() {
        assert_eq!(ghost_frames(0), Vec::<usize>::new());
        assert_eq!(ghost_frames(2), [0, 1]);
        let many = ghost_frames(900);
        assert_eq!((many.len(), many[0], many[8]), (9, 0, 800));
    }

    #[test]
    fn an_animation_runs_at_its_own_speed() {
        assert_eq!(frames_per_second(31, 1.0), 30.0);
        assert_eq!(frames_per_second(1, 0.0), 10.0);
        assert_eq!(frames_per_second(100, 0.001), 50.0);
    }
}
