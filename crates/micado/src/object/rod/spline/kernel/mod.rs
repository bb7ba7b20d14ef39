//! Linearisation and frame transport in vectors of four segments, with AVX2 and fused multiply-add.
//!
//! They evaluate the same equations as the scalar form of `linearise.rs` and `frames.rs`, which is the
//! reference. A vector holds one number of four neighbouring segments; the last block is padded with segments
//! of weight zero.
//!
//! **Edges.** Strains depend on differences of control points only, e_k = x_{k+1} − x_k (k = 0, 1, 2 in a
//! segment): r' = Σ β_k e_k with β_k = −Σ_{i≤k} b_i', r'' likewise with β_k'. A segment has six pairs of
//! edges instead of ten pairs of control points, and segment s contributes pair (k, l) to the edges s+k and
//! s+l of the whole rod. With E the matrix in edges, the matrix in control points is A_ij = E_{i−1,j−1} −
//! E_{i−1,j} − E_{i,j−1} + E_ij.
//!
//! **Stages** of a block, through a buffer in the first-level cache:
//!
//! 1. `edges`: control points → edges by lane, then |r'|, t and t' of all quadrature points; one block ahead,
//!    so that the latencies of square roots and divisions overlap the sums of the previous block;
//! 2. `stretch` and `twist`: forces and torques from the mean and the slope of the strain;
//! 3. `isotropic` or `general`: contributions of each quadrature point to gradient and matrix, as rows, then
//!    one pair of edges after the other, with sums in registers; the positions of the exact second derivative
//!    are those of `exact`;
//! 4. `gather`: pairs → edges of the rod → control points, by shifting lanes against the previous block;
//! 5. `emit`: lanes → blocks of the matrix, with the mass term, and the force.
//!
//! Stages that run for every pair or entry are not inlined: a block takes some 2500 instructions, and fully
//! unrolled they would have to be decoded again and again.

mod constants;
#[cfg(target_arch = "x86_64")]
mod edges;
#[cfg(target_arch = "x86_64")]
mod elongation;
#[cfg(target_arch = "x86_64")]
mod emit;
#[cfg(target_arch = "x86_64")]
mod exact;
#[cfg(target_arch = "x86_64")]
mod frames;
#[cfg(target_arch = "x86_64")]
mod gather;
#[cfg(target_arch = "x86_64")]
mod general;
#[cfg(target_arch = "x86_64")]
mod isotropic;
#[cfg(target_arch = "x86_64")]
mod lanes;
#[cfg(target_arch = "x86_64")]
mod sincos;
#[cfg(target_arch = "x86_64")]
mod strains;
#[cfg(target_arch = "x86_64")]
mod stretch;
#[cfg(target_arch = "x86_64")]
mod tables;
#[cfg(target_arch = "x86_64")]
mod twist;

pub(super) use constants::Constants;

use super::SplineRod;
use crate::object::rod::Linearisation;
use micado_linalg::{Arithmetic, BlockMatrix};

/// Whether to use the vector kernels.
fn vectors(arithmetic: Arithmetic) -> bool {
    #[cfg(target_arch = "x86_64")]
    if arithmetic == Arithmetic::Fast {
        return is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    }
    let _ = arithmetic;
    false
}

/// Computes the tables that all rods share, so that no later call has to.
pub(super) fn prepare() {
    #[cfg(target_arch = "x86_64")]
    tables::prepare();
}

/// Whether a kernel linearises a rod. Its twist has to be measured by natural frames.
pub(super) fn supports(rod: &SplineRod, arithmetic: Arithmetic) -> bool {
    rod.has_material_frame() && vectors(arithmetic)
}

/// [`SplineRod::linearise`], if a kernel [supports](supports) it. Returns whether it was done.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "no kernel for this processor"))]
pub(super) fn linearise(
    rod: &SplineRod,
    q: &[f64],
    frames: &[f64],
    how: &Linearisation<'_>,
    first: usize,
    matrix: &mut BlockMatrix,
    force: &mut [f64],
) -> bool {
    if !supports(rod, how.arithmetic) {
        return false;
    }
    #[cfg(target_arch = "x86_64")]
    {
        let (q, force) = (q.as_chunks().0, force.as_chunks_mut().0);
        let mut target = emit::Target { rod, mass: how.mass, first, matrix, force };
        // SAFETY: the processor has AVX2 and FMA.
        unsafe {
            // Viscous stress relative to earlier strains has material directions, so it needs the directors.
            if rod.isotropic_straight && (how.viscosity == 0.0 || how.strain_before.is_none()) {
                isotropic::linearise(rod, q, frames, how, &mut target);
            } else {
                general::linearise(rod, q, frames, how, &mut target);
            }
        }
    }
    true
}

/// [`SplineRod::transport_frames`], if a kernel supports it.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "no kernel for this processor"))]
pub(super) fn transport_frames(
    rod: &SplineRod,
    q: &[f64],
    from: Option<&[f64]>,
    frames: &mut [f64],
    arithmetic: Arithmetic,
) -> Option<f64> {
    if !vectors(arithmetic) {
        return None;
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has AVX2 and FMA.
    return Some(unsafe { frames::transport(rod, q.as_chunks().0, from, frames) });
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// [`SplineRod::stretches`], if a kernel supports it. Returns whether it was done.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "no kernel for this processor"))]
pub(super) fn stretches(
    rod: &SplineRod,
    q: &[f64],
    led: Option<&[f64]>,
    out: &mut [f64],
    arithmetic: Arithmetic,
) -> bool {
    if !vectors(arithmetic) {
        return false;
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has AVX2 and FMA.
    unsafe {
        elongation::fill(rod, q.as_chunks().0, led.map(|led| led.as_chunks().0), out);
    }
    true
}

/// [`SplineRod::strains`] of all quadrature points, if a kernel supports it: twist by natural frames. Returns
/// whether it was done.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "no kernel for this processor"))]
pub(super) fn strains(
    rod: &SplineRod,
    q: &[f64],
    frames: &[f64],
    out: &mut [f64],
    arithmetic: Arithmetic,
) -> bool {
    if !rod.has_material_frame() || !vectors(arithmetic) {
        return false;
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has AVX2 and FMA.
    unsafe {
        strains::fill(rod, q.as_chunks().0, frames, out);
    }
    true
}

/// Energy of bending and twist, J, if a kernel supports it.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "no kernel for this processor"))]
pub(super) fn shape_energy(
    rod: &SplineRod,
    q: &[f64],
    frames: &[f64],
    arithmetic: Arithmetic,
) -> Option<f64> {
    if !rod.has_material_frame() || !vectors(arithmetic) {
        return None;
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has AVX2 and FMA.
    return Some(unsafe { strains::shape_energy(rod, q.as_chunks().0, frames) });
    #[cfg(not(target_arch = "x86_64"))]
    None
}
