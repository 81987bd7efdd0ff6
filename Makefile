# What people type. Everything else is CMake's and Go's business; `make help` lists the targets.
SHELL := bash
JOBS ?= $(shell nproc)

# As the control plane is built, so that what it compiled of Kubernetes' libraries serves for ours.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath -gcflags=all=-dwarf=false
# Compilers have memory enough and little time.
export GOGC := 400

# Both at once: downloads and links of the one fill the waits of the other.
SET_UP := +@$(MAKE) --no-print-directory -j 2

.DEFAULT_GOAL := help
.PHONY: help deps configure dist check-dist berth build image control-plane demo check check-all check-cluster check-frameworks bench bench-all bench-hostile bench-memory bench-packing bench-planner bench-retries bench-rivals bench-scheduler bench-webhook clean-cluster demo-cluster soak generate lint format clean mutation fuzz fuzz-tally tidy site install bench-report screenshots

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 24

deps: ## install the Debian packages that are missing
	@.ci/install-dependencies

configure: deps
	@cmake --preset release --log-level=WARNING >/dev/null

berth: configure ## build the binary alone: build/release/cli/berth
	@echo "==> building Berth (build/release)"
	@cmake --build --preset release -j $(JOBS) --target berth

build: configure ## build everything, optimised, into build/release
	@echo "==> building Berth and its tests (build/release)"
	@cmake --build --preset release -j $(JOBS)

PREFIX ?= /usr/local
BINARY ?= build/release/cli/berth
# What writes man pages and completion; it runs here, which another architecture's binary does not.
WRITER ?= $(BINARY)
ZSH_FUNCTIONS ?= $(PREFIX)/share/zsh/site-functions
install: ## install berth, the plugin of kubectl, man pages and completion below PREFIX (DESTDIR in front)
	@test -x $(BINARY) || { echo "nothing is built: run make berth" >&2; exit 1; }
	@install -D $(BINARY) $(DESTDIR)$(PREFIX)/bin/berth
	@ln -sf berth $(DESTDIR)$(PREFIX)/bin/kubectl-berth
	@ln -sf berth $(DESTDIR)$(PREFIX)/bin/kubectl_complete-berth
	@$(WRITER) man $(DESTDIR)$(PREFIX)/share/man/man1
	@install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(ZSH_FUNCTIONS) $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	@$(WRITER) completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/berth
	@$(WRITER) completion zsh >$(DESTDIR)$(ZSH_FUNCTIONS)/_berth
	@$(WRITER) completion fish >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/berth.fish

image: deps ## build the container image and its SBOM, without a container engine: build/image
	@JOBS=$(JOBS) image/build $(IMAGE_FLAGS)

DIST_FLAGS ?=
dist: ## make a release in build/dist: archives, Debian packages, images, chart, SBOMs, checksums
	@.ci/install-dependencies --with-dist
	@JOBS=$(JOBS) VERSION=$(VERSION) image/dist/build $(DIST_FLAGS)

check-dist: ## make a release, and again in another folder without compiler cache; compare all bytes; try it
	@.ci/install-dependencies --with-dist
	@JOBS=$(JOBS) image/dist/check

control-plane: deps ## build etcd, Kubernetes, KWOK and helm into .cache/bin
	@echo "==> building the control plane (.cache/bin; the first time takes about 10 minutes)"
	@tests/e2e/build/build.sh $(PROGRAMS)

# Linking kubectl takes a minute, and only a cluster that is kept is looked at with it.
demo: PROGRAMS := etcd kube-apiserver kube-controller-manager kube-scheduler kwok
demo: PROGRAMS += $(if $(findstring keep,$(DEMO_FLAGS)),kubectl)
demo: ## place ML pods on a real control plane, with and without Berth
	$(SET_UP) berth control-plane PROGRAMS="$(PROGRAMS)"
	@cd tests/e2e && go run ./demo $(DEMO_FLAGS)

# What no node needs is not built; whether one can run here is said before minutes have passed.
demo-cluster: PROGRAMS := etcd kube-apiserver kube-controller-manager kube-scheduler kwok kubectl helm prometheus
demo-cluster: ## install the chart on a real kubelet beside simulated nodes, until Ctrl-C (root)
	@.ci/install-dependencies --with-node
	@cd tests/e2e && go run ./cluster -check
	$(SET_UP) image control-plane PROGRAMS="$(PROGRAMS)"
	@tests/e2e/build/build.sh node
	@cd tests/e2e && go build -o ../../build/demo-cluster ./cluster && exec ../../build/demo-cluster $(DEMO_FLAGS)

clean-cluster: ## stop and remove what a killed demo-cluster or check-cluster has left (root)
	@cd tests/e2e && go run ./cluster -clean

check: ## run all tests
	$(SET_UP) build control-plane
	@.ci/check

check-cluster: ## install the chart on a real kubelet, in namespaces of its own (root)
	@.ci/install-dependencies --with-node
	$(SET_UP) image control-plane
	@JOBS=$(JOBS) image/build --probe
	@JOBS=$(JOBS) image/dist/build amd64
	@tests/e2e/build/build.sh node
	@echo "==> the chart on a real node"
	@cd tests/e2e && BERTH_BINARY=$(CURDIR)/build/image/cli/berth \
		go test -tags cluster -p 1 ./node ./cluster -count=1 -v -timeout 45m

