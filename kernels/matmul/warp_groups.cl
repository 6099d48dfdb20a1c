// C = alpha * A * B + beta * C through matrix units that four warps use together
// (device/warp_groups.cl).
//
// float16, bfloat16 and bytes are multiplied as they lie, where their rows are multiples of 16
// bytes, and of bytes are lines; else from copies that are so. float32 is split into two halves
// (halves.cl), x = 2^s (high + 2^-11 low), or rounded to one. Then A * B = high * high + 2^-11
// (high * low + low * high). The units round toward zero, so they sum only GP_DEEP of high * high,
// and float32 additions add those to the sums. Where halves don't hold the lines, that is reported,
// and another kernel must compute the product.
//
// One warp group of a work-group brings tiles, stages ahead; GP_GROUPS others multiply them, 64
// rows each. A work-group stays for several tiles of C, so that those of the next are on their way
// while one is written.
//
// Of int8, for residues.cl, sums may go to C as their residues modulo the product's number of
// moduli.cl (GP_RESIDUES), or tell whether errors are small beside them (GP_PROBES).
//
// Macros: those of semiring.cl, with GP_SEMIRING GP_PLUS_TIMES, GP_WIDTH 4 and a GP_DTYPE of
//         float16, bfloat16, float32, int8 or uint8; GP_RESIDUES or GP_PROBES, of int8; GP_PARTS,
//         2 for float32 in full, else 1; GP_GROUPS, GP_TILE_N: a tile of C is 64 * GP_GROUPS x
//         GP_TILE_N; GP_STAGES; GP_WRITES_NUMBERS, where there is one slice, no finish and no
//         beta, and C has the type of A and B, of two bytes; those of device/warp_groups.cl
// Launch: warp_groups_pack: blocks of GP_PACKED of k * blocks of 64 lines of A and B x products,
//         work-groups of 256; matmul_warp_groups: one dimension, any number of work-groups, or
//         as many as tiles without roles; with several slices (split-K), their sums go to
//         `partial`; with GP_JOINS of split_k.cl, the last warp of a part of C adds them up
// Source: NVIDIA, "Parallel Thread Execution ISA", wgmma; Thakkar et al., "CUTLASS", 2023, kernels
//         of specialised warps; Ootomo and Yokota, "Recovering single precision accuracy from
//         Tensor Cores while surpassing the FP32 theoretical peak performance", 2022
// SPDX-License-Identifier: MIT
#define GP_VECTOR_STORES
#include "common/semiring.cl"
#if GP_DTYPE == GP_DTYPE_FLOAT32
#define GP_NUMBERS GP_DTYPE_FLOAT16
#else
#define GP_NUMBERS GP_DTYPE
#endif
#include "device/fence.cl"
#include "device/ticket.cl"
#include "device/warp_groups.cl"
#include "matmul/bands.cl"
#if !defined(GP_PARTS) || !defined(GP_GROUPS) || !defined(GP_STAGES)
#error "GP_PARTS, GP_GROUPS and GP_STAGES must be defined"
#endif
#if GP_SEMIRING != GP_PLUS_TIMES || GP_WIDTH != 4
#error "GP_SEMIRING must be 0 and GP_WIDTH 4"
#endif
#if GP_DTYPE == GP_DTYPE_FLOAT32 || defined(GP_RESIDUES)
#define GP_UNLESS_REPORTED
#endif
#include "matmul/split_k.cl"
#define GP_LINES 64
#define GP_PACKED 256 // of k, by a work-group of warp_groups_pack
#define GP_A_LINES GP_LINES
#define GP_B_LINES GP_LINES
#include "matmul/operands.cl"
#if GP_DTYPE == GP_DTYPE_FLOAT32
#include "device/matrix_units.cl"
#include "matmul/halves.cl"
#endif
#ifdef GP_RESIDUES
#include "matmul/moduli.cl"
#endif

#if GP_NUMBER_BYTES == 1
#define GP_WORDS (GP_PACKED / 4 + 1) // of a line in local memory, one of them against bank conflicts

