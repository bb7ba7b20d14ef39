//! Numbers with their nouns.

/// "1 step", "2 steps", "3 passes".
pub(crate) fn counted(count: impl TryInto<u64>, word: &str) -> String {
    let plural = if word.ends_with('s') || word.ends_with("ch") { "es" } else { "s" };
    either(count, word, &format!("{word}{plural}"))
}

/// "1 mass", "2 masses": a number with the word for one or the word for several.
pub(crate) fn either(count: impl TryInto<u64>, one: &str, several: &str) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {one}"),
        count => format!("{count} {several}"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_not_many() {
        let said = [
            counted(0_u64, "step"),
            counted(1_usize, "pass"),
            counted(1_u32, "step"),
            counted(2_u64, "pass"),
        ];
        assert_eq!(said, ["0 steps", "1 pass", "1 step", "2 passes"]);
    }
}
