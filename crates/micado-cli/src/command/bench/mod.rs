//! `micado bench`: how long steps take.

mod accuracy;
mod balance;
mod bodies;
mod contact;
mod convergence;
mod creep;
mod discrete;
mod friction;
mod instructions;
mod passages;
mod precision;
mod published;
mod realtime;
mod scaling;
mod scenes;
mod sliding;
mod statics;
mod stopwatch;
mod threads;
#[cfg(feature = "viewer")]
mod view;

use crate::failure::Failure;
use crate::output;
use micado_io::scene;
use serde::Serialize;
use std::path::PathBuf;

/// Measures how long steps take, mean and worst, on this machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  micado bench                     all groups
  micado bench scaling             one rod of 20 to 10 000 control points, dynamic, static, and band LU
  micado bench scenes              every built-in scene; structures of the papers beside published figures
  micado bench sliding             one rod with up to 1000 keyholes or pearls
  micado bench friction            100 and 200 pearls on a cord, with dry friction and without
  micado bench bodies              chains of 10 to 10 000 bodies on joints; stages of a published table
  micado bench contact             bodies and ropes that touch; stages of a published table
  micado bench creep               a cube and a rope that friction holds for 100 000 steps
  micado bench precision --out DIR error against time of all rod models, as a table and as charts
  micado bench discrete            one discrete rod of up to 10 000 vertices, implicit and explicit steps
  micado bench statics             equilibria of one rod: iterations, and their cost in dynamic passes
  micado bench threads             a hundred islands on one thread and on two
  micado bench accuracy            cost and error of automatic solves in every scene that moves
  micado bench balance             forces of accepted steps against converged Newton on the same steps
  micado bench convergence         how far every scene is from finer steps and segments
  micado bench convergence --scene bridge,dna
                                   the same for these scenes
  micado bench passages --trials 10000  random throws and drags of rods: nothing may pass through
  micado bench realtime            scenes against the wall clock, a minute each, idle and with a loaded core
  micado bench view --clients 20   the viewer over the loopback: latency of a hand, and 20 pages
  micado bench scaling --json      for programs

Instructions are counted by valgrind if it is installed; times are of this machine in its current state.")]
pub(crate) struct Args {
    /// Groups: scaling, scenes, sliding, friction, bodies, contact, precision, discrete, statics, threads,
    /// accuracy, balance, convergence; all of these if none is given. Also creep, passages, realtime and
    /// view, which run only if they are named
    #[arg(value_name = "GROUP")]
    groups: Vec<String>,
    /// Print JSON: an array of {group, name, unknowns, multipliers, step_us, worst_step_us, …}
    #[arg(long)]
    json: bool,
    /// Only these built-in scenes in the groups `scenes` and `convergence`; all unless given
    #[arg(long = "scene", value_name = "NAME", value_delimiter = ',')]
    scenes: Vec<String>,
    /// Write the charts of the group `precision` into a folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Don't count instructions: counting takes most of the time
    #[arg(long)]
    no_instructions: bool,
    /// Seconds of wall time for every scene of the group `realtime`, and for the pages of `view`
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    seconds: f64,
    /// Collisions of the group `passages`
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    trials: u64,
    /// Pages of the group `view`
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=60))]
    clients: u8,
    /// Make steps of a rod of this size, or with so many keyholes or pearls, without output: the work whose
    /// instructions are counted
    #[arg(long, hide = true, num_args = 3, value_names = ["MODE", "SIZE", "STEPS"])]
    count: Option<Vec<String>>,
}

