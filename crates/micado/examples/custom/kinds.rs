//! A custom law, a custom constraint and a custom force, as a program writes them.

use glam::DVec3;
use micado::custom::{
    CustomConstraint, CustomForce, CustomLaw, ENDS, ForceAction, ForceEnd, Local, MAX_BLOCK, MAX_MEMORY,
    Parameters, Registry, Row, Rows, Site, Wrench,
};
use micado::error::BuildError;
use std::f64::consts::{PI, TAU};

/// All three, by name.
pub(crate) fn registry() -> Registry {
    Registry::new()
        .law("clutch", Clutch::new)
        .constraint("rack-and-pinion", RackAndPinion::new)
        .force("yielding", Yielding::new)
}

/// A clutch. It holds up to the force `holds`; then it slides with the smaller force `slides` until it is at
/// rest again.
///
/// |f| ≤ r over all rows; below the bound δ = 0, at the bound δ = −s f with s ≥ 0. r is `slides` while it
/// slides, else `holds`. Memory: whether it slid in the last step, and whether it slides in this one.
#[derive(Debug)]
pub(crate) struct Clutch {
    rows: usize,
    holds: f64,
    slides: f64,
}

impl Clutch {
    pub(crate) fn new(given: &Parameters) -> Result<Self, BuildError> {
        given.only(&["rows", "holds", "slides"])?;
        let rows = given.number_or("rows", Some(2.0))?;
        let (holds, slides) = (given.positive("holds")?, given.positive("slides")?);
        if !(1.0..=MAX_BLOCK as f64).contains(&rows) {
            return Err(BuildError::new("rows", format!("{rows} rows"), "give 1 to 6"));
        }
        if slides > holds {
            let problem = format!("{slides} N is more than `holds`");
            return Err(BuildError::new("slides", problem, "give at most `holds`"));
        }
        Ok(Self { rows: rows as usize, holds, slides })
    }
}

impl CustomLaw for Clutch {
    fn rows(&self) -> usize {
        self.rows
    }

    fn memory(&self) -> usize {
        2
    }

    fn start(&self, memory: &mut [f64]) {
        memory[0] = memory[1];
    }

    fn solve(&self, local: &Local<'_>, f: &mut [f64], memory: &mut [f64]) {
        let slid = memory[0] != 0.0;
        let mut slides = within_ball(local, if slid { self.slides } else { self.holds }, f);
        if slides && !slid {
            // It yields in this visit. If other blocks take over the load, it holds again in a later visit.
            slides = within_ball(local, self.slides, f);
        }
        memory[1] = f64::from(u8::from(slides));
    }
}

/// Forces of a block with |f| ≤ most. Returns whether the bound is reached.
///
/// (w + s) f = −k, s the root of 1/most = 1/|f(s)| by Newton, which rises to it from zero.
fn within_ball(local: &Local<'_>, most: f64, f: &mut [f64]) -> bool {
    let norm = |f: &[f64]| f.iter().map(|f| f * f).sum::<f64>().sqrt();
    let mut right = [0.0; MAX_BLOCK];
    let right = &mut right[..f.len()];
    let mut s = 0.0;
    for _ in 0..100 {
        f.iter_mut().zip(local.k).for_each(|(f, k)| *f = -k);
        solve_shifted(local.w, s, f);
        let length = norm(f);
        if length <= most * (1.0 + 1e-15) {
            break;
        }
        right.copy_from_slice(f);
        solve_shifted(local.w, s, right);
        let slope: f64 = f.iter().zip(&*right).map(|(f, g)| f * g).sum();
        let step = length * length / slope * (length - most) / most;
        if step.is_nan() || s + step <= s {
            break;
        }
        s += step;
    }
    s > 0.0
}

/// Solves (w + s) x = b in place; w is symmetric and positive definite.
fn solve_shifted(w: &[f64], s: f64, x: &mut [f64]) {
    let n = x.len();
    let mut a = [[0.0; MAX_BLOCK]; MAX_BLOCK];
    for i in 0..n {
        a[i][..n].copy_from_slice(&w[i * n..(i + 1) * n]);
        a[i][i] += s;
    }
    for i in 0..n {
        for j in i + 1..n {
            let factor = a[j][i] / a[i][i];
            for k in i..n {
                a[j][k] -= factor * a[i][k];
            }
            x[j] -= factor * x[i];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| a[i][k] * x[k]).sum();
        x[i] = (x[i] - known) / a[i][i];
    }
}

/// A pinion that rolls on a rack: `g = r θ − n·(x_B − x_A) + n·(x_B − x_A)₀`, one row.
///
/// θ is the rotation of the first end about the axis; whole turns count. n is the direction in which the
/// rack, the second end, moves for positive θ. The multiplier is the force on the rack, N, against n. Memory:
/// the reference direction in the frame of the pinion, θ at the end of the last step, and the distance at the
/// start.
#[derive(Debug)]
pub(crate) struct RackAndPinion {
    radius: f64,
    axis: DVec3,
    along: DVec3,
    /// Two directions perpendicular to the axis.
    normals: [DVec3; 2],
}

