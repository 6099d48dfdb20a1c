// What a sort in local memory moves beside keys: their indices, or their values as words.
//
// Macros: GP_INDEX, bytes of an index: 0 (none), 4 or 8; GP_WORDS, bytes of a word of the values: 0
//         (none), 1, 2, 4 or 8
// Gives:  the types Index and Word; GP_MOVED, parameters of a kernel for them, with a comma behind;
//         GP_MOVED_HERE, those as arguments
// SPDX-License-Identifier: MIT
#ifndef GP_INDEX
#error "GP_INDEX must be defined: 0, 4 or 8"
#elif GP_INDEX == 8
#define Index ulong
#else
#define Index uint
#endif
#ifndef GP_WORDS
#error "GP_WORDS must be defined: 0, 1, 2, 4 or 8"
#elif GP_WORDS == 1
#define Word uchar
#elif GP_WORDS == 2
#define Word ushort
#elif GP_WORDS == 8
#define Word ulong
#else
#define Word uint
#endif

#if GP_INDEX
#define GP_MOVED global Index *indices, ulong indices_offset,
#define GP_MOVED_HERE indices, indices_offset,
#elif GP_WORDS
#define GP_MOVED global Word *values, ulong values_offset, uint words,
#define GP_MOVED_HERE values, values_offset, words,
#else
#define GP_MOVED
#define GP_MOVED_HERE
#endif
