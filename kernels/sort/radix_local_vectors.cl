// One pass of a least-significant-digit radix sort in which each work-item counts and moves a block
// of consecutive keys, with counters in local memory and keys loaded 16 at a time: radix_local.cl
// with fewer, wider loads.
//
// Computes: a stable reordering of n keys by the 4 bits at `shift`. sort_local_vectors_count writes
//           how often each digit occurs in each block, digit by digit; an exclusive scan of all
//           these counts makes them the places where the blocks' keys begin;
//           sort_local_vectors_permute moves the keys there.
// Macros:   those of blocks.cl; GP_BLOCK is a multiple of 16
// Launch:   both kernels alike: at least ceil(n / GP_BLOCK) work-items in work-groups of any size,
//           with 64 bytes of local memory for each work-item of a group
// Source:   Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs",
//           2009; AMD's APP SDK; section 5.2.5 of Gruber, "GPGPU Computing with OpenCL", 2013
// SPDX-License-Identifier: MIT
#include "sort/blocks.cl"

#if GP_BLOCK % 16
#error "GP_BLOCK must be a multiple of 16"
#endif

#define GP_JOIN(a, b) a##b
#define GP_SIXTEEN(type) GP_JOIN(type, 16)
// Components of a vector can't be counted through: DO(s) for each of them.
#define GP_EACH(DO)                                                                                                    \
    DO(s0) DO(s1) DO(s2) DO(s3) DO(s4) DO(s5) DO(s6) DO(s7) DO(s8) DO(s9) DO(sa) DO(sb) DO(sc) DO(sd) DO(se) DO(sf)

// counts[d * work-items + w] = how often digit d occurs in the block of work-item w
kernel void sort_local_vectors_count(ulong n, uint shift, ulong flip, global const Key *keys, ulong keys_offset,
                                     global uint *counts, ulong counts_offset, local uint *count) {
    const ulong begin = min(n, (ulong)get_global_id(0) * GP_BLOCK), end = min(n, begin + GP_BLOCK);
    count += get_local_id(0) * GP_BUCKETS; // nobody else uses these: no barriers
    for (uint d = 0; d < GP_BUCKETS; ++d) count[d] = 0;
    keys += keys_offset;
    ulong i = begin;
    for (; i + 16 <= end; i += 16) {
        const GP_SIXTEEN(Key) key = vload16(0, keys + i);
#define GP_COUNT(s) ++count[GP_BUCKET(key.s)];
        GP_EACH(GP_COUNT)
    }
    for (; i < end; ++i) ++count[GP_BUCKET(keys[i])];
    counts += counts_offset + get_global_id(0);
    for (uint d = 0; d < GP_BUCKETS; ++d) counts[d * get_global_size(0)] = count[d];
}

kernel void sort_local_vectors_permute(ulong n, uint shift, ulong flip, global const Key *in, ulong in_offset,
                                       global Key *out, ulong out_offset, global const uint *places,
                                       ulong places_offset, local uint *next) {
    const ulong begin = min(n, (ulong)get_global_id(0) * GP_BLOCK), end = min(n, begin + GP_BLOCK);
    next += get_local_id(0) * GP_BUCKETS; // where the block's next key of each digit goes
    places += places_offset + get_global_id(0);
    for (uint d = 0; d < GP_BUCKETS; ++d) next[d] = places[d * get_global_size(0)];
    in += in_offset;
    out += out_offset;
    ulong i = begin;
    for (; i + 16 <= end; i += 16) {
        const GP_SIXTEEN(Key) key = vload16(0, in + i);
        uint16 to;
#define GP_PLACE(s) to.s = next[GP_BUCKET(key.s)]++;
#define GP_MOVE(s) out[to.s] = key.s;
        GP_EACH(GP_PLACE)
        GP_EACH(GP_MOVE)
    }
    for (; i < end; ++i) {
        const Key key = in[i];
        out[next[GP_BUCKET(key)]++] = key;
    }
}
