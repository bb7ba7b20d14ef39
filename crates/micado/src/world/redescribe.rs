//! Describes a rod such that it starts in its present state.
//!
//! An open spline rod keeps its control points, the metric of its stretch, its natural shape at every
//! quadrature point, its mass, and the director at its start. Its rest arc length is measured along the
//! present curve, so places must be converted. Of twist only the total and of velocity only the mean are
//! kept: scenes can't describe more.

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

/// Relative difference below which values are equal.
const SAME: f64 = 1e-6;

/// Description of a rod that starts in its present state.
#[derive(Clone, Debug)]
pub struct PresentRod {
    /// The description.
    pub description: RodDescription,
    /// Properties that it can't keep, as text.
    pub lost: Vec<String>,
    /// The rod that it describes, and the original rod.
    new: Rod,
    old: Rod,
}

impl PresentRod {
    /// Converts a place of the original rod to the new rod, m.
    pub fn place_of(&self, at: At) -> f64 {
        self.place(at.along(self.old.length()))
    }

    /// Converts rest arc length `s` of the original rod to the new rod, m.
    pub fn place(&self, s: f64) -> f64 {
        same_place(&self.old, &self.new, s)
    }
}

impl World {
    /// Describes a rod such that it starts in its present state.
    ///
    /// # Errors
    /// The object is no rod, or no rod can start with its present shape.
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
        let mut description =
            RodDescription { initial_stretch: 0.0, knots_at: Vec::new(), ..(**words).clone() };
        if rod.spline().is_some() {
            // Cuts and knots have changed the described number.
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
                        // The rod starts and ends in the middle of its outer edges.
                        let (mut through, last) = (nodes(), rod.segments() - 1);
                        if let [first, .., end] = through.as_mut_slice() {
                            (*first, *end) = (knot(0, 0.5), knot(last, 0.5));
                        }
                        if !description.bends_at.is_empty() {
                            description.bends_at = bends(&through);
                        }
                        Shape::Polyline(Polyline { through, radius: 0.0 })
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

    /// Keeps the director at the start, and the total twist.
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
            // A non-planar ring starts with another twist than described: its director doesn't close after a
            // turn.
            let built = Rod::build(description)?;
            description.twist += turns - twist(&built.rod, &built.q, &built.frames).0;
        }
        if most * rod.length() > turns.abs() * (1.0 + 0.01) + SAME {
            lost.push(format!(
                "the distribution of its twist: the total of {turns:.4} rad is distributed evenly"
            ));
        }
        Ok(())
    }

    /// Keeps the mean velocity.
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
            lost.push(format!("the velocity of each point: all get the mean, up to {farthest:.4} m/s off"));
        }
    }
}

/// Total twist of a rod, rad, and the largest, rad/m.
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

/// Converts rest arc length `s` of one rod to another of the same material.
fn same_place(old: &Rod, new: &Rod, s: f64) -> f64 {
    if new.segments() == old.segments() {
        let (e, f) = old.locate(s.clamp(0.0, old.length()));
        new.arc_at(e, f)
    } else {
        s * new.length() / old.length()
    }
}

/// Converts stretches with other properties.
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

/// Places at which a polyline bends, by length.
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

/// The described rod, with its density adjusted to this mass.
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

/// Widths of the segments; empty if they are equal.
fn widths(rod: &SplineRod) -> Vec<f64> {
    rod.uneven.as_ref().map_or_else(Vec::new, |uneven| uneven.knots.widths().collect())
}

/// The metric of stretch at the quadrature points.
fn metric(rod: &SplineRod) -> Vec<f64> {
    at_points(rod, |e, g| rod.rest[index(e, g, rest::STRETCH_J, rest::FIELDS)])
}

/// The natural shape in a form that doesn't depend on the initial shape of the rod.
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
