# `make help` lists the targets. Those that need it set themselves up in .venv first; PYTHON=...
# chooses the interpreter (3.11 or later).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Which of the slow tests `make test` runs: some or all. With FULL=1 it samples nothing.
FULL ?=
SLOW ?= $(if $(FULL),all,some)
export ARENA_TEST_FULL := $(FULL)

# The same exact versions inside the environments in which packages are built.
export PIP_CONSTRAINT := constraints.txt
export PIP_BUILD_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Where it is set, each of the thousands of processes that tests start compiles the arena anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run demo help check test long coverage floors newest pythons roots morelanguages lint fix bench docs rules columns commands \
	languages machine pictures mutants hostile equilibrium bluffs champion protocol schemas dist release clean

# Since the last time, a language may have been installed, or a bot may have changed.
run: $(VENV)/.run ## play examples/league.yaml and write site/
	@$(BIN)/arena run examples/league.yaml --skip-missing-runtimes --accept-changes

demo: $(VENV)/.serve ## a ladder with the sample bots and its web door at http://127.0.0.1:8500
	@$(BIN)/arena demo build/demo

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 16

check: $(VENV)/.test ## while you work: lint, types, layers, and the fast tests that need no process
	@$(LINT)
	@$(BIN)/pytest -q -r fE -n auto --dist worksteal --no-processes --slow none

test: $(VENV)/.test $(if $(filter all,$(SLOW)),$(VENV)/.train) ## tests, slow ones and long series sampled; SLOW=all runs all slow ones
	@./.ci/system
	@$(LINT)
	@./.ci/with-docker $(BIN)/pytest -n auto --dist worksteal --slow $(SLOW)

long: ## all tests with nothing sampled: an hour or more
	@$(MAKE) test FULL=1

pythons: ## the fast tests on each of python3.11 to python3.14 that is here, or on PYTHONS="..."
	@./.ci/pythons

roots: ## `make run` and `make check` on new roots of Debian and Ubuntu, or on SYSTEMS="..."; needs mmdebstrap
	@$(PYTHON) .ci/roots.py $(SYSTEMS)

coverage: $(VENV)/.test ## of the rules, the ratings and the store by their fast tests; fails below a floor
	@$(BIN)/pytest -q -r fE -n auto --dist worksteal --no-processes --slow none $(COVERING) --cov --cov-report=
	@$(BIN)/coverage report --include='arena/game/*' --fail-under=99
	@$(BIN)/coverage report --include='arena/ratings/*' --fail-under=98
	@$(BIN)/coverage report --include='arena/league/store/*' --fail-under=90

floors: ## a few tests with the lowest versions that pyproject.toml allows; PYTHON=... is 3.11 or 3.12
	@./.ci/versions lowest $(PYTHON) build/floors

newest: ## the same tests with the newest versions that there are
	@./.ci/versions newest $(PYTHON) build/newest

morelanguages: $(VENV)/.test ## install languages that take over 300 MB, too, and play a game in each
	@ARENA_TEST_LARGE=1 ARENA_TEST_FULL=1 ./.ci/system
	@ARENA_TEST_LARGE=1 ARENA_TEST_FULL=1 ./.ci/with-docker $(BIN)/pytest tests/bots/test_languages.py

COVERING := tests/game tests/rules tests/oracle tests/playstats tests/ratings tests/league

define LINT
$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports
endef

lint: $(VENV)/.test ## formatting, the linter, types and layers
	@$(LINT)

fix: $(VENV)/.test ## format, and fix what the linter can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.test ## measure throughput, start-up, storing, rating and the site; benchmarks/README.md lists all
	@$(BIN)/python -m benchmarks.throughput
	@$(BIN)/python -m benchmarks.wire
	@$(BIN)/python -m benchmarks.steps
	@$(BIN)/python -m benchmarks.cores
	@$(BIN)/python -m benchmarks.startup
	@$(BIN)/python -m benchmarks.playouts
	@$(BIN)/python -m benchmarks.env
	@$(BIN)/python -m benchmarks.textarena
	@$(BIN)/python -m benchmarks.export
	@$(BIN)/python -m benchmarks.verify
	@$(BIN)/python -m benchmarks.store
	@$(BIN)/python -m benchmarks.live_standings
	@$(BIN)/python -m benchmarks.pruning
	@$(BIN)/python -m benchmarks.site
	@$(BIN)/python -m benchmarks.growth
	@$(BIN)/python -m benchmarks.alike
	@$(BIN)/python -m benchmarks.serve
	@$(BIN)/python -m benchmarks.watched
	@$(BIN)/python -m benchmarks.submission
	@./.ci/with-docker $(BIN)/python -m benchmarks.sandboxes
	@./.ci/with-docker $(BIN)/python -m benchmarks.languages
	@$(BIN)/python -m benchmarks.rating
	@$(BIN)/python -m benchmarks.posterior
	@$(BIN)/python -m benchmarks.promotion
	@$(BIN)/python -m benchmarks.equal_bots
	@$(BIN)/python -m benchmarks.certainty
	@$(BIN)/python -m benchmarks.leavers
	@$(BIN)/python -m benchmarks.designs --seeds 1
	@$(BIN)/python -m benchmarks.coverage
	@$(BIN)/python -m benchmarks.sequential
	@$(BIN)/python -m benchmarks.playoff
	@$(BIN)/python -m benchmarks.compare
	@$(BIN)/python -m benchmarks.ratio_test
	@$(BIN)/python -m benchmarks.suspicion
	@$(BIN)/python -m benchmarks.luck
	@$(BIN)/python -m benchmarks.rated_luck
	@$(BIN)/python -m benchmarks.coach
	@$(BIN)/python -m benchmarks.advice
	@$(BIN)/python -m benchmarks.hand_ins
	@$(BIN)/python -m benchmarks.marks
	@$(BIN)/python -m benchmarks.shared_dice

