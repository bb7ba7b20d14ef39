//! Contact problems of boxes, rods and strings, small but with the W of real ones.

use crate::law::BlockLaw;
use crate::law::contact::{Blocks, Limits, Outcome, Scratch};
use glam::{DMat3, DQuat, DVec3};
use micado_linalg::Arithmetic;
use nalgebra::{DMatrix, DVector};

/// Uniform numbers in −1…1.
pub(super) fn noise(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Limits with this tolerance, m.
pub(super) fn within(tolerance: f64) -> Limits {
    Limits { tolerance, sharing: tolerance, arithmetic: Arithmetic::Portable }
}

/// A part of a problem that is factored: S⁻¹, the free motion, and rows H of blocks.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) inverse: DMatrix<f64>,
    pub(super) free: DVector<f64>,
    /// Number of a block, and its three rows.
    pub(super) rows: Vec<(usize, [DVector<f64>; 3])>,
}

impl Part {
    /// A part with the free motion S⁻¹F.
    pub(super) fn new(stiffness: DMatrix<f64>, force: &DVector<f64>) -> Self {
        let inverse = stiffness.cholesky().expect("positive").inverse();
        Self { free: &inverse * force, inverse, rows: Vec::new() }
    }
}

/// Contacts with friction between parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Case {
    pub(super) parts: Vec<Part>,
    pub(super) friction: Vec<[f64; 2]>,
    /// Gaps, m.
    pub(super) gaps: Vec<f64>,
    /// The length that tolerances refer to, m.
    pub(super) radius: f64,
}

impl Case {
    /// The blocks with these guesses; the `order[k]`-th contact is added as the k-th.
    pub(super) fn blocks_in_order(&self, order: &[usize], forces: &[[f64; 3]]) -> Blocks {
        let mut blocks = Blocks::default();
        let mut number = vec![0; order.len()];
        let mut start = vec![[0.0; 3]; order.len()];
        start.iter_mut().zip(&self.gaps).for_each(|(start, gap)| start[0] = *gap);
        for part in &self.parts {
            for (i, rows) in &part.rows {
                (0..3).for_each(|a| start[*i][a] += rows[a].dot(&part.free));
            }
        }
        for (k, &i) in order.iter().enumerate() {
            number[i] = k;
            let law = BlockLaw::Coulomb { friction: self.friction[i] };
            blocks.push(&law, &start[i], &forces[i]);
        }
        for part in &self.parts {
            let responses: Vec<[DVector<f64>; 3]> =
                part.rows.iter().map(|(_, rows)| rows.each_ref().map(|h| &part.inverse * h)).collect();
            let members: Vec<usize> = part.rows.iter().map(|(i, _)| number[*i]).collect();
            blocks.add_component(&members, |i, j| {
                DMat3::from_cols_array_2d(&std::array::from_fn(|b| {
                    std::array::from_fn(|a| part.rows[i].1[a].dot(&responses[j][b]))
                }))
            });
        }
        blocks
    }

    /// The blocks with these guesses.
    pub(super) fn blocks(&self, forces: &[[f64; 3]]) -> Blocks {
        self.blocks_in_order(&(0..self.gaps.len()).collect::<Vec<_>>(), forces)
    }

    /// Solves to a share of the radius.
    pub(super) fn solve(&self, share: f64, forces: &mut [[f64; 3]]) -> Outcome {
        let mut blocks = self.blocks(forces);
        let outcome = blocks.solve(within(share * self.radius), &mut Scratch::default());
        forces.iter_mut().enumerate().for_each(|(i, force)| *force = blocks.force(i));
        outcome
    }

    /// Motion of each part with these forces.
    pub(super) fn motions(&self, forces: &[[f64; 3]]) -> Vec<DVector<f64>> {
        let motion = |part: &Part| {
            let mut all = DVector::zeros(part.free.len());
            for (i, rows) in &part.rows {
                (0..3).for_each(|a| all += &rows[a] * forces[*i][a]);
            }
            &part.free + &part.inverse * all
        };
        self.parts.iter().map(motion).collect()
    }

    pub(super) fn cold(&self) -> Vec<[f64; 3]> {
        vec![[0.0; 3]; self.gaps.len()]
    }

    /// Adds a contact, with one place on each of two parts or on one.
    pub(super) fn add(&mut self, friction: [f64; 2], gap: f64, rows: Vec<(usize, [DVector<f64>; 3])>) {
        let block = self.gaps.len();
        self.gaps.push(gap);
        self.friction.push(friction);
        rows.into_iter().for_each(|(part, rows)| self.parts[part].rows.push((block, rows)));
    }
}

