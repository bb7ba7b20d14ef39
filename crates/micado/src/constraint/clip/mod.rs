//! Clip: holds a rod as long as its strength allows, and catches it again.
//!
//! Without width its rows are `g_i = e_i·(x − c)` along its axes e (along the rod, out of the opening,
//! across), 3 rows; `tangent` adds the 2 rows n_a·t of a tangent, `clamp` the 3 rows log(F F*ᵀ) of a clamp.
//! With a width w its ends are the places s ± w/2 of the rod: 3 rows on the mean of their points; `tangent`
//! adds `n_a·(x_B − x_A)/w`, 2 rows; `clamp` the mean of their rolls too. The stretch between the edges stays
//! free. Multipliers: force on the rod along e, N; moments, N·m.
//!
//! The force never exceeds the strength: where it would, the clip yields, see `step/non_smooth/`, and is
//! open from the next step on. An open clip has no rows. It catches a rod that comes near: c and F* start at
//! the position and velocity of the rod and move to the target within the insertion time T: with τ = (t −
//! t₀)/T, `c* = c + (1 − 3τ² + 2τ³) o₀ + τ(1 − τ)² T v₀`.

mod describe;

pub use describe::{Clip, ClipHold, Directions, Rods, Strength};

use super::clamp::{of_moment, roll};
use super::position::PositionLaw;
use super::tangent::{bend, push_tangent, reachable};
use super::{
    ConstraintState, Curvature, EndDescription, EndStiffness, FrameNeed, KindMemory, Row, Rows, Site, Unused,
    Wrench,
};
use crate::describe::signal::Signal;
use crate::error::{BuildError, check};
use crate::geometry::rotation::{any_normal, exp, log, orthonormal_to, transport};
use crate::law::{BallRows, BlockLaw};
use crate::object::Object;
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// State of a clip besides the place that it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClipState {
    /// Whether it would catch a rod: after it has opened, the rod must leave first.
    pub armed: bool,
    /// Time of the last catch, s.
    since: f64,
    /// Position of the rod relative to its target at that time, m, and its velocity, m/s, along the axes of
    /// the clip when it was added.
    offset: [f64; 3],
    velocity: [f64; 3],
    /// Rotation vector from the axis to the direction of the rod at that time, in the same axes.
    turn: [f64; 3],
    /// 1 if the rod runs along the axis, −1 if it runs against it.
    along: f64,
    /// Director m₁ that is held, in the same axes.
    director: [f64; 3],
}

/// Force and moment of a constraint with a strength on its first object in the step in which it opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gave {
    /// Force, N, world axes.
    pub force: [f64; 3],
    /// Moment, N·m, world axes.
    pub moment: [f64; 3],
    /// Load as a share of the strength.
    pub load: f64,
}

impl Unused for Gave {
    const UNUSED: &'static Self = &Self { force: [0.0; 3], moment: [0.0; 3], load: 0.0 };
}

impl ConstraintState {
    /// The state of a clip.
    pub(crate) fn clip(&self) -> ClipState {
        match self.kind {
            KindMemory::Clip(clip) => clip,
            _ => ClipState::default(),
        }
    }

    /// Makes it an open clip.
    pub(crate) fn open_clip(&mut self, armed: bool) {
        (self.open, self.held, self.held_at) = (true, 0, 0.0);
        self.kind = KindMemory::Clip(ClipState { armed, ..ClipState::default() });
    }
}

/// A clip of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipLaw {
    hold: ClipHold,
    target: PositionLaw,
    /// Along, out of the opening, across; world axes when it was added.
    axes: DMat3,
    rotation: Signal<[f64; 3]>,
    /// F_Bᵀ of the place to which it is fixed, when it was added.
    base: DMat3,
    /// Length of rod that lies in it, m.
    pub width: f64,
    strength: Directions,
    /// Distance at which it catches, m.
    pub capture: f64,
    /// Largest angle at which it catches, rad.
    capture_angle: f64,
    insertion: f64,
    /// Whether it catches again.
    pub reclip: bool,
}