// Writes `deep` bytes of each of `lines` lines that lie side by side, steps of k `stride` apart, as
// rows of `pitch` bytes.
void pack_across(global uchar *to, ulong pitch, global const uchar *from, ulong stride, uint lines, uint deep,
                 local uint *words) {
    const uint id = (uint)get_local_id(0), line = id % 16 * 4;
    const bool aligned = line + 4 <= lines && (size_t)from % 4 == 0 && stride % 4 == 0;
#pragma unroll
    for (uint e = 0; e < GP_PACKED / 64; ++e) {
        const uint word = e * 16 + id / 16; // four steps of k of four lines
        uchar4 step[4];
#pragma unroll
        for (uint q = 0; q < 4; ++q) {
            global const uchar *const at = from + (ulong)(word * 4 + q) * stride + line;
            uchar bytes[4] = {0, 0, 0, 0};
            if (word * 4 + q < deep && !aligned)
                for (uint i = 0; i < 4; ++i) bytes[i] = line + i < lines ? at[i] : 0;
            step[q] = aligned && word * 4 + q < deep ? *(global const uchar4 *)at : vload4(0, bytes);
        }
        words[line * GP_WORDS + word] = as_uint((uchar4)(step[0].s0, step[1].s0, step[2].s0, step[3].s0));
        words[(line + 1) * GP_WORDS + word] = as_uint((uchar4)(step[0].s1, step[1].s1, step[2].s1, step[3].s1));
        words[(line + 2) * GP_WORDS + word] = as_uint((uchar4)(step[0].s2, step[1].s2, step[2].s2, step[3].s2));
        words[(line + 3) * GP_WORDS + word] = as_uint((uchar4)(step[0].s3, step[1].s3, step[2].s3, step[3].s3));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i < GP_LINES * (GP_PACKED / 4); i += 256) {
        const uint row = i / (GP_PACKED / 4), word = i % (GP_PACKED / 4);
        if (row < lines && word * 4 < deep)
            *(global uint *)(to + row * pitch + word * 4) = words[row * GP_WORDS + word];
    }
}
#endif

