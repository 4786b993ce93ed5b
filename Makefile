# Everything runs in .venv, which each target sets up first. Needs make, git and Python 3.11 to 3.13.
#
#   make check   grade notebooks/ and say what to do next
#   make lab     open the notebooks in JupyterLab
#   make test    everything that must hold before a change lands
#   make build   sources in solutions/ to notebooks and manifest
#   make prove   twenty seeds, every mutant, every supported Python found
#   make bench   how long grading takes

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
# The first of these that is a supported Python makes the environment; `make PYTHON=...` overrides.
PYTHONS := $(PYTHON) python3.13 python3.12 python3.11 python3 python
SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTEST := $(BIN)/python -m pytest
PYTEST_ARGS ?=

.PHONY: check lab test build prove bench environment environment-dev
.DEFAULT_GOAL := check

# Grading that worked is a success for make, whatever the points: status 1 means "not all passed yet".
check: $(VENV)/.ready
	@$(BIN)/grader check; status=$$?; [ $$status -le 1 ] || exit $$status

# On the path, so that `grader` works in JupyterLab's own terminals.
lab: $(VENV)/.ready
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/jupyter lab notebooks $(LAB_ARGS)

build: $(VENV)/.ready
	$(BIN)/grader build

# pytest comes last: its summary line is the last thing to read. The proofs go side by side by themselves: all of them
# share what was judged once.
test: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/grader build --check
	$(PYTEST) -q -p tests.solved_env -p no:cacheprovider --nbval --nbval-cell-timeout 60 solutions
	@$(BIN)/python -m tests.browser
	$(PYTEST) -p no:nbval $(PYTEST_ARGS) tests/proofs
	$(PYTEST) -p no:nbval -n 2 --dist loadfile $(PYTEST_ARGS) --ignore=tests/proofs tests

prove: $(VENV)/.ready-dev
	$(BIN)/python -m tests.prove

bench: $(VENV)/.ready-dev
	$(BIN)/python -m tests.bench

environment: $(VENV)/.ready
environment-dev: $(VENV)/.ready-dev

# What a learner needs; the dev stamp adds what the tests need. An environment that does not start is made anew.
$(VENV)/.ready: pyproject.toml constraints.txt
	@python=; for name in $(PYTHONS); do \
	  if "$$name" -c '$(SUPPORTED)' 2>/dev/null; then python=$$name; break; fi; done; \
	if [ -z "$$python" ]; then \
	  echo "make: no Python 3.11, 3.12 or 3.13 found. Install one, or name it: make PYTHON=/path/to/python3" >&2; \
	  exit 2; fi; \
	if ! $(BIN)/python -c '$(SUPPORTED); import pip' 2>/dev/null; then \
	  if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	    echo "make: $$python cannot make virtual environments. On Debian or Ubuntu: apt-get install python3-venv" >&2; \
	    exit 2; fi; \
	  echo "setting up $(VENV) with $$("$$python" -V) (once, about a minute)"; \
	  "$$python" -m venv --clear $(VENV) || exit 2; fi
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@
