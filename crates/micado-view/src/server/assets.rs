//! The page, embedded in the program.

use crate::protocol::Card;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use include_dir::{Dir, include_dir};
use micado_io::scene::{BUILTIN, parse};
use std::sync::OnceLock;

/// The page, built by the build script.
static PAGE: Dir<'_> = include_dir!("$OUT_DIR/web");

/// Sources that a page may load: this server, and images and workers that it creates.
pub(super) const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data: blob:; worker-src 'self' blob:; \
     object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A file of the page.
pub(super) async fn serve(uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    match PAGE.get_file(path) {
        Some(file) => {
            // Names of files under `assets/` change with their contents.
            let keep =
                if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
            ([(header::CONTENT_TYPE, media_type(path)), (header::CACHE_CONTROL, keep)], file.contents())
                .into_response()
        }
        None => (StatusCode::NOT_FOUND, "not found").into_response(),
    }
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" => "image/jpeg",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

/// The built-in scenes.
pub(super) fn gallery() -> &'static [Card] {
    static GALLERY: OnceLock<Vec<Card>> = OnceLock::new();
    GALLERY.get_or_init(|| {
        let card = |scene: &micado_io::scene::Builtin| {
            let file = parse(scene.name, scene.text, &[]).ok();
            let (title, description) = file.map_or_else(Default::default, |file| {
                let scene = file.scene();
                (scene.title.clone(), scene.description.clone())
            });
            Card { name: scene.name, title, description }
        };
        BUILTIN.iter().map(card).collect()
    })
}
