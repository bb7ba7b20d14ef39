//! Words and numbers of text files.

use super::Fault;

/// Lines of a text with their numbers, counted from 1.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    (1..).zip(bytes.split(|&byte| byte == b'\n')).map(|(number, line)| (number, line.trim_ascii()))
}

/// Words of a line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A word in a message, shortened.
pub(super) fn shown(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(&word[..word.len().min(24)]).into_owned();
    if word.len() > 24 { format!("{text}…") } else { text }
}

/// A number, which must be finite.
pub(super) fn number(word: Option<&[u8]>, line: usize) -> Result<f64, Fault> {
    let Some(word) = word else {
        return Err(Fault::damaged(format!("line {line}: a number is missing")));
    };
    let value: Option<f64> = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
    match value {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(Fault::damaged(format!("line {line}: `{}` is not finite", shown(word)))),
        None => Err(Fault::damaged(format!("line {line}: `{}` is no number", shown(word)))),
    }
}

/// Three numbers.
pub(super) fn three<'a>(mut words: impl Iterator<Item = &'a [u8]>, line: usize) -> Result<[f64; 3], Fault> {
    Ok([number(words.next(), line)?, number(words.next(), line)?, number(words.next(), line)?])
}
