# make help says what there is. Everything Python lives in .venv, everything Rust in target.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DEMO   := demo

# rustup installs here, and a shell that is already open does not know.
export PATH := $(HOME)/.cargo/bin:$(PATH)

SOURCES := Cargo.toml Cargo.lock pyproject.toml .cargo/config.toml \
           $(shell find crates python -name '*.rs' -o -name '*.toml' -o -name '*.py' -o -name '*.pyi')

# The gateway daemon and the emulator are for Linux alone.
CRATES := --workspace $(if $(filter Linux,$(shell uname -s)),,--exclude evenaird --exclude evenair-emu)

# Where there is Python to check.
PYTHONS := python tests benchmarks validation docs/images

.PHONY: help
help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(VENV)/installed ## Set up, simulate five uploads against five downloads, print a table, draw a plot
	@mkdir -p $(DEMO)
	$(BIN)/evenair run gong2006 --plot $(DEMO)/gong2006.png
	@echo "The plot is $(DEMO)/gong2006.png; see also: $(BIN)/evenair --help"

# The test-bed runs the gateway daemon, which cargo test has built.
test: export EVENAIRD := $(abspath $(or $(CARGO_TARGET_DIR),target)/debug/evenaird)
.PHONY: test
test: $(VENV)/installed-dev ## Set up, and run every test of both languages
	cargo test $(CRATES) --locked
	$${CARGO_TARGET_DIR:-target}/debug/examples/realtime_cell # cargo test has built it
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

.PHONY: lint
lint: $(VENV)/installed-dev ## Check both languages for style and types, and the layers of the Python package
	cargo fmt --all --check
	cargo clippy $(CRATES) --all-targets --locked -- -D warnings
	$(BIN)/ruff check $(PYTHONS)
	$(BIN)/ruff format --check $(PYTHONS)
	$(BIN)/mypy
	cd $(VENV) && bin/python -m mypy.stubtest evenair._core
	$(BIN)/lint-imports

.PHONY: wasm
wasm: ## Check that core and simulator compile for WebAssembly, without clock, files and threads
	cargo check --locked --target wasm32-unknown-unknown -p evenair-core -p evenair-sim

.PHONY: format
format: $(VENV)/installed-dev ## Lay out the sources of both languages
	cargo fmt --all
	$(BIN)/ruff check --fix $(PYTHONS)
	$(BIN)/ruff format $(PYTHONS)

.PHONY: wheel
wheel: $(VENV)/installed-dev ## Build the wheel of a release into dist, optimised by a profile of its own runs, and set it up
	rm -f dist/evenair-*.whl
	$(BIN)/maturin build --release --pgo --out dist
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall dist/evenair-*.whl

.PHONY: gateway
gateway: ## Build the gateway daemon and its Debian package into dist (it needs clang)
	@command -v $${CLANG:-clang} >/dev/null || { echo "make gateway needs clang" >&2; exit 1; }
	cargo build --release --locked -p evenaird --bin evenaird
	packaging/build-deb

.PHONY: bench
bench: $(VENV)/installed ## Time evenair beside ns-2 and ns-3, as far as they are there (BENCH="--quick")
	cargo build --release --locked -p evenair-sim --example run
	$(BIN)/python benchmarks/bench.py $(BENCH)

# Mutants of each sample, of some three thousand.
MUTANTS ?= 100

.PHONY: mutants
mutants: ## Test the tests of evenair-core on a random sample of mutants (MUTANTS=100)
	@cargo mutants --version >/dev/null 2>&1 || cargo install --locked cargo-mutants
	@shards=$$(($$(cargo mutants --list | wc -l) / $(MUTANTS) + 1)); \
	shard=$$(shuf -i 0-$$((shards - 1)) -n 1)/$$shards; echo "shard $$shard"; \
	cargo mutants --sharding round-robin --shard $$shard --output target

.PHONY: clean
clean: ## Remove what was built
	rm -rf $(VENV) $(DEMO) dist target

$(VENV)/bin/python:
	.ci/prepare $(PYTHON) $(VENV)

# A release build: simulations in a debug build take twenty times as long.
$(VENV)/installed: $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[dev]'
	@touch $@
