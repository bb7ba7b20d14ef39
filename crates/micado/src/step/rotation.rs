//! Rotation of rigid bodies in time.
//!
//! The free rotation of a body over a step, R → R* = exp(Φ*) R, solves the implicit midpoint rule in body
//! axes, which keeps energy and spin momentum L exactly:
//!
//! ```text
//! I (Ω₁ − Ω₀) + h Ω×IΩ = 0,   Ω = ½(Ω₀ + Ω₁),   φ = (2/|Ω|) atan(h|Ω|/2) Ω
//! exp(Φ*) = exp(δ L/|L|) exp(R φ),   δ = (h|Ω| − |φ|) cos(Ω, L)
//! ```
//!
//! A turn about L changes neither L nor Ω₁. With δ a steady spin turns by hω exactly; without it, by
//! 2 atan(hω/2), and rates of coordinates would differ from spins by a share (hω)²/12.
//!
//! Accelerations are measured from R*, so A has no gyroscopic term. J = R I Rᵀ in the state of a solve:
//!
//! ```text
//! Euler   J a = J ψ/h²,  ψ = log(R_k R*ᵀ)             L⁺ = L + J (ψ + δφ)/h
//! BDF2    J a = (3 L_k − 4 L_n + L_{n−1})/(2h)        L⁺ = L_k + 3/(2h) J δφ
//!         L_k = J ω_k,  ω_k = (3Φ − Φ₋)/(2h) + κ,  Φ = log(R_k R_nᵀ)
//! ```
//!
//! κ = ω* − (3Φ* + Φ_back)/(2h) makes free rotation exact for BDF2 too; Φ_back is the free rotation over −h.
//! δφ is the increment of the last solve. The state stores ω = J⁻¹L; history stores Φ₋ = log(R_n R_{n−1}ᵀ)
//! and ω_{n−1}.

use super::integrator::Rule;
use crate::constraint::{Constraint, End};
use crate::geometry::rotation::{any_normal, cross_matrix, log_of, outer, rotation_of};
use crate::object::{Object, Place};
use crate::scene::Integrator;
use crate::world::islands::objects_of;
use crate::world::{State, Structure, Toucher};
use glam::{DMat3, DQuat, DVec3};

/// Largest turns of a constrained body in a substep, rad: by its spin at the start (1, with room for
/// rounding), and in the whole substep. BDF2 becomes unstable at 2 rad.
const MOST_TURN: f64 = 1.000_001;
const REFUSED_TURN: f64 = 1.25;
/// Turn below which a solve is linearised at the start of the step, rad: rounding of quaternions.
const AT_START: f64 = 1e-13;
/// Most Newton iterations of a free rotation. Convergence is quadratic; a few are enough for turns of order
/// 1.
const MOST_ITERATIONS: usize = 50;

/// The rotating node of an object.
#[derive(Clone, Copy, Debug)]
struct Spinner {
    /// Index of the object.
    object: usize,
    /// First of its unknowns in the arrays of the world.
    at: usize,
    /// Inertia in body axes.
    inertia: DMat3,
}

/// Free rotation of a body over a time.
#[derive(Clone, Copy, Debug)]
struct FreeRotation {
    /// Rotation vector, world axes.
    turn: DVec3,
    /// Angular velocity at its end, body axes.
    spin: DVec3,
}

fn spinners(structure: &Structure) -> impl Iterator<Item = Spinner> + '_ {
    structure.objects.iter().enumerate().filter_map(|(k, object)| Spinner::of(k, object))
}

impl Spinner {
    /// The rotating node of object number `k`, if it has one.
    fn of(k: usize, object: &Object) -> Option<Self> {
        let (node, inertia) = object.model().spin_inertia()?;
        Some(Self { object: k, at: 4 * (object.first + node), inertia })
    }

    fn rotation(&self, q: &[f64]) -> DQuat {
        DQuat::from_slice(&q[self.at..self.at + 4])
    }

    fn vector(&self, of: &[f64]) -> DVec3 {
        DVec3::from_slice(&of[self.at..])
    }

    fn set(&self, vector: DVec3, of: &mut [f64]) {
        of[self.at..self.at + 3].copy_from_slice(&vector.to_array());
    }

    /// J = R I Rᵀ
    fn world_inertia(&self, rotation: DQuat) -> DMat3 {
        let r = DMat3::from_quat(rotation);
        r * self.inertia * r.transpose()
    }

