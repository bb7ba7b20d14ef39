//! Scenes, recordings, reference cases and published experiments.

mod bodies;
mod car_door;
mod coil;
mod collisions;
mod contact;
mod convergence;
mod energy;
mod evidence;
mod experiments;
mod knots;
mod linkages;
mod observe;
mod present;
mod redundancy;
mod ropes;
mod scene;
mod scenery;
mod structures;
mod swept;
mod touching_bodies;
mod tree;
mod validate;
