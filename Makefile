# Everything starts from a machine with Python >= 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUDGET ?= quick
SEED ?= 0
LIMIT ?= 900
STAMP := $(VENV)/.installed
LINTERS := $(VENV)/.linters
# Hundreds of processes begin here: what one has compiled is kept for the others, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt

.PHONY: audit test lint notebooks bench pieces rates mutation figures clean help

help: ## show the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "twofold needs Python >= 3.11; set PYTHON=python3.11 or newer" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) torch==2.13.0
	$(PIP) -e '.[test,cluster,slurm,models]'
	@touch $@

$(LINTERS): $(STAMP)
	$(PIP) -e '.[lint]'
	@touch $@

audit: $(STAMP) ## audit every claim (BUDGET=quick|standard|thorough); leaves out/audit.json, out/site (FRESH=1: nothing reused)
	$(BIN)/twofold audit --budget $(BUDGET) --seed $(SEED) $(if $(FRESH),--fresh) --json out/audit.json --site out/site \
		--junit out/audit.xml $(if $(GITHUB_STEP_SUMMARY),--summary $(GITHUB_STEP_SUMMARY))

# Two processes that each run two threads on two cores wait for each other most of the time.
test: export OMP_NUM_THREADS := 1
test: $(STAMP) ## run every test, the notebooks included
	$(BIN)/python -m pytest -q -n 2 --dist worksteal --benchmark-disable -m 'not seldom'
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --nbval notebooks

lint: $(LINTERS) ## format check, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

notebooks: $(STAMP) ## run every notebook again and store its outputs
	$(BIN)/python notebooks/regenerate.py

RUN ?= benchmarks/results/xeon-2-cores.json
bench: $(STAMP) ## run the benchmarks (ONLY="kernel cluster": some); leaves RUN and benchmarks/pictures
	$(BIN)/twofold bench $(ONLY) $(if $(ONLY),--from $(RUN)) --json $(RUN)
	$(BIN)/twofold bench --from $(RUN) --from benchmarks/results/nvidia-h200.json --plots benchmarks/pictures

pieces: $(STAMP) ## time the inner pieces against the last run kept by `make pieces KEEP=1`; fails where a median is 1.5 times as long
	$(BIN)/python -m pytest -q tests/benchmarks/test_pieces.py --benchmark-storage=benchmarks/pieces \
		--benchmark-columns=min,median,iqr,rounds $(if $(KEEP),--benchmark-autosave,--benchmark-compare --benchmark-compare-fail=median:50%)

rates: $(STAMP) ## measure false alarms and power with further seeds; needs out/audit.json of `make audit`
	$(BIN)/python -m benchmarks.rates --document out/audit.json --scope drawn --seconds $(LIMIT)
	$(BIN)/python -m benchmarks.rates --document out/audit.json --scope whole --seconds $(LIMIT)

mutation: $(STAMP) ## change the modules that decide, place by place, and see that tests notice (hours; goes on)
	$(PIP) -e '.[test,mutation]'
	$(BIN)/python -m benchmarks.mutation --seconds $(LIMIT)

figures: $(STAMP) ## redraw every figure into figures/, which the site shows
	@for id in $$($(BIN)/twofold figure --list | cut -d' ' -f1); do \
		$(BIN)/twofold figure $$id --out figures/$$id.png || exit $$?; done

clean: ## remove what the other targets made
	rm -rf $(VENV) out build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
