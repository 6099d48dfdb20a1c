// Matrix product from images, a work-item a block of 4 x 4 elements. Host side of
// kernels/matmul/images.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/padded.h"

#include <optional>

namespace gpcl::matmul {
namespace {

constexpr size_t kBlock = 4; // one pixel is 4 elements of a row
constexpr size_t kGroup = 16;

void run(cl::Task &task, const Request &request) {
    const size_t side = square_group(task.context(), kGroup);
    const size_t edge = kBlock * side;
    const auto program = task.program({"matmul/images.cl"});
    std::optional<cl::Image> a, b; // one pair serves the whole batch
    run_padded(task, request, edge, edge, kBlock, [&](const Padded &padded) {
        if (!a) {
            a = task.image(padded.k / kBlock, padded.m);
            b = task.image(padded.n / kBlock, padded.k);
        }
        task.copy_to_image(padded.a, *a);
        task.copy_to_image(padded.b, *b);
        task.launch(*program, "matmul_images",
                    cl::Range::groups({padded.n / edge, padded.m / edge, 1}, {side, side, 1}), *a, *b, padded.c,
                    padded.n, padded.k);
    });
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if (context.info().has_images == 0) return "it needs images, which the device has none of";
    const auto [width, height] = context.device().image_limits;
    const size_t edge = kBlock * square_group(context, kGroup);
    const uint64_t m = round_up<uint64_t>(request.m, edge), n = round_up<uint64_t>(request.n, edge);
    const uint64_t k = round_up<uint64_t>(request.k, kBlock);
    if (std::max(n, k) / kBlock > width || std::max(m, k) > height)
        return {"its images are at most ", width, " x ", height, " pixels of ", kBlock, " elements here"};
    return refuses_but_float32(request, GP_PLUS_TIMES);
}

} // namespace

const Algorithm kImages = {{"images", "as blocks, from images, through the texture units",
                            "Gruber, GPGPU Computing with OpenCL, 2013, 3.6", false, Suits::kByName},
                           refuses,
                           run};

} // namespace gpcl::matmul
