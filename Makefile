# The verbs everyone shares; `make help` lists them. Each sets up by itself what it needs, and nothing twice.

PYTHON ?= python3
JOBS ?= 2
MINUTES ?= 10
SECONDS ?= 60
GAMES ?= 0
DEALS ?= 100

ARENA := $(shell find server clients/python -name '*.py' -o -name '*.pyi' -o -name '*.toml')
SOURCES := pyproject.toml setup.py $(shell find src -name '*.py' -o -name '*.py[xi]' -o -name '*.p[xy]d' -o -name '*.h' -o -name '*.json')
PIP := -m pip --disable-pip-version-check --quiet
PYTEST := -m pytest -q -n $(JOBS) --dist worksteal
BIN := .venv/bin
LINTED := setup.py src server clients/python proto benches tests

# What a build needs, as pyproject.toml says it.
BUILD_REQUIRES := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")

.DEFAULT_GOAL := help
.NOTPARALLEL:

.PHONY: help bench-tournament test debug lint demo bench bench-peers arena load ladder soak soak-server fuzz pictures sdist wheel dist-check clean bench-search test-clients clients languages postgresql soak-tournament

help: ## show this list
	@sed -n 's/^\([a-z -]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-22s%s\n", $$1, $$2 }'
	@echo "PYTHON=python3.12 is the interpreter of new environments (3.11 or newer), JOBS=4 the processes the tests run in."

# --- Environments ---
# The package is installed as users get it, not linked to the sources; so a file that is missing from it is missed here.

# A virtual environment (1) with what the build needs, and nothing compiled under other settings in its directory (2).
define environment
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv $(1)
	@$(PYTHON) -c '$(BUILD_REQUIRES)' > $(1)/build-requires.txt
	$(1)/bin/python $(PIP) install -r $(1)/build-requires.txt
	rm -rf $(2)
	@touch $@
endef

# Install the package into an environment (1) with extras (2), from what is compiled in a directory (3) already; but only
# compiled modules are taken from there, since other files may be gone from the sources.
define install
	@if [ -d $(3) ]; then find $(3) -path '*/lib.*' -type f ! -name '*.so' -delete; fi
	$(1)/bin/python $(PIP) install --no-build-isolation '.[$(2)]'
	@touch $@
endef

.venv/.ready: pyproject.toml setup.py
	$(call environment,.venv,build/release)

.venv/.core: .venv/.ready $(SOURCES)
	$(call install,.venv,test$(,)arena-test$(,)lint$(,)dist$(,)proto,build/release)

# The arena, in packages of its own: the kit for bots and the server.
.venv/.installed: .venv/.core $(ARENA)
	$(BIN)/python $(PIP) install --no-build-isolation ./clients/python './server[postgresql]'
	@touch $@

.venv-debug/.ready: pyproject.toml setup.py
	$(call environment,.venv-debug,build/debug)

.venv-debug/.installed: export HANSA_DEBUG = 1
.venv-debug/.installed: .venv-debug/.ready $(SOURCES)
	$(call install,.venv-debug,test,build/debug)

, := ,

# --- Is it right ---

test: .venv/.installed clients ## set up, build, run all tests; clients in languages that are not here are left out
	$(BIN)/python $(PYTEST) --benchmark-disable

test-clients: .venv/.installed ## build and test the clients of all languages, and miss none
	$(BIN)/python -m tests.languages.clients test --require
	HANSA_REQUIRE_CLIENTS=1 $(BIN)/python $(PYTEST) tests/languages

clients: .venv/.installed ## build the clients of all languages that are here
	$(BIN)/python -m tests.languages.clients build

debug: .venv-debug/.installed ## the rules tests on a build that checks every index, with all assertions on
	.venv-debug/bin/python $(PYTEST) tests/rules tests/hansa tests/test_properties.py tests/test_fuzz.py tests/test_search.py \
		tests/test_bots.py

