// The matrix product's request, in the one form that its algorithms see.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "ops/operation.h"

#include <optional>
#include <string>
#include <variant>

namespace gpcl::matmul {

// Element (i, j) of matrix g of a batch is data[g * batch_stride + i * row_stride + j *
// column_stride].
struct Matrix {
    cl::Operand data;
    uint64_t row_stride = 0;
    uint64_t column_stride = 0;
    uint64_t batch_stride = 0;
};

// An element of the type that is computed in (unsigned ones never: the bits wrap alike).
using Scalar = std::variant<float, double, int32_t, int16_t>;

// Request::semiring of a call that brings its own, as text; as in kernels/common/codes.cl.
inline constexpr gp_semiring kCallersSemiring = 5;

// What elements of C go through before they are stored.
struct Finish {
    enum class Bias { kNone, kByColumn, kByRow }; // of C as the request has it

    Bias bias_by = Bias::kNone;
    cl::Operand bias;
    uint64_t bias_stride = 0;
    gp_activation activation = GP_NO_ACTIVATION;
    Scalar low, high; // of GP_CLAMP
    bool is_text = false;
    uint64_t row = 0, column = 0; // where the request's C begins in the caller's; the bias begins with that

    bool has_bias() const { return bias_by != Bias::kNone; }
};

// The type in which products of these factors are computed.
inline gp_dtype computed_in(gp_dtype factors, gp_dtype c) {
    switch (factors) {
    case GP_FLOAT16:
    case GP_BFLOAT16: return GP_FLOAT32;
    case GP_INT8:
    case GP_UINT8: return GP_INT32;
    case GP_INT16: return c == GP_INT32 ? GP_INT32 : GP_INT16;
    default: return factors;
    }
}

// A checked call: transposes are in the strides of a and b, and c is row-major (column_stride 1).
struct Request {
    gp_dtype dtype = GP_FLOAT32; // of A and B
    gp_dtype c_dtype = 0;        // of C and the bias; 0: the same
    gp_semiring semiring = GP_PLUS_TIMES;
    gp_precision precision = GP_FULL;
    uint64_t m = 0, n = 0, k = 0, batch = 1;
    Matrix a, b, c;
    Scalar alpha, beta;   // the same alternative
    bool reads_c = false; // beta is not the semiring's zero
    std::optional<Finish> finish;
    std::string preamble{};   // the caller's texts, which programs begin with
    bool has_alpha = true;    // else alpha is the one of the caller's semiring
    bool is_reversed = false; // this is the transpose of the caller's product: rows are its columns

    bool has_text() const { return !preamble.empty(); }
    gp_dtype of_c() const { return c_dtype != 0 ? c_dtype : dtype; }
    gp_dtype computed() const { return computed_in(dtype, of_c()); }

    // Calls f(alpha, beta) with their C++ type.
    template <class F> void with_scalars(F &&f) const {
        std::visit([&](auto value) { f(value, std::get<decltype(value)>(beta)); }, alpha);
    }

    // What finish.cl takes behind alpha, beta and reads_c, from product number g on; T is the type
    // of alpha and beta.
    template <class T> auto finish_arguments(T, uint64_t g = 0) const {
        cl::Arguments<cl::Operand, uint64_t, uint64_t, uint64_t, T, T> arguments;
        if (finish)
            arguments.emplace(finish->has_bias() ? finish->bias + g * finish->bias_stride : cl::Operand{},
                              finish->bias_stride, finish->row, finish->column, std::get<T>(finish->low),
                              std::get<T>(finish->high));
        return arguments;
    }

