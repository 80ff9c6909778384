# Works with GNU Make 3.81 (macOS) and later. Everything it makes lies in .venv, .tools, node_modules and build.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test test-fast test-live lint types built wasm dist vendor bench docs pictures requirements lock clean

PY := .venv/bin/python
READY := .venv/.tidelore-ready
NODE_READY := node_modules/.tidelore-ready
LIVE_READY := tests/live/node_modules/.tidelore-ready
MCP_READY := tests/sidecar/mcp/node_modules/.tidelore-ready
UV_VERSION := 0.13.9
UV := .tools/uv-$(UV_VERSION)/bin/uv

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

run: $(READY) ## set up on first use, then show the demo
	@.venv/bin/tidelore demo

test: lint types built $(LIVE_READY) $(MCP_READY) ## lint, types and every test
	@$(PY) -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

test-fast: lint ## the same without the slow tests and without Node.js, fewer random examples
	@$(PY) -m pytest -m "not slow" --hypothesis-profile=fast

test-live: $(READY) wasm $(LIVE_READY) ## the tests in a real SillyTavern alone; T=name runs those called so
	@$(PY) -m pytest tests/live $(if $(T),-k '$(T)')

lint: $(READY) ## ruff and mypy alone, and tsc where node_modules is there
	@$(PY) -m ruff check --quiet
	@$(PY) -m ruff format --check --quiet --output-format concise || { echo 'To format: $(PY) -m ruff format'; exit 1; }
	@$(PY) -m mypy --no-error-summary
	@[ ! -e $(NODE_READY) ] || $(TSC)

# Types of the JavaScript, from its JSDoc comments.
TSC := node node_modules/typescript/bin/tsc --project .

types: $(NODE_READY)
	@$(TSC)

# Without wasm/engine, so that a test can find the committed wheel to be an old one.
built: $(READY) $(NODE_READY)
	@node wasm/build.mjs

wasm: $(READY) $(NODE_READY) ## build/wasm, all that the page loads, and wasm/engine, the part of it that is committed
	@node wasm/build.mjs --engine wasm/engine

dist: wasm ## wasm/dist: the runtime beside the extension, for use without the net
	@node wasm/build.mjs --dist wasm/dist

vendor: $(NODE_READY) ## extension/vendor: copy what its table names from node_modules
	@node tools/vendor.mjs

bench: $(READY) ## measure speed and size, and the same in a page where Node.js, Chromium and build/wasm are there
	@$(PY) -m tests.bench
	@$(PY) -m tests.bench.page
	@$(PY) -m tests.bench.sidecar
	@$(PY) -m tests.bench.sync
	@$(PY) -m tests.bench.recall
	@$(PY) -m tests.bench.graph

docs: $(READY) ## make docs/methods.md, docs/openapi.json and the picture of the demo anew
	@$(PY) -m tools.methods
	@$(PY) -m tools.openapi
	@$(PY) -m tools.picture

pictures: wasm $(LIVE_READY) ## docs/pictures: SillyTavern with the extension, taken anew
	@PYTHONPATH=. $(PY) -m tools.page_pictures

requirements: $(READY) ## count the requirements done and planned
	@$(PY) -m tools.requirements

# Keeps the versions that still fit; `make lock LOCK="--upgrade"` takes the newest.
lock: $(UV) ## write requirements.lock anew from pyproject.toml
	@$(UV) pip compile pyproject.toml --quiet --no-config --cache-dir .tools/cache --python $(PY) --extra dev \
		--universal --python-version 3.11 --generate-hashes --custom-compile-command 'make lock' \
		--output-file requirements.lock $(LOCK)

clean: ## remove .venv, .tools, node_modules, caches and build output
	@rm -rf .venv .tools node_modules tests/live/node_modules tests/sidecar/mcp/node_modules .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist sidecar/tidelore.egg-info
	@find sidecar tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp holds the folder it was made in: a virtual environment that was copied or moved is made again.
ifneq ($(shell cat $(READY) 2>/dev/null),$(CURDIR))
.PHONY: $(READY)
endif

$(READY): requirements.lock pyproject.toml tools/setup.sh
	@sh tools/setup.sh

ifneq ($(shell cat $(NODE_READY) 2>/dev/null),$(CURDIR))
.PHONY: $(NODE_READY)
endif

$(NODE_READY): package.json package-lock.json .npmrc tools/node.sh
	@sh tools/node.sh

ifneq ($(shell cat $(LIVE_READY) 2>/dev/null),$(CURDIR))
.PHONY: $(LIVE_READY)
endif

$(LIVE_READY): tests/live/package.json tests/live/package-lock.json tests/live/.npmrc tools/live.sh tools/node.sh
	@sh tools/live.sh

# The conformance suite of the Model Context Protocol, and a Node.js that is new enough for it.
ifneq ($(shell cat $(MCP_READY) 2>/dev/null),$(CURDIR))
.PHONY: $(MCP_READY)
endif

$(MCP_READY): tests/sidecar/mcp/package.json tests/sidecar/mcp/package-lock.json tests/sidecar/mcp/.npmrc tools/node.sh
	@sh tools/node.sh tests/sidecar/mcp

$(PY):
	@sh tools/setup.sh environment

$(UV): | $(PY)
	@$(PY) -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target .tools/uv-$(UV_VERSION) uv==$(UV_VERSION)
