//! Owners of the scalars of the system.

use super::order::System;
use crate::constraint::ENDS;
use crate::object::Scalar;
use crate::world::Structure;

/// Owner of a scalar of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// An unknown of the object of this index.
    Object(usize),
    /// An own unknown of the constraint of this index.
    Own(usize),
    /// A row of the constraint of this index.
    Row(usize),
    /// A row for the length of an edge of the object of this index.
    Length(usize),
}

impl System {
    /// Owner of every scalar of the matrix in natural order, four per node. `None` for unused scalars, and
    /// for all if the structure is not that of this system
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
