//! Colours: a perceptually even map for quantities, and the few plain colours of a picture.

/// Red, green and blue, each 0 … 1, as shown on a screen (sRGB).
pub(super) type Rgb = [f32; 3];

pub(super) const INK: Rgb = rgb(0x2b, 0x34, 0x40);
pub(super) const SOFT_INK: Rgb = rgb(0x5a, 0x65, 0x73);
pub(super) const SKY: Rgb = rgb(0xfb, 0xfc, 0xfe);
pub(super) const EARTH: Rgb = rgb(0xe3, 0xe8, 0xef);
pub(super) const GRID: Rgb = rgb(0x9a, 0xa7, 0xb8);
pub(super) const FORCE: Rgb = rgb(0xcb, 0x3a, 0x3f);
pub(super) const GUIDE: Rgb = rgb(0x3b, 0x76, 0xb8);
pub(super) const SYMBOL: Rgb = rgb(0xf6, 0xb9, 0x4a);
pub(super) const MASS: Rgb = rgb(0x4a, 0x55, 0x63);
pub(super) const EDGE: Rgb = rgb(0x33, 0x3d, 0x4a);
/// Edges of earlier poses.
pub(super) const PALE_EDGE: Rgb = rgb(0xbd, 0xc5, 0xcf);
pub(super) const SURFACE: Rgb = rgb(0xb9, 0xc2, 0xcd);
/// Colour of values that are not finite.
pub(super) const UNKNOWN: Rgb = rgb(0x9a, 0x9a, 0x9a);

/// Plain colours of tubes, by their index.
pub(super) const TUBES: [Rgb; 8] = [
    rgb(0x2f, 0x74, 0xb8),
    rgb(0xdf, 0x83, 0x2f),
    rgb(0x3f, 0x9c, 0x63),
    rgb(0xc6, 0x48, 0x4c),
    rgb(0x80, 0x62, 0xb0),
    rgb(0x2a, 0xa0, 0xae),
    rgb(0x96, 0x6c, 0x4c),
    rgb(0x72, 0x7b, 0x86),
];

/// The plain colour of tube `index` of a drawing.
pub fn plain_colour(index: usize) -> [u8; 3] {
    to_bytes(TUBES[index % TUBES.len()])
}

const fn rgb(red: u8, green: u8, blue: u8) -> Rgb {
    from_bytes([red, green, blue])
}

pub(super) const fn from_bytes(bytes: [u8; 3]) -> Rgb {
    [bytes[0] as f32 / 255.0, bytes[1] as f32 / 255.0, bytes[2] as f32 / 255.0]
}

pub(super) fn to_bytes(colour: Rgb) -> [u8; 3] {
    colour.map(|channel| (channel.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
}

pub(super) fn mix(a: Rgb, b: Rgb, share: f32) -> Rgb {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * share)
}

/// The colour of a share 0 … 1: dark violet, blue, teal, green, yellow, in perceptually equal steps.
///
/// Lightness grows evenly and the hue turns evenly in the Oklab space, so that the map also works in grey.
pub fn colour_map(share: f64) -> [u8; 3] {
    to_bytes(map(share))
}

pub(super) fn map(share: f64) -> Rgb {
    if !share.is_finite() {
        return UNKNOWN;
    }
    let t = share.clamp(0.0, 1.0);
    let lightness = 0.34 + 0.53 * t;
    let hue = (305.0 - 210.0 * t).to_radians();
    // Less chroma in the middle, where the screen has little room between blue and green.
    let chroma = 0.155 - 0.05 * (std::f64::consts::PI * t).sin() + 0.01 * t;
    oklab_to_srgb(lightness, chroma * hue.cos(), chroma * hue.sin())
}

fn oklab_to_srgb(lightness: f64, a: f64, b: f64) -> Rgb {
    let cube = |x: f64| x * x * x;
    let l = cube(lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b);
    let m = cube(lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b);
    let s = cube(lightness - 0.089_484_177_5 * a - 1.291_485_548 * b);
    let linear = [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s,
    ];
    linear.map(|x| {
        let x = x.clamp(0.0, 1.0);
        (if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }) as f32
    })
}
