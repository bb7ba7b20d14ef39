//! Forces and moments at a place, and their coefficients on its unknowns.

use super::{Place, PlaceKind};
use crate::object::Site;
use glam::DVec3;

/// Force and moment of unit multiplier of a row at one end: `force·δy + moment·δφ`, and on curves `slope·δx'
/// + roll δθ`, which only the papers' rows and those on θ have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force.
    pub force: DVec3,
    /// Moment about the held point.
    pub moment: DVec3,
    /// On the derivative x' of a curve.
    pub slope: DVec3,
    /// On the roll of a curve.
    pub roll: f64,
}

impl Wrench {
    /// A force.
    pub fn force(force: DVec3) -> Self {
        Self { force, ..Self::default() }
    }

    /// A moment.
    pub fn moment(moment: DVec3) -> Self {
        Self { moment, ..Self::default() }
    }

    /// Whether it has no effect.
    #[inline]
    pub fn is_zero(&self) -> bool {
        let Self { force: f, moment: m, slope: s, roll } = self;
        are_zero(&[f.x, f.y, f.z, m.x, m.y, m.z, s.x, s.y, s.z, *roll])
    }

    /// `n·δx'`
    pub fn slope(slope: DVec3) -> Self {
        Self { slope, ..Self::default() }
    }

    /// `δθ`
    pub const ROLL: Self = Self { force: DVec3::ZERO, moment: DVec3::ZERO, slope: DVec3::ZERO, roll: 1.0 };
}

/// Whether all numbers are zero. Tests their bits without the signs, to avoid a branch for each number.
#[inline]
pub(super) fn are_zero<const N: usize>(numbers: &[f64; N]) -> bool {
    numbers.iter().fold(0, |bits, number| bits | number.to_bits()) << 1 == 0
}

impl std::ops::Neg for Wrench {
    type Output = Self;

    fn neg(self) -> Self {
        Self { force: -self.force, moment: -self.moment, slope: -self.slope, roll: -self.roll }
    }
}

impl std::ops::Add for Wrench {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            force: self.force + other.force,
            moment: self.moment + other.moment,
            slope: self.slope + other.slope,
            roll: self.roll + other.roll,
        }
    }
}

impl std::ops::Mul<f64> for Wrench {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self {
            force: self.force * factor,
            moment: self.moment * factor,
            slope: self.slope * factor,
            roll: self.roll * factor,
        }
    }
}

/// A wrench in the coordinates of a place, before the weights of its nodes: on x, on x' or φ, on θ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpreadRow {
    /// On the position x.
    pub x: DVec3,
    /// On x' of a curve, on φ of a frame.
    pub p: DVec3,
    /// On the roll θ of a curve.
    pub theta: f64,
}

impl SpreadRow {
    /// Whether it acts on the position alone.
    #[inline]
    pub fn is_force(&self) -> bool {
        are_zero(&[self.p.x, self.p.y, self.p.z, self.theta])
    }

    /// Work in a motion.
    #[inline]
    pub fn along(&self, motion: &PlaceMotion) -> f64 {
        let mut sum = self.x.dot(motion.x);
        if let Some((p, theta)) = motion.turn {
            sum += self.p.dot(p) + self.theta * theta;
        }
        sum
    }
}

/// The weights of one node of a place: of x, of x' or φ, of θ.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeWeights {
    pub(super) x: f64,
    pub(super) p: f64,
    pub(super) theta: f64,
}

impl NodeWeights {
    /// J of a row on the four unknowns of the node.
    #[inline]
    pub(super) fn on_node(self, row: &SpreadRow) -> [f64; 4] {
        let n = row.x * self.x + row.p * self.p;
        [n.x, n.y, n.z, self.theta * row.theta]
    }
}

/// Motion of a place in an increment of the unknowns: x, and x' (or φ) and θ if requested.
#[derive(Clone, Copy, Debug)]
pub struct PlaceMotion {
    /// Displacement of x, m.
    pub x: DVec3,
    /// Change of x', or rotation φ, and change of θ.
    pub turn: Option<(DVec3, f64)>,
}

impl Place {
    /// Adds J of rows on its node k to columns of a block, from `column` on.
    #[inline]
    pub fn add_columns(&self, k: usize, rows: &[SpreadRow], column: usize, block: &mut [f64; 16]) {
        let weights = self.weights(k);
        for (c, row) in (column..4).zip(rows) {
            // The remainder shows the compiler that no column is out of bounds.
            let (entries, c) = (weights.on_node(row), c % 4);
            block[c] += entries[0];
            block[4 + c] += entries[1];
            block[8 + c] += entries[2];
            block[12 + c] += entries[3];
        }
    }

    /// Adds J of rows that are forces on x, on its node k, to columns of a block, from `column` on.
    #[inline]
    pub fn add_forces(
        &self,
        k: usize,
        forces: impl Iterator<Item = DVec3>,
        column: usize,
        block: &mut [f64; 16],
    ) {
        let share = self.weights.b[k];
        for (c, force) in (column..4).zip(forces) {
            let (entries, c) = (force * share, c % 4);
            block[c] += entries.x;
            block[4 + c] += entries.y;
            block[8 + c] += entries.z;
        }
    }

    /// The wrench of a row in the coordinates of the place.
    #[inline]
    pub fn spread(&self, wrench: &Wrench, site: &Site) -> SpreadRow {
        let Wrench { force, moment, slope, roll } = *wrench;
        let moment = if are_zero(site.arm.as_ref()) { moment } else { moment + site.arm.cross(force) };
        match self.kind {
            PlaceKind::Point => SpreadRow { x: force, ..SpreadRow::default() },
            // With x' = t and δx' = φ×t, δθ = t·φ.
            PlaceKind::Frame => {
                let moment = moment + site.t.cross(slope) + site.t * roll;
                SpreadRow { x: force, p: moment, theta: moment.dot(site.t) }
            }
            PlaceKind::Curve if are_zero(moment.as_ref()) => SpreadRow { x: force, p: slope, theta: roll },
            // m·δφ with δφ = t×δx'/L + t δθ; m·(t×δx') = (m×t)·δx'
            PlaceKind::Curve => SpreadRow {
                x: force,
                p: moment.cross(site.t) / site.l + slope,
                theta: moment.dot(site.t) + roll,
            },
        }
    }

    /// Adds the generalised force of a wrench to the object's own slice.
    pub fn add_wrench(&self, wrench: &Wrench, site: &Site, force: &mut [f64]) {
        let spread = self.spread(wrench, site);
        let turns = spread.p != DVec3::ZERO || spread.theta != 0.0;
        for k in 0..self.count as usize {
            let node = 4 * self.nodes[k] as usize;
            for a in 0..3 {
                force[node + a] += self.weights.b[k] * spread.x[a];
            }
            if turns {
                for a in 0..3 {
                    force[node + a] += self.weights.db[k] * spread.p[a];
                }
                force[node + 3] += self.roll[k] * spread.theta;
            }
        }
    }
}