    // The products from number `first` on, `count` of them.
    Request some(uint64_t first, uint64_t count) const {
        Request part = *this;
        part.batch = count;
        part.a.data = a.data + first * a.batch_stride;
        part.b.data = b.data + first * b.batch_stride;
        part.c.data = c.data + first * c.batch_stride;
        if (finish) part.finish->bias = finish->bias + first * finish->bias_stride;
        return part;
    }
};

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kVector;        // vector.cpp: matrix times vector
extern const Algorithm kVectorLanes;   // vector_lanes.cpp: the same on GPUs
extern const Algorithm kSmall;         // small.cpp: small matrices
extern const Algorithm kPanels;        // panels.cpp: packed panels and register tiles, for CPUs
extern const Algorithm kDirectTiles;   // direct_tiles.cpp: one launch, from the matrices as they lie
extern const Algorithm kDirectGroups;  // direct_groups.cpp: matrix units that four warps use together, one launch
extern const Algorithm kWarpGroups;    // warp_groups.cpp: the same of halves, bytes, and float32 as halves, packed
extern const Algorithm kBoxUnits;      // box_units.cpp: doubles through matrix units, in one launch
extern const Algorithm kResidues;      // residues.cpp: doubles through products of bytes
extern const Algorithm kDirectUnits;   // direct_units.cpp: the same and halves, by plain copies
extern const Algorithm kMatrixUnits;   // matrix_units.cpp: NVIDIA's matrix units
extern const Algorithm kBulkTiles;     // bulk_tiles.cpp: larger tiles of packed blocks
extern const Algorithm kWideTiles;     // wide_tiles.cpp: the same by larger tiles, where C has enough of them
extern const Algorithm kRegisterTiles; // register_tiles.cpp: register tiles over tiles in local memory, for GPUs
extern const Algorithm kNaive1d;       // naive.cpp: one work-item an element; runs anywhere
extern const Algorithm kHost;          // host.cpp: lib/host

// The ladder that leads there, from the documents named in each file; these run by name only.
extern const Algorithm kNaive;          // naive.cpp
extern const Algorithm kTiles;          // tiles.cpp: tiles in local memory
extern const Algorithm kBlocks;         // blocks.cpp: blocks in vectors
extern const Algorithm kBlocksArrays;   // blocks.cpp: blocks in arrays
extern const Algorithm kBlocksAndTiles; // blocks.cpp: blocks from tiles in local memory
extern const Algorithm kImages;         // images.cpp: blocks from images
extern const Algorithm kMinPlus;        // min_plus.cpp: 64 x 64 elements a work-group
extern const Algorithm kMinPlusSmall;   // min_plus.cpp: 20 x 20 elements a work-group
extern const Algorithm kHostBlas;       // host.cpp
extern const Algorithm kHostLoop;       // host.cpp

std::span<const Algorithm> algorithms();

// Cycles of a compute unit for a product, without the launch, as these reckon them: to choose
// between them.
double cycles_of_direct_tiles(const cl::Context &context, const Request &request);
double cycles_of_box_units(const cl::Context &context, const Request &request);
double cycles_of_direct_units(const cl::Context &context, const Request &request);
double cycles_of_warp_groups(const cl::Context &context, const Request &request);
// warp_groups.cpp: may warp-groups compute it, and does this device have units for that?
bool is_for_warp_groups(const cl::Context &context, const Request &request);

void prove(Proof &proof); // prove.cpp

extern const Operation kOperation;
// place.cpp
extern const std::array<const place::Kind *, 4> kKinds;
const place::Kind &kind_of(size_t m, size_t n, size_t k, const gp_matmul_options &options);

// box_units.cpp: does nothing on the device when *report is 0. False where it can't compute it.
bool run_box_units_if(cl::Task &task, const Request &request, const cl::Operand &report);
// wide_tiles.cpp: does nothing on the device when *report is 0, if it is given.
void run_wide_tiles(cl::Task &task, const Request &request, const cl::Operand *report);

// The matrices of a call on host pointers, in the request's order.
struct HostMatrices {
    const void *a, *b;
    size_t b_bytes;
    void *c;
    const void *bias; // NULL: none
    size_t bias_bytes;
};

// pieces.cpp: computes it in blocks of rows; false where it is not large, or can't be cut.
bool run_pieces(cl::Task &task, cl::Context &context, Request whole, const char *algorithm, const HostMatrices &host);

// larger.cpp: has the device room for a call's arrays, of so many bytes, and its work space? The
// request is without operands.
bool device_holds(const cl::Context &context, const Request &whole, const char *algorithm,
                  std::initializer_list<size_t> arrays);
// Computes one product that there is no room for.
void run_larger(cl::Task &task, const Request &whole, const char *algorithm, const HostMatrices &host);
struct Product { // as gp_matmul takes it
    gp_dtype dtype;
    size_t m, n, k;
    const void *a;
    size_t lda;
    const void *b;
    size_t ldb;
    void *c;
    size_t ldc;
};
// deal.cpp: shares a call on host pointers among the devices of its context, and returns true.
// False: one device is to do it all, and nothing was done.
bool deal(gp_context *context, const Request &whole, const gp_matmul_options &options, const Product &product);

// Two bytes of a floating-point number, which are computed in float32.
inline bool is_half(gp_dtype dtype) { return dtype == GP_FLOAT16 || dtype == GP_BFLOAT16; }

// Bytes of an element as it is computed with.
inline size_t value_size(const Request &request) { return dtype(request.computed()).size; }

// The -D options of kernels/common/semiring.cl. `swapped`: the kernel has B's factors first.
std::string semiring_options(const Request &request, size_t width, bool swapped = false);

// Calls launch(arguments...) with what a kernel takes that has the matrices as they lie. `more` are
// arguments between k and the scalars.
template <class F, class... More> void with_matrices(const Request &request, const F &launch, const More &...more) {
    const Matrix &a = request.a, &b = request.b, &c = request.c;
    request.with_scalars([&](auto alpha, auto beta) {
        launch(a.data, a.row_stride, a.column_stride, a.batch_stride, b.data, b.row_stride, b.column_stride,
               b.batch_stride, c.data, c.row_stride, c.batch_stride, request.m, request.n, request.k, more..., alpha,
               beta, uint32_t{request.reads_c}, request.finish_arguments(alpha));
    });
}

// Launches such a kernel.
template <class... More> void launch_on_matrices(cl::Task &task, cl::Program &program, const char *kernel,
                                                 const cl::Range &range, const Request &request, const More &...more) {
    with_matrices(
        request, [&](const auto &...arguments) { task.launch(program, kernel, range, arguments...); }, more...);
}

// The same of a kernel whose numbers are a struct.
template <class... More> void launch_on_matrices_with_struct(cl::Task &task, cl::Program &program, const char *kernel,
                                                             const cl::Range &range, const Request &request,
                                                             const More &...more) {
    with_matrices(
        request, [&](const auto &...arguments) { task.launch_with_struct(program, kernel, range, arguments...); },
        more...);
}

} // namespace gpcl::matmul
