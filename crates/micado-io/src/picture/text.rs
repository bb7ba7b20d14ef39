//! Texts in the built-in font.

use std::sync::OnceLock;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont};
use tiny_skia::Pixmap;

use super::colour::Rgb;

/// Which point of a text is at its place; always on the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Left,
    Centre,
    Right,
}

fn font() -> Option<&'static FontRef<'static>> {
    static FONT: OnceLock<Option<FontRef<'static>>> = OnceLock::new();
    FONT.get_or_init(|| FontRef::try_from_slice(dejavu::sans::regular()).ok()).as_ref()
}

/// `size` is the height of the em square in pixels.
fn scale(font: &FontRef<'_>, size: f64) -> PxScale {
    let em = font.units_per_em().unwrap_or(1000.0);
    PxScale::from(size as f32 * font.height_unscaled() / em)
}

/// Width in pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let Some(font) = font() else { return 0.0 };
    let scaled = font.as_scaled(scale(font, size));
    text.chars().map(|c| f64::from(scaled.h_advance(scaled.glyph_id(c)))).sum()
}

/// A text at most `room` pixels wide: longer ones lose their middle.
pub(super) fn shortened(text: &str, size: f64, room: f64) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    while !letters.is_empty() {
        letters.remove(letters.len() / 2);
        let (begin, end) = letters.split_at(letters.len() / 2);
        short = begin.iter().chain(&['…']).chain(end).collect();
        if width(&short, size) <= room {
            break;
        }
    }
    short
}

/// Draws a text over what is there.
pub(super) fn draw(pixmap: &mut Pixmap, text: &str, (x, y): (f64, f64), size: f64, ink: Rgb, anchor: Anchor) {
    let Some(font) = font() else { return };
    let shift = match anchor {
        Anchor::Left => 0.0,
        Anchor::Centre => width(text, size) / 2.0,
        Anchor::Right => width(text, size),
    };
    let scale = scale(font, size);
    let scaled = font.as_scaled(scale);
    let (columns, rows) = (pixmap.width() as i32, pixmap.height() as i32);
    let mut pen = (x - shift) as f32;
    for character in text.chars() {
        let id = scaled.glyph_id(character);
        let glyph = id.with_scale_and_position(scale, ab_glyph::point(pen, y as f32));
        pen += scaled.h_advance(id);
        let Some(outline) = font.outline_glyph(glyph) else {
            continue;
        };
        let corner = outline.px_bounds().min;
        outline.draw(|dx, dy, cover| {
            let (px, py) = (corner.x as i32 + dx as i32, corner.y as i32 + dy as i32);
            if (0..columns).contains(&px) && (0..rows).contains(&py) {
                let at = (py * columns + px) as usize * 4;
                blend(&mut pixmap.data_mut()[at..at + 4], ink, cover);
            }
        });
    }
}

/// Blends a colour over an opaque pixel.
pub(super) fn blend(pixel: &mut [u8], colour: Rgb, alpha: f32) {
    let alpha = alpha.clamp(0.0, 1.0);
    for (channel, value) in pixel.iter_mut().zip(colour) {
        let below = f32::from(*channel);
        *channel = (below + (value.clamp(0.0, 1.0) * 255.0 - below) * alpha + 0.5) as u8;
    }
}
