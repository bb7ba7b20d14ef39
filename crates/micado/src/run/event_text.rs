//! Sentences of events, causes and remarks, for all user interfaces. Programs use the data, not the
//! sentences.

use super::cause::{Cause, Miss, Missed, Part};
use super::event::{Condition, EditSummary, Event, EventKind, Rows, TightTurn};
use super::remark::Remark;
use crate::edit::{Slip, StopReason, StoppedWinch};
use crate::object::body::TurnedMesh;
use crate::scene::{Edit, Kind, Mode};
use crate::short::Short;
use crate::step::OVERSTRETCHED;
use std::fmt::{self, Display, Formatter};

impl Display for Event {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.what.fmt(f)?;
        if self.last { f.write_str("; later events of this kind are only counted") } else { Ok(()) }
    }
}

impl Display for EventKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Action { edit } => edit.fmt(f),
            Self::Failed { edit, error } => write!(f, "not applied: {edit}: {error}"),
            Self::Slipped { constraint, slip } => match slip {
                Slip::Rod => write!(f, "`{constraint}` let go at the end of its curve"),
                Slip::Pearl => {
                    write!(f, "the pearl `{constraint}` slipped off its rod and moves on as a free mass")
                }
                Slip::LostPearl { error } => {
                    write!(f, "the pearl `{constraint}` slipped off its rod and was removed: {error}")
                }
            },
            Self::Opened { clip, rod, place, force, moment, overload, mode } => {
                write!(f, "the clip `{clip}` released `{rod}` at {place:.4} m: it ")?;
                write_overload(f, *force, *moment, *overload, *mode)
            }
            Self::Broken { joint, object, force, moment, overload, mode } => {
                write!(f, "`{joint}` on `{object}` broke: it ")?;
                write_overload(f, *force, *moment, *overload, *mode)
            }
            Self::Clipped { clip, rod, place } => {
                write!(f, "the clip `{clip}` caught `{rod}` at {place:.4} m")
            }
            Self::Resolution { rod, before, after } if before == after => {
                write!(f, "some of the {after} control points of the rod `{rod}` are in other places now")
            }
            Self::Resolution { rod, before, after } => {
                write!(f, "the rod `{rod}` has {after} control points now, {before} before")
            }
            Self::Switch { object, others, quasi_static, cost, step } => {
                write!(f, "`{object}`")?;
                let are = match others {
                    0 => " is",
                    1 => " and 1 more object are",
                    _ => &format!(" and {others} more objects are"),
                };
                let mode = if *quasi_static { "quasi-static" } else { "dynamic" };
                write!(
                    f,
                    "{are} {mode} now: a pass costs {cost:.3e} s, the motion needs steps of {step:.3e} s"
                )
            }
            Self::Refused { substeps, cause } => write!(f, "the step needed {substeps} substeps: {cause}"),
            Self::Held { cause, missed } => {
                write!(f, "the step failed and the state is held: {cause}")?;
                missed.as_ref().map_or(Ok(()), |missed| write!(f, "; {missed}"))
            }
            Self::Redundant(rows) => {
                let are = if rows.count == 1 { "row is" } else { "rows are" };
                write!(f, "{} constraint {are} redundant, in {rows}", rows.count)
            }
            Self::Conflict(rows) => {
                let contradict = if rows.count == 1 { "row contradicts" } else { "rows contradict" };
                write!(
                    f,
                    "{} constraint {contradict} others, in {rows}; the closest state is used",
                    rows.count
                )
            }
            Self::NotConverged { iterations, last_increment } => {
                write!(
                    f,
                    "no equilibrium after {iterations} iterations, last increment {last_increment:.2e} m"
                )
            }
            Self::LeftBranch { departures, away } => {
                match departures {
                    0 => f.write_str("the branch of equilibria ends here")?,
                    1 => f.write_str("an unstable equilibrium was left")?,
                    count => write!(f, "{count} unstable equilibria were left")?,
                }
                match away {
                    Some(away) => {
                        write!(f, "; the earlier loads lead to another equilibrium, {} m away", Short(*away))
                    }
                    None => f.write_str("; the earlier loads lead back"),
                }
            }
            Self::Unstable { modes: 1 } => f.write_str("the equilibrium is unstable in one mode"),
            Self::Unstable { modes } => write!(f, "the equilibrium is unstable in {modes} modes"),
            Self::Overstretched { change } => {
                write!(
                    f,
                    "the stretch of a rod changed by {} % in one substep",
                    Short((100.0 * change).round())
                )
            }
            Self::Approaching { missed } => {
                f.write_str("a target can't be reached in this step and is approached")?;
                missed.as_ref().map_or(Ok(()), |missed| write!(f, ": {missed}"))
            }
            Self::Corner(turn) => turn.fmt(f),
            Self::Unsettled => {
                f.write_str("the passes of a step do not settle: its forces are not final and break nothing")
            }
            Self::UnsolvedContacts { residual } => write!(
                f,
                "the forces of contacts are not final: their laws are missed by {} mm, because they do not \
                 converge, or because surfaces went into each other in the step; a smaller step or more room \
                 for overlapping objects may help",
                Short(1e3 * residual)
            ),
            Self::Stopped { winches } => list(f, winches, "; "),
            Self::Ceiling => {
                f.write_str("a quasi-static structure would move too far in one pass and is slowed down")
            }
            Self::Late { overrun, lost_periods } => {
                write!(f, "a step ended {overrun:.3e} s late")?;
                match lost_periods {
                    0 => Ok(()),
                    1 => f.write_str(": simulated time falls behind by 1 period"),
                    lost => write!(f, ": simulated time falls behind by {lost} periods"),
                }
            }
            Self::Over { condition, steps } => {
                let plural = if *steps == 1 { "" } else { "s" };
                write!(f, "{}, after {steps} step{plural}", ended(*condition))
            }
            Self::Passed { rods: [a, b], places: [s, t], passages } => {
                if a == b {
                    write!(f, "`{a}` passed through itself, with its places at {s:.4} m and {t:.4} m")?;
                } else {
                    write!(f, "`{a}`, at {s:.4} m, passed through `{b}`, at {t:.4} m")?;
                }
                if *passages > 1 { write!(f, "; {passages} passages in this step") } else { Ok(()) }
            }
        }
    }
}

