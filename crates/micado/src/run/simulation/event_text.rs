//! What a run tells: what steps, clips, modes and clocks did, as events in words.

use super::Simulation;
use crate::constraint::Law;
use crate::run::event::{ClipDeed, Condition};
use crate::run::realtime::Lateness;
use crate::scene::Mode;
use crate::step::{Refusal, StepReport, System, Workspace};
use crate::world::Spot;
use crate::world::World;

impl Simulation {
    /// Turns what a report says into events, once each.
    pub(super) fn tell(&mut self, report: &StepReport, solved: Mode) {
        let Self { world, workspace, journal, settings, .. } = self;
        let step = if report.held { settings.step } else { 0.0 };
        // Constraints, and rods whose lengths are rows.
        let names = |marked: &dyn Fn(&System) -> [Vec<usize>; 2]| -> String {
            let structure = world.structure();
            let [constraints, rods] = workspace.system().map(marked).unwrap_or_default();
            let constraints = constraints
                .into_iter()
                .filter_map(|k| structure.constraints.get(k))
                .map(|c| format!("`{}`", c.name));
            let rods = rods
                .into_iter()
                .filter_map(|k| structure.objects.get(k))
                .map(|o| format!("the lengths of `{}`", o.name));
            constraints.chain(rods).collect::<Vec<_>>().join(", ")
        };
        let blame = || report.refused.map_or_else(String::new, |refusal| world.blame(refusal, workspace));
        let (time, refused) = (report.time, report.refused.is_some());
        journal.observe(Condition::Held, time, usize::from(refused && report.held), || {
            let missed =
                world.worst_missed(time + step).map_or_else(String::new, |(_, text)| format!("; {text}"));
            format!("the step could not be made and the state is held: {}{missed}", blame())
        });
        if report.held {
            // What a step that wasn't made said about substeps, rows and modes says nothing about the state.
            return;
        }
        journal.observe(Condition::Refused, time, usize::from(refused), || {
            format!("the step was made in {} substeps: {}", report.substeps, blame())
        });
        journal.observe(
            Condition::Overstretched,
            time,
            usize::from(report.stretched > crate::step::OVERSTRETCHED),
            || format!("a rod's stretch changed by {:.0} % in one substep", 100.0 * report.stretched),
        );
        journal.observe(Condition::Stopped, time, report.stopped_winches, || world.stopped_winches());
        journal.observe(Condition::Redundant, time, report.redundant_rows, || {
            let who = names(&|system| [system.redundant().collect(), system.redundant_lengths().collect()]);
            format!("{} from others, in {who}", rows(report.redundant_rows, "follow"))
        });
        journal.observe(Condition::Conflict, time, report.conflicting_rows, || {
            let who =
                names(&|system| [system.conflicting().collect(), system.conflicting_lengths().collect()]);
            format!(
                "{} others, in {who}; the nearest state is used",
                rows(report.conflicting_rows, "contradict")
            )
        });
        if solved == Mode::Static {
            journal.observe(Condition::NotConverged, time, usize::from(!report.converged), || {
                format!(
                    "no equilibrium after {} iterations, last increment {:.2e} m",
                    report.solves, report.last_increment
                )
            });
            journal.observe(Condition::Unstable, time, report.unstable_modes, || {
                let modes = if report.unstable_modes == 1 {
                    "one mode".to_owned()
                } else {
                    format!("{} modes", report.unstable_modes)
                };
                format!("the equilibrium is unstable in {modes}")
            });
        }
    }

    /// Turns switches between dynamic and quasi-static, and ceilings, into events.
    pub(super) fn tell_of_modes(&mut self, report: &StepReport) {
        let Self { world, workspace, journal, .. } = self;
        for switch in workspace.switches() {
            journal.switch(report.time, || {
                let name =
                    world.structure().objects.get(switch.object).map_or("", |object| object.name.as_str());
                let others = if switch.objects > 1 {
                    format!(" and {} more", switch.objects - 1)
                } else {
                    String::new()
                };
                let mode = if switch.still { "quasi-static" } else { "dynamic" };
                format!(
                    "`{name}`{others} {mode}: a pass costs {:.3e} s, and its motion asks for {:.3e} s",
                    switch.cost, switch.step
                )
            });
        }
        journal.observe(Condition::Ceiling, report.time, report.ceilings.min(1), || {
            "a quasi-static structure would have gone too far in one pass and is slowed down".to_owned()
        });
    }

