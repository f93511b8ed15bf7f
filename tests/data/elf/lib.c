/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes: patch, minor, major, 0 */
__attribute__((visibility("default"))) const unsigned char cudnn_graph_version[4] = { 2, 10, 9, 0 };
extern int dep_old(void);
extern int dep_new(void) __attribute__((weak));
int weak_one(void) __attribute__((weak));
int weak_one(void) { return dep_old(); }
__attribute__((section(".note.made_up"), used, aligned(4))) static const struct { unsigned n, d, t; char name[8]; char desc[8]; } note = { 6, 7, 9, "Made\0p", "hello!" };
int api_v1(void) { return 1; }
int api_v2(void) { return dep_new ? dep_new() : weak_one(); }
__asm__(".symver api_v1, api@API_1\n.symver api_v2, api@@API_2");
_Thread_local int tls_value = 3;
int zeros[4];