/// Time step of problems of boxes, s.
const STEP: f64 = 0.01;

/// A box of 1 kg and 0.2 m × 0.2 m × 0.1 m under gravity, with a force along x, N.
fn brick(pull: f64) -> Part {
    let inertia = [1.0, 1.0, 1.0, 0.05 / 12.0, 0.05 / 12.0, 0.08 / 12.0];
    let stiffness = DMatrix::from_diagonal(&DVector::from_row_slice(&inertia)) / (STEP * STEP);
    Part::new(stiffness, &DVector::from_row_slice(&[pull, 0.0, -9.81, 0.0, 0.0, 0.0]))
}

/// Rows of a contact on a box with this lever, along z, x and y.
fn on_box(arm: DVec3, sign: f64) -> [DVector<f64>; 3] {
    [DVec3::Z, DVec3::X, DVec3::Y].map(|n| {
        let (n, turn) = (sign * n, sign * arm.cross(n));
        DVector::from_row_slice(&[n.x, n.y, n.z, turn.x, turn.y, turn.z])
    })
}

/// Such boxes on each other, four contacts below each. A force pulls the box in the middle aside, N.
pub(super) fn boxes(count: usize, pull: f64) -> Case {
    let mut case = Case { radius: 0.01, ..Case::default() };
    for k in 0..count {
        case.parts.push(brick(if k == count / 2 { pull } else { 0.0 }));
    }
    for k in 0..count {
        for corner in 0..4 {
            let arm = |z: f64| {
                DVec3::new(if corner % 2 == 0 { 0.1 } else { -0.1 }, if corner < 2 { 0.1 } else { -0.1 }, z)
            };
            let mut places = vec![(k, on_box(arm(-0.05), 1.0))];
            if k > 0 {
                places.push((k - 1, on_box(arm(0.05), -1.0)));
            }
            case.add([0.5; 2], 0.0, places);
        }
    }
    case
}

/// A pyramid of such boxes: each stands with half its length on each of two boxes below, with four contacts
/// on each. A force pulls the top aside, N.
pub(super) fn pyramid(rows: usize, pull: f64) -> Case {
    let mut case = Case { radius: 0.01, ..Case::default() };
    let first = |row: usize| row * (2 * rows + 1 - row) / 2;
    for k in 0..first(rows) {
        case.parts.push(brick(if k + 1 == first(rows) { pull } else { 0.0 }));
    }
    for row in 0..rows {
        for k in 0..rows - row {
            let own = first(row) + k;
            // Ends along x of each overlap, and the box below.
            let ends = [(-0.1, 0.0, 0), (0.0, 0.1, 1)];
            let on_floor = [(-0.1, 0.1, 0)];
            for &(from, to, below) in if row > 0 { &ends[..] } else { &on_floor[..] } {
                for (x, y) in [(from, -0.1), (from, 0.1), (to, -0.1), (to, 0.1)] {
                    let mut places = vec![(own, on_box(DVec3::new(x, y, -0.05), 1.0))];
                    if row > 0 {
                        let x = x + if below == 0 { 0.1 } else { -0.1 };
                        places.push((first(row - 1) + k + below, on_box(DVec3::new(x, y, 0.05), -1.0)));
                    }
                    case.add([0.5; 2], 0.0, places);
                }
            }
        }
    }
    case
}

/// S of a rod with `nodes` nodes of `scalars` unknowns each: mass, tension and bending across, and mass and
/// stiffness of the fourth one, a twist.
fn rod(nodes: usize, scalars: usize, [mass, tension, bending, twist]: [f64; 4]) -> DMatrix<f64> {
    let mut stiffness = DMatrix::zeros(nodes * scalars, nodes * scalars);
    for c in 0..scalars {
        let mut add = |terms: &[(usize, f64)], factor: f64| {
            for (i, x) in terms {
                terms.iter().for_each(|(j, y)| {
                    stiffness[(i * scalars + c, j * scalars + c)] += factor * x * y;
                });
            }
        };
        for i in 0..nodes {
            add(&[(i, 1.0)], if c < 3 { mass } else { 1e-6 * mass });
            if i + 1 < nodes {
                add(&[(i, -1.0), (i + 1, 1.0)], if c < 3 { tension } else { twist });
            }
            if i + 2 < nodes && c < 3 {
                add(&[(i, 1.0), (i + 1, -2.0), (i + 2, 1.0)], bending);
            }
        }
    }
    stiffness
}

