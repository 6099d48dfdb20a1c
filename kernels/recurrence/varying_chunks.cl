// Recurrence with coefficients that vary, for CPUs: every work-item owns one contiguous chunk of a
// row. Two launches: the map of each chunk but a row's last; then each work-item applies those of
// the chunks before its own, which leads to the y before it, and solves it from there. Coefficients
// and input are read twice, the output written once.
//
// Rows of a single chunk need varying_rows (maps.cl) alone.
//
// Macros: those of maps.cl
// Launch: one work-item for each of the batch * chunks chunks, work-groups of one. Chunks have
//         `chunk` elements, a multiple of GP_PIECE (a row's last may be short)
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.4 (recurrences as scans)
// SPDX-License-Identifier: MIT
#include "recurrence/maps.cl"

#define GP_PIECE 64

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
varying_maps(global const T *coefficients, ulong coefficients_offset, global const T *in, ulong in_offset,
             global Map *maps, ulong maps_offset, ulong n, ulong stride_coefficients, ulong stride_in, ulong chunk,
             ulong chunks, uint has_in, uint reverse) {
    const ulong row = get_global_id(0) / chunks, k = get_global_id(0) - row * chunks;
    if (k + 1 == chunks) return;
    coefficients += coefficients_offset + row * stride_coefficients;
    in += in_offset + row * stride_in;
    Map map = identity_map();
    for (ulong first = k * chunk; first < (k + 1) * chunk; first += GP_PIECE) {
        for (ulong t = first; t < first + GP_PIECE; ++t)
            map = extended(map, coefficients[GP_AT(t)], has_in ? in[GP_AT(t)] : 0);
        map = normalized(map);
    }
    maps[maps_offset + get_global_id(0)] = map;
}

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
varying_outputs(global const T *coefficients, ulong coefficients_offset, global const T *in, ulong in_offset,
                global T *out, ulong out_offset, global const Map *maps, ulong maps_offset, global const T *initial,
                ulong initial_offset, ulong n, ulong stride_coefficients, ulong stride_in, ulong stride_out,
                ulong chunk, ulong chunks, uint has_in, uint has_initial, uint reverse) {
    const ulong id = get_global_id(0), row = id / chunks, k = id - row * chunks;
    T y = has_initial ? initial[initial_offset + row] : 0;
    for (ulong i = id - k; i < id; ++i) y = apply(maps[maps_offset + i], y);
    solve_part(coefficients + coefficients_offset + row * stride_coefficients, in + in_offset + row * stride_in,
               out + out_offset + row * stride_out, n, k * chunk, min((k + 1) * chunk, n), y, has_in, reverse);
}
