# make run: plays examples/league.yaml and writes site/      make test: runs all the tests
# Both set themselves up in .venv first; PYTHON=... chooses the interpreter (3.11 or later).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The same exact versions inside the environments in which packages are built.
export PIP_CONSTRAINT := constraints.txt
export PIP_BUILD_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Where it is set, each of the thousands of processes that tests start compiles the arena anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test fix bench rules columns mutants hostile protocol clean

run: $(VENV)/.run
	@$(BIN)/arena run examples/league.yaml --skip-missing-runtimes

test: $(VENV)/.test
	@./.ci/system
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@./.ci/with-docker $(BIN)/pytest -n auto --dist worksteal

fix: $(VENV)/.test
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.test
	@$(BIN)/python tests/bench/throughput.py
	@$(BIN)/python tests/bench/cores.py
	@$(BIN)/python tests/bench/startup.py
	@$(BIN)/python tests/bench/playouts.py
	@$(BIN)/python -m tests.bench.verify
	@$(BIN)/python -m tests.bench.store
	@$(BIN)/python -m tests.bench.site
	@./.ci/with-docker $(BIN)/python tests/bench/sandboxes.py
	@$(BIN)/python tests/bench/rating.py
	@$(BIN)/python tests/bench/coverage.py
	@$(BIN)/python tests/bench/suspicion.py

rules: $(VENV)/.test
	@$(BIN)/python -m tests.rules.page

hostile: $(VENV)/.test
	@$(BIN)/python -m tests.hostile.table

columns: $(VENV)/.test
	@$(BIN)/python -m tests.publish.columns

mutants: $(VENV)/.mutation
	@$(BIN)/python -m tests.mutation.mutants $(MODULES)

protocol: $(VENV)/.run
	@$(BIN)/python -m arena.wire.schemas protocol/schema
	@$(BIN)/python -m tests.protocol.golden
	@$(BIN)/python -m tests.rules.stories

$(VENV)/.run: pyproject.toml constraints.txt
	@./.ci/venv $(PYTHON) $(VENV)
	@$(BIN)/python -m pip install -q --use-pep517 -e .
	@touch $@

$(VENV)/.test: $(VENV)/.run
	@$(BIN)/python -m pip install -q --use-pep517 -e '.[test]'
	@touch $@

$(VENV)/.mutation: $(VENV)/.test
	@$(BIN)/python -m pip install -q --use-pep517 -e '.[mutation]'
	@touch $@

clean:
	rm -rf $(VENV) build dist site
