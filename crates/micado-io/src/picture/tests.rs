use std::io::Cursor;

use glam::DVec3;
use proptest::prelude::*;

use super::scene::Stage;
use super::*;

const SMALL: View = View { size: (200, 125), direction: None, ground: true };

fn arch() -> Tube {
    let on = |i: u32| {
        let angle = f64::from(i) * std::f64::consts::PI / 20.0;
        [angle.cos(), 0.3 * angle.sin(), angle.sin()]
    };
    Tube { colour: Some([200, 30, 30]), ..Tube::new((0..=20).map(on).collect(), 0.03) }
}

fn pixels(drawing: &Drawing, view: &View) -> (usize, Vec<u8>) {
    let bytes = drawing.to_png(view).unwrap();
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), view.size);
    (info.width as usize, pixels)
}

#[test]
fn a_tube_is_seen_where_the_camera_says() {
    let drawing = Drawing { tubes: vec![arch()], ..Drawing::default() };
    let view = View::animation();
    let stage = Stage::fit(std::slice::from_ref(&drawing), &view).unwrap();
    let (width, pixels) = pixels(&drawing, &view);
    for place in &drawing.tubes[0].points {
        let seen = stage.camera.see(DVec3::from_array(*place)).unwrap();
        let at = (seen.y as usize * width + seen.x as usize) * 3;
        let [red, green, blue] = [pixels[at], pixels[at + 1], pixels[at + 2]].map(i32::from);
        assert!(red > green + 50 && red > blue + 50, "({red}, {green}, {blue}) at {place:?}");
    }
}

#[test]
fn everything_lies_within_the_picture() {
    let drawing = Drawing { tubes: vec![arch()], ..Drawing::default() };
    for direction in [None, Some([0.0, 0.0, 1.0]), Some([1.0, 0.0, 0.0]), Some([-1.0, 2.0, -3.0])] {
        let view = View { direction, ..SMALL };
        let stage = Stage::fit(std::slice::from_ref(&drawing), &view).unwrap();
        for place in &drawing.tubes[0].points {
            let seen = stage.camera.see(DVec3::from_array(*place)).unwrap();
            assert!((0.0..200.0).contains(&seen.x) && (0.0..125.0).contains(&seen.y));
        }
    }
}

#[test]
fn a_mass_that_falls_away_is_let_go_and_one_alone_is_followed() {
    let fall: Vec<[f64; 3]> = (0..=50).map(|i| [0.5, 0.0, -0.04 * f64::from(i * i)]).collect();
    let ball = Sphere { centre: fall[50], radius: 0.05, colour: None };
    let alone = Drawing { spheres: vec![ball], trails: vec![fall.clone()], ..Drawing::default() };
    let scale = |drawing: &Drawing| Stage::fit(std::slice::from_ref(drawing), &SMALL).unwrap().camera.scale();
    let arch = || Drawing { tubes: vec![arch()], ..Drawing::default() };
    let both = Drawing { spheres: vec![ball], trails: vec![fall.clone()], ..arch() };
    // The arch is 2 m wide; the ball is seen for 4 m below it.
    assert!(scale(&both) > 0.2 * scale(&arch()), "{} {}", scale(&both), scale(&arch()));
    let stage = Stage::fit(std::slice::from_ref(&alone), &SMALL).unwrap();
    for place in &fall {
        let seen = stage.camera.see(DVec3::from_array(*place)).unwrap();
        assert!((0.0..125.0).contains(&seen.y), "{place:?}");
    }
}

#[test]
fn a_vertical_plane_is_seen_nearly_straight_on() {
    let slanted = |i: u32| [f64::from(i) * 0.1, f64::from(i) * 0.1, f64::from(i * i) * 0.02];
    let tube = Tube::new((0..=10).map(slanted).collect(), 0.001);
    let stage = Stage::fit(&[Drawing { tubes: vec![tube], ..Drawing::default() }], &SMALL).unwrap();
    let normal = DVec3::new(1.0, -1.0, 0.0).normalize();
    assert!(stage.camera.back.dot(normal) > 0.9);
    assert!(stage.camera.up.z > 0.9);
}

