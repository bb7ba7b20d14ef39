//! Contact: many blocks with friction, whose compliance W is sparse by components.
//!
//! A block is one contact, `δ = W f + b`. A component is a factored object, such as a rod or a body: only
//! blocks that meet in one component move each other. [`Blocks`] stores W in sub-blocks of 3×3.
//!
//! [`Blocks::solve`] ends when the natural residual w |f − P(f − (δ + μ|δ_T| n)/w)| of every block is below a
//! tolerance in metres. In this order, it tries
//!
//! - sweeps of block Gauss–Seidel (`sweep.rs`). They visit blocks by falling force of the last solve: along a
//!   rope round a drum, from taut to slack;
//! - the semismooth Newton method on the active blocks (`newton.rs`), with a dense factorisation, or with one
//!   of the coupled components (`roots.rs`); of many solutions it finds the most even one (`share.rs`);
//! - Anderson acceleration of the sweeps (`anderson.rs`), and Newton again from the best forces.
//!
//! It returns the forces with the least residual, and that residual. W may have any rank. If forces are not
//! unique, displacements still are, and the forces that contacts share most evenly are found.

mod anderson;
mod blocks;
mod newton;
mod roots;
mod share;
mod sweep;

pub use blocks::Blocks;

use anderson::Anderson;
use glam::DVec3;
use micado_linalg::Arithmetic;
use newton::Newton;

/// Sweeps before Newton.
const SWEEPS: usize = 10;
/// Attempts of Newton: number of accelerated sweeps before each, most iterations, and least initial ε. The
/// last attempt begins with small steps.
const ATTEMPTS: [(usize, usize, f64); 3] = [(0, 8, 0.0), (30, 20, 0.0), (100, 40, 1e-2)];

/// Limits of a solve.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest natural residual of a block, m: 1e-3 of a radius for display, 1e-5 for measurements.
    pub tolerance: f64,
    /// Contacts share forces if their gaps agree within this length, m, which exceeds the tolerance.
    pub sharing: f64,
    /// Arithmetic of factorisations.
    pub arithmetic: Arithmetic,
}

/// Result of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Sweeps made, those that are accelerated included.
    pub sweeps: usize,
    /// Factorisations of parts of W: iterations of Newton.
    pub factors: usize,
    /// Sweeps whose acceleration had less residual than the sweep itself.
    pub accelerated: usize,
    /// Largest natural residual of a block, m.
    pub residual: f64,
}

/// Forces, the displacements that they cause, and their largest natural residual.
#[derive(Clone, Debug, Default)]
struct Candidate {
    forces: Vec<DVec3>,
    delta: Vec<DVec3>,
    residual: f64,
}

impl Candidate {
    fn copy_from(&mut self, other: &Self) {
        self.forces.clone_from(&other.forces);
        self.delta.clone_from(&other.delta);
        self.residual = other.residual;
    }
}

/// Memory of the solve, which is reused.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Number of blocks for which there is memory.
    room: usize,
    /// Blocks in the order of visits.
    order: Vec<usize>,
    present: Candidate,
    /// The candidate with the least residual so far.
    best: Candidate,
    /// The best candidate before forces were shared.
    before: Candidate,
    newton: Newton,
    anderson: Anderson,
}

impl Scratch {
    /// Makes room for problems of this many blocks, for all methods.
    pub fn make_room(&mut self, blocks: usize) {
        if blocks > self.room {
            *self = Self::with_room(blocks.next_power_of_two());
        }
    }

    /// Reserves memory for problems of this many blocks.
    pub fn with_room(blocks: usize) -> Self {
        let candidate = || Candidate {
            forces: Vec::with_capacity(blocks),
            delta: Vec::with_capacity(blocks),
            residual: 0.0,
        };
        Self {
            room: blocks,
            order: Vec::with_capacity(blocks),
            present: candidate(),
            best: candidate(),
            before: candidate(),
            newton: Newton::with_room(blocks),
            anderson: Anderson::with_room(blocks),
        }
    }
}

impl Blocks {
    /// Finds forces that obey the laws, starting from the forces that the blocks were added with, and stores
    /// them.
    pub fn solve(&mut self, how: Limits, scratch: &mut Scratch) -> Outcome {
        scratch.make_room(self.len());
        self.assemble();
        self.sort_visits(&mut scratch.order);
        scratch.present.forces.clone_from(&self.forces);
        self.project(&mut scratch.present.forces);
        self.evaluate(&scratch.order, &mut scratch.present);
        scratch.best.copy_from(&scratch.present);
        let mut outcome = Outcome::default();
        self.search(how, scratch, &mut outcome);
        if outcome.sweeps > 0 {
            // Without the rounding that sweeps add to displacements.
            self.evaluate(&scratch.order, &mut scratch.best);
        }
        self.forces.clone_from(&scratch.best.forces);
        Outcome { residual: scratch.best.residual, ..outcome }
    }

    /// Tries one method after the other until the best candidate is good enough.
    fn search(&self, how: Limits, scratch: &mut Scratch, outcome: &mut Outcome) {
        if scratch.best.residual <= how.tolerance {
            // The forces of the last solve.
            return;
        }
        self.find_roots(newton::MOST_BLOCKS, &mut scratch.newton.roots);
        let is_redundant = self.is_redundant(&scratch.newton.roots);
        // Sweeps would change forces that are not unique.
        let is_warm = scratch.best.forces.iter().any(|f| *f != DVec3::ZERO);
        if is_redundant && is_warm && self.share_forces(how, scratch, outcome) {
            return;
        }
        scratch.present.copy_from(&scratch.best);
        for _ in 0..SWEEPS {
            self.sweep(&scratch.order, &mut scratch.present);
            outcome.sweeps += 1;
            scratch.keep_best();
            if scratch.best.residual <= how.tolerance {
                break;
            }
        }
        if is_redundant && self.share_forces(how, scratch, outcome) {
            return;
        }
        if scratch.best.residual > how.tolerance {
            self.search_longer(how, scratch, outcome);
        }
    }

    /// Newton and accelerated sweeps in turn, until the best candidate is good enough.
    fn search_longer(&self, how: Limits, scratch: &mut Scratch, outcome: &mut Outcome) {
        let mut made = 0;
        for (after, iterations, least_first) in ATTEMPTS {
            scratch.anderson.begin();
            scratch.present.copy_from(&scratch.best);
            while made < after && scratch.best.residual > how.tolerance {
                self.accelerate(scratch, outcome);
                scratch.keep_best();
                made += 1;
            }
            if scratch.best.residual <= how.tolerance {
                return;
            }
            self.solve_newton(how, (iterations, least_first, newton::LEAST_SHIFT), scratch, outcome);
        }
    }
}

impl Scratch {
    /// Keeps the present candidate if its residual is the least so far.
    fn keep_best(&mut self) {
        if self.present.residual < self.best.residual || self.best.residual.is_nan() {
            self.best.copy_from(&self.present);
        }
    }
}

#[cfg(test)]
mod tests;
