// Packs A and B for bulk_tiles.cl: blocks of GP_LINES lines of words (rows of A, columns of B) and
// GP_DEPTH of k, neighbouring lines side by side.
//
// Macros: those of bulk_words.cl
// Launch: bulk_tiles_pack: blocks of k * blocks of lines of A and B x products, work-groups of 256
// SPDX-License-Identifier: MIT
#include "matmul/bulk_words.cl"

#if GP_DTYPE == GP_DTYPE_INT32 || GP_DTYPE == GP_DTYPE_FLOAT32 // elements as they are stored
// A whole block, whose lines, or steps of k, are vectors at multiples of their size, `pitch`
// vectors apart. Returns whether it holds numbers below zero.
bool pack_vectors(local V *tile, global V *packed, global const V *from, ulong pitch, bool along_k) {
    const uint id = (uint)get_local_id(0);
    V part[4];
#pragma unroll
    for (uint e = 0; e < 4; ++e) {
        const uint i = id + e * 256;
        part[e] = along_k ? from[i / 8 * pitch + i % 8] : from[i / 32 * pitch + i % 32];
    }
    int4 below = 0;
#pragma unroll
    for (uint e = 0; e < 4; ++e) {
        part[e] = GP_PACKED(GP_FACTOR(V, part[e]));
        below |= part[e] < 0;
    }
    if (along_k) {
        // Step p of line l stands at vector l / 4 XOR p / 4 of row p, so that nobody waits for a
        // bank.
#pragma unroll
        for (uint e = 0; e < 4; ++e) {
            const uint l = (id + e * 256) / 8, q = id % 8;
            local Value *to = (local Value *)tile + 4 * q * GP_LINES + ((l / 4) ^ q) * 4 + l % 4;
            to[0] = part[e].s0;
            to[GP_LINES] = part[e].s1;
            to[2 * GP_LINES] = part[e].s2;
            to[3 * GP_LINES] = part[e].s3;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint e = 0; e < 4; ++e) {
            const uint p = (id + e * 256) / 32;
            part[e] = tile[p * (GP_LINES / 4) + ((id % 32) ^ (p / 4))];
        }
    }
#pragma unroll
    for (uint e = 0; e < 4; ++e) packed[id + e * 256] = part[e];
    return any(below);
}
#endif

// packed_a and packed_b hold products x blocks of lines x blocks of k; negative, one for each
// work-group, which of them hold numbers below zero, for GP_LEAST_OF_THREE.
kernel void __attribute__((reqd_work_group_size(256, 1, 1)))
bulk_tiles_pack(GP_OPERANDS, ulong k, global GP_WORD *packed_a, ulong packed_a_offset, global GP_WORD *packed_b,
                ulong packed_b_offset, global uint *negative, ulong negative_offset) {
    local W tile[GP_DEPTH * (GP_LINES + 4) / 4];
    const uint id = (uint)get_local_id(0);
    // Blocks are counted in 32 bits, which divide faster.
    const uint depths = (uint)((k + GP_DEPTH - 1) / GP_DEPTH), number = (uint)get_group_id(0) / depths;
    const uint depth = (uint)get_group_id(0) - number * depths;
    const ulong k0 = (ulong)depth * GP_DEPTH;
    const Block block = block_of(number, get_group_id(1), GP_BOTH);
    global GP_WORD *packed = (block.is_b ? packed_b + packed_b_offset : packed_a + packed_a_offset) +
                             (block.number * depths + depth) * (GP_LINES * GP_DEPTH);
    const uint deep = (uint)min((ulong)GP_DEPTH, k - k0);
    const bool along_k = block.k_stride == 1;
    bool below = false; // zero
    bool vectors = false;
#if GP_DTYPE == GP_DTYPE_INT32 || GP_DTYPE == GP_DTYPE_FLOAT32
    const ulong stride = along_k ? block.line_stride : block.k_stride;
    global const Stored *from = block.x + k0 * block.k_stride;
    vectors = deep == GP_DEPTH && block.lines == GP_LINES && (along_k || block.line_stride == 1) && stride % 4 == 0 &&
              (size_t)from % 16 == 0;
    if (vectors) below = pack_vectors(tile, (global V *)packed, (global const V *)from, stride / 4, along_k);
#endif
    if (!vectors) {
        const ulong line_stride = block.line_stride * (block.is_b ? GP_IN_WORD : 1);
        local GP_WORD *words = (local GP_WORD *)tile;
        // Neighbours in memory go to neighbouring work-items. Nobody needs what stands beyond the
        // edges.
        for (uint i = id; i < GP_LINES * GP_DEPTH; i += 256) {
            const uint line = along_k ? i / GP_DEPTH : i % GP_LINES, p = along_k ? i % GP_DEPTH : i / GP_LINES;
            GP_WORD x = p < deep ? load_word(&block, line * line_stride + (k0 + p) * block.k_stride, line) : 0;
#ifdef GP_LEAST_OF_THREE
            below |= x < 0;
            if (line >= block.lines) x = -INFINITY; // whose sums are below zero at once: they keep no other waiting
#endif
            words[p * (GP_LINES + 1) + line] = x;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = id; i < GP_LINES * GP_DEPTH; i += 256)
            packed[i] = words[i / GP_LINES * (GP_LINES + 1) + i % GP_LINES];
    }
#ifdef GP_LEAST_OF_THREE
    local uint any_below;
    if (id == 0) any_below = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (below) any_below = 1; // whoever writes, it is the same
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        const ulong first = block.is_b ? get_num_groups(1) * a_blocks * depths : 0;
        negative[negative_offset + first + block.number * depths + depth] = any_below;
    }
#endif
}
