//! Splice: joins the end of one rod to the start of another into one rod.
//!
//! Segments of equal length are kept, and a cut at a knot is undone to rounding. Otherwise a spline is fitted
//! with equal segments of the shorter length; for the other models see `object/rod/portion.rs`. A small kink
//! is smoothed over the segments beside the joint. The sections are joined in their present orientation: a
//! roll between them adds no twist. Total mass and momentum are kept.

use crate::describe::anchor::At;
use crate::edit::cut::{keep_momentum, momentum};
use crate::edit::remap::{NewRod, Successor};
use crate::error::{BuildError, check};
use crate::object::rod::portion::{Joined, Portion, join};
use crate::object::rod::spline::{Pace, RodTransfer, Strand};
use crate::object::rod::{Natural, NaturalCurvature, RodDescription, Stretch};
use crate::scene::{Kind, Splice};
use crate::world::World;
use crate::world::remap::{Piece, Remap};

/// Relative difference below which segment lengths are equal: along a curve they are only nearly equal.
const SAME_WIDTH: f64 = 1e-2;
/// Rounding of a number of segments.
const ROUNDING: f64 = 1e-9;
/// Most segments of the joined rod, as a multiple of those of both rods: limits joints of a very fine and a
/// very long rod.
const MOST_SEGMENTS: usize = 4;

impl World {
    /// The world with two rods joined, and the map of their pieces.
    pub(crate) fn splice(&self, splice: &Splice) -> Result<(World, Remap), BuildError> {
        let tolerance = check::not_negative("tolerance", splice.tolerance)?;
        let most = check::not_negative("angle", splice.angle)?;
        if splice.first == splice.second {
            let problem = "a rod's own two ends can't be spliced";
            return Err(BuildError::new("second", problem, "join them by a `fusion`, or describe a `ring`"));
        }
        let (first_index, like, a) = self.portion("first", &splice.first)?;
        let (second_index, other, b) = self.portion("second", &splice.second)?;
        for (field, name, portion) in [("first", &splice.first, &a), ("second", &splice.second, &b)] {
            if portion.rod.is_closed() {
                return Err(BuildError::new(
                    field,
                    format!("`{name}` is closed and has no ends"),
                    "cut it first",
                ));
            }
        }
        let name = splice.name.clone().unwrap_or_else(|| splice.first.clone());
        if name != splice.first && name != splice.second {
            self.check_new_name(Kind::Rod, &name).map_err(|e| BuildError { path: "name".into(), ..e })?;
        }
        same_kind(like, other)?;
        check_joint(&a, &b, tolerance, most)?;

        let (before, beyond) = (a.to, b.to);
        let whole = before + beyond;
        let piece = |rod: &str, length: f64, shift: f64| Piece {
            rod: rod.to_owned(),
            length,
            from: 0.0,
            to: length,
            onto: name.clone(),
            onto_length: whole,
            shift,
            roll: 0.0,
        };
        let pieces = vec![piece(&splice.first, before, 0.0), piece(&splice.second, beyond, before)];
        let mut relocation = Remap { pieces };

        let mut stretches = relocation.stretches(&splice.first, &like.stretches, &name);
        let base = base_of(other, like, before, whole)?;
        stretches.extend(base);
        stretches.extend(
            relocation
                .stretches(&splice.second, &other.stretches, &name)
                .into_iter()
                .map(|s| filled(s, other)),
        );
        let natural = joined_natural(like, other);
        let description = RodDescription { stretches, natural, ..like.clone() };
        // The roll continues from the end of the first rod.
        let (rod, roll) = match (a.strand(), b.strand()) {
            (Some(first), Some(second)) => {
                let roll = first.roll(first.count - 1, 1.0) - second.roll(0, 0.0);
                (joined(first, Strand { roll, ..second }).build(name, description), roll)
            }
            _ => {
                let Joined { description, initial, rolls } =
                    join(&[a, b], description, most).map_err(|e| e.within("second"))?;
                (Ok(NewRod { name, description, initial }), rolls[1])
            }
        };
        relocation.pieces[1].roll = roll;
        let mut parts = [rod.map_err(|e| e.within("second"))?];
        keep_momentum(momentum(a.rod, a.v) + momentum(b.rod, b.v), &mut parts);
        let [rod] = parts;
        let mut rod = Some(Successor::Rod(Box::new(rod)));
        let successors = (0..self.structure.objects.len())
            .filter(|k| *k != second_index)
            .filter_map(|k| if k == first_index { rod.take() } else { Some(Successor::Kept(k)) })
            .collect();
        Ok((self.relocated(successors, &relocation)?, relocation))
    }
}

