//! Reference cases drawn as published: the master curve of heavy cantilevers, and the weights at which a
//! hanging curl leaves its plane.

use super::{Experiment, Number, Study};
use crate::plot::{Chart, Series};
use crate::validate::stand::Trouble;
use crate::validate::{self, Case, Row};

pub(super) const CANTILEVER: Experiment = Experiment {
    name: "cantilever",
    shows: "how far a heavy rod hangs down, from a stiff one to a thread (case C03)",
    measure: cantilever,
};

pub(super) const BEND_TWIST: Experiment = Experiment {
    name: "bend-twist",
    shows: "weights between which a hanging rod with natural curvature leaves its plane (case R01)",
    measure: bend_twist,
};

/// A case and the measurements of its models.
struct Measured {
    case: Case,
    rows: Vec<Row>,
}

impl Measured {
    fn new(id: &str) -> Result<Self, Trouble> {
        let case = validate::select(&[id.to_owned()])
            .map_err(|error| Trouble::new(error.to_string()))?
            .swap_remove(0);
        let outcome = case.run();
        match outcome.troubles.first() {
            Some(trouble) => Err(Trouble::new(trouble)),
            None => Ok(Self { case, rows: outcome.rows }),
        }
    }

    /// The models, in the order in which they were measured.
    fn models(&self) -> Vec<&str> {
        let mut models: Vec<&str> = self.rows.iter().map(|row| row.model.as_str()).collect();
        models.dedup();
        models
    }

    /// Rows of a quantity with a model.
    fn of(&self, quantity: &str, model: &str) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(move |row| row.model == model && row.quantity.split('[').next() == Some(quantity))
    }

    /// A line for the reference, and marks for each model, over a parameter of the case.
    fn lines(&self, quantity: &str, over: &str, named: &str) -> Result<Vec<Series>, Trouble> {
        let (x, models) = (self.case.parameter(over)?, self.models());
        let along = |value: fn(&Row) -> f64, model: &str| {
            x.iter().copied().zip(self.of(quantity, model).map(value)).collect()
        };
        let expected = models.first().map(|model| along(|row| row.expected, model)).unwrap_or_default();
        let measured = models
            .iter()
            .map(|model| Series::marks(format!("{model}{named}"), along(|row| row.measured, model)));
        Ok([Series::new(format!("reference{named}"), expected)].into_iter().chain(measured).collect())
    }

    /// Value `k` of a quantity with every model.
    fn numbers(&self, quantity: &str, k: usize, named: &str) -> Vec<Number> {
        let number = |model: &str| {
            self.of(quantity, model)
                .nth(k)
                .map(|row| Number::new(format!("{named}, {model}"), row.measured, row.expected))
        };
        self.models().into_iter().filter_map(number).collect()
    }
}

fn cantilever() -> Result<Study, Trouble> {
    let measured = Measured::new("C03")?;
    Ok(Study {
        numbers: measured.numbers("H_over_W", 3, "drop over reach at w L³/EI = 10"),
        chart: Chart {
            title: "Heavy cantilever".into(),
            x_label: "w L³/EI".into(),
            y_label: "drop over reach of the free end".into(),
            series: measured.lines("H_over_W", "Gamma", "")?,
            log_x: true,
            log_y: true,
            ..Chart::default()
        },
    })
}

fn bend_twist() -> Result<Study, Trouble> {
    let measured = Measured::new("R01")?;
    let mut series = measured.lines("Gamma_up", "phi_over_pi_up", ", upper")?;
    series.extend(measured.lines("Gamma_low", "phi_over_pi_low", ", lower")?);
    let mut numbers = measured.numbers("Gamma_up", 0, "upper w L³/EI at κL = 2π");
    numbers.extend(measured.numbers("Gamma_low", 0, "lower w L³/EI at κL = 2π"));
    numbers.extend(measured.numbers("phi_min_over_pi", 0, "least κL/π that leaves its plane"));
    Ok(Study {
        numbers,
        chart: Chart {
            title: "Hanging curl: out of its plane between the lines".into(),
            x_label: "natural curvature times length over π".into(),
            y_label: "w L³/EI".into(),
            series,
            log_y: true,
            ..Chart::default()
        },
    })
}
