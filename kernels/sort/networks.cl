// Bitonic networks in a work-item's registers, whose comparators all point the same way.
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
// Merges sorted halves of blocks of `size`: the first with the turned second one.
#define GP_FLIP(width, size)                                                                                           \
    _Pragma("unroll") for (uint i = 0; i < width / 2; ++i)                                                             \
        GP_EXCHANGE(i / (size / 2) * size + i % (size / 2), i / (size / 2) * size + size - 1 - i % (size / 2))
#define GP_HALVE(width, apart)                                                                                         \
    _Pragma("unroll") for (uint i = 0; i < width / 2; ++i)                                                             \
        GP_EXCHANGE(i / apart * 2 * apart + i % apart, i / apart * 2 * apart + i % apart + apart)

#define GP_UP_TO_8(width)                                                                                              \
    GP_FLIP(width, 2)                                                                                                  \
    GP_FLIP(width, 4)                                                                                                  \
    GP_HALVE(width, 1)                                                                                                 \
    GP_FLIP(width, 8)                                                                                                  \
    GP_HALVE(width, 2)                                                                                                 \
    GP_HALVE(width, 1)
#define GP_UP_TO_16(width)                                                                                             \
    GP_UP_TO_8(width)                                                                                                  \
    GP_FLIP(width, 16)                                                                                                 \
    GP_HALVE(width, 4)                                                                                                 \
    GP_HALVE(width, 2)                                                                                                 \
    GP_HALVE(width, 1)
#define GP_UP_TO_32(width)                                                                                             \
    GP_UP_TO_16(width)                                                                                                 \
    GP_FLIP(width, 32)                                                                                                 \
    GP_HALVE(width, 8)                                                                                                 \
    GP_HALVE(width, 4)                                                                                                 \
    GP_HALVE(width, 2)                                                                                                 \
    GP_HALVE(width, 1)
#define GP_UP_TO_64(width)                                                                                             \
    GP_UP_TO_32(width)                                                                                                 \
    GP_FLIP(width, 64)                                                                                                 \
    GP_HALVE(width, 16)                                                                                                \
    GP_HALVE(width, 8)                                                                                                 \
    GP_HALVE(width, 4)                                                                                                 \
    GP_HALVE(width, 2)                                                                                                 \
    GP_HALVE(width, 1)
#define GP_UP_TO_128(width)                                                                                            \
    GP_UP_TO_64(width)                                                                                                 \
    GP_FLIP(width, 128)                                                                                                \
    GP_HALVE(width, 32)                                                                                                \
    GP_HALVE(width, 16)                                                                                                \
    GP_HALVE(width, 8)                                                                                                 \
    GP_HALVE(width, 4)                                                                                                 \
    GP_HALVE(width, 2)                                                                                                 \
    GP_HALVE(width, 1)

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
