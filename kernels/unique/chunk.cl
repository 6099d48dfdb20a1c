// The part of an array that a work-group takes.
//
// Macros: GP_GROUP, the work-group size
// Gives:  GP_CHUNK(size): `first` and `end`, of chunks of `chunk` elements, and `item`, the number
//         of this work-item
// SPDX-License-Identifier: MIT
#ifndef GP_GROUP
#error "GP_GROUP must be defined: the work-group size"
#endif
#define GP_CHUNK(size)                                                                                                 \
    const ulong first = (ulong)get_group_id(0) * chunk, end = min(first + chunk, (ulong)(size));                       \
    const uint item = (uint)get_local_id(0);
