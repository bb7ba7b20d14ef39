//! Exported files contain the recorded values.

use super::{Choice, ExportError, Format, export};
use crate::record::{
    Channel, ConstraintRow, ConstraintState, ContactState, Energies, Event, Frame, GaugeKind, GaugeRow,
    GaugeState, LoadKind, LoadRow, LoadState, Marker, MarkerKind, Mesh, Meta, MotorKind, ObjectKind,
    ObjectRow, ProbeRow, Recorder, Recording, SpringRow, SpringState, Table,
};
use glam::{DVec3, Mat4, Quat, Vec3};
use std::fs;
use std::path::Path;

const RADIUS: f64 = 0.01;

fn rod(points: u32) -> ObjectRow {
    ObjectRow {
        name: "cable".into(),
        kind: ObjectKind::Rod,
        points,
        radii: vec![RADIUS],
        ..ObjectRow::default()
    }
}

fn ball() -> ObjectRow {
    ObjectRow {
        name: "a \"ball\", heavy".into(),
        kind: ObjectKind::Mass,
        points: 1,
        radii: vec![0.05],
        ..ObjectRow::default()
    }
}

/// A rod of `count` points on a quarter of a circle about the z axis, turned by an angle, with its director
/// along z.
fn arc(count: u32, turned: f64) -> Vec<DVec3> {
    (0..count)
        .map(|i| {
            DVec3::from_array([
                on_circle(turned + angle(i, count)).0,
                on_circle(turned + angle(i, count)).1,
                0.3,
            ])
        })
        .collect()
}

fn angle(i: u32, count: u32) -> f64 {
    std::f64::consts::FRAC_PI_2 * f64::from(i) / f64::from(count - 1)
}

fn on_circle(angle: f64) -> (f64, f64) {
    (angle.cos(), angle.sin())
}

/// A rod that turns, and gets more points and a ball in its third frame.
fn record(path: &Path) -> Recording {
    let pin = ConstraintRow { name: "pin".into(), kind: "position".into(), ..ConstraintRow::default() };
    let table = Table { objects: vec![rod(9)], constraints: vec![pin.clone()], ..Table::default() };
    let later = Table {
        objects: vec![rod(17), ball()],
        constraints: vec![pin],
        springs: vec![SpringRow { name: "coil".into(), ..SpringRow::default() }],
        loads: vec![LoadRow { name: "twist".into(), kind: LoadKind::Moment }],
        probes: vec![ProbeRow { name: "pull".into(), unit: "N".into(), ..ProbeRow::default() }],
        ..Table::default()
    };
    let meta = Meta { channels: vec![Channel::new("tension", "N")], table, ..Meta::new("arc", 0.1) };
    let mut recorder = Recorder::create(path, &meta).unwrap();
    for k in 0..4_u32 {
        let turned = 0.2 * f64::from(k);
        let count = if k < 2 { 9 } else { 17 };
        let mut points: Vec<[f64; 3]> = arc(count, turned).iter().map(DVec3::to_array).collect();
        let mut tension: Vec<f32> = (0..count).map(|i| (10 * k + i) as f32).collect();
        if k >= 2 {
            points.push([1.0, 2.0, f64::from(k)]);
            tension.push(0.0);
        }
        let directors = vec![[0.0, 0.0, 1.0]; points.len()];
        let constraints = vec![ConstraintState {
            place: points[0],
            force: [1.0, 2.0, f64::from(k)],
            residual: 0.5,
            at: [Some(0.75), None],
            ..ConstraintState::default()
        }];
        let later_only = usize::from(k >= 2);
        let events = if k == 2 {
            vec![Event { time: 0.2, kind: "added".into(), text: "a ball, \"heavy\", came".into() }]
        } else {
            Vec::new()
        };
        let table = (k == 2).then(|| later.clone());
        let frame = Frame {
            time: 0.1 * f64::from(k),
            table,
            points,
            directors,
            channels: vec![tension],
            constraints,
            springs: vec![SpringState { from: [1.0; 3], to: [2.0; 3], tension: 3.0 }; later_only],
            loads: vec![LoadState { place: [4.0; 3], force: [5.0; 3] }; later_only],
            probes: vec![6.5; later_only],
            energies: Energies { kinetic: 1.0, elastic: 2.0, gravity: -4.0, total: -1.0 },
            events,
            ..Frame::default()
        };
        recorder.frame(&frame).unwrap();
    }
    Recording::open(path).unwrap()
}

