//! Collects the non-smooth rows of a solve: of constraints, in their order, then of contacts.

use super::rebound::{ROUNDING, Rebounds, approaches};
use super::{BegunBlock, Block, BlockRow, NonSmooth, Owner};
use crate::constraint::{
    Circumstances, ConstraintState, ENDS, Law, MAX_PUSHES, NonSmoothBlock, NonSmoothRow, NormalForce, Row,
    Site, Wrench,
};
use crate::contact::{Begun, Contact, ContactSource as _, View};
use crate::law::{BlockLaw, BlockRows, Kept, MAX_BLOCK};
use crate::object::Place;
use crate::step::order::System;
use crate::step::seat::{Seat, nodes_of};
use crate::world::{State, Structure, sliding};
use glam::DVec3;

/// Most coefficients of a wrench: four nodes of four unknowns.
const MOST_COEFFICIENTS: usize = 16;

/// Motion from the beginning of a substep to the state of a solve.
#[derive(Clone, Copy)]
pub(crate) struct Progress<'a> {
    /// Increment of all objects; `None` in a solve from the beginning.
    pub(crate) increment: Option<&'a [f64]>,
    /// Velocity of the scheme.
    pub(crate) velocity: &'a [f64],
    /// c₁, 1/s
    pub(crate) velocity_gain: f64,
    /// Velocity at the beginning.
    pub(crate) began: &'a [f64],
    /// Size of the structure, m.
    pub(crate) size: f64,
    /// Whether velocities are those of the ends of steps, instead of their middles.
    pub(crate) at_ends: bool,
}

/// The ends of a constraint: their places and sites, and the constraint's position in the system.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a> {
    pub(super) structure: &'a Structure,
    pub(super) places: &'a [Place; ENDS],
    pub(super) sites: &'a [Site; ENDS],
    pub(super) seat: &'a Seat,
}

impl System {
    /// Collects the non-smooth rows of all constraints, in order, then of contacts. `began` is the state at
    /// the beginning of the step; custom laws start every solve with its memory.
    pub(crate) fn collect_non_smooth(
        &mut self,
        structure: &Structure,
        [state, began]: [&State; 2],
        time: f64,
        gain: f64,
        progress: Option<Progress<'_>>,
    ) {
        let at_ends = progress.is_some_and(|progress| progress.at_ends);
        self.non_smooth.clear();
        for (k, (constraint, memory)) in structure.constraints.iter().zip(&state.constraints).enumerate() {
            // Statics and quasi-static islands compare the load with the strength after convergence.
            if gain > 0.0 && !memory.open && !self.augmented[k] {
                self.add_absorbed(k, &constraint.law);
            }
            if self.swept.is_some() {
                self.add_swept(k, structure, memory);
            }
            if !constraint.law.is_non_smooth() || memory.open || memory.duplicate_of.is_some() {
                continue;
            }
            let mut here = Circumstances { own: memory.own, kind: memory.kind, ..Circumstances::default() };
            for e in 0..ENDS {
                here.slid[e] = memory.own[e] - memory.own_start[e];
                here.range[e] = sliding::range(structure, constraint, e);
                if let Some(radius) = constraint.law.rubs_over() {
                    here.turn[e] = sliding::turn(structure, state, k, e, radius);
                }
            }
            if constraint.law.sliding_mass().is_some() {
                here.force = self.mass_force[k];
                here.inertia = self.mass_inertia[k];
            }
            let rebounds = gain > 0.0 && !self.augmented[k] && constraint.law.rebounds();
            let Self { non_smooth, places, sites, seats, from_start, solution, .. } = self;
            let ends = Ends { structure, places: &places[k], sites: &sites[k], seat: &seats[k] };
            let memory = (memory, &*began.constraints[k].kept);
            let approaches = rebounds.then(|| approaches(structure, constraint, k, began, ends.places));
            let mut add = |block: &NonSmoothBlock<'_>| {
                non_smooth.add_block((k, memory), &ends, block);
                if let Some(approaches) = &approaches {
                    let of = Rebounds { motion: solution, gain, at_ends, slowest: 0.0 };
                    non_smooth.rebound(k, block, approaches[block.first], of);
                }
            };
            if !from_start[k] {
                constraint.law.non_smooth(ends.sites, time, &here, add);
                continue;
            }
            // Rows with the directions of the start have the gaps of the present state.
            let mut gaps = [0.0; MAX_PUSHES];
            let present = constraint.find_sites(structure.poses(state), memory.0, time);
            constraint.law.non_smooth(&present, time, &here, |block| {
                gaps[block.first..].iter_mut().zip(block.rows).for_each(|(gap, row)| *gap = row.gap);
            });
            constraint.law.non_smooth(ends.sites, time, &here, |block| {
                let mut rows = [NonSmoothRow::new(Row::default(), 0.0); MAX_BLOCK];
                let rows = &mut rows[..block.rows.len()];
                for ((to, row), gap) in rows.iter_mut().zip(block.rows).zip(&gaps[block.first..]) {
                    *to = NonSmoothRow { gap: *gap, ..*row };
                }
                add(&NonSmoothBlock { rows, ..block.clone() });
            });
        }
        let Self { sources, non_smooth, places, sites, seats, condensed, solution, .. } = self;
        let view = View { structure, state, places, sites, condensed: !condensed.is_empty() };
        sources.find(&view, &mut |contact| {
            non_smooth.add_contact(&view, seats, contact);
            if let (Some(begun), Some(progress)) = (contact.begun, progress) {
                non_smooth.move_touch(&begun, progress, solution, gain);
            }
        });
        self.non_smooth.struck.decide();
    }

    /// Adds the bilateral rows of a constraint, with the multipliers of its last solve.
    fn add_swept(&mut self, k: usize, structure: &Structure, memory: &ConstraintState) {
        let Self { non_smooth, places, sites, seats, rows, .. } = self;
        let ends = Ends { structure, places: &places[k], sites: &sites[k], seat: &seats[k] };
        let given = &rows[k][..ends.seat.rows];
        let mut multipliers = memory.multipliers.iter();
        let mut next = ends.seat.first_row as u32;
        for block in given.chunks(MAX_BLOCK) {
            let law = BlockLaw::Bilateral { rows: BlockRows::new(block.len()) };
            let mut found = Block::new(Owner::Swept, law, non_smooth.rows.len());
            found.guess.iter_mut().zip(multipliers.by_ref().take(block.len())).for_each(|(to, f)| *to = *f);
            non_smooth.blocks.push(found);
            for row in block {
                // δ = JΔ − E
                non_smooth.add_row(&ends, &NonSmoothRow::new(*row, -row.violation), -row.violation);
                if let Some(added) = non_smooth.rows.last_mut() {
                    added.multiplier = Some(next);
                }
                next += 1;
            }
        }
    }

    /// Adds the rows of a constraint in the factored system whose multipliers are bounded.
    fn add_absorbed(&mut self, k: usize, law: &Law) {
        let (dual, of) = (self.seats[k].first_row as u32, &self.rows[k]);
        let NonSmooth { blocks, rows, coefficients, normals, .. } = &mut self.non_smooth;
        law.strengths(|first, law| {
            let count = law.rows();
            blocks.push(Block::new(Owner::Absorbed { constraint: k }, law, rows.len()));
            for row in first..first + count {
                // The solution holds −λ.
                coefficients.push((dual + row as u32, -1.0));
                rows.push(BlockRow {
                    gap: 0.0,
                    coefficients: (coefficients.len() - 1, coefficients.len()),
                    normals: (normals.len(), normals.len()),
                    normal: DVec3::ZERO,
                    tangent: DVec3::ZERO,
                    angle: of[row].angle,
                    multiplier: None,
                    absorbed: true,
                });
            }
        });
    }
}

