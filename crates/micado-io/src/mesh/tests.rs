//! The same body in every format, and files that are refused.

use super::{MeshData, load_meshes, parse};
use micado::object::body::shape::{Compound, LengthUnit, Mesh, Part, Shape, Solid};
use proptest::prelude::*;
use std::fmt::Write;

/// A prism over an L, 1 high: concave, with corners that single precision holds.
fn prism() -> MeshData {
    let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let level = |z: f64| outline.map(|[x, y]| [x, y, z]);
    let vertices = level(0.0).into_iter().chain(level(1.0)).collect();
    let top = [[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]];
    let mut triangles: Vec<[u32; 3]> = top.iter().map(|t: &[u32; 3]| t.map(|corner| corner + 6)).collect();
    triangles.extend(top.iter().map(|&[a, b, c]| [a, c, b]));
    for k in 0..6 {
        let next = (k + 1) % 6;
        triangles.extend([[k, next, next + 6], [k, next + 6, k + 6]]);
    }
    MeshData { vertices, triangles }
}

/// The faces of the prism as polygons: two of six corners, and six of four.
fn polygons() -> Vec<Vec<u32>> {
    let mut faces = vec![vec![6, 7, 8, 9, 10, 11], vec![5, 4, 3, 2, 1, 0]];
    faces.extend((0..6).map(|k| vec![k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6]));
    faces
}

fn text_stl(mesh: &MeshData) -> Vec<u8> {
    let mut text = "solid prism of an L\n".to_owned();
    for triangle in &mesh.triangles {
        text += "  facet normal 0 0 0\n    outer loop\n";
        for corner in triangle {
            let [x, y, z] = mesh.vertices[*corner as usize];
            writeln!(text, "      vertex {x:e} {y} {z}").expect("text");
        }
        text += "    endloop\n  endfacet\n";
    }
    (text + "endsolid prism\n").into_bytes()
}

fn binary_stl(mesh: &MeshData) -> Vec<u8> {
    // Some programs begin the head of binary files with this word.
    let mut bytes = b"solid".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for triangle in &mesh.triangles {
        bytes.extend([0; 12]);
        for corner in triangle {
            for x in mesh.vertices[*corner as usize] {
                bytes.extend((x as f32).to_le_bytes());
            }
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn obj(mesh: &MeshData, faces: &[Vec<u32>]) -> Vec<u8> {
    let mut text = "# a comment\no prism\n".to_owned();
    for [x, y, z] in &mesh.vertices {
        writeln!(text, "v {x} {y} {z} 1.0").expect("text");
    }
    text += "vn 0 0 1\r\ns off\r\n";
    for (k, face) in faces.iter().enumerate() {
        text += "f";
        for corner in face {
            let text = &mut text;
            match k % 4 {
                0 => write!(text, " {}", corner + 1),
                1 => write!(text, " {}//1", corner + 1),
                2 => write!(text, " {}", i64::from(*corner) - mesh.vertices.len() as i64),
                _ => write!(text, " \\\n {}/1/1", corner + 1),
            }
            .expect("text");
        }
        text += "\n";
    }
    text.into_bytes()
}

fn ply(mesh: &MeshData, faces: &[Vec<u32>], format: &str) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat {format} 1.0\ncomment a prism\nelement extra 2\nproperty list uchar short ignored\n\
         element vertex {}\nproperty double x\nproperty uchar red\nproperty float y\nproperty double z\n\
         element face {}\nproperty uchar flag\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.vertices.len(),
        faces.len()
    )
    .into_bytes();
    let big = format == "binary_big_endian";
    if format == "ascii" {
        let mut text = "2 7 8\n0\n".to_owned();
        for [x, y, z] in &mesh.vertices {
            writeln!(text, "{x} 255 {y} {z}").expect("text");
        }
        for face in faces {
            let corners: Vec<String> = face.iter().map(u32::to_string).collect();
            writeln!(text, "1 {} {}", face.len(), corners.join(" ")).expect("text");
        }
        bytes.extend(text.into_bytes());
        return bytes;
    }
    let mut put = |mut little: Vec<u8>| {
        if big {
            little.reverse();
        }
        bytes.extend(little);
    };
    put(vec![2]);
    put(7_i16.to_le_bytes().to_vec());
    put(8_i16.to_le_bytes().to_vec());
    put(vec![0]);
    for [x, y, z] in &mesh.vertices {
        put(x.to_le_bytes().to_vec());
        put(vec![255]);
        put((*y as f32).to_le_bytes().to_vec());
        put(z.to_le_bytes().to_vec());
    }
    for face in faces {
        put(vec![1]);
        put(vec![face.len() as u8]);
        face.iter().for_each(|corner| put((*corner as i32).to_le_bytes().to_vec()));
    }
    bytes
}

/// The prism in every format, as triangles and as polygons.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let mesh = prism();
    let triangles: Vec<Vec<u32>> = mesh.triangles.iter().map(|triangle| triangle.to_vec()).collect();
    vec![
        ("text.stl", text_stl(&mesh)),
        ("binary.STL", binary_stl(&mesh)),
        ("triangles.obj", obj(&mesh, &triangles)),
        ("polygons.obj", obj(&mesh, &polygons())),
        ("text.ply", ply(&mesh, &triangles, "ascii")),
        ("polygons.ply", ply(&mesh, &polygons(), "ascii")),
        ("little.ply", ply(&mesh, &triangles, "binary_little_endian")),
        ("big.ply", ply(&mesh, &polygons(), "binary_big_endian")),
    ]
}