#[test]
fn the_nearer_tube_hides_the_farther_one() {
    let across =
        |y: f64, colour| Tube { colour: Some(colour), ..Tube::new(vec![[-1.0, y, 0.0], [1.0, y, 0.0]], 0.1) };
    let tubes = vec![across(-0.5, [0, 0, 255]), across(0.5, [255, 0, 0])];
    let view = View { direction: Some([0.0, -1.0, 0.0]), ground: false, ..SMALL };
    for tubes in [tubes.clone(), tubes.into_iter().rev().collect()] {
        let drawing = Drawing { tubes, ..Drawing::default() };
        let stage = Stage::fit(std::slice::from_ref(&drawing), &view).unwrap();
        let seen = stage.camera.see(DVec3::new(0.0, -0.5, 0.0)).unwrap();
        let (width, pixels) = pixels(&drawing, &view);
        let at = (seen.y as usize * width + seen.x as usize) * 3;
        assert!(pixels[at + 2] > 100 && pixels[at] < 100);
    }
}

#[test]
fn a_thick_tube_ends_where_its_points_end() {
    // Straight, seen from the side and at an angle: nothing is drawn a radius beyond its ends, however close
    // its points are.
    let points: Vec<[f64; 3]> = (0..=200).map(|i| [f64::from(i) / 200.0, 0.0, 0.0]).collect();
    for direction in [[0.0, -1.0, 0.0], [0.5, -1.0, 0.2], [-0.5, -1.0, 0.2]] {
        let tube = Tube { colour: Some([200, 30, 30]), ..Tube::new(points.clone(), 0.15) };
        let drawing = Drawing { tubes: vec![tube], ..Drawing::default() };
        let view = View { size: (400, 250), direction: Some(direction), ground: false };
        let stage = Stage::fit(std::slice::from_ref(&drawing), &view).unwrap();
        let (width, pixels) = pixels(&drawing, &view);
        let red = |place: DVec3| {
            let seen = stage.camera.see(place).unwrap();
            let at = (seen.y as usize * width + seen.x as usize) * 3;
            i32::from(pixels[at]) > i32::from(pixels[at + 2]) + 50
        };
        for x in [0.02, 0.3, 0.5, 0.7, 0.98] {
            assert!(red(DVec3::new(x, 0.0, 0.0)), "a hole at {x}, seen from {direction:?}");
        }
        for x in [-0.1, 1.1] {
            assert!(
                !red(DVec3::new(x, 0.0, 0.0)) || direction[0] != 0.0,
                "something at {x}, seen from {direction:?}"
            );
        }
    }
}

#[test]
fn labels_keep_clear_of_the_colours_and_of_each_other() {
    let mut labels = label::Labels::default();
    let mut canvas = canvas::Canvas { pixmap: tiny_skia::Pixmap::new(400, 250).unwrap(), unit: 1.0 };
    labels.keep_free(label::Area { left: 300.0, top: 0.0, right: 400.0, bottom: 250.0 });
    let first = labels.write(&mut canvas, "right_mast", (290.0, 100.0), 0.0, [0.0; 3]).unwrap();
    let second = labels.write(&mut canvas, "right_mast", (290.0, 100.0), 0.0, [0.0; 3]).unwrap();
    assert!(first.right <= 300.0 && second.right <= 300.0, "{first:?} {second:?}");
    assert!(!first.overlaps(&second), "{first:?} {second:?}");
}

#[test]
fn markers_of_one_plane_are_one_patch_about_all_places() {
    let on = |place: [f64; 3], point: [f64; 3], normal: [f64; 3]| {
        Marker::new(place, MarkerKind::Plane { point, normal })
    };
    // Points above a floor at z = −1, with either sign of its normal, and one on a wall.
    let floor = [
        on([0.0, 0.0, 0.0], [5.0, 5.0, -1.0], [0.0, 0.0, 1.0]),
        on([2.0, 1.0, 3.0], [0.0, 0.0, -1.0], [0.0, 0.0, -2.0]),
    ];
    let wall = on([0.0, 0.0, 0.0], [0.0; 3], [1.0, 0.0, 0.0]);
    let patches = marker::patches(&[floor[0].clone(), wall, floor[1].clone()], 2.0);
    assert_eq!(patches.len(), 2);
    let reach = |along: fn(&DVec3) -> f64| {
        patches[0].iter().map(along).fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)))
    };
    assert_eq!(reach(|p| p.z), (-1.0, -1.0));
    let ((left, right), (near, far)) = (reach(|p| p.x), reach(|p| p.y));
    assert!(left < 0.0 && right > 2.0 && near < 0.0 && far > 1.0, "{left} {right} {near} {far}");
}

