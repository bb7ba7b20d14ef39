//! The scenes that come with Micado.

/// A built-in scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Name, as for `micado run`.
    pub name: &'static str,
    /// The scene file.
    pub text: &'static str,
}

/// One line per scene: its name is the name of its file under `scenes/`.
macro_rules! scenes {
    ($($name:literal,)*) => {
        &[$(Builtin { name: $name, text: include_str!(concat!("../../../../scenes/", $name, ".toml")) },)*]
    };
}

/// All built-in scenes, in the order of the gallery.
pub const BUILTIN: &[Builtin] = scenes![
    "hanging-cable",
    "pendulum",
    "pulley",
    "cantilever",
    "spring-weights",
    "winch",
    "wind-cable",
    "crank",
    "helix-slide",
    "release",
    "twisted-ring",
    "michell-ring",
    "localized-helix",
    "helical-perversion",
    "twist-asymmetry",
    "imposed-twist",
    "buckling-column",
    "bridge",
    "spider-net",
    "dna",
    "cable-bundle",
    "necklace",
    "slipknot",
    "lasso",
    "clips",
    "car-door",
    "door-panel",
    "bow",
    "two-cubes-on-incline",
    "stacked-cubes",
    "capstan",
    "domino-pearls",
    "fly-in-the-net",
    "cable-and-bodies",
    "rope-on-post",
    "rope-coil",
    "harness-on-mesh",
    "cube-chain",
    "falling-cube-chain",
    "closed-loop",
    "torque-transducer",
    "gyroscope",
    "hinged-harness",
    "crane",
    "wilberforce",
    "tree",
];

/// The built-in scene of this name.
pub fn builtin(name: &str) -> Option<Builtin> {
    BUILTIN.iter().find(|scene| scene.name == name).copied()
}

#[cfg(test)]
mod tests {
    use super::BUILTIN;

    #[test]
    fn every_scene_file_is_built_in() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
            .collect();
        let mut names: Vec<String> = BUILTIN.iter().map(|scene| scene.name.to_owned()).collect();
        files.sort();
        names.sort();
        assert_eq!(files, names);
    }
}
