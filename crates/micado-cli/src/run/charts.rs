//! Plots of a run: one for each quantity, one of the energies, and two of the modes of a quasi-dynamic run
//! and their cost.

use super::folder::{Folder, file_word};
use super::series::TimeSeries;
use crate::failure::Failure;
use micado::scene::{Component, Probe, Quantity};
use micado_io::plot::{Chart, Series};
use serde::Serialize;

/// Largest number of lines in one chart, so that they are distinguishable.
const MOST_LINES: usize = 8;

/// Columns of the modes that count something; the others are ratios.
const MODE_COUNTS: usize = 2;

/// Draws all charts and returns the names of the files.
pub(super) fn draw(
    folder: &Folder,
    scene: &str,
    probes: &[Probe],
    measured: &TimeSeries,
    energy: &TimeSeries,
    modes: Option<&TimeSeries>,
) -> Result<Vec<String>, Failure> {
    let mut files = Vec::new();
    for (quantity, members) in by_quantity(probes) {
        for (page, members) in members.chunks(MOST_LINES).enumerate() {
            let series = members.iter().map(|&index| line(measured, index)).collect();
            let word = word(quantity);
            let page = if page == 0 { String::new() } else { format!("-{}", page + 1) };
            let label = y_label(quantity, members.iter().map(|&index| probes[index].component));
            let name = file_word(&format!("plot-{word}{page}"));
            // The radius of a nearly straight rod is much larger than all others.
            let log_y = matches!(quantity, Quantity::BendRadius | Quantity::LeastBendRadius);
            files.extend(write(folder, &name, &Chart { log_y, ..chart(scene, &label, series) })?);
        }
    }
    let series = (0..energy.names().len()).map(|index| line(energy, index)).collect();
    files.extend(write(folder, "plot-energy", &chart(scene, "energy, J", series))?);
    if let Some(modes) = modes {
        let lines = |columns: std::ops::Range<usize>| columns.map(|index| line(modes, index)).collect();
        files.extend(write(folder, "plot-modes", &chart(scene, "count", lines(0..MODE_COUNTS)))?);
        files.extend(write(
            folder,
            "plot-cost",
            &chart(scene, "ratio", lines(MODE_COUNTS..modes.names().len())),
        )?);
    }
    Ok(files)
}

fn line(from: &TimeSeries, index: usize) -> Series {
    Series::new(from.names()[index].clone(), from.column(index))
}

fn chart(scene: &str, label: &str, series: Vec<Series>) -> Chart {
    // One line needs no legend, so its name goes to the title.
    let title = match series.as_slice() {
        [only] => format!("{scene}: {}", only.name),
        _ => scene.to_owned(),
    };
    Chart { title, x_label: "time, s".to_owned(), y_label: label.to_owned(), series, ..Chart::default() }
}

fn write(folder: &Folder, name: &str, chart: &Chart) -> Result<[String; 2], Failure> {
    let files = [format!("{name}.svg"), format!("{name}.png")];
    chart
        .write_svg(folder.file(&files[0]))
        .map_err(|error| Failure::write(&folder.file(&files[0]), error))?;
    chart
        .write_png(folder.file(&files[1]))
        .map_err(|error| Failure::write(&folder.file(&files[1]), error))?;
    Ok(files)
}

/// Probes that read the same quantity, in the order in which the quantities first appear.
fn by_quantity(probes: &[Probe]) -> Vec<(Quantity, Vec<usize>)> {
    let mut groups: Vec<(Quantity, Vec<usize>)> = Vec::new();
    for (index, probe) in probes.iter().enumerate() {
        match groups.iter_mut().find(|(quantity, _)| *quantity == probe.read) {
            Some((_, members)) => members.push(index),
            None => groups.push((probe.read, vec![index])),
        }
    }
    groups
}

/// A word of the scene file, such as `bending-moment`.
pub(super) fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn y_label(quantity: Quantity, mut components: impl Iterator<Item = Component>) -> String {
    let first = components.next().unwrap_or_default();
    let of_all = components.all(|component| component == first);
    let name = word(quantity).replace('-', " ");
    let component =
        if of_all && first != Component::Norm { format!(" {}", word(first)) } else { String::new() };
    match quantity.unit() {
        "" => format!("{name}{component}"),
        unit => format!("{name}{component}, {unit}"),
    }
}
