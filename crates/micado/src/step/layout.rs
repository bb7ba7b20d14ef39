//! Who the scalars of the system belong to.

use super::order::System;
use crate::constraint::ENDS;
use crate::object::Scalar;
use crate::world::Structure;

/// What a scalar of the system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// An unknown of the object of this index.
    Object(usize),
    /// An unknown that the constraint of this index owns: where it slides.
    Own(usize),
    /// A row of the constraint of this index.
    Row(usize),
    /// A row that holds the length of an edge of the object of this index.
    Length(usize),
}

impl System {
    /// The owner of every scalar of the matrix in natural order, four per node; none where a node has fewer
    /// than four, or where the structure is not the one whose system this is
    /// ([`Workspace::system_of`](super::Workspace::system_of)).
    pub fn owners(&self, structure: &Structure) -> Vec<Option<Owner>> {
        let mut owners = vec![None; 4 * self.matrix.nodes()];
        for (k, object) in structure.objects.iter().enumerate() {
            let own = owners.get_mut(object.unknowns()).unwrap_or_default();
            for (node, scalars) in own.chunks_exact_mut(4).zip(object.scalars()) {
                for (owner, scalar) in node.iter_mut().zip(scalars) {
                    *owner = (scalar != Scalar::Unused).then_some(Owner::Object(k));
                }
            }
        }
        for (k, seat) in self.seats.iter().enumerate() {
            for scalar in
                (0..ENDS).filter_map(|e| seat.own_scalar(e)).filter(|&scalar| scalar < self.scalars())
            {
                owners[scalar] = Some(Owner::Own(k));
            }
            let first = seat.first_row;
            owners[first..first + seat.rows].fill(Some(Owner::Row(k)));
        }
        for lengths in &self.lengths {
            owners[lengths.rows()].fill(Some(Owner::Length(lengths.object)));
        }
        owners
    }
}
