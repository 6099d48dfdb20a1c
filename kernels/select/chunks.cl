// Select for CPUs: each work-item counts a chunk of the elements, then moves it.
//
// Computes: select_chunk_counts: how many elements of each chunk are kept.
//           select_chunks: the outputs. With one chunk it counts by itself
// Macros:   those of kept.cl
// Launch:   `chunks` work-groups of one
// Source:   Blelloch, "Prefix Sums and Their Applications", 1990, sections 1.2 and 1.3
// SPDX-License-Identifier: MIT
#include "select/kept.cl"

#define GP_BLOCK 256

// The elements of this work-item's chunk.
#define GP_CHUNK                                                                                                       \
    const ulong n = GP_LENGTH, each = ((n + chunks - 1) / chunks + 63) / 64 * 64;                                      \
    const ulong chunk = min(get_global_id(0) * each, n), end = min(chunk + each, n);

// How many of the elements begin .. end - 1 are kept.
ulong gp_count(global const Kept *kept, ulong begin, ulong end) {
    ulong count = 0;
    for (ulong at = begin; at < end; at += GP_BLOCK) {
        const uint length = (uint)min(end - at, (ulong)GP_BLOCK);
        uint here = 0;
        for (uint i = 0; i < length; ++i) here += gp_is_kept(kept, at + i);
        count += here;
    }
    return count;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
select_chunk_counts(GP_SELECT_INPUTS, ulong chunks, global ulong *counts, ulong counts_offset) {
    GP_CHUNK
    counts[counts_offset + get_global_id(0)] = gp_count(GP_KEPT_BEGIN, chunk, end);
}

// Element `from` of the inputs goes to place `to` of the outputs.
#if GP_INDEX_BYTES != 0
#define GP_MOVE_ELEMENT(from, to) out[to] = (Out)(from);
#else
#define GP_MOVE_ELEMENT(from, to)                                                                                      \
    for (uint word = 0; word < GP_WORDS; ++word) out[(to)*GP_WORDS + word] = in[(from)*GP_WORDS + word];
#endif
#define GP_MOVE_VALUE(from, to)                                                                                        \
    for (uint word = 0; word < GP_VALUE_WORDS; ++word)                                                                 \
        out_values[(to)*GP_VALUE_WORDS + word] = values[(from)*GP_VALUE_WORDS + word];
// `length` elements, of which the k-th is number `place` of the block, to places from `to` on, as
// far as there is room.
#define GP_MOVE(length, place, to)                                                                                     \
    {                                                                                                                  \
        const uint fits = (to) < capacity ? (uint)min((ulong)(length), capacity - (to)) : 0;                           \
        for (uint k = 0; k < fits; ++k) GP_MOVE_ELEMENT(at + (place), (to) + k)                                        \
        if (GP_VALUE_WORDS != 0)                                                                                       \
            for (uint k = 0; k < fits; ++k) GP_MOVE_VALUE(at + (place), (to) + k)                                      \
    }

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
select_chunks(GP_SELECT_INPUTS, ulong chunks, global const ulong *counts, ulong counts_offset, GP_SELECT_OUTPUTS) {
    GP_CHUNK
    global const Kept *const from = GP_KEPT_BEGIN;
    in += in_offset * GP_WORDS;
#if GP_INDEX_BYTES != 0
    out += out_offset;
#else
    out += out_offset * GP_WORDS;
#endif
    values += values_offset * GP_VALUE_WORDS;
    out_values += out_values_offset * GP_VALUE_WORDS;
    ulong begin = 0, whole = 0; // what is kept before the chunk, and of all
    if (chunks > 1) {
        for (ulong k = 0; k < chunks; ++k) {
            begin += k < get_global_id(0) ? counts[counts_offset + k] : 0;
            whole += counts[counts_offset + k];
        }
    } else if (GP_REST) {
        whole = gp_count(from, 0, n);
    }
    for (ulong at = chunk; at < end; at += GP_BLOCK) {
        const uint length = (uint)min(end - at, (ulong)GP_BLOCK);
        uchar is_kept[GP_BLOCK];
        uint total = 0;
        for (uint i = 0; i < length; ++i) is_kept[i] = (uchar)gp_is_kept(from, at + i);
        for (uint i = 0; i < length; ++i) total += is_kept[i];
        if (total == length) {
            GP_MOVE(length, k, begin)
        } else if (total == 0) {
#if GP_REST
            GP_MOVE(length, k, whole + at - begin)
#endif
        } else {
            ushort places[GP_BLOCK + 1]; // one is written behind the last
            uint filled = 0;
            for (uint i = 0; i < length; ++i) {
                places[filled] = (ushort)i;
                filled += is_kept[i];
            }
            GP_MOVE(total, places[k], begin)
#if GP_REST
            filled = 0;
            for (uint i = 0; i < length; ++i) {
                places[filled] = (ushort)i;
                filled += 1u - is_kept[i];
            }
            GP_MOVE(length - total, places[k], whole + at - begin)
#endif
        }
        begin += total;
    }
    if (get_global_id(0) == get_global_size(0) - 1) count[count_offset] = begin;
}
