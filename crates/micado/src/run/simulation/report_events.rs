//! Turns reports of steps, clips, modes and clocks into events.

use super::Simulation;
use crate::contact::Deed;
use crate::run::event::{Condition, EventKind, Rows};
use crate::run::realtime::Lateness;
use crate::scene::Mode;
use crate::step::StepReport;

impl Simulation {
    /// Turns the report of a step into events.
    pub(super) fn report_step(&mut self, report: &StepReport, solved: Mode) {
        let Self { world, workspace, journal, .. } = self;
        let structure = world.structure();
        let rows = |count: usize, constraints: Vec<usize>, rods: Vec<usize>| {
            let constraints = constraints.into_iter().filter_map(|k| structure.constraints.get(k));
            let rods = rods.into_iter().filter_map(|k| structure.objects.get(k));
            Rows {
                count,
                constraints: constraints.map(|constraint| constraint.name.clone()).collect(),
                rods: rods.map(|object| object.name.clone()).collect(),
            }
        };
        let time = report.time;
        match report.refused.filter(|_| report.held) {
            Some(refusal) => journal.observe(Condition::Held, time, 1, || EventKind::Held {
                cause: world.cause(refusal),
                missed: world.worst_missed(time),
            }),
            None => journal.observe_none(Condition::Held, time),
        }
        if report.held {
            // A failed step says nothing about the state.
            return;
        }
        match report.refused {
            Some(refusal) => journal.observe(Condition::Refused, time, 1, || EventKind::Refused {
                substeps: report.substeps,
                cause: world.cause(refusal),
            }),
            None => journal.observe_none(Condition::Refused, time),
        }
        let is_overstretched = report.stretched > crate::step::OVERSTRETCHED;
        journal.observe(Condition::Overstretched, time, usize::from(is_overstretched), || {
            EventKind::Overstretched { change: report.stretched }
        });
        journal.observe(Condition::Approaching, time, usize::from(report.approaches), || {
            EventKind::Approaching { missed: world.worst_missed(time) }
        });
        journal.observe(Condition::Unsettled, time, usize::from(report.unsettled), || EventKind::Unsettled);
        let is_unsolved = usize::from(report.unsolved_contacts);
        journal.observe(Condition::UnsolvedContacts, time, is_unsolved, || EventKind::UnsolvedContacts {
            residual: report.sweep_residual,
        });
        if let Some(passed) = report.passed {
            let name = |k: usize| structure.objects.get(k).map_or_else(String::new, |rod| rod.name.clone());
            journal.passed(time, report.passages, || EventKind::Passed {
                rods: passed.objects.map(name),
                places: passed.places,
                passages: report.passages,
            });
        }
        journal.observe(Condition::Stopped, time, report.stopped_winches, || EventKind::Stopped {
            winches: world.stopped_winches(),
        });
        journal.observe(Condition::Redundant, time, report.redundant_rows, || {
            EventKind::Redundant(rows(
                report.redundant_rows,
                workspace.redundant(),
                workspace.redundant_objects(),
            ))
        });
        journal.observe(Condition::Conflict, time, report.conflicting_rows, || {
            EventKind::Conflict(rows(
                report.conflicting_rows,
                workspace.conflicting(),
                workspace.conflicting_objects(),
            ))
        });
        for corner in world.corners() {
            let name = &structure.constraints[corner.constraint].name;
            journal.corner(time, name, || EventKind::Corner(world.tight_turn(&corner)));
        }
        if solved == Mode::Static {
            journal.observe(Condition::NotConverged, time, usize::from(!report.converged), || {
                EventKind::NotConverged { iterations: report.solves, last_increment: report.last_increment }
            });
            journal.observe(Condition::Unstable, time, report.unstable_modes, || EventKind::Unstable {
                modes: report.unstable_modes,
            });
        }
    }

    /// Turns switches between dynamic and quasi-static, and ceilings, into events.
    pub(super) fn report_modes(&mut self, report: &StepReport) {
        let Self { world, workspace, journal, .. } = self;
        for switch in workspace.switches() {
            let object = world.structure().objects.get(switch.object);
            journal.switch(report.time, || EventKind::Switch {
                object: object.map_or_else(String::new, |object| object.name.clone()),
                others: switch.objects.saturating_sub(1),
                quasi_static: switch.still,
                cost: switch.cost,
                step: switch.step,
            });
        }
        journal.observe(Condition::Ceiling, report.time, report.ceilings.min(1), || EventKind::Ceiling);
    }

    /// Reports clips that opened or closed and joints that broke in the last step as events.
    pub(super) fn report_holds(&mut self, solved: Mode) {
        let time = self.world.time();
        for event in self.workspace.hold_events() {
            let structure = self.world.structure();
            let Some((clip, rod)) =
                structure.constraints.get(event.constraint).zip(structure.objects.get(event.object))
            else {
                continue;
            };
            let (clip, rod, place) = (&clip.name, &rod.name, event.place);
            match event.deed {
                Deed::Caught => self.journal.clipped(time, || EventKind::Clipped {
                    clip: clip.clone(),
                    rod: rod.clone(),
                    place,
                }),
                Deed::Opened(broke) => self.journal.opened(time, || EventKind::Opened {
                    clip: clip.clone(),
                    rod: rod.clone(),
                    place,
                    force: broke.force,
                    moment: broke.moment,
                    overload: broke.load,
                    mode: solved,
                }),
                Deed::Broke(broke) => self.journal.broken(time, || EventKind::Broken {
                    joint: clip.clone(),
                    object: rod.clone(),
                    force: broke.force,
                    moment: broke.moment,
                    overload: broke.load,
                    mode: solved,
                }),
            }
        }
    }

    /// Reports how late the last step was against a clock.
    pub(crate) fn report_lateness(&mut self, late: Lateness) {
        let amount = usize::from(late.overrun > 0.0) + usize::from(late.lost_periods > 0);
        self.journal.observe(Condition::Late, self.world.time(), amount, || EventKind::Late {
            overrun: late.overrun,
            lost_periods: late.lost_periods,
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::run::Simulation;
    use crate::run::event::EventKind;
    use crate::scene::Mode;
    use crate::step::StepReport;

    #[test]
    fn forces_of_contacts_that_do_not_converge_are_reported_with_their_residual_until_they_do() {
        let scene = serde_json::json!({"floor": true, "mass": {"ball": {"mass": 1, "position": [0, 0, 1]}}});
        let scene = serde_json::from_value(scene).expect("a scene");
        let mut simulation = Simulation::build(&scene).expect("a simulation");
        let unsolved =
            StepReport { sweep_residual: 2.5e-4, unsolved_contacts: true, ..StepReport::default() };
        assert!(!unsolved.has_final_forces());
        for report in [unsolved, unsolved, StepReport::default()] {
            simulation.report_step(&report, Mode::Dynamic);
        }
        let [begins, ends] = simulation.events() else { panic!("{:?}", simulation.events()) };
        assert_eq!(begins.what, EventKind::UnsolvedContacts { residual: 2.5e-4 });
        assert_eq!(ends.to_string(), "the forces of contacts converge again, after 2 steps");
    }
}
