//! STL: triangles with their coordinates.
//!
//! ```text
//! binary   80 bytes  count u32  per triangle: normal 3 f32, corners 9 f32, attribute u16; little-endian
//! text     solid … facet normal … outer loop / vertex x y z (three times) / endloop endfacet … endsolid
//! ```

use super::lines::{lines, shown, three, words};
use super::{Builder, Fault, MOST, MeshData};

const HEAD: usize = 84;
const TRIANGLE: usize = 50;

/// The number of triangles that the head of a binary file states.
fn count(bytes: &[u8]) -> Option<usize> {
    let (_, rest) = bytes.split_at_checked(HEAD - 4)?;
    rest.first_chunk::<4>().map(|four| u32::from_le_bytes(*four) as usize)
}

/// Whether the size is exactly that of a binary file with the stated number of triangles.
pub(super) fn has_binary_size(bytes: &[u8]) -> bool {
    count(bytes).is_some_and(|count| count > 0 && bytes.len() - HEAD == count.saturating_mul(TRIANGLE))
}

pub(super) fn read_binary(bytes: &[u8]) -> Result<MeshData, Fault> {
    let Some(count) = count(bytes) else {
        return Err(Fault::damaged(format!(
            "a binary STL file has at least 84 bytes, this one {}",
            bytes.len()
        )));
    };
    let body = &bytes[HEAD..];
    let present = body.len() / TRIANGLE;
    if present < count {
        let problem = format!("the head states {count} triangles, but the file ends after {present}");
        return Err(Fault::damaged(problem));
    }
    if count > MOST {
        return Err(Fault::too_many());
    }
    let mut builder = Builder::default();
    for (k, record) in body.chunks_exact(TRIANGLE).take(count).enumerate() {
        let mut coordinates = [0.0; 9];
        for (value, four) in coordinates.iter_mut().zip(record[12..48].as_chunks::<4>().0) {
            *value = f64::from(f32::from_le_bytes(*four));
        }
        if coordinates.iter().any(|value| !value.is_finite()) {
            return Err(Fault::damaged(format!("triangle {k} has a coordinate that is not finite")));
        }
        let mut corners = [0; 3];
        for (corner, x) in corners.iter_mut().zip(coordinates.as_chunks::<3>().0) {
            *corner = builder.vertex(*x)?;
        }
        builder.triangle(corners)?;
    }
    Ok(builder.data)
}

pub(super) fn read_text(bytes: &[u8]) -> Result<MeshData, Fault> {
    let mut builder = Builder::default();
    let mut corners: Vec<u32> = Vec::new();
    let mut complete = false;
    for (line, text) in lines(bytes) {
        let mut rest = words(text);
        let Some(word) = rest.next() else { continue };
        match word.to_ascii_lowercase().as_slice() {
            b"vertex" => {
                if corners.len() == 3 {
                    return Err(Fault::damaged(format!("line {line}: a facet has more than three corners")));
                }
                corners.push(builder.vertex(three(rest, line)?)?);
            }
            b"endfacet" => {
                let Ok(triangle) = <[u32; 3]>::try_from(corners.as_slice()) else {
                    let problem = format!("line {line}: a facet has {} corners, not three", corners.len());
                    return Err(Fault::damaged(problem));
                };
                builder.triangle(triangle)?;
                corners.clear();
            }
            b"endsolid" => complete = true,
            b"solid" => complete = false,
            b"facet" | b"outer" | b"endloop" => {}
            _ => {
                return Err(Fault::damaged(format!(
                    "line {line}: `{}` is no word of an STL file",
                    shown(word)
                )));
            }
        }
    }
    if complete && corners.is_empty() {
        Ok(builder.data)
    } else {
        Err(Fault::damaged("the file ends without `endsolid`"))
    }
}
