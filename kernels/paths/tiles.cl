// Floyd and Warshall's algorithm on a matrix that is cut into tiles of GP_SIDE x GP_SIDE elements,
// with the results of three nested loops, of which the outer one goes over the nodes between: the
// same sums, and at equal lengths the path that was there first.
//
// A stage takes the nodes of one tile of the diagonal. paths_band takes that tile, then the tiles
// of its rows and columns. Each node's row and column, as they are when it is that node's turn, go
// to `up` and `left`, of GP_SIDE lines each. paths_rest takes all other tiles, which need these
// alone.
//
// Macros: those of lengths.cl; GP_EDGE: work-items along the edge of a work-group of paths_band,
//         GP_REST_X and GP_REST_Y: of one of paths_rest, across and down; GP_SIDE, a multiple of
//         GP_EDGE and of four times either; GP_PREDECESSORS: the
//         last nodes before the end of paths are kept, too; GP_ALONE: there is one tile, and
//         neither up nor left
// Launch: work-groups of GP_EDGE x GP_EDGE or GP_REST_X x GP_REST_Y. paths_band: one for
//         `diagonal` 1, else one for each other tile of the rows, then of the columns. paths_rest:
//         as many as there are other tiles along each dimension
// Source: Floyd, "Algorithm 97: Shortest Path", 1962; Venkataraman, Sahni and Mukhopadhyaya, "A
//         Blocked All-Pairs Shortest-Paths Algorithm", 2003
// SPDX-License-Identifier: MIT
#include "common/inline.cl"
#include "paths/lengths.cl"
#if !defined(GP_EDGE) || !defined(GP_SIDE)
#error "GP_EDGE and GP_SIDE must be defined"
#endif
#if !defined(GP_ALONE) && (!defined(GP_REST_X) || !defined(GP_REST_Y))
#error "GP_REST_X and GP_REST_Y must be defined"
#endif
#if defined(GP_ALONE) && defined(GP_PREDECESSORS)
#error "a tile alone keeps no predecessors"
#endif

#define GP_EACH (GP_SIDE / GP_EDGE) // elements along the edge of a work-item

#if GP_EDGE > 1 // registers hold a work-item's elements
#define GP_UNROLLED _Pragma("unroll")
#else
#define GP_UNROLLED
#endif

#ifdef GP_PREDECESSORS
#define GP_NODES                                                                                                       \
    , global int *predecessors, ulong predecessors_offset, ulong ld_predecessors, global int *up_nodes,                \
        ulong up_nodes_offset
#else
#define GP_NODES
#endif
#ifdef GP_ALONE
#define GP_LINES
#else
#define GP_LINES , global Value *up, ulong up_offset, global Value *left, ulong left_offset, ulong pitch
#endif
#define GP_MATRIX global Stored *out, ulong out_offset, ulong ld_out, ulong n GP_LINES GP_NODES

// The number of a tile among those that are not number `block`.
#define GP_OTHER(tile, block) ((tile) < (block) ? (tile) : (tile) + 1)