impl RackAndPinion {
    pub(crate) fn new(given: &Parameters) -> Result<Self, BuildError> {
        given.only(&["radius", "axis", "along"])?;
        let axis = DVec3::from_array(given.direction("axis")?);
        let along = DVec3::from_array(given.direction("along")?);
        let (u, v) = axis.any_orthonormal_pair();
        // Right-handed with the axis.
        let v = if u.cross(v).dot(axis) > 0.0 { v } else { -v };
        Ok(Self { radius: given.positive("radius")?, axis, along, normals: [u, v] })
    }

    /// θ, and its derivative by a rotation of the pinion.
    fn angle(&self, pinion: &Site, memory: &[f64; MAX_MEMORY]) -> (f64, DVec3) {
        let [u, v] = self.normals;
        let w = pinion.frame() * DVec3::from_slice(&memory[..3]);
        let (cos, sin) = (u.dot(w), v.dot(w));
        let turned = libm::atan2(sin, cos) - memory[3];
        let angle = memory[3] + turned - TAU * ((turned + PI) / TAU).floor();
        (angle, w.cross(v * cos - u * sin) / (cos * cos + sin * sin))
    }
}

impl CustomConstraint for RackAndPinion {
    fn rows(&self) -> usize {
        1
    }

    fn begin(&self, [a, b]: &[Site; ENDS], memory: &mut [f64; MAX_MEMORY]) -> Result<(), BuildError> {
        if !a.turns {
            let problem = "the pinion is a point and can't turn";
            return Err(BuildError::new("on", problem, "name a body"));
        }
        if self.axis.dot(self.along).abs() > 1e-9 {
            let problem = "the rack does not move across the axis";
            return Err(BuildError::new("parameters.along", problem, "give a direction across `axis`"));
        }
        let reference = a.frame().transpose() * self.normals[0];
        memory[..3].copy_from_slice(&reference.to_array());
        memory[4] = self.along.dot(b.x - a.x);
        Ok(())
    }

    fn linearise(&self, [a, b]: &[Site; ENDS], memory: &[f64; MAX_MEMORY], _: f64, rows: &mut Rows) {
        let (angle, by_rotation) = self.angle(a, memory);
        let g = self.radius * angle - self.along.dot(b.x - a.x) + memory[4];
        let pinion = Wrench::force(self.along) + Wrench::moment(by_rotation * self.radius);
        rows.push(Row::length([pinion, Wrench::force(-self.along)], -g));
    }

    fn remember(&self, [a, _]: &[Site; ENDS], memory: &mut [f64; MAX_MEMORY], _: f64) {
        memory[3] = self.angle(a, memory).0;
    }
}

/// A spring that yields: `f = k (d − d₀ − p)` within ±yield; beyond, the plastic elongation p follows.
///
/// Memory: the rest length d₀, and p at the end of the last step.
#[derive(Debug)]
pub(crate) struct Yielding {
    stiffness: f64,
    strength: f64,
}

impl Yielding {
    pub(crate) fn new(given: &Parameters) -> Result<Self, BuildError> {
        given.only(&["stiffness", "strength"])?;
        Ok(Self { stiffness: given.positive("stiffness")?, strength: given.positive("strength")? })
    }

    /// Pull without yielding, N.
    fn trial(&self, [a, b]: &[ForceEnd; 2], memory: &[f64; MAX_MEMORY]) -> f64 {
        self.stiffness * (a.site.x.distance(b.site.x) - memory[0] - memory[1])
    }
}

impl CustomForce for Yielding {
    fn begin(&self, [a, b]: &[ForceEnd; 2], memory: &mut [f64; MAX_MEMORY]) -> Result<(), BuildError> {
        memory[0] = a.site.x.distance(b.site.x);
        if memory[0] > 0.0 {
            return Ok(());
        }
        Err(BuildError::new("to", "both ends are at the same point", "give them a distance"))
    }

    fn act(
        &self,
        ends: &[ForceEnd; 2],
        memory: &[f64; MAX_MEMORY],
        _: f64,
        exact: bool,
        out: &mut ForceAction,
    ) {
        let trial = self.trial(ends, memory);
        let pull = trial.clamp(-self.strength, self.strength);
        let slope = if pull == trial { self.stiffness } else { 0.0 };
        out.add_central(ends, pull, slope, 0.0, exact);
        out.energy = 0.5 * pull * pull / self.stiffness;
    }

    fn remember(&self, ends: &[ForceEnd; 2], memory: &mut [f64; MAX_MEMORY], _: f64) {
        let trial = self.trial(ends, memory);
        memory[1] += (trial - trial.clamp(-self.strength, self.strength)) / self.stiffness;
    }
}
