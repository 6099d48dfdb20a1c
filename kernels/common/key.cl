// Keys as unsigned integers.
//
// Macros: GP_KEY_BYTES, 1, 2, 4 or 8
// Gives:  Key
// SPDX-License-Identifier: MIT
#if GP_KEY_BYTES == 1
#define Key uchar
#elif GP_KEY_BYTES == 2
#define Key ushort
#elif GP_KEY_BYTES == 4
#define Key uint
#elif GP_KEY_BYTES == 8
#define Key ulong
#else
#error "GP_KEY_BYTES must be 1, 2, 4 or 8"
#endif
