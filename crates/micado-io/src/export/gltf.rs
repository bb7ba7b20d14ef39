//! Animated glTF: each rod is a tube whose rings are skinned to a chain of joints, one per point, that follow
//! the sections. Masses are moving balls, and bodies are meshes that move and turn. Joints of the scene are
//! symbols, with bars at limits, values and targets. A node is scaled to zero while its object is absent.

use super::ExportError;
use super::glb::{Arrays, Use};
use super::symbol::{Symbol, symbols};
use super::track::{Pose, Track, follow};
use crate::picture::plain_colour;
use crate::record::{Mesh, Recording};
use glam::{DMat4, DQuat, DVec3};
use serde_json::{Value, json};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Sides of a tube; the first one is the stripe along the first director.
const SIDES: usize = 12;
/// Rings of a ball.
const RINGS: usize = 8;

/// Nodes, meshes and so on of the file under construction.
#[derive(Default)]
struct Scene {
    arrays: Arrays,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    skins: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    /// Top-level nodes: the root of everything that moves, and tubes, which only their joints move.
    tops: Vec<usize>,
    /// Accessor of the times of all frames.
    times: usize,
}

/// A surface: vertices with normals, and triangles in two colours.
#[derive(Default)]
struct Surface {
    positions: Vec<f32>,
    normals: Vec<f32>,
    joints: Vec<[u16; 4]>,
    plain: Vec<u32>,
    stripe: Vec<u32>,
}

/// The recording as a binary glTF file.
pub(super) fn encode(recording: &mut Recording, frames: &[usize]) -> Result<Vec<u8>, ExportError> {
    let (times, tracks) = follow(recording, frames)?;
    let mut scene = Scene::default();
    // glTF counts from 0, and has y up.
    let seconds: Vec<f32> = times.iter().map(|time| single(time - times[0])).collect();
    scene.times = scene.arrays.floats("SCALAR", &seconds, Use::Other);
    let turn = DQuat::from_rotation_x(-FRAC_PI_2);
    scene.tops.push(scene.nodes.len());
    scene.nodes.push(json!({"name": recording.meta().scene_name, "rotation": turn.to_array().map(single)}));
    let mut children = Vec::new();
    for (number, track) in tracks.iter().enumerate() {
        let first = track.poses.iter().flatten().next();
        if let Some(first) = first {
            let colour = track.colour.unwrap_or_else(|| plain_colour(number));
            children.push(match track.mesh {
                _ if track.is_rod => scene.rod(track, first, colour),
                Some(mesh) => scene.solid(track, first, &solid(&recording.mesh(mesh)?), colour),
                None => {
                    let radius = track.radii.first().copied().unwrap_or(0.0);
                    scene.solid(track, first, &sphere(radius), colour)
                }
            });
        }
    }
    for Symbol { track, shape, colour, data } in symbols(recording, frames)? {
        if let Some(first) = track.poses.iter().flatten().next() {
            let node = scene.solid(&track, first, &boxes(&shape), colour);
            if !data.is_null() {
                scene.nodes[node]["extras"] = data;
            }
            children.push(node);
        }
    }
    scene.nodes[0]["children"] = json!(children);
    scene.finish(&recording.meta().program)
}

impl Scene {
    /// Adds a tube with its joints; returns the node to put below the root.
    fn rod(&mut self, track: &Track, bind: &[Pose], colour: [u8; 3]) -> usize {
        let surface = tube(&track.radii, bind);
        let mesh = self.mesh(&track.name, &surface, colour);
        let first = self.nodes.len() + 1;
        let joints: Vec<usize> = (first..first + bind.len()).collect();
        let holder = self.nodes.len();
        self.nodes.push(json!({"name": format!("{} joints", track.name), "children": joints}));
        for (i, pose) in bind.iter().enumerate() {
            self.nodes.push(json!({"name": format!("{} {i}", track.name),
                "translation": pose.place.to_array().map(single),
                "rotation": pose.turn.to_array().map(single)}));
        }
        let inverse: Vec<f32> = bind
            .iter()
            .flat_map(|pose| {
                DMat4::from_rotation_translation(pose.turn, pose.place).inverse().to_cols_array().map(single)
            })
            .collect();
        let inverse = self.arrays.floats("MAT4", &inverse, Use::Other);
        self.skins.push(
            json!({"name": track.name, "inverseBindMatrices": inverse, "joints": joints, "skeleton": holder}),
        );
        let skinned = self.nodes.len();
        self.nodes.push(json!({"name": track.name, "mesh": mesh, "skin": self.skins.len() - 1}));
        for (i, &joint) in joints.iter().enumerate() {
            let poses = held(track, i);
            self.animate(
                joint,
                "translation",
                "LINEAR",
                "VEC3",
                &poses.iter().flat_map(|pose| pose.place.to_array()).map(single).collect::<Vec<_>>(),
            );
            self.animate(
                joint,
                "rotation",
                "LINEAR",
                "VEC4",
                &poses.iter().flat_map(|pose| pose.turn.to_array()).map(single).collect::<Vec<_>>(),
            );
        }
        self.hide(holder, track);
        self.tops.push(skinned);
        holder
    }