#[test]
fn long_titles_and_names_fit_into_the_picture() {
    let canvas = canvas::Canvas { pixmap: tiny_skia::Pixmap::new(640, 400).unwrap(), unit: 0.7 };
    let room = 640.0;
    for title in [
        "short",
        &"a long title of many words ".repeat(4),
        &"a title without an end ".repeat(40),
        &"wordwithoutanend".repeat(30),
    ] {
        let (lines, size) = legend::title_lines(&canvas, title);
        assert!(lines.len() <= 2 && size >= 16.0, "{lines:?}");
        assert!(lines.iter().all(|line| text::width(line, size * canvas.unit) < room), "{lines:?}");
        // The end of the title, the time, is always shown.
        assert_eq!(lines.last().unwrap().trim().chars().last(), title.trim().chars().last());
    }
    assert_eq!(legend::title_lines(&canvas, "short").1, 25.0);
    let name = text::shortened(&"long_name_".repeat(20), 14.0, 100.0);
    assert!(
        text::width(&name, 14.0) <= 100.0
            && name.starts_with("long")
            && name.ends_with("ame_")
            && name.contains('…'),
        "{name}"
    );
    assert_eq!(text::shortened("left", 14.0, 100.0), "left");
}

#[test]
fn pictures_survive_empty_and_non_finite_data() {
    let nan = f64::NAN;
    let tubes = vec![
        Tube::default(),
        Tube::new(vec![[nan; 3]], 1.0),
        Tube::new(vec![[1.0; 3]], nan),
        Tube::new(vec![[0.0; 3], [f64::INFINITY; 3], [1.0; 3], [1.0; 3]], -1.0),
        Tube { value: vec![nan, 1.0], ..Tube::new(vec![[0.0; 3], [1e300, 0.0, 0.0]], 1e300) },
        Tube { value: vec![5.0; 3], ..Tube::new(vec![[0.0; 3]; 3], 0.0) },
        Tube::new(vec![[0.0; 3], [1e-200; 3], [1e8, 0.0, 0.0]], 1e-9),
    ];
    assert!(Drawing::default().to_png(&SMALL).is_ok());
    for tube in tubes {
        let ghosts = vec![tube.clone()];
        let bar = ColourBar { range: Some((nan, 1.0)), ..ColourBar::default() };
        let drawing = Drawing { tubes: vec![tube], ghosts, colour_bar: Some(bar), ..Drawing::default() };
        assert!(drawing.to_png(&SMALL).is_ok(), "{drawing:?}");
    }
}

#[test]
fn an_impossible_size_is_refused() {
    let view = View { size: (10, 100_000), ..View::default() };
    let error = Drawing::default().to_png(&view).unwrap_err().to_string();
    assert!(error.contains("10 × 100000"), "{error}");
    assert!(matches!(to_gif(&[], &SMALL, 10.0), Err(PictureError::NoFrames)));
}

#[test]
fn an_animation_keeps_every_frame_and_its_camera() {
    let frame = |i: u32| {
        let tip = [f64::from(i) * 0.3, 0.0, 1.0];
        Drawing { tubes: vec![Tube::new(vec![[0.0; 3], tip], 0.02)], ..Drawing::default() }
    };
    let mut frames: Vec<Drawing> = (0..4).map(frame).collect();
    frames.push(frames[3].clone());
    let bytes = to_gif(&frames, &SMALL, 20.0).unwrap();
    let mut reader = ::gif::DecodeOptions::new().read_info(Cursor::new(bytes)).unwrap();
    assert_eq!((reader.width(), reader.height()), (200, 125));
    let mut count = 0;
    while let Some(frame) = reader.read_next_frame().unwrap() {
        assert_eq!(frame.delay, 5);
        count += 1;
    }
    assert_eq!(count, 5);
}

