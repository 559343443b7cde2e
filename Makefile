# `make demo` and `make test` do all set-up on a fresh machine with Python 3.11+, make and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Build tools are pinned too, in the environments that pip makes for builds.
BUILD := --build-constraint constraints.txt
# Print what a command writes only if it fails: packages warn while they are built.
QUIETLY := sh -c 'log=$$(mktemp) && if "$$@" >"$$log" 2>&1; then rm -f "$$log"; else cat "$$log" >&2; rm -f "$$log"; exit 1; fi' sh

# Tests start hundreds of processes: what one of them has compiled serves the others.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-unit test-strict test-strict-errors test-long bench lint format types contracts layout compiled check wheel release resolve lock notice audit advisories docs reference golden translations tables clean

help:            ## show what there is to make
	@sed -n 's/^\([a-z-]*\): .*## /\1\t/p' $(MAKEFILE_LIST)

$(READY): pyproject.toml constraints.txt
	@echo "1/4 Making an environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@echo "2/4 Installing pip and setuptools"
	@$(QUIETLY) $(INSTALL) pip setuptools
	@echo "3/4 Installing pindna and nearly 200 packages that it needs (about two minutes)"
	@$(QUIETLY) $(INSTALL) $(BUILD) --editable '.[all]'
	@echo "4/4 Installing the tools for tests and docs"
	@$(QUIETLY) $(INSTALL) $(BUILD) --editable '.[all,dev]'
	@touch $@

demo: $(READY)   ## run the whole job on sample data
	$(BIN)/pindna demo

test: $(READY)   ## run every test
	$(BIN)/pytest -n 4 --dist worksteal

test-unit: $(READY) ## run the unit tests alone, in a minute or two
	$(BIN)/pytest -n 4 --dist worksteal tests/unit fingerprint

test-strict: $(READY) ## run the contract tests on a server that is as strict as MongoDB
	$(BIN)/pytest -n 4 --dist worksteal --strict-mongo tests/contract

# What answers depends on a server's errors, rights and sizes: in CI.
STRICT := document_size elections lists passing_errors rights schema withheld_answers

test-strict-errors: $(READY) ## the part of these that is about errors, rights and sizes
	$(BIN)/pytest -n 4 --dist worksteal --strict-mongo $(STRICT:%=tests/contract/test_%.py)

test-long: $(READY) ## run the tests that take minutes: fuzzing and the like
	$(BIN)/pytest -m long

bench: $(READY)  ## measure every method and its peers (a quarter of an hour)
	$(INSTALL) $(BUILD) --editable '.[bench]'
	$(INSTALL) $(BUILD) readability-lxml 'newspaper4k[zh]'
	$(BIN)/python -m benchmarks

lint: $(READY)   ## look for mistakes and bad style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(READY) ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(READY)  ## check the types
	$(BIN)/mypy

contracts: $(READY) ## check who may import whom
	$(BIN)/lint-imports

layout: $(READY) ## print the figures of the layout
	$(BIN)/python .ci/layout.py

compiled: $(READY) ## compile the tests once, instead of in each process that `test` starts
	$(BIN)/pytest --collect-only -qq >/dev/null

check: lint types contracts test ## lint, types, contracts and tests

# As `pip install` does it: not editable, without extras, in an environment that holds nothing else.
WHEEL := build/wheel
DIST := build/release
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

wheel: $(READY)  ## build sdist and wheel twice, install the wheel by itself and try it
	rm -rf $(WHEEL)
	$(BIN)/python .ci/release.py $(DIST)
	$(PYTHON) -m venv --without-pip $(WHEEL)/venv
	cp $(DIST)/*.whl $(WHEEL)
	sed '/^# What the extras/,$$d' requirements.lock >$(WHEEL)/core.lock
	$(PIP) --python $(WHEEL)/venv install --no-deps --require-hashes --requirement $(WHEEL)/core.lock
	$(PIP) --python $(WHEEL)/venv install --no-deps --no-index $(WHEEL)/*.whl
	$(PIP) --python $(WHEEL)/venv check
	$(BIN)/pytest -m wheel tests/wheel

release: $(READY) ## build what a release uploads, signed: KEY=ssh:PATH or KEY=gpg:ID
	@test -n "$(KEY)" || { echo "Name the key that signs: make release KEY=ssh:PATH or KEY=gpg:ID" >&2; exit 2; }
	$(BIN)/python .ci/release.py $(DIST) $(KEY)

resolve: $(READY) ## ask PyPI whether each Python and machine can install everything (some minutes)
	$(BIN)/python .ci/resolve.py

lock: $(READY)   ## write requirements.lock, with hashes for each Python and machine (some minutes)
	$(BIN)/python .ci/lock.py

notice: $(READY) ## list the licences of all distributions in NOTICE
	$(BIN)/python .ci/notice.py

audit: $(READY)  ## compare the pinned versions with the known vulnerabilities
	$(BIN)/python .ci/advisories.py

advisories: $(READY) ## read known vulnerabilities from a database in the OSV format: FROM=PATH
	$(BIN)/python .ci/advisories.py $(FROM)

DOCS := build/docs

docs: $(READY)   ## build the documentation as a site in build/docs, in both languages
	$(INSTALL) $(BUILD) --editable '.[docs]'
	$(BIN)/sphinx-build -q -W --keep-going -c docs . $(DOCS)/en
	$(BIN)/sphinx-build -q -W --keep-going -t zh -c docs . $(DOCS)/zh
	@echo "Open $(DOCS)/en/docs/index.html or $(DOCS)/zh/docs/zh/index.html."

reference: $(READY) ## write the reference of commands from their help
	PINDNA_ANALYSIS__LANGUAGE=en $(BIN)/python -m deploy.build_commands docs/commands.md
	PINDNA_ANALYSIS__LANGUAGE=zh $(BIN)/python -m deploy.build_commands docs/zh/commands.md

golden: $(READY) ## keep anew what the commands of the README print; read the difference
	$(BIN)/pytest tests/integration/test_readme.py --regenerate-golden

translations: $(READY) ## collect and compile the texts that people see
	$(BIN)/python -m analysis.words.catalogue

tables: $(READY) ## make the tables of Han characters anew
	$(BIN)/python -m deploy.build_tables

clean:           ## remove everything that make has made
	rm -rf $(VENV) build *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
