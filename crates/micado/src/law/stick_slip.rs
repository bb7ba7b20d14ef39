//! Stick and slip: friction rows whose bounds depend on all forces, solved by following the solution.
//!
//! With displacements `δ = W τ + b` and bounds `β = β₀ + G (τ − τ₀)`, a row sticks, δ = 0 and |τ| ≤ β, or
//! slides with τ = σβ, σ = ±1, and σδ ≤ 0. This is one linear equation per row, with a row of W or of 1 − σG.
//!
//! Any start obeys the laws of a problem with offsets: displacements d, and bounds u above and l below,
//!
//! ```text
//! δ = (1 − t) d where a row sticks,   −β − (1 − t) l ≤ τ ≤ β + (1 − t) u.
//! ```
//!
//! From t = 0 to 1 the offsets vanish, and τ(t) is piecewise linear. At each kink one row begins to stick or
//! to slide: one equation is replaced, and the inverse of all equations is updated. So rows change one by
//! one, without a factorisation for each change. If the determinant changes
//! its sign, the solution is not unique and the search ends.

use micado_linalg::{Arithmetic, DenseInverse, product};

/// Least ratio of determinants before and after a change.
const LEAST_RATIO: f64 = 1e-12;
/// Offsets beyond the violation of the start, as a share of the largest violation. They differ from row to
/// row, so that no two rows change at the same t.
const MARGIN: f64 = 0.1;
/// Most changes of a row in the mean.
const CHANGES: usize = 4;

/// Friction rows, in memory that is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct StickSlip {
    /// W by rows.
    pub(super) compliance: Vec<f64>,
    /// G by rows.
    pub(super) response: Vec<f64>,
    /// Compliances that scale the equations of rows that stick, m/N.
    pub(super) own: Vec<f64>,
    /// τ, N
    pub(super) forces: Vec<f64>,
    /// δ, m; up to date for rows that slide.
    pub(super) delta: Vec<f64>,
    /// β, N; up to date for rows that stick.
    pub(super) bounds: Vec<f64>,
    /// σ, or 0 if the row sticks.
    pub(super) sides: Vec<f64>,
    /// d, u and l.
    displaced: Vec<f64>,
    above: Vec<f64>,
    below: Vec<f64>,
    /// dτ/dt; dβ/dt of rows that stick, dδ/dt of rows that slide.
    rates: Vec<f64>,
    changes: Vec<f64>,
    /// An equation, or the right sides of all.
    line: Vec<f64>,
    inverse: DenseInverse,
}

impl StickSlip {
    /// Reserves memory for this many rows.
    pub(super) fn with_room(rows: usize) -> Self {
        let [compliance, response] = [(); 2].map(|()| Vec::with_capacity(rows * rows));
        let [own, forces, delta, bounds, sides] = [(); 5].map(|()| Vec::with_capacity(rows));
        let [displaced, above, below, rates, changes, line] = [(); 6].map(|()| Vec::with_capacity(rows));
        let mut inverse = DenseInverse::default();
        inverse.reserve(rows);
        Self {
            compliance,
            response,
            own,
            forces,
            delta,
            bounds,
            sides,
            displaced,
            above,
            below,
            rates,
            changes,
            line,
            inverse,
        }
    }

    /// Inverts the equations. Returns false if they are singular.
    pub(super) fn invert(&mut self, arithmetic: Arithmetic) -> bool {
        let rows = self.sides.len();
        self.inverse.begin(rows);
        for i in 0..rows {
            self.write_equation(i, self.sides[i]);
            self.inverse.row_mut(i).copy_from_slice(&self.line);
        }
        self.inverse.invert(arithmetic)
    }

    /// Writes the equation of a row that sticks or slides.
    fn write_equation(&mut self, i: usize, side: f64) {
        let rows = self.sides.len();
        let own = i * rows..(i + 1) * rows;
        self.line.clear();
        if side == 0.0 {
            self.line.extend(self.compliance[own].iter().map(|w| w / self.own[i]));
        } else {
            self.line.extend(self.response[own].iter().map(|g| -side * g));
            self.line[i] += 1.0;
        }
    }

    /// Offset of the bound on this side.
    fn offset(&self, i: usize, side: f64) -> f64 {
        if side > 0.0 { self.above[i] } else { self.below[i] }
    }

    /// Derivative by t of the right side of an equation.
    fn right(&self, i: usize, side: f64) -> f64 {
        if side == 0.0 { -self.displaced[i] / self.own[i] } else { -side * self.offset(i, side) }
    }

