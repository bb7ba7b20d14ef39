//! Contacts of neighbouring pearls on one rod.
//!
//! Neighbours touch by a unilateral row `n·(Δx_b − Δx_a) ≥ −gap`, n from the one to the other, gap their
//! distance minus both radii. Shocks with restitution are resolved before the step, see `step/shocks.rs`.

use super::{Contact, ContactKey, ContactRow, ContactSource, Side, Source, Strike, Toucher, View};
use crate::constraint::{Coupling, End, Law, PearlLaw, Site};
use crate::law::BlockLaw;
use crate::object::Wrench;
use crate::world::{State, Structure};

/// Pearls, sorted by rod and place: rod, u, constraint.
#[derive(Clone, Debug, Default)]
pub(super) struct PearlNeighbours(Vec<(usize, f64, usize)>);

impl PearlNeighbours {
    fn list(&mut self, structure: &Structure, state: &State) {
        self.0.clear();
        for (k, (constraint, memory)) in structure.constraints.iter().zip(&state.constraints).enumerate() {
            if let (Law::Pearl(_), End::Sliding { object }) = (&constraint.law, constraint.ends[0]) {
                self.0.push((object, memory.own[0], k));
            }
        }
        self.0.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    }

    /// Neighbours on one rod with their constraints, in the order of the list.
    fn pairs<'a>(
        &'a self,
        structure: &'a Structure,
    ) -> impl Iterator<Item = [(usize, f64, usize, &'a PearlLaw); 2]> {
        self.0.windows(2).filter_map(move |pair| {
            let [(rod, u_a, a), (other, u_b, b)] = [pair[0], pair[1]];
            let (Law::Pearl(first), Law::Pearl(second), true) =
                (&structure.constraints[a].law, &structure.constraints[b].law, rod == other)
            else {
                return None;
            };
            Some([(rod, u_a, a, first), (rod, u_b, b, second)])
        })
    }
}

impl ContactSource for PearlNeighbours {
    fn most_rows(structure: &Structure) -> usize {
        structure.constraints.iter().filter(|constraint| matches!(constraint.law, Law::Pearl(_))).count()
    }

    fn find(&mut self, view: &View<'_>, found: &mut impl FnMut(&Contact<'_>)) {
        self.list(view.structure, view.state);
        for [(_, _, a, first), (_, _, b, second)] in self.pairs(view.structure) {
            let sites = [&view.sites[a][0], &view.sites[b][0]];
            let mut row = touch(sites[0], sites[1], first.radius + second.radius);
            // The contact does not act on the rod of a weakly coupled pearl.
            for (wrench, pearl) in row.wrenches.iter_mut().zip([first, second]) {
                if pearl.coupling == Coupling::Weak && view.condensed {
                    *wrench = Wrench::default();
                }
            }
            let side =
                |k: usize| Side { place: &view.places[k][0], site: &view.sites[k][0], own: Some((k, 0)) };
            found(&Contact {
                key: ContactKey {
                    source: Source::Neighbours,
                    between: [a, b].map(|k| Toucher::Constraint(k as u32)),
                    slot: 0,
                },
                law: BlockLaw::Unilateral,
                sides: [side(a), side(b)],
                rows: &[row],
            });
        }
    }

    fn strikes(&mut self, structure: &Structure, state: &State, found: &mut Vec<Strike>) {
        self.list(structure, state);
        for [(rod, u_a, a, first), (_, u_b, b, second)] in self.pairs(structure) {
            let restitution = first.restitution.min(second.restitution);
            if restitution == 0.0 {
                continue;
            }
            let object = &structure.objects[rod];
            let away = object.place_at(u_b).position(&state.q[object.unknowns()])
                - object.place_at(u_a).position(&state.q[object.unknowns()]);
            found.push(Strike {
                between: [a, b],
                masses: [first.mass, second.mass],
                normal: away.normalize_or_zero(),
                gap: away.length() - first.radius - second.radius,
                restitution,
            });
        }
    }
}

/// The row of a contact of two pearls with this sum of radii.
fn touch(a: &Site, b: &Site, radii: f64) -> ContactRow {
    let away = b.x - a.x;
    let distance = away.length();
    let n = if distance > 1e-12 { away / distance } else { a.t };
    ContactRow {
        wrenches: [Wrench::force(-n), Wrench::force(n)],
        own: [(-n).dot(a.p), n.dot(b.p)],
        gap: distance - radii,
    }
}
