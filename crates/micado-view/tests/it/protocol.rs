//! Every message of a page is answered, and the simulation continues.

use crate::common::{WEIGHT, ask, connect, serve};
use micado_view::client::Client;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Any JSON.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop_oneof![Just(1e308), Just(-1e308), Just(5e-324), Just(-0.0), Just(1e17)].prop_map(Value::from),
        prop_oneof![
            "[a-z-]{0,12}",
            Just("ball".to_owned()),
            Just("hand-1".to_owned()),
            Just("\u{0}\u{ffff}😀".to_owned())
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-z_]{1,10}", inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A number, usually a valid one.
fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        20 => (0.0..2.0).prop_map(Value::from),
        1 => prop::sample::select(vec![json!(0), json!(-1), json!(1e300), json!(-0.0), json!(null)]),
        1 => any::<f64>().prop_map(Value::from),
    ]
}

fn vector() -> impl Strategy<Value = Value> {
    prop::collection::vec(number(), 3).prop_map(Value::from)
}

/// A whole number, usually a small one.
fn count() -> impl Strategy<Value = Value> {
    prop_oneof![4 => (0..6_i64).prop_map(Value::from), 1 => any::<i64>().prop_map(Value::from)]
}

/// A name that may exist.
fn name() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => prop::sample::select(vec!["ball", "rope"]).prop_map(Value::from),
        1 => prop::sample::select(vec!["hook", "hand-1", "hand-2", "pin-2", "height", "", "nobody"])
            .prop_map(Value::from),
    ]
}

