//! From control points to edges by lane, and the geometry of the quadrature points.

use super::lanes::*;
use super::tables::{BlockTable, PointTable};
use crate::object::rod::spline::SplineRod;
use crate::object::rod::spline::layout::{LANES, POINTS};

/// e_k = x_{k+1} − x_k of four segments, the same for θ, and θ_0.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Edges {
    pub(super) x: [V3; 3],
    pub(super) theta: [V; 3],
    pub(super) theta_0: V,
}

impl Edges {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn unset() -> Self {
        let u = [unset(); 3];
        Self { x: [u; 3], theta: u, theta_0: unset() }
    }
}

/// Control points of segments s..s+4: seven, of which those beyond the end are copies.
#[inline]
fn beyond_end(rod: &SplineRod, q: &[[f64; 4]], s: usize) -> [[f64; 4]; LANES + 3] {
    let n = q.len();
    std::array::from_fn(|j| match s + j {
        i if i < n => q[i],
        i if rod.is_closed() && i < n + 3 => {
            let [x, y, z, theta] = q[i - n];
            [x, y, z, theta + rod.seam_twist]
        }
        _ => q[n - 1],
    })
}

/// Edges of the four segments of a block.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
pub(super) fn fill_edges(rod: &SplineRod, q: &[[f64; 4]], block: usize, edges: &mut Edges) {
    let s = LANES * block;
    let copy;
    let nodes: &[[f64; 4]; LANES + 3] = match q.get(s..s + LANES + 3).and_then(|nodes| nodes.try_into().ok())
    {
        Some(nodes) => nodes,
        None => {
            copy = beyond_end(rod, q, s);
            &copy
        }
    };
    let [n0, n1, n2, n3, n4, n5, n6] = [
        load(&nodes[0]),
        load(&nodes[1]),
        load(&nodes[2]),
        load(&nodes[3]),
        load(&nodes[4]),
        load(&nodes[5]),
        load(&nodes[6]),
    ];
    let d = [sub(n1, n0), sub(n2, n1), sub(n3, n2), sub(n4, n3), sub(n5, n4), sub(n6, n5)];
    let [x0, y0, z0, theta0] = transpose([d[0], d[1], d[2], d[3]]);
    let [x1, y1, z1, theta1] = transpose([d[1], d[2], d[3], d[4]]);
    let [x2, y2, z2, theta2] = transpose([d[2], d[3], d[4], d[5]]);
    edges.x = [[x0, y0, z0], [x1, y1, z1], [x2, y2, z2]];
    edges.theta = [theta0, theta1, theta2];
    edges.theta_0 = last_entries([n0, n1, n2, n3]);
}

/// Σ w_k e_k
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn combine(w: &[[f64; 4]; 3], e: &[V3; 3]) -> V3 {
    let (w0, w1, w2) = (load(&w[0]), load(&w[1]), load(&w[2]));
    three!(|I| fma(w0, e[0][I], fma(w1, e[1][I], mul(w2, e[2][I]))))
}

/// start + Σ w_k θ_k
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn combine_scalar(w: &[[f64; 4]; 3], e: &[V; 3], start: V) -> V {
    fma(load(&w[0]), e[0], fma(load(&w[1]), e[1], fma(load(&w[2]), e[2], start)))
}

/// Quantities derived from r' and r'' at one quadrature point.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Geometry {
    /// L = |r'|
    pub(super) l: V,
    /// 1/L
    pub(super) inverse_l: V,
    /// Tangent.
    pub(super) t: V3,
    /// t' = κ = (r'' − (t·r'') t)/L
    pub(super) kappa: V3,
    /// t·r''/L
    pub(super) c_l: V,
}

impl Geometry {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn unset() -> Self {
        Self { l: unset(), inverse_l: unset(), t: [unset(); 3], kappa: [unset(); 3], c_l: unset() }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn new(table: &PointTable, pad: V, e: &Edges) -> Self {
        let p = combine(&table.beta, &e.x);
        let q = combine(&table.dbeta, &e.x);
        let l = sqrt(fma(p[0], p[0], fma(p[1], p[1], fma(p[2], p[2], pad))));
        let inverse_l = div(splat(1.0), l);
        let t = scale(inverse_l, p);
        let q_l = scale(inverse_l, q);
        let c_l = dot(t, q_l);
        Self { l, inverse_l, t, kappa: scale_sub(c_l, t, q_l), c_l }
    }
}

/// Geometry of the three quadrature points of a block. Computed one block ahead, so that the latencies of
/// square roots and divisions overlap the sums of the previous block.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Ahead {
    pub(super) edges: Edges,
    pub(super) points: [Geometry; POINTS],
}

impl Ahead {
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn new() -> Self {
        Self { edges: Edges::unset(), points: [Geometry::unset(); POINTS] }
    }

    /// Computes the numbers of a block.
    #[inline(never)]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn look(&mut self, rod: &SplineRod, q: &[[f64; 4]], block: usize, table: &BlockTable) {
        fill_edges(rod, q, block, &mut self.edges);
        let pad = load(&table.pad);
        for (point, table) in self.points.iter_mut().zip(&table.points) {
            *point = Geometry::new(table, pad, &self.edges);
        }
    }
}
