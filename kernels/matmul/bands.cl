// In which order work-groups take the tiles of C.
//
// Gives: tile_in_bands
// SPDX-License-Identifier: MIT
#define GP_BAND 8 // tiles of C in a column that are taken together, to find B in the cache

// Row and column of tile number t: tiles go in bands of GP_BAND rows, column after column within a band.
ulong2 tile_in_bands(ulong t, ulong tile_rows, ulong tile_columns) {
    const ulong band = t / (GP_BAND * tile_columns);
    const ulong in_band = t - band * (GP_BAND * tile_columns);
    const ulong height = min((ulong)GP_BAND, tile_rows - band * GP_BAND);
    const ulong column = in_band / height;
    return (ulong2)(band * GP_BAND + in_band - column * height, column);
}
