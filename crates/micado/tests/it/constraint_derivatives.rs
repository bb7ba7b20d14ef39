//! Every constraint's rows are the derivative of what it holds, at both of its ends; its curvature is that of
//! its rows, and its multipliers are the force and moment that it says they are; loads and springs do the
//! work that they should.

use crate::common::{Noise, build, off, scene};
use glam::{DMat3, DVec3};
use micado::clock::NoClock;
use micado::constraint::{
    Constraint, ConstraintState, Curvature, ENDS, End, Force, MAX_ROWS, Row, RowForm, Rows, Site,
};
use micado::geometry::rotation::{cross_matrix, exp, log};
use micado::object::EndFrame;
use micado::object::{CrossStiffness, Place, PlaceKind, Poses};
use micado::scene::Edit;
use micado::scene::{Hessian, Scene, Solves};
use micado::step::{StepParams, Workspace};
use micado::world::World;
use nalgebra::{DMatrix, SymmetricEigen};
use serde_json::{Value, json};

/// A world with one constraint, its unknowns and what the constraint remembers.
struct Case {
    world: World,
    q: Vec<f64>,
    memory: ConstraintState,
    /// The kind, as in the lists below; relative ones begin with "relative".
    kind: &'static str,
    /// The constraint, in words, for failure messages.
    name: String,
    /// Whether a sliding end sits at a knot, where x''' jumps.
    knot: bool,
}

const ABSOLUTE: [&str; 20] = [
    "position",
    "tangent",
    "tangent-paper",
    "roll",
    "clamp",
    "clamp-paper",
    "plane",
    "axis",
    "distance",
    "circle",
    "trajectory",
    "keyhole",
    "keyhole-oriented",
    "clip-position",
    "clip-tangent",
    "clip-clamp",
    "clip-wide-position",
    "clip-wide-tangent",
    "clip-wide-clamp",
    "keyhole-imposed",
];
const RELATIVE: [&str; 17] = [
    "relative distance",
    "relative plane",
    "relative axis",
    "relative tangent",
    "relative tangent-paper",
    "relative roll",
    "relative fusion-point",
    "relative fusion-roll",
    "relative fusion-rigid",
    "relative fusion-rigid-paper",
    "relative keyhole",
    "relative keyhole-oriented",
    "relative keyhole-crossing",
    "relative clip-position",
    "relative clip-tangent",
    "relative clip-clamp",
    "relative keyhole-imposed",
];
const ON_A_MASS: [&str; 6] = ["position", "plane", "axis", "distance", "circle", "trajectory"];
/// Between masses, and from a mass to a rod.
const FROM_A_MASS: [&str; 4] =
    ["relative distance", "relative plane", "relative axis", "relative fusion-point"];
/// From a rod to a mass.
const TO_A_MASS: [&str; 7] = [
    "relative distance",
    "relative plane",
    "relative axis",
    "relative fusion-point",
    "relative keyhole",
    "relative keyhole-oriented",
    "relative clip-position",
];
const STATES: [&str; 4] = ["straight", "bent", "twisted", "stretched"];
/// Also one where the second rod has turned as a whole.
const PAIR_STATES: [&str; 5] = ["straight", "bent", "twisted", "stretched", "swung"];
/// Where a place stays on a rod of seven segments.
const PLACES: [&str; 3] = ["start", "37 %", "end"];
/// Where an eye slides: in the first segment, in an inner one, at a knot. Beyond the ends it doesn't slide.
const EYES: [&str; 3] = ["8 %", "37 %", "knot"];
/// Where a clip with a width may sit.
const INNER: [&str; 3] = ["9 %", "37 %", "81 %"];
/// Pairs of places on one rod: far from each other, with control points in common, in one segment.
const PAIRS: [[&str; 2]; 3] = [["16 %", "81 %"], ["37 %", "50 %"], ["45 %", "54 %"]];
/// Pairs on a ring: opposite each other, and on both sides of the seam. Of seven control points some always
/// belong to both.
const RING_PAIRS: [[&str; 2]; 2] = [["97 %", "40 %"], ["97 %", "3 %"]];

fn slides(kind: &str) -> bool {
    kind.contains("keyhole")
}

/// Where a constraint of a kind is looked at.
fn places(kind: &str) -> [&'static str; 3] {
    if slides(kind) {
        EYES
    } else if kind.contains("wide") {
        INNER
    } else {
        PLACES
    }
}

