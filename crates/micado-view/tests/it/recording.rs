//! A recording shows the frames that the page got, without a simulation.

use crate::common::{WEIGHT, ask, connect, serve};
use micado_view::client::Client;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Longer than the time between two frames of a recording.
const PAUSE: Duration = Duration::from_millis(40);

/// The newest table, without its serial.
fn table(client: &Client) -> Value {
    let mut table = client.told["table"].clone();
    table["serial"] = Value::Null;
    table
}

/// Between them, these have all that is drawn: rods, masses, pearls, eyes, clips, curves, planes, circles,
/// springs, forces, drag and winches.
const SCENES: [&str; 10] = [
    "necklace",
    "clips",
    "winch",
    "spring-weights",
    "wind-cable",
    "crank",
    "helix-slide",
    "car-door",
    "bridge",
    "pulley",
];

#[test]
fn a_recording_has_the_frames_of_the_simulation_byte_for_byte() {
    let server = serve(WEIGHT);
    let mut client = connect(&server);
    ask(&mut client, json!("pause"));
    ask(&mut client, json!({ "colour": "tension" }));
    let (mut compared, mut hands, mut kinds) = (0, 0, BTreeMap::<String, usize>::new());
    for name in SCENES {
        ask(&mut client, json!({ "open": { "builtin": name } }));
        client.until(|message| message["scene"]["name"] == name).expect("the scene");
        client.until_frame(|client| client.is_matched() && client.time() == 0.0).expect("its start");
        let step = client.told["scene"]["step"].as_f64().expect("a step");
        ask(&mut client, json!({ "record": true }));
        let mut seen = BTreeMap::new();
        for k in 0..4 {
            if k == 2 {
                let first = &client.told["table"]["objects"][0];
                let mut place = json!({ "on": first["name"] });
                if first["kind"] == "rod" {
                    place["at"] = json!(0.5 * first["length"].as_f64().expect("a length"));
                }
                ask(&mut client, json!({ "grab": place }));
            }
            std::thread::sleep(PAUSE);
            let due = client.time() + 0.5 * step;
            ask(&mut client, json!({ "step": { "count": 1 } }));
            client.until_frame(|client| client.is_matched() && client.time() > due).expect("a step");
            seen.insert(client.time().to_bits(), (client.body().to_vec(), table(&client)));
        }
        ask(&mut client, json!({ "record": false }));
        let taken = ask(&mut client, json!({ "export": "recording" }))["base64"].clone();
        ask(&mut client, json!({ "open": { "name": "seen.micado", "recording": taken } }));
        let opened = client.until(|message| message["scene"]["name"] == "seen.micado").expect("a recording");
        let frames = opened["scene"]["recording"]["frames"].as_u64().expect("frames") as usize;
        for frame in 0..frames {
            ask(&mut client, json!({ "seek": { "frame": frame } }));
            client
                .until_frame(|client| client.is_matched() && client.recording_frame() == frame)
                .expect("a frame");
            let Some((bytes, there)) = seen.get(&client.time().to_bits()) else { continue };
            assert_eq!(table(&client), *there, "{name}, frame {frame}");
            assert!(client.body() == bytes, "{name}, frame {frame}");
            compared += 1;
            for list in ["objects", "constraints", "springs", "loads", "winches", "probes"] {
                for row in there[list].as_array().into_iter().flatten() {
                    let kind = row.get("kind").or(row.get("read")).and_then(Value::as_str);
                    *kinds.entry(format!("{list} {}", kind.unwrap_or(""))).or_default() += 1;
                    hands += usize::from(row["hand"] == true);
                }
            }
        }
    }
    assert!(compared >= 3 * SCENES.len() && hands >= SCENES.len(), "{compared} frames, {hands} hands");
    for kind in [
        "objects rod",
        "objects mass",
        "objects pearl",
        "constraints keyhole",
        "constraints pearl",
        "constraints clip",
        "constraints trajectory",
        "springs linear",
        "loads force",
        "loads drag",
        "winches ",
    ] {
        assert!(kinds.contains_key(kind), "{kind} is not among {kinds:?}");
    }
}

#[test]
fn energies_and_events_of_a_recording_are_those_of_the_run() {
    let server = serve(WEIGHT);
    let mut client = connect(&server);
    ask(&mut client, json!({ "record": true }));
    ask(&mut client, json!({ "edit": { "gravity": [0, 0, -1] } }));
    let from = client.time();
    client.until_frame(|client| client.time() > from + 0.3).expect("frames");
    let of_edits = |client: &Client| {
        client.events.iter().filter(|event| event["kind"] == "action").cloned().collect::<Vec<_>>()
    };
    let told = of_edits(&client);
    assert!(!told.is_empty(), "{:?}", client.events);
    ask(&mut client, json!("pause"));
    ask(&mut client, json!({ "record": false }));
    let taken = ask(&mut client, json!({ "export": "recording" }))["base64"].clone();
    client.events.clear();
    ask(&mut client, json!({ "open": { "name": "seen.micado", "recording": taken } }));
    let opened = client.until(|message| message["scene"]["name"] == "seen.micado").expect("a recording");
    assert_eq!(opened["scene"]["title"], "weight");
    let last = opened["scene"]["recording"]["frames"].as_u64().expect("frames") - 1;
    ask(&mut client, json!({ "seek": { "frame": last } }));
    client.until_frame(|client| client.recording_frame() as u64 == last).expect("the last frame");
    assert_eq!(of_edits(&client), told);
    // m v²/2 of a falling mass of 2 kg.
    let status = client.until(|message| message["status"]["energies"]["kinetic"] != 0.0).expect("energies");
    let energies = &status["status"]["energies"];
    let [kinetic, gravity, total] =
        ["kinetic", "gravity", "total"].map(|name| energies[name].as_f64().expect("a number"));
    assert!(kinetic > 0.0 && (kinetic + gravity - total).abs() < 1e-9, "{energies}");
}
