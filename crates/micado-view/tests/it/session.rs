//! Actions of a page on a scene: edit, watch, measure, record, export.

use crate::common::{WEIGHT, ask, connect, serve};
use micado_io::record::Recording;
use micado_io::scene;
use micado_view::client::Client;
use micado_view::{Options, ServeError, Server, Show};
use serde_json::{Value, json};
use std::path::Path;

/// A cable of 1 m and 0.2 kg that hangs from its start, at rest.
const CABLE: &str = r#"
title = "cable"
[settings]
step = 0.01
settle = true
[rod.cable]
shape.line = { from = [0, 0, 0], to = [0, 0, -1] }
stiffness = { stretch = 1000, bend = 0.001, twist = 0.001 }
mass_per_length = 0.2
damping.mass = 5
[constraint.top.position]
on = "cable"
at = "start"
[[probe]]
name = "end"
of = "cable"
at = "end"
read = "position"
component = "z"
"#;

const WEIGHT_OF_CABLE: f64 = 0.2 * 9.81;

fn stopped(text: &str) -> (Server, Client) {
    let server = serve(text);
    let mut client = connect(&server);
    ask(&mut client, json!("pause"));
    ask(&mut client, json!("reset"));
    client.until_frame(|client| client.is_matched() && client.time() == 0.0).expect("the start");
    (server, client)
}

fn step(client: &mut Client, count: u64) {
    let due = client.time() + 0.01 * count as f64 - 1e-6;
    ask(client, json!({ "step": { "count": count } }));
    client.until_frame(|client| client.is_matched() && client.time() >= due).expect("steps");
}

#[test]
fn inspected_and_watched_tensions_of_a_hanging_cable_are_its_weight() {
    let (_server, mut client) = stopped(CABLE);
    let top = ask(&mut client, json!({ "inspect": { "on": "cable", "at": 0 } }));
    let middle = ask(&mut client, json!({ "inspect": { "on": "cable" } }));
    // T = μ g (L − s); within the first of 16 segments it comes from the mean and the slope of the stretch.
    let value = |reading: &Value, name: &str| {
        let values = reading["values"].as_array().expect("values");
        let found = values.iter().find(|value| value["name"] == name).expect("a value of this name");
        found["value"][0].as_f64().expect("a number")
    };
    assert!((value(&top, "Tension") / WEIGHT_OF_CABLE - 1.0).abs() < 0.005, "{top}");
    assert!((value(&middle, "Tension") / WEIGHT_OF_CABLE - 0.5).abs() < 0.001, "{middle}");
    assert!((value(&middle, "Mass") - 0.2).abs() < 1e-12 && middle["kind"] == "rod");
    // ΔL = m g L / 2 EA
    let longer = value(&middle, "Length now") - middle["rest_length"].as_f64().unwrap();
    assert!((longer - WEIGHT_OF_CABLE / 2000.0).abs() < 1e-5, "{longer}");

    ask(
        &mut client,
        json!({ "watch": { "probe": { "name": "pull", "of": "top", "read": "force", "component": "z" } } }),
    );
    step(&mut client, 1);
    assert!((client.probe(1) - WEIGHT_OF_CABLE).abs() < 1e-6, "{}", client.probe(1));
    assert_eq!(
        client.told["table"]["probes"][1],
        json!({ "name": "pull", "unit": "N", "of": "top", "read": "force" })
    );
    let csv = ask(&mut client, json!({ "export": "csv" }))["text"].as_str().unwrap().to_owned();
    assert!(csv.starts_with("time,end,pull\n0.01,"), "{csv}");
    ask(&mut client, json!({ "unwatch": { "name": "pull" } }));
    for wrong in [
        json!({ "name": "a,b", "of": "top", "read": "force" }),
        json!({ "name": "x", "of": "nobody", "read": "force" }),
    ] {
        assert!(client.ask(&json!({ "watch": { "probe": wrong } })).unwrap().is_err());
    }
}

#[test]
fn undo_and_redo_of_a_cut_restore_the_bits() {
    let (_server, mut client) = stopped(CABLE);
    step(&mut client, 3);
    ask(&mut client, json!({ "edit": { "cut": { "rod": "cable", "at": "50 %", "second": "tail" } } }));
    step(&mut client, 5);
    assert_eq!(client.told["table"]["objects"].as_array().unwrap().len(), 2);
    let fallen = (client.body().to_vec(), client.time());
    assert!(client.ask(&json!({ "edit": { "cut": { "rod": "nobody", "at": "50 %" } } })).unwrap().is_err());
    assert!(
        ask(&mut client, json!("undo"))["what"].as_str().unwrap().contains("cut"),
        "a failed edit is not undone"
    );
    client
        .until_frame(|client| client.is_matched() && (client.time() - 0.03).abs() < 1e-9)
        .expect("before the cut");
    assert_eq!(client.told["table"]["objects"].as_array().unwrap().len(), 1);
    ask(&mut client, json!("redo"));
    client
        .until_frame(|client| client.is_matched() && (client.time() - 0.08).abs() < 1e-9)
        .expect("after the cut");
    assert_eq!((client.body().to_vec(), client.time()), fallen);
}