/// The load at which a clip or joint gave way.
fn write_overload(f: &mut Formatter<'_>, force: f64, moment: f64, overload: f64, mode: Mode) -> fmt::Result {
    f.write_str(match mode {
        Mode::Dynamic | Mode::QuasiDynamic => "gave way at",
        // A static solve keeps it closed and finds the force that it can't hold.
        Mode::Static => "can't hold",
    })?;
    write!(f, " {force:.4} N")?;
    if moment > 0.0 {
        write!(f, " and {moment:.4} N·m")?;
    }
    match (overload.is_finite(), mode) {
        (false, _) => f.write_str("; it has no strength"),
        (true, Mode::Static) => write!(f, ", {overload:.2} times its strength"),
        (true, _) => write!(f, "; to hold on, it needed {overload:.2} times its strength"),
    }
}

/// Sentence for the end of a condition.
fn ended(condition: Condition) -> &'static str {
    match condition {
        Condition::Refused => "steps succeed without substeps again",
        Condition::Held => "steps succeed again",
        Condition::Redundant => "no constraint rows are redundant any more",
        Condition::Conflict => "no constraint rows contradict others any more",
        Condition::NotConverged => "static solves converge again",
        Condition::Unstable => "the equilibrium is stable again",
        Condition::Overstretched => "stretches change slowly again",
        Condition::Approaching => "all targets are reached",
        Condition::Unsettled => "the passes of steps settle again",
        Condition::UnsolvedContacts => "the forces of contacts converge again",
        Condition::Stopped => "no winch is stopped any more",
        Condition::Ceiling => "quasi-static structures are no longer slowed down",
        Condition::Late => "steps are on time again",
    }
}

/// Items with a separator between them.
fn list<T: Display>(f: &mut Formatter<'_>, items: &[T], separator: &str) -> fmt::Result {
    items.iter().enumerate().try_for_each(|(k, item)| {
        f.write_str(if k == 0 { "" } else { separator })?;
        item.fmt(f)
    })
}

/// The names: "`a`, `b`, the lengths of `cable`".
impl Display for Rows {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let constraints = self.constraints.iter().map(|name| format!("`{name}`"));
        let rods = self.rods.iter().map(|name| format!("the lengths of `{name}`"));
        list(f, &constraints.chain(rods).collect::<Vec<_>>(), ", ")
    }
}

impl Display for StoppedWinch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "the winch `{}` stopped with {:.4} m out: ", self.winch, self.length)?;
        match &self.reason {
            StopReason::Thickness => {
                f.write_str("the segments of its rod would be shorter than the rod is thick")
            }
            StopReason::Attached { name } => write!(f, "`{name}` would come within a segment of it"),
            StopReason::OpenClip { clip } => {
                write!(f, "the open clip `{clip}` would be wider than its rod is long")
            }
        }
    }
}

