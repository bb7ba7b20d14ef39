# Two commands do everything: `cargo run --release -- view bridge`, and `make test`.

CARGO ?= cargo
# One profile for tests and scenes, so that dependencies compile once.
PROFILE := --release

WEB := crates/micado-view/web

.PHONY: test format lines clippy unit doctest doc protocol page program browser scenes gallery screenshots experiments bench deny tools chromium

test: tools format lines clippy unit doctest doc page scenes browser

# Installs missing tools of the tests.
tools: chromium
	@$(CARGO) fmt --version >/dev/null 2>&1 && $(CARGO) clippy --version >/dev/null 2>&1 || rustup component add rustfmt clippy
	@command -v cargo-nextest >/dev/null 2>&1 || $(CARGO) install cargo-nextest --locked

# Installs a browser for the tests of the page; CHROMIUM names another one.
chromium:
	@command -v "$${CHROMIUM:-chromium}" >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 \
		|| { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q chromium; }

format:
	$(CARGO) fmt --all --check

# No source line has more than 110 characters.
lines:
	python3 tools/line_length.py

clippy:
	$(CARGO) clippy --workspace --all-targets $(PROFILE) -- -D warnings

unit:
	$(CARGO) nextest run --workspace --cargo-profile release

doctest:
	$(CARGO) test --workspace --doc $(PROFILE)

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps $(PROFILE)

# The viewer's protocol in TypeScript, written from its Rust types. A test of `unit` fails when it is stale.
protocol:
	MICADO_RENEW=1 $(CARGO) test $(PROFILE) --package micado-view --lib typescript

# Format, lint, types and unit tests of the viewer's page; installs missing modules.
page:
	cd $(WEB) && { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund; } \
		&& npm run lint && npm run check && npm test

# The program as built by `unit`. `cargo build` alone would use other features of dependencies and compile them again.
program:
	$(CARGO) test --workspace $(PROFILE) --no-run

# User actions on the page, tested in a browser.
browser: program
	cd $(WEB) && npm run test:browser -- $(CURDIR)/target/release/micado

# Every built-in scene runs to its end, and every reference case passes.
scenes: program
	@set -e; for file in scenes/*.toml; do scene=$$(basename $$file .toml); \
		target/release/micado run $$scene --quiet --out target/scenes/$$scene; \
	done
	target/release/micado validate

# The pictures of docs/gallery.md.
gallery:
	$(CARGO) build $(PROFILE)
	@mkdir -p docs/img/gallery
	@set -e; for file in scenes/*.toml; do scene=$$(basename $$file .toml); \
		target/release/micado run $$scene --quiet --size 432x270 --out target/gallery/$$scene; \
		cp target/gallery/$$scene/picture.png docs/img/gallery/$$scene.png; \
	done

# The pictures of the viewer in README.md and docs/view.md.
screenshots: chromium
	$(CARGO) build $(PROFILE)
	cd $(WEB) && npm run screenshots -- $(CURDIR)/target/release/micado $(CURDIR)/docs/img/view

# The plots of docs/experiments.md.
experiments:
	$(CARGO) build $(PROFILE)
	target/release/micado experiments --out docs/img/experiments

bench: chromium
	$(CARGO) bench --workspace
	$(CARGO) run $(PROFILE) -- bench
	cd $(WEB) && npm run bench -- $(CURDIR)/target/release/micado

# Licences, sources and duplicates of crates, then known vulnerabilities, for which it fetches a database.
# Not part of `test`: installing cargo-deny takes minutes, and dependencies change rarely.
deny:
	@command -v cargo-deny >/dev/null 2>&1 || $(CARGO) install cargo-deny --locked
	$(CARGO) deny check --hide-inclusion-graph licenses sources bans
	$(CARGO) deny check --hide-inclusion-graph advisories
