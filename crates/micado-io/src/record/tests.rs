use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

fn rod(name: &str, points: u32) -> ObjectRow {
    ObjectRow { name: name.into(), points, radii: vec![0.1 + 0.2], ..ObjectRow::default() }
}

fn meta() -> Meta {
    Meta {
        scene_text: "[[rod]]\nname = \"cable\"\n".into(),
        channels: vec![Channel::new("tension", "N")],
        table: Table {
            objects: vec![rod("cable", 3)],
            constraints: vec![ConstraintRow {
                name: "wall".into(),
                kind: "clamp".into(),
                on: "cable".into(),
                to: Some("ball".into()),
                hand: true,
                strength: Some(0.1),
                marker: Marker {
                    kind: MarkerKind::Curve,
                    limit: Limit::AtLeast,
                    points: vec![[0.1, 0.2, 0.3]; 2],
                },
            }],
            springs: vec![SpringRow { name: "coil".into(), kind: SpringKind::Torsional }],
            loads: vec![LoadRow { name: "wind".into(), kind: LoadKind::Drag }],
            winches: vec![WinchRow { name: "drum".into(), on: "cable".into(), at: WinchEnd::End }],
            probes: vec![ProbeRow {
                name: "pull".into(),
                unit: "N".into(),
                of: "wall".into(),
                read: "force".into(),
            }],
            gauges: vec![GaugeRow {
                coordinate: GaugeKind::Slide,
                least: Some(-0.1),
                motor: Some(MotorKind::Servo),
                ..GaugeRow::default()
            }],
        },
        ..Meta::new("hanging", 1.0 / 3.0)
    }
}

fn frame(time: f64) -> Frame {
    Frame {
        time,
        points: vec![[time, 0.1, -0.0], [1e-300, 2.0, 3.0], [4.0, 5.0, f64::MAX]],
        directors: vec![[1.0, 0.0, 0.0]; 3],
        channels: vec![vec![1.0, 2.5, -3.0]],
        orientations: Vec::new(),
        constraints: vec![ConstraintState {
            place: [0.1, 0.2, time],
            force: [0.0, 0.0, 9.81],
            moment: [0.0, 1e-300, 0.0],
            direction: [0.6, 0.0, -0.8],
            centre: Some([0.3; 3]),
            residual: 1e-9,
            used: 0.5,
            radius: 0.25,
            at: [Some(0.1), None],
            open: true,
        }],
        springs: vec![SpringState { from: [0.1; 3], to: [0.2; 3], tension: -0.3 }],
        loads: vec![LoadState { place: [0.4; 3], force: [0.5; 3] }],
        probes: vec![time / 3.0],
        energies: Energies { kinetic: 0.1, elastic: 0.2, gravity: -0.3, total: 0.1 + 0.2 - 0.3 },
        events: vec![Event { time, kind: "opened".into(), text: "the clip let go".into() }],
        gauges: vec![GaugeState { value: 0.1, target: Some(0.3), drive: -0.7, zero: [0.6, 0.8, 0.0] }],
        contacts: vec![ContactState {
            objects: [0, 0],
            point: [0.1, time, 0.3],
            normal: [0.0, 0.6, 0.8],
            force: [0.1, 0.2, 0.1 + 0.2],
            gap: -1e-9,
            friction: 0.4,
        }],
        table: None,
    }
}

/// A recording of `count` frames and the length of the file after the header and after each frame.
fn recording(count: usize) -> (TempDir, PathBuf, Vec<u64>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.micado");
    let mut recorder = Recorder::create(&path, &meta()).unwrap();
    let mut ends = vec![fs::metadata(&path).unwrap().len()];
    for index in 0..count {
        recorder.frame(&frame(index as f64)).unwrap();
        ends.push(fs::metadata(&path).unwrap().len());
    }
    (folder, path, ends)
}

fn frames_of(path: &PathBuf) -> Vec<Frame> {
    Recording::open(path).unwrap().frames().map(Result::unwrap).collect()
}

#[test]
fn recorded_data_is_read_back_bit_for_bit() {
    let (_folder, path, _) = recording(4);
    let mut recording = Recording::open(&path).unwrap();
    assert_eq!(*recording.meta(), meta());
    assert_eq!(recording.tail(), Tail { dropped_bytes: 0, damaged: false });
    assert_eq!(recording.damage(), None);
    assert_eq!(recording.frame(2).unwrap(), frame(2.0));
    assert_eq!(recording.time(3), Some(3.0));
    assert_eq!(recording.index_at(2.5), Some(2));
    assert_eq!(recording.index_at(-1.0), None);
    assert_eq!(recording.frames().len(), 4);
    assert!(matches!(recording.frame(4), Err(RecordError::NoSuchFrame { index: 4, count: 4, .. })));
}

