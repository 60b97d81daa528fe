# make test   the whole suite          make demo   a table of trictrac, played and verified
# make check  format, lint, types, contracts   make conformance [CASES=dir]   make bench   make faults   make up
SHELL := bash
.DELETE_ON_ERROR:
BIN := .venv/bin
PROTOS := $(shell find proto -name '*.proto' 2>/dev/null)
export PYTHONPATH := $(CURDIR):$(CURDIR)/gen
# numpy's matrices are small here: one thread each
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: setup gen test check conformance demo up bench strength faults released lock format clean

setup: gen

.venv/ready: requirements.lock pyproject.toml
	python3.11 -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	printf '%s\n%s\n' '$(CURDIR)' '$(CURDIR)/gen' > $$($(BIN)/python -c 'import site; print(site.getsitepackages()[0])')/stamtafel_paths.pth
	touch $@

gen/ready: .venv/ready $(PROTOS)
	mkdir -p gen
	find gen -name '*_pb2*' -delete
	$(BIN)/python -m grpc_tools.protoc -Iproto --plugin=protoc-gen-mypy=$(BIN)/protoc-gen-mypy --plugin=protoc-gen-mypy_grpc=$(BIN)/protoc-gen-mypy_grpc \
	  --python_out=gen --mypy_out=gen --grpc_python_out=gen --mypy_grpc_out=gen $(PROTOS)
	touch $@

gen: gen/ready

test: gen
	$(BIN)/python -m pytest tests --durations=10
	$(BIN)/python -m libs.testing tests/conformance/cases

check: gen
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/buf lint proto
	$(BIN)/buf breaking proto --against proto/released.binpb
	$(BIN)/pyright
	$(BIN)/lint-imports

# Everything on this machine until Ctrl-C, data in .stamtafel/. DATABASE_URL and NATS_URL replace the embedded servers.
up: gen
	@$(BIN)/python -m deploy.local up

# A short table of each game: played over gRPC, exported, and checked from the file alone.
demo: gen
	@$(BIN)/python -m deploy.demo $(GAMES)

KILLS ?= 100
faults: gen
	KILLS=$(KILLS) $(BIN)/python -m pytest tests/faults/test_faults.py

GAME ?= trictrac
strength: gen
	$(BIN)/python -m services.$(GAME).strength $(ARGS)

bench: gen
	$(BIN)/python -m tests.bench $(PARTS)

# The contracts as released: what `buf breaking` holds changes against. Written anew with each release.
released:
	$(BIN)/buf build proto -o proto/released.binpb

CASES ?= tests/conformance/cases
conformance: gen
	$(BIN)/python -m libs.testing $(CASES)

lock:
	uv pip compile --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header -q requirements.in -o requirements.lock

format: gen
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf gen build .stamtafel