#[test]
fn a_recording_is_exported_and_played_back_frame_by_frame() {
    let server = serve(CABLE);
    let mut client = connect(&server);
    ask(&mut client, json!({ "edit": { "release": "top" } }));
    ask(&mut client, json!({ "record": true }));
    client.until(|message| message["status"]["recording"] == true).expect("the status");
    ask(&mut client, json!({ "edit": { "gravity": [0, 0, -9.81] } }));
    let from = client.time().max(0.0);
    client.until_frame(|client| client.time() > from + 0.5).expect("frames");
    ask(&mut client, json!({ "record": false }));
    let taken = ask(&mut client, json!({ "export": "recording" }));
    assert_eq!(taken["name"], "test.micado");

    ask(&mut client, json!("pause"));
    client.events.clear();
    ask(&mut client, json!({ "open": { "name": "fall.micado", "recording": taken["base64"] } }));
    let opened = client.until(|message| message["scene"]["name"] == "fall.micado").expect("the scene");
    let frames = opened["scene"]["recording"]["frames"].as_u64().expect("frames");
    assert!(frames >= 8, "{frames} in half a second");
    ask(&mut client, json!({ "seek": { "frame": frames - 1 } }));
    client
        .until_frame(|client| client.is_matched() && client.recording_frame() as u64 == frames - 1)
        .expect("the last frame");
    assert!((client.time() - opened["scene"]["recording"]["end"].as_f64().unwrap()).abs() < 1e-12);
    let replayed =
        |event: &&serde_json::Value| event["text"] == "gravity changed" && event["kind"] == "action";
    assert_eq!(client.events.iter().filter(replayed).count(), 1, "{:?}", client.events);
    let last = client.point(0)[2];
    ask(&mut client, json!({ "seek": { "frame": 0 } }));
    client.until_frame(|client| client.recording_frame() == 0).expect("the first frame");
    assert!(client.point(0)[2] > last + 0.1, "it has fallen");
    assert!(client.ask(&json!({ "seek": { "frame": frames } })).unwrap().is_err());
    assert!(client.ask(&json!({ "grab": { "on": "cable", "at": 0 } })).unwrap().is_err());
    // Playback stops at the end.
    ask(&mut client, json!("play"));
    client
        .until_frame(|client| client.recording_frame() as u64 == frames - 1 && !client.is_playing())
        .expect("it stands at the end");
    ask(&mut client, json!("undo"));
    client.until(|message| message["scene"]["name"] == "test.toml").expect("the scene before");
}

#[test]
fn a_link_in_a_recording_ends_at_its_object() {
    let cable = CABLE.replace("settle = true\n", "");
    let text = format!(
        "{cable}[mass.ball]\nmass = 0.1\nposition = [0.3, 0, -0.5]\n\
         [constraint.link.distance]\non = \"ball\"\nto = {{ on = \"cable\", at = \"75 %\" }}\n"
    );
    let (_server, mut client) = stopped(&text);
    let seen = |client: &Client| {
        let link = client.constraint(client.constraint_index("link").expect("the link"));
        [link.place, link.centre].concat()
    };
    let start = seen(&client);
    ask(&mut client, json!({ "record": true }));
    ask(&mut client, json!("play"));
    client.until_frame(|client| client.time() > 0.5).expect("frames");
    ask(&mut client, json!("pause"));
    client.until_frame(|client| !client.is_playing()).expect("it stands");
    let now = seen(&client);
    let taken = ask(&mut client, json!({ "export": "recording" }))["base64"].clone();
    ask(&mut client, json!({ "open": { "name": "swing.micado", "recording": taken } }));
    let opened = client.until(|message| message["scene"]["name"] == "swing.micado").expect("the scene");
    let last = opened["scene"]["recording"]["frames"].as_u64().expect("frames") - 1;
    ask(&mut client, json!({ "seek": { "frame": last } }));
    client
        .until_frame(|client| client.is_matched() && client.recording_frame() as u64 == last)
        .expect("the last frame");
    let far = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
    assert!(far(&now[3..], &start[3..]) > 0.05, "the cable has swung: {now:?} {start:?}");
    // The recording has up to 30 frames a second.
    assert!(
        far(&seen(&client)[3..], &now[3..]) < 0.3 * far(&now[3..], &start[3..]),
        "{:?} {now:?}",
        seen(&client)
    );
    // The length of the link has not changed.
    let length = |link: &[f32]| far(&link[..3], &link[3..]);
    assert!(
        (length(&seen(&client)) - length(&start)).abs() < 1e-3,
        "{} {}",
        length(&seen(&client)),
        length(&start)
    );
}

