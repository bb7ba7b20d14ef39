//! Several pages, foreign pages, and pages that don't read.

use crate::common::{WEIGHT, ask, connect, ropes, serve};
use micado_io::scene;
use micado_view::client::{Came, Client};
use micado_view::{Options, Server, Show};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::Duration;

/// The head of the response to a plain request.
fn get(address: SocketAddr, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn a_foreign_origin_or_host_is_refused_with_a_reason() {
    let server = serve(WEIGHT);
    let address = server.address();
    let own = format!("http://{address}");
    assert!(Client::connect_as(address, "/ws", &address.to_string(), &own).is_ok());
    assert!(Client::connect_as(address, "/ws", &address.to_string(), "http://evil.example").is_err());
    assert!(Client::connect_as(address, "/ws", "evil.example", &own).is_err());
    for headers in
        [format!("Host: {address}\r\nOrigin: http://evil.example\r\n"), "Host: evil.example\r\n".to_owned()]
    {
        for path in ["/", "/ws", "/index.html"] {
            let answer = get(address, path, &headers);
            assert!(
                answer.starts_with("HTTP/1.1 403") && answer.contains("server"),
                "{path} {headers}: {answer}"
            );
        }
    }
    let page = get(address, "/", &format!("Host: {address}\r\n"));
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    for header in [
        "content-security-policy: default-src 'self'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
    ] {
        assert!(page.to_lowercase().contains(header), "{header} in {page}");
    }
    for path in
        ["/../Cargo.toml", "/assets/../../../Cargo.toml", "/etc/passwd", "/assets/%2e%2e/%2e%2e/gallery.md"]
    {
        let answer = get(address, path, &format!("Host: {address}\r\n"));
        assert!(answer.starts_with("HTTP/1.1 404") || answer.starts_with("HTTP/1.1 400"), "{path}: {answer}");
    }
}

#[test]
fn beyond_the_loopback_the_token_gives_access_to_page_and_socket() {
    let file = scene::parse("test.toml", WEIGHT, &[]).unwrap();
    let show = Show::Scene { file: Box::new(file), builtin: false };
    let everywhere: IpAddr = "0.0.0.0".parse().unwrap();
    let server =
        Server::start(Options { show, host: Some(everywhere), port: Some(0), record: None }).unwrap();
    let token = server.token().expect("a token").to_owned();
    let here = SocketAddr::new("127.0.0.1".parse().unwrap(), server.address().port());
    let (host, origin) = (here.to_string(), format!("http://{here}"));
    assert!(Client::connect_as(here, "/ws", &host, &origin).is_err());
    assert!(Client::connect_as(here, "/ws?token=0123456789abcdef0123456789abcdef", &host, &origin).is_err());
    let mut client =
        Client::connect_as(here, &format!("/ws?token={token}"), &host, &origin).expect("with the token");
    ask(&mut client, json!("pause"));
    assert!(get(here, "/", &format!("Host: {here}\r\n")).starts_with("HTTP/1.1 403"));
    assert!(get(here, &format!("/?token={token}"), &format!("Host: {here}\r\n")).starts_with("HTTP/1.1 200"));
    assert_eq!(token.len(), 32);
}

#[test]
fn two_pages_share_one_simulation_and_one_continues_when_the_other_is_closed() {
    let server = serve(WEIGHT);
    let (mut first, mut second) = (connect(&server), connect(&server));
    first.until(|message| message["status"]["pages"] == 2).expect("both are counted");
    ask(&mut first, json!({ "open": { "builtin": "pendulum" } }));
    second.until(|message| message["scene"]["name"] == "pendulum").expect("the other page is told");
    second.until_frame(Client::is_matched).expect("a frame of the new table");
    drop(first);
    let from = second.time();
    second.until_frame(|page| page.time() > from + 0.1).expect("it goes on");
    assert_eq!(ask(&mut second, json!("undo"))["what"], "opening of pendulum");
    second.until(|message| message["scene"]["name"] == "test.toml").expect("the scene before");
}

#[test]
fn pages_that_do_not_read_neither_slow_the_steps_nor_get_old_frames() {
    let server = serve(&ropes(20));
    // Their socket buffers fill up, and nothing more is sent.
    let mut idle: Vec<Client> = (0..4).map(|_| connect(&server)).collect();
    let mut client = connect(&server);
    client.until_frame(Client::is_matched).unwrap();
    assert!(client.frame.len() > 150_000, "{} bytes", client.frame.len());
    let (from, first) = (client.time(), client.number());
    client
        .until_frame(|client| client.time() > from + 0.5 && client.number() > first + 40)
        .expect("steps go on");
    let (now, shots) = (client.time(), client.number() - first);
    for page in &mut idle {
        page.until_frame(|page| page.time() >= now).expect("the present");
        // First the buffered frames, then the newest.
        assert!(page.frames < shots / 2, "{} frames of {shots}", page.frames);
    }
}

#[test]
fn a_page_that_reads_frames_slowly_still_gets_answers() {
    let server = serve(&ropes(20));
    let mut client = connect(&server);
    // The buffers are full.
    connect(&server).until_frame(|other| other.time() > 0.5).unwrap();
    let asked = client.send(&json!({ "inspect": { "on": "rope-0" } })).unwrap();
    let from = client.frames;
    loop {
        std::thread::sleep(Duration::from_millis(25));
        match client.read().unwrap() {
            Came::Told(message) if message["answer"] == asked => break,
            _ => assert!(client.frames < from + 200, "no answer among {} frames", client.frames - from),
        }
    }
}

#[test]
fn twenty_pages_all_get_frames_and_answers() {
    let file = scene::open("bridge", &[]).unwrap();
    let show = Show::Scene { file: Box::new(file), builtin: true };
    let server = Server::start(Options { show, host: None, port: Some(0), record: None }).unwrap();
    let address = server.address();
    let pages: Vec<_> = (0..20)
        .map(|_| {
            std::thread::spawn(move || {
                let mut page = Client::connect(address).unwrap();
                page.until_frame(Client::is_matched).unwrap();
                let from = page.time();
                for _ in 0..40 {
                    page.ask(&json!({ "colour": "tension" })).unwrap().unwrap();
                    while page.read().unwrap() != Came::Frame {}
                }
                page.time() - from
            })
        })
        .collect();
    for page in pages {
        // An answer and a frame forty times, and time runs on each page.
        let time = page.join().unwrap();
        assert!(time > 0.0, "{time} s");
    }
}
