//! Reports of clips: when and where they caught, their loads, the shape of the rod in them, and their
//! opening.

use super::state::{ClipNow, HeldNow, SpanNow};
use super::summary::number;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Largest number of holds of one clip that are reported individually.
const MOST_HOLDS: usize = 100;

/// Report of one clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ClipReport {
    /// Name of the clip.
    pub name: String,
    /// Each hold of a rod; empty if it never caught one.
    pub holds: Vec<Hold>,
    /// Number of further holds, which are only counted.
    pub untold_holds: u64,
    /// Whether the current hold is only counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    holds_untold: bool,
}

/// One hold of a rod. Loads and shapes are those at the ends of steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Hold {
    /// Name of the rod.
    pub rod: String,
    /// When it caught the rod, s.
    pub caught: f64,
    /// Rest arc length of the caught place, m.
    pub place: f64,
    /// Largest force while it held, N.
    pub force: Peak,
    /// Largest load as a share of its strength while it held; 0 without a limit.
    pub strength_used: Peak,
    /// When it released the rod, s; `None` while it holds.
    pub let_go: Option<f64>,
    /// Force at which it opened, N; `None` unless that was beyond its strength.
    pub gave_way: Option<f64>,
    /// Least bend radius of the rod in it, m; `None` if it was always straight.
    pub least_bend_radius: Option<f64>,
    /// Largest twist of the rod in it, either way, rad/m.
    pub largest_twist: f64,
    /// The rod from here to the next clip along it, one for each clip that was the next.
    pub spans: Vec<Span>,
}

/// A largest value, and its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Peak {
    /// The value.
    pub largest: f64,
    /// Time, s.
    pub at: f64,
}

/// The rod from a clip to the next one along it, while both held.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Span {
    /// The next clip.
    pub to: String,
    /// Rest length in between, m.
    pub rest_length: f64,
    /// Largest straight distance of the two places, m: less than the rest length is slack, more is taut.
    pub distance: f64,
    /// Least bend radius in between, m; `None` if it was always straight.
    pub least_bend_radius: Option<f64>,
}

impl Peak {
    fn raise(&mut self, value: f64, time: f64) {
        if value > self.largest {
            *self = Self { largest: value, at: time };
        }
    }
}

/// Lowers a radius; ignores infinite ones.
fn lower(least: &mut Option<f64>, radius: f64) {
    if radius.is_finite() {
        *least = Some(least.map_or(radius, |known| known.min(radius)));
    }
}

/// Adds the state of all clips at the end of a step.
pub(super) fn follow(reports: &mut Vec<ClipReport>, now: &[ClipNow], time: f64) {
    // Usually the clips are unchanged; an action may add or remove one.
    let same =
        reports.len() == now.len() && reports.iter().zip(now).all(|(report, clip)| report.name == clip.name);
    if !same {
        for report in reports.iter_mut().filter(|report| now.iter().all(|clip| clip.name != report.name)) {
            report.let_go(time, None);
        }
    }
    for (k, clip) in now.iter().enumerate() {
        let known = if same { Some(k) } else { reports.iter().position(|report| report.name == clip.name) };
        let known = known.unwrap_or_else(|| {
            reports.push(ClipReport { name: clip.name.clone(), ..ClipReport::default() });
            reports.len() - 1
        });
        reports[known].take(clip, time);
    }
}

impl ClipReport {
    /// The current hold, if it is reported.
    fn present(&mut self) -> Option<&mut Hold> {
        self.holds.last_mut().filter(|hold| hold.let_go.is_none())
    }

    fn take(&mut self, clip: &ClipNow, time: f64) {
        match &clip.held {
            Some(held) => {
                if self.present().is_none() && !self.holds_untold {
                    self.catch(held, time);
                }
                if let Some(hold) = self.present() {
                    hold.force.raise(clip.force, time);
                    hold.strength_used.raise(clip.strength_used, time);
                    hold.shape(held);
                }
            }
            None => self.let_go(time, Some(clip.force).filter(|force| *force > 0.0)),
        }
    }

    fn catch(&mut self, held: &HeldNow, time: f64) {
        if self.holds.len() == MOST_HOLDS {
            self.untold_holds += 1;
            self.holds_untold = true;
            return;
        }
        self.holds.push(Hold { rod: held.rod.clone(), caught: time, place: held.place, ..Hold::default() });
    }

    fn let_go(&mut self, time: f64, gave_way: Option<f64>) {
        self.holds_untold = false;
        if let Some(hold) = self.present() {
            (hold.let_go, hold.gave_way) = (Some(time), gave_way);
        }
    }
}

impl Hold {
    fn shape(&mut self, held: &HeldNow) {
        lower(&mut self.least_bend_radius, held.bend_radius);
        self.largest_twist = self.largest_twist.max(held.twist.abs());
        let Some(SpanNow { to, rest_length, distance, bend_radius }) = &held.next else { return };
        let known = self.spans.iter().position(|span| span.to == *to).unwrap_or_else(|| {
            self.spans.push(Span { to: to.clone(), ..Span::default() });
            self.spans.len() - 1
        });
        let span = &mut self.spans[known];
        span.rest_length = *rest_length;
        span.distance = span.distance.max(*distance);
        lower(&mut span.least_bend_radius, *bend_radius);
    }
}

