# `make demo` and `make test` do all set-up on a fresh machine with Python 3.11+, make and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# What builds a package is pinned too, in the environment that pip makes for it.
BUILD := --build-constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test test-long bench lint format types contracts check wheel translations tables clean

help:            ## show what there is to make
	@sed -n 's/^\([a-z-]*\): .*## /\1\t/p' $(MAKEFILE_LIST)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) pip setuptools
	$(INSTALL) $(BUILD) --editable '.[browser,embedded,dev]'
	touch $@

demo: $(READY)   ## run the whole job on sample data
	$(BIN)/pindna demo

test: $(READY)   ## run every test
	$(BIN)/pytest -n 4 --dist worksteal

test-long: $(READY) ## run the tests that take minutes: fuzzing and the like
	$(BIN)/pytest -m long

bench: $(READY)  ## measure every method side by side with its peers (a few minutes)
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

check: lint types contracts test ## everything that CI runs

# Without extras, not editable, in an environment of its own: what `pip install` gives.
wheel: $(READY)  ## build the package, install it by itself and try it
	rm -rf build
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps $(BUILD) --wheel-dir build/wheel .
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt build/wheel/*.whl
	$(BIN)/pytest -m wheel tests/wheel

translations: $(READY) ## collect and compile the texts that people see
	$(BIN)/python -m analysis.catalogue

tables: $(READY) ## make the tables of Han characters anew
	$(BIN)/python -m deploy.build_tables

clean:           ## remove everything that was made
	rm -rf $(VENV) build *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
