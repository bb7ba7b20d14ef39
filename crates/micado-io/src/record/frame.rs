//! A frame: the state at one time.

use super::mesh::MeshSize;
use super::old::OldFrame;
use super::table::Table;
use super::{VERSION, WITHOUT_CONTACTS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Time, s.
    pub time: f64,
    /// A new table, valid from this frame on; `None` if nothing appeared, disappeared or changed.
    pub table: Option<Table>,
    /// Points of all objects, m, in the order of the table.
    pub points: Vec<[f64; 3]>,
    /// Material director m₁ at every point, recorded to 1/32767; empty when there are no frames.
    #[serde(with = "packed")]
    pub directors: Vec<[f32; 3]>,
    /// Orientation x, y, z, w of every object that has one, such as a rigid body, in the order of the table.
    pub orientations: Vec<[f64; 4]>,
    /// One array per channel of [`super::Meta::channels`], one value per point; a channel may be empty in a
    /// frame.
    pub channels: Vec<Vec<f32>>,
    /// Every constraint, in the order of the table; empty when they were not recorded.
    pub constraints: Vec<ConstraintState>,
    /// Every spring, in the order of the table; empty when they were not recorded.
    pub springs: Vec<SpringState>,
    /// Every load, in the order of the table; empty when they were not recorded.
    pub loads: Vec<LoadState>,
    /// Value of every probe, in the order of the table; empty when they were not recorded.
    pub probes: Vec<f64>,
    /// Energies of the whole structure.
    pub energies: Energies,
    /// Events since the previous frame.
    pub events: Vec<Event>,
    /// Gauges, in the order of the table; empty if they were not recorded.
    pub gauges: Vec<GaugeState>,
    /// The contacts of surfaces that transmit a force.
    pub contacts: Vec<ContactState>,
}

impl Frame {
    /// Reads the payload of a frame in this version of the format.
    pub(super) fn decode(payload: &[u8], version: u32) -> Result<Self, postcard::Error> {
        match version {
            VERSION => postcard::from_bytes(payload),
            // A frame of this version has no contacts: a count of zero is added.
            WITHOUT_CONTACTS => postcard::from_bytes(&[payload, &[0]].concat()),
            _ => postcard::from_bytes::<OldFrame>(payload).map(Self::from),
        }
    }

    /// The problem, if the frame does not fit the current table.
    pub(super) fn problem(&self, table: &Table, channels: usize, meshes: &[MeshSize]) -> Option<String> {
        let points = table.point_count();
        let mismatch = |what: &str, found: usize, expected: u64| {
            (found as u64 != expected).then(|| format!("{found} {what} where the table asks for {expected}"))
        };
        if !self.time.is_finite() {
            return Some(format!("the time is {}", self.time));
        }
        if self.channels.len() > channels {
            return Some(format!("{} channels where {channels} are named", self.channels.len()));
        }
        let all = [
            mismatch("points", self.points.len(), points),
            mismatch("orientations", self.orientations.len(), table.body_count() as u64),
            table.mesh_problem(meshes),
        ];
        let objects = table.objects.len();
        let stranger = |k: u32| k as usize >= objects;
        if self.contacts.iter().any(|contact| contact.objects.into_iter().any(stranger)) {
            return Some(format!("a contact of an object beyond the {objects} of the table"));
        }
        // These may be left out.
        let optional = |what: &str, found: usize, expected: u64| {
            if found == 0 { None } else { mismatch(what, found, expected) }
        };
        let optional = [
            optional("directors", self.directors.len(), points),
            optional("constraints", self.constraints.len(), table.constraints.len() as u64),
            optional("springs", self.springs.len(), table.springs.len() as u64),
            optional("loads", self.loads.len(), table.loads.len() as u64),
            optional("gauges", self.gauges.len(), table.gauges.len() as u64),
            optional("probes", self.probes.len(), table.probes.len() as u64),
            self.channels.iter().find_map(|values| optional("channel values", values.len(), points)),
        ];
        all.into_iter().chain(optional).flatten().next()
    }
}