impl Clip {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        let framed = self.hold == ClipHold::Clamp || (self.hold == ClipHold::Tangent && self.width == 0.0);
        let edge = |shift: f64| EndDescription::Caught { on: &self.on.0, at: self.at, shift, framed };
        if self.width > 0.0 && self.to.is_none() {
            [edge(-0.5 * self.width), edge(0.5 * self.width)]
        } else {
            [edge(0.0), EndDescription::other(self.to.as_ref(), FrameNeed::IfAny)]
        }
    }

    pub(super) fn build(&self, a: &Site, b: &Site, radius: f64) -> Result<ClipLaw, BuildError> {
        check::not_negative("width", self.width)?;
        check::not_negative("insertion", self.insertion)?;
        let capture = check::not_negative("capture", self.capture.unwrap_or(radius))?;
        check::not_negative("capture_angle", self.capture_angle)?;
        if self.capture_angle > std::f64::consts::FRAC_PI_2 {
            let problem = format!(
                "a rod is never more than 90° from an axis, and this is {:.6}°",
                self.capture_angle.to_degrees()
            );
            return Err(BuildError::new("capture_angle", problem, "give an angle from 0 to 90 deg"));
        }
        self.rotation.check("rotation")?;
        let moved = self.target.is_some()
            || self.displacement != Signal::default()
            || self.rotation != Signal::default();
        if self.to.is_some() && moved {
            let problem = "there is a target, displacement or rotation as well";
            return Err(BuildError::new(
                "to",
                problem,
                "give one of them: a point of the world, or a place to which the clip is fixed",
            ));
        }
        if self.to.is_some() && self.width > 0.0 {
            let problem = "a clip that is fixed to another object can't have a width yet";
            return Err(BuildError::new("width", problem, "leave `width` out, or use two clips"));
        }
        if self.at.is_none() && self.target.is_none() && self.to.is_none() {
            return Err(BuildError::new(
                "target",
                "an open clip that is nowhere",
                "give `target`, or `at` to hold a place of the rod",
            ));
        }
        let strength = self.checked_strength()?;
        let along = match self.direction {
            Some(direction) => check::direction("direction", direction)?,
            None if self.at.is_some() && self.width > 0.0 => (b.x - a.x).try_normalize().unwrap_or(DVec3::X),
            None if self.at.is_some() => a.t,
            None if self.hold != ClipHold::Position || strength.along.is_some() || self.opening.is_some() => {
                return Err(BuildError::new(
                    "direction",
                    "an open clip without an axis",
                    "give the `direction` of a rod that lies in it",
                ));
            }
            None => DVec3::X,
        };
        let out = match self.opening {
            None => any_normal(along, DVec3::Z),
            Some(opening) => {
                let given = check::direction("opening", opening)?;
                if given.cross(along).length() < 1e-6 {
                    let problem = "it lies along the axis of the clip";
                    let error = BuildError::new("opening", problem, "give a direction across it");
                    // Without `direction` the axis is the present tangent of the rod.
                    return Err(if self.direction.is_some() { error } else { error.of_state() });
                }
                orthonormal_to(along, given)
            }
        };
        let middle = if self.width > 0.0 { Site { x: 0.5 * (a.x + b.x), ..*a } } else { *a };
        Ok(ClipLaw {
            hold: self.hold,
            target: PositionLaw::build(self.target.as_ref(), &self.displacement, &middle)?,
            axes: DMat3::from_cols(along, out, along.cross(out)),
            rotation: self.rotation.clone(),
            base: if self.to.is_some() { b.frame().transpose() } else { DMat3::IDENTITY },
            width: self.width,
            strength,
            capture,
            capture_angle: self.capture_angle,
            insertion: self.insertion,
            reclip: self.reclip,
        })
    }

    /// Sets the initial state: whether it is open, and which of its `rods` it holds.
    pub(super) fn begin(
        &self,
        rods: &[usize],
        objects: &[Object],
        memory: &mut ConstraintState,
    ) -> Result<(), BuildError> {
        if self.at.is_some() {
            memory.held = rods.first().copied().unwrap_or_default();
            return Ok(());
        }
        memory.open_clip(true);
        let waits_for = |name: &str| rods.iter().any(|&rod| objects[rod].name == name);
        match self.to.as_ref().filter(|to| waits_for(&to.on)) {
            None => Ok(()),
            Some(carrier) => {
                let problem = format!("an open clip can't wait for `{}`, to which it is fixed", carrier.on);
                let remedy = "name other rods, or give `at` to hold a place of it";
                Err(BuildError::new("to", problem, remedy).within("clip"))
            }
        }
    }

    /// Sets the initial state of a clip that holds a rod from the start; needs the law. The target applies at
    /// once, without insertion.
    pub(super) fn begin_holding(
        &self,
        law: &ClipLaw,
        objects: &[Object],
        time: f64,
        sites: &mut [Site; 2],
        memory: &mut ConstraintState,
    ) -> Result<(), BuildError> {
        let Some(at) = self.at else { return Ok(()) };
        if law.width == 0.0 && self.to.is_none() {
            sites[1] = law.world(time);
        }
        memory.held_at = objects[memory.held].rod().map_or(Ok(0.0), |rod| rod.arc_length(at))?;
        memory.kind = law.take(sites, DVec3::ZERO, time, true);
        Ok(())
    }

    fn checked_strength(&self) -> Result<Directions, BuildError> {
        let strength = match self.strength {
            None => return Ok(Directions::default()),
            Some(Strength::Any(force)) => {
                return Ok(Directions {
                    any: Some(check::not_negative("strength", force)?),
                    ..Directions::default()
                });
            }
            Some(Strength::Directions(directions)) => directions,
        };
        let Directions { any, along, out, inward, across, moment } = strength;
        let all = [
            ("any", any),
            ("along", along),
            ("out", out),
            ("in", inward),
            ("across", across),
            ("moment", moment),
        ];
        for (name, value) in all {
            check::not_negative(&format!("strength.{name}"), value.unwrap_or(0.0))?;
        }
        if any.is_some() && all[1..5].iter().any(|(_, value)| value.is_some()) {
            let problem = "a strength for any direction beside those of single ones";
            return Err(BuildError::new("strength.any", problem, "leave `any` out, or the others"));
        }
        if self.opening.is_none()
            && let Some((name, _)) = all[2..5].iter().find(|(_, value)| value.is_some())
        {
            let problem = "the clip has no opening, so `out`, `in` and `across` are not defined";
            return Err(BuildError::new(
                format!("strength.{name}"),
                problem,
                "give the `opening`, the direction in which a rod leaves it",
            ));
        }
        if moment.is_some() && self.hold == ClipHold::Position {
            let problem = "a clip that holds a position alone has no moment";
            return Err(BuildError::new(
                "strength.moment",
                problem,
                "write `hold = \"tangent\"` or `hold = \"clamp\"`, or leave it out",
            ));
        }
        Ok(strength)
    }
}

