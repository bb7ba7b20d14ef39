//! Quasi-static material frame: angles that minimise the energy of the present centreline.
//!
//! ```text
//! ∂U/∂θ_j = Σ_i stress·∂ω/∂θ_j + k_j (m_j − m̄_j) − k_{j+1} (m_{j+1} − m̄_{j+1}) = 0    for free θ_j
//! ```
//!
//! In an isotropic, naturally straight rod bending doesn't depend on angles: the torque is constant between
//! two edges with held angles and zero beyond them, and the angles follow in one pass. Otherwise Newton with
//! the tridiagonal second derivative and Armijo's rule. Source: M. Bergou et al., Discrete Elastic Rods, 5.1;
//! there the frame is the Bishop frame turned by θ. Here it is the frame that is transported in time: the
//! same frames with other angles, so that the forces of `linearise.rs` at these angles are the paper's,
//! holonomy included, without a sum along the rod.

use super::DiscreteRod;
use super::vertex::{STRAINS, Vertex, angle_terms};

/// Most iterations: 8 are needed from random angles, one or two from those of the previous step.
const MOST_ITERATIONS: usize = 50;
/// Tolerance on ∂U/∂θ, as a share of the largest stiffness over the length of the rod.
const TOLERANCE: f64 = 1e-10;
/// Share of the predicted decrease of the energy that a step must achieve.
const ARMIJO: f64 = 1e-4;
/// Most halvings of a step: to less than a thousandth.
const HALVINGS: usize = 12;
/// Rounding of the energy per bend, as a share of it; at least ten bends count.
const ROUNDING: f64 = 1e-15;
/// A pivot below this share of the largest diagonal entry is raised; most raises.
const LEAST_PIVOT: f64 = 1e-12;
const RAISES: usize = 60;

/// Scratch of the search.
#[derive(Clone, Debug, Default)]
pub struct AngleScratch {
    /// Strains of the bends at the initial angles of the search.
    strains: Vec<[f64; STRAINS]>,
    /// Rotation of each edge since then.
    turn: Vec<f64>,
    tried: Vec<f64>,
    /// ∂U/∂θ of each edge.
    gradient: Vec<f64>,
    /// Second derivative: of each edge, and between each and the one before.
    diagonal: Vec<f64>,
    before: Vec<f64>,
    /// Scratch of the elimination: pivots, and the coupling of each edge of a ring to the last.
    pivots: Vec<f64>,
    last: Vec<f64>,
    step: Vec<f64>,
}

impl AngleScratch {
    /// ∂U/∂θ of each edge after the search, N·m: the torque on a held angle.
    pub fn torques(&self) -> &[f64] {
        &self.gradient
    }

    fn prepare(&mut self, edges: usize, nodes: usize) {
        self.strains.clear();
        self.strains.resize(nodes, [0.0; STRAINS]);
        let Self { turn, tried, gradient, diagonal, before, pivots, last, step, .. } = self;
        for vector in [turn, tried, gradient, diagonal, before, pivots, last, step] {
            vector.clear();
            vector.resize(edges, 0.0);
        }
    }
}

impl DiscreteRod {
    /// Brings the angles of the edges that are not `held` to equilibrium, for frames that were transported to
    /// `q`. Returns the number of iterations; `None` if they did not converge.
    pub fn settle_angles(
        &self,
        q: &mut [f64],
        frames: &[f64],
        held: &[bool],
        scratch: &mut AngleScratch,
    ) -> Option<usize> {
        scratch.prepare(self.segments(), self.nodes());
        let iterations = if self.bends_all_alike {
            Some(self.spread_twist(q, frames, held, scratch))
        } else {
            self.minimise(q, frames, held, scratch)
        };
        for (j, turn) in scratch.turn.iter().enumerate() {
            q[4 * j + 3] += turn;
        }
        iterations
    }

    /// m_i = m̄_i + τ/k_i with one torque τ between two held edges, zero beyond them. If none is held, the
    /// first one is fixed: it turns freely.
    fn spread_twist(&self, q: &[f64], frames: &[f64], held: &[bool], scratch: &mut AngleScratch) -> usize {
        let n = self.segments();
        let start = (0..n).find(|&j| held[j]).unwrap_or(0);
        let is_held = |j: usize| held[j % n] || j % n == start;
        // Difference of the twist at vertex i from the natural one, and its stiffness.
        let excess = |i: usize| self.twist(q, frames, i) - self.bends[i].natural[4];
        let stiffness = |i: usize| self.bends[i].stiffness[4];
        let AngleScratch { turn, gradient, .. } = scratch;
        if !self.closed {
            for j in (0..start).rev() {
                turn[j] = turn[j + 1] + excess(j + 1);
            }
        }
        let end = if self.closed { start + n } else { n - 1 };
        let mut from = start;
        while from < end {
            let to = (from + 1..=end).find(|&j| is_held(j));
            let torque = to.map_or(0.0, |to| {
                let vertices = from + 1..=to;
                vertices.clone().map(|i| excess(i % n)).sum::<f64>()
                    / vertices.map(|i| 1.0 / stiffness(i % n)).sum::<f64>()
            });
            let last = to.unwrap_or(end);
            for i in from + 1..=last {
                let turned = turn[(i - 1) % n] + torque / stiffness(i % n) - excess(i % n);
                if !(is_held(i)) {
                    turn[i % n] = turned;
                }
            }
            gradient[from % n] -= torque;
            if to.is_some() {
                gradient[last % n] += torque;
            }
            from = last;
        }
        1
    }

