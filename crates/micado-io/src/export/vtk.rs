//! VTK files: polylines and triangles with fields, one file per frame, in XML followed by raw arrays.

use super::ExportError;
use crate::record::{Frame, GaugeKind, LoadKind, Mesh, ObjectKind, ObjectRow, Recording, Table};
use glam::{DQuat, DVec3};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// File name prefixes of a frame, and the collections with their times.
const SERIES: [(&str, &str); 7] = [
    ("frame", "rods.pvd"),
    ("forces", "forces.pvd"),
    ("springs", "springs.pvd"),
    ("loads", "loads.pvd"),
    ("bodies", "bodies.pvd"),
    ("scenery", "scenery.pvd"),
    ("contacts", "contacts.pvd"),
];

/// Fields of a gauge, after the word of its coordinate.
const GAUGE_FIELDS: [&str; 5] = ["", " least", " most", " target", " drive"];

/// Writes `frame-00000.vtp`, `forces-00000.vtp` and so on, and collections with their times. Files of
/// springs, loads, bodies, scenery and contacts are written only if there are any.
pub(super) fn write(
    recording: &mut Recording,
    frames: &[usize],
    folder: &Path,
) -> Result<Vec<PathBuf>, ExportError> {
    let channels: Vec<String> =
        recording.meta().channels.iter().map(|channel| channel.name.clone()).collect();
    remove_earlier(folder)?;
    let mut touches = false;
    for &index in frames {
        touches = touches || !recording.frame(index)?.contacts.is_empty();
    }
    let any = |exists: fn(&Table) -> bool| frames.iter().any(|&index| exists(recording.table(index)));
    let wanted = [
        true,
        true,
        any(|table| !table.springs.is_empty()),
        any(|table| !table.loads.is_empty()),
        any(|table| surfaces(table, ObjectKind::Body).next().is_some()),
        any(|table| surfaces(table, ObjectKind::Scenery).next().is_some()),
        touches,
    ];
    let gauged = any(|table| !table.gauges.is_empty());
    let count = u32::try_from(recording.mesh_count()).unwrap_or(u32::MAX);
    let meshes = (0..count).map(|index| recording.mesh(index)).collect::<Result<Vec<_>, _>>()?;
    let mut written = Vec::new();
    let mut collections = SERIES.map(|_| String::new());
    for (number, &index) in frames.iter().enumerate() {
        let frame = recording.frame(index)?;
        let table = recording.table(index);
        let pieces = [
            shapes(table, &frame, &channels),
            forces(table, &frame, gauged),
            springs(&frame),
            loads(table, &frame),
            bodies(table, &frame, &meshes, ObjectKind::Body),
            bodies(table, &frame, &meshes, ObjectKind::Scenery),
            contacts(&frame),
        ];
        for (k, piece) in pieces.into_iter().enumerate().filter(|(k, _)| wanted[*k]) {
            let name = format!("{}-{number:05}.vtp", SERIES[k].0);
            let path = folder.join(&name);
            fs::write(&path, piece.encode()).map_err(ExportError::write(&path))?;
            // Writing to a string can't fail.
            let _ = writeln!(
                collections[k],
                "    <DataSet timestep=\"{}\" part=\"0\" file=\"{name}\"/>",
                frame.time
            );
            written.push(path);
        }
    }
    for (k, listed) in collections.into_iter().enumerate().filter(|(k, _)| wanted[*k]) {
        let name = SERIES[k].1;
        let path = folder.join(name);
        let text = format!(
            "<?xml version=\"1.0\"?>\n\
 <VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
 \x20 <Collection>\n{listed}  </Collection>\n</VTKFile>\n"
        );
        fs::write(&path, text).map_err(ExportError::write(&path))?;
        written.push(path);
    }
    Ok(written)
}

