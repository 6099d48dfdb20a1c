// The merge of runs: its request and its algorithms.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/size.h"
#include "ops/merge/merge.h"
#include "ops/shape.h"

#include <bit>

namespace gpcl::merge_runs {

// Sorted runs of an array, or what becomes of them. Values count in values; where there are none:
// keys.
struct Array {
    cl::Operand keys, values;
};

// A checked call; there is a key.
struct Request {
    gp_dtype dtype = GP_INT32;
    bool descending = false;
    size_t n = 0, runs = 1;
    gp_dtype offset_type = GP_UINT64;
    cl::Operand offsets; // runs + 1 of them
    Array in, out;
    size_t value_size = 0;      // 0: no values
    size_t value_alignment = 1; // a power of two that divides the address and size of every value

    uint64_t flip() const { return flipped_bits(dtype, descending); }
    size_t word() const { return merge::word_of(value_size, value_alignment); }
    // Merges of all runs two by two.
    unsigned passes() const { return static_cast<unsigned>(std::bit_width(std::max(runs, size_t{1}) - 1)); }
    std::string options(const cl::Context &context) const;
};

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kTiles;    // tiles.cpp: a work-group a tile of a pass, in local memory, for GPUs
extern const Algorithm kChunks;   // chunks.cpp: one work-item a chunk of a pass, for CPUs
extern const Algorithm kSort;     // sort.cpp: a stable sort of all keys
extern const Algorithm kHost;     // host.cpp: lib/host
extern const Algorithm kHostSort; // sort.cpp: the same on "host"

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
extern const place::Kind kKind; // place.cpp; work is keys times rounds of merges
double work_of_runs(size_t n, size_t runs);

// ---- Passes

// Where a sort of all keys takes the place of merges: in passes of them, without values and with.
struct SortsFrom {
    size_t alone, pairs;
};
inline bool merges(const Request &r, const SortsFrom &from) {
    return r.passes() < (r.value_size == 0 ? from.alone : from.pairs) || r.dtype == GP_FLOAT16; // which has no sort
}

template <const auto &kRows> struct SortParameters {
    Parameter alone, pairs;

    explicit SortParameters(const char *algorithm)
        : alone{GP_MERGE_RUNS,
                algorithm,
                "passes",
                "passes that a sort of all keys takes the place of",
                {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16},
                of_row<kRows, &SortsFrom::alone>},
          pairs{GP_MERGE_RUNS,
                algorithm,
                "pair-passes",
                "the same of keys with values",
                {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16},
                of_row<kRows, &SortsFrom::pairs>} {}
    SortsFrom from(const cl::Context &context, gp_dtype type) const {
        return {tuned(context, type, alone), tuned(context, type, pairs)};
    }
};

// Copies what there is of one run.
void copy(cl::Task &task, const Request &r);

// The memory between which passes take turns, so that the last one ends in r.out: where there are
// several, work space too.
class Turns {
  public:
    Turns(cl::Task &task, const Request &r) : request_(r) {
        if (r.passes() < 2) return;
        between_.keys = task.work_space(r.n, dtype(r.dtype).size);
        if (r.value_size != 0) between_.values = task.work_space(r.n, r.value_size);
    }
    const Array &from(unsigned pass) const { return pass == 0 ? request_.in : to(pass - 1); }
    const Array &to(unsigned pass) const { return (request_.passes() - pass) % 2 != 0 ? request_.out : between_; }

  private:
    const Request &request_;
    Array between_;
};

// Launches a kernel of merge_runs/ that ends with GP_RUNS.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const cl::Range &range,
                                     const Request &r, const Turns &turns, unsigned pass, const Args &...args) {
    const Array &from = turns.from(pass), &to = turns.to(pass);
    const uint64_t n = r.n, runs = r.runs;
    if (r.value_size == 0)
        return task.launch(program, kernel, range, args..., r.flip(), n, runs, uint32_t{pass}, r.offsets, from.keys,
                           to.keys);
    task.launch(program, kernel, range, args..., r.flip(), n, runs, uint32_t{pass}, r.offsets, from.keys, to.keys,
                static_cast<uint32_t>(r.value_size / r.word()), from.values, to.values);
}

} // namespace gpcl::merge_runs