#[test]
fn a_frame_is_readable_during_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.micado");
    let mut recorder = Recorder::create(&path, &meta()).unwrap();
    recorder.frame(&frame(0.0)).unwrap();
    assert_eq!(frames_of(&path), [frame(0.0)]);
    recorder.frame(&frame(1.0)).unwrap();
    assert_eq!(frames_of(&path).len(), 2);
}

#[test]
fn a_torn_tail_loses_only_the_last_frame() {
    let (_folder, path, ends) = recording(3);
    let bytes = fs::read(&path).unwrap();
    for cut in 0..=bytes.len() as u64 {
        fs::write(&path, &bytes[..cut as usize]).unwrap();
        if cut < ends[0] {
            assert!(Recording::open(&path).is_err(), "a header cut at {cut}");
            continue;
        }
        let complete = ends.iter().filter(|end| **end <= cut).count() - 1;
        let mut recording = Recording::open(&path).unwrap();
        assert_eq!(recording.len(), complete, "cut at {cut}");
        assert_eq!(recording.tail(), Tail { dropped_bytes: cut - ends[complete], damaged: false });
        assert!(recording.frames().enumerate().all(|(i, f)| f.unwrap() == frame(i as f64)));
    }
}

#[test]
fn a_flipped_bit_is_found() {
    let (_folder, path, ends) = recording(3);
    let bytes = fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        fs::write(&path, &flipped).unwrap();
        if (at as u64) < ends[0] {
            assert!(Recording::open(&path).is_err(), "byte {at} of the header");
            continue;
        }
        let intact = ends.iter().filter(|end| **end <= at as u64).count() - 1;
        let recording = Recording::open(&path).unwrap();
        assert_eq!(recording.len(), intact, "byte {at}");
        assert!(recording.tail().dropped_bytes > 0 && recording.damage().is_some());
    }
}

#[test]
fn resuming_does_not_cut_off_damage_in_the_middle() {
    let (_folder, path, ends) = recording(3);
    let mut bytes = fs::read(&path).unwrap();
    bytes[ends[1] as usize + 20] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert!(Recording::open(&path).unwrap().tail().damaged);
    let error = Recorder::resume(&path).unwrap_err();
    assert!(matches!(error, RecordError::Damaged { offset, .. } if offset == ends[1]));
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_resumed_run_continues_from_its_last_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.micado");
    let mut recorder = Recorder::create(&path, &meta()).unwrap();
    recorder.frame(&frame(0.0)).unwrap();
    recorder.checkpoint(0.0, b"old").unwrap();
    recorder.frame(&frame(1.0)).unwrap();
    recorder.checkpoint(1.0, b"state at 1").unwrap();
    recorder.frame(&frame(2.0)).unwrap();
    assert!(matches!(Recorder::resume(&path), Err(RecordError::Busy { .. })));
    drop(recorder);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(&[7, 0, 0, 0, 1]);
    fs::write(&path, &bytes).unwrap();

    let mut resumed = Recorder::resume(&path).unwrap();
    assert_eq!(resumed.meta, meta());
    assert_eq!(resumed.checkpoint, Some(Checkpoint { time: 1.0, bytes: b"state at 1".to_vec() }));
    assert_eq!((resumed.dropped_bytes, resumed.dropped_frames), (5, 1));
    assert_eq!(resumed.recorder.len(), 2);
    resumed.recorder.frame(&frame(2.5)).unwrap();
    assert_eq!(frames_of(&path), [frame(0.0), frame(1.0), frame(2.5)]);
    let checkpoint = Recording::open(&path).unwrap().checkpoint().unwrap();
    assert_eq!(checkpoint, resumed.checkpoint);
}

