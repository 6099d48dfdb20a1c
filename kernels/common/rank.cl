// A rank, an unsigned number that orders as its key does, as one work-group writes it and another
// one reads it.
//
// Macros: GP_KEY_BYTES, 1, 2, 4 or 8
// Gives:  Rank; GP_PUBLISH, GP_LOOK
// SPDX-License-Identifier: MIT
#include "device/fence.cl"
#if GP_KEY_BYTES == 8
#define Rank ulong
#define GP_PUBLISH gp_publish_ulong
#define GP_LOOK gp_look_ulong
#else
#define Rank uint
#define GP_PUBLISH gp_publish_uint
#define GP_LOOK gp_look_uint
#endif
