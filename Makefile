# Needs Python 3.11 or newer, gcc/g++ and make; everything else comes from PyPI.
# Every target makes its own virtual environment and installs what it needs into it.

PYTHON ?= python3
VENV ?= .venv
SANITIZE_VENV ?= .venv-sanitize
TSAN_VENV ?= .venv-tsan
BUILD_DIR ?= build/{wheel_tag}
PYTEST_ARGS ?=
BENCH_ARGS ?=
PAPER_ARGS ?= all
BASE ?= main

PIP_INSTALL = -m pip install --disable-pip-version-check --quiet
# The packages of one extra of pyproject.toml, so that adding an extra does not build again.
READ_EXTRA = import sys, tomllib; \
  project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
  print(*project["optional-dependencies"][sys.argv[1]])
SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE \
  $(shell find src cpp -type f -not -name '*.pyc' -not -path 'cpp/tests/*')
CPP_FILES := $(shell find cpp -name '*.cpp' -o -name '*.hpp' -o -name '*.inl')

.PHONY: help demo test test-part-others test-cpp cross test-commands test-all fuzz lint types format sanitize sanitize-quick tsan docs clean \
  lock test-oldest sbom reproducible wheel \
  paper bench-envs bench-quick bench bench-compare bench-growth bench-small bench-threads bench-streams bench-codes \
  bench-starts bench-minima bench-map bench-map-quick bench-losses bench-losses-quick

help:
	@echo "make demo      fit a full MCP and log-sum path on real data"
	@echo "make test      unit tests of the C++ rooms, then the test-suite without the slow tests"
	@echo "make test-cpp  the C++ tests with every instruction set, without Python; CPP_TEST=screen: part of them"
	@echo "make cross     the C++ core compiled for ARM, IBM Z, Windows and macOS; tests run where an emulator can"
	@echo "make test-commands  the tests of the command line with the real command"
	@echo "make test-all  test-cpp, then the whole test-suite"
	@echo "make fuzz      random problems, calls and files for MINUTES=5; reproducers in build/fuzz"
	@echo "make lint      ruff, clang-format and size budgets, without changing a file"
	@echo "make types     mypy --strict"
	@echo "make format    let ruff and clang-format rewrite the files"
	@echo "make sanitize  test-suite on a build with ASan and UBSan; sanitize-quick: part of it"
	@echo "make tsan      fits from many threads on a build with ThreadSanitizer"
	@echo "make test-oldest  some tests with the oldest versions of everything that are allowed"
	@echo "make wheel     build, tag and test the wheel as cibuildwheel would, without a container"
	@echo "make reproducible, sbom, lock: wheels that are equal, what is in them, pinned versions"
	@echo "make docs      the documentation site, in docs/_build/html"
	@echo "make bench-compare BASE=commit  this tree against a commit; BENCH_ARGS=--cost-of-start: two starts"
	@echo "make bench-quick, bench, bench-starts, bench-minima, ...: see benchmarks/README.md"
	@echo "make paper     the experiments of the ICML 2019 paper; PAPER_ARGS='all --quick' for five minutes"
	@echo "make clean     remove build products and virtual environments"

# LOCK=ci/lock.txt installs exactly those versions of everything, checked by their hashes; what the
# file lacks is then an error, because nothing else is looked for.
LOCK ?=
PIP_MORE = $(PIP_INSTALL) $(if $(LOCK),--no-index)
BY_LOCK = $(PIP_INSTALL) --require-hashes -r $(LOCK)
$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(if $(LOCK),$@ $(BY_LOCK))

# One stamp per set of extras; each is renewed when a source file changes.
$(VENV)/.installed: $(VENV)/bin/python $(SOURCES)
	$(VENV)/bin/python $(PIP_MORE) --config-settings=build-dir='$(BUILD_DIR)' \
	  $(if $(LOCK),--no-build-isolation) .
	touch $@