    /// Turns what clips did in the last step into events.
    pub(super) fn tell_of_clips(&mut self, solved: Mode) {
        let time = self.world.time();
        for event in self.workspace.clip_events() {
            let structure = self.world.structure();
            let Some((clip, rod)) =
                structure.constraints.get(event.constraint).zip(structure.objects.get(event.rod))
            else {
                continue;
            };
            let (name, rod, place) = (&clip.name, &rod.name, event.place);
            match event.broke {
                None => self.journal.clip(ClipDeed::Clipped, time, || {
                    format!("the clip `{name}` caught `{rod}` at {place:.4} m")
                }),
                Some(broke) => self.journal.clip(ClipDeed::Opened, time, || {
                    let moment = if broke.moment > 0.0 {
                        format!(" and {:.4} N·m", broke.moment)
                    } else {
                        String::new()
                    };
                    let times = if broke.load.is_finite() {
                        format!("{:.2} times its strength", broke.load)
                    } else {
                        "more than nothing".into()
                    };
                    let how = match solved {
                        Mode::Dynamic | Mode::QuasiDynamic => {
                            format!("gave way at {:.4} N{moment}, asked for {times},", broke.force)
                        }
                        // An equilibrium is found with the clip closed, and is what it could not hold.
                        Mode::Static => format!("can't hold {:.4} N{moment}, {times},", broke.force),
                    };
                    format!("the clip `{name}` {how} and let go of `{rod}` at {place:.4} m")
                }),
            }
        }
    }

    /// Tells how late the last step was against a clock.
    pub(crate) fn tell_lateness(&mut self, late: Lateness) {
        let amount = usize::from(late.overrun > 0.0) + usize::from(late.lost_periods > 0);
        self.journal.observe(Condition::Late, self.world.time(), amount, || match late.lost_periods {
            0 => format!("a step was there {:.3e} s late", late.overrun),
            lost => format!("a step was spread over {} periods: simulated time falls behind", lost + 1),
        });
    }
}

/// Some constraint rows and what they do, with the verb in the right number.
fn rows(count: usize, verb: &str) -> String {
    if count == 1 { format!("1 constraint row {verb}s") } else { format!("{count} constraint rows {verb}") }
}

/// What is to blame, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Culprit {
    /// A rod or a mass.
    pub object: Option<String>,
    /// A constraint.
    pub constraint: Option<String>,
}

/// Whose a node of the linear system is, by index.
enum Owner {
    Object(usize),
    /// Rows that keep the lengths of a rod.
    Lengths(usize),
    Constraint(usize),
    Nobody,
}

/// A constraint that is missed by less than this share of the structure's size is not worth telling before a
/// run.
const FAR: f64 = 0.01;

impl World {
    /// The constraint that is missed most by its target at `time`, by its index, and how far, in words; none
    /// where none is by more than a hundredth of the structure's size, or of a radian.
    pub fn worst_missed(&self, time: f64) -> Option<(usize, String)> {
        let (miss, worst) = self.worst_miss(time);
        let (k, constraint) = worst.and_then(|k| Some((k, self.structure().constraints.get(k)?)))?;
        let sites = constraint.sites(
            &constraint.places(&self.structure.objects, &self.state.constraints[k]),
            self.structure.poses(&self.state),
            &self.state.constraints[k],
            time,
        );
        // Where both a point and a direction are held, the larger one is missed.
        let apart = sites[0].x.distance(sites[1].x);
        let angle = match constraint.law {
            Law::Tangent(_) | Law::Roll(_) => true,
            Law::Clamp(_) | Law::Fusion(_) | Law::Keyhole(_) => apart < 0.5 * miss,
            _ => false,
        };
        if miss <= FAR * if angle { 1.0 } else { self.size() } {
            return None;
        }
        let (name, kind) = (&constraint.name, constraint.description.kind());
        let text = match &constraint.law {
            _ if angle => format!("the {kind} `{name}` is missed by {:.1}°", miss.to_degrees()),
            Law::Fusion(_) => format!("the places that the fusion `{name}` joins are {apart:.4} m apart"),
            _ => format!("the {kind} `{name}` is missed by {miss:.4} m"),
        };
        Some((k, text))
    }

