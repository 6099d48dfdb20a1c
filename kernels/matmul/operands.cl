// Both operands, rows of A and columns of B, in blocks of these lines, so that one launch packs
// both.
//
// Macros: those of semiring.cl; GP_A_LINES and GP_B_LINES of a block
// Gives: GP_OPERANDS, kernel parameters, and GP_BOTH, the same as arguments; Block, block_of
// SPDX-License-Identifier: MIT

// Element (line, p) of product g is a[g * a_batch_stride + line * a_line_stride + p * a_k_stride].
#define GP_OPERANDS                                                                                                    \
    global const Stored *a, ulong a_offset, ulong a_line_stride, ulong a_k_stride, ulong a_batch_stride,               \
        ulong a_lines, ulong a_blocks, global const Stored *b, ulong b_offset, ulong b_line_stride, ulong b_k_stride,  \
        ulong b_batch_stride, ulong b_lines, ulong b_blocks
#define GP_BOTH                                                                                                        \
    a, a_offset, a_line_stride, a_k_stride, a_batch_stride, a_lines, a_blocks, b, b_offset, b_line_stride, b_k_stride, \
        b_batch_stride, b_lines, b_blocks

typedef struct {
    global const Stored *x; // its first element
    ulong line_stride, k_stride;
    uint lines;   // that are there; the last blocks may be padding
    ulong number; // among the blocks of all products' A, or B
    uint is_b;
} Block;

// Block `number` of a product's: those of A first.
Block block_of(ulong number, ulong product, GP_OPERANDS) {
    Block block;
    block.is_b = number >= a_blocks;
    block.line_stride = block.is_b ? b_line_stride : a_line_stride;
    block.k_stride = block.is_b ? b_k_stride : a_k_stride;
    if (block.is_b) number -= a_blocks;
    const ulong lines = block.is_b ? b_lines : a_lines, most = block.is_b ? GP_B_LINES : GP_A_LINES,
                line0 = number * most;
    block.lines = lines > line0 ? (uint)min(most, lines - line0) : 0;
    block.x = block.is_b ? b + b_offset + product * b_batch_stride : a + a_offset + product * a_batch_stride;
    block.x += line0 * block.line_stride;
    block.number = product * (block.is_b ? b_blocks : a_blocks) + number;
    return block;
}
