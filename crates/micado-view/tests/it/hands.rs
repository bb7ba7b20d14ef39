//! Physics through the socket: hands, and the forces that they report.

use crate::common::{WEIGHT, ask, connect, serve};
use micado_view::client::Client;
use serde_json::{Value, json};

/// Reads frames until one has the newest table and is `seconds` of simulated time later.
fn later(client: &mut Client, seconds: f64) {
    client.until_frame(Client::is_matched).expect("a frame");
    let from = client.time();
    client.until_frame(|client| client.is_matched() && client.time() >= from + seconds).expect("frames");
}

/// Stops at the start.
fn stop_at_start(client: &mut Client) {
    ask(client, json!("pause"));
    ask(client, json!("reset"));
    client.until_frame(|client| client.time() == 0.0).expect("the start");
}

#[test]
fn a_hand_reports_the_weight_that_it_carries() {
    let server = serve(WEIGHT);
    let mut client = connect(&server);
    let name =
        ask(&mut client, json!({ "grab": { "on": "ball" } }))["name"].as_str().expect("a name").to_owned();
    later(&mut client, 0.1);
    let k = client.constraint_index(&name).expect("a constraint");
    let held = client.constraint(k);
    // m g; frames are in single precision.
    assert!((held.force[2] - 19.62).abs() < 1e-4 && held.force[0].abs() < 1e-4, "force {:?}", held.force);
    let table = client.told["table"].clone();
    assert_eq!(table["constraints"][k]["hand"], true);

    // Lifted by half a metre, and at rest there.
    let place = held.place.map(f64::from);
    let target = [place[0], place[1], place[2] + 0.5];
    client.send(&json!({ "move": { "name": name, "position": target } })).unwrap();
    later(&mut client, 0.5);
    let lifted = client.constraint(k);
    assert!((f64::from(lifted.place[2]) - target[2]).abs() < 1e-6, "{lifted:?}");
    assert!((lifted.force[2] - 19.62).abs() < 1e-3, "at rest again: {:?}", lifted.force);

    // A pinned mass stays; a released one falls by g t²/2, with implicit Euler by g t (t + h)/2.
    let pin = ask(&mut client, json!({ "drop": { "name": name, "how": "pin" } }));
    later(&mut client, 0.1);
    assert!((client.probe(0) - target[2]).abs() < 1e-6, "{} {pin}", client.probe(0));
    ask(&mut client, json!("pause"));
    client.until_frame(|client| !client.is_playing()).expect("it stands");
    ask(&mut client, json!({ "edit": { "release": pin["name"] } }));
    let from = client.time();
    ask(&mut client, json!({ "step": { "count": 20 } }));
    client.until_frame(|client| client.time() >= from + 0.1999).expect("frames");
    let fallen = target[2] - client.probe(0);
    assert!((fallen - 0.5 * 9.81 * 0.2 * 0.21).abs() < 1e-9, "{fallen}");
}

#[test]
fn closing_a_page_releases_the_mass_that_it_held() {
    let server = serve(WEIGHT);
    let mut client = connect(&server);
    ask(&mut client, json!({ "grab": { "on": "ball" } }));
    let mut other = connect(&server);
    later(&mut other, 0.2);
    let held = other.probe(0);
    later(&mut other, 0.1);
    assert_eq!(other.probe(0), held, "held");
    drop(client);
    other.until(|message| message["status"]["pages"] == 1).expect("the status");
    later(&mut other, 0.2);
    assert!(other.probe(0) < held - 0.05, "it fell to {}", other.probe(0));
    assert_eq!(
        other
            .ask(&json!({ "move": { "name": "hand-1",
            "position": [0, 0, 0] } }))
            .unwrap()
            .unwrap_err()["problem"],
        "there is no hand called `hand-1`"
    );
}

#[test]
fn undo_restores_the_state_bit_for_bit() {
    let server = serve(WEIGHT);
    let mut client = connect(&server);
    stop_at_start(&mut client);
    ask(&mut client, json!({ "step": { "count": 7 } }));
    client.until_frame(|client| (client.time() - 0.07).abs() < 1e-9).expect("frames");
    let run = |client: &mut Client| -> Vec<u64> {
        (0..3)
            .map(|_| {
                let next = client.time() + 0.009;
                ask(client, json!({ "step": { "count": 1 } }));
                client.until_frame(|client| client.is_matched() && client.time() > next).expect("a frame");
                client.probe(0).to_bits()
            })
            .collect()
    };
    let name: Value = ask(&mut client, json!({ "grab": { "on": "ball" } }))["name"].clone();
    client.send(&json!({ "move": { "name": name, "position": [0.1, 0.2, 1.5] } })).unwrap();
    let with = run(&mut client);
    assert_eq!(ask(&mut client, json!("undo"))["what"], "grab of `ball`");
    client.until_frame(|client| (client.time() - 0.07).abs() < 1e-9).expect("the time before");
    let without = run(&mut client);
    assert_ne!(with, without);
    stop_at_start(&mut client);
    ask(&mut client, json!({ "step": { "count": 7 } }));
    client.until_frame(|client| (client.time() - 0.07).abs() < 1e-9).expect("frames");
    assert_eq!(run(&mut client), without, "the same bits as if nobody had grabbed it");
}

/// A block of 2 kg without weight.
const BLOCK: &str = "
[settings]
step = 0.01
gravity = [0, 0, 0]
[body.block]
shape.box.size = [0.2, 0.2, 0.2]
density = 250
position = [0, 0, 1]
";

#[test]
fn a_hand_holds_a_point_of_a_body_and_turns_it() {
    let server = serve(BLOCK);
    let mut client = connect(&server);
    later(&mut client, 0.01);
    let meshes = client.told["meshes"].as_array().expect("meshes").clone();
    // 12 triangles and 12 edges.
    assert_eq!((meshes.len(), meshes[0]["positions"].as_array().map(Vec::len)), (1, Some(12 * 9)));
    assert_eq!(meshes[0]["edges"].as_array().map(Vec::len), Some(12 * 6));
    assert_eq!(client.told["table"]["objects"][0]["mesh"], 0);
    assert_eq!((client.point(0), client.orientation(0)), ([0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]));

    let grab = json!({ "grab": { "on": "block", "point": [0.1, 0.0, 0.0], "orientation": true } });
    let name = ask(&mut client, grab)["name"].as_str().expect("a name").to_owned();
    later(&mut client, 0.05);
    let k = client.constraint_index(&name).expect("a constraint");
    assert_eq!(client.constraint(k).place, [0.1, 0.0, 1.0]);
    // A quarter turn about z at the grabbed point: the centre comes to its other side.
    let quarter = std::f64::consts::FRAC_PI_2;
    let to =
        json!({ "move": { "name": name, "position": [0.1, 0.0, 1.0], "rotation": [0.0, 0.0, quarter] } });
    client.send(&to).unwrap();
    later(&mut client, 1.0);
    let ([x, y, z], [qx, qy, qz, qw]) = (client.point(0), client.orientation(0));
    let half = std::f32::consts::FRAC_1_SQRT_2;
    // Single precision.
    assert!(qx.abs() + qy.abs() + (qz - half).abs() + (qw - half).abs() < 1e-4, "{qx} {qy} {qz} {qw}");
    assert!((x - 0.1).abs() + (y + 0.1).abs() + (z - 1.0).abs() < 1e-4, "{x} {y} {z}");
}