#[test]
fn the_colour_map_grows_evenly_lighter() {
    let light = |share: f64| {
        let [red, green, blue] = colour_map(share).map(f64::from);
        0.2126 * red.powf(2.2) + 0.7152 * green.powf(2.2) + 0.0722 * blue.powf(2.2)
    };
    let steps: Vec<f64> = (0..=50).map(|i| light(f64::from(i) / 50.0)).collect();
    assert!(steps.windows(2).all(|pair| pair[1] > pair[0]), "{steps:?}");
    assert_eq!(colour_map(f64::NAN), colour_map(f64::INFINITY));
    assert_eq!(colour_map(-3.0), colour_map(0.0));
}

#[test]
fn lengths_have_a_suitable_unit() {
    let cases = [(2000.0, "2 km"), (5.0, "5 m"), (0.2, "0.2 m"), (0.05, "50 mm"), (2e-6, "2 µm")];
    for (metres, text) in cases {
        assert_eq!(legend::length_text(metres), text);
    }
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -2.0..2.0, 1 => any::<f64>()]
}

fn vector() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(number())
}

/// Colour of a pixel of a cube of 1 m, seen along −y, at a place of its front face or edges.
fn cube_pixels(edges: &[[u32; 2]], places: &[[f64; 3]]) -> Vec<[i32; 3]> {
    let vertices: Vec<[f64; 3]> =
        (0..8).map(|i| [i & 1, (i >> 1) & 1, i >> 2].map(|x| f64::from(x) - 0.5)).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let surface = micado::object::body::Surface { vertices, triangles, edges: edges.to_vec() };
    let turn = glam::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let mesh = Solid::new(surface).at([0.0, 0.0, 0.5], turn.to_array());
    let drawing = Drawing { meshes: vec![mesh], ..Drawing::default() };
    let view = View { size: (1280, 800), direction: Some([0.0, -1.0, 0.0]), ground: false };
    let stage = Stage::fit(std::slice::from_ref(&drawing), &view).unwrap();
    let (width, pixels) = pixels(&drawing, &view);
    let pixel = |place: &[f64; 3]| {
        let seen = stage.camera.see(DVec3::from_array(*place)).unwrap();
        let at = (seen.y as usize * width + seen.x as usize) * 3;
        [0, 1, 2].map(|k| i32::from(pixels[at + k]))
    };
    places.iter().map(pixel).collect()
}

#[test]
fn a_solid_has_the_edges_that_are_in_front_and_hides_the_others() {
    // Turned by 90° about z, the corners 1 and 5 (at x = ½, y = −½) come to x = ½, y = ½: behind. Those at
    // x = −½, y = −½, 0 and 4, come to x = ½, y = −½: in front.
    let places = [[0.5, -0.5, 0.5], [0.2, -0.5, 0.7]];
    let front = cube_pixels(&[[0, 4]], &places);
    let grey = |[r, g, b]: [i32; 3]| r + g + b;
    assert!(grey(front[0]) < 300 && grey(front[1]) > 350, "{front:?}");
    // An edge across the back face is hidden.
    let behind = cube_pixels(&[[1, 7]], &[[0.0, -0.5, 0.5]]);
    let without = cube_pixels(&[], &[[0.0, -0.5, 0.5]]);
    assert_eq!(behind, without);
    let before = cube_pixels(&[[0, 6]], &[[0.0, -0.5, 0.5]]);
    assert!(grey(before[0]) < 300 && grey(before[0]) < grey(behind[0]) - 100, "{before:?} {behind:?}");
}