/// The constraint of a kind, with targets that the rod misses.
fn description(kind: &str, on: &str, at: Option<&str>, to: Option<Value>) -> Value {
    let relative = kind.starts_with("relative");
    let kind = kind.trim_start_matches("relative ");
    let mut fields = match (kind, relative) {
        ("position", _) => json!({"displacement": [0.1, -0.2, 0.05]}),
        ("tangent", _) => json!({"direction": [1, 0.2, -0.1]}),
        ("tangent-paper", _) => json!({"direction": [1, 0.2, -0.1], "rows": "paper"}),
        ("roll", _) => json!({"angle": 0.4}),
        ("clamp", _) => {
            json!({"displacement": [0.1, 0, 0], "direction": [1, -0.2, 0.3], "roll": 0.3,
                "rotation": [0.1, 0.2, -0.3]})
        }
        ("clamp-paper", _) => {
            json!({"direction": [1, -0.2, 0.3], "roll": 0.3, "rotation": [0.1, 0.2, -0.3], "rows": "paper"})
        }
        ("plane", false) => json!({"point": [0.1, 0.2, 0.3], "normal": [1, 2, -0.5], "offset": 0.1}),
        ("plane", true) => json!({"normal": [1, 2, -0.5], "offset": 0.1}),
        ("axis", false) => json!({"point": [0.1, 0.2, 0.3], "direction": [1, 2, -0.5]}),
        ("axis", true) => json!({"direction": [1, 2, -0.5]}),
        ("distance", false) => json!({"centre": [0.3, 0.6, -0.4], "distance": 0.5}),
        ("distance", true) => json!({"distance": 0.5}),
        ("circle", _) => json!({"centre": [0.3, 0.6, -0.4], "normal": [0.2, 1, 0.3], "radius": 0.5}),
        ("trajectory", _) => {
            json!({"path": {"helix": {"centre": [0.4, 0, 0], "radius": 0.5, "pitch": 0.4, "turns": 2}},
                "displacement": [0, 0.1, 0]})
        }
        ("fusion-point", _) => json!({}),
        ("fusion-roll", _) => json!({"hold": "roll", "angle": 0.3}),
        ("fusion-rigid", _) => json!({"hold": "rigid", "angle": 0.3, "axis": [0.3, 1, 0.2]}),
        ("fusion-rigid-paper", _) => json!({"hold": "rigid", "rows": "paper"}),
        ("keyhole", false) => json!({"displacement": [0.1, -0.2, 0.05]}),
        ("keyhole", true) => json!({}),
        ("keyhole-oriented", false) => {
            json!({"displacement": [0.1, -0.2, 0.05], "direction": [1, 0.3, -0.2]})
        }
        ("keyhole-oriented", true) => json!({"direction": [1, 0.3, -0.2]}),
        ("keyhole-imposed", false) => {
            json!({"displacement": [0.1, -0.2, 0.05], "direction": [1, 0.3, -0.2], "slide": 0.02})
        }
        ("keyhole-imposed", true) => json!({"slide": "2 cm", "crossing": true}),
        ("keyhole-crossing", _) => json!({"crossing": true}),
        ("clip-position", false) => {
            json!({"displacement": [0.1, -0.2, 0.05], "rotation": [0.1, 0.2, -0.3],
                "direction": [1, 0.2, -0.1], "opening": [0, 0, 1]})
        }
        ("clip-tangent", false) => {
            json!({"hold": "tangent", "displacement": [0.1, -0.2, 0.05], "direction": [1, 0.2, -0.1],
                "rotation": [0, 0.1, 0]})
        }
        ("clip-clamp", false) => {
            json!({"hold": "clamp", "displacement": [0.1, 0, 0], "direction": [1, -0.2, 0.3],
                "rotation": [0.1, 0.2, -0.3]})
        }
        ("clip-position", true) => json!({}),
        ("clip-tangent", true) => json!({"hold": "tangent"}),
        ("clip-clamp", true) => json!({"hold": "clamp"}),
        ("clip-wide-position", _) => json!({"width": 0.12, "displacement": [0.1, -0.2, 0.05]}),
        ("clip-wide-tangent", _) => json!({"width": 0.12, "hold": "tangent", "direction": [1, 0.2, -0.1]}),
        ("clip-wide-clamp", _) => {
            json!({"width": 0.12, "hold": "clamp", "direction": [1, 0.2, -0.1], "rotation": [0, 0.1, 0.2]})
        }
        (other, _) => panic!("no such kind: {other}"),
    };
    fields["on"] = json!(on);
    if let Some(at) = at {
        // 3/7 of the length of a straight rod is its third knot.
        fields["at"] = if at == "knot" { json!(3.0 / 7.0) } else { json!(at) };
    }
    if let Some(to) = to {
        fields["to"] = to;
    }
    json!({ kind.split('-').next().expect("a word"): fields })
}

/// Rod models other than the spline.
const MODELS: [&str; 3] = ["discrete-elastic", "beam", "mass-spring"];
/// What masses and springs, which have no frame, are refused: rolls, and what turns with the frame of another
/// rod.
const FRAMED: [&str; 18] = [
    "roll",
    "clamp",
    "clamp-paper",
    "clip-clamp",
    "clip-wide-clamp",
    "relative plane",
    "relative axis",
    "relative roll",
    "relative tangent",
    "relative tangent-paper",
    "relative fusion-roll",
    "relative fusion-rigid",
    "relative fusion-rigid-paper",
    "relative keyhole-oriented",
    "relative keyhole-imposed",
    "relative clip-position",
    "relative clip-tangent",
    "relative clip-clamp",
];

fn rod(model: &str, shape: Value) -> Value {
    let bend_2 = if model == "mass-spring" { 0.5 } else { 0.8 };
    json!({"model": model, "shape": shape,
        "stiffness": {"stretch": 1e3, "bend": 0.5, "bend_2": bend_2, "twist": 0.6}, "mass_per_length": 0.3,
        "segments": 7})
}

/// Objects: two rods, a ring, two masses.
fn objects(model: &str) -> Value {
    let mut ring = rod(
        model,
        json!({"points": {"through": [[0, 0, 0], [0.5, -0.2, 0.1], [1, 0, 0], [0.5, 1, -0.1]],
            "closed": true}}),
    );
    ring["twist"] = json!(if model == "mass-spring" { 0.0 } else { 1.3 });
    let mut other = rod(model, json!({"line": {"from": [0.3, 0.4, -0.2], "to": [0.7, 0.9, 0.3]}}));
    other["segments"] = json!(5);
    json!({
        "rod": {"rod": rod(model, json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}})), "other": other,
            "ring": ring},
        "mass": {"m": {"position": [0.2, 0.1, 0.3], "mass": 1},
            "n": {"position": [-0.3, 0.5, 0.1], "mass": 1}},
    })
}

/// The frame that an end has after its place has come to `q` from where `frame` was made.
fn carried(place: &Place, q: &[f64], frame: &EndFrame) -> EndFrame {
    let site = Site::on_curve(place, q, frame);
    let (sin, cos) = place.roll(q).sin_cos();
    EndFrame { tangent: site.t.to_array(), director: (site.m1 * cos - site.m2 * sin).to_array() }
}

/// An unknown that a constraint depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unknown {
    /// By its index in q.
    Object(usize),
    /// Its own, at an end.
    Own(usize),
}

impl Case {
    fn new(
        kind: &'static str,
        state: &str,
        on: &str,
        at: Option<&str>,
        to: Option<Value>,
        noise: &mut Noise,
    ) -> Self {
        Self::of_model("spline", kind, state, on, at, to, noise)
    }

