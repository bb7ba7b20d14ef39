//! Linearise constraints: J, E, regularisation, curvature, augmentation.
//!
//! The matrix is not scaled. LDLᵀ without pivoting is invariant under diagonal scaling, so the scaled −ε and
//! ρ = 1 become `−ε n²` and `1/n²` with n² = Σ J²/A_jj, the compliance of the row in the diagonal of A.

use super::condense::Clique;
use super::inner_rows::write_length_rows;
use super::integrator::Rule;
use super::order::System;
use super::rotation;
use super::seat::nodes_of;
use crate::constraint::{
    Constraint, ConstraintState, Coupling, Curvature, ENDS, MAX_ROWS, Site, SlidingMass, spread,
};
use crate::object::{CrossStiffness, PlaceKind, Poses, SpreadRow, Wrench};
use crate::world::State;
use crate::world::Structure;
use glam::{DMat3, DVec3};

/// Terms of constraints in the linearisation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstraintTerms<'a> {
    /// Keep indefinite constraint curvature.
    pub(crate) exact: bool,
    /// Augment all rows (statics, where K alone is singular), or only those with an unknown of their own.
    pub(crate) augment_all: bool,
    /// Add constraint curvature.
    pub(crate) curved: bool,
    /// Share of the violations that rows remove.
    pub(super) reach: f64,
    /// Integration of sliding masses and own unknowns; none in statics.
    pub(super) rule: Option<Rule>,
    /// State at the beginning of a step of Euler whose bodies push in the directions of that state.
    pub(super) start: Option<&'a State>,
}

/// Adds rows and curvature of all constraints at the trial state with the targets of `time`.
pub(crate) fn linearise_constraints(
    structure: &Structure,
    trial: &State,
    time: f64,
    terms: ConstraintTerms<'_>,
    system: &mut System,
) {
    let poses = structure.poses(trial);
    // Fixed places stay until an edit, and only winches move them without one.
    let edited = !system.placed_in.as_ref().is_some_and(|placed| placed.is(&structure.revision))
        || !structure.winches.is_empty();
    if edited {
        system.placed_in = Some(structure.revision.clone());
    }
    system.non_smooth.reach = terms.reach;
    for (k, (constraint, state)) in structure.constraints.iter().zip(&trial.constraints).enumerate() {
        if let Some(leader) = state.duplicate_of {
            system.add_viscosity(leader as usize, constraint, state, terms.rule);
            continue;
        }
        if edited {
            system.may_keep[k] = rotation::may_keep_directions(structure, constraint);
        }
        if edited || constraint.has_moving_end() {
            constraint.find_places(&structure.objects, state, &mut system.places[k]);
        }
        if constraint.has_moving_end() && system.seats[k].count > 0 {
            system.touched[k] = system.seats[k].touched(structure, &system.places[k]);
        }
        if system.seats[k].condensed.is_some() {
            system.sites[k][0] = Site::without_directors(&system.places[k][0], poses.q(&system.places[k][0]));
        } else {
            constraint.update_sites(&system.places[k], poses, state, time, &mut system.sites[k]);
            let start = terms.start.filter(|_| system.may_keep[k] && !state.stiff);
            system.from_start[k] = start.is_some();
            let known = start.and_then(|_| constraint.law.violations(&system.sites[k], state));
            if known.is_none() {
                constraint.law.linearise(&system.sites[k], state, time, &mut system.rows[k]);
            }
            if let Some(start) = start {
                system.push_from_start(k, constraint, (structure.poses(start), start), known);
            }
            if terms.reach < 1.0 {
                system.rows[k].iter_mut().for_each(|row| row.violation *= terms.reach);
            }
        }
        if let Some(sliding) = constraint.law.sliding_mass() {
            system.add_sliding_mass(structure, k, &sliding, state, time, terms);
        }
        // Between two objects dynamic steps include curvature, and have room for it, only where it is stiff.
        // For most kinds, the positive semidefinite part needs no room between the ends.
        let seat = &system.seats[k];
        let has_room = seat.paired
            || state.stiff && !terms.exact
            || !constraint.is_relative()
            || seat.behind_rows.is_some();
        if terms.curved && !system.from_start[k] && has_room {
            let mut curvature =
                constraint.law.curvature(&system.sites[k], state, time, &state.multipliers, terms.exact);
            system.add_arms(k, state, terms.exact, &mut curvature);
            if let Some(curvature) = &curvature {
                system.add_curvature(k, curvature);
            }
        }
        let seat = &system.seats[k];
        if seat.own_count() > 0 || seat.behind_rows.is_some() {
            system.add_viscosity(k, constraint, state, terms.rule);
        }
        // Written here, while they are in the cache.
        system.write_rows(k, state);
        system.write_own_behind_rows(k);
    }
    write_length_rows(structure, trial, terms, system);
    // The force that redundant rows share would grow from step to step if it were expected again. Counted
    // from zero, it is shared with the least sum of n²λ², the same in every step.
    if trial.constraints.iter().any(|state| state.redundant) {
        system.expected.fill(0.0);
    }
    system.fill_unused_rows();
    system.regularise();
    for k in 0..system.seats.len() {
        if terms.augment_all || system.augmented[k] || system.seats[k].own_count() > 0 {
            system.augment(k);
        }
    }
}