/// The floats of an accessor.
fn floats(document: &gltf::Document, blob: &[u8], accessor: usize) -> Vec<f32> {
    let accessor = document.accessors().nth(accessor).unwrap();
    let view = accessor.view().unwrap();
    let bytes = &blob[view.offset()..view.offset() + view.length()];
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

#[test]
fn a_gltf_reader_finds_the_tube_where_the_rod_was_in_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    let mut recording = record(&folder.path().join("run.micado"));
    let out = folder.path().join("new/run.glb");
    assert_eq!(
        export(&mut recording, Format::Gltf, &Choice::default(), &out).unwrap(),
        std::slice::from_ref(&out)
    );
    let gltf::Gltf { document, blob } = gltf::Gltf::open(&out).unwrap();
    let blob = blob.unwrap();
    let skin = document.skins().next().unwrap();
    let joints: Vec<usize> = skin.joints().map(|joint| joint.index()).collect();
    // One joint for each point of the finest division.
    assert_eq!(joints.len(), 17);
    let inverse: Vec<Mat4> = floats(&document, &blob, skin.inverse_bind_matrices().unwrap().index())
        .chunks_exact(16)
        .map(Mat4::from_cols_slice)
        .collect();
    let mesh = document.meshes().find(|mesh| mesh.name() == Some("cable")).unwrap();
    let primitive = mesh.primitives().next().unwrap();
    let attribute = |semantic: gltf::Semantic| primitive.get(&semantic).unwrap();
    let positions: Vec<Vec3> = floats(&document, &blob, attribute(gltf::Semantic::Positions).index())
        .chunks_exact(3)
        .map(Vec3::from_slice)
        .collect();
    let view = attribute(gltf::Semantic::Joints(0)).view().unwrap();
    let owners: Vec<usize> = blob[view.offset()..view.offset() + view.length()]
        .chunks_exact(8)
        .map(|four| usize::from(four[0]) + 256 * usize::from(four[1]))
        .collect();

    let animation = document.animations().next().unwrap();
    let channel = |node: usize, property: gltf::animation::Property| {
        let found = animation
            .channels()
            .find(|channel| {
                channel.target().node().index() == node && channel.target().property() == property
            })
            .unwrap();
        floats(&document, &blob, found.sampler().output().index())
    };
    // All faces point outward: some viewers draw only front faces.
    let normals: Vec<Vec3> = floats(&document, &blob, attribute(gltf::Semantic::Normals).index())
        .chunks_exact(3)
        .map(Vec3::from_slice)
        .collect();
    for primitive in mesh.primitives() {
        let view = primitive.indices().unwrap().view().unwrap();
        let bytes = blob[view.offset()..view.offset() + view.length()].chunks_exact(4);
        let corners: Vec<u32> = bytes.map(|four| u32::from_le_bytes(four.try_into().unwrap())).collect();
        for corner in corners.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|i| positions[corner[i] as usize]);
            let face = (b - a).cross(c - a).normalize();
            assert!(corner.iter().all(|&i| face.dot(normals[i as usize]) > 0.9), "{face} {corner:?}");
        }
    }
    let mut checked = 0;
    for k in 0..4 {
        let turned = 0.2 * k as f64;
        let poses: Vec<Mat4> = joints
            .iter()
            .map(|&joint| {
                let place = channel(joint, gltf::animation::Property::Translation);
                let turn = channel(joint, gltf::animation::Property::Rotation);
                Mat4::from_rotation_translation(
                    Quat::from_slice(&turn[4 * k..]),
                    Vec3::from_slice(&place[3 * k..]),
                )
            })
            .collect();
        for (position, &owner) in positions.iter().zip(&owners) {
            let there = (poses[owner] * inverse[owner]).transform_point3(*position).as_dvec3();
            // With nine points, every second joint lies on a point; the others lie in the middle of chords.
            let points = arc(if k < 2 { 9 } else { 17 }, turned);
            let centre =
                if k < 2 { 0.5 * (points[owner / 2] + points[owner.div_ceil(2)]) } else { points[owner] };
            let off = there.distance(centre);
            assert!((off - RADIUS).abs() < 1e-5 || off < 1e-5, "frame {k}, joint {owner}: {off}");
            checked += 1;
        }
    }
    assert!(checked > 4 * 17 * 12);
    // The ball appears in the third frame.
    let node = document.nodes().find(|node| node.name() == Some("a \"ball\", heavy")).unwrap();
    assert_eq!(
        channel(node.index(), gltf::animation::Property::Scale),
        [[0.0; 3], [0.0; 3], [1.0; 3], [1.0; 3]].concat()
    );
    assert_eq!(channel(node.index(), gltf::animation::Property::Translation)[9..], [1.0, 2.0, 3.0]);
}