    fn of_model(
        model: &str,
        kind: &'static str,
        state: &str,
        on: &str,
        at: Option<&str>,
        to: Option<Value>,
        noise: &mut Noise,
    ) -> Self {
        let name = format!("{kind} on {on} ({model}, {state}) at {at:?}, {to:?}");
        let mut held = description(kind, on, at, to);
        if on == "ring" && (kind.contains("tangent") || kind.contains("clamp")) {
            // Round the ring no one direction is near; the place misses its own by the deformation.
            held.as_object_mut()
                .and_then(|all| all.values_mut().next())
                .and_then(Value::as_object_mut)
                .expect("fields")
                .remove("direction");
        }
        let mut parts = objects(model);
        parts["constraint"] = json!({ "c": held });
        let mut world = World::build(&scene(parts)).expect("a constraint on rods or masses");
        if let (true, Some(at)) = (kind.contains("clip"), at) {
            // As it was caught: on its way home, from where and from which direction it had then.
            let close =
                serde_json::from_value(json!({"close-clip": {"name": "c", "at": at}})).expect("an edit");
            world.apply(&close).expect("a clip");
        }
        let mut q = world.state().q.clone();
        let mut memory = world.state().constraints[0].clone();
        let constraint = &world.structure().constraints[0];
        // In three strides, so that frames are carried and not made anew.
        for _ in 0..3 {
            for object in &world.structure().objects {
                let range = object.unknowns();
                let count = range.len() / 4;
                for (i, node) in q[range].chunks_exact_mut(4).enumerate() {
                    let along = i as f64 / count as f64;
                    let twist = if object.name == "other" { 0.2 } else { 0.6 };
                    let bend = noise.vector() * 0.008;
                    match state {
                        "straight" => node[3] += 0.0,
                        "twisted" => node[3] += twist * along + 0.1 * noise.next(),
                        "stretched" => node[0] += 0.1 * along,
                        "swung" => {
                            let about = DVec3::new(0.5, 0.6, 0.1);
                            let turn = if object.name == "other" {
                                DVec3::new(0.1, -0.14, 0.12)
                            } else {
                                DVec3::ZERO
                            };
                            let x = about + exp(turn) * (DVec3::new(node[0], node[1], node[2]) - about);
                            (node[0], node[1], node[2]) = (x.x, x.y, x.z);
                        }
                        _ => {
                            (node[0], node[1], node[2], node[3]) =
                                (node[0] + bend.x, node[1] + bend.y, node[2] + bend.z, node[3] + bend.x);
                        }
                    }
                }
            }
            carry(constraint, &world, &q, &mut memory);
        }
        for e in 0..ENDS {
            match constraint.ends[e] {
                End::World => memory.own[e] += 0.3,
                // Away from where it began, but still in the same segment.
                End::Sliding { .. } if at != Some("knot") => memory.own[e] += 0.07,
                _ => {}
            }
        }
        carry(constraint, &world, &q, &mut memory);
        memory.multipliers = std::array::from_fn(|_| noise.next());
        let case = Self { world, q, memory, kind, name, knot: at == Some("knot") };
        if kind.contains("tangent") {
            // A direction that is further away than 1 rad is approached in several solves: rows ask for a
            // part of the way.
            let (_, sites, _) = case.now();
            assert!(case.constraint().law.miss(&sites, &case.memory, 0.0) < 0.99, "{}", case.name);
        }
        case
    }

    fn constraint(&self) -> &Constraint {
        &self.world.structure().constraints[0]
    }

    fn poses<'a>(&'a self, q: &'a [f64]) -> Poses<'a> {
        let objects = &self.world.structure().objects;
        Poses { objects, q, frames: &self.world.state().frames }
    }

    /// The nodes of a place among all of the world.
    fn nodes(&self, place: &Place) -> Vec<usize> {
        let first = place.object().map_or(0, |object| self.world.structure().objects[object].first);
        place.nodes().iter().map(|&node| first + node as usize).collect()
    }

    fn places(&self) -> [Place; ENDS] {
        self.constraint().places(&self.world.structure().objects, &self.memory)
    }

    /// Places, sites and rows at unknowns.
    fn at(&self, q: &[f64], own: [f64; ENDS]) -> ([Place; ENDS], [Site; ENDS], Rows) {
        let memory = ConstraintState { own, ..self.memory.clone() };
        let places = self.constraint().places(&self.world.structure().objects, &memory);
        let sites = self.constraint().sites(&places, self.poses(q), &memory, 0.0);
        let mut rows = Rows::default();
        self.constraint().law.linearise(&sites, &memory, 0.0, &mut rows);
        assert_eq!(rows.len(), self.constraint().law.rows(), "{}", self.name);
        (places, sites, rows)
    }

    fn now(&self) -> ([Place; ENDS], [Site; ENDS], Rows) {
        self.at(&self.q, self.memory.own)
    }

    /// The unknowns that the constraint touches, each once.
    fn unknowns(&self) -> Vec<Unknown> {
        let mut list = Vec::new();
        for place in self.places() {
            for node in self.nodes(&place) {
                for a in 0..4 {
                    let unknown = Unknown::Object(4 * node + a);
                    if !list.contains(&unknown) {
                        list.push(unknown);
                    }
                }
            }
        }
        list.extend((0..ENDS).filter(|&e| self.constraint().law.own_unknowns()[e]).map(Unknown::Own));
        list
    }

    /// Whether all it holds turns with the whole. What a mass carries keeps its direction in the world.
    fn is_objective(&self) -> bool {
        let carries =
            ["relative plane", "relative axis", "relative keyhole-oriented", "relative clip-position"]
                .contains(&self.kind);
        self.kind.starts_with("relative") && !(carries && self.places()[1].kind == PlaceKind::Point)
    }

    /// Whether a control point belongs to both ends.
    fn shares_nodes(&self) -> bool {
        let [a, b] = self.places();
        a.object == b.object && a.nodes().iter().any(|node| b.nodes().contains(node))
    }

    /// Central difference of a function of the unknowns, by one of them.
    fn difference(
        &self,
        unknown: Unknown,
        step: f64,
        f: impl Fn(&[Place; ENDS], &[Site; ENDS], &Rows) -> [f64; 40],
    ) -> [f64; 40] {
        let at = |by: f64| {
            let (mut q, mut own) = (self.q.clone(), self.memory.own);
            match unknown {
                Unknown::Object(i) => q[i] += by,
                Unknown::Own(e) => own[e] += by,
            }
            let (places, sites, rows) = self.at(&q, own);
            f(&places, &sites, &rows)
        };
        let (after, before) = (at(step), at(-step));
        std::array::from_fn(|r| (after[r] - before[r]) / (2.0 * step))
    }

