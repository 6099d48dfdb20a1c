// A list of those elements of a long row that can be among the first k, as far as a sample tells.
//
// Computes: top_k_sample: the state for the whole row, and the threshold: the element of a given
//           number of a sorted sample, or one a little further on. The sample has one element of
//           each of equal parts of the row.
//           top_k_filter: the list of all elements up to the threshold, in any order, and how many
//           they are. Where they are more than there is room for, it stops early
// Macros:   those of results.cl; GP_SAMPLES, work-groups of top_k_sample, each work-item of
//           which takes an element; GP_LOADS, vectors that a work-item of top_k_filter reads at a
//           time; GP_KEEP, elements that a work-group keeps in local memory
// Launch:   top_k_sample: GP_SAMPLES work-groups, n >= GP_GROUP * GP_SAMPLES, `samples` has room
//           for all and *ended is zero, and zero again in the end; top_k_filter: any number of
//           work-groups; of GP_GROUP work-items. `batch` is 1, n < 2^32
// Source:   Floyd and Rivest, "Expected Time Bounds for Selection", 1975
// SPDX-License-Identifier: MIT
#include "top_k/state.cl"

#ifdef GP_SAMPLES
#if GP_SAMPLES > 64
#define GP_UNROLL
#else
#define GP_UNROLL _Pragma("unroll")
#endif

// The threshold may be so many elements of the sample further on, which spares a digit.
uint gp_more(uint number) { return number / 8 + 1; }

