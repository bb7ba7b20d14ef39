//! Condense pearls: eliminate where they slide before the system is factored.
//!
//! A pearl has no row, and in a dynamic step nothing but its own four control points meets its own unknown u: with c = m c₀ x' and
//! a = m c₀ |x'|² + viscosity, the column of u is bᵢ c beside a. Eliminated by hand it leaves `bᵢ bⱼ (m c₀ I − c cᵀ/a)` and
//! `bᵢ (F − c g/a)` on control points that the rod joins already: without friction it is m c₀ across the rod, and nothing along it.
//! So a pearl takes no node of the system, and no order of unknowns is ever made anew when it crosses a knot.
//!
//! In the vectors of the system u stands behind all nodes. Whatever solves for a right side condenses it first,
//! `bᵢ ← bᵢ − bᵢ c g/a`, and finds `u = (g − c·Σ bᵢ xᵢ)/a` afterwards. In statics a may be zero or less, and u keeps a node.

use super::order::System;
use crate::constraint::{Bead, ConstraintState};
use crate::geometry::rotation::outer;
use glam::{DMat3, DVec3};

/// The eliminated unknown of a pearl.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condensed {
    /// Its constraint.
    constraint: usize,
    /// Control points, their weights bᵢ, and the slots of the blocks between them.
    nodes: [u32; 4],
    weights: [f64; 4],
    slots: [[Option<u32>; 4]; 4],
    /// c = m c₀ x', N per unit of u.
    coupling: DVec3,
    /// 1/a
    compliance: f64,
}

impl Condensed {
    pub(crate) fn new(constraint: usize) -> Self {
        Self { constraint, nodes: [u32::MAX; 4], weights: [0.0; 4], slots: [[None; 4]; 4], coupling: DVec3::ZERO, compliance: 0.0 }
    }

    /// Its constraint.
    pub(crate) fn constraint(&self) -> usize {
        self.constraint
    }

    /// Takes what the right side `g` of u does to the control points into a right side.
    fn reduce(&self, g: f64, rhs: &mut [f64]) {
        let force = self.coupling * (-g * self.compliance);
        for (&node, b) in self.nodes.iter().zip(self.weights) {
            let rhs = &mut rhs[4 * node as usize..];
            (0..3).for_each(|r| rhs[r] += b * force[r]);
        }
    }

    /// u from its right side `g` and the solution of all others.
    fn recover(&self, g: f64, x: &[f64]) -> f64 {
        let moved = self.nodes.iter().zip(self.weights).fold(DVec3::ZERO, |sum, (&node, b)| {
            let x = &x[4 * node as usize..];
            sum + DVec3::new(x[0], x[1], x[2]) * b
        });
        (g - self.coupling.dot(moved)) * self.compliance
    }
}

impl System {
    /// Scalars of all nodes; condensed unknowns come after them.
    pub(crate) fn scalars(&self) -> usize {
        4 * self.matrix.nodes()
    }

    /// Adds inertia and forces of pearl k, on which `force` works, with its own unknown eliminated, whose scalar number is `own`.
    pub(super) fn condense_pearl(&mut self, k: usize, own: usize, bead: &Bead, state: &ConstraintState, force: DVec3, gain: f64) {
        let (place, site) = (&self.places[k][0], &self.sites[k][0]);
        let (nodes, weights) = (place.nodes, place.weights.b);
        let inertia = bead.mass * gain * gain;
        let resistance = bead.viscosity(site)[0] * gain;
        let coupling = site.p * inertia;
        let compliance = 1.0 / (inertia * site.p.length_squared() + resistance);
        let g = site.p.dot(force) + resistance * (state.own_start[0] - state.own[0]);
        let first = self.scalars();
        self.rhs[own] = g;
        let condensed = &mut self.condensed[own - first];
        if condensed.nodes != nodes {
            condensed.slots = nodes.map(|i| nodes.map(|j| self.matrix.slot(i, j).map(|slot| slot as u32)));
        }
        let slots = condensed.slots;
        *condensed = Condensed { constraint: k, nodes, weights, slots, coupling, compliance };
        let values = self.matrix.values_mut();
        let left = force - coupling * (g * compliance);
        let across = DMat3::from_diagonal(DVec3::splat(inertia)) - outer(coupling, coupling) * compliance;
        for i in 0..4 {
            for r in 0..3 {
                self.rhs[4 * nodes[i] as usize + r] += weights[i] * left[r];
            }
            for j in 0..4 {
                let Some(slot) = slots[i][j] else { continue };
                let block = &mut values[slot as usize];
                let weight = weights[i] * weights[j];
                for r in 0..3 {
                    for c in 0..3 {
                        block[4 * r + c] += weight * across.col(c)[r];
                    }
                }
            }
        }
    }

    /// Finds the condensed unknowns of the solution.
    pub(super) fn recover_condensed(&mut self) {
        let (x, own) = self.solution.split_at_mut(4 * self.matrix.nodes());
        let sides = &self.rhs[x.len()..];
        for ((own, condensed), &g) in own.iter_mut().zip(&self.condensed).zip(sides) {
            *own = condensed.recover(g, x);
        }
    }

    /// `z ← S⁻¹ z` with the present factor for one right side after the other, condensed unknowns included.
    pub(super) fn answer(&self, z: &mut [f64], work: &mut Vec<f64>, arithmetic: micado_linalg::Arithmetic) {
        let (scalars, stride) = (self.scalars(), self.solution.len());
        for (x, own) in z.chunks_exact_mut(stride).map(|z| z.split_at_mut(scalars)) {
            for (condensed, &g) in self.condensed.iter().zip(&*own).filter(|(_, g)| **g != 0.0) {
                condensed.reduce(g, x);
            }
        }
        if z.len() == stride {
            self.factor.solve(&self.symbolic, &mut z[..scalars], work, arithmetic);
        } else {
            self.factor.solve_many(&self.symbolic, z, stride, work, arithmetic);
        }
        for (x, own) in z.chunks_exact_mut(stride).map(|z| z.split_at_mut(scalars)) {
            for (own, condensed) in own.iter_mut().zip(&self.condensed) {
                *own = condensed.recover(*own, x);
            }
        }
    }
}
