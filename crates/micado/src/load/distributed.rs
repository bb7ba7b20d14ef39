//! Loads along a rod: weights ∫bᵢ ds, and the band ∫bᵢbⱼ ds for drag.

use crate::geometry::quadrature::GAUSS_4;
use crate::object::rod::Rod;
use serde::{Deserialize, Serialize};

/// A load on consecutive nodes of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Index of the object.
    pub object: usize,
    /// Number of nodes of the object, for the wrap of a closed rod.
    pub nodes: usize,
    /// ∫bᵢ ds for each node, times a coefficient.
    pub weights: Vec<f64>,
    /// ∫bᵢ b_{i+k} ds, k = 0..3, times a coefficient; empty where no drag acts.
    pub band: Vec<[f64; 4]>,
}

impl Spread {
    /// Along the rest arc lengths `from` to `to` of a rod, times `coefficient`.
    pub fn along(rod: &Rod, object: usize, from: f64, to: f64, coefficient: f64, with_band: bool) -> Self {
        let n = rod.nodes();
        let band = if with_band { vec![[0.0; 4]; n] } else { Vec::new() };
        let mut spread = Self { object, nodes: n, weights: vec![0.0; n], band };
        spread.update(rod, from, to, coefficient);
        spread
    }

    /// Updates a load on the same rod with another length or other bounds.
    pub(crate) fn update(&mut self, rod: &Rod, from: f64, to: f64, coefficient: f64) {
        self.weights.fill(0.0);
        self.band.fill([0.0; 4]);
        let ((e_from, f_from), (e_to, f_to)) = (rod.locate(from), rod.locate(to));
        for e in e_from..=e_to {
            let a = if e == e_from { f_from } else { 0.0 };
            let b = if e == e_to { f_to } else { 1.0 };
            for (g, gauss) in GAUSS_4 {
                let f = a + (b - a) * g;
                let place = rod.place_in(e, f);
                let w = place.position_shares();
                let measure = coefficient * gauss * (b - a) * rod.rest_metric(e, f);
                for i in 0..4 {
                    let node = rod.node(e, i);
                    self.weights[node] += measure * w[i];
                    if let Some(row) = self.band.get_mut(node) {
                        for k in 0..4 - i {
                            row[k] += measure * w[i] * w[i + k];
                        }
                    }
                }
            }
        }
    }

    /// Drag on nodes of an object, by node: forces with a wind on the first coefficient, resistance alone on
    /// the second.
    pub fn on_nodes(object: usize, coefficients: &[[f64; 2]]) -> Self {
        Self {
            object,
            nodes: coefficients.len(),
            weights: coefficients.iter().map(|[wind, _]| *wind).collect(),
            band: coefficients.iter().map(|[wind, turn]| [wind + turn, 0.0, 0.0, 0.0]).collect(),
        }
    }

    /// Calls `visit(i, j, value)` for every entry i ≤ j of the band, in nodes of the object.
    pub fn for_each_pair(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for (i, row) in self.band.iter().enumerate() {
            for (k, &value) in row.iter().enumerate() {
                if value != 0.0 {
                    let j = (i + k) % self.nodes;
                    visit(i.min(j), i.max(j), value);
                }
            }
        }
    }
}
