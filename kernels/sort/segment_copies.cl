// Copies elements of listed segments, and nothing outside them.
//
// Computes: out[i] = in[i] for each element i of each segment; with GP_ORDER out[i] = in[order[i]];
//           with GP_WIDEN, out[i] = order[i]
// Macros:   those of words.cl, GP_INDEX being 0: what elements are made of, with GP_WIDEN nothing;
//           GP_GROUP, the work-group size; GP_ORDER or GP_WIDEN, if defined
// Launch:   any number of work-groups of GP_GROUP; `tile` and `table` are those of
//           segment_table.cl, `list` its segments. `in`, with `order`, is apart from `out`; it has
//           n elements
// SPDX-License-Identifier: MIT
#include "sort/segment_tiles.cl"
#include "sort/words.cl"

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
sort_copy_segments(uint n, uint tile, global const uint *list, ulong list_offset, global const uint *table,
                   ulong table_offset,
#if defined(GP_ORDER) || defined(GP_WIDEN)
                   global const uint *order, ulong order_offset,
#endif
#ifdef GP_WIDEN
                   global ulong *out, ulong out_offset
#else
                   uint words, global const Word *in, ulong in_offset, global Word *out, ulong out_offset
#endif
) {
    list += list_offset;
    table += table_offset;
    out += out_offset
#ifndef GP_WIDEN
           * words
#endif
        ;
#ifndef GP_WIDEN
    in += in_offset * words;
#endif
#if defined(GP_ORDER) || defined(GP_WIDEN)
    order += order_offset;
#endif
    const uint tiles = table[1];
    for (uint t = (uint)get_group_id(0); t < tiles; t += (uint)get_num_groups(0)) {
        const uint segment = gp_segment_of(t, table);
        const uint2 where = vload2(segment, list);
        const uint from = (t - table[2 + segment]) * tile, to = min(from + tile, where.y);
        for (uint k = from + (uint)get_local_id(0); k < to; k += GP_GROUP) {
            const ulong i = where.x + k;
#ifdef GP_WIDEN
            out[i] = order[i];
#else
#ifdef GP_ORDER
            const ulong source = min(order[i], n - 1); // any number, where segments share keys
#else
            const ulong source = i;
#endif
            for (uint word = 0; word < words; ++word) out[i * words + word] = in[source * words + word];
#endif
        }
    }
}
