//! Reference cases of mechanics, measured through the public engine.
//!
//! A case is a problem with a known answer. References come from `data/cases_open.json` (solved outside
//! Micado by closed forms or by two independent methods) and from `data/cases_spline.json` (results for the
//! spline rod). An experiment builds the case as a scene, solves it with the engine and reads the quantities;
//! measurements don't use the expected values. A value x passes if |x − expected| ≤ atol + rtol·|expected|.
//!
//! ```
//! let cases = micado_io::validate::select(&["Q02".to_owned()])?;
//! let outcome = cases[0].run();
//! assert!(outcome.passes());
//! # Ok::<(), micado_io::validate::UnknownCase>(())
//! ```

mod bending;
mod buckling;
mod cable;
mod cantilever;
mod capstan;
mod chain;
mod constraint;
mod curl;
mod helix;
mod keyhole;
mod locking;
pub(crate) mod ode;
mod outcome;
mod pearl;
mod reference;
mod rigid;
pub(crate) mod root;
mod spring;
pub(crate) mod stand;
mod table;
mod time;
mod touch;
mod twist;
mod vibration;

pub use outcome::{Outcome, Row};
pub use table::{markdown, summary, text};

use reference::Reference;
use stand::Trouble;

/// Names of the rod models in scene files.
const SPLINE: &str = "spline";
const DISCRETE: &str = "discrete-elastic";
const BEAM: &str = "beam";

/// Measured values, by the name of the quantity.
type Readings = Vec<(&'static str, Vec<f64>)>;

/// One way to measure quantities of a case.
#[derive(Debug)]
struct Experiment {
    /// The model, as named in scene files.
    model: &'static str,
    /// Quantities that it reads.
    quantities: &'static [&'static str],
    /// Builds, solves and reads.
    measure: fn(&Reference) -> Result<Readings, Trouble>,
}

/// How a case is measured.
#[derive(Debug)]
struct Plan {
    /// Id of the reference.
    id: &'static str,
    /// Description of the case and of its measurement.
    shows: &'static str,
    /// Experiments.
    experiments: &'static [Experiment],
}

/// All plans, in the order of the runs.
const PLANS: &[Plan] = &[
    cantilever::C01,
    cantilever::C02,
    cantilever::C03,
    buckling::E01,
    buckling::E03,
    bending::B01,
    bending::B02,
    bending::B03,
    spring::H01,
    twist::T01,
    helix::T03,
    curl::R01,
    curl::R02,
    cable::K01,
    cable::K03,
    chain::K06,
    vibration::V01,
    vibration::V04,
    vibration::V05,
    time::D01,
    constraint::Q01,
    constraint::Q02,
    keyhole::Q04,
    pearl::P01,
    pearl::P03,
    rigid::G01,
    touch::G03,
    touch::F01,
    touch::F03,
    touch::F05,
    capstan::Q06,
    locking::O01,
    time::O03,
    locking::N01,
    twist::N02,
    bending::N03,
];

/// A case that can be run.
#[derive(Debug)]
pub struct Case {
    plan: &'static Plan,
    reference: &'static Reference,
}

/// A selector that names no case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no case whose id begins with `{selector}`")]
pub struct UnknownCase {
    /// The selector.
    pub selector: String,
    /// The existing ids.
    pub known: Vec<&'static str>,
}

/// All cases.
pub fn all() -> Vec<Case> {
    PLANS.iter().map(|plan| Case { plan, reference: Reference::of(plan.id) }).collect()
}

/// The cases whose ids start with one of the selectors, ignoring upper and lower case; all if there is none.
///
/// # Errors
/// The first selector that matches no id.
pub fn select(selectors: &[String]) -> Result<Vec<Case>, UnknownCase> {
    let matches = |id: &str, selector: &str| id.to_lowercase().starts_with(&selector.to_lowercase());
    for selector in selectors {
        if selector.is_empty() || !PLANS.iter().any(|plan| matches(plan.id, selector)) {
            return Err(UnknownCase {
                selector: selector.clone(),
                known: PLANS.iter().map(|plan| plan.id).collect(),
            });
        }
    }
    let wanted =
        |case: &Case| selectors.is_empty() || selectors.iter().any(|selector| matches(case.id(), selector));
    Ok(all().into_iter().filter(wanted).collect())
}

impl Case {
    /// Full id, as in the reference file.
    pub fn id(&self) -> &'static str {
        self.plan.id
    }

    /// Values of a parameter of the reference.
    pub(crate) fn parameter(&self, name: &str) -> Result<Vec<f64>, Trouble> {
        self.reference.numbers(name)
    }

    /// Title.
    pub fn title(&self) -> &'static str {
        &self.reference.title
    }

    /// Where the expected values come from.
    pub fn source(&self) -> String {
        self.reference.source()
    }

    /// Description of the case and of its measurement.
    pub fn shows(&self) -> &'static str {
        self.plan.shows
    }

    /// Measures and compares. Quantities of a failed experiment are listed as not measured, which never
    /// passes.
    pub fn run(&self) -> Outcome {
        let mut outcome = Outcome::new(self.id(), self.title(), self.source(), self.shows());
        for experiment in self.plan.experiments {
            let readings = (experiment.measure)(self.reference).unwrap_or_else(|trouble| {
                outcome.troubles.push(trouble.to_string());
                Readings::new()
            });
            for quantity in experiment.quantities {
                let read =
                    readings.iter().find(|(name, _)| name == quantity).map(|(_, values)| values.as_slice());
                outcome.compare(
                    experiment.model,
                    quantity,
                    read.unwrap_or_default(),
                    self.reference.expected(quantity),
                );
            }
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::{Experiment, PLANS, Reference, select};
    use std::collections::BTreeSet;

    #[test]
    fn each_model_measures_a_quantity_once_and_no_quantity_is_left_out() {
        let mut count = 0;
        for plan in PLANS {
            let of = |e: &'static Experiment| e.quantities.iter().map(|&quantity| (quantity, e.model));
            let mut measured: Vec<(&str, &str)> = plan.experiments.iter().flat_map(of).collect();
            measured.sort_unstable();
            count += measured.len();
            assert!(measured.windows(2).all(|two| two[0] != two[1]), "{}: {measured:?}", plan.id);
            measured.dedup_by_key(|(quantity, _)| *quantity);
            let expected: BTreeSet<&str> = Reference::of(plan.id).quantities().collect();
            assert!(measured.iter().map(|(quantity, _)| *quantity).eq(expected), "{}: {measured:?}", plan.id);
        }
        assert!(count >= 60, "{count} quantities");
    }

    #[test]
    fn a_selector_is_a_prefix_of_an_id() {
        let ids = |selectors: &[&str]| -> Vec<&str> {
            let selectors: Vec<String> = selectors.iter().map(|&s| s.to_owned()).collect();
            select(&selectors).unwrap().iter().map(super::Case::id).collect()
        };
        assert_eq!(ids(&["C0"]), ["C01-cantilever-small", "C02-bisshopp-drucker", "C03-heavy-elastica"]);
        assert_eq!(ids(&["q02-link-triangle", "b01"]), ["B01-rollup", "Q02-link-triangle"]);
        assert_eq!(ids(&[]).len(), PLANS.len());
        let error = select(&["C01".to_owned(), "Z".to_owned()]).unwrap_err();
        assert!(error.selector == "Z" && error.known.len() == PLANS.len());
    }
}
