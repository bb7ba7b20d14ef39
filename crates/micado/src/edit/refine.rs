//! Refine and coarsen: a spline rod gets knots where it needs them, and loses those that it doesn't, with its
//! state kept.
//!
//! Everything that is attached stays at its rest arc length, with its multipliers and frames. What a knot
//! changes, and what it doesn't, is said in `rod/spline/remesh.rs`.

use crate::describe::anchor::At;
use crate::edit::cut::{FEWEST, keep_momentum, momentum};
use crate::edit::remap::{NewRod, Successor};
use crate::error::{BuildError, check};
use crate::object::Object;
use crate::object::rod::RodDescription;
use crate::object::rod::spline::{Leeway, Lengths, Remesh, SplineRod};
use crate::scene::{Coarsen, Refine};
use crate::world::World;
use crate::world::remap::{Piece, Remap};

/// Who divides a rod.
pub(crate) enum Division {
    /// An edit: no force changes by it.
    ByHand,
    /// The rod, which looks after its resolution and is described like this from now on: nothing that came of
    /// coarser segments stays.
    ByItself(Box<RodDescription>),
}

impl World {
    /// The world with a rod refined, and where its places are.
    pub(crate) fn refine(&self, refine: &Refine) -> Result<(World, Remap), BuildError> {
        let places = self.knot_places(&refine.rod, &refine.at)?;
        self.remeshed(&refine.rod, &Division::ByHand, |mesh, rod| {
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

    /// The world with a rod coarsened, and where its places are.
    pub(crate) fn coarsen(&self, coarsen: &Coarsen) -> Result<(World, Remap), BuildError> {
        let tolerance = check::not_negative("tolerance", coarsen.tolerance)?;
        let leeway = Leeway {
            across: tolerance,
            along: tolerance,
            roll: check::not_negative("angle", coarsen.angle)?,
        };
        let places = self.knot_places(&coarsen.rod, &coarsen.at)?;
        self.remeshed(&coarsen.rod, &Division::ByHand, |mesh, rod| {
            let before = mesh.knots().at().to_vec();
            for (k, &s) in places.iter().enumerate() {
                let (e, f) = rod.locate(s);
                let u = rod.parameter(e, f);
                let nearest = before[1..before.len() - 1].iter().min_by(|a, b| (*a - u).abs().total_cmp(&(*b - u).abs()));
                let refuse = |problem, remedy| {
                    Err(BuildError::new(format!("at[{k}]"), problem, remedy).of_state())
                };
                let Some(knot) = nearest.and_then(|nearest| mesh.knots().at().iter().position(|at| at == nearest)) else {
                    return refuse(format!("the knot nearest to {} is taken out already", coarsen.at[k]), "name every knot once");
                };
                if mesh.knots().segments() <= FEWEST || !mesh.take_out(knot, leeway) {
                    let problem = format!("the knot nearest to {} can't be taken out", coarsen.at[k]);
                    return refuse(problem, "choose one that was put in, where the rod is nearly a cubic, or allow a larger tolerance");
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

    /// The world with a rod divided anew, and where its places are: at the same rest arc length.
    pub(crate) fn remeshed(
        &self,
        name: &str,
        division: &Division,
        divide: impl FnOnce(&mut Remesh<'_>, &SplineRod) -> Result<(), BuildError>,
    ) -> Result<(World, Remap), BuildError> {
        let (index, description, strand) = self.strand("rod", name)?;
        if strand.rod.is_closed() {
            return Err(BuildError::new(
                "rod",
                format!("`{name}` is a ring, whose segments are even"),
                "name an open rod",
            ));
        }
        let mut mesh = Remesh::new(strand);
        divide(&mut mesh, strand.rod)?;
        let (description, laid) = match division {
            Division::ByHand => mesh.build(description, Lengths::AsSeen)?,
            Division::ByItself(words) => mesh.build(words, Lengths::AtRest)?,
        };
        let (length, onto_length) = (strand.rod.length(), laid.rod.length());
        let mut rods = [NewRod { name: name.to_owned(), description, laid }];
        keep_momentum(momentum(strand.rod, strand.v), &mut rods);
        let whole = Piece {
            rod: name.to_owned(),
            length,
            from: 0.0,
            to: length,
            onto: name.to_owned(),
            onto_length,
            shift: 0.0,
            roll: 0.0,
        };
        let relocation = Remap { pieces: vec![whole] };
        let mut rod = rods.into_iter().map(|rod| Successor::Rod(Box::new(rod)));
        let successors = (0..self.structure.objects.len())
            .filter_map(|k| if k == index { rod.next() } else { Some(Successor::Kept(k)) })
            .collect();
        Ok((self.relocated(successors, &relocation)?, relocation))
    }
}
