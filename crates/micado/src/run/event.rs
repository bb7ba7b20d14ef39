//! Events of a run, as data. Their sentences are in `event_text.rs`.

use crate::describe::anchor::{AnchorName, At};
use crate::edit::{Slip, StoppedWinch};
use crate::error::BuildError;
use crate::run::cause::{Cause, Missed};
use crate::scene::{Edit, Effect, ItemEdit, Kind, Mode, SortedEdit};
use serde::{Deserialize, Serialize};

/// An event of a run. `Display` writes it as a sentence, without the time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Time, s.
    pub time: f64,
    /// What happened.
    pub what: EventKind,
    /// Whether the amount of a condition that was reported before has changed.
    pub changed: bool,
    /// Whether later events of this kind are only counted, see
    /// [`Simulation::unreported_events`](crate::run::Simulation::unreported_events).
    pub last: bool,
}

impl Event {
    /// An event that is neither a change of an earlier one nor the last of its kind.
    pub fn new(time: f64, what: EventKind) -> Self {
        Self { time, what, changed: false, last: false }
    }

    /// The word of its kind.
    pub fn kind(&self) -> &'static str {
        self.what.kind()
    }
}

/// What happened. Names are those of the objects and constraints at that time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EventKind {
    /// An edit was applied: an action of the scene, or an edit from outside.
    Action {
        /// The edit.
        edit: EditSummary,
    },
    /// An edit could not be applied.
    Failed {
        /// The edit.
        edit: EditSummary,
        /// Why.
        error: BuildError,
    },
    /// A rod left a sliding constraint, or a pearl its rod.
    Slipped {
        /// The constraint, which is removed.
        constraint: String,
        /// How they separated.
        slip: Slip,
    },
    /// A clip was loaded beyond its strength and released its rod.
    Opened {
        /// The clip.
        clip: String,
        /// The rod.
        rod: String,
        /// Rest arc length of the place on the rod, m.
        #[serde(with = "number")]
        place: f64,
        /// Force when it opened, N; in a static solve, the force required to hold.
        #[serde(with = "number")]
        force: f64,
        /// Moment when it opened, N·m; in a static solve, the moment required to hold.
        #[serde(with = "number")]
        moment: f64,
        /// The load required to hold, as a multiple of its strength; infinite without any strength.
        #[serde(with = "number")]
        overload: f64,
        /// The mode of the solve.
        mode: Mode,
    },
    /// A joint, a fusion or a distance was loaded beyond its strength.
    Broken {
        /// The constraint.
        joint: String,
        /// The object at its first end.
        object: String,
        /// Force when it broke, N; in a static solve, the force required to hold.
        #[serde(with = "number")]
        force: f64,
        /// Moment when it broke, N·m; in a static solve, the moment required to hold.
        #[serde(with = "number")]
        moment: f64,
        /// The load required to hold, as a multiple of its strength; infinite without any strength.
        #[serde(with = "number")]
        overload: f64,
        /// The mode of the solve.
        mode: Mode,
    },
    /// An open clip caught a rod.
    Clipped {
        /// The clip.
        clip: String,
        /// The rod.
        rod: String,
        /// Rest arc length of the place on the rod, m.
        #[serde(with = "number")]
        place: f64,
    },
    /// A rod changed its resolution.
    Resolution {
        /// The rod.
        rod: String,
        /// Control points before.
        before: usize,
        /// Control points after; if the number is the same, some have moved.
        after: usize,
    },
    /// A rod turns in an eye within too few segments, so that the eye holds it; once for each constraint.
    Corner(TightTurn),
    /// An island became dynamic or quasi-static.
    Switch {
        /// Its first object.
        object: String,
        /// Number of its other objects.
        others: usize,
        /// Whether it is quasi-static now.
        quasi_static: bool,
        /// Cost of a pass, s.
        #[serde(with = "number")]
        cost: f64,
        /// The step that its motion needs, s.
        #[serde(with = "number")]
        step: f64,
    },
    /// A static run left the branch of the equilibrium before.
    LeftBranch {
        /// Unstable equilibria that the search has left.
        departures: usize,
        /// Largest distance of a point between the equilibrium before and the one that is found from here
        /// with the same earlier loads and targets, m; `None` if they are the same one.
        away: Option<f64>,
    },
    /// Steps succeed in substeps only. Ends with `Over`, as do all conditions that follow.
    Refused {
        /// Substeps of the first such step.
        substeps: u32,
        /// Why the whole step was refused.
        cause: Cause,
    },
    /// Steps fail in any number of substeps: the state is held.
    Held {
        /// Why the whole step was refused.
        cause: Cause,
        /// The constraint with the largest violation, if it is large.
        missed: Option<Missed>,
    },
    /// Constraint rows are redundant.
    Redundant(Rows),
    /// Constraint rows contradict others; the closest state is used.
    Conflict(Rows),
    /// A static solve did not converge.
    NotConverged {
        /// Iterations.
        iterations: usize,
        /// Largest increment of a position in the last of them, m.
        #[serde(with = "number")]
        last_increment: f64,
    },
    /// The equilibrium is unstable.
    Unstable {
        /// Number of unstable modes.
        modes: usize,
    },
    /// The stretch of a rod changes by more than the limit in one substep.
    Overstretched {
        /// The change, as a share of the rest length.
        #[serde(with = "number")]
        change: f64,
    },
    /// Constraints can't meet their targets at once, and approach them.
    Approaching {
        /// The constraint with the largest residual.
        missed: Option<Missed>,
    },
    /// The passes of a step do not settle even in the shortest substeps: its forces are not final.
    Unsettled,
    /// The forces of contacts of surfaces do not converge: they are not final.
    UnsolvedContacts {
        /// Largest residual of their laws, m.
        #[serde(with = "number")]
        residual: f64,
    },
    /// Winches can't reel in further.
    Stopped {
        /// The winches.
        winches: Vec<StoppedWinch>,
    },
    /// Quasi-static islands would move too far in one pass and are slowed down.
    Ceiling,
    /// Steps take longer than the time that they simulate.
    Late {
        /// Overrun, s.
        #[serde(with = "number")]
        overrun: f64,
        /// Whole periods of the clock that were lost: simulated time falls behind by as much.
        lost_periods: u64,
    },
    /// A condition ended.
    Over {
        /// The condition.
        condition: Condition,
        /// Steps for which it lasted.
        steps: u64,
    },
    /// Rods passed through each other, or one through itself.
    Passed {
        /// The rods of one passage; the same name twice for a rod that passed through itself.
        rods: [String; 2],
        /// Rest arc lengths of that passage on both, m.
        places: [f64; 2],
        /// Passages in the step.
        passages: usize,
    },
}

