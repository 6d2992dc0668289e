# make help says what there is. Everything Python lives in .venv, everything Rust in target.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DEMO   := demo
# The lab's page: the package has it where it has been built.
PAGE   := python/evenair/lab/page

# rustup installs here, and a shell that is already open does not know.
export PATH := $(HOME)/.cargo/bin:$(PATH)

SOURCES := Cargo.toml Cargo.lock pyproject.toml .cargo/config.toml \
           $(shell find crates python -name '*.rs' -o -name '*.toml' -o -name 'labels.json' -o -name '*.py' -o -name '*.pyi') \
           $(wildcard $(PAGE)/*)

PAGE_SOURCES := Cargo.toml Cargo.lock packaging/build-wasm $(wildcard lab/*.mjs lab/*.html lab/*.json) \
                $(shell find lab/src crates/evenair-core crates/evenair-sim crates/evenair-web python/evenair/scenarios -type f)

# The gateway daemon and the emulator are for Linux alone.
CRATES := --workspace $(if $(filter Linux,$(shell uname -s)),,--exclude evenaird --exclude evenair-emu --exclude evenair-fuzz)

PIP := $(BIN)/python -m pip --disable-pip-version-check

# The wheel that is installed here, of the profile `local`.
WHEELS := target/wheels

# What builds it, from [build-system].
MATURIN := $(shell sed -n 's/^requires = \["\(.*\)"\]/\1/p' pyproject.toml)

# Where there is Python to check.
PYTHONS := python tests benchmarks validation docs/conf.py docs/_ext docs/images .ci packaging

.PHONY: help
help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(VENV)/installed ## Set up, simulate five uploads against five downloads, print a table, draw a plot
	@mkdir -p $(DEMO)
	$(BIN)/evenair run gong2006 --plot $(DEMO)/gong2006.png
	@echo "The plot is $(DEMO)/gong2006.png; see also: $(BIN)/evenair --help"

# A filter: make test T=wimax runs the tests whose names contain it.
T ?=

CARGO_TEST := cargo test $(CRATES) --locked --no-fail-fast
# The integration tests of emulator and daemon depend on the time of day: one at a time.
IN_REAL_TIME := $(if $(filter Linux,$(shell uname -s)),$(filter-out support, \
                $(basename $(notdir $(wildcard crates/evenair-emu/tests/* crates/evenaird/tests/*)))))
COMPUTING    := $(basename $(notdir $(wildcard crates/evenair-core/tests/*.rs crates/evenair-sim/tests/all.rs \
                crates/evenair-web/tests/*.rs crates/evenair-fuzz/tests/*.rs)))

TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
PYTEST := EVENAIRD=$(TARGET)/debug/evenaird $(BIN)/python -m pytest $(if $(T),-k "$(T)")
# Two programs of pytest where there are two processors. Tests of a file share what they have set up.
BESIDE := -n auto --dist loadfile
# pytest ends with status 5 where no test has the name.
OR_NONE := $(if $(T),|| [ $$? = 5 ])

# The extension module beside its sources, of the profile of the Rust tests. It shares their libraries, as the
# same crates, and a test program, give these the same features.
EXTENSION := python/evenair/_core.abi3.so
define extension
cargo build $(CRATES) --locked --quiet --profile $(1) --lib --test all
rm -f $(EXTENSION)
cp $(TARGET)/$(2)/lib_core.$(if $(filter Darwin,$(shell uname -s)),dylib,so) $(EXTENSION)
endef
# The tests of Python with it.
SOURCE_PYTEST := PYTHONPATH=$(abspath python) $(PYTEST)

# A sample of each layer in Python.
QUICK := $(addprefix tests/,models/test_model_bianchi.py models/test_model_tcp.py papers/test_claims.py \
         papers/test_gong2006.py test_cells.py test_cli.py test_comparison.py test_determinism.py \
         test_limiter.py test_result.py test_scenario.py test_testbed_plan.py test_wimax.py)

.PHONY: quick
quick: $(VENV)/tools ## Test a sample of each layer after an edit, in a minute and a half; T=NAME as below
	$(CARGO_TEST) --profile quick --lib --test all -- $(T)
	$(call extension,quick,quick)
	$(SOURCE_PYTEST) $(BESIDE) -q -m "not long and not real_time" $(QUICK) $(OR_NONE)

.PHONY: test
test: $(VENV)/tools ## Test each subsystem, in six minutes; T=NAME: only tests whose names contain it
	$(CARGO_TEST) --lib --bins $(COMPUTING:%=--test %) -- $(T)
	$(if $(IN_REAL_TIME),$(CARGO_TEST) $(IN_REAL_TIME:%=--test %) -- --test-threads=1 $(T))
	$(call extension,test,debug)
	$(SOURCE_PYTEST) $(BESIDE) -m "not long and not real_time" $(OR_NONE)
	$(SOURCE_PYTEST) -v -m "real_time and not long" $(OR_NONE)

.PHONY: test-rest
test-rest: $(VENV)/installed-dev ## Run the tests that make test leaves out: the long ones (after make site: also those of the page)
	$(CARGO_TEST) --lib --bins $(COMPUTING:%=--test %) -- --ignored $(T)
	$(if $(IN_REAL_TIME),$(CARGO_TEST) $(IN_REAL_TIME:%=--test %) -- --ignored --test-threads=1 $(T))
	$(CARGO_TEST) --doc -- $(T)
	cargo build $(CRATES) --locked --profile test --examples
	$(TARGET)/debug/examples/realtime_cell
	$(PYTEST) $(BESIDE) -m "long and not real_time" $(OR_NONE)
	$(PYTEST) -v -m "real_time and long" $(OR_NONE)

.PHONY: test-all
test-all: site ## Build the lab's page, and run every test of both languages
	@$(MAKE) --no-print-directory test test-rest T="$(T)"

.PHONY: lint
lint: $(VENV)/installed-dev ## Check both languages for style and types, and the layers of the Python package
	cargo fmt --all --check
	cargo clippy $(CRATES) --all-targets --locked -- -D warnings
	$(BIN)/ruff check $(PYTHONS)
	$(BIN)/ruff format --check $(PYTHONS)
	$(BIN)/mypy
	$(BIN)/mypy validation/*.py validation/cot validation/ns2
	$(BIN)/mypy validation/testbed
	cd $(VENV) && bin/python -m mypy.stubtest evenair._core
	$(BIN)/lint-imports
	$(BIN)/python .ci/dependencies.py
	$(BIN)/python .ci/circles.py

.PHONY: docs
docs: $(VENV)/installed-dev ## Build the documentation site into target/docs, every notebook executed
	$(BIN)/python -m sphinx -c docs -j auto -E -W --keep-going -q . target/docs

.PHONY: wasm
wasm: ## Check that core, simulator and the page's engine compile for WebAssembly, without clock, files and threads
	cargo check --locked --target wasm32-unknown-unknown -p evenair-core -p evenair-sim -p evenair-web

.PHONY: site
site: $(PAGE)/index.html ## Build the lab's page into the package (it needs Node, and Rust's target wasm32-unknown-unknown)

$(PAGE)/index.html: lab/node_modules $(PAGE_SOURCES)
	packaging/build-wasm target/evenair.wasm
	cd lab && npm run --silent types
	rm -rf $(PAGE)
	node lab/build.mjs $(PAGE) target/evenair.wasm

# make looks for the page's files as it starts: another make installs those that are new.
.PHONY: lab
lab: site ## Build the lab's page, install it, and open the lab
	@$(MAKE) --no-print-directory $(VENV)/installed-lab
	$(BIN)/evenair lab

.PHONY: lab-check
lab-check: lab/node_modules ## Check the page's sources, and the engine in WebAssembly: every stored fingerprint (after make site)
	cd lab && npm run --silent check
	@mkdir -p target
	cargo build $(CRATES) --quiet --locked --profile test --example fingerprints # `make test` has it built
	$(TARGET)/debug/examples/fingerprints >target/fingerprints.json
	cd lab && EVENAIR_WASM=$(abspath $(PAGE))/evenair.wasm EVENAIR_FINGERPRINTS=$(CURDIR)/target/fingerprints.json npm run --silent test

.PHONY: format
format: $(VENV)/installed-dev ## Lay out the sources of both languages
	cargo fmt --all
	$(BIN)/ruff check --fix $(PYTHONS)
	$(BIN)/ruff format $(PYTHONS)

.PHONY: wheel
wheel: site $(VENV)/installed-dev ## Build the wheel of a release into dist, optimised by a profile of its own runs, and set it up
	rm -f dist/evenair-*_$(shell uname -m).whl
	$(BIN)/maturin build --release --pgo --out dist
	$(BIN)/python packaging/sbom.py evenair-py --wheel dist/evenair-*_$(shell uname -m).whl
	$(PIP) install --no-deps --force-reinstall dist/evenair-*_$(shell uname -m).whl

.PHONY: wheel-aarch64
wheel-aarch64: site $(VENV)/installed-dev ## Build the wheel of a release for ARM into dist, without a profile
	$(PIP) install ziglang
	rustup target add aarch64-unknown-linux-gnu
	rm -f dist/evenair-*_aarch64.whl
	PATH="$(abspath $(BIN)):$$PATH" maturin build --release --zig --target aarch64-unknown-linux-gnu --out dist
	$(BIN)/python packaging/sbom.py evenair-py --wheel dist/evenair-*_aarch64.whl

.PHONY: pictures
pictures: $(VENV)/installed ## Draw the pictures of README and documentation anew
	$(BIN)/python docs/images/fairness.py
	$(BIN)/python docs/images/wimax_frame.py
	$(BIN)/python docs/images/congestion_controls.py

.PHONY: gateway
gateway: ## Build the gateway daemon and its Debian package into dist (it needs clang)
	@command -v $${CLANG:-clang} >/dev/null || { echo "make gateway needs clang" >&2; exit 1; }
	cargo build --release --locked -p evenaird --bin evenaird
	packaging/build-deb

.PHONY: bench
bench: $(VENV)/installed ## Time evenair beside ns-2 and ns-3, as far as they are there (BENCH="--quick")
	cargo build --release --locked -p evenair-sim --example run
	rm -rf target/bench
	$(BIN)/maturin build --release --interpreter $(BIN)/python --out target/bench
	$(PIP) install --no-deps --force-reinstall target/bench/evenair-*.whl
	$(BIN)/python benchmarks/bench.py $(BENCH)

# Seconds for all of it, and which parts: rust, python, names of folders in fuzz/corpus.
FUZZ_S ?= 3600
FUZZ   ?=

.PHONY: fuzz
fuzz: $(VENV)/installed-dev ## Look for inputs that fail, before a release: other ones each time (FUZZ_S=3600; it needs clang)
	$(BIN)/python .ci/fuzz.py --seconds $(FUZZ_S) $(FUZZ)

# Mutants of each sample (evenair-core has some three thousand), and of what: a crate, or bpf, the policer's C.
MUTANTS ?= 100
CRATE   ?= evenair-core

# The tests that are tried: those that do not depend on the time of day.
MUTANT_TESTS             := --lib
MUTANT_TESTS_evenaird    := --lib --test fuzz --test fuzz_signal
MUTANT_TESTS_evenair-emu := --lib --test spec

.PHONY: mutants
mutants: ## Test the tests of a crate, or of the policer, on a random sample of mutants (MUTANTS=100 CRATE=evenair-core|evenair-emu|evenaird|bpf)
ifeq ($(CRATE),bpf)
	$(PYTHON) .ci/mutate_bpf.py --sample $(MUTANTS)
else
	@cargo mutants --version >/dev/null 2>&1 || cargo install --locked cargo-mutants
	@shards=$$(($$(cargo mutants --list --package $(CRATE) | wc -l) / $(MUTANTS) + 1)); \
	shard=$$(shuf -i 0-$$((shards - 1)) -n 1)/$$shards; echo "shard $$shard"; \
	cargo mutants --package $(CRATE) --sharding round-robin --shard $$shard --output target -- \
		$(or $(MUTANT_TESTS_$(CRATE)),$(MUTANT_TESTS))
endif

.PHONY: reproducible
reproducible: $(VENV)/installed-dev ## Build wheel and Debian package in two folders, and compare their bytes
	packaging/reproducible

.PHONY: clean
clean: ## Remove what was built
	rm -rf $(VENV) $(DEMO) $(PAGE) lab/node_modules dist target

lab/node_modules: lab/package.json lab/package-lock.json
	@command -v npm >/dev/null || { echo "the lab's page needs Node and npm: apt-get install nodejs npm" >&2; exit 1; }
	cd lab && npm ci --no-progress
	@touch $@

$(VENV)/bin/python:
	.ci/prepare $(PYTHON) $(VENV)

# An optimised build: simulations in a debug build take twenty times as long. cargo and pip show their
# progress. pip installs no wheel of a version that is there already. It need not compile all modules of
# the tools, of which few are imported.
$(VENV)/installed: $(VENV)/bin/python $(SOURCES)
	$(PIP) install '$(MATURIN)'
	rm -f $(WHEELS)/evenair-*.whl
	$(BIN)/maturin build --profile local --interpreter $(BIN)/python --out $(WHEELS)
	$(PIP) uninstall -qq --yes evenair
	$(PIP) install $(WHEELS)/evenair-*.whl
	@touch $@

# The server of the lab.
$(VENV)/installed-lab: $(VENV)/installed
	$(PIP) install "$$(echo $(WHEELS)/evenair-*.whl)[lab]"
	@touch $@

# The programs and libraries that develop and test the package, without the package.
$(VENV)/tools: $(VENV)/bin/python pyproject.toml
	$(BIN)/python .ci/requirements.py >$(VENV)/requirements.txt
	$(PIP) install --no-compile -r $(VENV)/requirements.txt
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed $(VENV)/tools
	@touch $@
