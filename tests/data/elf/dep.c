/* SPDX-License-Identifier: Apache-2.0 */
int dep_old(void) { return 1; }
int dep_new(void) { return 2; }
