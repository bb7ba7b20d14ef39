//! Cut: one rod becomes two, in one edit, with the state kept.
//!
//! A cut of a spline at a knot leaves two splines of the same kind, and only the transmission of forces ends.
//! Elsewhere each part is fitted with segments of about the same length, with an error in position of O(l⁴).
//! Stretch inside the segments beside the cut then counts in full, as in all end segments. For the other
//! models see `object/rod/portion.rs`. Total mass and momentum are kept to rounding.

use crate::edit::remap::{NewRod, Successor};
use crate::error::BuildError;
use crate::object::rod::portion::{Portion, join};
use crate::object::rod::spline::{Pace, RodTransfer, SplineRod, Strand};
use crate::object::rod::{Line, Refinement, Resolution, Rod, RodDescription, RodModel, Shape, Spline};
use crate::object::{ObjectDescription, ObjectKind};
use crate::scene::{Cut, Kind};
use crate::world::World;
use crate::world::remap::{Piece, Remap};
use glam::DVec3;

/// Distance from a knot, as a share of a segment, below which a cut is at the knot.
const AT_KNOT: f64 = 1e-9;
/// Least length of a part, in old segments: shorter ones would be far stiffer than the rod.
const SHORTEST: f64 = 0.5;
/// Least number of segments of an open rod.
pub(crate) const FEWEST: usize = 2;

impl World {
    /// The world with a rod cut, and the map of its pieces.
    pub(crate) fn cut(&self, cut: &Cut) -> Result<(World, Remap), BuildError> {
        let (index, description, whole) = self.portion("rod", &cut.rod)?;
        let (rod, length) = (whole.rod, whole.to);
        let place = Place::find(rod, rod.arc_length(cut.at)?);
        let s = place.s;
        let first = cut.first.clone().unwrap_or_else(|| cut.rod.clone());
        let name_is_free = |field: &str, name: &String| {
            if *name == cut.rod {
                Ok(())
            } else {
                self.check_new_name(Kind::Rod, name).map_err(|e| BuildError { path: field.into(), ..e })
            }
        };
        name_is_free("first", &first)?;
        let piece = |from: f64, to: f64, onto: &str, onto_length: f64, shift: f64, roll: f64| Piece {
            rod: cut.rod.clone(),
            length,
            from,
            to,
            onto: onto.to_owned(),
            onto_length,
            shift,
            roll,
        };
        let (portions, relocation) = if rod.is_closed() {
            if let Some(second) = &cut.second {
                return Err(BuildError::new(
                    "second",
                    format!("a closed rod has no second part to be called `{second}`"),
                    "leave it out",
                ));
            }
            // Beyond the seam the roll continues with the twist of the seam.
            let pieces = vec![
                piece(s, length, &first, length, -s, 0.0),
                piece(0.0, s, &first, length, length - s, rod.seam_twist()),
            ];
            (vec![(first, Portion { from: s, to: s + length, ..whole })], Remap { pieces })
        } else {
            let least = SHORTEST * length / rod.segments() as f64;
            if s.min(length - s) < least * (1.0 - AT_KNOT) {
                return Err(BuildError::new(
                    "at",
                    format!("{} is too close to an end of the rod", cut.at),
                    format!("cut between {least} m and {} m, or give the rod more segments", length - least),
                ));
            }
            let Some(second) = cut.second.clone() else {
                return Err(BuildError::new(
                    "second",
                    "the part beyond the cut has no name",
                    "give `second`",
                ));
            };
            name_is_free("second", &second)?;
            if first == second {
                return Err(BuildError::new(
                    "second",
                    format!("both parts are called `{second}`"),
                    "give each a name of its own",
                ));
            }
            let pieces =
                vec![piece(0.0, s, &first, s, 0.0, 0.0), piece(s, length, &second, length - s, -s, 0.0)];
            let portions = vec![(first, Portion { to: s, ..whole }), (second, Portion { from: s, ..whole })];
            (portions, Remap { pieces })
        };
        let mut parts = Vec::with_capacity(2);
        for (name, portion) in portions {
            let stretches = relocation.stretches(&cut.rod, &description.stretches, &name);
            let like = RodDescription { stretches, ..description.clone() };
            parts.push(
                match whole.strand() {
                    Some(strand) => place.transfer(&portion, strand).build(name, like),
                    None => join(&[portion], like, 0.0).map(|joined| NewRod {
                        name,
                        description: joined.description,
                        initial: joined.initial,
                    }),
                }
                .map_err(|e| e.within("at"))?,
            );
        }
        keep_momentum(momentum(rod, whole.v), &mut parts);
        let mut successors: Vec<Successor> = Vec::with_capacity(self.structure.objects.len() + 1);
        let mut parts = parts.into_iter().map(|rod| Successor::Rod(Box::new(rod)));
        for k in 0..self.structure.objects.len() {
            successors.extend(if k == index { parts.next() } else { Some(Successor::Kept(k)) });
        }
        successors.extend(parts);
        Ok((self.relocated(successors, &relocation)?, relocation))
    }