/// The XML of a VTK file, and its arrays by name.
fn vtk_arrays(path: &Path) -> (String, impl Fn(&str) -> Vec<f64> + use<>) {
    let bytes = fs::read(path).unwrap();
    let start = bytes.windows(24).position(|window| window == b"AppendedData encoding=\"r").unwrap();
    let head = std::str::from_utf8(&bytes[..start]).unwrap().to_owned();
    let begin = start + bytes[start..].iter().position(|&byte| byte == b'_').unwrap() + 1;
    let lines = head.clone();
    let array = move |name: &str| {
        let line = lines.lines().find(|line| line.contains(&format!("Name=\"{name}\""))).unwrap();
        let offset: usize =
            line.split("offset=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        let length =
            u64::from_le_bytes(bytes[begin + offset..begin + offset + 8].try_into().unwrap()) as usize;
        bytes[begin + offset + 8..begin + offset + 8 + length]
            .chunks_exact(8)
            .map(|eight| f64::from_le_bytes(eight.try_into().unwrap()))
            .collect::<Vec<_>>()
    };
    (head, array)
}

#[test]
fn vtk_files_have_the_recorded_numbers_at_the_offsets_that_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let mut recording = record(&folder.path().join("run.micado"));
    let out = folder.path().join("vtk");
    let files = export(&mut recording, Format::Vtk, &Choice::default(), &out).unwrap();
    assert_eq!(files.len(), 4 * 4 + 4);
    let early = Choice { until: 0.15, ..Choice::default() };
    let files = export(&mut recording, Format::Vtk, &early, &out).unwrap();
    // There are no springs and loads yet, and the files of the previous export are removed.
    assert_eq!((files.len(), fs::read_dir(&out).unwrap().count()), (2 * 2 + 2, 6));
    export(&mut recording, Format::Vtk, &Choice::default(), &out).unwrap();
    // An export removes the files of an earlier one, but no other files.
    for name in ["frame-00004.vtp", "forces-00017.vtp", "frame-mine.vtp"] {
        fs::write(out.join(name), "old").unwrap();
    }
    export(&mut recording, Format::Vtk, &Choice::default(), &out).unwrap();
    let there = |name: &str| out.join(name).exists();
    assert!(
        !there("frame-00004.vtp")
            && !there("forces-00017.vtp")
            && there("frame-mine.vtp")
            && there("forces-00003.vtp")
    );
    let (head, array) = vtk_arrays(&out.join("frame-00002.vtp"));
    assert!(head.contains("NumberOfPoints=\"18\" NumberOfVerts=\"1\" NumberOfLines=\"1\""));
    let expected: Vec<f64> = (0..17).map(|i| f64::from(20 + i)).chain([0.0]).collect();
    assert_eq!(array("tension"), expected);
    let points = array("Points");
    assert!(
        arc(17, 0.4)
            .iter()
            .zip(points.chunks_exact(3))
            .all(|(point, there)| *point == DVec3::from_slice(there))
    );
    assert_eq!(points[51..], [1.0, 2.0, 2.0]);
    let (head, array) = vtk_arrays(&out.join("springs-00002.vtp"));
    assert!(head.contains("NumberOfPoints=\"2\" NumberOfVerts=\"0\" NumberOfLines=\"1\""));
    assert_eq!((array("Points"), array("tension")), ([[1.0; 3], [2.0; 3]].concat(), vec![3.0; 2]));
    let (_, array) = vtk_arrays(&out.join("loads-00003.vtp"));
    assert_eq!((array("force"), array("moment")), (vec![0.0; 3], vec![5.0; 3]));
    let (_, array) = vtk_arrays(&out.join("forces-00003.vtp"));
    assert_eq!((array("force"), array("residual")), (vec![1.0, 2.0, 3.0], vec![0.5]));
    let collection = fs::read_to_string(out.join("rods.pvd")).unwrap();
    assert!(
        collection.contains("timestep=\"0.2\" part=\"0\" file=\"frame-00002.vtp\"")
            && collection.matches("<DataSet").count() == 4
    );
}

