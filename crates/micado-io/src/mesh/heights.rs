//! Files of heights: a table of numbers, or a grayscale PNG image.
//!
//! A table has one line for each y, from the lowest on. Its numbers along x are separated by commas,
//! semicolons or blanks. Lines that begin with `#` are comments. An image has up to 16 bits, black is 0 and
//! white 1; its lowest row is the lowest y.

use super::lines::{lines, number};
use super::{Fault, MOST, MeshError, read_bytes};
use std::io::Cursor;
use std::path::Path;

/// How a PNG file begins.
const PNG: &[u8] = b"\x89PNG";

/// Reads a file of heights: a list for each y, from the lowest on.
///
/// # Errors
/// A file that can't be read, is too large, or is damaged.
pub(crate) fn read(path: &Path) -> Result<Vec<Vec<f64>>, MeshError> {
    let (name, bytes) = read_bytes(path, "give a table of numbers, or a grayscale PNG image")?;
    parse(&bytes).map_err(|fault| MeshError::new(&name, fault.problem, fault.remedy))
}

/// Reads the content of a file of heights.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Vec<f64>>, Fault> {
    if bytes.starts_with(PNG) { image(bytes) } else { table(bytes) }
}

fn table(bytes: &[u8]) -> Result<Vec<Vec<f64>>, Fault> {
    let mut found: Vec<Vec<f64>> = Vec::new();
    let mut count = 0;
    for (at, line) in lines(bytes) {
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let separates = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b';');
        let words = line.split(separates).filter(|word| !word.is_empty());
        let heights = words.map(|word| number(Some(word), at)).collect::<Result<Vec<f64>, Fault>>();
        let heights = heights.map_err(|fault| {
            Fault::new(fault.problem, "give a table of numbers, with one line for each y")
        })?;
        count += heights.len();
        if count > MOST {
            return Err(too_many());
        }
        if let Some(first) = found.first().filter(|first| first.len() != heights.len()) {
            let problem =
                format!("line {at} has {} heights, the first line has {}", heights.len(), first.len());
            return Err(Fault::new(problem, "give the same number of heights in each line"));
        }
        found.push(heights);
    }
    if found.is_empty() {
        return Err(Fault::new("there are no heights", "give a table of numbers, with one line for each y"));
    }
    Ok(found)
}

fn image(bytes: &[u8]) -> Result<Vec<Vec<f64>>, Fault> {
    let damaged = |error: png::DecodingError| Fault::damaged(format!("the image can't be read: {error}"));
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(damaged)?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    if width.saturating_mul(height) > MOST {
        return Err(too_many());
    }
    let (color, depth) = reader.output_color_type();
    let channels = match color {
        png::ColorType::Grayscale => 1,
        png::ColorType::GrayscaleAlpha => 2,
        _ => return Err(Fault::new("the image has colours", "export it as a grayscale PNG image")),
    };
    let size = reader.output_buffer_size().ok_or_else(too_many)?;
    let mut pixels = vec![0; size];
    reader.next_frame(&mut pixels).map_err(damaged)?;
    let wide = depth == png::BitDepth::Sixteen;
    let of_pixel = channels * if wide { 2 } else { 1 };
    let value = |pixel: &[u8]| {
        if wide {
            f64::from(u16::from_be_bytes([pixel[0], pixel[1]])) / f64::from(u16::MAX)
        } else {
            f64::from(pixel[0]) / f64::from(u8::MAX)
        }
    };
    let rows = pixels.chunks_exact((width * of_pixel).max(1)).take(height);
    let mut found: Vec<Vec<f64>> = rows.map(|row| row.chunks_exact(of_pixel).map(value).collect()).collect();
    found.reverse();
    Ok(found)
}

fn too_many() -> Fault {
    Fault::new(format!("there are more than {} million heights", MOST / 1_000_000), "give fewer heights")
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn tables_and_images_give_the_same_heights() {
        let expected = vec![vec![0.0, 1.0, 0.2], vec![0.4, 0.6, 0.8]];
        for text in ["0 1 0.2\n0.4 0.6 0.8", "# heights\r\n0, 1,0.2\r\n\r\n0.4;0.6; 0.8\r\n"] {
            assert_eq!(parse(text.as_bytes()).expect("a table"), expected);
        }
        // The upper row of an image has the largest y.
        for (depth, pixels) in [
            (png::BitDepth::Eight, vec![102_u8, 153, 204, 0, 255, 51]),
            (png::BitDepth::Sixteen, [102_u8, 153, 204, 0, 255, 51].iter().flat_map(|&k| [k, k]).collect()),
        ] {
            let mut bytes = Vec::new();
            let mut encoder = png::Encoder::new(&mut bytes, 3, 2);
            encoder.set_color(png::ColorType::Grayscale);
            encoder.set_depth(depth);
            let mut writer = encoder.write_header().expect("a header");
            writer.write_image_data(&pixels).expect("an image");
            drop(writer);
            assert_eq!(parse(&bytes).expect("an image"), expected, "{depth:?}");
        }
    }

    #[test]
    fn damaged_files_of_heights_are_refused() {
        for (text, problem) in [
            ("0 1\n2 x", "line 2: `x` is no number"),
            ("0 1\n2 nan", "line 2: `nan` is not finite"),
            ("0 1\n2", "line 2 has 1 heights, the first line has 2"),
            ("\u{89}PNG", "line 1: `\u{89}PNG` is no number"),
        ] {
            let fault = parse(text.as_bytes()).expect_err("a fault");
            assert!(fault.problem.contains(problem), "{}", fault.problem);
        }
        assert!(parse(b"\x89PNG\r\n").expect_err("a fault").problem.contains("the image can't be read"));
        for text in ["", "# no heights\n\n"] {
            assert_eq!(parse(text.as_bytes()).expect_err("a fault").problem, "there are no heights");
        }
    }
}
