//! Test whether constraints hold all rigid motions of an island; then it has an equilibrium under any load.
//!
//! A rod has three translations and three rotations, `δx = ω×(x − c)`, `δθ = ω·t`, and rolls about its axis
//! if its section is isotropic and its natural shape straight. With R the columns of these motions, and one
//! for each sliding unknown, statics is admissible if rank(J R) = rank(R). This is sufficient, not necessary:
//! tension alone may hold a structure. The free roll of such a rod has no visible effect, and the mass-like
//! term holds it; the test treats its middle as held against roll.

use crate::constraint::{ENDS, Rows, Site};
use crate::object::{Object, Place, PlaceKind, Scalar};
use crate::world::State;
use crate::world::Structure;
use crate::world::islands::{Islands, objects_of};
use glam::DVec3;

/// Singular value, relative to the largest, below which a motion is free.
const FREE: f64 = 1e-6;
/// Most rigid motions of a rod.
const MODES: usize = 7;
/// Number of columns above which the test costs more than a factorisation, and is skipped.
const MOST_COLUMNS: usize = 64;

/// Rigid motions of an object at one of its places: displacement relative to the size of the structure, and
/// rotation.
struct RigidMotion {
    centre: DVec3,
    size: f64,
    spins: bool,
}

impl RigidMotion {
    fn of(object: &Object, q: &[f64], size: f64) -> Self {
        let nodes = q[object.unknowns()].chunks_exact(4).zip(object.scalars());
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for (q, _) in nodes.filter(|(_, scalars)| scalars[0].is_length()) {
            sum += DVec3::new(q[0], q[1], q[2]);
            count += 1.0;
        }
        let centre = if count > 0.0 { sum / count } else { sum };
        Self { centre, size, spins: object.model().may_roll_freely() }
    }

    /// (δx, δx', δθ) of a place at x with derivative x' and tangent t by motion `mode`, of size one; in a
    /// frame δx' is the rotation.
    fn at(&self, mode: usize, kind: PlaceKind, site: &Site) -> (DVec3, DVec3, f64) {
        match mode {
            0..3 => (DVec3::AXES[mode] * self.size, DVec3::ZERO, 0.0),
            3..6 if kind == PlaceKind::Frame => {
                let axis = DVec3::AXES[mode - 3];
                (axis.cross(site.x - site.arm - self.centre), axis, axis.dot(site.t))
            }
            3..6 => {
                let axis = DVec3::AXES[mode - 3];
                (axis.cross(site.x - self.centre), axis.cross(site.p), axis.dot(site.t))
            }
            _ => (DVec3::ZERO, DVec3::ZERO, f64::from(u8::from(self.spins))),
        }
    }
}

/// A place of an object.
fn site_of(place: &Place, object: &Object, q: &[f64]) -> Site {
    let q = &q[object.unknowns()];
    let p = place.derivative(q);
    Site { x: place.position(q), p, t: p.normalize_or_zero(), ..Site::WORLD }
}

/// A symmetric matrix of motions, of which the rank is computed.
#[derive(Clone, Debug, Default)]
struct Gram {
    size: usize,
    entries: Vec<f64>,
}

impl Gram {
    fn reset(&mut self, size: usize) {
        self.size = size;
        self.entries.clear();
        self.entries.resize(size * size, 0.0);
    }

    /// Adds `row rowᵀ`; the row is given by its non-zero entries.
    fn add(&mut self, row: &[(usize, f64)]) {
        for &(i, a) in row {
            for &(j, b) in row {
                self.entries[i * self.size + j] += a * b;
            }
        }
    }