impl System {
    /// Gives the rows of a constraint the directions of the start of the step. Violations stay: they are
    /// `known`, or those of the present rows.
    fn push_from_start(
        &mut self,
        k: usize,
        constraint: &Constraint,
        (poses, start): (Poses<'_>, &State),
        known: Option<[f64; MAX_ROWS]>,
    ) {
        let violations = known.unwrap_or_else(|| {
            let mut violations = [0.0; MAX_ROWS];
            self.rows[k].iter().zip(&mut violations).for_each(|(row, violation)| *violation = row.violation);
            violations
        });
        let memory = &start.constraints[k];
        constraint.update_sites(&self.places[k], poses, memory, start.time, &mut self.sites[k]);
        constraint.law.linearise(&self.sites[k], memory, start.time, &mut self.rows[k]);
        for (row, violation) in self.rows[k].iter_mut().zip(violations) {
            row.violation = violation;
        }
    }

    /// Inertia and forces of a sliding mass: `c₀ m colᵀcol` and `col·(m (d − c₀ Δx) + m g + f)` with the
    /// columns {bᵢ I, x'}; condensed in dynamic steps. A mass that was struck begins anew, with Euler's rule.
    fn add_sliding_mass(
        &mut self,
        structure: &Structure,
        k: usize,
        sliding: &SlidingMass<'_>,
        state: &ConstraintState,
        time: f64,
        terms: ConstraintTerms<'_>,
    ) {
        let gravity = DVec3::from_array(structure.gravity.at(time));
        let load = sliding.load(gravity, time);
        let rule = terms.rule.map(|rule| self.rule_of_mass(k, rule));
        let moved = self.sites[k][0].x - self.mass_start[k];
        let (gain, inertial) =
            rule.map_or((0.0, DVec3::ZERO), |rule| (rule.c0, self.inertia_of_mass(k, rule, state, moved)));
        let force = load + inertial * sliding.mass;
        (self.mass_force[k], self.mass_inertia[k]) = (force, sliding.mass * gain);
        if let (Some(own), Some(rule)) = (self.seats[k].condensed, rule) {
            let clique = self.clique_of_sliding_mass(structure, k, sliding, (state, load), rule, terms.exact);
            return self.condense(own, &clique);
        }
        let (seat, touched, place, a) = (self.seats[k], self.touched[k], self.places[k][0], self.sites[k][0]);
        let Some(own) = seat.own_local(0) else { return };
        let (inertia, shares) = (self.mass_inertia[k], place.position_shares());
        let (turning, across) = match rule {
            Some(_) => turning(state, &a, inertia, terms.exact),
            None => (0.0, DVec3::ZERO),
        };
        let values = self.matrix.values_mut();
        for (_, w, i) in touched.iter() {
            let node = 4 * seat.nodes[i] as usize;
            for r in 0..3 {
                self.rhs[node + r] += shares[w] * force[r];
                values[self.slots[seat.pair_slot(i, own)] as usize][4 * r] +=
                    inertia * shares[w] * a.p[r] + place.slope_on_node(w, across)[r];
            }
            for (_, v, j) in touched.iter() {
                if seat.nodes[i] <= seat.nodes[j] {
                    let block = &mut values[self.slots[seat.pair_slot(i, j)] as usize];
                    for r in 0..3 {
                        block[5 * r] += inertia * shares[w] * shares[v];
                    }
                }
            }
        }
        let node = seat.nodes[own] as usize;
        self.rhs[4 * node] += a.p.dot(force);
        let slot = self.matrix.row_start(node);
        self.matrix.values_mut()[slot][0] += inertia * a.p.length_squared() + turning;
        if terms.augment_all {
            self.add_curvature(k, &SlidingMass::curvature(&a, load));
        }
    }

    /// Condensed terms of a sliding mass on the nodes of its place. With cᵢ = bᵢ m c₀ x' and a = m c₀ |x'|² +
    /// viscosity this is m c₀ across the curve, and nothing along it without friction. With weak coupling,
    /// the curve feels the load across it and the drag c ṡ along it.
    fn clique_of_sliding_mass(
        &self,
        structure: &Structure,
        k: usize,
        sliding: &SlidingMass<'_>,
        (state, load): (&ConstraintState, DVec3),
        rule: Rule,
        exact: bool,
    ) -> Clique {
        let (place, site, force) = (&self.places[k][0], &self.sites[k][0], self.mass_force[k]);
        let mut nodes = [0; 4];
        nodes.iter_mut().zip(nodes_of(structure, place)).for_each(|(node, of)| *node = of);
        let weights = *place.position_shares();
        let inertia = self.mass_inertia[k];
        let resistance = structure.constraints[k].law.viscosity(&self.sites[k])[0] * rule.c1;
        let (turning, across) = turning(state, site, inertia, exact);
        let compliance = 1.0 / (inertia * site.p.length_squared() + resistance + turning);
        let slid = slid_since(state, 0, rule);
        let right_side = site.p.dot(force) - resistance * slid;
        let (columns, force, stiffness) = match sliding.coupling {
            Coupling::Weak => {
                let drag = resistance * (right_side * compliance + slid) / site.l;
                ([DVec3::ZERO; 4], load - site.t * site.t.dot(load) + site.t * drag, DMat3::ZERO)
            }
            Coupling::Strong => {
                let along = site.p * inertia;
                let column = |w: usize| along * weights[w] + place.slope_on_node(w, across);
                (std::array::from_fn(column), force, DMat3::from_diagonal(DVec3::splat(inertia)))
            }
        };
        Clique { nodes, weights, stiffness, force, columns, compliance, right_side }
    }

    /// Adds viscous resistance to the sliding of constraint k, from its own law or that of a duplicate.
    fn add_viscosity(
        &mut self,
        k: usize,
        constraint: &Constraint,
        state: &ConstraintState,
        rule: Option<Rule>,
    ) {
        let viscosity = constraint.law.viscosity(&self.sites[k]);
        for e in 0..ENDS {
            if let Some(own) = self.seats[k].own_scalar(e) {
                let (gain, slid) = rule.map_or((0.0, 0.0), |rule| (rule.c1, slid_since(state, e, rule)));
                self.add_to_own(own, viscosity[e] * gain, -slid);
            }
        }
    }

    /// Adds a stiffness on an own unknown with force −stiffness·`away`, and 1 on the unused components of its
    /// node if it has one.
    fn add_to_own(&mut self, own: usize, stiffness: f64, away: f64) {
        *self.own_diagonal(own) += stiffness;
        if own < 4 * self.primal_nodes {
            let slot = self.matrix.row_start(own / 4);
            let block = &mut self.matrix.values_mut()[slot];
            (1..4).for_each(|a| block[5 * a] = 1.0);
        }
        self.rhs[own] += stiffness * away;
    }

    /// Diagonal entry of an own unknown, by its scalar number.
    fn own_diagonal(&mut self, own: usize) -> &mut f64 {
        let slot = self.matrix.row_start(own / 4);
        &mut self.matrix.values_mut()[slot][5 * (own % 4)]
    }

    /// Writes J of an own unknown in the node of its rows.
    fn write_own_behind_rows(&mut self, k: usize) {
        let Some((e, own)) = self.seats[k].behind_rows else { return };
        let slot = self.matrix.row_start(own / 4);
        let block = &mut self.matrix.values_mut()[slot];
        for (r, row) in self.rows[k].iter().enumerate() {
            (block[4 * r + own % 4], block[4 * (own % 4) + r]) = (row.own[e], row.own[e]);
        }
    }

    /// Writes blocks (node, dual) = Jᵀ, right side E, and expected λ.
    fn write_rows(&mut self, k: usize, state: &ConstraintState) {
        let (seat, rows) = (&self.seats[k], &*self.rows[k]);
        if rows.is_empty() || self.swept.is_some() {
            return;
        }
        let values = self.matrix.values_mut();
        for (e, (place, site)) in self.places[k].iter().zip(&self.sites[k]).enumerate() {
            let nodes = self.touched[k].of_end(e);
            if nodes.len() == 0 {
                continue;
            }
            let (mut rest, mut column, mut first_slot) = (rows, seat.first_row % 4, seat.dual_slots(0));
            let forces_only = !seat.framed[e] && place.arm == DVec3::ZERO;
            while !rest.is_empty() {
                let (here, beyond) = rest.split_at(rest.len().min(4 - column));
                if forces_only {
                    for (w, n) in nodes.clone() {
                        if let Some(block) = values.get_mut(self.slots[first_slot + n] as usize) {
                            place.add_forces(w, here.iter().map(|row| row.ends[e].force), column, block);
                        }
                    }
                } else {
                    let mut spread = [SpreadRow::default(); 4];
                    for (to, row) in spread.iter_mut().zip(here) {
                        *to = place.spread(&row.ends[e], site);
                    }
                    for (w, n) in nodes.clone() {
                        // Rows on positions have no block at nodes on which only the frame depends.
                        if let Some(block) = values.get_mut(self.slots[first_slot + n] as usize) {
                            place.add_columns(w, &spread[..here.len()], column, block);
                        }
                    }
                }
                (rest, column, first_slot) = (beyond, 0, first_slot + seat.count);
            }
        }
        for e in 0..ENDS {
            let Some(own) = seat.own_local(e) else { continue };
            for (r, row) in rows.iter().enumerate() {
                values[self.slots[seat.row_slot(r, own)] as usize][(seat.first_row + r) % 4] = row.own[e];
            }
        }
        let first_dual = seat.first_row - 4 * self.primal_nodes;
        let rhs = &mut self.rhs[seat.first_row..seat.first_row + rows.len()];
        rhs.iter_mut().zip(rows).for_each(|(rhs, row)| *rhs = row.violation);
        let expected = &mut self.expected[first_dual..first_dual + rows.len()];
        expected.copy_from_slice(&state.multipliers[..rows.len()]);
        self.duals.set_units(first_dual, rows);
    }

    /// Sets −1 on the diagonal of unused rows.
    fn fill_unused_rows(&mut self) {
        for &row in &self.unused_rows {
            let slot = self.matrix.row_start(row as usize / 4);
            self.matrix.values_mut()[slot][5 * (row as usize % 4)] = -1.0;
        }
    }

    /// Adds the forces of the rows at ends with an arm to the curvature of a law, which is written for the
    /// held points: turning an arm moves its end to second order. The stiffness is indefinite. Without
    /// `exact`, stiff rows on bodies get its positive semidefinite part, which keeps light bodies stable that
    /// carry large forces.
    fn add_arms(&self, k: usize, state: &ConstraintState, exact: bool, curvature: &mut Option<Curvature>) {
        for (e, (place, site)) in self.places[k].iter().zip(&self.sites[k]).enumerate() {
            let wanted = exact || state.stiff && place.kind == PlaceKind::Frame;
            if place.arm == DVec3::ZERO || !wanted {
                continue;
            }
            let forces = self.rows[k].iter().zip(&state.multipliers);
            let force = forces.map(|(row, lambda)| row.ends[e].force * *lambda).sum();
            let end = &mut curvature.get_or_insert_default().ends[e];
            if exact {
                end.force = force;
            } else {
                end.phi_phi += rotation::positive_stiffness_of_arm(site.arm, force);
            }
        }
    }

    fn add_curvature(&mut self, k: usize, curvature: &Curvature) {
        let (seat, places, touched) = (self.seats[k], &self.places[k], self.touched[k]);
        let sites = &self.sites[k];
        let ends: [_; ENDS] =
            std::array::from_fn(|e| places[e].spread_stiffness(&curvature.ends[e], &sites[e]));
        let between = (curvature.between != CrossStiffness::ZERO).then(|| {
            let back = curvature.between.transposed();
            [
                places[0].spread_cross(&sites[0], &places[1], &sites[1], &curvature.between),
                places[1].spread_cross(&sites[1], &places[0], &sites[0], &back),
            ]
        });
        let values = self.matrix.values_mut();
        for (e, w, i) in touched.iter() {
            for (f, v, j) in touched.iter() {
                if seat.nodes[i] > seat.nodes[j] {
                    continue;
                }
                let block = self.slots[seat.pair_slot(i, j)] as usize;
                if e == f {
                    ends[e].add_block((&places[e], w), (&places[f], v), &mut values[block]);
                } else if let Some(between) = &between {
                    between[e].add_block((&places[e], w), (&places[f], v), &mut values[block]);
                }
            }
            if curvature.turn_own[e] != DVec3::ZERO {
                let turn = places[e].spread(&Wrench::moment(curvature.turn_own[e]), &sites[e]);
                let coupling = places[e].on_node(w, &turn);
                let slot = match (seat.own_local(1), seat.behind_rows) {
                    (Some(own), _) => Some((seat.pair_slot(i, own), 0)),
                    (None, Some((_, own))) => Some((seat.row_slot(0, i), own % 4)),
                    (None, None) => None,
                };
                if let Some((slot, column)) = slot {
                    let block = &mut values[self.slots[slot] as usize];
                    (0..4).for_each(|r| block[4 * r + column] += coupling[r]);
                }
            }
            let coupling = places[e].slope_on_node(w, curvature.p_own[e]);
            if let Some(own) = seat.own_local(e) {
                // Own unknowns are numbered after all objects.
                let block = &mut values[self.slots[seat.pair_slot(i, own)] as usize];
                for r in 0..3 {
                    block[4 * r] += coupling[r];
                }
            } else if let Some((_, own)) = seat.behind_rows.filter(|&(end, _)| end == e) {
                let block = &mut values[self.slots[seat.row_slot(0, i)] as usize];
                for r in 0..3 {
                    block[4 * r + own % 4] += coupling[r];
                }
            }
        }
        for e in 0..ENDS {
            if let Some(own) = seat.own_scalar(e) {
                *self.own_diagonal(own) += curvature.own_own[e];
            }
        }
    }

    /// `A += Σ J_rᵀJ_r/n_r²`, `F += Σ J_rᵀE_r/n_r²`: leaves the solution unchanged and makes A definite on
    /// the rows.
    fn augment(&mut self, k: usize) {
        let (seat, places, touched) = (self.seats[k], &self.places[k], self.touched[k]);
        let values = self.matrix.values_mut();
        for (r, row) in self.rows[k].iter().enumerate() {
            let norm = self.duals.norm(seat.first_row - 4 * self.primal_nodes + r);
            let mut jacobian = [(0, [0.0; 4]); 4 * ENDS + ENDS];
            let mut count = 0;
            let ends = spread(row, places, &self.sites[k]);
            for (e, w, n) in touched.iter() {
                jacobian[count] = (n, places[e].on_node(w, &ends[e]));
                count += 1;
            }
            for e in 0..ENDS {
                if let Some(own) = seat.own_local(e) {
                    jacobian[count] = (own, [row.own[e], 0.0, 0.0, 0.0]);
                    count += 1;
                }
            }
            for &(i, entries) in &jacobian[..count] {
                let scaled = entries.map(|j| j / norm);
                for a in 0..4 {
                    self.rhs[4 * seat.nodes[i] as usize + a] += scaled[a] * row.violation;
                }
                for &(j, others) in &jacobian[..count] {
                    if seat.nodes[i] > seat.nodes[j] {
                        continue;
                    }
                    let slot = self.slots[seat.pair_slot(i, j)];
                    let block = &mut values[slot as usize];
                    for a in 0..4 {
                        for b in 0..4 {
                            block[4 * a + b] += scaled[a] * others[b];
                        }
                    }
                }
            }
        }
    }
}

/// Stiffness of a mass that presses with F on a bent curve: −F·x'' against sliding, and −F between sliding
/// and x'. It may be indefinite. Only the exact form has the second, and a first below zero, down to
/// minus half of the inertia.
fn turning(state: &ConstraintState, site: &Site, inertia: f64, exact: bool) -> (f64, DVec3) {
    let force = DVec3::from_array(state.sliding.pressed);
    let along = -force.dot(site.pp);
    if exact {
        (along.max(-0.5 * inertia * site.p.length_squared()), -force)
    } else {
        (along.max(0.0), DVec3::ZERO)
    }
}

/// u̇/c₁ of an own unknown, where u̇ is the rate that the integrator gives to its motion so far.
pub(super) fn slid_since(state: &ConstraintState, e: usize, rule: Rule) -> f64 {
    state.own[e] - state.own_start[e] - rule.rate_before(rule.h * state.own_rate[e]) / rule.c1
}

#[cfg(test)]
mod tests {
    use super::ConstraintTerms;
    use crate::clock::NoClock;
    use crate::constraint::End;
    use crate::object::rod::Tangent;
    use crate::object::{Place, Poses, Wrench};
    use crate::step::assemble::Assembly;
    use crate::step::linearise_objects::Motion;
    use crate::step::{StepParams, System, Workspace};
    use crate::world::World;
    use glam::DVec3;
    use micado_linalg::{Arithmetic, BlockMatrix};
    use serde_json::json;

