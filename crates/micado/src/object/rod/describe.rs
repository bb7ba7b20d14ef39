//! The description of a rod.

use crate::describe::anchor::At;
use crate::describe::material::{Circle, RodProperties, Section, Stiffness};
use crate::describe::shape::Shape;
use crate::describe::units;
use crate::error::{BuildError, check};
use crate::short::Short;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// A rod, cable, rope or thread.
///
/// Stiffness comes from `young` with a section (`radius` or `section`), or directly from `stiffness` with
/// `mass_per_length`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RodDescription {
    /// Rod model.
    pub model: RodModel,
    /// Initial shape. Its arc length is the rest length, unless the shape has a length of its own.
    pub shape: Shape,
    /// Radius of a circular section, m. Short for `section.circle.radius`.
    #[serde(deserialize_with = "units::optional_length", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: Option<f64>,
    /// Section, if it is not a circle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<Section>,
    /// Young's modulus E, Pa.
    #[serde(deserialize_with = "units::optional_pressure", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub young: Option<f64>,
    /// Shear modulus G, Pa; E / (2 (1 + poisson)) unless given.
    #[serde(deserialize_with = "units::optional_pressure", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub shear: Option<f64>,
    /// Poisson's ratio, −1 to 0.5; 0.3 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
    /// Density, kg/m³.
    #[serde(deserialize_with = "units::optional_density", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: Option<f64>,
    /// Stiffnesses, instead of `young`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<Stiffness>,
    /// Mass per rest length, kg/m, instead of `density`.
    #[serde(deserialize_with = "units::optional_mass_per_length", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass_per_length: Option<f64>,
    /// Stretches of the rod with other properties; later ones win.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stretches: Vec<Stretch>,
    /// Natural (stress-free) shape.
    pub natural: Natural,
    /// Share by which the rod is stretched in its initial shape, −0.5 to 1: its rest length is the length of
    /// the shape, divided by 1 + `initial_stretch`. Places on the rod are given in rest length.
    #[serde(skip_serializing_if = "units::is_zero")]
    #[schemars(extend("minimum" = -0.5, "maximum" = 1))]
    pub initial_stretch: f64,
    /// Number of polynomial segments; 16, or as many as the shape needs, unless given. For a discrete rod the
    /// number of bends; 32 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 2, "maximum" = 4_000_000))]
    pub segments: Option<usize>,
    /// Initial direction of the director m₁, as far as the tangent allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<[f64; 3]>,
    /// Inserted twist, rad: rotation of the end against the start, positive by the right hand about the
    /// tangent, like the angle of a roll. In a closed rod it is a jump at the seam.
    #[serde(deserialize_with = "units::angle")]
    #[schemars(with = "units::QuantityInput")]
    pub twist: f64,
    /// Initial velocity, m/s.
    pub velocity: [f64; 3],
    /// Damping.
    pub damping: Damping,
    /// Basis functions.
    pub basis: Basis,
    /// Measure of twist.
    pub twist_measure: TwistMeasure,
    /// Measure of stretch.
    pub stretch_measure: StretchMeasure,
    /// Keep the length of every edge exactly instead of by EA; only with `model = "discrete-elastic"`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inextensible: bool,
    /// Bends of an open discrete rod, by ascending rest arc length, instead of evenly in `segments` places:
    /// edges of unequal length.
    #[serde(deserialize_with = "some_places", skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("minItems" = 1))]
    pub bends_at: Vec<At>,
    /// Inner knots of an open spline rod, by ascending rest arc length, instead of evenly: one less than
    /// there are segments.
    #[serde(deserialize_with = "some_places", skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("minItems" = 1))]
    pub knots_at: Vec<At>,
    /// Whether a spline rod keeps its segments, or divides and joins them during a run as needed.
    pub resolution: Resolution,
    /// Bounds of `resolution = "auto"`.
    #[serde(skip_serializing_if = "Refinement::is_default")]
    pub refinement: Refinement,
}

/// Reads a list of at least one place: an empty list would mean the same as no list.
fn some_places<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<At>, D::Error> {
    let places = Vec::deserialize(deserializer)?;
    if places.is_empty() {
        return Err(D::Error::custom("a list without a place; leave it out, or give at least one place"));
    }
    Ok(places)
}