/// A rod that turns in an eye within too few segments, so that the eye holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TightTurn {
    /// The constraint.
    pub constraint: String,
    /// The rod.
    pub rod: String,
    /// Angle by which it turns within one segment, rad.
    #[serde(with = "number")]
    pub turn: f64,
    /// Share of its tension that the eye holds like friction, at most.
    #[serde(with = "number")]
    pub held: f64,
    /// Number of its segments.
    pub segments: usize,
    /// Number of even segments that resolve its bend, if it is known.
    pub needed: Option<usize>,
    /// Whether there is a corner within a segment, which more segments do not remove.
    pub sharp: bool,
}

/// Constraint rows that are redundant or in conflict, by owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// Number of rows.
    pub count: usize,
    /// Constraints with such rows.
    pub constraints: Vec<String>,
    /// Inextensible rods whose edge lengths are such rows.
    pub rods: Vec<String>,
}

/// A condition that may last for many steps: reported when it begins, when its amount changes, and when it
/// ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// Steps succeed in substeps only.
    Refused,
    /// Steps fail in any number of substeps.
    Held,
    /// Constraint rows are redundant.
    Redundant,
    /// Constraint rows contradict others.
    Conflict,
    /// Static solves don't converge.
    NotConverged,
    /// The equilibrium is unstable.
    Unstable,
    /// A rod's stretch changes by too much in one substep.
    Overstretched,
    /// Constraints approach targets that they can't meet at once.
    Approaching,
    /// The passes of steps do not settle.
    Unsettled,
    /// The forces of contacts of surfaces do not converge.
    UnsolvedContacts,
    /// Winches can't reel in further.
    Stopped,
    /// Quasi-static islands are slowed down.
    Ceiling,
    /// Steps take longer than the time that they simulate.
    Late,
}

