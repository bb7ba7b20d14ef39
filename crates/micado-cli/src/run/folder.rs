//! The folder that a run writes into.

use crate::failure::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// Names of the files in it.
pub(crate) const RECORDING: &str = "recording.micado";
pub(super) const PROBES: &str = "probes.csv";
pub(super) const ENERGY: &str = "energy.csv";
pub(super) const CONTACTS: &str = "contacts.csv";
pub(super) const MODES: &str = "modes.csv";
pub(super) const SUMMARY_JSON: &str = "summary.json";
pub(super) const SUMMARY_TEXT: &str = "summary.txt";
pub(super) const PICTURE: &str = "picture.png";
pub(super) const ANIMATION: &str = "animation.gif";

/// A folder that exists and can be written into.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Creates the folder if it is missing and tries to write into it, so that a long run does not fail at
    /// its end.
    pub(super) fn prepare(path: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(path).map_err(|error| Failure::write(path, error))?;
        let trial = path.join(format!(".micado-trial-{}", std::process::id()));
        fs::write(&trial, b"micado").map_err(|error| Failure::write(path, error))?;
        fs::remove_file(&trial).map_err(|error| Failure::write(&trial, error))?;
        Ok(Self(path.to_owned()))
    }

    /// Removes files of an earlier run that this one doesn't write.
    pub(super) fn forget(&self, names: &[&str]) -> Result<(), Failure> {
        for path in names.iter().map(|name| self.file(name)).filter(|path| path.exists()) {
            fs::remove_file(&path).map_err(|error| Failure::write(&path, error))?;
        }
        Ok(())
    }

    /// The folder itself.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// A file in it.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a whole file.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.file(name);
        fs::write(&path, text).map_err(|error| Failure::write(&path, error))
    }
}

/// A part of a file name made of any text: letters, digits, `-` and `_` stay, everything else becomes `-`.
pub(super) fn file_word(text: &str) -> String {
    let word: String =
        text.chars().take(60).map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
    if word.is_empty() { "unnamed".to_owned() } else { word }
}

#[cfg(test)]
mod tests {
    use super::{Folder, file_word};

    #[test]
    fn a_folder_that_cannot_be_made_is_refused_before_the_run() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        std::fs::write(&file, "x").unwrap();
        assert!(Folder::prepare(&file.join("below")).is_err());
        assert!(Folder::prepare(&file).is_err());
        assert!(Folder::prepare(&place.path().join("a/b/c")).is_ok());
    }

    #[test]
    fn names_of_probes_become_names_of_files() {
        assert_eq!(file_word("../tension at \"end\""), "---tension-at--end-");
        assert_eq!(file_word(""), "unnamed");
    }
}