lint: .venv/.installed ## ruff, mypy, cython-lint
	$(BIN)/ruff check $(LINTED)
	$(BIN)/ruff format --check $(LINTED)
	$(BIN)/mypy
	PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint src/hansa_fast

# Debian keeps the programs of PostgreSQL out of the path; the tests look where it puts them.
postgresql: ## install PostgreSQL for the tests of the store, if it is missing (Debian, as root)
	@if command -v initdb > /dev/null || ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1; then \
		echo "PostgreSQL is there"; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends postgresql; \
	else \
		echo "PostgreSQL is missing, and only root of a Debian system can install it here:" >&2; \
		echo "  sudo apt-get install postgresql    or put initdb and pg_ctl of any PostgreSQL on the PATH" >&2; \
		exit 1; \
	fi

soak: .venv/.installed ## compare with the reference engine for MINUTES=10
	$(BIN)/python -m tests.differential --minutes $(MINUTES)

fuzz: .venv/.installed ## feed nonsense to everything that reads, for MINUTES=10
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

soak-server: .venv/.installed ## kill the server at random moments for MINUTES=10, and lose nothing
	$(BIN)/python -m tests.server.restart --minutes $(MINUTES)

soak-tournament: .venv/.installed ## kill server and bots of tournaments for MINUTES=10: the report stays the same
	$(BIN)/python -m tests.tournament.kills --minutes $(MINUTES)

# --- Is it fast ---

bench: .venv/.installed ## how fast the core is
	$(BIN)/python -m pytest -q benches --benchmark-only --benchmark-quiet --benchmark-json=build/bench.json
	$(BIN)/python benches/compare.py build/bench.json
	$(BIN)/hansa bench

bench-search: .venv/.installed ## the search on one thread, on two, and two searches side by side
	$(BIN)/python -m benches.search

.venv-peers/.installed: $(SOURCES) benches/peers/install.py
	$(PYTHON) benches/peers/install.py .venv-peers
	@touch $@

bench-peers: .venv-peers/.installed ## the same beside other engines, in an environment of its own
	.venv-peers/bin/python benches/peers/table.py

arena: .venv/.installed ## what a decision costs over the wire, beside a bare gRPC ping-pong
	$(BIN)/python -m benches.arena

load: .venv/.installed ## 500 bots and 100 matches at once, for SECONDS=60
	$(BIN)/python -m benches.load --seconds $(SECONDS)

ladder: .venv/.installed ## how strong the bots are, with DEALS=100 for each pair and board
	$(BIN)/python -m benches.ladder --deals $(DEALS) --processes $(JOBS)

bench-tournament: .venv/.installed ## what a tournament costs on top of its games; GAMES=1000000 asks a large one
	$(BIN)/python -m benches.tournament --games $(GAMES)

languages: .venv/.installed ## decisions a second of each language's random bot, side by side
	$(BIN)/python -m benches.languages

# --- To look at ---

demo: .venv/.installed ## a server, bots over gRPC, a rated tournament, and its report in demo/
	$(BIN)/hansa demo

pictures: .venv/.installed ## draw the pictures of the README and the docs anew
	$(BIN)/hansa show docs/example.hansa --at 200 --svg docs/board.svg
	$(BIN)/python -m tests.tournament.pictures
	$(BIN)/python -m benches.ladder --draw docs/search-strength.json --svg docs/search-strength.svg

# --- To give away ---

sdist wheel: .venv/.installed ## build into dist/, in isolation
	$(BIN)/python -m build --$@

dist-check: .venv/.installed ## build sdist and wheel in isolation, and test the installed wheel away from the sources
	$(BIN)/python -m tests.distribution

clean: ## remove all that make has made
	rm -rf .venv .venv-debug .venv-peers build dist wheelhouse src/hansa_fast.egg-info
	for client in clients/*/Makefile; do $(MAKE) -C $$(dirname $$client) clean; done
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks
