//! Finds a scene by what a person typed: a built-in name or a file.

use super::error::SceneError;
use super::suggest::nearest;
use super::{BUILTIN, SceneFile, builtin, parse};
use crate::record::is_recording;
use std::io::ErrorKind;
use std::path::Path;

/// Largest scene file that is read, bytes.
const LARGEST_FILE: u64 = 64 << 20;

/// Reads a scene file with overrides (`path=value`) applied.
///
/// # Errors
/// A file that can't be read, and everything that [`parse`] refuses; also a mesh file of a body that can't be
/// used.
pub fn read(path: impl AsRef<Path>, overrides: &[String]) -> Result<SceneFile, SceneError> {
    let path = path.as_ref();
    let shown = path.display().to_string();
    let refuse = |problem: String, remedy: &str| Err(SceneError::elsewhere(problem, remedy));
    match std::fs::metadata(path) {
        Ok(data) if data.is_dir() => {
            return refuse(format!("{shown} is a folder"), "give a scene file (.toml) in it");
        }
        Ok(_) if is_recording(path) => {
            return refuse(
                format!("{shown} is a recording, not a scene"),
                "open it with `micado view`, or convert it with `micado export`",
            );
        }
        Ok(data) if data.len() > LARGEST_FILE => {
            return refuse(format!("{shown} is too large for a scene file"), "give a file below 64 MB");
        }
        _ => {}
    }
    match std::fs::read(path) {
        Err(error) => refuse(format!("{shown} can't be read: {error}"), "check the path and its permissions"),
        Ok(bytes) => match String::from_utf8(bytes) {
            Err(error) => {
                if error.as_bytes().contains(&0) {
                    let problem = format!("{shown} is neither a scene, which is text, nor a recording");
                    return refuse(problem, "give a scene file (.toml), or the recording.micado of a run");
                }
                let at = error.utf8_error().valid_up_to();
                let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
                refuse(format!("{shown} is not a text in UTF-8 (line {line})"), "save it as UTF-8")
            }
            Ok(text) => {
                let mut file = parse(&shown, &text, overrides)?;
                file.load_meshes(path.parent().unwrap_or(Path::new("")))?;
                Ok(file)
            }
        },
    }
}

/// Opens a scene by path or built-in name.
///
/// # Errors
/// Neither exists, or the scene is refused.
pub fn open(name_or_path: &str, overrides: &[String]) -> Result<SceneFile, SceneError> {
    if let Some(scene) = builtin(name_or_path) {
        return parse(scene.name, scene.text, overrides);
    }
    let path = Path::new(name_or_path);
    match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Err(neither(name_or_path)),
        _ => read(path, overrides),
    }
}

/// The error for a name that is neither a built-in scene nor a file, with a suggestion.
fn neither(typed: &str) -> SceneError {
    let path = Path::new(typed);
    let files = neighbours(path);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or(typed);
    let by_name = nearest(typed, BUILTIN.iter().map(|scene| scene.name))
        .or_else(|| nearest(stem, BUILTIN.iter().map(|scene| scene.name)));
    let by_file = nearest(typed, files.iter().map(String::as_str));
    // A name with an extension or a folder means a file.
    let meant = if typed.contains(['.', '/', '\\']) { by_file.or(by_name) } else { by_name.or(by_file) };
    let remedy = match meant {
        Some(meant) => format!("did you mean `{meant}`? `micado list` shows the built-in scenes"),
        None => "give the path of a scene file, or one of the names that `micado list` shows".to_owned(),
    };
    SceneError::elsewhere(format!("`{typed}` is neither a built-in scene nor a file"), remedy)
}

/// The scene files beside `path`, written like `path`. Sorted, so that the suggestion is deterministic.
fn neighbours(path: &Path) -> Vec<String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let looked_in = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = std::fs::read_dir(looked_in) else {
        return Vec::new();
    };
    let mut files: Vec<String> = entries
        .take(10_000)
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.ends_with(".toml").then(|| folder.join(name).display().to_string())
        })
        .collect();
    files.sort();
    files
}
