//! Scenes, recordings, reference cases and published experiments.

mod car_door;
mod evidence;
mod experiments;
mod knots;
mod observe;
mod present;
mod same_bits;
mod scene;
mod structures;
mod validate;