/// A constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConstraintState {
    /// Where it holds, m.
    pub place: [f64; 3],
    /// Force on the object, N.
    pub force: [f64; 3],
    /// Moment on the object, N·m.
    #[serde(with = "sparse")]
    pub moment: [f64; 3],
    /// Normal of a plane or of a circle's plane, an axis, a clamp's inward direction, a clip's opening;
    /// otherwise the tangent.
    pub direction: [f32; 3],
    /// Point of a plane, other end of a distance, centre of a circle, start of a curve, target of a hand, m;
    /// otherwise none.
    pub centre: Option<[f64; 3]>,
    /// Violation, m; of a tangent or roll, rad; of both, the larger number.
    pub residual: f32,
    /// Load of a clip as a share of its strength.
    #[serde(with = "sparse")]
    pub used: f32,
    /// Radius of a circle or of a distance `at-least`, m; otherwise 0.
    #[serde(with = "sparse")]
    pub radius: f32,
    /// Rest arc length at which each end slides on its rod, m, for example of an eye or a pearl; also of the
    /// place that a clip holds.
    pub at: [Option<f64>; 2],
    /// Whether it is a clip that holds nothing.
    pub open: bool,
}

/// A coordinate of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GaugeState {
    /// Value, m or rad.
    pub value: f64,
    /// Target of the motor: m or rad, for a velocity motor m/s or rad/s; `None` for a force motor and without
    /// a motor.
    pub target: Option<f64>,
    /// Force, N, or torque, N·m, of the motor on the first object along the coordinate.
    #[serde(with = "sparse")]
    pub drive: f64,
    /// Unit vector perpendicular to the axis, from which an angle counts.
    pub zero: [f32; 3],
}

/// A contact of two surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactState {
    /// The two objects, by their indices in the table; the same twice for a rod that touches itself.
    pub objects: [u32; 2],
    /// Where they touch, m.
    pub point: [f64; 3],
    /// Unit normal from the second object to the first.
    pub normal: [f32; 3],
    /// Force on the first object, N.
    pub force: [f64; 3],
    /// Gap, m; negative where they overlap.
    pub gap: f32,
    /// Coefficient of friction; of two directions the larger one.
    pub friction: f32,
}

/// A spring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpringState {
    /// First end, m.
    pub from: [f64; 3],
    /// Second end, m.
    pub to: [f64; 3],
    /// Tension, N; positive when it pulls.
    pub tension: f64,
}

/// A load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadState {
    /// Where it acts, m; the centre of a distributed load.
    pub place: [f64; 3],
    /// Force, N: the total of a distributed load, 0 for drag. For a moment: the moment, N·m.
    pub force: [f64; 3],
}

/// Energies, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Energies {
    /// Of motion.
    pub kinetic: f64,
    /// In rods and springs.
    pub elastic: f64,
    /// In gravity, relative to the origin.
    pub gravity: f64,
    /// The sum of all.
    pub total: f64,
}

/// An event as text, so that it stays readable when the engine's kinds of events change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Time, s.
    pub time: f64,
    /// The word of its kind, for example `opened`.
    pub kind: String,
    /// The event as a sentence.
    pub text: String,
}

impl From<&micado::run::Event> for Event {
    fn from(event: &micado::run::Event) -> Self {
        Self { time: event.time, kind: event.kind().to_owned(), text: event.to_string() }
    }
}

/// Values that are mostly zero: a zero takes one byte.
mod sparse {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Serialize + Default + PartialEq,
        S: Serializer,
    {
        Some(value).filter(|value| **value != T::default()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: Deserialize<'de> + Default,
        D: Deserializer<'de>,
    {
        Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
    }
}

/// Unit vectors with 16 bits per component.
pub(super) mod packed {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    const ONE: f32 = 32767.0;

    pub(in crate::record) fn serialize<S: Serializer>(
        all: &[[f32; 3]],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
        let bytes: Vec<u8> =
            all.iter().flatten().flat_map(|x| ((x * ONE).round() as i16).to_le_bytes()).collect();
        bytes.serialize(serializer)
    }

    pub(in crate::record) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<[f32; 3]>, D::Error> {
        let bytes = Vec::<u8>::deserialize(deserializer)?;
        let (all, rest) = bytes.as_chunks::<6>();
        if !rest.is_empty() {
            return Err(D::Error::custom("a vector has three components"));
        }
        let component = |two: [u8; 2]| f32::from(i16::from_le_bytes(two)) / ONE;
        Ok(all.iter().map(|&[a, b, c, d, e, f]| [[a, b], [c, d], [e, f]].map(component)).collect())
    }
}