#[test]
fn a_streamed_checkpoint_equals_a_written_one() {
    let folder = tempfile::tempdir().unwrap();
    let large: Vec<u8> = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
    let paths = ["whole", "parts"].map(|name| folder.path().join(name));
    for path in &paths {
        let mut recorder = Recorder::create(path, &meta()).unwrap();
        recorder.frame(&frame(0.0)).unwrap();
        if path == &paths[0] {
            recorder.checkpoint(1.0, &large).unwrap();
        } else {
            let written = recorder
                .checkpoint_with(1.0, |out| large.chunks(777).try_for_each(|part| out.write_all(part)))
                .unwrap();
            assert_eq!(written, 8 + 1 + 8 + 200_000);
        }
        recorder.frame(&frame(2.0)).unwrap();
        assert_eq!(frames_of(path), [frame(0.0), frame(2.0)]);
        assert_eq!(
            Recording::open(path).unwrap().checkpoint().unwrap(),
            Some(Checkpoint { time: 1.0, bytes: large.clone() })
        );
    }
    assert_eq!(fs::read(&paths[0]).unwrap(), fs::read(&paths[1]).unwrap());
}

#[test]
fn a_checkpoint_that_cannot_be_written_leaves_the_file_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.micado");
    let mut recorder = Recorder::create(&path, &meta()).unwrap();
    recorder.frame(&frame(0.0)).unwrap();
    let before = fs::read(&path).unwrap();
    let full = |out: &mut dyn std::io::Write| {
        out.write_all(&[7; 100_000])?;
        Err(std::io::ErrorKind::StorageFull.into())
    };
    assert!(recorder.checkpoint_with(1.0, full).is_err());
    assert_eq!(fs::read(&path).unwrap(), before);
    // A kill before the head was written leaves a torn end, as any other kill.
    fs::write(&path, [&before[..], &[0; 8], &[3; 500]].concat()).unwrap();
    assert_eq!(frames_of(&path), [frame(0.0)]);
    drop(recorder);
    assert_eq!(Recorder::resume(&path).unwrap().dropped_bytes, 508);
}

#[test]
fn a_run_without_checkpoint_keeps_its_frames_when_resumed() {
    let (_folder, path, ends) = recording(3);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..ends[3] as usize - 1]).unwrap();
    let mut resumed = Recorder::resume(&path).unwrap();
    assert!(resumed.checkpoint.is_none());
    assert_eq!(resumed.dropped_frames, 0);
    assert_eq!(resumed.dropped_bytes, ends[3] - 1 - ends[2]);
    resumed.recorder.frame(&frame(2.0)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn an_object_may_appear_during_the_run() {
    let (_folder, path, _) = recording(2);
    let mut recorder = Recorder::resume(&path).unwrap().recorder;
    let table = Table { objects: vec![rod("cable", 3), rod("second", 2)], ..Table::default() };
    let mut larger = frame(2.0);
    larger.table = Some(table.clone());
    larger.points.extend([[0.0; 3]; 2]);
    larger.directors.clear();
    larger.channels.clear();
    larger.constraints.clear();
    larger.springs.clear();
    larger.loads.clear();
    larger.probes.clear();
    larger.gauges.clear();
    recorder.frame(&larger).unwrap();
    larger.table = None;
    larger.time = 3.0;
    recorder.frame(&larger).unwrap();
    let refused = recorder.frame(&frame(4.0)).unwrap_err().to_string();
    assert!(refused.contains("frame 4: 3 points where the table asks for 5"), "{refused}");

    let mut recording = Recording::open(&path).unwrap();
    assert_eq!(recording.table(1), &meta().table);
    assert_eq!(recording.table(2), &table);
    assert_eq!(recording.table(3).point_range(1), Some(3..5));
    assert_eq!(recording.frame(3).unwrap(), larger);
    assert_eq!(recording.frame(0).unwrap(), frame(0.0));
}

#[test]
fn inconsistent_data_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.micado");
    let mut bad = meta();
    bad.table.objects[0].radii = vec![1.0, 2.0];
    let error = Recorder::create(&path, &bad).unwrap_err().to_string();
    assert!(error.contains("`cable` has 3 points but 2 radii"), "{error}");
    assert!(Recorder::create(&path, &Meta::new("nan", f64::NAN)).is_err());

    let mut recorder = Recorder::create(&path, &meta()).unwrap();
    let length = fs::metadata(&path).unwrap().len();
    assert!(recorder.frame(&Frame { points: vec![], ..frame(0.0) }).is_err());
    assert!(recorder.frame(&Frame { time: f64::NAN, ..frame(0.0) }).is_err());
    assert!(recorder.frame(&Frame { channels: vec![vec![1.0]], ..frame(0.0) }).is_err());
    let [springs, loads, probes] = [frame(0.0), frame(0.0), frame(0.0)];
    let two = [springs.springs[0]; 2];
    assert!(recorder.frame(&Frame { springs: two.to_vec(), ..springs }).is_err());
    let two = [loads.loads[0]; 2];
    assert!(recorder.frame(&Frame { loads: two.to_vec(), ..loads }).is_err());
    assert!(recorder.frame(&Frame { probes: vec![0.0; 2], ..probes }).is_err());
    assert_eq!(fs::metadata(&path).unwrap().len(), length);
}

