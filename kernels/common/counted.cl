// How many elements there are, where a number in a buffer says so.
//
// Macros: GP_COUNTED, where it does; or GP_COUNTED_TWO, of two arrays: 1 where a number says it of
//         the first, 2 of the second, 3 of both. Without them, nothing of this is compiled.
// Gives:  GP_COUNT_PARAMETERS, behind a kernel's other ones; GP_TAKE_COUNT(n), which comes before
//         any use of n: n becomes that number, unless it is less. GP_TWO_COUNT_PARAMETERS and
//         GP_TAKE_TWO_COUNTS(n, m) likewise
// SPDX-License-Identifier: MIT
#ifdef GP_COUNTED
#define GP_COUNT_PARAMETERS , global const ulong *counted, ulong counted_offset
#define GP_TAKE_COUNT(n) n = min((ulong)(n), counted[counted_offset]);
#else
#define GP_COUNT_PARAMETERS
#define GP_TAKE_COUNT(n)
#endif

#define GP_COUNT_OF_FIRST , global const ulong *of_first, ulong of_first_offset
#define GP_COUNT_OF_SECOND , global const ulong *of_second, ulong of_second_offset
#define GP_TAKE_FIRST(n) n = min(n, of_first[of_first_offset]);
#define GP_TAKE_SECOND(m) m = min(m, of_second[of_second_offset]);
#ifndef GP_COUNTED_TWO
#define GP_TWO_COUNT_PARAMETERS
#define GP_TAKE_TWO_COUNTS(n, m)
#elif GP_COUNTED_TWO == 1
#define GP_TWO_COUNT_PARAMETERS GP_COUNT_OF_FIRST
#define GP_TAKE_TWO_COUNTS(n, m) GP_TAKE_FIRST(n)
#elif GP_COUNTED_TWO == 2
#define GP_TWO_COUNT_PARAMETERS GP_COUNT_OF_SECOND
#define GP_TAKE_TWO_COUNTS(n, m) GP_TAKE_SECOND(m)
#else
#define GP_TWO_COUNT_PARAMETERS GP_COUNT_OF_FIRST GP_COUNT_OF_SECOND
#define GP_TAKE_TWO_COUNTS(n, m) GP_TAKE_FIRST(n) GP_TAKE_SECOND(m)
#endif
