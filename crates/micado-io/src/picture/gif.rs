//! Animations: one camera and one palette for all frames; each frame stores only the changed pixels.

use std::borrow::Cow;
use std::path::Path;

use super::data::{Drawing, View};
use super::palette::{COLOURS, Palette};
use super::scene::Stage;
use super::{PictureError, write};

/// Number of frames from which the palette is made.
const LOOKED_AT: usize = 6;
/// Index of transparent pixels, which keep their previous colour.
const AS_BEFORE: u8 = COLOURS as u8;

/// Writes frames as a GIF of 720 × 450 pixels that repeats for ever, with a camera that fits all of them.
pub fn write_gif(
    frames: &[Drawing],
    path: impl AsRef<Path>,
    frames_per_second: f64,
) -> Result<(), PictureError> {
    write(path.as_ref(), &to_gif(frames, &View::animation(), frames_per_second)?)
}

/// Encodes frames as a GIF file with any view; returns its bytes.
pub fn to_gif(frames: &[Drawing], view: &View, frames_per_second: f64) -> Result<Vec<u8>, PictureError> {
    if frames.is_empty() {
        return Err(PictureError::NoFrames);
    }
    let (Ok(width), Ok(height)) = (u16::try_from(view.size.0), u16::try_from(view.size.1)) else {
        return Err(PictureError::Size { width: view.size.0, height: view.size.1 });
    };
    let encode = |error: gif::EncodingError| PictureError::Encode(error.to_string());
    let stage = Stage::fit(frames, view)?;
    let picture = |index: usize| Ok::<_, PictureError>(stage.render(&frames[index])?.into_rgb());

    let count = frames.len().min(LOOKED_AT);
    let samples: Vec<Vec<u8>> =
        (0..count).map(|i| picture(i * (frames.len() - 1) / (count - 1).max(1))).collect::<Result<_, _>>()?;
    let samples: Vec<&[u8]> = samples.iter().map(Vec::as_slice).collect();
    let mut palette = Palette::of(&samples);
    let mut table = palette.colours.concat();
    table.resize((COLOURS + 1) * 3, 0);

    // GIF times are in hundredths of a second, and viewers slow down below 0.02 s per frame.
    let fps = if frames_per_second.is_finite() { frames_per_second.clamp(0.01, 50.0) } else { 25.0 };
    let delay = (100.0 / fps).round().max(2.0) as u16;

    let mut bytes = Vec::new();
    let mut encoder = gif::Encoder::new(&mut bytes, width, height, &table).map_err(encode)?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(encode)?;
    let mut before: Vec<u8> = Vec::new();
    for index in 0..frames.len() {
        let now: Vec<u8> = picture(index)?.chunks_exact(3).map(|p| palette.index(p)).collect();
        let mut frame = changed(&before, &now, width, height);
        frame.delay = delay;
        encoder.write_frame(&frame).map_err(encode)?;
        before = now;
    }
    drop(encoder);
    Ok(bytes)
}

/// The smallest frame that turns picture `before` into `now`.
fn changed(before: &[u8], now: &[u8], width: u16, height: u16) -> gif::Frame<'static> {
    let columns = usize::from(width);
    let differs = |at: usize| before.get(at) != Some(&now[at]);
    let (mut left, mut right, mut top, mut bottom) = (columns, 0, usize::from(height), 0);
    for at in (0..now.len()).filter(|at| differs(*at)) {
        let (x, y) = (at % columns, at / columns);
        (left, right) = (left.min(x), right.max(x));
        (top, bottom) = (top.min(y), bottom.max(y));
    }
    if left > right {
        // Nothing changed: one pixel keeps the frame's duration.
        (left, right, top, bottom) = (0, 0, 0, 0);
    }
    let mut buffer = Vec::with_capacity((right - left + 1) * (bottom - top + 1));
    for y in top..=bottom {
        let row = y * columns + left..=y * columns + right;
        buffer.extend(row.map(|at| if differs(at) { now[at] } else { AS_BEFORE }));
    }
    gif::Frame {
        left: left as u16,
        top: top as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        transparent: Some(AS_BEFORE),
        dispose: gif::DisposalMethod::Keep,
        buffer: Cow::Owned(buffer),
        ..gif::Frame::default()
    }
}
