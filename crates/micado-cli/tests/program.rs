//! The program from outside: its output, its files and its exit codes.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn micado(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_micado"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1");
    command.output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the program speaks UTF-8")
}

/// Runs the program and expects an exit code; returns its output and its remarks.
#[track_caller]
fn ends_with(code: i32, arguments: &[&str], folder: &Path) -> (String, String) {
    let output = micado(arguments, folder);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "micado {}\n{out}\n{err}", arguments.join(" "));
    (out, err)
}

fn here() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

const SHORT: &[&str] = &["--duration", "0.2", "--quiet"];

#[test]
fn the_list_names_every_scene_with_its_title() {
    let folder = here();
    let (out, _) = ends_with(0, &["list"], folder.path());
    let named = |line: &str| {
        line.trim_start()
            .strip_prefix("hanging-cable ")
            .is_some_and(|title| title.trim() == "A cable swings into its sag")
    };
    assert!(out.lines().any(named), "{out}");
    let (out, _) = ends_with(0, &["list", "--json"], folder.path());
    let list: Value = serde_json::from_str(&out).expect("JSON");
    assert!(list.as_array().is_some_and(|list| list.len() >= 10 && list[0]["name"] == "hanging-cable"));
    let (out, _) = ends_with(0, &["list", "--text", "crank"], folder.path());
    assert!(out.contains("[constraint.crank.position]"), "{out}");
}

#[test]
fn an_experiment_is_printed_beside_theory_and_drawn() {
    let folder = here();
    let (out, _) = ends_with(0, &["experiments", "imposed-twist", "--json", "--out", "plots"], folder.path());
    let numbers: Value = serde_json::from_str(&out).expect("JSON");
    let first = &numbers[0];
    assert!(first["experiment"] == "imposed-twist" && first["name"].is_string(), "{out}");
    assert!((first["measured"].as_f64().unwrap() - first["theory"].as_f64().unwrap()).abs() < 1e-6, "{out}");
    assert!(fs::read_to_string(folder.path().join("plots/imposed-twist.svg")).unwrap().starts_with("<svg"));
    let (_, said) = ends_with(2, &["experiments", "imposed"], folder.path());
    assert!(said.contains("there is no experiment `imposed`") && said.contains("michell-ring"), "{said}");
}

#[test]
fn every_built_in_scene_passes_the_check() {
    let folder = here();
    let (out, _) = ends_with(0, &["list", "--json"], folder.path());
    let list: Value = serde_json::from_str(&out).expect("JSON");
    for scene in list.as_array().expect("an array") {
        let name = scene["name"].as_str().expect("a name");
        let (out, _) = ends_with(0, &["check", name], folder.path());
        assert!(out.starts_with(&format!("{name}: fine (")), "{out}");
    }
}

#[test]
fn a_refused_scene_is_shown_with_file_line_and_remedy() {
    let folder = here();
    fs::write(folder.path().join("bad.toml"), "[rod.cable]\nradius = -1\nyoung = 1e6\ndensity = 1000\n")
        .unwrap();
    for command in ["check", "run", "modes"] {
        let (out, err) = ends_with(2, &[command, "bad.toml"], folder.path());
        assert!(
            out.is_empty() && err.contains("bad.toml:2:10") && err.contains("greater than 0"),
            "{out}{err}"
        );
    }
    let (out, _) = ends_with(2, &["check", "bad.toml", "hanging-cable", "--json"], folder.path());
    let verdicts: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&verdicts[0]["ok"], &verdicts[0]["error"]["line"]), (&Value::from(false), &Value::from(2)));
    assert_eq!((&verdicts[1]["ok"], &verdicts[1]["mode"]), (&Value::from(true), &Value::from("dynamic")));
    assert!(!folder.path().join("out").exists(), "a refused scene leaves nothing behind");
}

#[test]
fn the_check_finds_constraints_that_contradict_each_other() {
    let folder = here();
    fs::write(folder.path().join("conflict.toml"), CONFLICT).unwrap();
    let (out, err) = ends_with(2, &["check", "conflict.toml"], folder.path());
    assert!(
        out.is_empty() && err.contains("contradict") && err.contains("`one`") && err.contains("`other`"),
        "{out}{err}"
    );
}

