//! VTK files: poly lines with fields, one file for each frame, in XML with raw arrays behind it.

use super::ExportError;
use crate::record::{Frame, ObjectKind, Recording, Table};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes `frame-00000.vtp` and `forces-00000.vtp` and so on, and two collections with their times.
pub(super) fn write(
    recording: &mut Recording,
    frames: &[usize],
    folder: &Path,
) -> Result<Vec<PathBuf>, ExportError> {
    let channels: Vec<String> =
        recording.meta().channels.iter().map(|channel| channel.name.clone()).collect();
    remove_frames(folder)?;
    let mut written = Vec::new();
    let mut collections = [("rods.pvd", String::new()), ("forces.pvd", String::new())];
    for (number, &index) in frames.iter().enumerate() {
        let frame = recording.frame(index)?;
        let table = recording.table(index);
        let files = [
            (format!("frame-{number:05}.vtp"), shapes(table, &frame, &channels)),
            (format!("forces-{number:05}.vtp"), forces(&frame)),
        ];
        for ((name, piece), (_, listed)) in files.into_iter().zip(&mut collections) {
            let path = folder.join(&name);
            fs::write(&path, piece.encode()).map_err(ExportError::write(&path))?;
            // Writing to a string can't fail.
            let _ = writeln!(listed, "    <DataSet timestep=\"{}\" part=\"0\" file=\"{name}\"/>", frame.time);
            written.push(path);
        }
    }
    for (name, listed) in collections {
        let path = folder.join(name);
        let text = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n  <Collection>\n{listed}  </Collection>\n</VTKFile>\n"
        );
        fs::write(&path, text).map_err(ExportError::write(&path))?;
        written.push(path);
    }
    Ok(written)
}

/// Takes away what an earlier export has left, of which there may be more than comes now.
fn remove_frames(folder: &Path) -> Result<(), ExportError> {
    let is_frame = |name: &str| {
        let number = name
            .strip_prefix("frame-")
            .or_else(|| name.strip_prefix("forces-"))
            .and_then(|name| name.strip_suffix(".vtp"));
        number.is_some_and(|number| number.len() >= 5 && number.bytes().all(|digit| digit.is_ascii_digit()))
    };
    for entry in fs::read_dir(folder).map_err(ExportError::write(folder))?.flatten() {
        if entry.file_name().to_str().is_some_and(is_frame) {
            fs::remove_file(entry.path()).map_err(ExportError::write(&entry.path()))?;
        }
    }
    Ok(())
}

/// Rods as lines and masses as vertices.
fn shapes(table: &Table, frame: &Frame, channels: &[String]) -> Piece {
    let mut piece = Piece { points: frame.points.clone(), ..Piece::default() };
    let (mut radii, mut objects) = (Vec::new(), Vec::new());
    let mut first = 0_usize;
    for (number, object) in table.objects.iter().enumerate() {
        let count = object.points as usize;
        let cells = if object.kind == ObjectKind::Rod { &mut piece.lines } else { &mut piece.vertices };
        if count > 0 {
            cells.push(first..first + count);
        }
        radii.extend((0..count).map(|i| object.radius(i)));
        objects.extend(std::iter::repeat_n(number as f64, count));
        first += count;
    }
    piece.fields.push(Field { name: "radius".to_owned(), components: 1, values: radii });
    piece.fields.push(Field { name: "object".to_owned(), components: 1, values: objects });
    for (name, values) in
        channels.iter().zip(&frame.channels).filter(|(_, values)| values.len() == frame.points.len())
    {
        piece.fields.push(Field {
            name: name.clone(),
            components: 1,
            values: values.iter().map(|&value| f64::from(value)).collect(),
        });
    }
    if frame.directors.len() == frame.points.len() {
        let values = frame.directors.iter().flatten().map(|&value| f64::from(value)).collect();
        piece.fields.push(Field { name: "director".to_owned(), components: 3, values });
    }
    piece
}

/// Constraints as vertices with their forces and moments.
fn forces(frame: &Frame) -> Piece {
    let all = || frame.constraints.iter();
    Piece {
        points: all().map(|acting| acting.place).collect(),
        vertices: (0..frame.constraints.len()).map(|k| k..k + 1).collect(),
        fields: vec![
            Field {
                name: "force".to_owned(),
                components: 3,
                values: all().flat_map(|acting| acting.force).collect(),
            },
            Field {
                name: "moment".to_owned(),
                components: 3,
                values: all().flat_map(|acting| acting.moment).collect(),
            },
        ],
        ..Piece::default()
    }
}

/// A quantity at every point.
struct Field {
    name: String,
    components: usize,
    values: Vec<f64>,
}

/// What one file holds.
#[derive(Default)]
struct Piece {
    points: Vec<[f64; 3]>,
    vertices: Vec<std::ops::Range<usize>>,
    lines: Vec<std::ops::Range<usize>>,
    fields: Vec<Field>,
}

/// Arrays that stand behind the XML: each is its length in bytes and its bytes.
#[derive(Default)]
struct Appended(Vec<u8>);

impl Appended {
    /// Adds an array and gives the element that refers to it.
    fn array(&mut self, attributes: &str, kind: &str, bytes: impl Iterator<Item = [u8; 8]>) -> String {
        let offset = self.0.len();
        self.0.extend_from_slice(&[0; 8]);
        bytes.for_each(|eight| self.0.extend_from_slice(&eight));
        let length = (self.0.len() - offset - 8) as u64;
        self.0[offset..offset + 8].copy_from_slice(&length.to_le_bytes());
        format!("        <DataArray type=\"{kind}\" {attributes} format=\"appended\" offset=\"{offset}\"/>\n")
    }

    fn numbers(&mut self, name: &str, components: usize, values: impl Iterator<Item = f64>) -> String {
        let attributes = format!("Name=\"{}\" NumberOfComponents=\"{components}\"", escaped(name));
        self.array(&attributes, "Float64", values.map(f64::to_le_bytes))
    }

    fn cells(&mut self, element: &str, cells: &[std::ops::Range<usize>]) -> String {
        let connectivity = cells.iter().cloned().flatten().map(|point| (point as i64).to_le_bytes());
        let connectivity = self.array("Name=\"connectivity\"", "Int64", connectivity);
        let ends = cells.iter().scan(0_i64, |end, cell| {
            *end += cell.len() as i64;
            Some(end.to_le_bytes())
        });
        let offsets = self.array("Name=\"offsets\"", "Int64", ends);
        format!("      <{element}>\n{connectivity}{offsets}      </{element}>\n")
    }
}

impl Piece {
    fn encode(&self) -> Vec<u8> {
        let mut appended = Appended::default();
        let fields: String = self
            .fields
            .iter()
            .map(|field| appended.numbers(&field.name, field.components, field.values.iter().copied()))
            .collect();
        let points = appended.numbers("Points", 3, self.points.iter().flatten().copied());
        let cells = appended.cells("Verts", &self.vertices) + &appended.cells("Lines", &self.lines);
        let head = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <PolyData>\n    \
             <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n      <PointData>\n{fields}      \
             </PointData>\n      <Points>\n{points}      </Points>\n{cells}    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_",
            self.points.len(),
            self.vertices.len(),
            self.lines.len(),
        );
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(&appended.0);
        bytes.extend_from_slice(b"\n  </AppendedData>\n</VTKFile>\n");
        bytes
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