impl Default for RodDescription {
    fn default() -> Self {
        Self {
            model: RodModel::Spline,
            shape: Shape::default(),
            radius: None,
            section: None,
            young: None,
            shear: None,
            poisson: None,
            density: None,
            stiffness: None,
            mass_per_length: None,
            stretches: Vec::new(),
            natural: Natural::default(),
            initial_stretch: 0.0,
            segments: None,
            up: None,
            twist: 0.0,
            velocity: [0.0; 3],
            damping: Damping::default(),
            basis: Basis::default(),
            twist_measure: TwistMeasure::default(),
            stretch_measure: StretchMeasure::default(),
            inextensible: false,
            bends_at: Vec::new(),
            knots_at: Vec::new(),
            resolution: Resolution::default(),
            refinement: Refinement::default(),
        }
    }
}

impl RodDescription {
    /// Removes the initial state from the description: a rod made of others takes it from them.
    pub(crate) fn without_start(self) -> Self {
        Self { initial_stretch: 0.0, knots_at: Vec::new(), up: None, twist: 0.0, velocity: [0.0; 3], ..self }
    }
}

/// Rod models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RodModel {
    /// Geometrically exact cubic spline.
    #[default]
    Spline,
    /// Discrete elastic rod: vertices and edge angles.
    DiscreteElastic,
    /// Beam: nodes with a direction, which transmit moments, and corotational elements between them.
    Beam,
    /// Masses on springs that resist stretching and bending: no frame, no twist.
    MassSpring,
}

/// Natural shape: the stress-free one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Natural {
    /// Straight and untwisted, whatever the initial shape.
    #[default]
    Straight,
    /// The initial shape.
    AsShaped,
    /// Given natural curvatures and twist, the same everywhere.
    Curved(NaturalCurvature),
    /// Natural curvatures and twist at the three Gauss points of each segment, in their order along the rod.
    Sampled(Vec<NaturalCurvature>),
}

/// Natural curvatures and twist in material axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NaturalCurvature {
    /// Curvature towards m₁, 1/m.
    pub curvature_1: f64,
    /// Curvature towards m₂, 1/m.
    pub curvature_2: f64,
    /// Twist, rad/m.
    pub twist: f64,
}

/// A part of a rod with other properties. Properties that are not given are those of the rod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stretch {
    /// Where it begins.
    pub from: At,
    /// Where it ends.
    pub to: At,
    /// Radius, m.
    #[serde(default, deserialize_with = "units::optional_length", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub radius: Option<f64>,
    /// Section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<Section>,
    /// Young's modulus, Pa.
    #[serde(default, deserialize_with = "units::optional_pressure", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub young: Option<f64>,
    /// Shear modulus, Pa.
    #[serde(default, deserialize_with = "units::optional_pressure", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub shear: Option<f64>,
    /// Density, kg/m³.
    #[serde(default, deserialize_with = "units::optional_density", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub density: Option<f64>,
    /// Stiffnesses, instead of `young`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<Stiffness>,
    /// Mass per rest length, kg/m.
    #[serde(
        default,
        deserialize_with = "units::optional_mass_per_length",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub mass_per_length: Option<f64>,
    /// Natural curvatures and twist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub natural: Option<NaturalCurvature>,
}

/// Damping of a rod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Damping {
    /// Kelvin–Voigt time β, s: viscous stresses are β times the elastic ones of the strain rate; ζ = βω/2.
    #[serde(deserialize_with = "units::time")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("minimum" = 0))]
    pub internal: f64,
    /// Rayleigh rate α, 1/s: a drag of α times the momentum; ζ = α/(2ω).
    #[schemars(extend("minimum" = 0))]
    pub mass: f64,
}

/// How the segments of a rod adapt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Resolution {
    /// They stay unchanged.
    #[default]
    Given,
    /// An open spline rod gets knots where it is held, and more where it bends.
    Auto,
}

/// Bounds of adaptive resolution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Refinement {
    /// Least number of control points: no segment gets longer than with so many. The initial number unless
    /// given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<usize>,
    /// Largest number of control points; twice the initial number unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<usize>,
    /// Largest turn of the tangent along a segment before it is divided, rad; 0.5 unless given.
    #[serde(deserialize_with = "units::angle")]
    #[schemars(with = "units::QuantityInput")]
    pub bend: f64,
    /// Curvature error at which a segment is divided, as a share of the largest curvature of the rod; 0.03
    /// unless given.
    pub error: f64,
}