#[test]
fn a_name_that_does_not_exist_gets_a_suggestion() {
    let folder = here();
    let (_, err) = ends_with(2, &["run", "hanging-cabel"], folder.path());
    assert!(err.contains("did you mean `hanging-cable`?"), "{err}");
    let (_, err) = ends_with(2, &["run", "hanging-cable", "--set", "rod.cabel.radius=1"], folder.path());
    assert!(err.contains("did you mean `cable`?"), "{err}");
    ends_with(2, &["run"], folder.path());
    ends_with(2, &["ruN", "hanging-cable"], folder.path());
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_run() {
    let folder = here();
    fs::write(folder.path().join("file"), "not a folder").unwrap();
    let (out, err) = ends_with(3, &["run", "hanging-cable", "--out", "file/below"], folder.path());
    assert!(out.is_empty() && err.contains("file/below") && err.contains("--out"), "{err}");
}

#[test]
fn a_run_writes_the_files_of_its_help() {
    let folder = here();
    ends_with(0, &[&["run", "hanging-cable", "--gif", "--out", "o"], SHORT].concat(), folder.path());
    for file in [
        "summary.txt",
        "summary.json",
        "probes.csv",
        "energy.csv",
        "plot-tension.svg",
        "plot-tension.png",
        "plot-position.svg",
        "plot-energy.svg",
        "plot-energy.png",
        "picture.png",
        "animation.gif",
        "recording.micado",
    ] {
        let path = folder.path().join("o").join(file);
        assert!(fs::metadata(&path).is_ok_and(|data| data.len() > 100), "{file} is missing or empty");
    }
    let probes = fs::read_to_string(folder.path().join("o/probes.csv")).unwrap();
    assert!(probes.starts_with("time,tension,lowest_point,forces_unfinished\n0,"), "{probes}");
    assert_eq!(probes.lines().count(), 1 + 1 + 40, "a header, the start and a row for each step");
}

#[test]
fn steps_with_unfinished_forces_are_marked_in_summary_and_probes() {
    let folder = here();
    // A target that jumps by 5 m within a step of a stiff rod is approached; 0.1 s later it is back.
    let scene = r#"
        [settings]
        duration = 0.4
        [rod.rod]
        radius = "5 mm"
        young = "1 GPa"
        density = 1000
        [constraint.hand.position]
        on = "rod"
        at = "end"
        [constraint.hand.position.displacement.keyframes]
        times = [0, 0.1, 0.1000001, 0.2, 0.2000001]
        values = [[0, 0, 0], [0, 0, 0], [5, 0, 0], [5, 0, 0], [0, 0, 0]]
        [[probe]]
        name = "x"
        of = "rod"
        at = "end"
        read = "position"
        component = "x"
    "#;
    fs::write(folder.path().join("jump.toml"), scene).unwrap();
    let output = micado(&["run", "jump.toml", "--out", "o", "--json", "--quiet"], folder.path());
    let run: Value = serde_json::from_str(&text(&output.stdout)).expect("JSON");
    let unfinished = run["unfinished_steps"].as_u64().unwrap();
    assert!(unfinished > 0, "{run}");
    let probes = fs::read_to_string(folder.path().join("o/probes.csv")).unwrap();
    let rows: Vec<Vec<f64>> =
        probes.lines().skip(1).map(|row| row.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    let marked: Vec<f64> = rows.iter().filter(|row| row[2] == 1.0).map(|row| row[0]).collect();
    assert_eq!(marked.len() as u64, unfinished);
    assert!(marked.iter().all(|&time| time > 0.1), "before the jump all forces are final: {marked:?}");
    let summary = fs::read_to_string(folder.path().join("o/summary.txt")).unwrap();
    assert!(summary.contains("are not final"), "{summary}");
}

#[test]
fn json_keeps_its_contract_and_stands_alone() {
    let folder = here();
    let (out, err) = ends_with(0, &["run", "pendulum", "--json", "--duration", "0.1"], folder.path());
    let run: Value = serde_json::from_str(&out).expect("the standard output is JSON and nothing else");
    assert_eq!(run["scene"], "pendulum");
    assert_eq!(run["steps"], 20);
    assert!((run["time"].as_f64().unwrap() - 0.1).abs() < 1e-9);
    for field in ["wall_s", "residual"] {
        assert!(run[field].is_number(), "{field}");
    }
    for (field, keys) in [
        ("probes", &["height", "string_tension", "energy"][..]),
        ("energy", &["kinetic", "elastic", "gravity", "total"]),
    ] {
        let found: Vec<&str> = run[field].as_object().expect(field).keys().map(String::as_str).collect();
        assert!(keys.iter().all(|key| found.contains(key)), "{field}: {found:?}");
    }
    assert!(run["events"].is_array());
    assert!(!err.contains("panicked"), "{err}");
}

/// Two pins hold one place at two points: no state satisfies both.
const CONFLICT: &str = r#"
[rod.cable]
radius = 0.01
young = 1e7
density = 1000
[constraint]
one.position = { on = "cable", at = "end" }
other.position = { on = "cable", at = "end", target = [1, 0, 0.5] }
[settings]
duration = 0.05
"#;

#[test]
fn a_failed_run_reports_its_failure_and_still_writes_all_files() {
    let folder = here();
    fs::write(folder.path().join("conflict.toml"), CONFLICT).unwrap();
    let (out, err) = ends_with(1, &["run", "conflict.toml", "--json"], folder.path());
    let run: Value = serde_json::from_str(&out).expect("JSON");
    assert!(
        run["failures"][0].as_str().is_some_and(|text| text.contains("`one`") && text.contains("`other`")),
        "{out}"
    );
    let conflict = run["events"].as_array().and_then(|all| all.iter().find(|one| one["kind"] == "conflict"));
    let conflict = conflict.unwrap_or_else(|| panic!("{out}"));
    assert_eq!(conflict["text"], run["failures"][0], "{out}");
    assert_eq!(conflict["what"]["conflict"]["constraints"], serde_json::json!(["one", "other"]), "{out}");
    let last: Vec<&str> = err.lines().rev().take(2).collect();
    assert!(
        last[1].starts_with("error: ") && last[1].contains("contradict") && last[0].contains("help:"),
        "{err}"
    );
    for file in ["summary.txt", "summary.json", "picture.png", "recording.micado", "probes.csv"] {
        assert!(folder.path().join("out/conflict").join(file).exists(), "{file}");
    }
    let summary = fs::read_to_string(folder.path().join("out/conflict/summary.txt")).unwrap();
    assert!(summary.contains("FAILED: ") && summary.contains("in 5 steps"), "{summary}");
    // With `--quiet` too.
    let (out, err) = ends_with(1, &["run", "conflict.toml", "--quiet"], folder.path());
    assert!(out.is_empty() && err.starts_with("error: "), "{out}{err}");
}

#[test]
fn an_equilibrium_that_does_not_exist_fails_the_run() {
    let folder = here();
    // A free cable falls for ever.
    let text = "[rod.cable]\nradius = 0.01\nyoung = 1e7\ndensity = 1000\n[settings]\nmode = \"static\"\n";
    fs::write(folder.path().join("falling.toml"), text).unwrap();
    let (_, err) = ends_with(1, &["run", "falling.toml", "--quiet"], folder.path());
    assert!(err.starts_with("error: ") && (err.contains("not found") || err.contains("held")), "{err}");
    assert!(
        fs::read_to_string(folder.path().join("out/falling/summary.txt")).unwrap().contains("in 1 step and")
    );
}

#[test]
fn a_negative_duration_is_refused_with_a_remedy() {
    let folder = here();
    let (_, err) = ends_with(2, &["run", "pendulum", "--duration", "-1"], folder.path());
    assert!(err.contains("-1 is negative") && err.contains("0 or a positive"), "{err}");
}

#[test]
fn an_action_after_the_end_is_remarked() {
    let folder = here();
    let agreed = CONFLICT.replace(", target = [1, 0, 0.5]", "");
    fs::write(folder.path().join("late.toml"), format!("{agreed}[[action]]\nat = 1\ndo = \"stop\"\n"))
        .unwrap();
    let (out, err) = ends_with(0, &["check", "late.toml", "--set", "settings.duration=0.01"], folder.path());
    let expected = "action[0] (stop) is never applied";
    assert!(out.contains("1 step of 0.01 s") && err.contains(expected), "{out}{err}");
}

#[test]
fn a_picture_has_the_size_that_was_asked_for() {
    let folder = here();
    ends_with(0, &[&["run", "pendulum", "--size", "320x200"], SHORT].concat(), folder.path());
    let png = fs::read(folder.path().join("out/pendulum/picture.png")).unwrap();
    assert_eq!((&png[16..20], &png[20..24]), (&320_u32.to_be_bytes()[..], &200_u32.to_be_bytes()[..]));
    ends_with(2, &["run", "pendulum", "--size", "10x10"], folder.path());
}

#[test]
fn the_same_scene_gives_the_same_numbers() {
    let folder = here();
    for out in ["a", "b"] {
        ends_with(0, &[&["run", "crank", "--out", out], SHORT].concat(), folder.path());
    }
    for file in ["probes.csv", "energy.csv"] {
        let read = |out: &str| fs::read(folder.path().join(out).join(file)).unwrap();
        assert!(read("a") == read("b"), "{file} differs");
    }
}

#[test]
fn a_resumed_run_gives_the_numbers_of_an_uninterrupted_one() {
    let folder = here();
    ends_with(0, &["run", "hanging-cable", "--out", "whole", "--duration", "0.4", "--quiet"], folder.path());
    ends_with(0, &["run", "hanging-cable", "--out", "parts", "--duration", "0.2", "--quiet"], folder.path());
    // As after a kill: the last record is torn, and rows were written after the checkpoint.
    let recording = folder.path().join("parts/recording.micado");
    let mut bytes = fs::read(&recording).unwrap();
    bytes.extend_from_slice(&[77; 13]);
    fs::write(&recording, bytes).unwrap();
    let probes = folder.path().join("parts/probes.csv");
    let rows = fs::read_to_string(&probes).unwrap();
    fs::write(&probes, rows + "0.21,9,9\n0.22,1").unwrap();

    ends_with(
        0,
        &["run", "hanging-cable", "--out", "parts", "--duration", "0.4", "--quiet", "--resume"],
        folder.path(),
    );
    for file in ["probes.csv", "energy.csv"] {
        let read = |out: &str| fs::read_to_string(folder.path().join(out).join(file)).unwrap();
        assert_eq!(read("whole"), read("parts"), "{file}");
    }
}

#[test]
fn a_run_tells_what_every_clip_did_and_a_resumed_one_the_same() {
    let folder = here();
    let json = |arguments: &[&str]| -> Value {
        let (out, _) =
            ends_with(0, &[&["run", "car-door", "--json", "--quiet"], arguments].concat(), folder.path());
        serde_json::from_str(&out).expect("JSON")
    };
    let whole = json(&["--out", "whole"]);
    let clips = whole["clips"].as_array().expect("a report of every clip");
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} in {clips:?}"));
    assert_eq!(
        clips.iter().map(|clip| clip["name"].as_str().unwrap()).collect::<Vec<_>>(),
        ["clip_1", "clip_2", "clip_3", "clip_4", "clip_5"]
    );
    let holds: Vec<&Value> = clips.iter().map(|clip| &clip["holds"][0]).collect();
    for (k, hold) in holds.iter().enumerate() {
        assert_eq!(clips[k]["holds"].as_array().map(Vec::len), Some(1), "each holds once");
        // It gives way at its strength, and had less to hold before.
        let (largest, gave_way) = (number(&hold["force"]["largest"]), number(&hold["gave_way"]));
        assert!((gave_way - 15.0).abs() < 1e-9 && largest > 0.0 && largest < gave_way, "{hold}");
        assert!((number(&hold["strength_used"]["largest"]) - largest / 15.0).abs() < 1e-9, "{hold}");
        let [caught, at, let_go] = [&hold["caught"], &hold["force"]["at"], &hold["let_go"]].map(&number);
        assert!(caught <= at && at < let_go, "{hold}");
        let Some(next) = holds.get(k + 1) else { continue };
        assert!(
            number(&next["caught"]) > number(&hold["caught"])
                && number(&next["let_go"]) < number(&hold["let_go"])
        );
        let span = &hold["spans"][0];
        assert_eq!(span["to"], clips[k + 1]["name"]);
        assert!(
            (number(&span["rest_length"]) - (number(&next["place"]) - number(&hold["place"]))).abs() < 1e-12,
            "{span}"
        );
        // Two clips of 15 N stretch a cable of EA = 2.5 kN by 1.2 % at most.
        assert!(number(&span["distance"]) < 1.012 * number(&span["rest_length"]), "{span}");
    }
    let told = fs::read_to_string(folder.path().join("whole/summary.txt")).unwrap();
    assert!(told.contains("Clips ") && told.contains("clip_1 to clip_2"), "{told}");
    json(&["--out", "parts", "--duration", "6"]);
    assert_eq!(json(&["--out", "parts", "--resume"])["clips"], whole["clips"]);
    // A scene without clips has no such report.
    let (out, _) = ends_with(0, &[&["run", "pendulum", "--json"], SHORT].concat(), folder.path());
    assert!(serde_json::from_str::<Value>(&out).expect("JSON").get("clips").is_none());
}

#[test]
fn only_the_same_scene_is_resumed() {
    let folder = here();
    let (_, err) = ends_with(2, &["run", "hanging-cable", "--resume"], folder.path());
    assert!(err.contains("no recording"), "{err}");
    ends_with(0, &[&["run", "hanging-cable"], SHORT].concat(), folder.path());
    let (_, err) =
        ends_with(2, &["run", "hanging-cable", "--resume", "--set", "rod.cable.radius=0.01"], folder.path());
    assert!(err.contains("another scene"), "{err}");
    fs::write(folder.path().join("out/hanging-cable/recording.micado"), "nonsense").unwrap();
    ends_with(2, &["run", "hanging-cable", "--resume"], folder.path());
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let folder = here();
    let mut child = Command::new(env!("CARGO_BIN_EXE_micado"))
        .arg("schema")
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
}

#[test]
fn the_schema_is_json() {
    let folder = here();
    let (out, _) = ends_with(0, &["schema"], folder.path());
    let schema: Value = serde_json::from_str(&out).expect("JSON");
    assert!(schema["properties"]["rod"].is_object());
}

#[test]
fn validation_keeps_its_contract() {
    let folder = here();
    let (out, err) = ends_with(0, &["validate", "q02", "--json"], folder.path());
    let rows: Value = serde_json::from_str(&out).expect("JSON");
    let rows = rows.as_array().expect("an array");
    assert!(!rows.is_empty() && err.is_empty(), "{err}");
    for row in rows {
        assert!(
            row["case"].as_str().is_some_and(|case| case.starts_with("Q02"))
                && row["model"].is_string()
                && row["quantity"].is_string()
        );
        assert!(
            ["measured", "expected", "tolerance"].iter().all(|field| row[field].is_number())
                && row["pass"] == true
        );
    }
    let (_, err) = ends_with(2, &["validate", "Z99"], folder.path());
    assert!(err.contains("Z99") && err.contains("Q02"), "{err}");
}

#[test]
fn the_lowest_mode_of_a_cantilever_is_that_of_euler_and_bernoulli() {
    let folder = here();
    let (out, _) = ends_with(
        0,
        &["modes", "cantilever", "--set", "settings.gravity=[0, 0, 0]", "--json"],
        folder.path(),
    );
    let modes: Value = serde_json::from_str(&out).expect("JSON");
    // f = (1.8751)² / 2π · √(EI / μL⁴), with EI = E π r⁴/4 and μ = ρ π r².
    let expected = 1.875_104_f64.powi(2) / std::f64::consts::TAU * (210e9_f64 / 7850.0).sqrt() * 0.004 / 2.0;
    let measured = modes["frequencies"][0].as_f64().expect("a frequency");
    // The rod is slender (r/L = 0.004) and has 24 cubic segments: what is left is far below a thousandth.
    assert!((measured / expected - 1.0).abs() < 1e-3, "{measured} Hz, expected {expected} Hz");
    assert_eq!((&modes["unstable"], &modes["equilibrium"]), (&Value::from(0), &Value::from(true)));
}

#[test]
fn a_matrix_is_drawn_with_as_many_entries_as_it_has() {
    let folder = here();
    let (out, _) = ends_with(0, &["matrix", "spider-net", "--steps", "2", "--json"], folder.path());
    let found: Value = serde_json::from_str(&out).expect("JSON");
    // Column by column: A applied to unit vectors. Unused rows of a constraint stand alone with −1.
    let text = micado_io::scene::open("spider-net", &[]).expect("a scene");
    let mut simulation = micado::run::Simulation::build(text.scene()).expect("a scene");
    for _ in 0..2 {
        simulation.step(&micado::clock::NoClock);
    }
    let system = simulation.workspace().system().expect("it was stepped");
    let owners = system.owners(simulation.world().structure());
    let n = owners.len();
    let (mut unit, mut column, mut entries) = (vec![0.0; n], vec![0.0; n], 0);
    for s in 0..n {
        unit[s] = 1.0;
        system.matrix().multiply(&unit, &mut column);
        unit[s] = 0.0;
        let count = column.iter().filter(|value| **value != 0.0).count();
        assert!(owners[s].is_some() || count == 1, "scalar {s} is padding and has {count} entries");
        entries += if owners[s].is_some() { count } else { 0 };
    }
    assert_eq!(found["nonzeros"], entries);
    // Seven threads of eleven control points; 7·4 rows hold them, 49 tie them.
    assert_eq!(
        (&found["unknowns"], &found["rows"], &found["size"]),
        (&Value::from(308), &Value::from(77), &Value::from(385))
    );
    let half = |k: usize| found["orders"][k]["half_bandwidth"].as_u64().expect("a bandwidth");
    assert!(half(1) < half(0) / 2, "an order for a band has a smaller one");
    for file in ["matrix.svg", "matrix.png"] {
        assert!(
            fs::metadata(folder.path().join("out/spider-net").join(file))
                .is_ok_and(|data| data.len() > 10_000),
            "{file}"
        );
    }
}

#[test]
fn a_matrix_that_has_no_picture_is_refused_in_words() {
    let folder = here();
    fs::write(folder.path().join("empty.toml"), "title = \"nothing\"\n").unwrap();
    let (_, err) = ends_with(2, &["matrix", "empty.toml"], folder.path());
    assert!(err.contains("empty.toml") && err.contains("add a [rod.NAME]"), "{err}");
    let (_, err) =
        ends_with(2, &["matrix", "hanging-cable", "--set", "rod.cable.segments=20000"], folder.path());
    assert!(err.contains("at most 40000") && err.contains("segments"), "{err}");
    let (_, err) =
        ends_with(2, &["matrix", "hanging-cable", "--duration", "0.05", "--steps", "50"], folder.path());
    assert!(err.contains("ends after 10 steps"), "{err}");
    fs::write(folder.path().join("file"), "not a folder").unwrap();
    let (_, err) = ends_with(3, &["matrix", "pendulum", "--out", "file/below"], folder.path());
    assert!(err.contains("file/below"), "{err}");
    assert!(!folder.path().join("out").exists(), "what is refused leaves nothing behind");
}

#[test]
fn the_bench_tells_the_structures_of_the_paper_beside_its_figures() {
    let folder = here();
    let scenes = "bridge,spider-net,necklace,bow,cable-bundle,dna";
    let (out, _) = ends_with(0, &["bench", "scenes", "--scene", scenes, "--json"], folder.path());
    let rows: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(rows.as_array().map(Vec::len), Some(6), "only these are measured");
    let (_, err) = ends_with(2, &["bench", "scenes", "--scene", "bridge,dma"], folder.path());
    assert!(err.contains("no built-in scene `dma`"), "{err}");
    for (name, absolute, relative, paper) in [
        ("bridge", 32, 21, 1700),
        ("spider-net", 28, 49, 4000),
        ("necklace", 8, 10, 400),
        ("bow", 11, 16, 560),
        ("cable-bundle", 28, 35, 1000),
        ("dna", 8, 32, 1100),
    ] {
        let row = rows.as_array().and_then(|rows| rows.iter().find(|row| row["name"] == name)).expect(name);
        assert_eq!(
            (&row["group"], &row["multipliers_absolute"], &row["multipliers_relative"]),
            (&"scenes".into(), &absolute.into(), &relative.into())
        );
        assert_eq!(row["paper_step_us"].as_f64(), Some(f64::from(paper)));
        for field in [
            "unknowns",
            "multipliers",
            "flops",
            "half_bandwidth",
            "paper_order_flops",
            "paper_order_half_bandwidth",
        ] {
            assert!(row[field].as_u64().is_some_and(|value| value > 0), "{name}: {field}");
        }
        let time = |field: &str| {
            row[field].as_f64().filter(|us| *us > 0.0).unwrap_or_else(|| panic!("{name}: {field}"))
        };
        // Constraints are a part of a step, and a step is not longer than the longest.
        assert!(time("constraint_us") < time("step_us") && time("step_us") <= time("worst_step_us"), "{row}");
        assert!(time("reference_step_us") > 0.0 && time("paper_rows_step_us") > 0.0);
    }
}

const APART: &str = r#"
[rod.left]
shape.line = { from = [0, 0, 0], to = [1, 0, 0] }
radius = "5 mm"
young = "3 GPa"
density = 1200
[rod.right]
shape.line = { from = [-3, 0, 0], to = [-4, 0, 0] }
radius = "5 mm"
young = "3 GPa"
density = 1200
[constraint.wall.clamp]
on = "left"
at = "start"
[constraint.joint.fusion]
on = "left"
at = "end"
to = { on = "right", at = "start" }
[constraint.other.clamp]
on = "right"
at = "end"
[settings]
duration = 0.05
"#;

#[test]
fn parts_that_are_to_be_joined_far_apart_are_named_with_the_remedy() {
    let folder = here();
    fs::write(folder.path().join("apart.toml"), APART).unwrap();
    let (_, err) = ends_with(2, &["check", "apart.toml"], folder.path());
    assert!(err.contains("`joint`") && err.contains("4 m apart") && err.contains("settle = true"), "{err}");
    let (_, err) = ends_with(1, &["run", "apart.toml"], folder.path());
    assert!(
        err.contains("note: the places that the fusion `joint` joins are 4 m apart at the start"),
        "{err}"
    );
    let last = err.lines().rev().take(2).collect::<Vec<_>>().join(" ");
    assert!(last.contains("before all targets were reached") && last.contains("`joint`"), "{err}");
    let place = |from: &str, to: &str| {
        let scene = APART.replace(
            "from = [-3, 0, 0], to = [-4, 0, 0]",
            &format!("from = [{from}, 0, 0], to = [{to}, 0, 0]"),
        );
        fs::write(folder.path().join("other.toml"), scene).unwrap();
    };
    // A step can be made, but one that no rod survives.
    place("4", "5");
    let (_, err) = ends_with(2, &["check", "other.toml"], folder.path());
    assert!(err.contains("`joint`") && err.contains("3 m apart") && err.contains("stretch"), "{err}");
    // Near enough to be brought together, it is only remarked; where it is, it isn't.
    place("1.06", "2");
    let (out, err) = ends_with(0, &["check", "other.toml"], folder.path());
    assert!(out.contains("fine") && err.contains("0.06 m apart"), "{out}{err}");
    place("1", "2");
    let (_, err) = ends_with(0, &["check", "other.toml"], folder.path());
    assert!(err.is_empty(), "{err}");
}

#[test]
fn an_action_that_fails_gets_the_remedy_of_the_action() {
    let folder = here();
    let splice = "[[action]]\nat = 0\ndo.splice = { first = \"left\", second = \"right\" }\n";
    let scene = APART.replace(
        "[constraint.joint.fusion]\non = \"left\"\nat = \"end\"\nto = { on = \"right\", at = \"start\" }\n",
        "",
    ) + splice;
    fs::write(folder.path().join("splice.toml"), scene).unwrap();
    let (_, err) = ends_with(1, &["run", "splice.toml", "--quiet"], folder.path());
    assert!(
        err.contains("m apart") && err.contains("correct the action") && !err.contains("smaller step"),
        "{err}"
    );
}

#[test]
fn a_recording_is_exported_beside_it_and_nonsense_is_refused() {
    let folder = here();
    ends_with(0, &[&["run", "pendulum", "--out", "run"], SHORT].concat(), folder.path());
    ends_with(0, &["export", "run", "--to", "gltf"], folder.path());
    assert!(fs::read(folder.path().join("run/recording.glb")).unwrap().starts_with(b"glTF"));
    let (out, _) = ends_with(0, &["export", "run/recording.micado", "--to", "vtk", "--json"], folder.path());
    let files =
        serde_json::from_str::<Value>(&out).expect("JSON")["files"].as_array().map(Vec::len).expect("files");
    assert_eq!(fs::read_dir(folder.path().join("run/recording-vtk")).unwrap().count(), files);
    ends_with(0, &["export", "run", "--to", "csv", "--out", "tables", "--every", "2"], folder.path());
    let points = fs::read_to_string(folder.path().join("tables/points.csv")).unwrap();
    assert!(
        points.starts_with("time (s),object,kind,")
            && points.contains("tension (N)")
            && points.contains("twist (rad/m)"),
        "{points}"
    );
    ends_with(2, &["export", "run", "--to", "csv", "--from", "1e9"], folder.path());
    ends_with(2, &["export", "nowhere", "--to", "csv"], folder.path());
    ends_with(2, &["export", "run/summary.json", "--to", "gltf"], folder.path());
    // Nothing is written over what is read, or over what somebody else wrote.
    let recording = fs::read(folder.path().join("run/recording.micado")).unwrap();
    for (arguments, words) in [
        (
            ["export", "run", "--to", "gltf", "--out", "run/../run/recording.micado"].as_slice(),
            "the recording itself",
        ),
        (&["export", "run", "--to", "gltf", "--out", "run"], "is a folder"),
        (&["export", "run", "--to", "gltf", "--out", "run/summary.json"], "summary.json is no export"),
        (&["export", "run", "--to", "csv", "--out", "run"], "is no export"),
        (&["view", "bridge", "--record", "run/summary.json"], "is not a recording"),
        (&["view", "bridge", "--record", "run"], "is a folder"),
        (&["view", "bridge", "--record", "missing/pull.micado"], "there is no folder missing"),
        (&["view", "run", "--record", "pull.micado"], "recorded again"),
        (&["run", "run/recording.micado"], "is a recording"),
    ] {
        let (_, said) = ends_with(2, arguments, folder.path());
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    assert_eq!(fs::read(folder.path().join("run/recording.micado")).unwrap(), recording);
    assert!(fs::read_to_string(folder.path().join("run/summary.json")).unwrap().starts_with('{'));
}

#[test]
fn a_run_without_files_prints_and_writes_nothing() {
    let folder = here();
    let run = ["run", "hanging-cable", "--no-files", "--duration", "0.1", "--json"];
    let (out, _) = ends_with(0, &run, folder.path());
    let summary: Value = serde_json::from_str(&out).expect("JSON");
    assert!(
        summary["probes"]["tension"].is_number() && summary["files"].as_array().is_some_and(Vec::is_empty),
        "{out}"
    );
    let (out, _) = ends_with(0, &run[..5], folder.path());
    assert!(out.contains("tension") && !out.contains("Results are in"), "{out}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    ends_with(2, &["run", "hanging-cable", "--no-files", "--gif"], folder.path());
}

#[test]
fn a_run_is_not_resumed_backwards() {
    let folder = here();
    ends_with(0, &["run", "pendulum", "--quiet", "--duration", "0.5"], folder.path());
    let (_, err) = ends_with(2, &["run", "pendulum", "--resume", "--duration", "0.2"], folder.path());
    assert!(err.contains("at 0.5 s already") && err.contains("longer duration"), "{err}");
    ends_with(0, &["run", "pendulum", "--quiet", "--resume", "--duration", "0.6"], folder.path());
}

#[test]
fn a_prolonged_run_records_the_frames_of_an_unbroken_one() {
    let folder = here();
    // Frames are 1/30 s apart, at the ends of steps of 5 ms; 3.41 s lies between two of them.
    ends_with(0, &["run", "pendulum", "--quiet", "--out", "a", "--duration", "3.5"], folder.path());
    ends_with(0, &["run", "pendulum", "--quiet", "--out", "b", "--duration", "3.41"], folder.path());
    ends_with(
        0,
        &["run", "pendulum", "--quiet", "--out", "b", "--duration", "3.5", "--resume"],
        folder.path(),
    );
    let times = |out: &str| {
        let to = format!("{out}-csv");
        ends_with(0, &["export", out, "--to", "csv", "--out", &to], folder.path());
        let text = fs::read_to_string(folder.path().join(to).join("energies.csv")).unwrap();
        text.lines().skip(1).map(|row| row.split(',').next().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    let (whole, mut parts) = (times("a"), times("b"));
    // The end of the first part is a frame too.
    parts.retain(|time| time != "3.41");
    assert_eq!(whole, parts);
}

/// A tetrahedron whose triangles run clockwise seen from outside.
const INSIDE_OUT: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n";

#[test]
fn a_mesh_that_was_turned_is_reported_by_check_and_run() {
    let folder = here();
    fs::write(folder.path().join("wedge.obj"), INSIDE_OUT).unwrap();
    let scene =
        "[settings]\nduration = 0.05\n[body.wedge]\ndensity = 1000\nshape.mesh.file = \"wedge.obj\"\n";
    fs::write(folder.path().join("wedge.toml"), scene).unwrap();
    for command in ["check", "run"] {
        let (_, err) = ends_with(0, &[command, "wedge.toml"], folder.path());
        let note = "note: turned: the mesh `wedge.obj` of `body.wedge.shape.mesh` was inside out";
        assert!(err.contains(note), "{command}: {err}");
    }
}

/// Two cubes on a floor, the upper one 5 mm too low at the start.
const PILE: &str = "floor = true\n[settings]\nstep = 0.01\nduration = 0.3\n[contact]\nfriction = 0.4\n\
    [body.low]\nshape.box.size = [0.2, 0.2, 0.2]\ndensity = 500\nposition = [0, 0, 0.1]\n\
    [body.high]\nshape.box.size = [0.2, 0.2, 0.2]\ndensity = 500\nposition = [0, 0, 0.295]\n";

#[test]
fn contacts_are_in_the_summary_in_a_table_and_in_the_recording() {
    let folder = here();
    fs::write(folder.path().join("pile.toml"), PILE).unwrap();
    let overlap = "`low` and `high` overlap by 5 mm at the start";
    let (_, said) = ends_with(0, &["check", "pile.toml"], folder.path());
    assert!(said.contains(overlap), "{said}");
    let (out, said) = ends_with(0, &["run", "pile.toml", "--json"], folder.path());
    assert!(said.contains(overlap), "{said}");
    let summary: Value = serde_json::from_str(&out).expect("JSON");
    let number = |field: &str| summary[field].as_f64().expect("a number");
    assert_eq!((number("contacts"), number("unsolved_contacts")), (8.0, 0.0));
    assert!(number("penetration") > 0.0 && number("penetration") < 5e-3, "{out}");
    assert!(summary["sweep_residual"]["worst"].as_f64().is_some_and(|worst| worst < 1e-9), "{out}");
    let files = summary["files"].as_array().expect("a list");
    assert!(files.iter().any(|file| file == "contacts.csv"), "{out}");
    let text = fs::read_to_string(folder.path().join("out/pile/summary.txt")).unwrap();
    assert!(text.contains("Contacts: 8 at most; largest overlap"), "{text}");

    let table = fs::read_to_string(folder.path().join("out/pile/contacts.csv")).unwrap();
    let last: Vec<Vec<&str>> =
        table.lines().filter(|line| line.starts_with("0.3,")).map(|line| line.split(',').collect()).collect();
    let pairs: Vec<_> = last.iter().map(|row| (row[1], row[2], row[3])).collect();
    assert!(pairs.contains(&("low", "floor", "4")) && pairs.contains(&("low", "high", "4")), "{table}");
    let floor = last.iter().find(|row| row[2] == "floor").expect("a row");
    let force: f64 = floor[6].parse().expect("a number");
    // Two cubes of 4 kg.
    assert!((force - 8.0 * 9.81).abs() < 1e-3, "{force}");

    ends_with(0, &["export", "out/pile", "--to", "vtk"], folder.path());
    assert!(folder.path().join("out/pile/recording-vtk/contacts.pvd").exists());
    // A run without contact removes the table of an earlier one.
    fs::write(
        folder.path().join("pile.toml"),
        PILE.replace("floor = true", "").replace("[contact]\nfriction = 0.4\n", ""),
    )
    .unwrap();
    ends_with(0, &["run", "pile.toml", "--quiet"], folder.path());
    assert!(!folder.path().join("out/pile/contacts.csv").exists());
}

#[test]
fn a_run_with_contact_resumes_with_the_same_table() {
    let folder = here();
    fs::write(folder.path().join("pile.toml"), PILE).unwrap();
    let table = || fs::read_to_string(folder.path().join("out/pile/contacts.csv")).unwrap();
    ends_with(0, &["run", "pile.toml", "--quiet"], folder.path());
    let whole = table();
    ends_with(0, &["run", "pile.toml", "--quiet", "--duration", "0.15"], folder.path());
    assert!(table().len() < whole.len());
    ends_with(0, &["run", "pile.toml", "--quiet", "--resume"], folder.path());
    assert_eq!(table(), whole);
}
