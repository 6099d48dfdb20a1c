// Differences of neighbouring elements, for GPUs: lanes, a power of two of work-items, take a row,
// or a part of a long one, GP_VECTORS vectors of 16 bytes each. Vectors begin where those of the
// output are aligned, so that a row's first and last one may be parts, whose elements go one by
// one. The element beside a vector is one that another lane reads, too.
//
// Macros: those of pair.cl; GP_GROUP, the work-group size; GP_WIDTH, elements of a vector;
//         GP_VECTORS
// Launch: work-groups of GP_GROUP work-items: `parts` for every GP_GROUP / lanes rows, so many that
//         their lanes have vectors for n + GP_WIDTH - 1 results of a row
// Source: Luitjens, "CUDA Pro Tip: Increase Performance with Vectorized Memory Access", 2013
// SPDX-License-Identifier: MIT
#include "common/paste.cl"
#include "difference/pair.cl"
#if !defined(GP_GROUP) || !defined(GP_WIDTH) || !defined(GP_VECTORS)
#error "GP_GROUP, GP_WIDTH and GP_VECTORS must be defined"
#endif

// Half through its bits, which are no type to compute with.
#ifdef GP_HALF
typedef ushort Bits;
typedef GP_PASTE(ushort, GP_WIDTH) Vector;
#define GP_OF(bits, j) vload_half(j, (const half *)(bits))
#define GP_TO(value, bits, j) vstore_half_rte(value, j, (half *)(bits))
#else
typedef GP_STORED Bits;
typedef GP_PASTE(GP_STORED, GP_WIDTH) Vector;
#define GP_OF(bits, j) ((T)(bits)[j])
#define GP_TO(value, bits, j) ((bits)[j] = (value))
#endif
#define GP_VLOAD GP_PASTE(vload, GP_WIDTH)
#define GP_VSTORE GP_PASTE(vstore, GP_WIDTH)
#define GP_STEP (GP_WIDTH + 1) // a vector, and the element before it or behind it

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void difference_vectors(GP_ROWS, uint lanes,
                                                                                     ulong parts GP_COUNT_PARAMETERS) {
    GP_TAKE_RESULTS
    const ulong block = parts == 1 ? get_group_id(0) : get_group_id(0) / parts;
    const ulong part = get_group_id(0) - block * parts;
    const uint id = (uint)get_local_id(0);
    const ulong row = block * (GP_GROUP / lanes) + id / lanes;
    if (row >= batch) return;
    global const Bits *from = (global const Bits *)in + in_offset + row * stride_in;
    global Bits *to = (global Bits *)out + out_offset + row * stride_out;
    const ulong head = (size_t)to / sizeof(Bits) & (GP_WIDTH - 1); // results that the first vector lacks
    const ulong first = (part * GP_VECTORS * lanes + (id & (lanes - 1))) * GP_WIDTH;
    const ulong apart = (ulong)lanes * GP_WIDTH, end = n + head;
    // The first vector begins behind a first element that is kept.
    if (first >= head + GP_KEPT && first + (GP_VECTORS - 1) * apart + GP_WIDTH <= end) {
        Bits x[GP_VECTORS * GP_STEP];
        const bool is_aligned = ((size_t)(from - head) & (sizeof(Vector) - 1)) == 0;
#pragma unroll
        for (uint v = 0; v < GP_VECTORS; ++v) {
            global const Bits *at = from + (first + v * apart - head);
            const Vector vector = is_aligned ? *(global const Vector *)at : GP_VLOAD(0, at);
            GP_VSTORE(vector, 0, x + v * GP_STEP + GP_KEPT);
            x[v * GP_STEP + (GP_KEPT ? 0 : GP_WIDTH)] = GP_KEPT ? *(at - 1) : at[GP_WIDTH];
        }
#pragma unroll
        for (uint v = 0; v < GP_VECTORS; ++v) {
            Bits result[GP_WIDTH];
#pragma unroll
            for (uint j = 0; j < GP_WIDTH; ++j)
                GP_TO(gp_change(GP_OF(x, v * GP_STEP + j), GP_OF(x, v * GP_STEP + j + 1)), result, j);
            *(global Vector *)(to + (first + v * apart - head)) = GP_VLOAD(0, result);
        }
        return;
    }
    for (uint v = 0; v < GP_VECTORS; ++v) {
        const ulong begin = first + v * apart;
        for (ulong at = max(begin, head); at < min(begin + GP_WIDTH, end); ++at)
            gp_result((global const GP_STORED *)from, 1, (global GP_STORED *)to, 1, at - head);
    }
}