    /// Free rotation over the time `h`, which may be negative, from angular velocity `spin` in world axes.
    fn free_rotation(&self, rotation: DQuat, spin: DVec3, h: f64) -> FreeRotation {
        let (i, before) = (self.inertia, rotation.inverse() * spin);
        let mut after = before;
        for _ in 0..MOST_ITERATIONS {
            let middle = (before + after) * 0.5;
            let residual = i * (after - before) + middle.cross(i * middle) * h;
            let slope = i + (cross_matrix(middle) * i - cross_matrix(i * middle)) * (0.5 * h);
            let change = slope.inverse() * residual;
            after -= change;
            if change.is_nan() || change.length() <= 4.0 * f64::EPSILON * before.length() {
                break;
            }
        }
        let middle = (before + after) * 0.5;
        let rate = middle.length();
        let turn = if rate * h.abs() < 1e-9 {
            middle * h
        } else {
            middle * (2.0 / rate * libm::atan(0.5 * h * rate))
        };
        let missing = rate * h.abs() - turn.length();
        if missing <= f64::EPSILON {
            return FreeRotation { turn: rotation * turn, spin: after };
        }
        let momentum = rotation * (i * before);
        let about = momentum.normalize_or_zero();
        let missing = missing.copysign(h) * about.dot(rotation * middle) / rate;
        let turn = log_of(rotation_of(about * missing) * rotation_of(rotation * turn));
        FreeRotation { turn, spin: after }
    }
}

/// Whether a constraint that is not stiff pushes in the directions of the start of an Euler step. Reactions
/// then act where bodies were, which is the symplectic choice, and bodies on joints keep their energy. Stiff
/// rows need their curvature and the directions of the solve. So do rows on curves and paths: their
/// directions turn as fast as the body slides, and if the curve turns within the step, those of its start do
/// false work.
pub(super) fn may_keep_directions(structure: &Structure, constraint: &Constraint) -> bool {
    let object = |end: &End| match end {
        End::Fixed { place, .. } => place.object().map(|k| structure.objects[k].model()),
        _ => None,
    };
    let rigid =
        |end: &End| matches!(end, End::World) || object(end).is_some_and(|model| model.curve().is_none());
    !constraint.law.own_unknowns().contains(&true)
        && constraint.ends.iter().all(rigid)
        && constraint.ends.iter().filter_map(object).any(|model| model.spin_inertia().is_some())
}

/// Stiffness −H(f, r) = (r·f) Id − ½(r fᵀ + f rᵀ) of a force f at the end of an arm r, N·m.
pub(super) fn stiffness_of_arm(arm: DVec3, force: DVec3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(arm.dot(force))) - (outer(arm, force) + outer(force, arm)) * 0.5
}

/// Size of J^(−½) K J^(−½), 1/s², of a stiffness K of the rotation of an object; 0 if it has none. Its square
/// is the trace of (J⁻¹K)².
pub(super) fn by_inertia(object: &Object, q: &[f64], stiffness: DMat3) -> f64 {
    let Some(spinner) = Spinner::of(0, object) else { return 0.0 };
    size_of(spinner.world_inertia(spinner.rotation(q)).inverse() * stiffness)
}

/// Inertia of a body against rotation while rows hold it: a row along n at an arm r with a neighbour of mass
/// μ adds μ (n·v + (r×n)·φ)², and the velocity v of the centre is the one with the least kinetic energy,
///
/// ```text
/// M = m + Σ μ nnᵀ,  S = Σ μ n (r×n)ᵀ:    J + Σ μ (r×n)(r×n)ᵀ − Sᵀ M⁻¹ S
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct Swing {
    mass: DMat3,
    lever: DMat3,
    inertia: DMat3,
}

impl Swing {
    /// A body without rows.
    pub(super) const FREE: Self = Self { mass: DMat3::ZERO, lever: DMat3::ZERO, inertia: DMat3::ZERO };

    /// Adds a row with the direction `n` at an arm, and a neighbour of this mass.
    pub(super) fn hold(&mut self, n: DVec3, arm: DVec3, mass: f64) {
        let turn = arm.cross(n);
        self.mass += outer(n, n) * mass;
        self.lever += outer(n, turn) * mass;
        self.inertia += outer(turn, turn) * mass;
    }

    /// Like [`by_inertia`], for the inertia of the body on its rows.
    pub(super) fn of(&self, object: &Object, q: &[f64], stiffness: DMat3) -> f64 {
        let Some(spinner) = Spinner::of(0, object) else { return 0.0 };
        let mass = self.mass + DMat3::from_diagonal(DVec3::splat(object.model().total_mass()));
        let carried = self.inertia - self.lever.transpose() * mass.inverse() * self.lever;
        size_of((spinner.world_inertia(spinner.rotation(q)) + carried).inverse() * stiffness)
    }
}

/// Mass of a body against a force at an arm in its softest direction: 1/|Id/m − [r]J⁻¹[r]|. `None` if the
/// object is no body.
pub(super) fn mass_at(object: &Object, q: &[f64], arm: DVec3) -> Option<f64> {
    let spinner = Spinner::of(0, object)?;
    let cross = cross_matrix(arm);
    let turning = cross * spinner.world_inertia(spinner.rotation(q)).inverse() * cross;
    let mobility = DMat3::from_diagonal(DVec3::splat(object.model().total_mass().recip())) - turning;
    Some(size_of(mobility).recip())
}

