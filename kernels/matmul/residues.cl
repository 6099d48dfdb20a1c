// C = alpha * A * B + beta * C of float64, through products of bytes.
//
// Each row of A and column of B, a line, is multiplied by a power of two and rounded to integers
// below 2^bits. The product of these is known by its residues modulo the numbers of moduli.cl, each
// of which is a product of bytes (warp_groups.cl with GP_RESIDUES), and the Chinese remainder
// theorem puts it together. So every sum is exact, and only the integers are rounded.
//
// To an element of C that rounding adds at most half the sum of the magnitudes of its row's and its
// column's integers; nothing for lines that are integers already. Is this small beside the sum of
// the products' magnitudes, as the error of ordinary sums is? A product of the magnitudes of every
// `probed`-th step of k, rounded down to 7 bits, is a lower bound of that sum (warp_groups.cl with
// GP_PROBES). Where it does not suffice, *report is set, C stays as it was, and another kernel must
// compute the product.
//
// Macros: those of semiring.cl, with GP_SEMIRING GP_PLUS_TIMES, GP_WIDTH 4 and a GP_DTYPE of
//         float64
// Launch: residues_range, residues_pack: blocks of GP_PACKED of k * blocks of 64 lines of A and B,
//         work-groups of 256; residues_join: ceil(n / 1024) x rows of C, work-groups of 256
// Source: Ozaki, Uchino and Imamura, "Ozaki Scheme II: A GEMM-oriented emulation of floating-point
//         matrix multiplication using an integer modular technique", 2025
// SPDX-License-Identifier: MIT
#define GP_VECTOR_STORES
#include "common/semiring.cl"
#include "device/dot.cl"
#include "matmul/moduli.cl"
#if GP_DTYPE != GP_DTYPE_FLOAT64 || GP_SEMIRING != GP_PLUS_TIMES || GP_WIDTH != 4
#error "GP_DTYPE must be float64, GP_SEMIRING 0 and GP_WIDTH 4"
#endif
#define GP_LINES 64
#define GP_A_LINES GP_LINES
#define GP_B_LINES GP_LINES
#include "matmul/operands.cl"
#define GP_PACKED 256 // of k, by a work-group
#define GP_ALONG 8    // neighbours along k of a work-item
#define GP_STAGED 16  // lines that go through local memory at a time, where they lie side by side
#define GP_SHARES 8   // of a line's sum, so that few work-items add to the same
// Number p of a line in local memory; the gaps are against bank conflicts.
#define GP_IN_TILE(line, p) ((line) * (GP_PACKED + GP_PACKED / GP_ALONG + 1) + (p) + (p) / GP_ALONG)
#define GP_INEXACT 0x80000000u // set in a line's norm where its integers are rounded

// A number's magnitude as an integer that grows with it; its upper 12 bits are the exponent.
uint magnitude_of(double x) {
    const uint2 bits = as_uint2(x);
    return (bits.y & 0x7fffffffu) | (bits.x != 0 ? 1u : 0u);
}

