//! Input and output of Micado: scene files, mesh files, charts, pictures, recordings, reference cases, and
//! experiments compared with theory.

pub mod collisions;
pub mod convergence;
pub mod experiments;
pub mod export;
pub mod matrix;
pub mod mesh;
pub mod observe;
pub mod picture;
mod pixels;
pub mod plot;
pub mod record;
pub mod scene;
pub mod validate;
