// For split.cl where leading digits do not suit: the samples that give the splitters, and the
// oversized buckets.
//
// Computes: sort_split_samples: the samples of split_state.cl in order. Each is placed by comparing
//           it with all others. sort_split_leftovers: copies the oversized buckets, which
//           split_finish.cl leaves as they are, to `rest`, one behind the other; with `back` = 1
//           from there, when they are sorted
// Macros:   those of keys.cl, keys of 4 or 8 bytes; GP_GROUP, 1024, work-items of a work-group;
//           GP_MOST, keys that split_finish.cl takes; GP_PIECES; the form of device/shuffle.cl
// Launch:   sort_split_samples: 128 work-groups of 1024, `state` filled with zeros but for what
//           split_count.cl has found; sort_split_leftovers: any number of work-groups of 1024
// SPDX-License-Identifier: MIT
#include "sort/lower_sum.cl"
#include "sort/split_state.cl"

#if !defined(GP_GROUP) || !defined(GP_MOST)
#error "GP_GROUP and GP_MOST must be defined"
#endif

#define GP_PLACED 64                                  // samples that a work-group places
#define GP_PART (GP_SAMPLES / (GP_GROUP / GP_PLACED)) // that a work-item compares one of them with

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_split_samples(uint n, ulong flip, global const Key *keys, ulong keys_offset, global uint *state,
                   ulong state_offset) {
    local Key samples[GP_SAMPLES];
    local uint ranks[GP_PLACED];
    const uint id = (uint)get_local_id(0);
    keys += keys_offset;
    state += state_offset;
    if (!gp_to_cut(state)) return;
    for (uint i = id; i < GP_SAMPLES; i += GP_GROUP)
        samples[i] = gp_ordered(keys[(ulong)i * (n - 1) / (GP_SAMPLES - 1)], (Key)flip);
    if (id < GP_PLACED) ranks[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint mine = (uint)get_group_id(0) * GP_PLACED + id % GP_PLACED;
    const uint begin = id / GP_PLACED * GP_PART, end = begin + GP_PART, middle = clamp(mine, begin, end);
    const Key key = samples[mine];
    uint before = 0;
    for (uint i = begin; i < middle; ++i) before += samples[i] <= key ? 1 : 0;
    for (uint i = middle; i < end; ++i) before += samples[i] < key ? 1 : 0;
    atomic_add(&ranks[id % GP_PLACED], before);
    barrier(CLK_LOCAL_MEM_FENCE);
#if GP_KEY_BYTES == 8
    if (id < GP_PLACED) vstore2(as_uint2(key), ranks[id], state + GP_STATE + GP_SORTED);
#else
    if (id < GP_PLACED) state[GP_STATE + GP_SORTED + ranks[id]] = key;
#endif
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_split_leftovers(uint n, uint back, global const uint *state, ulong state_offset, global Key *keys,
                     ulong keys_offset, global Key *rest, ulong rest_offset) {
    local uint begins[GP_DIGITS], befores[GP_DIGITS], sizes[GP_DIGITS], scan[GP_LOWER_SUM_ROOM(GP_DIGITS)];
    local uint leftovers[GP_DIGITS], oversized;
    const uint id = (uint)get_local_id(0);
    state += state_offset;
    if (!gp_by_pieces(state, n)) return;
    state += GP_STATE;
    if (state[GP_LEFTOVERS + GP_DIGITS] == 0) return;
    keys += keys_offset;
    rest += rest_offset;
    if (id < GP_DIGITS) leftovers[id] = state[GP_LEFTOVERS + id];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint piece = 0; piece < GP_DIGITS; rest += leftovers[piece++]) {
        if (leftovers[piece] == 0) continue;
        uint begin = 0, size = 0;
        if (id < GP_DIGITS) {
            const uint bin = piece * GP_DIGITS + id;
            begin = bin == 0 ? 0 : state[GP_ENDS + bin - 1];
            size = state[GP_ENDS + bin] - begin;
            if (size <= GP_MOST) size = 0;
        }
        const uint before = gp_lower_sum(size, GP_DIGITS, scan);
        if (id == 0) oversized = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (size > 0) { // in any order
            const uint slot = atomic_inc(&oversized);
            begins[slot] = begin;
            befores[slot] = before;
            sizes[slot] = size;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint b = 0; b < oversized; ++b)
            for (uint i = (uint)get_global_id(0); i < sizes[b]; i += (uint)get_global_size(0)) {
                global Key *const here = &keys[begins[b] + i], *const there = &rest[befores[b] + i];
                if (back)
                    *here = *there;
                else
                    *there = *here;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
