// The merge of a tile of the result in local memory.
//
// Macros: those of arrays.cl, which comes first; GP_GROUP, a power of two, and GP_ITEMS: work-items
//         of a work-group, and keys of each; GP_STAGED: 1 where values of one word go through local
//         memory
// Gives:  GP_TILE, the keys of a tile; TileRoom, a work-group's local memory; gp_merge_tile
// Source: Green, McColl and Bader, "GPU Merge Path", 2012
// SPDX-License-Identifier: MIT
#include "common/inline.cl"

#define GP_TILE (GP_GROUP * GP_ITEMS)
#if GP_TILE > 65536
#error "numbers must fit 16 bits"
#endif

typedef struct {
    Key keys[GP_TILE + GP_ITEMS + 1]; // some are read behind the last
#if GP_WORD_BYTES
    ushort numbers[GP_TILE]; // where in `keys` each key of the result is
#if GP_STAGED
    Word values[GP_TILE];
#endif
#endif
} TileRoom;

// Without NaN, floats compare as such.
#if GP_NATIVE
bool gp_is_less(Rank x, Rank y) { return x < y; }
#define GP_MERGE_TILE(take)                                                                                            \
    const bool has_nan = gp_is_nan(keys[count > 0 ? count - 1 : 0]) || gp_is_nan(keys[last]);                          \
    if (has_nan) {                                                                                                     \
        _Pragma("unroll") for (uint k = 0; k < GP_ITEMS; ++k) {                                                        \
            GP_MERGE_STEP(keys, count, size, turned)                                                                   \
            take;                                                                                                      \
        }                                                                                                              \
    } else {                                                                                                           \
        _Pragma("unroll") for (uint k = 0; k < GP_ITEMS; ++k) {                                                        \
            GP_MERGE_STEP_BY(gp_is_less, keys, count, size, turned)                                                    \
            take;                                                                                                      \
        }                                                                                                              \
    }
#else
#define GP_MERGE_TILE(take)                                                                                            \
    _Pragma("unroll") for (uint k = 0; k < GP_ITEMS; ++k) {                                                            \
        GP_MERGE_STEP(keys, count, size, turned)                                                                       \
        take;                                                                                                          \
    }
#endif

// Values beside keys: those that a's next belongs to, and so on.
#if GP_WORD_BYTES
#define GP_TILE_VALUES , uint words, global const Word *a_values, global const Word *b_values, global Word *out_values
#else
#define GP_TILE_VALUES
#endif

// Merges the next `count` keys of a with the next `size` - `count` of b, at most GP_TILE in all.
// Where there are none, b is memory that can be read all the same. A work-group reads its part of
// both side by side, each work-item merges GP_ITEMS neighbours from local memory, and the tile is
// written side by side. Merged keys without values return to local memory by way of registers; with
// values their numbers do. All work-items call it.
GP_INLINE void gp_merge_tile(global const Key *a, global const Key *b, global Key *out, uint count, uint size,
                             Order order, local TileRoom *room GP_TILE_VALUES) {
    const uint item = (uint)get_local_id(0), last = max(size, 1u) - 1;
    local Key *const keys = room->keys;
    global const Key *const shifted = b - count;
    Key loaded[GP_ITEMS];
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint at = min(k * GP_GROUP + item, last);
        loaded[k] = (at < count ? a : shifted)[at];
    }
#if GP_WORD_BYTES
    local ushort *const numbers = room->numbers;
    global const Word *const shifted_values = b_values - (ulong)count * words;
#if GP_STAGED
    local Word *const values = room->values;
    Word taken[GP_ITEMS];
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint at = min(k * GP_GROUP + item, last);
        taken[k] = (at < count ? a_values : shifted_values)[at];
    }
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) values[k * GP_GROUP + item] = taken[k];
#endif
#endif
    // In local memory keys lie with the bits turned that can be.
    const Key turn = GP_TURNED(order.flip);
    const Order turned = {order.flip & ~GP_TURNED(order.flip)};
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) keys[k * GP_GROUP + item] = loaded[k] ^ turn;
    barrier(CLK_LOCAL_MEM_FENCE);

    GP_BEGIN_MERGE(keys, count, size, min(item * GP_ITEMS, size), turned)
#if !GP_WORD_BYTES
    Key mine[GP_ITEMS];
    GP_MERGE_TILE(mine[k] = merged)
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) keys[item * GP_ITEMS + k] = mine[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = item; k < size; k += GP_GROUP) out[k] = keys[k] ^ turn;
#else
    GP_MERGE_TILE(numbers[item * GP_ITEMS + k] = (ushort)from)
    barrier(CLK_LOCAL_MEM_FENCE);
#if GP_STAGED
    for (uint k = item; k < size; k += GP_GROUP) {
        const uint number = numbers[k];
        out[k] = keys[number] ^ turn;
        out_values[k] = values[number];
    }
#else
    for (uint k = item; k < size; k += GP_GROUP) out[k] = keys[numbers[k]] ^ turn;
    for (uint k = item; k < size * words; k += GP_GROUP) {
        const uint value = k / words, word = k - value * words, number = numbers[value];
        out_values[k] = (number < count ? a_values : shifted_values)[(ulong)number * words + word];
    }
#endif
#endif
}
