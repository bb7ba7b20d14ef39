//! The viewer over the loopback: from the move of a hand to the frame that shows it, and many pages at once.

use super::Row;
use crate::failure::Failure;
use micado_io::scene::{self, SceneFile};
use micado_view::client::{Came, Client};
use micado_view::{Options, Server, Show};
use serde_json::{Value, json};
use std::fmt::Write;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Number of measured moves of a hand.
const MOVES: usize = 300;
/// Rods, and control points of each, of a large structure.
const RODS: usize = 50;
const CONTROL_POINTS: usize = 50;
/// Interval of requests of a page, s.
const ASK_EVERY: f64 = 0.1;

/// Measures the latency of moves in two scenes, and then `clients` pages for `seconds`.
pub(super) fn measure(clients: usize, seconds: f64) -> Result<Vec<Row>, Failure> {
    let many = scene::parse("50-rods", &fifty_rods(), &[])?;
    let bridge = scene::open("bridge", &[])?;
    let mut rows = vec![latency(bridge, "deck")?, latency(many.clone(), "rod-25")?];
    rows.push(pages(many, clients, seconds)?);
    Ok(rows)
}

/// Fifty ropes side by side, hung at both ends.
fn fifty_rods() -> String {
    let mut text = String::from("title = \"50 ropes\"\n[settings]\nstep = 0.01\n");
    for k in 0..RODS {
        let (y, segments) = (0.05 * k as f64, CONTROL_POINTS - 3);
        // Writing to memory can't fail.
        let _ = write!(
            text,
            "[rod.rod-{k}]\nshape.slack = {{ from = [0, {y}, 0], to = [1, {y}, 0], length = 1.2 }}\n\
             radius = 0.004\nyoung = 2e7\ndensity = 1200\nsegments = {segments}\n\
             [constraint.left-{k}.position]\non = \"rod-{k}\"\nat = \"start\"\n\
             [constraint.right-{k}.position]\non = \"rod-{k}\"\nat = \"end\"\n"
        );
    }
    text
}

fn serve(file: SceneFile) -> Result<Server, Failure> {
    let show = Show::Scene { file: Box::new(file), builtin: false };
    let options = Options { show, host: None, port: Some(0), record: None };
    Server::start(options).map_err(|error| Failure::Checks(format!("error: {error}")))
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Checks(format!("error: the viewer did not answer: {error}"))
}

fn ask(client: &mut Client, what: &Value) -> Result<Value, Failure> {
    client.ask(what).map_err(failed)?.map_err(|error| failed(&error["problem"]))
}

/// Time from `move` to the frame in which the held place has followed, over the loopback.
fn latency(file: SceneFile, rod: &str) -> Result<Row, Failure> {
    let (name, step) = (file.short_name().to_owned(), file.scene().settings.step);
    let rod = file
        .scene()
        .rod
        .get_key_value(rod)
        .or_else(|| file.scene().rod.get_index(0))
        .map_or("", |(name, _)| name)
        .to_owned();
    let server = serve(file)?;
    let mut client = Client::connect(server.address()).map_err(failed)?;
    client.until_frame(Client::is_matched).map_err(failed)?;
    let at = ask(&mut client, &json!({ "inspect": { "on": rod } }))?["at"].clone();
    let hand = ask(&mut client, &json!({ "grab": { "on": rod, "at": at } }))?["name"]
        .as_str()
        .unwrap_or("")
        .to_owned();
    client
        .until_frame(|client| client.is_matched() && client.constraint_index(&hand).is_some())
        .map_err(failed)?;
    let k = client.constraint_index(&hand).unwrap_or(0);
    let place: [f64; 3] = client.constraint(k).place.map(f64::from);
    let mut taken = Vec::with_capacity(MOVES);
    for count in 0..MOVES {
        // At a different phase of the step each time.
        std::thread::sleep(Duration::from_micros(7_000 + 1_370 * (count as u64 % 17)));
        let target = place[2] + if count % 2 == 0 { 0.002 } else { 0.0 };
        let sent = Instant::now();
        client
            .send(&json!({ "move": { "name": hand, "position": [place[0], place[1], target] } }))
            .map_err(failed)?;
        client
            .until_frame(|client| {
                client.is_matched() && (f64::from(client.constraint(k).place[2]) - target).abs() < 1e-5
            })
            .map_err(failed)?;
        taken.push(1e3 * sent.elapsed().as_secs_f64());
    }
    taken.sort_by(f64::total_cmp);
    client.until(|message| message.get("status").is_some()).map_err(failed)?;
    let status = &client.told["status"];
    Ok(Row {
        group: "view",
        name: format!("{name}, a hand"),
        step_us: 1e6 * status["step_seconds"].as_f64().unwrap_or(0.0),
        pages: Some(1),
        points: Some(client.points()),
        frame_bytes: Some(client.frame.len()),
        latency_ms: taken.get(MOVES / 2).copied(),
        worst_latency_ms: taken.last().copied(),
        allowed_latency_ms: Some(1e3 * step + 5.0),
        real_time_factor: status["real_time_factor"].as_f64(),
        ..Row::default()
    })
}