/// Removes the files of an earlier export, which may have had more frames.
fn remove_earlier(folder: &Path) -> Result<(), ExportError> {
    let is_ours = |name: &str| {
        let number = name.strip_suffix(".vtp").and_then(|name| name.split_once('-'));
        let is_frame = number.is_some_and(|(kind, number)| {
            SERIES.iter().any(|(known, _)| *known == kind)
                && number.len() >= 5
                && number.bytes().all(|digit| digit.is_ascii_digit())
        });
        is_frame || SERIES.iter().any(|(_, collection)| *collection == name)
    };
    for entry in fs::read_dir(folder).map_err(ExportError::write(folder))?.flatten() {
        if entry.file_name().to_str().is_some_and(is_ours) {
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
    piece.fields.push(Field::new("radius", 1, radii.into_iter()));
    piece.fields.push(Field::new("object", 1, objects.into_iter()));
    for (name, values) in
        channels.iter().zip(&frame.channels).filter(|(_, values)| values.len() == frame.points.len())
    {
        piece.fields.push(Field::new(name, 1, values.iter().map(|&value| f64::from(value))));
    }
    if frame.directors.len() == frame.points.len() {
        let values = frame.directors.iter().flatten().map(|&value| f64::from(value));
        piece.fields.push(Field::new("director", 3, values));
    }
    piece
}

/// Objects of this kind that have a mesh, each with the indices of its point and its orientation.
fn surfaces(table: &Table, kind: ObjectKind) -> impl Iterator<Item = (&ObjectRow, usize, usize)> {
    let all = table.bodies().enumerate().map(|(turn, (object, first))| (object, first, turn));
    all.filter(move |(object, ..)| object.kind == kind && object.mesh.is_some())
}

/// Surfaces of bodies or scenery as triangles in the poses of the frame. `object` is the index in the table.
/// If they have colours, `colour` is red, green and blue, each up to 255.
fn bodies(table: &Table, frame: &Frame, meshes: &[Mesh], kind: ObjectKind) -> Piece {
    let mut piece = Piece::default();
    let (mut objects, mut colours) = (Vec::new(), Vec::new());
    for (object, first, turn) in surfaces(table, kind) {
        let Some(mesh) = object.mesh.and_then(|index| meshes.get(index as usize)) else { continue };
        let (start, turn) = (piece.points.len(), DQuat::from_array(frame.orientations[turn]));
        if let Some(colour) = object.surface_colour() {
            colours.extend(std::iter::repeat_n(colour.map(f64::from), mesh.vertices.len()));
        }
        let place = DVec3::from_array(frame.points[first]);
        let moved = |x: &[f32; 3]| (place + turn * DVec3::from_array(x.map(f64::from))).to_array();
        piece.points.extend(mesh.vertices.iter().map(moved));
        let corners = |corners: &[u32; 3]| corners.map(|corner| start + corner as usize);
        piece.triangles.extend(mesh.triangles.iter().map(corners));
        let number = table.objects.iter().position(|other| std::ptr::eq(other, object));
        objects.extend(std::iter::repeat_n(number.unwrap_or(0) as f64, mesh.vertices.len()));
    }
    piece.fields.push(Field::new("object", 1, objects.into_iter()));
    if !colours.is_empty() {
        piece.fields.push(Field::new("colour", 3, colours.into_iter().flatten()));
    }
    piece
}

/// Constraints as vertices with their forces and moments. With `gauged` there are also the coordinates of
/// joints that have limits or a motor, NaN elsewhere.
fn forces(table: &Table, frame: &Frame, gauged: bool) -> Piece {
    let all = || frame.constraints.iter();
    let mut fields = vec![
        Field::new("force", 3, all().flat_map(|state| state.force)),
        Field::new("moment", 3, all().flat_map(|state| state.moment)),
        Field::new("residual", 1, all().map(|state| f64::from(state.residual))),
    ];
    for kind in [GaugeKind::Angle, GaugeKind::Slide].into_iter().filter(|_| gauged) {
        let mut values = GAUGE_FIELDS.map(|_| vec![f64::NAN; frame.constraints.len()]);
        let gauges = table.gauges.iter().zip(&frame.gauges).filter(|(row, _)| row.coordinate == kind);
        for (row, state) in gauges {
            let drive = row.motor.map(|_| state.drive);
            let numbers = [Some(state.value), row.least, row.most, state.target, drive];
            for (values, number) in values.iter_mut().zip(numbers) {
                if let (Some(value), Some(number)) = (values.get_mut(row.constraint as usize), number) {
                    *value = number;
                }
            }
        }
        for (name, values) in GAUGE_FIELDS.iter().zip(values) {
            fields.push(Field::new(&format!("{}{name}", kind.word()), 1, values.into_iter()));
        }
    }
    Piece {
        points: all().map(|state| state.place).collect(),
        vertices: (0..frame.constraints.len()).map(|k| k..k + 1).collect(),
        fields,
        ..Piece::default()
    }
}

/// Contacts as vertices with their forces on the first object. `first` and `second` are indices of objects in
/// the table.
fn contacts(frame: &Frame) -> Piece {
    let all = || frame.contacts.iter();
    Piece {
        points: all().map(|contact| contact.point).collect(),
        vertices: (0..frame.contacts.len()).map(|k| k..k + 1).collect(),
        fields: vec![
            Field::new("force", 3, all().flat_map(|contact| contact.force)),
            Field::new("normal", 3, all().flat_map(|contact| contact.normal.map(f64::from))),
            Field::new("gap", 1, all().map(|contact| f64::from(contact.gap))),
            Field::new("friction", 1, all().map(|contact| f64::from(contact.friction))),
            Field::new("first", 1, all().map(|contact| f64::from(contact.objects[0]))),
            Field::new("second", 1, all().map(|contact| f64::from(contact.objects[1]))),
        ],
        ..Piece::default()
    }
}

/// Springs as lines with their tensions.
fn springs(frame: &Frame) -> Piece {
    Piece {
        points: frame.springs.iter().flat_map(|state| [state.from, state.to]).collect(),
        lines: (0..frame.springs.len()).map(|k| 2 * k..2 * k + 2).collect(),
        fields: vec![Field::new("tension", 1, frame.springs.iter().flat_map(|state| [state.tension; 2]))],
        ..Piece::default()
    }
}

/// Loads as vertices with their forces and moments.
fn loads(table: &Table, frame: &Frame) -> Piece {
    let vectors = |is_moment: bool| {
        let all = table.loads.iter().zip(&frame.loads);
        all.flat_map(move |(row, state)| match (row.kind == LoadKind::Moment) == is_moment {
            true => state.force,
            false => [0.0; 3],
        })
    };
    Piece {
        points: frame.loads.iter().map(|state| state.place).collect(),
        vertices: (0..frame.loads.len()).map(|k| k..k + 1).collect(),
        fields: vec![Field::new("force", 3, vectors(false)), Field::new("moment", 3, vectors(true))],
        ..Piece::default()
    }
}

/// A quantity at every point.
struct Field {
    name: String,
    components: usize,
    values: Vec<f64>,
}

impl Field {
    fn new(name: &str, components: usize, values: impl Iterator<Item = f64>) -> Self {
        Self { name: name.to_owned(), components, values: values.collect() }
    }
}

/// Content of one file.
#[derive(Default)]
struct Piece {
    points: Vec<[f64; 3]>,
    vertices: Vec<std::ops::Range<usize>>,
    lines: Vec<std::ops::Range<usize>>,
    triangles: Vec<[usize; 3]>,
    fields: Vec<Field>,
}

/// Arrays that follow the XML: each is its length in bytes and its bytes.
#[derive(Default)]
struct Appended(Vec<u8>);

impl Appended {
    /// Adds an array and returns the element that refers to it.
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

    /// Adds cells by their points and the number of points of each.
    fn cells(
        &mut self,
        element: &str,
        points: impl Iterator<Item = usize>,
        counts: impl Iterator<Item = usize>,
    ) -> String {
        let connectivity = points.map(|point| (point as i64).to_le_bytes());
        let connectivity = self.array("Name=\"connectivity\"", "Int64", connectivity);
        let ends = counts.scan(0_i64, |end, count| {
            *end += count as i64;
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
        let mut cells = String::new();
        for (element, list) in [("Verts", &self.vertices), ("Lines", &self.lines)] {
            let (points, counts) = (list.iter().cloned().flatten(), list.iter().map(ExactSizeIterator::len));
            cells += &appended.cells(element, points, counts);
        }
        if !self.triangles.is_empty() {
            let points = self.triangles.iter().flatten().copied();
            cells += &appended.cells("Polys", points, self.triangles.iter().map(|_| 3));
        }
        let head = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
 header_type=\"UInt64\">\n  <PolyData>\n    <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" \
 NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n      <PointData>\n{fields}      \
 </PointData>\n      <Points>\n{points}      </Points>\n{cells}    </Piece>\n  </PolyData>\n  \
 <AppendedData encoding=\"raw\">\n_",
            self.points.len(),
            self.vertices.len(),
            self.lines.len(),
            self.triangles.len(),
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