#[test]
fn errors_name_the_file_and_the_problem() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    fs::write(&path, "hello").unwrap();
    let error = Recording::open(&path).unwrap_err().to_string();
    assert!(error.contains("notes.txt") && error.contains("not a Micado recording"), "{error}");
    let missing = Recording::open(folder.path().join("missing")).unwrap_err().to_string();
    assert!(missing.contains("missing") && missing.contains("could not open it"), "{missing}");

    for (version, remedy) in [(9_u32, "use a newer Micado"), (1, "run the scene again")] {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&version.to_le_bytes());
        bytes.extend_from_slice(&[0; 8]);
        fs::write(&path, &bytes).unwrap();
        let error = Recording::open(&path).unwrap_err().to_string();
        assert!(error.contains(&format!("format version {version}")) && error.contains(remedy), "{error}");
        assert!(Recorder::resume(&path).is_err());
    }
}

/// A cube of 12 triangles, and the triangle of a solid whose corners are its own points.
fn meshes() -> [Mesh; 2] {
    let vertices = (0..8).map(|i| [i & 1, (i >> 1) & 1, i >> 2].map(|x| x as f32 - 0.5)).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let edges = vec![[0, 1], [0, 2], [6, 7]];
    let skin = Mesh { triangles: vec![[0, 1, 2]], ..Mesh::default() };
    [Mesh { vertices, triangles, edges }, skin]
}

fn body(mesh: Option<u32>) -> ObjectRow {
    ObjectRow { name: "block".into(), kind: ObjectKind::Body, points: 1, mesh, ..ObjectRow::default() }
}

fn solid(points: u32, mesh: Option<u32>) -> ObjectRow {
    ObjectRow { name: "rubber".into(), kind: ObjectKind::Solid, points, mesh, ..ObjectRow::default() }
}

#[test]
fn a_body_has_one_mesh_and_a_pose_in_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.micado");
    let [cube, skin] = meshes();
    let table = Table { objects: vec![body(Some(0)), solid(3, Some(1)), body(None)], ..Table::default() };
    let mut recorder =
        Recorder::create(&path, &Meta { table: table.clone(), ..Meta::new("bodies", 0.01) }).unwrap();
    assert_eq!((recorder.mesh(&cube).unwrap(), recorder.mesh(&skin).unwrap()), (0, 1));
    let pose = |time: f64| Frame {
        time,
        points: vec![[time, 0.1, 0.2]; 5],
        orientations: vec![[0.0, 0.0, time.sin(), time.cos()], [0.0, 0.0, 0.0, 1.0]],
        ..Frame::default()
    };
    recorder.frame(&pose(0.0)).unwrap();
    let with_meshes = fs::metadata(&path).unwrap().len();
    recorder.checkpoint(0.0, b"state").unwrap();
    recorder.mesh(&skin).unwrap();
    recorder.frame(&pose(1.0)).unwrap();
    assert!(recorder.frame(&Frame { orientations: vec![[0.0; 4]], ..pose(2.0) }).is_err());

    let mut recording = Recording::open(&path).unwrap();
    assert_eq!((recording.len(), recording.mesh_count()), (2, 3));
    assert_eq!((recording.mesh(0).unwrap(), recording.mesh(1).unwrap()), (cube.clone(), skin.clone()));
    assert!(matches!(recording.mesh(3), Err(RecordError::NoSuchMesh { index: 3, count: 3, .. })));
    assert_eq!(recording.table(1), &table);
    assert_eq!((recording.frame(0).unwrap(), recording.frame(1).unwrap()), (pose(0.0), pose(1.0)));

    // The mesh after the checkpoint is removed with the frames there; its number is free again.
    drop(recorder);
    let mut resumed = Recorder::resume(&path).unwrap().recorder;
    assert_eq!(resumed.mesh(&cube).unwrap(), 2);
    resumed.frame(&pose(2.0)).unwrap();
    assert_eq!(Recording::open(&path).unwrap().mesh(2).unwrap(), cube);
    // A file torn within a mesh still has the frames before it.
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..with_meshes as usize + 40]).unwrap();
    assert_eq!(Recording::open(&path).unwrap().len(), 1);
}

