//! Scenery in tables, recordings and exports, and in the built-in scenes.

use micado::clock::NoClock;
use micado::run::Simulation;
use micado_io::export::{Choice, Format, export};
use micado_io::observe::{Observer, meta};
use micado_io::record::{ObjectKind, Recorder, Recording};
use micado_io::scene::{SceneFile, builtin, parse};

fn file(name: &str, set: &[String]) -> SceneFile {
    parse(name, builtin(name).expect("a built-in scene").text, set).expect("a scene")
}

/// The bridge has seven planks and a walker; the winch a jib and a mast, of which only the jib moves.
#[test]
fn scenery_is_recorded_and_exported_with_its_colour() {
    let file = file("winch", &["settings.settle=false".to_owned()]);
    let mut simulation = Simulation::build(file.scene()).expect("a world");
    let mut observer = Observer::default();
    let (table, first) = observer.observe(&simulation);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.micado");
    let mut recorder = Recorder::create(&path, &meta(&file, &table)).expect("a recording");
    recorder.meshes(observer.meshes()).expect("meshes");
    recorder.frame(&first).expect("a frame");
    // The boom begins to move at 1 s.
    while simulation.time() < 1.5 {
        simulation.step(&NoClock);
    }
    let last = observer.frame(&simulation);
    recorder.frame(&last).expect("a frame");
    drop(recorder);
    let scenery: Vec<_> = table.bodies().filter(|(row, _)| row.kind == ObjectKind::Scenery).collect();
    let names: Vec<&str> = scenery.iter().map(|(row, _)| row.name.as_str()).collect();
    assert_eq!(names, ["jib", "mast"]);
    assert_eq!(scenery[0].0.colour, Some([0xd9, 0xa2, 0x1b]));
    let [jib, mast] = [scenery[0].1, scenery[1].1];
    let moved = |k: usize| last.points[k][0] - first.points[k][0];
    let rope = last.points[0][0] - first.points[0][0];
    assert!(rope > 0.05 && (moved(jib) - rope).abs() < 1e-9, "{rope} {}", moved(jib));
    assert_eq!(moved(mast), 0.0);
    let mut recording = Recording::open(&path).expect("a recording");
    assert_eq!(recording.frame(1).expect("a frame").orientations, last.orientations);
    let written =
        export(&mut recording, Format::Vtk, &Choice { from: 0.0, until: 10.0, every: 1 }, folder.path())
            .expect("VTK");
    assert!(written.iter().any(|path| path.ends_with("scenery.pvd")), "{written:?}");
    let glb = folder.path().join("run.glb");
    let written = export(&mut recording, Format::Gltf, &Choice { from: 0.0, until: 10.0, every: 1 }, &glb)
        .expect("glTF");
    let bytes = std::fs::read(&written[0]).expect("a file");
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("\"jib\"") && text.contains("mast plain"), "no scenery in the glTF");
}

#[test]
fn bridge_winch_and_car_door_have_scenery() {
    for (name, count) in [("bridge", 8), ("winch", 2), ("car-door", 2)] {
        assert_eq!(file(name, &[]).scene().scenery.len(), count, "{name}");
    }
}
