//! What a room may know: generic stages know no kind of constraint or contact by name.

use std::path::{Path, PathBuf};

/// Rooms and files that ask laws, and name no kind.
const GENERIC: &[&str] = &[
    "step",
    "law",
    "geometry",
    "object",
    "edit/remap.rs",
    "edit/resolution.rs",
    "world/build_constraint.rs",
    "world/duplicates.rs",
    "world/islands.rs",
    "world/mod.rs",
    "world/pace.rs",
    "world/pace_switch.rs",
    "world/sliding.rs",
    "world/snapshot.rs",
    "world/state.rs",
    "world/structure.rs",
];

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("a folder") {
            files(&entry.expect("an entry").path(), found);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        found.push(path.to_owned());
    }
}

#[test]
fn generic_stages_name_no_kind_of_constraint() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    for room in GENERIC {
        let before = all.len();
        files(&root.join(room), &mut all);
        assert!(all.len() > before, "{room} is not there any more");
    }
    let mut offenders = Vec::new();
    for path in &all {
        let text = std::fs::read_to_string(path).expect("a file");
        // Tests may use any scene.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            let words = line.to_lowercase().replace("clippy", "");
            if words.contains("pearl") || words.contains("clip") {
                let file = path.strip_prefix(&root).unwrap_or(path).display();
                offenders.push(format!("{file}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(all.len() > 60, "{} files were read", all.len());
    assert!(offenders.is_empty(), "kinds named in generic files:\n{}", offenders.join("\n"));
}
