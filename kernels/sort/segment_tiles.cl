// The listed segment that a tile belongs to.
//
// Gives: gp_segment_of(tile, table), table being that of segment_table.cl, with at least one
//         segment
// SPDX-License-Identifier: MIT
uint gp_segment_of(uint tile, global const uint *table) {
    global const uint *const tiles = table + 2;
    uint low = 0, high = table[0]; // it is in [low, high)
    while (high - low > 1) {
        const uint middle = (low + high) / 2;
        if (tiles[middle] <= tile)
            low = middle;
        else
            high = middle;
    }
    return low;
}
