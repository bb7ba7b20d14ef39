//! Anderson acceleration of the sweeps.
//!
//! A sweep maps forces f to G(f). With the last changes of forces ΔG and of F = G(f) − f, the combination
//! that would cancel F if G were linear is
//!
//! ```text
//! f ← P(G − ΔG γ),   γ = argmin |F − ΔF γ|,
//! ```
//!
//! P the projection on the allowed forces. It is taken only if its natural residual is below that of G;
//! otherwise the sweep counts.

use super::{Blocks, Candidate, Outcome, Scratch};
use glam::DVec3;

/// Most changes that are remembered.
const DEPTH: usize = 10;
/// Least part of a change of F, as a share of its size, that remains when the part along others is removed.
/// With less, the change depends on others.
const DEPENDENT: f64 = 1e-10;

/// Memory of the acceleration, which is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Anderson {
    /// Number of sweeps so far.
    made: usize,
    /// Forces before the last sweep, its G, and its F, m.
    before: Vec<DVec3>,
    mapped: Vec<DVec3>,
    defect: Vec<DVec3>,
    /// The last changes of G and F, one vector over all blocks after the other.
    mapped_changes: Vec<DVec3>,
    defect_changes: Vec<DVec3>,
    /// Remainder of F in the combination.
    left: Vec<DVec3>,
    /// Orthonormal basis of the changes of F, and the changes of G that belong to it.
    bases: [Vec<DVec3>; 2],
    trial: Candidate,
}

impl Anderson {
    /// Reserves memory for problems of this many blocks.
    pub(super) fn with_room(blocks: usize) -> Self {
        let [before, mapped, defect, left, forces, delta] = [(); 6].map(|()| Vec::with_capacity(blocks));
        let [mapped_changes, defect_changes, basis, mapped_basis] =
            [(); 4].map(|()| Vec::with_capacity(DEPTH * blocks));
        let trial = Candidate { forces, delta, residual: 0.0 };
        let bases = [basis, mapped_basis];
        Self { made: 0, before, mapped, defect, mapped_changes, defect_changes, left, bases, trial }
    }

    /// Forgets the changes.
    pub(super) fn begin(&mut self) {
        self.made = 0;
        self.mapped_changes.clear();
        self.defect_changes.clear();
    }

    /// Adds a sweep from `before` to `after`; `w` converts forces to displacements.
    fn remember(&mut self, w: &[f64], after: &[DVec3]) {
        let Self { made, before, mapped, defect, mapped_changes, defect_changes, .. } = self;
        let blocks = before.len();
        let defect_of = |i: usize| w[i] * (after[i] - before[i]);
        if *made > 0 {
            let slot = (*made - 1) % DEPTH * blocks;
            if mapped_changes.len() == slot {
                mapped_changes.resize(slot + blocks, DVec3::ZERO);
                defect_changes.resize(slot + blocks, DVec3::ZERO);
            }
            for i in 0..blocks {
                mapped_changes[slot + i] = after[i] - mapped[i];
                defect_changes[slot + i] = defect_of(i) - defect[i];
            }
        }
        *made += 1;
        mapped.clear();
        mapped.extend_from_slice(after);
        defect.clear();
        defect.extend((0..blocks).map(defect_of));
    }

    /// Sets the forces of the trial to G − ΔG γ. The changes of F are made orthonormal, the last one first;
    /// those of G follow, so each coefficient is a product with F.
    fn combine(&mut self, order: &[usize]) {
        let Self { made, mapped, defect, mapped_changes, defect_changes, left, bases, trial, .. } = self;
        let blocks = mapped.len();
        let dot = |a: &[DVec3], b: &[DVec3]| -> f64 { order.iter().map(|&i| a[i].dot(b[i])).sum() };
        trial.forces.clone_from(mapped);
        left.clone_from(defect);
        let changes = *made - 1;
        let kept = changes.min(DEPTH);
        let [basis, mapped_basis] = bases;
        basis.clear();
        mapped_basis.clear();
        for age in 0..kept {
            let slot = (changes - 1 - age) % DEPTH * blocks;
            let known = basis.len();
            basis.extend_from_slice(&defect_changes[slot..slot + blocks]);
            mapped_basis.extend_from_slice(&mapped_changes[slot..slot + blocks]);
            let (others, own) = basis.split_at_mut(known);
            let (mapped_others, mapped_own) = mapped_basis.split_at_mut(known);
            let size = dot(own, own).sqrt();
            // The second pass removes the rounding of the first.
            for _ in 0..2 {
                for (other, mapped_other) in
                    others.chunks_exact(blocks).zip(mapped_others.chunks_exact(blocks))
                {
                    let part = dot(own, other);
                    subtract(part, other, own);
                    subtract(part, mapped_other, mapped_own);
                }
            }
            let length = dot(own, own).sqrt();
            if length.is_nan() || length <= DEPENDENT * size {
                basis.truncate(known);
                mapped_basis.truncate(known);
                continue;
            }
            own.iter_mut().chain(&mut *mapped_own).for_each(|entry| *entry /= length);
            let part = dot(left, own);
            subtract(part, own, left);
            subtract(part, mapped_own, &mut trial.forces);
        }
    }
}

/// a ← a − s b
fn subtract(s: f64, b: &[DVec3], a: &mut [DVec3]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a -= s * *b);
}

impl Blocks {
    /// Makes a sweep from the present candidate, and accelerates it.
    pub(super) fn accelerate(&self, scratch: &mut Scratch, outcome: &mut Outcome) {
        let Scratch { order, present, anderson, .. } = scratch;
        anderson.before.clone_from(&present.forces);
        self.sweep(order, present);
        outcome.sweeps += 1;
        anderson.remember(&self.largest, &present.forces);
        if anderson.made == 1 {
            return;
        }
        anderson.combine(order);
        let trial = &mut anderson.trial;
        self.project(&mut trial.forces);
        self.evaluate(order, trial);
        if trial.residual < present.residual {
            outcome.accelerated += 1;
            present.copy_from(trial);
        }
    }
}
