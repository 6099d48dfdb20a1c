// Differences of neighbouring elements, for CPUs: every work-item owns one contiguous chunk of a
// row, or some whole rows.
//
// Macros: those of pair.cl
// Launch: work-groups of one, one work-item a chunk of `chunk` results (a row's last one may be
//         short), or every `rows` rows, where a row has one chunk
// Source: one chunk a work-item
// SPDX-License-Identifier: MIT
#include "difference/pair.cl"

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
difference_chunks(GP_ROWS, ulong step_in, ulong step_out, ulong chunk, ulong chunks, ulong rows GP_COUNT_PARAMETERS) {
    GP_TAKE_RESULTS
    const ulong id = get_global_id(0), first = id / chunks * rows, begin = id % chunks * chunk;
    const ulong end = min(begin + chunk, n);
    in += in_offset;
    out += out_offset;
    for (ulong row = first; row < min(first + rows, batch); ++row) {
        global const GP_STORED *from = in + row * stride_in;
        global GP_STORED *to = out + row * stride_out;
        ulong i = begin;
        if (i == 0 && i < end) gp_result(from, step_in, to, step_out, i++);
        if (step_in == 1 && step_out == 1)
            for (; i < end; ++i) gp_put(gp_change(GP_GET(from, i - GP_KEPT), GP_GET(from, i - GP_KEPT + 1)), to, i);
        else
            for (; i < end; ++i) gp_result(from, step_in, to, step_out, i);
    }
}