#[test]
fn tables_have_a_row_for_each_point_and_constraint_and_quote_commas() {
    let folder = tempfile::tempdir().unwrap();
    let mut recording = record(&folder.path().join("run.micado"));
    let out = folder.path().join("csv");
    export(&mut recording, Format::Csv, &Choice { from: 0.15, until: 0.25, every: 1 }, &out).unwrap();
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let points = read("points.csv");
    let rows: Vec<&str> = points.lines().collect();
    assert_eq!(rows.len(), 1 + 18);
    assert_eq!(
        rows[0],
        "time (s),object,kind,index,share,rest arc length (m),x (m),y (m),z (m),radius (m),tension (N)"
    );
    assert!(rows[9].starts_with("0.2,cable,rod,8,0.5,") && rows[9].ends_with(",0.3,0.01,28"), "{}", rows[9]);
    assert_eq!(rows[18], "0.2,\"a \"\"ball\"\", heavy\",mass,0,0,,1,2,2,0.05,0");
    let pin = read("constraints.csv").lines().nth(1).map(str::to_owned).unwrap();
    assert!(pin.ends_with(",1,2,2,0,0,0,0.5,0,0,0.75,"), "{pin}");
    for (name, row) in [
        ("springs.csv", "0.2,coil,linear,1,1,1,2,2,2,3"),
        ("loads.csv", "0.2,twist,moment,4,4,4,5,5,5"),
        ("probes.csv", "0.2,pull,N,6.5"),
        ("energies.csv", "0.2,1,2,-4,-1"),
    ] {
        let text = read(name);
        let columns = |line: usize| text.lines().nth(line).map(|row| row.split(',').count());
        assert_eq!((text.lines().nth(1), columns(1)), (Some(row), columns(0)), "{name}");
    }
    let told = "0.2,added,\"a ball, \"\"heavy\"\", came\"";
    assert_eq!(read("events.csv").lines().nth(1), Some(told));
    // Events of skipped frames are kept.
    export(&mut recording, Format::Csv, &Choice { every: 3, ..Choice::default() }, &out).unwrap();
    assert_eq!(read("constraints.csv").lines().count(), 1 + 2);
    assert_eq!(read("events.csv").lines().skip(1).collect::<Vec<_>>(), [told]);
}

#[test]
fn an_export_without_frames_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut recording = record(&folder.path().join("run.micado"));
    let nothing = Choice { from: 5.0, ..Choice::default() };
    for format in [Format::Gltf, Format::Vtk, Format::Csv] {
        assert!(matches!(
            export(&mut recording, format, &nothing, &folder.path().join("out")),
            Err(ExportError::Empty(_))
        ));
    }
    assert!(!folder.path().join("out").exists());
}

