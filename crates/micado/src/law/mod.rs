//! Laws of non-smooth rows: pure functions on small arrays, and the methods that solve many of them together.
//!
//! A block has one to six rows with displacements δ of the step and forces f that work on them: `δ = W f +
//! b`, where W is the compliance of the factored system in constraint space. A law says which pairs (f, δ)
//! are allowed. A visit of a block solves `δ = w f + k` for its f, where w is its diagonal block of W and k
//! contains b and the forces of all other blocks.
//!
//! To add a law: write its file (solve, project), add one arm to each method below, and add it to the tests.

mod active_set;
pub mod ball;
pub mod bilateral;
pub mod bounded;
pub mod contact;
pub mod coulomb;
mod custom;
mod follow;
mod reduce;
mod share;
pub mod sliding;
mod split;
mod stick_slip;
mod sweep;
pub mod unilateral;

pub use bilateral::BlockRows;
pub use custom::{CustomLaw, SharedLaw};
pub use reduce::Scratch;
pub use sliding::Normal;
pub use sweep::{Outcome, Problem, Sweeps};

use glam::{DMat3, DVec3};

/// Most rows of one block.
pub const MAX_BLOCK: usize = 6;

/// Distance from the cone, as a share of it, below which a contact slides: rounding.
const ON_CONE: f64 = 1e-9;

/// Memory of a law for one row from solve to solve. Initially zero. Friction remembers whether it sticks (0)
/// or the sign of its force while it slides.
pub type Kept = [f64; 3];

/// The local problem of a block: `δ = w f + k`.
#[derive(Clone, Copy, Debug)]
pub struct Local<'a> {
    /// Its diagonal block of W, by rows.
    pub w: &'a [f64],
    /// Its displacements without its own forces, m.
    pub k: &'a [f64],
    /// Normal force of a sliding row; another row exerts it.
    pub normal: Normal,
}

impl Local<'_> {
    /// w and k of at most three rows as a matrix and a vector; unused rows have w = 1 and k = 0.
    fn matrix(&self) -> (DMat3, DVec3) {
        let rows = self.k.len();
        debug_assert!(rows <= 3, "a law of {rows} rows");
        let (mut w, mut k) = (DMat3::IDENTITY, DVec3::ZERO);
        for a in 0..rows {
            k[a] = self.k[a];
            (0..rows).for_each(|b| w.col_mut(b)[a] = self.w[a * rows + b]);
        }
        (w, k)
    }
}

/// Number of rows of a [`BlockLaw::Ball`], whose solution is that of at most three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BallRows {
    /// 1
    One = 1,
    /// 2
    Two,
    /// 3
    Three,
}

/// The law of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockLaw {
    /// δ = 0 of all rows together: a joint or clamp.
    Bilateral {
        /// Number of rows.
        rows: BlockRows,
    },
    /// 0 ≤ f ⊥ δ ≥ 0: unilateral contact.
    Unilateral,
    /// least ≤ f ≤ most; inside δ = 0.
    Bounded {
        /// N
        least: f64,
        /// N
        most: f64,
    },
    /// |f| ≤ μ |n|, where the normal force n depends on f; inside δ = 0, at the bound f opposes δ.
    Sliding {
        /// μ
        friction: f64,
    },
    /// |f| ≤ most of all rows together; inside δ = 0, at the bound δ opposes f.
    Ball {
        /// Number of rows.
        rows: BallRows,
        /// N
        most: f64,
    },
    /// 0 ≤ f_n ⊥ δ_n ≥ 0, |(f₁/μ₁, f₂/μ₂)| ≤ f_n; inside δ_T = 0, on the cone −δ_T is normal to the ellipse:
    /// friction dissipates as much as possible. With μ₁ = μ₂ δ_T opposes f_T. Rows: n, T₁, T₂.
    Coulomb {
        /// μ₁ along T₁ and μ₂ along T₂.
        friction: [f64; 2],
    },
    /// A custom law.
    Custom(SharedLaw),
}

