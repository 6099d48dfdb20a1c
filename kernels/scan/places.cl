// Where the elements of rows lie, by positions: how a work-item goes through a tile, GP_GROUP
// positions at a time, without a division for each.
//
// Macros: those of heads.cl; GP_GROUP, the work-group size
// Gives:  Places, set_places; Way, begin_way, go_on
// SPDX-License-Identifier: MIT
#include "scan/heads.cl"

// Where the elements lie, and how a work-item goes through them.
typedef struct {
    Index stride, step; // step in the order of positions, which in reverse goes down
    Index first;        // of a row, in the order of positions
    Index advance;      // from one position to the next of this work-item
    Index wrap;         // what is added to that where a row ends between them
    uint rest;          // by how much that goes on in a row
} Places;

GP_INLINE void set_places(Places *places, const Rows *rows, Index stride, Index step) {
    const Index whole = GP_GROUP / rows->n;
    places->stride = stride;
    places->step = rows->reverse ? 0 - step : step;
    places->first = rows->reverse ? (rows->n - 1) * step : 0;
    places->rest = (uint)(GP_GROUP - whole * rows->n);
    places->advance = whole * stride + places->rest * places->step;
    places->wrap = stride - rows->n * places->step;
}

// A work-item's way through a tile.
typedef struct {
    Index at;  // the element's place in memory
    uint left; // positions to the row's end, or very many
} Way;

#define GP_MANY (1u << 30)
GP_INLINE uint up_to_many(Index count) { return (uint)min(count, (Index)GP_MANY); }

GP_INLINE void begin_way(Way *way, const Rows *rows, const Places *places, Index position) {
    const Index row = position / rows->n, place = position - row * rows->n;
    way->at = row * places->stride + places->first + place * places->step;
    way->left = up_to_many(rows->n - place);
}

GP_INLINE void go_on(Way *way, const Rows *rows, const Places *places) {
    way->at += places->advance;
    if (way->left <= places->rest) {
        way->left += up_to_many(rows->n);
        way->at += places->wrap;
    }
    way->left -= places->rest;
}
