// Two int16 in a word, of which one instruction adds or compares both.
//
// The form: GP_PTX of 90 or more, NVIDIA's instructions; else vectors
// Gives:  gp_add_min_pair(sum, a, b), the least of sum and a + b of each half; gp_add_max_pair and
//         gp_min_max_pair, the greatest of sum and the lesser of a and b, likewise
// SPDX-License-Identifier: MIT
#if defined(GP_PTX) && GP_PTX >= 90
#define GP_PAIR_FUNCTION(name, times, plus)                                                                            \
    uint name(uint sum, uint a, uint b) {                                                                              \
        uint result;                                                                                                   \
        __asm__("{\n\t.reg .b32 term;\n\t" times " term, %2, %3;\n\t" plus " %0, %1, term;\n\t}"                       \
                : "=r"(result)                                                                                         \
                : "r"(sum), "r"(a), "r"(b));                                                                           \
        return result;                                                                                                 \
    }
GP_PAIR_FUNCTION(gp_add_min_pair, "add.s16x2", "min.s16x2")
GP_PAIR_FUNCTION(gp_add_max_pair, "add.s16x2", "max.s16x2")
GP_PAIR_FUNCTION(gp_min_max_pair, "min.s16x2", "max.s16x2")
#undef GP_PAIR_FUNCTION
#else
uint gp_add_pair(uint a, uint b) { return as_uint(as_ushort2(a) + as_ushort2(b)); }
uint gp_min_pair(uint a, uint b) { return as_uint(min(as_short2(a), as_short2(b))); }
uint gp_max_pair(uint a, uint b) { return as_uint(max(as_short2(a), as_short2(b))); }
uint gp_add_min_pair(uint sum, uint a, uint b) { return gp_min_pair(sum, gp_add_pair(a, b)); }
uint gp_add_max_pair(uint sum, uint a, uint b) { return gp_max_pair(sum, gp_add_pair(a, b)); }
uint gp_min_max_pair(uint sum, uint a, uint b) { return gp_max_pair(sum, gp_min_pair(a, b)); }
#endif
