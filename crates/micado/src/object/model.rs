//! The interface of every kind of object. Constraints, loads, springs and the step use nothing else.
//!
//! An object has nodes of four scalars each. It adds to the system
//!
//! ```text
//! A += c M + K (+ viscosity)      b −= ∇U, forces that depend on velocity
//! ```
//!
//! and moves by an increment, `q ← q ⊕ Δ`: positions, slopes and rolls are added, rotations are composed. To
//! add a kind: a folder with its description, its `impl Describe` and its `impl Model`, and an entry in the
//! list of kinds (`object/kinds.rs`).

use super::rod::{InnerRows, Linearisation};
use super::{Form, Now, Place, ReadOut, Touch, Value};
use crate::describe::anchor::At;
use crate::describe::quantity::Quantity;
use crate::error::BuildError;
use glam::{DMat3, DVec3};
use micado_linalg::{Arithmetic, BlockMatrix};

/// Meaning of a scalar of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A coordinate of a position, m.
    Position,
    /// A coordinate of a derivative of a position by a parameter, m.
    Slope,
    /// An angle about a tangent, rad.
    Roll,
    /// A component of a rotation, rad: it is composed, not added. The node stores a unit quaternion.
    Rotation,
    /// Unused: its row of the system is that of the identity.
    Unused,
}

impl Scalar {
    /// A node at a point: (x, y, z) and nothing.
    pub const POINT: [Self; 4] = [Self::Position, Self::Position, Self::Position, Self::Unused];
    /// A node with a rotation: three components of an increment, and nothing.
    pub const ROTATION: [Self; 4] = [Self::Rotation, Self::Rotation, Self::Rotation, Self::Unused];
    /// A node at a point with a roll: (x, y, z, θ).
    pub const POINT_AND_ROLL: [Self; 4] = [Self::Position, Self::Position, Self::Position, Self::Roll];

    /// Whether it is measured in metres.
    pub fn is_length(self) -> bool {
        matches!(self, Self::Position | Self::Slope)
    }

    /// Whether it is an angle.
    pub fn is_angle(self) -> bool {
        matches!(self, Self::Roll | Self::Rotation)
    }
}

/// The part of a state that belongs to an object.
#[derive(Clone, Copy, Debug)]
pub struct Own<'a> {
    /// Unknowns, four per node.
    pub q: &'a [f64],
    /// Frames and other data that follow the unknowns.
    pub frames: &'a [f64],
}

/// Energies of an object, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElasticEnergy {
    /// Stretching.
    pub stretch: f64,
    /// Bending.
    pub bend: f64,
    /// Twisting.
    pub twist: f64,
    /// Any other deformation.
    pub other: f64,
}

impl ElasticEnergy {
    /// Sum of all parts but stretch.
    pub(crate) fn shape(&self) -> f64 {
        self.total() - self.stretch
    }

    /// Sum of all.
    pub fn total(&self) -> f64 {
        self.stretch + self.bend + self.twist + self.other
    }
}

/// An object's material points along a curve: whatever slides moves on it. Its parameter counts segments.
pub trait MaterialCurve {
    /// Rest length, m.
    fn length(&self) -> f64;

    /// First and last parameter; `None` for a ring.
    fn ends(&self) -> Option<(f64, f64)>;

    /// Number of segments.
    fn segments(&self) -> usize;

    /// First and last coordinate within a segment: half of the outer edges of a discrete rod belong to it.
    fn span(&self, segment: usize) -> (f64, f64);

    /// The place at a coordinate within a segment, on a curve whose tangent is continuous.
    fn smooth_place(&self, segment: usize, fraction: f64) -> Place;

    /// Rest arc length at a place, m.
    fn arc_length(&self, place: &Place) -> f64;

    /// Radius of a segment, m.
    fn radius(&self, segment: usize) -> f64;

    /// |r₀'| at a place: rest length per unit of the parameter, m.
    fn rest_speed(&self, place: &Place) -> f64;

    /// Calls `visit` with the nodes of the window that begins with a segment: the pattern of the system
    /// reserves them for an end that slides.
    fn for_each_window_node(&self, window: usize, visit: &mut dyn FnMut(usize));
}

/// The interface of every kind of object.
pub trait Model {
    /// Number of nodes.
    fn nodes(&self) -> usize;

    /// Meaning of the scalars of a node.
    fn scalars(&self, node: usize) -> [Scalar; 4];

    /// Calls `visit` with the nodes of every clique: nodes that its mass or energy couples in the matrix.
    /// Every node is in one.
    fn for_each_clique(&self, visit: &mut dyn FnMut(&[usize]));

    /// Number that, with the number of nodes, determines which of them are coupled.
    fn pattern(&self) -> u32;

    /// Number of elements of a linearisation: the measure of its cost.
    fn elements(&self) -> usize;

    /// Length scale for tolerances, m; `None` for an object without an extent.
    fn extent(&self) -> Option<f64>;

    /// Total mass, kg.
    fn total_mass(&self) -> f64;

