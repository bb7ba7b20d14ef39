//! Mesh files: STL (binary and text), OBJ, and PLY (binary and text).
//!
//! A file gives vertices and triangles. Vertices at exactly the same place become one; triangles with two
//! corners at one place are dropped; polygons are cut into triangles. Colours, normals and textures are
//! ignored. Whether the surface is closed is checked when the shape is built.
//!
//! Files of heights are tables of numbers or grayscale PNG images, see `heights.rs`.

mod error;
pub(crate) mod heights;
mod lines;
mod load;
mod obj;
mod ply;
mod polygon;
mod stl;
#[cfg(test)]
mod tests;

pub use error::MeshError;
pub use load::load_meshes;

use std::collections::HashMap;
use std::path::Path;

/// Largest size of a file, bytes.
const LARGEST_FILE: u64 = 512 << 20;

/// Most triangles, and most vertices.
const MOST: usize = 10_000_000;

/// Vertices and triangles of a file, in its own unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshData {
    /// Corners.
    pub vertices: Vec<[f64; 3]>,
    /// Three corners of each triangle, counted from 0, in the order of the file.
    pub triangles: Vec<[u32; 3]>,
}

/// Reads a mesh file.
///
/// # Errors
/// A file that can't be read, is too large, is of no known format, or is damaged: the line or byte, and what
/// is wrong.
pub fn read(path: &Path) -> Result<MeshData, MeshError> {
    let (name, bytes) = read_bytes(path, "give an STL, OBJ or PLY file")?;
    parse(&name, &bytes)
}

/// Reads a file of at most 512 MB. `remedy` says which files are allowed. Returns its name and its content.
fn read_bytes(path: &Path, remedy: &str) -> Result<(String, Vec<u8>), MeshError> {
    let name = path.display().to_string();
    let io_error = |error: &std::io::Error| {
        let remedy = "paths are relative to the folder of the scene";
        MeshError::new(&name, format!("the file can't be read: {error}"), remedy)
    };
    let about = std::fs::metadata(path).map_err(|error| io_error(&error))?;
    if !about.is_file() {
        return Err(MeshError::new(&name, "this is not a file", remedy));
    }
    if about.len() > LARGEST_FILE {
        let problem = format!("the file has {} MB", about.len() >> 20);
        return Err(MeshError::new(&name, problem, format!("give one of at most {} MB", LARGEST_FILE >> 20)));
    }
    let bytes = std::fs::read(path).map_err(|error| io_error(&error))?;
    Ok((name, bytes))
}

/// Reads the content of a mesh file. The format is that of the content, or else of the extension of `name`.
///
/// # Errors
/// Content of no known format, or damaged content: the line or byte, and what is wrong.
pub fn parse(name: &str, bytes: &[u8]) -> Result<MeshData, MeshError> {
    let result = match Format::of(name, bytes) {
        Some(Format::Ply) => ply::read(bytes),
        Some(Format::BinaryStl) => stl::read_binary(bytes),
        Some(Format::TextStl) => stl::read_text(bytes),
        Some(Format::Obj) => obj::read(bytes),
        None => Err(Fault::new("this is no STL, OBJ or PLY file", "export the mesh as STL, OBJ or PLY")),
    };
    let data = result.map_err(|fault| MeshError::new(name, fault.problem, fault.remedy))?;
    if data.triangles.is_empty() {
        return Err(MeshError::new(name, "the file has no triangles", "export the surface as triangles"));
    }
    Ok(data)
}

/// A fault in the content of a file.
#[derive(Debug)]
struct Fault {
    problem: String,
    remedy: String,
}

impl Fault {
    fn new(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { problem: problem.into(), remedy: remedy.into() }
    }

    /// A fault of a damaged file.
    fn damaged(problem: impl Into<String>) -> Self {
        Self::new(problem, "export the file anew")
    }

    fn too_many() -> Self {
        Self::new(
            format!("the mesh has more than {} million vertices or triangles", MOST / 1_000_000),
            "reduce the number of triangles in the modelling program",
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Ply,
    BinaryStl,
    TextStl,
    Obj,
}

impl Format {
    fn of(name: &str, bytes: &[u8]) -> Option<Self> {
        let extension = Path::new(name).extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
        if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
            return Some(Self::Ply);
        }
        // Headers of binary files may begin with `solid` too: the size decides.
        if stl::has_binary_size(bytes) {
            return Some(Self::BinaryStl);
        }
        let start = bytes.trim_ascii_start();
        let is_text = !start[..start.len().min(512)].contains(&0);
        if is_text && start.len() >= 5 && start[..5].eq_ignore_ascii_case(b"solid") {
            return Some(Self::TextStl);
        }
        match extension.as_deref() {
            Some("obj") => Some(Self::Obj),
            Some("stl") => Some(Self::BinaryStl),
            Some("ply") => None,
            _ => obj::looks_like(bytes).then_some(Self::Obj),
        }
    }
}

/// Collects vertices and triangles, and joins vertices at the same place.
#[derive(Default)]
struct Builder {
    data: MeshData,
    known: HashMap<[u64; 3], u32>,
}

impl Builder {
    /// Number of the vertex at a place.
    fn vertex(&mut self, x: [f64; 3]) -> Result<u32, Fault> {
        // −0 is 0.
        let x = x.map(|component| component + 0.0);
        let next = self.data.vertices.len();
        if next >= MOST {
            return Err(Fault::too_many());
        }
        let number = *self.known.entry(x.map(f64::to_bits)).or_insert(next as u32);
        if number as usize == next {
            self.data.vertices.push(x);
        }
        Ok(number)
    }

    /// Adds a triangle, unless two of its corners are one.
    fn triangle(&mut self, [a, b, c]: [u32; 3]) -> Result<(), Fault> {
        if self.data.triangles.len() >= MOST {
            return Err(Fault::too_many());
        }
        if a != b && b != c && c != a {
            self.data.triangles.push([a, b, c]);
        }
        Ok(())
    }

    /// Adds a polygon, cut into triangles.
    fn polygon(&mut self, corners: &[u32]) -> Result<(), Fault> {
        for triangle in polygon::triangles(&self.data.vertices, corners)? {
            self.triangle(triangle)?;
        }
        Ok(())
    }
}