impl Condition {
    /// All conditions.
    pub const ALL: [Self; 13] = [
        Self::Refused,
        Self::Held,
        Self::Redundant,
        Self::Conflict,
        Self::NotConverged,
        Self::Unstable,
        Self::Overstretched,
        Self::Approaching,
        Self::Unsettled,
        Self::UnsolvedContacts,
        Self::Stopped,
        Self::Ceiling,
        Self::Late,
    ];

    /// The word of events of this condition.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Held => "held",
            Self::Redundant => "redundant",
            Self::Conflict => "conflict",
            Self::NotConverged => "not-converged",
            Self::Unstable => "unstable",
            Self::Overstretched => "overstretched",
            Self::Approaching => "approaching",
            Self::Unsettled => "unsettled",
            Self::UnsolvedContacts => "unsolved-contacts",
            Self::Stopped => "stopped",
            Self::Ceiling => "ceiling",
            Self::Late => "late",
        }
    }
}

impl EventKind {
    /// The words of all kinds.
    pub const KINDS: [&'static str; 25] = [
        "action",
        "failed",
        "slipped",
        "opened",
        "broken",
        "clipped",
        "resolution",
        "corner",
        "switch",
        "left-branch",
        "refused",
        "held",
        "redundant",
        "conflict",
        "not-converged",
        "unstable",
        "overstretched",
        "approaching",
        "unsettled",
        "unsolved-contacts",
        "stopped",
        "ceiling",
        "late",
        "over",
        "passed",
    ];

    /// The word of its kind, which never changes.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Action { .. } => "action",
            Self::Failed { .. } => "failed",
            Self::Slipped { .. } => "slipped",
            Self::Opened { .. } => "opened",
            Self::Broken { .. } => "broken",
            Self::Clipped { .. } => "clipped",
            Self::Resolution { .. } => "resolution",
            Self::Corner(_) => "corner",
            Self::Switch { .. } => "switch",
            Self::LeftBranch { .. } => "left-branch",
            Self::Refused { .. } => Condition::Refused.kind(),
            Self::Held { .. } => Condition::Held.kind(),
            Self::Redundant(_) => Condition::Redundant.kind(),
            Self::Conflict(_) => Condition::Conflict.kind(),
            Self::NotConverged { .. } => Condition::NotConverged.kind(),
            Self::Unstable { .. } => Condition::Unstable.kind(),
            Self::Overstretched { .. } => Condition::Overstretched.kind(),
            Self::Approaching { .. } => Condition::Approaching.kind(),
            Self::Unsettled => Condition::Unsettled.kind(),
            Self::UnsolvedContacts { .. } => Condition::UnsolvedContacts.kind(),
            Self::Stopped { .. } => Condition::Stopped.kind(),
            Self::Ceiling => Condition::Ceiling.kind(),
            Self::Late { .. } => Condition::Late.kind(),
            Self::Over { .. } => "over",
            Self::Passed { .. } => "passed",
        }
    }
}