    /// Adds a surface that moves with its only point, and turns if its orientation is recorded; returns the
    /// node to put below the root.
    fn solid(&mut self, track: &Track, first: &[Pose], surface: &Surface, colour: [u8; 3]) -> usize {
        let mesh = self.mesh(&track.name, surface, colour);
        let node = self.nodes.len();
        self.nodes.push(
            json!({"name": track.name, "mesh": mesh, "translation": first[0].place.to_array().map(single)}),
        );
        let poses = held(track, 0);
        let places: Vec<f32> = poses.iter().flat_map(|pose| pose.place.to_array()).map(single).collect();
        self.animate(node, "translation", "LINEAR", "VEC3", &places);
        if poses.iter().any(|pose| pose.turn != DQuat::IDENTITY) {
            self.nodes[node]["rotation"] = json!(first[0].turn.to_array().map(single));
            let turns: Vec<f32> = poses.iter().flat_map(|pose| pose.turn.to_array()).map(single).collect();
            self.animate(node, "rotation", "LINEAR", "VEC4", &turns);
        }
        self.hide(node, track);
        node
    }

    /// Scales a node to zero while its object is absent.
    fn hide(&mut self, node: usize, track: &Track) {
        if track.poses.iter().any(Option::is_none) {
            let scales: Vec<f32> =
                track.poses.iter().flat_map(|there| [if there.is_some() { 1.0 } else { 0.0 }; 3]).collect();
            self.nodes[node]["scale"] = json!(scales[..3]);
            self.animate(node, "scale", "STEP", "VEC3", &scales);
        }
    }

    fn animate(&mut self, node: usize, path: &str, interpolation: &str, kind: &str, numbers: &[f32]) {
        let output = self.arrays.floats(kind, numbers, Use::Other);
        self.samplers.push(json!({"input": self.times, "output": output, "interpolation": interpolation}));
        self.channels
            .push(json!({"sampler": self.samplers.len() - 1, "target": {"node": node, "path": path}}));
    }

    fn mesh(&mut self, name: &str, surface: &Surface, colour: [u8; 3]) -> usize {
        let linear = colour.map(|part| (f64::from(part) / 255.0).powf(2.2));
        let first = self.materials.len();
        for (kind, colour) in [("plain", linear), ("stripe", linear.map(|part| 0.5 + 0.5 * part))] {
            let [r, g, b] = colour;
            self.materials.push(json!({"name": format!("{name} {kind}"),
                "pbrMetallicRoughness": {"baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0,
                "roughnessFactor": 0.6}}));
        }
        let mut attributes = json!({"POSITION": self.arrays.floats("VEC3", &surface.positions, Use::Vertices),
            "NORMAL": self.arrays.floats("VEC3", &surface.normals, Use::Vertices)});
        if !surface.joints.is_empty() {
            attributes["JOINTS_0"] = json!(self.arrays.joints(&surface.joints));
            let weights: Vec<f32> = surface.joints.iter().flat_map(|_| [1.0, 0.0, 0.0, 0.0]).collect();
            attributes["WEIGHTS_0"] = json!(self.arrays.floats("VEC4", &weights, Use::Vertices));
        }
        let parts = [(&surface.plain, first), (&surface.stripe, first + 1)];
        let primitives: Vec<Value> = parts
            .into_iter()
            .filter(|(triangles, _)| !triangles.is_empty())
            .map(|(triangles, material)| {
                json!({"attributes": attributes,
                "indices": self.arrays.indices(triangles), "material": material})
            })
            .collect();
        self.meshes.push(json!({"name": name, "primitives": primitives}));
        self.meshes.len() - 1
    }

    fn finish(self, program: &str) -> Result<Vec<u8>, ExportError> {
        let mut root = json!({
            "asset": {"version": "2.0", "generator": program},
            "scene": 0,
            "scenes": [{"nodes": self.tops}],
            "nodes": self.nodes,
        });
        let lists = [("meshes", self.meshes), ("materials", self.materials), ("skins", self.skins)];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            root[name] = Value::Array(list);
        }
        if !self.channels.is_empty() {
            root["animations"] =
                json!([{"name": "motion", "samplers": self.samplers, "channels": self.channels}]);
        }
        self.arrays.finish(root)
    }
}

/// Pose of point `i` in every frame; while the object is absent, its previous or next pose.
fn held(track: &Track, i: usize) -> Vec<Pose> {
    let first = track.poses.iter().flatten().next();
    let poses = track.poses.iter().scan(first, |last, now| {
        *last = now.as_ref().or(*last);
        *last
    });
    poses.map(|all| all[i]).collect()
}

