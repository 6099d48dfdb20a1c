// Matrix times vector, and vector times matrix, on GPUs. Host side of kernels/matmul/vector_rows.cl
// and kernels/matmul/vector_columns.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/lanes.h"
#include "ops/matmul/matmul.h"

namespace gpcl::matmul {
namespace {

constexpr const char *kName = "vector-lanes";

// Measured on an H200, GB/s, n x n float32, along k 4096 3348, 16384 4413 (cuBLAS gemv 2890, 4090);
// across lines 3106, 4379 (3479, 4320), with columns 8 2807, 4358, with deep 4 2879, 4022; float64
// of 8192 4280 and 4132 (4323 and 4190).
// us, vectors of two, 3333 x 3333, items 512, 1024, 2048: float32 12.6, 15.2, 16.5, float64 27.2,
// 29.0, 32.4; float16 by loads of 1 and 4 10.9 and 15.7, 100 * 512 x 512 18.4 and 30.1.

const Parameter kGroup = group_parameter(GP_MATMUL, kName);
constexpr size_t kMostElements = 8; // of a vector; more take too many registers
size_t loads_of(const cl::Context &, gp_dtype type) { return dtype(type).size == 2 ? 1 : 4; }

const Parameter kLoads = {GP_MATMUL,    kName,
                          "loads",      "vectors of 16 bytes of a line that a work-item reads at a time",
                          {1, 2, 4, 8}, loads_of};

// Vectors of a line that are put together of two. A warp that reads elements of 8 bytes one by one
// has 256 bytes as well: 100003 x 77 of float64 22 us, of vectors 29.
size_t least_vectors(size_t elements) { return elements > 2 ? 3 : 128; }

size_t deep_of(const cl::Context &, gp_dtype type) { return dtype(type).size == 4 ? 8 : 4; }

const Parameter kDeep = {GP_MATMUL,    kName,  "deep", "vectors across lines that a work-item reads at a time",
                         {1, 2, 4, 8}, deep_of};
const Parameter kLines = {GP_MATMUL, kName,    "lines", "lines along k that a work-item takes, where there are enough",
                          {1, 2, 4}, always<2>};
// Fewer work-groups side by side leave more parts, whose sums the last one reads: 50000 x 1000 of
// float16 33 us, with 32 37.
size_t across_of(const cl::Context &, gp_dtype type) { return dtype(type).size == 2 ? 16 : 32; }

const Parameter kAcross = {GP_MATMUL, kName, "across", "work-items side by side across lines", {1, 8, 16, 32, 64, 128},
                           across_of};
const Parameter kItems = {GP_MATMUL,
                          kName,
                          "items",
                          "work-items for each compute unit, where lines are long enough",
                          {256, 512, 1024, 2048, 4096, 8192},
                          always<512>};
const Parameter kGroups = {GP_MATMUL,
                           kName,
                           "groups",
                           "work-groups for each compute unit, where k is cut along lines",
                           {1, 2, 3, 4, 8, 16, 32},
                           always<4>};
const Parameter kColumns = {
    GP_MATMUL, kName, "columns", "the same where it is cut across lines", {1, 2, 3, 4, 8, 16, 32}, always<4>};
constexpr std::array kParameters = {&kGroup, &kLoads, &kDeep, &kLines, &kAcross, &kItems, &kGroups, &kColumns};

// X is A where C is a column, else the transpose of B.
struct Vectors {
    Matrix x, y;
    uint64_t lines, line_stride, k_stride, y_stride, c_stride;
    bool column;  // C is a column, and X is A
    bool along_k; // neighbours along k are neighbours in memory

    explicit Vectors(const Request &r)
        : x(r.n == 1 ? r.a : r.b), y(r.n == 1 ? r.b : r.a), lines(r.n == 1 ? r.m : r.n),
          line_stride(r.n == 1 ? x.row_stride : x.column_stride), k_stride(r.n == 1 ? x.column_stride : x.row_stride),
          y_stride(r.n == 1 ? y.row_stride : y.column_stride), c_stride(r.n == 1 ? r.c.row_stride : 1),
          column(r.n == 1), along_k(k_stride == 1 && (line_stride != 1 || lines == 1)) {}