#[test]
fn a_gauge_has_ticks_at_its_limits_and_a_pointer_at_its_value() {
    let arch = || Drawing { tubes: vec![arch()], ..Drawing::default() };
    // Seen along the axis: y is away from the eye, x right and z up, so that −y × x is up.
    let view = View { size: (1280, 800), direction: Some([0.0, -1.0, 0.0]), ground: false };
    let gauge = Gauge {
        place: [0.0, 0.0, 0.5],
        axis: [0.0, -1.0, 0.0],
        zero: [1.0, 0.0, 0.0],
        turns: true,
        least: Some(0.0),
        most: Some(2.0),
        value: 1.0,
        ..Gauge::default()
    };
    let drawing = Drawing { gauges: vec![gauge.clone()], ..arch() };
    let stage = Stage::fit(std::slice::from_ref(&drawing), &view).unwrap();
    let seen = stage.camera.see(DVec3::from_array(gauge.place)).unwrap();
    let (width, with) = pixels(&drawing, &view);
    let (_, without) = pixels(&arch(), &view);
    let differs = |angle: f64, radius: f64| {
        let (x, y) = (seen.x + radius * angle.cos(), seen.y - radius * angle.sin());
        let at = (y as usize * width + x as usize) * 3;
        with[at..at + 3] != without[at..at + 3]
    };
    let radius = 30.0 * stage.unit();
    // The arc and its ticks, the pointer with its ball, and nothing beyond the limits.
    assert!(differs(0.5, radius) && differs(0.0, 1.1 * radius) && differs(2.0, 1.1 * radius));
    assert!(differs(1.0, 0.5 * radius) && differs(1.0, radius));
    assert!(!differs(0.5, 1.2 * radius) && !differs(3.0, radius) && !differs(-1.0, radius));
}

fn kind() -> impl Strategy<Value = MarkerKind> {
    (0..22, vector(), vector(), number()).prop_map(|(kind, a, b, radius)| match kind {
        0 => MarkerKind::Point,
        1 => MarkerKind::Clamp { direction: a },
        2 => MarkerKind::Plane { point: b, normal: a },
        3 => MarkerKind::Axis { direction: a },
        4 => MarkerKind::Sphere { centre: a },
        5 => MarkerKind::Distance { centre: a },
        6 => MarkerKind::Circle { centre: a, normal: b, radius },
        7 => MarkerKind::Curve { points: vec![a, b] },
        8 => MarkerKind::Roll { direction: a },
        9 => MarkerKind::Tangent { direction: a },
        10 => MarkerKind::Ring { direction: a },
        11 => MarkerKind::Target,
        12 => MarkerKind::Jaws { direction: a },
        13 => MarkerKind::Clip { opening: a, open: radius > 0.5 },
        14 => MarkerKind::Winch,
        15 => MarkerKind::Hinge { axis: a },
        16 => MarkerKind::Slider { axis: a },
        17 => MarkerKind::Cylindrical { axis: a },
        18 => MarkerKind::Universal { axis: a },
        19 => MarkerKind::Planar { normal: a },
        20 => MarkerKind::Ball,
        _ => MarkerKind::Joint,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_drawing_gives_a_picture(
        points in prop::collection::vec(vector(), 0..6),
        value in prop::collection::vec(number(), 0..6),
        kinds in prop::collection::vec(kind(), 0..5),
        place in vector(),
        force in vector(),
        radius in number(),
        direction in prop::option::of(vector()),
    ) {
        let markers = kinds.into_iter().map(|kind| Marker::new(place, kind)).collect();
        let vertices = points.clone();
        let drawing = Drawing {
            tubes: vec![Tube { value, ..Tube::new(points, radius) }],
            spheres: vec![Sphere { centre: force, radius, colour: None }],
            meshes: vec![Mesh {
                vertices,
                triangles: vec![[0, 1, 2], [1, 2, 9]],
                edges: vec![[0, 1], [1, 9]],
                ..Mesh::default()
            }],
            markers,
            lines: [LineKind::Spring, LineKind::Torsion]
                .map(|kind| Line { from: place, to: force, kind })
                .to_vec(),
            trails: vec![vec![place, force]],
            arrows: vec![Arrow { place, force, label: "F".into() }],
            gauges: [false, true]
                .map(|turns| Gauge {
                    place,
                    axis: force,
                    zero: [radius, 0.0, 1.0],
                    turns,
                    least: direction.map(|_| -radius),
                    value: radius,
                    target: direction.map(|of| of[0]),
                    label: "1 N".into(),
                    ..Gauge::default()
                })
                .to_vec(),
            title: "any".into(),
            colour_bar: Some(ColourBar::default()),
            ..Drawing::default()
        };
        let view = View { size: (96, 64), direction, ground: true };
        prop_assert!(drawing.to_png(&view).is_ok());
    }
}