$(VENV)/.cli: $(VENV)/.installed
	$(VENV)/bin/python $(PIP_MORE) $$($(VENV)/bin/python -c '$(READ_EXTRA)' cli)
	touch $@

$(VENV)/.test: $(VENV)/.installed
	$(VENV)/bin/python $(PIP_MORE) $$($(VENV)/bin/python -c '$(READ_EXTRA)' test)
	touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(VENV)/bin/python $(PIP_MORE) $$($(VENV)/bin/python -c '$(READ_EXTRA)' dev)
	touch $@

$(VENV)/.docs: $(VENV)/.installed
	$(VENV)/bin/python $(PIP_MORE) $$($(VENV)/bin/python -c '$(READ_EXTRA)' docs)
	touch $@

$(VENV)/.release: $(VENV)/.installed
	$(VENV)/bin/python $(PIP_INSTALL) $$($(VENV)/bin/python -c '$(READ_EXTRA)' release)
	touch $@

# The versions of everything for Python 3.11 and newer, with hashes.
COMPILE = $(VENV)/bin/uv pip compile --quiet --python-version 3.11 pyproject.toml ci/build.in
lock: $(VENV)/.dev
	$(COMPILE) --universal --generate-hashes --no-annotate --custom-compile-command "make lock" \
	  --extra test --extra dev --extra docs --upgrade -o ci/lock.txt

# The oldest versions pyproject.toml allows, of what runs, tests and builds the library.
OLDEST_VENV ?= .venv-oldest
OLDEST_TESTS = tests/data tests/tables tests/estimators/test_estimators.py \
  tests/files/test_model_file.py tests/inspect/test_certificates.py tests/inspect/test_judge.py \
  tests/paths tests/process/test_import.py tests/selection/test_cv.py tests/solve/test_extremes.py
$(OLDEST_VENV)/.ready: $(VENV)/.dev
	mkdir -p build
	$(COMPILE) --resolution lowest-direct --extra test -o build/oldest.txt
	$(PYTHON) -m venv $(OLDEST_VENV)
	$(OLDEST_VENV)/bin/python $(PIP_INSTALL) -r build/oldest.txt
	touch $@

test-oldest: $(OLDEST_VENV)/.ready
	$(OLDEST_VENV)/bin/python $(PIP_INSTALL) --no-build-isolation \
	  --config-settings=build-dir=build/oldest .
	$(OLDEST_VENV)/bin/python -m pytest -q -m "not slow" $(OLDEST_TESTS)

# What the library is made of: its run-time dependencies, with versions and licences.
sbom: $(VENV)/.release
	$(VENV)/bin/python -m ci.sbom $(VENV) build/sbom.cdx.json

# The same wheel, byte for byte, from two folders with different names at different times.
reproducible: $(VENV)/.release
	$(VENV)/bin/python -m ci.reproducible

# The wheel of the settings for cibuildwheel, with its tag and its tests, but no container.
wheel: $(VENV)/.release
	$(VENV)/bin/python -m ci.wheel build/wheel

# A warning is an error. No network is needed once the packages are there.
docs: $(VENV)/.docs
	$(VENV)/bin/python -m sphinx -b html -W --keep-going -q docs docs/_build/html
	@echo "open docs/_build/html/index.html"

# With what the command line needs, so that after it `sparsieve fit` works too.
demo: $(VENV)/.cli
	$(VENV)/bin/python examples/demo.py

# The tools that build the C++ tests. A lock has installed them already.
$(VENV)/.cmake: $(VENV)/bin/python ci/build.in
	$(VENV)/bin/python $(PIP_MORE) $$(grep -E '^(cmake|ninja)' ci/build.in)
	touch $@

