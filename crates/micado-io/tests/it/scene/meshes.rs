//! Mesh files of bodies are read beside the scene file.

use micado::run::Simulation;
use micado_io::scene::read;
use std::fmt::Write as _;

/// A cube of 20 mm as an ASCII STL file in mm; a triangle is missing if it is `open`.
fn cube(open: bool) -> String {
    let corners: Vec<[u32; 3]> = (0..8).map(|k| [20 * (k & 1), 20 * (k >> 1 & 1), 20 * (k >> 2)]).collect();
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
    let mut text = "solid cube\n".to_owned();
    for triangle in triangles.skip(usize::from(open)) {
        text += "facet normal 0 0 0\nouter loop\n";
        for &&k in &triangle {
            let [x, y, z]: [u32; 3] = corners[k];
            writeln!(text, "vertex {x} {y} {z}").expect("a text");
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid cube\n"
}

const SCENE: &str = "[body.cube]\nshape.mesh = { file = \"cube.stl\", unit = \"mm\" }\ndensity = 1000\n";

#[test]
fn body_of_a_mesh_file_has_the_mass_of_its_volume() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("cube.stl"), cube(false)).expect("a file");
    std::fs::write(folder.path().join("scene.toml"), SCENE).expect("a file");
    let file = read(folder.path().join("scene.toml"), &[]).expect("a scene");
    let run = Simulation::build(file.scene()).expect("a world");
    // 8 cm³ of water.
    assert!((run.world().structure().objects[0].total_mass() - 0.008).abs() < 1e-15);
}

#[test]
fn bad_mesh_files_are_named_with_the_line_of_the_scene() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = folder.path().join("scene.toml");
    std::fs::write(&scene, SCENE).expect("a file");
    let error = read(&scene, &[]).expect_err("there is no mesh file");
    assert_eq!(error.line_and_column().map(|(line, _)| line), Some(2), "{error:?}");
    assert!(format!("{error}").contains("cube.stl"), "{error}");
    std::fs::write(folder.path().join("cube.stl"), cube(true)).expect("a file");
    let file = read(&scene, &[]).expect("a scene");
    let error = Simulation::build(file.scene()).expect_err("the mesh is open");
    assert!(error.path.starts_with("body.cube.shape.mesh") && error.problem.contains("open"), "{error:?}");
}
