//! Sweep: visits all blocks once, in the order of their last forces.
//!
//! Displacements δ = W f + b are kept up to date: a visit that changes a force by Δf adds W_ji Δf to those of
//! coupled blocks. Open contacts cost next to nothing, and the residual is known after each sweep.

use super::super::{BlockLaw, Kept, Local, Normal, coulomb};
use super::{Blocks, Candidate};
use glam::DVec3;

impl Blocks {
    /// Orders blocks by falling force of the guess, then by their numbers. All sums follow this order, hence
    /// the result does not depend on the order in which blocks with different forces were added.
    pub(super) fn sort_visits(&self, order: &mut Vec<usize>) {
        order.clear();
        order.extend(0..self.len());
        let size = |i: usize| self.forces[i].length_squared();
        order.sort_unstable_by(|&i, &j| size(j).total_cmp(&size(i)).then(i.cmp(&j)));
    }

    /// Sets the displacements and the residual of the forces of a candidate.
    pub(super) fn evaluate(&self, order: &[usize], candidate: &mut Candidate) {
        let Candidate { forces, delta, .. } = candidate;
        delta.clone_from(&self.start);
        self.add_motion(order, forces, delta);
        candidate.residual = self.residual(candidate);
    }

    /// δ ← δ + W f
    pub(super) fn add_motion(&self, order: &[usize], forces: &[DVec3], delta: &mut [DVec3]) {
        for &i in order.iter().filter(|&&i| forces[i] != DVec3::ZERO) {
            self.push_block(i, forces[i], delta);
        }
    }

    /// Adds the displacements by a force on block i.
    fn push_block(&self, i: usize, force: DVec3, delta: &mut [DVec3]) {
        delta[i] += self.own[i] * force;
        for &(j, w) in self.coupled(i) {
            delta[j] += w * force;
        }
    }

    /// Visits every block once.
    pub(super) fn sweep(&self, order: &[usize], candidate: &mut Candidate) {
        let Candidate { forces, delta, .. } = candidate;
        for &i in order.iter().filter(|&&i| self.largest[i] > 0.0) {
            let found = self.visit(i, forces[i], delta[i]);
            let change = found - forces[i];
            if change != DVec3::ZERO {
                forces[i] = found;
                self.push_block(i, change, delta);
            }
        }
        candidate.residual = self.residual(candidate);
    }

    /// Forces of a block that obey its law while all other forces stay.
    fn visit(&self, i: usize, force: DVec3, delta: DVec3) -> DVec3 {
        let (w, law) = (self.own[i], &self.laws[i]);
        let k = delta - w * force;
        if let BlockLaw::Coulomb { friction: [friction, _] } = *law {
            return coulomb::solve_round(w, k, friction);
        }
        let rows = law.rows();
        let mut entries = [0.0; 9];
        for a in 0..rows {
            (0..rows).for_each(|b| entries[a * rows + b] = w.col(b)[a]);
        }
        let local = Local { w: &entries[..rows * rows], k: &k.to_array()[..rows], normal: Normal::default() };
        let mut found = force.to_array();
        law.solve(&local, &mut found[..rows], &mut [Kept::default(); 3]);
        DVec3::from_array(found)
    }

    /// Largest natural residual of a block, m.
    pub(super) fn residual(&self, candidate: &Candidate) -> f64 {
        let Candidate { forces, delta, .. } = candidate;
        // Keeps NaN.
        (0..self.len())
            .map(|i| self.residual_of(i, forces[i], delta[i]))
            .fold(0.0, |largest, left| if left <= largest { largest } else { left })
    }

    /// Natural residual of a block, m.
    pub(super) fn residual_of(&self, i: usize, force: DVec3, delta: DVec3) -> f64 {
        let (w, law) = (self.largest[i], &self.laws[i]);
        if w <= 0.0 {
            // No force can move such a block.
            return 0.0;
        }
        if let BlockLaw::Coulomb { friction: [friction, _] } = *law {
            return w * coulomb::natural_map(w, force, delta, friction).length();
        }
        let rows = law.rows();
        law.natural_residual(w, &force.to_array()[..rows], &delta.to_array()[..rows], 0.0)
    }

    /// Moves all forces to the nearest allowed ones.
    pub(super) fn project(&self, forces: &mut [DVec3]) {
        for (law, force) in self.laws.iter().zip(forces) {
            let mut moved = force.to_array();
            law.project(&mut moved[..law.rows()], 0.0);
            *force = DVec3::from_array(moved);
        }
    }
}