    /// The named rod as one portion; an error if its segments can't change.
    pub(crate) fn portion(
        &self,
        field: &str,
        name: &str,
    ) -> Result<(usize, &RodDescription, Portion<'_>), BuildError> {
        let found = self.object(field, name)?;
        let all = self.structure.objects.iter().enumerate();
        let mut rods = all.filter_map(|(k, object)| match (&object.kind, &object.description) {
            (ObjectKind::Rod(rod), ObjectDescription::Rod(description)) if object.name == name => {
                Some((k, object, rod, description))
            }
            _ => None,
        });
        let Some((index, object, rod, description)) = rods.next() else {
            return Err(BuildError::new(field, format!("`{name}` is a {}", found.word()), "name a rod"));
        };
        if let Some((what, remedy)) = rod.spline().and_then(SplineRod::comparison_only) {
            let problem = format!("`{name}` {what}, which is for comparison only");
            return Err(BuildError::new(field, problem, remedy));
        }
        if let Some(winch) = self.structure.winches.iter().find(|winch| winch.object == index) {
            let problem = format!("`{name}` is on the winch `{}`", winch.name);
            return Err(BuildError::new(field, problem, format!("remove-winch `{}` first", winch.name)));
        }
        let portion = Portion {
            rod,
            q: &self.state.q[object.unknowns()],
            v: &self.state.v[object.unknowns()],
            frames: &self.state.frames[object.frames.clone()],
            from: 0.0,
            to: rod.length(),
        };
        Ok((index, description, portion))
    }
}

/// Place of a cut.
#[derive(Clone, Copy)]
struct Place {
    /// Rest arc length, m; that of a knot if the place is at one.
    s: f64,
    /// The segment with the place, or the one that begins there.
    split: usize,
    /// Whether it is at a knot.
    at_knot: bool,
}

impl Place {
    fn find(rod: &Rod, s: f64) -> Self {
        let (e, f) = rod.locate(s);
        match rod.spline() {
            Some(spline) if f < AT_KNOT => Self { s: spline.arc[e], split: e, at_knot: true },
            Some(spline) if f > 1.0 - AT_KNOT => Self { s: spline.arc[e + 1], split: e + 1, at_knot: true },
            _ => Self { s, split: e, at_knot: false },
        }
    }

    /// The new spline along a portion that begins or ends at the place.
    fn transfer<'a>(self, portion: &Portion<'_>, whole: Strand<'a>) -> RodTransfer<'a> {
        let Self { s, split, at_knot } = self;
        let (length, segments) = (whole.to, whole.count);
        let before = Strand { to: s, count: split, ..whole };
        let beyond = Strand { from: s, first: split, count: segments - split, ..whole };
        if whole.rod.is_closed() {
            let wrapped = Strand { roll: whole.rod.seam_twist, ..before };
            let strands = [beyond, wrapped]
                .into_iter()
                .filter(|strand| strand.to - strand.from > AT_KNOT * length)
                .collect();
            return RodTransfer { strands, pace: if at_knot { Pace::Knots(1) } else { Pace::Arc }, segments };
        }
        let strand = if portion.from > 0.0 { beyond } else { before };
        RodTransfer::of(strand, at_knot, length / segments as f64)
    }
}