/// An [`Edit`] without its descriptions: the items that it concerns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EditSummary {
    /// An item is added.
    Add {
        /// Its kind.
        kind: Kind,
        /// Its name.
        name: String,
    },
    /// An item gets a new description.
    Change {
        /// Its kind.
        kind: Kind,
        /// Its name.
        name: String,
    },
    /// An item is removed.
    Remove {
        /// Its kind.
        kind: Kind,
        /// Its name.
        name: String,
    },
    /// A clip is opened.
    OpenClip {
        /// Its name.
        clip: String,
        /// Whether it was open before.
        was_open: bool,
    },
    /// A clip is closed about a place of its rod.
    CloseClip {
        /// Its name.
        clip: String,
        /// The place.
        #[serde(with = "PlaceForm")]
        at: At,
    },
    /// A rod is cut.
    Cut {
        /// The rod.
        rod: String,
        /// Where.
        #[serde(with = "PlaceForm")]
        at: At,
        /// The part beyond the cut; `None` for a closed rod.
        second: Option<String>,
    },
    /// The end of a rod is joined to the start of another.
    Splice {
        /// Rod whose end is joined.
        first: String,
        /// Rod whose start is joined.
        second: String,
    },
    /// Knots are inserted into a rod.
    Refine {
        /// The rod.
        rod: String,
        /// Number of knots.
        knots: usize,
        /// Control points before and after, if it was applied.
        control_points: Option<[usize; 2]>,
    },
    /// Knots are removed from a rod.
    Coarsen {
        /// The rod.
        rod: String,
        /// Number of knots.
        knots: usize,
        /// Control points before and after, if it was applied.
        control_points: Option<[usize; 2]>,
    },
    /// Gravity changes.
    Gravity,
    /// All velocities become zero.
    Stop,
}

impl From<&Edit> for EditSummary {
    fn from(edit: &Edit) -> Self {
        match edit.sorted() {
            SortedEdit::Item(ItemEdit { kind, name, effect, .. }) => {
                let name = name.to_owned();
                match effect {
                    Effect::Add(_) => Self::Add { kind, name },
                    Effect::Change(_) => Self::Change { kind, name },
                    Effect::Remove => Self::Remove { kind, name },
                    Effect::Open => Self::OpenClip { clip: name, was_open: false },
                    Effect::Close(at) => Self::CloseClip { clip: name, at },
                }
            }
            SortedEdit::Cut(cut) => {
                Self::Cut { rod: cut.rod.clone(), at: cut.at, second: cut.second.clone() }
            }
            SortedEdit::Splice(splice) => {
                Self::Splice { first: splice.first.clone(), second: splice.second.clone() }
            }
            SortedEdit::Refine(refine) => {
                Self::Refine { rod: refine.rod.clone(), knots: refine.at.len(), control_points: None }
            }
            SortedEdit::Coarsen(coarsen) => {
                Self::Coarsen { rod: coarsen.rod.clone(), knots: coarsen.at.len(), control_points: None }
            }
            SortedEdit::Gravity => Self::Gravity,
            SortedEdit::Stop => Self::Stop,
        }
    }
}

/// A place on an object, in any format: in scene files it is a number or a text.
#[derive(Serialize, Deserialize)]
#[serde(remote = "At", rename_all = "kebab-case")]
enum PlaceForm {
    Length(#[serde(with = "number")] f64),
    Share(#[serde(with = "number")] f64),
    FromEnd(#[serde(with = "number")] f64),
    Point([f64; 3]),
    Named(AnchorName),
}

/// Numbers that may be infinite or NaN, which JSON doesn't support: there they are words.
pub(crate) mod number {
    use serde::de::{Error, Unexpected};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Number(f64),
        Word(String),
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if value.is_finite() || !serializer.is_human_readable() {
            return value.serialize(serializer);
        }
        value.to_string().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        if !deserializer.is_human_readable() {
            return f64::deserialize(deserializer);
        }
        match Form::deserialize(deserializer)? {
            Form::Number(number) => Ok(number),
            // Rust writes and reads `inf`, `-inf` and `NaN`.
            Form::Word(word) => {
                word.parse().map_err(|_| D::Error::invalid_value(Unexpected::Str(&word), &"a number"))
            }
        }
    }
}