__attribute__((reqd_work_group_size(GP_EDGE, GP_EDGE, 1))) kernel void paths_band(GP_MATRIX, ulong block,
                                                                                  uint diagonal) {
    local Value rows[2][GP_SIDE], columns[2][GP_SIDE]; // of the tile, for every other node
    const uint x = (uint)get_local_id(0), y = (uint)get_local_id(1);
    ulong i_tile = block, j_tile = block;
    if (!diagonal) {
        const ulong others = (n + GP_SIDE - 1) / GP_SIDE - 1, number = get_group_id(0);
        if (number < others)
            j_tile = GP_OTHER(number, block);
        else
            i_tile = GP_OTHER(number - others, block);
    }
    // Do the rows, and the columns, of the stage's nodes lie in this tile?
    const bool has_rows = i_tile == block, has_columns = j_tile == block;
    const ulong i0 = i_tile * GP_SIDE + y, j0 = j_tile * GP_SIDE + x;
    out += out_offset;
#ifndef GP_ALONE
    up += up_offset + j0;
    left += left_offset + i0;
#endif
    Value length[GP_EACH][GP_EACH];
#ifdef GP_PREDECESSORS
    local int row_nodes[2][GP_SIDE];
    int node[GP_EACH][GP_EACH];
    predecessors += predecessors_offset;
    up_nodes += up_nodes_offset + j0;
#endif
    GP_UNROLLED for (uint r = 0; r < GP_EACH; ++r) {
        GP_UNROLLED for (uint c = 0; c < GP_EACH; ++c) {
            const ulong i = i0 + r * GP_EDGE, j = j0 + c * GP_EDGE;
            const bool inside = i < n && j < n;
            length[r][c] = inside ? out[i * ld_out + j] : GP_NO_PATH;
#ifdef GP_PREDECESSORS
            node[r][c] = inside ? predecessors[i * ld_predecessors + j] : GP_NO_NODE;
#endif
        }
    }
    GP_UNROLLED for (uint e = 0; e < GP_EACH; ++e) {
        for (uint t = 0; t < GP_EDGE; ++t) {
            const uint s = e * GP_EDGE + t, here = s % 2; // node number s of the stage
            if (has_rows && y == t) {
                GP_UNROLLED for (uint c = 0; c < GP_EACH; ++c) {
                    rows[here][x + c * GP_EDGE] = length[e][c];
#ifndef GP_ALONE
                    up[s * pitch + c * GP_EDGE] = length[e][c];
#endif
#ifdef GP_PREDECESSORS
                    row_nodes[here][x + c * GP_EDGE] = node[e][c];
                    up_nodes[s * pitch + c * GP_EDGE] = node[e][c];
#endif
                }
            }
            if (has_columns && x == t) {
                GP_UNROLLED for (uint r = 0; r < GP_EACH; ++r) {
                    columns[here][y + r * GP_EDGE] = length[r][e];
#ifndef GP_ALONE
                    left[s * pitch + r * GP_EDGE] = length[r][e];
#endif
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            Value a[GP_EACH], b[GP_EACH];
#ifdef GP_ALONE
            GP_UNROLLED for (uint r = 0; r < GP_EACH; ++r) a[r] = columns[here][y + r * GP_EDGE];
            GP_UNROLLED for (uint c = 0; c < GP_EACH; ++c) b[c] = rows[here][x + c * GP_EDGE];
#else
            GP_UNROLLED for (uint r = 0; r < GP_EACH; ++r) a[r] =
                has_columns ? columns[here][y + r * GP_EDGE] : left[s * pitch + r * GP_EDGE];
            GP_UNROLLED for (uint c = 0; c < GP_EACH; ++c) b[c] =
                has_rows ? rows[here][x + c * GP_EDGE] : up[s * pitch + c * GP_EDGE];
#endif
#ifdef GP_PREDECESSORS
            int before[GP_EACH];
            GP_UNROLLED for (uint c = 0; c < GP_EACH; ++c) before[c] =
                has_rows ? row_nodes[here][x + c * GP_EDGE] : up_nodes[s * pitch + c * GP_EDGE];
#endif
            GP_UNROLLED for (uint r = 0; r < GP_EACH; ++r) {
                GP_UNROLLED for (uint c = 0; c < GP_EACH; ++c) {
                    const Value sum = times(a[r], b[c]);
#ifdef GP_PREDECESSORS
                    node[r][c] = sum < length[r][c] ? before[c] : node[r][c];
#endif
                    length[r][c] = GP_LESSER(length[r][c], sum);
                }
            }
        }
    }
    GP_UNROLLED for (uint r = 0; r < GP_EACH; ++r) {
        GP_UNROLLED for (uint c = 0; c < GP_EACH; ++c) {
            const ulong i = i0 + r * GP_EDGE, j = j0 + c * GP_EDGE;
            if (i >= n || j >= n) continue;
            out[i * ld_out + j] = length[r][c];
#ifdef GP_PREDECESSORS
            predecessors[i * ld_predecessors + j] = node[r][c];
#endif
        }
    }
}

#ifndef GP_ALONE
#define GP_DOWN (GP_SIDE / GP_REST_Y) // rows and columns of a work-item
#define GP_ACROSS (GP_SIDE / GP_REST_X)
#define GP_CHUNK 8 // nodes between which lengths are not compared with those there were
typedef GP_JOIN(Value, 4) Four;

// `count` neighbours, a multiple of 4, of a line that begins at such a one.
#define GP_READ_LINE(to, from, count)                                                                                  \
    GP_UNROLLED for (uint k = 0; k < (count); k += 4) {                                                                \
        const Four four = *(global const Four *)((from) + k);                                                          \
        (to)[k] = four.s0;                                                                                             \
        (to)[k + 1] = four.s1;                                                                                         \
        (to)[k + 2] = four.s2;                                                                                         \
        (to)[k + 3] = four.s3;                                                                                         \
    }

__attribute__((reqd_work_group_size(GP_REST_X, GP_REST_Y, 1))) kernel void paths_rest(GP_MATRIX, ulong block) {
    const uint x = (uint)get_local_id(0), y = (uint)get_local_id(1);
    const ulong i0 = GP_OTHER(get_group_id(1), block) * GP_SIDE + y * GP_DOWN,
                j0 = GP_OTHER(get_group_id(0), block) * GP_SIDE + x * GP_ACROSS;
    out += out_offset + i0 * ld_out + j0;
    up += up_offset + j0;
    left += left_offset + i0;
    const uint rows = i0 < n ? (uint)min((ulong)GP_DOWN, n - i0) : 0;
    const uint columns = j0 < n ? (uint)min((ulong)GP_ACROSS, n - j0) : 0;
    Value length[GP_DOWN][GP_ACROSS];
#ifdef GP_PREDECESSORS
    int found[GP_DOWN][GP_ACROSS]; // the first of the chunk's nodes by way of one of which the path goes
#endif
    GP_UNROLLED for (uint r = 0; r < GP_DOWN; ++r) {
        GP_UNROLLED for (uint c = 0; c < GP_ACROSS; ++c) {
            length[r][c] = r < rows && c < columns ? out[r * ld_out + c] : GP_NO_PATH;
#ifdef GP_PREDECESSORS
            found[r][c] = -1;
#endif
        }
    }
    for (uint s = 0; s < GP_SIDE; s += GP_CHUNK) {
#ifdef GP_PREDECESSORS
        Value least[GP_DOWN][GP_ACROSS];
#endif
        GP_UNROLLED for (uint q = 0; q < GP_CHUNK; ++q) {
            Value a[GP_DOWN], b[GP_ACROSS];
            GP_READ_LINE(a, left + (s + q) * pitch, GP_DOWN);
            GP_READ_LINE(b, up + (s + q) * pitch, GP_ACROSS);
            GP_UNROLLED for (uint r = 0; r < GP_DOWN; ++r) {
                GP_UNROLLED for (uint c = 0; c < GP_ACROSS; ++c) {
                    const Value sum = times(a[r], b[c]);
#ifdef GP_PREDECESSORS
                    least[r][c] = q == 0 ? sum : GP_LESSER(least[r][c], sum);
#else
                    length[r][c] = GP_LESSER(length[r][c], sum);
#endif
                }
            }
        }
#ifdef GP_PREDECESSORS
        GP_UNROLLED for (uint r = 0; r < GP_DOWN; ++r) {
            GP_UNROLLED for (uint c = 0; c < GP_ACROSS; ++c) {
                found[r][c] = least[r][c] < length[r][c] ? (int)s : found[r][c];
                length[r][c] = GP_LESSER(length[r][c], least[r][c]);
            }
        }
#endif
    }
    GP_UNROLLED for (uint r = 0; r < GP_DOWN; ++r) {
        GP_UNROLLED for (uint c = 0; c < GP_ACROSS; ++c) {
            if (r >= rows || c >= columns) continue;
#ifdef GP_PREDECESSORS
            if (found[r][c] < 0) continue; // no shorter path was found
            // The first of these nodes by way of which it is as long.
            ulong at = (ulong)found[r][c] * pitch;
            for (uint q = 1; q < GP_CHUNK && times(left[at + r], up[at + c]) != length[r][c]; ++q) at += pitch;
            predecessors[predecessors_offset + (i0 + r) * ld_predecessors + j0 + c] =
                up_nodes[up_nodes_offset + j0 + at + c];
#endif
            out[r * ld_out + c] = length[r][c];
        }
    }
}
#endif
