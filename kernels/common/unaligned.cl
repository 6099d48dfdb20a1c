// Reads at any address: words and vectors of the aligned ones that have their bytes.
//
// Gives: gp_word_within, gp_unaligned_word, gp_unaligned_vector
// SPDX-License-Identifier: MIT
#include "common/inline.cl"

// 4 bytes of two words, from byte `first` on, which is less than 4.
GP_INLINE uint gp_word_within(uint low, uint high, uint first) {
    return (uint)(((ulong)high << 32 | low) >> 8 * first);
}

// The 4 bytes at `from`. The second aligned word is read only where it has some of them.
GP_INLINE uint gp_unaligned_word(global const uchar *from) {
    const uint skipped = (uint)(size_t)from % 4;
    global const uint *first = (global const uint *)(from - skipped);
    return gp_word_within(first[0], first[skipped != 0], skipped);
}

// The 16 bytes at `from`, which is a multiple of 4 unless `within_words`. The second aligned vector
// is read only where it has some of them.
GP_INLINE uint4 gp_unaligned_vector(global const uchar *from, bool within_words) {
    const uint skipped = (uint)((size_t)from % 16);
    global const uint4 *first = (global const uint4 *)(from - skipped);
    const uint4 a = first[0], b = first[skipped != 0];
    const uint4 far = skipped & 8 ? (uint4)(a.zw, b.xy) : a, beyond = skipped & 8 ? (uint4)(b.zw, b.zw) : b;
    const uint4 x = skipped & 4 ? (uint4)(far.yzw, beyond.x) : far;
    const uint next = skipped & 4 ? beyond.y : beyond.x, byte = skipped % 4;
    if (!within_words) return x;
    return (uint4)(gp_word_within(x.x, x.y, byte), gp_word_within(x.y, x.z, byte), gp_word_within(x.z, x.w, byte),
                   gp_word_within(x.w, next, byte));
}
