//! Outcomes as readable text and as Markdown.

use super::outcome::{Outcome, Row};
use std::fmt::Write;

/// One case as text: title, a line for each number, source.
pub fn text(outcome: &Outcome) -> String {
    let width = outcome.rows.iter().map(|row| row.quantity.len()).max().unwrap_or(0).max("quantity".len());
    let word = outcome.rows.iter().map(|row| row.model.len()).max().unwrap_or(0).max("model".len());
    let verdict = if outcome.passes() { "passes" } else { "FAILS" };
    let mut out = format!("{}  {}: {verdict}\n", outcome.id, outcome.title);
    let head = ["measured", "expected", "tolerance", "error"].map(|word| format!("{word:>14}")).concat();
    let _ = writeln!(out, "  {:width$}  {:word$}{head}", "quantity", "model");
    for row in &outcome.rows {
        let mark = if row.pass { "" } else { "  FAILS" };
        let numbers = [number(row.measured), number(row.expected), small(row.tolerance), small(row.error())];
        let _ = writeln!(
            out,
            "  {:width$}  {:word$}{}{mark}",
            row.quantity,
            row.model,
            numbers.map(|n| format!("{n:>14}")).concat()
        );
    }
    for trouble in &outcome.troubles {
        let _ = writeln!(out, "  {trouble}");
    }
    let _ = writeln!(out, "  source: {}", outcome.source);
    out
}

/// The last line: how many numbers of how many cases pass.
pub fn summary(outcomes: &[Outcome]) -> String {
    let rows = || outcomes.iter().flat_map(|outcome| &outcome.rows);
    let (count, failed) = (rows().count(), rows().filter(|row| !row.pass).count());
    let cases = if outcomes.len() == 1 { "case".to_owned() } else { format!("{} cases", outcomes.len()) };
    match failed {
        0 if outcomes.len() == 1 => format!("The {cases} passes: {count} numbers within their tolerances."),
        0 => format!("All {cases} pass: {count} numbers within their tolerances."),
        _ => {
            let names: Vec<&str> = outcomes.iter().filter(|o| !o.passes()).map(|o| o.id.as_str()).collect();
            format!("{failed} of {count} numbers fail, in {}.", names.join(", "))
        }
    }
}

/// Introduction of the page.
const PAGE: &str = "\
# Validation

Micado compared with mechanics: closed forms, and solutions by other methods. `micado validate` runs
the cases, prints every number beside its expected value, and ends with exit code 1 if one fails.
`micado validate C0` runs the cases whose ids begin with C0; `micado validate --json` prints the
results for programs. `micado validate --markdown` prints this page.

A number passes if |measured − expected| ≤ tolerance, with the tolerances of the reference. The
references are the files `crates/micado-io/data/cases_open.json` (solved outside Micado by closed
forms, or by two independent methods that agree) and `crates/micado-io/data/cases_spline.json`
(known results for the spline rod). They give the definition, the solution method and the source of
each case. The experiments are in `crates/micado-io/src/validate`: each builds a scene, solves it
with the engine and reads the result. Rods that represent inextensible ones have EA L²/EI ≥ 10⁶;
cables that represent perfectly flexible ones have EI/(wL³) ≤ 10⁻⁶.

The built-in scenes are compared with their own limit: `micado bench convergence` runs each with steps
an eighth as long and twice the segments. The table is in [evidence](evidence.md).
";

/// All cases as a page of Markdown: an overview, then every number.
pub fn markdown(outcomes: &[Outcome]) -> String {
    let mut out = String::from(PAGE);
    out.push_str(
        "\n## Overview\n\n| case | what it shows | numbers | error / tolerance | source |\n\
         | --- | --- | --- | --- | --- |\n",
    );
    for o in outcomes {
        let share = o.rows.iter().map(|row| row.error() / row.tolerance).fold(0.0, f64::max);
        let (passed, all) = (o.rows.iter().filter(|row| row.pass).count(), o.rows.len());
        let _ = writeln!(
            out,
            "| {} | {}: {} | {passed} of {all} pass | {share:.1e} | {} |",
            o.id,
            o.title,
            bars(&o.shows),
            o.source
        );
    }
    out.push_str(
        "\nThe fourth column is the largest error as a fraction of its tolerance.\n\n## Every number\n",
    );
    for o in outcomes {
        let _ = write!(
            out,
            "\n### {}\n\n| quantity | model | measured | expected | tolerance | error |\n\
             | --- | --- | ---: | ---: | ---: | ---: |\n",
            o.id
        );
        for row in &o.rows {
            let _ = writeln!(out, "{}", markdown_row(row));
        }
    }
    out
}

/// Escapes the bars that separate the columns of a table.
fn bars(text: &str) -> String {
    text.replace('|', "\\|")
}

fn markdown_row(row: &Row) -> String {
    let mark = if row.pass { "" } else { " **fails**" };
    format!(
        "| {} | {} | {} | {} | {} | {}{mark} |",
        row.quantity,
        row.model,
        number(row.measured),
        number(row.expected),
        small(row.tolerance),
        small(row.error())
    )
}

/// A value with seven digits, in the more readable form.
fn number(x: f64) -> String {
    match x.abs() {
        _ if x.is_nan() => "not measured".to_owned(),
        0.0 => "0".to_owned(),
        a if a < 1e-12 => format!("{x:.1e}"),
        a if !(1e-3..1e5).contains(&a) => format!("{x:.5e}"),
        // digits after the point: seven in all
        a => format!("{x:.*}", (6.0 - a.log10().floor()) as usize),
    }
}

/// A tolerance or an error, with two digits.
fn small(x: f64) -> String {
    if x.is_nan() { "-".to_owned() } else { format!("{x:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_show_seven_digits() {
        assert_eq!(number(0.082_745_915), "0.08274592");
        assert_eq!(number(541.313_06), "541.3131");
        assert_eq!(number(0.000_2), "2.00000e-4");
        assert_eq!(number(-3.9e-17), "-3.9e-17");
        assert_eq!(number(f64::NAN), "not measured");
    }
}