    /// Rank by Cholesky with diagonal pivoting; destroys the matrix.
    fn rank(&mut self) -> usize {
        let n = self.size;
        let largest = (0..n).map(|i| self.entries[i * n + i]).fold(0.0, f64::max);
        for rank in 0..n {
            let Some(pivot) =
                (0..n).max_by(|&a, &b| self.entries[a * n + a].total_cmp(&self.entries[b * n + b]))
            else {
                return rank;
            };
            let d = self.entries[pivot * n + pivot];
            if d <= FREE * FREE * largest || d <= 0.0 {
                return rank;
            }
            for i in (0..n).filter(|&i| i != pivot) {
                let share = self.entries[i * n + pivot] / d;
                for j in (0..n).filter(|&j| j != pivot) {
                    self.entries[i * n + j] -= share * self.entries[pivot * n + j];
                }
            }
            for i in 0..n {
                self.entries[i * n + pivot] = 0.0;
                self.entries[pivot * n + i] = 0.0;
            }
        }
        n
    }
}

/// The test, with its scratch.
#[derive(Clone, Debug, Default)]
pub(crate) struct RigidTest {
    gram: Gram,
    /// First column of each object.
    columns: Vec<usize>,
    row: Vec<(usize, f64)>,
    rows: Rows,
    witnesses: Vec<Place>,
}

impl RigidTest {
    /// Whether constraints hold every rigid motion of the island; `false` also where it is unknown.
    pub(crate) fn all_are_held(
        &mut self,
        structure: &Structure,
        state: &State,
        islands: &Islands,
        island: usize,
        size: f64,
    ) -> bool {
        self.columns.clear();
        self.columns.resize(structure.objects.len(), usize::MAX);
        let (mut count, mut free) = (0, 0);
        for object in islands.members(island) {
            if structure.objects[object].model().is_held() {
                // Its motions are not those of a free object.
                return false;
            }
            self.columns[object] = count;
            count += MODES;
            if count > MOST_COLUMNS {
                return false;
            }
            free += self.rank_of_motions(&structure.objects[object], &state.q, size);
        }
        let rigid = count;
        let belongs = |constraint: &_, memory: &_| {
            objects_of(constraint, memory).iter().flatten().any(|&o| islands.first(o) == island)
        };
        let pairs = || structure.constraints.iter().zip(&state.constraints).filter(|(c, m)| belongs(*c, *m));
        for (constraint, memory) in pairs() {
            count += constraint.own_unknowns(memory).into_iter().filter(|own| *own).count();
        }
        if count > MOST_COLUMNS {
            return false;
        }
        free += count - rigid;
        self.gram.reset(count);
        let mut own_column = rigid;
        for (constraint, memory) in pairs() {
            let objects = objects_of(constraint, memory);
            let sites = constraint.find_sites(structure.poses(state), memory, state.time);
            let places = constraint.places(&structure.objects, memory);
            self.rows.clear();
            constraint.law.linearise(&sites, memory, state.time, &mut self.rows);
            let own = constraint.own_unknowns(memory);
            for row in self.rows.iter() {
                let scale = if row.angle { 1.0 } else { 1.0 / size };
                self.row.clear();
                for e in 0..ENDS {
                    let Some(object) = objects[e] else { continue };
                    let motion = RigidMotion::of(&structure.objects[object], &state.q, size);
                    for mode in 0..MODES {
                        let (x, p, theta) = motion.at(mode, places[e].kind, &sites[e]);
                        let end = places[e].spread(&row.ends[e], &sites[e]);
                        self.row.push((
                            self.columns[object] + mode,
                            scale * (end.x.dot(x) + end.p.dot(p) + end.theta * theta),
                        ));
                    }
                }
                for (column, e) in (own_column..).zip((0..ENDS).filter(|&e| own[e])) {
                    // Scaled so that it slides by the size of the structure.
                    self.row.push((column, scale * row.own[e] * size / sites[e].l.max(f64::MIN_POSITIVE)));
                }
                self.gram.add(&self.row);
            }
            own_column += own.into_iter().filter(|own| *own).count();
        }
        for object in islands.members(island) {
            let motion = RigidMotion::of(&structure.objects[object], &state.q, size);
            if motion.spins {
                let object = &structure.objects[object];
                self.witnesses.clear();
                object.model().for_each_witness(&mut |place| self.witnesses.push(place));
                let Some(middle) = self.witnesses.get(self.witnesses.len() / 2) else { continue };
                let site = site_of(middle, object, &state.q);
                self.row.clear();
                self.row.extend(
                    (0..MODES).map(|mode| {
                        (self.columns[object.index] + mode, motion.at(mode, middle.kind, &site).2)
                    }),
                );
                self.gram.add(&self.row);
            }
        }
        self.gram.rank() == free
    }