    /// Mass of a node at a position, kg: its weight acts on the first three scalars. Zero for a node whose
    /// scalars are no position.
    fn node_mass(&self, node: usize) -> f64;

    /// Adds the force of a uniform field (an acceleration, m/s²) on unknowns other than positions of nodes
    /// with a mass, such as the angle of a body whose centre of mass is not on its axis.
    fn add_field_force(&self, _own: Own<'_>, _field: DVec3, _force: &mut [f64]) {}

    /// The energy of these forces, J, relative to the origin.
    fn field_energy(&self, _own: Own<'_>, _field: DVec3) -> f64 {
        0.0
    }

    /// Stiffness of its softest deformation as a whole: against displacement, N/m, and against rotation, N·m.
    /// Scales the terms that hold it during a search. Zero if it has none.
    fn softest_stiffness(&self) -> [f64; 2] {
        [0.0; 2]
    }

    /// Whether the world holds it without a constraint, so that it has no rigid motion: a wheel on a fixed
    /// shaft.
    fn is_held(&self) -> bool {
        false
    }

    /// Largest angle in an increment, rad.
    fn largest_turn(&self, increment: &[f64]) -> f64 {
        let angle = |(node, d): (usize, &[f64])| {
            let scalars = self.scalars(node).into_iter().zip(d);
            scalars.filter(|(scalar, _)| scalar.is_angle()).map(|(_, d)| d.abs()).fold(0.0, f64::max)
        };
        increment.chunks_exact(4).enumerate().map(angle).fold(0.0, f64::max)
    }

    /// Length of the largest displacement of a node in an increment, m: rotations don't count.
    fn largest_displacement(&self, increment: &[f64]) -> f64 {
        let square = |(node, d): (usize, &[f64])| {
            let scalars = self.scalars(node).into_iter().zip(d);
            scalars.filter(|(scalar, _)| scalar.is_length()).map(|(_, d)| d * d).sum::<f64>()
        };
        increment.chunks_exact(4).enumerate().map(square).fold(0.0, f64::max).sqrt()
    }

    /// The node of its rotation with its inertia in body axes, kg·m², if it has one: a unit quaternion (x, y,
    /// z, w) that increments turn in world axes, with an angular velocity in world axes.
    fn spin_inertia(&self) -> Option<(usize, DMat3)> {
        None
    }

    /// `out += M v`, M in the present state.
    fn add_mass_times(&self, own: Own<'_>, v: &[f64], out: &mut [f64]);

    /// Adds a diagonal that approximates M: its row sums, M times `ones`, unless they are not useful.
    fn add_lumped_mass(&self, own: Own<'_>, ones: &[f64], out: &mut [f64]) {
        self.add_mass_times(own, ones, out);
    }

    /// Rayleigh rate α, 1/s: the resisting force is α M v.
    fn mass_damping(&self) -> f64 {
        0.0
    }

    /// Kelvin–Voigt time β, s.
    fn internal_damping(&self) -> f64 {
        0.0
    }

    /// Length of the output of [`Model::strains`].
    fn strain_count(&self) -> usize {
        0
    }

    /// Reference strains of viscous stress, in the order of the model.
    fn strains(&self, _own: Own<'_>, out: &mut Vec<f64>, _arithmetic: Arithmetic) {
        out.clear();
    }

    /// Writes `mass·M + K (+ viscosity)` to `matrix` from node `first` on and subtracts ∇U from `force`.
    /// Objects are the first to write: the blocks of their cliques hold old values, and all of them must be
    /// overwritten. A node that is in no clique has no blocks. The diagonal of an unused scalar is 1.
    fn linearise(
        &self,
        own: Own<'_>,
        how: &Linearisation<'_>,
        first: usize,
        matrix: &mut BlockMatrix,
        force: &mut [f64],
    );

    /// Subtracts ∇U, viscous stress included, from `force`. Stretch acts with the tension of the carried
    /// stretches where they are given.
    fn subtract_internal_force(&self, own: Own<'_>, how: &Linearisation<'_>, force: &mut [f64]);

    /// The parts of this force: calls `visit` with every element's force on each of its nodes.
    fn for_each_internal_force(
        &self,
        _own: Own<'_>,
        _how: &Linearisation<'_>,
        _visit: &mut dyn FnMut(usize, [f64; 4]),
    ) {
    }

    /// Adds forces that depend on velocity, such as gyroscopic ones, at the velocities `v` so far; not called
    /// in statics and for quasi-static objects. Steps hold them for a solve: the matrix has no term of them.
    fn add_velocity_force(&self, _own: Own<'_>, _v: &[f64], _force: &mut [f64]) {}

    /// `q ← from ⊕ share Δ`, or `q ← q ⊕ share Δ` without `from`.
    fn advance(&self, from: Option<&[f64]>, delta: &[f64], share: f64, q: &mut [f64]) {
        match from {
            Some(from) => {
                q.iter_mut().zip(from.iter().zip(delta)).for_each(|(q, (from, d))| *q = from + share * d);
            }
            None => q.iter_mut().zip(delta).for_each(|(q, d)| *q += share * d),
        }
    }

    /// Transports its frames, from `from` where given, to `q`. Returns the least cosine between an old
    /// direction and a new one.
    fn transport_frames(
        &self,
        _q: &[f64],
        from: Option<&[f64]>,
        frames: &mut [f64],
        _arithmetic: Arithmetic,
    ) -> f64 {
        if let Some(from) = from {
            frames.copy_from_slice(from);
        }
        1.0
    }

    /// Whether its linearisation transports the frames of an earlier state to the present one, see
    /// [`Linearisation::ahead`].
    fn transports_frames(&self, _arithmetic: Arithmetic) -> bool {
        false
    }

    /// Largest change of a length inside it, as a share of its rest length, if it exceeds `least`. The
    /// increment led to `q` and moves no node by more than `farthest`.
    fn largest_stretching(&self, _increment: &[f64], _q: &[f64], _farthest: f64, _least: f64) -> f64 {
        0.0
    }

    /// Number of stretches whose stress a pass hands to the next one, see [`Model::stretches`].
    fn stretch_count(&self) -> usize {
        0
    }

    /// Stretches in a state, in the order of the model.
    fn stretches(&self, _own: Own<'_>, _out: &mut [f64], _arithmetic: Arithmetic) {}

    /// Linear prediction of the stretches, ε + BΔ, from the state before the increment Δ that led to a state:
    /// the stretches of a linearised solve. Returns the largest as a share of its length.
    fn predicted_stretches(
        &self,
        _own: Own<'_>,
        _led: &[f64],
        _out: &mut [f64],
        _arithmetic: Arithmetic,
    ) -> f64 {
        0.0
    }

    /// Energy of the strains that a linearised solve neglects, J: points move on straight lines, so an edge
    /// that turns becomes longer by `δ ≈ |Δe⊥|²/(2|e|)`, and `U₂ = Σ ½ EA δ²/l`. `own` is the state after the
    /// increment.
    fn unseen_energy(&self, _own: Own<'_>, _led: &[f64]) -> f64 {
        0.0
    }

    /// A cheap upper bound of [`Model::unseen_energy`]: all of Δe counts as turning.
    fn most_unseen_energy(&self, _led: &[f64]) -> f64 {
        0.0
    }

    /// The curve that its material points lie on; `None` for an object that isn't one.
    fn curve(&self) -> Option<&dyn MaterialCurve> {
        None
    }

    /// Rows of its own: lengths that it keeps.
    fn inner_rows(&self) -> Option<InnerRows<'_>> {
        None
    }

    /// Whether it may roll about its axis without a change of energy.
    fn may_roll_freely(&self) -> bool {
        false
    }

    /// Calls `visit` with places that determine its rigid motions.
    fn for_each_witness(&self, visit: &mut dyn FnMut(Place));

    /// Radius of gyration of a massless angle that rows hold, m.
    fn arm(&self) -> f64 {
        1.0
    }

    /// The place of a description; `frame`: whether its frame is needed.
    ///
    /// # Errors
    /// A place that is not on it, or a frame where it has none; `name` is its name.
    fn place(&self, name: &str, at: Option<At>, frame: bool) -> Result<Place, BuildError>;

    /// The place at rest arc length `s` of a curve, within its ends. For any other object, the place at which
    /// it is drawn, read and dragged.
    fn place_along(&self, s: f64) -> Place;

    /// What is drawn of it.
    fn form(&self) -> Form<'_>;

    /// The surface with which it touches others.
    fn touch(&self) -> Touch<'_>;

    /// A quantity of a probe, besides positions, velocities and energies; `None` if it has no such quantity.
    ///
    /// # Errors
    /// The quantity needs a place, and `at` is missing or not on it.
    fn read(
        &self,
        _now: &Now<'_>,
        _quantity: Quantity,
        _at: Option<At>,
    ) -> Result<Option<Value>, BuildError> {
        Ok(None)
    }

    /// The quantities that it has, in words.
    fn quantities(&self) -> &'static str {
        "position, velocity and energies"
    }

    /// Values to show to people, the most important first.
    ///
    /// # Errors
    /// A place that is not on it.
    fn read_outs(&self, now: &Now<'_>, at: Option<At>) -> Result<Vec<ReadOut>, BuildError>;

    /// Position and axes of a place in a frame, without its arm. By default the position is that of a node,
    /// and the first nine numbers of its frames are the columns of the axes.
    fn pose(&self, own: Own<'_>, place: &Place) -> (DVec3, DMat3) {
        (place.position(own.q), DMat3::from_cols_slice(&own.frames[..9]))
    }

    /// Director of the reference frame at a place with a frame.
    fn reference_director(&self, _own: Own<'_>, _place: &Place) -> DVec3 {
        DVec3::Y
    }

    /// Elastic energies.
    fn energy(&self, _own: Own<'_>) -> ElasticEnergy {
        ElasticEnergy::default()
    }

    /// Elastic energy of everything but stretch, J.
    fn shape_energy(&self, own: Own<'_>, _arithmetic: Arithmetic) -> f64 {
        self.energy(own).shape()
    }
}
