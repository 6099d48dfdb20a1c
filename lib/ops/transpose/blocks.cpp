// Transposes for CPUs: one work-item a block. Host side of kernels/transpose/blocks.cl.
// SPDX-License-Identifier: MIT
#include "ops/transpose/transpose.h"

namespace gpcl::transpose {
namespace {

const Parameter kElements = {GP_TRANSPOSE_MATRIX,
                             "blocks",
                             "elements",
                             "words of elements that are worth a work-item of their own",
                             {1 << 12, 1 << 13, 1 << 14, 1 << 15},
                             always<size_t{1} << 15>};
const Parameter kRows = {GP_TRANSPOSE_MATRIX,    "blocks",  "rows", "least rows of a block, where there are as many",
                         {16, 32, 64, 128, 256}, always<64>};
constexpr std::array kParameters = {&kElements, &kRows};

struct Block {
    size_t high, wide;
};

Block block_of(const cl::Context &context, const Request &r) {
    const size_t least = tuned(context, r.type(), kRows);
    const size_t elements = std::max(tuned(context, r.type(), kElements) / r.words(), least);
    const size_t wide = std::min(r.columns, std::max(elements / least, elements / std::min(r.rows, elements)));
    return {round_up(std::max(elements / wide, least), least), wide};
}

void run(cl::Task &task, const Request &r) {
    const Block block = block_of(task.context(), r);
    const auto program =
        task.program({"transpose/blocks.cl", text("-DGP_WORD_BYTES=", r.word, " -DGP_WORDS=", r.words())});
    launch(task, *program, "transpose_blocks", r, 1, block.high, block.wide, static_cast<uint32_t>(block.high),
           static_cast<uint32_t>(block.wide));
}

Refusal refuses(const cl::Context &context, const Request &r) {
    const Block block = block_of(context, r);
    return refuses_tiles(r, block.high, block.wide);
}

} // namespace

const Algorithm kBlocks = {{"blocks", "one work-item turns a block round, as squares of vectors; for CPUs",
                            "Lam, Rothberg and Wolf, The Cache Performance and Optimizations of Blocked Algorithms, "
                            "1991",
                            false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters};

} // namespace gpcl::transpose
