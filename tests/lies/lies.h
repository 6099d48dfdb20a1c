// An OpenCL layer between the loader and the driver that makes a GPU of every device, spoils what
// one kernel writes, and makes devices look remote. The loader takes it from OPENCL_LAYERS; the
// test, which links it too, steers it from here.
// SPDX-License-Identifier: MIT
#pragma once

extern "C" {

// After each launch of the kernel the first four bytes of the buffer that is its argument of that
// number are other ones. NULL spoils none.
void lies_spoil(const char *kernel, unsigned argument);

// How often that kernel was launched.
long lies_launches();

// From now on devices say what PoCL's remote driver says of those of other hosts.
void lies_remote();
}
