// Matrix times vector, and vector times matrix, on GPUs. Host side of kernels/matmul/vector_rows.cl
// and kernels/matmul/vector_columns.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/lanes.h"
#include "ops/matmul/matmul.h"

namespace gpcl::matmul {
namespace {

constexpr const char *kName = "vector-lanes";

const Parameter kGroup = group_parameter(GP_MATMUL, kName);
const Parameter kLoads = {GP_MATMUL,    kName,
                          "loads",      "vectors of 16 bytes of a line that a work-item reads at a time",
                          {1, 2, 4, 8}, always<4>};
const Parameter kDeep = {GP_MATMUL,    kName,      "deep", "vectors across lines that a work-item reads at a time",
                         {1, 2, 4, 8}, loads_of<8>};
const Parameter kLines = {GP_MATMUL, kName,    "lines", "lines along k that a work-item takes, where there are enough",
                          {1, 2, 4}, always<2>};
const Parameter kAcross = {GP_MATMUL, kName, "across", "work-items side by side across lines", {1, 8, 16, 32, 64, 128},
                           always<32>};
const Parameter kItems = {GP_MATMUL,
                          kName,
                          "items",
                          "work-items for each compute unit, where lines are long enough",
                          {256, 512, 1024, 2048, 4096, 8192},
                          always<2048>};
const Parameter kGroups = {GP_MATMUL,
                           kName,
                           "groups",
                           "work-groups for each compute unit, where k is cut along lines",
                           {1, 2, 3, 4, 8, 16, 32},
                           always<4>};
const Parameter kColumns = {
    GP_MATMUL, kName, "columns", "the same where it is cut across lines", {1, 2, 3, 4, 8, 16, 32}, always<8>};
constexpr std::array kParameters = {&kGroup, &kLoads, &kDeep, &kLines, &kAcross, &kItems, &kGroups, &kColumns};

void run(cl::Task &task, const Request &request) {
    auto &context = task.context();
    // X is A where C is a column, else the transpose of B.
    const bool column = request.n == 1;
    const Matrix &x = column ? request.a : request.b, &y = column ? request.b : request.a, &c = request.c;
    const uint64_t lines = column ? request.m : request.n, k = request.k;
    const uint64_t line_stride = column ? x.row_stride : x.column_stride;
    const uint64_t k_stride = column ? x.column_stride : x.row_stride;
    const uint64_t y_stride = column ? y.row_stride : y.column_stride;
    const uint64_t c_stride = column ? c.row_stride : 1;
    const bool along_k = k_stride == 1 && (line_stride != 1 || lines == 1);

    const gp_dtype type = request.dtype;
    const size_t size = dtype(type).size, units = context.info().compute_units;
    const size_t group = tuned(context, type, kGroup);
    const size_t full = kVectorBytes / size;
    const uint64_t pitch = along_k ? line_stride : k_stride;
    const bool regular = (pitch % full == 0 || (along_k ? lines : k) == 1) && x.batch_stride % full == 0 &&
                         (along_k ? k : lines) >= full;
    const size_t elements = regular ? full : 1;
    // Elements that come one by one are as many bytes on their way.
    const size_t loads =
        tuned(context, type, along_k ? kLoads : kDeep) * (along_k && !regular ? std::min<size_t>(full, 4) : 1);
    const size_t slots = units * tuned(context, type, along_k ? kGroups : kColumns);
    std::string options =
        semiring_options(request, 1) +
        text(" -DGP_GROUP=", group, " -DGP_LOADS=", loads, " -DGP_ELEMENTS=", elements, context.features().options());
    size_t width, groups, share, parts; // of lanes or across
    if (along_k) {
        const size_t vectors = std::max<size_t>(k / elements, 1);
        const size_t busy = std::bit_ceil(ceil_div(units * tuned(context, type, kItems), lines * request.batch));
        const size_t most = std::min(group, std::bit_ceil(ceil_div(vectors, loads)));
        const size_t per = tuned(context, type, kLines);
        const size_t rows = lines >= per && busy * per <= 32 && most >= 1 ? per : 1;
        width = std::min(most, std::max<size_t>(busy * rows, std::min<size_t>(32, most)));
        groups = ceil_div<size_t>(lines, group / width * rows);
        const size_t step = width * loads, steps = ceil_div(vectors, step);
        const size_t wanted = width < group ? 1 : parts_of_each(slots, groups * request.batch);
        share = ceil_div(steps, std::min(steps, wanted)) * step;
        parts = std::max<size_t>(ceil_div(vectors, share), 1);
        options += text(" -DGP_ROWS=", rows);
    } else {
        const size_t head = elements > 1 ? elements - 1 : 0; // at most
        const size_t each = std::min(elements > 1 ? full : std::min<size_t>(full, 4),
                                     std::bit_ceil<size_t>(lines)); // lines of a work-item
        options += text(" -DGP_LINES=", each);
        const size_t vectors =
            ceil_div(lines + (context.shares_memory() || x.data.offset % elements != 0 ? head : 0), each);
        width = std::min({group, std::bit_ceil(vectors), tuned(context, type, kAcross)});
        const size_t deep = std::bit_ceil(std::max<size_t>(ceil_div<size_t>(k, loads), 1));
        width = std::min(std::bit_ceil(vectors), std::max(width, group / std::min(group, deep)));
        groups = ceil_div(vectors, width);
        const size_t least = group / width * loads, most = std::max<size_t>(ceil_div<size_t>(k, least), 1);
        share = std::max<size_t>(ceil_div<size_t>(k, std::min(most, parts_of_each(slots, groups * request.batch))), 1);
        parts = std::max<size_t>(ceil_div<size_t>(k, share), 1);
    }
    const bool many = parts > 1;
    const size_t all_groups = multiply(groups, request.batch, "vector");
    const auto sums = many ? task.work_space(multiply(multiply(lines, request.batch, "sums"),
                                                      parts * std::max(value_size(type), size_t{4}), "sums"))
                           : c.data;
    const auto ended = many ? task.cleared_space(all_groups * sizeof(uint32_t)) : c.data;
    const auto program = task.program({along_k ? "matmul/vector_rows.cl" : "matmul/vector_columns.cl", options});
    request.with_scalars([&](auto alpha, auto beta) {
        task.launch(*program, along_k ? "matmul_vector_rows" : "matmul_vector_columns",
                    cl::Range::groups({all_groups, parts, 1}, {group, 1, 1}), x.data, pitch, x.batch_stride, y.data,
                    y_stride, y.batch_stride, c.data, c_stride, c.batch_stride, sums, ended, lines, k,
                    static_cast<uint32_t>(width), uint64_t{share}, uint64_t{groups}, alpha, beta,
                    uint32_t{request.reads_c});
    });
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if (request.m != 1 && request.n != 1) return "neither matrix is a vector";
    if (request.k == 0) return "k is 0";
    return refuses_shape(context, tuned(context, request.dtype, kGroup), 0);
}

} // namespace

const Algorithm kVectorLanes = {{kName, "a matrix times a vector by lanes, in one launch; for GPUs",
                                 "Bell and Garland, Implementing Sparse Matrix-Vector Multiplication, 2009", false,
                                 Suits::kGpu},
                                refuses,
                                run,
                                nullptr,
                                kParameters};

} // namespace gpcl::matmul
