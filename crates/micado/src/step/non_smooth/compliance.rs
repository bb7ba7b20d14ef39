//! Build compliance: the responses z = S⁻¹h of active rows, and from them W and the responses of normal
//! forces.
//!
//! Responses are computed and stored in groups of four. W is symmetric, except for the signs between absorbed
//! rows and others. Each round adds its rows to the lower triangle of W.

use super::{BlockRow, NonSmooth};
use crate::step::order::System;
use micado_linalg::Arithmetic;

/// Σ c z of a row for a group of four responses.
fn products(coefficients: &[(u32, f64)], z: &[[f64; 4]]) -> [f64; 4] {
    coefficients.iter().fold([0.0; 4], |sums, &(i, c)| {
        let z = &z[i as usize];
        std::array::from_fn(|k| sums[k] + c * z[k])
    })
}

impl System {
    /// Computes z = S⁻¹h of the new rows, and W.
    pub(super) fn build_compliance(&mut self, arithmetic: Arithmetic) {
        let unknowns = self.solution.len();
        let (mut responses, mut work) =
            (std::mem::take(&mut self.non_smooth.responses), std::mem::take(&mut self.non_smooth.work));
        let NonSmooth { rows, coefficients, active_rows, slots, slot_rows, .. } = &mut self.non_smooth;
        let (known, known_rows) = (responses.len(), slots.len());
        let groups = (active_rows.len() - known_rows).div_ceil(4);
        slots.extend((slot_rows.len()..).take(active_rows.len() - known_rows));
        slot_rows.extend(known_rows..active_rows.len());
        slot_rows.resize(slot_rows.len().next_multiple_of(4), usize::MAX);
        responses.resize(known + groups * unknowns, [0.0; 4]);
        for (&slot, &i) in slots.iter().zip(&*active_rows).skip(known_rows) {
            let BlockRow { coefficients: (from, to), absorbed, .. } = rows[i];
            for &(index, c) in &coefficients[from..to] {
                responses[slot / 4 * unknowns + index as usize][slot % 4] += if absorbed { -c } else { c };
            }
        }
        for z in responses[known..].chunks_exact_mut(unknowns.max(1)) {
            self.answer(z, &mut work, arithmetic);
        }
        let NonSmooth { rows, active_rows, slots, .. } = &self.non_smooth;
        for (&slot, &i) in slots.iter().zip(active_rows).skip(known_rows) {
            if let Some(multiplier) = rows[i].multiplier {
                responses[slot / 4 * unknowns + multiplier as usize][slot % 4] = -1.0;
            }
        }
        (self.non_smooth.responses, self.non_smooth.work) = (responses, work);
        self.non_smooth.extend_triangle(known_rows, unknowns);
        self.non_smooth.fill_compliance();
        self.non_smooth.find_normal_responses(unknowns);
    }
}

impl NonSmooth {
    /// Adds the active rows from `known` on to the triangle of W.
    fn extend_triangle(&mut self, known: usize, unknowns: usize) {
        let Self { rows, coefficients, active_rows, responses, slot_rows, triangle, .. } = self;
        let all = active_rows.len();
        triangle.resize(all * (all + 1) / 2, 0.0);
        for (z, columns) in responses.chunks_exact(unknowns.max(1)).zip(slot_rows.as_chunks::<4>().0) {
            // The first column of a group has the least index.
            for k in known.max(columns[0])..all {
                let (from, to) = rows[active_rows[k]].coefficients;
                let found = products(&coefficients[from..to], z);
                for (&column, found) in columns.iter().zip(found).filter(|(column, _)| **column <= k) {
                    triangle[k * (k + 1) / 2 + column] = found;
                }
            }
        }
    }

