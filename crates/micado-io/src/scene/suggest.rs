//! "Did you mean": the nearest of the allowed words.

use micado::scene::Kind;

/// Words of other tools, and the word of the scene file.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("e", "young"),
    ("youngs_modulus", "young"),
    ("young_modulus", "young"),
    ("modulus", "young"),
    ("g", "shear"),
    ("shear_modulus", "shear"),
    ("nu", "poisson"),
    ("poissons_ratio", "poisson"),
    ("rho", "density"),
    ("diameter", "radius"),
    ("dt", "step"),
    ("timestep", "step"),
    ("time_step", "step"),
    ("time", "duration"),
    ("end_time", "duration"),
    ("iterations", "solves"),
    ("pin", "position"),
    ("fixed", "clamp"),
    ("fix", "clamp"),
    ("cable", "rod"),
    ("rope", "rod"),
    ("beam", "rod"),
    ("straight", "line"),
    ("center", "centre"),
    ("color", "colour"),
    ("body", "mass"),
    ("force", "load"),
];

/// The allowed word that `word` most likely means.
pub(super) fn nearest<'a>(word: &str, allowed: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed: Vec<&str> = allowed.into_iter().collect();
    let plain = word.to_lowercase().replace(['-', ' '], "_");
    if let Some(&same) =
        allowed.iter().find(|candidate| candidate.to_lowercase().replace(['-', ' '], "_") == plain)
    {
        return Some(same);
    }
    // `rod = "cable"` most likely means the object that is held.
    let objects = Kind::OBJECTS.iter().map(|kind| (kind.word(), "on"));
    let translated = OTHER_WORDS
        .iter()
        .copied()
        .chain(objects)
        .filter(|(other, _)| *other == plain)
        .find_map(|(_, ours)| allowed.iter().find(|word| **word == ours));
    if let Some(&ours) = translated {
        return Some(ours);
    }
    allowed
        .into_iter()
        .map(|candidate| (candidate, likeness(&plain, &candidate.to_lowercase())))
        .filter(|&(_, likeness)| likeness > 0.0)
        // The first of equally near words: the list has the order of the documentation.
        .fold(None, |best: Option<(&str, f64)>, next| match best {
            Some(best) if best.1 >= next.1 => Some(best),
            _ => Some(next),
        })
        .map(|(candidate, _)| candidate)
}

/// Similarity of two words: zero if they can't be confused, otherwise larger for more similar ones.
fn likeness(a: &str, b: &str) -> f64 {
    let longest = a.chars().count().max(b.chars().count());
    let edits = strsim::damerau_levenshtein(a, b);
    let few_edits = edits <= (longest / 3).max(1) && edits < longest;
    let alike = strsim::jaro_winkler(a, b);
    // 0.85 keeps `lenght`/`length` and `tension_left`/`tension`, and leaves `end`/`on` alone.
    if few_edits || alike > 0.85 { alike } else { 0.0 }
}

/// "did you mean `radius`? " or nothing.
pub(super) fn did_you_mean<'a>(word: &str, allowed: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, allowed).map(|best| format!("did you mean `{best}`? ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn typing_errors_are_recognised() {
        let fields = ["model", "shape", "radius", "young", "density", "segments"];
        assert_eq!(nearest("radus", fields), Some("radius"));
        assert_eq!(nearest("yuong", fields), Some("young"));
        assert_eq!(nearest("Density", fields), Some("density"));
        assert_eq!(nearest("segment", fields), Some("segments"));
    }

    #[test]
    fn words_of_other_tools_are_translated() {
        assert_eq!(nearest("E", ["shape", "young"]), Some("young"));
        assert_eq!(nearest("youngs_modulus", ["radius", "young"]), Some("young"));
    }

    #[test]
    fn a_word_like_nothing_gets_no_suggestion() {
        assert_eq!(nearest("xylophone", ["radius", "young"]), None);
        assert_eq!(nearest("", ["radius", "young"]), None);
        assert_eq!(nearest("q", []), None);
    }
}
