// What the kernels of a sort that splits by the two leading digits share: bins, one for each value of both, and the state
// that they keep in global memory.
//
// Macros: those of keys.cl
// Gives:  GP_BINS, gp_leading; where the parts of `state` begin, which counts in uints
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"

#define GP_BINS (GP_DIGITS * GP_DIGITS)

#define GP_ENDS 0                          // of each bin: its keys; then where it begins; split.cl leaves where it ends
#define GP_COUNTS (GP_ENDS + GP_BINS)      // keys of each first digit
#define GP_HEADS (GP_COUNTS + GP_DIGITS)   // where the next key of each first digit goes
#define GP_TILES (GP_HEADS + GP_DIGITS)    // of the second split: before each first digit's, and all
#define GP_LEFT (GP_TILES + GP_DIGITS + 1) // leading bits that all keys share, which the digits leave out
#define GP_MISFIT (GP_LEFT + 1)            // 1: a bin holds more keys than can be finished, so that nothing is done

// The 32 leading bits of an ordered key.
uint gp_leading(Key ordered) { return (uint)(ordered >> (8 * GP_KEY_BYTES - 32)); }
