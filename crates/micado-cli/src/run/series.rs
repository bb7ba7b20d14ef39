//! Time series that are written during the run, so that a run that dies leaves them, and a resumed one
//! continues them.

use crate::failure::Failure;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Columns over time, in memory and, unless nothing is to be written, in a CSV file.
#[derive(Debug)]
pub(super) struct TimeSeries {
    file: Option<(PathBuf, BufWriter<File>)>,
    names: Vec<String>,
    times: Vec<f64>,
    /// Row after row, one value for each name.
    values: Vec<f64>,
}

impl TimeSeries {
    /// Creates a file; an existing one is overwritten.
    pub(super) fn create(path: PathBuf, names: &[String]) -> Result<Self, Failure> {
        let file = File::create(&path).map_err(|error| Failure::write(&path, error))?;
        let mut series = Self { file: Some((path, BufWriter::new(file))), ..Self::in_memory(names) };
        let header: Vec<String> =
            std::iter::once("time".to_owned()).chain(names.iter().map(|name| cell(name))).collect();
        series.write_line(&header.join(","))?;
        Ok(series)
    }

    /// A series without a file.
    pub(super) fn in_memory(names: &[String]) -> Self {
        Self { file: None, names: names.to_vec(), times: Vec::new(), values: Vec::new() }
    }

    /// Continues a file: keeps its rows up to `time`, s. Drops rows cut short by a kill.
    pub(super) fn resume(path: PathBuf, names: &[String], time: f64) -> Result<Self, Failure> {
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        let mut series = Self::create(path, names)?;
        // Rows that aren't numbers are left out; a header with line ends in a name needs no CSV reader.
        let complete = old.rfind('\n').map_or("", |end| &old[..end]);
        for line in complete.lines() {
            let row: Option<Vec<f64>> = line.split(',').map(|text| text.parse().ok()).collect();
            match row {
                Some(row) if row.len() == names.len() + 1 && row[0] <= time => {
                    series.push(row[0], &row[1..])?;
                }
                _ => {}
            }
        }
        Ok(series)
    }

    /// Adds a row.
    pub(super) fn push(&mut self, time: f64, values: &[f64]) -> Result<(), Failure> {
        self.times.push(time);
        self.values.extend_from_slice(values);
        if self.file.is_none() {
            return Ok(());
        }
        // The shortest text that reads back to the same bits.
        let line: Vec<String> = std::iter::once(&time).chain(values).map(f64::to_string).collect();
        self.write_line(&line.join(","))
    }

    /// Writes everything to the file.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        let Some((path, writer)) = &mut self.file else { return Ok(()) };
        writer.flush().map_err(|error| Failure::write(path, error))
    }

    /// Names of the columns, without the time.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// One column with its times.
    pub(super) fn column(&self, index: usize) -> Vec<(f64, f64)> {
        let width = self.names.len();
        self.times
            .iter()
            .zip(self.values.iter().skip(index).step_by(width.max(1)))
            .map(|(&t, &value)| (t, value))
            .collect()
    }

    fn write_line(&mut self, line: &str) -> Result<(), Failure> {
        let Some((path, writer)) = &mut self.file else { return Ok(()) };
        writeln!(writer, "{line}").map_err(|error| Failure::write(path, error))
    }
}

/// A text as a cell of a CSV file.
pub(super) fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::TimeSeries;

    #[test]
    fn a_series_goes_on_where_the_checkpoint_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("probes.csv");
        let names = ["a, with comma".to_owned(), "b".to_owned()];
        let mut series = TimeSeries::create(path.clone(), &names).unwrap();
        for i in 0..5 {
            series.push(f64::from(i) * 0.1, &[1.0 / 3.0, f64::NAN]).unwrap();
        }
        series.flush().unwrap();
        drop(series);
        // A kill in the middle of a row.
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("0.5,0.33");
        std::fs::write(&path, text).unwrap();

        let mut again = TimeSeries::resume(path.clone(), &names, 0.2).unwrap();
        again.push(0.3, &[2.0, 3.0]).unwrap();
        again.flush().unwrap();
        let first = again.column(0);
        assert_eq!(first.len(), 4);
        assert_eq!((first[2], first[3]), ((0.2, 1.0 / 3.0), (0.3, 2.0)));
        assert_eq!(again.column(1)[3], (0.3, 3.0));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("time,\"a, with comma\",b\n") && text.lines().count() == 5, "{text}");
    }
}