#[test]
fn a_recording_of_version_2_has_meshes_without_edges() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.micado");
    let plain = Mesh { edges: Vec::new(), ..meshes()[0].clone() };
    let mut recorder = Recorder::create(&path, &Meta::new("old", 0.01)).unwrap();
    recorder.meshes(std::slice::from_ref(&plain)).unwrap();
    recorder.frame(&Frame::default()).unwrap();
    drop(recorder);
    let mut bytes = fs::read(&path).unwrap();
    bytes[8..12].copy_from_slice(&2_u32.to_le_bytes());
    let mut recording = Recording::from_bytes("old", bytes).unwrap();
    assert_eq!((recording.len(), recording.mesh(0).unwrap()), (1, plain.clone()));
    // Meshes that are there already are not written again.
    let mut resumed = Recorder::resume(&path).unwrap();
    assert_eq!(resumed.meshes, std::slice::from_ref(&plain));
    resumed.recorder.meshes(&[plain, meshes()[0].clone()]).unwrap();
    assert_eq!(Recording::open(&path).unwrap().mesh_count(), 2);
}

/// A frame with a table in the layout of version 4, in which objects had no colour and tables no gauges.
#[test]
fn a_recording_of_version_4_is_read_and_not_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.micado");
    drop(Recorder::create(&path, &Meta::new("old", 0.01)).unwrap());
    let object = ("ball", ObjectKind::Mass, 1_u32, 0.0, vec![0.1], false, None::<u32>);
    let none = Vec::<u8>::new;
    let probe = ProbeRow { name: "height".to_owned(), ..ProbeRow::default() };
    let table = (vec![object], none(), none(), none(), none(), vec![probe]);
    let event = Event { time: 0.5, kind: "action".to_owned(), text: "done".to_owned() };
    let state = (none(), none(), none(), vec![7.0]);
    let payload = postcard::to_allocvec(&(
        0.5,
        Some(table),
        vec![[1.0, 2.0, 3.0]],
        (none(), none(), none()),
        state,
        Energies::default(),
        vec![event.clone()],
    ))
    .unwrap();
    let length = u32::try_from(payload.len() + 1).unwrap();
    let mut sum = checksum_of_length(length);
    sum.update(&[KIND_FRAME_WITH_TABLE]);
    sum.update(&payload);
    let mut bytes = fs::read(&path).unwrap();
    bytes[8..12].copy_from_slice(&4_u32.to_le_bytes());
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&sum.finalize().to_le_bytes());
    bytes.push(KIND_FRAME_WITH_TABLE);
    bytes.extend_from_slice(&payload);
    fs::write(&path, &bytes).unwrap();
    let mut recording = Recording::open(&path).unwrap();
    let frame = recording.frame(0).unwrap();
    assert_eq!((frame.time, frame.points, frame.probes), (0.5, vec![[1.0, 2.0, 3.0]], vec![7.0]));
    assert_eq!((frame.events, frame.gauges), (vec![event], Vec::new()));
    let objects = &recording.table(0).objects;
    assert_eq!((objects[0].name.as_str(), objects[0].colour), ("ball", None));
    let error = Recorder::resume(&path).unwrap_err().to_string();
    assert!(error.contains("format version 4") && error.contains("run the scene again"), "{error}");
}

/// A frame of version 7 ends before its contacts.
#[test]
fn a_recording_of_version_7_is_read_without_contacts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.micado");
    drop(Recorder::create(&path, &meta()).unwrap());
    let whole = Frame { contacts: Vec::new(), ..frame(0.5) };
    let mut payload = postcard::to_allocvec(&whole).unwrap();
    assert_eq!(payload.pop(), Some(0), "the number of contacts comes last");
    let mut bytes = fs::read(&path).unwrap();
    bytes[8..12].copy_from_slice(&7_u32.to_le_bytes());
    bytes.extend_from_slice(&sealed(&[&[KIND_FRAME], payload.as_slice()].concat()));
    fs::write(&path, &bytes).unwrap();
    assert_eq!(Recording::open(&path).unwrap().frame(0).unwrap(), whole);
    let error = Recorder::resume(&path).unwrap_err().to_string();
    assert!(error.contains("format version 7") && error.contains("run the scene again"), "{error}");
}

