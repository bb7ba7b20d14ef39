//! Errors of mesh files.

use micado::error::BuildError;

/// A mesh file that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{file}`: {problem}; {remedy}")]
pub struct MeshError {
    /// The file, as it is named in the scene, or its path.
    pub file: String,
    /// Path of the field within the shape, such as `mesh.file`; empty outside of a shape.
    pub path: String,
    /// The fault, and its place in the file.
    pub problem: String,
    /// The remedy.
    pub remedy: String,
}

impl MeshError {
    pub(super) fn new(file: &str, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { file: file.to_owned(), path: String::new(), problem: problem.into(), remedy: remedy.into() }
    }

    /// The error as one of a description, at the path of the shape: `body.crate.shape`.
    pub fn within(&self, shape: &str) -> BuildError {
        let problem = format!("`{}`: {}", self.file, self.problem);
        BuildError::new(self.path.clone(), problem, self.remedy.clone()).within(shape)
    }
}
