// The best element of a block that one work-item has read.
//
// Computes: the block's least element, and of floating-point numbers the greatest, by few
//           instructions for each; then, only where the block's best is better than the best so
//           far, which element that is.
// Macros:   those of results.cl
// Needs:    GP_READS, elements of a block
// Gives:    gp_place_in_block
// SPDX-License-Identifier: MIT
#include "common/inline.cl"

#if GP_KEY_FLOAT
#if GP_KEY_BYTES == 2
typedef short Turned;
#elif GP_KEY_BYTES == 4
typedef int Turned;
#else
typedef long Turned;
#endif

// A number with a sign that orders as the floating-point key does. -0 comes right before 0, and
// NaN beyond the infinity of their sign. The function is its own inverse.
GP_INLINE Key gp_turned(Key key) { return key ^ ((Key)((Turned)key >> (8 * GP_KEY_BYTES - 1)) & (Key)~GP_SIGN); }
#endif

// Where the first of the best of the block's elements is, and in *rank its rank; GP_READS if that
// is not less than *rank, which then stays.
GP_INLINE uint gp_place_in_block(const Key *block, Key flip, Key *rank) {
    bool by_rank = false; // may elements of the best rank differ in their bits?
#if GP_KEY_FLOAT
    Turned least = (Turned)gp_turned(block[0]), greatest = least;
#pragma unroll
    for (uint i = 1; i < GP_READS; ++i) {
        const Turned here = (Turned)gp_turned(block[i]);
        least = min(least, here);
        greatest = max(greatest, here);
    }
    const Key key = gp_turned((Key)(flip != 0 ? greatest : least));
    const bool has_nan = greatest > (Turned)GP_INFINITY || least < (Turned) ~(Key)GP_INFINITY;
    const Key best = has_nan ? 0 : gp_rank(key, flip);
    by_rank = has_nan || (key & (Key)~GP_SIGN) == 0;
#else
    Key best = block[0] ^ flip;
#pragma unroll
    for (uint i = 1; i < GP_READS; ++i) best = min(best, (Key)(block[i] ^ flip));
    const Key key = best ^ flip;
#endif
    if (best >= *rank) return GP_READS;
    *rank = best;
    uint place = GP_READS - 1;
    if (by_rank) {
#pragma unroll
        for (uint i = GP_READS - 1; i-- > 0;) place = gp_rank(block[i], flip) == best ? i : place;
    } else {
#pragma unroll
        for (uint i = GP_READS - 1; i-- > 0;) place = block[i] == key ? i : place;
    }
    return place;
}