    fn all(noise: &mut Noise) -> Vec<Self> {
        let mut cases = Vec::new();
        for kind in ABSOLUTE {
            for state in STATES {
                cases.extend(
                    places(kind).iter().map(|at| Self::new(kind, state, "rod", Some(at), None, noise)),
                );
            }
            cases.push(Self::new(kind, "bent", "ring", Some("97 %"), None, noise));
        }
        cases.extend(ON_A_MASS.iter().map(|kind| Self::new(kind, "free", "m", None, None, noise)));
        for kind in RELATIVE {
            let mut pair = |state: &str, on: &str, at: &str, to: Value| {
                cases.push(Self::new(kind, state, on, Some(at), Some(to), noise));
            };
            for state in PAIR_STATES {
                for at in places(kind) {
                    pair(state, "rod", at, json!({"on": "other", "at": "66 %"}));
                }
                for [at, to] in PAIRS {
                    pair(state, "rod", at, json!({"on": "rod", "at": to}));
                }
            }
            pair("bent", "rod", "37 %", json!({"on": "ring", "at": "96 %"}));
            for [at, to] in RING_PAIRS {
                pair("bent", "ring", at, json!({"on": "ring", "at": to}));
            }
            if TO_A_MASS.contains(&kind) {
                pair("bent", "rod", "37 %", json!({"on": "m"}));
            }
            if FROM_A_MASS.contains(&kind) {
                cases.push(Self::new(
                    kind,
                    "bent",
                    "m",
                    None,
                    Some(json!({"on": "rod", "at": "37 %"})),
                    noise,
                ));
                cases.push(Self::new(kind, "free", "m", None, Some(json!({"on": "n"})), noise));
            }
        }
        cases
    }
}

/// Cases on rods of all models other than the spline: inside a segment, so that what slides has its
/// derivatives.
fn cases_of_models(noise: &mut Noise) -> Vec<Case> {
    let mut cases = Vec::new();
    for model in MODELS {
        let supported = |kind: &&&str| model != "mass-spring" || !FRAMED.contains(*kind);
        for state in ["bent", "twisted", "stretched"] {
            for kind in ABSOLUTE.iter().filter(supported) {
                for at in if slides(kind) { ["11 %", "37 %"] } else { ["start", "37 %"] } {
                    let at = if kind.contains("wide") { "37 %" } else { at };
                    cases.push(Case::of_model(model, kind, state, "rod", Some(at), None, noise));
                }
            }
            for kind in RELATIVE.iter().filter(supported) {
                cases.push(Case::of_model(
                    model,
                    kind,
                    state,
                    "rod",
                    Some("37 %"),
                    Some(json!({"on": "other", "at": "66 %"})),
                    noise,
                ));
                cases.push(Case::of_model(
                    model,
                    kind,
                    state,
                    "rod",
                    Some("16 %"),
                    Some(json!({"on": "rod", "at": "81 %"})),
                    noise,
                ));
            }
        }
    }
    cases
}

/// Carries the frames of a constraint to where its places are.
fn carry(constraint: &Constraint, world: &World, q: &[f64], memory: &mut ConstraintState) {
    let places = constraint.places(&world.structure().objects, memory);
    for e in 0..ENDS {
        if places[e].kind == PlaceKind::Curve {
            let own = places[e].slice(&world.structure().objects, q);
            memory.frames[e] = carried(&places[e], own, &memory.frames[e]);
        }
    }
}

/// Entry of J in row r by an unknown, of each end on its own.
fn entry(
    case: &Case,
    places: &[Place; ENDS],
    sites: &[Site; ENDS],
    row: &Row,
    unknown: Unknown,
) -> [f64; ENDS] {
    std::array::from_fn(|e| match unknown {
        Unknown::Own(own) => row.own[e] * f64::from(u8::from(own == e)),
        Unknown::Object(i) => {
            let spread = places[e].spread(&row.ends[e], &sites[e]);
            let nodes = case.nodes(&places[e]).into_iter().enumerate().filter(|(_, node)| *node == i / 4);
            nodes.map(|(n, _)| places[e].on_node(n, &spread)[i % 4]).sum()
        }
    })
}

/// E of three rows.
fn violations(rows: &Rows, first: usize) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|k| rows[first + k].violation))
}

/// δ log(exp(φ)) = J_l(φ)⁻¹ δφ: the left Jacobian of the rotation vector.
fn left_jacobian(phi: DVec3) -> DMat3 {
    let angle = phi.length();
    let (one, two) = if angle < 1e-4 {
        (0.5, 1.0 / 6.0)
    } else {
        ((1.0 - angle.cos()) / angle.powi(2), (angle - angle.sin()) / angle.powi(3))
    };
    let x = cross_matrix(phi);
    DMat3::IDENTITY + x * one + x * x * two
}

/// Checks every entry of the Jacobian of a case against differences. Returns how many.
fn check_rows(case: &Case) -> usize {
    let mut entries = 0;
    let (places, sites, rows) = case.now();
    let site = sites[0];
    // x' − L t*: the present length L is held while the row is made. It is the last direction that E speaks
    // of.
    let holds_length = case.kind.contains("clamp-paper") || case.kind.contains("tangent-paper");
    let first = if case.kind.contains("clamp") || case.kind.contains("fusion") { 3 } else { 0 };
    let target = if holds_length { (violations(&rows, first) + site.p) / site.l } else { DVec3::ZERO };
    // Rows are those of the rotation of one frame against the other, φ = log(F_A W_Bᵀ). The logarithm varies
    // with J_l(φ)⁻¹ δφ_A − J_r(φ)⁻¹ δφ_B, J_r(φ) = J_l(−φ): E is J_l φ = J_r φ = φ, so rows give Newton's
    // direction.
    let rotation =
        matches!(case.kind, "clamp" | "relative fusion-rigid" | "clip-clamp" | "relative clip-clamp").then(
            || {
                let turn = -violations(&rows, 3);
                [left_jacobian(turn).inverse(), left_jacobian(-turn).inverse()]
            },
        );
    // Rounding 1e-16/2e-6 and the cubic term 1e-12 both stay below 1e-9. Weights bᵢ' are about 1 and lengths
    // about 0.1, so entries reach 10 and third derivatives 1e3. Across a knot t'' jumps by about 1.
    let tolerance = if case.knot { 1e-6 } else { 1e-7 };
    for unknown in case.unknowns() {
        let slope = case.difference(unknown, 1e-6, |_, moved, rows| {
            let mut held: [f64; 40] = std::array::from_fn(|r| rows.get(r).map_or(0.0, |row| -row.violation));
            if holds_length {
                for k in 0..3 {
                    held[first + k] += (moved[0].l - site.l) * target[k];
                }
            }
            held
        });
        let parts: Vec<[f64; ENDS]> =
            rows.iter().map(|row| entry(case, &places, &sites, row, unknown)).collect();
        let mut says: Vec<f64> = parts.iter().map(|[a, b]| a + b).collect();
        if let Some([left, right]) = rotation {
            let end = |e: usize| DVec3::new(parts[3][e], parts[4][e], parts[5][e]);
            says[3..6].copy_from_slice(&(left * end(0) + right * end(1)).to_array());
        }
        for (r, says) in says.iter().enumerate() {
            let error = (slope[r] - says).abs();
            assert!(error < tolerance, "{}: row {r}, {unknown:?}: {says} against {}", case.name, slope[r]);
            entries += 1;
        }
    }
    entries
}