    /// W by rows. Between an absorbed row and another one it is antisymmetric.
    fn fill_compliance(&mut self) {
        let Self { rows: all, active_rows, triangle, compliance, .. } = self;
        let rows = active_rows.len();
        compliance.clear();
        compliance.resize(rows * rows, 0.0);
        for k in 0..rows {
            let line = &triangle[k * (k + 1) / 2..(k + 1) * (k + 2) / 2];
            compliance[k * rows..][..=k].copy_from_slice(line);
            let absorbed = all[active_rows[k]].absorbed;
            for (j, entry) in line[..k].iter().enumerate() {
                let sign = if absorbed == all[active_rows[j]].absorbed { 1.0 } else { -1.0 };
                compliance[j * rows + k] = sign * entry;
            }
        }
    }

    /// Responses of the normal forces to all active rows.
    fn find_normal_responses(&mut self, unknowns: usize) {
        let Self { rows: all, normals, active_rows, responses, slot_rows, rubbing, normal_response, .. } =
            self;
        let has_normal = |row: &BlockRow| row.normals.0 < row.normals.1;
        rubbing.clear();
        rubbing.extend((0..active_rows.len()).filter(|&k| has_normal(&all[active_rows[k]])));
        let rows = active_rows.len();
        normal_response.clear();
        normal_response.resize(3 * rows * rubbing.len(), 0.0);
        for (z, columns) in responses.chunks_exact(unknowns.max(1)).zip(slot_rows.as_chunks::<4>().0) {
            for (&k, lines) in rubbing.iter().zip(normal_response.chunks_exact_mut((3 * rows).max(1))) {
                let BlockRow { normals: (from, to), tangent, .. } = all[active_rows[k]];
                let mut sums = [[0.0; 4]; 3];
                for &(i, c) in &normals[from..to] {
                    for (sum, z) in sums.iter_mut().zip(&z[i as usize..]) {
                        *sum = std::array::from_fn(|k| sum[k] + c * z[k]);
                    }
                }
                let t = tangent.to_array();
                let along: [f64; 4] =
                    std::array::from_fn(|k| t[0] * sums[0][k] + t[1] * sums[1][k] + t[2] * sums[2][k]);
                for (lane, &column) in columns.iter().enumerate().filter(|(_, column)| **column < rows) {
                    for a in 0..3 {
                        lines[a * rows + column] = t[a] * along[lane] - sums[a][lane];
                    }
                }
            }
        }
    }

    /// Exchanges openings and multipliers: afterwards compliance, start and normal forces refer to the
    /// multipliers.
    pub(super) fn exchange(&mut self) {
        let Self { rows: all, active_rows, compliance, start, normal, rubbing, normal_response, .. } = self;
        let rows = active_rows.len();
        if active_rows.iter().all(|&i| !all[i].absorbed) {
            return;
        }
        for k in (0..rows).filter(|&k| all[active_rows[k]].absorbed) {
            let pivot = 1.0 / compliance[k * rows + k];
            for (line, answers) in normal_response.chunks_exact_mut(rows).enumerate() {
                let answer = answers[k] * pivot;
                for j in (0..rows).filter(|&j| j != k) {
                    answers[j] -= answer * compliance[k * rows + j];
                }
                answers[k] = answer;
                normal[rubbing[line / 3]][line % 3] -= answer * start[k];
            }
            for i in (0..rows).filter(|&i| i != k) {
                let factor = compliance[i * rows + k] * pivot;
                for j in (0..rows).filter(|&j| j != k) {
                    compliance[i * rows + j] -= factor * compliance[k * rows + j];
                }
                compliance[i * rows + k] = factor;
                start[i] -= factor * start[k];
            }
            for j in (0..rows).filter(|&j| j != k) {
                compliance[k * rows + j] *= -pivot;
            }
            (compliance[k * rows + k], start[k]) = (pivot, -pivot * start[k]);
        }
        // Symmetric up to rounding.
        for i in 0..rows {
            for j in 0..i {
                let mean = 0.5 * (compliance[i * rows + j] + compliance[j * rows + i]);
                (compliance[i * rows + j], compliance[j * rows + i]) = (mean, mean);
            }
        }
    }
}