    /// A horizontal rod that is held at the end of a lever on it; `arm` in world axes.
    fn lever(arm: DVec3) -> (World, Place) {
        let build = |target: DVec3| {
            let scene = json!({
                "rod": {"a": {"shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "radius": 0.01,
                    "young": 1e7, "density": 1200, "segments": 8}},
                "constraint": {"hold": {"position": {"on": "a", "at": "31 %", "target": target.to_array()}}},
            });
            let mut world = World::build(&serde_json::from_value(scene).expect("a scene")).expect("a world");
            let End::Fixed { mut place, framed: false } = world.structure.constraints[0].ends[0] else {
                unreachable!("a position needs no frame")
            };
            let site = world.poses().site(&place, &world.frame_at(&place));
            place.arm = site.frame().transpose() * arm;
            world.structure.constraints[0].ends[0] = End::Fixed { place, framed: false };
            (world, place)
        };
        let (world, place) = build(DVec3::ZERO);
        build(world.poses().position(&place))
    }

    #[test]
    fn lever_turns_with_the_frame_of_its_rod() {
        // The rod swings in the plane of x and z.
        let (mut world, place) = lever(DVec3::Z * 0.1);
        let (mut workspace, params) = (Workspace::new(), StepParams { step: 2e-3, ..StepParams::default() });
        let mut farthest = 0.0_f64;
        for _ in 0..150 {
            let report = world.step(&params, &mut workspace, &NoClock);
            assert!(!report.held, "{report:?}");
            let [site, target] = world.sites(0).expect("a constraint");
            let arm = DVec3::Y.cross(site.t) * -0.1;
            assert!((site.arm - arm).length() < 1e-9, "{} {arm}", site.arm);
            // In a plane the frame of the constraint and that of the rod turn alike.
            assert!((world.poses().position(&place) - site.x).length() < 1e-9);
            // A step of one solve misses by the square of the turn in it.
            assert!((site.x - target.x).length() < 1e-4, "{} {}", site.x, target.x);
            farthest = farthest.max(site.t.angle_between(DVec3::X));
        }
        assert!(farthest > 0.1, "{farthest}");
    }