    /// Newton on all angles that are not held. The final gradient is that of the final angles.
    fn minimise(
        &self,
        q: &[f64],
        frames: &[f64],
        held: &[bool],
        scratch: &mut AngleScratch,
    ) -> Option<usize> {
        let mut before = self.seen(q, frames, self.around(self.bent().start)[0]);
        for i in self.bent() {
            let behind = self.seen(q, frames, i);
            scratch.strains[i] = Vertex::new([before, behind], self.twist(q, frames, i)).strains();
            before = behind;
        }
        let stiffest =
            self.bent().flat_map(|i| self.bends[i].stiffness.map(|k| k * self.spans[i])).fold(0.0, f64::max);
        let rounding = ROUNDING * self.segments().max(10) as f64;
        let mut energy = self.energy_of_turn(&scratch.strains, &scratch.turn);
        for iteration in 0..=MOST_ITERATIONS {
            self.angle_derivatives(scratch);
            if (0..self.segments())
                .all(|j| held[j] || scratch.gradient[j].abs() <= TOLERANCE * stiffest / self.length)
            {
                return Some(iteration);
            }
            if iteration == MOST_ITERATIONS {
                break;
            }
            self.solve_for_step(held, scratch);
            let slope: f64 = scratch.step.iter().zip(&scratch.gradient).map(|(d, g)| d * g).sum();
            let (mut share, mut falls) = (1.0, false);
            for _ in 0..HALVINGS {
                for (tried, (turn, d)) in scratch.tried.iter_mut().zip(scratch.turn.iter().zip(&scratch.step))
                {
                    *tried = turn + share * d;
                }
                let there = self.energy_of_turn(&scratch.strains, &scratch.tried);
                if there <= energy + ARMIJO * share * slope + rounding * energy.abs() {
                    (energy, falls) = (there, true);
                    break;
                }
                share *= 0.5;
            }
            if !falls {
                break;
            }
            scratch.turn.copy_from_slice(&scratch.tried);
        }
        None
    }

    /// Strains of the bend at vertex i after its edges are turned by `turn`.
    fn turned_strains(&self, strains: &[[f64; STRAINS]], turn: &[f64], i: usize) -> [f64; STRAINS] {
        let [a, b] = self.around(i).map(|j| turn[j]);
        let s = &strains[i];
        let [(sin_a, cos_a), (sin_b, cos_b)] = [libm::sincos(a), libm::sincos(b)];
        [
            cos_a * s[0] + sin_a * s[1],
            cos_a * s[1] - sin_a * s[0],
            cos_b * s[2] + sin_b * s[3],
            cos_b * s[3] - sin_b * s[2],
            s[4] + b - a,
        ]
    }

    fn energy_of_turn(&self, strains: &[[f64; STRAINS]], turn: &[f64]) -> f64 {
        let of_bend = |i: usize| {
            let (s, bend) = (self.turned_strains(strains, turn, i), &self.bends[i]);
            (0..STRAINS).map(|a| 0.5 * bend.stiffness[a] * (s[a] - bend.natural[a]).powi(2)).sum::<f64>()
        };
        self.bent().map(of_bend).sum()
    }

    /// Gradient and second derivative by the angles.
    fn angle_derivatives(&self, scratch: &mut AngleScratch) {
        scratch.gradient.fill(0.0);
        scratch.diagonal.fill(0.0);
        scratch.before.fill(0.0);
        for i in self.bent() {
            let (strains, bend) = (self.turned_strains(&scratch.strains, &scratch.turn, i), &self.bends[i]);
            let stress = std::array::from_fn(|s| bend.stiffness[s] * (strains[s] - bend.natural[s]));
            let (gradient, second) = angle_terms(&strains, &stress, &bend.stiffness);
            let [a, b] = self.around(i);
            scratch.gradient[a] += gradient[0];
            scratch.gradient[b] += gradient[1];
            scratch.diagonal[a] += second[0];
            scratch.diagonal[b] += second[2];
            scratch.before[b] = second[1];
        }
    }