// `number`: counted from 1, at most that of the samples. The work-group that ends last finds it.
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
top_k_sample(GP_ROWS, GP_RESULTS, GP_STATE, uint number, volatile global Rank *samples, ulong samples_offset,
             volatile global uint *ended, ulong ended_offset) {
    local uint counts[GP_BINS], sums[GP_GROUP], last;
    local Found found;
    const uint id = (uint)get_local_id(0), part = (uint)n / (GP_GROUP * GP_SAMPLES);
    samples += samples_offset;
    state += state_offset;
    {
        const uint i = (uint)get_global_id(0);
        const uint place = i * part + mul_hi(i * 2654435761u, part); // not at the same place of each part
        GP_PUBLISH(samples + i, gp_ordered(in[in_offset + place * step_in], (Key)flip));
    }
    if (!gp_is_last(ended + ended_offset, GP_SAMPLES, &last)) return;
    gp_begin(state, tally + tally_offset, k);
    Key rank[GP_SAMPLES];
    GP_UNROLL for (uint j = 0; j < GP_SAMPLES; ++j) rank[j] = (Key)GP_LOOK(samples + j * GP_GROUP + id);
    Bin bin = GP_WHOLE;
    const uint more = gp_more(number);
    uint need = number, here = GP_SAMPLES * GP_GROUP;
    for (uint left = 8 * GP_KEY_BYTES; left > 0 && here > more;) {
        const uint shift = gp_shift_behind(left);
        for (uint i = id; i < GP_BINS; i += GP_GROUP) counts[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        GP_UNROLL for (uint j = 0; j < GP_SAMPLES; ++j) {
            if (gp_has(&bin, rank[j], 0)) atomic_inc(counts + gp_digit_of(&bin, rank[j], 0, shift, false));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        gp_find(counts, sums, need, &found);
        gp_narrow(&bin, found.digit, shift, false);
        need -= found.before;
        here = found.here;
        left = shift;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0) state[GP_THRESHOLD] = bin.last;
}

#else

#if GP_KEY_BYTES == 4
#define GP_WIDTH 4 // elements of 16 bytes
#define Keys uint4
#define GP_PASSING(v) (GP_PASSES(v.x) | GP_PASSES(v.y) << 1 | GP_PASSES(v.z) << 2 | GP_PASSES(v.w) << 3)
#else
#define GP_WIDTH 2
#define Keys ulong2
#define GP_PASSING(v) (GP_PASSES(v.x) | GP_PASSES(v.y) << 1)
#endif
#if GP_WIDTH * GP_LOADS > 32
#error "a work-item's elements of a tile have a bit each"
#endif

#define GP_PASSES(element) (gp_ordered(element, (Key)flip) <= threshold ? 1u : 0u)

// Elements that local memory has no room for go to the list at once.
#define GP_KEEP_ONE(element, at_place)                                                                                 \
    {                                                                                                                  \
        const Key rank = gp_ordered(element, (Key)flip);                                                               \
        if (rank <= threshold) {                                                                                       \
            uint to = atomic_inc(&kept);                                                                               \
            if (to < GP_KEEP) {                                                                                        \
                ranks[to] = rank;                                                                                      \
                places[to] = (at_place);                                                                               \
            } else {                                                                                                   \
                to = atomic_inc(tally + GP_FILLED);                                                                    \
                if (to < room) {                                                                                       \
                    list_ranks[to] = rank;                                                                             \
                    list_places[to] = (at_place);                                                                      \
                } else {                                                                                               \
                    full = 1;                                                                                          \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
top_k_filter(GP_ROWS, GP_RESULTS, GP_STATE, uint room, global Key *list_ranks, ulong list_ranks_offset,
             global uint *list_places, ulong list_places_offset) {
    local Key ranks[GP_KEEP];
    local uint places[GP_KEEP];
    local uint kept, base;
    volatile local uint full; // so is the list
    const uint id = (uint)get_local_id(0), group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
    const Key threshold = (Key)state[state_offset + GP_THRESHOLD];
    tally += tally_offset;
    in += in_offset;
    list_ranks += list_ranks_offset;
    list_places += list_places_offset;
    if (id == 0) kept = full = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint length = (uint)n;
    // Elements before and behind the aligned vectors; all of them where they don't lie side by
    // side.
    const uint misaligned = (uint)((ulong)in & 15) / GP_KEY_BYTES;
    const uint head = step_in != 1 ? length : min(length, misaligned == 0 ? 0u : GP_WIDTH - misaligned);
    const uint vectors = (length - head) / GP_WIDTH, behind = head + vectors * GP_WIDTH;
    for (ulong i = group * GP_GROUP + id; i < length - vectors * GP_WIDTH; i += groups * GP_GROUP) {
        const uint place = (uint)(i < head ? i : behind + (i - head));
        GP_KEEP_ONE(in[place * step_in], place)
        if (full) break;
    }
    if (vectors > 0) {
        global const Keys *const from = (global const Keys *)(in + head);
        GP_FOR_TILES(vectors, GP_GROUP * GP_LOADS, group, groups) {
            Keys x[GP_LOADS];
            uint passing = 0;
            if (vectors - tile >= GP_GROUP * GP_LOADS) {
                _Pragma("unroll") for (uint j = 0; j < GP_LOADS; ++j) x[j] = from[tile + j * GP_GROUP + id];
                _Pragma("unroll") for (uint j = 0; j < GP_LOADS; ++j) passing |= GP_PASSING(x[j]) << j * GP_WIDTH;
            } else {
                for (uint j = 0; j < GP_LOADS; ++j) {
                    const uint i = tile + j * GP_GROUP + id;
                    if (i < vectors) passing |= GP_PASSING(from[i]) << j * GP_WIDTH;
                }
            }
            for (; passing != 0; passing &= passing - 1) { // few: they are read again
                const uint bit = 31 - clz(passing & (~passing + 1)), j = bit / GP_WIDTH;
                const uint place = head + (tile + j * GP_GROUP + id) * GP_WIDTH + bit % GP_WIDTH;
                GP_KEEP_ONE(in[place], place)
            }
            if (full) break;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint count = min(kept, (uint)GP_KEEP);
    if (id == 0 && count > 0) base = atomic_add(tally + GP_FILLED, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i < count; i += GP_GROUP) {
        const uint to = base + i;
        if (to >= room) break;
        list_ranks[to] = ranks[i];
        list_places[to] = places[i];
    }
}

#endif