fn solid(data: MeshData, unit: LengthUnit) -> Solid {
    let MeshData { vertices, triangles } = data;
    Shape::Mesh(Mesh { unit, vertices, triangles, ..Mesh::default() }).solid("shape").expect("a solid")
}

#[test]
fn every_format_gives_the_same_body() {
    let exact = solid(prism(), LengthUnit::M);
    assert!((exact.volume - 3.0).abs() < 1e-14);
    for (name, bytes) in files() {
        // The content decides where the extension does not.
        for name in [name, "part", "part.dat"] {
            let data = parse(name, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!((data.vertices.len(), data.triangles.len()), (12, 20), "{name}");
            let found = solid(data, LengthUnit::M);
            assert!((found.volume - 3.0).abs() < 1e-14, "{name}: {}", found.volume);
            assert!(found.centre.distance(exact.centre) < 1e-14, "{name}");
            assert!(found.moments.abs_diff_eq(exact.moments, 1e-14), "{name}");
            assert!(found.turned.is_empty(), "{name}");
        }
    }
}

#[test]
fn files_are_read_relative_to_a_folder_and_in_their_unit() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files() {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
        for (unit, metres) in
            [(LengthUnit::M, 1.0), (LengthUnit::Cm, 1e-2), (LengthUnit::Mm, 1e-3), (LengthUnit::In, 0.0254)]
        {
            let mut shape = Shape::Mesh(Mesh { file: Some(name.to_owned()), unit, ..Mesh::default() });
            shape.solid("shape").expect_err("a file that was not read");
            load_meshes(&mut shape, folder.path()).expect("a mesh");
            let volume = shape.solid("shape").expect("a solid").volume;
            assert!((volume / (3.0 * f64::powi(metres, 3)) - 1.0).abs() < 1e-12, "{name}");
            // A mesh that was read stays, even without its file.
            let loaded = shape.clone();
            load_meshes(&mut shape, std::path::Path::new("nowhere")).expect("nothing to read");
            assert_eq!(shape, loaded);
        }
    }
}

#[test]
fn errors_name_the_field_and_the_file() {
    let missing = Shape::Mesh(Mesh { file: Some("no.stl".to_owned()), ..Mesh::default() });
    let part = Part { shape: missing, position: [0.0; 3], rotation: [0.0; 3], density: None };
    let mut shape = Shape::Compound(Compound { parts: vec![part] });
    let folder = tempfile::tempdir().expect("a folder");
    let error = load_meshes(&mut shape, folder.path()).expect_err("no file");
    assert_eq!(error.path, "compound.parts[0].shape.mesh.file");
    assert!(error.to_string().starts_with("`no.stl`: the file can't be read: "), "{error}");
    let error = error.within("body.arm.shape");
    assert_eq!(error.path, "body.arm.shape.compound.parts[0].shape.mesh.file");
    std::fs::create_dir(folder.path().join("no.stl")).expect("a folder");
    let error = load_meshes(&mut shape, folder.path()).expect_err("no file");
    assert!(error.to_string().contains("this is not a file"), "{error}");
}