impl BlockLaw {
    /// Number of rows of the block.
    #[inline]
    pub fn rows(&self) -> usize {
        match self {
            Self::Unilateral | Self::Bounded { .. } | Self::Sliding { .. } => 1,
            Self::Ball { rows, .. } => *rows as usize,
            Self::Bilateral { rows } => rows.count(),
            Self::Coulomb { .. } => 3,
            Self::Custom(law) => law.rows(),
        }
    }

    /// Prepares the memory of its rows for a solve; it is that of the end of the last step.
    pub(crate) fn start(&self, kept: &mut [Kept]) {
        if let Self::Custom(law) = self {
            law.start(kept);
        }
    }

    /// Solves a local problem; `f` holds the previous forces. Only custom laws use the memory `kept` of their
    /// rows in a visit.
    pub fn solve(&self, local: &Local<'_>, f: &mut [f64], kept: &mut [Kept]) {
        match *self {
            Self::Bilateral { .. } => bilateral::solve(local.w, local.k, f),
            Self::Unilateral => f[0] = unilateral::solve(local.w[0], local.k[0]),
            Self::Bounded { least, most } => f[0] = bounded::solve(local.w[0], local.k[0], least, most),
            Self::Sliding { friction } => {
                f[0] = sliding::solve(local.w[0], local.k[0], friction, &local.normal);
            }
            Self::Ball { rows, most } => {
                let (w, k) = local.matrix();
                f.copy_from_slice(&ball::solve(w, k, most).to_array()[..rows as usize]);
            }
            Self::Coulomb { friction } => {
                let (w, k) = local.matrix();
                f.copy_from_slice(&coulomb::solve(w, k, friction).to_array());
            }
            Self::Custom(ref law) => law.solve(local, f, kept),
        }
    }

    /// Moves `f` to the nearest allowed forces, given the magnitude of the normal force. The forces of a
    /// custom law are known only in its visits, and stay.
    pub fn project(&self, f: &mut [f64], normal: f64) {
        match *self {
            Self::Unilateral => f[0] = unilateral::project(f[0]),
            Self::Bounded { least, most } => f[0] = bounded::project(f[0], least, most),
            Self::Sliding { friction } => f[0] = sliding::project(f[0], friction * normal),
            Self::Ball { most, .. } => ball::project(f, most),
            Self::Coulomb { friction } => {
                if let Ok(f) = f.try_into() {
                    coulomb::project(f, friction);
                }
            }
            Self::Bilateral { .. } | Self::Custom(_) => {}
        }
    }

    /// Residual of the law, m: w |f − P(f − δ/w)|, P the projection and w the largest diagonal entry. Zero if
    /// and only if the forces obey the law. For Coulomb, μ|δ_T| is added to δ_n (De Saxcé); otherwise a
    /// sliding contact would seem to open.
    pub fn residual(&self, local: &Local<'_>, f: &[f64]) -> f64 {
        let rows = self.rows();
        let w = (0..rows).map(|a| local.w[a * rows + a]).fold(f64::MIN_POSITIVE, f64::max);
        let mut delta = [0.0; MAX_BLOCK];
        for a in 0..rows {
            delta[a] = local.k[a] + (0..rows).map(|b| local.w[a * rows + b] * f[b]).sum::<f64>();
        }
        self.natural_residual(w, f, &delta[..rows], local.normal.at(f[0]))
    }

    /// The residual with these displacements and this magnitude of the normal force.
    fn natural_residual(&self, w: f64, f: &[f64], delta: &[f64], normal: f64) -> f64 {
        let rows = self.rows();
        if let Self::Coulomb { friction } = *self {
            let (friction, scale) = coulomb::rounded(friction);
            let forces = coulomb::scaled(DVec3::from_slice(f), scale);
            return w * coulomb::natural_map(w, forces, scale * DVec3::from_slice(delta), friction).length();
        }
        let mut nearest = [0.0; MAX_BLOCK];
        (0..rows).for_each(|a| nearest[a] = f[a] - delta[a] / w);
        self.project(&mut nearest[..rows], normal);
        (0..rows).for_each(|a| nearest[a] -= f[a]);
        w * ball::norm(&nearest[..rows])
    }

