//! Refine and coarsen: inserts knots into a spline rod and removes them, and keeps the state.
//!
//! All attached items keep their rest arc length, multipliers and frames. For the effect of a knot see
//! `rod/spline/remesh.rs`.

use crate::describe::anchor::At;
use crate::edit::cut::{FEWEST, keep_momentum, momentum};
use crate::edit::remap::{NewRod, Successor};
use crate::error::{BuildError, check};
use crate::object::Object;
use crate::object::rod::spline::{Leeway, Lengths, Remesh, SplineRod};
use crate::object::rod::{Rod, RodDescription};
use crate::scene::{Coarsen, Refine};
use crate::world::World;
use crate::world::remap::{Piece, Remap};

/// Origin of a change of segments.
pub(crate) enum Division {
    /// An edit: forces don't change.
    Edit,
    /// Adaptive resolution; the rod has this description from now on, and no artefacts of coarser segments
    /// remain.
    Adaptive(Box<RodDescription>),
}

impl World {
    /// The world with a rod refined, and the map of its places.
    pub(crate) fn refine(&self, refine: &Refine) -> Result<(World, Remap), BuildError> {
        let places = self.knot_places(&refine.rod, &refine.at)?;
        self.remeshed(&refine.rod, &Division::Edit, |mesh, rod| {
            for (k, &s) in places.iter().enumerate() {
                let (e, f) = rod.locate(s);
                if !mesh.put_in(rod.parameter(e, f)) {
                    let problem = format!(
                        "{} is at a knot, or so near to one that segments would be very different",
                        refine.at[k]
                    );
                    let error = BuildError::new(format!("at[{k}]"), problem, "give places between knots");
                    return Err(error.of_state());
                }
            }
            Ok(())
        })
    }

    /// The world with a rod coarsened, and the map of its places.
    pub(crate) fn coarsen(&self, coarsen: &Coarsen) -> Result<(World, Remap), BuildError> {
        let tolerance = check::not_negative("tolerance", coarsen.tolerance)?;
        let leeway = Leeway {
            across: tolerance,
            along: tolerance,
            roll: check::not_negative("angle", coarsen.angle)?,
        };
        let places = self.knot_places(&coarsen.rod, &coarsen.at)?;
        self.remeshed(&coarsen.rod, &Division::Edit, |mesh, rod| {
            let before = mesh.knots().at().to_vec();
            for (k, &s) in places.iter().enumerate() {
                let (e, f) = rod.locate(s);
                let u = rod.parameter(e, f);
                let inner = before[1..before.len() - 1].iter();
                let nearest = inner.min_by(|a, b| (*a - u).abs().total_cmp(&(*b - u).abs()));
                let refuse =
                    |problem, remedy| Err(BuildError::new(format!("at[{k}]"), problem, remedy).of_state());
                let find = |nearest| mesh.knots().at().iter().position(|at| at == nearest);
                let Some(knot) = nearest.and_then(find) else {
                    let problem = format!("the knot nearest to {} is removed already", coarsen.at[k]);
                    return refuse(problem, "name every knot once");
                };
                if mesh.knots().segments() <= FEWEST || !mesh.take_out(knot, leeway) {
                    let problem = format!("the knot nearest to {} can't be removed", coarsen.at[k]);
                    let remedy = "choose a knot that was inserted, where the rod is nearly a cubic, or \
                                  allow a larger tolerance";
                    return refuse(problem, remedy);
                }
            }
            Ok(())
        })
    }

    /// Number of control points of a rod.
    pub(crate) fn nodes_of(&self, name: &str) -> usize {
        self.object("", name).map_or(0, Object::nodes)
    }

    /// Rest arc lengths of places on a rod.
    fn knot_places(&self, rod: &str, at: &[At]) -> Result<Vec<f64>, BuildError> {
        let object = self.object("rod", rod)?;
        let rod = object
            .rod()
            .ok_or_else(|| BuildError::new("rod", format!("`{rod}` is a {}", object.word()), "name a rod"))?;
        if at.is_empty() {
            return Err(BuildError::new("at", "no places", "give at least one"));
        }
        at.iter()
            .enumerate()
            .map(|(k, &at)| rod.arc_length(at).map_err(|e| BuildError { path: format!("at[{k}]"), ..e }))
            .collect()
    }

    /// The world with a rod remeshed, and the map of its places, which keep their rest arc lengths.
    pub(crate) fn remeshed(
        &self,
        name: &str,
        division: &Division,
        divide: impl FnOnce(&mut Remesh<'_>, &SplineRod) -> Result<(), BuildError>,
    ) -> Result<(World, Remap), BuildError> {
        let (index, description, whole) = self.portion("rod", name)?;
        let Some(strand) = whole.strand() else {
            let problem = format!("`{name}` is a rod of another model");
            let remedy = "only spline rods can be refined and coarsened: use model = \"spline\"";
            return Err(BuildError::new("rod", problem, remedy));
        };
        if strand.rod.is_closed() {
            return Err(BuildError::new(
                "rod",
                format!("`{name}` is a ring, whose segments are even"),
                "name an open rod",
            ));
        }
        let mut mesh = Remesh::new(strand);
        divide(&mut mesh, strand.rod)?;
        let (description, initial) = match division {
            Division::Edit => mesh.build(description, Lengths::AsSeen)?,
            Division::Adaptive(words) => mesh.build(words, Lengths::AtRest)?,
        };
        let (length, onto_length) = (strand.rod.length(), initial.rod.length());
        let mut rods = [NewRod { name: name.to_owned(), description, initial: initial.map(Rod::from) }];
        keep_momentum(momentum(whole.rod, whole.v), &mut rods);
        let piece = Piece {
            rod: name.to_owned(),
            length,
            from: 0.0,
            to: length,
            onto: name.to_owned(),
            onto_length,
            shift: 0.0,
            roll: 0.0,
        };
        let relocation = Remap { pieces: vec![piece] };
        let mut rod = rods.into_iter().map(|rod| Successor::Rod(Box::new(rod)));
        let successors = (0..self.structure.objects.len())
            .filter_map(|k| if k == index { rod.next() } else { Some(Successor::Kept(k)) })
            .collect();
        Ok((self.relocated(successors, &relocation)?, relocation))
    }
}