    /// What is to blame for a refused step or static solve, by name: an object, a constraint, or neither
    /// where nothing is known.
    pub fn culprit(&self, refusal: Refusal, workspace: &Workspace) -> Culprit {
        let owner = match refusal {
            Refusal::Singular { at } | Refusal::NotFinite { at } | Refusal::RunsAway { at } => match at {
                Spot::Node { object, .. } => Owner::Object(object),
                Spot::Own(k) | Spot::Rows(k) => Owner::Constraint(k),
                Spot::InnerRows(object) => Owner::Lengths(object),
                Spot::Unknown => Owner::Nobody,
            },
            Refusal::Floats { object } | Refusal::MissedLengths { object } | Refusal::Restless { object } => {
                Owner::Object(object)
            }
            Refusal::SlidOff { constraint } => Owner::Constraint(constraint),
            Refusal::SpooledTooFar { winch, .. } => {
                self.structure().winches.get(winch).map_or(Owner::Nobody, |w| Owner::Object(w.object))
            }
            _ => Owner::Nobody,
        };
        let structure = self.structure();
        match owner {
            Owner::Object(k) | Owner::Lengths(k) => {
                Culprit { object: structure.objects.get(k).map(|o| o.name.clone()), ..Culprit::default() }
            }
            Owner::Constraint(k) => {
                let constraint = structure.constraints.get(k);
                let object = constraint
                    .map(|c| c.on().to_owned())
                    .filter(|on| structure.objects.iter().any(|o| o.name == *on));
                Culprit { object, constraint: constraint.map(|c| c.name.clone()) }
            }
            Owner::Nobody => Culprit::default(),
        }
    }

    /// Who is to blame for a refused step or static solve, in words.
    pub fn blame(&self, refusal: Refusal, workspace: &Workspace) -> String {
        let structure = self.structure();
        let object = |k: usize| structure.objects.get(k).map_or("", |o| o.name.as_str());
        let who = |at: Spot| match at {
            Spot::Node { object: k, node } => format!("at node {node} of `{}`", object(k)),
            Spot::InnerRows(k) => format!("in the lengths of `{}`", object(k)),
            Spot::Own(k) | Spot::Rows(k) => structure
                .constraints
                .get(k)
                .map_or_else(String::new, |c| format!("in the constraint `{}`", c.name)),
            Spot::Unknown => String::new(),
        };
        match refusal {
            Refusal::Singular { at } => format!("the system is singular {}", who(at)),
            Refusal::NotFinite { at } => format!("the result is not finite {}", who(at)),
            Refusal::NotExplicit => {
                "explicit steps need a world that was built with `integrator = \"explicit\"`".to_owned()
            }
            Refusal::TooManyParts { parts } => {
                format!(
                    "an explicit step would need {parts:.0} parts to be stable; give a shorter step, or fewer segments"
                )
            }
            Refusal::NoStep => "the time step is not a positive number".to_owned(),
            Refusal::RunsAway { at } => {
                format!("nothing stops the motion {}: it runs away, there is no equilibrium", who(at))
            }
            Refusal::Floats { object } => {
                let name = self.structure().objects.get(object).map_or("an object", |o| o.name.as_str());
                format!(
                    "nothing holds `{name}` in the world against the forces on it: there is no equilibrium; constrain it, or let it move"
                )
            }
            Refusal::Overstretched => {
                "a rod's stretch would have changed by more than 20 % in one step".to_owned()
            }
            Refusal::TurnedTooFar => "a rod would have turned by more than 90° in one step".to_owned(),
            Refusal::SlidOff { constraint } => format!(
                "`{}` came to the end of its rod",
                self.structure().constraints.get(constraint).map_or("a constraint", |c| c.name.as_str())
            ),
            Refusal::MissedLengths { object } => format!(
                "the lengths of the edges of `{}` can't be kept: what holds it may be farther apart than it is long",
                self.structure().objects.get(object).map_or("a rod", |o| o.name.as_str())
            ),
            Refusal::Restless { object } => format!(
                "the search for angles at which `{}` is at rest did not end; give a shorter step, or another integrator",
                self.structure().objects.get(object).map_or("a rod", |o| o.name.as_str())
            ),
            Refusal::SpooledTooFar { winch, length, most } => format!(
                "the winch `{}` would have moved {length:.4} m of its rod in one step, and {most:.4} m are the most",
                self.structure().winches.get(winch).map_or("", |w| w.name.as_str())
            ),
            Refusal::SlidTooFar => {
                "a rod would have slid through an eye by more than two segments in one step".to_owned()
            }
        }
    }
}