/// Checks that properties of a whole rod are the same in both.
fn same_kind(a: &RodDescription, b: &RodDescription) -> Result<(), BuildError> {
    let differs = [
        ("model", a.model != b.model),
        ("inextensible", a.inextensible != b.inextensible),
        ("damping", a.damping != b.damping),
        ("stretch_measure", a.stretch_measure != b.stretch_measure),
    ];
    match differs.into_iter().find(|(_, differs)| *differs) {
        Some((field, _)) => Err(BuildError::new(
            "second",
            format!("its `{field}` is not that of the first rod"),
            "join rods of the same kind, or use a `fusion`",
        )),
        None => Ok(()),
    }
}

/// Checks that the ends meet with nearly the same direction.
fn check_joint(a: &Portion<'_>, b: &Portion<'_>, tolerance: f64, most: f64) -> Result<(), BuildError> {
    let ray = |of: &Portion<'_>, s: f64| {
        let place = of.rod.place(s);
        (place.position(of.q), place.derivative(of.q).normalize())
    };
    let ((end, t_end), (start, t_start)) = (ray(a, a.to), ray(b, 0.0));
    let distance = end.distance(start);
    if distance > tolerance {
        return Err(BuildError::new(
            "tolerance",
            format!("the ends are {distance:.3e} m apart"),
            format!(
                "bring the end of the first and the start of the second within {tolerance} m, or allow more"
            ),
        )
        .of_state());
    }
    let kink = libm::atan2(t_end.cross(t_start).length(), t_end.dot(t_start));
    if kink > most {
        return Err(BuildError::new(
            "angle",
            format!("the rods meet at an angle of {:.1}°", kink.to_degrees()),
            format!("turn them within {:.1}° of each other, or allow more", most.to_degrees()),
        )
        .of_state());
    }
    Ok(())
}

/// The segments of the joined rod: those of both if they are equally long and their rest curves continue each
/// other.
fn joined<'a>(a: Strand<'a>, b: Strand<'a>) -> RodTransfer<'a> {
    let (width_a, width_b) = (a.to / a.rod.last_parameter(), b.to / b.rod.last_parameter());
    let segments = a.count + b.count;
    let transfer = RodTransfer { strands: vec![a, b], pace: Pace::Knots(1), segments };
    if (width_a - width_b).abs() <= SAME_WIDTH * width_a && transfer.rest_is_kept() {
        return transfer;
    }
    let fine = ((a.to + b.to) / width_a.min(width_b) * (1.0 - ROUNDING)).ceil() as usize;
    RodTransfer { pace: Pace::Arc, segments: fine.min(MOST_SEGMENTS * segments), ..transfer }
}

/// The properties of the second rod, if they differ from those of the first, as a stretch of the joined one.
fn base_of(
    other: &RodDescription,
    like: &RodDescription,
    from: f64,
    to: f64,
) -> Result<Option<Stretch>, BuildError> {
    let natural = if same_natural(other, like) { None } else { constant_natural(other) };
    if other.properties()? == like.properties()? && natural.is_none() {
        return Ok(None);
    }
    let empty = Stretch {
        from: At::Length(from),
        to: At::Length(to),
        radius: None,
        section: None,
        young: None,
        shear: None,
        density: None,
        stiffness: None,
        mass_per_length: None,
        natural,
    };
    Ok(Some(filled(empty, other)))
}

/// A stretch with all properties that it takes from its rod made explicit.
fn filled(stretch: Stretch, of: &RodDescription) -> Stretch {
    let Ok(properties) = of.stretch_properties(&stretch) else { return stretch };
    let own_section =
        stretch.section.clone().or_else(|| stretch.radius.is_none().then(|| of.section.clone()).flatten());
    let own_radius =
        stretch.radius.or(if own_section.is_some() { None } else { of.radius.or(Some(properties.radius)) });
    Stretch {
        radius: own_radius,
        section: own_section,
        young: None,
        shear: None,
        density: None,
        stiffness: Some(crate::describe::material::Stiffness {
            stretch: Some(properties.stretch),
            bend: properties.bend_1,
            bend_2: Some(properties.bend_2),
            twist: properties.twist,
        }),
        mass_per_length: Some(properties.mass),
        ..stretch
    }
}

/// Natural curvature that is constant along its rod.
fn constant_natural(of: &RodDescription) -> Option<NaturalCurvature> {
    match &of.natural {
        Natural::Straight => Some(NaturalCurvature::default()),
        Natural::Curved(natural) => Some(*natural),
        Natural::AsShaped | Natural::Sampled(_) => None,
    }
}

fn same_natural(a: &RodDescription, b: &RodDescription) -> bool {
    constant_natural(a).is_some() && constant_natural(a) == constant_natural(b)
}

/// The first rod's natural shape where both are constant, otherwise samples of both.
fn joined_natural(a: &RodDescription, b: &RodDescription) -> Natural {
    if constant_natural(a).is_some() && constant_natural(b).is_some() {
        a.natural.clone()
    } else {
        Natural::AsShaped
    }
}
