/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzz target defines; libFuzzer and replay_main.c call it. */
#ifndef CV_TESTS_FUZZ_H
#define CV_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
