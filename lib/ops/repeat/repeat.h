// The request of repeats, and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "ops/operation.h"

namespace gpcl::repeat {

// A checked call; n is not 0.
struct Request {
    size_t n = 0;            // the most there may be
    size_t element_size = 1; // bytes
    size_t word = 1;         // 1, 2, 4 or 8, which divides element_size and the addresses of in and out
    gp_dtype index = GP_UINT64;
    size_t capacity = 0;
    bool has_bound = false;
    cl::Operand in, out; // in words; the count where there is nothing to write
    cl::Operand repeats;
    cl::Operand bound; // how many elements there are; the count where there is none
    cl::Operand count;

    size_t words() const { return element_size / word; }
    // By which parameters know the size of an element.
    gp_dtype type() const {
        return element_size == 1 ? GP_UINT8 : element_size == 2 ? GP_UINT16 : element_size <= 4 ? GP_UINT32 : GP_UINT64;
    }
    // Of kernels/repeat/call.cl.
    std::string options() const { return text("-DGP_WORD_BYTES=", word, " -DGP_WORDS=", words()); }
};

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kTiles;  // tiles.cpp: a work-group a tile of the output, for GPUs
extern const Algorithm kChunks; // chunks.cpp: one work-item a chunk of the output, for CPUs
extern const Algorithm kHost;   // host.cpp: lib/host

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
extern const place::Kind kKind; // place.cpp

// The sums of the repeats, up to each element.
cl::Operand scan_repeats(cl::Task &task, const Request &r);

// Launches a kernel behind GP_REPEAT of call.cl.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const cl::Range &range,
                                     const Request &r, const cl::Operand &ends, const Args &...args) {
    task.launch(program, kernel, range, ends, r.bound, uint32_t{r.has_bound}, uint64_t{r.n}, r.in, r.out,
                uint64_t{r.capacity}, r.count, args...);
}

} // namespace gpcl::repeat