    #[test]
    fn position_on_a_lever_has_the_stiffness_of_its_arm() {
        let (mut world, place) = lever(DVec3::new(0.05, -0.2, 0.1));
        let mut seed = 3_u64;
        let mut noise = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        world.state.q.iter_mut().for_each(|q| *q += 0.02 * noise());
        let frame = world.frame_at(&place);
        world.state.constraints[0].frames[0] = frame;
        let force = DVec3::new(0.7, -0.4, 0.9);
        let matrix = |force: DVec3| {
            let (structure, mut state) = (&world.structure, world.state.clone());
            state.constraints[0].multipliers[..3].copy_from_slice(&force.to_array());
            let mut system = System::new(structure, &state, true);
            Assembly {
                structure,
                state: &state,
                time: 0.0,
                motion: &Motion::none(1.0),
                tangent: Tangent::Exact,
                terms: ConstraintTerms {
                    exact: true,
                    augment_all: false,
                    curved: true,
                    reach: 1.0,
                    rule: None,
                    start: None,
                },
                arithmetic: Arithmetic::Portable,
            }
            .write(&mut system, &mut Vec::new());
            system.matrix.clone()
        };
        let (with, without) = (matrix(force), matrix(DVec3::ZERO));
        // −∂(Jᵀλ)/∂q
        let (n, step) = (world.state.q.len(), 1e-5);
        let column = |j: usize| {
            let [after, before] = [step, -step].map(|by| {
                let mut q = world.state.q.clone();
                q[j] += by;
                let poses = Poses { q: &q, ..world.poses() };
                let mut generalised = vec![0.0; n];
                place.add_wrench(&Wrench::force(force), &poses.site(&place, &frame), &mut generalised);
                generalised
            });
            (0..n).map(|i| -(after[i] - before[i]) / (2.0 * step)).collect::<Vec<f64>>()
        };
        let columns: Vec<Vec<f64>> = (0..n).map(column).collect();
        let mut checks = 0;
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i / 4 <= j / 4) {
            let expected = 0.5 * (columns[j][i] + columns[i][j]);
            let slot = with.slot(i as u32 / 4, j as u32 / 4);
            let entry = |of: &BlockMatrix| slot.map_or(0.0, |slot| of.values()[slot][4 * (i % 4) + j % 4]);
            let says = entry(&with) - entry(&without);
            assert!((says - expected).abs() < 1e-7, "{i} {j}: {says} {expected}");
            checks += usize::from(expected.abs() > 1e-3);
        }
        assert!(checks > 60, "{checks}");
    }
}