/// A tetrahedron that moves and turns about z.
fn record_body(path: &Path) -> Recording {
    let mesh = Mesh {
        vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        edges: vec![[0, 1], [0, 2], [0, 3], [1, 2], [2, 3], [3, 1]],
    };
    let body = ObjectRow {
        name: "wedge".into(),
        kind: ObjectKind::Body,
        points: 1,
        mesh: Some(0),
        ..ObjectRow::default()
    };
    let table = Table { objects: vec![ball(), body], ..Table::default() };
    let mut recorder = Recorder::create(path, &Meta { table, ..Meta::new("tumble", 0.1) }).unwrap();
    recorder.mesh(&mesh).unwrap();
    for k in 0..3_u32 {
        // Half of 0°, 90° and 180°.
        let (w, z) = on_circle(std::f64::consts::FRAC_PI_4 * f64::from(k));
        recorder
            .frame(&Frame {
                time: 0.1 * f64::from(k),
                points: vec![[9.0; 3], [10.0, 0.0, f64::from(k)]],
                orientations: vec![[0.0, 0.0, z, w]],
                ..Frame::default()
            })
            .unwrap();
    }
    Recording::open(path).unwrap()
}

#[test]
fn a_body_is_exported_where_it_was_in_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    let mut recording = record_body(&folder.path().join("run.micado"));
    let all = Choice::default();

    let out = folder.path().join("run.glb");
    export(&mut recording, Format::Gltf, &all, &out).unwrap();
    let gltf::Gltf { document, blob } = gltf::Gltf::open(&out).unwrap();
    let blob = blob.unwrap();
    let mesh = document.meshes().find(|mesh| mesh.name() == Some("wedge")).unwrap();
    let primitive = mesh.primitives().next().unwrap();
    let attribute = |semantic| floats(&document, &blob, primitive.get(&semantic).unwrap().index());
    let (positions, normals) = (attribute(gltf::Semantic::Positions), attribute(gltf::Semantic::Normals));
    assert_eq!((positions.len(), normals.len()), (4 * 9, 4 * 9));
    assert_eq!(positions[..9], [0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0]);
    // Sharp edges stay sharp: all corners of the bottom point down.
    assert_eq!(normals[..9], [[0.0, 0.0, -1.0]; 3].concat());
    let node = document.nodes().find(|node| node.name() == Some("wedge")).unwrap();
    let animation = document.animations().next().unwrap();
    let channel = |property| {
        let of = |channel: &gltf::animation::Channel<'_>| {
            channel.target().node().index() == node.index() && channel.target().property() == property
        };
        floats(&document, &blob, animation.channels().find(of).unwrap().sampler().output().index())
    };
    assert_eq!(channel(gltf::animation::Property::Translation)[3..], [10.0, 0.0, 1.0, 10.0, 0.0, 2.0]);
    let turns = channel(gltf::animation::Property::Rotation);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let expected = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, half, half], [0.0, 0.0, 1.0, 0.0]].concat();
    assert!(turns.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6), "{turns:?}");

    let out = folder.path().join("vtk");
    export(&mut recording, Format::Vtk, &all, &out).unwrap();
    let (head, array) = vtk_arrays(&out.join("bodies-00001.vtp"));
    assert!(
        head.contains("NumberOfPoints=\"4\"")
            && head.contains("NumberOfPolys=\"4\"")
            && head.contains("<Polys>")
    );
    // After 90° about z, x points along y.
    let expected = [[10.0, 0.0, 1.0], [10.0, 1.0, 1.0], [8.0, 0.0, 1.0], [10.0, 0.0, 4.0]].concat();
    let points = array("Points");
    assert!(points.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{points:?}");
    assert_eq!(array("object"), [1.0; 4]);
    assert!(fs::read_to_string(out.join("bodies.pvd")).unwrap().contains("bodies-00002.vtp"));

    let out = folder.path().join("csv");
    export(&mut recording, Format::Csv, &all, &out).unwrap();
    let text = fs::read_to_string(out.join("bodies.csv")).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!((rows.len(), rows[1]), (4, "0,wedge,body,10,0,0,0,0,0,1"));
}

