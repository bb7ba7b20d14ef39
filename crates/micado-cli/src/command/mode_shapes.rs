//! Pictures of mode shapes: the displaced structure, and the displacement along its rods.

use super::modes::words;
use crate::failure::Failure;
use glam::DVec3;
use micado::step::{Mode, Modes};
use micado::world::World;
use micado_io::picture::{Drawing, Tube, View};
use micado_io::plot::{Chart, Series};
use std::path::Path;

/// Points along a rod.
const SAMPLES: usize = 200;
/// Largest displacement in a picture, as a share of the structure's size.
const SWING: f64 = 0.12;
/// Largest number of lines in the chart, so that they are distinguishable.
const MOST_LINES: usize = 8;

/// A rod in a mode.
struct Swung {
    name: String,
    radius: f64,
    /// Rest arc length, position, displacement.
    samples: Vec<(f64, DVec3, DVec3)>,
}

/// Writes a picture of each mode, and a chart of all shapes along the rods that move most. Returns the names
/// of the files.
pub(super) fn draw(world: &World, modes: &Modes, title: &str, folder: &Path) -> Result<Vec<String>, Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::write(folder, error))?;
    let mut files = Vec::new();
    let mut series = Vec::new();
    for (k, mode) in modes.modes.iter().enumerate() {
        let rods = swung(world, mode);
        let farthest =
            rods.iter().flat_map(|rod| &rod.samples).map(|sample| sample.2.length()).fold(0.0, f64::max);
        if farthest == 0.0 {
            continue;
        }
        let named = format!("mode {}, {}", k + 1, words(mode));
        let file = format!("mode-{}.png", k + 1);
        let path = folder.join(&file);
        picture(&rods, SWING * size(&rods) / farthest, format!("{title}: {named}"))
            .write_png(&path, &View::default())
            .map_err(|error| Failure::write(&path, error))?;
        files.push(file);
        if series.len() < MOST_LINES {
            series.extend(line(&rods, farthest, named));
        }
    }
    let chart = Chart {
        title: format!("Modes of {title}"),
        x_label: "place along the rod, m".to_owned(),
        y_label: "displacement along its main direction, of the largest".to_owned(),
        series,
        ..Chart::default()
    };
    for (file, path) in ["shapes.svg", "shapes.png"].map(|file| (file, folder.join(file))) {
        let written = if file.ends_with("svg") { chart.write_svg(&path) } else { chart.write_png(&path) };
        written.map_err(|error| Failure::write(&path, error))?;
        files.push(file.to_owned());
    }
    Ok(files)
}

/// Rods with the displacement of a mode, which is a combination of the unknowns as positions are.
fn swung(world: &World, mode: &Mode) -> Vec<Swung> {
    let rods = world.structure().objects.iter().filter_map(|object| object.rod().map(|rod| (object, rod)));
    rods.map(|(object, rod)| Swung {
        name: object.name.clone(),
        radius: rod.radius(0),
        samples: (0..=SAMPLES)
            .map(|i| {
                let s = rod.length() * i as f64 / SAMPLES as f64;
                let (place, own) = (rod.place(s), object.unknowns());
                (s, place.position(&world.state().q[own.clone()]), place.position(&mode.shape[own]))
            })
            .collect(),
    })
    .collect()
}

/// Extent of the structure, m.
fn size(rods: &[Swung]) -> f64 {
    let points = || rods.iter().flat_map(|rod| &rod.samples).map(|sample| sample.1);
    let (low, high) = points().fold((DVec3::MAX, DVec3::MIN), |(low, high), x| (low.min(x), high.max(x)));
    low.distance(high)
}

/// The structure displaced to both sides, and pale at rest.
fn picture(rods: &[Swung], swing: f64, title: String) -> Drawing {
    let tubes = |by: f64| {
        rods.iter().map(move |rod| {
            Tube::new(rod.samples.iter().map(|&(_, x, d)| (x + d * by).to_array()).collect(), rod.radius)
        })
    };
    Drawing {
        tubes: tubes(swing).collect(),
        ghosts: tubes(0.0).chain(tubes(-swing)).collect(),
        title,
        ..Drawing::default()
    }
}

/// The displacement of the rod that moves most, along the direction of its largest one; `None` if only masses
/// move.
fn line(rods: &[Swung], farthest: f64, named: String) -> Option<Series> {
    let largest = |rod: &Swung| {
        rod.samples.iter().map(|sample| sample.2).max_by(|a, b| a.length().total_cmp(&b.length()))
    };
    let (rod, most) = rods
        .iter()
        .filter_map(|rod| Some((rod, largest(rod)?)))
        .max_by(|a, b| a.1.length().total_cmp(&b.1.length()))?;
    let direction = most.normalize_or_zero() / farthest;
    let name = if rods.len() > 1 { format!("{named} ({})", rod.name) } else { named };
    Some(Series::new(name, rod.samples.iter().map(|&(s, _, d)| (s, d.dot(direction))).collect()))
}
