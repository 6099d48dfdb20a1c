// The request of select, partition and positions, and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "ops/operation.h"

namespace gpcl::select {

// What is moved: `size` bytes each, by words whose size divides that and all addresses. Size 0:
// nothing.
struct Column {
    size_t size = 0, word = 0;
    cl::Operand in, out;

    size_t words() const { return size != 0 ? size / word : 0; }
};

// A checked call.
struct Request {
    size_t n = 0;                 // at most
    bool counted = false;         // n_at says how many
    cl::Operand n_at;             // one uint64
    gp_dtype type = GP_UINT8;     // for parameters: the unsigned type of an element's size, or of its words'
    gp_dtype key_type = GP_UINT8; // elements are kept whose key is not zero
    std::string source;           // defines GpElement and gp_keeps, which then decides; else empty
    std::string second_source;    // of three parts: the same, of the first part among the first two
    cl::Operand kept;             // keys, or with a text the elements
    Column elements;              // with a text and positions: those that it reads, and no output
    Column values;
    size_t index_size = 0; // 4 or 8: positions go out, to elements.out
    bool rest = false;     // what is not kept follows
    bool thirds = false;   // three parts, which takes two partitions
    size_t capacity = 0;
    cl::Operand count; // one uint64; of three parts two

    gp_dtype proved_type() const { return type; }
    bool has_text() const { return !source.empty(); }
    // Do elements themselves go through local memory? Else their places do.
    bool goes_by_words() const { return index_size == 0 && elements.words() == 1 && values.size == 0; }
    // Elements that a work-item has side by side.
    size_t width() const;
    // The options of kernels/select/.
    std::string options() const;
};

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kFewTiles; // tiles.cpp: a launch, in which each work-group counts what is before its tile
extern const Algorithm kLookBack; // look_back.cpp: one pass, for GPUs
extern const Algorithm kTiles;    // tiles.cpp: counts of runs of tiles, then the outputs
extern const Algorithm kChunks;   // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kHost;     // host.cpp: lib/host
extern const Algorithm kLookBackFallback; // look_back.cpp: every count is late; a test

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
void prove(Proof &proof); // prove.cpp
// place.cpp
extern const std::array<const place::Kind *, 2> kKinds; // by flags, by the elements themselves

// Runs a request of three parts as two partitions, each by the named algorithm or the one that
// suits it: the first two parts from the third, then the first from the second (thirds.cpp).
void run_thirds(cl::Task &task, const char *algorithm, const Request &r);

// Launches a kernel that reads GP_SELECT_INPUTS; args follow.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const cl::Range &range,
                                     const Request &r, const Args &...args) {
    task.launch(program, kernel, range, uint64_t{r.n}, r.counted ? r.n_at : r.count, uint32_t{r.counted}, r.kept,
                args...);
}

// The same of one that ends with GP_SELECT_OUTPUTS.
template <class... Args> void launch_with_outputs(cl::Task &task, cl::Program &program, const char *kernel,
                                                  const cl::Range &range, const Request &r, const Args &...args) {
    const bool values = r.values.size != 0, moves = r.elements.size != 0 && r.index_size == 0;
    launch(task, program, kernel, range, r, args..., moves ? r.elements.in : r.count, r.elements.out,
           values ? r.values.in : r.count, values ? r.values.out : r.count, uint64_t{r.capacity}, r.count);
}

// How tiles are divided, and what their kernels need.
struct Shape {
    size_t group, items;
    size_t tile() const { return group * items; }
    std::string options() const { return text(" -DGP_GROUP=", group, " -DGP_ITEMS=", items); }
    // Of what goes through local memory of a tile.
    size_t tile_bytes(const Request &r) const {
        return tile() * (r.goes_by_words() ? r.elements.word : sizeof(uint16_t));
    }
};

} // namespace gpcl::select
