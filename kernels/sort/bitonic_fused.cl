// Several columns of a bitonic sorting network in one launch: a work-item takes the 2, 4, 8 or 16
// keys that 1, 2, 3 or 4 columns compare with each other, and keeps them in registers from column
// to column.
//
// Computes: as bitonic.cl does for distances of WAYS / 2 * inc, WAYS / 4 * inc ... inc, where
//           sort_bitonic_WAYS is the kernel. It is not stable.
// Macros:   those of keys.cl, without values
// Launch:   size / WAYS work-items in work-groups of any size; `size` is a power of two
// Source:   Batcher, "Sorting Networks and Their Applications", 1968; Bainville, "OpenCL Sorting",
//           2011; section 5.2.2 of Gruber, "GPGPU Computing with OpenCL", 2013
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"

#if GP_VALUE_BYTES
#error "GP_VALUE_BYTES must be 0: the network sorts keys alone"
#endif

// All loops have constant bounds where `ways` is one: unrolled, they leave `x` in registers.
void gp_merge(Key *x, uint ways, Key flip, int ascending) {
    for (uint distance = ways / 2; distance > 0; distance /= 2) {
        for (uint k = 0; k < ways; ++k) {
            if (k & distance) continue;
            const Key a = x[k], b = x[k + distance];
            const int swap = (gp_ordered(b, flip) < gp_ordered(a, flip)) == ascending;
            x[k] = swap ? b : a;
            x[k + distance] = swap ? a : b;
        }
    }
}

#define GP_FUSED(WAYS)                                                                                                 \
    kernel void sort_bitonic_##WAYS(uint inc, uint box, ulong flip, global Key *keys, ulong keys_offset) {             \
        const uint id = (uint)get_global_id(0);                                                                        \
        const uint low = id & (inc - 1);                                                                               \
        const uint i = (id - low) * WAYS + low; /* id with zeros put in from the bit inc on */                         \
        keys += keys_offset + i;                                                                                       \
        Key x[WAYS];                                                                                                   \
        for (uint k = 0; k < WAYS; ++k) x[k] = keys[k * inc];                                                          \
        gp_merge(x, WAYS, (Key)flip, (i & box) == 0);                                                                  \
        for (uint k = 0; k < WAYS; ++k) keys[k * inc] = x[k];                                                          \
    }

GP_FUSED(2)
GP_FUSED(4)
GP_FUSED(8)
GP_FUSED(16)
