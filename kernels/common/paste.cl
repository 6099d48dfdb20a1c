// Names made of two.
//
// Gives: GP_PASTE(a, b)
// SPDX-License-Identifier: MIT
#define GP_PASTE2(a, b) a##b
#define GP_PASTE(a, b) GP_PASTE2(a, b)