    uint64_t pitch() const { return along_k ? line_stride : k_stride; }
    // Does the memory begin at the same place in a vector of so many elements, wherever a line
    // does, or a step of k where those lie apart?
    bool is_regular(uint64_t k, size_t elements) const {
        const uint64_t count = along_k ? lines : k, length = along_k ? k : lines;
        return (pitch() % elements == 0 || count == 1) && x.batch_stride % elements == 0 && length >= elements;
    }
};

// How a product is divided; depends on the device, its parameters and the form of the product
// alone, so that results don't change from run to run.
struct Division {
    size_t width;  // work-items that share a line, or side by side across lines
    size_t each;   // lines of a work-item
    size_t groups; // work-groups that share all lines of a product
    size_t share;  // vectors of a line, or steps of k, of a part
    size_t parts;
};

// Vectors of a line along k, or elements where those come one by one, that a work-item reads at a
// time.
size_t loads_along_k(const cl::Context &context, const Request &request, size_t elements, bool anywhere) {
    constexpr size_t kAlone = 2;      // times as many elements, so that more bytes are on their way
    constexpr size_t kShort = 32;     // vectors: lines of fewer have two read at a time, and half as many lanes
    constexpr size_t kLeastLanes = 4; // of a line that begins anywhere
    const size_t loads = tuned(context, request.dtype, kLoads), vectors = request.k / elements;
    if (elements == 1) return kAlone * loads;
    const size_t several = vectors < kShort ? std::max<size_t>(loads, 2) : loads;
    return anywhere ? std::min(several, std::max<size_t>(vectors / kLeastLanes, 1)) : several;
}

Division along_k(const cl::Context &context, const Request &request, uint64_t lines, size_t elements, size_t loads,
                 bool anywhere) {
    constexpr size_t kWarp = 32, kMore = 4; // of `several` lines only where four times as many keep the device busy
    const gp_dtype type = request.dtype;
    const size_t group = tuned(context, type, kGroup), units = context.info().compute_units;
    const size_t vectors = std::max<size_t>(request.k / elements, 1);
    // The most lanes that all have something to read, the fewest that keep the device busy, and no
    // less than a warp of the former.
    const size_t busy = std::bit_ceil(ceil_div<uint64_t>(units * tuned(context, type, kItems), lines * request.batch));
    const size_t most = std::min(group, std::bit_ceil(ceil_div(vectors, loads)));
    // Vectors of two parts take twice the registers.
    const size_t several = anywhere && loads > 2 ? 1 : tuned(context, type, kLines);
    Division result{};
    result.each = lines >= several && busy * several * kMore <= kWarp ? several : 1;
    result.width = std::min(most, std::max(busy * result.each, kWarp));
    result.groups = ceil_div<size_t>(lines, group / result.width * result.each);
    const size_t step = result.width * loads, steps = ceil_div(vectors, step);
    const size_t slots = units * tuned(context, type, kGroups);
    const size_t wanted = result.width < group ? 1 : parts_of_each(slots, result.groups * request.batch);
    result.share = ceil_div(steps, std::min(steps, wanted)) * step;
    result.parts = std::max<size_t>(ceil_div(vectors, result.share), 1);
    return result;
}

Division across_lines(const cl::Context &context, const Request &request, const Vectors &v, size_t elements,
                      size_t full, size_t loads) {
    constexpr size_t kMost = 4; // lines apart, which come one by one
    const gp_dtype type = request.dtype;
    const size_t group = tuned(context, type, kGroup), units = context.info().compute_units;
    Division result{};
    result.each = elements > 1 ? full : std::min({full, kMost, std::bit_ceil<size_t>(v.lines)});
    // Memory that is shared with the host may begin anywhere.
    const bool aligned = elements == 1 || (!context.shares_memory() && v.x.data.offset % elements == 0);
    const size_t vectors = ceil_div<size_t>(v.lines + (aligned ? 0 : elements - 1), result.each);
    const size_t deep = std::bit_ceil(std::max<size_t>(ceil_div<size_t>(request.k, loads), 1));
    constexpr size_t kLeastAlone = 32; // work-items side by side, where elements come one by one
    const size_t wide = tuned(context, type, kAcross), across = elements > 1 ? wide : std::max(wide, kLeastAlone);
    const size_t least = std::max(across, group / std::min(group, deep));
    result.width = std::min({group, std::bit_ceil(vectors), least});
    result.groups = ceil_div(vectors, result.width);
    const size_t most = std::max<size_t>(ceil_div<size_t>(request.k, group / result.width * loads), 1);
    const size_t wanted = parts_of_each(units * tuned(context, type, kColumns), result.groups * request.batch);
    result.share = std::max<size_t>(ceil_div<size_t>(request.k, std::min(most, wanted)), 1);
    result.parts = ceil_div<size_t>(request.k, result.share);
    return result;
}

void run(cl::Task &task, const Request &request) {
    auto &context = task.context();
    const gp_dtype type = request.dtype;
    const Vectors v(request);
    const size_t full = std::min(kVectorBytes / dtype(type).size, kMostElements);
    const bool regular = v.is_regular(request.k, full);
    const bool anywhere =
        !regular && v.along_k && full * dtype(type).size == kVectorBytes && request.k >= least_vectors(full) * full;
    const size_t elements = regular || anywhere ? full : 1;
    const size_t loads = v.along_k ? loads_along_k(context, request, elements, anywhere) : tuned(context, type, kDeep);
    const Division division = v.along_k ? along_k(context, request, v.lines, elements, loads, anywhere)
                                        : across_lines(context, request, v, elements, full, loads);
    const size_t group = tuned(context, type, kGroup), groups = multiply(division.groups, request.batch, "vector");
    const bool many = division.parts > 1;
    const size_t bytes = division.parts * std::max(value_size(request), size_t{4}); // of the sums of a line
    const auto sums =
        many ? task.work_space(multiply(multiply(v.lines, request.batch, "sums"), bytes, "sums")) : cl::Operand{};
    const auto ended = many ? task.cleared_space(groups * sizeof(uint32_t)) : cl::Operand{};
    std::string options = semiring_options(request, 1, !v.column) +
                          text(" -DGP_GROUP=", group, " -DGP_LOADS=", loads, " -DGP_ELEMENTS=", elements,
                               " -DGP_LINES=", division.each, context.features().options());
    if (anywhere) options += " -DGP_ANYWHERE";
    if (!v.column && request.finish) options += " -DGP_C_IS_ROW";
    const auto program =
        task.program({v.along_k ? "matmul/vector_rows.cl" : "matmul/vector_columns.cl", options, request.preamble});
    request.with_scalars([&](auto alpha, auto beta) {
        task.launch_with_struct(
            *program, v.along_k ? "matmul_vector_rows" : "matmul_vector_columns",
            cl::Range::groups({groups, division.parts, 1}, {group, 1, 1}), v.x.data, v.pitch(), v.x.batch_stride,
            v.y.data, v.y_stride, v.y.batch_stride, request.c.data, v.c_stride, request.c.batch_stride, sums, ended,
            v.lines, request.k, static_cast<uint32_t>(division.width), uint64_t{division.share},
            uint64_t{division.groups}, alpha, beta, uint32_t{request.reads_c}, request.finish_arguments(alpha));
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