/// The reports as two tables: the clips, and the rods between them.
pub(super) fn write_tables(out: &mut String, reports: &[ClipReport]) -> std::fmt::Result {
    let name_width = reports.iter().map(|report| report.name.chars().count()).max().unwrap_or(0);
    let radius = |radius: Option<f64>| radius.map_or("straight".to_owned(), number);
    writeln!(
        out,
        "\nClips {:space$}caught, s      at, m   largest, N       at, s  of strength       at, s    \
         let go, s      with, N    radius, m  twist, rad/m",
        "",
        space = name_width.saturating_sub(3)
    )?;
    for report in reports {
        if report.holds.is_empty() {
            writeln!(out, "  {:name_width$}  caught nothing", report.name)?;
        }
        for hold in &report.holds {
            let (gone, with) = (
                hold.let_go.map_or("holds".to_owned(), number),
                hold.gave_way.map_or("-".to_owned(), number),
            );
            writeln!(
                out,
                "  {:name_width$} {:>10} {:>10} {:>12} {:>11} {:>10.1} % {:>11} {gone:>12} {with:>12} {:>12} \
                 {:>13}",
                report.name,
                number(hold.caught),
                number(hold.place),
                number(hold.force.largest),
                number(hold.force.at),
                100.0 * hold.strength_used.largest,
                number(hold.strength_used.at),
                radius(hold.least_bend_radius),
                number(hold.largest_twist)
            )?;
        }
        if report.untold_holds > 0 {
            writeln!(out, "  {:name_width$} and {} times more", report.name, report.untold_holds)?;
        }
    }
    let spans = || {
        reports.iter().flat_map(|report| {
            report.holds.iter().flat_map(move |hold| hold.spans.iter().map(move |span| (report, span)))
        })
    };
    if spans().next().is_none() {
        return Ok(());
    }
    writeln!(
        out,
        "\nBetween clips {:space$}rest length, m  straight, m  radius, m",
        "",
        space = (2 * name_width).saturating_sub(7)
    )?;
    for (report, span) in spans() {
        writeln!(
            out,
            "  {:name_width$} to {:name_width$} {:>14} {:>12} {:>10}",
            report.name,
            span.to,
            number(span.rest_length),
            number(span.distance),
            radius(span.least_bend_radius)
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{ClipReport, MOST_HOLDS, follow, write_tables};
    use crate::run::state::{ClipNow, HeldNow, SpanNow};

    fn clip(force: f64, held: bool, next: Option<(&str, f64)>) -> ClipNow {
        let next = next.map(|(to, distance)| SpanNow {
            to: to.to_owned(),
            rest_length: 0.2,
            distance,
            bend_radius: 0.4 / distance,
        });
        let held = held.then(|| HeldNow {
            rod: "cable".to_owned(),
            place: 0.5,
            bend_radius: 1.0 / force,
            twist: -force,
            next,
        });
        ClipNow { name: "clip".to_owned(), force, strength_used: force / 15.0, held }
    }

    #[test]
    fn a_clip_is_followed_from_its_catch_until_it_opens() {
        let mut reports = Vec::new();
        let steps = [
            clip(0.0, false, None),
            clip(2.0, true, Some(("next", 0.19))),
            clip(6.0, true, Some(("next", 0.201))),
            clip(4.0, true, Some(("other", 0.1))),
            clip(15.0, false, None),
            clip(0.0, false, None),
        ];
        for (k, step) in steps.into_iter().enumerate() {
            follow(&mut reports, &[step], k as f64);
        }
        let [ClipReport { holds, .. }] = reports.as_slice() else { panic!("one clip") };
        let [hold] = holds.as_slice() else { panic!("held once") };
        assert_eq!((hold.caught, hold.place, hold.let_go, hold.gave_way), (1.0, 0.5, Some(4.0), Some(15.0)));
        // While it held.
        assert_eq!((hold.force.largest, hold.force.at, hold.strength_used.largest), (6.0, 2.0, 0.4));
        assert_eq!((hold.least_bend_radius, hold.largest_twist), (Some(1.0 / 6.0), 6.0));
        let spans: Vec<_> =
            hold.spans.iter().map(|span| (span.to.as_str(), span.distance, span.least_bend_radius)).collect();
        assert_eq!(spans, [("next", 0.201, Some(0.4 / 0.201)), ("other", 0.1, Some(4.0))]);
    }

    #[test]
    fn a_clip_opened_or_removed_by_an_action_has_no_opening_force() {
        for after in [vec![clip(0.0, false, None)], vec![]] {
            let mut reports = Vec::new();
            follow(&mut reports, &[clip(3.0, true, None)], 0.0);
            follow(&mut reports, &after, 1.0);
            let hold = &reports[0].holds[0];
            assert_eq!((hold.let_go, hold.gave_way, hold.force.largest), (Some(1.0), None, 3.0));
        }
    }

    #[test]
    fn the_holds_of_a_clip_are_bounded_and_a_straight_rod_has_no_radius() {
        let mut reports = Vec::new();
        for k in 0..3 * MOST_HOLDS {
            follow(&mut reports, &[clip(0.0, k % 2 == 0, None)], k as f64);
        }
        assert_eq!((reports[0].holds.len(), reports[0].untold_holds), (MOST_HOLDS, 50));
        assert_eq!(reports[0].holds[0].least_bend_radius, None);
        let mut text = String::new();
        write_tables(&mut text, &reports).unwrap();
        assert!(
            text.contains("straight") && text.contains("50 times more") && !text.contains("Between"),
            "{text}"
        );
        // It survives a checkpoint.
        let bytes = serde_json::to_vec(&reports).unwrap();
        assert_eq!(serde_json::from_slice::<Vec<ClipReport>>(&bytes).unwrap(), reports);
    }
}
