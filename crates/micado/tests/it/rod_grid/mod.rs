//! Rods of every kind and states of every kind, for tests of mathematics.

use glam::DVec3;
use micado::describe::anchor::At;
use micado::describe::material::Stiffness;
use micado::object::rod::spline::SplineRod;
use micado::object::rod::{
    Basis, Helix, Line, Natural, NaturalCurvature, Ring, RodDescription, Shape, Stretch, StretchMeasure,
    TwistMeasure,
};
use micado_linalg::{BlockMatrix, NodeKind, Pattern};

/// A repeatable sequence of numbers in (−1, 1).
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// Stretching, bending and twisting of the same order in one segment, so that no term hides behind another.
pub(crate) fn description(shape: Shape, segments: usize) -> RodDescription {
    RodDescription {
        shape,
        segments: Some(segments),
        stiffness: Some(Stiffness { stretch: Some(40.0), bend: 1.3, bend_2: None, twist: 0.9 }),
        mass_per_length: Some(0.7),
        ..RodDescription::default()
    }
}

pub(crate) fn line() -> Shape {
    Shape::Line(Line { from: [0.1, -0.2, 0.3], to: [1.1, 0.4, 0.9] })
}

pub(crate) fn helix() -> Shape {
    Shape::Helix(Helix {
        centre: [0.0; 3],
        axis: [0.2, 0.1, 1.0],
        start: [1.0, 0.0, 0.0],
        radius: 0.3,
        pitch: 0.4,
        turns: 0.8,
    })
}

pub(crate) fn ring() -> Shape {
    Shape::Ring(Ring { centre: [0.1, 0.0, 0.0], normal: [0.1, 0.3, 1.0], radius: 0.25 })
}

pub(crate) fn anisotropic(mut d: RodDescription) -> RodDescription {
    d.stiffness = Some(Stiffness { bend_2: Some(0.45), ..d.stiffness.unwrap() });
    d
}

/// Rods of every kind.
pub(crate) fn rods() -> Vec<(&'static str, RodDescription)> {
    let curved = NaturalCurvature { curvature_1: 1.1, curvature_2: -0.7, twist: 1.9 };
    let part = Stretch {
        from: At::Share(0.3),
        to: At::Share(0.75),
        radius: None,
        section: None,
        young: None,
        shear: None,
        density: None,
        stiffness: Some(Stiffness { stretch: Some(90.0), bend: 2.1, bend_2: Some(0.8), twist: 0.4 }),
        mass_per_length: Some(1.9),
        natural: Some(NaturalCurvature { curvature_1: 0.4, curvature_2: 2.0, twist: -1.0 }),
    };
    vec![
        ("isotropic", description(line(), 6)),
        ("one segment", anisotropic(description(line(), 1))),
        ("anisotropic", anisotropic(description(line(), 5))),
        (
            "curved",
            RodDescription { natural: Natural::Curved(curved), ..anisotropic(description(line(), 4)) },
        ),
        ("helix", RodDescription { natural: Natural::AsShaped, ..anisotropic(description(helix(), 6)) }),
        ("stretches", RodDescription { stretches: vec![part], ..description(helix(), 6) }),
        ("twisted ring", RodDescription { twist: 4.0, ..description(ring(), 6) }),
        (
            "shaped ring",
            RodDescription { natural: Natural::AsShaped, twist: -1.0, ..anisotropic(description(ring(), 5)) },
        ),
        ("Catmull–Rom", RodDescription { basis: Basis::CatmullRom, ..anisotropic(description(helix(), 5)) }),
        (
            "pointwise",
            RodDescription { stretch_measure: StretchMeasure::Pointwise, ..description(helix(), 5) },
        ),
        ("Frenet", RodDescription { twist_measure: TwistMeasure::Frenet, ..description(helix(), 7) }),
        ("uneven", of_segments(&RodDescription { knots_at: uneven_knots(2), ..description(line(), 2) }, 6)),
        (
            "uneven helix",
            of_segments(
                &RodDescription {
                    knots_at: uneven_knots(2),
                    natural: Natural::AsShaped,
                    ..anisotropic(description(helix(), 2))
                },
                6,
            ),
        ),
    ]
}

/// Places that divide a rod into segments of quite different lengths.
pub(crate) fn uneven_knots(segments: usize) -> Vec<At> {
    let widths: Vec<f64> = (0..segments).map(|e| [1.0, 0.5, 0.25, 0.7, 1.6][e % 5]).collect();
    let whole: f64 = widths.iter().sum();
    (1..segments).map(|e| At::Share(widths[..e].iter().sum::<f64>() / whole)).collect()
}

/// The same rod with another number of segments, uneven if they were.
pub(crate) fn of_segments(description: &RodDescription, segments: usize) -> RodDescription {
    let knots_at = if description.knots_at.is_empty() { Vec::new() } else { uneven_knots(segments) };
    RodDescription { segments: Some(segments), knots_at, ..description.clone() }
}

pub(crate) const STATES: [&str; 7] =
    ["as initial", "bent", "twisted", "stretched", "compressed", "nearly as initial", "random"];

/// Unknowns of a state; `size` scales bending and disorder.
pub(crate) fn state(rod: &SplineRod, initial: &[f64], state: &str, size: f64, noise: &mut Noise) -> Vec<f64> {
    let n = rod.nodes() as f64;
    let l = rod.length();
    let segment = l / rod.segments() as f64;
    let mut q = initial.to_vec();
    for (i, node) in q.chunks_exact_mut(4).enumerate() {
        let s = i as f64 / n;
        let add = match state {
            "bent" => DVec3::new(-0.2 * s, 0.5 * s * s, -0.4 * s.powi(3)) * size * l,
            "stretched" => DVec3::from_slice(node) * 0.25,
            "compressed" => DVec3::from_slice(node) * -0.2,
            "nearly as initial" => noise.vector() * 1e-9 * segment,
            "random" => noise.vector() * 0.15 * size * segment,
            _ => DVec3::ZERO,
        };
        node[3] += match state {
            "twisted" => 3.0 * s + 0.7 * s * s,
            "random" => noise.next(),
            _ => 0.0,
        };
        for a in 0..3 {
            node[a] += add[a];
        }
    }
    q
}

/// How far the moves of a state may go: large ones make curvature vanish somewhere, where Frenet torsion is
/// singular.
pub(crate) fn size(rod: &str) -> f64 {
    if rod == "Frenet" { 0.15 } else { 1.0 }
}

/// A matrix with the pattern of a rod.
pub(crate) fn system(rod: &SplineRod) -> BlockMatrix {
    let mut pattern = Pattern::new();
    let nodes: Vec<u32> = (0..rod.nodes()).map(|_| pattern.add_node(NodeKind::Primal)).collect();
    for e in 0..rod.segments() {
        for a in 0..4 {
            for b in a + 1..4 {
                pattern.connect(nodes[rod.node(e, a)], nodes[rod.node(e, b)]);
            }
        }
    }
    BlockMatrix::new(&pattern)
}
