//! Progress of a run, on the standard error output if that is a terminal.

use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// Steps of the bar; time is counted in these so that any duration fits.
const LENGTH: u64 = 1000;

/// The bar of a run. Without a terminal, or with `--quiet`, it shows nothing.
pub(crate) struct Progress {
    bar: ProgressBar,
    quiet: bool,
}

impl Progress {
    /// A bar for a run of `title`.
    pub(crate) fn new(title: &str, quiet: bool) -> Self {
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(15) };
        let bar = ProgressBar::with_draw_target(Some(LENGTH), target);
        if let Ok(style) = ProgressStyle::with_template("{prefix} {bar:30.cyan/blue} {percent:>3} %  {msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(title.to_owned());
        Self { bar, quiet }
    }

    /// Shows the current time `time` of `duration`, s, and the wall time `wall`, s, that `simulated` s took.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of a bar"
    )]
    pub(crate) fn show(&self, time: f64, duration: f64, simulated: f64, wall: f64) {
        let share = if duration > 0.0 { (time / duration).clamp(0.0, 1.0) } else { 1.0 };
        self.bar.set_position((share * LENGTH as f64) as u64);
        let factor = if wall > 0.0 { simulated / wall } else { 0.0 };
        let left = if share > 0.0 && factor > 0.0 { (duration - time) / factor } else { 0.0 };
        self.bar.set_message(format!(
            "t = {time:.2} of {duration} s, {}× real time, {left:.0} s left",
            factor_text(factor)
        ));
    }

    /// Shows that `done` of `count` things are done, and what comes next.
    pub(crate) fn show_share(&self, done: usize, count: usize, next: &str) {
        self.bar.set_position(LENGTH * done as u64 / count.max(1) as u64);
        self.bar.set_message(next.to_owned());
    }

    /// Prints something without disturbing the bar.
    pub(crate) fn suspended<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Prints a line above the bar.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            self.bar.suspend(|| output::note(text));
        }
    }

    /// Shows that plots and pictures are being written at the end.
    pub(crate) fn working_on(&self, what: &str) {
        self.bar.set_position(LENGTH);
        self.bar.set_message(what.to_owned());
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A real-time factor with a readable number of digits.
pub(crate) fn factor_text(factor: f64) -> String {
    match factor {
        f if f >= 100.0 => format!("{f:.0}"),
        f if f >= 1.0 => format!("{f:.1}"),
        f => format!("{f:.2}"),
    }
}