/// Root of the trace of the square of a matrix with real eigenvalues: at least the largest of them.
fn size_of(matrix: DMat3) -> f64 {
    let square = matrix * matrix;
    (square.x_axis.x + square.y_axis.y + square.z_axis.z).max(0.0).sqrt()
}

/// Positive semidefinite part of [`stiffness_of_arm`]. With c the cosine between them, its eigenvalues are
/// |r||f| times c across both, (c + 1)/2 along the difference of their directions, and (c − 1)/2 along the
/// sum.
pub(super) fn positive_stiffness_of_arm(arm: DVec3, force: DVec3) -> DMat3 {
    let size = arm.length() * force.length();
    if size == 0.0 {
        return DMat3::ZERO;
    }
    let (r, f) = (arm.normalize(), force.normalize());
    let cosine = r.dot(f).clamp(-1.0, 1.0);
    let across = any_normal(r, r.cross(f));
    // In the plane of both, across their sum.
    let difference = across.cross((r + f).try_normalize().unwrap_or(r));
    (outer(across, across) * cosine.max(0.0) + outer(difference, difference) * (0.5 * (cosine + 1.0))) * size
}

/// The free rotation of a body over a substep. It depends only on the state at the beginning, so all solves
/// share it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spin {
    spinner: Spinner,
    /// Rotation at the beginning, and after the free rotation.
    before: DQuat,
    ahead: DQuat,
    free: FreeRotation,
    /// Rotation vector of the free rotation over −h; zero with Euler's rule, which doesn't need it.
    back: DVec3,
    /// Spin momentum at the beginning.
    momentum: DVec3,
}

/// Finds the free rotations of all bodies over a substep from the state `start`.
pub(super) fn find_spins(structure: &Structure, start: &State, rule: Rule, spins: &mut Vec<Spin>) {
    spins.clear();
    spins.extend(spinners(structure).map(|spinner| {
        let (before, spin) = (spinner.rotation(&start.q), spinner.vector(&start.v));
        let free = spinner.free_rotation(before, spin, rule.h);
        let back = || spinner.free_rotation(before, spin, -rule.h).turn;
        Spin {
            spinner,
            before,
            ahead: rotation_of(free.turn) * before,
            free,
            back: if rule.second_order { back() } else { DVec3::ZERO },
            momentum: spinner.world_inertia(before) * spin,
        }
    }));
}

/// Replaces the rotations in `increment`, h v, by free rotations.
pub(super) fn turn_freely(spins: &[Spin], increment: &mut [f64]) {
    for spin in spins {
        spin.spinner.set(spin.free.turn, increment);
    }
}

/// Minus the angular acceleration so far, and the angular velocity so far, of all bodies in the state
/// `present` of a step from `start`.
pub(super) fn set_motion(
    spins: &[Spin],
    rule: Rule,
    [start, present]: [&State; 2],
    inertia: &mut [f64],
    velocity: &mut [f64],
) {
    for spin in spins {
        let spinner = &spin.spinner;
        let motion = spin.motion(rule, start, spinner.rotation(&present.q));
        spinner.set(-motion.acceleration, inertia);
        spinner.set(motion.spin, velocity);
    }
}

/// Motion of a body in a solve.
struct SpinMotion {
    /// Angular acceleration so far: J times it is the rate of the momentum.
    acceleration: DVec3,
    /// Angular velocity so far, rad/s.
    spin: DVec3,
    /// Momentum after the solve is this + c₁ J (offset + δφ).
    momentum: DVec3,
    offset: DVec3,
}

impl Spin {
    /// Motion in a solve that is linearised at the rotation `present`.
    fn motion(&self, rule: Rule, start: &State, present: DQuat) -> SpinMotion {
        let Self { spinner, before, ahead, free, back, momentum } = *self;
        if !rule.second_order {
            let offset = log_of(present * ahead.inverse());
            let acceleration = offset * rule.c0;
            return SpinMotion { acceleration, spin: (free.turn + offset) * rule.c1, momentum, offset };
        }
        let turn = log_of(present * before.inverse());
        // A solve from the start counts from the free rotation too.
        let (turn, at) = if turn.length() < AT_START { (free.turn, ahead) } else { (turn, present) };
        let (last, spin_before) =
            (spinner.vector(&start.history.increment), spinner.vector(&start.history.velocity));
        let twice = 2.0 * rule.h;
        let defect = ahead * free.spin - (free.turn * 3.0 + back) / twice;
        let now = (turn * 3.0 - last) / twice + defect;
        let reached = spinner.world_inertia(at) * now;
        let earlier = spinner.world_inertia(rotation_of(-last) * before) * spin_before;
        let change = (reached * 3.0 - momentum * 4.0 + earlier) / twice;
        let offset = log_of(present * at.inverse());
        SpinMotion {
            acceleration: spinner.world_inertia(present).inverse() * change + offset * rule.c0,
            spin: now + offset * rule.c1,
            momentum: reached,
            offset,
        }
    }
}

