//! Numbers with their nouns.

/// "1 step", "2 steps", "3 masses".
pub(crate) fn counted(count: impl TryInto<u64>, word: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    match (count, word) {
        (1, _) => format!("1 {word}"),
        (_, "mass" | "winch" | "pass" | "switch") => format!("{count} {word}es"),
        _ => format!("{count} {word}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_not_many() {
        let said = [
            counted(0_u64, "step"),
            counted(1_usize, "mass"),
            counted(1_u32, "step"),
            counted(2_u64, "mass"),
        ];
        assert_eq!(said, ["0 steps", "1 mass", "1 step", "2 masses"]);
    }
}