/// Frames, answers and waits of one page.
struct Page {
    frames: u64,
    answers: Vec<f64>,
}

/// Many pages at once: each reads everything, and sends a request every tenth of a second.
fn pages(file: SceneFile, clients: usize, seconds: f64) -> Result<Row, Failure> {
    let name = file.short_name().to_owned();
    let server = serve(file)?;
    let address = server.address();
    // The last page is this one.
    let threads: Vec<_> = (1..clients).map(|_| std::thread::spawn(move || page(address, seconds))).collect();
    let mut client = Client::connect(address).map_err(failed)?;
    let begun = Instant::now();
    while begun.elapsed().as_secs_f64() < seconds {
        client.read().map_err(failed)?;
    }
    let status = client.told.get("status").cloned().unwrap_or_default();
    let mut fewest = client.frames;
    let mut answers = Vec::new();
    for thread in threads {
        let page = thread.join().map_err(|_| failed("a page has failed"))?.map_err(failed)?;
        fewest = fewest.min(page.frames);
        answers.extend(page.answers);
    }
    answers.sort_by(f64::total_cmp);
    Ok(Row {
        group: "view",
        name: format!("{name}, {clients} pages for {seconds} s"),
        step_us: 1e6 * status["step_seconds"].as_f64().unwrap_or(0.0),
        pages: Some(clients),
        points: Some(client.points()),
        frame_bytes: Some(client.frame.len()),
        latency_ms: answers.get(answers.len() / 2).copied(),
        worst_latency_ms: answers.last().copied(),
        frames_per_second: Some(fewest as f64 / seconds),
        real_time_factor: status["real_time_factor"].as_f64(),
        ..Row::default()
    })
}

fn page(address: SocketAddr, seconds: f64) -> std::io::Result<Page> {
    let mut client = Client::connect(address)?;
    let mut answers = Vec::new();
    let (begun, mut asked) = (Instant::now(), None::<(i64, Instant)>);
    let mut next = 0.0;
    while begun.elapsed().as_secs_f64() < seconds {
        if asked.is_none() && begun.elapsed().as_secs_f64() >= next {
            next += ASK_EVERY;
            asked = Some((client.send(&json!({ "inspect": { "on": "rod-0" } }))?, Instant::now()));
        }
        if let (Came::Told(message), Some((id, sent))) = (client.read()?, asked)
            && message["answer"] == id
        {
            answers.push(1e3 * sent.elapsed().as_secs_f64());
            asked = None;
        }
    }
    Ok(Page { frames: client.frames, answers })
}

/// The rows as a text table.
pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![format!(
        "{:34} {:>6} {:>7} {:>12} {:>10} {:>9} {:>9} {:>10} {:>10} {:>8}",
        "viewer over the loopback",
        "pages",
        "points",
        "bytes/frame",
        "median ms",
        "worst ms",
        "allowed",
        "frames/s",
        "step µs",
        "real time"
    )];
    let number = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
    };
    for row in rows {
        lines.push(format!(
            "{:34} {:6} {:7} {:12} {:>10} {:>9} {:>9} {:>10} {:10.1} {:>8}",
            row.name,
            row.pages.unwrap_or_default(),
            row.points.unwrap_or_default(),
            row.frame_bytes.unwrap_or_default(),
            number(row.latency_ms, 2),
            number(row.worst_latency_ms, 2),
            number(row.allowed_latency_ms, 1),
            number(row.frames_per_second, 1),
            row.step_us,
            number(row.real_time_factor, 3),
        ));
    }
    lines.push(
        "With a hand: from `move` to the frame in which the held place has followed. With pages: from a \
         request to its answer; frames of the page with the fewest."
            .to_owned(),
    );
    lines.join("\n")
}