#[test]
fn a_contact_of_no_object_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::create(folder.path().join("run.micado"), &meta()).unwrap();
    let stray = ContactState { objects: [0, 1], ..ContactState::default() };
    let error = recorder.frame(&Frame { contacts: vec![stray], ..frame(0.0) }).unwrap_err().to_string();
    assert!(error.contains("a contact of an object beyond the 1 of the table"), "{error}");
}

#[test]
fn meshes_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.micado");
    let mut recorder = Recorder::create(&path, &Meta::new("bodies", 0.01)).unwrap();
    let [cube, skin] = meshes();
    let broken = Mesh { triangles: vec![[0, 1, 8]], ..cube.clone() };
    let error = recorder.mesh(&broken).unwrap_err().to_string();
    assert!(error.contains("8 vertices") && error.contains("names vertex 8"), "{error}");
    assert!(recorder.mesh(&Mesh { edges: vec![[0, 8]], ..cube.clone() }).is_err());
    assert!(recorder.mesh(&Mesh { vertices: vec![[f32::NAN; 3]], ..cube }).is_err());
    recorder.mesh(&skin).unwrap();
    let mut refused = |object: ObjectRow| {
        let points = vec![[0.0; 3]; object.points as usize];
        let table = Some(Table { objects: vec![object], ..Table::default() });
        recorder.frame(&Frame { table, points, ..Frame::default() }).err().map(|error| error.to_string())
    };
    assert!(refused(solid(3, Some(1))).unwrap().contains("names mesh 1 of 1"));
    assert!(refused(solid(2, Some(0))).unwrap().contains("beyond its 2 points"));
    assert_eq!(refused(solid(3, Some(0))), None);
}

#[test]
fn a_table_stays_valid_while_curves_move_and_winches_turn_slowly() {
    let table = meta().table;
    let with = |change: fn(&mut Table)| {
        let mut changed = table.clone();
        changed.objects[0].length = 1.0;
        let before = changed.clone();
        change(&mut changed);
        before.serves(&changed)
    };
    assert!(with(|_| {}));
    assert!(with(|table| table.objects[0].length = 1.004));
    assert!(!with(|table| table.objects[0].length = 1.006));
    assert!(with(|table| table.constraints[0].marker.points.clear()));
    assert!(!with(|table| table.constraints[0].hand = false));
    assert!(!with(|table| table.objects[0].points = 4));
    assert!(!with(|table| table.probes.clear()));
    assert!(!with(|table| table.objects.push(ObjectRow::default())));
}

/// Opens, reads and resumes a file. Returns the number of frames that can be read, if it can be opened.
fn read_everything(bytes: &[u8]) -> Option<usize> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile");
    fs::write(&path, bytes).unwrap();
    let frames = Recording::open(&path).ok().map(|mut recording| {
        let _ = recording.checkpoint();
        let _ = (0..recording.mesh_count() as u32).filter(|&k| recording.mesh(k).is_ok()).count();
        recording.frames().filter(Result::is_ok).count()
    });
    // A file that can't be read can't be continued.
    let resumed = Recorder::resume(&path).is_ok();
    assert!(frames.is_some() || !resumed, "resumed, but it can't be opened");
    frames
}

/// A record with a correct checksum around any body.
fn sealed(body: &[u8]) -> Vec<u8> {
    let length = body.len() as u32;
    let mut hasher = checksum_of_length(length);
    hasher.update(body);
    let head = [length.to_le_bytes(), hasher.finalize().to_le_bytes()].concat();
    [head, body.to_vec()].concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_refused_and_lose_no_frame_before_them(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        prop_assert_eq!(read_everything(&bytes), None);
        let (_folder, path, _) = recording(1);
        let mut after_good = fs::read(&path).unwrap();
        after_good.extend_from_slice(&bytes);
        prop_assert_eq!(read_everything(&after_good), Some(1));
    }

    #[test]
    fn a_hostile_body_with_a_right_checksum_loses_no_frame_before_it(
        kind in 0_u8..6,
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let (_folder, path, _) = recording(1);
        let mut file = fs::read(&path).unwrap();
        file.extend_from_slice(&sealed(&[&[kind], &bytes[..]].concat()));
        prop_assert!(read_everything(&file).is_none_or(|frames| frames >= 1));
    }
}