impl NonSmooth {
    /// Adds a block of constraint k, with the memory of its last solve and the memory of its laws from the
    /// last step.
    pub(super) fn add_block(
        &mut self,
        (k, (memory, began)): (usize, (&ConstraintState, &[Kept; MAX_PUSHES])),
        ends: &Ends<'_>,
        given: &NonSmoothBlock<'_>,
    ) {
        let NonSmoothBlock { first: row, ref law, rows } = *given;
        debug_assert_eq!(rows.len(), law.rows(), "one row per row of the law");
        let mut kept = [Kept::default(); MAX_BLOCK];
        let known = if law.needs_visits() { began } else { &*memory.kept };
        kept[..rows.len()].copy_from_slice(&known[row..row + rows.len()]);
        law.start(&mut kept[..rows.len()]);
        self.blocks.push(Block {
            guess: law.guess(&memory.pushes[row..]),
            kept,
            ..Block::new(Owner::Constraint { constraint: k, row }, law.clone(), self.rows.len())
        });
        for (a, row) in rows.iter().enumerate() {
            let gap = self.approached(law, a, row.gap);
            self.add_row(ends, row, gap);
        }
    }

    /// The gap of row `a` of a block that this solve closes: only a share of a violation if targets are
    /// approached.
    fn approached(&self, law: &BlockLaw, a: usize, gap: f64) -> f64 {
        if gap < 0.0 && law.is_one_sided(a) { self.reach * gap } else { gap }
    }

    /// Adds a row of a constraint with its gap.
    fn add_row(&mut self, ends: &Ends<'_>, row: &NonSmoothRow, gap: f64) {
        let first = self.coefficients.len();
        for e in 0..ENDS {
            let (place, wrench) = (&ends.places[e], &row.row.ends[e]);
            // A stop has a coefficient on its own unknown only.
            if place.is_somewhere() && !wrench.is_zero() {
                self.push_wrench(ends.structure, place, &ends.sites[e], wrench);
            }
            self.push_own(ends.seat.own_scalar(e), row.row.own[e]);
        }
        let normals = self.normals.len();
        let (mut normal, mut tangent) = (DVec3::ZERO, DVec3::ZERO);
        match row.normal {
            NormalForce::None => {}
            // λ without its part along the rod; the solution holds −λ.
            NormalForce::OfRows { along } => {
                tangent = along;
                self.normals.push((ends.seat.first_row as u32, 1.0));
            }
            NormalForce::OfBody { along, force, inertia } => {
                // Force and inertia of the body across the rod, F − m c₀ Δx.
                (tangent, normal) = (along, force.reject_from_normalized(along));
                let place = &ends.places[0];
                let nodes = nodes_of(ends.structure, place).zip(place.position_shares());
                self.normals.extend(nodes.map(|(node, share)| (4 * node, inertia * share)));
            }
        }
        self.rows.push(BlockRow {
            gap,
            coefficients: (first, self.coefficients.len()),
            normals: (normals, self.normals.len()),
            normal,
            tangent,
            angle: row.row.angle,
            multiplier: None,
            absorbed: false,
        });
    }

