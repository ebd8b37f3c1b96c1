# The same commands everywhere. Each sets up what it needs in .venv, in this folder, and nowhere else.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: app demo test quality docs release bench coverage spaces texts matrix mutants integrations engines

app: .venv/.demo  ## the pages, at http://127.0.0.1:7860
	@$(BIN)/python -u app.py

demo: .venv/.package  ## the usual metrics of real results, overall and by level, and what to type next
	@$(BIN)/at-k score examples/data/qwen25_math.jsonl --metrics avg@n,pass@k,pass^k,cons@k
	@echo
	@echo "Next: compare two models, gate a number, open the pages, or score a file of yours:"
	@echo "  $(BIN)/at-k compare examples/data/codex_puzzles.jsonl --where prompt=medium --where prompt=long"
	@echo "  $(BIN)/at-k gate examples/data/qwen25_math.jsonl --require 'pass@1 >= 0.8'"
	@echo "  make app"
	@echo "  $(BIN)/at-k score results.jsonl"

# Three at a time, since many wait for a browser or a process. Tests of an app under load run after the others, alone, and
# the root `conftest.py` says where there are any. Both parts run, and each has its own summary. What Python compiles is kept:
# else each process that a test starts takes 0.4 s more, and each worker 8 s to read the tests.
test matrix: export PYTHONDONTWRITEBYTECODE =
test: .venv/.test  ## all tests, without a network, but those that install or follow the guide for contributors
	@failed=0; \
	$(BIN)/python -m pytest --numprocesses=3 --dist=loadgroup -m "not alone and not guide and not installs" || failed=1; \
	$(BIN)/python -m pytest -m alone tests/demo tests/engines || failed=1; \
	exit $$failed

quality: .venv/.quality  ## lint, format, strict types, plain words
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m tools.words

docs: .venv/.docs  ## the site of the documentation, in build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m tools.site

release: .venv/.release  ## the distributions, in dist/, checked and tried; uploads nothing
	@$(BIN)/python -m tools.release

bench: .venv/.test  ## speed and memory beside other libraries
	@$(BIN)/python -m benchmarks

coverage: .venv/.test  ## maintenance: how often intervals cover, simulated; writes docs/coverage.md
	@$(BIN)/python -m benchmarks.coverage

spaces: .venv/.spaces  ## the Hugging Face Spaces, in build/spaces; PUSH=org uploads them
	@$(BIN)/python -m tools.spaces $(PUSH)

engines: .venv/.test  ## maintenance: the tests on Ray, Spark and a fake S3, which take a gigabyte and a JVM
	@$(INSTALL) ".[clusters]"
	@$(BIN)/python -m tools.maintenance engines tests/engines

texts: .venv/.test  ## maintenance: what documents repeat of the registry, and what their examples print
	@$(BIN)/python -m tools.texts
	@$(BIN)/python -m tools.outputs

matrix: .venv/.test  ## maintenance: the tests on every version of Python, and with the oldest packages
	@$(BIN)/python -m tools.matrix

mutants: .venv/.mutants  ## maintenance: small faults in the library, and whether the tests notice them
	@$(BIN)/python -m tools.mutants

integrations: .venv/.test  ## maintenance: the plug-ins in the harnesses that they are for, each in its own environment
	@$(BIN)/python -m tools.integrations

.venv/bin/python:
	$(PYTHON) -m venv .venv

# Each installs what it needs: the report of `demo` takes a third of what the tests do. Nothing is compiled for it but what
# it imports, since to compile everything takes as long as to install it.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable

.venv/.package: .venv/bin/python setup.cfg setup.py pyproject.toml
	@echo "Installing into .venv; the first time this takes a minute or two."
	@$(INSTALL) . --no-compile
	@touch $@

.venv/.test .venv/.demo .venv/.spaces .venv/.docs .venv/.release .venv/.mutants: .venv/.%: .venv/bin/python setup.cfg setup.py pyproject.toml
	@echo "Installing into .venv; the first time this takes a minute or two."
	@$(INSTALL) ".[$*]"
	@touch $@

.venv/.quality: .venv/.test
	@$(INSTALL) ".[quality]"
	@touch $@