#[test]
fn damaged_files_are_named() {
    let refused = |name: &str, bytes: &[u8], words: &str| {
        let error = parse(name, bytes).expect_err(words).to_string();
        assert!(
            error.starts_with(&format!("`{name}`: ")) && error.contains(words),
            "{error:?} lacks {words:?}"
        );
    };
    let text = |name: &str, content: &str, words: &str| refused(name, content.as_bytes(), words);
    text("a.txt", "hello", "no STL, OBJ or PLY file");
    text("a.ply", "hello", "no STL, OBJ or PLY file");
    text("a.stl", "", "at least 84 bytes");
    text("a.obj", "", "no triangles");
    let stl = binary_stl(&prism());
    refused("a.stl", &stl[..stl.len() - 1], "ends after 19");
    let mut absurd = stl.clone();
    absurd[0] = b'x';
    absurd[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    refused("a.stl", &absurd, "states 4294967295 triangles");
    let mut infinite = stl;
    infinite[84 + 50 + 12..84 + 50 + 16].copy_from_slice(&f32::INFINITY.to_le_bytes());
    refused("a.stl", &infinite, "triangle 1 has a coordinate that is not finite");
    text("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "line 4: a number is missing");
    text("a.stl", "solid a\nvertex 0 0 x1\n", "line 2: `x1` is no number");
    text("a.stl", "solid a\nvertex 0 0 nan\n", "line 2: `nan` is not finite");
    text("a.stl", "solid a\nvertex 0 0 0\nendfacet\n", "line 3: a facet has 1 corners");
    text("a.stl", "solid a\nhello\n", "line 2: `hello` is no word");
    text("a.stl", "solid a\n", "without `endsolid`");
    text("a.obj", "v 0 0 0\nf 1 2 3\n", "line 2: a face has the corner 2, but 1 vertices come before");
    text("a.obj", "v 0 0 0\nf 1 -2 1\n", "line 2: a face has the corner -2");
    text("a.obj", "v 0 0 0\nf 1 0 1\n", "the corner 0");
    text("a.obj", "v 0 0 0\nf 1 x 1\n", "line 2: `x` is no corner");
    text("a.obj", "v 0 0 0\nf 1 1\n", "line 2: a face has 2 corners");
    text(
        "a.obj",
        &format!("v 0 0 0\nf{}", " 1".repeat(2000)),
        "line 2: a polygon has more than 1000 corners",
    );
    let head =
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
    text("a.ply", "ply\nformat odd 1.0\n", "line 2: `format odd 1.0` is no known format");
    text("a.ply", "ply\nelement vertex -1\n", "line 2");
    text("a.ply", "ply\nproperty float x\n", "comes before an element");
    text("a.ply", "ply\nelement vertex 999999999999\n", "more than 10 million");
    text("a.ply", head, "no `end_header`");
    text("a.ply", &format!("{head}end_header\n1 2\n"), "line 9: the file ends too early");
    text("a.ply", &format!("{head}end_header\n1 2 z\n"), "line 8: `z` is no number");
    let faces = format!("{head}element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n");
    text("a.ply", &format!("{faces}3 0 0 5\n"), "face 0 has the corner 5, but 1 vertices");
    text("a.ply", &format!("{faces}3 0 0 -1\n"), "line 11: -1 is no index");
    text("a.ply", &format!("{faces}1 0\n"), "face 0 has 1 corners");
    text("a.ply", &format!("{}end_header\n0 0 0\n", head.replace("float z", "float w")), "`x`, `y` and `z`");
}

#[test]
fn triangles_with_two_corners_at_one_place_are_dropped() {
    let mut mesh = prism();
    // A corner at −0 is that at 0.
    mesh.vertices.push([-0.0, 0.0, 0.0]);
    mesh.triangles.push([0, 12, 3]);
    let data = parse("a.stl", &binary_stl(&mesh)).expect("a mesh");
    assert_eq!((data.vertices.len(), data.triangles.len()), (12, 20));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400), which in 0..5_usize) {
        let starts: [&[u8]; 5] = [b"", b"solid ", b"ply\nformat ascii 1.0\n", b"v 0 0 0\nf ", b"ply\r\n"];
        let start = starts[which];
        let bytes = [start, &bytes].concat();
        for name in ["a.stl", "a.obj", "a.ply", "a"] {
            let _ = parse(name, &bytes);
        }
    }

    #[test]
    fn damaged_files_never_panic(
        which in 0..8_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (name, mut bytes) = files().swap_remove(which);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(MeshData { vertices, triangles }) = parse(name, &bytes) {
            // A mesh that is read has corners that exist, and no more parts than bytes.
            prop_assert!(triangles.iter().flatten().all(|&corner| (corner as usize) < vertices.len()));
            prop_assert!(vertices.len() + triangles.len() < bytes.len());
            let _ = Shape::Mesh(Mesh { vertices, triangles, ..Mesh::default() }).solid("shape");
        }
    }
}
