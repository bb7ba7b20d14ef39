//! Builds the embedded page: `npm ci` if necessary, then `vite build`.
//!
//! `MICADO_PAGE` names a folder with a page that is already built; it is embedded unchanged.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Sources of the page, under `web/`.
const SOURCES: [&str; 7] =
    ["src", "public", "index.html", "package.json", "package-lock.json", "vite.config.ts", "tsconfig.json"];

fn main() {
    println!("cargo::rerun-if-env-changed=MICADO_PAGE");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("web");
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
    println!("cargo::rerun-if-changed=build.rs");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", web.join(source).display());
    }
    let made = match env::var_os("MICADO_PAGE") {
        Some(page) => {
            println!("cargo::rerun-if-changed={}", Path::new(&page).display());
            // Removes the files of a previous page.
            drop(fs::remove_dir_all(&out));
            copy(Path::new(&page), &out)
        }
        None => build(&web, &out),
    };
    if let Err(problem) = made {
        println!("cargo::error={problem}");
    }
}

/// Builds the page into `out`.
fn build(web: &Path, out: &Path) -> Result<(), String> {
    if !is_installed(web) {
        run(web, "npm", &["ci", "--no-audit", "--no-fund"])?;
    }
    let out = out.to_str().ok_or("the build folder has a name that is not UTF-8")?;
    run(web, "npm", &["exec", "--offline", "--", "vite", "build", "--outDir", out, "--emptyOutDir"])
}

/// Whether the modules of the lock file are installed.
fn is_installed(web: &Path) -> bool {
    let changed = |path: PathBuf| fs::metadata(path).and_then(|data| data.modified()).ok();
    match (changed(web.join("node_modules/.package-lock.json")), changed(web.join("package-lock.json"))) {
        (Some(installed), Some(locked)) => installed >= locked,
        _ => false,
    }
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<(), String> {
    let program = if cfg!(windows) { format!("{program}.cmd") } else { program.to_owned() };
    let output = Command::new(&program).args(arguments).current_dir(folder).output().map_err(|error| {
        format!(
            "the page needs Node 20.19 or newer, and `{program}` can't be run: {error}. \
             Install Node, or build without the viewer: --no-default-features"
        )
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Err(format!("`{program} {}` failed: {}", arguments.join(" "), said.replace('\n', " | ")))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let told = |error: std::io::Error| {
        format!("the page in {} (MICADO_PAGE) can't be copied: {error}", from.display())
    };
    fs::create_dir_all(to).map_err(told)?;
    for entry in fs::read_dir(from).map_err(told)? {
        let entry = entry.map_err(told)?;
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(told)?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target).map_err(told)?;
        }
    }
    Ok(())
}