docs: $(VENV)/.docs ## make a site of the manual, with a search, in build/docs/
	@$(BIN)/python .ci/docs/build.py build/docs

rules: $(VENV)/.test ## write the clauses into docs/reference/rules.md and the kit `model`, their tests into benchmarks/results/
	@$(BIN)/python -m tests.rules.page
	@$(BIN)/arena rules --json >protocol/kits/model/rules.json

hostile: $(VENV)/.test ## play every hostile bot in every sandbox; results go into benchmarks/results/hostile.md
	@$(BIN)/python -m tests.hostile.page

machine: $(VENV)/.test ## boot a Debian by systemd, run a ladder in it; the log goes into benchmarks/results/machines.md
	@$(BIN)/python -m tests.e2e.machine

pictures: $(VENV)/.test ## take the pictures of the README anew
	@./.ci/system
	@$(BIN)/python -m tests.browser.pictures

columns: $(VENV)/.test ## write the columns of the site's data files into docs/reference/data.md
	@$(BIN)/python -m tests.publish.columns

commands: $(VENV)/.test ## write the commands and their options into docs/reference/commands.md
	@$(BIN)/python -m tests.cli.commands_page
	@$(BIN)/python -m tests.cli.written_help

languages: $(VENV)/.test ## write the table of runtimes into docs/guides/languages.md
	@$(BIN)/python -m tests.bots.languages_page

mutants: $(VENV)/.mutation ## change arena/game/rules/ in small ways that the tests must notice; MODULES=... selects modules
	@$(BIN)/python -m tests.mutation.mutants $(MODULES)

protocol: $(VENV)/.run ## write the schemas, the golden transcripts and the example rounds of the rule books
	@$(BIN)/python -m arena.game.wire.schemas protocol/schema
	@$(BIN)/python -m tests.protocol.golden
	@$(BIN)/python -m tests.rules.stories

schemas: $(VENV)/.test ## write what formats and `--json` promise into tests/compatibility/schemas/; takes no promise back
	@$(BIN)/python -m tests.compatibility.declared

equilibrium: $(VENV)/.test ## compute the tables of the sample bot equilibrium, from where it was stopped, and what beats them
	@nice $(BIN)/python -m arena.lab.equilibrium.train build/equilibrium sample_bots/equilibrium/tables
	@nice $(BIN)/python -m arena.lab.equilibrium.response_tables sample_bots/champion/responses.npz
	@$(BIN)/python -m tests.lab.equilibrium.page

champion: $(VENV)/.train ## train the sample bot champion, from where it was stopped, and measure it
	@nice -n 19 $(BIN)/python examples/train_champion.py build/champion
	@$(BIN)/python -m benchmarks.champion build/champion/bot/weights.npz --curve build/champion/curve.tsv

bluffs: $(VENV)/.test ## write what the sample bot champion bluffs and doubts into benchmarks/results/champion.md, with pictures
	@nice $(BIN)/python -m benchmarks.bluffs --write

dist: $(VENV)/.release ## build the wheel and the source archive of the last commit in dist/
	@rm -rf dist
	@./.ci/release $(BIN)/python dist

release: ## the same, of a clean tree, with a new version and its section in the changelog
	@./.ci/releasable
	@$(MAKE) dist

$(VENV)/.run: pyproject.toml constraints.txt
	@./.ci/venv $(PYTHON) $(VENV)
	@$(BIN)/python -m pip install -q --use-pep517 -e .
	@touch $@

$(VENV)/.serve: $(VENV)/.run
	@$(BIN)/python -m pip install -q --use-pep517 -e '.[serve]'
	@touch $@

$(VENV)/.test: $(VENV)/.run
	@$(BIN)/python -m pip install -q --use-pep517 -e '.[test]'
	@touch $@

$(VENV)/.release: $(VENV)/.run
	@$(BIN)/python -m pip install -q hatchling
	@touch $@

$(VENV)/.train: $(VENV)/.run
	@$(BIN)/python -m pip install -q --use-pep517 -e '.[train]'
	@touch $@

$(VENV)/.docs: $(VENV)/.run
	@$(BIN)/python -m pip install -q --use-pep517 -e '.[docs]'
	@touch $@

$(VENV)/.mutation: $(VENV)/.test
	@$(BIN)/python -m pip install -q --use-pep517 -e '.[mutation]'
	@touch $@

clean: ## remove the environment and all generated files
	rm -rf $(VENV) build dist site
