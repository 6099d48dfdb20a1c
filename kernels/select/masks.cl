// Which flags are from 1 to a number: what partitions into three parts select by.
//
// Launch: a work-item for each 16 of n flags; masks may be the flags
// SPDX-License-Identifier: MIT

kernel void select_masks(global const uchar *flags, ulong flags_offset, global uchar *masks, ulong masks_offset,
                         ulong n, uint most) {
    const ulong first = get_global_id(0) * 16;
    flags += flags_offset;
    masks += masks_offset;
    if (first + 16 <= n) {
        const uchar16 x = vload16(0, flags + first);
        vstore16(convert_uchar16((x >= (uchar16)1 & x <= (uchar16)((uchar)most)) & (char16)1), 0, masks + first);
    } else {
        for (ulong i = first; i < n; ++i) masks[i] = flags[i] >= 1 && flags[i] <= most;
    }
}
