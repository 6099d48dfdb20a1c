// One round of an odd-even transition sort: neighbours that are out of order change places.
//
// Computes: compares keys[i] with keys[i + 1], for i even in a round with odd = 0 and for i odd in
//           one with odd = 1. After n rounds in turn n keys are sorted. It is stable: equal
//           neighbours stay.
// Macros:   those of keys.cl, without values
// Launch:   at least n / 2 work-items in work-groups of any size
// Source:   Habermann, "Parallel Neighbor Sort", 1972; Kipfer and Westermann, "Improved GPU
//           Sorting", GPU Gems 2, 2005
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"

#if GP_VALUE_BYTES
#error "GP_VALUE_BYTES must be 0: this sorts keys alone"
#endif

kernel void sort_odd_even(ulong n, uint odd, ulong flip, global Key *keys, ulong keys_offset) {
    const ulong i = 2 * (ulong)get_global_id(0) + odd;
    if (i + 1 >= n) return;
    keys += keys_offset + i;
    const Key a = keys[0], b = keys[1];
    if (gp_ordered(b, (Key)flip) < gp_ordered(a, (Key)flip)) {
        keys[0] = b;
        keys[1] = a;
    }
}
