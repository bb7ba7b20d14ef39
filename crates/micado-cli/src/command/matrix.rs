//! `micado matrix`: the matrix of a scene before and after its unknowns are ordered.

use crate::failure::Failure;
use crate::output;
use crate::scene_args::{SceneArgs, build};
use micado::clock::NoClock;
use micado_io::matrix::{self, MOST, sizes};
use micado_io::plot::PlotError;
use std::path::{Path, PathBuf};

/// Draws the matrix of a step of a scene, a dot for every nonzero entry, in three orders of its unknowns:
/// natural, with all constraint rows last; in the papers' order, reverse Cuthill–McKee for a band; and as
/// Micado factors it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  micado matrix bridge                     out/bridge/matrix.svg and matrix.png, of the first step
  micado matrix necklace --steps 200       of step 200, when the pearls have slid together
  micado matrix my-scene.toml --out DIR    an own scene
  micado matrix dna --json                 sizes, entries, bandwidths and operations, for programs")]
pub(crate) struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Folder to write into; out/<scene> unless given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of steps before the matrix is drawn
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Print JSON: {scene, size, unknowns, own_unknowns, condensed_unknowns, rows, nonzeros, orders: [{order,
    /// half_bandwidth, flops, factor_nonzeros}]}
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let file = args.scene.open()?;
    let mut simulation = build(&file)?;
    let refuse = |problem: String, remedy: &str| Err(Failure::Usage(problem, remedy.to_owned()));
    let unknowns = 4 * simulation.world().structure().node_mass.len();
    if unknowns > MOST {
        return refuse(
            format!("a matrix of {unknowns} unknowns has no picture: at most {MOST}"),
            "lower the number of segments, for example with --set rod.NAME.segments=100",
        );
    }
    for _ in 0..args.steps {
        if simulation.finished() && simulation.steps() > 0 {
            return refuse(
                format!("{} ends after {} steps", file.name(), simulation.steps()),
                "ask for fewer --steps, or give a longer --duration",
            );
        }
        if simulation.step(&NoClock).held {
            let why = simulation.events().last().map_or(String::new(), |event| format!(": {event}"));
            return refuse(
                format!("there is no step whose matrix could be drawn{why}"),
                "`micado check` and `micado run` report the cause",
            );
        }
    }
    let Some((found, picture)) = matrix::of_last_step(&simulation, file.short_name()) else {
        let problem = format!("{} was changed after its last step, so its matrix is outdated", file.name());
        return refuse(problem, "ask for one step more or less (--steps)");
    };
    let folder = args.out.clone().unwrap_or_else(|| Path::new("out").join(file.short_name()));
    std::fs::create_dir_all(&folder).map_err(|error| Failure::write(&folder, error))?;
    let write = |name: &str, write: &dyn Fn(&Path) -> Result<(), PlotError>| {
        let path = folder.join(name);
        write(&path).map_err(|error| match error {
            PlotError::Io { source, .. } => Failure::write(&path, source),
            other => Failure::write(&path, other),
        })
    };
    write("matrix.svg", &|path| picture.write_svg(path))?;
    write("matrix.png", &|path| picture.write_png(path))?;
    if args.json {
        return output::print_json(&found);
    }
    let mut lines =
        vec![format!("{}: {}, {} entries that are not zero", found.scene, sizes(&found), found.nonzeros)];
    for order in &found.orders {
        lines.push(format!(
            "  {:48} half bandwidth {:5}, {:.1e} operations",
            order.order, order.half_bandwidth, order.flops as f64
        ));
    }
    lines.push(format!("Pictures are in {}: matrix.svg, matrix.png", folder.display()));
    output::print(&lines.join("\n"))
}
