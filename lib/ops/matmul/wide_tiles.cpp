// Matrix product for GPUs, 128 x 128 elements a work-group. Host side of
// kernels/matmul/wide_tiles.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/matmul/matmul.h"

namespace gpcl::matmul {
namespace {

constexpr size_t kGroup = 256;
constexpr size_t kTile = 128;

size_t local_bytes(size_t value_size, size_t depth) { return 4 * depth * (kTile + 4) * value_size; }

// The deepest local tiles that fit. Measured on an H200, float32, n = 4096: 41.8 TFLOP/s at 16,
// 37.4 at 8.
const Parameter kDepth = {GP_MATMUL,
                          "wide-tiles",
                          "depth",
                          "how much of k a tile in local memory holds",
                          {8, 16},
                          [](const cl::Context &context, gp_dtype type) -> size_t {
                              return local_bytes(dtype(computed_in(type, type)).size, 16) <= context.info().local_bytes
                                         ? 16
                                         : 8;
                          }};
constexpr std::array kParameters = {&kDepth};

bool is_aligned(const Matrix &x, uint64_t line_stride) {
    return x.data.offset % 4 == 0 && line_stride % 4 == 0 && x.batch_stride % 4 == 0;
}

Refusal refuses(const cl::Context &context, const Request &request) {
    const auto &info = context.info();
    if (info.work_group_size < kGroup)
        return {"it needs work-groups of ", kGroup, "; the device has ", info.work_group_size};
    const size_t needed = local_bytes(value_size(request), tuned(context, request.dtype, kDepth));
    if (info.local_bytes < needed)
        return {"it needs ", needed, " bytes of local memory; the device has ", info.local_bytes};
    return {};
}

// Fewer tiles than compute units leave most of the device idle; smaller tiles are better there.
bool fits(const cl::Context &context, const Request &request) {
    return ceil_div<size_t>(request.m, kTile) * ceil_div<size_t>(request.n, kTile) * request.batch >=
           context.info().compute_units;
}

void run(cl::Task &task, const Request &request) { run_wide_tiles(task, request, nullptr); }

} // namespace

void run_wide_tiles(cl::Task &task, const Request &request, const cl::Operand *report) {
    const Matrix &a = request.a, &b = request.b;
    const bool a_along_k = a.column_stride == 1, b_along_k = b.row_stride == 1;
    std::string options = text(semiring_options(request, 4), " -DGP_MINIMUM_BUILTIN -DGP_GROUP=", kGroup,
                               " -DGP_TILE=", kTile, " -DGP_DEPTH=", tuned(task.context(), request.dtype, kDepth));
    if (a_along_k) options += " -DGP_A_ALONG_K";
    if (b_along_k) options += " -DGP_B_ALONG_K";
    // Memory that is shared with the host may begin anywhere.
    if (!task.context().shares_memory() && is_aligned(a, a_along_k ? a.row_stride : a.column_stride) &&
        is_aligned(b, b_along_k ? b.column_stride : b.row_stride))
        options += " -DGP_ALIGNED";
    if (report != nullptr) options += " -DGP_IF_REPORTED";
    const auto program = task.program({"matmul/wide_tiles.cl", options, request.preamble});
    const auto range = cl::Range::groups(
        multiply(ceil_div<size_t>(request.m, kTile) * ceil_div<size_t>(request.n, kTile), request.batch, "tiles"),
        kGroup);
    if (report != nullptr)
        launch_on_matrices(task, *program, "matmul_wide_tiles", range, request, *report);
    else
        launch_on_matrices(task, *program, "matmul_wide_tiles", range, request);
}

const Algorithm kWideTiles = {{"wide-tiles", "128 x 128 elements of C a work-group, 8 x 8 a work-item; for GPUs",
                               "Volkov and Demmel, Benchmarking GPUs to Tune Dense Linear Algebra, 2008", false,
                               Suits::kGpu},
                              refuses,
                              run,
                              fits,
                              kParameters};

} // namespace gpcl::matmul
