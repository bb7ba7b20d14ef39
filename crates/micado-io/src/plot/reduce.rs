//! Reduction of points and pixels without visible change.

/// A line with more points than this is reduced.
const MOST_POINTS: usize = 5000;
/// Parts of a reduced line: more than a chart has columns of pixels.
const BUCKETS: usize = 1200;

/// Keeps both ends, and the lowest and highest point of each of equal buckets, in order.
pub(super) fn decimate(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    if points.len() <= MOST_POINTS {
        return points;
    }
    let last = points.len() - 1;
    let mut kept = Vec::with_capacity(2 * BUCKETS + 2);
    kept.push(points[0]);
    for bucket in 0..BUCKETS {
        let range = bucket * points.len() / BUCKETS..(bucket + 1) * points.len() / BUCKETS;
        let by_height = |a: &usize, b: &usize| points[*a].1.total_cmp(&points[*b].1);
        let (Some(low), Some(high)) = (range.clone().min_by(by_height), range.max_by(by_height)) else {
            continue;
        };
        kept.push(points[low.min(high)]);
        if low != high {
            kept.push(points[low.max(high)]);
        }
    }
    kept.push(points[last]);
    kept
}

/// Averages squares of `scale` × `scale` samples of an RGB picture.
pub(super) fn average(fine: &[u8], width: usize, height: usize, scale: usize) -> Vec<u8> {
    let mut pixels = vec![0; width * height * 3];
    let count = (scale * scale) as u32;
    let mut sums = vec![0_u32; width * 3];
    for (y, row) in pixels.chunks_exact_mut(width * 3).enumerate() {
        sums.fill(0);
        for line in fine.chunks_exact(width * scale * 3).skip(y * scale).take(scale) {
            for (sample, rgb) in line.chunks_exact(3).enumerate() {
                for (channel, value) in rgb.iter().enumerate() {
                    sums[sample / scale * 3 + channel] += u32::from(*value);
                }
            }
        }
        for (pixel, sum) in row.iter_mut().zip(&sums) {
            *pixel = ((sum + count / 2) / count) as u8;
        }
    }
    pixels
}
