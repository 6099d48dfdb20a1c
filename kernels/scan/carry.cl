// Rows without elements hand on what comes before them.
//
// Macros: those of combine.cl and carry.cl, with GP_CARRY
// Launch: a work-item a row at least
// SPDX-License-Identifier: MIT
#include "common/carry.cl"
#include "common/combine.cl"
#include "common/counted.cl"

kernel void pass_carries(ulong batch GP_CARRY_PARAMETERS GP_COUNT_PARAMETERS) {
    const ulong row = get_global_id(0);
    if (row >= batch) return;
    const T value = GP_INITIAL(row);
    GP_HAND_ON(row, value);
}
