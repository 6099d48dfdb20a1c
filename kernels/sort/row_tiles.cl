// Sorts short rows, several of them in one work-group.
//
// Computes: a stable reordering of the n keys of each row in place, of their values of any size, or
//           the order as indices. A key's place is the number of keys of its row that come before
//           it, which are counted in local memory, four at a time. Keys and values are then fetched
//           by index, one column of words after the other: a column is read whole before it is
//           written, so that nothing else needs memory.
// Macros:   those of keys.cl and words.cl; GP_GROUP, the work-group size; GP_ITEMS, keys a
//           work-item, in all a multiple of 4 and no more than 65536
// Launch:   a work-group of GP_GROUP for each `together` rows, of which there are `batch`. Rounded
//           up to a multiple of 4, n keys for each of these rows are at most GP_GROUP * GP_ITEMS.
//           inverse is 2^32 / n, rounded up (not looked at where n is 1)
// Source:   Knuth, "The Art of Computer Programming", volume 3, 5.2 (comparison counting)
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"
#include "sort/words.cl"

#if !defined(GP_GROUP) || !defined(GP_ITEMS)
#error "GP_GROUP and GP_ITEMS must be defined: work-group size, keys a work-item"
#endif
#if GP_GROUP * GP_ITEMS > 65536 || GP_GROUP * GP_ITEMS % 4 != 0
#error "a tile has at most 65536 keys, a multiple of 4"
#endif

#if GP_KEY_BYTES == 1
#define Keys uchar4
#elif GP_KEY_BYTES == 2
#define Keys ushort4
#elif GP_KEY_BYTES == 4
#define Keys uint4
#else
#define Keys ulong4
#endif

#define GP_EACH_OF GP_ITEMS
#include "sort/row_places.cl"

#define GP_COUNT(others, bound)                                                                                        \
    (((others).x < (bound) ? 1u : 0u) + ((others).y < (bound) ? 1u : 0u) + ((others).z < (bound) ? 1u : 0u) +          \
     ((others).w < (bound) ? 1u : 0u))
#define GP_EQUAL_BEFORE(other, j) ((other) == mine && (j) < i ? 1u : 0u)

// How many keys of the row come before mine, number i: those before it that are no greater, which
// are less than the next number, and those behind it that are less.
uint gp_count_before(Key mine, uint i, local const Keys *row, uint vectors) {
    const Key next = mine + 1;
    const uint own = i / 4;
    uint before = next == 0 ? 4 * own : 0; // there is no next number: all are no greater
    for (uint v = 0; v < vectors; ++v) {
        const Key bound = v < own ? next : mine;
        const Keys others = row[v];
        before += GP_COUNT(others, bound);
    }
    const Keys others = row[own];
    return before + GP_EQUAL_BEFORE(others.x, 4 * own) + GP_EQUAL_BEFORE(others.y, 4 * own + 1) +
           GP_EQUAL_BEFORE(others.z, 4 * own + 2) + GP_EQUAL_BEFORE(others.w, 4 * own + 3);
}

// The bits [begin, begin + width) of the keys count.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
sort_row_tiles(uint n, uint begin, uint width, ulong flip, global Key *keys, ulong keys_offset, GP_MOVED ulong batch,
               ulong stride, uint together, uint inverse) {
    local Keys room[GP_GROUP * GP_ITEMS / 4];
#if GP_INDEX || GP_WORDS
    local ushort order[GP_GROUP * GP_ITEMS];
#endif
    local Key *const codes = (local Key *)room;
    const ulong first = get_group_id(0) * (ulong)together;
    const uint rows = (uint)min(batch - first, (ulong)together), count = rows * n, vectors = (n + 3) / 4;
    const Key mask = (Key)(~(Key)0) >> (8 * GP_KEY_BYTES - width);
    keys += keys_offset;
    Key key[GP_ITEMS];
    GP_EACH {
        GP_ROW;
        key[k] = keys[GP_PLACE(at)];
        codes[row * 4 * vectors + at] = gp_ordered(key[k], (Key)flip) >> begin & mask;
    }
    // What fills up the last vector of a row comes before none of its keys.
    for (uint row = (uint)get_local_id(0); row < rows; row += GP_GROUP)
        for (uint at = n; at < 4 * vectors; ++at) codes[row * 4 * vectors + at] = (Key)(~(Key)0);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint to[GP_ITEMS];
    GP_EACH {
        GP_ROW;
        to[k] =
            row * n + gp_count_before(gp_ordered(key[k], (Key)flip) >> begin & mask, at, room + row * vectors, vectors);
    }
    GP_SYNC;
    GP_EACH {
#if !GP_INDEX
        codes[to[k]] = key[k];
#endif
#if GP_INDEX || GP_WORDS
        order[to[k]] = (ushort)i;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#if GP_INDEX
    indices += indices_offset;
#endif
    GP_EACH {
        GP_ROW;
#if GP_INDEX
        indices[GP_PLACE(at)] = order[i] - row * n;
#else
        keys[GP_PLACE(at)] = codes[i];
#endif
    }
#if GP_WORDS
    values += values_offset * words;
    for (uint word = 0; word < words; ++word) {
        Word column[GP_ITEMS];
        GP_EACH {
            GP_ROW;
            column[k] = values[GP_PLACE(order[i] - row * n) * words + word];
        }
        GP_SYNC;
        GP_EACH {
            GP_ROW;
            values[GP_PLACE(at) * words + word] = column[k];
        }
    }
#endif
}
