//! The rooms of the engine: none knows a later one, and generic stages name no kind of constraint or contact.

use std::fs;
use std::path::Path;

/// The rooms in the order of ARCHITECTURE.md.
const ROOMS: [&str; 14] = [
    "short",
    "error",
    "describe",
    "clock",
    "geometry",
    "object",
    "law",
    "constraint",
    "load",
    "scene",
    "world",
    "contact",
    "edit",
    "step",
];

/// All source files below a folder.
fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    let mut entries: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_room_knows_a_later_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    files(&root, &mut found);
    let rank = |room: &str| ROOMS.iter().position(|known| *known == room).unwrap_or(ROOMS.len());
    let (mut offenders, mut checked) = (Vec::new(), 0);
    for path in found {
        let relative = path.strip_prefix(&root).expect("below the root").to_string_lossy().into_owned();
        let room = relative.split(['/', '\\']).next().unwrap_or_default().trim_end_matches(".rs").to_owned();
        if room == "lib" {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        // Tests within a file may use whatever they need.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (i, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for after in line.split("crate::").skip(1) {
                let known: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                checked += 1;
                if rank(&known) > rank(&room) {
                    offenders.push(format!("{relative}:{}: {room} knows {known}", i + 1));
                }
            }
        }
    }
    assert!(offenders.is_empty(), "{}", offenders.join("\n"));
    assert!(checked > 500, "{checked}");
}

/// Rooms and files that ask laws, and name no kind.
const GENERIC: &[&str] = &[
    "step",
    "law",
    "geometry",
    "object",
    "edit/remap.rs",
    "edit/resolution.rs",
    "world/build_constraint.rs",
    "world/contact_memory.rs",
    "world/duplicates.rs",
    "world/islands.rs",
    "world/mod.rs",
    "world/pace.rs",
    "world/pace_switch.rs",
    "world/remap.rs",
    "world/sliding.rs",
    "world/snapshot.rs",
    "world/state.rs",
    "world/structure.rs",
];

#[test]
fn generic_stages_name_no_kind_of_constraint() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for room in GENERIC {
        let path = root.join(room);
        if path.is_dir() {
            files(&path, &mut found);
        } else {
            found.push(path);
        }
    }
    let mut offenders = Vec::new();
    let is_test = |path: &Path| path.to_string_lossy().ends_with("_tests.rs");
    for path in found.iter().filter(|path| !is_test(path)) {
        let text = fs::read_to_string(path).expect("a source file");
        // Tests within a file may use whatever they need.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (i, line) in code.lines().enumerate() {
            let words = line.to_lowercase().replace("clippy", "");
            if words.contains("pearl") || words.contains("clip") {
                let file = path.strip_prefix(&root).unwrap_or(path).display();
                offenders.push(format!("{file}:{}: {}", i + 1, line.trim()));
            }
        }
    }
    assert!(found.len() > 60, "{} files were read", found.len());
    assert!(offenders.is_empty(), "kinds named in generic files:\n{}", offenders.join("\n"));
}