/// Two layers of `count` rods across each other, the lower ones on springs; gravity, and a sideways push of
/// the upper layer as a share of its weight.
pub(super) fn crossed(count: usize, push: f64, noise: &mut impl FnMut() -> f64) -> Case {
    let mut case = Case { radius: 2e-3, ..Case::default() };
    let nodes = 2 * count + 1;
    for k in 0..2 * count {
        let mut stiffness = rod(nodes, 3, [20.0, 400.0, 3e3, 0.0]);
        if k < count {
            for i in (0..nodes).step_by(4) {
                (0..3).for_each(|c| stiffness[(3 * i + c, 3 * i + c)] += 500.0);
            }
        }
        let mut force = DVector::zeros(3 * nodes);
        for i in 0..nodes {
            force[3 * i + 2] = -2e-3;
            if k >= count {
                force[3 * i] = push * 2e-3 * (1.0 + 0.3 * noise());
                force[3 * i + 1] = 0.2 * push * 2e-3 * noise();
            }
        }
        case.parts.push(Part::new(stiffness, &force));
    }
    for lower in 0..count {
        for upper in 0..count {
            let rows = |node: usize, sign: f64| {
                [2, 0, 1].map(|c| {
                    let mut h = DVector::zeros(3 * nodes);
                    h[3 * node + c] = sign;
                    h
                })
            };
            // Hand-made rods are never quite straight.
            let gap = 1e-6 * noise();
            case.add(
                [0.3; 2],
                gap,
                vec![(count + upper, rows(2 * lower + 1, 1.0)), (lower, rows(2 * upper + 1, -1.0))],
            );
        }
    }
    case
}

/// A rod that is folded and twisted round itself: 81 nodes of four unknowns, 120 contacts between its two
/// strands, three per segment. Loads draw the strands together, and along each other by a share of this.
pub(super) fn plectoneme(draw: f64, seed: u64) -> Case {
    let (mut noise, radius, segments) = (noise(seed), 1e-3, 40);
    let nodes = 2 * segments + 1;
    let mut case = Case { radius, ..Case::default() };
    let pairs = 3 * segments;
    let angle = |s: f64| 0.35 * s;
    let strand = |i: usize| if i <= segments { (i as f64, 1.0) } else { ((nodes - 1 - i) as f64, -1.0) };
    let mut force = DVector::zeros(4 * nodes);
    for i in 0..nodes {
        let (s, side) = strand(i);
        let (n, t) = (DQuat::from_rotation_x(angle(s)) * DVec3::Y, DVec3::X);
        let pressure = 0.2 * (1.0 + 0.5 * noise());
        let load = side * (-pressure * n + draw * pressure * t);
        (0..3).for_each(|c| force[4 * i + c] = load[c]);
        force[4 * i + 3] = 1e-5 * noise();
    }
    let mut stiffness = rod(nodes, 4, [5.0, 1e3, 2e3, 1e-3]);
    // Its loop is held.
    (0..4).for_each(|c| stiffness[(4 * segments + c, 4 * segments + c)] += 1e3);
    case.parts.push(Part::new(stiffness, &force));
    for k in 0..pairs {
        let s = (k as f64 + 0.5) / 3.0;
        let normal = DQuat::from_rotation_x(angle(s) + 0.02 * noise()) * DVec3::Y;
        let normal = (normal + 0.02 * noise() * DVec3::X).normalize();
        let along = DVec3::X.reject_from_normalized(normal).normalize();
        let axes = [normal, along, normal.cross(along)];
        let (i, u) = (s.floor() as usize, s.fract());
        let rows = axes.map(|axis| {
            let mut h = DVector::zeros(4 * nodes);
            for (side, node, weight) in
                [(1.0, i, 1.0 - u), (1.0, i + 1, u), (-1.0, nodes - 1 - i, 1.0 - u), (-1.0, nodes - 2 - i, u)]
            {
                (0..3).for_each(|c| h[4 * node + c] += side * weight * axis[c]);
                // A twist moves the surface across the rod.
                h[4 * node + 3] += -radius * axis.dot(DVec3::X.cross(normal)) * weight;
            }
            h
        });
        case.add([0.3; 2], 0.01 * radius * noise(), vec![(0, rows)]);
    }
    case
}

