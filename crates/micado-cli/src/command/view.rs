//! `micado view`: serves a scene to pages in a browser.

use crate::failure::Failure;
use crate::output;
use crate::scene_args::build;
use micado_io::record::{RecordError, Recording, is_recording};
use micado_io::scene;
use micado_view::{Options, PORT, ServeError, Server, Show};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// Opens a scene that you can grab and edit, in a browser.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  micado view                            a gallery of all built-in scenes
  micado view bridge                     a built-in scene, in the browser
  micado view my-scene.toml --no-open    your own scene; open the address yourself
  micado view bridge --port 0            at any free port
  micado view out/bridge                 play back the recording of a run, or of a file

The address is printed on the standard output. By default only this machine can connect; with `--host` the
server requires the token in the printed address. It runs until it is interrupted (Ctrl-C).")]
pub(crate) struct Args {
    /// Name of a built-in scene (see `micado list`), path of a scene file, or a recording; without it the
    /// page shows a gallery
    #[arg(value_name = "NAME|FILE|RECORDING")]
    scene: Option<String>,
    /// Replace a value of the scene, for example `rod.cable.radius=0.01`; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Port; 0 for any free one; by default 7878 or the next free one
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Address to listen on, for access from other machines; by default only this machine
    #[arg(long, value_name = "ADDRESS")]
    host: Option<IpAddr>,
    /// Record the displayed frames into a file, which `micado view FILE` plays back
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

/// The scene behind the gallery.
const FIRST: &str = "bridge";

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.scene.is_none() && args.record.is_some() {
        return Err(Failure::Usage(
            "`--record` needs a scene".to_owned(),
            "name a scene: `micado view bridge --record FILE`".to_owned(),
        ));
    }
    if let Some(path) = &args.record {
        check_record(path)?;
    }
    let wanted = args.scene.as_deref().unwrap_or(FIRST);
    let in_folder = Path::new(wanted).join(crate::run::RECORDING);
    let (show, name) = if scene::builtin(wanted).is_some() {
        described(wanted, args)?
    } else if is_recording(wanted) {
        recorded(Path::new(wanted), args)?
    } else if is_recording(&in_folder) {
        recorded(&in_folder, args)?
    } else {
        described(wanted, args)?
    };
    let options = Options { show, host: args.host, port: args.port, record: args.record.clone() };
    let server = Server::start(options).map_err(refused)?;
    let url = if args.scene.is_some() { server.url() } else { format!("{}#gallery", server.url()) };
    if server.token().is_some() {
        output::note(
            "warning: others can reach this server. They need the whole address, which contains a token",
        );
    }
    if args.port.is_none() && server.address().port() != PORT {
        output::note(&format!("note: port {PORT} is taken; using {}", server.address().port()));
    }
    output::print(&format!("Micado shows {name} at {url}"))?;
    if !args.no_open
        && let Err(error) = open::that_detached(&url)
    {
        output::note(&format!("note: no browser could be opened ({error}); open the address yourself"));
    }
    server.wait().map_err(refused)
}

/// A scene and its name.
fn described(wanted: &str, args: &Args) -> Result<(Show, String), Failure> {
    let file = scene::open(wanted, &args.set)?;
    // Errors of the engine are shown in the file.
    build(&file)?;
    let name = file.short_name().to_owned();
    let builtin = scene::builtin(wanted).is_some() && args.set.is_empty();
    Ok((Show::Scene { file: Box::new(file), builtin }, name))
}

/// Refuses a file for a recording that can't be written, or that has other content, which would be lost.
fn check_record(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let refuse = |problem: String, remedy: &str| Err(Failure::Usage(problem, remedy.to_owned()));
    match std::fs::metadata(path) {
        Ok(data) if data.is_dir() => {
            refuse(format!("{} is a folder", path.display()), "name a file in it with --record")
        }
        Ok(data) if data.len() > 0 && !is_recording(path) => refuse(
            format!("{} exists and is not a recording", path.display()),
            "name another file with --record, or remove it",
        ),
        Err(_) if !folder.is_dir() => {
            refuse(format!("there is no folder {}", folder.display()), "make it, or name another one")
        }
        _ => Ok(()),
    }
}

/// A recording and its name.
fn recorded(wanted: &Path, args: &Args) -> Result<(Show, String), Failure> {
    if !args.set.is_empty() || args.record.is_some() {
        let problem = "a recording can't be changed, nor recorded again".to_owned();
        return Err(Failure::Usage(problem, "leave out `--set` and `--record`, or name a scene".to_owned()));
    }
    let refused = |error: RecordError| {
        Failure::Usage(error.to_string(), "give a recording that `micado run` has made".to_owned())
    };
    let recording = Recording::open(wanted).map_err(refused)?;
    if let Some(damage) = recording.damage() {
        output::note(&format!("note: {damage}"));
    }
    let name = wanted.file_name().and_then(|name| name.to_str()).unwrap_or("recording").to_owned();
    Ok((Show::Recording { recording: Box::new(recording), name: name.clone() }, name))
}

fn refused(error: ServeError) -> Failure {
    match error {
        ServeError::Show(problem, remedy) => Failure::Usage(problem, remedy),
        ServeError::Address(_, ref why) if why.kind() == std::io::ErrorKind::AddrNotAvailable => {
            Failure::Usage(
                error.to_string(),
                "give an address of this machine with `--host`, or 0.0.0.0 for all of them".to_owned(),
            )
        }
        ServeError::Address(..) => Failure::Usage(
            error.to_string(),
            "choose another port with `--port N`, or `--port 0` for any".to_owned(),
        ),
        ServeError::System(_) => Failure::Usage(error.to_string(), "try again".to_owned()),
    }
}