/// A server that records into a file.
fn record_into(path: &Path, port: u16) -> Result<Server, ServeError> {
    let show = Show::Scene {
        file: Box::new(scene::parse("test.toml", CABLE, &["settings.step=0.005".to_owned()]).unwrap()),
        builtin: false,
    };
    Server::start(Options { show, host: None, port: Some(port), record: Some(path.to_owned()) })
}

#[test]
fn a_recording_ends_when_something_else_is_opened_and_a_page_ends_only_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.micado");
    let server = record_into(&path, 0).expect("a server");
    let mut client = connect(&server);
    client.until_frame(|client| client.time() > 0.2).expect("frames");
    // The recording of a page starts and ends; that of the command line continues.
    ask(&mut client, json!({ "record": true }));
    client.until_frame(|client| client.time() > 0.4).expect("frames");
    ask(&mut client, json!({ "record": false }));
    client.until_frame(|client| client.time() > 0.6).expect("frames");
    ask(&mut client, json!({ "record": true }));
    client.until_frame(|client| client.time() > 0.8).expect("frames");
    ask(&mut client, json!({ "open": { "builtin": "pendulum" } }));
    client.until(|message| message["scene"]["name"] == "pendulum").expect("the scene");
    client
        .until_frame(|client| client.is_matched() && client.time() > 1.0)
        .expect("frames of the other scene");
    let ended = client.events.iter().filter(|event| event["kind"] == "recording").count();
    assert_eq!(ended, 2, "{:?}", client.events);
    assert_eq!(ask(&mut client, json!({ "export": "recording" }))["name"], "test.micado");
    drop(server);
    let recording = Recording::open(&path).expect("a whole recording");
    assert_eq!(recording.meta().overrides, ["settings.step=0.005"]);
    let end = recording.time(recording.len() - 1).unwrap();
    assert!(end > 0.7, "{end} s");
    assert!(
        (0..recording.len()).all(|frame| recording.table(frame).objects[0].name == "cable"),
        "no frames of the pendulum"
    );
}

#[test]
fn a_server_without_a_port_does_not_truncate_its_recording() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.micado");
    std::fs::write(&path, "something dear").unwrap();
    let other = serve(CABLE);
    assert!(record_into(&path, other.address().port()).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), b"something dear");
}

