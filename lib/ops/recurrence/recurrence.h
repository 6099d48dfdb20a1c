// The linear recurrence's request and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/operation.h"

#include <vector>

namespace gpcl::recurrence {

constexpr size_t kLargestOrder = 8;

// A checked call. n > 0.
struct Request {
    gp_dtype dtype = GP_FLOAT32;
    size_t n = 0;
    size_t order = 1;
    size_t batch = 1;
    size_t stride_in = 0;
    size_t stride_out = 0;
    const void *coefficients = nullptr; // host memory, as is `initial`; NULL where they vary
    const void *initial = nullptr;      // NULL: zeros, or on the device
    bool has_states = false;            // true: the initial states are on the device, in `states`
    bool has_in = false;                // false: zeros, and `in` is nothing
    bool reverse = false;               // from the row's end to its beginning
    cl::Operand in;
    cl::Operand out;
    cl::Operand states;
    cl::Operand varying; // gp_recurrence_varying: the coefficients, of rows that lie so far apart; order is 1
    size_t stride_varying = 0;

    bool has_initial() const { return initial != nullptr || has_states; }
};

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kChunks;         // chunks.cpp: one work-item a row or a chunk, for CPUs
extern const Algorithm kLookBack;       // look_back.cpp: one pass, for NVIDIA GPUs
extern const Algorithm kStagedLookBack; // staged_look_back.cpp: the same, tiles copied ahead
extern const Algorithm kStagedLookBackFallback;
extern const Algorithm kChunkedLookAhead; // chunked_look_ahead.cpp: look-ahead over work-groups, for GPUs
extern const Algorithm kSerial;           // serial.cpp: one work-item a row
extern const Algorithm kLookAhead8;       // look_ahead.cpp: so many work-items a row
extern const Algorithm kLookAhead16;      //
extern const Algorithm kLookAhead32;      //
extern const Algorithm kLookAhead64;      //
extern const Algorithm kHost;             // host.cpp: lib/host
extern const Algorithm kHostLoop;

std::span<const Algorithm> algorithms();

extern const Algorithm kVaryingChunks;   // varying_chunks.cpp: one work-item a chunk or some rows, for CPUs
extern const Algorithm kVaryingLookBack; // varying_look_back.cpp: one pass, for NVIDIA GPUs
extern const Algorithm kVaryingLookBackFallback;
extern const Algorithm kVaryingTiles; // varying_tiles.cpp: scan over tiles, for GPUs
extern const Algorithm kVaryingHost;  // varying_host.cpp: lib/host

std::span<const Algorithm> varying_algorithms();

void prove(Proof &proof); // prove.cpp
void prove_varying(Proof &proof);

extern const Operation kOperation;        // gp_recurrence
extern const Operation kVaryingOperation; // gp_recurrence_varying
// place.cpp
extern const std::array<const place::Kind *, 2> kKinds;
extern const place::Kind kVarying;
const place::Kind &kind_of(size_t order);

// The arrays of a call on host pointers; NULL where there is none.
struct HostArrays {
    const void *varying;
    const void *in;
    void *out;
};

// Runs large ones piece by piece (pieces.cpp) and returns true; the request has no operands. False:
// nothing was done.
bool run_pieces(cl::Task &task, cl::Context &context, const Request &whole, std::span<const Algorithm> algorithms,
                const char *algorithm, const HostArrays &host);

// Elements of a row from which on a whole work-group of look-back is worth it.
inline constexpr size_t kLongRow = 1024;

// What the algorithms for OpenCL share, in recurrence.cpp.

// Build options: the type and the order.
std::string options(const Request &request);

// What every kernel reads beside input and output: its tables, of the recurrence's own type, and
// the initial states. An operand that there is not is another one in its place, which kernels don't
// touch.
struct Constants {
    cl::Operand tables;
    cl::Operand initial;
    cl::Operand in;
    uint32_t has_in;
    uint32_t has_initial;
};

// Puts the tables, which go behind the coefficients if `coefficients` is true, on the device.
Constants make_constants(cl::Task &task, const Request &request, const std::vector<long double> &tables,
                         bool coefficients = true);

// Puts the initial states on the device; where there are none, `else_` takes their place.
cl::Operand make_states(cl::Task &task, const Request &request, const cl::Operand &else_);

// Writes what the rows hand on, from `out` and the initial states, to `last`, which may be those
// states' memory. Host side of kernels/recurrence/final_states.cl.
void hand_on(cl::Task &task, const Request &request, const cl::Operand &last);

// Each row by one work-item, with the kernel of rows.cl; what always works.
void run_rows(cl::Task &task, cl::Program &program, const Request &request, const Constants &constants, size_t group);

} // namespace gpcl::recurrence
