//! Linearisation and frame transport of a spline rod, scalar and in vectors. Divan's `item` is a segment: the
//! reciprocal of the throughput is nanoseconds per segment.

use divan::counter::ItemsCount;
use micado::describe::material::Stiffness;
use micado::object::rod::spline::SplineRod;
use micado::object::rod::{InitialRod, Linearisation, Tangent};
use micado::object::rod::{Line, RodDescription, Shape};
use micado_linalg::{Arithmetic, BlockMatrix, NodeKind, Pattern};

fn main() {
    divan::Divan::default().sample_count(300).sample_size(16).config_with_args().main();
}

/// Numbers of segments: 20 to 10 000 control points.
const SEGMENTS: [usize; 4] = [17, 97, 997, 9997];

/// A bent and twisted rod.
fn rod(segments: usize, bend_2: Option<f64>) -> InitialRod<SplineRod> {
    let description = RodDescription {
        shape: Shape::Line(Line { from: [0.0; 3], to: [segments as f64 * 0.1, 0.0, 0.0] }),
        segments: Some(segments),
        stiffness: Some(Stiffness { stretch: Some(1e4), bend: 0.1, bend_2, twist: 0.08 }),
        mass_per_length: Some(0.1),
        ..RodDescription::default()
    };
    let mut laid = SplineRod::build(&description).expect("a rod");
    for (i, node) in laid.q.chunks_exact_mut(4).enumerate() {
        let u = i as f64 * 0.3;
        node[1] += 0.05 * libm::sin(u);
        node[2] += 0.05 * libm::cos(0.7 * u);
        node[3] += 0.2 * libm::sin(0.4 * u);
    }
    laid.rod.transport_frames(&laid.q, &mut laid.frames, Arithmetic::Portable);
    laid
}

fn system(nodes: usize) -> BlockMatrix {
    let mut pattern = Pattern::new();
    for i in 0..nodes as u32 {
        pattern.add_node(NodeKind::Primal);
        for j in i.saturating_sub(3)..i {
            pattern.connect(j, i);
        }
    }
    BlockMatrix::new(&pattern)
}

/// Squares and tension of a rod.
fn linearise(bencher: divan::Bencher<'_, '_>, segments: usize, bend_2: Option<f64>, arithmetic: Arithmetic) {
    linearise_to(bencher, segments, bend_2, Tangent::Psd, arithmetic);
}

/// The exact second derivative of a rod.
fn exact(bencher: divan::Bencher<'_, '_>, segments: usize, bend_2: Option<f64>, arithmetic: Arithmetic) {
    linearise_to(bencher, segments, bend_2, Tangent::Exact, arithmetic);
}

fn linearise_to(
    bencher: divan::Bencher<'_, '_>,
    segments: usize,
    bend_2: Option<f64>,
    tangent: Tangent,
    arithmetic: Arithmetic,
) {
    let laid = rod(segments, bend_2);
    let mut matrix = system(laid.rod.nodes());
    let mut force = vec![0.0; laid.q.len()];
    let how = Linearisation {
        tangent,
        mass: 1e4,
        viscosity: 0.0,
        strain_before: None,
        carried: None,
        ahead: None,
        arithmetic,
    };
    bencher.counter(ItemsCount::new(segments)).bench_local(|| {
        laid.rod.linearise(divan::black_box(&laid.q), &laid.frames, &how, 0, &mut matrix, &mut force);
    });
}

#[divan::bench(args = SEGMENTS)]
fn linearise_isotropic_scalar(bencher: divan::Bencher<'_, '_>, segments: usize) {
    linearise(bencher, segments, None, Arithmetic::Portable);
}

#[divan::bench(args = SEGMENTS)]
fn linearise_isotropic_fast(bencher: divan::Bencher<'_, '_>, segments: usize) {
    linearise(bencher, segments, None, Arithmetic::Fast);
}

#[divan::bench(args = SEGMENTS)]
fn linearise_general_scalar(bencher: divan::Bencher<'_, '_>, segments: usize) {
    linearise(bencher, segments, Some(0.05), Arithmetic::Portable);
}

#[divan::bench(args = SEGMENTS)]
fn linearise_general_fast(bencher: divan::Bencher<'_, '_>, segments: usize) {
    linearise(bencher, segments, Some(0.05), Arithmetic::Fast);
}

#[divan::bench(args = SEGMENTS)]
fn exact_isotropic_scalar(bencher: divan::Bencher<'_, '_>, segments: usize) {
    exact(bencher, segments, None, Arithmetic::Portable);
}

#[divan::bench(args = SEGMENTS)]
fn exact_isotropic_fast(bencher: divan::Bencher<'_, '_>, segments: usize) {
    exact(bencher, segments, None, Arithmetic::Fast);
}

#[divan::bench(args = SEGMENTS)]
fn exact_general_scalar(bencher: divan::Bencher<'_, '_>, segments: usize) {
    exact(bencher, segments, Some(0.05), Arithmetic::Portable);
}

#[divan::bench(args = SEGMENTS)]
fn exact_general_fast(bencher: divan::Bencher<'_, '_>, segments: usize) {
    exact(bencher, segments, Some(0.05), Arithmetic::Fast);
}

fn transport(bencher: divan::Bencher<'_, '_>, segments: usize, arithmetic: Arithmetic) {
    let mut laid = rod(segments, None);
    let mut other = laid.q.clone();
    for (i, x) in other.iter_mut().enumerate() {
        *x += 1e-3 * libm::sin(i as f64);
    }
    let mut there = false;
    bencher.counter(ItemsCount::new(segments)).bench_local(|| {
        there = !there;
        laid.rod.transport_frames(if there { &other } else { &laid.q }, &mut laid.frames, arithmetic)
    });
}

#[divan::bench(args = SEGMENTS)]
fn transport_frames_scalar(bencher: divan::Bencher<'_, '_>, segments: usize) {
    transport(bencher, segments, Arithmetic::Portable);
}

#[divan::bench(args = SEGMENTS)]
fn transport_frames_fast(bencher: divan::Bencher<'_, '_>, segments: usize) {
    transport(bencher, segments, Arithmetic::Fast);
}

#[divan::bench(args = SEGMENTS)]
fn mass_times(bencher: divan::Bencher<'_, '_>, segments: usize) {
    let laid = rod(segments, None);
    let mut out = vec![0.0; laid.q.len()];
    bencher
        .counter(ItemsCount::new(segments))
        .bench_local(|| laid.rod.add_mass_times(divan::black_box(&laid.q), &mut out));
}
