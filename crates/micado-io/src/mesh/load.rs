//! Fills the meshes of a shape from their files.

use super::{MeshData, MeshError, read};
use micado::object::body::shape::Shape;
use std::path::Path;

/// Reads the files of all meshes of a shape; relative names start at `folder`. Meshes that have vertices are
/// left as they are.
///
/// # Errors
/// The first file that can't be read; [`MeshError::path`] is the path of its field within the shape.
pub fn load_meshes(shape: &mut Shape, folder: &Path) -> Result<(), MeshError> {
    match shape {
        Shape::Mesh(mesh) if mesh.is_unread() => {
            let Some(file) = mesh.file.clone() else { return Ok(()) };
            let MeshData { vertices, triangles } = read(&folder.join(&file)).map_err(|error| MeshError {
                file,
                path: "mesh.file".to_owned(),
                ..error
            })?;
            (mesh.vertices, mesh.triangles) = (vertices, triangles);
            Ok(())
        }
        Shape::Compound(compound) => {
            for (k, part) in compound.parts.iter_mut().enumerate() {
                load_meshes(&mut part.shape, folder).map_err(|error| MeshError {
                    path: format!("compound.parts[{k}].shape.{}", error.path),
                    ..error
                })?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
