//! The spline rod: geometrically exact, cubic, control points (x, y, z, θ).
//!
//! Strains per rest length: ε = |r'|/j − 1, k_a = m_a·r''/(|r'| j), τ = (θ' + τ_ref)/j; energy
//! `U = ∫ ½ [EA ε² + EI₁ (k₁−k₁⁰)² + EI₂ (k₂−k₂⁰)² + GJ (τ−τ⁰)²] j du`, three Gauss points per segment.
//!
//! Stretch is computed from the mean strain ε̄ of each segment and a small share of its slope ε̂, because
//! cubic segments lock otherwise: `U_s = ½ EA l (ε̄² + 3 α ε̂²)`, α = min(1, 10 EI/(EA l²)), and 1 in the end
//! segments of an open rod, where it removes the two reparametrisation modes that mean strains don't resist.
//! With α = 1 this equals two Gauss points.

mod build;
mod frames;
mod kernel;
pub mod layout;
mod linearise;
mod observe;
mod place;
mod remesh;
mod spool;
mod transfer;

pub(crate) use linearise::Element;
pub(crate) use remesh::{Leeway, Lengths, Remesh};
pub(crate) use spool::{Slide, SlideScratch};
pub(crate) use transfer::{Pace, RodTransfer, Strand};

use crate::geometry::basis::{Family, SegmentBasis, Weights};
use crate::geometry::knots::Knots;
use crate::geometry::quadrature::GAUSS_3;
use crate::object::rod::TwistMeasure;
use crate::object::rod::strain::natural;
use glam::DVec3;
use layout::{POINTS, frame, index, rest};
use std::collections::BTreeMap;

/// Basis values at the quadrature points of one kind of segment.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The functions themselves.
    pub basis: SegmentBasis,
    /// b, b', b'' at each quadrature point.
    pub weights: [Weights; POINTS],
}

impl Table {
    fn new(basis: SegmentBasis) -> Self {
        Self { weights: GAUSS_3.map(|(f, _)| basis.weights(f)), basis }
    }
}

/// Segments of unequal width in the parameter of the spline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Uneven {
    pub(crate) knots: Knots,
    /// Table of each segment: segments with equal neighbourhoods share one.
    table_of: Vec<u32>,
}

impl Uneven {
    /// Returns it with the tables of its segments.
    fn new(knots: Knots) -> (Self, Vec<Table>) {
        let (mut tables, mut known) = (Vec::new(), BTreeMap::new());
        let table_of = (0..knots.segments())
            .map(|e| {
                *known.entry(knots.about(e).map(f64::to_bits)).or_insert_with(|| {
                    tables.push(Table::new(knots.basis(e)));
                    tables.len() as u32 - 1
                })
            })
            .collect();
        (Self { knots, table_of }, tables)
    }
}

/// A spline rod, ready to be stepped. It contains constants only; positions and frames are in the state.
#[derive(Clone, Debug, PartialEq)]
pub struct SplineRod {
    pub(crate) family: Family,
    pub(crate) segments: usize,
    /// Knots, if segments have different widths.
    pub(crate) uneven: Option<Uneven>,
    /// Tables by kind of segment. In an even rod: up to two special segments at each end, one table for all
    /// others.
    pub(crate) tables: Vec<Table>,
    /// Constants of the quadrature points, see [`layout::rest`].
    pub(crate) rest: Vec<f64>,
    /// Rest length of each segment, m.
    pub(crate) lengths: Vec<f64>,
    /// Rest length of stretch of each segment, m.
    pub(crate) stretch_lengths: Vec<f64>,
    /// Least distance of neighbouring control points at rest, m.
    pub(crate) shortest_edge: f64,
    /// Share α of the slope of stretch in each segment.
    pub(crate) alphas: Vec<f64>,
    /// EA of each segment, N.
    pub(crate) stretch: Vec<f64>,
    /// GJ of each segment, N·m².
    pub(crate) twist: Vec<f64>,
    /// Share of the slope of twist in each segment.
    pub(crate) twist_alphas: Vec<f64>,
    /// Upper band of the mass matrix: ∫μ b_i b_{i+k} (k = 0..3), then ∫ of the polar inertia.
    pub(crate) mass: Vec<[f64; 8]>,
    /// Control points of the rest curve, for arc length.
    pub(crate) rest_points: Vec<DVec3>,
    /// Rest arc length at the knots.
    pub(crate) arc: Vec<f64>,
    /// Radius for drawing and contact: one for all segments, or one each.
    pub(crate) radii: Vec<f64>,
    /// Increase of θ beyond the seam of a closed rod.
    pub(crate) seam_twist: f64,
    /// How its twist is measured.
    pub(crate) twist_measure: TwistMeasure,
    /// Isotropic, and naturally straight and untwisted: bending and twist then don't need the directors.
    pub(crate) isotropic_straight: bool,
    /// Constants of the fast kernels.
    constants: kernel::Constants,
    /// Kelvin–Voigt time β, s.
    pub(crate) internal_damping: f64,
    /// Rayleigh rate α, 1/s.
    pub(crate) mass_damping: f64,
}

impl SplineRod {
    /// Number of control points.
    pub fn nodes(&self) -> usize {
        if self.is_closed() { self.segments } else { self.segments + 3 }
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.segments
    }

    /// Whether the rod is a ring.
    pub fn is_closed(&self) -> bool {
        self.family == Family::Periodic
    }