/// Whether a body with a constraint or a spring turns by more than [`REFUSED_TURN`] in a substep that ends in
/// the state `present`; whole turns count. The turn of a free body is not limited.
pub(super) fn turns_too_far(structure: &Structure, spins: &[Spin], present: &State) -> bool {
    spins.iter().any(|Spin { spinner, ahead, free, .. }| {
        let apart = log_of(spinner.rotation(&present.q) * ahead.inverse());
        let turned = free.turn.length() + apart.length();
        turned.is_nan() || turned > REFUSED_TURN && is_attached(structure, present, spinner.object)
    })
}

/// Number of halvings of a step of length `h`, at most `most`, after which no body with a constraint or a
/// spring turns by more than [`MOST_TURN`] in a substep with its present spin.
pub(super) fn halvings(structure: &Structure, state: &State, h: f64, most: u32) -> u32 {
    let turns = |spinner: &Spinner| spinner.vector(&state.v).length() * h;
    let fast = spinners(structure)
        .filter(|spinner| turns(spinner) > MOST_TURN && is_attached(structure, state, spinner.object));
    let turn = fast.map(|spinner| turns(&spinner)).fold(0.0, f64::max);
    (0..most).find(|&k| turn <= MOST_TURN * f64::from(1 << k)).unwrap_or(most)
}

/// Whether a constraint, a spring or a contact acts on an object.
fn is_attached(structure: &Structure, state: &State, object: usize) -> bool {
    let mut held = structure
        .constraints
        .iter()
        .zip(&state.constraints)
        .map(|(constraint, memory)| objects_of(constraint, memory));
    let mut sprung = structure
        .springs
        .iter()
        .map(|spring| spring.ends.each_ref().map(|end| end.place().and_then(Place::object)));
    let itself = Toucher::Object(object as u32);
    let mut touching = state.contacts.iter().filter(|known| known.forces[0] > 0.0);
    held.any(|ends| ends.contains(&Some(object)))
        || sprung.any(|ends| ends.contains(&Some(object)))
        || touching.any(|known| known.key.between.contains(&itself))
}

/// Angular velocities and history of the trial state after the last solve.
pub(super) fn finish(
    spins: &[Spin],
    (integrator, rule): (Integrator, Rule),
    start: &State,
    last_increment: &[f64],
    trial: &mut State,
) {
    for spin in spins {
        let spinner = &spin.spinner;
        let after = spinner.rotation(&trial.q);
        let last = spinner.vector(last_increment);
        // The state in which the last solve was linearised.
        let solved_at = rotation_of(-last) * after;
        let motion = spin.motion(rule, start, solved_at);
        let inertia = spinner.world_inertia(solved_at);
        let momentum = motion.momentum + inertia * ((motion.offset + last) * rule.c1);
        spinner.set(spinner.world_inertia(after).inverse() * momentum, &mut trial.v);
        if integrator == Integrator::Bdf2 {
            spinner.set(log_of(after * spin.before.inverse()), &mut trial.history.increment);
            spinner.set(spinner.vector(&start.v), &mut trial.history.velocity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{positive_stiffness_of_arm, stiffness_of_arm};
    use glam::DVec3;

    #[test]
    fn positive_part_of_the_stiffness_of_an_arm_drops_what_is_negative() {
        let pairs = [
            (DVec3::new(1.0, 2.0, -0.5), DVec3::new(-0.3, 1.0, 0.8)),
            (DVec3::new(1.0, 0.0, 0.0), DVec3::new(2.0, 0.0, 0.0)),
            (DVec3::new(1.0, 0.0, 0.0), DVec3::new(-2.0, 1.0, 0.0)),
            (DVec3::new(1.0, 0.0, 0.0), DVec3::new(-2.0, 0.0, 0.0)),
        ];
        for (r, f) in pairs {
            let exact = stiffness_of_arm(r, f);
            let eigen = nalgebra::Matrix3::from_column_slice(&exact.to_cols_array()).symmetric_eigen();
            let positive = eigen.eigenvalues.map(|value| value.max(0.0));
            let expected = eigen.eigenvectors
                * nalgebra::Matrix3::from_diagonal(&positive)
                * eigen.eigenvectors.transpose();
            let found = positive_stiffness_of_arm(r, f).to_cols_array();
            // Rounding of an eigenvalue problem of size 3.
            assert!(found.iter().zip(expected.iter()).all(|(a, b)| (a - b).abs() < 1e-13), "{r} {f}");
        }
    }
}
