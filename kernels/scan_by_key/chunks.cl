// Scans by key for CPUs: every work-item owns one contiguous chunk. The first launch finds what has
// come since the last run began in each chunk; the second one scans.
//
// A chunk goes block by block: whether any run begins in it is found by vectors, and what has none
// is scanned by vectors.
//
// Macros: those of call.cl
// Launch: work-groups of one, a work-item a chunk of `chunk` elements (the last with the rest);
//         scan_by_key_reduce, where there are several chunks, then scan_by_key_scan. begins[k] is
//         whether a run begins in chunk k, sums[k] the combination of its elements from the last
//         that does on, or of all of them
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, sections 1.2 (more data than
//         processors) and 1.5 (the segmented operator)
// SPDX-License-Identifier: MIT
#include "scan/vector.cl"
#include "scan_by_key/call.cl"

#define GP_BLOCK 256

// Does a run begin at any element from `first`, which is not 0, to `end`?
uint gp_any_head(global const Key *keys, ulong first, ulong end) {
    uint any = 0;
    const uint count = (uint)(end - first);
    for (uint i = 0; i < count; ++i) any |= gp_differs(keys[first + i - 1], keys[first + i]);
    return any;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scan_by_key_reduce(GP_SCAN_BY_KEY, ulong chunk,
                                                                              global T *sums, ulong sums_offset,
                                                                              global uchar *begins,
                                                                              ulong begins_offset) {
    GP_BEGIN_SCAN
    const ulong id = get_global_id(0), begin = min(id * chunk, n), end = min(begin + chunk, n), least = max(begin, 1ul);
    ulong block = end, last = end; // where the last run begins is before `last`, if one does
    while (block > least) {
        last = block;
        block = block - least > GP_BLOCK ? block - GP_BLOCK : least;
        if (gp_any_head(keys, block, last)) break;
        last = block;
    }
    while (last > least && !gp_differs(keys[last - 2], keys[last - 1])) --last;
    const bool any = last > least || (begin == 0 && n > 0);
    const ulong from = last > least ? last - 1 : begin;
    T sum = gp_reduce_chunk(values + from, end - from);
    if (any) sum = GP_COMBINE(fresh, sum);
    sums[sums_offset + id] = sum;
    begins[begins_offset + id] = any;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scan_by_key_scan(GP_SCAN_BY_KEY, ulong chunk,
                                                                            global const T *sums, ulong sums_offset,
                                                                            global const uchar *begins,
                                                                            ulong begins_offset) {
    GP_BEGIN_SCAN
    const ulong id = get_global_id(0), begin = min(id * chunk, n), end = min(begin + chunk, n);
    T running = fresh;
    for (ulong k = 0; k < id; ++k) {
        const T sum = sums[sums_offset + k], both = GP_COMBINE(running, sum);
        running = begins[begins_offset + k] ? sum : both;
    }
    for (ulong at = begin; at < end; at += GP_BLOCK) {
        const ulong stop = min(at + GP_BLOCK, end);
        const bool whole = !gp_any_head(keys, max(at, 1ul), stop);
        ulong i = at;
#ifdef GP_VECTORIZES
        if (whole) {
            TV carry = running;
            for (; i + GP_WIDTH <= stop; i += GP_WIDTH) {
                const TV lanes = scan_lanes(GP_VREAD(values + i), (TV)GP_ZERO);
                TV result = GP_COMBINE(carry, lanes);
                if (exclusive) result = GP_SHIFT(carry.s0, result);
                GP_VSTORE(result, 0, out + i);
                const TV last = GP_LAST(lanes);
                carry = GP_COMBINE(carry, last); // sooner than from the result
            }
            running = carry.s0;
        }
#endif
        for (; i < stop; ++i) {
            const T x = GP_READ(values, i);
            if (!whole && i > 0 && gp_differs(keys[i - 1], keys[i])) running = fresh;
            const T following = GP_COMBINE(running, x);
            out[i] = exclusive ? running : following;
            running = following;
        }
    }
}