impl Display for Missed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { constraint, kind, by } = self;
        match by {
            Miss::Angle(angle) => {
                write!(f, "the {kind} `{constraint}` is violated by {:.1}°", angle.to_degrees())
            }
            Miss::Distance(distance) => {
                write!(f, "the {kind} `{constraint}` is violated by {} m", Short(*distance))
            }
            Miss::Apart(distance) => {
                write!(f, "the places that the {kind} `{constraint}` joins are {} m apart", Short(*distance))
            }
        }
    }
}

impl Display for Part {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node { object, node } => write!(f, "at node {node} of `{object}`"),
            Self::Lengths { rod } => write!(f, "in the lengths of `{rod}`"),
            Self::Constraint { constraint, .. } => write!(f, "in the constraint `{constraint}`"),
            Self::Unknown => f.write_str("at an unknown place"),
        }
    }
}

impl Display for Cause {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Singular { at } => write!(f, "the system is singular {at}"),
            Self::NotFinite { at } => write!(f, "the result is not finite {at}"),
            Self::RunsAway { at } => write!(f, "nothing stops the motion {at}: there is no equilibrium"),
            Self::Floats { object } => write!(
                f,
                "nothing holds `{object}` against the forces on it: there is no equilibrium; \
                 constrain it, or let it move"
            ),
            Self::Unsettled => f.write_str("the passes of a step did not settle"),
            Self::PassedInto => f.write_str("surfaces would overlap by more than a tenth of their thickness"),
            Self::TooManyContacts => {
                f.write_str("more surfaces touch at once than a step can solve; move apart what overlaps")
            }
            Self::PassedThrough { objects: [a, b] } if a == b => {
                write!(f, "`{a}` would pass through itself")
            }
            Self::PassedThrough { objects: [a, b] } => write!(f, "`{a}` would pass through `{b}`"),
            Self::NoContact => f.write_str("surfaces don't touch in equilibria and vibrations yet"),
            Self::TurnedTooFar => f.write_str("a rod or a body would turn too far in one step"),
            Self::SlidOff { constraint, .. } => write!(f, "`{constraint}` reached the end of its rod"),
            Self::SlidTooFar => {
                f.write_str("a rod would slide through an eye by more than two segments in one step")
            }
            Self::Overstretched => write!(
                f,
                "the stretch of a rod would change by more than {:.0} % in one step",
                100.0 * OVERSTRETCHED
            ),
            Self::MissedLengths { rod } => write!(
                f,
                "the edges of `{rod}` can't keep their lengths: its supports may be farther apart than it \
                 is long"
            ),
            Self::SpooledTooFar { winch, length, most, .. } => write!(
                f,
                "the winch `{winch}` would move {length:.4} m of its rod in one step; {most:.4} m is the most"
            ),
            Self::Restless { rod } => write!(
                f,
                "no angles were found at which `{rod}` is at rest; use a shorter step or another integrator"
            ),
            Self::NoStep => f.write_str("the time step is not a positive number"),
            Self::NotExplicit => {
                f.write_str("explicit steps need a world that was built with `integrator = \"explicit\"`")
            }
            Self::TooManyParts { parts } => write!(
                f,
                "an explicit step would need {parts:.0} parts to be stable; use a shorter step or fewer \
                 segments"
            ),
        }
    }
}

