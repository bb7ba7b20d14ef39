//! Statements of geometry about closest points. Lengths are in units of the radius of a tube where not said.

mod chains;
mod kernel;
mod line_contact;
mod points;
mod self_contact;
mod sliding;

use super::{Chain, ChainPairs, Cubic, Near};
use glam::{DQuat, DVec3};

/// A chain with its data.
#[derive(Clone, Debug)]
struct Curve {
    pieces: Vec<Cubic>,
    arc: Vec<f64>,
    closed: bool,
    radius: f64,
}

impl Curve {
    /// Cubic pieces with the points and the tangents of a curve, which gives place and derivative at s.
    fn through(n: usize, length: f64, curve: impl Fn(f64) -> [DVec3; 2]) -> Self {
        let step = length / n as f64;
        let arc: Vec<f64> = (0..=n).map(|k| k as f64 * step).collect();
        let knots: Vec<[DVec3; 2]> = arc.iter().map(|&s| curve(s)).collect();
        let pieces = knots
            .windows(2)
            .map(|k| Cubic::hermite([k[0][0], k[1][0]], [k[0][1] * step, k[1][1] * step]))
            .collect();
        Self { pieces, arc, closed: false, radius: 1.0 }
    }

    /// A straight rod.
    fn straight(n: usize, from: DVec3, to: DVec3) -> Self {
        let length = from.distance(to);
        Self::through(n, length, |s| [from.lerp(to, s / length), (to - from) / length])
    }

    /// A circle in the plane of x and y about the origin, or a part of it.
    fn circle(n: usize, radius: f64, angle: f64) -> Self {
        let point = |s: f64| {
            let (sine, cosine) = libm::sincos(s / radius);
            [DVec3::new(radius * cosine, radius * sine, 0.0), DVec3::new(-sine, cosine, 0.0)]
        };
        let mut curve = Self::through(n, radius * angle, point);
        curve.closed = angle == std::f64::consts::TAU;
        curve
    }

    /// A helix about z.
    fn helix(n: usize, radius: f64, pitch: f64, turns: f64) -> Self {
        let rise = pitch / std::f64::consts::TAU;
        let speed = radius.hypot(rise);
        let length = turns * std::f64::consts::TAU * speed;
        Self::through(n, length, |s| {
            let (sine, cosine) = libm::sincos(s / speed);
            let x = DVec3::new(radius * cosine, radius * sine, rise * s / speed);
            [x, DVec3::new(-radius * sine, radius * cosine, rise) / speed]
        })
    }

    fn moved(&self, turn: DQuat, by: DVec3) -> Self {
        let mut curve = self.clone();
        for piece in &mut curve.pieces {
            piece.coefficients = piece.coefficients.map(|c| turn * c);
            piece.coefficients[0] += by;
        }
        curve
    }

    fn by(&self, way: DVec3) -> Self {
        self.moved(DQuat::IDENTITY, way)
    }

    fn chain(&self) -> Chain<'_> {
        Chain { pieces: &self.pieces, arc: &self.arc, closed: self.closed, radius: self.radius }
    }

    /// Point at a contact.
    fn at(&self, piece: u32, f: f64) -> DVec3 {
        self.pieces[piece as usize].at(f)
    }

    /// Arc length at a contact.
    fn arc_at(&self, piece: u32, f: f64) -> f64 {
        self.chain().arc_length(piece as usize, f)
    }
}

/// The contacts of two chains, checked for consistency.
fn contacts(a: &Curve, b: &Curve, reach: f64) -> Vec<Near> {
    let mut out = Vec::new();
    ChainPairs::new().find(&a.chain(), &b.chain(), reach, &mut out);
    check(a, b, reach, &out);
    out
}

/// The contacts of a chain with itself, checked for consistency.
fn self_contacts(a: &Curve, reach: f64, skip: f64) -> Vec<Near> {
    let mut out = Vec::new();
    ChainPairs::new().find_self(&a.chain(), reach, skip, &mut out);
    check(a, a, reach, &out);
    let arcs = arcs(a, a, &out);
    assert!(arcs.iter().all(|s| s[0] < s[1]), "the smaller arc length comes first: {arcs:?}");
    out
}

/// Distance, reach and normal agree with the points.
fn check(a: &Curve, b: &Curve, reach: f64, contacts: &[Near]) {
    for near in contacts {
        let way = a.at(near.pieces[0], near.f[0]) - b.at(near.pieces[1], near.f[1]);
        // Rounding of coordinates up to 100.
        assert!((way.length() - near.distance).abs() < 1e-12, "{near:?}");
        assert!(near.distance < reach, "{near:?}");
        assert!((near.normal.length() - 1.0).abs() < 1e-12, "{near:?}");
        assert!(way.length() < 1e-6 || (way.normalize() - near.normal).length() < 1e-9, "{near:?}");
    }
}

fn arcs(a: &Curve, b: &Curve, contacts: &[Near]) -> Vec<[f64; 2]> {
    contacts.iter().map(|c| [a.arc_at(c.pieces[0], c.f[0]), b.arc_at(c.pieces[1], c.f[1])]).collect()
}

/// Numbers between 0 and 1, always the same (SplitMix64).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn direction(&mut self) -> DVec3 {
        loop {
            let x = DVec3::new(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0));
            if (0.1..1.0).contains(&x.length()) {
                return x.normalize();
            }
        }
    }

    fn turn(&mut self) -> DQuat {
        DQuat::from_rotation_arc(self.direction(), self.direction())
    }
}