#[test]
fn rows_are_the_derivative_of_the_constraint() {
    let mut noise = Noise(1);
    let (mut cases, mut entries, mut shared) = (0, 0, 0);
    for case in Case::all(&mut noise) {
        entries += check_rows(&case);
        shared += usize::from(case.shares_nodes());
        cases += 1;
    }
    // 20 absolute kinds × (4 states × 3 places + 1 ring) and 6 on a mass; 17 relative kinds × (5 states × (3
    // places on two rods + 3 pairs on one) + 3 with a ring), 7 to a mass and 4 × 2 from one. Rows × unknowns
    // of each, every unknown once. On one rod, 5 × 2 + 2 pairs of each relative kind have control points in
    // common, and so have the edges of all 3 × 13 wide clips.
    assert_eq!((cases, entries, shared), (842, 69_167, 243));
}

#[test]
fn rows_are_the_derivative_of_the_constraint_on_every_rod_model() {
    let mut noise = Noise(5);
    let cases = cases_of_models(&mut noise);
    let entries: usize = cases.iter().map(check_rows).sum();
    // 3 states × 2 places or partners × (37 kinds on two models, 19 on masses and springs).
    assert_eq!(cases.len(), 3 * 2 * (2 * 37 + 19));
    assert!(entries > 30_000, "{entries}");
}

/// −∂(Jᵀλ)/∂z as the law says it, in the unknowns of the constraint.
fn assembled(case: &Case, curvature: &Curvature, unknowns: &[Unknown]) -> DMatrix<f64> {
    let (places, sites, _) = case.now();
    let nodes = [0, 1].map(|e| case.nodes(&places[e]));
    let ends = [0, 1].map(|e| places[e].spread_stiffness(&curvature.ends[e], &sites[e]));
    let between = [(0, 1, curvature.between), (1, 0, curvature.between.transposed())];
    let between = between.map(|(e, f, k): (usize, usize, CrossStiffness)| {
        places[e].spread_cross(&sites[e], &places[f], &sites[f], &k)
    });
    let pair = |i: usize, j: usize| {
        let mut block = [0.0; 16];
        for (e, f) in [(0, 0), (1, 1), (0, 1), (1, 0)] {
            for (k, _) in nodes[e].iter().enumerate().filter(|(_, node)| **node == i / 4) {
                for (l, _) in nodes[f].iter().enumerate().filter(|(_, node)| **node == j / 4) {
                    let stiffness = if e == f { &ends[e] } else { &between[e] };
                    stiffness.add_block((&places[e], k), (&places[f], l), &mut block);
                }
            }
        }
        block[4 * (i % 4) + j % 4]
    };
    let own = |i: usize, e: usize| {
        let at = nodes[e].iter().enumerate().filter(|(_, node)| **node == i / 4);
        let slope: f64 = at.map(|(k, _)| places[e].slope_on_node(k, DVec3::X).x).sum();
        if i % 4 == 3 { 0.0 } else { curvature.p_own[e][i % 4] * slope }
    };
    DMatrix::from_fn(unknowns.len(), unknowns.len(), |row, column| match (unknowns[row], unknowns[column]) {
        (Unknown::Object(i), Unknown::Object(j)) => pair(i, j),
        (Unknown::Object(i), Unknown::Own(e)) | (Unknown::Own(e), Unknown::Object(i)) => own(i, e),
        (Unknown::Own(e), Unknown::Own(f)) if e == f => curvature.own_own[e],
        _ => 0.0,
    })
}

