# SPDX-License-Identifier: Apache-2.0
# A thin front of CMake; ./dev also installs what is missing.
BUILD ?= build
PREFIX ?= /usr/local

all:
	@test -f $(BUILD)/CMakeCache.txt || cmake -G Ninja -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	cmake --build $(BUILD)

test:
	./dev test

truth: all
	tests/truth/run.sh $(BUILD)/cuvet

bench: all
	bench/run.sh $(BUILD)/cuvet
	bench/gpucode.sh $(BUILD)/cuvet

fuzz:
	tests/fuzz/run.sh

install: all
	cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf $(BUILD)

.PHONY: all test truth bench fuzz install clean