    /// Solves H d = −∂U/∂θ on the edges that are not held; the diagonal is raised until H is positive. The
    /// last edge of a ring is next to the first.
    fn solve_for_step(&self, held: &[bool], scratch: &mut AngleScratch) {
        let n = self.segments();
        let AngleScratch { gradient, diagonal, before, pivots, last, step, .. } = scratch;
        let largest = (0..n).filter(|&j| !held[j]).fold(0.0, |most: f64, j| most.max(diagonal[j].abs()));
        for j in (0..n).filter(|&j| held[j]) {
            // Like any free one: the units don't depend on held ones.
            diagonal[j] = largest;
            before[j] = 0.0;
            before[(j + 1) % n] = 0.0;
        }
        let mut raised = 0.0;
        for _ in 0..RAISES {
            for j in 0..n {
                pivots[j] = diagonal[j] + if held[j] { 0.0 } else { raised };
                step[j] = if held[j] { 0.0 } else { -gradient[j] };
            }
            last.fill(0.0);
            if self.closed {
                last[0] = before[0];
            }
            let positive = (0..n).all(|j| {
                if pivots[j].is_nan() || pivots[j] <= LEAST_PIVOT * largest {
                    return false;
                }
                if j + 1 < n {
                    // The last but one edge couples to the last in both ways.
                    let beside = before[j + 1] + if j + 2 == n { last[j] } else { 0.0 };
                    let share = beside / pivots[j];
                    pivots[j + 1] -= share * beside;
                    step[j + 1] -= share * step[j];
                    if j + 2 < n {
                        let share_of_last = last[j] / pivots[j];
                        pivots[n - 1] -= share_of_last * last[j];
                        step[n - 1] -= share_of_last * step[j];
                        last[j + 1] -= share * last[j];
                    }
                }
                true
            });
            if positive {
                break;
            }
            raised = (2.0 * raised).max(1e-6 * largest);
        }
        step[n - 1] /= pivots[n - 1];
        for j in (0..n - 1).rev() {
            let of_last = last[j] * step[n - 1];
            step[j] = (step[j] - before[j + 1] * step[j + 1] - of_last) / pivots[j];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AngleScratch;
    use crate::object::rod::discrete::DiscreteRod;
    use serde_json::json;

    #[test]
    fn second_derivative_by_angles_matches_the_energy_and_newton_uses_it() {
        let shapes = [
            json!({"helix": {"centre": [0, 0, 0], "radius": 0.3, "pitch": 0.2, "turns": 0.8}}),
            json!({"ring": {"centre": [0, 0, 0], "radius": 0.3}}),
        ];
        for shape in shapes {
            let description = json!({"model": "discrete-elastic", "shape": shape, "segments": 7,
                "mass_per_length": 1, "radius": 0.01, "twist": 2.0,
                "inextensible": true, "natural": {"curved": {"curvature_1": 2.0, "curvature_2": -1.0}},
                "stiffness": {"bend": 1.3, "bend_2": 0.6, "twist": 0.8}});
            let laid =
                DiscreteRod::build(&serde_json::from_value(description).expect("a rod")).expect("a rod");
            let (rod, n) = (&laid.rod, laid.rod.segments());
            let (mut scratch, all, d) = (AngleScratch::default(), vec![true; n], 1e-5);
            let mut derivatives = |turn: &[f64]| {
                let mut q = laid.q.clone();
                turn.iter().enumerate().for_each(|(j, turn)| q[4 * j + 3] += turn);
                rod.settle_angles(&mut q, &laid.frames, &all, &mut scratch);
                scratch.clone()
            };
            let turn: Vec<f64> = (0..n).map(|j| (j as f64 * 0.618).fract()).collect();
            let here = derivatives(&turn);
            let mut dense = nalgebra::DMatrix::zeros(n, n);
            for k in 0..n {
                let moved = |d: f64| {
                    turn.iter().enumerate().map(|(j, t)| if j == k { t + d } else { *t }).collect::<Vec<_>>()
                };
                let (ahead, behind) = (derivatives(&moved(d)), derivatives(&moved(-d)));
                for j in 0..n {
                    dense[(j, k)] = (ahead.gradient[j] - behind.gradient[j]) / (2.0 * d);
                    let beside = |a: usize, b: usize| {
                        if (a + 1) % n == b && (rod.closed || b > 0) { here.before[b] } else { 0.0 }
                    };
                    let entry = if j == k { here.diagonal[k] } else { beside(j, k) + beside(k, j) };
                    assert!((dense[(j, k)] - entry).abs() < 1e-7, "{j} {k}: {} {entry}", dense[(j, k)]);
                }
            }
            // With one angle held and the rest free, the step solves H d = −g, raised where H is not
            // positive.
            let held: Vec<bool> = (0..n).map(|j| j == 2).collect();
            let mut scratch = here;
            scratch.diagonal.iter_mut().for_each(|h| *h += 50.0);
            (0..n).for_each(|j| dense[(j, j)] += 50.0);
            rod.solve_for_step(&held, &mut scratch);
            assert!(scratch.step[2] == 0.0);
            for j in (0..n).filter(|&j| j != 2) {
                let sum: f64 = (0..n).map(|k| dense[(j, k)] * scratch.step[k]).sum();
                assert!((sum + scratch.gradient[j]).abs() < 1e-6, "{j}: {sum} {}", scratch.gradient[j]);
            }
        }
    }
}
