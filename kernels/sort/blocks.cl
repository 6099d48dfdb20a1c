// What the radix sorts share in which each work-item counts and moves a block of consecutive keys,
// by 4 bits a pass.
//
// Macros: those of keys.cl, without values; GP_BLOCK, keys of a block
// Gives:  GP_BUCKETS; GP_BUCKET(key), its digit at `shift`
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"

#if GP_VALUE_BYTES
#error "GP_VALUE_BYTES must be 0: this sorts keys alone"
#endif
#if !defined(GP_BLOCK) || GP_BLOCK < 1
#error "GP_BLOCK must be defined: keys of a block"
#endif

#define GP_BUCKETS 16 // of 4 bits
#define GP_BUCKET(key) (gp_digit(key, (Key)flip, shift) % GP_BUCKETS)
