// Floyd and Warshall's algorithm on a matrix that is cut into tiles of GP_SIDE x GP_SIDE elements,
// with the results of three nested loops, of which the outer one goes over the nodes between: the
// same sums, and at equal lengths the path that was there first.
//
// A stage takes the nodes of one tile of the diagonal. paths_band takes that tile, then the tiles of
// its rows and columns. Each node's row and column, as they are when it is that node's turn, go to
// `up` and `left`, of GP_SIDE lines each. paths_rest takes all other tiles, which need these alone.
//
// Macros: those of lengths.cl; GP_EDGE, GP_REST_EDGE: work-items along the edge of a work-group of
//         paths_band and paths_rest, 1 or more; GP_SIDE, a multiple of both; GP_PREDECESSORS: the
//         last nodes before the end of paths are kept, too; GP_ALONE: there is one tile, and
//         neither up nor left
// Launch: work-groups of GP_EDGE x GP_EDGE or GP_REST_EDGE x GP_REST_EDGE. paths_band: one for
//         `diagonal` 1, else one for each other tile of the rows, then of the columns. paths_rest:
//         as many as there are other tiles along each dimension
// Source: Floyd, "Algorithm 97: Shortest Path", 1962; Venkataraman, Sahni and Mukhopadhyaya, "A
//         Blocked All-Pairs Shortest-Paths Algorithm", 2003
// SPDX-License-Identifier: MIT
#include "common/inline.cl"
#include "paths/lengths.cl"
#if !defined(GP_EDGE) || !defined(GP_REST_EDGE) || !defined(GP_SIDE)
#error "GP_EDGE, GP_REST_EDGE and GP_SIDE must be defined"
#endif
#if defined(GP_ALONE) && defined(GP_PREDECESSORS)
#error "a tile alone keeps no predecessors"
#endif

#define GP_EACH (GP_SIDE / GP_EDGE) // elements along the edge of a work-item
#define GP_REST_EACH (GP_SIDE / GP_REST_EDGE)

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
__attribute__((reqd_work_group_size(GP_REST_EDGE, GP_REST_EDGE, 1))) kernel void paths_rest(GP_MATRIX, ulong block) {
    const uint x = (uint)get_local_id(0), y = (uint)get_local_id(1);
    const ulong i0 = GP_OTHER(get_group_id(1), block) * GP_SIDE + y,
                j0 = GP_OTHER(get_group_id(0), block) * GP_SIDE + x;
    out += out_offset;
    up += up_offset + j0;
    left += left_offset + i0;
    Value length[GP_REST_EACH][GP_REST_EACH];
#ifdef GP_PREDECESSORS
    int middle[GP_REST_EACH][GP_REST_EACH]; // the stage's node by way of which the path goes
#endif
    GP_UNROLLED for (uint r = 0; r < GP_REST_EACH; ++r) {
        GP_UNROLLED for (uint c = 0; c < GP_REST_EACH; ++c) {
            const ulong i = i0 + r * GP_REST_EDGE, j = j0 + c * GP_REST_EDGE;
            length[r][c] = i < n && j < n ? out[i * ld_out + j] : GP_NO_PATH;
#ifdef GP_PREDECESSORS
            middle[r][c] = -1;
#endif
        }
    }
#pragma unroll 2
    for (uint s = 0; s < GP_SIDE; ++s) {
        Value a[GP_REST_EACH], b[GP_REST_EACH];
        GP_UNROLLED for (uint r = 0; r < GP_REST_EACH; ++r) a[r] = left[s * pitch + r * GP_REST_EDGE];
        GP_UNROLLED for (uint c = 0; c < GP_REST_EACH; ++c) b[c] = up[s * pitch + c * GP_REST_EDGE];
        GP_UNROLLED for (uint r = 0; r < GP_REST_EACH; ++r) {
            GP_UNROLLED for (uint c = 0; c < GP_REST_EACH; ++c) {
                const Value sum = times(a[r], b[c]);
#ifdef GP_PREDECESSORS
                middle[r][c] = sum < length[r][c] ? (int)s : middle[r][c];
#endif
                length[r][c] = GP_LESSER(length[r][c], sum);
            }
        }
    }
    GP_UNROLLED for (uint r = 0; r < GP_REST_EACH; ++r) {
        GP_UNROLLED for (uint c = 0; c < GP_REST_EACH; ++c) {
            const ulong i = i0 + r * GP_REST_EDGE, j = j0 + c * GP_REST_EDGE;
            if (i >= n || j >= n) continue;
#ifdef GP_PREDECESSORS
            if (middle[r][c] < 0) continue; // no shorter path was found
            predecessors[predecessors_offset + i * ld_predecessors + j] =
                up_nodes[up_nodes_offset + j0 + (ulong)middle[r][c] * pitch + c * GP_REST_EDGE];
#endif
            out[i * ld_out + j] = length[r][c];
        }
    }
}
#endif
