//! Colour reduction: the palette of an animation.

/// Colours of the palette; one more index marks unchanged pixels.
pub(super) const COLOURS: usize = 255;

/// Bits kept of each channel while colours are counted and looked up.
const BITS: u32 = 7;

/// A colour that fills at least this share of the pictures is kept exactly; otherwise the background would
/// show bands.
const COMMON: f64 = 0.004;

/// A palette and a lazy table of the nearest colour for each cell of the colour cube.
#[derive(Debug)]
pub(super) struct Palette {
    pub(super) colours: Vec<[u8; 3]>,
    nearest: Vec<u16>,
}

fn cell(colour: &[u8]) -> usize {
    colour[..3].iter().fold(0, |cell, value| cell << BITS | usize::from(value >> (8 - BITS)))
}

/// A group of colours with how often each occurs.
type Group = Vec<([u8; 3], u32)>;

impl Palette {
    /// Median cut: splits the colours of pictures into groups; each group gives its mean.
    pub(super) fn of(pictures: &[&[u8]]) -> Self {
        let mut count = vec![0_u32; 1 << (3 * BITS)];
        for pixel in pictures.iter().flat_map(|picture| picture.chunks_exact(3)) {
            count[cell(pixel)] += 1;
        }
        let middle = |cell: usize, shift: u32| {
            let part = (cell >> shift) as u32 & ((1 << BITS) - 1);
            (part * 255 / ((1 << BITS) - 1)) as u8
        };
        let all: Group = (0..count.len())
            .filter(|cell| count[*cell] > 0)
            .map(|c| ([middle(c, 2 * BITS), middle(c, BITS), middle(c, 0)], count[c]))
            .collect();
        let pixels: f64 = all.iter().map(|(_, count)| f64::from(*count)).sum();
        let common = |count: u32| f64::from(count) > COMMON * pixels;
        let (kept, rest): (Group, Group) = all.into_iter().partition(|(_, count)| common(*count));
        let mut groups: Vec<Group> = kept.into_iter().map(|colour| vec![colour]).collect();
        groups.push(rest);
        while groups.len() < COLOURS {
            let widest = groups.iter().enumerate().max_by_key(|(_, group)| worth(group));
            let Some((index, _)) = widest.filter(|(_, group)| worth(group) > 0) else {
                break;
            };
            let (low, high) = split(groups.swap_remove(index));
            groups.push(low);
            groups.push(high);
        }
        let colours = groups.iter().filter_map(mean).collect();
        Self { colours, nearest: vec![u16::MAX; 1 << (3 * BITS)] }
    }

    /// Index of the nearest colour.
    pub(super) fn index(&mut self, pixel: &[u8]) -> u8 {
        let cell = cell(pixel);
        if self.nearest[cell] == u16::MAX {
            let far = |colour: &[u8; 3]| -> i32 {
                let part = |i: usize| i32::from(colour[i]) - i32::from(pixel[i]);
                2 * part(0) * part(0) + 4 * part(1) * part(1) + 3 * part(2) * part(2)
            };
            let best = (0..self.colours.len()).min_by_key(|i| far(&self.colours[*i]));
            self.nearest[cell] = best.unwrap_or(0) as u16;
        }
        self.nearest[cell] as u8
    }
}

/// The channel with the widest spread, and that spread.
fn spread(group: &Group) -> (usize, u8) {
    let width = |channel: usize| {
        let values = group.iter().map(|(colour, _)| colour[channel]);
        values.clone().max().unwrap_or(0) - values.min().unwrap_or(0)
    };
    (0..3).map(|channel| (channel, width(channel))).max_by_key(|(_, w)| *w).unwrap_or((0, 0))
}

/// Benefit of a split. Rare colours count too, so that thin lines keep theirs.
fn worth(group: &Group) -> u64 {
    let (_, width) = spread(group);
    let pixels: u64 = group.iter().map(|(_, count)| u64::from(*count)).sum();
    u64::from(width) * u64::from(width) * (pixels as f64).sqrt() as u64
}

fn split(mut group: Group) -> (Group, Group) {
    let (channel, _) = spread(&group);
    group.sort_unstable();
    group.sort_by_key(|(colour, _)| colour[channel]);
    let weight = |count: u32| f64::from(count).sqrt();
    let half = group.iter().map(|(_, count)| weight(*count)).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    let middle = group.iter().position(|(_, count)| {
        sum += weight(*count);
        sum >= half
    });
    let high = group.split_off((middle.unwrap_or(0) + 1).min(group.len() - 1));
    (group, high)
}

fn mean(group: &Group) -> Option<[u8; 3]> {
    let total: u64 = group.iter().map(|(_, count)| u64::from(*count)).sum();
    (total > 0).then(|| {
        std::array::from_fn(|i| {
            let sum: u64 = group.iter().map(|(c, n)| u64::from(c[i]) * u64::from(*n)).sum();
            ((sum + total / 2) / total) as u8
        })
    })
}