#[test]
fn curvature_is_the_symmetric_derivative_of_the_constraint_force() {
    let mut noise = Noise(2);
    let (mut whole, mut first_end) = (0, 0);
    for case in Case::all(&mut noise) {
        let (places, sites, _) = case.now();
        let law = &case.constraint().law;
        let mut lambda = case.memory.multipliers;
        let mut unknowns = case.unknowns();
        match case.kind {
            // The row of a position, of the plane and axis of the world and of the points of a fusion is
            // constant, and so is the roll's; paper rows are but for their roll. Planes and axes that turn
            // with another place, and rolls against one, leave their curvature out.
            "position" | "plane" | "axis" | "roll" | "tangent-paper" | "clamp-paper" => continue,
            "relative plane" | "relative axis" | "relative roll" | "relative tangent-paper" => continue,
            "relative fusion-point" | "relative fusion-roll" | "relative fusion-rigid-paper" => continue,
            // So are the points of clips, and the chord of a wide one; its roll leaves its curvature out.
            "clip-position"
            | "clip-wide-position"
            | "clip-wide-tangent"
            | "clip-wide-clamp"
            | "relative clip-position" => continue,
            // The axes of a clip turn with the other place, and leave that out.
            "relative clip-clamp" => lambda[..3].fill(0.0),
            // The direction of an eye leaves its part out.
            "keyhole-oriented" | "keyhole-imposed" | "relative keyhole-oriented" => lambda[3..].fill(0.0),
            // Left out is what the other place does to the direction.
            "relative tangent" | "relative clip-tangent" => {
                if case.shares_nodes() {
                    continue;
                }
                let nodes = case.nodes(&places[0]);
                unknowns.retain(|unknown| matches!(unknown, Unknown::Object(i) if nodes.contains(&(i / 4))));
                first_end += 1;
            }
            _ => {}
        }
        let size = unknowns.len();
        let mut slope = DMatrix::zeros(size, size);
        for (column, &unknown) in unknowns.iter().enumerate() {
            let change = case.difference(unknown, 1e-5, |places, sites, rows| {
                let mut force = [0.0; 40];
                for (k, &unknown) in unknowns.iter().enumerate() {
                    force[k] = (0..rows.len())
                        .map(|r| {
                            lambda[r] * entry(&case, places, sites, &rows[r], unknown).iter().sum::<f64>()
                        })
                        .sum();
                }
                force
            });
            for row in 0..size {
                slope[(row, column)] = -change[row];
            }
        }
        let symmetric = (&slope + slope.transpose()) * 0.5;
        let curvature = law.curvature(&sites, &case.memory, 0.0, &lambda, true).expect("curved");
        let exact = assembled(&case, &curvature, &unknowns);
        let scale = exact.amax().max(1.0);
        // Entries are products of two derivatives of weights over L², up to 1e2; differences are good to
        // 1e-10 of their third. Across a knot x''' jumps by about 1.
        let tolerance = if case.knot { 1e-5 } else { 1e-6 };
        assert!(
            (&symmetric - &exact).amax() < tolerance * scale,
            "{}: {:e}",
            case.name,
            (&symmetric - &exact).amax()
        );

        let curvature = law.curvature(&sites, &case.memory, 0.0, &lambda, false).unwrap_or_default();
        let definite = assembled(&case, &curvature, &unknowns);
        let least = SymmetricEigen::new(definite.clone()).eigenvalues.min();
        assert!(least > -1e-12 * scale, "{}: {least:e}", case.name);
        if ["distance", "circle", "trajectory"].iter().any(|kind| case.kind.contains(kind))
            && SymmetricEigen::new(exact.clone()).eigenvalues.min() > -1e-12
        {
            assert!(
                (definite - exact).amax() < 1e-12 * scale,
                "{}: a stiffening term was dropped",
                case.name
            );
        }
        whole += 1;
    }
    // Absolute: 10 kinds × 13, 3 of them on a mass; relative: distance 36, rigid fusion and clamped clip 33,
    // keyholes 34, 34, 33 and 33; and 2 × 21 tangents whose ends have no control point in common.
    assert_eq!((whole, first_end), (411, 42));
}

/// Work of the rows of end `e` when the object there moves along `axis`, and when it turns about it through
/// `centre`: a rigid rotation ω turns control points about the centre and rolls them by ω·t.
fn work_at_end(case: &Case, e: usize, axis: DVec3, centre: DVec3) -> [f64; 2] {
    let (places, sites, rows) = case.now();
    let (place, lambda) = (&places[e], &case.memory.multipliers);
    let (mut in_translation, mut in_rotation) = (0.0, 0.0);
    for (n, node) in case.nodes(place).into_iter().enumerate() {
        let i = 4 * node;
        let turn = axis.cross(DVec3::new(case.q[i], case.q[i + 1], case.q[i + 2]) - centre);
        let roll = if place.kind == PlaceKind::Curve { axis.dot(sites[e].t) } else { 0.0 };
        for r in 0..rows.len() {
            let j = place.on_node(n, &place.spread(&rows[r].ends[e], &sites[e]));
            in_translation += lambda[r] * (j[0] * axis.x + j[1] * axis.y + j[2] * axis.z);
            in_rotation += lambda[r] * (j[0] * turn.x + j[1] * turn.y + j[2] * turn.z + j[3] * roll);
        }
    }
    [in_translation, in_rotation]
}

#[test]
fn multipliers_are_the_force_and_moment_on_the_objects_at_both_ends() {
    let mut noise = Noise(3);
    let mut checked = 0;
    for case in Case::all(&mut noise) {
        let (_, sites, rows) = case.now();
        for e in (0..ENDS).filter(|&e| case.constraint().ends[e] != End::World) {
            let says = Force::of_rows(&rows, &case.memory.multipliers, &sites[e], e);
            for axis in DVec3::AXES {
                let [in_translation, in_rotation] = work_at_end(&case, e, axis, sites[e].x);
                // Sums of a dozen numbers of size 10.
                assert!((in_translation - says.force.dot(axis)).abs() < 1e-12, "{}: force", case.name);
                assert!((in_rotation - says.moment.dot(axis)).abs() < 1e-12, "{}: moment", case.name);
                checked += 1;
            }
        }
    }
    // 227 absolute cases with one end; 39 wide clips and 576 relative ones with two.
    assert_eq!(checked, 3 * (227 + 2 * (39 + 576)));
}

#[test]
fn an_inner_constraint_neither_pushes_nor_turns_the_whole() {
    let mut noise = Noise(5);
    let (mut checked, mut turned_by_paper) = (0, 0.0_f64);
    for case in Case::all(&mut noise).into_iter().filter(Case::is_objective) {
        let (_, sites, rows) = case.now();
        let [a, b] = [0, 1].map(|e| Force::of_rows(&rows, &case.memory.multipliers, &sites[e], e));
        let centre = noise.vector();
        // Where points are held together and miss each other by d, their forces turn the whole by d×f.
        let couple = match case.kind {
            kind if kind.contains("fusion") || slides(kind) => (sites[0].x - sites[1].x).cross(a.force),
            _ => DVec3::ZERO,
        };
        let moment =
            a.moment + b.moment + (sites[0].x - centre).cross(a.force) + (sites[1].x - centre).cross(b.force)
                - couple;
        assert!((a.force + b.force).length() < 1e-12, "{}: {}", case.name, a.force + b.force);
        if case.kind.ends_with("paper") {
            turned_by_paper = turned_by_paper.max(moment.length());
            continue;
        }
        assert!(moment.length() < 1e-12, "{}: {moment}", case.name);
        // The same as the work in a rigid motion of everything.
        for axis in DVec3::AXES {
            let work: f64 = (0..ENDS).map(|e| work_at_end(&case, e, axis, centre)[1]).sum();
            assert!((work - couple.dot(axis)).abs() < 1e-11, "{}: {work:e}", case.name);
        }
        checked += 1;
    }
    // Paper rows hold x'_A − x'_B in the axes of the world.
    assert!(turned_by_paper > 0.01, "{turned_by_paper:e}");
    // 576, without 6 whose direction a mass carries and 2 × 33 with paper rows.
    assert_eq!(checked, 504);
}