impl ClipLaw {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.target.moves() || self.rotation.moves()
    }

    /// Rows while it holds.
    pub(super) fn count(&self) -> usize {
        match self.hold {
            ClipHold::Position => 3,
            ClipHold::Tangent => 5,
            ClipHold::Clamp => 6,
        }
    }

    /// Its position, if it is not fixed to another object.
    pub(super) fn world(&self, time: f64) -> Site {
        self.target.world(time)
    }

    /// Velocity of its target, m/s.
    pub(crate) fn target_rate(&self, time: f64) -> DVec3 {
        self.target.rate(time)
    }

    /// Rotation of the clip since it was added.
    fn turned(&self, b: &Site, time: f64) -> DMat3 {
        let attached = if self.width > 0.0 { DMat3::IDENTITY } else { b.frame() * self.base };
        attached * exp(DVec3::from_array(self.rotation.at(time)))
    }

    /// Its axis, world axes.
    pub fn axis(&self, b: &Site, time: f64) -> DVec3 {
        self.turned(b, time) * self.axes.x_axis
    }

    /// The direction in which a rod leaves it, world axes.
    pub fn opening(&self, b: &Site, time: f64) -> DVec3 {
        self.turned(b, time) * self.axes.y_axis
    }

    /// Whether it catches a rod with this tangent; `axis` is that of the clip, of any length.
    pub(crate) fn accepts(&self, tangent: DVec3, axis: DVec3) -> bool {
        let angle = libm::atan2(tangent.cross(axis).length(), tangent.dot(axis).abs());
        self.hold == ClipHold::Position || angle <= self.capture_angle
    }

    /// Returns the state after it catches a rod that moves with `velocity` relative to it; `home` if the
    /// target applies at once, without insertion.
    pub(crate) fn take(&self, [a, b]: &[Site; 2], velocity: DVec3, time: f64, home: bool) -> KindMemory {
        let turned = self.turned(b, time);
        let back = turned.transpose();
        let (at, centre, direction) = if self.width > 0.0 {
            (0.5 * (a.x + b.x), self.target.at(time), (b.x - a.x).try_normalize().unwrap_or(a.t))
        } else {
            (a.x, b.x, a.t)
        };
        let along = if direction.dot(turned * self.axes.x_axis) < 0.0 { -1.0 } else { 1.0 };
        let axis = turned * self.axes.x_axis * along;
        let side = axis.cross(direction);
        let turn = side.normalize_or_zero() * libm::atan2(side.length(), axis.dot(direction));
        let rest = if home { 0.0 } else { 1.0 };
        // Without a frame, where the roll is not held, any normal will do.
        let transported = if a.t.dot(axis) > -0.5 { transport(a.t, axis, a.m1) } else { a.m1 };
        let mut director = any_normal(axis, transported);
        if self.width > 0.0 && self.hold == ClipHold::Clamp {
            // The mean roll of both edges keeps its present value.
            let wanted = DMat3::from_cols(axis, director, axis.cross(director));
            let mean = 0.5 * (roll(a, wanted).violation + roll(b, wanted).violation);
            director = exp(axis * -mean) * director;
        }
        KindMemory::Clip(ClipState {
            armed: false,
            since: time,
            offset: (back * (at - centre) * rest).to_array(),
            velocity: (back * velocity * rest).to_array(),
            turn: (back * turn * rest).to_array(),
            along,
            director: (back * director).to_array(),
        })
    }

    /// Whether the caught rod is still moving into place.
    pub(super) fn is_inserting(&self, memory: &ConstraintState, time: f64) -> bool {
        let clip = memory.clip();
        !memory.open
            && time < clip.since + self.insertion
            && [clip.offset, clip.velocity, clip.turn] != [[0.0; 3]; 3]
    }

    /// Distance of the caught rod from its place: offset, m, and rotation vector, in the axes of the start.
    fn remaining_offset(&self, clip: &ClipState, time: f64) -> (DVec3, DVec3) {
        let tau =
            if self.insertion > 0.0 { ((time - clip.since) / self.insertion).clamp(0.0, 1.0) } else { 1.0 };
        let (rest, rate) =
            (1.0 + tau * tau * (2.0 * tau - 3.0), tau * (1.0 - tau) * (1.0 - tau) * self.insertion);
        let [offset, velocity, turn] = [clip.offset, clip.velocity, clip.turn].map(DVec3::from_array);
        (offset * rest + velocity * rate, turn * rest)
    }

    /// The target frame of the rod.
    fn wanted(&self, turned: DMat3, turn: DVec3, clip: &ClipState) -> DMat3 {
        let (t, m1) = (self.axes.x_axis * clip.along, DVec3::from_array(clip.director));
        turned * exp(turn) * DMat3::from_cols(t, m1, t.cross(m1))
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, memory: &ConstraintState, time: f64, rows: &mut Rows) {
        let clip = &memory.clip();
        let turned = self.turned(b, time);
        let (offset, turn) = self.remaining_offset(clip, time);
        let axes = turned * self.axes;
        if self.width > 0.0 {
            let away = 0.5 * (a.x + b.x) - self.target.at(time) - turned * offset;
            for e in [axes.x_axis, axes.y_axis, axes.z_axis] {
                let half = Wrench::force(e * 0.5);
                rows.push(Row::length([half, half], -e.dot(away)));
            }
            self.wide_direction(a, b, self.wanted(turned, turn, clip), rows);
            return;
        }
        let away = a.x - b.x;
        for e in [axes.x_axis, axes.y_axis, axes.z_axis] {
            let ends = [Wrench::force(e), Wrench::force(-e) + Wrench::moment(e.cross(away))];
            rows.push(Row::length(ends, e.dot(turned * offset) - e.dot(away)));
        }
        let wanted = self.wanted(turned, turn, clip);
        match self.hold {
            ClipHold::Position => {}
            ClipHold::Tangent => {
                let (_, normals) = reachable(a.t, wanted.x_axis, [wanted.y_axis, wanted.z_axis]);
                push_tangent(a, normals, rows);
            }
            ClipHold::Clamp => rows.push_rotation(-log(a.frame() * wanted.transpose())),
        }
    }

    /// Rows of the chord between the edges, and of the mean roll.
    fn wide_direction(&self, a: &Site, b: &Site, wanted: DMat3, rows: &mut Rows) {
        if self.hold == ClipHold::Position {
            return;
        }
        let chord = b.x - a.x;
        let direction = chord.try_normalize().unwrap_or(wanted.x_axis);
        let (_, normals) = reachable(direction, wanted.x_axis, [wanted.y_axis, wanted.z_axis]);
        for n in normals {
            let end = Wrench::force(n / self.width);
            rows.push(Row::angle([-end, end], -n.dot(chord) / self.width));
        }
        if self.hold == ClipHold::Clamp {
            let [at_a, at_b] = [a, b].map(|edge| roll(edge, wanted));
            let ends = [at_a.ends[0] * 0.5, at_b.ends[0] * 0.5];
            rows.push(Row::angle(ends, 0.5 * (at_a.violation + at_b.violation)));
        }
    }

    pub(super) fn curvature(
        &self,
        a: &Site,
        b: &Site,
        memory: &ConstraintState,
        time: f64,
        multipliers: &[f64],
    ) -> Curvature {
        if self.width > 0.0 {
            return Curvature::default();
        }
        let clip = &memory.clip();
        match self.hold {
            ClipHold::Position => Curvature::default(),
            ClipHold::Tangent => {
                let wanted = self.wanted(self.turned(b, time), self.remaining_offset(clip, time).1, clip);
                let (_, [n1, n2]) = reachable(a.t, wanted.x_axis, [wanted.y_axis, wanted.z_axis]);
                let end = bend(a, n1 * multipliers[3] + n2 * multipliers[4]);
                Curvature { ends: [end, EndStiffness::ZERO], ..Curvature::default() }
            }
            ClipHold::Clamp => {
                let moment = DVec3::from_slice(&multipliers[3..6]);
                let mut curvature = of_moment(moment);
                curvature.ends[1] = EndStiffness::of_fixed_moment(-moment);
                curvature
            }
        }
    }

    /// Bounds on its multipliers: the first row of each law, and the law.
    pub(super) fn strengths(&self, out: &mut impl FnMut(usize, BlockLaw)) {
        let Directions { any, along, out: leaves, inward, across, moment } = self.strength;
        if let Some(most) = any {
            out(0, BlockLaw::Ball { rows: BallRows::Three, most });
        }
        for (row, against, with) in [(0, along, along), (1, leaves, inward), (2, across, across)] {
            if against.is_some() || with.is_some() {
                let [against, with] = [against, with].map(|force| force.unwrap_or(f64::INFINITY));
                out(row, BlockLaw::Bounded { least: -against, most: with });
            }
        }
        let turning = match self.hold {
            ClipHold::Position => None,
            ClipHold::Tangent => Some(BallRows::Two),
            ClipHold::Clamp => Some(BallRows::Three),
        };
        if let (Some(most), Some(rows)) = (moment, turning) {
            out(3, BlockLaw::Ball { rows, most });
        }
    }
}

/// Checks that an open rod spans the whole width of a clip.
pub(crate) fn check_width(length: f64, closed: bool, place: f64, width: f64) -> Result<(), BuildError> {
    let half = 0.5 * width;
    if width > length {
        return Err(BuildError::new(
            "width",
            format!("{width} m is wider than the rod is long, {length} m"),
            "give a smaller width",
        ));
    }
    if !closed && (place < half || place > length - half) {
        let problem =
            format!("the clip would reach beyond the end of the rod: {half} m to both sides of {place} m");
        return Err(BuildError::new(
            "width",
            problem,
            format!("give a smaller width, or a place between {half} m and {} m", length - half),
        ));
    }
    Ok(())
}
