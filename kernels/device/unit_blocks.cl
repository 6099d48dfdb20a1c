// Products of small blocks of doubles or halves by all of a warp, and halves from local memory as
// these take them.
//
// The form: GP_PTX of 90 or more, matrix units; else plain arithmetic on what the lanes put into
//           local memory, by the whole work-group together
// Macros: GP_GROUP, the work-group size, a multiple of 32; GP_FLOAT64_UNITS, for doubles;
//         GP_BFLOAT_UNITS, where halves are bfloat16
// Gives:  gp_multiply_half_blocks, gp_read_blocks, gp_read_blocks_across; with GP_FLOAT64_UNITS
//         gp_multiply_double_blocks; GP_BLOCK_ROOM, uints of local memory that they need for each
//         work-group, 0: none; GP_BLOCKS_OF(array), the array where they need it, else 0
// Source: NVIDIA, "Parallel Thread Execution ISA", mma.sync and ldmatrix
// SPDX-License-Identifier: MIT
#if defined(GP_PTX) && GP_PTX >= 90
#include "device/matrix_units.cl"
#define GP_BLOCK_ROOM 0
#define GP_BLOCKS_OF(array) 0

// sum + a * b of 16 x 16 halves by 16 x 8. Lane 4 g + t holds two neighbours along k in a word: of
// A columns 2 t and 2 t + 1 of rows g and g + 8, then columns 2 t + 8 and 2 t + 9 of both; of B
// those rows of column g; of the sum columns 2 t and 2 t + 1 of row g, then of row g + 8.
float4 gp_multiply_half_blocks(uint4 a, uint2 b, float4 sum, local uint *room) { return gp_multiply_halves(a, b, sum); }

#ifdef GP_FLOAT64_UNITS
// sum + a * b of 16 x 8 doubles by 8 x 8. Lane 4 g + t holds of A rows g and g + 8 at column t,
// then both at column t + 4; of B rows t and t + 4 of column g; the sum as above.
double4 gp_multiply_double_blocks(double4 a, double2 b, double4 sum, local uint *room) {
    return gp_multiply_doubles(a, b, sum);
}
#endif

// Four blocks of 8 x 8 halves, lane 8 i + r telling where row r of block i begins in `tile`, at a
// multiple of 16 bytes. Lane 4 g + t gets elements 2 t and 2 t + 1 of each block's row g.
uint4 gp_read_blocks(local const ushort *tile, uint at, local uint *room) {
    uint r0, r1, r2, r3;
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                     : "r"((uint)(size_t)(tile + at))
                     : "memory");
    return (uint4)(r0, r1, r2, r3);
}

// The same of rows 2 t and 2 t + 1 of each block's column g.
uint4 gp_read_blocks_across(local const ushort *tile, uint at, local uint *room) {
    uint r0, r1, r2, r3;
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                     : "r"((uint)(size_t)(tile + at))
                     : "memory");
    return (uint4)(r0, r1, r2, r3);
}

#else
#define GP_BLOCK_ROOM (12 * GP_GROUP)
#define GP_BLOCKS_OF(array) (array)

// Half number i of a warp's words.
float gp_half_of(local const uint *words, uint i) {
#ifdef GP_BFLOAT_UNITS
    return as_float((uint)((local const ushort *)words)[i] << 16);
#else
    return vload_half(i, (local const half *)words);
#endif
}

float4 gp_multiply_half_blocks(uint4 a, uint2 b, float4 sum, local uint *room) {
    const uint id = (uint)get_local_id(0), lane = id % 32, g = lane / 4, t = lane % 4;
    room += id / 32 * (6 * 32);
    vstore4(a, lane, room);
    vstore2(b, lane, room + 4 * 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = 0; p < 16; ++p) {
        // A lane's words: pairs of rows g and g + 8, of the lower half of k and of the upper one.
        const uint of_a = ((4 * g + p % 8 / 2) * 4 + p / 8 * 2) * 2 + p % 2, of_b = p % 8 / 2 * 4 + p / 8 * 2 + p % 2;
        const float upper = gp_half_of(room, of_a), lower = gp_half_of(room, of_a + 2);
        const float b0 = gp_half_of(room + 4 * 32, 2 * t * 16 + of_b);
        const float b1 = gp_half_of(room + 4 * 32, (2 * t + 1) * 16 + of_b);
        sum += (float4)(upper * b0, upper * b1, lower * b0, lower * b1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

#ifdef GP_FLOAT64_UNITS
double4 gp_multiply_double_blocks(double4 a, double2 b, double4 sum, local uint *room) {
    const uint id = (uint)get_local_id(0), lane = id % 32, g = lane / 4, t = lane % 4;
    local double *words = (local double *)room + id / 32 * (6 * 32);
    vstore4(a, lane, words);
    vstore2(b, lane, words + 4 * 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = 0; p < 8; ++p) {
        local const double *of_a = words + (4 * g + p % 4) * 4 + p / 4 * 2;
        local const double *of_b = words + 4 * 32 + p % 4 * 2 + p / 4;
        const double b0 = of_b[2 * t * 8], b1 = of_b[(2 * t + 1) * 8];
        sum += (double4)(of_a[0] * b0, of_a[0] * b1, of_a[1] * b0, of_a[1] * b1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}
#endif

// Elements `first` and `second` of two rows, by the places that the lanes of block i tell.
uint4 gp_pairs_of_blocks(local const ushort *tile, uint at, uint row, uint next_row, uint column, uint next_column,
                         local uint *room) {
    const uint id = (uint)get_local_id(0);
    room[id] = at;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint words[4];
    for (uint i = 0; i < 4; ++i) {
        local const uint *places = room + id / 32 * 32 + i * 8;
        words[i] = tile[places[row] + column] | (uint)tile[places[next_row] + next_column] << 16;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return (uint4)(words[0], words[1], words[2], words[3]);
}

uint4 gp_read_blocks(local const ushort *tile, uint at, local uint *room) {
    const uint lane = (uint)get_local_id(0) % 32, g = lane / 4, t = lane % 4;
    return gp_pairs_of_blocks(tile, at, g, g, 2 * t, 2 * t + 1, room);
}

uint4 gp_read_blocks_across(local const ushort *tile, uint at, local uint *room) {
    const uint lane = (uint)get_local_id(0) % 32, g = lane / 4, t = lane % 4;
    return gp_pairs_of_blocks(tile, at, 2 * t, 2 * t + 1, g, g, room);
}
#endif