#[test]
fn an_inner_constraint_does_not_see_where_the_whole_is() {
    let mut noise = Noise(6);
    let mut checked = 0;
    for case in Case::all(&mut noise).into_iter().filter(Case::is_objective) {
        let (places, sites, _) = case.now();
        let (turn, shift) = (exp(noise.vector() * 2.0), noise.vector());
        let mut q = case.q.clone();
        for node in q.chunks_exact_mut(4) {
            let x = turn * DVec3::new(node[0], node[1], node[2]) + shift;
            (node[0], node[1], node[2]) = (x.x, x.y, x.z);
        }
        let array = |a: [f64; 3]| (turn * DVec3::from_array(a)).to_array();
        let frames =
            case.memory.frames.map(|f| EndFrame { tangent: array(f.tangent), director: array(f.director) });
        let memory = ConstraintState { frames, ..case.memory.clone() };
        let law = &case.constraint().law;
        let [before, after] = [
            law.miss(&sites, &memory, 0.0),
            law.miss(&case.constraint().sites(&places, case.poses(&q), &memory, 0.0), &memory, 0.0),
        ];
        if case.kind == "relative fusion-rigid-paper" {
            continue;
        }
        assert!((after - before).abs() < 1e-12, "{}: {before} and {after}", case.name);
        checked += 1;
    }
    // 576, without 6 whose direction a mass carries and 33 fusions with paper rows.
    assert_eq!(checked, 537);
}

#[test]
fn rotation_rows_lead_straight_to_the_target() {
    // Turning the first end about its place with the angular velocity E meets JΔ = E, and turning so for a
    // unit of time, exp(E), ends at the target: the logarithm needs no Jacobian of its own.
    let mut noise = Noise(4);
    let mut checked = 0;
    for case in Case::all(&mut noise)
        .into_iter()
        .filter(|case| matches!(case.kind, "clamp" | "relative fusion-rigid"))
    {
        if case.shares_nodes() {
            continue;
        }
        let (places, sites, rows) = case.now();
        let (place, site) = (&places[0], &sites[0]);
        let home = violations(&rows, 3);
        assert!(home.length() > 0.1, "{}: nothing to turn", case.name);
        let turn = exp(home);
        let (mut turned, mut moved) = (case.q.clone(), DVec3::ZERO);
        for (n, node) in case.nodes(place).into_iter().enumerate() {
            let i = 4 * node;
            let arm = DVec3::from_slice(&case.q[i..i + 3]) - site.x;
            turned[i..i + 3].copy_from_slice(&(site.x + turn * arm).to_array());
            let velocity = home.cross(arm);
            for r in 0..3 {
                let j = place.on_node(n, &place.spread(&rows[3 + r].ends[0], site));
                moved[r] +=
                    j[0] * velocity.x + j[1] * velocity.y + j[2] * velocity.z + j[3] * home.dot(site.t);
            }
        }
        assert!((moved - home).length() < 1e-12, "{}: {moved} for {home}", case.name);
        let turn_array = |a: [f64; 3]| (turn * DVec3::from_array(a)).to_array();
        let mut memory = case.memory.clone();
        let frame = &mut memory.frames[0];
        *frame = EndFrame { tangent: turn_array(frame.tangent), director: turn_array(frame.director) };
        let mut rest = Rows::default();
        case.constraint().law.linearise(
            &case.constraint().sites(&places, case.poses(&turned), &memory, 0.0),
            &memory,
            0.0,
            &mut rest,
        );
        assert!(violations(&rest, 3).length() < 1e-12, "{}: {:?}", case.name, rest);
        checked += 1;
    }
    // 13 clamps, and 21 rigid fusions whose ends have no control point in common.
    assert_eq!(checked, 34);
}

/// A rod in the air that has been shaken by changing loads, with a load or spring on it.
fn shaken(load: Value, spring: Value) -> Scene {
    scene(json!({
        "rod": {"rod": {
            "stiffness": {"stretch": 20, "bend": 0.02, "bend_2": 0.03, "twist": 0.01}, "mass_per_length": 0.3,
                "segments": 6,
            "shape": {"points": {"through": [[0, 0, 0], [0.4, 0.2, 0], [0.7, -0.1, 0.3]]}},
        }, "other": {
            "stiffness": {"stretch": 20, "bend": 0.02, "twist": 0.01}, "mass_per_length": 0.2, "segments": 5,
            "shape": {"line": {"from": [0, 1, 0], "to": [0, 1, 1]}},
        }},
        "mass": {"m": {"position": [0.5, 0.5, 0.5], "mass": 0.2}},
        "load": load,
        "spring": spring,
        "settings": {"gravity": [0, 0, 0]},
    }))
}

/// The generalised force of what a world has and its bare twin hasn't: `M Δv / h` in a step too short for
/// anything else.
fn difference_of_forces(with: &World, without: &World) -> Vec<f64> {
    let step = 1e-7;
    let momentum = |world: &World| {
        let mut world = world.clone();
        world.apply(&Edit::Stop).expect("velocities can be set to zero");
        world.step(&StepParams { step, ..StepParams::default() }, &mut Workspace::new(), &NoClock);
        let mut momentum = vec![0.0; world.state().v.len()];
        for object in &world.structure().objects {
            let range = object.unknowns();
            let own = object.own(&world.state().q, &world.state().frames);
            object.model().add_mass_times(own, &world.state().v[range.clone()], &mut momentum[range]);
        }
        momentum
    };
    momentum(with).iter().zip(&momentum(without)).map(|(a, b)| (a - b) / step).collect()
}

