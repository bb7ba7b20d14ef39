//! Limits and motors of joints: an arc or a bar between the limits, the present value and the target.

use std::f64::consts::PI;

use glam::DVec3;

use super::canvas::{Canvas, Pen, Place};
use super::colour::{GUIDE, INK, SYMBOL};
use super::data::Gauge;
use super::scene::{Stage, point, unit};

/// Radius of an arc, half length of a bar without limits, its distance from the axis, and half length of a
/// tick, in units of the picture.
const ARC: f64 = 30.0;
const REACH: f64 = 42.0;
const ASIDE: f64 = 18.0;
const TICK: f64 = 6.0;
/// Angle of a piece of an arc, rad.
const PIECE: f64 = 0.12;
/// Turns that an arc may show.
const MOST_TURNS: f64 = 3.0;

/// Draws a gauge over the structure; returns the place of its pointer.
pub(super) fn draw(canvas: &mut Canvas, stage: &Stage, gauge: &Gauge) -> Option<Place> {
    let scale = Scale::new(canvas, stage, gauge)?;
    let [from, to] = scale.range(gauge);
    let count = ((to - from) / PIECE).ceil().clamp(1.0, 200.0) as u32;
    let count = if gauge.turns { count } else { 1 };
    let on = |i: u32| scale.at(from + (to - from) * f64::from(i) / f64::from(count), 0.0);
    let path: Vec<Place> = (0..=count).filter_map(|i| seen(stage, on(i))).collect();
    canvas.line(&path, Pen::new([1.0; 3], 3.6).alpha(0.7));
    canvas.line(&path, Pen::new(INK, 1.4));
    let mut tick = |value: Option<f64>, half: f64, pen: Pen| {
        let value = value.filter(|value| value.is_finite());
        let ends = value.map(|value| [-half, half].map(|aside| seen(stage, scale.at(value, aside))));
        if let Some([Some(a), Some(b)]) = ends {
            canvas.line(&[a, b], pen);
        }
    };
    tick(gauge.least, TICK, Pen::new(INK, 2.4));
    tick(gauge.most, TICK, Pen::new(INK, 2.4));
    tick(gauge.target, 1.4 * TICK, Pen::new(GUIDE, 2.4));
    let tip = seen(stage, scale.at(gauge.value, 0.0))?;
    if let Some(middle) = seen(stage, scale.place).filter(|_| gauge.turns) {
        canvas.line(&[middle, tip], Pen::new(INK, 1.6));
    }
    canvas.dot(tip, 3.6, SYMBOL, Pen::new(INK, 1.5));
    Some(tip)
}

/// Where values of a gauge are.
struct Scale {
    place: DVec3,
    axis: DVec3,
    zero: DVec3,
    turns: bool,
    value: f64,
    /// Size of a unit of the picture at the place, m.
    unit: f64,
}

impl Scale {
    fn new(canvas: &Canvas, stage: &Stage, gauge: &Gauge) -> Option<Self> {
        let (place, axis) = (point(gauge.place)?, unit(gauge.axis)?);
        let zero = unit(gauge.zero)?.reject_from_normalized(axis).try_normalize()?;
        let unit = canvas.unit / stage.camera.see(place)?.scale;
        let value = gauge.value;
        value.is_finite().then_some(Self { place, axis, zero, turns: gauge.turns, value, unit })
    }

    /// First and last value that are drawn. On a side without a limit, an arc extends half a turn beyond the
    /// value.
    fn range(&self, gauge: &Gauge) -> [f64; 2] {
        let (reach, most) =
            if self.turns { (PI, 2.0 * PI * MOST_TURNS) } else { (REACH * self.unit, f64::INFINITY) };
        let (from, to) =
            (gauge.least.unwrap_or(self.value - reach), gauge.most.unwrap_or(self.value + reach));
        [from.max(self.value - most), to.min(self.value + most)]
    }

    /// The place of a value; `aside` is outward on an arc and away from the axis beside a bar.
    fn at(&self, value: f64, aside: f64) -> DVec3 {
        if self.turns {
            let out = self.zero * value.cos() + self.axis.cross(self.zero) * value.sin();
            return self.place + out * ((ARC + aside) * self.unit);
        }
        // Beside the axis, so that the symbol of the joint doesn't cover it.
        self.place + self.axis * (value - self.value) + self.zero * ((ASIDE + aside) * self.unit)
    }
}

fn seen(stage: &Stage, place: DVec3) -> Option<Place> {
    stage.camera.see(point(place.into())?).map(|seen| (seen.x, seen.y))
}