/// A hinge about z with limits and a servo, which turns by a quarter in each frame, and a slider along x with
/// a limit.
fn record_joints(path: &Path) -> Recording {
    let joint = |name: &str, kind: MarkerKind| ConstraintRow {
        name: name.into(),
        kind: "joint".into(),
        marker: Marker { kind, ..Marker::default() },
        ..ConstraintRow::default()
    };
    let gauges = vec![
        GaugeRow {
            constraint: 0,
            coordinate: GaugeKind::Angle,
            least: Some(-1.0),
            most: Some(2.0),
            motor: Some(MotorKind::Servo),
        },
        GaugeRow { constraint: 1, coordinate: GaugeKind::Slide, most: Some(0.5), ..GaugeRow::default() },
    ];
    let constraints = vec![joint("hinge", MarkerKind::Hinge), joint("rail", MarkerKind::Slider)];
    let table = Table { objects: vec![ball(), ball()], constraints, gauges, ..Table::default() };
    let mut recorder = Recorder::create(path, &Meta { table, ..Meta::new("joints", 0.1) }).unwrap();
    for k in 0..3_u32 {
        let value = std::f64::consts::FRAC_PI_2 * f64::from(k);
        let at = |place: [f64; 3], direction: [f32; 3]| ConstraintState {
            place,
            direction,
            ..ConstraintState::default()
        };
        recorder
            .frame(&Frame {
                time: 0.1 * f64::from(k),
                points: vec![[0.0; 3], [10.0, 0.0, 0.0]],
                constraints: vec![at([1.0, 2.0, 3.0], [0.0, 0.0, 1.0]), at([4.0, 0.0, 0.0], [1.0, 0.0, 0.0])],
                gauges: vec![
                    GaugeState { value, target: Some(1.5), drive: 7.0, zero: [1.0, 0.0, 0.0] },
                    GaugeState { value: 0.2, zero: [0.0, 1.0, 0.0], ..GaugeState::default() },
                ],
                ..Frame::default()
            })
            .unwrap();
    }
    Recording::open(path).unwrap()
}