/// Arguments of each request: of the right form, with numbers and names that may be invalid.
fn requests() -> Vec<(&'static str, BoxedStrategy<Value>)> {
    let bare = |word: &'static str| (word, Just(json!(word)).boxed());
    let hand = prop_oneof![6 => Just(LAST_HAND), 1 => Just("hand-1")];
    let text = prop_oneof![
        3 => Just(SCENE.to_owned()),
        1 => Just(SCENE.replace("mass = 2", "mass = -2")),
        1 => ".{0,30}",
    ];
    let probe = (name(), name(), prop::sample::select(vec!["position", "force", "speed", "tension"]))
        .prop_map(|(name, of, read)| json!({ "name": name, "of": of, "read": read }));
    let edit = prop_oneof![
        vector().prop_map(|gravity| json!({ "gravity": gravity })),
        name().prop_map(|name| json!({ "release": name })),
        (name(), number()).prop_map(|(rod, at)| json!({ "cut": { "rod": rod, "at": at, "second": "tail" } })),
        (name(), name(), number()).prop_map(|(name, on, at)| json!({ "add-constraint": { "name": name,
                "to": { "position": { "on": on, "at": at } } } })),
    ];
    let open = prop_oneof![
        4 => text.clone().prop_map(|text| json!({ "name": "test.toml", "text": text })),
        1 => name().prop_map(|name| json!({ "builtin": name })),
        1 => "[A-Za-z0-9+/]{0,40}".prop_map(|bytes| json!({ "name": "a.micado", "recording": bytes })),
    ];
    let one_of = |words: &[&'static str]| prop::sample::select(words.to_vec()).prop_map(Value::from);
    vec![
        bare("gallery"),
        bare("play"),
        bare("pause"),
        bare("reset"),
        bare("undo"),
        bare("redo"),
        bare("matrix"),
        ("open", open.prop_map(|open| json!({ "open": open })).boxed()),
        ("check", text.prop_map(|text| json!({ "check": { "text": text } })).boxed()),
        ("step", count().prop_map(|count| json!({ "step": { "count": count } })).boxed()),
        ("speed", number().prop_map(|factor| json!({ "speed": { "factor": factor } })).boxed()),
        (
            "mode",
            one_of(&["dynamic", "static", "quasi-dynamic", "fast"])
                .prop_map(|mode| json!({ "mode": mode }))
                .boxed(),
        ),
        (
            "grab",
            (name(), prop::option::of(number()), any::<bool>())
                .prop_map(|(on, at, orientation)| {
                    json!({ "grab": { "on": on, "at": at,
                    "orientation": orientation } })
                })
                .boxed(),
        ),
        (
            "move",
            (hand.clone(), vector(), prop::option::of(vector()))
                .prop_map(|(name, position, rotation)| {
                    json!({ "move": { "name": name, "position": position,
                    "rotation": rotation } })
                })
                .boxed(),
        ),
        (
            "drop",
            (hand, one_of(&["release", "pin"]))
                .prop_map(|(name, how)| json!({ "drop": { "name": name, "how": how } }))
                .boxed(),
        ),
        (
            "poke",
            (name(), prop::option::of(number()), vector())
                .prop_map(|(on, at, force)| json!({ "poke": { "on": on, "at": at, "force": force } }))
                .boxed(),
        ),
        ("edit", edit.prop_map(|edit| json!({ "edit": edit })).boxed()),
        ("watch", probe.prop_map(|probe| json!({ "watch": { "probe": probe } })).boxed()),
        (
            "unwatch",
            one_of(&["ball", "rope", "height", "nobody"])
                .prop_map(|name| json!({ "unwatch": { "name": name } }))
                .boxed(),
        ),
        (
            "inspect",
            (name(), prop::option::of(number()))
                .prop_map(|(on, at)| json!({ "inspect": { "on": on, "at": at } }))
                .boxed(),
        ),
        ("colour", one_of(&["tension", "speed", "smell"]).prop_map(|name| json!({ "colour": name })).boxed()),
        ("modes", count().prop_map(|count| json!({ "modes": { "count": count } })).boxed()),
        ("record", any::<bool>().prop_map(|on| json!({ "record": on })).boxed()),
        ("seek", count().prop_map(|frame| json!({ "seek": { "frame": frame } })).boxed()),
        ("export", one_of(&["scene", "csv", "recording"]).prop_map(|what| json!({ "export": what })).boxed()),
    ]
}

/// A ball, and a rope that hangs from a hook.
const SCENE: &str = r#"
[settings]
step = 0.01
[mass.ball]
mass = 2
position = [0, 0, 1]
[rod.rope]
shape.line = { from = [0, 0, 0], to = [0, 0, -2] }
radius = 0.01
young = 1e7
density = 1000
[constraint.hook.position]
on = "rope"
at = "start"
[[probe]]
name = "height"
of = "ball"
read = "position"
component = "z"
"#;

/// Placeholder for the name of the last hand.
const LAST_HAND: &str = "the last hand";

/// Numbers of successes and refusals of each request, and the name of the last hand.
#[derive(Debug, Default)]
struct Tally {
    answers: BTreeMap<String, [usize; 2]>,
    hand: String,
}

/// Checks that a text is answered once, with its number or null; a successful move is not answered.
fn is_answered(client: &mut Client, text: &str, tally: &mut Tally) -> Result<(), TestCaseError> {
    let text = &text.replace(LAST_HAND, &tally.hand);
    let asked = serde_json::from_str::<Value>(text).unwrap_or_default();
    let id = asked.get("id").and_then(Value::as_i64);
    let word = asked["do"]
        .as_str()
        .or_else(|| asked["do"].as_object().and_then(|fields| fields.keys().next().map(String::as_str)));
    let counts = tally.answers.entry(word.unwrap_or("").to_owned()).or_default();
    // Two requests each time: at most 2000 a second.
    std::thread::sleep(Duration::from_micros(1500));
    // A request after a move is answered after it.
    let after = i64::MAX - 1;
    client.send_text(text).map_err(|error| TestCaseError::fail(error.to_string()))?;
    client.send_text(&json!({ "id": after, "do": { "speed": { "factor": 1 } } }).to_string()).unwrap();
    let (mut answers, mut is_over) = (0, false);
    while !is_over || (answers == 0 && word != Some("move")) {
        let message = client
            .until(|message| message.get("answer").is_some())
            .map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        if message["answer"] == after {
            is_over = true;
            continue;
        }
        answers += 1;
        prop_assert_eq!(message["answer"].as_i64(), id);
        match message.get("error") {
            None => {
                counts[0] += 1;
                if word == Some("grab") {
                    message["ok"]["name"].as_str().unwrap_or("").clone_into(&mut tally.hand);
                }
            }
            Some(error) => {
                prop_assert!(
                    error["problem"].as_str().is_some_and(|text| !text.is_empty())
                        && error["remedy"].is_string(),
                    "{}",
                    error
                );
                counts[1] += 1;
            }
        }
    }
    if answers == 0 {
        counts[0] += 1;
    }
    prop_assert!(answers <= 1, "{} is answered {} times", text, answers);
    Ok(())
}

/// Checks that the simulation still makes steps.
fn goes_on(client: &mut Client) {
    ask(client, json!({ "open": { "name": "test.toml", "text": WEIGHT } }));
    ask(client, json!({ "speed": { "factor": 1 } }));
    ask(client, json!("play"));
    client
        .until_frame(|client| client.is_matched() && client.time() > 0.05 && client.time() < 5.0)
        .expect("steps");
}

fn run(cases: u32, texts: &impl Strategy<Value = String>, scene: &str) -> Tally {
    let server = serve(scene);
    let (client, tally) = (RefCell::new(connect(&server)), RefCell::new(Tally::default()));
    // The same cases in every run, so that the counts are reproducible.
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    runner.run(texts, |text| is_answered(&mut client.borrow_mut(), &text, &mut tally.borrow_mut())).unwrap();
    goes_on(&mut client.borrow_mut());
    tally.into_inner()
}

#[test]
fn arbitrary_texts_are_answered_and_the_simulation_continues() {
    let texts = prop_oneof![
        2 => (any::<i32>(), anything()).prop_map(|(id, value)| json!({ "id": id, "do": value }).to_string()),
        1 => anything().prop_map(|value| value.to_string()),
        1 => ".{0,40}",
    ];
    run(200, &texts, WEIGHT);
}

#[test]
fn requests_with_invalid_numbers_and_names_are_refused_and_the_simulation_continues() {
    let all = requests();
    let words: Vec<&str> = all.iter().map(|(word, _)| *word).collect();
    // Requests that remove hands are rarer than those that use them.
    let weight = |word: &str| match word {
        "open" | "reset" => 1,
        "grab" | "move" | "drop" => 6,
        _ => 3,
    };
    let any_request = prop::strategy::Union::new_weighted(
        all.into_iter().map(|(word, request)| (weight(word), request)).collect(),
    );
    let texts =
        (any::<i32>(), any_request).prop_map(|(id, value)| json!({ "id": id, "do": value }).to_string());
    let tally = run(2500, &texts, SCENE);
    for word in words {
        let [done, refused] = tally.answers[word];
        // `seek` needs a recording.
        assert!(done > 0 || word == "seek", "{word} was never done: {tally:?}");
        let cannot_fail =
            ["gallery", "play", "pause", "reset", "undo", "redo", "matrix", "export"].contains(&word);
        assert!(refused > 0 || cannot_fail, "{word} was never refused: {tally:?}");
    }
}

#[test]
fn binary_messages_and_numbers_outside_json_are_answered() {
    let server = serve(WEIGHT);
    let mut client = connect(&server);
    for bytes in [Vec::new(), vec![0; 3], vec![0xff; 100_000]] {
        client.send_bytes(bytes).unwrap();
        let answer = client.until(|message| message.get("answer").is_some()).unwrap();
        assert!(answer["answer"].is_null() && answer["error"]["problem"].is_string(), "{answer}");
    }
    for text in [
        "{\"id\": 1, \"do\": {\"speed\": {\"factor\": NaN}}}",
        "{\"id\": 1, \"do\": {\"speed\": {\"factor\": 1e999}}}",
        "{\"id\": 1, \"do\":",
    ] {
        client.send_text(text).unwrap();
        let answer = client.until(|message| message.get("answer").is_some()).unwrap();
        assert!(answer["error"]["problem"].is_string(), "{answer}");
    }
    let name = ask(&mut client, json!({ "grab": { "on": "ball" } }))["name"].clone();
    for position in [json!([null, 0, 0]), json!([1e300, 0, 0]), json!([0, 0]), json!("there")] {
        let answer = client.ask(&json!({ "move": { "name": name, "position": position } })).unwrap();
        assert!(answer.is_err(), "{position}");
    }
    goes_on(&mut client);
}

#[test]
fn a_quick_answer_does_not_wait_for_a_slow_one_and_steps_can_be_stopped() {
    let server = serve(SCENE);
    let mut client = connect(&server);
    let steps = client.send(&json!({ "step": { "count": 100_000 } })).unwrap();
    for quick in [
        json!("gallery"),
        json!({ "colour": "speed" }),
        json!({ "inspect": { "on": "rope" } }),
        json!("undo"),
    ] {
        let id = client.send(&quick).unwrap();
        let first = client.until(|message| message.get("answer").is_some()).unwrap();
        assert_eq!(first["answer"], id, "{quick}");
    }
    let pause = client.send(&json!("pause")).unwrap();
    let answers: Vec<Value> =
        (0..2).map(|_| client.until(|message| message.get("answer").is_some()).unwrap()).collect();
    let of = |id: i64| answers.iter().find(|answer| answer["answer"] == id).expect("an answer");
    assert_eq!(
        (of(steps)["error"]["problem"].as_str(), &of(pause)["ok"]),
        (Some("the request was cancelled"), &Value::Null)
    );
    assert!(client.time() < 500.0, "{} s", client.time());
}

#[test]
fn too_many_requests_are_refused() {
    let server = serve(WEIGHT);
    let mut client = connect(&server);
    // As fast as possible; those beyond 2000 in a second are refused.
    let ids: Vec<i64> = (0..6000).map(|_| client.send(&json!("play")).unwrap()).collect();
    let mut refused = 0;
    for _ in &ids {
        let answer = client.until(|message| message.get("answer").is_some()).unwrap();
        refused += usize::from(answer.get("error").is_some());
    }
    assert!(refused > 0, "6000 requests at once are more than 2000 in a second");
}

#[test]
fn a_flood_disconnects_only_its_own_page() {
    let server = serve(WEIGHT);
    let address = server.address();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    write!(
        stream,
        "GET /ws HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n\
             Upgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    .unwrap();
    // Empty binary messages of six bytes: more than ten thousand arrive at once.
    let flood = [0x82, 0x80, 0, 0, 0, 0].repeat(40_000);
    let mut reading = stream.try_clone().unwrap();
    let reader = std::thread::spawn(move || {
        let mut all = Vec::new();
        // The end of the stream or a reset, but no timeout.
        reading
            .read_to_end(&mut all)
            .map_or_else(|error| error.kind() == ErrorKind::ConnectionReset, |_| true)
    });
    let begun = Instant::now();
    // A write may fail after the disconnection.
    let _ = stream.write_all(&flood);
    assert!(reader.join().unwrap(), "the page was disconnected");
    // A page that only doesn't answer pings is disconnected after half a minute.
    assert!(begun.elapsed() < Duration::from_secs(20), "at once");
    goes_on(&mut connect(&server));
}

#[test]
fn a_request_that_is_too_long_is_refused() {
    let server = serve(WEIGHT);
    let mut client = connect(&server);
    let refused =
        client.ask(&json!({ "check": { "text": "#".repeat(5 << 20) } })).unwrap().expect_err("too long");
    assert!(refused["remedy"].as_str().is_some_and(|remedy| remedy.contains("4194304")), "{refused}");
    // Recordings may be longer, up to a limit.
    let recording = |size: usize| json!({ "open": { "name": "a.micado", "recording": "A".repeat(size) } });
    let refused = client.ask(&recording(5 << 20)).unwrap().expect_err("no recording");
    assert!(refused["remedy"].as_str().is_some_and(|remedy| remedy.contains("micado run")), "{refused}");
    let ended =
        client.send(&recording(90 << 20)).is_err() || client.until(|message| message["answer"] == 3).is_err();
    assert!(ended, "the socket is closed");
    goes_on(&mut connect(&server));
}
