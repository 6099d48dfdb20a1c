// One column of a bitonic sorting network: every comparator of it is a work-item.
//
// Computes: puts keys[i] and keys[i + inc] in order, for every i without the bit inc; ascending
//           where i has not the bit `box` either, else descending. Launched for box = 2, 4 ... size
//           and within it for inc = box / 2, box / 4 ... 1 it sorts `size` keys, a power of two. It
//           is not stable.
// Macros:   those of keys.cl, without values
// Launch:   size / 2 work-items in work-groups of any size
// Source:   Batcher, "Sorting Networks and Their Applications", 1968; Bainville, "OpenCL Sorting",
//           2011; section 5.2.1 of Gruber, "GPGPU Computing with OpenCL", 2013
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"

#if GP_VALUE_BYTES
#error "GP_VALUE_BYTES must be 0: the network sorts keys alone"
#endif

kernel void sort_bitonic(uint inc, uint box, ulong flip, global Key *keys, ulong keys_offset) {
    const uint id = (uint)get_global_id(0);
    const uint low = id & (inc - 1);
    const uint i = 2 * id - low; // id with a 0 put in at the bit inc
    const int ascending = (i & box) == 0;
    keys += keys_offset + i;
    const Key a = keys[0], b = keys[inc];
    if ((gp_ordered(b, (Key)flip) < gp_ordered(a, (Key)flip)) == ascending) {
        keys[0] = b;
        keys[inc] = a;
    }
}
