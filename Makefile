# lycosa: `make demo` shows it at work, `make test` proves it. Both install what they need into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The tests start some hundreds of processes: without bytecode each would compile all of lycosa anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check package docs install clean

demo: $(VENV)/native
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

test: $(VENV)/tested $(VENV)/native
	@$(MAKE) --no-print-directory -j2 check package
	$(BIN)/python -m pytest -n auto --dist worksteal

package: $(VENV)/tested
	$(BIN)/python tools/check_package.py

docs: $(VENV)/tested
	$(BIN)/python docs/make_site.py

check: $(VENV)/tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

install: $(VENV)/native

$(VENV)/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "lycosa needs Python 3.11 or newer; give one with: make PYTHON=python3.12 …" >&2; exit 2; }
	@echo "Installing lycosa and what it needs into $(VENV); that takes about a minute."
	@$(PYTHON) -m venv $(VENV)
	@LYCOSA_COMPILED=0 $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# Anew after each change: a module of another source than the one beside it is not used.
$(VENV)/native: native/reading.c native/sketching.c native/hunting.c native/queues.c tools/build_native.py | $(VENV)/installed
	@$(BIN)/python tools/build_native.py || true
	@touch $@

$(VENV)/tested: $(VENV)/installed
	@echo "Installing what the tests need into $(VENV); that takes another minute."
	@LYCOSA_COMPILED=0 $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

clean:
	rm -rf $(VENV) build demo-crawl
