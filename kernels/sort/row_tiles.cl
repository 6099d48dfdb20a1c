// Sorts short rows in local memory by counting.
//
// Computes: a stable reordering of the n keys of each row in place, of their values of any size, or
//           the order as indices
// Macros:   those of ranks.cl
// Launch:   a work-group of GP_GROUP for each `rows` of the `batch` rows, which lie `stride` apart;
//           `rows` is at most GP_GROUP, and GP_SLOTS_OF(n) times that at most GP_ROOM
// Source:   that of ranks.cl
// SPDX-License-Identifier: MIT
#include "sort/ranks.cl"

// The bits [begin, begin + width) of the keys count.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
sort_row_tiles(uint n, uint begin, uint width, ulong flip, global Key *keys, ulong keys_offset, GP_MOVED ulong batch,
               ulong stride, uint rows) {
    local Slots slots;
    const uint id = (uint)get_local_id(0);
    const Key mask = (Key)(~(Key)0) >> (8 * GP_KEY_BYTES - width);
    const ulong first = get_group_id(0) * (ulong)rows;
    const uint count = (uint)min(batch - first, (ulong)rows);
    if (id < count) gp_put_segment((first + id) * stride, id * GP_SLOTS_OF(n), n, id * n, id, &slots);
    barrier(CLK_LOCAL_MEM_FENCE);
    gp_sort_slots(&slots, keys + keys_offset, GP_MOVED_HERE count * GP_SLOTS_OF(n), stride != n, first * stride,
                  count * n, begin, mask, (Key)flip);
}
