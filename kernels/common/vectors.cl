// Vectors of 16 bytes, and how many a work-item takes of a tile.
//
// Macros: T, GP_TYPE_SIZE and GP_PASTE, as in combine.cl; GP_GROUP, the work-group size;
//         GP_VECTORS, vectors of a work-item
// Gives:  GP_WIDTH, elements of a vector; TV, a vector; GP_LOAD and GP_STORE; GP_ITEMS and GP_TILE,
//         elements of a work-item and of a tile
// SPDX-License-Identifier: MIT
#ifndef GP_VECTORS
#error "GP_VECTORS must be defined"
#endif

#if GP_TYPE_SIZE == 4
#define GP_WIDTH 4
#else
#define GP_WIDTH 2
#endif
#define GP_ITEMS (GP_WIDTH * GP_VECTORS)
#define GP_TILE (GP_ITEMS * GP_GROUP)
#define TV GP_PASTE(T, GP_WIDTH)
#define GP_LOAD GP_PASTE(vload, GP_WIDTH)
#define GP_STORE GP_PASTE(vstore, GP_WIDTH)
