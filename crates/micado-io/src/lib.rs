//! What goes in and out of Micado: scene files, charts, pictures, recordings, and the reference cases.

pub mod picture;
mod pixels;
pub mod plot;
pub mod record;
pub mod scene;
pub mod validate;
