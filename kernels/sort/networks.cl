// Odd-even merge sorts in a work-item's registers: their comparators all point the same way.
//
// Needs:  Number, the type of what is sorted; GP_WIDTH, the most numbers: 8, 16, 32, 64 or 128;
//         GP_EXCHANGE(a, b), if something else than the lesser and the greater of x[a] and x[b] is
//         put there
// Gives:  GP_SORT_NUMBERS(width, x) for width of 8, 16 ... GP_WIDTH
// Source: Batcher, "Sorting Networks and their Applications", 1968
// SPDX-License-Identifier: MIT
#include "common/inline.cl"

#ifndef GP_EXCHANGE
#define GP_EXCHANGE(a, b)                                                                                              \
    {                                                                                                                  \
        const Number low = min(x[a], x[b]), high = max(x[a], x[b]);                                                    \
        x[a] = low;                                                                                                    \
        x[b] = high;                                                                                                   \
    }
#endif
// A step of the merge of sorted halves of blocks of 2 * `half`: numbers that lie `apart` are
// compared.
#define GP_STEP(width, half, apart)                                                                                    \
    _Pragma("unroll") for (uint i = 0; i < (width) - (apart); ++i) {                                                   \
        if (i >= (apart) % (half) && (i - (apart) % (half)) / (apart) % 2 == 0 &&                                      \
            i / (2 * (half)) == (i + (apart)) / (2 * (half)))                                                          \
            GP_EXCHANGE(i, i + (apart))                                                                                \
    }
#define GP_UP_TO_8(width)                                                                                              \
    GP_STEP(width, 1, 1)                                                                                               \
    GP_STEP(width, 2, 2)                                                                                               \
    GP_STEP(width, 2, 1)                                                                                               \
    GP_STEP(width, 4, 4)                                                                                               \
    GP_STEP(width, 4, 2)                                                                                               \
    GP_STEP(width, 4, 1)
#define GP_UP_TO_16(width)                                                                                             \
    GP_UP_TO_8(width)                                                                                                  \
    GP_STEP(width, 8, 8)                                                                                               \
    GP_STEP(width, 8, 4)                                                                                               \
    GP_STEP(width, 8, 2)                                                                                               \
    GP_STEP(width, 8, 1)
#define GP_UP_TO_32(width)                                                                                             \
    GP_UP_TO_16(width)                                                                                                 \
    GP_STEP(width, 16, 16)                                                                                             \
    GP_STEP(width, 16, 8)                                                                                              \
    GP_STEP(width, 16, 4)                                                                                              \
    GP_STEP(width, 16, 2)                                                                                              \
    GP_STEP(width, 16, 1)
#define GP_UP_TO_64(width)                                                                                             \
    GP_UP_TO_32(width)                                                                                                 \
    GP_STEP(width, 32, 32)                                                                                             \
    GP_STEP(width, 32, 16)                                                                                             \
    GP_STEP(width, 32, 8)                                                                                              \
    GP_STEP(width, 32, 4)                                                                                              \
    GP_STEP(width, 32, 2)                                                                                              \
    GP_STEP(width, 32, 1)
#define GP_UP_TO_128(width)                                                                                            \
    GP_UP_TO_64(width)                                                                                                 \
    GP_STEP(width, 64, 64)                                                                                             \
    GP_STEP(width, 64, 32)                                                                                             \
    GP_STEP(width, 64, 16)                                                                                             \
    GP_STEP(width, 64, 8)                                                                                              \
    GP_STEP(width, 64, 4)                                                                                              \
    GP_STEP(width, 64, 2)                                                                                              \
    GP_STEP(width, 64, 1)

GP_INLINE void gp_sort_8(Number *x){GP_UP_TO_8(8)}
#if GP_WIDTH >= 16
GP_INLINE void gp_sort_16(Number *x){GP_UP_TO_16(16)}
#endif
#if GP_WIDTH >= 32
GP_INLINE void gp_sort_32(Number *x){GP_UP_TO_32(32)}
#endif
#if GP_WIDTH >= 64
GP_INLINE void gp_sort_64(Number *x){GP_UP_TO_64(64)}
#endif
#if GP_WIDTH >= 128
GP_INLINE void gp_sort_128(Number *x) {
    GP_UP_TO_128(128)
}
#endif
#define GP_PASTE_SORT(width, x) gp_sort_##width(x)
#define GP_SORT_NUMBERS(width, x) GP_PASTE_SORT(width, x)
