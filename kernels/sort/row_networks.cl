// Sorts short rows, each by one work-item in its registers.
//
// Computes: a stable reordering of the n keys of each row in place, of their values of any size, or
//           the order as indices. A bitonic network whose comparators all point the same way sorts
//           GP_WIDTH numbers: the keys, where equal ones are the same bits, else the keys with
//           their places below. Rows come and go by way of local memory, so that neighbouring
//           work-items read and write neighbours. Values are fetched one column of words after the
//           other: a column is read whole before it is written.
// Macros:   those of keys.cl and words.cl; GP_GROUP, the work-group size; GP_WIDTH, 8, 16, 32, 64
//           or 128; GP_STABLE: 1 where keys that order the same can be told apart, which takes keys
//           of up to 4 bytes
// Launch:   a work-group of GP_GROUP for each GP_GROUP rows, of which there are `batch`; n is at
//           most GP_WIDTH. inverse is 2^32 / n, rounded up (not looked at where n is 1)
// Source:   Batcher, "Sorting Networks and their Applications", 1968
// SPDX-License-Identifier: MIT
#include "common/inline.cl"
#include "sort/keys.cl"
#include "sort/words.cl"

#if !defined(GP_GROUP) || !defined(GP_WIDTH) || !defined(GP_STABLE)
#error "GP_GROUP, GP_WIDTH and GP_STABLE must be defined"
#endif
#if GP_GROUP * (GP_WIDTH + 1) > 65536 || (GP_STABLE && GP_KEY_BYTES > 4)
#error "places must fit 16 bits, and keys with their places 64"
#endif

#if GP_STABLE
#define Number ulong
#else
#define Number Key
#endif

#define GP_AT_ONCE 4 // keys whose loads a work-item has under way
#define GP_SYNC barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
// This work-item's keys: number i of the work-group's `count`, k of its own.
#define GP_EACH                                                                                                        \
    _Pragma("unroll") for (uint k = 0, i = (uint)get_local_id(0); k < GP_WIDTH; ++k, i += GP_GROUP) if (i < count)
// Key i is key `at` of row `row` of the work-group; where key `at` of that row lies in the arrays.
#define GP_ROW const uint row = n == 1 ? i : mul_hi(i, inverse), at = i - row * n
#define GP_PLACE(at) ((first + row) * stride + (at))

#include "sort/networks.cl"

// The bits [begin, begin + width) of the keys count.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
sort_row_networks(uint n, uint begin, uint width, ulong flip, global Key *keys, ulong keys_offset, GP_MOVED ulong batch,
                  ulong stride, uint inverse) {
    local Key room[GP_GROUP * (GP_WIDTH + 1)];
#if GP_STABLE
    local ushort order[GP_GROUP * GP_WIDTH]; // where in `room` each key comes from
#endif
    const uint id = (uint)get_local_id(0);
    const ulong first = get_group_id(0) * (ulong)GP_GROUP;
    const uint rows = (uint)min(batch - first, (ulong)GP_GROUP), count = rows * n;
    const uint pitch = n | 1; // odd, so that work-items side by side read different banks
    keys += keys_offset;
    // A work-item's loads are under way together. Where it has no key, it loads the last one.
    for (uint base = 0; base < count; base += GP_AT_ONCE * GP_GROUP) {
        Key loaded[GP_AT_ONCE];
#pragma unroll
        for (uint k = 0; k < GP_AT_ONCE; ++k) {
            if (base + k * GP_GROUP >= count) continue; // no work-item has one
            const uint i = min(base + k * GP_GROUP + id, count - 1);
            GP_ROW;
            loaded[k] = keys[GP_PLACE(at)];
        }
#pragma unroll
        for (uint k = 0; k < GP_AT_ONCE; ++k) {
            const uint i = base + k * GP_GROUP + id;
            if (i >= count) continue;
            GP_ROW;
            room[row * pitch + at] = loaded[k];
        }
    }
    GP_SYNC;
    if (id < rows) {
        Number x[GP_WIDTH];
#if GP_STABLE
        const Key mask = (Key)(~(Key)0) >> (8 * GP_KEY_BYTES - width);
#endif
#pragma unroll
        for (uint k = 0; k < GP_WIDTH; ++k) {
            x[k] = ~(Number)0; // behind the last key
            if (k >= n) continue;
            const Key code = gp_ordered(room[id * pitch + k], (Key)flip);
#if GP_STABLE
            x[k] = (ulong)(Key)(code >> begin & mask) << 32 | k;
#else
            x[k] = code;
#endif
        }
        GP_SORT_NUMBERS(GP_WIDTH, x);
#pragma unroll
        for (uint k = 0; k < GP_WIDTH; ++k) {
            if (k >= n) continue;
#if GP_STABLE
            order[id * n + k] = (ushort)(id * pitch + (uint)x[k]);
#else
            room[id * pitch + k] = x[k] ^ (Key)flip;
#endif
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#if GP_INDEX
    indices += indices_offset;
#endif
#pragma unroll 8
    for (uint i = id; i < count; i += GP_GROUP) {
        GP_ROW;
#if GP_INDEX
        indices[GP_PLACE(at)] = order[i] - row * pitch;
#elif GP_STABLE
        keys[GP_PLACE(at)] = room[order[i]];
#else
        keys[GP_PLACE(at)] = room[row * pitch + at];
#endif
    }
#if GP_WORDS
    values += values_offset * words;
    for (uint word = 0; word < words; ++word) {
        Word column[GP_WIDTH];
        GP_EACH {
            GP_ROW;
            column[k] = values[GP_PLACE(order[i] - row * pitch) * words + word];
        }
        GP_SYNC;
        GP_EACH {
            GP_ROW;
            values[GP_PLACE(at) * words + word] = column[k];
        }
    }
#endif
}
