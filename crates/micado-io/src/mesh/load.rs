//! Fills the meshes and the heights of a shape from their files.

use super::{MeshData, MeshError, heights, read};
use micado::object::body::shape::Shape;
use std::path::Path;

/// Reads the files of all meshes and heights of a shape; relative names start at `folder`. Parts that already
/// have data are left as they are.
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
        Shape::HeightField(ground) if ground.is_unread() => {
            let Some(file) = ground.file.clone() else { return Ok(()) };
            ground.heights = heights::read(&folder.join(&file)).map_err(|error| MeshError {
                file,
                path: "height-field.file".to_owned(),
                ..error
            })?;
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
