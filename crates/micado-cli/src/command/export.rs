//! `micado export`: a recording for other programs.

use crate::failure::Failure;
use crate::output;
use crate::words::counted;
use micado_io::export::{Choice, ExportError, Format, export};
use micado_io::record::Recording;
use serde::Serialize;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Writes a recording as an animated glTF file (Blender), VTK files (ParaView) or CSV tables.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  micado run bridge && micado export out/bridge --to gltf          File, Import, glTF in Blender
  micado export out/bridge/recording.micado --to vtk               open rods.pvd in ParaView
  micado export out/bridge --to csv --from 1 --until 2 --every 5   every fifth frame of one second

Rods are tubes of up to 200 rings in glTF, with a stripe along their first director. Joints are symbols, with
bars at limits, angles and targets. VTK and CSV have all recorded points with tension, curvature, twist and so
on, forces and moments of all constraints, contacts, springs and loads, and coordinates, limits, targets and
drives of joints.
CSV also has probes, energies and events, and the rest arc length of every point of a rod (to 0.5 % while a
winch turns).")]
pub(crate) struct Args {
    /// A recording, or the folder of a run
    recording: PathBuf,
    /// Format to write
    #[arg(long, value_enum)]
    to: Wanted,
    /// Where to write it: a file for gltf, a folder otherwise; beside the recording unless given
    #[arg(long)]
    out: Option<PathBuf>,
    /// First moment, s
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    from: f64,
    /// Last moment, s; to the end unless given
    #[arg(long, allow_negative_numbers = true)]
    until: Option<f64>,
    /// Take one of this many frames
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Print JSON: {files}
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Wanted {
    /// One animated glTF file, .glb
    Gltf,
    /// A folder of VTK files
    Vtk,
    /// A folder of CSV tables
    Csv,
}

#[derive(Serialize)]
struct Written {
    files: Vec<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let path = if args.recording.is_dir() {
        args.recording.join(crate::run::RECORDING)
    } else {
        args.recording.clone()
    };
    let unreadable = |error: ExportError| match error {
        ExportError::Write { path, problem } => Failure::write(&path, problem),
        ExportError::Record(error) => Failure::Usage(
            error.to_string(),
            "name a recording that `micado run` wrote, or its folder".to_owned(),
        ),
        other => Failure::Usage(
            other.to_string(),
            "choose other frames with --from, --until and --every".to_owned(),
        ),
    };
    let mut recording = Recording::open(&path).map_err(|error| unreadable(error.into()))?;
    let (format, ending) = match args.to {
        Wanted::Gltf => (Format::Gltf, ".glb"),
        Wanted::Vtk => (Format::Vtk, "-vtk"),
        Wanted::Csv => (Format::Csv, "-csv"),
    };
    let out = args.out.clone().unwrap_or_else(|| {
        let mut name = path.file_stem().map_or_else(Default::default, std::ffi::OsStr::to_os_string);
        name.push(ending);
        path.with_file_name(name)
    });
    let is_input = |out: &Path| {
        out.canonicalize().ok().zip(path.canonicalize().ok()).is_some_and(|(out, input)| out == input)
    };
    if is_input(&out) {
        return Err(Failure::Usage(
            format!("{} is the recording itself", out.display()),
            "name another file with --out".to_owned(),
        ));
    }
    if matches!(args.to, Wanted::Gltf) && out.is_dir() {
        let remedy = format!("name a file, such as {}", out.join("recording.glb").display());
        return Err(Failure::Usage(format!("{} is a folder, and glTF is one file", out.display()), remedy));
    }
    if let Some(foreign) = foreign_file(&out, args.to) {
        return Err(Failure::Usage(
            format!("{} is no export, and would be overwritten or mixed with one", foreign.display()),
            "name a new file or folder with --out".to_owned(),
        ));
    }
    let choice =
        Choice { from: args.from, until: args.until.unwrap_or(f64::INFINITY), every: args.every as usize };
    if let Some(damage) = recording.damage() {
        output::note(&format!("note: {damage}"));
    }
    let files = export(&mut recording, format, &choice, &out).map_err(unreadable)?;
    if args.json {
        return output::print_json(&Written { files });
    }
    output::print(&format!("{} written: {}", counted(files.len(), "file"), out.display()))
}

/// A file at the target that no earlier export in this format has written.
fn foreign_file(out: &Path, to: Wanted) -> Option<PathBuf> {
    let endings: &[&str] = match to {
        Wanted::Gltf => {
            let mut magic = [0; 4];
            let mut file = std::fs::File::open(out).ok()?;
            let is_gltf = file.read_exact(&mut magic).is_ok() && magic == *b"glTF";
            return (!is_gltf).then(|| out.to_owned());
        }
        Wanted::Vtk => &["vtp", "pvd"],
        Wanted::Csv => &["csv"],
    };
    let files = std::fs::read_dir(out).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    files.filter(|file| !file.extension().is_some_and(|ending| endings.iter().any(|e| ending == *e))).min()
}
