//! What goes in and out of Micado: scene files, charts, pictures, recordings, the reference cases, and
//! experiments beside theory.

pub mod experiments;
pub mod export;
pub mod matrix;
pub mod observe;
pub mod picture;
mod pixels;
pub mod plot;
pub mod record;
pub mod scene;
pub mod validate;
