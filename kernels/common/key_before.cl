// The key of the lane before.
//
// Needs: Key, GP_KEY_BYTES (order.cl)
// Gives: gp_key_before
// SPDX-License-Identifier: MIT
#include "common/inline.cl"
#include "device/shuffle.cl"

// Lane 0 has lane 31's.
GP_INLINE Key gp_key_before(Key key, local uint *room) {
    const uint lane = ((uint)get_local_id(0) + 31) % 32;
#if GP_KEY_BYTES == 8
    const uint low = gp_shuffle_word((uint)key, lane, room);
    return (ulong)gp_shuffle_word((uint)(key >> 32), lane, room) << 32 | low;
#else
    return (Key)gp_shuffle_word(key, lane, room);
#endif
}