    /// Number of rigid motions of an object: six and a roll, one less where it is straight; three for a mass,
    /// six for a body.
    fn rank_of_motions(&mut self, object: &Object, q: &[f64], size: f64) -> usize {
        let motion = RigidMotion::of(object, q, size);
        self.gram.reset(MODES);
        if object.nodes() == 1 && !object.scalars().flatten().any(Scalar::is_angle) {
            return 3;
        }
        self.witnesses.clear();
        object.model().for_each_witness(&mut |place| self.witnesses.push(place));
        for place in &self.witnesses {
            let site = site_of(place, object, q);
            let moved = [0, 1, 2, 3, 4, 5, 6].map(|mode| motion.at(mode, place.kind, &site));
            for axis in 0..3 {
                self.row.clear();
                self.row.extend(moved.iter().enumerate().map(|(mode, (x, ..))| (mode, x[axis] / size)));
                self.gram.add(&self.row);
            }
            self.row.clear();
            self.row.extend(moved.iter().enumerate().map(|(mode, (_, _, theta))| (mode, *theta)));
            self.gram.add(&self.row);
            for axis in (0..3).filter(|_| place.kind == PlaceKind::Frame) {
                self.row.clear();
                self.row.extend(moved.iter().enumerate().map(|(mode, (_, turn, _))| (mode, turn[axis])));
                self.gram.add(&self.row);
            }
        }
        self.gram.rank()
    }
}

#[cfg(test)]
mod tests {
    use super::RigidTest;
    use crate::world::World;
    use crate::world::islands::Islands;
    use serde_json::{Value, json};

    #[expect(clippy::needless_pass_by_value, reason = "scenes are written where they are given")]
    fn held(shape: Value, constraints: Value) -> bool {
        let scene = json!({
            "rod": {"rope": {"shape": shape, "natural": "straight", "radius": 0.005, "young": 1e7,
                "density": 1000, "segments": 12}},
            "constraint": constraints,
        });
        let world = World::build(&serde_json::from_value(scene).expect("a scene")).expect("a world");
        let mut islands = Islands::default();
        islands.find(world.structure(), world.state(), &[]);
        RigidTest::default().all_are_held(world.structure(), world.state(), &islands, 0, 1.0)
    }

    #[test]
    fn equilibrium_exists_if_no_rigid_motion_is_free() {
        let line = || json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}});
        let bow = || {
            json!({"arc": {"from": [0, 0, 0], "tangent": [1, 0, 0], "towards": [0, 0, 1],
            "radius": 0.5, "angle": "90 deg"}})
        };
        let at = |kind: &str, s: &str| json!({kind: {"on": "rope", "at": s}});
        for (straight, shape) in [(true, line()), (false, bow())] {
            let held = |constraints: Value| held(shape.clone(), constraints);
            assert!(!held(json!({})), "a free rod");
            assert!(!held(json!({"a": at("position", "start")})), "one point");
            assert!(
                !held(json!({"a": at("position", "start"), "r": at("roll", "start")})),
                "a point and a roll"
            );
            assert!(
                held(json!({"a": at("clamp", "start"), "b": at("position", "50 %")})),
                "a clamp and a point"
            );
            let two = json!({"a": at("position", "start"), "b": at("position", "end")});
            assert_eq!(
                held(two),
                straight,
                "two points leave a round rod its invisible roll, and a bow its swing about the chord"
            );
        }
        let three =
            json!({"a": at("position", "start"), "b": at("position", "50 %"), "c": at("position", "end")});
        assert!(held(bow(), three), "three points on a curved rod");
    }
}
