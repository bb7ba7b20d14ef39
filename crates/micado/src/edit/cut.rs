//! Cut: one rod becomes two, in one edit, with the state kept.
//!
//! At a knot both parts are splines of the same kind and only the transmission of forces ends. Elsewhere each
//! part is fitted with segments of about the same length, with an error in position of O(l⁴). Total mass and
//! momentum are kept to rounding. Stretch inside the segments beside the cut then counts in full, as in all
//! end segments.

use crate::edit::remap::{NewRod, Successor};
use crate::error::BuildError;
use crate::object::rod::spline::{Pace, RodTransfer, SplineRod, Strand};
use crate::object::rod::{Line, Refinement, Resolution, RodDescription, Shape, Spline};
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
        let (index, description, whole) = self.strand("rod", &cut.rod)?;
        let rod = whole.rod;
        let (length, segments) = (rod.length(), rod.segments());
        let s = self.structure.objects[index].rod().map_or(Ok(0.0), |rod| rod.arc_length(cut.at))?;
        let (e, f) = rod.locate(s);
        let knot = if f < AT_KNOT {
            Some(e)
        } else if f > 1.0 - AT_KNOT {
            Some(e + 1)
        } else {
            None
        };
        let (s, split) = knot.map_or((s, e), |knot| (rod.arc[knot], knot));
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
        let before = Strand { to: s, count: split, ..whole };
        let beyond = Strand { from: s, first: split, count: segments - split, ..whole };
        let (transfers, relocation) = if rod.is_closed() {
            if let Some(second) = &cut.second {
                return Err(BuildError::new(
                    "second",
                    format!("a closed rod has no second part to be called `{second}`"),
                    "leave it out",
                ));
            }
            // Beyond the seam the roll continues with the twist of the seam.
            let wrapped = Strand { roll: rod.seam_twist, ..before };
            let strands = [beyond, wrapped]
                .into_iter()
                .filter(|strand| strand.to - strand.from > AT_KNOT * length)
                .collect();
            let pieces = vec![
                piece(s, length, &first, length, -s, 0.0),
                piece(0.0, s, &first, length, length - s, rod.seam_twist),
            ];
            let transfer = RodTransfer {
                strands,
                pace: if knot.is_some() { Pace::Knots(1) } else { Pace::Arc },
                segments,
            };
            (vec![(first, transfer)], Remap { pieces })
        } else {
            let least = SHORTEST * length / segments as f64;
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
            let width = length / segments as f64;
            let transfers = [(first, before), (second, beyond)]
                .map(|(name, strand)| (name, RodTransfer::of(strand, knot.is_some(), width)));
            (transfers.into(), Remap { pieces })
        };
        let mut parts = Vec::with_capacity(2);
        for (name, transfer) in transfers {
            let stretches = relocation.stretches(&cut.rod, &description.stretches, &name);
            parts.push(
                transfer
                    .build(name, RodDescription { stretches, ..description.clone() })
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

    /// A whole rod that can be cut or spliced, by name.
    pub(crate) fn strand(
        &self,
        field: &str,
        name: &str,
    ) -> Result<(usize, &RodDescription, Strand<'_>), BuildError> {
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
        let Some(rod) = rod.spline() else {
            let problem = format!("`{name}` is a rod of another model");
            return Err(BuildError::new(
                field,
                problem,
                "only spline rods can be cut, spliced, refined and coarsened: use model = \"spline\"",
            ));
        };
        if let Some((what, remedy)) = rod.comparison_only() {
            let problem = format!("`{name}` {what}, which is for comparison only");
            return Err(BuildError::new(field, problem, remedy));
        }
        if let Some(winch) = self.structure.winches.iter().find(|winch| winch.object == index) {
            let problem = format!("`{name}` is on the winch `{}`", winch.name);
            return Err(BuildError::new(field, problem, format!("remove-winch `{}` first", winch.name)));
        }
        let strand = Strand {
            rod,
            q: &self.state.q[object.unknowns()],
            v: &self.state.v[object.unknowns()],
            frames: &self.state.frames[object.frames.clone()],
            from: 0.0,
            to: rod.length(),
            first: 0,
            count: rod.segments(),
            roll: 0.0,
        };
        Ok((index, description, strand))
    }
}

/// ∫ μ v ds of a rod, kg·m/s; `v` is its own slice.
pub(crate) fn momentum(rod: &SplineRod, v: &[f64]) -> DVec3 {
    let mut p = vec![0.0; v.len()];
    rod.add_mass_times(v, &mut p);
    p.chunks_exact(4).map(|p| DVec3::new(p[0], p[1], p[2])).sum()
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
        initial.v.chunks_exact_mut(4).for_each(|v| (0..3).for_each(|a| v[a] += missing[a]));
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
        Ok(NewRod { name, description, initial })
    }
}