/// Direction from the centre of a section to a corner of its ring. The stripe lies between the first two
/// corners, symmetric about the director.
fn outward(pose: &Pose, corner: usize) -> DVec3 {
    let angle = TAU * (corner as f64 - 0.5) / SIDES as f64;
    pose.turn * DVec3::new(0.0, angle.cos(), angle.sin())
}

/// Rings around the points, each attached to its joint, and flat ends.
fn tube(radii: &[f64], poses: &[Pose]) -> Surface {
    let mut surface = Surface::default();
    let mut vertex = |joint: usize, position: DVec3, normal: DVec3| {
        surface.positions.extend(position.to_array().map(single));
        surface.normals.extend(normal.to_array().map(single));
        // `MOST_JOINTS` fits into 16 bits.
        surface.joints.push([u16::try_from(joint).unwrap_or(u16::MAX), 0, 0, 0]);
        surface.joints.len() as u32 - 1
    };
    let last = poses.len() - 1;
    for (i, pose) in poses.iter().enumerate() {
        for side in 0..SIDES {
            let out = outward(pose, side);
            vertex(i, pose.place + radii[i] * out, out);
        }
    }
    let mut ends = Vec::new();
    for (i, sign) in [(0, -1.0), (last, 1.0)] {
        let along = sign * (poses[i].turn * DVec3::X);
        let middle = vertex(i, poses[i].place, along);
        let rim: Vec<u32> = (0..SIDES)
            .map(|side| vertex(i, poses[i].place + radii[i] * outward(&poses[i], side), along))
            .collect();
        for side in 0..SIDES {
            let (a, b) = (rim[side], rim[(side + 1) % SIDES]);
            ends.extend(if sign > 0.0 { [middle, a, b] } else { [middle, b, a] });
        }
    }
    for i in 0..last {
        for side in 0..SIDES {
            let [a, b] = [side, (side + 1) % SIDES].map(|side| (i * SIDES + side) as u32);
            let [c, d] = [a, b].map(|corner| corner + SIDES as u32);
            let list = if side == 0 { &mut surface.stripe } else { &mut surface.plain };
            list.extend([a, d, c, a, b, d]);
        }
    }
    surface.plain.extend(ends);
    surface
}

/// The surface of a body: its corners are apart, because each has the normal of its triangle.
fn solid(mesh: &Mesh) -> Surface {
    let recorded = mesh.surface();
    let mut surface = Surface::default();
    for (corners, normals) in recorded.triangles.iter().zip(recorded.corner_normals()) {
        for (corner, normal) in corners.iter().zip(normals) {
            surface.plain.push((surface.positions.len() / 3) as u32);
            surface.positions.extend(mesh.vertices[*corner as usize]);
            // A triangle without area has no normal, and glTF wants a unit vector.
            let normal = if normal == DVec3::ZERO { DVec3::Z } else { normal };
            surface.normals.extend(normal.to_array().map(single));
        }
    }
    surface
}

/// Boxes with these middles and half sizes.
fn boxes(all: &[[DVec3; 2]]) -> Surface {
    let mut surface = Surface::default();
    for [middle, half] in all {
        for (out, along) in [(0, 1), (1, 2), (2, 0)]
            .into_iter()
            .flat_map(|of| [(of, 1.0), (of, -1.0)])
            .map(|((out, along), sign)| (DVec3::AXES[out] * sign, DVec3::AXES[along]))
        {
            let first = (surface.positions.len() / 3) as u32;
            let across = out.cross(along);
            for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                let corner = *middle + *half * (out + along * u + across * v);
                surface.positions.extend(corner.to_array().map(single));
                surface.normals.extend(out.to_array().map(single));
            }
            surface.plain.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        }
    }
    surface
}

/// A ball about the origin.
fn sphere(radius: f64) -> Surface {
    let mut surface = Surface::default();
    let columns = 2 * RINGS;
    for ring in 0..=RINGS {
        for column in 0..=columns {
            let (down, round) =
                (std::f64::consts::PI * ring as f64 / RINGS as f64, TAU * column as f64 / columns as f64);
            let out = DVec3::new(down.sin() * round.cos(), down.sin() * round.sin(), down.cos());
            surface.positions.extend((radius * out).to_array().map(single));
            surface.normals.extend(out.to_array().map(single));
        }
    }
    for ring in 0..RINGS {
        for column in 0..columns {
            let a = (ring * (columns + 1) + column) as u32;
            let c = a + columns as u32 + 1;
            surface.plain.extend([a, c, a + 1, a + 1, c, c + 1]);
        }
    }
    surface
}

#[expect(clippy::cast_possible_truncation, reason = "glTF has single precision")]
fn single(number: f64) -> f32 {
    number as f32
}