impl Display for Remark {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissedAtStart(missed) => write!(
                f,
                "{missed} at the start, and the first step has to bring it there; write `settle = true` in \
                 [settings], or let it begin where it is held"
            ),
            Self::OverlapAtStart { objects: [a, b], depth, others } => {
                let mm = Short(1e3 * depth);
                if a == b {
                    write!(f, "`{a}` overlaps itself by {mm} mm at the start")?;
                } else {
                    write!(f, "`{a}` and `{b}` overlap by {mm} mm at the start")?;
                }
                match others {
                    0 => {}
                    1 => f.write_str(", and 1 more pair by less")?,
                    others => write!(f, ", and {others} more pairs by less")?,
                }
                f.write_str("; the first steps separate them")
            }
            Self::DividedSteps { step, parts } => {
                write!(f, "explicit steps of {step} s are divided into {parts:.0} equal parts for stability")
            }
            Self::CoarseShape { rod, segments, length: [described, built], radius: [sharp, blunt] } => {
                write!(f, "the {segments} segments of the rod `{rod}` are too long for its shape: ")?;
                if built < described {
                    write!(f, "it is {} m long instead of {} m", Short(*built), Short(*described))?;
                }
                if blunt > sharp {
                    let comma = if built < described { ", " } else { "" };
                    let (blunt, sharp) = (Short(*blunt), Short(*sharp));
                    write!(f, "{comma}its least bend radius is {blunt} m instead of {sharp} m")?;
                }
                f.write_str("; give it more `segments`")
            }
            Self::NothingToMove { constraint, objects, fixed } => {
                write!(f, "the constraint `{constraint}` has no effect: ")?;
                match (objects.as_slice(), fixed) {
                    ([one], true) => write!(f, "`{one}` is fixed"),
                    (_, true) => write!(f, "`{}` are fixed", objects.join("` and `")),
                    (_, false) => write!(f, "both its places are on `{}`, which is rigid", objects.join("")),
                }
            }
            Self::TightTurn(turn) => turn.fmt(f),
            Self::TurnedMesh(TurnedMesh { path, file: None }) => {
                write!(f, "turned: the mesh `{path}` was inside out")
            }
            Self::TurnedMesh(TurnedMesh { path, file: Some(file) }) => {
                write!(f, "turned: the mesh `{file}` of `{path}` was inside out")
            }
            Self::CoarseStretch { rod, stretch, length, segment } => write!(
                f,
                "stretches[{stretch}] of the rod `{rod}` is {} m long and the segment there {} m: its \
                 properties are averaged with those beside it, so its stiffness is not seen; give the rod \
                 more `segments`",
                Short(*length),
                Short(*segment)
            ),
        }
    }
}

impl Display for TightTurn {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { constraint, rod, turn, held, segments, needed, sharp } = self;
        let degrees = turn.to_degrees().round();
        if *sharp {
            write!(
                f,
                "the rod `{rod}` has a corner of {degrees}° within one segment in `{constraint}` and may be \
                 caught there; let it begin with a bend, or with resolution = \"auto\""
            )?;
            return needed.map_or(Ok(()), |needed| write!(f, "; {needed} segments resolve the bend"));
        }
        write!(
            f,
            "the rod `{rod}` turns by {degrees}° within one segment in `{constraint}`, which holds it by up \
             to {:.0} % of its tension; give it ",
            100.0 * held
        )?;
        match needed {
            Some(needed) => write!(f, "at least {needed} segments instead of {segments}")?,
            None => f.write_str("more segments")?,
        }
        f.write_str(", or resolution = \"auto\"")
    }
}

impl Display for EditSummary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add { kind, name } => write!(f, "{kind} `{name}` added"),
            Self::Change { kind, name } => write!(f, "{kind} `{name}` changed"),
            Self::Remove { kind: Kind::Constraint, name } => write!(f, "constraint `{name}` released"),
            Self::Remove { kind, name } => write!(f, "{kind} `{name}` removed"),
            Self::OpenClip { clip, was_open: false } => write!(f, "clip `{clip}` opened"),
            Self::OpenClip { clip, was_open: true } => write!(f, "clip `{clip}` opened; it was open before"),
            Self::CloseClip { clip, at } => write!(f, "clip `{clip}` closed at {at}"),
            Self::Cut { rod, at, second: Some(second) } => {
                write!(f, "rod `{rod}` cut at {at}, `{second}` beyond")
            }
            Self::Cut { rod, at, second: None } => write!(f, "rod `{rod}` cut open at {at}"),
            Self::Splice { first, second } => {
                write!(f, "end of rod `{first}` spliced to the start of `{second}`")
            }
            Self::Refine { rod, knots, control_points } => {
                knots_text(f, &format!("rod `{rod}` refined"), *knots, *control_points)
            }
            Self::Coarsen { rod, knots, control_points } => {
                knots_text(f, &format!("rod `{rod}` coarsened"), *knots, *control_points)
            }
            Self::Gravity => f.write_str("gravity changed"),
            Self::Stop => f.write_str("all velocities set to zero"),
        }
    }
}

fn knots_text(
    f: &mut Formatter<'_>,
    what: &str,
    knots: usize,
    control_points: Option<[usize; 2]>,
) -> fmt::Result {
    write!(f, "{what} in {knots} place{}", if knots == 1 { "" } else { "s" })?;
    control_points.map_or(Ok(()), |[before, after]| write!(f, ", from {before} to {after} control points"))
}

impl Display for Edit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        EditSummary::from(self).fmt(f)
    }
}