/// One measured row.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Row {
    group: &'static str,
    name: String,
    /// Scalar unknowns of objects and constraints.
    unknowns: usize,
    /// Scalar constraint rows.
    multipliers: usize,
    /// Mean time of a step, µs.
    step_us: f64,
    /// Longest step, µs.
    worst_step_us: f64,
    /// Shortest step, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    least_step_us: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    control_points: Option<usize>,
    /// Linearise objects and constraints, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    assemble_us: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    factor_us: Option<f64>,
    /// Solve and refine, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    solve_us: Option<f64>,
    /// New positions, frames and velocities, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit_us: Option<f64>,
    /// Keyholes or pearls on the rod, or bodies of the chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// Multipliers of absolute constraints as the paper counts them: with its rows, sliding parameters
    /// included.
    #[serde(skip_serializing_if = "Option::is_none")]
    multipliers_absolute: Option<usize>,
    /// Multipliers of relative constraints as the paper counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    multipliers_relative: Option<usize>,
    /// Time of constraints in a step: linearising, their share of factoring and solving, non-smooth rows; µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint_us: Option<f64>,
    /// A step with the reference solver, band LU in the papers' order, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference_step_us: Option<f64>,
    /// A step with the paper's rows, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    paper_rows_step_us: Option<f64>,
    /// The published step, µs, on the paper's machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    paper_step_us: Option<f64>,
    /// The published part of constraints, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    paper_constraint_us: Option<f64>,
    /// Linearised solves of a step, or iterations of its projection.
    #[serde(skip_serializing_if = "Option::is_none")]
    solves_per_step: Option<f64>,
    /// Steps whose forces are not final.
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished_steps: Option<u64>,
    /// Mean time of a step with one solve, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    one_solve_us: Option<f64>,
    /// Steps that were divided into substeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    divided: Option<u64>,
    /// The probe with the largest error.
    #[serde(skip_serializing_if = "Option::is_none")]
    worst_probe: Option<String>,
    /// Error with one solve against converged solves, as a share of the range of the probe.
    #[serde(skip_serializing_if = "Option::is_none")]
    one_solve_error: Option<f64>,
    /// Error with one solve against finer steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    one_solve_finer_error: Option<f64>,
    /// Error against finer steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    finer_error: Option<f64>,
    /// Error against twice the segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    segments_error: Option<f64>,
    /// The probe whose least or largest value has the largest error.
    #[serde(skip_serializing_if = "Option::is_none")]
    worst_extreme: Option<String>,
    /// Error of that value.
    #[serde(skip_serializing_if = "Option::is_none")]
    extreme_error: Option<f64>,
    /// Counted operations of a factorisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    flops: Option<u64>,
    /// Half bandwidth of the matrix in the order of the factorisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    half_bandwidth: Option<usize>,
    /// Most operations of band LU in the papers' order.
    #[serde(skip_serializing_if = "Option::is_none")]
    paper_order_flops: Option<u64>,
    /// Half bandwidth in the papers' order.
    #[serde(skip_serializing_if = "Option::is_none")]
    paper_order_half_bandwidth: Option<usize>,
    /// Mean time per control point, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    step_us_per_control_point: Option<f64>,
    /// Rod model.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'static str>,
    /// Segments of the rod.
    #[serde(skip_serializing_if = "Option::is_none")]
    segments: Option<usize>,
    /// EA L²/EI.
    #[serde(skip_serializing_if = "Option::is_none")]
    stretch_ratio: Option<f64>,
    /// Least time of a dynamic pass of the same rod, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pass_us: Option<f64>,
    /// Instructions of a dynamic pass of the same rod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pass_instructions: Option<u64>,
    /// Error of a result, as a share of the length of the rod, or of its deflection in the group `statics`.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    /// Steps that were made, in real time or to be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u64>,
    /// Steps that were compared with converged Newton.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<u64>,
    /// Steps in which a force is off by more than a thousandth.
    #[serde(skip_serializing_if = "Option::is_none")]
    off: Option<u64>,
    /// Median of the errors of the forces in steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    median_error: Option<f64>,
    /// Steps in which the residual of the forces at nodes was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<u64>,
    /// Steps whose forces do not balance at a node.
    #[serde(skip_serializing_if = "Option::is_none")]
    unbalanced: Option<u64>,
    /// Median and largest residual of the forces at a node, as a share of their sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    median_residual: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worst_residual: Option<f64>,
    /// Steps that ended after their deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    misses: Option<u64>,
    /// Largest delay, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    worst_overrun_us: Option<f64>,
    /// Share of steps with quasi-static objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    still_share: Option<f64>,
    /// Switches between dynamic and quasi-static.
    #[serde(skip_serializing_if = "Option::is_none")]
    switches: Option<u64>,
    /// Steps that failed: the state was held.
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<u64>,
    /// Largest residual of a constraint, m or rad.
    #[serde(skip_serializing_if = "Option::is_none")]
    residual: Option<f64>,
    /// Sweeps over the laws of non-smooth rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    sweeps_per_step: Option<f64>,
    /// Factorisations of the compliance of rows that hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    factors_per_step: Option<f64>,
    /// Most such factorisations of a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    most_factors: Option<usize>,
    /// Updates of such a factor.
    #[serde(skip_serializing_if = "Option::is_none")]
    updates_per_step: Option<f64>,
    /// Number of pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<usize>,
    /// Points of a frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<usize>,
    /// Bytes of a frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    frame_bytes: Option<usize>,
    /// Time from the move of a hand to the frame that shows it, or from a request to its answer: median, ms.
    /// In the group `realtime`: mean time from a move to the resulting force.
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<f64>,
    /// The longest of these, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    worst_latency_ms: Option<f64>,
    /// Allowed latency: a step and 5 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_latency_ms: Option<f64>,
    /// Frames a second of the page that got the fewest.
    #[serde(skip_serializing_if = "Option::is_none")]
    frames_per_second: Option<f64>,
    /// Simulated seconds per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    real_time_factor: Option<f64>,
    /// Collisions in which rods touched.
    #[serde(skip_serializing_if = "Option::is_none")]
    touched: Option<u64>,
    /// Passages of rods, and the number of the first collision with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    passages: Option<u64>,
    /// Passages of a rod through itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    folds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_passage: Option<u64>,
    /// Steps in which a hand lagged.
    #[serde(skip_serializing_if = "Option::is_none")]
    lagged: Option<u64>,
    /// Largest gain of energy in a step, as a share.
    #[serde(skip_serializing_if = "Option::is_none")]
    energy_gain: Option<f64>,
    /// Instructions of a step, or of an iteration of a static solve; `None` if valgrind is not installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<u64>,
}