# CPP_ARGS are options of CMake, e.g. -DSPARSIEVE_SANITIZE=ON (with a CPP_BUILD of its own). The tests run with
# every instruction set there are kernels for; where the machine lacks one, the next one down is taken.
CPP_BUILD ?= build/cpp
CPP_ARGS ?=
CPP_TEST ?=
CPP_ISAS = $(if $(filter x86_64 amd64,$(shell uname -m)),avx512 avx2 plain,plain)
test-cpp: $(VENV)/.cmake
	$(VENV)/bin/cmake --log-level=NOTICE -S . -B $(CPP_BUILD) -G Ninja -DSPARSIEVE_TESTS=ON \
	  -DCMAKE_MAKE_PROGRAM=$(abspath $(VENV)/bin/ninja) $(CPP_ARGS)
	$(VENV)/bin/cmake --build $(CPP_BUILD)
	for isa in $(CPP_ISAS); do \
	  echo "C++ tests, $$isa:"; SPARSIEVE_ISA=$$isa $(CPP_BUILD)/sparsieve_tests "$(CPP_TEST)" || exit 1; \
	done

# The C++ tests (once here; with every instruction set in test-cpp and test-all) and four parts of the
# Python tests, the longest first: two at a time, and when one ends the next begins, so that no core
# waits while the C++ tests compile. PYTEST_ARGS picks some tests, which then run alone.
PART_1 := benchmarks cli process
PART_2 := solve
PART_3 := inspect reference selection
PARTS := $(addprefix test-part-,1 others 2 3)

test: $(VENV)/.cmake
ifeq ($(PYTEST_ARGS),)
	+$(MAKE) --no-print-directory -j2 --keep-going --output-sync=target \
	  test-cpp $(PARTS) CPP_ISAS=best
else
	+$(MAKE) --no-print-directory -j2 test-cpp $(VENV)/.test CPP_ISAS=best
	$(VENV)/bin/python -m pytest -m "not slow" $(PYTEST_ARGS)
endif

test-part-%: $(VENV)/.test
	$(VENV)/bin/python -m pytest -m "not slow" $(addprefix tests/,$(PART_$*))

test-part-others: $(VENV)/.test
	$(VENV)/bin/python -m pytest -m "not slow" \
	  $(addprefix --ignore=tests/,$(PART_1) $(PART_2) $(PART_3)) tests

# For other machines, with Debian's cross compilers, qemu-user and zig; CROSS=arm: one of them.
CROSS ?=
cross: $(VENV)/.cmake
	$(VENV)/bin/python $(PIP_MORE) ziglang
	PATH="$(abspath $(VENV)/bin):$$PATH" $(VENV)/bin/python -m ci.cross $(CROSS)

# The tests of the command line with the real command, a new process each time.
test-commands: $(VENV)/.test
	$(VENV)/bin/python -m pytest -q -m slow -k process tests/cli

test-all: test-cpp $(VENV)/.test
	$(VENV)/bin/python -m pytest $(PYTEST_ARGS)

# Atheris where it installs; without it the parsers meet seeded mutations only, and the run says so.
$(VENV)/.fuzz: $(VENV)/.test
	-$(VENV)/bin/python $(PIP_INSTALL) $$($(VENV)/bin/python -c '$(READ_EXTRA)' fuzz)
	touch $@

MINUTES ?= 5
FUZZ_ARGS ?=
fuzz: $(VENV)/.fuzz
	$(VENV)/bin/python -m tests.fuzz --minutes $(MINUTES) $(FUZZ_ARGS)

lint: $(VENV)/.dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/clang-format --dry-run --Werror $(CPP_FILES)
	$(VENV)/bin/python -m ci.budgets
	$(VENV)/bin/python -m ci.rooms

types: $(VENV)/.dev
	$(VENV)/bin/mypy

format: $(VENV)/.dev
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	$(VENV)/bin/clang-format -i $(CPP_FILES)

