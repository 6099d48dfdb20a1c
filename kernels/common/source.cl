// Elements in global memory, in the order in which they are combined.
//
// Macros: T, the element type
// Gives:  Source
// SPDX-License-Identifier: MIT
typedef struct {
    global const T *in;
    ulong n;
    uint reverse; // from the last element to the first
} Source;
