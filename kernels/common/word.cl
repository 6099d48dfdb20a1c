// Unsigned words of 1, 2, 4 or 8 bytes, by which what has any size is copied.
//
// Macros: GP_WORD_BYTES; 0 where there is nothing to copy
// Gives:  Word
// SPDX-License-Identifier: MIT
#if GP_WORD_BYTES == 8
#define Word ulong
#elif GP_WORD_BYTES == 4
#define Word uint
#elif GP_WORD_BYTES == 2
#define Word ushort
#else
#define Word uchar
#endif
