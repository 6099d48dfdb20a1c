// Pieces of the key space for split.cl, where leading digits do not suit; and keys of which the pieces are not fine enough.
//
// Computes: sort_split_pieces: the pieces of split_state.cl, each with as many of some sorted samples. A key that is so frequent
//           that two pieces would begin with it is a piece alone.
//           sort_split_leftovers: copies the bins that split_finish.cl leaves to `rest`, one behind the other; with `back` = 1
//           from there, when they are sorted
// Macros:   those of keys.cl, keys of 8 bytes; GP_MOST, keys that split_finish.cl takes; GP_PIECES
// Launch:   sort_split_pieces: a work-group of 1024, `state` filled with zeros but for what split_count.cl has found;
//           sort_split_leftovers: any number of work-groups of 1024
// SPDX-License-Identifier: MIT
#include "sort/split_state.cl"

#ifndef GP_MOST
#error "GP_MOST must be defined"
#endif

#define GP_GROUP 1024
#define GP_SAMPLES 8192

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
sort_split_pieces(ulong n, ulong flip, global const Key *keys, ulong keys_offset, global uint *state,
                  ulong state_offset) {
    local Key samples[GP_SAMPLES];
    const uint id = (uint)get_local_id(0);
    keys += keys_offset;
    state += state_offset;
    if (!state[GP_MISFIT]) return;
    state += GP_STATE;
    for (uint i = id; i < GP_SAMPLES; i += GP_GROUP)
        samples[i] = gp_ordered(keys[i * (n - 1) / (GP_SAMPLES - 1)], (Key)flip);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint size = 2; size <= GP_SAMPLES; size *= 2) // bitonic
        for (uint step = size / 2; step > 0; step /= 2) {
            for (uint pair = id; pair < GP_SAMPLES / 2; pair += GP_GROUP) {
                const uint i = 2 * pair - (pair & (step - 1));
                const Key a = samples[i], b = samples[i + step];
                if ((a > b) == ((i & size) == 0)) {
                    samples[i] = b;
                    samples[i + step] = a;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    if (id >= GP_DIGITS) return;
    ulong ends[2]; // where the piece begins, and the next one
#pragma unroll
    for (uint i = 0; i < 2; ++i) {
        const uint stride = GP_SAMPLES / GP_DIGITS, at = (id + i) * stride;
        ends[i] = id + i == 0 ? 0 : id + i == GP_DIGITS ? ~0ul : samples[at];
        if (id + i > 1 && id + i < GP_DIGITS && samples[at - stride] == ends[i] && ends[i] != ~0ul) ++ends[i];
    }
    // The greatest difference in the piece; the last one has the last key too.
    const ulong most = id + 1 == GP_DIGITS ? ends[1] - ends[0] : max(ends[1], ends[0] + 1) - ends[0] - 1;
    const uint shift = most == 0 ? 63 : (uint)clz(most);
    state[GP_LOWS + 2 * id] = (uint)ends[0];
    state[GP_LOWS + 2 * id + 1] = (uint)(ends[0] >> 32);
    state[GP_SHIFTS + id] = shift;
    state[GP_FACTORS + id] = most == 0 ? 0 : (uint)(0x8000000000000000ul / ((most << shift >> 32) + 1));
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
sort_split_leftovers(uint n, uint back, global const uint *state, ulong state_offset, global Key *keys,
                     ulong keys_offset, global Key *rest, ulong rest_offset) {
    local uint begins[GP_GROUP], sums[GP_GROUP], any;
    const uint id = (uint)get_local_id(0);
    state += state_offset;
    if (!state[GP_MISFIT]) return;
    state += GP_STATE;
    if (state[GP_LEFTOVERS] == 0 || gp_gives_up(state, n)) return;
    keys += keys_offset;
    rest += rest_offset;
    uint before = 0; // leftovers of lower bins
    for (uint first = 0; first < GP_BINS; first += GP_GROUP) {
        const uint bin = first + id, begin = bin == 0 ? 0 : state[GP_ENDS + bin - 1];
        uint size = state[GP_ENDS + bin] - begin;
        if (size <= GP_MOST || gp_exact(state[GP_SHIFTS + bin / GP_DIGITS])) size = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id == 0) any = 0;
        begins[id] = begin;
        sums[id] = size;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (size > 0) any = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!any) continue;
        for (uint step = 1; step < GP_GROUP; step *= 2) {
            const uint left = id >= step ? sums[id - step] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            sums[id] += left;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        for (uint b = 0; b < GP_GROUP; ++b) {
            const uint lower = b == 0 ? 0 : sums[b - 1], count = sums[b] - lower;
            for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0))
                if (back)
                    keys[begins[b] + i] = rest[before + lower + i];
                else
                    rest[before + lower + i] = keys[begins[b] + i];
        }
        before += sums[GP_GROUP - 1];
    }
}
