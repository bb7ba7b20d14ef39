# Two commands do everything: `cargo run --release -- run hanging-cable`, and `make test`.

CARGO ?= cargo
# One profile for tests and scenes, so that dependencies compile once.
PROFILE := --release

.PHONY: test format clippy unit doctest doc scenes gallery experiments bench tools

test: tools format clippy unit doctest doc scenes

# What the tests need and the machine may lack.
tools:
	@$(CARGO) fmt --version >/dev/null 2>&1 && $(CARGO) clippy --version >/dev/null 2>&1 || rustup component add rustfmt clippy
	@command -v cargo-nextest >/dev/null 2>&1 || $(CARGO) install cargo-nextest --locked

format:
	$(CARGO) fmt --all --check

clippy:
	$(CARGO) clippy --workspace --all-targets $(PROFILE) -- -D warnings

unit:
	$(CARGO) nextest run --workspace --cargo-profile release

doctest:
	$(CARGO) test --workspace --doc $(PROFILE)

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps $(PROFILE)

# Every built-in scene runs to its end, and every reference case passes.
scenes:
	$(CARGO) build $(PROFILE)
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

# The plots of docs/experiments.md.
experiments:
	$(CARGO) build $(PROFILE)
	target/release/micado experiments --out docs/img/experiments

bench:
	$(CARGO) bench --workspace
	$(CARGO) run $(PROFILE) -- bench