/// Runs a shaken rod and gives, along its way, the work of what is looked at between neighbouring states
/// (trapezoid).
fn work_along_the_way(scene: &Scene, removal: &Edit, mut visit: impl FnMut(&World, &World, f64)) {
    let mut noise = Noise(7);
    let mut world = World::build(scene).expect("a shaken rod");
    let mut workspace = Workspace::new();
    let params =
        StepParams { step: 0.01, hessian: Hessian::Psd, solves: Solves::Exactly(4), ..StepParams::default() };
    let small = StepParams { step: 1e-4, ..params };
    for _ in 0..6 {
        let wind = noise.vector() * 3.0;
        let shake: Edit = serde_json::from_value(json!({"gravity": wind.to_array()})).expect("an edit");
        world.apply(&shake).expect("gravity may change");
        for _ in 0..20 {
            world.step(&params, &mut workspace, &NoClock);
        }
        let mut after = world.clone();
        let report = after.step(&small, &mut Workspace::new(), &NoClock);
        assert!(!report.held);
        let bare = |world: &World| {
            let mut bare = world.clone();
            bare.apply(removal).expect("what is looked at exists");
            bare
        };
        let (f0, f1) =
            (difference_of_forces(&world, &bare(&world)), difference_of_forces(&after, &bare(&after)));
        let moved = after.state().q.iter().zip(&world.state().q);
        let work = moved
            .zip(f0.iter().zip(&f1))
            .map(|((after, before), (f0, f1))| 0.5 * (f0 + f1) * (after - before))
            .sum();
        visit(&world, &after, work);
    }
}

#[test]
fn springs_do_the_work_that_they_lose_as_energy() {
    let rod_end = json!({"rod": {"on": "rod", "at": "end"}});
    let inner = json!({"rod": {"on": "rod", "at": "31 %"}});
    let other = json!({"rod": {"on": "other", "at": "60 %"}});
    let springs = [
        json!({"linear": {"from": rod_end, "to": {"point": [0.9, 0.4, 0.2]}, "stiffness": 3, "length": 0.2}}),
        json!({"linear": {"from": rod_end, "to": other, "stiffness": 2, "length": 0.5}}),
        json!({"linear": {"from": {"mass": "m"}, "to": inner, "stiffness": 2, "length": 1.5}}),
        json!({"linear": {"from": inner, "to": rod_end, "stiffness": 2, "length": 0.1}}),
        json!({"torsional": {"from": rod_end, "to": {"point": [0, 0, 0]}, "stiffness": 0.3}}),
        json!({"torsional": {"from": inner, "to": other, "stiffness": 0.3}}),
        json!({"torsional": {"from": inner, "to": rod_end, "stiffness": 0.1}}),
    ];
    let mut checked = 0;
    for (k, spring) in springs.into_iter().enumerate() {
        let scene = shaken(json!({}), json!({"s": spring}));
        work_along_the_way(&scene, &Edit::RemoveSpring("s".into()), |before, after, work| {
            let lost = before.energy().spring - after.energy().spring;
            assert!(lost.abs() > 1e-9, "spring {k}: nothing happened, so nothing was tested");
            // The trapezoid rule and the mean force miss the work by the square of a displacement of 1e-4.
            assert!(off(work, lost) < 1e-4, "spring {k}: work {work:e}, energy lost {lost:e}");
            checked += 1;
        });
    }
    assert_eq!(checked, 42);
}

#[test]
fn a_moment_works_on_the_rotation_of_its_section() {
    let moment = DVec3::new(0.02, -0.03, 0.01);
    let load = json!({"load": {"moment": {"on": "rod", "at": "70 %", "moment": moment.to_array()}}});
    let mut checked = 0;
    work_along_the_way(&shaken(load, json!({})), &Edit::RemoveLoad("load".into()), |before, after, work| {
        let frame = |world: &World| {
            let object = crate::common::object(world, "rod");
            let section = world.section(object, 0.7 * object.rod().expect("a rod").length()).expect("a rod");
            DMat3::from_cols(section.tangent, section.director, section.tangent.cross(section.director))
        };
        let turn = log(frame(after) * frame(before).transpose());
        assert!(off(work, moment.dot(turn)) < 1e-4, "work {work:e}, m·φ {:e}", moment.dot(turn));
        checked += 1;
    });
    assert_eq!(checked, 6);
}

#[test]
fn forces_work_on_displacements() {
    let force = DVec3::new(0.2, -0.3, 0.1);
    let loads = [
        json!({"force": {"on": "rod", "at": "70 %", "force": force.to_array()}}),
        json!({"force": {"on": "m", "force": force.to_array()}}),
        json!({"distributed": {"on": "rod", "from": "20 %", "to": "75 %", "force": force.to_array()}}),
    ];
    let mut checked = 0;
    for (k, load) in loads.into_iter().enumerate() {
        work_along_the_way(
            &shaken(json!({"l": load}), json!({})),
            &Edit::RemoveLoad("l".into()),
            |before, after, work| {
                let moved = |share: f64| {
                    crate::common::at(after, "rod", share) - crate::common::at(before, "rod", share)
                };
                let length = crate::common::object(before, "rod").rod().expect("a rod").length();
                let expected = match k {
                    0 => force.dot(moved(0.7)),
                    1 => {
                        force.dot(crate::common::position(after, "m") - crate::common::position(before, "m"))
                    }
                    // The mean displacement of 2000 places between 20 % and 75 %.
                    _ => {
                        (0..2000)
                            .map(|i| force.dot(moved(0.2 + 0.55 * (f64::from(i) + 0.5) / 2000.0)))
                            .sum::<f64>()
                            / 2000.0
                            * 0.55
                            * length
                    }
                };
                // The first step of 1e-7 s moves nothing; the mean of 2000 places is good to 1e-6.
                assert!(off(work, expected) < 1e-5, "load {k}: work {work:e}, f·d {expected:e}");
                checked += 1;
            },
        );
    }
    assert_eq!(checked, 18);
}

#[test]
fn paper_rows_and_objective_rows_have_their_counts() {
    let rows = |kind: &str| {
        let mut parts = objects("spline");
        let to = kind.starts_with("relative").then(|| json!({"on": "other", "at": "66 %"}));
        parts["constraint"] = json!({"c": description(kind, "rod", Some("37 %"), to)});
        build(parts).world().structure().constraints[0].law.rows()
    };
    assert_eq!(ABSOLUTE.map(rows), [3, 2, 3, 1, 6, 7, 1, 2, 1, 2, 3, 3, 5, 3, 5, 6, 3, 5, 6, 5]);
    assert_eq!(RELATIVE.map(rows), [1, 1, 2, 2, 3, 1, 3, 4, 6, 7, 3, 5, 3, 3, 5, 6, 3]);
    assert_eq!(RowForm::default(), RowForm::Objective);
    assert!(ABSOLUTE.map(rows).into_iter().chain(RELATIVE.map(rows)).all(|count| count <= MAX_ROWS));
}