impl Default for Refinement {
    fn default() -> Self {
        Self { least: None, most: None, bend: 0.5, error: 0.03 }
    }
}

impl Refinement {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Basis functions of a spline rod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Cubic B-spline, C², fourth order.
    #[default]
    BSpline,
    /// Catmull–Rom, C¹, second order; for comparison with the quasi-dynamic splines paper.
    CatmullRom,
}

/// Measure of twist of a spline rod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TwistMeasure {
    /// Relative to frames that are transported in time without spin: no singularity.
    #[default]
    Natural,
    /// θ' plus Frenet torsion, as in the quasi-dynamic splines paper; singular where the curve is straight.
    Frenet,
}

/// Measure of stretch of a spline rod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StretchMeasure {
    /// Mean over each segment: no membrane locking.
    #[default]
    Mean,
    /// Mean and slope in every segment, as at two Gauss points: for the study of axial waves.
    Pointwise,
}

/// Largest relative difference of `shear` and the modulus that `young` and `poisson` imply: they are given
/// with three digits.
const SAME_MODULUS: f64 = 1e-2;

/// The material fields of a rod or of a stretch of it, with the same meaning in both.
struct MaterialFields<'a> {
    radius: Option<f64>,
    section: Option<&'a Section>,
    young: Option<f64>,
    shear: Option<f64>,
    poisson: Option<f64>,
    density: Option<f64>,
    stiffness: Option<&'a Stiffness>,
    mass_per_length: Option<f64>,
    inextensible: bool,
}

impl MaterialFields<'_> {
    /// EA, EI, GJ, μ and the polar inertia, however they are given.
    fn properties(&self) -> Result<RodProperties, BuildError> {
        let section = match (self.radius, self.section) {
            (Some(_), Some(_)) => {
                return Err(BuildError::new(
                    "section",
                    "both `radius` and `section` are given",
                    "give one of them",
                ));
            }
            (Some(radius), None) => {
                check::positive("radius", radius)?;
                Some(Section::Circle(Circle { radius }).integrals()?)
            }
            (None, Some(section)) => Some(section.integrals().map_err(|e| e.within("section"))?),
            (None, None) => None,
        };
        let missing =
            |field: &str, remedy: &str| BuildError::new(field, format!("`{field}` is missing"), remedy);
        let (stretch, bend_1, bend_2, twist) = match (self.stiffness, self.young) {
            (Some(_), Some(_)) => {
                return Err(BuildError::new(
                    "stiffness",
                    "both `young` and `stiffness` are given",
                    "give one of them",
                ));
            }
            (Some(k), None) => (
                match (k.stretch, section) {
                    (Some(stretch), _) => check::positive("stiffness.stretch", stretch)?,
                    // Nothing stretches; the EA that corresponds to EI and the section.
                    (None, Some(s)) if self.inextensible => {
                        (k.bend + k.bend_2.unwrap_or(k.bend)) * s.area / (s.inertia_1 + s.inertia_2)
                    }
                    (None, None) if self.inextensible => {
                        return Err(missing(
                            "radius",
                            "give `radius` or `section`, or `stiffness.stretch`: a thickness follows from \
                             either",
                        ));
                    }
                    (None, _) => return Err(missing("stiffness.stretch", "give EA, N")),
                },
                check::positive("stiffness.bend", k.bend)?,
                check::positive("stiffness.bend_2", k.bend_2.unwrap_or(k.bend))?,
                check::positive("stiffness.twist", k.twist)?,
            ),
            (None, Some(young)) => {
                let e = check::positive("young", young)?;
                let section =
                    section.ok_or_else(|| missing("radius", "give `radius` or `section` with `young`"))?;
                let nu = check::finite("poisson", self.poisson.unwrap_or(0.3))?;
                if !(-1.0 < nu && nu <= 0.5) {
                    return Err(BuildError::new(
                        "poisson",
                        format!("{nu} is not a Poisson's ratio"),
                        "give a number between -1 and 0.5",
                    ));
                }
                let g = match self.shear {
                    Some(shear) => {
                        let shear = check::positive("shear", shear)?;
                        let implied = e / (2.0 * (1.0 + nu));
                        if self.poisson.is_some() && (shear / implied - 1.0).abs() > SAME_MODULUS {
                            return Err(BuildError::new(
                                "shear",
                                format!(
                                    "{shear} Pa is not the shear modulus of `young` and `poisson`, which is \
                                     {implied:.4e} Pa"
                                ),
                                "give `shear` or `poisson`, not both",
                            ));
                        }
                        shear
                    }
                    None => e / (2.0 * (1.0 + nu)),
                };
                (e * section.area, e * section.inertia_1, e * section.inertia_2, g * section.torsion)
            }
            (None, None) => {
                return Err(missing(
                    "young",
                    "give `young` with `radius`, or `stiffness` = { stretch, bend, twist }",
                ));
            }
        };
        let (mass, polar_inertia) = match (self.mass_per_length, self.density) {
            (Some(_), Some(_)) => {
                return Err(BuildError::new(
                    "density",
                    "both `density` and `mass_per_length` are given",
                    "give one of them",
                ));
            }
            (Some(mass), None) => {
                let mass = check::positive("mass_per_length", mass)?;
                // Without a section, the thickness that corresponds to EI = EA r²/4.
                let polar = match section {
                    Some(s) => (s.inertia_1 + s.inertia_2) / s.area,
                    None => (bend_1 + bend_2) / stretch,
                };
                (mass, mass * polar)
            }
            (None, Some(density)) => {
                let density = check::positive("density", density)?;
                let s = section.ok_or_else(|| {
                    missing("radius", "give `radius` or `section` with `density`, or `mass_per_length`")
                })?;
                (density * s.area, density * (s.inertia_1 + s.inertia_2))
            }
            (None, None) => {
                return Err(missing("density", "give `density` (kg/m³) or `mass_per_length` (kg/m)"));
            }
        };
        let radius = section.map_or_else(|| (2.0 * (bend_1 + bend_2) / stretch).sqrt(), |s| s.radius);
        // Products of valid sizes and moduli may overflow.
        let derived = [
            ("EA", stretch),
            ("EI", bend_1),
            ("EI", bend_2),
            ("GJ", twist),
            ("mass per length", mass),
            ("inertia", polar_inertia),
        ];
        let fits = |value: f64| value.is_normal() && value > 0.0 && value <= check::LARGEST;
        if let Some((what, value)) = derived.into_iter().find(|(_, value)| !fits(*value)) {
            return Err(BuildError::new(
                "",
                format!("the {what} of this rod comes out as {}", Short(value)),
                "give ordinary sizes, moduli and densities, in SI units or with their unit",
            ));
        }
        Ok(RodProperties { stretch, bend_1, bend_2, twist, mass, polar_inertia, radius })
    }
}

