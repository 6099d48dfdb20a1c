// Tile swizzle: the order in which work-groups take the tiles of C.
//
// Gives: tile_in_bands
// SPDX-License-Identifier: MIT
#define GP_BAND 8 // tiles of C in a column that are taken together, to find B in the cache

// Row and column of tile number t. Tiles go in bands of GP_BAND rows, column after column within a
// band, so that tiles under way share rows of A and columns of B.
ulong2 tile_in_bands(uint t, uint tile_rows, uint tile_columns) {
    const uint band = t / (GP_BAND * tile_columns);
    const uint in_band = t - band * (GP_BAND * tile_columns);
    const uint height = min((uint)GP_BAND, tile_rows - band * GP_BAND);
    const uint column = in_band / height;
    return (ulong2)(band * GP_BAND + in_band - column * height, column);
}