check-frameworks: berth control-plane ## run JobSet, mpi-operator and others in front of Berth, with their real controllers
	@echo "==> controllers of frameworks (.cache/bin; the first time takes about 15 minutes)"
	@tests/e2e/build/build.sh frameworks
	@cd tests/e2e && go vet -tags frameworks ./frameworks && \
		go test -tags frameworks ./frameworks -count=1 -v -timeout 20m

check-all: ## also sanitizers, a real node, other versions of Kubernetes, long tests, chaos; PARTS=... for some
	@.ci/check-all $(PARTS)

MUTANTS ?= 200
SEED ?= 1
mutation: deps ## break the product on purpose and count what the unit tests notice; resumes where it was stopped
	@tests/mutation/run.py --mutants $(MUTANTS) --seed $(SEED) --jobs $(JOBS) $(MUTATION_FLAGS)

FUZZ_SECONDS ?= 600
fuzz: ## fuzz every decoder with libFuzzer for FUZZ_SECONDS each (FUZZ_TARGETS="review watch")
	@.ci/install-dependencies --with-fuzz
	@cmake --preset fuzz --log-level=WARNING >/dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@tests/fuzz/run $(FUZZ_SECONDS) $(FUZZ_TARGETS)

fuzz-tally: ## print what all runs of make fuzz add up to
	@tests/fuzz/run --tally

tidy: ## run clang-tidy on the C++ sources, tests aside, that have changed since they passed
	@.ci/install-dependencies --with-tidy
	@cmake --preset tidy --log-level=WARNING >/dev/null
	@cmake --build --preset tidy
	@JOBS=$(JOBS) .ci/tidy $(TIDY_FOLDERS)

bench: build control-plane ## measure how long kube-scheduler waits, memory, start-up and how fast faults become known
	@tests/bench/run $(BENCH_FLAGS)

bench-all: ## bench, bench-webhook and bench-scheduler, one after the other
	@$(MAKE) --no-print-directory bench
	@$(MAKE) --no-print-directory bench-webhook
	@$(MAKE) --no-print-directory bench-scheduler

soak: berth control-plane ## create pods and faults for 30 minutes; fails if memory grows
	@cd tests/e2e && go run ./soak $(SOAK_FLAGS)

bench-memory: configure ## measure the memory of a snapshot of 7,500 nodes and 100,000 pods, and of 200,000 whole pods
	@cmake --build --preset release -j $(JOBS) --target snapshot_memory
	@build/release/tests/bench/snapshot_memory
	@build/release/tests/bench/snapshot_memory whole-pods

bench-planner: configure ## measure what it costs to plan 1,000 waiting pods at 7,498 nodes, and how near gangs are placed
	@cmake --build --preset release -j $(JOBS) --target planner_benchmark --target gang_spans
	@build/release/tests/bench/planner_benchmark
	@build/release/tests/bench/gang_spans

bench-hostile: berth control-plane ## measure how much attackers slow down honest clients
	@cd tests/bench && go run ./hostile $(HOSTILE_FLAGS)

bench-packing: berth control-plane ## count the devices that placement strands, without and with Berth, and with shortlists
	@cd tests/e2e && go run ./stranding $(PACKING_FLAGS)

bench-report: berth ## measure how long a report of 200,000 pods takes, and how much memory
	@cd tests/bench && go run ./report $(REPORT_FLAGS)

bench-retries: berth control-plane ## measure how long new pods wait beside pods that fit no node
	@cd tests/bench && go run ./retries $(RETRIES_FLAGS)

bench-rivals: berth control-plane ## compare how gangs start by Berth, coscheduling and Kueue
	@tests/e2e/build/build.sh rivals
	@cd tests/bench && go run ./scheduler rivals $(RIVALS_FLAGS)

bench-scheduler: berth control-plane ## measure pods placed per second at 7,498 nodes, with and without Berth
	@cd tests/bench && go run ./scheduler $(SCHEDULER_FLAGS)

bench-webhook: berth control-plane ## measure a review, then pods created per second with and without webhooks
	@cmake --build --preset release -j $(JOBS) --target admission_benchmark
	@echo "==> in the process"
	@build/release/tests/bench/admission_benchmark
	@echo "==> through kube-apiserver"
	@cd tests/bench && go run ./webhook $(WEBHOOK_FLAGS)

screenshots: ## draw the pictures of docs/board.md anew, in Debian's Chromium
	@.ci/install-dependencies --with-browser
	$(SET_UP) berth control-plane
	@cd tests/e2e && go test -tags browser ./board -count=1 -run TestScreenshots -args -screenshots $(CURDIR)/docs

generate: berth ## regenerate the files made from the configuration's fields, and the chart's golden rendering
	@build/release/cli/berth config docs >docs/configuration.md
	@build/release/cli/berth config defaults >charts/berth/files/defaults.yaml
	@build/release/cli/berth config frameworks >charts/berth/files/frameworks.yaml
	@cd tests/chart && go run ./schema >../../charts/berth/values.schema.json
	@tests/e2e/build/build.sh helm
	@cd tests/chart && go test . -count=1 -run TestDefaultRendering -update

site: deps ## make plain HTML pages of the documentation: build/site
	@rm -rf build/site
	@docs/site/build.py build/site

lint: deps ## check formatting, C++ and Go
	@.ci/lint

format: ## format all C++ and Go
	@git ls-files '*.h' '*.cc' | xargs clang-format-14 -i
	@gofmt -w $$(git ls-files '*.go')

clean: ## remove what was built
	@rm -rf build .cache
