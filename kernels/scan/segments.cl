// Scan of rows and segments for GPUs: all rows of a batch, one after the other, are one sequence of
// positions, in which each row and each flag begins a segment. Work-groups own runs of consecutive
// tiles of it, as in reduce_then_scan.cl: reduce the runs, scan their sums, scan each run from
// where the sums say it starts. A single run needs the last launch alone.
//
// Macros: those of tile.cl; GP_SEGMENTED, where flags begin segments (without it, `heads` is not
//         read)
// Launch: work-groups of GP_GROUP work-items. reduce_runs, scan_runs: one work-group a run of
//         `tiles` tiles; scan_sums: one work-group
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.5 (the segmented
//         operator); Dotsenko et al., "Fast Scan Algorithms on Graphics Processors", 2008
// SPDX-License-Identifier: MIT
#include "common/carry.cl"
#include "common/tile.cl"

// Where the rows lie.
typedef struct {
    ulong n, batch, stride_in, step_in, stride_out, step_out;
    uint reverse;
} Rows;

typedef struct {
    T tile[GP_TILE_SLOTS];
    uchar begins[GP_TILE_SLOTS]; // at each position: does a segment begin here?
    T room[GP_GROUP];
    uchar room_begins[GP_GROUP];
} Local;

// Returns the combination of the x of all lower work-items since the last head, and in
// *begins_before whether there is one. *total and *any: the same over all work-items. This scan has
// its own arrays for values and flags: pairs of both, as group_scan.cl would take them, need a
// third more local memory.
T scan_group_begins(T x, uint begins, local Local *here, uint *begins_before, T *total, uint *any) {
    local T *room = here->room;
    local uchar *flags = here->room_begins;
    const uint lane = (uint)get_local_id(0);
    room[lane] = x;
    flags[lane] = begins;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < GP_GROUP; step *= 2) {
        const T mine = room[lane];
        const uint begun = flags[lane];
        const T left = lane >= step && !begun ? room[lane - step] : GP_ZERO;
        const uint left_begun = lane >= step ? flags[lane - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        room[lane] = GP_COMBINE(left, mine);
        flags[lane] = begun | left_begun;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *total = room[GP_GROUP - 1];
    *any = flags[GP_GROUP - 1];
    const T before = lane > 0 ? room[lane - 1] : GP_ZERO;
    *begins_before = lane > 0 ? flags[lane - 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    return before;
}

// Position i of the tile that begins at position p0 of row r0: its row and its place in it, in
// memory's order.
void locate(const Rows *rows, ulong r0, ulong p0, uint i, ulong *row, ulong *place, ulong *p) {
    *row = r0;
    *p = p0 + i;
    if (*p >= rows->n) { // within a tile only short rows end more than once
        const uint ended = rows->n > GP_TILE ? 1 : (uint)*p / (uint)rows->n;
        *row += ended;
        *p -= ended * rows->n;
    }
    *place = rows->reverse ? rows->n - 1 - *p : *p;
}

#ifdef GP_CARRY
// Does a row go on with what comes before it? In reverse it always does: the flag that says
// otherwise is not the row's.
uint goes_on(global const uchar *heads, ulong row, const Rows *rows) {
#ifdef GP_SEGMENTED
    return rows->reverse || heads[row * rows->stride_in] == 0;
#else
    return 1;
#endif
}
#endif

// Brings the tile at position `first` to local memory; identities stand past the end. A row's first
// element takes in what comes before the row.
void load_tile(local Local *here, global const GP_IN *in, global const uchar *heads, ulong first,
               const Rows *rows GP_CARRY_PARAMETERS) {
    const ulong r0 = first / rows->n, p0 = first - r0 * rows->n;
    for (uint i = (uint)get_local_id(0); i < GP_TILE; i += GP_GROUP) {
        ulong row, place, p;
        locate(rows, r0, p0, i, &row, &place, &p);
        T x = GP_ZERO;
        uint begins = 0;
        if (row < rows->batch) {
            const ulong at = row * rows->stride_in + place * rows->step_in;
            x = GP_READ(in, at);
            begins = p == 0;
#ifdef GP_CARRY
            if (p == 0 && goes_on(heads, row, rows)) {
                const T carry = GP_INITIAL(row);
                x = GP_COMBINE(carry, x);
            }
#endif
#ifdef GP_SEGMENTED
            if (p > 0) begins = heads[rows->reverse ? at + rows->step_in : at] != 0; // in reverse, that of the next one
#endif
        }
        here->tile[GP_SLOT(i)] = x;
        here->begins[GP_SLOT(i)] = begins;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The combination of this work-item's elements since the last head among them, and whether there is
// one.
T reduce_items(local const Local *here, uint *begins) {
    T mine = GP_ZERO;
    *begins = 0;
    for (uint i = 0; i < GP_ITEMS; ++i) {
        const uint slot = GP_SLOT((uint)get_local_id(0) * GP_ITEMS + i);
        const T x = here->tile[slot];
        if (here->begins[slot]) {
            mine = GP_ZERO;
            *begins = 1;
        }
        mine = GP_COMBINE(mine, x);
    }
    return mine;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
reduce_runs(global const GP_IN *in, ulong in_offset, global const uchar *heads, ulong heads_offset, global T *sums,
            ulong sums_offset, global uchar *begins, ulong begins_offset, ulong n, ulong batch, ulong stride_in,
            ulong step_in, ulong tiles, uint reverse GP_CARRY_PARAMETERS) {
    local Local here;
    const Rows rows = {n, batch, stride_in, step_in, 0, 0, reverse};
    const ulong begin = get_group_id(0) * tiles * GP_TILE;
    T sum = GP_ZERO;
    uint begun = 0;
    for (ulong t = 0; t < tiles && begin + t * GP_TILE < n * batch; ++t) {
        load_tile(&here, in + in_offset, heads + heads_offset, begin + t * GP_TILE, &rows GP_CARRY_ARGUMENTS);
        uint mine_begins, left_begins, any;
        const T mine = reduce_items(&here, &mine_begins);
        T total;
        scan_group_begins(mine, mine_begins, &here, &left_begins, &total, &any);
        if (any) sum = GP_ZERO;
        begun |= any;
        sum = GP_COMBINE(sum, total);
    }
    if (get_local_id(0) == 0) {
        sums[sums_offset + get_group_id(0)] = sum;
        begins[begins_offset + get_group_id(0)] = begun;
    }
}

// Turns the sums into what comes before each run.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
scan_sums(global T *sums, ulong sums_offset, global const uchar *begins, ulong begins_offset, ulong count) {
    local Local here;
    T before = GP_ZERO;
    for (ulong first = 0; first < count; first += GP_GROUP) {
        const ulong i = first + get_local_id(0);
        const T x = i < count ? sums[sums_offset + i] : GP_ZERO;
        const uint mine_begins = i < count ? begins[begins_offset + i] : 0;
        uint left_begins, any;
        T total;
        const T left = scan_group_begins(x, mine_begins, &here, &left_begins, &total, &any);
        if (i < count) sums[sums_offset + i] = left_begins ? left : GP_COMBINE(before, left);
        if (any) before = GP_ZERO;
        before = GP_COMBINE(before, total);
    }
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
scan_runs(global const GP_IN *in, ulong in_offset, global const uchar *heads, ulong heads_offset, global T *out,
          ulong out_offset, global const T *sums, ulong sums_offset, ulong n, ulong batch, ulong stride_in,
          ulong step_in, ulong stride_out, ulong step_out, ulong tiles, uint has_sums, uint exclusive,
          uint reverse GP_CARRY_PARAMETERS) {
    local Local here;
    const Rows rows = {n, batch, stride_in, step_in, stride_out, step_out, reverse};
    const uint lane = (uint)get_local_id(0);
    const ulong begin = get_group_id(0) * tiles * GP_TILE;
    out += out_offset;
    T before = has_sums ? sums[sums_offset + get_group_id(0)] : GP_ZERO;
    for (ulong t = 0; t < tiles && begin + t * GP_TILE < n * batch; ++t) {
        const ulong first = begin + t * GP_TILE;
        load_tile(&here, in + in_offset, heads + heads_offset, first, &rows GP_CARRY_ARGUMENTS);
        uint mine_begins, left_begins, any;
        const T mine = reduce_items(&here, &mine_begins);
        T total;
        const T left = scan_group_begins(mine, mine_begins, &here, &left_begins, &total, &any);
        T running = left_begins ? left : GP_COMBINE(before, left);
        for (uint i = 0; i < GP_ITEMS; ++i) {
            const uint slot = GP_SLOT(lane * GP_ITEMS + i);
            const T x = here.tile[slot];
            if (here.begins[slot]) running = GP_ZERO;
            const T next = GP_COMBINE(running, x);
            here.tile[slot] = exclusive ? running : next;
            running = next;
#ifdef GP_CARRY
            ulong row, place, p;
            locate(&rows, first / n, first % n, lane * GP_ITEMS + i, &row, &place, &p);
            if (p == n - 1 && row < batch) {
                T end = next;
#ifdef GP_SEGMENTED
                if (reverse && heads[heads_offset + row * stride_in]) end = GP_ZERO; // it closes its segment
#endif
                GP_HAND_ON(row, end);
            }
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const ulong r0 = first / n, p0 = first - r0 * n;
        for (uint i = lane; i < GP_TILE; i += GP_GROUP) {
            ulong row, place, p;
            locate(&rows, r0, p0, i, &row, &place, &p);
            if (row >= batch) continue;
            T y = here.tile[GP_SLOT(i)];
#ifdef GP_CARRY
            if (exclusive && p == 0 && goes_on(heads + heads_offset, row, &rows)) {
                const T carry = GP_INITIAL(row);
                y = GP_COMBINE(y, carry); // the identity and what comes before
            }
#endif
            out[row * stride_out + place * step_out] = y;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the next tile takes this one's place
        if (any) before = GP_ZERO;
        before = GP_COMBINE(before, total);
    }
}
