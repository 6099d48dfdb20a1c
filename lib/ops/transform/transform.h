// The request of transform, its program text, and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "ops/operation.h"

#include <array>

namespace gpcl::transform {

inline constexpr size_t kMostInputs = 8;

// A checked call; n is not 0.
struct Request {
    size_t n = 0;
    size_t first = 0; // the number of the first element, where these are a part of the caller's
    size_t count = 0; // of arrays
    std::array<gp_dtype, kMostInputs> types{};
    std::array<cl::Operand, kMostInputs> in;
    uint32_t broadcast = 0; // bit k: in[k] is one element
    gp_dtype dtype = GP_INT32;
    cl::Operand out;
    std::optional<cl::Operand> counted; // a uint64 on the device: as many elements, at most n
    std::string source, helpers;        // the caller's

    bool is_one(size_t k) const { return (broadcast >> k & 1) != 0; }
    bool has_type(gp_dtype type) const;
    // Bytes of the largest element among the output and the arrays, and of one element of each
    // array.
    size_t largest() const;
    size_t bytes_in() const;
    // The program text that goes before a kernel file: T, gp_transform_text, and GP_INPUTS.
    std::string preamble() const;
    std::string options(size_t width) const;
};

// deal.cpp: shares a call on host pointers among the devices of its context, and returns true.
// False: one device is to do it all, and nothing was done.
bool deal(gp_context *context, const Request &whole, const gp_transform_options &options, const void *const *in,
          void *out);

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kChunks;  // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kVectors; // vectors.cpp: vectors of 16 bytes, for GPUs

std::span<const Algorithm> algorithms();

extern const Operation kOperation;

// Launches a kernel of transform/ with the parameters of inputs.cl.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const cl::Range &range,
                                     const Request &r, const Args &...args) {
    cl::Arguments<cl::Operand> counted;
    if (r.counted) counted.emplace(*r.counted);
    task.launch(program, kernel, range, std::span(r.in.data(), r.count), r.out, uint64_t{r.n}, uint64_t{r.first},
                counted, args...);
}

} // namespace gpcl::transform
