# The same commands everywhere. Each sets up what it needs in .venv, in this folder, and nowhere else.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: app demo test quality bench spaces

app: .venv/.app  ## the pages, at http://127.0.0.1:7860
	@$(BIN)/python app.py

demo: .venv/.base  ## every metric of a real results file, overall and by level
	@$(BIN)/python examples/qwen_math.py

test: .venv/.base  ## all tests, without a network
	@$(BIN)/python -m pytest

quality: .venv/.quality  ## lint, format, strict types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: .venv/.bench  ## speed and memory beside other libraries
	@$(BIN)/python -m benchmarks

spaces: .venv/.app  ## the six Spaces, in build/spaces; PUSH=org uploads them
	@$(BIN)/python -m tools.spaces $(PUSH)

.venv/bin/python:
	$(PYTHON) -m venv .venv

# What `demo` installs is enough for `test`, so that both work offline after the first of them.
.venv/.base: .venv/bin/python setup.cfg pyproject.toml
	@echo "Installing into .venv; the first time this takes a minute."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	@touch $@

.venv/.app: .venv/bin/python setup.cfg pyproject.toml
	@echo "Installing into .venv; the first time this takes a minute."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[demo]"
	@touch $@

.venv/.quality .venv/.bench: .venv/.%: .venv/.base
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$*]"
	@touch $@