# A build directory of its own, because CMake remembers the option. Leaks are not looked for: Python
# frees little at exit. libstdc++ is preloaded so that ASan finds the exceptions it intercepts.
$(SANITIZE_VENV)/.installed: $(SOURCES)
	$(PYTHON) -m venv $(SANITIZE_VENV)
	$(if $(LOCK),$(SANITIZE_VENV)/bin/python $(BY_LOCK))
	$(SANITIZE_VENV)/bin/python $(PIP_MORE) $(if $(LOCK),--no-build-isolation) \
	  --config-settings=build-dir=build/sanitize \
	  --config-settings=cmake.build-type=RelWithDebInfo \
	  --config-settings=cmake.define.SPARSIEVE_SANITIZE=ON \
	  --config-settings=install.strip=false '.[test]'
	touch $@

sanitize: $(SANITIZE_VENV)/.installed
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libstdc++.so.6)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	$(SANITIZE_VENV)/bin/python -m pytest -m "not slow" -p no:cacheprovider $(PYTEST_ARGS)

# Some of each kind of work: 900 tests, and two minutes to build.
SANITIZE_QUICK = tests/data/test_sparse_checks.py tests/tables \
  tests/inspect/test_certificates.py tests/inspect/test_convexity.py tests/inspect/test_judge.py \
  tests/estimators/test_warm_starts.py tests/solve/test_descent.py tests/solve/test_equivalences.py \
  tests/solve/test_extremes.py tests/solve/test_long_columns.py tests/solve/test_pwl.py
sanitize-quick: $(SANITIZE_VENV)/.installed
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libstdc++.so.6)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	$(SANITIZE_VENV)/bin/python -m pytest -q -m "not slow" -p no:cacheprovider $(SANITIZE_QUICK)

$(TSAN_VENV)/.installed: $(SOURCES)
	$(PYTHON) -m venv $(TSAN_VENV)
	$(TSAN_VENV)/bin/python $(PIP_INSTALL) \
	  --config-settings=build-dir=build/tsan \
	  --config-settings=cmake.build-type=RelWithDebInfo \
	  --config-settings=cmake.define.SPARSIEVE_TSAN=ON \
	  --config-settings=install.strip=false .
	touch $@

# Nothing is suppressed: the sanitizer sees the locks of Python, and so its GIL.
tsan: $(TSAN_VENV)/.installed
	LD_PRELOAD="$$($(CC) -print-file-name=libtsan.so)" TSAN_OPTIONS=exitcode=66 \
	OPENBLAS_NUM_THREADS=1 $(TSAN_VENV)/bin/python -W ignore tests/process/threaded_core.py

$(VENV)/.bench: $(VENV)/.installed
	$(VENV)/bin/python $(PIP_INSTALL) $$($(VENV)/bin/python -c '$(READ_EXTRA)' bench)
	touch $@

paper: $(VENV)/.test
	$(VENV)/bin/python -m benchmarks.paper $(PAPER_ARGS)

bench-envs: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks envs $(PEERS)

bench-quick: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks run --quick $(BENCH_ARGS)

bench: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks run $(BENCH_ARGS)

bench-growth: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks growth $(BENCH_ARGS)

bench-small: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks small $(BENCH_ARGS)

bench-streams: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks.streams $(BENCH_ARGS)

bench-codes: $(VENV)/.bench
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python -m benchmarks.codes $(BENCH_ARGS)

bench-threads: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks threads $(BENCH_ARGS)

bench-starts: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks starts $(BENCH_ARGS)

bench-minima: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks minima $(BENCH_ARGS)

bench-map: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks map $(BENCH_ARGS)

bench-map-quick: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks map --quick $(BENCH_ARGS)

bench-losses: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks losses $(BENCH_ARGS)

bench-losses-quick: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks losses --quick $(BENCH_ARGS)

bench-compare: $(VENV)/.bench
	$(VENV)/bin/python -m benchmarks compare $(BASE) $(BENCH_ARGS)

clean:
	rm -rf build dist docs/_build docs/gallery docs/generated docs/_generated $(VENV) $(SANITIZE_VENV) $(TSAN_VENV) $(OLDEST_VENV) .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
