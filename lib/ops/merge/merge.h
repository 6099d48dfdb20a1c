// The merge's request and its algorithms.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "ops/counted.h"
#include "ops/key_order.h"
#include "ops/operation.h"

namespace gpcl::merge {

// A sorted array, with values or without.
struct Sorted {
    size_t n = 0;
    cl::Operand keys, values; // values count in values; where there are none: keys
};

// The words that values are moved by; 0 without values. `alignment` divides their addresses and
// sizes.
inline size_t word_of(size_t value_size, size_t alignment) {
    return value_size != 0 ? std::min(alignment, size_t{8}) : 0;
}

// The options of kernels that include merge/arrays.cl.
inline std::string key_options(const cl::Context &context, gp_dtype dtype, size_t word) {
    const bool native = context.features().ptx != 0 && (dtype == GP_FLOAT32 || dtype == GP_FLOAT64);
    return text(key_order_options(dtype), " -DGP_NATIVE=", native ? 1 : 0, " -DGP_WORD_BYTES=", word);
}

// A checked call; there is a key.
struct Request {
    gp_dtype dtype = GP_INT32;
    bool descending = false;
    Sorted a, b;
    cl::Operand out, out_values;
    Counted counted, counted_b; // the keys of a, and of b
    size_t value_size = 0;      // 0: no values
    size_t value_alignment = 1; // a power of two that divides the address and size of every value

    size_t n() const { return a.n + b.n; }
    uint64_t flip() const { return flipped_bits(dtype, descending); }
    size_t word() const { return word_of(value_size, value_alignment); }
    std::string options(const cl::Context &context) const {
        return key_options(context, dtype, word()) + two_counts_option(counted, counted_b);
    }
};

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kTiles;  // tiles.cpp: a work-group a tile of the result, in local memory, for GPUs
extern const Algorithm kChunks; // chunks.cpp: one work-item a chunk of the result, for CPUs
extern const Algorithm kHost;   // host.cpp: lib/host

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
// place.cpp
extern const std::array<const place::Kind *, 2> kKinds; // of keys, of pairs

// Launches a kernel of merge/ that ends with GP_ARRAYS.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const cl::Range &range,
                                     const Request &r, const Args &...args) {
    const uint64_t of_a = r.a.n, of_b = r.b.n;
    if (r.value_size == 0)
        return task.launch(program, kernel, range, args..., r.flip(), of_a, of_b, r.a.keys, r.b.keys, r.out,
                           r.counted.argument(), r.counted_b.argument());
    task.launch(program, kernel, range, args..., r.flip(), of_a, of_b, r.a.keys, r.b.keys, r.out,
                static_cast<uint32_t>(r.value_size / r.word()), r.a.values, r.b.values, r.out_values,
                r.counted.argument(), r.counted_b.argument());
}

} // namespace gpcl::merge
