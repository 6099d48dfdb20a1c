// A segment by its offsets.
//
// Macros: GP_OFFSET, the type of offsets: int, uint, long or ulong; GP_ENDS: 1 where segments have
//         ends of their own, else 0
// Gives:  GP_OFFSETS, parameters; GP_TAKE_ENDS, statements behind `offsets += offsets_offset`;
//         gp_cut(segment, n, GP_OFFSET_ARRAYS)
// SPDX-License-Identifier: MIT
#if !defined(GP_OFFSET) || !defined(GP_ENDS)
#error "GP_OFFSET and GP_ENDS must be defined: the type of offsets; 0 or 1"
#endif

#if GP_ENDS
#define GP_OFFSETS                                                                                                     \
    ulong segments, global const GP_OFFSET *offsets, ulong offsets_offset, global const GP_OFFSET *ends,               \
        ulong ends_offset
#define GP_TAKE_ENDS ends += ends_offset;
#define GP_OFFSET_ARRAYS offsets, ends
#else
#define GP_OFFSETS ulong segments, global const GP_OFFSET *offsets, ulong offsets_offset
#define GP_TAKE_ENDS
#define GP_OFFSET_ARRAYS offsets, offsets + 1
#endif

// Where a segment begins, and how many keys it has: cut to an array of n; none where it ends before
// it begins. A negative offset is more than any array holds.
uint2 gp_cut(ulong segment, uint n, global const GP_OFFSET *begins, global const GP_OFFSET *ends) {
    const uint begin = (uint)min((ulong)begins[segment], (ulong)n), end = (uint)min((ulong)ends[segment], (ulong)n);
    return (uint2)(begin, sub_sat(end, begin));
}
