//! OBJ: lines `v x y z`, and polygons `f a b c …` whose corners count from 1, or backwards from −1. After
//! each corner may follow `/texture/normal`, which is ignored, as all other lines are.

use super::lines::{lines, shown, three, words};
use super::polygon::MOST_CORNERS;
use super::{Builder, Fault, MOST, MeshData};
use std::borrow::Cow;

/// Whether one of the first lines is that of a vertex.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    lines(bytes)
        .take(200)
        .any(|(line, text)| text.starts_with(b"v ") && three(words(&text[2..]), line).is_ok())
}

pub(super) fn read(bytes: &[u8]) -> Result<MeshData, Fault> {
    let mut builder = Builder::default();
    // Number of each vertex of the file among those at different places.
    let mut numbers: Vec<u32> = Vec::new();
    let mut polygon = Vec::new();
    for (line, text) in joined_lines(bytes) {
        let mut rest = words(&text);
        match rest.next() {
            Some(b"v") => {
                if numbers.len() >= MOST {
                    return Err(Fault::too_many());
                }
                numbers.push(builder.vertex(three(rest, line)?)?);
            }
            Some(b"f") => {
                polygon.clear();
                // One more than allowed is refused below.
                for word in rest.take(MOST_CORNERS + 1) {
                    polygon.push(corner(word, &numbers, line)?);
                }
                if polygon.len() < 3 {
                    let problem = format!("line {line}: a face has {} corners", polygon.len());
                    return Err(Fault::damaged(problem));
                }
                builder
                    .polygon(&polygon)
                    .map_err(|fault| Fault { problem: format!("line {line}: {}", fault.problem), ..fault })?;
            }
            _ => {}
        }
    }
    Ok(builder.data)
}

fn corner(word: &[u8], numbers: &[u32], line: usize) -> Result<u32, Fault> {
    let index = word.split(|&byte| byte == b'/').next().unwrap_or_default();
    let index: Option<i64> = std::str::from_utf8(index).ok().and_then(|text| text.parse().ok());
    let Some(index) = index else {
        return Err(Fault::damaged(format!("line {line}: `{}` is no corner of a face", shown(word))));
    };
    let count = numbers.len();
    let position = match usize::try_from(index.unsigned_abs()) {
        Ok(from_start) if index > 0 => from_start.checked_sub(1),
        Ok(from_end) if index < 0 => count.checked_sub(from_end),
        _ => None,
    };
    position.and_then(|position| numbers.get(position)).copied().ok_or_else(|| {
        Fault::damaged(format!(
            "line {line}: a face has the corner {index}, but {count} vertices come before"
        ))
    })
}

/// Lines, with those that end with a backslash joined to the next.
fn joined_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Cow<'_, [u8]>)> {
    let mut lines = lines(bytes);
    std::iter::from_fn(move || {
        let (number, line) = lines.next()?;
        let mut joined = Cow::Borrowed(line);
        while joined.ends_with(b"\\") {
            let mut longer = joined.into_owned();
            longer.pop();
            longer.push(b' ');
            longer.extend(lines.next().map_or(&b""[..], |(_, next)| next));
            joined = Cow::Owned(longer);
        }
        Some((number, joined))
    })
}