const GROUPS: [&str; 17] = [
    "scaling",
    "scenes",
    "sliding",
    "friction",
    "bodies",
    "contact",
    "creep",
    "precision",
    "discrete",
    "statics",
    "threads",
    "accuracy",
    "balance",
    "convergence",
    "passages",
    "realtime",
    "view",
];

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(count) = &args.count {
        return instructions::make_steps(count);
    }
    for asked in &args.groups {
        if !GROUPS.iter().any(|group| group.starts_with(asked.as_str())) {
            return Err(Failure::Usage(
                format!("there is no group `{asked}`"),
                format!("the groups are {}", GROUPS.join(", ")),
            ));
        }
    }
    let mut builtin: Vec<_> = scene::BUILTIN.iter().map(|scene| scene.name).collect();
    if let Some(unknown) = args.scenes.iter().find(|name| !builtin.contains(&name.as_str())) {
        return Err(Failure::Usage(
            format!("there is no built-in scene `{unknown}`"),
            "`micado list` shows the built-in scenes".to_owned(),
        ));
    }
    if !args.scenes.is_empty() {
        builtin.retain(|name| args.scenes.iter().any(|asked| asked == name));
    }
    let wanted = |group: &str| {
        args.groups.is_empty() || args.groups.iter().any(|asked| group.starts_with(asked.as_str()))
    };
    let (mut rows, mut tables) = (Vec::new(), Vec::new());
    let mut take = |measured: Vec<Row>, table: fn(&[Row]) -> String| {
        tables.push(table(&measured));
        rows.extend(measured);
    };
    if wanted("scaling") {
        take(scaling::measure(!args.no_instructions)?, table);
    }
    if wanted("scenes") {
        take(scenes::measure(&builtin)?, scenes::table);
    }
    if wanted("sliding") {
        take(sliding::measure(!args.no_instructions)?, sliding::table);
    }
    if wanted("friction") {
        take(friction::measure()?, friction::table);
    }
    if wanted("bodies") {
        take(bodies::measure(!args.no_instructions)?, bodies::table);
    }
    if wanted("contact") {
        take(contact::measure()?, contact::table);
    }
    if wanted("precision") {
        let measured = precision::measure()?;
        if let Some(folder) = &args.out {
            precision::draw(&measured, folder)?;
        }
        take(measured, precision::table);
    }
    if wanted("discrete") {
        take(discrete::measure(!args.no_instructions)?, discrete::table);
    }
    if wanted("statics") {
        take(statics::measure(!args.no_instructions)?, statics::table);
    }
    if wanted("threads") {
        take(threads::measure()?, threads::table);
    }
    if wanted("accuracy") {
        take(accuracy::measure()?, accuracy::table);
    }
    if wanted("balance") {
        take(balance::measure()?, balance::table);
    }
    if wanted("convergence") {
        take(convergence::measure(&builtin)?, convergence::table);
    }
    let asked_for = |group: &str| args.groups.iter().any(|asked| group.starts_with(asked.as_str()));
    if (asked_for("realtime") || asked_for("view")) && !(args.seconds > 0.0 && args.seconds <= 86_400.0) {
        return Err(Failure::Usage(
            format!("--seconds {}", args.seconds),
            "give a number above 0 and up to 86400".to_owned(),
        ));
    }
    if asked_for("creep") {
        take(creep::measure()?, creep::table);
    }
    if asked_for("passages") {
        take(passages::measure(args.trials)?, passages::table);
    }
    if asked_for("realtime") {
        take(realtime::measure(args.seconds)?, realtime::table);
    }
    #[cfg(not(feature = "viewer"))]
    if asked_for("view") {
        return Err(Failure::Usage(
            "this program was built without the viewer".to_owned(),
            "build it with the feature `viewer`".to_owned(),
        ));
    }
    #[cfg(feature = "viewer")]
    if asked_for("view") {
        take(view::measure(usize::from(args.clients), args.seconds)?, view::table);
    }
    if args.json {
        output::print_json(&rows)?;
    } else {
        output::print(&tables.join("\n\n"))?;
    }
    match rows.iter().filter_map(|row| row.passages).sum::<u64>() {
        0 => Ok(()),
        passages => Err(Failure::Checks(format!("error: {passages} passages of rods"))),
    }
}

fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        "group     name                       unknowns  rows     step µs    worst µs  assemble    factor     \
         solve    µs/point  instr/point"
            .to_owned(),
    ];
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
    for row in rows {
        let per_point = row
            .instructions
            .zip(row.control_points)
            .map_or_else(|| "-".to_owned(), |(count, points)| format!("{:.0}", count as f64 / points as f64));
        lines.push(format!(
            "{:9} {:26} {:8} {:5} {:11.2} {:11.2} {:>9} {:>9} {:>9} {:>11} {:>12}",
            row.group,
            row.name,
            row.unknowns,
            row.multipliers,
            row.step_us,
            row.worst_step_us,
            number(row.assemble_us),
            number(row.factor_us),
            number(row.solve_us),
            row.step_us_per_control_point.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}")),
            per_point,
        ));
    }
    lines.join("\n")
}