#[test]
fn the_exported_scene_starts_from_the_current_state() {
    let (_server, mut client) = stopped(CABLE);
    let hand = ask(&mut client, json!({ "grab": { "on": "cable", "at": 1.0 } }))["name"].clone();
    client.send(&json!({ "move": { "name": hand, "position": [0.5, 0, -0.5] } })).unwrap();
    step(&mut client, 100);
    let pin = ask(&mut client, json!({ "drop": { "name": hand, "how": "pin" } }))["name"]
        .as_str()
        .unwrap()
        .to_owned();
    step(&mut client, 1);
    let points: Vec<_> = (0..client.points()).map(|k| client.point(k)).collect();
    ask(&mut client, json!({ "poke": { "on": "cable", "at": 0.5, "force": [0, 1, 0] } }));
    let text = ask(&mut client, json!({ "export": "scene" }))["text"].as_str().unwrap().to_owned();
    let file = scene::parse("now.toml", &text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(scene::trial(file.scene()).is_none(), "`micado check` accepts it");
    assert!(file.scene().constraint.contains_key(&pin));
    assert!(file.scene().load.is_empty(), "pokes are left out");
    ask(&mut client, json!({ "open": { "name": "now.toml", "text": text } }));
    client.until(|message| message["scene"]["name"] == "now.toml").expect("the scene");
    client.until_frame(|client| client.is_matched() && client.time() == 0.0).expect("its start");
    let apart =
        |k: usize| points[k].iter().zip(client.point(k)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    // Points are evenly spaced by rest length, which is now measured along the current curve.
    assert!(
        (0..points.len()).all(|k| apart(k) < 2e-3),
        "{:?}",
        (0..points.len()).map(apart).fold(0.0, f32::max)
    );
}

#[test]
fn contradicting_constraints_are_reported_with_their_names_and_the_server_continues() {
    let (_server, mut client) = stopped(WEIGHT);
    // A mass held at two places at once.
    for (name, x) in [("here", 0.0), ("there", 0.5)] {
        ask(
            &mut client,
            json!({ "edit": { "add-constraint": { "name": name,
                "to": { "position": { "on": "ball", "target": [x, 0, 1] } } } } }),
        );
    }
    ask(&mut client, json!({ "step": { "count": 2 } }));
    let told = client.until(|message| !message["status"]["trouble"].is_null()).expect("trouble");
    let trouble = &told["status"]["trouble"];
    assert_eq!((&trouble["object"], trouble["constraint"].is_string()), (&json!("ball"), true), "{trouble}");
    assert!(
        trouble["text"].as_str().is_some_and(|text| text.contains("here") || text.contains("there")),
        "{trouble}"
    );
    ask(&mut client, json!("undo"));
    ask(&mut client, json!({ "step": { "count": 1 } }));
    client
        .until(|message| message.get("status").is_some_and(|status| status["trouble"].is_null()))
        .expect("no more trouble");
}

#[test]
fn static_mode_brings_the_cable_to_rest_and_a_poke_moves_it() {
    let (_server, mut client) = stopped(CABLE);
    let rest = client.probe(0);
    ask(&mut client, json!({ "poke": { "on": "cable", "at": 1.0, "force": [0, 0, -1] } }));
    step(&mut client, 5);
    assert!(client.probe(0) < rest - 1e-4, "the poke stretches it: {} {rest}", client.probe(0));
    step(&mut client, 10);
    assert!(client.told["table"]["loads"].as_array().unwrap().is_empty(), "it has ended");
    ask(&mut client, json!({ "mode": "static" }));
    client.until(|message| message["status"]["mode"] == "static").expect("the status");
    step(&mut client, 1);
    assert!((client.probe(0) - rest).abs() < 1e-9, "{} {rest}", client.probe(0));
    assert_eq!(ask(&mut client, json!("undo"))["what"], "poke of `cable`");
    client.until_frame(|client| client.is_matched() && client.time() == 0.0).expect("the start");
    for force in [json!([1e7, 0, 0]), json!([1e300, 1e300, 0])] {
        assert!(
            client.ask(&json!({ "poke": { "on": "cable", "at": 1.0, "force": force } })).unwrap().is_err(),
            "{force}"
        );
    }
}

#[test]
fn vibrations_of_a_taut_string_have_the_frequencies_of_theory() {
    let string = CABLE
        .replace("settle = true", "gravity = [0, 0, 0]")
        .replace("stretch = 1000, bend = 0.001, twist = 0.001", "stretch = 1e5, bend = 1e-9, twist = 1")
        .replace(
            "[constraint.top.position]",
            "[constraint.roll.roll]\non = \"cable\"\nat = \"start\"\n\
             [load.pull.force]\non = \"cable\"\nat = \"end\"\nforce = [0, 0, -80]\n\
             [constraint.end.axis]\non = \"cable\"\nat = \"end\"\ndirection = [0, 0, 1]\n\
             [constraint.top.position]",
        )
        .replace("gravity = [0, 0, 0]", "gravity = [0, 0, 0]\nsettle = true");
    let (_server, mut client) = stopped(&string);
    step(&mut client, 1);
    let modes = ask(&mut client, json!({ "modes": { "count": 4 } }));
    let modes = modes.as_array().unwrap();
    // f = √(T/μ)/2L, twice (two directions), and its double. For L and μ of the stretched string
    // √(80/0.2)/2 = 10 Hz, within the stretch of 8e-4.
    let frequency = |k: usize| modes[k]["frequency"].as_f64().unwrap();
    for (k, expected) in [(0, 10.0), (1, 10.0), (2, 20.0), (3, 20.0)] {
        assert!((frequency(k) / expected - 1.0).abs() < 5e-3, "mode {k}: {} Hz", frequency(k));
    }
    let shape = modes[0]["shape"].as_array().unwrap();
    assert_eq!(shape.len(), client.points());
    let farthest = |point: &Value| {
        point.as_array().unwrap().iter().map(|x| x.as_f64().unwrap().powi(2)).sum::<f64>().sqrt()
    };
    let most = shape.iter().map(farthest).fold(0.0, f64::max);
    assert!(
        (most - 1.0).abs() < 1e-12 && (farthest(&shape[shape.len() / 2]) - 1.0).abs() < 1e-3,
        "the middle swings most"
    );
    let svg = ask(&mut client, json!("matrix"))["svg"].as_str().unwrap().to_owned();
    assert!(svg.contains("<svg") && svg.contains("unknowns"));
}

#[test]
fn moving_paths_and_growing_circles_are_displayed() {
    let text = r#"
[settings]
step = 0.01
gravity = [0, 0, 0]
[mass.a]
mass = 1
position = [0, 0, 0]
[mass.b]
mass = 1
position = [2, 0, 0]
[constraint]
[constraint.path.trajectory]
on = "a"
path.line = { from = [-0.5, 0, 0], to = [0.5, 0, 0] }
displacement.ramp = { to = [0, 0, 1], end = 1 }
[constraint.ring.circle]
on = "b"
centre = [1, 0, 0]
normal = [0, 0, 1]
radius.ramp = { from = 1, to = 2, end = 1 }
"#;
    let (_server, mut client) = stopped(text);
    step(&mut client, 50);
    let [path, ring] =
        ["path", "ring"].map(|name| client.constraint(client.constraint_index(name).expect("it is there")));
    // Start of the path and radius of the circle after half a second.
    assert!(
        [-0.5, 0.0, 0.5].iter().zip(&path.centre).all(|(expected, x)| (x - expected).abs() < 1e-6),
        "{path:?}"
    );
    assert!((ring.radius - 1.5).abs() < 1e-6 && (ring.place[0] - 2.5).abs() < 1e-6, "{ring:?}");
}

#[test]
fn a_text_is_checked_without_opening_it_and_its_size_is_limited() {
    let (_server, mut client) = stopped(WEIGHT);
    assert_eq!(ask(&mut client, json!({ "check": { "text": WEIGHT } })), json!([]));
    let error = client.ask(&json!({ "check": { "text": "[mass.ball]\nmas = 2\n" } })).unwrap().unwrap_err();
    assert_eq!((&error["line"], &error["column"]), (&json!(2), &json!(1)), "{error}");
    assert!(error["remedy"].as_str().unwrap().contains("mass"));
    // Too many segments are refused in a check, in a scene and in an edit.
    let long = CABLE.replace("[rod.cable]", "[rod.cable]\nsegments = 150000");
    let rod = json!({ "name": "more",
        "to": { "radius": 0.01, "young": 1e7, "density": 1000, "segments": 250_000 } });
    let two = format!("{long}[rod.other]\nradius = 0.01\nyoung = 1e7\ndensity = 1000\nsegments = 100000\n");
    for what in [
        json!({ "check": { "text": two } }),
        json!({ "open": { "name": "big.toml", "text": two } }),
        json!({ "edit": { "add-rod": rod } }),
    ] {
        let error = client.ask(&what).unwrap().unwrap_err();
        assert!(error["problem"].as_str().unwrap().contains("250000 segments"), "{error}");
    }
    let gallery = ask(&mut client, json!("gallery"));
    let bridge =
        gallery.as_array().unwrap().iter().find(|card| card["name"] == "bridge").expect("the bridge");
    assert_eq!(bridge["title"], "A rope bridge with somebody on it");
}

#[test]
fn a_mesh_that_was_turned_is_an_event_when_it_is_opened_or_added() {
    let (_server, mut client) = stopped(WEIGHT);
    let wedge = json!({ "fixed": true, "shape": { "mesh": {
        "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "triangles": [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] } } });
    let reports = |client: &Client, name: &str| {
        let text = format!("turned: the mesh `body.{name}.shape.mesh` was inside out");
        client.events.iter().filter(|event| event["kind"] == "remark" && event["text"] == text).count()
    };
    ask(&mut client, json!({ "edit": { "add-body": { "name": "wedge", "to": wedge } } }));
    client.until(|message| message["events"].to_string().contains("inside out")).expect("an event");
    ask(&mut client, json!({ "step": { "count": 3 } }));
    assert_eq!(reports(&client, "wedge"), 1);
    let text = format!(
        "{WEIGHT}[body.opened]\nfixed = true\nshape.mesh.vertices = {}\nshape.mesh.triangles = {}\n",
        wedge["shape"]["mesh"]["vertices"], wedge["shape"]["mesh"]["triangles"]
    );
    ask(&mut client, json!({ "open": { "name": "opened.toml", "text": text } }));
    client.until(|message| message["events"].to_string().contains("body.opened")).expect("an event");
    assert_eq!(reports(&client, "opened"), 1);
}