    /// Adds the rows of a contact, with its memory.
    fn add_contact(&mut self, view: &View<'_>, seats: &[Seat], contact: &Contact<'_>) {
        let known = contact.begun.map(|begun| begun.known).or_else(|| view.state.contacts.find(&contact.key));
        let (guess, kept) =
            known.map_or_else(Default::default, |known| (contact.law.guess(&known.forces), known.kept));
        let mut block = Block::new(Owner::Contact(contact.key), contact.law.clone(), self.rows.len());
        (block.guess, block.kept[0]) = (guess, kept);
        block.begun = contact.begun.map(|begun| BegunBlock {
            touch: begun.touch,
            mark: begun.known.mark,
            moved: 0.0,
            bend: begun.bend,
        });
        self.blocks.push(block);
        for (a, row) in contact.rows[..contact.law.rows()].iter().enumerate() {
            let gap = self.approached(&contact.law, a, row.gap);
            let (first, normals) = (self.coefficients.len(), self.normals.len());
            for (s, side) in contact.sides.iter().enumerate() {
                if side.place.is_somewhere() && !row.wrenches[s].is_zero() {
                    self.push_wrench(view.structure, side.place, side.site, &row.wrenches[s]);
                }
                self.push_own(side.own.and_then(|(k, e)| seats[k].own_scalar(e)), row.own[s]);
            }
            self.rows.push(BlockRow {
                gap,
                coefficients: (first, self.coefficients.len()),
                normals: (normals, normals),
                normal: DVec3::ZERO,
                tangent: DVec3::ZERO,
                angle: false,
                multiplier: None,
                absorbed: false,
            });
        }
    }

    /// Sets the gaps of the last contact, a contact of surfaces, to those of the state of the solve. An
    /// overlap at the beginning does not count: surfaces may stay where they are.
    fn move_touch(&mut self, begun: &Begun<'_>, progress: Progress<'_>, motion: &[f64], gain: f64) {
        let Some(block) = self.blocks.last_mut() else { return };
        let (first, rows) = (block.first, block.law.rows());
        let along = |row: &BlockRow, coefficients: &[(u32, f64)], of: &[f64]| {
            let (from, to) = row.coefficients;
            coefficients[from..to].iter().map(|&(i, c)| c * of[i as usize]).sum::<f64>()
        };
        let normal = &mut self.rows[first];
        let moved = progress.increment.map_or(0.0, |increment| along(normal, &self.coefficients, increment));
        normal.gap = normal.gap.max(0.0) + moved;
        if let Some(begun) = &mut block.begun {
            begun.moved = moved;
        }
        for row in &mut self.rows[first + 1..first + rows] {
            row.gap += along(row, &self.coefficients, progress.velocity) / progress.velocity_gain;
        }
        let hit = (begun.touch, begun.restitution);
        let slowest = ROUNDING * progress.size * gain;
        let of = Rebounds { motion, gain, at_ends: progress.at_ends, slowest };
        self.rebound_touch(hit, (first, moved), progress.began, of);
    }

    /// Coefficients of a wrench at a place.
    fn push_wrench(&mut self, structure: &Structure, place: &Place, site: &Site, wrench: &Wrench) {
        let spread = place.spread(wrench, site);
        let (mut some, mut count) = ([(0, 0.0); MOST_COEFFICIENTS], 0);
        let mut put = |scalar: u32, entry: f64| {
            // The next entry overwrites one that is zero.
            some[count % MOST_COEFFICIENTS] = (scalar, entry);
            count += usize::from(entry.to_bits() << 1 != 0);
        };
        let nodes = nodes_of(structure, place).map(|node| 4 * node);
        if spread.is_force() {
            for (node, share) in nodes.zip(place.position_shares()) {
                (spread.x * *share).to_array().into_iter().zip(node..).for_each(|(entry, i)| put(i, entry));
            }
        } else {
            for (n, node) in nodes.enumerate() {
                place.on_node(n, &spread).into_iter().zip(node..).for_each(|(entry, i)| put(i, entry));
            }
        }
        self.coefficients.extend_from_slice(&some[..count]);
    }

    /// Coefficient of an own unknown, by its scalar number.
    fn push_own(&mut self, own: Option<usize>, coefficient: f64) {
        if let (Some(own), true) = (own, coefficient != 0.0) {
            self.coefficients.push((own as u32, coefficient));
        }
    }
}
