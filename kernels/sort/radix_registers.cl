// One pass of a least-significant-digit radix sort in which each work-item counts and moves a block
// of consecutive keys, with counters of its own. Where registers can't be indexed, compilers put
// the counters elsewhere: radix_local.cl.
//
// Computes: a stable reordering of n keys by the 4 bits at `shift`. sort_registers_count writes how
//           often each digit occurs in each block, digit by digit; an exclusive scan of all these
//           counts makes them the places where the blocks' keys begin; sort_registers_permute moves
//           the keys there.
// Macros:   those of blocks.cl
// Launch:   both kernels alike: at least ceil(n / GP_BLOCK) work-items in work-groups of any size
// Source:   Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs",
//           2009; AMD's APP SDK; section 5.2.3 of Gruber, "GPGPU Computing with OpenCL", 2013
// SPDX-License-Identifier: MIT
#include "sort/blocks.cl"

// counts[d * work-items + w] = how often digit d occurs in the block of work-item w
kernel void sort_registers_count(ulong n, uint shift, ulong flip, global const Key *keys, ulong keys_offset,
                                 global uint *counts, ulong counts_offset) {
    const ulong begin = min(n, (ulong)get_global_id(0) * GP_BLOCK), end = min(n, begin + GP_BLOCK);
    uint count[GP_BUCKETS];
    for (uint d = 0; d < GP_BUCKETS; ++d) count[d] = 0;
    keys += keys_offset;
    for (ulong i = begin; i < end; ++i) ++count[GP_BUCKET(keys[i])];
    counts += counts_offset + get_global_id(0);
    for (uint d = 0; d < GP_BUCKETS; ++d) counts[d * get_global_size(0)] = count[d];
}

kernel void sort_registers_permute(ulong n, uint shift, ulong flip, global const Key *in, ulong in_offset,
                                   global Key *out, ulong out_offset, global const uint *places, ulong places_offset) {
    const ulong begin = min(n, (ulong)get_global_id(0) * GP_BLOCK), end = min(n, begin + GP_BLOCK);
    uint next[GP_BUCKETS]; // where the block's next key of each digit goes
    places += places_offset + get_global_id(0);
    for (uint d = 0; d < GP_BUCKETS; ++d) next[d] = places[d * get_global_size(0)];
    in += in_offset;
    out += out_offset;
    for (ulong i = begin; i < end; ++i) {
        const Key key = in[i];
        out[next[GP_BUCKET(key)]++] = key;
    }
}
