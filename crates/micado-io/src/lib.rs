//! What goes in and out of Micado: charts, pictures and recordings.

pub mod picture;
pub mod plot;
pub mod record;
pub mod scene;
pub mod validate;