/// A string round a cylinder that is pulled in small steps.
#[derive(Clone, Debug)]
pub(super) struct Capstan {
    corners: usize,
    /// Angle per corner.
    pub(super) turn: f64,
    stiffness: f64,
    /// Tensions of the segments; the first one never changes.
    pub(super) tensions: Vec<f64>,
    inverse: DMatrix<f64>,
    pub(super) friction: f64,
}

impl Capstan {
    /// Tension 1 N at its end.
    pub(super) fn new(turns: f64, per_turn: usize, friction: f64) -> Self {
        let turn = std::f64::consts::TAU / per_turn as f64;
        let corners = (turns * per_turn as f64).round() as usize + 1;
        let most = corner_ratio(turn, friction).powi(corners as i32);
        let stiffness = 200.0 * most;
        let mut matrix = DMatrix::from_diagonal_element(3 * corners, 3 * corners, 1e-6 * stiffness);
        for k in 0..corners {
            let t = direction(turn, k + 1);
            for a in 0..3 {
                for b in 0..3 {
                    let entry = stiffness * t[a] * t[b];
                    matrix[(3 * k + a, 3 * k + b)] += entry;
                    if k + 1 < corners {
                        matrix[(3 * k + 3 + a, 3 * k + 3 + b)] += entry;
                        matrix[(3 * k + 3 + a, 3 * k + b)] -= entry;
                        matrix[(3 * k + a, 3 * k + 3 + b)] -= entry;
                    }
                }
            }
        }
        let inverse = matrix.cholesky().expect("positive").inverse();
        Self { corners, turn, stiffness, tensions: vec![1.0; corners + 1], inverse, friction }
    }

    /// The contacts while the end is drawn by this, m.
    pub(super) fn case(&self, pull: f64) -> Case {
        let mut force = DVector::zeros(3 * self.corners);
        for k in 0..self.corners {
            let added = if k + 1 == self.corners { self.stiffness * pull } else { 0.0 };
            let load = (self.tensions[k + 1] + added) * direction(self.turn, k + 1)
                - self.tensions[k] * direction(self.turn, k);
            (0..3).for_each(|a| force[3 * k + a] = load[a]);
        }
        let part = Part { free: &self.inverse * force, inverse: self.inverse.clone(), rows: Vec::new() };
        let mut case = Case { parts: vec![part], radius: 0.05, ..Case::default() };
        for k in 0..self.corners {
            let along = (direction(self.turn, k) + direction(self.turn, k + 1)).normalize();
            let axes = [DVec3::Z.cross(along), along, DVec3::Z];
            let rows = axes.map(|axis| {
                let mut h = DVector::zeros(3 * self.corners);
                (0..3).for_each(|a| h[3 * k + a] = axis[a]);
                h
            });
            case.add([self.friction; 2], 0.0, vec![(0, rows)]);
        }
        case
    }

    /// Draws the end, and returns how the contacts were solved.
    pub(super) fn pull(&mut self, pull: f64, share: f64, forces: &mut [[f64; 3]]) -> Outcome {
        let case = self.case(pull);
        let outcome = case.solve(share, forces);
        let motion = &case.motions(forces)[0];
        for k in 0..self.corners {
            let place = |k: usize| DVec3::new(motion[3 * k], motion[3 * k + 1], motion[3 * k + 2]);
            let t = direction(self.turn, k + 1);
            let next = if k + 1 < self.corners { t.dot(place(k + 1)) } else { pull };
            self.tensions[k + 1] += self.stiffness * (next - t.dot(place(k)));
        }
        outcome
    }

    /// Length by which the string is to be drawn until all corners slide.
    pub(super) fn length_to_slide(&self) -> f64 {
        let ratio = corner_ratio(self.turn, self.friction);
        (1..=self.corners).map(|k| ratio.powi(k as i32) - 1.0).sum::<f64>() / self.stiffness
    }

    /// ln(T₂/T₁) over that of the corner law, minus one.
    pub(super) fn error(&self) -> f64 {
        let ratio = corner_ratio(self.turn, self.friction).powi(self.corners as i32);
        libm::log(self.tensions[self.corners]) / libm::log(ratio) - 1.0
    }
}

/// Direction of segment k of a string round a cylinder; it turns to the right.
fn direction(turn: f64, k: usize) -> DVec3 {
    let angle = turn * k as f64;
    DVec3::new(libm::cos(angle), -libm::sin(angle), 0.0)
}

/// T₂/T₁ of a corner that slides: balance along and across it.
fn corner_ratio(turn: f64, friction: f64) -> f64 {
    let share = friction * libm::tan(0.5 * turn);
    (1.0 + share) / (1.0 - share)
}