    /// Share of the bound that the forces use; infinite if no force is allowed. 0 where there is no limit, or
    /// where another force sets it.
    pub fn load(&self, f: &[f64]) -> f64 {
        match *self {
            Self::Bounded { least, most } => bounded::load(f[0], least, most),
            Self::Ball { rows, most } => ball::load(&f[..rows as usize], most),
            Self::Bilateral { .. }
            | Self::Unilateral
            | Self::Sliding { .. }
            | Self::Coulomb { .. }
            | Self::Custom(_) => 0.0,
        }
    }

    /// Whether a contact with friction is closed and its force within the cone.
    pub(crate) fn sticks(&self, f: &[f64]) -> bool {
        match *self {
            Self::Coulomb { friction } => {
                let (most, scale) = coulomb::rounded(friction);
                let f = coulomb::scaled(DVec3::from_slice(f), scale);
                ball::norm(&[f.y, f.z]) < (1.0 - ON_CONE) * most * f.x
            }
            _ => false,
        }
    }

    /// Initial guess: the forces `last` of the previous solve. With friction there may be several solutions,
    /// and the start selects the one that continues the motion.
    #[inline]
    pub fn guess(&self, last: &[f64]) -> [f64; MAX_BLOCK] {
        let mut guess = [0.0; MAX_BLOCK];
        guess.iter_mut().zip(last).take(self.rows()).for_each(|(guess, last)| *guess = *last);
        guess
    }

    /// Whether the block must be active: its motion without force violates the law by more than `tolerance`,
    /// m, or its `guess` has a force. `kept` is the memory of its rows.
    #[inline]
    pub fn is_broken(&self, delta: &[f64], guess: &[f64; MAX_BLOCK], kept: &[Kept], tolerance: f64) -> bool {
        match *self {
            Self::Unilateral | Self::Coulomb { .. } => delta[0] < -tolerance || guess[0] > 0.0,
            // A force that can't be zero acts even without a motion: that of a motor.
            Self::Bounded { least, most } => least > 0.0 || most < 0.0 || least < most && delta[0] != 0.0,
            Self::Sliding { .. } => delta[0] != 0.0,
            Self::Ball { most, .. } => most > 0.0 && delta.iter().any(|&delta| delta != 0.0),
            Self::Bilateral { .. } => true,
            Self::Custom(ref law) => law.is_broken(delta, kept) || guess.iter().any(|&guess| guess != 0.0),
        }
    }

    /// Whether its forces have a strength: a limit that does not depend on other forces.
    fn has_strength(&self) -> bool {
        match *self {
            Self::Bounded { least, most } => least.is_finite() || most.is_finite(),
            Self::Ball { .. } => true,
            Self::Bilateral { .. }
            | Self::Unilateral
            | Self::Sliding { .. }
            | Self::Coulomb { .. }
            | Self::Custom(_) => false,
        }
    }

    /// Whether only visits can find its forces: the methods that solve many rows together don't support the
    /// law.
    pub(crate) fn needs_visits(&self) -> bool {
        match *self {
            Self::Bilateral { .. } | Self::Custom(_) => true,
            // An elliptic cone has no components at right angles that hold or are given.
            Self::Coulomb { friction: [first, second] } => first != second,
            _ => false,
        }
    }

    /// Whether row `a` of the block only pushes: δ ≥ 0.
    pub fn is_one_sided(&self, a: usize) -> bool {
        a == 0 && matches!(self, Self::Unilateral | Self::Coulomb { .. })
    }