    /// Moves the present forces, with their displacements and bounds, to forces that obey the laws. Adds the
    /// changes of rows to `updates`. Returns false if it finds none.
    pub(super) fn follow(&mut self, arithmetic: Arithmetic, updates: &mut usize) -> bool {
        let rows = self.sides.len();
        self.set_offsets();
        self.line.clear();
        for i in 0..rows {
            let right = self.right(i, self.sides[i]);
            self.line.push(right);
        }
        self.inverse.multiply(&self.line, &mut self.rates);
        let mut t = 0.0;
        for _ in 0..CHANGES * (rows + 4) {
            self.find_changes();
            let (step, kink) = self.next_kink(t);
            t += step;
            for i in 0..rows {
                self.forces[i] += step * self.rates[i];
                let moved = if self.sides[i] == 0.0 { &mut self.bounds[i] } else { &mut self.delta[i] };
                *moved += step * self.changes[i];
            }
            let Some((i, side)) = kink else { return true };
            self.write_equation(i, side);
            let missing = self.right(i, side) - product(&self.line, &self.rates);
            let ratio = self.inverse.replace_row(i, &self.line, LEAST_RATIO, arithmetic);
            if ratio < LEAST_RATIO || ratio.is_nan() {
                return false;
            }
            *updates += 1;
            self.inverse.add_column(i, missing, &mut self.rates);
            let before = std::mem::replace(&mut self.sides[i], side);
            if side == 0.0 {
                self.bounds[i] = before * self.forces[i] - (1.0 - t) * self.offset(i, before);
            } else {
                self.delta[i] = (1.0 - t) * self.displaced[i];
            }
        }
        false
    }

    /// Sets the offsets with which the present forces obey the laws.
    fn set_offsets(&mut self) {
        let Self { forces, delta, bounds, sides, displaced, above, below, .. } = self;
        let rows = sides.len();
        let (mut driven, mut exceeded) = (0.0_f64, 0.0_f64);
        for i in 0..rows {
            if sides[i] == 0.0 {
                exceeded = exceeded.max(forces[i].abs() - bounds[i]);
            } else {
                driven = driven.max(sides[i] * delta[i]);
            }
        }
        displaced.clear();
        above.clear();
        below.clear();
        for i in 0..rows {
            // Multiples of the golden ratio fill the interval evenly.
            #[expect(clippy::cast_precision_loss, reason = "fewer than 2⁵² rows")]
            let margin = MARGIN * (0.5 + ((i + 1) as f64 * 0.618_033_988_749_894_9).fract());
            let (side, over, under) = (sides[i], forces[i] - bounds[i], -forces[i] - bounds[i]);
            let beyond = if side == 0.0 { margin * exceeded } else { 0.0 };
            above.push(if side > 0.0 { over } else { (over + beyond).max(0.0) });
            below.push(if side < 0.0 { under } else { (under + beyond).max(0.0) });
            displaced.push(if side == 0.0 {
                delta[i]
            } else {
                side * (side * delta[i] + margin * driven).max(0.0)
            });
        }
    }

    /// Rates of the bounds of rows that stick, and of the displacements of rows that slide.
    fn find_changes(&mut self) {
        let Self { compliance, response, sides, rates, changes, .. } = self;
        let rows = sides.len();
        changes.clear();
        changes.extend(sides.iter().enumerate().map(|(i, side)| {
            let matrix = if *side == 0.0 { &*response } else { &*compliance };
            product(&matrix[i * rows..(i + 1) * rows], rates)
        }));
    }

    /// The step of t to the next kink, and which row then sticks or slides; or to t = 1.
    fn next_kink(&self, t: f64) -> (f64, Option<(usize, f64)>) {
        let (mut step, mut kink) = (1.0 - t, None);
        for (i, &side) in self.sides.iter().enumerate() {
            let (rate, change) = (self.rates[i], self.changes[i]);
            // Distance from the limit, which must not be negative, and its rate.
            let mut limit = |distance: f64, rate: f64, side: f64| {
                if rate < 0.0 {
                    let reached = (-distance / rate).max(0.0);
                    if reached < step {
                        (step, kink) = (reached, Some((i, side)));
                    }
                }
            };
            if side == 0.0 {
                for side in [1.0, -1.0] {
                    let offset = self.offset(i, side);
                    limit(
                        self.bounds[i] + (1.0 - t) * offset - side * self.forces[i],
                        change - offset - side * rate,
                        side,
                    );
                }
            } else {
                let displaced = self.displaced[i];
                limit(side * ((1.0 - t) * displaced - self.delta[i]), -side * (displaced + change), 0.0);
            }
        }
        (step, kink)
    }
}