// largest: blocks of lines of both x parts of k x GP_LINES, the greatest magnitude of each line
// there. norms: a word for each line, which becomes 0.
kernel void __attribute__((reqd_work_group_size(256, 1, 1)))
residues_range(GP_OPERANDS, ulong k, global uint *largest, ulong largest_offset, global uint *norms, ulong norms_offset,
               global uint *report, ulong report_offset) {
    local uint found[GP_LINES];
    const uint id = (uint)get_local_id(0);
    const ulong depths = (k + GP_PACKED - 1) / GP_PACKED, number = get_group_id(0) / depths;
    const ulong depth = get_group_id(0) - number * depths, k0 = depth * GP_PACKED;
    const Block block = block_of(number, 0, GP_BOTH);
    const uint deep = (uint)min((ulong)GP_PACKED, k - k0);
    global const double *x = block.x + k0 * block.k_stride;
    if (get_group_id(0) + id == 0) report[report_offset] = 0;
    if (id < GP_LINES) {
        found[id] = 0;
        if (depth == 0) norms[norms_offset + number * GP_LINES + id] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // Neighbours in memory go to neighbouring work-items.
    if (block.k_stride == 1) {
        uint most[4] = {0, 0, 0, 0};
#pragma unroll 4
        for (uint p = id % 16; p < deep; p += 16) {
#pragma unroll
            for (uint j = 0; j < 4; ++j) {
                const uint line = id / 16 + 16 * j;
                if (line < block.lines) most[j] = max(most[j], magnitude_of(x[line * block.line_stride + p]));
            }
        }
#pragma unroll
        for (uint j = 0; j < 4; ++j) atomic_max(&found[id / 16 + 16 * j], most[j]);
    } else {
        const uint line = id % GP_LINES;
        uint most = 0;
#pragma unroll 16
        for (uint p = id / GP_LINES; p < deep; p += 256 / GP_LINES)
            if (line < block.lines) most = max(most, magnitude_of(x[line * block.line_stride + p * block.k_stride]));
        atomic_max(&found[line], most);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < GP_LINES) largest[largest_offset + get_group_id(0) * GP_LINES + id] = found[id];
}

// 2^exponent, of a normal number.
double power_of_two(int exponent) { return as_double((ulong)(1023 + exponent) << 52); }

// What the exponent of 2 is by which a line is multiplied, from its greatest magnitude.
int scale_of(uint largest, uint bits) { return largest == 0 ? 0 : (int)bits - 1 - ((int)(largest >> 20) - 1023); }

// Are a line's numbers finite, and powers of two that scale it, and products, normal numbers?
bool fits_integers(uint largest) {
    return largest == 0 || (largest >> 20 >= 1023 - 900 && largest >> 20 <= 1023 + 900);
}

// The bytes of 2^(8 j) modulo p, and where a term -2^55 belongs, as signed numbers.
#define GP_SIGNED(p, r) ((uint)(2 * (r) > (p) ? (r) + 256 - (p) : (r)) & 255u)
#define GP_POWER(p, j) GP_SIGNED(p, (1ul << 8 * (j)) % (p))
#define GP_LOW_POWERS(p) (GP_POWER(p, 0) | GP_POWER(p, 1) << 8 | GP_POWER(p, 2) << 16 | GP_POWER(p, 3) << 24)
#define GP_HIGH_POWERS(p)                                                                                              \
    (GP_POWER(p, 4) | GP_POWER(p, 5) << 8 | GP_POWER(p, 6) << 16 | GP_SIGNED(p, ((p) - (1ul << 55) % (p)) % (p)) << 24)

// A float from 2^23 on is an integer, whose low bits are the float's. So a sum of bytes' products
// that begins with the bits of a base, a multiple of 256 p, is a float: base + sum. A p-th of it,
// with 1.5 * 2^23 - base / p more, is rounded to an integer, whose low bits tell the multiple of p
// that is nearest to the sum. As 1 / p is rounded as well, that is right if base times
// |1 - p * (float)(1 / p)| is below 1 / 2. Sums are up to 2^18; modulo 255, where 1 / p is off the
// most, up to 2^11.
#define GP_BASE(p) (((1u << 23) + ((p) == 255 ? 1u << 11 : 1u << 18) + 256 * (p)-1) / (256 * (p)) * (256 * (p)))
#define GP_BASE_BITS(p) (0x4b000000u + GP_BASE(p) - (1u << 23))

// Writes the residues of GP_ALONG integers, neighbours along k, to each modulus' plane, as signed
// bytes.
void write_residues(global uchar *to, ulong plane, const long *integers) {
    uint low[GP_ALONG], high[GP_ALONG];
#pragma unroll
    for (uint q = 0; q < GP_ALONG; ++q) {
        low[q] = (uint)integers[q];
        high[q] = (uint)(integers[q] >> 32) + (1u << 23) + (1u << 24); // 2^55 more, and the byte of the term -2^55
    }
#define GP_STORE_RESIDUES(l, bytes)                                                                                    \
    *(global uint2 *)(to + (l)*plane) = (uint2)(gp_low_bytes((bytes)[0], (bytes)[1], (bytes)[2], (bytes)[3]),          \
                                                gp_low_bytes((bytes)[4], (bytes)[5], (bytes)[6], (bytes)[7]))
#define GP_WRITE_RESIDUES(l, p)                                                                                        \
    if (l > 0) {                                                                                                       \
        uint residues[GP_ALONG];                                                                                       \
        _Pragma("unroll") for (uint q = 0; q < GP_ALONG; ++q) {                                                        \
            const uint sum = gp_dot(low[q], GP_LOW_POWERS(p), gp_dot(high[q], GP_HIGH_POWERS(p), GP_BASE_BITS(p)));    \
            const uint times = as_uint(fma(as_float(sum), 1.0f / (p), 0x1.8p23f - GP_BASE(p) / (p)));                  \
            residues[q] = sum - times * (p);                                                                           \
        }                                                                                                              \
        GP_STORE_RESIDUES(l, residues);                                                                                \
    }
    GP_EACH_MODULUS(GP_WRITE_RESIDUES)
    GP_STORE_RESIDUES(0, low); // modulo 256
}

// Writes A and B as residues: planes of GP_MODULI for each, rows of `pitch` bytes that are lines;
// and as probes, of which a row has one for each `probed` of k, 1, 2, 4 or 8. The integers have
// `bits`, 50 to 54, such that k products of them are below half of P. shifts: a line's exponent of
// 2. norms: the sum of a line's magnitudes, in units of 2^(bits - 14), or a little more.
// *report becomes 1 where lines don't fit.
kernel void __attribute__((reqd_work_group_size(256, 1, 1)))
residues_pack(GP_OPERANDS, ulong k, uint bits, uint probed, global uchar *residues_a, ulong residues_a_offset,
              ulong a_plane, global uchar *residues_b, ulong residues_b_offset, ulong b_plane, ulong pitch,
              global uchar *probes_a, ulong probes_a_offset, global uchar *probes_b, ulong probes_b_offset,
              ulong probes_pitch, global const uint *largest, ulong largest_offset, global int *shifts,
              ulong shifts_offset, global uint *norms, ulong norms_offset, global uint *report, ulong report_offset) {
    local double tile[GP_IN_TILE(GP_STAGED, 0)];
    local int scales[GP_LINES];
    local uint found_of[GP_LINES], inexact[GP_LINES], sums[GP_LINES * (GP_SHARES + 1)];
    const uint id = (uint)get_local_id(0);
    const ulong depths = (k + GP_PACKED - 1) / GP_PACKED, number = get_group_id(0) / depths;
    const ulong depth = get_group_id(0) - number * depths, k0 = depth * GP_PACKED;
    const Block block = block_of(number, 0, GP_BOTH);
    const uint deep = (uint)min((ulong)GP_PACKED, k - k0);
    const ulong line0 = (number - (block.is_b ? a_blocks : 0)) * GP_LINES, plane = block.is_b ? b_plane : a_plane;
    global const double *x = block.x + k0 * block.k_stride;
    global uchar *const to =
        (block.is_b ? residues_b + residues_b_offset : residues_a + residues_a_offset) + line0 * pitch + k0;
    global uchar *const probes =
        (block.is_b ? probes_b + probes_b_offset : probes_a + probes_a_offset) + line0 * probes_pitch + k0 / probed;
    if (id < GP_LINES) {
        found_of[id] = inexact[id] = 0;
        for (uint s = 0; s < GP_SHARES; ++s) sums[id * (GP_SHARES + 1) + s] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    {
        uint found = 0;
#pragma unroll 8
        for (ulong d = id / GP_LINES; d < depths; d += 256 / GP_LINES)
            found = max(found, largest[largest_offset + (number * depths + d) * GP_LINES + id % GP_LINES]);
        atomic_max(&found_of[id % GP_LINES], found);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < GP_LINES) {
        uint found = found_of[id];
        if (!fits_integers(found)) {
            found = 0;
            atomic_or(report + report_offset, 1u);
        }
        scales[id] = scale_of(found, bits);
        if (depth == 0) shifts[shifts_offset + number * GP_LINES + id] = scales[id];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool across = block.k_stride != 1, is_whole = block.lines == GP_LINES && deep == GP_PACKED;
    const bool is_aligned = (size_t)x % 16 == 0 && block.line_stride % 2 == 0;
    for (uint first = 0; first < GP_LINES; first += GP_STAGED) {
        if (across) {
            const uint line = first + id % GP_STAGED;
#pragma unroll 8
            for (uint p = id / GP_STAGED; p < GP_PACKED; p += 256 / GP_STAGED)
                tile[GP_IN_TILE(id % GP_STAGED, p)] =
                    is_whole || (line < block.lines && p < deep) ? x[line * block.line_stride + p * block.k_stride] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#pragma unroll 1
        for (uint row = id / 32; row < GP_STAGED; row += 8) {
            const uint line = first + row, column = id % 32 * GP_ALONG;
            const double scale = power_of_two(scales[line]), back = power_of_two(-scales[line]);
            global const double *const from = x + line * block.line_stride + column;
            double numbers[GP_ALONG];
#pragma unroll
            for (uint q = 0; q < GP_ALONG; q += 2) {
                if (across) {
                    numbers[q] = tile[GP_IN_TILE(row, column + q)];
                    numbers[q + 1] = tile[GP_IN_TILE(row, column + q + 1)];
                } else if (is_whole && is_aligned) {
                    const double2 both = *(global const double2 *)(from + q);
                    numbers[q] = both.s0;
                    numbers[q + 1] = both.s1;
                } else {
                    numbers[q] = line < block.lines && column + q < deep ? from[q] : 0;
                    numbers[q + 1] = line < block.lines && column + q + 1 < deep ? from[q + 1] : 0;
                }
            }
            long integers[GP_ALONG];
            uint sum = GP_ALONG, rounded = 0;
#pragma unroll
            for (uint q = 0; q < GP_ALONG; ++q) {
                integers[q] = convert_long_rte(numbers[q] * scale);
                sum += abs((int)(integers[q] >> 32)) >> (bits - 14 - 32);
                rounded |= convert_double(integers[q]) * back != numbers[q];
            }
            atomic_add(&sums[line * (GP_SHARES + 1) + id % GP_SHARES], sum);
            if (rounded != 0) atomic_or(&inexact[line], 1u);
            if (!is_whole && (line >= block.lines || column >= deep)) continue;
            write_residues(to + line * pitch + column, plane, integers);
#pragma unroll
            for (uint q = 0; q < GP_ALONG; ++q)
                if (q % probed == 0)
                    probes[line * probes_pitch + (column + q) / probed] =
                        (uchar)min((uint)(abs(integers[q]) >> (bits - 7)), 127u);
        }
        if (across) barrier(CLK_LOCAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < block.lines) {
        volatile global uint *const norm = norms + norms_offset + number * GP_LINES + id;
        uint sum = 0;
#pragma unroll
        for (uint s = 0; s < GP_SHARES; ++s) sum += sums[id * (GP_SHARES + 1) + s];
        if (found_of[id] != 0) atomic_add(norm, sum);
        if (inexact[id] != 0) atomic_or(norm, GP_INEXACT);
    }
}

// The integer that leaves some residues, from `sums`: of their products with each word of the
// moduli's factors. An integer of up to 53 bits stays exact.
double joined(const ulong *sums) {
    const uint of_p[4] = {GP_PRODUCT_OF_MODULI};
    // The multiple of P that is nearest: the integer is not near half of P, so few bits tell.
    const float top = (float)(uint)((sums[3] + (sums[2] >> 32)) >> 4);
    const ulong times = (ulong)rint(top * 0x1.2983f6p-18f);
    long words[4];
    long carry = 0;
#pragma unroll
    for (uint w = 0; w < 4; ++w) {
        words[w] = (long)(sums[w] - times * of_p[w]) + carry;
        carry = words[w] >> 32;
    }
    // With the lower half between -2^63 and 2^63, small integers have no upper half.
    const long low = (long)((ulong)(uint)words[1] << 32 | (uint)words[0]);
    const long high = (long)((ulong)words[3] << 32 | (uint)words[2]) + (low < 0 ? 1 : 0);
    return (double)high * 0x1p64 + (double)low;
}

// x 2^exponent, in two steps.
double times_power(double x, int exponent) {
    const int first = exponent / 2;
    return x * power_of_two(first) * power_of_two(exponent - first);
}

// Puts C together from its residues: planes of rows of `pitch` bytes.
kernel void __attribute__((reqd_work_group_size(256, 1, 1)))
residues_join(global const uchar *residues, ulong residues_offset, ulong pitch, ulong plane, global const int *shifts,
              ulong shifts_offset, ulong b_shifts, global const uint *report, ulong report_offset, global Result *c,
              ulong c_offset, ulong c_row_stride, ulong n, Value alpha, Value beta, uint reads_c GP_FINISH_PARAMETERS) {
    const ulong row = get_global_id(1), column = get_global_id(0) * 4;
    if (report[report_offset] != 0 || column >= n) return;
    global const uchar *const from = residues + residues_offset + row * pitch + column;
    uint residues_of[4][4]; // a column's, four of its moduli's in a word
#pragma unroll
    for (uint l = 0; l < GP_MODULI; l += 4) {
        uint words[4];
#pragma unroll
        for (uint i = 0; i < 4; ++i) words[i] = l + i < GP_MODULI ? *(global const uint *)(from + (l + i) * plane) : 0;
        const uint4 columns = gp_transposed(words[0], words[1], words[2], words[3]);
        residues_of[0][l / 4] = columns.s0, residues_of[1][l / 4] = columns.s1;
        residues_of[2][l / 4] = columns.s2, residues_of[3][l / 4] = columns.s3;
    }
    shifts += shifts_offset;
    const int shift = shifts[row];
    double results[4];
#pragma unroll
    for (uint q = 0; q < 4; ++q) {
        ulong sums[4];
        uint bytes[4][4];
        bytes[3][3] = 0;
#define GP_SUM_OF_BYTES(w, b, f0, f4, f8, f12)                                                                         \
    bytes[w][b] = gp_dot_unsigned(                                                                                     \
        residues_of[q][0], f0,                                                                                         \
        gp_dot_unsigned(residues_of[q][1], f4,                                                                         \
                        gp_dot_unsigned(residues_of[q][2], f8, gp_dot_unsigned(residues_of[q][3], f12, 0))));
        GP_EACH_BYTE_OF_FACTORS(GP_SUM_OF_BYTES)
#pragma unroll
        for (uint w = 0; w < 4; ++w)
            sums[w] = (ulong)(bytes[w][2] + (bytes[w][3] << 8)) * (1u << 16) + (bytes[w][0] + (bytes[w][1] << 8));
        results[q] = times_power(joined(sums), -(shift + shifts[b_shifts + column + q]));
    }
    finish(c + c_offset + row * c_row_stride, column, (uint)min((ulong)4, n - column), vload4(0, results), (V)(alpha),
           (V)(beta), reads_c GP_FINISH_AT(0, row, column));
}