    /// Whether forces that obey the law exist with any symmetric W, unless rows exclude each other: it has no
    /// friction that depends on other forces.
    pub(crate) fn is_piecewise(&self) -> bool {
        matches!(self, Self::Unilateral | Self::Bounded { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::{BallRows, BlockLaw, BlockRows, Kept, Local, MAX_BLOCK, Normal};
    use glam::DVec3;

    const LAWS: [BlockLaw; 10] = [
        BlockLaw::Bilateral { rows: BlockRows::new(1) },
        BlockLaw::Bilateral { rows: BlockRows::new(3) },
        BlockLaw::Bilateral { rows: BlockRows::new(6) },
        BlockLaw::Unilateral,
        BlockLaw::Bounded { least: -0.7, most: 0.4 },
        BlockLaw::Sliding { friction: 0.3 },
        BlockLaw::Ball { rows: BallRows::Two, most: 0.8 },
        BlockLaw::Ball { rows: BallRows::Three, most: 0.8 },
        BlockLaw::Coulomb { friction: [0.5; 2] },
        BlockLaw::Coulomb { friction: [0.6, 0.2] },
    ];

    /// Uniform numbers in −1…1.
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    /// A positive definite block, by rows.
    fn block(rows: usize, noise: &mut Noise) -> Vec<f64> {
        let root: Vec<f64> = (0..rows * rows).map(|_| noise.next()).collect();
        let product =
            |a: usize, b: usize| (0..rows).map(|c| root[a * rows + c] * root[b * rows + c]).sum::<f64>();
        (0..rows * rows)
            .map(|i| if i / rows == i % rows { 0.1 } else { 0.0 } + product(i / rows, i % rows))
            .collect()
    }

    #[test]
    fn residual_vanishes_at_the_solution_only() {
        let mut noise = Noise(29);
        for law in LAWS {
            let rows = law.rows();
            for _ in 0..500 {
                let w = block(rows, &mut noise);
                let k: Vec<f64> = (0..rows).map(|_| 2.0 * noise.next()).collect();
                let normal =
                    Normal { start: DVec3::new(0.0, 0.0, 1.0 + noise.next()), response: DVec3::ZERO };
                let local = Local { w: &w, k: &k, normal };
                let mut f = vec![0.0; rows];
                law.solve(&local, &mut f, &mut [Kept::default(); MAX_BLOCK]);
                let left = law.residual(&local, &f);
                assert!(left < 1e-9, "{law:?}: {left}");
                let mut other = f.clone();
                other[0] += 0.1;
                assert!(law.residual(&local, &other) > 1e-4, "{law:?}");
            }
        }
    }

    #[test]
    fn forces_fall_as_displacements_grow() {
        // Without friction the solution f(k) is monotone: (f − f')·(k − k') ≤ 0.
        let mut noise = Noise(31);
        for law in LAWS.into_iter().filter(|law| !matches!(law, BlockLaw::Coulomb { .. })) {
            let rows = law.rows();
            for _ in 0..500 {
                let w = block(rows, &mut noise);
                let normal = Normal { start: DVec3::Z, response: DVec3::ZERO };
                let mut answer = || {
                    let k: Vec<f64> = (0..rows).map(|_| 2.0 * noise.next()).collect();
                    let mut f = vec![0.0; rows];
                    law.solve(&Local { w: &w, k: &k, normal }, &mut f, &mut [Kept::default(); MAX_BLOCK]);
                    (k, f)
                };
                let ((k, f), (other_k, other_f)) = (answer(), answer());
                let product: f64 = (0..rows).map(|a| (f[a] - other_f[a]) * (k[a] - other_k[a])).sum();
                assert!(product <= 1e-9, "{law:?}: {product}");
            }
        }
    }

    #[test]
    fn projections_are_idempotent_and_their_results_allowed() {
        let mut noise = Noise(37);
        for law in LAWS {
            let rows = law.rows();
            for _ in 0..200 {
                let mut once = [0.0; MAX_BLOCK];
                once[..rows].iter_mut().for_each(|f| *f = 2.0 * noise.next());
                law.project(&mut once[..rows], 1.0);
                let mut twice = once;
                law.project(&mut twice[..rows], 1.0);
                assert!(once.iter().zip(twice).all(|(a, b)| (a - b).abs() < 1e-15), "{law:?}");
                assert!(law.load(&once) <= 1.0 + 1e-15, "{law:?}");
            }
        }
    }
}
