//! A server with a scene, for the tests.

use micado_io::scene;
use micado_view::client::Client;
use micado_view::{Options, Server, Show};
use serde_json::Value;

/// A server for the text of a scene, at a free port.
pub(crate) fn serve(text: &str) -> Server {
    let file = scene::parse("test.toml", text, &[]).expect("a scene");
    let show = Show::Scene { file: Box::new(file), builtin: false };
    Server::start(Options { show, host: None, port: Some(0), record: None }).expect("a server")
}

/// A page of the server.
pub(crate) fn connect(server: &Server) -> Client {
    Client::connect(server.address()).expect("a page")
}

/// Sends a request that has to succeed.
#[expect(clippy::needless_pass_by_value, reason = "requests are written where they are sent")]
pub(crate) fn ask(client: &mut Client, what: Value) -> Value {
    client.ask(&what).expect("a server").unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// `count` ropes side by side, hung at both ends, with a hundred segments each: a frame of twenty has about
/// 200 kB.
pub(crate) fn ropes(count: usize) -> String {
    let rope = |k: usize| {
        format!(
            "[rod.rope-{k}]\nshape.slack = {{ from = [0, {k}, 0], to = [1, {k}, 0], length = 1.2 }}\n\
             radius = 0.004\nyoung = 2e7\n\
             density = 1200\nsegments = 100\n\
             [constraint.left-{k}.position]\non = \"rope-{k}\"\nat = \"start\"\n\
             [constraint.right-{k}.position]\non = \"rope-{k}\"\nat = \"end\"\n"
        )
    };
    format!("[settings]\nstep = 0.02\n{}", (0..count).map(rope).collect::<String>())
}

/// A free mass of 2 kg without drag.
pub(crate) const WEIGHT: &str = "
title = \"weight\"
[settings]
step = 0.01
[mass.ball]
mass = 2
position = [0, 0, 1]
[[probe]]
name = \"height\"
of = \"ball\"
read = \"position\"
component = \"z\"
";
