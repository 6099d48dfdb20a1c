// Where the keys of a tile of rows lie, by numbers that go through the rows, and a loop over those
// of a work-item.
//
// Macros: GP_EACH_OF, the most keys of a work-item; GP_GROUP, the work-group size
// Gives: GP_EACH, this work-item's keys: number i of the tile, of `count`, k of its own; GP_ROW,
//         with n, the keys of a row, and `inverse`, 2^32 / n rounded up: key i is key `at` of row
//         `row` of the tile; GP_PLACE(at), with `first`, the first row, and `stride`: where that
//         lies in the arrays; GP_SYNC
// SPDX-License-Identifier: MIT
#define GP_SYNC barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define GP_EACH                                                                                                        \
    _Pragma("unroll") for (uint k = 0, i = (uint)get_local_id(0); k < GP_EACH_OF; ++k, i += GP_GROUP) if (i < count)
#define GP_ROW const uint row = n == 1 ? i : mul_hi(i, inverse), at = i - row * n
#define GP_PLACE(at) ((first + row) * stride + (at))