impl RodDescription {
    /// Properties of the rod outside its special stretches.
    ///
    /// # Errors
    /// The field that is missing, given twice or out of range.
    pub fn properties(&self) -> Result<RodProperties, BuildError> {
        MaterialFields {
            radius: self.radius,
            section: self.section.as_ref(),
            young: self.young,
            shear: self.shear,
            poisson: self.poisson,
            density: self.density,
            stiffness: self.stiffness.as_ref(),
            mass_per_length: self.mass_per_length,
            inextensible: self.inextensible,
        }
        .properties()
    }

    /// Properties within a stretch: those that it doesn't give are those of the rod.
    ///
    /// # Errors
    /// The field that is missing, given twice or out of range.
    pub fn stretch_properties(&self, stretch: &Stretch) -> Result<RodProperties, BuildError> {
        let own_section = stretch.radius.is_some() || stretch.section.is_some();
        let own_stiffness = stretch.stiffness.is_some();
        let own_young = stretch.young.is_some();
        let shear = stretch.shear.or(self.shear);
        let own_mass = stretch.mass_per_length.is_some() || stretch.density.is_some();
        MaterialFields {
            radius: if own_section { stretch.radius } else { self.radius },
            section: if own_section { stretch.section.as_ref() } else { self.section.as_ref() },
            young: if own_stiffness { None } else { stretch.young.or(self.young) },
            shear,
            // With another `young` in a stretch, Poisson's ratio of the rod doesn't determine its shear
            // modulus.
            poisson: if shear.is_some() { None } else { self.poisson },
            density: if own_mass { stretch.density } else { self.density },
            stiffness: if own_young { None } else { stretch.stiffness.as_ref().or(self.stiffness.as_ref()) },
            mass_per_length: if own_mass { stretch.mass_per_length } else { self.mass_per_length },
            inextensible: self.inextensible,
        }
        .properties()
    }
}