    /// Least EI and GJ along it, N·m².
    pub(crate) fn least_stiffness(&self) -> [f64; 2] {
        let least = |fields: &[usize]| {
            let points = (0..self.segments).flat_map(|e| (0..POINTS).map(move |g| (e, g)));
            let values = points.flat_map(|(e, g)| fields.iter().map(move |&f| index(e, g, f, rest::FIELDS)));
            values.map(|i| self.rest[i]).fold(f64::MAX, f64::min)
        };
        [least(&[rest::EI1, rest::EI2]), least(&[rest::GJ])]
    }

    /// Rest length, m.
    pub fn length(&self) -> f64 {
        self.arc[self.segments]
    }

    /// Kelvin–Voigt time β, s.
    pub fn internal_damping(&self) -> f64 {
        self.internal_damping
    }

    /// Rayleigh rate α, 1/s.
    pub fn mass_damping(&self) -> f64 {
        self.mass_damping
    }

    /// Total mass, kg.
    pub fn total_mass(&self) -> f64 {
        let n = self.nodes();
        let reach = |i: usize, k: usize| if self.is_closed() || i + k < n { 1.0 } else { 0.0 };
        self.mass
            .iter()
            .enumerate()
            .map(|(i, m)| m[0] + 2.0 * (1..4).map(|k| m[k] * reach(i, k)).sum::<f64>())
            .sum()
    }

    /// Mass of control point i for gravity, kg: a row sum of the mass matrix.
    pub(crate) fn node_mass(&self, i: usize) -> f64 {
        let n = self.nodes();
        let after: f64 = (0..4).filter(|k| i + k < n || self.is_closed()).map(|k| self.mass[i][k]).sum();
        let before: f64 =
            (1..4).filter(|&k| i >= k || self.is_closed()).map(|k| self.mass[(i + n - k) % n][k]).sum();
        after + before
    }

    /// Table of segment `e`.
    #[inline]
    pub fn table(&self, e: usize) -> &Table {
        &self.tables[self.table_index(e)]
    }

    /// Index of the table of segment `e`: depends on the distance to both ends, up to two.
    #[inline]
    pub(crate) fn table_index(&self, e: usize) -> usize {
        if let Some(uneven) = &self.uneven {
            return uneven.table_of[e] as usize;
        }
        match self.family {
            Family::Clamped => e.min(2) * 3 + (self.segments - 1 - e).min(2),
            Family::Periodic | Family::CatmullRom => 0,
        }
    }

    /// Control point k of segment e.
    #[inline]
    pub fn node(&self, e: usize, k: usize) -> usize {
        let i = e + k;
        if self.is_closed() && i >= self.segments { i - self.segments } else { i }
    }

    /// Positions and rolls of the four control points of segment `e`.
    #[inline]
    pub fn control(&self, q: &[f64], e: usize) -> ([DVec3; 4], [f64; 4]) {
        let mut x = [DVec3::ZERO; 4];
        let mut theta = [0.0; 4];
        for k in 0..4 {
            let i = self.node(e, k);
            x[k] = DVec3::new(q[4 * i], q[4 * i + 1], q[4 * i + 2]);
            theta[k] =
                q[4 * i + 3] + if e + k >= self.segments && self.is_closed() { self.seam_twist } else { 0.0 };
        }
        (x, theta)
    }

    /// Local variables at quadrature point `g` of segment `e`, from its control points.
    #[inline]
    pub(crate) fn local(
        &self,
        x: &[DVec3; 4],
        theta: &[f64; 4],
        frames: &[f64],
        e: usize,
        g: usize,
    ) -> natural::Local {
        let w = &self.table(e).weights[g];
        natural::Local {
            p: combine(&w.db, x),
            q: combine(&w.ddb, x),
            theta: combine_scalar(&w.b, theta),
            dtheta: combine_scalar(&w.db, theta),
            a1: frames::read(frames, e, g, frame::A1),
            tau_ref: frames[index(e, g, frame::TAU, frame::FIELDS)],
        }
    }

    /// T per unit of u, by the rod's measure.
    #[inline]
    pub(crate) fn total_twist(&self, local: &natural::Local, x: &[DVec3; 4], e: usize) -> f64 {
        self.twist_measure.total(local, || combine(&self.table(e).basis.third(), x))
    }

    /// Whether roll is relative to frames that the material carries. Twist is then the mean of each segment,
    /// else it is taken at the quadrature points.
    #[inline]
    pub(crate) fn has_material_frame(&self) -> bool {
        self.twist_measure.has_material_frame()
    }

    /// For a rod that is for comparison with the papers only: what it is or does, and the remedy. It can't be
    /// edited.
    pub(crate) fn comparison_only(&self) -> Option<(&'static str, &'static str)> {
        match self.family {
            Family::CatmullRom => Some(("is a Catmull–Rom spline", "use basis = \"b-spline\"")),
            Family::Clamped | Family::Periodic => self.twist_measure.comparison_only(),
        }
    }
}

/// Σ w_k x_k
#[inline]
pub(crate) fn combine(w: &[f64; 4], x: &[DVec3; 4]) -> DVec3 {
    x[0] * w[0] + x[1] * w[1] + x[2] * w[2] + x[3] * w[3]
}

/// Σ w_k θ_k
#[inline]
pub(crate) fn combine_scalar(w: &[f64; 4], x: &[f64; 4]) -> f64 {
    x[0] * w[0] + x[1] * w[1] + x[2] * w[2] + x[3] * w[3]
}
