// Adds counts to those that are there.
//
// Launch: a work-item a bin at least
// SPDX-License-Identifier: MIT
kernel void accumulate_counts(global const ulong *more, ulong more_offset, global ulong *counts, ulong counts_offset,
                              ulong bins) {
    const ulong bin = get_global_id(0);
    if (bin < bins) counts[counts_offset + bin] += more[more_offset + bin];
}
