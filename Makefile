# `make play` plays, `make test` tests; both make what they need in .venv. `make help` lists the rest.
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
PAGE := $(shell find web -path web/node_modules -prune -o -type f ! -name "*.generated.ts" -print) src/tercet/server/web/pages.json
LOCK := requirements.lock
WORKERS := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 2))) # many tests wait, for clocks and for each other
BROWSERS := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1))) # a browser keeps a core busy
INSTALL := tools/install.sh $(abspath $(VENV))
# What Python compiles is kept: hundreds of processes that tests start would each compile the same sources.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play test site test-wasm test-modules test-page test-online test-thorough test-train test-long test-programs pictures check check-python check-page format audit docs bench wheel clean help

play: $(VENV)/.installed ## install, then serve the games and say where
	@$(BIN)/tercet serve --port $(PORT)

# `make test` runs so many processes, each of which imports, collects and compiles for its own folders only. The longest
# come first.
PARTS := tables people lobby rules games library words engines research batches page
FOLDERS_tables := $(addprefix server/,games tables)
FOLDERS_lobby := $(addprefix server/,http lessons lobby protocol store translation)
FOLDERS_people := $(addprefix server/,bots cluster engine_pool fair_share operations people puzzles test_compiling.py tournaments)
FOLDERS_rules := contract fourth_game fuzz
FOLDERS_games := sanqi triplicity sparklies
FOLDERS_engines := engines wasm
FOLDERS_research := training laboratory workers
FOLDERS_batches := batch environments
FOLDERS_library := core record pictures play support package
FOLDERS_words := docs learning cli
FOLDERS_page := browser simulation

test: test-programs ## all tests but those of the next commands; TERCET_REQUIRE_ALL=1 or CI=true: a skipped test is a failed one
	@$(MAKE) --no-print-directory --jobs $(WORKERS) --output-sync=target --keep-going $(PARTS:%=test-part-%)

# Threads of servers would each keep freed memory for themselves; no test of these uses schemathesis, which takes half a
# second to import.
test-part-%: export MALLOC_ARENA_MAX := 1
test-part-%:
	$(BIN)/pytest -p no:schemathesis $(addprefix tests/,$(FOLDERS_$*))

# A Chromium, a PostgreSQL and a Redis come from the system while everything else comes from the package indexes.
test-programs:
	@{ tools/services.sh; tools/chromium.sh $(VENV); } & $(MAKE) --no-print-directory $(VENV)/.warm && wait
	@tools/chromium.sh $(VENV)

test-page: test-programs ## games and pages in a real browser; test-thorough and test-long have the rest
	$(BIN)/pytest -n $(BROWSERS) --dist loadfile -m "page and not long and not thorough" tests/browser tests/fourth_game

# Outside of servers, the mark `online` has cases that compile kernels of their own or repeat others of `make test`.
ONLINE := $(addprefix tests/,server training laboratory workers engines environments cli docs core record contract fourth_game sanqi/test_findings.py sparklies/test_advice.py)

test-online: test-programs ## servers on PostgreSQL and Redis, several processes, clusters, faults, bots, tournaments, limits, fuzzing
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "online and not long and not train" $(ONLINE)

test-thorough: test-programs ## simulated experiments, brute force, kernels compiled from nothing, more of the page
	$(BIN)/pytest -n $(BROWSERS) --dist loadfile -m "thorough and page and not long" tests/browser
	$(BIN)/pytest -n $(WORKERS) -m "thorough and not page and not long and not train"

site: $(VENV)/.pyodide ## Tercet as static files, into dist/site/: plays in the browser, needs no server
	$(BIN)/tercet site --pyodide $(VENV)/pyodide/node_modules/pyodide --out dist/site

test-wasm: test-programs $(VENV)/.pyodide ## WebAssembly modules of all games, and the static site in a browser
	$(BIN)/pytest -m "wasm and not long" tests/wasm

test-modules: $(VENV)/.tests ## the modules alone, in Wasmtime, against compiled kernels
	$(BIN)/pytest -n 2 --dist loadfile -m "wasm and not long" tests/wasm/test_games.py

test-train: $(VENV)/.tests ## the tests that need PyTorch or OpenSpiel, which are large; installs them
	@$(INSTALL) --constraint requirements-train.lock --group train
	$(BIN)/pytest -n 2 -m train tests/batch tests/environments tests/laboratory tests/training

pictures: test-programs ## pictures of the page in 38 states, at five sizes, by day and by night, into pictures/
	$(BIN)/python -m tests.browser.pictures pictures

test-long: test-programs $(VENV)/.pyodide ## the long tests; TERCET_GAMES=10000 sets how many random games
	$(BIN)/pytest -n auto -m long -s

check: check-python check-page ## lint and types of everything, the page's own tests

check-python: $(VENV)/.lint ## the library's part of that, and the spelling of all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/typos
	$(BIN)/mypy

check-page: $(VENV)/.installed ## the page's part of that: types, lint, tests
	@TERCET_PYTHON=$(abspath $(BIN))/python tools/npm.sh $(VENV) run --silent check
	@TERCET_PYTHON=$(abspath $(BIN))/python tools/npm.sh $(VENV) run --silent lint
	@tools/npm.sh $(VENV) run --silent test

format: $(VENV)/.lint ## put everything into the form that check asks for
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format .
	@tools/npm.sh $(VENV) run --silent format

audit: $(VENV)/.environment ## known weaknesses of all dependencies; TERCET_AUDIT=strict fails where nobody can be asked
	@tools/audit.sh $(VENV)

docs: $(VENV)/.docs ## the documentation, into site/
	$(BIN)/python tools/reference.py
	$(BIN)/mkdocs build --strict

bench: $(VENV)/.tests ## every benchmark's table
	@for script in benchmarks/playouts.py benchmarks/sparklies.py benchmarks/mcts.py benchmarks/api.py benchmarks/start.py; do $(BIN)/python $$script; done

wheel: $(VENV)/.installed ## dist/tercet-*.whl, with the page inside
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

$(VENV)/.pyodide: $(VENV)/.tests src/tercet/browser/site.py
	@version=$$($(BIN)/python -c 'from tercet.browser.site import PYODIDE; print(PYODIDE)') && \
	tools/npm.sh $(VENV) install --silent --no-audit --no-save --prefix $(abspath $(VENV))/pyodide pyodide@$$version
	@touch $@

clean: ## remove all that was made
	rm -rf $(VENV) dist site web/node_modules src/tercet/server/page

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/.environment:
	@tools/environment.sh $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.environment pyproject.toml $(LOCK) hatch_build.py $(PAGE)
	@echo "Installing Tercet and building its page ..."
	@$(BIN)/python hatch_build.py & $(INSTALL) --editable '.[server]' && wait
	@touch $@

$(VENV)/.tests: $(VENV)/.installed
	@$(INSTALL) --group test
	@touch $@

$(VENV)/.warm: $(VENV)/.tests
	@$(BIN)/tercet warm
	@touch $@

$(VENV)/.lint: $(VENV)/.tests
	@$(INSTALL) --group lint
	@touch $@

$(VENV)/.docs: $(VENV)/.installed
	@$(INSTALL) --editable '.[all]' --group docs
	@touch $@
