//! The present as a beginning: how a rod has to be described to begin as it is now.
//!
//! An open spline rod keeps its control points, the metric from which its stretch is counted, its natural
//! shape at every quadrature point, its mass, and the director at its start; its rest arc length is measured
//! along the present curve, so that places have to be found anew. Twist is kept as a whole and velocity as a
//! mean: scenes have no words for more.

use crate::describe::anchor::At;
use crate::error::BuildError;
use crate::geometry::basis::Family;
use crate::geometry::quadrature::GAUSS_3;
use crate::object::rod::spline::SplineRod;
use crate::object::rod::spline::layout::{index, rest};
use crate::object::rod::{
    Natural, NaturalCurvature, Points, Polyline, Rod, RodDescription, RodModel, Shape, Spline,
};
use crate::object::{Object, ObjectDescription, ObjectKind};
use crate::world::World;
use glam::DVec3;

/// What differs by less than this share is the same.
const SAME: f64 = 1e-6;

/// How a rod has to be described to begin as it is now.
#[derive(Clone, Debug)]
pub struct PresentRod {
    /// The description.
    pub description: RodDescription,
    /// What it can't keep, in words.
    pub lost: Vec<String>,
    /// The rod that it describes, and the one that was described.
    new: Rod,
    old: Rod,
}

impl PresentRod {
    /// Where a place of the rod is on the rod that begins as it is now, m.
    pub fn place_of(&self, at: At) -> f64 {
        self.place(at.along(self.old.length()))
    }

    /// The place of rest arc length `s` of the rod on the rod that begins as it is now, m.
    pub fn place(&self, s: f64) -> f64 {
        same_place(&self.old, &self.new, s)
    }
}

impl World {
    /// How a rod has to be described to begin as it is now.
    ///
    /// # Errors
    /// The object is no rod, or its present shape is none with which a rod can begin.
    pub fn present_rod(&self, object: &Object) -> Result<PresentRod, BuildError> {
        let (ObjectKind::Rod(rod), ObjectDescription::Rod(words)) = (&object.kind, &object.description)
        else {
            let problem = format!("`{}` is a {}", object.name, object.word());
            return Err(BuildError::new("object", problem, "name a rod"));
        };
        let mut lost = Vec::new();
        let q = &self.state.q[object.unknowns()];
        let nodes = || q.chunks_exact(4).map(|node| [node[0], node[1], node[2]]).collect::<Vec<_>>();
        let knot = |e: usize, f: f64| {
            rod.section(q, &self.state.frames[object.frames.clone()], e, f).position.to_array()
        };
        let mut description = RodDescription { knots_at: Vec::new(), ..(**words).clone() };
        if rod.spline().is_some() {
            // Cuts and knots have made others than those that were described.
            description.segments = Some(rod.segments());
        }
        match rod.spline() {
            Some(spline) if spline.family == Family::Clamped => {
                description.shape = Shape::Spline(Spline {
                    control: nodes(),
                    widths: widths(spline),
                    stretch_metric: metric(spline),
                });
                description.natural = natural(spline, &words.natural);
            }
            _ => {
                let closed = rod.is_closed();
                let ends = usize::from(!closed);
                description.shape = match rod.model() {
                    RodModel::DiscreteElastic if !closed => {
                        // The rod begins and ends in the middle of its outer edges.
                        let (mut through, last) = (nodes(), rod.segments() - 1);
                        if let [first, .., end] = through.as_mut_slice() {
                            (*first, *end) = (knot(0, 0.5), knot(last, 0.5));
                        }
                        if !description.bends_at.is_empty() {
                            description.bends_at = bends(&through);
                        }
                        Shape::Polyline(Polyline { through })
                    }
                    RodModel::DiscreteElastic => Shape::Points(Points { through: nodes(), closed }),
                    _ => {
                        let mut through: Vec<_> = (0..rod.segments()).map(|e| knot(e, 0.0)).collect();
                        through.extend((0..ends).map(|_| knot(rod.segments() - 1, 1.0)));
                        Shape::Points(Points { through, closed })
                    }
                };
                lost.push("its stretch: its rest length is its present length".to_owned());
                if matches!(words.natural, Natural::AsShaped | Natural::Sampled(_)) {
                    lost.push("its natural shape".to_owned());
                }
            }
        }
        keep_stretches(rod, &mut description)?;
        self.keep_roll(object, rod, &mut description, &mut lost)?;
        self.keep_velocity(object, rod, &mut description, &mut lost);
        let new = weighed(&mut description, rod.total_mass())?;
        Ok(PresentRod { description, lost, new, old: rod.clone() })
    }

    /// Director at the start and twist.
    fn keep_roll(
        &self,
        object: &Object,
        rod: &Rod,
        description: &mut RodDescription,
        lost: &mut Vec<String>,
    ) -> Result<(), BuildError> {
        if rod.model() == RodModel::MassSpring {
            return Ok(());
        }
        let (q, frames) = (&self.state.q[object.unknowns()], &self.state.frames[object.frames.clone()]);
        description.up = Some(rod.section(q, frames, 0, 0.0).director.to_array());
        if !rod.has_material_frame() {
            lost.push("its roll".to_owned());
            return Ok(());
        }
        let (turns, most) = twist(rod, q, frames);
        description.twist = turns;
        if rod.is_closed() {
            // Where its curve is not plane, a ring begins with more or less twist than it is given, by what
            // its director misses after a round.
            let laid = Rod::build(description)?;
            description.twist += turns - twist(&laid.rod, &laid.q, &laid.frames).0;
        }
        if most * rod.length() > turns.abs() * (1.0 + 0.01) + SAME {
            lost.push(format!("how its twist is spread: {turns:.4} rad in all are spread evenly"));
        }
        Ok(())
    }

    /// The mean velocity.
    fn keep_velocity(
        &self,
        object: &Object,
        rod: &Rod,
        description: &mut RodDescription,
        lost: &mut Vec<String>,
    ) {
        let v = &self.state.v[object.unknowns()];
        let mut momentum = vec![0.0; v.len()];
        object.model().add_mass_times(object.own(&self.state.q, &self.state.frames), v, &mut momentum);
        let mean = momentum.chunks_exact(4).map(DVec3::from_slice).sum::<DVec3>() / rod.total_mass();
        description.velocity = mean.to_array();
        let farthest = v.chunks_exact(4).map(|v| DVec3::from_slice(v).distance(mean)).fold(0.0, f64::max);
        if farthest > SAME {
            lost.push(format!(
                "the velocity of each of its points: they move with their mean, up to {farthest:.4} m/s off"
            ));
        }
    }
}

/// Twist of a rod in all, rad, and the largest, rad/m.
fn twist(rod: &Rod, q: &[f64], frames: &[f64]) -> (f64, f64) {
    let (mut turns, mut most) = (0.0, 0.0_f64);
    for e in 0..rod.segments() {
        let length = rod.arc_at(e, 1.0) - rod.arc_at(e, 0.0);
        for (f, weight) in GAUSS_3 {
            let twist = rod.section(q, frames, e, f).twist;
            turns += weight * length * twist;
            most = most.max(twist.abs());
        }
    }
    (turns, most)
}

/// Where a place of rest arc length `s` of one rod is on another that is the same matter.
fn same_place(old: &Rod, new: &Rod, s: f64) -> f64 {
    if new.segments() == old.segments() {
        let (e, f) = old.locate(s.clamp(0.0, old.length()));
        new.arc_at(e, f)
    } else {
        s * new.length() / old.length()
    }
}

/// Stretches of other properties, where their matter is now.
fn keep_stretches(old: &Rod, description: &mut RodDescription) -> Result<(), BuildError> {
    if description.stretches.is_empty() {
        return Ok(());
    }
    let even = Rod::build(&RodDescription { stretches: Vec::new(), ..description.clone() })?.rod;
    for end in description.stretches.iter_mut().flat_map(|stretch| [&mut stretch.from, &mut stretch.to]) {
        if !matches!(*end, At::START | At::END) {
            *end = At::Length(same_place(old, &even, end.along(old.length())));
        }
    }
    Ok(())
}

/// Where a polyline bends, by its length.
fn bends(through: &[[f64; 3]]) -> Vec<At> {
    let steps =
        through.windows(2).map(|pair| DVec3::from_array(pair[0]).distance(DVec3::from_array(pair[1])));
    let mut places: Vec<At> = steps
        .scan(0.0, |sum, step| {
            *sum += step;
            Some(At::Length(*sum))
        })
        .collect();
    places.pop();
    places
}

/// The described rod, its density such that it weighs as much as before.
fn weighed(description: &mut RodDescription, mass: f64) -> Result<Rod, BuildError> {
    let built = Rod::build(description)?.rod;
    let share = mass / built.total_mass();
    let stretches = description
        .stretches
        .iter_mut()
        .flat_map(|stretch| [&mut stretch.density, &mut stretch.mass_per_length]);
    let densities = [&mut description.density, &mut description.mass_per_length].into_iter().chain(stretches);
    densities.flatten().for_each(|density| *density *= share);
    Ok(Rod::build(description)?.rod)
}

/// Widths of the segments; none where they are even.
fn widths(rod: &SplineRod) -> Vec<f64> {
    rod.uneven.as_ref().map_or_else(Vec::new, |uneven| uneven.knots.widths().collect())
}

/// The metric from which stretch is counted, at the quadrature points.
fn metric(rod: &SplineRod) -> Vec<f64> {
    at_points(rod, |e, g| rod.rest[index(e, g, rest::STRETCH_J, rest::FIELDS)])
}

/// The natural shape in words that don't depend on how the rod is laid.
fn natural(rod: &SplineRod, words: &Natural) -> Natural {
    match words {
        constant @ (Natural::Straight | Natural::Curved(_)) => constant.clone(),
        Natural::AsShaped | Natural::Sampled(_) => Natural::Sampled(at_points(rod, |e, g| {
            let constant = |field: usize| rod.rest[index(e, g, field, rest::FIELDS)];
            NaturalCurvature {
                curvature_1: constant(rest::K1),
                curvature_2: constant(rest::K2),
                twist: constant(rest::TAU),
            }
        })),
    }
}

fn at_points<T>(rod: &SplineRod, at: impl Fn(usize, usize) -> T) -> Vec<T> {
    (0..rod.segments).flat_map(|e| [0, 1, 2].map(|g| at(e, g))).collect()
}