// Writes A and B as numbers of tiles, in the order of their elements: rows of `pitch` numbers, a
// multiple of 16 bytes, that are lines, or steps of k where those are neighbours in memory, but of
// bytes always lines; planes of GP_PARTS for each product. `span` is how many powers of two may lie
// between the numbers of a line; *report becomes 1 where there are more. shifts: products x lines
// of both, padded to blocks.
kernel void __attribute__((reqd_work_group_size(256, 1, 1)))
warp_groups_pack(GP_OPERANDS, ulong k, global Number *packed_a, ulong packed_a_offset, ulong a_pitch, ulong a_plane,
                 global Number *packed_b, ulong packed_b_offset, ulong b_pitch, ulong b_plane
#if GP_DTYPE == GP_DTYPE_FLOAT32
                 ,
                 ulong chunks, uint span, global const uint2 *ranges, ulong ranges_offset, global int *shifts,
                 ulong shifts_offset, global uint *report, ulong report_offset
#endif
) {
    const uint id = (uint)get_local_id(0);
    const ulong depths = (k + GP_PACKED - 1) / GP_PACKED, number = get_group_id(0) / depths;
    const ulong depth = get_group_id(0) - number * depths, k0 = depth * GP_PACKED;
    const Block block = block_of(number, get_group_id(1), GP_BOTH);
    const uint is_b = block.is_b, deep = (uint)min((ulong)GP_PACKED, k - k0);
    const bool along_k = is_b ? !GP_B_BY_LINES : !GP_A_BY_LINES;
    const ulong row_stride = along_k ? block.line_stride : block.k_stride;
    const ulong stride = along_k ? block.k_stride : block.line_stride; // 1 but for a row alone
    const uint rows = along_k ? block.lines : deep, columns = along_k ? deep : block.lines;
    const ulong line0 = (is_b ? number - a_blocks : number) * GP_LINES;
    const ulong pitch = is_b ? b_pitch : a_pitch, plane = is_b ? b_plane : a_plane;
    global const Stored *x = block.x + k0 * block.k_stride;
    global Number *to = (is_b ? packed_b + packed_b_offset : packed_a + packed_a_offset) +
                        get_group_id(1) * GP_PARTS * plane + (along_k ? line0 * pitch + k0 : k0 * pitch + line0);
#if GP_DTYPE == GP_DTYPE_FLOAT32
    local float scales[GP_LINES];
    if (id < GP_LINES) {
        const ulong of_both = get_group_id(1) * (a_blocks + b_blocks) + number;
        scales[id] = find_scale(ranges + ranges_offset + of_both * chunks * GP_LINES + id, chunks, span, depth == 0,
                                shifts + shifts_offset + of_both * GP_LINES + id, report + report_offset);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if GP_NUMBER_BYTES == 1
    local uint words[GP_LINES * GP_WORDS];
    if (block.line_stride == 1 && block.k_stride != 1) {
        pack_across(to, pitch, (global const uchar *)x, block.k_stride, block.lines, deep, words);
        return;
    }
#endif
#pragma unroll 4
    for (uint e = 0; e < GP_PACKED / 16; ++e) {
        // Blocks of 64 x 64, one after the other along k.
        const uint row = id / 16 + (along_k ? e % 4 : e) * 16, column = id % 16 * 4 + (along_k ? e / 4 * 64 : 0);
        if (row >= rows || column >= columns) continue;
        global const Stored *from = x + row * row_stride + column * stride;
#if GP_DTYPE != GP_DTYPE_FLOAT32
        Number bits[4];
#pragma unroll
        for (uint q = 0; q < 4; ++q) bits[q] = column + q < columns ? ((global const Number *)from)[q * stride] : 0;
        *(global GP_VECTOR(Number) *)(to + row * pitch + column) = vload4(0, bits);
#else
        float numbers[4];
        if (column + 4 <= columns && stride == 1 && (size_t)from % 16 == 0) {
            const float4 all = *(global const float4 *)from;
            numbers[0] = all.s0, numbers[1] = all.s1, numbers[2] = all.s2, numbers[3] = all.s3;
        } else {
#pragma unroll
            for (uint q = 0; q < 4; ++q) numbers[q] = column + q < columns ? from[q * stride] : 0;
        }
#pragma unroll
        for (uint q = 0; q < 4; ++q) numbers[q] *= scales[along_k ? row : column + q];
        const uint2 high = (uint2)(gp_halves(numbers[0], numbers[1]), gp_halves(numbers[2], numbers[3]));
        *(global uint2 *)(to + row * pitch + column) = high;
#if GP_PARTS == 2
        const float4 rest = ((float4)(numbers[0], numbers[1], numbers[2], numbers[3]) -
                             (float4)(gp_floats(high.x), gp_floats(high.y))) *
                            0x1p11f;
        *(global uint2 *)(to + plane + row * pitch + column) =
            (uint2)(gp_halves(rest.s0, rest.s1), gp_halves(rest.s2, rest.s3));
#endif
#endif
    }
}

#define GP_TILE_M (64 * GP_GROUPS)
#define GP_A_BYTES (GP_TILE_M * 128) // of a tile's part
#define GP_B_BYTES (GP_TILE_N * 128)
#define GP_STAGE_BYTES (GP_PARTS * (GP_A_BYTES + GP_B_BYTES))
#define GP_OWN_BYTES 4096 // of a warp, for 16 x GP_CHUNK results
#if defined(GP_ROLES) && GP_PARTS * GP_TILE_N <= 128
// The next work is found while the units multiply the last step of one: its divisions take some 400
// cycles. Products with larger tiles were slower with it.
#define GP_LOOKS_AHEAD
#endif
#define GP_CHUNK 64
#define GP_C_ROWS GP_TILE_M
#define GP_C_COLUMNS GP_TILE_N
#include "matmul/work.cl"

// Brings one step of k of a tile to a stage: the parts of A, then those of B.
void bring(local char *stage, local ulong *full, global const char *map, Work work, uint depth, uint plane,
           bool is_second) {
    const uint k0 = depth * GP_DEEP;
#pragma unroll
    for (uint part = 0; part < GP_PARTS; ++part) {
        if (is_second) {
            local char *const b = stage + GP_PARTS * GP_A_BYTES + part * GP_B_BYTES;
#if GP_B_BY_LINES
#pragma unroll
            for (uint j = 0; j < GP_TILE_N / 64; ++j)
                gp_box(b + j * 8192, map, work.j0 + 64 * j, k0, plane + part, full);
#else
            gp_box(b, map, k0, work.j0, plane + part, full);
#endif
        } else {
            local char *const a = stage + part * GP_A_BYTES;
#if GP_A_BY_LINES
#pragma unroll
            for (uint i = 0; i < GP_GROUPS; ++i) gp_box(a + i * 8192, map, work.i0 + 64 * i, k0, plane + part, full);
#else
            gp_box(a, map, k0, work.i0, plane + part, full);
#endif
        }
    }
}

// Where vector number v of a row of GP_CHUNK floats stands in a warp's own memory. Rows of halves
// are those of a tile (GP_PLACE).
uint float_vector(uint row, uint v) { return row * 16 + (v ^ (row * 2 % 8)); }

// The first `count` of eight halves.
void store_halves(global ushort *to, uint count, uint4 eight) {
    const uint words[4] = {eight.s0, eight.s1, eight.s2, eight.s3};
#pragma unroll
    for (uint q = 0; q < 8; ++q)
        if (q < count) to[q] = (ushort)(words[q / 2] >> (q % 2 * 16));
}

#ifdef GP_RESIDUES
// The residue of a sum, from 0 on. The nearest multiple of the modulus is known up to rounding.
uint residue_of(uint sum, uint modulus, float inverse) {
    const uint times = as_uint((float)(int)sum * inverse + 0x1.8p23f), magic = as_uint(0x1.8p23f);
    const uint rest = sum + magic * modulus - times * modulus;
    return min(rest, rest + modulus);
}

// Where vector number v of a row of GP_CHUNK bytes stands in a warp's own memory.
uint byte_vector(uint row, uint v) { return row * 4 + (v ^ (row / 2 % 4)); }

// Writes a warp's 16 x GP_TILE_N residues modulo number l of moduli.cl, from row i0 and column j0
// on of m x n bytes, in rows of multiples of 16.
void write_residues(global uchar *c, ulong stride, ulong m, ulong n, uint i0, uint j0, const Summed *sums, uint l,
                    local char *own, uint lane) {
    const uint modulus = gp_moduli[l];
    const float inverse = gp_inverses[l];
#pragma unroll
    for (uint chunk = 0; chunk < GP_TILE_N / GP_CHUNK; ++chunk) {
#pragma unroll
        for (uint i = 0; i < GP_CHUNK / 2; i += 2) {
            const uint row = GP_SUM_ROW(lane, i), column = GP_SUM_COLUMN(lane, i), s = chunk * (GP_CHUNK / 2) + i;
            *(local ushort *)(own + byte_vector(row, column / 16) * 16 + column % 16) =
                (ushort)(residue_of(sums[s], modulus, inverse) | residue_of(sums[s + 1], modulus, inverse) << 8);
        }
        gp_warp_barrier();
#pragma unroll
        for (uint i = 0; i < 2; ++i) {
            const uint row = i * 8 + lane / 4, column = j0 + chunk * GP_CHUNK + lane % 4 * 16;
            if (i0 + row < m && column < n)
                *(global uint4 *)(c + (i0 + row) * stride + column) =
                    *((local const uint4 *)own + byte_vector(row, lane % 4));
        }
        gp_warp_barrier();
    }
}
#endif

#ifdef GP_PROBES
// A norm is the sum of a line's magnitudes; its upper bit tells whether the line was rounded.
float sum_of(uint norm) { return (float)(norm & 0x7fffffffu); }
float sum_if(uint norm, float sum) { return norm >> 31 ? sum : 0; } // if the line was

// Is what rounding may add to an element of a warp's rows of C more than `most` times its probes'
// sum? Norms are there up to a multiple of 64 lines, 0 where there is no line.
bool are_rounded_too_much(const Summed *sums, global const uint *a_norms, global const uint *b_norms, uint columns,
                          float most, uint lane) {
    bool too_much = false;
    const uint of_a[2] = {a_norms[GP_SUM_ROW(lane, 0)], a_norms[GP_SUM_ROW(lane, 2)]};
    const float sum_a[2] = {sum_of(of_a[0]), sum_of(of_a[1])};
#pragma unroll
    for (uint chunk = 0; chunk < GP_TILE_N / GP_CHUNK; ++chunk) {
        if (chunk * GP_CHUNK >= columns) continue;
        uint2 of_b[GP_CHUNK / 8];
#pragma unroll
        for (uint i = 0; i < GP_CHUNK / 8; ++i)
            of_b[i] = *(global const uint2 *)(b_norms + chunk * GP_CHUNK + GP_SUM_COLUMN(lane, 4 * i));
#pragma unroll
        for (uint i = 0; i < GP_CHUNK / 4; ++i) {
            const uint r = i % 2, s = chunk * (GP_CHUNK / 2) + 2 * i;
            const uint2 of = of_b[i / 2];
            const float2 error = (float2)(sum_if(of_a[r], sum_of(of.x)) + sum_if(of.x, sum_a[r]),
                                          sum_if(of_a[r], sum_of(of.y)) + sum_if(of.y, sum_a[r]));
            too_much |= error.x > most * (float)sums[s] || error.y > most * (float)sums[s + 1];
        }
    }
    return too_much;
}
#endif

// a, b: planes of numbers, `pitch` in a row, in the order that warp_groups_pack describes; `planes`
// 1 where all products share one, else that times the products.
kernel void __attribute__((reqd_work_group_size(GP_BRINGING + 128 * GP_GROUPS, 1, 1)))
matmul_warp_groups(global char *maps, ulong maps_offset, global const Number *a, ulong a_offset, ulong a_pitch,
                   ulong a_plane, ulong a_planes, global const Number *b, ulong b_offset, ulong b_pitch, ulong b_plane,
                   ulong b_planes, global Result *c, ulong c_offset, ulong c_row_stride, ulong c_batch_stride, ulong m,
                   ulong n, ulong k, ulong products, ulong slices, global Value *partial, ulong partial_offset GP_ENDED,
#if GP_DTYPE == GP_DTYPE_FLOAT32
                   global const int *shifts, ulong shifts_offset,
#endif
#ifdef GP_UNLESS_REPORTED
                   global const uint *report, ulong report_offset,
#endif
#ifdef GP_PROBES
                   global const uint *norms, ulong norms_offset, ulong b_norms, float most, global uint *report,
                   ulong report_offset,
#endif
                   Value alpha, Value beta, uint reads_c GP_FINISH_PARAMETERS) {
    local char memory[GP_STAGES * GP_STAGE_BYTES + GP_GROUPS * 4 * GP_OWN_BYTES + 2 * GP_MAP_BYTES + GP_ALIGNMENT]
        __attribute__((aligned(GP_ALIGNMENT)));
    local Barriers barriers;
#ifdef GP_UNLESS_REPORTED
    if (report[report_offset] != 0) return;
#endif
    local char *const stages = GP_STAGES_IN(memory);
    local char *const of_maps = stages + GP_STAGES * GP_STAGE_BYTES + GP_GROUPS * 4 * GP_OWN_BYTES;
    global char *const map = maps + maps_offset + get_group_id(0) * 2 * GP_MAP_BYTES;
    const Operand of_a =
        operand_of(map, (ulong)(a + a_offset), a_pitch, a_plane, a_planes, m, GP_TILE_M, GP_A_BY_LINES);
    const Operand of_b =
        operand_of(map + GP_MAP_BYTES, (ulong)(b + b_offset), b_pitch, b_plane, b_planes, n, GP_TILE_N, GP_B_BY_LINES);
    const uint works = works_of(m, n, products, slices);
    begin_stages(&barriers, GP_GROUPS);
    uint stage = 0, phase = 0;
#ifdef GP_ROLES
    if (get_local_id(0) < GP_BRINGING) {
        gp_role_brings();
        bring_works(stages, &barriers, of_maps, of_a, of_b, works, m, n, k, slices);
        return;
    }
    gp_role_multiplies();
#else
    const uint number = (uint)get_group_id(0);
#endif
    const uint id = (uint)get_local_id(0) - GP_BRINGING, group = id / 128, item = id % 128, lane = id % 32;
    local char *const own = stages + GP_STAGES * GP_STAGE_BYTES + id / 32 * GP_OWN_BYTES;
#ifdef GP_LOOKS_AHEAD
    Work next = work_of((uint)get_group_id(0), m, n, k, slices);
#endif
    GP_EACH_WORK {
#ifdef GP_LOOKS_AHEAD
        const Work work = next;
#else
        const Work work = work_of(number, m, n, k, slices);
#endif
        Summed sums[GP_SUMS];
#if GP_PARTS == 2
        float run[GP_SUMS], low[GP_SUMS]; // high * high of one step of k; high * low + low * high
#pragma unroll
        for (uint i = 0; i < GP_SUMS; ++i) sums[i] = 0;
#endif
        for (uint depth = work.begin; depth < work.end; ++depth) {
#ifndef GP_ROLES
            bring_step(stages, &barriers, of_maps, of_a, of_b, work, k, depth);
#endif
            local const char *const tile_a = stages + stage * GP_STAGE_BYTES + group * 8192;
            local const char *const tile_b = stages + stage * GP_STAGE_BYTES + GP_PARTS * GP_A_BYTES;
            const uint last = stage == 0 ? GP_STAGES - 1 : stage - 1, adds = depth > work.begin;
            gp_stage_wait(&barriers.full[stage], phase);
#if GP_PARTS == 1
            GP_MULTIPLY_TILES(sums, tile_a, tile_b, adds, item);
            GP_MULTIPLIED_TILES(1);
#else
            GP_MULTIPLY_TILES(run, tile_a, tile_b, 0, item);
            GP_MULTIPLY_TILES(low, tile_a, tile_b + GP_B_BYTES, adds, item);
            GP_MULTIPLY_TILES(low, tile_a + GP_A_BYTES, tile_b, 1, item);
            GP_MULTIPLIED(run, 2);
#pragma unroll
            for (uint i = 0; i < GP_SUMS; ++i) sums[i] += run[i];
#endif
            if (adds && item == 0) gp_stage_arrive(&barriers.empty[last]); // whose products are done
#ifdef GP_ROLES
            GP_NEXT_STAGE
#else
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
        }
#ifdef GP_LOOKS_AHEAD
        if (number + (uint)get_num_groups(0) < works) next = work_of(number + (uint)get_num_groups(0), m, n, k, slices);
#endif
#if GP_PARTS == 1
        GP_MULTIPLIED(sums, 0);
#else
        GP_MULTIPLIED(low, 0);
#pragma unroll
        for (uint i = 0; i < GP_SUMS; ++i) sums[i] += low[i] * 0x1p-11f;
#endif
        if (item == 0) gp_stage_arrive(&barriers.empty[stage == 0 ? GP_STAGES - 1 : stage - 1]);

        const uint row0 = work.i0 + id / 32 * 16;
#if defined(GP_RESIDUES)
        write_residues((global uchar *)c + c_offset + work.product * c_batch_stride, c_row_stride, m, n, row0, work.j0,
                       sums, work.product, own, lane);
#elif defined(GP_PROBES)
        if (row0 < m && are_rounded_too_much(sums, norms + norms_offset + row0,
                                             norms + norms_offset + b_norms + work.j0, (uint)(n - work.j0), most, lane))
            atomic_or(report + report_offset, 1u);
#else
        // Results go through the warp's own memory, so that rows are written as a whole.
        const ulong pitch = (n + 3) / 4 * 4; // of a row of sums
        global Result *const to = c + c_offset + work.product * c_batch_stride + (ulong)row0 * c_row_stride;
#if GP_DTYPE == GP_DTYPE_FLOAT32
        const ulong a_lined = (m + GP_LINES - 1) / GP_LINES * GP_LINES,
                    b_lined = (n + GP_LINES - 1) / GP_LINES * GP_LINES;
        global const int *const a_shifts = shifts + shifts_offset + work.product * (a_lined + b_lined);
        global const int *const b_shifts = a_shifts + a_lined;
#endif
        const bool aligned = (size_t)to % 16 == 0 && c_row_stride * sizeof(Result) % 16 == 0;
#pragma unroll
        for (uint chunk = 0; chunk < GP_TILE_N / GP_CHUNK; ++chunk) {
            const uint column0 = work.j0 + chunk * GP_CHUNK;
            const Summed *const of_chunk = sums + chunk * (GP_CHUNK / 2);
#ifdef GP_WRITES_NUMBERS
            gp_write_numbers((local Number *)own, of_chunk, alpha, lane);
            gp_warp_barrier();
            const uint column = column0 + lane % 8 * 8;
            const bool whole = aligned && column + 8 <= n;
            uint4 eight[4];
#pragma unroll
            for (uint i = 0; i < 4; ++i)
                eight[i] = *(local const uint4 *)((local const Number *)own + GP_PLACE(i * 4 + lane / 8, lane % 8 * 8));
#pragma unroll
            for (uint i = 0; i < 4; ++i) {
                const uint row = i * 4 + lane / 8;
                global ushort *const at = (global ushort *)to + row * c_row_stride + column;
                if (row0 + row >= m || column >= n) continue;
                if (whole)
                    *(global uint4 *)at = eight[i];
                else
                    store_halves(at, (uint)min((ulong)8, n - column), eight[i]);
            }
#else
#pragma unroll
            for (uint i = 0; i < GP_CHUNK / 2; i += 2) {
                const uint row = GP_SUM_ROW(lane, i), column = GP_SUM_COLUMN(lane, i);
                *(local GP_JOIN(Summed, 2) *)((local Summed *)own + float_vector(row, column / 4) * 4 + column % 4) =
                    (GP_JOIN(Summed, 2))(of_chunk[i], of_chunk[i + 1]);
            }
            gp_warp_barrier();
            const uint column = column0 + lane % 16 * 4;
            V results[8];
#pragma unroll
            for (uint i = 0; i < 8; ++i)
                results[i] = *((local const V *)own + float_vector(i * 2 + lane / 16, lane % 16));
#pragma unroll
            for (uint i = 0; i < 8; ++i) {
                const uint row = i * 2 + lane / 16;
                if (row0 + row >= m || column >= n) continue;
                V result = results[i];
#if GP_DTYPE == GP_DTYPE_FLOAT32
                const int4 shift = a_shifts[row0 + row] + *(global const int4 *)(b_shifts + column);
                result = (V)(times_power(result.s0, shift.s0), times_power(result.s1, shift.s1),
                             times_power(result.s2, shift.s2), times_power(result.s3, shift.s3));
#endif
                if (slices > 1)
                    write_sums((global V *)(partial + partial_offset + (work.part * m + row0 + row) * pitch + column),
                               result);
                else
                    finish(to + row * c_row_stride, column, (uint)min((ulong)4, n - column), result, (V)(alpha),
                           (V)(beta), reads_c GP_FINISH_AT(work.product, row0 + row, column));
            }
#endif
            gp_warp_barrier();
        }
#ifdef GP_JOINS
        // Vector number v of the warp's rows.
#define GP_JOINED_ROW(v) ((v) / (GP_TILE_N / 4))
#define GP_JOINED_COLUMN(v) (work.j0 + (v) % (GP_TILE_N / 4) * 4)
        if (is_last_slice(ended + ended_offset + (ulong)work.tile * (4 * GP_GROUPS) + id / 32, (uint)slices,
                          (local uint *)own, lane)) {
            global const Value *const partial_of =
                partial + partial_offset + (work.product * slices * m + row0) * pitch;
            for (uint first = lane; first < 16 * (GP_TILE_N / 4); first += GP_JOINED * 32) {
                global const V *places[GP_JOINED];
                V joined[GP_JOINED];
#pragma unroll
                for (uint q = 0; q < GP_JOINED; ++q) {
                    const uint row = GP_JOINED_ROW(first + 32 * q), column = GP_JOINED_COLUMN(first + 32 * q);
                    const bool there = row0 + row < m && column < n;
                    places[q] =
                        (global const V *)(there ? partial_of + row * pitch + column : partial + partial_offset);
                }
                sums_of_slices(joined, places, slices, m * pitch / 4);
#pragma unroll
                for (uint q = 0; q < GP_JOINED; ++q) {
                    const uint row = GP_JOINED_ROW(first + 32 * q), column = GP_JOINED_COLUMN(first + 32 * q);
                    if (row0 + row < m && column < n)
                        finish(to + row * c_row_stride, column, (uint)min((ulong)4, n - column), joined[q], (V)(alpha),
                               (V)(beta), reads_c GP_FINISH_AT(work.product, row0 + row, column));
                }
            }
        }
#endif
#endif
    }
}