#[test]
fn limits_and_drives_of_joints_are_exported() {
    let folder = tempfile::tempdir().unwrap();
    let mut recording = record_joints(&folder.path().join("run.micado"));
    let all = Choice::default();

    let out = folder.path().join("csv");
    export(&mut recording, Format::Csv, &all, &out).unwrap();
    let text = fs::read_to_string(out.join("gauges.csv")).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    let head = "time (s),joint,coordinate,value (rad or m),least,most,motor,target,drive (N·m or N)";
    assert_eq!((rows.len(), rows[0]), (1 + 2 * 3, head));
    assert_eq!(rows[1..3], ["0,hinge,angle,0,-1,2,servo,1.5,7", "0,rail,slide,0.2,,0.5,,,"]);

    let out = folder.path().join("vtk");
    export(&mut recording, Format::Vtk, &all, &out).unwrap();
    let (_, array) = vtk_arrays(&out.join("forces-00002.vtp"));
    for (name, expected) in [
        ("angle", [std::f64::consts::PI, f64::NAN]),
        ("angle least", [-1.0, f64::NAN]),
        ("angle most", [2.0, f64::NAN]),
        ("angle target", [1.5, f64::NAN]),
        ("angle drive", [7.0, f64::NAN]),
        ("slide", [f64::NAN, 0.2]),
        ("slide least", [f64::NAN; 2]),
        ("slide most", [f64::NAN, 0.5]),
        ("slide drive", [f64::NAN; 2]),
    ] {
        let same = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
        assert!(array(name).iter().zip(&expected).all(same), "{name}: {:?}", array(name));
    }

    let out = folder.path().join("run.glb");
    export(&mut recording, Format::Gltf, &all, &out).unwrap();
    let gltf::Gltf { document, blob } = gltf::Gltf::open(&out).unwrap();
    let blob = blob.unwrap();
    let animation = document.animations().next().unwrap();
    let channel = |name: &str, property| {
        let of = |channel: &gltf::animation::Channel<'_>| {
            channel.target().node().name() == Some(name) && channel.target().property() == property
        };
        floats(&document, &blob, animation.channels().find(of).unwrap().sampler().output().index())
    };
    let last = |name: &str| {
        let place = channel(name, gltf::animation::Property::Translation);
        let turn = channel(name, gltf::animation::Property::Rotation);
        Mat4::from_rotation_translation(Quat::from_slice(&turn[8..]), Vec3::from_slice(&place[6..]))
    };
    // x of a symbol is the axis, and y of a pointer points to its angle.
    assert!(last("hinge").transform_vector3(Vec3::X).abs_diff_eq(Vec3::Z, 1e-6));
    for (name, angle) in
        [("hinge angle", std::f32::consts::PI), ("hinge angle least", -1.0), ("hinge angle target", 1.5)]
    {
        let to = Vec3::new(angle.cos(), angle.sin(), 0.0);
        assert!(last(name).transform_vector3(Vec3::Y).abs_diff_eq(to, 1e-6), "{name}");
        assert!(last(name).transform_point3(Vec3::ZERO).abs_diff_eq(Vec3::new(1.0, 2.0, 3.0), 1e-6));
    }
    // The rail may go on by 0.3 m.
    let stop = channel("rail slide most", gltf::animation::Property::Translation);
    assert!(Vec3::from_slice(&stop).abs_diff_eq(Vec3::new(4.3, 0.0, 0.0), 1e-6), "{stop:?}");
    // The first chunk of the file is JSON, after 12 bytes of the file and 8 of the chunk.
    let bytes = fs::read(&out).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let root: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let nodes = root["nodes"].as_array().unwrap();
    let hinge = nodes.iter().find(|node| node["name"] == "hinge").unwrap();
    let limits = &hinge["extras"]["gauges"][0];
    assert_eq!((&limits["most"], &limits["motor"]), (&serde_json::json!(2.0), &serde_json::json!("servo")));
}

#[test]
fn contacts_are_exported_with_their_objects_and_forces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.micado");
    let table = Table { objects: vec![ball(), rod(2)], ..Table::default() };
    let mut recorder = Recorder::create(&path, &Meta { table, ..Meta::new("touch", 0.1) }).unwrap();
    let contact = ContactState {
        objects: [1, 0],
        point: [1.0, 2.0, 3.0],
        normal: [0.0, 0.0, 1.0],
        force: [0.5, 0.0, 4.0],
        gap: -0.25,
        friction: 0.5,
    };
    for k in 0..2 {
        let contacts = vec![contact; k];
        recorder
            .frame(&Frame { time: k as f64, points: vec![[0.0; 3]; 3], contacts, ..Frame::default() })
            .unwrap();
    }
    let mut recording = Recording::open(&path).unwrap();
    let out = folder.path().join("vtk");
    export(&mut recording, Format::Vtk, &Choice::default(), &out).unwrap();
    let (head, array) = vtk_arrays(&out.join("contacts-00001.vtp"));
    assert!(head.contains("NumberOfPoints=\"1\"") && head.contains("NumberOfVerts=\"1\""), "{head}");
    assert_eq!((array("Points"), array("force")), (vec![1.0, 2.0, 3.0], vec![0.5, 0.0, 4.0]));
    assert_eq!((array("first"), array("second"), array("gap")), (vec![1.0], vec![0.0], vec![-0.25]));
    assert!(vtk_arrays(&out.join("contacts-00000.vtp")).0.contains("NumberOfPoints=\"0\""));
    let out = folder.path().join("csv");
    export(&mut recording, Format::Csv, &Choice::default(), &out).unwrap();
    let text = fs::read_to_string(out.join("contacts.csv")).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    let expected = "1,cable,\"a \"\"ball\"\", heavy\",1,2,3,0,0,1,0.5,0,4,-0.25,0.5";
    assert_eq!((rows.len(), rows[1]), (2, expected));
}
