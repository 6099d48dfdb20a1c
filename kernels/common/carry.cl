// What comes before a row, and what its end hands on: an element of each array a row, so that
// whoever has a row in pieces gets the whole's result.
//
// Macros: those of combine.cl; GP_CARRY, where there are carries. Without it, nothing of this is
//         compiled.
// Gives:  GP_CARRY_PARAMETERS, GP_CARRY_ARGUMENTS, behind a function's other ones; with GP_CARRY,
//         GP_INITIAL(row), the identity where there is no initial value, and GP_HAND_ON(row, value)
// SPDX-License-Identifier: MIT
#ifdef GP_CARRY
#define GP_HAS_INITIAL 1u // bits of `carries`
#define GP_HAS_LAST 2u
#define GP_CARRY_PARAMETERS                                                                                            \
    , global const T *initial, ulong initial_offset, global T *last, ulong last_offset, uint carries
#define GP_CARRY_ARGUMENTS , initial, initial_offset, last, last_offset, carries
#define GP_INITIAL(row) ((carries & GP_HAS_INITIAL) != 0 ? initial[initial_offset + (row)] : GP_ZERO)
#define GP_HAND_ON(row, value)                                                                                         \
    do {                                                                                                               \
        if ((carries & GP_HAS_LAST) != 0) last[last_offset + (row)] = (value);                                         \
    } while (0)
#else
#define GP_CARRY_PARAMETERS
#define GP_CARRY_ARGUMENTS
#endif
