# Every target does its own set-up; `make` alone lists them.
PYTHON ?= python3
# One more than cores, since many tests wait for a browser or a server.
PROCESSES ?= $(shell expr $$(nproc) + 1)
VENV := .venv
PY := $(VENV)/bin/python
PYTEST = $(PY) -m pytest --numprocesses=$(PROCESSES) --durations=10
PIP := $(PY) -m pip --disable-pip-version-check -qq
# Tests start hundreds of interpreters, each of which would compile all it imports again.
unexport PYTHONDONTWRITEBYTECODE
.DEFAULT_GOAL := help
.PHONY: help demo check test test-all fast slow system bench bench-service docs release format lock clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 15

demo: $(VENV)/.runtime ## grade the sample submissions, build the site
	@sh scripts/install-bubblewrap
	@$(PY) -m grader.cli grade examples/submissions || test $$? -eq 1
	@$(PY) -m grader.cli site build --output build/site

check: $(VENV)/.dev ## format, lint, types, layers: seconds, for use while editing
	$(PY) -m ruff format --check
	$(PY) -m ruff check
	$(PY) -m mypy
	$(VENV)/bin/lint-imports

test: check fast ## check and every fast test: at most five minutes on two cores

test-all: check fast slow ## check and every test, before a release
	$(PYTEST) -m release --dist=loadfile --no-loadscope-reorder

fast: system $(VENV)/.dev
	$(PYTEST) -m "not slow" --dist=worksteal

# The slow tests share servers, browsers and built sites by file; generated cases are run again, more of them.
slow: system $(VENV)/.dev
	$(PYTEST) -m "(slow or hypothesis) and not release" --hypothesis-profile=thorough --dist=loadfile --no-loadscope-reorder

system:
	@sh scripts/install-bubblewrap
	@sh scripts/install-chromium
	@sh scripts/install-postgresql

bench: $(VENV)/.dev ## measure speed, memory and growth (ARGS=--quick for less than a minute)
	@sh scripts/install-bubblewrap
	@$(PY) -m benchmarks $(ARGS)

bench-service: $(VENV)/.dev ## measure the service: requests, verdicts, regrades, memory (ARGS=--quick)
	@sh scripts/install-bubblewrap
	@sh scripts/install-postgresql
	@$(PY) -m benchmarks.service $(ARGS)

docs: $(VENV)/.dev ## build the documentation site in build/docs; a link that leads nowhere is an error
	@$(PY) -m sphinx --quiet --fail-on-warning --keep-going docs build/docs
	@echo "open build/docs/index.html"

release: $(VENV)/.dev ## build and check wheel and sdist, in dist/; the version is that of grader/__init__.py
	@$(PY) scripts/release.py

format: $(VENV)/.dev ## rewrite the code in the project's format
	$(PY) -m ruff format
	$(PY) -m ruff check --fix

lock: $(VENV)/.dev ## resolve requirements/ again from pyproject.toml
	sh scripts/lock $(PY)

clean: ## remove what the other targets made
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

# A stamp is newer than its lock only if the whole install succeeded.
$(VENV)/.runtime: requirements/runtime.txt pyproject.toml
	@sh scripts/make-venv '$(PYTHON)' $(VENV)
	@$(PIP) install --require-hashes -r requirements/runtime.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.runtime
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@
