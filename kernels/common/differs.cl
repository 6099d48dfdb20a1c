// Whether two keys differ: where runs of equal keys begin.
//
// Macros: those of order.cl
// Gives:  gp_differs; what order.cl does
// SPDX-License-Identifier: MIT
#include "common/order.cl"

// 1 if two keys are not equal: -0 equals +0, all NaN equal each other.
uint gp_differs(Key a, Key b) {
#if GP_KEY_FLOAT
    const Key magnitudes = (Key)((a | b) & ~GP_SIGN);
    const uint both_nan = (uint)gp_is_nan(a) & (uint)gp_is_nan(b);
    return (uint)(a != b) & (uint)(magnitudes != 0) & (1u - both_nan);
#else
    return (uint)(a != b);
#endif
}