impl<'a> Portion<'a> {
    /// The whole rod as a strand, if it is a spline.
    pub(crate) fn strand(&self) -> Option<Strand<'a>> {
        let Self { q, v, frames, .. } = *self;
        let rod = self.rod.spline()?;
        let count = rod.segments();
        Some(Strand { rod, q, v, frames, from: 0.0, to: rod.length(), first: 0, count, roll: 0.0 })
    }
}

/// Unknowns of the positions of a rod: every other node of a beam is a direction.
fn positions(rod: &Rod, nodes: usize) -> impl Iterator<Item = usize> + use<> {
    (0..nodes).step_by(if rod.model() == RodModel::Beam { 2 } else { 1 }).map(|node| 4 * node)
}

/// ∫ μ v ds of a rod, kg·m/s; `v` is its own slice.
pub(crate) fn momentum(rod: &Rod, v: &[f64]) -> DVec3 {
    let mut p = vec![0.0; v.len()];
    rod.add_mass_times(v, &mut p);
    positions(rod, rod.nodes()).map(|at| DVec3::from_slice(&p[at..])).sum()
}

/// Adds to all parts the velocity that restores their total momentum: the error of a fit is O(l⁴).
pub(crate) fn keep_momentum(wanted: DVec3, parts: &mut [NewRod]) {
    let (mut mass, mut present) = (0.0, DVec3::ZERO);
    for NewRod { initial, .. } in parts.iter() {
        mass += initial.rod.total_mass();
        present += momentum(&initial.rod, &initial.v);
    }
    let missing = ((wanted - present) / mass).to_array();
    for NewRod { initial, .. } in parts {
        for at in positions(&initial.rod, initial.rod.nodes()) {
            (0..3).for_each(|a| initial.v[at + a] += missing[a]);
        }
    }
}

impl<'a> RodTransfer<'a> {
    /// A rod along one strand: with its old segments if its ends are old knots, otherwise with the number
    /// whose length is nearest to `width`, m.
    fn of(strand: Strand<'a>, at_knots: bool, width: f64) -> Self {
        let old = strand.count;
        let (pace, segments) = if at_knots && old > 0 {
            let per_old = FEWEST.div_ceil(old);
            (Pace::Knots(per_old), per_old * old)
        } else {
            (Pace::Arc, (((strand.to - strand.from) / width).round() as usize).max(FEWEST))
        };
        Self { strands: vec![strand], pace, segments }
    }

    /// Builds the rod with the properties of a description along the strands, and its state. Its rest curve
    /// is that of the strands, or a line of their length if the segments are new.
    pub(crate) fn build(&self, name: String, like: RodDescription) -> Result<NewRod, BuildError> {
        let shape = match &self.pace {
            Pace::Knots(_) => Shape::Spline(Spline {
                control: self.rest_control(),
                widths: self.widths(),
                stretch_metric: self.stretch_metric(),
            }),
            Pace::Arc | Pace::Along(_) => Shape::Line(Line { from: [0.0; 3], to: [self.length(), 0.0, 0.0] }),
        };
        let natural = self.natural_like(&like.natural);
        // A rod made of pieces starts with its present control points; one segment is too few for adaptation.
        let (resolution, refinement) = match like.resolution {
            Resolution::Auto if self.segments > 1 => {
                (Resolution::Auto, Refinement { least: None, most: None, ..like.refinement })
            }
            Resolution::Auto | Resolution::Given => (Resolution::Given, Refinement::default()),
        };
        let segments = Some(self.segments);
        let description =
            RodDescription { shape, natural, segments, refinement, resolution, ..like.without_start() };
        let mut initial = SplineRod::build(&description)?;
        self.set_state(&mut initial);
        if !initial.q.iter().chain(&initial.v).chain(&initial.frames).all(|x| x.is_finite()) {
            let problem = "the rod would turn back on itself and have no tangent there";
            return Err(BuildError::new("", problem, "bring the ends together first").of_state());
        }
        Ok(NewRod { name, description, initial: initial.map(Rod::from) })
    }
}
